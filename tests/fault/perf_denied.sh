#!/bin/sh
# SPDX-License-Identifier: MIT
# perf_denied.sh - where perf_event_open fails (containers, hardened kernels)
# scores and causes are measured as ever; what is missing is said, with the
# reason, and it is not status 1.
. "$(dirname "$0")/../live/lib.sh"
cd "$tmp" || exit 1

noperf=$BUILD/tests/live/noperf
"$noperf" EPERM true || skip "no seccomp filter can be installed here"

denied() {
	what="$1: cpuprof $2"
	# shellcheck disable=SC2086 # words
	timeout 60 "$noperf" "$1" "$CPUPROF" $2 >out 2>err </dev/null
	code=$?
}

for e in EPERM EACCES ENOSYS; do
	denied "$e" "gzip --reps 1 --threads 1 --counters --no-model --no-save -q"
	ended 0 ""
	grep -q '^1 core  *[0-9]' out || fail "$what: no score"
	grep -q '^why (1 core)' out || fail "$what: no causes"
	grep -q '^hot functions' out || fail "$what: nothing about hot functions"
	tr -s '\n ' ' ' <out >flat
	grep -Eq 'note: .*(seccomp|perf_event_open|denies)' flat || fail "$what: no reason is given"
	if grep -Eq 'paranoid is|CAP_PERFMON is missing' flat && [ "$(id -u)" -eq 0 ]; then
		fail "$what: the wrong lock is blamed: $(cat flat)"
	fi

	denied "$e" "exec --reps 1 --no-save -q -- $BUILD/tests/live/planted/spin 1"
	ended 0 ""
	grep -q '^run  *[0-9]' out || fail "$what: no score"
	tr -s '\n ' ' ' <out >flat
	grep -Eq 'hot functions[^:]*: none .*(seccomp|perf_event_open|denies)' flat ||
		fail "$what: hot functions are not said to be missing, with the reason"

	# To record is the whole wish: status 3, not possible here.
	denied "$e" "record -o data -- true"
	ended 3 "seccomp|perf_event_open|denies"

	denied "$e" "doctor"
	ended 0 ""
	tr -s '\n ' ' ' <out >flat
	grep -Eq 'cpu-clock no .*(the same|seccomp|perf_event_open)' flat ||
		fail "$what: sampling is not said to be missing"
	grep -q 'MHz sustained' out || note "$what: no clock either: $(grep clock out)"
done
finish
