#!/bin/sh
# SPDX-License-Identifier: MIT
# causes.sh - the causes named for published counts are those that their authors
# give (causes.rows), and that this notices when a table is wrong: a sign, two
# roles taken for each other, another CPU's cost, a threshold.
set -u
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
causes=$BUILD/tests/table/causes

CPUPROF_DATA="$SRC" "$causes" "$SRC/tests/table/causes.rows" || exit 1

missed=0 planted=0
# plant TABLE SED: the table with an error in it.
plant() {
	rm -rf "$tmp/pmu"
	cp -r "$SRC/pmu" "$tmp/pmu"
	sed "$2" "$SRC/pmu/$1.pmu" >"$tmp/pmu/$1.pmu"
	planted=$((planted + 1))
	if cmp -s "$SRC/pmu/$1.pmu" "$tmp/pmu/$1.pmu"; then
		echo "$1: '$2' changes nothing"
	elif CPUPROF_DATA="$tmp" "$causes" "$SRC/tests/table/causes.rows" >"$tmp/out" 2>&1; then
		echo "$1: '$2' was not noticed"
	else
		return 0
	fi
	missed=$((missed + 1))
}
# A sign; two counters swapped; another CPU's costs; thresholds lost.
plant skx '/^metric td-backend-pct/s/- td-retiring-pct/+ td-retiring-pct/'
plant skx '/^metric td-frontend-pct/s/idq-uops-not-delivered/uops-retired-slots/'
plant skx '/^metric stalls-l3-pct/s/100 \* stalls-l3/100 * llc-load-misses/'
plant skx '/^cost branch-misses/s/15 28/1 2/'
plant skx '/^cost branch-misses/s/15 28/150 280/'
plant skx 's/license1-cycles + 33.3 \* license2-cycles/license0-cycles + 33.3 * license0-cycles/'
plant bdx '/^metric dtlb-walk-pct/s/above=5/above=15/'
plant bdx '/^metric dtlb-walk-pct/s/above=5/above=1/'
plant icx '/^metric td-frontend-pct/s/td-frontend/td-backend/'
plant generic-x86 '/^metric branch-miss-cost/s/branch-misses \//branches \//'
plant generic-x86 '/^metric dtlb-cost-high/s/above=2/above=0.1/'
plant generic-x86 '/^metric cache-miss-cost-high/s/cache-misses.high \* cache-misses/cache-misses.high * dTLB-load-misses/'
plant neoverse-n1 '/^metric stall-backend-pct/s/stall-backend/stall-frontend/'
echo "$planted wrong tables planted, $missed not noticed"
[ "$missed" -eq 0 ]
