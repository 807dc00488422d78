#!/bin/sh
# SPDX-License-Identifier: MIT
# layers.sh - holds the tree to docs/ARCHITECTURE.md: who includes whom, headers
# that compile alone, and nothing of somebody's machine in the files.
# Exits 0 or 1.
set -u
LC_ALL=C
export LC_ALL
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${BUILD:=$PWD}"
: "${CC:=cc}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
cd "$SRC" || exit 1

# What standard input holds is wrong; $1 says why. Runs in a pipe's subshell.
wrong() {
	cat >"$tmp/wrong"
	[ -s "$tmp/wrong" ] || return 0
	echo "FAILED: $1"
	cat "$tmp/wrong"
	: >"$tmp/failed"
}

roots=
for d in src pmu workloads reports; do
	[ -d "$d" ] && roots="$roots $d"
done

# Lines "FOLDER INCLUDED-FOLDER FILE HEADER" of all quoted includes.
# shellcheck disable=SC2086
find $roots -name '*.[ch]' | sort >"$tmp/files"
xargs grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null <"$tmp/files" |
	awk -F'[:"]' '
		function folder(path,   part, n) {
			n = split(path, part, "/")
			if (part[1] == "src")
				return n > 2 ? part[1] "/" part[2] : "src"
			return part[1]
		}
		$4 != "config.h" && $4 !~ /\.def$/ { print folder($1), folder($4), $1 ":" $2, $4 }' \
	>"$tmp/includes"
if [ "$(wc -l <"$tmp/includes")" -lt 50 ]; then
	echo "FAILED: found only $(wc -l <"$tmp/includes") includes in$roots"
	exit 1
fi

# Lines "FOLDER ALLOWED-FOLDER" of the table.
awk -F'|' '$2 ~ /^ `(src|pmu|workloads|reports)[a-z\/]*` $/ {
		gsub(/[` ]/, "", $2)
		n = split($3, part, /`/)
		print $2, $2
		for (i = 2; i <= n; i += 2)
			print $2, part[i]
	}' docs/ARCHITECTURE.md >"$tmp/table"

awk '{ print $1 }' "$tmp/includes" | sort -u >"$tmp/used"
awk '{ print $1 }' "$tmp/table" | sort -u >"$tmp/known"
comm -23 "$tmp/used" "$tmp/known" | wrong "folders that the table of docs/ARCHITECTURE.md lacks"
awk 'NR == FNR { allowed[$1, $2] = 1; next }
	!(($1, $2) in allowed) { print $3 ": " $1 " may not include " $4 }' \
	"$tmp/table" "$tmp/includes" | wrong "includes against the table of docs/ARCHITECTURE.md"
# A table can be changed; these stay.
awk '$1 == "src/base" && $2 != "src/base" ||
	$1 == "reports" && $2 ~ /^(src\/(run|perf|machine)|pmu)$/ ||
	$1 ~ /^(pmu|workloads|reports)$/ && $2 ~ /^(pmu|workloads|reports)$/ && $1 != $2 ||
	$2 == "src/cli" && $1 !~ /^src(\/cli)?$/ { print $3 ": " $1 " includes " $4 }' \
	"$tmp/includes" | wrong "includes that no table may allow"
awk '{ print $4, $3 }' "$tmp/includes" | while read -r header place; do
	[ -e "$header" ] || echo "$place: \"$header\" is not a path from the root"
done | wrong "includes that are not relative to the root"

grep '\.h$' "$tmp/files" | while read -r header; do
	printf '#include "config.h"\n#include "%s"\n' "$header" >"$tmp/alone.c"
	# shellcheck disable=SC2086	# CC may hold options
	$CC -std=gnu11 -fsyntax-only -Wall -Werror -Wno-unused-function -Wno-unused-variable \
		-DHAVE_CONFIG_H -I. -I"$BUILD" "$tmp/alone.c" >"$tmp/cc" 2>&1 ||
		sed -n "1,3s|^|$header: |p" "$tmp/cc"
done | wrong "headers that do not compile alone"

# In a checkout the files git knows, else all that were unpacked.
if git rev-parse --git-dir >/dev/null 2>&1 && [ -e .git ]; then
	git ls-files -co --exclude-standard
else
	# shellcheck disable=SC2086
	find $roots docs tests quickstart README.md NEWS LICENSE configure.ac Makefile.am -type f \
		! -name '*.log' ! -name '*.trs' ! -path '*/.deps/*'
fi >"$tmp/tracked"
if [ "$(wc -l <"$tmp/tracked")" -lt 100 ]; then
	echo "FAILED: found only $(wc -l <"$tmp/tracked") files"
	exit 1
fi
# Written so that they do not find themselves.
xargs -d '\n' grep -InE '(^|[^[:alnum:]_.-])/(wor[k]|roo[t])/' /dev/null <"$tmp/tracked" 2>/dev/null |
	wrong "paths of somebody's machine"
hosts='deb[.]debian[.]org|snapshot[.]debian|security[.]debian|py[p]i[.]|pythonhoste[d]|npmj[s]|crates[.]i[o]'
hosts="$hosts|proxy[.]golan[g]|docker[.]i[o]|ghcr[.]i[o]|artifactor[y]|://[a-z0-9.-]*[.]interna[l]"
xargs -d '\n' grep -InE "$hosts" /dev/null <"$tmp/tracked" 2>/dev/null | wrong "hosts of package registries"
[ ! -e "$tmp/failed" ]
