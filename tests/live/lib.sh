# SPDX-License-Identifier: MIT
# lib.sh - what the live and fault tests share; sourced, not run.
#
# Gives SRC, BUILD, CPUPROF, CC, tmp (removed on exit), and takes the lock that
# lets one live test run at a time: two that measure would disturb each other.
# Functions: note, fail, skip, finish, json, run, says, children, have, wait_quiet,
# as_nobody.

LC_ALL=C
export LC_ALL
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${BUILD:=$(pwd)}"
: "${CPUPROF:=$BUILD/cpuprof}"
: "${CC:=cc}"

have() {
	command -v "$1" >/dev/null 2>&1
}

if [ -z "${CPUPROF_TEST_LOCKED-}" ] && have flock && [ -d "$BUILD/tests" ]; then
	CPUPROF_TEST_LOCKED=1
	export CPUPROF_TEST_LOCKED SRC BUILD CPUPROF CC
	exec flock -o "$BUILD/tests/live.lock" sh "$0" "$@"
fi

tmp=$(mktemp -d) || exit 1
# Nothing of the user's is read or written.
XDG_CACHE_HOME=$tmp/cache
PERF_BUILDID_DIR=$tmp/debug
PERF_CONFIG=/dev/null
export XDG_CACHE_HOME PERF_BUILDID_DIR PERF_CONFIG
unset CPUPROF_TEST_FLIP
# A test adds its own undoing by defining at_exit.
at_exit() { :; }
trap 'at_exit; rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

failures=0
note() {
	echo "$*"
}
fail() {
	echo "FAILED: $*"
	failures=$((failures + 1))
}
skip() {
	echo "skipped: $*"
	exit 77
}
finish() {
	[ "$failures" -eq 0 ] || exit 1
	exit 0
}

[ -x "$CPUPROF" ] || skip "$CPUPROF is not built"

json() {
	"$BUILD/tests/live/jsonget" "$@"
}

# Run cpuprof, keep its output in $tmp/out and $tmp/err, its status in $code.
run() {
	timeout 120 "$CPUPROF" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	code=$?
}

# The last run ended with status $1 and one sentence that matches $2 ("" none).
ended() {
	[ "$code" -eq "$1" ] || fail "$what: status $code, want $1 ($(head -n 3 "$tmp/err"))"
	if [ -z "$2" ]; then
		[ ! -s "$tmp/err" ] || fail "$what: says $(head -n 3 "$tmp/err")"
		return
	fi
	[ "$(wc -l <"$tmp/err")" -eq 1 ] ||
		fail "$what: want one sentence, not: $(head -n 5 "$tmp/err")"
	grep -Eq "^cpuprof: .*($2)" "$tmp/err" ||
		fail "$what: want a sentence with '$2', not: $(head -n 3 "$tmp/err")"
}

# says STATUS PATTERN ARG...: run it; it ends like that.
says() {
	status=$1
	pattern=$2
	shift 2
	what="cpuprof $*"
	run "$@"
	ended "$status" "$pattern"
}

# Lines of processes that run a server for cpuprof, beside those of $known (pids); what
# has ended and waits for a slow init is gone.
serving() {
	ps -eo stat=,pid=,comm=,args= | awk -v known=" ${known-} " '
		$1 !~ /^Z/ && ($3 == "nginx" || $3 == "wrk" || ($3 ~ /^(exe|cpuprof)$/ && / worker nginx-/)) &&
		!index(known, " " $2 " ")'
}

# The processes started by process $1.
children() {
	grep -l "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status 2>/dev/null |
		sed 's|/proc/\([0-9]*\)/.*|\1|'
}

# Until "$@" holds, at most ten seconds.
wait_for() {
	for _ in $(seq 100); do
		"$@" && return 0
		sleep 0.1
	done
	return 1
}

# Until other processes leave the CPUs alone for half a second, at most $1
# seconds. False when they never did.
wait_quiet() {
	for _ in $(seq "$(($1 * 2))"); do
		a=$(awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 }' /proc/stat)
		sleep 0.5
		b=$(awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 }' /proc/stat)
		[ "$((b - a))" -le 4 ] && return 0
	done
	return 1
}

# A user without rights; false when we cannot become one.
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
can_be_nobody() {
	[ "$(id -u)" -eq 0 ] && have setpriv && as_nobody true 2>/dev/null
}
