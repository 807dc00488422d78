// SPDX-License-Identifier: MIT

package main

import (
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// perfAttr is the part of struct perf_event_attr that is asked for (the kernel's
// include/uapi/linux/perf_event.h, 112 bytes: PERF_ATTR_SIZE_VER5).
type perfAttr struct {
	kind, size   uint32
	config       uint64
	samplePeriod uint64
	sampleType   uint64
	readFormat   uint64
	flags        uint64
	wakeup       uint32
	bpType       uint32
	config1      uint64
	config2      uint64
	rest         [5]uint64
}

const (
	flagDisabled      = 1 << 0
	flagPinned        = 1 << 2
	flagExcludeUser   = 1 << 4
	flagExcludeKernel = 1 << 5
	flagExcludeHV     = 1 << 6
	preciseShift      = 15

	// Group, time enabled, time running.
	readGroup = 8 | 1 | 2

	counterAll  = 1
	counterUser = 2
)

// parseEvents reads "TYPE:CONFIG:CONFIG1:CONFIG2:EXCLUDE:PRECISE;...".
func parseEvents(text string) []perfAttr {
	var out []perfAttr

	for _, one := range strings.Split(text, ";") {
		var v [6]uint64

		for i, word := range strings.Split(one, ":") {
			if i < len(v) {
				v[i], _ = strconv.ParseUint(word, 0, 64)
			}
		}
		a := perfAttr{kind: uint32(v[0]), config: v[1], config1: v[2], config2: v[3],
			readFormat: readGroup, flags: (v[5] & 3) << preciseShift}
		a.size = uint32(unsafe.Sizeof(a))
		if v[4]&1 != 0 {
			a.flags |= flagExcludeKernel
		}
		if v[4]&2 != 0 {
			a.flags |= flagExcludeUser
		}
		if len(out) < countersMax {
			out = append(out, a)
		}
	}
	return out
}

// counters is one pinned group on the calling thread, as src/run/counters.c opens it.
type counters struct {
	fd     [countersMax]int
	state  [countersMax]int32 // enum counter_state
	n      int
	leader int
	buffer [3 + countersMax]uint64
}

type countersReading struct {
	value                [countersMax]uint64
	enabledNs, runningNs uint64
}

func openEvent(a *perfAttr, group int) (int, syscall.Errno) {
	const cloexec = 8

	fd, _, errno := syscall.Syscall6(sysPerfEventOpen, uintptr(unsafe.Pointer(a)), 0,
		^uintptr(0), uintptr(group), cloexec, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), 0
}

// With kernel code, else without.
func (c *counters) openOne(i int, a perfAttr, group int) syscall.Errno {
	fd, errno := openEvent(&a, group)
	c.state[i] = counterAll
	denied := errno == syscall.EACCES || errno == syscall.EPERM || errno == syscall.EOPNOTSUPP
	if denied && a.flags&(flagExcludeKernel|flagExcludeUser) == 0 {
		a.flags |= flagExcludeKernel | flagExcludeHV
		fd, errno = openEvent(&a, group)
	}
	if errno != 0 {
		c.state[i] = -int32(errno)
	} else if a.flags&flagExcludeKernel != 0 {
		c.state[i] = counterUser
	}
	c.fd[i] = fd
	return errno
}

// The kernel says EINVAL both to what it does not know and to one too many.
func opensAlone(a perfAttr) bool {
	a.flags = a.flags&^flagPinned | flagDisabled
	fd, errno := openEvent(&a, -1)
	if errno != 0 {
		return false
	}
	syscall.Close(fd)
	return true
}

func (c *counters) open(attrs []perfAttr) {
	c.n, c.leader = len(attrs), -1
	for i, a := range attrs {
		group := -1
		if c.leader >= 0 {
			group = c.fd[c.leader]
		} else {
			a.flags |= flagPinned
		}
		errno := c.openOne(i, a, group)
		if errno == 0 && c.leader < 0 {
			c.leader = i
		} else if errno == syscall.EINVAL && c.leader >= 0 && opensAlone(a) {
			c.state[i] = -int32(syscall.E2BIG)
		}
	}
}

// read is false when the pinned group has lost its counters.
func (c *counters) read(r *countersReading) bool {
	if c.n == 0 || c.leader < 0 {
		return true
	}
	size := int(unsafe.Sizeof(c.buffer))
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(c.fd[c.leader]),
		uintptr(unsafe.Pointer(&c.buffer)), uintptr(size))
	if errno != 0 || n < 4*8 {
		return false
	}
	r.enabledNs, r.runningNs = c.buffer[1], c.buffer[2]
	at := 3
	for i := 0; i < c.n && at < 3+int(c.buffer[0]); i++ {
		if c.fd[i] >= 0 {
			r.value[i] = c.buffer[at]
			at++
		}
	}
	return true
}
