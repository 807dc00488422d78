#!/bin/sh
# SPDX-License-Identifier: MIT
# Stored flights replayed: the report of each must be its .txt to the byte. After
# a change that is meant: GOLDEN_WRITE=1 sh tests/golden/golden.sh
set -u
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${CPUPROF:=$SRC/build/cpuprof}"
LC_ALL=C
export LC_ALL
[ "$(uname -m)" = x86_64 ] || { echo "skipped: instructions are decoded by another library"; exit 77; }
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
failed=0
for flight in "$SRC"/tests/golden/*.flight; do
	name=$(basename "$flight" .flight)
	golden="$SRC/tests/golden/$name.txt"
	"$CPUPROF" --replay "$flight" >"$out/$name" 2>"$out/err" </dev/null
	code=$?
	if [ "$code" -ne 0 ] || [ -s "$out/err" ]; then
		echo "FAILED: $name ends with $code: $(cat "$out/err")"
		failed=1
	fi
	[ -z "${GOLDEN_WRITE-}" ] || cp "$out/$name" "$golden"
	diff -u "$golden" "$out/$name" || { echo "FAILED: $name"; failed=1; }
done
exit $failed
