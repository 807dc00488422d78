#!/bin/sh
# SPDX-License-Identifier: MIT
# workloads.sh - scores beside those of peers with the same library, on one CPU, in
# rounds A B B A (make bench): libcrypto beside "openssl speed -elapsed -aead",
# gzip and brotli beside a minimal loop over the same bytes (minimal.c), Lua programs
# beside the luajit program (calls.lua), Go beside "go test -bench" of the same
# operations; these two by CPU time, since a loop of theirs is as long as a
# neighbour on the CPU makes it. Go's two run from one binary, since where the linker
# puts code is worth several percent. Ratios are ours by theirs, with 95 % intervals; both
# bounds should lie within 3 %.
# ROUNDS (default 12) and ONLY (a pattern of names) make it longer or shorter.
. "$(dirname "$0")/../live/lib.sh"

bin=$BUILD/tests/bench
rounds=${ROUNDS:-12}
only=${ONLY:-.}
cpu=$(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status | sed 's/.*[,-]//')
outside=0
cat "$SRC"/src/*/*.[ch] >"$tmp/input"
more=
input=
by=wall

pinned() {
	if have taskset; then taskset -c "$cpu" "$@"; else "$@"; fi
}
# The score of workload $1.
ours() {
	# shellcheck disable=SC2086 # options or none
	pinned "$CPUPROF" "$1" $more -n 1 --threads 1 --json --no-save --no-sampling -q \
		>"$tmp/out" ||
		exit 1
	if [ "$by" = wall ]; then
		json "$tmp/out" rows.0.score.value
	else
		json "$tmp/out" 'rows.0.repetitions.0.batches.*' ops cpu_s |
			awk '{ ops += $1; cpu += $2 } END { printf "%.6f\n", ops / cpu }'
	fi
}
# Bytes a second of openssl's cipher $1 in blocks of $2, as MB/s. -aead is refused
# for digests.
speed() {
	aead=-aead
	case $1 in sha*) aead= ;; esac
	# shellcheck disable=SC2086 # an option or none
	pinned openssl speed -elapsed $aead -seconds 1 -bytes "$2" -mr -evp "$1" 2>/dev/null |
		awk -F: '/^\+F:/ { printf "%.6f\n", $4 * 1e-6 }'
}
# Signatures and verifications a second, by field $2 of $1's line: some versions
# print seconds.
speed_key() {
	pinned openssl speed -elapsed -seconds 1 -mr "$1" 2>/dev/null |
		awk -F: -v f="$2" '/^\+F[0-9]/ { printf "%.6f\n", ($f < 1) ? 1 / $f : $f }'
}
minimal() {
	pinned "$bin/minimal" "$1" "$2" 0.6
}

# compare WORKLOAD PEER ARG...: rounds of both.
compare() {
	name=$1
	shift
	echo "$name" | grep -Eq "$only" || return
	: >"$tmp/scores"
	for i in $(seq "$rounds"); do
		for who in theirs ours ours theirs; do
			case $who in
			ours) v=$(ours "$name") ;;
			theirs) v=$("$@") ;;
			esac
			[ -n "$v" ] || {
				echo "FAILED: $name: no score of $who"
				exit 1
			}
			echo "$i $who $v" >>"$tmp/scores"
		done
	done
	ratio=$("$bin/ratio" theirs ours <"$tmp/scores")
	verdict=$(echo "$ratio" | tr -d '[],' | awk '{
		print ($2 >= 0.97 && $3 <= 1.03) ? "within 3 %" : "NOT within 3 %" }')
	[ "$verdict" = "within 3 %" ] || outside=$((outside + 1))
	echo "$name: ours by theirs $ratio, $verdict (medians" \
		"$("$bin/ratio" --median ours <"$tmp/scores")," \
		"$("$bin/ratio" --median theirs <"$tmp/scores"))${OPENSSL_ia32cap:+, $OPENSSL_ia32cap}"
	[ "$verdict" = "within 3 %" ] && return
	# Could it have been shown at all? Theirs against itself, as often.
	: >"$tmp/scores"
	for i in $(seq "$rounds"); do
		for who in one other other one; do
			echo "$i $who $("$@")" >>"$tmp/scores"
		done
	done
	echo "	theirs by itself: $("$bin/ratio" one other <"$tmp/scores")"
}

if have openssl; then
	echo "$(openssl version), CPU $cpu, $rounds rounds"
	for size in 16 1024 16384; do
		compare "aes-128-gcm:$size" speed aes-128-gcm "$size"
		compare "chacha20-poly1305:$size" speed chacha20-poly1305 "$size"
		compare "sha-256:$size" speed sha256 "$size"
	done
	compare rsa-2048-sign speed_key rsa2048 4
	compare rsa-2048-verify speed_key rsa2048 5
	compare ecdsa-p256-sign speed_key ecdsap256 4
	compare ecdsa-p256-verify speed_key ecdsap256 5
	if grep -q avx512f /proc/cpuinfo; then
		# What AVX-512 is worth, by both.
		OPENSSL_ia32cap=:~0xC0230000
		export OPENSSL_ia32cap
		compare chacha20-poly1305:16384 speed chacha20-poly1305 16384
		compare rsa-2048-sign speed_key rsa2048 4
		unset OPENSSL_ia32cap
	fi
else
	note "no openssl to compare with"
fi
for level in 1 6 9; do
	compare "gzip:$level" minimal gzip "$level"
done
for quality in 4 6 9; do
	compare "brotli:$quality" minimal brotli "$quality"
done
by=cpu
lua() {
	pinned luajit "$SRC/tests/bench/calls.lua" "$SRC/workloads/lua/$1.lua" "$2" 0.6
}
if have luajit; then
	luajit -v
	compare luajit-binary-trees lua binary_trees 10
	compare luajit-fasta lua fasta 1000
	compare luajit-fibonacci lua fibonacci 30
	compare luajit-mandelbrot lua mandelbrot 200
	compare luajit-n-body lua n_body 1000
	compare luajit-spectral lua spectral 100
else
	note "no luajit to compare with"
fi
# Operations a second of workload $1 in variant $2.
go_test() {
	CPUPROF_GO_VARIANT=$2 CPUPROF_GO_INPUT=$input GOMAXPROCS=1 \
		pinned "$tmp/go.test" -test.run '^$' -test.bench "^BenchmarkWorkload\$/^$1\$" \
		-test.benchtime 0.6s | awk '/ops\/s/ { printf "%.6f\n", $(NF - 1) }'
}
if have go && (cd "$SRC/workloads/go" && GO111MODULE=off GOPATH=/usr/share/gocode CGO_ENABLED=0 \
	GOFLAGS='' go test -c -o "$tmp/go.test" . >"$tmp/err" 2>&1); then
	go version
	lib="--library go=$tmp/go.test"
	more=$lib
	for w in ecdsa-p256-sign ecdsa-p256-verify rsa-2048-sign rsa-2048-verify; do
		compare "go-$w" go_test "go-$w" 0
	done
	for w in aes-128-gcm:16384 aes-128-gcm:1024 chacha20-poly1305:16384 regexp-easy:1024 \
		regexp-medium:1024 regexp-hard:1024; do
		compare "go-$w" go_test "go-${w%:*}" "${w#*:}"
	done
	compare go-strings go_test go-strings 0
	more="$lib --input $tmp/input"
	input=$tmp/input
	compare go-gzip:6 go_test go-gzip 6
	input=
	more=
else
	note "no go to compare with$([ ! -s "$tmp/err" ] || echo ", go test -c: $(head -n 1 "$tmp/err")")"
fi
# nginx: the same by hand. Another configuration, written here, and the load generator
# started as one would; documents and the script for it are what cpuprof writes.
nginx=$(command -v nginx || ls /usr/sbin/nginx 2>/dev/null)
at_exit() {
	[ ! -e "$tmp/hand/pid" ] || kill "$(cat "$tmp/hand/pid")"
}
by_hand() {
	"$nginx" -p "$tmp/hand" -e "$tmp/hand/error.log" -c "$tmp/hand/$1.conf" || return
	taskset -c "$other" wrk -t1 -c32 -d1s -s "$tmp/hand/wrk.lua" https://127.0.0.1:8443/ |
		awk '/^Requests\/sec:/ { print $2 }'
	kill "$(cat "$tmp/hand/pid")"
	while [ -e "$tmp/hand/pid" ]; do sleep 0.01; done
}
# The folder of a run under way, before it goes.
take_files() {
	"$CPUPROF" "$1" -n 4 --threads 1 --no-save --no-sampling -q >/dev/null 2>&1 &
	while kill -0 $! 2>/dev/null; do
		[ -e "$tmp"/scratch/*/wrk.lua ] && cp -r "$tmp"/scratch/*/. "$tmp/hand/" && break
		sleep 0.05
	done
	wait
}
hand_conf() {
	bits=1
	for _ in $(seq "$cpu"); do bits=${bits}0; done
	cat >"$tmp/hand/$1.conf" <<EOF
worker_processes 1;
worker_cpu_affinity $bits;
pid $tmp/hand/pid;
events { }
http {
	access_log off;
	sendfile on;
	tcp_nopush on;
	open_file_cache max=1000;
	keepalive_requests 100000000;
	include /etc/nginx/mime.types;
	client_body_temp_path $tmp/hand/tmp;
	$2
	ssl_certificate $tmp/hand/cert.pem;
	ssl_certificate_key $tmp/hand/key.pem;
	ssl_protocols TLSv1.3;
	ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
	server { listen 127.0.0.1:8443 ssl; root $tmp/hand/www; }
}
EOF
}
other=$(sed -n 's/^Cpus_allowed_list:[^0-9]*//p' /proc/self/status | sed 's/[,-].*//')
if [ -n "$nginx" ] && have wrk && [ "$other" != "$cpu" ]; then
	by=wall
	TMPDIR=$tmp/scratch
	export TMPDIR
	mkdir -p "$tmp/scratch" "$tmp/hand"
	chmod 711 "$tmp"
	chmod 1777 "$tmp/scratch"
	pinned() { "$@"; }	# cpuprof places server and load itself
	for w in nginx-plain nginx-gzip:6; do
		echo "$w" | grep -Eq "$only" || continue
		take_files "$w"
		chown -R "$(id -u)" "$tmp/hand"
		case $w in
		nginx-plain) hand_conf plain "" ;;
		*) hand_conf gzip "gzip on; gzip_comp_level 6; gzip_types *;" ;;
		esac
		case $w in *gzip*) conf=gzip ;; *) conf=plain ;; esac
		compare "$w" by_hand "$conf"
	done
else
	note "no nginx, wrk or second CPU to compare with"
fi

# Where the time of the command-line tools goes that is not the library's, by our own
# report of them.
for tool in gzip brotli; do
	have "$tool" && echo "$tool -6" | grep -Eq "$only" || continue
	"$CPUPROF" exec -n 12 --no-save -q -- "$tool" -6 -k -c "$tmp/input" >"$tmp/out" 2>/dev/null
	"$CPUPROF" exec -n 6 --no-save --json -q -- "$tool" -6 -k -c "$tmp/input" >"$tmp/json" 2>/dev/null
	echo "$tool -6 of $(wc -c <"$tmp/input") bytes, by cpuprof exec:" \
		"$(sed -n 's/^one run takes/a run takes/p' "$tmp/out"), of the samples" \
		"$(json "$tmp/json" 'rows.0.profile.parts.*' share name | awk -F '\t' \
			'$1 >= 0.005 { printf "%s%.1f %% in %s", n++ ? ", " : "", 100 * $1, $2 }')"
	sed -n '/^why/,/^$/p' "$tmp/out"
done
[ "$outside" -eq 0 ] || echo "$outside not within 3 %: a busy machine widens intervals; ROUNDS"
finish
