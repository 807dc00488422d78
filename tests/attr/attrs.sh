#!/bin/sh
# The groups of every table against attrs.golden. After a change that is meant:
# CPUPROF_DATA=. build/tests/attr/attrs > tests/attr/attrs.golden
set -u
out="$BUILD/tests/attr/attrs.out"
CPUPROF_DATA="$SRC" "$BUILD/tests/attr/attrs" > "$out" || { cat "$out"; exit 1; }
diff -u "$SRC/tests/attr/attrs.golden" "$out" || { echo "events asked for have changed"; exit 1; }
