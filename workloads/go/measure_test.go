// SPDX-License-Identifier: MIT

package main

import (
	"os"
	"runtime"
	"strconv"
	"testing"
)

// The test program is cpuprof-go as well, so that both can be timed in one binary:
// where the linker puts a function is worth up to 7 % of regexp-hard.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "worker" || os.Args[1] == "version") {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// The same operations by Go's own benchmarks (tests/bench/workloads.sh), by the CPU
// time of their thread. CPUPROF_GO_VARIANT is the size or level, CPUPROF_GO_INPUT a
// file for go-gzip.
func BenchmarkWorkload(b *testing.B) {
	var e env

	e.variant, _ = strconv.Atoi(os.Getenv("CPUPROF_GO_VARIANT"))
	if path := os.Getenv("CPUPROF_GO_INPUT"); path != "" {
		doc, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		e.docs = [][]byte{doc}
	}
	for _, p := range programs {
		p := p
		b.Run(p.name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			w, err := p.begin(&e)
			if err != nil {
				b.Fatal(err)
			}
			ops := w.batch()
			from := clockNs(clockThreadCPU)
			b.ResetTimer()
			for i := 0; i < b.N; i++ {
				w.batch()
			}
			b.ReportMetric(float64(ops)*float64(b.N)*1e9/float64(clockNs(clockThreadCPU)-from), "ops/s")
			if err := w.verify(false); err != nil {
				b.Fatal(err)
			}
		})
	}
}
