#!/bin/sh
# SPDX-License-Identifier: MIT
# options.sh - command lines that are wrong: status 2 and a sentence that says
# what would be right. Nothing is measured.
. "$(dirname "$0")/../live/lib.sh"
cd "$tmp" || exit 1

says 2 "unknown option '--thread', did you mean '--threads'" gzip --thread 1
says 2 "unknown option '--outptu', did you mean '--output'" exec --outptu x -- true
says 2 "unknown option '--xyzzy', see --help" gzip --xyzzy
says 2 "unknown option '-z'" gzip -z
says 2 "'--reps' wants N" gzip --reps
for n in -3 1.5 99999999999 abc "" 0x10; do
	says 2 "'--reps' wants a whole number, not '$n'" gzip --reps "$n"
done
for t in 5x -1 nan inf "" 1e999; do
	says 2 "'--time' wants a time like .*, not '$t'" gzip --time "$t"
done
says 2 "'--json' takes no value" gzip --json=3
says 2 "no command or workload 'gizp', did you mean 'gzip'" gizp
says 2 "no command or workload 'dctor', did you mean 'doctor'" dctor
says 2 "no command or workload 'xyzzyplugh', see" xyzzyplugh
says 2 "no command or workload ''" ""
says 2 "level of gzip goes from 1 to 9, not 10" gzip:10
says 2 "level of gzip goes from 1 to 9, not 0" gzip:0-3
says 2 "level of gzip goes from 1 to 9, not 9999999999" gzip:1-9999999999
for v in abc "" 1- 9-1 6x -1 6,, 1-2-3; do
	says 2 "'$v' is no level" "gzip:$v"
done
says 2 "'16,' is no block size: want for instance aes-128-gcm:16384 or aes-128-gcm:16,16384" \
	aes-128-gcm:16,
says 2 "block size of sha-256 goes from 16 to 16384, not 15" sha-256:15-64
says 2 "no block size of sha-256 lies from 17 to 63" sha-256:17-63
says 2 "rsa-2048-sign has no variants" rsa-2048-sign:2048
says 2 "rsa-2048-sign has no variants" rsa-2048-sign --versus rsa-2048-sign:1
says 2 "window of brotli goes from 10 to 24 bits, not 25" brotli --window 25
says 2 "window of gzip goes from 9 to 15 bits, not 8" gzip --window 8
says 2 "sha-256 has no --window" sha-256 --window 15
says 2 "sha-256 takes no --input" sha-256 --input x
says 2 "no command or workload 'brotly', did you mean 'brotli'" brotly
says 2 "'6' is one word too many" gzip 6
says 2 "only .* may be used" gzip --threads 9999
for t in 0 x -1 1x "1 2" 99999999999999999999; do
	says 2 "'--threads" gzip --threads "$t"
done
says 2 "'--threads' wants at least one number" gzip --threads ""
says 2 "does not use a library 'foo', but zlib" gzip --library foo=x
says 2 "does not use a library 'libssl', but libcrypto" sha-256 --library libssl=x
says 2 "want NAME=PATH" gzip --library zlib
says 2 "exec wants a command" exec
says 2 "exec wants a command" exec --
says 2 "record wants a command" record
says 2 "report wants one" report
says 2 "report wants one" report a b
: >empty
says 2 "no report format 'nope'" report --format nope empty
says 2 "one word too many" doctor extra
says 2 "list wants one of" list nope
says 2 "'--flight' wants FILE" --flight
says 2 "exclude each other" --flight a --replay b doctor
[ ! -e a ] || fail "a wrong command line left a flight behind"

# Without a command there is an overview, on standard error.
run
[ "$code" -eq 2 ] || fail "no command: status $code, want 2"
grep -q '^usage: cpuprof' err || fail "no command: no overview"

# These are not errors.
says 0 "" --help
says 0 "" gzip --help
says 0 "" --version
[ ! -e cpuprof-results ] || fail "a results folder was made"
finish
