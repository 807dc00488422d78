#!/bin/sh
# SPDX-License-Identifier: MIT
# needle_arm64.sh - under emulation there is no clock to read: the arm64 build
# of the needles must answer "unavailable" under qemu-aarch64, five times of
# five. The same file built for this machine shows that it can say yes.
. "$(dirname "$0")/lib.sh"

qemu=$(command -v qemu-aarch64 || command -v qemu-aarch64-static) || skip "no qemu-aarch64"
cross=${CROSS_CC:-aarch64-linux-gnu-gcc}
have "${cross%% *}" || skip "no $cross"

build() {
	# shellcheck disable=SC2086 # a compiler may come with options
	$1 -O2 -std=gnu11 -static -I"$SRC" -I"$BUILD" -o "$2" \
		"$SRC/tests/live/needle_main.c" "$SRC/src/machine/needles.c" \
		"$SRC/src/base/stats.c" "$SRC/src/base/map.c" "$SRC/src/base/mem.c" -lm \
		2>"$tmp/cc" || { cat "$tmp/cc"; return 1; }
}

build "$cross" "$tmp/arm64" || { fail "the arm64 build fails"; finish; }
for i in 1 2 3 4 5; do
	timeout 120 "$qemu" "$tmp/arm64" >"$tmp/out" 2>&1
	code=$?
	note "qemu-aarch64, run $i: $(cat "$tmp/out")"
	[ "$code" -eq 3 ] || fail "run $i: status $code, want 3 (unavailable)"
done

if [ "$(uname -m)" = x86_64 ] && build "${CC:-cc}" "$tmp/native"; then
	for i in 1 2 3 4 5 6; do
		"$tmp/native" >"$tmp/out" 2>&1
		code=$?
		[ "$code" -eq 0 ] && break
	done
	note "this machine: $(cat "$tmp/out")"
	# A guest that is itself emulated may rightly refuse; it is not judged.
	if have qemu-x86_64; then
		timeout 120 qemu-x86_64 "$tmp/native" >"$tmp/out" 2>&1
		code=$?
		note "qemu-x86_64: $(cat "$tmp/out")"
		[ "$code" -eq 3 ] || fail "qemu-x86_64: status $code, want 3 (unavailable)"
	fi
fi
finish
