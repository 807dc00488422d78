#!/bin/sh
# SPDX-License-Identifier: MIT
# suite.sh - a small suite is interrupted and gone on with: what is done is not
# measured again, unless it was measured in other conditions; what is missing or
# fails is said in its row; nowhere to write is one sentence.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1
tiny="--quick --reps 1 --no-model --no-sampling"

# Words that are wrong.
says 2 "no group 'zip'; there are openssl-public, openssl-symmetric, gzip, brotli" suite --only gzip,zip
says 2 "no group 'openssl'; there are openssl-public" suite --skip openssl
says 2 "leave nothing" suite --only gzip --skip gzip
says 2 "one word too many" suite gzip
says 2 "a flight holds one run" --flight f suite --only gzip
says 2 "--resume goes on by the options" suite --resume x --quick
says 1 "cannot read 'x/suite.json'" suite --resume x

# Every workload has a row in the table; those in text files are nobody's study.
"$CPUPROF" --help | awk '/^[^ ]/ { on = $0 == "workloads" } on && /^  [a-z]/ { print $1 }' |
	sort >names
"$CPUPROF" list groups | awk '/^[a-z]/ { other = $1 == "other" }
	/^ / && !other { sub(/:.*/, "", $1); print $1 }' | sort >planned
cmp -s names planned || fail "without a group: $(comm -3 names planned)"

# state NAME: of the run in the suite s.
state() {
	json s/suite.json 'runs.*' workload state | awk -F '\t' -v name="$1" '$1 == name { print $2 }'
}
begun() {
	[ -e s/rsa-2048-sign/result.json ]
}

# Interrupted after the first run.
# shellcheck disable=SC2086
"$CPUPROF" suite $tiny --only openssl-public -o s >out 2>err </dev/null &
pid=$!
wait_for begun || fail "no first run"
sleep 0.3
kill -INT "$pid"
wait "$pid"
code=$?
if grep -q "apt-get install" out; then
	skip "no libcrypto here"
fi
[ "$code" -eq 130 ] || fail "interrupted: status $code: $(cat err)"
tail -n 1 err | grep -q "go on with: cpuprof suite --resume s" || fail "interrupted: says $(tail -n 2 err)"
grep -q '^interrupted' out || fail "interrupted: the tables do not say so"
grep -Eq '^rsa-2048-sign +1 .* signs/s' out || fail "interrupted: what is done is not printed"
grep -q '^ecdsa-p256-verify  *not run yet' out || fail "interrupted: what is not done is not listed"
[ "$(state rsa-2048-sign)" = "done" ] || fail "interrupted: the first run is '$(state rsa-2048-sign)'"
[ "$(state ecdsa-p256-verify)" = planned ] || fail "interrupted: the last is '$(state ecdsa-p256-verify)'"
json s/suite.json 'runs.*' state | grep -q failed && fail "interrupted: taken for failed"
[ -z "$(children "$pid")" ] || fail "interrupted: children are left"
# shellcheck disable=SC2086
says 2 "holds a suite already, cpuprof suite --resume s" suite $tiny -o s

