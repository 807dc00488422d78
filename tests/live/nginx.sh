#!/bin/sh
# SPDX-License-Identifier: MIT
# nginx.sh - the server: each of its workloads on one process and on two, verified,
# with latencies, where its time goes and who the limit was; as nobody; whatever is
# missing or fails gets one sentence, and nothing stays. The system's nginx is not
# touched. Kills at random moments: tests/fault/server_killed.sh.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1
TMPDIR=$tmp/scratch
export TMPDIR
mkdir -m 1777 "$TMPDIR"
chmod 711 "$tmp"	# nobody enters

known=
known=$(serving | awk '{ printf "%s ", $2 }')
left() {
	[ -z "$(serving)" ] || fail "$what: left behind: $(serving)"
	[ -z "$(ls "$TMPDIR")" ] || fail "$what: left behind: $(ls "$TMPDIR")"
}

system=$(command -v nginx || ls /usr/sbin/nginx 2>/dev/null)
[ -n "$system" ] && have wrk && have openssl || skip "no nginx, wrk or openssl here"
before=$(stat -c '%Y %i' /etc/nginx/nginx.conf 2>/dev/null; pgrep -x nginx)

names="nginx-plain nginx-gzip nginx-handshake"
"$CPUPROF" list workloads | sed -n '/^nginx-brotli/,/^[^ ]* *$/p' | sed -n 3p | grep -q runs &&
	names="$names nginx-brotli"
threads=1
[ "$(nproc)" -lt 2 ] || threads=1,2
for name in $names; do
	what=$name
	run "$name" -n 1 --threads "$threads" --json --no-save -q
	ended 0 ""
	[ "$(json out 'rows.*' threads | tr '\n' ,)" = "$threads," ] || fail "$what: not on $threads"
	json out 'rows.*' score.value | awk '!($1 > 0) { exit 1 }' || fail "$what: no score"
	json out 'rows.0.repetitions.*' served.requests served.errors served.latency_50_s \
		served.latency_99_s | awk '!($1 > 0 && $2 == 0 && $3 > 0 && $4 >= $3) { exit 1 }' ||
		fail "$what: served $(json out rows.0.repetitions.0.served)"
	# Requests of the load generator are what is scored.
	json out 'rows.0.repetitions.0.batches.*' ops >ops
	[ "$(awk '{ n += $1 } END { printf "%.0f\n", n }' ops)" = \
		"$(json out rows.0.repetitions.0.served.requests)" ] || fail "$what: requests got lost"
	json out 'rows.0.profile.parts.*' share name >parts
	note "$what: $(json out 'rows.*' score.value | tr '\n' ' ')$(head -n 4 parts | tr '\t\n' ' ;')"
	[ -z "$(json out rows.0.profile.event 2>/dev/null)" ] || case $name in
	nginx-plain) grep -q 'kernel: network\|kernel.kallsyms' parts && grep -q libcrypto parts ;;
	nginx-gzip) awk -F '\t' '$2 ~ /^libz/ && $1 > 0.5 { ok = 1 } END { exit !ok }' parts ;;
	nginx-brotli) awk -F '\t' '$2 ~ /^libbrotlienc/ && $1 > 0.5 { ok = 1 } END { exit !ok }' parts ;;
	nginx-handshake) awk -F '\t' '$2 ~ /^libcrypto/ && $1 > 0.3 { ok = 1 } END { exit !ok }' parts ;;
	esac || fail "$what: its time is elsewhere: $(cat parts)"
	left
done

# Who was the limit: with no CPU left for it, the load ran on the server's.
what="the load's CPUs"
run nginx-plain -n 1 --threads all --no-sampling --no-save -q
ended 0 ""
tr -s '\n ' ' ' <out | grep -q 'the load generator had no CPU of its own' || fail "$what: $(cat out)"
run nginx-plain -n 1 --threads 1 --no-sampling --no-save -q
if [ "$(nproc)" -gt 1 ]; then
	grep -q 'no CPU of its own' out && fail "$what: it had one: $(cat out)"
fi

what="another cipher"
run nginx-plain -n 1 --threads 1 --no-sampling --no-save -q --cipher chacha20-poly1305
ended 0 ""
tr -s '\n ' ' ' <out | grep -q TLS_CHACHA20_POLY1305_SHA256 || fail "$what: $(head -n 3 out)"
says 2 "want one of aes-128-gcm, aes-256-gcm, chacha20-poly1305" nginx-plain --cipher rot13
says 2 "gzip has no --cipher" gzip --cipher aes-128-gcm

what="a flight"
run nginx-plain -n 1 --threads 1 --no-save -q --flight "$tmp/flight"
ended 0 ""
cp out first
run --replay "$tmp/flight"
ended 0 ""
cmp -s out first || fail "$what: replay differs: $(diff out first | head -n 5)"
left

what="counted by process"
run nginx-plain -n 1 --threads 1 --per-thread --no-sampling --no-save -q
ended 0 ""
grep -q '^threads (1 core)' out || fail "$what: $(cat out)"

