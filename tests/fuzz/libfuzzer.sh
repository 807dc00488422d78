#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/fuzz/libfuzzer.sh counts|perfdata|elf|kallsyms|flight|pmu|result|workload FOLDER [libFuzzer options]
# Builds one target with clang's libFuzzer and sanitizers and runs it. Wants a
# configured build (BUILD, default build) for config.h; new inputs go to FOLDER.
set -eu

SRC=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$SRC/build}
CLANG=${CLANG:-clang}
target=$1 folder=$2
shift 2
mkdir -p "$folder"
bin=$folder.bin
zydis=
case $(uname -m) in x86_64) zydis=-lZydis ;; esac
$CLANG -std=gnu11 -g -O1 -fno-omit-frame-pointer -w \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
	-I"$SRC" -I"$BUILD" -o "$bin" "$SRC/tests/fuzz/fuzz_$target.c" \
	"$SRC"/src/base/*.c "$SRC"/src/perf/*.c "$SRC"/src/symbol/*.c "$SRC"/src/profile/*.c \
	"$SRC"/src/result/*.c "$SRC"/reports/*.c "$SRC"/pmu/*.c \
	"$SRC"/workloads/recipe*.c -DPKGDATADIR='"."' \
	$(pkg-config --cflags --libs libdw libelf libzstd capstone jansson) $zydis \
	-lm -lpthread
exec "$bin" "$folder" "$@"
