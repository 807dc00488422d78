#!/bin/sh
# SPDX-License-Identifier: MIT
# model.sh - the model pass: what it counts exactly, that its rates are those of
# known branches, that it finds the functions, and that a tool which is missing,
# fails, is killed or writes nonsense costs the modelled rows and nothing else.
. "$(dirname "$0")/lib.sh"

"$BUILD/tests/live/model_kernels" >"$tmp/kernels" || {
	rc=$?
	cat "$tmp/kernels"
	[ "$rc" -eq 77 ] && exit 77
	fail "model_kernels ended with $rc"
}
cat "$tmp/kernels"
# rate NAME LOW HIGH: what the model says of a kernel; timing is only shown.
rate() {
	awk -v name="$1" -v low="$2" -v high="$3" '
		$2 == name { ok = $3 >= low && $3 <= high }
		END { exit !ok }' "$tmp/kernels" || fail "the model misses $1 otherwise than $2 to $3"
}
rate always 0 0.001
rate never 0 0.001
rate alternating 0 0.001
rate random-0.5 0.49 0.51
rate random-0.1 0.095 0.115
rate loop-1000 0 0.001
rate period-37 0 0.01
rate period-65536 0.40 0.52
rate correlated 0.48 0.52
rate targets-1 0 0.001
rate targets-2 0.45 0.55

# What one costs is shown; that the kernels mispredict as often as they must is tested.
"$BUILD/tests/live/model_costs" >"$tmp/kernels"
rc=$?
cat "$tmp/kernels"
[ "$rc" -ne 77 ] || exit 77
[ "$rc" -eq 0 ] || fail "model_costs ended with $rc"
costs() {
	awk -v name="$1" -v low="$2" -v high="$3" '
		$1 == "cost" && $2 == name { ok = $6 >= low && $6 <= high }
		END { exit !ok }' "$tmp/kernels" || fail "$1 mispredicts otherwise than $2 to $3"
}
costs sum 0.48 0.52
costs filter 0.48 0.52
costs merge 0.48 0.52
costs bound 7.5 8.5
costs match 1 4

tool=$BUILD/pmu/model/cpuprof-model
[ -x "$tool" ] || skip "the model tool is not built here: no valgrind development files"

# Instructions and branches to the last one; a repeated instruction is one.
"$CC" -O1 -nostdlib -static -no-pie -Wl,-e,start -o "$tmp/exact" "$SRC/tests/live/exact.c" \
	2>"$tmp/err" || fail "exact.c: $(cat "$tmp/err")"
"$CPUPROF" exec --model -j -q --no-save --no-sampling --reps 1 -- "$tmp/exact" \
	>"$tmp/out" 2>"$tmp/err" || fail "exec --model: $(cat "$tmp/err")"
counted() {
	awk -v name="\"$1\"," -F': ' '
		$1 ~ /"name"/ { here = $2 == name }
		here && $1 ~ /"origin"/ { origin = $2 }
		here && $1 ~ /"value"/ { printf "%s %.0f\n", origin, $2; here = 0 }' "$tmp/out"
}
# 1 + 2,000,000 + 5 (rep once) + 3
[ "$(counted instructions)" = '"modelled", 2000009' ] ||
	fail "instructions: $(counted instructions), want 2000009"
[ "$(counted branches)" = '"modelled", 1000000' ] ||
	fail "branches: $(counted branches), want 1000000"
misses=$(counted branch-misses)
[ "${misses##* }" -le 4 ] || fail "a loop of a million: $misses mispredicted"

# A workload: causes and places, by the rules of the table.
"$CPUPROF" gzip:1 --counters --threads 1 -n 1 -q --no-save >"$tmp/out" 2>"$tmp/err" ||
	fail "gzip: $(cat "$tmp/err")"
if grep -q 'not measured here' "$tmp/out"; then
	grep -q 'branch-mpki  *m ' "$tmp/out" || fail "no modelled branch-mpki"
	grep -q 'where branch-misses happen (1 core; modelled)' "$tmp/out" || fail "no place of misses"
	grep -q 'mostly libz.so' "$tmp/out" || fail "mispredictions have no function"
	"$CPUPROF" gzip:1 --counters --no-model --threads 1 -n 1 -q --no-save >"$tmp/out" 2>&1
	grep -q 'modelled' "$tmp/out" && fail "--no-model models"
