#!/bin/sh
# SPDX-License-Identifier: MIT
# planted.sh - programs with one known trouble each: it must be ranked first
# for the program that has it and for no other; a clean one has none above 2 %.
. "$(dirname "$0")/lib.sh"

bin=$BUILD/tests/live/planted
for p in spin faults syscalls migrate; do
	[ -x "$bin/$p" ] || skip "$bin/$p is not built"
done
cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status | sed 's/.*[,-]//')
group=
rival=
left_out=
at_exit() {
	[ -z "$rival" ] || kill "$rival" 2>/dev/null
	[ -z "$group" ] || rmdir "$group" 2>/dev/null
}

# What this machine does to every program is not the program's trouble: a
# tenant on the sibling thread, a hypervisor that takes the CPU, a clock that
# was higher a moment ago. They are left out of the ranking.
environment='a neighbour on this core|CPU time stolen by the hypervisor|clock below its best'

# The causes of the result in $tmp/out: "per mille TAB name", the largest first.
causes() {
	json "$tmp/out" 'rows.0.causes.*' cost_share name |
		awk -F '\t' -v env="^($environment)\$" \
			'$2 !~ env { printf "%d\t%s\n", 1000 * $1 + 0.5, $2 }' | sort -k 1,1nr
}

# A disturbance from outside may hit one run, not four of four. Where other
# processes keep the CPUs busy all the while, and are named for it, nothing can
# be told about the program: that part is left out. $1 what it is
# called, $2 the cause wanted first ("" none above 2 %), then the command.
judge() {
	what=$1
	want=$2
	shift 2
	for attempt in 1 2 3 4; do
		busy=
		[ "$what" = rival ] || wait_quiet 5 || busy=yes
		timeout 100 "$@" >"$tmp/out" 2>"$tmp/err" </dev/null || {
			fail "$what: status $?: $(cat "$tmp/err")"
			return
		}
		causes >"$tmp/causes"
		first=$(head -n 1 "$tmp/causes" | cut -f 2)
		cost=$(head -n 1 "$tmp/causes" | cut -f 1)
		if [ -z "$want" ]; then
			[ "${cost:-0}" -le 20 ] && first=
		fi
		[ "$first" = "$want" ] && [ -n "$want" ] && [ "$cost" -gt 20 ] && break
		[ "$first" = "$want" ] && [ -z "$want" ] && break
		note "$what, attempt $attempt: '$first' with $cost per mille"
		first="?$first"
	done
	if [ "$first" = "$want" ]; then
		note "$what: ${want:-nothing above 2 %} ($(tr '\n\t' '; ' <"$tmp/causes"))"
	elif [ -n "$busy" ] && [ "$first" = "?other processes on its CPU" ]; then
		note "$what: left out, other processes keep the CPUs busy"
		left_out="$left_out $what,"
	else
		fail "$what: want '${want:-nothing above 2 %}' first: $(cat "$tmp/causes")"
	fi
}

exec_json() {
	echo "$CPUPROF exec --json --reps 6 -q --no-save --"
}
# shellcheck disable=SC2046 # the words of exec_json are separate on purpose
{
	judge "clean spin" "" $(exec_json) "$bin/spin"
	judge "fault storm" "page faults" $(exec_json) "$bin/faults"
	judge "syscall storm" "system calls" $(exec_json) "$bin/syscalls"
	if "$bin/migrate"; then
		judge "migration storm" "migrations between CPUs" $(exec_json) "$bin/migrate"
	else
		note "migration storm: left out, only one CPU may be used"
	fi
	if have taskset; then
		taskset -c "$cpu" "$bin/spin" 0 &
		rival=$!
		judge rival "other processes on its CPU" taskset -c "$cpu" $(exec_json) "$bin/spin" 2
		kill "$rival"
		wait "$rival" 2>/dev/null
		rival=
	else
		note "competing process: left out, no taskset"
	fi
}

# A group of half a CPU; v1's cpu controller, or v2 with it handed down.
for dir in /sys/fs/cgroup/cpu /sys/fs/cgroup/cpu,cpuacct /sys/fs/cgroup; do
	[ -f "$dir/cpu.cfs_quota_us" ] || [ -f "$dir/cgroup.subtree_control" ] || continue
	mkdir "$dir/cpuprof-test-$$" 2>/dev/null || continue
	group=$dir/cpuprof-test-$$
	if [ -f "$group/cpu.max" ]; then
		echo "50000 100000" >"$group/cpu.max" && break
	elif [ -f "$group/cpu.cfs_quota_us" ]; then
		echo 100000 >"$group/cpu.cfs_period_us" &&
			echo 50000 >"$group/cpu.cfs_quota_us" && break
	fi
	rmdir "$group"
	group=
done
if [ -n "$group" ]; then
	# Only the shell that becomes cpuprof moves in, so nobody has to move out.
	# shellcheck disable=SC2016,SC2046
	judge "cgroup quota" "CPU quota of the cgroup" \
		sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$group" \
		$(exec_json) "$bin/spin" 2
	rmdir "$group" && group=
else
	note "cgroup quota: left out, no group with a cpu controller can be made here"
fi
[ -z "$left_out" ] || [ "$failures" -gt 0 ] || skip "a busy machine;$left_out not judged"
finish
