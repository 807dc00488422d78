// SPDX-License-Identifier: MIT

package main

import "math"

// The two needles of src/machine/needles.c, the same instructions in the same loops,
// so that a core's share is held to the same best: needles_*.s has the loops.
func addChain(loops uint64)
func addSix(loops uint64)

const (
	chain           = 29952
	burst           = 5
	throughputLoops = 4500
)

func bestOf(n uint64) uint64 {
	best := uint64(math.MaxUint64)

	for i := 0; i < burst; i++ {
		from := clockNs(clockMonotonicRaw)
		addChain(n / 64)
		if t := clockNs(clockMonotonicRaw) - from; t < best {
			best = t
		}
	}
	return best
}

// What the longer chain does more, in the time it takes more.
func needleClockHz() float64 {
	one, two := bestOf(chain), bestOf(2*chain)

	if two <= one {
		return 0
	}
	return chain * 1e9 / float64(two-one)
}

func needleAddsPerS() float64 {
	const tries, preemptedNs = 5, 5000
	t := uint64(1)

	// A run during which another process had the CPU says nothing of a neighbour
	// on the core: do it again.
	for i := 0; i < tries; i++ {
		cpu := clockNs(clockThreadCPU)
		t = clockNs(clockMonotonicRaw)
		addSix(throughputLoops)
		t = clockNs(clockMonotonicRaw) - t
		cpu = clockNs(clockThreadCPU) - cpu
		if t < cpu+preemptedNs {
			break
		}
	}
	return throughputLoops * 96.0 * 1e9 / float64(t)
}

// needleWarmUp spins until five readings of the clock agree, at most maxS.
func needleWarmUp(maxS float64) (seconds float64, flat bool) {
	var last [5]float64

	from := clockNs(clockMonotonicRaw)
	for n := 1; ; n++ {
		last[n%5] = needleClockHz()
		low, high := last[0], last[0]
		for _, v := range last {
			low, high = math.Min(low, v), math.Max(high, v)
		}
		flat = n >= 5 && high-low < 0.003*high
		seconds = float64(clockNs(clockMonotonicRaw)-from) * 1e-9
		if flat || seconds >= maxS {
			return seconds, flat
		}
	}
}
