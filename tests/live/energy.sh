#!/bin/sh
# SPDX-License-Identifier: MIT
# energy.sh - joules by an external meter's log, whose watts are known here; and
# RAPL, read or its absence said, never a zero.
. "$(dirname "$0")/lib.sh"

# log WATTS AHEAD FILE: a meter's log of steady watts from now for two minutes.
log() {
	now=$(date +%s)
	{
		echo "time,watts"
		echo "$((now - 5 + $2)),$1"
		echo "$((now + 120 + $2)),$1"
	} >"$3"
}
measure() {
	"$CPUPROF" exec -q -j --no-save --no-sampling --reps 2 "$@" -- \
		"$BUILD/tests/live/planted/spin" 2 >"$tmp/out" 2>"$tmp/err" ||
		fail "exec $*: $(cat "$tmp/err")"
}

log 42 0 "$tmp/log"
measure --meter "$tmp/log"
watts=$(json "$tmp/out" rows.0.watts.value)
awk -v w="$watts" 'BEGIN { exit !(w > 41.999 && w < 42.001) }' ||
	fail "a steady 42 W is shown as '$watts'"
json "$tmp/out" 'rows.0.repetitions.*' wall_s energy_j |
	awk '{ n++; d = $2 - 42 * $1; if (d < -0.001 || d > 0.001) bad = 1 } END { exit bad || n < 2 }' ||
	fail "joules are not watts times seconds: $(json "$tmp/out" 'rows.0.repetitions.*' wall_s energy_j)"
awk -v a="$(json "$tmp/out" rows.0.score.value)" -v b="$(json "$tmp/out" rows.0.score_per_watt.value)" '
	BEGIN { q = a / b / 42; exit !(q > 0.9 && q < 1.1) }' || fail "score by watts"

# A meter whose clock is an hour ahead covers nothing until that is said.
log 42 3600 "$tmp/ahead"
measure --meter "$tmp/ahead"
grep -q 'covers none of the repetitions' "$tmp/out" || fail "a log of another hour is not refused"
grep -q energy_source "$tmp/out" && fail "a log of another hour is a source"
measure --meter "$tmp/ahead" --meter-ahead 3600
watts=$(json "$tmp/out" rows.0.watts.value)
awk -v w="$watts" 'BEGIN { exit !(w > 41.999 && w < 42.001) }' ||
	fail "with --meter-ahead 42 W are shown as '$watts'"

# What cannot be read costs the watts and nothing else.
for bad in "$tmp/missing" /dev/null "$SRC/README.md"; do
	measure --meter "$bad"
	grep -q 'energy: unavailable: ' "$tmp/out" || fail "--meter $bad is not refused in a sentence"
	[ "$(json "$tmp/out" 'rows.0.repetitions.#')" -ge 2 ] || fail "--meter $bad loses the scores"
done

# RAPL, where it is.
measure --energy
if json "$tmp/out" energy_source >"$tmp/source"; then
	note "RAPL: $(cat "$tmp/source"): $(json "$tmp/out" rows.0.watts.value) W"
	awk -v w="$(json "$tmp/out" rows.0.watts.value)" 'BEGIN { exit !(w > 0) }' ||
		fail "a source of energy and no watts"
else
	grep -q 'energy: unavailable: ' "$tmp/out" || fail "neither watts nor a reason"
	note "$(grep -o 'energy: unavailable: [^"]*' "$tmp/out")"
fi
finish
