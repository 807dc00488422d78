#!/bin/sh
# SPDX-License-Identifier: MIT
# help.sh - "-h" of every command and docs/cpuprof.1 tell the same options,
# commands and workloads; -h fits 80 columns; the manual page is well-formed.
# Exits 0, 1, or 77 without a cpuprof to ask.
set -u
LC_ALL=C
export LC_ALL
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${CPUPROF:=./cpuprof}"
man=$SRC/docs/cpuprof.1

if [ ! -x "$CPUPROF" ]; then
	echo "skipped: $CPUPROF is not built"
	exit 77
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
failures=0

fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}

# The first column of the section "$1" of the overview.
overview() {
	awk -v section="$1" '/^[^ ]/ { on = $0 == section } on && /^  [a-z]/ { print $1 }' \
		"$tmp/cpuprof"
}

# "-c, --counters" and "--time TIME" of a help text, without what they mean.
help_options() {
	awk '/^ +(-[A-Za-z], )?--[a-z]/ { sub(/^ +/, ""); sub(/(   *.*| *)$/, ""); print }' "$1" | sort
}

# The same from the lists of the manual page that are marked with $1.
man_options() {
	awk -v who="$1" '
		/^\.\\" test: / {
			on = 0
			for (i = 3; i <= NF; i++)
				on += $i == who
		}
		/^\.El/ { on = 0 }
		on && /^\.It / {
			out = ""
			for (i = 2; i <= NF; i++)
				if ($i == "Fl")
					out = out "-" $(++i)
				else if ($i == ",")
					out = out ", "
				else if ($i == "Ar")
					out = out " " $(++i)
			print out
		}' "$man" | sort
}

same() {
	if ! diff "$tmp/a" "$tmp/b" >"$tmp/diff"; then
		fail "$1 (< $2, > docs/cpuprof.1)"
		cat "$tmp/diff"
	fi
}

"$CPUPROF" -h >"$tmp/cpuprof" || fail "cpuprof -h exits with $?"
overview commands | sort >"$tmp/a"
awk '/^\.Sh/ { on = $2 == "COMMANDS" } on && /^\.Ss/ { print $2 }' "$man" | sort >"$tmp/b"
same "commands differ" "cpuprof -h"
overview workloads | sort >"$tmp/a"
awk '/^\.S[hs]/ { on = $2 == "WORKLOADS" } on && /^\.It Cm/ { print $3 }' "$man" | sort >"$tmp/b"
same "workloads differ" "cpuprof -h"

for c in cpuprof $(overview workloads) $(overview commands); do
	if [ "$c" != cpuprof ]; then
		"$CPUPROF" "$c" -h >"$tmp/$c" || fail "cpuprof $c -h exits with $?"
		"$CPUPROF" "$c" --help | cmp -s - "$tmp/$c" || fail "cpuprof $c --help is not -h"
	fi
	help_options "$tmp/$c" >"$tmp/a"
	man_options "$c" >"$tmp/b"
	same "options of $c differ" "$c -h"
	awk -v who="$c" 'length > 80 { print who " -h: " length " columns: " $0 }' "$tmp/$c" >"$tmp/long"
	if [ -s "$tmp/long" ]; then
		fail "more than 80 columns"
		cat "$tmp/long"
	fi
done
# Workloads in text files: the package's have their place, and one -h.
for file in "$SRC"/workloads/*.workload; do
	name=$(basename "$file" .workload)
	grep -q "^\.It Pa $name\$" "$man" || fail "docs/cpuprof.1 does not know $name.workload"
done
"$CPUPROF" "$SRC/workloads/xz.workload" -h >"$tmp/text" || fail "cpuprof xz.workload -h exits with $?"
help_options "$tmp/text" >"$tmp/a"
man_options FILE.workload >"$tmp/b"
same "options of FILE.workload differ" "xz.workload -h"
awk 'length > 80 { print "xz.workload -h: " length " columns: " $0 }' "$tmp/text" >"$tmp/long"
[ ! -s "$tmp/long" ] || fail "more than 80 columns: $(cat "$tmp/long")"
# Its directives are those of the parser.
awk '/^static int parse_line/ { on = 1 } on' "$SRC/workloads/recipe.c" | awk '/^}/ { exit } { print }' |
	grep -o 'what, "[a-z0-9-]*"' | sed 's/.*"\(.*\)"/\1/' | sort >"$tmp/a"
awk '/^\.Ss Workloads in text files/ { on = 1 } on && /^\.S[sh]/ && !/text files/ { exit }
	on && /^\.It Ic/ { print $3 }' "$man" | sort >"$tmp/b"
same "directives differ" "workloads/recipe.c"

[ "$(overview commands | wc -l)" -ge 5 ] || fail "the overview lists no commands"

"$CPUPROF" list reports | awk '{ print $1 }' >"$tmp/reports"
while read -r name; do
	grep -q "\.Cm $name\>" "$man" || fail "docs/cpuprof.1 does not know the report $name"
done <"$tmp/reports"

if command -v mandoc >/dev/null; then
	mandoc -T lint -W style "$man" 2>&1 | grep -v 'outdated mandoc.db' >"$tmp/lint"
	if [ -s "$tmp/lint" ]; then
		fail "mandoc -T lint"
		cat "$tmp/lint"
	fi
else
	echo "note: no mandoc here, the manual page's form is not checked"
fi
[ "$failures" -eq 0 ]
