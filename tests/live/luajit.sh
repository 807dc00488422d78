#!/bin/sh
# SPDX-License-Identifier: MIT
# luajit.sh - code that LuaJIT compiled is named by its program's line; LuaJIT's own
# view of itself is told; the map of names is gone afterwards, whatever ended the
# run; a library that is none is refused, one that is missing named.
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1

"$CPUPROF" list workloads >list
grep -A 3 '^luajit-n-body' list | grep -q 'not here' && skip "LuaJIT is not installed"

# Maps of ours.
maps() {
	grep -lx '0 0 cpuprof' /tmp/perf-*.map 2>/dev/null
}
none_left() {
	[ -z "$(maps)" ] || fail "$what: left $(maps)"
}

what=luajit-mandelbrot
run luajit-mandelbrot -n 1 --threads 1 --json --no-save -q
ended 0 ""
none_left
cp out result
json result 'rows.0.profile.functions.*' share name >functions
if [ -s functions ]; then
	# The inner loop begins in line 11; none of the hot code is without a name.
	awk -F '\t' 'NR == 1 && $1 > 0.5 && $2 ~ /^trace_[0-9]+@mandelbrot\.lua:1[0-9]$/ { ok = 1 }
		END { exit !ok }' functions || fail "$what: hot is $(head -n 2 functions)"
	json result 'notes.*' >notes
	grep -Eq "1 core: LuaJIT's own profiler: traces [0-9]+ %, .*garbage collection" notes ||
		fail "$what: no note on LuaJIT: $(cat notes)"
	awk '/own profiler/ { sub(/.*: traces /, ""); exit !($1 > 80) }' notes ||
		fail "$what: not in compiled traces: $(grep profiler notes)"
else
	note "$what: no samples here"
fi

# The saved recording keeps the names.
what="luajit-mandelbrot, saved"
run luajit-mandelbrot -n 1 --threads 1 -q -o saved
ended 0 ""
none_left
if [ -e saved/1t.perf.data ]; then
	run report --no-instructions saved/1t.perf.data
	ended 0 ""
	grep -Eq 'trace_[0-9]+@mandelbrot' out || fail "$what: no trace in $(head -n 12 out)"
fi

# The worker's own timers name it as well.
what="luajit-mandelbrot where perf is closed"
"$BUILD/tests/live/noperf" EACCES "$CPUPROF" luajit-mandelbrot -n 1 --threads 1 --json --no-save \
	-q >out 2>err
code=$?
if [ "$code" -ne 77 ]; then
	ended 0 ""
	none_left
	json out 'rows.0.profile.functions.*' share name >functions
	awk -F '\t' 'NR == 1 && $1 > 0.5 && $2 ~ /^trace_[0-9]+@mandelbrot\.lua:/ { ok = 1 }
		END { exit !ok }' functions || fail "$what: hot is $(head -n 2 functions)"
fi

# Trees are allocated and collected.
what=luajit-binary-trees
run luajit-binary-trees -n 1 --threads 1 --json --no-save -q
ended 0 ""
none_left
if json out 'notes.*' | grep 'own profiler' >notes; then
	awk '{ sub(/.*collection /, ""); exit !($1 > 10) }' notes ||
		fail "$what: collects no garbage: $(cat notes)"
fi

# A failure, an interruption, and a kill that nobody can clean up after at once.
what="a flipped bit"
CPUPROF_TEST_FLIP=1 "$CPUPROF" luajit-fasta -n 1 --threads 1 --no-save -q >out 2>err &&
	fail "$what: not found"
none_left
for sig in INT TERM KILL; do
	what="SIG$sig"
	setsid "$CPUPROF" luajit-n-body --threads 1 --no-save -q >out 2>err </dev/null &
	pid=$!
	for _ in $(seq 50); do
		[ -z "$(maps)" ] || break
		sleep 0.05
	done
	kill -s "$sig" "$pid"
	wait "$pid" 2>/dev/null
	if [ "$sig" = KILL ]; then
		sleep 0.5
		[ -n "$(maps)" ] || note "$what: left no map, nothing to clean"
		"$CPUPROF" luajit-n-body -n 1 --threads 1 --no-save --no-sampling -q >out 2>err ||
			fail "$what: the next run failed: $(cat err)"
	fi
	none_left
done

# One whose compiler is off, as where LuaJIT has none: the rest goes on, and says so.
path=$(sed -n 's/.*runs luajit [^,]*, \([^ ]*\) .*/\1/p' list | head -n 1)
cat >nojit.c <<'EOF'
#include <dlfcn.h>
static void *real(const char *name) { return dlsym(dlopen(PATH, RTLD_NOW), name); }
void *luaL_newstate(void) { return ((void *(*)(void))real("luaL_newstate"))(); }
void luaL_openlibs(void *vm)
{
	((void (*)(void *))real("luaL_openlibs"))(vm);
	((int (*)(void *, int, int))real("luaJIT_setmode"))(vm, 0, 0);
}
EOF
if "$CC" -shared -fPIC -DPATH="\"$path\"" -o nojit.so nojit.c \
	-Wl,--no-as-needed "$path" -ldl 2>err; then
	what="LuaJIT without JIT"
	run luajit-fibonacci -n 1 --threads 1 --no-save --no-sampling -q --library luajit=./nojit.so
	ended 0 ""
	head -n 2 out | tr '\n' ' ' | grep -q 'without its JIT compiler' || fail "$what: $(head -n 2 out)"
else
	note "LuaJIT without JIT: not tried: $(head -n 1 err)"
fi

# zlib is no LuaJIT.
zlib=$(sed -n 's/.*runs zlib [^,]*, \([^ ]*\) .*/\1/p' list)
if [ -e "$zlib" ]; then
	says 1 "is not the LuaJIT that is needed" luajit-fasta -n 1 --threads 1 --no-save -q \
		--library "luajit=$zlib"
fi
finish
