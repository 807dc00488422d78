// SPDX-License-Identifier: MIT

package main

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
)

// random is a small generator, the same on every machine (Numerical Recipes' LCG).
type random uint32

func (r *random) next(n int) int {
	*r = *r*1664525 + 1013904223
	return int(uint64(*r) * uint64(n) >> 32)
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// matching looks for an expression that is not in the text, as the benchmarks of
// Go's own regexp package do, whose three kinds these are: one that begins with a
// letter to look for, one with a choice of letters, one that can begin anywhere.
// An operation is a byte of text.
type matching struct {
	expression *regexp.Regexp
	text       []byte
	broken     error
}

func (m *matching) batch() uint64 {
	if m.expression.Match(m.text) {
		m.broken = errors.New("wrong output: a match where there is none")
	}
	return uint64(len(m.text))
}

// With the alphabet behind it, the text matches there and only there.
func (m *matching) verify(flip bool) error {
	if m.broken != nil {
		return m.broken
	}
	text := append(append([]byte(nil), m.text...), "\nX"+alphabet...)
	if flip {
		text[len(text)-2] ^= 1
	}
	at := m.expression.FindIndex(text)
	if at == nil || at[1] != len(text) || at[0] < len(m.text) {
		return errors.New("wrong output: the expression was not found where it is")
	}
	if bytes.Contains(m.text, []byte(alphabet)) {
		return errors.New("wrong output: the text holds what should not be in it")
	}
	return nil
}

// Printable characters, one in thirty a line feed.
func beginMatching(e *env, expression string) (work, error) {
	m := &matching{text: make([]byte, e.variant)}
	var err error
	r := random(1)

	for i := range m.text {
		if r.next(30) == 0 {
			m.text[i] = '\n'
		} else {
			m.text[i] = byte(' ' + r.next('~'-' '+1))
		}
	}
	m.expression, err = regexp.Compile(expression)
	return m, err
}

func beginRegexpEasy(e *env) (work, error)   { return beginMatching(e, alphabet+"$") }
func beginRegexpMedium(e *env) (work, error) { return beginMatching(e, "[XYZ]"+alphabet+"$") }
func beginRegexpHard(e *env) (work, error)   { return beginMatching(e, "[ -~]*"+alphabet+"$") }

// editing takes a text apart and puts it together again by the functions of package
// strings. An operation is a byte of text.
type editing struct {
	text   string
	result string
	count  int
	broken error
}

const (
	textBytes = 16 << 10
	oldWord   = "the"
	newWord   = "another"
)

func (s *editing) batch() uint64 {
	words := strings.Fields(s.text)
	joined := strings.Join(words, "-")
	replaced := strings.ReplaceAll(joined, oldWord, newWord)
	result := strings.ToUpper(replaced)
	count := strings.Count(result, "ANOTHER") + len(strings.Split(replaced, "-"))
	if s.result != "" && (s.result != result || s.count != count) {
		s.broken = errors.New("wrong output: two batches gave different strings")
	}
	s.result, s.count = result, count
	if strings.Contains(result, "\n") || strings.Index(result, "NOT THERE") >= 0 {
		s.broken = errors.New("wrong output: strings.Contains found what is not there")
	}
	return uint64(len(s.text))
}

// The same byte by byte.
func (s *editing) verify(flip bool) error {
	var want []byte

	if s.broken != nil {
		return s.broken
	}
	found, words, inWord := 0, 0, false
	for i := 0; i < len(s.text); i++ {
		c := s.text[i]
		if c == ' ' || c == '\n' {
			inWord = false
			continue
		}
		if !inWord {
			if words > 0 {
				want = append(want, '-')
			}
			words++
			inWord = true
		}
		if i+3 <= len(s.text) && s.text[i:i+3] == oldWord {
			want = append(want, "ANOTHER"...)
			found++
			i += 2
			continue
		}
		if c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		want = append(want, c)
	}
	if flip {
		want[len(want)/2] ^= 1
	}
	if s.result != string(want) || s.count != found+words {
		return errors.New("wrong output: the text is not what editing it byte by byte gives")
	}
	return nil
}

func beginStrings(e *env) (work, error) {
	syllables := strings.Fields("the a in con fer ti on re al ly ma ny er or es to is of Go web")
	var text []byte
	r := random(2)

	for len(text) < textBytes {
		for k := 1 + r.next(3); k > 0; k-- {
			text = append(text, syllables[r.next(len(syllables))]...)
		}
		if r.next(12) == 0 {
			text = append(text, '\n')
		} else {
			text = append(text, ' ')
		}
	}
	return &editing{text: string(text[:textBytes])}, nil
}
