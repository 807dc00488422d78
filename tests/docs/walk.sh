#!/bin/sh
# SPDX-License-Identifier: MIT
# walk.sh - does what workloads/README.md says adds a workload, in a scratch copy
# of the source, and holds what comes out to what is said there. Exits 0, 1, or
# 77 without the tools to build.
. "$(dirname "$0")/../live/lib.sh"
for tool in autoreconf make pkg-config; do
	have "$tool" || skip "no $tool here"
done
mkdir "$tmp/src"
tar -C "$SRC" -cf - --exclude="./${BUILD#"$SRC"/}" --exclude=./build --exclude=./.git --exclude='*.o' --exclude='*.a' \
	--exclude=./tests/data --exclude='*.flight' . | tar -C "$tmp/src" -xf - || exit 1
chmod -R u+w "$tmp/src"
cd "$tmp/src" || exit 1
rm -f Makefile config.status config.h stamp-h1	# of a build in the source itself

# -O1: it is the walk that is tested. Without a save nothing is left over.
CFLAGS=-O1
CPUPROF_DATA=$tmp/src
unset MAKEFLAGS MFLAGS MAKELEVEL AM_TESTS_ENVIRONMENT
export CFLAGS CPUPROF_DATA
sed -n 's/^ *\$ //p' workloads/README.md |
	sed 's/^\(.*\.\/cpuprof mine[^ ]*\)/\1 -n 1 --threads 1 --no-save -q/' >"$tmp/steps"
[ "$(wc -l <"$tmp/steps")" -ge 6 ] || {
	fail "found only $(wc -l <"$tmp/steps") steps in workloads/README.md"
	finish
}
# In one shell: a step may change the folder.
{
	while read -r line; do
		printf 'echo "== %s"\n' "$(echo "$line" | sed 's/["\\$`&|]/\\&/g; s/\\[&|]/+/g')"
		case $line in
		*"# fails"*) printf 'if %s; then echo "FAILED: it passes"; exit 1; fi\n' "${line%%#*}" ;;
		*) printf '%s || exit 1\n' "$line" ;;
		esac
	done <"$tmp/steps"
} >"$tmp/walk"
if ! timeout 300 sh "$tmp/walk" >"$tmp/out" 2>&1 </dev/null; then
	tail -n 40 "$tmp/out"
	fail "the walk of workloads/README.md"
	finish
fi
said() {
	grep -q "$1" "$tmp/out" || fail "nowhere '$1' in: $(sed -n '/list workloads/,$p' "$tmp/out")"
}
said '^mine  *hash a buffer'
said '^1KiB 1 core '
said '^64KiB 1 core '
said 'mine_batch'
said 'cpuprof: wrong output: the hash of 16384 bytes is wrong'
grep '^== ' "$tmp/out"
finish
