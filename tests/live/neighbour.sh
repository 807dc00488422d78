#!/bin/sh
# SPDX-License-Identifier: MIT
# A neighbour planted on the sibling thread of a core is seen by the core share
# needle. Needs siblings that the machine shows; most guests hide them.
set -u
. "$SRC/tests/live/lib.sh"

# Core share of a short run on CPU $first.
share() {
	taskset -c "$first" "$CPUPROF" gzip --reps 6 --no-sampling --no-save -q --json \
		--threads 1 >"$tmp/run.json" && json "$tmp/run.json" rows.0.factors.core_share.value
}

have taskset || skip "no taskset here"
pair=$(cat /sys/devices/system/cpu/cpu*/topology/thread_siblings_list 2>/dev/null |
	grep '[,-]' | head -n 1)
[ -n "$pair" ] || skip "no CPU here shows a sibling thread"
first=${pair%%[,-]*}
second=${pair##*[,-]}
alone=$(share)	# also keeps the CPU's best for the next run to compare with
taskset -c "$second" sh -c 'while :; do :; done' &
spinner=$!
with=$(share)
kill "$spinner"
note "core share alone $alone, with the sibling busy $with"
awk -v a="$alone" -v w="$with" 'BEGIN { exit !(w > 0 && w < 0.9 * a) }' ||
	fail "a busy sibling of CPU $first does not show"
finish