if [ "$(id -u)" -eq 0 ]; then
	# Started by root, it is nobody's.
	"$CPUPROF" nginx-gzip -n 3 --threads 1 --no-sampling --no-save -q >out 2>err </dev/null &
	pid=$!
	user=
	for _ in $(seq 200); do
		user=$(ps -eo user=,args= | awk -v dir="$TMPDIR" 'index($0, "nginx -p " dir) { print $1; exit }')
		[ -z "$user" ] || break
		sleep 0.02
	done
	[ "$user" = nobody ] || fail "nginx runs as '$user'"
	wait "$pid" || fail "nginx as nobody: $(cat err)"
	chmod -R a+rX "$tmp"
	as_nobody "$CPUPROF" nginx-gzip -n 1 --threads 1 --no-sampling --no-save -q >out 2>err ||
		fail "cpuprof as nobody: $(cat err)"
fi

# What fails: one sentence, and gzip goes on.
failing() {
	what=$1
	shift
	"$@" >out 2>err </dev/null
	code=$?
}
CPUPROF_TEST_FLIP=1
export CPUPROF_TEST_FLIP
failing "wrong output" "$CPUPROF" nginx-gzip -n 1 --threads 1 --no-save -q
unset CPUPROF_TEST_FLIP
ended 1 "wrong output: document"
left

# A folder of programs in which $1 is missing; others that work.
only() {
	rm -rf path
	mkdir path
	for q in nginx wrk openssl; do
		[ "$q" = "$1" ] || ln -s "$(command -v "$q" || echo "/usr/sbin/$q")" "path/$q"
	done
}
for p in wrk openssl; do
	case $(command -v "$p") in /usr/sbin/* | /sbin/*) continue ;; esac
	only "$p"
	failing "$p missing" env PATH="$tmp/path" "$CPUPROF" nginx-plain -n 1 --threads 1 --no-save -q
	ended 3 "no $p.*apt-get install nginx wrk openssl"
done
failing "nginx missing" "$CPUPROF" nginx-plain -n 1 --threads 1 --no-save -q --library nginx=./nothing
ended 1 "cannot run '.*nothing'"

only openssl
printf '#!/bin/sh\necho "req: Error: no such curve" >&2\nexit 1\n' >path/openssl
chmod +x path/openssl
failing "no certificate" env PATH="$tmp/path:/bin:/usr/bin" "$CPUPROF" nginx-plain -n 1 --threads 1 \
	--no-save -q
ended 1 "openssl could not make the certificate: no such curve"
left

# An nginx of our own, a script around the real one.
around() {
	printf '#!/bin/sh\ncase "$1" in -V) exec %s -V ;; esac\n%s\nexec %s "$@"\n' "$system" "$1" \
		"$system" >around
	chmod 755 around
}
taken="[ -e $tmp/tried ] || { touch $tmp/tried; echo 'bind() to 127.0.0.1 failed (98: Address already in use)' >&2; echo 'still could not bind()' >&2; exit 1; }"
chmod 777 "$tmp"
around "$taken"
failing "port taken once" "$CPUPROF" nginx-plain -n 1 --threads 1 --no-sampling --no-save -q \
	--library nginx=./around
ended 0 ""
[ -e tried ] || fail "$what: was not tried"
around "echo 'bind() to 127.0.0.1:1 failed (98: Address already in use)' >&2; echo 'still could not bind()' >&2; exit 1"
failing "port taken" "$CPUPROF" nginx-plain -n 1 --threads 1 --no-save -q --library nginx=./around
ended 1 "nginx did not start: still could not bind"
printf '#!/bin/sh\necho "nginx version: nginx/1.18.0"\n' >around
failing "an old nginx" "$CPUPROF" nginx-plain -n 1 --threads 1 --no-save -q --library nginx=./around
ended 1 "nginx 1.18.0 is too old"
mkdir "$tmp/a;b"
failing "a folder with a name of its own" env TMPDIR="$tmp/a;b" "$CPUPROF" nginx-plain -n 1 --threads 1 \
	--no-save -q
ended 1 "nginx cannot work in .*set TMPDIR"
around "exit 7"
failing "silent" "$CPUPROF" nginx-plain -n 1 --threads 1 --no-save -q --library nginx=./around
ended 1 "nginx did not start: it said nothing"
case $names in *brotli*)
	printf '#!/bin/sh\necho "nginx version: nginx/1.2 --modules-path=%s"\n' "$tmp" >around
	failing "no module" "$CPUPROF" nginx-brotli -n 1 --threads 1 --no-save -q --library nginx=./around
	ended 3 "no brotli module for nginx.*apt-get install.*libnginx-mod-http-brotli-filter"
	;;
esac
only wrk
printf '#!/bin/sh\necho "unable to connect"\nexit 1\n' >path/wrk
chmod +x path/wrk
failing "wrk fails" env PATH="$tmp/path:/bin:/usr/bin" "$CPUPROF" nginx-plain -n 1 --threads 1 --no-save -q
ended 1 "wrk ended with status 1: unable to connect"
left
[ "$(stat -c '%Y %i' /etc/nginx/nginx.conf 2>/dev/null; pgrep -x nginx)" = "$before" ] ||
	fail "the system's nginx is not what it was"
finish
