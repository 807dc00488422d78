// SPDX-License-Identifier: MIT

package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// The types and structs of src/run/protocol.h, which says what they mean. No field
// needs padding, so that they are what encoding/binary makes of them.
const (
	controlFD = 0
	messageFD = 3

	countersMax = 12

	messageHello    = 1
	messageCounters = 2
	messageReady    = 3
	messageMeasured = 4
	messageBatches  = 5
	messageMaps     = 7
	messageDone     = 8
	messageError    = 9
	messageNote     = 12
)

type helloMessage struct {
	Input          [256]byte
	LibraryPath    [1024]byte
	LibraryVersion [64]byte
	BuildID        [20]byte
	BuildIDLen     uint32
}

type readyMessage struct {
	SetupS, WarmUpS float64
	ClockHz         float64
	BatchS          float64
	OpsPerBatch     uint64
	Flat, Reserved  uint32
}

type batchMessage struct {
	Thread, CPU                                 uint32
	StartNs, EndNs                              uint64
	CPUNs, UserNs, SysNs, RunDelayNs            uint64
	Ops                                         uint64
	Faults, MajorFaults, Voluntary, Involuntary uint64
	ClockHz, AddsPerS                           float64
	Counts                                      [countersMax]uint64
	EnabledNs, RunningNs                        uint64
	Share, Reserved                             uint32
}

func writeAll(data []byte) error {
	for len(data) > 0 {
		n, err := syscall.Write(messageFD, data)
		if err != nil && err != syscall.EINTR {
			return err
		}
		if n > 0 {
			data = data[n:]
		}
	}
	return nil
}

func say(kind uint32, payload []byte) error {
	var b bytes.Buffer

	binary.Write(&b, binary.LittleEndian, [2]uint32{kind, uint32(len(payload))})
	b.Write(payload)
	return writeAll(b.Bytes())
}

func sayStruct(kind uint32, v interface{}) error {
	var b bytes.Buffer

	if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
		return err
	}
	return say(kind, b.Bytes())
}

// waitForGo is false when the parent is gone.
func waitForGo() bool {
	var b [1]byte

	for {
		n, err := syscall.Read(controlFD, b[:])
		if err != syscall.EINTR {
			return n == 1
		}
	}
}

// What stands for a library is this program.
func sayHello(j *job) error {
	var h helloMessage

	path, err := os.Executable()
	if err != nil {
		return err
	}
	copy(h.Input[:255], j.title)
	copy(h.LibraryPath[:1023], path)
	copy(h.LibraryVersion[:63], strings.TrimPrefix(runtime.Version(), "go"))
	return sayStruct(messageHello, &h)
}
