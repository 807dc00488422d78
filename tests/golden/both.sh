#!/bin/sh
# What was counted and modelled alike: one line, both numbers and how far apart; what
# was only modelled takes the place of the reason why it was not counted.
set -u
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
q() {
	echo "{\"name\": \"$1\", \"group\": $2, \"per_operation\": {\"origin\": \"$3\"," \
		"\"value\": $4, \"low\": $4, \"high\": $4, \"coverage\": 1, \"reason\": \"$5\"}}"
}
cat >"$tmp/result.json" <<END
{"schema": 1, "title": "t", "unit": "B", "score_unit": "MB/s", "rows": [{"label": "1 core",
 "threads": 1, "counters": [
 $(q branches 1 measured 20 ''), $(q branch-misses 1 measured 2 ''),
 {"name": "cycles", "group": 0, "per_operation": {"origin": "unavailable", "reason": "no PMU"}},
 $(q branch-misses 31 modelled 2.5 'calibrated here'), $(q cycles 31 estimated 80 'needle')]}]}
END
"$CPUPROF" report "$tmp" >"$tmp/out" || { cat "$tmp/out"; exit 1; }
grep -q 'branch-misses  *2.000 for each byte, modelled 2.500 (+25 %)' "$tmp/out" &&
	grep -q 'cycles  *~ *80.00 for each byte' "$tmp/out" &&
	! grep -q 'no PMU' "$tmp/out" && exit 0
cat "$tmp/out"
exit 1
