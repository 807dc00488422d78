// SPDX-License-Identifier: MIT

package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

// An operation is a byte of input; a batch compresses all documents once, each as
// one gzip stream.
type zipping struct {
	docs   [][]byte
	out    []bytes.Buffer // one for each, with room
	writer *gzip.Writer
	broken error
}

func (z *zipping) batch() uint64 {
	ops := 0

	for i, doc := range z.docs {
		before := z.out[i].Len()
		z.out[i].Reset()
		z.writer.Reset(&z.out[i])
		z.writer.Write(doc)
		if err := z.writer.Close(); err != nil {
			z.broken = err
		}
		if before > 0 && before != z.out[i].Len() {
			z.broken = errors.New("wrong output: a document gave streams of two lengths")
		}
		ops += len(doc)
	}
	return uint64(ops)
}

func (z *zipping) verify(flip bool) error {
	if z.broken != nil {
		return z.broken
	}
	if flip {
		stream := z.out[len(z.out)/2].Bytes()
		stream[len(stream)/2] ^= 1
	}
	for i, doc := range z.docs {
		r, err := gzip.NewReader(bytes.NewReader(z.out[i].Bytes()))
		if err != nil {
			return errors.New("wrong output: a stream is not gzip's")
		}
		plain, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(plain, doc) {
			return errors.New("wrong output: a stream does not decompress to its document")
		}
	}
	return nil
}

func beginGzip(e *env) (work, error) {
	z := &zipping{docs: e.docs, out: make([]bytes.Buffer, len(e.docs))}
	var err error

	for i, doc := range e.docs {
		z.out[i].Grow(len(doc) + len(doc)/1000 + 64)
	}
	z.writer, err = gzip.NewWriterLevel(io.Discard, e.variant)
	return z, err
}
