#!/bin/sh
# SPDX-License-Identifier: MIT
# examples.sh - runs every "$ cpuprof ..." line of README.md and of the manual
# page's EXAMPLES, in order, in an empty folder.
#
# Runs are made short: --reps 1 where an example sets no number of repetitions.
# A folder of an earlier run stands for the newest one made here. Exits 0, 1, or
# 77 when this machine can do none of them, or cpuprof isn't built.
set -u
LC_ALL=C
export LC_ALL
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${CPUPROF:=./cpuprof}"

case $CPUPROF in
/*) ;;
*) CPUPROF=$PWD/$CPUPROF ;;
esac
if [ ! -x "$CPUPROF" ]; then
	echo "skipped: $CPUPROF is not built"
	exit 77
fi
# One test at a time measures; tests/live/lib.sh has the same lock.
if [ -z "${CPUPROF_TEST_LOCKED-}" ] && [ -d "${BUILD:=$PWD}/tests" ] &&
	command -v flock >/dev/null; then
	CPUPROF_TEST_LOCKED=1
	export CPUPROF_TEST_LOCKED SRC CPUPROF
	exec flock -o "$BUILD/tests/live.lock" sh "$0"
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$tmp/bin" "$tmp/here"
ln -s "$CPUPROF" "$tmp/bin/cpuprof"
PATH=$tmp/bin:$PATH
XDG_CACHE_HOME=$tmp/cache
export PATH XDG_CACHE_HOME
cd "$tmp/here" || exit 1

lines_of_readme() {
	sed -n 's/^ *\$ \(cpuprof .*\)/\1/p' "$SRC/README.md"
}

lines_of_manual() {
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl \$ \(cpuprof .*\)/\1/p' "$SRC/docs/cpuprof.1" |
		sed 's/\\-/-/g'
}

# The file that README.md shows.
sed -n '/^ *# my\.workload/,/^$/s/^    //p' "$SRC/README.md" >my.workload
if [ "$(wc -l <my.workload)" -lt 4 ]; then
	echo "FAILED: README.md shows no my.workload"
	exit 1
fi

# Short, lists of variants not sampled, and with folders that exist.
shorten() {
	newest=$(find cpuprof-results -mindepth 1 -maxdepth 1 2>/dev/null | sort | tail -n 1)
	echo "$1" | sed -E \
		-e '/--reps|-n [0-9]/!s/^(cpuprof ([a-z]+[-0-9][^ ]*|gzip[^ ]*|brotli[^ ]*|exec|\.\/[^ ]*))/\1 --reps 1/' \
		-e '/--counters/!s/^(cpuprof [a-z0-9-]+:[0-9]+[,-][^ ]*)/\1 --no-sampling/' \
		-e "s|cpuprof-results/[0-9][^ /]*|${newest:-cpuprof-results/none}|g"
}

failures=0 done=0 impossible=0
lines_of_readme >"$tmp/lines"
from_readme=$(wc -l <"$tmp/lines")
lines_of_manual >>"$tmp/lines"
all=$(wc -l <"$tmp/lines")
if [ "$from_readme" -lt 3 ] || [ "$((all - from_readme))" -lt 3 ]; then
	echo "FAILED: found only $from_readme examples in README.md and" \
		"$((all - from_readme)) in the manual page"
	exit 1
fi
awk '!seen[$0]++' "$tmp/lines" >"$tmp/once"
while read -r line; do
	short=$(shorten "$line")
	timeout 120 sh -c "$short" >"$tmp/out" 2>&1 </dev/null
	code=$?
	case $code in
	0)
		done=$((done + 1))
		echo "ok: $short"
		;;
	3)
		impossible=$((impossible + 1))
		echo "not possible here: $short"
		tail -n 2 "$tmp/out"
		;;
	*)
		failures=$((failures + 1))
		echo "FAILED with $code: $short"
		tail -n 20 "$tmp/out"
		;;
	esac
done <"$tmp/once"
[ "$failures" -eq 0 ] || exit 1
if [ "$done" -eq 0 ]; then
	echo "skipped: none of $impossible examples is possible here"
	exit 77
fi
