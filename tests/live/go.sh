#!/bin/sh
# SPDX-License-Identifier: MIT
# go.sh - workloads in Go: hot code has Go's names and is the operation's own; clock
# and core share are known; a file is compressed as the corpus is; no process is left,
# whatever ended the run; without the program, and without LuaJIT, the package is
# named and the rest goes on.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1

# Alone, a cpuprof has no Go beside it; unless another one is installed.
cp "$CPUPROF" alone
./alone list workloads >list || fail "list workloads: status $?"
if grep -q 'built without Go' list; then
	[ "$(grep -c 'not here: .*built without Go.*apt-get install golang-go' list)" -ge 10 ] ||
		fail "without Go: list workloads says $(grep -A 3 '^go-gzip' list)"
	what="without Go"
	./alone go-gzip -n 1 --threads 1 --no-save -q >out 2>err
	code=$?
	ended 3 "built without Go.*apt-get install golang-go"
	./alone gzip:1 -n 1 --threads 1 --no-save --no-sampling -q >out 2>err ||
		fail "without Go: gzip fails, too: $(cat err)"
fi

# A library that cannot be loaded stands for one that is not installed.
mkdir lib
echo no library >lib/libluajit-5.1.so.2
what="without LuaJIT"
LD_LIBRARY_PATH=$tmp/lib "$CPUPROF" list workloads >list ||
	fail "$what: list workloads: status $?"
[ "$(grep -c 'not here: .*LuaJIT.*apt-get install libluajit-5.1-2' list)" -eq 6 ] ||
	fail "$what: list workloads says $(grep -A 3 '^luajit-n-body' list)"
grep -q 'runs zlib' list || fail "$what: zlib is not there, either"
LD_LIBRARY_PATH=$tmp/lib "$CPUPROF" luajit-n-body -n 1 --no-save -q >out 2>err
code=$?
ended 3 "cannot load LuaJIT.*apt-get install libluajit-5.1-2"

[ -x "$BUILD/workloads/go/cpuprof-go" ] || {
	[ "$failures" -eq 0 ] || exit 1
	skip "built without Go"
}

# hot WORKLOAD PATTERN: functions that match have half of all samples.
hot() {
	what=$1
	run "$1" -n 1 --threads 1 --json --no-save -q
	ended 0 ""
	json out 'rows.0.profile.functions.*' share name >functions
	[ -s functions ] || {
		note "$what: no samples here"
		return
	}
	awk -F '\t' -v want="$2" '{ all += $1 } $2 ~ want { ours += $1 }
		END { exit !(ours > 0.5 * all) }' functions ||
		fail "$what: '$2' is not hot: $(head -n 3 functions)"
	note "$what: $(head -n 1 functions)"
}
hot go-ecdsa-p256-sign '^crypto/internal/nistec|^p256'
hot go-rsa-2048-verify '^math/big\.'
hot go-aes-128-gcm '^crypto/aes\.'
hot go-chacha20-poly1305 'chacha20|^polyHash'
hot go-gzip '^compress/flate\.'
hot go-regexp-hard '^regexp\.'
hot go-strings '^(strings|runtime|internal/bytealg|unicode|indexbody|memeq|cmpbody|countbody)|^memmove'

# Strings are allocated, moved and collected; ciphers are not.
json out 'rows.0.causes.*' name >causes
[ ! -s functions ] || grep -q 'garbage collection\|memory allocation' causes ||
	fail "$what: its causes are $(cat causes)"
json out 'rows.0.profile.instructions.*' place | grep -q '\.go:[0-9]' || [ ! -s functions ] ||
	fail "$what: instructions have no place in the source"
run go-aes-128-gcm -n 1 --threads 1 --json --no-save -q
what="go-aes-128-gcm"
json out 'rows.0.causes.*' name >causes
grep -q 'garbage collection\|memory allocation' causes && fail "$what: its causes are $(cat causes)"
[ ! -s functions ] || [ "$(uname -m)" != x86_64 ] ||
	[ "$(json out rows.0.profile.functions.0.code)" = assembly ] ||
	fail "$what: not known to be assembly: $(json out 'rows.0.profile.functions.*' code name | head -n 2)"

# What the needles say, where they can be trusted.
json out rows.0.repetitions.0.batches.0.clock_hz >clock 2>/dev/null
note "clock: $(cat clock)"

head -c 3000000 "$CPUPROF" >input
what="go-gzip with a file"
run go-gzip:1 -n 1 --threads 1 --json --no-save --no-sampling -q --input input
ended 0 ""
says 1 "cannot run|No such file" go-gzip -n 1 --threads 1 --no-save -q --library go=./nothing

for sig in INT TERM KILL; do
	what="SIG$sig"
	"$CPUPROF" go-aes-128-gcm --threads 1 --no-save -q >out 2>err </dev/null &
	pid=$!
	child=
	for _ in $(seq 100); do
		child=$(children "$pid")
		# shellcheck disable=SC2086 # none or one
		[ "$(cat /proc/$child/comm 2>/dev/null)" = cpuprof-go ] && break
		sleep 0.05
	done
	kill -s "$sig" "$pid"
	wait "$pid" 2>/dev/null
	sleep 0.3
	case $(readlink "/proc/$child/exe" 2>/dev/null) in
	*cpuprof-go) fail "$what: process $child is left" ;;
	esac
done
finish
