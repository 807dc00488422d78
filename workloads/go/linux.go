// SPDX-License-Identifier: MIT

package main

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"unsafe"
)

const (
	clockMonotonicRaw = 4
	clockThreadCPU    = 3
	rusageThread      = 1
)

func clockNs(id uintptr) uint64 {
	var ts syscall.Timespec

	syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&ts)), 0)
	return uint64(ts.Sec)*1e9 + uint64(ts.Nsec)
}

func currentCPU() uint32 {
	var cpu uint32

	syscall.RawSyscall(sysGetCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	return cpu
}

func setAffinity(tid int, cpus []int) error {
	var set [1024]uint64

	for _, cpu := range cpus {
		if cpu < 0 || cpu/64 >= len(set) {
			return fmt.Errorf("no CPU %d", cpu)
		}
		set[cpu/64] |= 1 << (cpu % 64)
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(tid),
		unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
	if errno != 0 {
		return errno
	}
	return nil
}

// confine keeps the threads that Go has already started, and with them those that
// it will, for instance to collect garbage, on the CPUs that were given.
func confine(cpus []int) error {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, task := range tasks {
		tid, _ := strconv.Atoi(task.Name())
		err := setAffinity(tid, cpus)
		if err != nil && err != syscall.ESRCH {
			return fmt.Errorf("cannot run on CPUs %v: %v", cpus, err)
		}
	}
	return nil
}

func openSchedstat() int {
	fd, err := syscall.Open("/proc/thread-self/schedstat", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
}

// usage is what the calling thread has used so far.
type usage struct {
	cpuNs, userNs, sysNs, runDelayNs            uint64
	faults, majorFaults, voluntary, involuntary uint64
}

func timevalNs(t syscall.Timeval) uint64 {
	return uint64(t.Sec)*1e9 + uint64(t.Usec)*1e3
}

// The second number of "RAN DELAY SLICES".
func secondNumber(text []byte) uint64 {
	var v uint64

	spaces := 0
	for _, b := range text {
		if b == ' ' {
			spaces++
		} else if spaces == 1 && b >= '0' && b <= '9' {
			v = v*10 + uint64(b-'0')
		}
	}
	return v
}

func (u *usage) read(schedstat int) {
	var r syscall.Rusage
	var text [128]byte

	if schedstat >= 0 {
		if n, err := syscall.Pread(schedstat, text[:], 0); err == nil {
			u.runDelayNs = secondNumber(text[:n])
		}
	}
	if syscall.Getrusage(rusageThread, &r) == nil {
		u.userNs, u.sysNs = timevalNs(r.Utime), timevalNs(r.Stime)
		u.faults, u.majorFaults = uint64(r.Minflt), uint64(r.Majflt)
		u.voluntary, u.involuntary = uint64(r.Nvcsw), uint64(r.Nivcsw)
	}
	u.cpuNs = clockNs(clockThreadCPU)
}
