#!/bin/sh
# SPDX-License-Identifier: MIT
# shared_counter.sh - a counter that ran half of the time is scaled and said to be;
# one that never ran is no number; one that ran throughout is plain; and each
# number stands at its own name.
. "$(dirname "$0")/../live/lib.sh"
cd "$tmp" || exit 1
edit=$BUILD/tests/fault/flight_edit

seq 20000 >numbers
"$CPUPROF" --flight f exec --once -j --no-sampling -e task-clock,page-faults --no-save -q -- \
	sort numbers >plain 2>err || skip "cannot count here: $(cat err)"
value() {
	json "$1" 'rows.0.counters.*' name per_operation."$3" | awk -F '\t' -v n="$2" '$1 == n { print $2 }'
}
clock=$(value plain task-clock value)
faults=$(value plain page-faults value)
[ -n "$clock" ] && [ -n "$faults" ] || skip "software events cannot be counted here"
awk -v c="$clock" -v f="$faults" 'BEGIN { exit !(c > 100000 && f > 10 && f < c / 10) }' ||
	fail "task-clock $clock ns, page-faults $faults: swapped?"
[ "$(value plain task-clock origin)" = measured ] || fail "measured throughout, yet $(value plain task-clock origin)"

"$edit" halve f half counter && "$CPUPROF" --replay half >halved 2>err || fail "half: $(cat err)"
for event in task-clock page-faults; do
	awk -v a="$(value plain $event value)" -v b="$(value halved $event value)" \
		'BEGIN { exit !(b / a > 1.99 && b / a < 2.01) }' ||
		fail "$event ran half of the time: $(value halved $event value), not twice $(value plain $event value)"
	[ "$(value halved $event origin)" = estimated ] || fail "$event is scaled and not said to be"
	awk -v c="$(value halved $event coverage)" 'BEGIN { exit !(c > 0.49 && c < 0.51) }' ||
		fail "$event: coverage $(value halved $event coverage)"
done
"$edit" clear f never counter && "$CPUPROF" --replay never >cleared 2>err || fail "never: $(cat err)"
for event in task-clock page-faults; do
	[ "$(value cleared $event origin)" = unavailable ] ||
		fail "$event never ran, yet is $(value cleared $event value)"
done
finish
