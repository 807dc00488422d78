#!/bin/sh
# SPDX-License-Identifier: MIT
# workloads.sh - every workload but those in text files runs on one and on two
# threads and verifies what it made; its hot code lies in the library it is said to run, or was compiled by
# it and is named by file and line; memory is told where it is counted; one
# flipped bit of output fails it.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1

cpus=$(nproc)
threads=1
[ "$cpus" -lt 2 ] || threads=2
"$CPUPROF" --help | awk '/^[^ ]/ { on = $0 == "workloads" } on && /^  [a-z]/ { print $1 }' >names
[ "$(wc -l <names)" -ge 10 ] || fail "the overview knows only $(wc -l <names)"

# Run workload $1 and look at its result.
judge() {
	what=$1
	sampling=
	case $1 in
	nginx-*) return ;;				# nginx.sh
	go-*) sampling=--no-sampling ;;			# go.sh
	esac
	# On one thread, then sampled on two.
	run "$1" -n 1 --threads 1 --no-save --no-sampling -q
	# shellcheck disable=SC2086 # an option or none
	[ "$code" -ne 0 ] || run "$1" -n 1 --threads "$threads" --json --no-save -q $sampling
	if [ "$code" -eq 3 ]; then
		note "$what: not installed: $(cat err)"
		return
	fi
	[ "$code" -eq 0 ] || {
		fail "$what: status $code: $(cat err)"
		return
	}
	cp out result
	[ "$(json result 'rows.*' threads | tr '\n' ,)" = "$threads," ] || fail "$what: not on $threads threads"
	json result 'rows.*' score.value | awk '!($1 > 0) { exit 1 }' || fail "$what: no score"
	path=$(json result 'target.*' key value | awk -F '\t' '$1 == "library path" { print $2 }')
	[ -e "$path" ] || fail "$what: no file '$path'"
	# Where there are samples: by far the most of them in the library, libc's
	# functions that it calls and malloc included.
	json result 'rows.0.profile.functions.*' share dso name >functions
	if [ -s functions ]; then
		awk -F '\t' -v lib="${path##*/}" '
			{ all += $1 }
			$2 == lib || $3 ~ /^trace_[0-9]+@[a-z_]+\.lua:[0-9]+$/ { ours += $1 }
			END { exit !(ours > 0.5 * all) }' functions ||
			fail "$what: the hot code is not in ${path##*/}: $(head -n 3 functions)"
	else
		note "$what: no samples here"
	fi
	note "$what: $(json result 'rows.*' score.value | tr '\n' ' ') $(head -n 1 functions | cut -f 3)"
}

while read -r name; do
	judge "$name"
	CPUPROF_TEST_FLIP=1
	export CPUPROF_TEST_FLIP
	run "$name" -n 1 --threads 1 --no-sampling --no-save -q
	unset CPUPROF_TEST_FLIP
	[ "$code" -eq 3 ] || {
		what="$name with a flipped bit"
		ended 1 "wrong output"
		[ ! -s out ] || fail "$what: a score was printed"
	}
done <names

# Kinds of variant: the least and the most of each; a size of one's own.
for w in gzip:1,9 brotli:0,9 aes-128-gcm:16,1350 chacha20-poly1305:16,1350 \
	chacha20-poly1305-tls:17 sha-256:16-64; do
	what=$w
	run "$w" -n 1 --threads 1 --json --no-save --no-sampling -q
	[ "$code" -eq 3 ] && continue
	ended 0 ""
done
json out 'rows.*' variant >variants
[ "$(tr '\n' ' ' <variants)" = "16B 64B " ] || fail "sha-256:16-64 ran $(cat variants)"

# A larger window takes more memory.
held() {
	run "$@" -n 1 --threads 1 --json --no-save --no-sampling -q
	json out rows.0.repetitions.0.memory_bytes
}
for w in "gzip 15" "brotli 22"; do
	low=$(held "${w% *}" --window 10)
	high=$(held "${w% *}" --window "${w#* }")
	[ "$code" -eq 3 ] || { [ "${low:-0}" -gt 0 ] && [ "$high" -gt "$low" ]; } ||
		fail "$w: held '$low' bytes with a window of 2^10, '$high' with the larger one"
done

# A copy of the library elsewhere is the one that runs.
for w in "brotli brotli" "sha-256 libcrypto" "gzip zlib" "luajit-n-body luajit"; do
	name=${w% *}
	lib=${w#* }
	run "$name" -n 1 --threads 1 --json --no-save --no-sampling -q
	[ "$code" -eq 0 ] || continue
	path=$(json out 'target.*' key value | awk -F '\t' '$1 == "library path" { print $2 }')
	cp "$path" "$lib.so"
	run "$name" -n 1 --threads 1 --json --no-save --no-sampling -q --library "$lib=./$lib.so"
	what="$name with a library of its own"
	ended 0 ""
	json out 'target.*' key value | grep -q "/$lib.so\$" || fail "$what: another one ran"
done
finish
