#!/bin/sh
# SPDX-License-Identifier: MIT
# What the profile layer counts in real recordings of other people equals what
# perf 6.1 said of them: samples, periods, records, lost samples and the top
# ten by command and file, and by command, file and address.
set -u

DATA=$SHARED/perfdata
TOTALS=$BUILD/tests/table/perfdata_totals
[ -d "$DATA" ] || { echo "skipped: no recordings at $DATA"; exit 77; }

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# An event of ours that perf calls otherwise: OURS=PERF'S.
# The branch stacks of FILE against the digest in TRUTH: how many facts that is.
stacks=0
compare_stacks() {
	want=$(sed -n '/^\[branch stacks\].* rc=0/,/^\[build/s/^digest_sorted_sha256.//p' "$2")
	[ -n "$want" ] || return 0
	got=$("$TOTALS" --stacks "$1" | LC_ALL=C sort | sha256sum)
	stacks=$((stacks + 1))
	[ "${got%% *}" = "$want" ] && return 0
	echo "${1##*/}: branch stacks differ"
	failed=$((failed + 1))
}
# Simpleperf names its tracepoints in a section that perf does not read.
aliases() {
	case $1 in
	*/simpleperf-perf_with_trace_offcpu.data)
		echo 'sched:sched_switch=raw 0x2f:HG' ;;
	*/simpleperf-perf_with_tracepoint_event_dynamic_field.data)
		echo 'kprobes:myopen=raw 0x4ab:HG' ;;
	esac
}

compared=0 refused=0 failed=0 facts=0
for truth in "$DATA"/*.truth.txt "$DATA"/copyleft/*.truth.txt; do
	file=${truth%.truth.txt}
	name=${file#"$DATA"/}
	case $name in *.perfscript.txt | *.folded.txt) continue ;; esac
	if ! "$TOTALS" "$file" >"$tmp/ours" 2>"$tmp/err"; then
		case $name in
		# Their headers say nothing of events, so no record can be read.
		corrupt-attr-size-0.data | corrupt-header-only-104.data) ;;
		# Not the format at all.
		simpleperf-invalid_perf.data) ;;
		*) echo "$name: $(cat "$tmp/err")"; failed=$((failed + 1)) ;;
		esac
		refused=$((refused + 1))
		continue
	fi
	if ! awk -v alias="$(aliases "$file")" -f "$SRC/tests/table/perfdata.awk" \
			"$tmp/ours" "$truth" >"$tmp/out"; then
		echo "$name:"
		cat "$tmp/out"
		failed=$((failed + 1))
	fi
	compare_stacks "$file" "$truth"
	compared=$((compared + 1))
	facts=$((facts + $(sed -n 's/^ *\([0-9]*\) facts$/\1/p' "$tmp/out")))
done
echo "$compared recordings and $facts facts compared, branch stacks of $stacks, $refused refused, $failed differ"
[ "$compared" -ge 60 ] || { echo "there should be 60 to compare"; exit 1; }
[ "$failed" -eq 0 ]
