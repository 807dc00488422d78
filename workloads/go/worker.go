// SPDX-License-Identifier: MIT

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const minBatchS = 0.02

// thread is a goroutine that stays on one thread on one CPU.
type thread struct {
	job            *job
	index          int
	work           work
	err            error
	warmUpS, clock float64
	flat           bool
	batches        []batchMessage
	schedstat      int
	counters       counters
}

// crew is what the threads share while they run, by the rules of src/run/worker.c.
type crew struct {
	threads      []*thread
	start        sync.WaitGroup
	calibrated   chan struct{}
	calls        uint64 // of batch() in a batch
	shareBatches uint64
	batchS       float64
	opsPerBatch  uint64
	finished     int32
	before       runtime.MemStats // the work
	after        runtime.MemStats
	stop         bool // the parent is gone, or a thread could not start
}

func (t *thread) runBatch(calls uint64) uint64 {
	ops := uint64(0)

	for i := uint64(0); i < calls; i++ {
		ops += t.work.batch()
	}
	return ops
}

func (t *thread) measure(calls uint64, share uint32) {
	var a, b usage
	var ca, cb countersReading

	r := batchMessage{Thread: uint32(t.index), Share: share}
	a.read(t.schedstat)
	lost := !t.counters.read(&ca)
	r.StartNs = clockNs(clockMonotonicRaw)
	r.Ops = t.runBatch(calls)
	r.EndNs = clockNs(clockMonotonicRaw)
	lost = !t.counters.read(&cb) || lost
	b.read(t.schedstat)
	r.CPU = currentCPU()
	r.CPUNs, r.UserNs, r.SysNs = b.cpuNs-a.cpuNs, b.userNs-a.userNs, b.sysNs-a.sysNs
	r.RunDelayNs = b.runDelayNs - a.runDelayNs
	r.Faults, r.MajorFaults = b.faults-a.faults, b.majorFaults-a.majorFaults
	r.Voluntary, r.Involuntary = b.voluntary-a.voluntary, b.involuntary-a.involuntary
	r.EnabledNs = 1
	if !lost {
		for i := range r.Counts {
			r.Counts[i] = cb.value[i] - ca.value[i]
		}
		r.EnabledNs, r.RunningNs = cb.enabledNs-ca.enabledNs, cb.runningNs-ca.runningNs
	}
	if t.job.probe {
		r.ClockHz, r.AddsPerS = needleClockHz(), needleAddsPerS()
	}
	if len(t.batches) < cap(t.batches) {
		t.batches = append(t.batches, r)
	}
}

// calibrate finds out how much work is a batch.
func (t *thread) calibrate(c *crew) {
	c.calls = 1
	for {
		from := clockNs(clockMonotonicRaw)
		c.opsPerBatch = t.runBatch(c.calls)
		ns := float64(clockNs(clockMonotonicRaw) - from)
		c.batchS = ns * 1e-9
		if c.batchS >= minBatchS || c.calls > 1<<30 {
			break
		}
		if ns < 1e6 {
			c.calls *= 16
		} else {
			c.calls = uint64(float64(c.calls)*minBatchS*1.3e9/ns) + 1
		}
	}
	c.shareBatches = uint64(t.job.shareS/c.batchS + 0.5)
	if c.shareBatches < 1 {
		c.shareBatches = 1
	}
}

// begin gets everything ready on the thread's own CPU.
func (t *thread) begin() error {
	runtime.LockOSThread()
	if err := setAffinity(0, t.job.cpus[t.index:t.index+1]); err != nil {
		return fmt.Errorf("cannot run on CPU %d: %v", t.job.cpus[t.index], err)
	}
	t.schedstat = openSchedstat()
	t.counters.open(t.job.events)
	var err error
	t.work, err = t.job.program.begin(&t.job.env)
	return err
}

func (t *thread) warmUp(c *crew) {
	// Room for twelve times the share: others may be much slower.
	t.batches = make([]batchMessage, 0, c.shareBatches*12+1024)
	if t.index > 0 && c.batchS < 0.5 {
		t.work.batch()
	}
	if t.job.probe {
		t.warmUpS, t.flat = needleWarmUp(0.25)
		t.clock = needleClockHz()
	}
}

func (t *thread) main(c *crew, begun, done *sync.WaitGroup) {
	defer done.Done()
	t.err = t.begin()
	if t.index == 0 {
		if t.err == nil {
			t.calibrate(c)
		}
		close(c.calibrated)
	}
	<-c.calibrated
	if t.err == nil && c.shareBatches > 0 {
		t.warmUp(c)
	}
	begun.Done()
	c.start.Wait()
	if c.stop {
		return
	}
	for i := uint64(0); i < c.shareBatches; i++ {
		t.measure(c.calls, 1)
	}
	atomic.AddInt32(&c.finished, 1)
	// Work on, so that the last one keeps its company to the end.
	for int(atomic.LoadInt32(&c.finished)) < len(c.threads) {
		t.measure(c.calls, 0)
	}
}

func (c *crew) firstError() error {
	for _, t := range c.threads {
		if t.err != nil {
			return t.err
		}
	}
	return nil
}

func (c *crew) report(j *job) error {
	for _, t := range c.threads {
		if err := t.work.verify(j.flipByte); err != nil {
			return err
		}
	}
	for _, t := range c.threads {
		var b bytes.Buffer

		binary.Write(&b, binary.LittleEndian, t.batches)
		if err := say(messageBatches, b.Bytes()); err != nil {
			return err
		}
	}
	if j.note {
		collections := c.after.NumGC - c.before.NumGC
		paused := float64(c.after.PauseTotalNs-c.before.PauseTotalNs) * 1e-6
		allocated := float64(c.after.TotalAlloc-c.before.TotalAlloc) / (1 << 20)
		text := fmt.Sprintf("Go's runtime: %.0f MiB allocated, garbage collected %d times, all "+
			"paused for %.1f ms by that", allocated, collections, paused)
		if err := say(messageNote, []byte(text)); err != nil {
			return err
		}
	}
	if j.timerHz > 0 {
		// Go has its own use for the signals that samples would need.
		return say(messageMaps, []byte(fmt.Sprintf("%d\n", os.Getpid())))
	}
	return nil
}

// run is a repetition: threads begin, the parent says go, all work, all is told.
func run(j *job, born time.Time) error {
	var begun, done sync.WaitGroup

	c := &crew{calibrated: make(chan struct{})}
	// The goroutine that waits for the parent needs none of its own.
	runtime.GOMAXPROCS(len(j.cpus))
	c.start.Add(1)
	for i := range j.cpus {
		c.threads = append(c.threads, &thread{job: j, index: i})
	}
	begun.Add(len(j.cpus))
	done.Add(len(j.cpus))
	for _, t := range c.threads {
		go t.main(c, &begun, &done)
	}
	begun.Wait()
	err := c.firstError()
	if err == nil {
		first := c.threads[0]
		r := readyMessage{SetupS: time.Since(born).Seconds(), WarmUpS: first.warmUpS,
			ClockHz: first.clock, BatchS: c.batchS, OpsPerBatch: c.opsPerBatch}
		if first.flat {
			r.Flat = 1
		}
		sayStruct(messageCounters, &first.counters.state)
		sayStruct(messageReady, &r)
		if !waitForGo() {
			err = errors.New("the parent is gone")
		}
	}
	c.stop = err != nil
	runtime.ReadMemStats(&c.before)
	c.start.Done()
	done.Wait()
	runtime.ReadMemStats(&c.after)
	if err != nil {
		return err
	}
	if err = say(messageMeasured, nil); err != nil {
		return err
	}
	return c.report(j)
}
