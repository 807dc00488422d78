#!/bin/sh
# SPDX-License-Identifier: MIT
# Every file there is, damaged ones and texts included, ends in a report or in
# one sentence, soon and in bounded memory: 16 MiB and four times the file. (The
# program with its shared libraries takes 7.5 MiB before it reads a byte.)
set -u

DATA=$SHARED/perfdata
RUN=$BUILD/tests/table/runlimited
[ -d "$DATA" ] || { echo "skipped: no recordings at $DATA"; exit 77; }

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# Reports must not depend on what this machine has cached.
HOME=$tmp
export HOME

# An address sanitizer's shadow is not our memory.
limit_kb=16384
grep -q 'define CPUPROF_ASAN 1' "$BUILD/config.h" && limit_kb=1048576

files=0 failed=0 most=0
for file in "$DATA"/* "$DATA"/copyleft/*; do
	[ -f "$file" ] || continue
	files=$((files + 1))
	bytes=$(wc -c <"$file")
	room=$((limit_kb + 4 * bytes / 1024))
	for option in --no-instructions --json; do
		set -- $("$RUN" 20 "$tmp/out" "$tmp/err" "$CPUPROF" report "$option" "$file")
		how="$1 ${2:-}" kb=${3:-0} wrong=
		case $how in
		"exit 0") [ -s "$tmp/out" ] || wrong="no report" ;;
		"exit 1")
			[ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -q '^cpuprof: ' "$tmp/err" ||
				wrong="not one sentence"
			;;
		*) wrong=$how ;;
		esac
		[ "$kb" -le "$room" ] || wrong="$kb KiB resident, $room allowed"
		[ "$kb" -le "$most" ] || most=$kb
		[ -z "$wrong" ] && continue
		echo "report $option ${file#"$DATA"/}: $wrong"
		cat "$tmp/err"
		failed=$((failed + 1))
	done
done
echo "$files files, $failed failures, at most $most KiB resident"
[ "$failed" -eq 0 ]
