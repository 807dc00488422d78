#!/bin/sh
# SPDX-License-Identifier: MIT
# server_killed.sh - a server's run is killed at twenty random moments, by SIGINT,
# SIGTERM and SIGKILL of cpuprof alone: no process of it is left a moment later and no
# folder, but for SIGKILL, whose folders the next run removes. Prints "ok" or
# "not ok" for each (make check-slow).
. "$(dirname "$0")/../live/lib.sh"
cd "$tmp" || exit 1
TMPDIR=$tmp/scratch
export TMPDIR
mkdir -m 1777 "$TMPDIR"
chmod 711 "$tmp"	# nobody enters
{ have nginx || [ -x /usr/sbin/nginx ]; } && have wrk && have openssl ||
	skip "no nginx, wrk or openssl here"

known=
known=$(serving | awk '{ printf "%s ", $2 }')
seed=${SEED:-$$}
echo "# seed $seed"
n=0
for ms in $(awk -v seed="$seed" 'BEGIN { srand(seed); for (i = 0; i < 20; i++) print int(rand() * 3000) }'); do
	n=$((n + 1))
	case $((n % 4)) in
	0) sig=INT ;;
	1) sig=TERM ;;
	*) sig=KILL ;;
	esac
	setsid "$CPUPROF" nginx-gzip --threads 1 -n 2 --no-save -q >out 2>err </dev/null &
	pid=$!
	sleep "$(awk -v ms="$ms" 'BEGIN { print ms / 1000 }')"
	kill -s "$sig" "$pid"
	wait "$pid" 2>/dev/null
	code=$?
	# A server takes a moment to end; what was killed cannot be waited for.
	for _ in $(seq 40); do
		[ -n "$(serving)" ] || break
		sleep 0.1
	done
	what="SIG$sig after $ms ms"
	case $sig-$code in
	KILL-137 | INT-130 | TERM-130) ;;
	*)
		echo "not ok - $what: status $code: $(head -n 1 err)"
		failures=$((failures + 1))
		;;
	esac
	if [ -n "$(serving)" ]; then
		echo "not ok - $what: $(serving)"
		failures=$((failures + 1))
	elif [ "$sig" != KILL ] && [ -n "$(ls "$TMPDIR")" ]; then
		echo "not ok - $what leaves $(ls "$TMPDIR")"
		failures=$((failures + 1))
	else
		echo "ok - $what: no process$([ "$sig" = KILL ] || echo ", no folder")"
	fi
	if [ "$sig" = KILL ]; then
		"$CPUPROF" nginx-gzip --threads 1 -n 1 --no-sampling --no-save -q >out 2>err </dev/null || {
			echo "not ok - the next run: $(head -n 1 err)"
			failures=$((failures + 1))
		}
		if [ -n "$(ls "$TMPDIR")" ]; then
			echo "not ok - the next run leaves $(ls "$TMPDIR")"
			failures=$((failures + 1))
		fi
	fi
done
finish
