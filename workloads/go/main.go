// SPDX-License-Identifier: MIT

// cpuprof-go is the worker of the workloads in Go: cpuprof becomes it (workloads/go.c)
// with the arguments of a worker, and it speaks the worker's protocol
// (src/run/protocol.h). "cpuprof-go version" prints the version of Go.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// What was asked for.
type job struct {
	program  program
	env      env
	cpus     []int
	shareS   float64
	probe    bool // read the needles between batches
	events   []perfAttr
	timerHz  int
	inputFD  int
	docs     []int // lengths of the documents in the input
	title    string
	flipByte bool
	note     bool // say what Go's runtime knows of itself
}

// program is one workload: begin makes what a thread needs.
type program struct {
	name  string
	begin func(e *env) (work, error)
}

// env is what all threads share.
type env struct {
	variant int
	docs    [][]byte
}

// work is what a thread does. batch does the same work every time and returns the
// operations; verify finds a wrong byte, which flip puts there.
type work interface {
	batch() uint64
	verify(flip bool) error
}

var programs = []program{
	{"go-ecdsa-p256-sign", beginECDSASign},
	{"go-ecdsa-p256-verify", beginECDSAVerify},
	{"go-rsa-2048-sign", beginRSASign},
	{"go-rsa-2048-verify", beginRSAVerify},
	{"go-aes-128-gcm", beginAESGCM},
	{"go-chacha20-poly1305", beginChaCha},
	{"go-gzip", beginGzip},
	{"go-regexp-easy", beginRegexpEasy},
	{"go-regexp-medium", beginRegexpMedium},
	{"go-regexp-hard", beginRegexpHard},
	{"go-strings", beginStrings},
}

func find(name string) (program, error) {
	for _, p := range programs {
		if p.name == name {
			return p, nil
		}
	}
	return program{}, fmt.Errorf("the Go program does not know the workload '%s'", name)
}

func numbers(text string) ([]int, error) {
	var out []int

	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("'%s' is no list of numbers", text)
		}
		out = append(out, n)
	}
	return out, nil
}

// parse reads "worker NAME KEY=VALUE...".
func parse(args []string) (*job, error) {
	j := &job{shareS: 0.8, inputFD: -1}
	var err error

	if len(args) < 2 || args[0] != "worker" {
		return nil, errors.New("cpuprof-go is started by cpuprof")
	}
	if j.program, err = find(args[1]); err != nil {
		return nil, err
	}
	for _, arg := range args[2:] {
		key, value, _ := strings.Cut(arg, "=")
		n, _ := strconv.Atoi(value)
		switch key {
		case "variant":
			j.env.variant = n
		case "cpus":
			j.cpus, err = numbers(value)
		case "share_s":
			j.shareS, err = strconv.ParseFloat(value, 64)
		case "probe":
			j.probe = n != 0
		case "events":
			j.events = parseEvents(value)
		case "timer":
			j.timerHz = n
		case "flip":
			j.flipByte = n != 0
		case "input_fd":
			j.inputFD = n
		case "docs":
			j.docs, err = numbers(value)
		case "title":
			j.title = value
		case "note":
			j.note = n != 0
		case "input", "library":
			// Seen to already, or nothing here.
		default:
			err = fmt.Errorf("the Go program does not know '%s'", arg)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(j.cpus) == 0 {
		return nil, errors.New("the worker was given no CPUs")
	}
	return j, nil
}

// readDocs takes the input from its descriptor and cuts it into documents.
func (j *job) readDocs() error {
	if j.inputFD < 0 {
		return nil
	}
	file := os.NewFile(uintptr(j.inputFD), "input")
	defer file.Close()
	for _, n := range j.docs {
		doc := make([]byte, n)
		for at := 0; at < n; {
			got, err := file.Read(doc[at:])
			if err != nil {
				return fmt.Errorf("cannot read the input: %v", err)
			}
			at += got
		}
		j.env.docs = append(j.env.docs, doc)
	}
	return nil
}

func main() {
	born := time.Now()

	if len(os.Args) == 2 && os.Args[1] == "version" {
		fmt.Println(strings.TrimPrefix(runtime.Version(), "go"))
		return
	}
	j, err := parse(os.Args[1:])
	if err == nil {
		err = j.readDocs()
	}
	if err == nil {
		err = confine(j.cpus)
	}
	if err == nil {
		err = sayHello(j)
	}
	if err == nil {
		err = run(j, born)
	}
	if err == nil {
		err = say(messageDone, nil)
	}
	if err != nil {
		say(messageError, []byte(err.Error()))
		os.Exit(1)
	}
}
