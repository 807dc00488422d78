#!/bin/sh
# SPDX-License-Identifier: MIT
# output.sh - nowhere to write: full disks, closed or full standard output, few
# descriptors. The report is still printed where it can be; status 1 and one
# sentence.
. "$(dirname "$0")/../live/lib.sh"
cd "$tmp" || exit 1

quick="--reps 1 --threads 1 -q"
spin="-- $BUILD/tests/live/planted/spin 1"
measured() {
	grep -Eq '^(1 core|run)  *[0-9]' out || fail "$what: the report is not printed"
}

# A file system of $1 bytes in a mount namespace of its own goes with it.
on_full_disk() {
	what="a disk of $1: cpuprof $2"
	# shellcheck disable=SC2016 # expanded by the inner shell
	timeout 60 unshare -m sh -c 'mount -t tmpfs -o size="$1" none full && cd full &&
		TMPDIR=$PWD && export TMPDIR && exec "$2" $3' sh "$1" "$CPUPROF" "$2" \
		>out 2>err </dev/null
	code=$?
}
mkdir full
if unshare -m sh -c 'mount -t tmpfs -o size=4k none full' 2>/dev/null; then
	on_full_disk 64k "gzip $quick -o result"
	ended 1 "No space left on device"
	measured
	for size in 4k 8k 16k; do
		on_full_disk "$size" "exec --reps 1 -q -o result $spin"
		ended 1 "No space left on device"
		measured
	done
	on_full_disk 8k "exec --reps 1 -q --no-save $spin"
	ended 1 "No space left on device"
	measured
	on_full_disk 8k "exec --reps 1 -q --no-save --no-sampling $spin"
	ended 0 ""
	measured
	on_full_disk 4k "--flight f exec --reps 1 -q --no-save --no-sampling $spin"
	ended 1 "flight 'f' is incomplete: No space left on device"
	measured
	# The command of a recording runs to its end; its work is not lost.
	on_full_disk 8k "record -o data -- $BUILD/tests/live/planted/spin 2"
	ended 1 "No space left on device"
	# The rest fits: the same command on a disk that is large enough.
	on_full_disk 8m "exec --reps 1 -q -o result $spin"
	ended 0 ""
	measured
else
	note "full disks: left out, cannot mount here"
fi

says 1 "cannot make folder '/proc/nope'" gzip --reps 1 --threads 1 -q --no-sampling -o /proc/nope
measured
says 1 "'/dev/null' is not a folder" gzip --reps 1 --threads 1 -q --no-sampling -o /dev/null
measured
says 1 "flight '/dev/full' is incomplete" \
	gzip --reps 1 --threads 1 -q --no-sampling --no-save --flight /dev/full
measured
says 1 "cannot write flight '/nonexistent/x'" gzip --flight /nonexistent/x
says 1 "cannot write '/nonexistent/x'" record -o /nonexistent/x -- true

# Standard output that takes nothing, for every command that prints.
for args in "exec --reps 1 -q --no-save --no-sampling $spin" doctor "list workloads" --version \
	--help "exec --help" "exec --json --reps 1 -q --no-save --no-sampling $spin"; do
	what="cpuprof $args >/dev/full"
	# shellcheck disable=SC2086 # words
	timeout 60 "$CPUPROF" $args >/dev/full 2>err </dev/null
	code=$?
	ended 1 "cannot write to standard output: No space left"
	what="cpuprof $args with standard output closed"
	# shellcheck disable=SC2086 # words
	timeout 60 "$CPUPROF" $args >&- 2>err </dev/null
	code=$?
	ended 1 "cannot write to standard output: Bad file"
done
# A reader that has gone is no news.
# shellcheck disable=SC2069
{ timeout 60 "$CPUPROF" list workloads 2>err; echo "$?" >code; } | :
[ ! -s err ] || fail "a closed pipe: says $(cat err)"

# None of the three descriptors open: the worker's own must not fall on them.
what="no standard descriptors"
timeout 60 "$CPUPROF" gzip --reps 1 --threads 1 -q --no-sampling -o result <&- >&- 2>&-
code=$?
[ "$code" -eq 1 ] || fail "$what: status $code, want 1"
grep -q '"score_ops_per_s"' result/result.json || fail "$what: no result is saved"

# Few descriptors. Both limits fall, so that cpuprof cannot raise its own.
few() {
	what="ulimit -n $1"
	# shellcheck disable=SC2016 # for the inner shell, whose own needs are small
	timeout 60 sh -c 'ulimit -n "$1" && shift && exec "$@"' sh "$1" \
		"$CPUPROF" gzip --reps 1 --threads 1 -q --no-save >out 2>err </dev/null
	code=$?
}
few 20
ended 0 ""
measured
for n in 12 9 7 5; do
	few "$n"
	[ "$code" -eq 0 ] || ended 1 "raise ulimit -n"
done
finish
