# SPDX-License-Identifier: MIT
# lib.sh - checks on what cpuprof says in a guest; read by run.sh and count.sh,
# which set $here. Lines "ok" and "not ok", in the end the plan.
# shellcheck shell=sh disable=SC2034,SC2154 # used and set by those that read it
set -u
LC_ALL=C
export LC_ALL
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${BUILD:=$(pwd)}"
: "${CPUPROF:=$BUILD/cpuprof}"
W=${PMU_WORK:-$BUILD/tests/pmu/work}

skip() {
	echo "skipped: $*"
	exit 77
}
[ -x "$CPUPROF" ] || skip "$CPUPROF is not built"
[ -x "$W/root/bin/cpuprof" ] || skip "no guest here: tests/pmu/setup.sh makes one"
W=$(cd "$W" && pwd)
PMU_WORK=$W
export PMU_WORK

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
n=0
failures=0
# $1 says what; the rest is a command.
check() {
	what=$1
	shift
	n=$((n + 1))
	if "$@" >"$tmp/said" 2>&1; then
		echo "ok $n - $what"
		grep -m 1 . "$tmp/said" | sed 's/^/# /'
	else
		echo "not ok $n - $what"
		head -n 40 "$tmp/said" | sed 's/^/# /'
		failures=$((failures + 1))
	fi
}

# What all guests have.
root=$tmp/root
mkdir -p "$root"
cp -a "$W/root/." "$root/"
cat "$SRC"/src/base/*.c >"$root/input"
cat >"$root/lib.sh" <<'EOF'
Z='gzip:1 --threads 1 --input /input --no-save -q'
paranoid() { echo $1 >/proc/sys/kernel/perf_event_paranoid; }
# NAME COMMAND...: what it printed and its status.
t() {
	name=$1
	shift
	"$@" >$OUT/$name.out 2>$OUT/$name.err </dev/null
	echo $? >$OUT/$name.code
}
EOF
chmod 755 "$root"

# guest NAME CPU COMMANDS: the files are in $tmp/NAME afterwards.
guest() {
	dir=$tmp/$1
	began=$(date +%s)
	CPU=$2 OUTDIR=$dir TMO=240 "$here/guest.sh" "$root" ". /lib.sh
cd /tmp
$3" >"$tmp/console" 2>&1
	status=$?
	cat "$tmp/console" >"$dir/console" 2>/dev/null
	check "guest $1: boots, works and ends in $(($(date +%s) - began)) s" \
		sh -c "cat '$tmp/console'; [ $status -eq 0 ]"
}

# What a file of the guest holds, its lines joined: has NAME.out REGEX
has() {
	tr -s '\n ' ' ' <"$dir/$1" >"$tmp/flat"
	grep -Eq -e "$2" "$tmp/flat" && return 0
	echo "$1 has no '$2'"
	cat "$dir/$1"
	return 1
}
has_not() {
	! has "$1" "$2" >/dev/null && return 0
	echo "$1 has '$2'"
	cat "$dir/$1"
	return 1
}
code() {
	[ "$(cat "$dir/$1.code" 2>/dev/null)" = "$2" ] && return 0
	echo "status $(cat "$dir/$1.code" 2>/dev/null), want $2"
	cat "$dir/$1.err"
	return 1
}
replays() {
	timeout 120 "$CPUPROF" --replay "$dir/$1.flight" >"$tmp/replayed" 2>"$tmp/err" </dev/null
	rc=$?
	cmp "$dir/$1.out" "$tmp/replayed" || { diff "$dir/$1.out" "$tmp/replayed"; return 1; }
	[ "$rc" = "$(cat "$dir/$1.code")" ] && cmp -s "$dir/$1.err" "$tmp/err" && return 0
	echo "status $rc; $(cat "$tmp/err")"
	return 1
}
# The plan and the status.
finish() {
	echo "1..$n"
	[ "$failures" -eq 0 ] && exit 0
	echo "FAILED: $failures of $n"
	exit 1
}
