#!/bin/sh
# SPDX-License-Identifier: MIT
# versus.sh - live experiments (make bench): a program against itself, and
# against itself with 3 % more work. EXPERIMENTS (default 20) of each, SECONDS_EACH
# (default 12). docs/statistics.md has the same on stored noise, 1,000 times.
. "$(dirname "$0")/../live/lib.sh"

n=${EXPERIMENTS:-20}
each=${SECONDS_EACH:-12}
spin=$BUILD/tests/bench/spin

# How many of $n experiments with the other side's work $1 end in one of $2.
count() {
	hits=0
	for _ in $(seq "$n"); do
		"$CPUPROF" exec -q --no-save --json --time "$each" -- "$spin" 100 \
			--versus "$spin" "$1" >"$tmp/v.json" || fail "exec failed"
		case $(json "$tmp/v.json" versus.verdict) in $2) hits=$((hits + 1)) ;; esac
	done
}

count 100 '*er'
echo "live A/A: $hits of $n experiments claim a difference ($each s each)"
count 103 slower
echo "live A/B: $hits of $n experiments find 3 % more work slower"
finish
