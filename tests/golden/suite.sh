#!/bin/sh
# SPDX-License-Identifier: MIT
# A suite made by hand: its tables must be suite.txt to the byte and fit 80 columns;
# documents that are no suite end in one sentence. After a change that is meant:
# GOLDEN_WRITE=1 sh tests/golden/suite.sh
set -u
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${CPUPROF:=$SRC/build/cpuprof}"
LC_ALL=C
export LC_ALL
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0
fail() {
	echo "FAILED: $*"
	failed=1
}
made=$SRC/tests/golden/suite
cd "$SRC/tests/golden" || exit 1
"$CPUPROF" report suite >"$tmp/out" 2>"$tmp/err" || fail "ends with $?: $(cat "$tmp/err")"
[ -z "${GOLDEN_WRITE-}" ] || cp "$tmp/out" "$made.txt"
diff -u "$made.txt" "$tmp/out" || fail "the tables differ"
awk 'length > 80' "$tmp/out" >"$tmp/long"
[ ! -s "$tmp/long" ] || fail "more than 80 columns: $(cat "$tmp/long")"

# What was published, and a file that is none.
CPUPROF_DATA=$SRC "$CPUPROF" list published >"$tmp/out" || fail "list published"
[ -z "${GOLDEN_WRITE-}" ] || cp "$tmp/out" published.txt
diff -u published.txt "$tmp/out" || fail "what was published differs"
awk 'length > 80 { exit 1 }' "$tmp/out" || fail "list published: more than 80 columns"
mkdir -p "$tmp/data/reports/reference"
for line in 'row wing | a | 1 | 2' 'row nobody | a | 1 | 2 | 3' 'columns | a | b | c' rows; do
	{
		cat "$SRC/reports/reference/2017.ref"
		echo "$line"
	} >"$tmp/data/reports/reference/2017.ref"
	CPUPROF_DATA=$tmp/data "$CPUPROF" list published >"$tmp/out" 2>"$tmp/err"
	[ $? -eq 1 ] || fail "'$line' is taken"
	grep -q "line 23 is no source" "$tmp/err" || fail "'$line': $(cat "$tmp/err")"
done

# Written again it is the same document.
mkdir "$tmp/again"
"$CPUPROF" report --json "$made" >"$tmp/again/suite.json" || fail "--json"
"$CPUPROF" report --json "$tmp/again" | cmp -s - "$tmp/again/suite.json" || fail "JSON of JSON"

# refused PATTERN SED: the document edited by SED is refused with one sentence.
# One that is not refused would run for minutes.
refused() {
	mkdir -p "$tmp/bad"
	sed "$2" "$made/suite.json" >"$tmp/bad/suite.json"
	for command in "report $tmp/bad" "suite --resume $tmp/bad"; do
		# shellcheck disable=SC2086
		timeout 10 "$CPUPROF" $command >"$tmp/out" 2>"$tmp/err" </dev/null
		code=$?
		if [ "$code" -ne 1 ] || [ "$(wc -l <"$tmp/err")" -ne 1 ] || [ -s "$tmp/out" ] ||
			! grep -q "$1" "$tmp/err"; then
			fail "$command with '$2': $code, $(cat "$tmp/err")"
		fi
	done
}
refused 'not JSON' '1d'
refused 'schema' 's/"suite_schema": 1/"suite_schema": 2/'
refused '"folder"' 's|"folder": "gzip"|"folder": "../gzip"|'
refused '"folder"' 's|"folder": "gzip"|"folder": ".."|'
refused '"folder"' 's|"folder": "gzip"|"folder": "brotli"|'
refused '"state"' 's/"state": "planned"/"state": "well"/'
refused '"quick"' 's/"quick": true/"quick": "yes"/'
refused '"options"' 's/"quick": true/"reps": -1/'
refused '"options"' 's/"quick": true/"time_s": 1e300/'
refused '"runs"' 's/"runs": \[/"runs": 1, "more": [/'
exit $failed