else
	note "there is a PMU here: --counters counts"
fi

# Children, each by its own addresses.
"$CPUPROF" exec --model -q --no-save --no-sampling --reps 1 -- \
	sh -c 'cat "$0" "$0" "$0" "$0" | gzip -6 -c >/dev/null' "$SRC/workloads/corpus.c" \
	>"$tmp/out" 2>"$tmp/err" || fail "exec of a pipeline: $(cat "$tmp/err")"
sed -n '/where branch-misses/,/where l1d/p' "$tmp/out" | grep -q ' gzip$' ||
	fail "no function of gzip, started by sh, in the model"

# Tools that do not do what they should. The program looks for its tool beside it.
mkdir -p "$tmp/bad/pmu/model"
cp "$CPUPROF" "$tmp/bad/cpuprof"
cp "$SRC"/pmu/*.pmu "$tmp/bad/pmu/"
# broken WHAT SCRIPT REGEX
broken() {
	printf '#!/bin/sh\n%s\n' "$2" >"$tmp/bad/pmu/model/cpuprof-model"
	chmod +x "$tmp/bad/pmu/model/cpuprof-model"
	"$tmp/bad/cpuprof" gzip:1 --model --threads 1 -n 1 -q --no-save --no-sampling \
		>"$tmp/out" 2>"$tmp/err" || fail "$1: ended with $?: $(cat "$tmp/err")"
	tr -s '\n ' ' ' <"$tmp/out" | grep -Eq "nothing modelled: $3" ||
		fail "$1: not said: $(grep -A2 'nothing modelled' "$tmp/out")"
	grep -q ' MB/s' "$tmp/out" || fail "$1: no score"
	grep -q ' m  ' "$tmp/out" && fail "$1: modelled all the same"
}
broken "fails" 'exit 3' 'the worker ended early with status 3'
broken "killed" 'kill -9 $$' 'the worker was killed by signal 9'
broken "out of memory" "ulimit -v 60000; exec '$tool' \"\$@\"" '.*(status|signal|no counts|ended)'
broken "writes nothing" "exec '$tool' --tool=none \"\$@\" --out=" '.*'
broken "writes garbage" "for a; do case \$a in --out=*) o=\${a#--out=};; esac; done
n=0; '$tool' \"\$@\"; rc=\$?; echo 'insn 9 zz' >\"\$o.1.99\"; exit \$rc" 'line 1 of the model tool'
broken "writes half" "for a; do case \$a in --out=*) o=\${a#--out=};; esac; done
'$tool' \"\$@\"; rc=\$?; for f in \"\$o\".*; do head -c 20000 \"\$f\" >\"\$f.1\"; mv \"\$f.1\" \"\$f\"; done
exit \$rc" 'line [0-9]+ of the model tool|.* ends before its end'
rm "$tmp/bad/pmu/model/cpuprof-model"
"$tmp/bad/cpuprof" gzip:1 --model --threads 1 -n 1 -q --no-save --no-sampling >"$tmp/out" 2>&1 ||
	fail "no tool: ended with $?"
if [ -x "$(sed -n 's/^pkglibexecdir = //p' "$BUILD/Makefile")/cpuprof-model" ]; then
	note "a tool is installed: its absence is not tried"
else
	tr -s '\n ' ' ' <"$tmp/out" | grep -q 'are not modelled: the model tool is not installed' ||
		fail "no tool: not said"
fi

# A sweep: one table, and the line of each level names where it mispredicts.
"$CPUPROF" gzip:1-3 --model --threads 1 -n 1 -q --no-save >"$tmp/out" 2>"$tmp/err" ||
	fail "sweep: $(cat "$tmp/err")"
grep -Eq '^m branch-mpki +[0-9.]+ +[0-9.]+ +[0-9.]+$' "$tmp/out" || fail "no rates by level"
[ "$(tr -s '\n ' ' ' <"$tmp/out" | grep -o 'branch mispredictions, mostly [^ ]' | wc -l)" -eq 3 ] ||
	fail "not each level's mispredictions have a place: $(cat "$tmp/out")"
awk 'length > 80 { bad = 1 } END { exit bad }' "$tmp/out" || fail "a sweep is wider than 80 columns"
finish
