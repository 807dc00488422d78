#!/bin/sh
# SPDX-License-Identifier: MIT
# formats.sh - docs/flight.md, docs/result.md and docs/suite.md name the keys that the source
# writes, and no others. Exits 0 or 1.
set -u
LC_ALL=C
export LC_ALL
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
cd "$SRC" || exit 1
failures=0

same() {
	if [ "$(wc -l <"$tmp/source")" -lt 15 ]; then
		echo "FAILED: found only $(wc -l <"$tmp/source") $1 keys in the source"
		failures=$((failures + 1))
	elif ! diff "$tmp/source" "$tmp/document" >"$tmp/diff"; then
		echo "FAILED: $1 keys differ (< source, > $2)"
		cat "$tmp/diff"
		failures=$((failures + 1))
	fi
}

# Keys given to flight_get() and flight_put(), directly or through a helper that
# takes a key after a flight, or made by a format ("ring %d" is "ring N").
find src workloads reports pmu -name '*.c' -exec cat {} + >"$tmp/all.c"
{
	grep -oE '(flight_(get|put)(_i64)?|clock_through|text_through|local_time)\([^,]+, "[^"]+"' "$tmp/all.c" |
		sed 's/.*, "//; s/"$//'
	grep -oE 'key = [^;]*xasprintf\("[a-z ]+ %s"' "$tmp/all.c" |
		sed 's/.*("//; s/table %s"/table NAME/; s/ %s"/ PATH/'
	grep -oE 'snprintf\(key, sizeof\(key\), "ring %d"' "$tmp/all.c" | sed 's/.*/ring N/'
} | sort -u >"$tmp/source"
# shellcheck disable=SC2016	# back quotes
sed -n '/^## Keys/,$p' docs/flight.md | awk -F'|' '/^\| `/ { print $2 }' |
	grep -o '`[^`]*`' | tr -d '`' | sort -u >"$tmp/document"
same flight docs/flight.md

# Of json.c and json_profile.c: keys given to the functions of the walk, and of factors.
{
	cat src/result/json*.c | grep -oE '\b(walk_[a-z0-9]+|texts)\(w, [a-z]+, "[a-z_0-9]+"' |
		sed 's/.*, "//; s/"$//'
	grep -oE 'json_object_set_new\(o, "[a-z_]+"' src/result/json.c | sed 's/.*, "//; s/"$//'
	sed -n '/key\[FACTORS\] = {/,/}/p' src/result/json.c | grep -oE '"[a-z_]+"' | tr -d '"'
	grep -oE 'walk_text\(w, json_array_get\([a-z]+, i\), "[a-z_]+"' src/result/json.c |
		sed 's/.*, "//; s/"$//'
	echo origin
} | sort -u >"$tmp/source"
# Of the document: what its tables set in back quotes, but for values ("...") and
# names of code; lists in braces are keys too.
# shellcheck disable=SC2016
awk -F'|' '/^\| `/ { print $2; print $3 }' docs/result.md | grep -oE '`[^`]*`' | tr -d '`' |
	grep -E '^(\{.*\}|[a-z_]+)$' | tr -d '{},' | tr ' ' '\n' | sort -u >"$tmp/document"
same result.json docs/result.md

# Of suite.c.
{
	grep -oE '\b(walk_[a-z0-9]+)\(w, [a-z]+, "[a-z_0-9]+"' src/result/suite.c | sed 's/.*, "//; s/"$//'
	grep -oE 'json_object_set_new\(o, "[a-z_]+"' src/result/suite.c | sed 's/.*, "//; s/"$//'
} | sort -u >"$tmp/source"
# shellcheck disable=SC2016
awk -F'|' '/^\| `/ { print $2; print $3 }' docs/suite.md | grep -oE '`[^`]*`' | tr -d '`' |
	grep -E '^(\{.*\}|[a-z_]+)$' | tr -d '{},' | tr ' ' '\n' | sort -u >"$tmp/document"
same suite.json docs/suite.md
[ "$failures" -eq 0 ]
