#!/bin/sh
# SPDX-License-Identifier: MIT
# doctor.sh - the clock of 20 runs of doctor: at least 19 give one. Where the
# processor holds its clock all lie within 0.5 %; where it moves between turbo
# steps from one run to the next, the readings must lie on few steps, each within
# 0.5 % and at least 1 % from the others. A bad reading lies on none. Where the
# clock moves so much that not even that can be told, the test skips.
. "$(dirname "$0")/lib.sh"

runs=20
wait_quiet 10 || note "other processes keep the CPUs busy"
for i in $(seq "$runs"); do
	run doctor --json
	[ "$code" -eq 0 ] || fail "run $i: status $code: $(cat "$tmp/err")"
	# The clock, and the same with its average in words.
	json "$tmp/out" clock_hz | tr '\n' '\t' >>"$tmp/clocks"
	json "$tmp/out" 'lines.*' name value | grep '^clock, CPU' | head -n 1 >>"$tmp/clocks"
done
sort -g "$tmp/clocks" | awk -F '\t' -v runs="$runs" '
	$1 > 0 {
		n++
		if (!steps || $1 > 1.005 * low[steps]) {
			steps++
			low[steps] = $1
		}
		high[steps] = $1
		on[steps]++
		if (match($3, /up to [0-9.]+/) &&
		    1e6 * substr($3, RSTART + 6, RLENGTH - 6) > 1.01 * $1)
			moving++
	}
	END {
		for (i = 1; i <= steps; i++) {
			printf "%d of %d runs: %.1f to %.1f MHz, %.3f %% apart\n", on[i], n,
				low[i] / 1e6, high[i] / 1e6, 100 * (high[i] / low[i] - 1)
			lonely += on[i] == 1
			if (on[i] == 1)
				continue
			bad += held && low[i] < 1.01 * held
			held = high[i]
		}
		# One run in twenty may have been disturbed.
		if (n >= runs - 1 && !bad && steps <= 5 && lonely <= 1)
			exit 0
		exit n >= runs - 1 && moving >= n / 4 ? 2 : 1
	}'
case $? in
0) ;;
2)
	cat "$tmp/clocks"
	skip "the processor moves its clock within every run here"
	;;
*)
	cat "$tmp/clocks"
	fail "the clock does not repeat"
	;;
esac
finish
