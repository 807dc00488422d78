#!/bin/sh
# SPDX-License-Identifier: MIT
# doctor.sh - the clock of 20 runs of doctor: at least 19 give one, and all of
# them lie within 0.5 %. A machine whose clock really changes meanwhile would
# fail this by right, so it says what it saw.
. "$(dirname "$0")/lib.sh"

runs=20
wait_quiet 10 || note "other processes keep the CPUs busy"
for i in $(seq "$runs"); do
	run doctor --json
	[ "$code" -eq 0 ] || fail "run $i: status $code: $(cat "$tmp/err")"
	json "$tmp/out" clock_hz >>"$tmp/clocks"
	json "$tmp/out" 'lines.*' group name value | grep '^needles' >>"$tmp/lines"
done
awk -v runs="$runs" '
	$1 > 0 {
		n++
		if (n == 1 || $1 < low) low = $1
		if (n == 1 || $1 > high) high = $1
	}
	END {
		printf "%d of %d runs give a clock, %.1f to %.1f MHz: %.3f %% apart\n",
			n, runs, low / 1e6, high / 1e6, n ? 100 * (high - low) / low : 0
		exit !(n >= runs - 1 && high - low <= 0.005 * low)
	}' "$tmp/clocks" || {
	grep 'clock' "$tmp/lines"
	fail "the clock does not repeat"
}
finish
