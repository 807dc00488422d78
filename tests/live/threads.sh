#!/bin/sh
# SPDX-License-Identifier: MIT
# threads.sh - what each thread of a command used, from what its events leave
# behind: three processes that work for known shares of the time, and their sum is
# what the whole command used.
. "$(dirname "$0")/lib.sh"

cat >"$tmp/job" <<'END'
busy() { i=0; while [ "$i" -lt "$1" ]; do i=$((i + 1)); done; }
busy 300000 &
busy 100000 &
wait
END
# By falling time; the shell itself has next to nothing to do. A neighbour's burst may
# fall on one of them: three tries.
tell() {
	"$CPUPROF" exec -j -q --no-save --no-sampling --reps 1 --per-thread -- sh "$tmp/job" \
		>"$tmp/out" 2>"$tmp/err" || fail "exec: $(cat "$tmp/err")"
	grep -q 'this kernel left none' "$tmp/out" && skip "this kernel leaves no counts of threads"
	grep -q 'counts by thread' "$tmp/out" && skip "$(grep -o 'counts by thread[^"]*' "$tmp/out")"
	awk -F': ' '
		/"per_thread": \[/ { on = 1 }
		/^ *\],?$/ { on = 0 }
		on && /"cpu_s"/ { v[++n] = $2 + 0 }
		END {
			printf "%d threads: %.3f %.3f %.3f s\n", n, v[1], v[2], v[3]
			exit !(n == 3 && v[1] > 2 * v[2] && v[1] < 4.5 * v[2] && v[3] < v[2] / 2)
		}' "$tmp/out"
}
tell || tell || tell || fail "not three threads, one with three times the time of the next"
finish
