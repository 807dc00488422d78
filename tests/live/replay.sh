#!/bin/sh
# SPDX-License-Identifier: MIT
# replay.sh - a flight replays to the same bytes: in place; where
# perf_event_open is denied; as a user without rights, with an empty
# environment, in another folder; and after the files the run used are gone.
. "$(dirname "$0")/lib.sh"

noperf=$BUILD/tests/live/noperf
cd "$tmp" || exit 1
chmod 755 "$tmp"
mkdir -p elsewhere away
chmod 777 elsewhere
cp "$CPUPROF" "$tmp/away/cpuprof"

# What a replay left, against the recorded $1.out and $1.code.
same() {
	cmp -s "$1.out" "$tmp/out" || {
		diff "$1.out" "$tmp/out" | head -n 10
		fail "$1 $2: another report than in the recorded run"
	}
	[ "$code" = "$(cat "$1.code")" ] || fail "$1 $2: status $code, recorded $(cat "$1.code")"
	if [ -s "$tmp/err" ] && ! cmp -s "$1.err" "$tmp/err"; then
		fail "$1 $2: says $(cat "$tmp/err")"
	fi
}

# $1 names it; the rest is the command line.
record() {
	name=$1
	shift
	run --flight "$name.flight" "$@"
	[ "$code" -le "$limit" ] || fail "$name: status $code: $(cat "$tmp/err")"
	mv "$tmp/out" "$name.out"
	cp "$tmp/err" "$name.err"
	echo "$code" >"$name.code"
	chmod 644 "$name.flight"
}

replayed() {
	cd elsewhere || exit 1
	timeout 60 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	code=$?
	cd .. || exit 1
}

check() {
	replayed "$CPUPROF" --replay "../$1.flight"
	same "$1" "in another folder"
	for e in EPERM EACCES ENOSYS; do
		replayed "$noperf" "$e" "$CPUPROF" --replay "../$1.flight"
		[ "$code" -eq 77 ] && break
		same "$1" "without perf ($e)"
	done
	if can_be_nobody; then
		replayed setpriv --reuid=65534 --regid=65534 --clear-groups env -i \
			"$noperf" EPERM "$tmp/away/cpuprof" --replay "../$1.flight"
		same "$1" "as nobody with an empty environment"
	fi
	note "$1: $(wc -c <"$1.flight") bytes replay to $(wc -c <"$1.out") bytes"
}

limit=0
# The command may be given again with the replay.
record gzip gzip --reps 6 --no-save -q
check gzip
run gzip --reps 6 --no-save -q --replay gzip.flight
same gzip "with its command line"
rm -rf cpuprof-results

# A flight tells a run from another: two recordings differ.
record again gzip --reps 1 --threads 1 --no-save -q
cmp -s gzip.out again.out && fail "two runs give one report: is anything measured?"
check again

# What the run used may be gone: the library, the input, the command.
cat "$SRC"/src/run/*.c >input
lib=$(ldd "$CPUPROF" 2>/dev/null | awk '/libz\.so/ { print $3 }')
if [ -n "$lib" ]; then
	cp "$lib" "$tmp/libz-copy.so"
	record files gzip:1 --threads 1 --reps 1 --input input \
		--library "zlib=$tmp/libz-copy.so" --json --no-save -q
	rm -f input "$tmp/libz-copy.so"
	check files
fi
cp "$BUILD/tests/live/planted/faults" "$tmp/gone"
record exec exec --reps 2 --no-save -q -- "$tmp/gone"
rm "$tmp/gone"
check exec
record exec-json exec --reps 2 --json --counters --no-save -q -- "$BUILD/tests/live/planted/spin" 1
check exec-json
record status exec --reps 2 --no-sampling --no-save -q -- true
check status
record doctor doctor
check doctor
record doctor-json doctor --json
check doctor-json

# Runs that fail or find something denied are flights, too.
limit=3
timeout 60 "$noperf" EACCES "$CPUPROF" --flight denied.flight exec --reps 2 --no-save -q \
	-- "$BUILD/tests/live/planted/spin" 1 >denied.out 2>denied.err
echo "$?" >denied.code
[ "$(cat denied.code)" -eq 77 ] || check denied
record none exec --reps 2 --no-save -q -- /nonexistent/command
check none
CPUPROF_TEST_FLIP=1
export CPUPROF_TEST_FLIP
record flip gzip --reps 1 --threads 1 --no-save -q
unset CPUPROF_TEST_FLIP
check flip
finish