# Gone on with: the first run's files are the same, the others come after them in order.
stamps() {
	stat -c '%i %Y %y' s/rsa-2048-sign/*
}
stamps >before
run suite --resume s
what="suite --resume"
[ "$code" -eq 0 ] || fail "$what: status $code: $(cat err)"
stamps | cmp -s before - || fail "$what: the first run was measured again"
[ "$(grep -c ' left: ' err)" -eq 3 ] || fail "$what: ran $(cat err)"
older=s/rsa-2048-sign/result.json
for name in rsa-2048-verify ecdsa-p256-sign ecdsa-p256-verify; do
	[ "$(state $name)" = "done" ] || fail "$what: $name is '$(state $name)'"
	[ -n "$(find s/$name/result.json -newer "$older")" ] || fail "$what: $name did not run in its turn"
	older=s/$name/result.json
done
cpus=$(nproc)
rows=$((cpus > 1 ? 2 : 1))
[ "$(grep -Ec '(signs|verifies)/s' out)" -eq $((4 * rows)) ] || fail "$what: rows are missing: $(cat out)"
awk 'length > 80' out >long
[ ! -s long ] || fail "$what: more than 80 columns: $(cat long)"
cmp -s out s/report.txt || fail "$what: report.txt is not what was printed"
"$CPUPROF" report s | cmp -s out - || fail "cpuprof report prints other tables"
"$CPUPROF" report s/rsa-2048-sign | grep -q '^why' || fail "a run of it is no bundle"

# All is done: nothing is run, the same is printed.
cp out tables
says 0 "" suite --resume s -q
cmp -s tables out || fail "resumed when all was done: other tables"
says 0 "" suite --resume s -q --published
head -n "$(wc -l <tables)" out | cmp -s tables - || fail "--published: other tables"
tail -n 1 out | grep -q 'https://' || fail "--published: no source"
grep -q 'https://' s/report.txt && fail "--published: it stands in report.txt"

# again PATTERN NAME SED: with its result edited, only that run is measured again.
again() {
	sed -i "$3" "s/$2/result.json"
	run suite --resume s -q
	what="result edited by $3"
	ended 0 "$2 is measured again: $1"
	says 0 "" suite --resume s -q
}
again "it is of cpuprof '0.0'" rsa-2048-sign 's/^ "version": .*/ "version": "0.0",/'
again "it was run as 'cpuprof rsa'" rsa-2048-sign 's/^ "command": .*/ "command": "cpuprof rsa",/'
again "kernel was 'old'" rsa-2048-verify '/"key": "kernel"/{n;s/: ".*"/: "old"/}'
again ".*holds no whole result" rsa-2048-verify 's/^ "interrupted": .*/ "interrupted": true,/'
# shellcheck disable=SC2016
again ".*not JSON" rsa-2048-verify '$d'
again "libcrypto is not the one" ecdsa-p256-sign '/"key": "library build-id"/{n;s/: ".*"/: "none"/}'

# What is not installed: its package, and the rest goes on.
mkdir libs
echo none >libs/libbrotlienc.so.1
LD_LIBRARY_PATH=$tmp/libs
export LD_LIBRARY_PATH
# shellcheck disable=SC2086
says 0 "" suite $tiny --only brotli,gzip -o missing -q
grep -q '^brotli  *not here:' out || fail "$what: does not list it: $(cat out)"
grep -Eq 'apt-get( |$)' out || fail "$what: does not name the package: $(cat out)"
grep -Eq '^gzip:9 .* MB/s' out || fail "$what: the rest did not go on"
# shellcheck disable=SC2086
says 3 "" suite $tiny --only brotli -o nothing -q
unset LD_LIBRARY_PATH
what="installed since"
says 0 "" suite --resume missing -q
grep -Eq '^brotli:9 .* MB/s' out || fail "$what: not run: $(cat out)"

# What fails has its reason and ends in status 1.
CPUPROF_TEST_FLIP=1
export CPUPROF_TEST_FLIP
# shellcheck disable=SC2086
says 1 "" suite $tiny --only gzip -o flipped -q
unset CPUPROF_TEST_FLIP
grep -q '^gzip  *failed:' out || fail "$what: $(cat out)"
grep -q 'wrong output' out || fail "$what: no reason: $(cat out)"

# Nowhere to write.
echo text >file
# shellcheck disable=SC2086
says 1 "file" suite $tiny --only gzip -o file/s -q
if can_be_nobody; then
	mkdir closed
	chmod 755 "$tmp" closed
	what="suite -o in a folder of somebody else"
	# shellcheck disable=SC2086
	as_nobody "$CPUPROF" suite $tiny --only gzip -o closed/s -q >out 2>err </dev/null
	code=$?
	ended 1 "closed/s"
fi
if unshare -m true 2>/dev/null; then
	for size in 8k 64k; do
		mkdir -p full
		what="suite on a disk of $size"
		# shellcheck disable=SC2016
		unshare -m sh -c 'mount -t tmpfs -o size="$1" none full && shift && exec "$@"' \
			sh "$size" "$CPUPROF" suite --quick --reps 1 --no-model --only gzip,brotli \
			-o full/s -q >out 2>err </dev/null
		code=$?
		ended 1 "No space left"
		grep -q '^brotli  *not run yet' out || fail "$what: went on: $(cat out)"
	done
else
	note "full disks: left out, cannot mount here"
fi
finish
