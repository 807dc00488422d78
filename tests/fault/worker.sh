#!/bin/sh
# SPDX-License-Identifier: MIT
# worker.sh - the worker or cpuprof itself is killed or interrupted in the
# middle: what was measured before is reported, and no worker is left over.
. "$(dirname "$0")/../live/lib.sh"
cd "$tmp" || exit 1

group=
at_exit() {
	[ -z "$group" ] || kill -9 "$group" 2>/dev/null
}

# Start "$@" in a process group of its own, as a terminal would.
start() {
	what="cpuprof $*"
	if have setsid; then
		setsid "$CPUPROF" "$@" >out 2>err </dev/null &
	else
		"$CPUPROF" "$@" >out 2>err </dev/null &
	fi
	group=$!
}
# Its worker or command, once it has one.
has_child() {
	child=$(children "$group" | head -n 1)
	[ -n "$child" ]
}
gone() {
	[ ! -d "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null
}
# Until $1 workers have come and gone, so that so many repetitions are done.
repetitions() {
	last=
	seen=0
	while [ "$seen" -le "$1" ] && [ -d "/proc/$group" ]; do
		if has_child && [ "$child" != "$last" ]; then
			last=$child
			seen=$((seen + 1))
		fi
		sleep 0.05
	done
}
end() {
	wait "$group"
	code=$?
	group=
}
reported() {
	grep -q "^$1  *[0-9]" out || fail "$what: nothing measured before is reported"
}

start gzip --reps 30 --threads 1 --no-save -q
repetitions 2
has_child || fail "$what: no worker"
kill -9 "$child"
end
ended 1 "worker was killed by signal 9"
reported "1 core"
grep -q '^failed: the worker was killed' out || fail "$what: the report does not say so"

# A worker that stops answering for a while is only slow.
start gzip --reps 2 --threads 1 --no-save --no-sampling -q
wait_for has_child
kill -STOP "$child"
sleep 1
kill -CONT "$child"
end
ended 0 ""
reported "1 core"

# Saved, too.
start gzip --reps 30 --threads 1 -q -o killed
repetitions 2
has_child && kill -SEGV "$child"
end
ended 1 "worker was killed by signal 11"
json killed/result.json failure >failure
grep -q 'signal 11' failure ||
	fail "$what: result.json does not tell the failure"
says 0 "" report killed
reported "1 core"

# Ctrl-C goes to the whole group. SIGTERM is the same with another sender.
for sig in INT TERM; do
	start gzip --reps 30 --threads 1 --no-save -q
	repetitions 2
	has_child
	if have setsid; then kill "-$sig" "-$group"; else kill "-$sig" "$group"; fi
	end
	case $sig in
	INT) ended 130 "" ;;
	TERM)	# killed by request or interrupted: both are said by the status
		[ "$code" -eq 130 ] || [ "$code" -eq 143 ] || fail "$what: status $code after SIGTERM" ;;
	esac
	reported "1 core"
	grep -q '^interrupted' out || fail "$what: the report does not say that it was interrupted"
	wait_for gone "$child" || fail "$what: SIG$sig leaves the worker $child behind"
done

# While sampling.
start gzip --reps 1 --threads 1 --no-save -q
repetitions 1
sleep 0.7
kill -INT "$group"
end
[ "$code" -eq 0 ] || ended 130 ""
reported "1 core"

# Before there is anything.
start gzip --reps 30 --threads 1 --no-save -q
wait_for has_child
kill -INT "$group"
end
[ "$code" -eq 130 ] || fail "$what: status $code after an early Ctrl-C, want 130"
wait_for gone "$child" || fail "$what: an early SIGINT leaves the worker behind"

start exec --reps 30 --no-save -q -- "$BUILD/tests/live/planted/spin" 3
repetitions 2
has_child
kill -INT "$group"
end
ended 130 ""
reported run
wait_for gone "$child" || fail "$what: the command $child is left behind"

# cpuprof itself is killed: its worker goes with it.
start gzip --reps 30 --threads 1 --no-save -q
repetitions 1
has_child || fail "$what: no worker"
kill -9 "$group"
wait "$group" 2>/dev/null
group=
wait_for gone "$child" || fail "cpuprof killed: the worker $child is left behind"

# A command's own end is not cpuprof's.
says 7 "" exec -q --no-save --no-sampling --reps 2 -- sh -c 'exit 7'
# shellcheck disable=SC2016 # for the inner shell
says 137 "" exec -q --no-save --no-sampling --reps 2 -- sh -c 'kill -9 $$'
finish
