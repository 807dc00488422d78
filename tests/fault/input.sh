#!/bin/sh
# SPDX-License-Identifier: MIT
# input.sh - what is to be worked on is missing, empty, forbidden or of another
# kind; a library is none; the output is wrong. Status 1 and one sentence.
. "$(dirname "$0")/../live/lib.sh"
cd "$tmp" || exit 1

gzip() {
	status=$1
	pattern=$2
	shift 2
	says "$status" "$pattern" gzip --reps 1 --threads 1 --no-save --no-sampling -q "$@"
}

: >empty
echo hello >small
mkdir folder
mkfifo pipe
gzip 1 "cannot open 'missing': No such file" --input missing
gzip 1 "'empty' is empty" --input empty
gzip 1 "'folder' is a folder" --input folder
gzip 1 "'pipe' is not a regular file" --input pipe
gzip 1 "'/dev/zero' is not a regular file" --input /dev/zero
gzip 0 "" --input small
gzip 1 "cannot load zlib: .*/nonexistent" --library zlib=/nonexistent
gzip 1 "cannot load zlib" --library zlib=./small

# Not installed is not broken: status 3 and the package. The loader takes what
# is first in the path.
mkdir libs
for lib in libbrotlienc.so.1 libbrotlidec.so.1 libcrypto.so.3; do
	echo none >"libs/$lib"
done
LD_LIBRARY_PATH=$tmp/libs
export LD_LIBRARY_PATH
for w in brotli aes-128-gcm rsa-2048-sign; do
	says 3 "cannot load .*apt-get install lib" "$w" --reps 1 --no-save -q
done
says 0 "" list workloads
[ "$(grep -c 'not here: cannot load .*apt-get install lib' out)" -ge 8 ] ||
	fail "list workloads does not say what is missing"
grep -q 'runs zlib [0-9]' out || fail "list workloads does not say which zlib runs"
unset LD_LIBRARY_PATH

# A library without the functions that are needed.
libc=$(ldd "$CPUPROF" 2>/dev/null | awk '/libm\.so/ { print $3 }')
if [ -n "$libc" ]; then
	gzip 1 "zlib" --library "zlib=$libc"
	says 1 "not the brotli that is needed" brotli -n 1 --no-save -q --library "brotli=$libc"
	says 1 "not the libcrypto that is needed" sha-256 -n 1 --no-save -q \
		--library "libcrypto=$libc"
fi

# Nobody may not read it; root may read everything.
if can_be_nobody; then
	chmod 755 "$tmp"
	echo secret >secret
	chmod 600 secret
	cp "$CPUPROF" cpuprof
	what="--input secret as nobody"
	timeout 60 setpriv --reuid=65534 --regid=65534 --clear-groups ./cpuprof gzip --reps 1 \
		--threads 1 --no-save --no-sampling -q --input secret >out 2>err </dev/null
	code=$?
	ended 1 "cannot open 'secret': Permission denied"
else
	note "unreadable input: left out, cannot become nobody"
fi

# One flipped bit of the output fails the run, and no score is printed for it.
CPUPROF_TEST_FLIP=1
export CPUPROF_TEST_FLIP
gzip 1 "wrong output"
[ ! -s out ] || fail "a score was printed for wrong output"
unset CPUPROF_TEST_FLIP

says 1 "nonexistent/cmd.*No such file" exec -q --no-save -- /nonexistent/cmd
says 1 "small.*Permission denied" exec -q --no-save -- ./small

# Not what report can show.
says 1 "cannot read 'missing'" report missing
says 1 "folder/result.json" report folder
says 1 "'empty'" report empty
says 1 "'small'" report small
says 1 "'/dev/null'" report /dev/null
printf 'PERFILE2' >"cut"
says 1 "'cut'" report cut
echo '{"schema": 99}' >foreign
says 1 "'foreign'.*schema" report foreign
finish
