#!/bin/sh
# SPDX-License-Identifier: MIT
# Every code of every event table is the published one of its name, in checkouts
# of what the tables cite: PERFMON_DIR (intel/perfmon), ARM_DATA_DIR
# (ARM-software/data), and as far as they are given ARM_TELEMETRY_DIR
# (xinydev/telemetry-solution), PERFSPECT_DIR (intel/PerfSpect) and LINUX_DIR (a
# kernel tree, 6.12). A row that no published table holds has to cite a manual.
# Then wrong codes are planted, one at a time, and each has to be found
# (--self-test: only that).
set -u

SRC=${SRC:-$(dirname "$0")/../..}
AWK=${AWK:-awk}
if [ -z "${PERFMON_DIR:-}${ARM_DATA_DIR:-}${LINUX_DIR:-}" ]; then
	echo "skipped: none of PERFMON_DIR, ARM_DATA_DIR and LINUX_DIR is set"
	exit 77
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# "MODE FOLDER" of a source; nothing when nothing of it is compared.
kind_of() {
	case $1 in
	'intel/perfmon '*/metrics/*) echo "names ${PERFMON_DIR:--}" ;;
	'intel/perfmon '*) echo "all ${PERFMON_DIR:--}" ;;
	'ARM-software/data '*) echo "arm ${ARM_DATA_DIR:--}" ;;
	'xinydev/telemetry-solution '*) echo "names ${ARM_TELEMETRY_DIR:--}" ;;
	'intel/PerfSpect '*) echo "text ${PERFSPECT_DIR:--}" ;;
	'torvalds/linux '*) echo "any ${LINUX_DIR:--}" ;;
	'manual: Linux '*arch/x86/events/intel/core.c*)
		[ -z "${LINUX_DIR:-}" ] || echo "kernel $LINUX_DIR" ;;
	esac
}

# check TABLE
check() {
	tables='' absent=' '
	sed -n 's/^source \([^ ]*\) "\(.*\)".*/\1 \2/p' "$1" >"$tmp/sources"
	while read -r key text; do
		kind=$(kind_of "$text")
		[ -n "$kind" ] || continue
		dir=${kind#* }
		if [ "$dir" = - ]; then
			absent="$absent$key "
			continue
		fi
		case $kind in
		kernel*) paths=arch/x86/events/intel/core.c ;;
		*) paths=${text#*, } ;;
		esac
		for path in $paths; do
			if [ ! -r "$dir/$path" ]; then
				echo "$1: source $key: no $path in $dir"
				return 1
			fi
			tables="$tables${tables:+;}$key ${kind%% *} $dir/$path"
		done
	done <"$tmp/sources"
	$AWK -v tables="$tables" -v absent="$absent" -f "$SRC/tests/table/pmu_codes.awk" "$1"
}

# plant FOLDER_IT_NEEDS TABLE ROLE FROM TO: what was there, what is planted.
planted=0 missed=0
plant() {
	[ -n "$1" ] || return 0
	planted=$((planted + 1))
	sed "/^event $3 /s/$4/$5/" "$SRC/pmu/$2.pmu" >"$tmp/$2.pmu"
	if cmp -s "$SRC/pmu/$2.pmu" "$tmp/$2.pmu"; then
		echo "not planted: $2 $3 has no $4"
	elif check "$tmp/$2.pmu" >"$tmp/out"; then
		echo "missed: $2 $3 $4 -> $5"
	elif [ "$(grep -c ": $3: " "$tmp/out")" -ne 1 ]; then
		echo "not named: $2 $3 $4 -> $5"
		cat "$tmp/out"
	else
		sed -n "s/^.*: \($3: .*\)/caught: $2 \1/p" "$tmp/out"
		return 0
	fi
	missed=$((missed + 1))
}

self_test() {
	intel=${PERFMON_DIR:-} arm=${ARM_DATA_DIR:-} linux=${LINUX_DIR:-}
	# The event beside it.
	plant "$intel" bdx branch-misses 0x00c5 0x00c4
	# Any-thread bit, counter mask, edge bit, unit mask.
	plant "$intel" bdx recovery-cycles-any 0x0120030d 0x0100030d
	plant "$intel" skx stalls-l3 0x060006a3 0x06a3
	plant "$intel" icx clears-count 0x0104010d 0x0100010d
	plant "$intel" skx license1-cycles 0x1828 0x0828
	# The right code of another name; the generation before; libpfm4's kind of error.
	plant "$intel" icx l2-misses RETIRED.L2_MISS RETIRED.L3_MISS
	plant "$intel" spr dtlb-walks 0x0e12 0x0e08
	plant "$intel" spr slots 0x0400 0x0200
	# A precise level that the event does not have.
	plant "$intel" icx l1i-misses 'raw:0x0283' 'raw:0x0283 precise=2'
	# References for misses, an implementation's number cut short, retired for predicted.
	plant "$arm" neoverse-n1 llc-misses 0x37 0x36
	plant "$arm" neoverse-v1 stalls-mem 0x4005 0x0005
	plant "$arm" falkor branches 0x12 0x21
	# Event bits 11:8 lost; a field of PERF_METRICS taken for the next.
	plant "$linux" zen4 td-backend 0x100001ea0 0x1ea0
	plant "$linux" spr td-memory 0x8700 0x8600
	plant "$SRC" generic-x86 cache-misses hw:3 hw:2
	echo "$planted wrong rows planted, $missed not caught"
	if [ -n "$intel" ] && [ -n "$arm" ] && [ "$planted" -lt 10 ]; then
		echo "there should be ten"
		return 1
	fi
	[ "$missed" -eq 0 ]
}

failed=0
if [ "${1:-}" != --self-test ]; then
	for table in "$SRC"/pmu/*.pmu; do
		check "$table" || failed=1
	done
	[ "$failed" -eq 0 ] || exit 1
fi
self_test
