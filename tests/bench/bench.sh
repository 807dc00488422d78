#!/bin/sh
# SPDX-License-Identifier: MIT
# bench.sh - the same work done by cpuprof and by perf, side by side in one run
# (make bench). Prints ratios with 95 % intervals; below 1 cpuprof takes less.
# ROUNDS (default 12) and REPORT_ROUNDS (6) make it longer or shorter.
. "$(dirname "$0")/../live/lib.sh"

perf --version >/dev/null 2>&1 || skip "no perf to compare with"
bin=$BUILD/tests/bench
rounds=${ROUNDS:-12}
report_rounds=${REPORT_ROUNDS:-6}
rate=$(cat /proc/sys/kernel/perf_event_max_sample_rate 2>/dev/null || echo 25000)
[ "$rate" -le 25000 ] || rate=25000
ratio() {
	"$bin/ratio" "$@"
}
must() {
	"$@" 2>"$tmp/err" || {
		echo "FAILED: $*: $(cat "$tmp/err")"
		exit 1
	}
}

echo "perf $(perf --version | sed 's/perf version //'), $("$CPUPROF" --version), $(uname -r)"

# 1. What sampling costs the program: its own CPU time, at 3999 Hz with chains.
for i in $(seq "$rounds"); do
	for who in plain perf cpuprof cpuprof perf plain; do
		case $who in
		plain) must "$bin/work" "$tmp/cost" "$i" plain 4 ;;
		perf) must "$bin/timed" "$tmp/self" "$i" perf perf record -q -F 3999 -g \
			-e cpu-clock -o "$tmp/a" -- "$bin/work" "$tmp/cost" "$i" perf 4 ;;
		cpuprof) must "$bin/timed" "$tmp/self" "$i" cpuprof "$CPUPROF" record -F 3999 \
			-o "$tmp/b" -- "$bin/work" "$tmp/cost" "$i" cpuprof 4 ;;
		esac
	done
done
echo "sampling cost: cpuprof/perf ratio $(ratio perf cpuprof <"$tmp/cost")" \
	"(CPU time of the program, $rounds rounds)"
echo "  perf/unsampled $(ratio plain perf <"$tmp/cost")," \
	"cpuprof/unsampled $(ratio plain cpuprof <"$tmp/cost")"
echo "  recorder and program: cpuprof/perf CPU time" \
	"$(ratio perf.cpu cpuprof.cpu <"$tmp/self"), wall time" \
	"$(ratio perf.wall cpuprof.wall <"$tmp/self")"
"$CPUPROF" report --json --no-instructions "$tmp/b" >"$tmp/out" 2>"$tmp/err" &&
	echo "  cpuprof's last recording: $(json "$tmp/out" events.0.samples) samples," \
		"$(json "$tmp/out" lost) lost"

# 2. What counting costs the program, and what a run of next to nothing takes.
counted=task-clock,page-faults,context-switches,cpu-migrations
for i in $(seq "$rounds"); do
	for who in plain perf cpuprof cpuprof perf plain; do
		case $who in
		plain) must "$bin/work" "$tmp/count" "$i" plain 4
			must "$bin/timed" "$tmp/true" "$i" plain true ;;
		perf) must perf stat -o "$tmp/a" -e "$counted" -- "$bin/work" "$tmp/count" "$i" perf 4
			must "$bin/timed" "$tmp/true" "$i" perf perf stat -o "$tmp/a" \
				-e "$counted" -- true ;;
		cpuprof) must "$CPUPROF" exec -q --no-save --no-sampling --reps 1 -e "$counted" -- \
				"$bin/work" "$tmp/count" "$i" cpuprof 4
			must "$bin/timed" "$tmp/true" "$i" cpuprof "$CPUPROF" exec -q --no-save \
				--no-sampling --reps 1 -e "$counted" -- true ;;
		esac
	done
done >"$tmp/discard"
echo "counting cost: cpuprof/perf stat ratio $(ratio perf cpuprof <"$tmp/count")" \
	"(CPU time of the program, $rounds rounds)"
awk -v plain="$(ratio --median plain.wall <"$tmp/true")" \
	-v perf="$(ratio --median perf.wall <"$tmp/true")" \
	-v ours="$(ratio --median cpuprof.wall <"$tmp/true")" 'BEGIN {
	printf "  true: perf stat adds %.1f ms, cpuprof exec %.1f ms (medians)\n",
		1000 * (perf - plain), 1000 * (ours - plain) }'

# 3. A flat report of a million samples. The recording is kept for the next time.
big=$bin/million.data
if [ ! -s "$big" ]; then
	cat "$SRC"/src/*/*.c "$SRC"/workloads/*.c >"$tmp/text"
	for _ in $(seq 30); do cat "$tmp/text"; done >"$tmp/input"
	# Every CPU busy for as long as a million samples take, and a tenth more.
	seconds=$((1100000 / rate / $(nproc) + 1))
	cat >"$tmp/load" <<'END'
n=$(nproc)
while [ "$n" -gt 0 ]; do
	case $((n % 2)) in
	0) while :; do gzip -9 -c "$1" >/dev/null; done & ;;
	1) while :; do "$2" - 0 x 8; gzip -1 -c "$1" >/dev/null; done & ;;
	esac
	n=$((n - 1))
done
sleep "$3"
kill 0
END
	# Longer when others used the CPUs, too.
	for _ in 1 2 3; do
		echo "recording a million samples, $seconds s"
		"$CPUPROF" record -F "$rate" -o "$big.part" -- \
			setsid -w sh "$tmp/load" "$tmp/input" "$bin/work" "$seconds" \
			>/dev/null 2>&1
		"$CPUPROF" report --json --no-instructions "$big.part" >"$tmp/out" 2>"$tmp/err"
		got=$(json "$tmp/out" events.0.samples)
		[ "${got:-0}" -gt 0 ] || { echo "FAILED: nothing was recorded"; exit 1; }
		[ "$got" -lt 1000000 ] || break
		seconds=$(awk -v s="$seconds" -v n="$got" 'BEGIN {
			s = s * 1100000 / n; printf "%d\n", (s > 150 ? 150 : s) }')
	done
	mv "$big.part" "$big"
fi
for i in $(seq "$report_rounds"); do
	for who in perf cpuprof cpuprof perf; do
		case $who in
		perf) must "$bin/timed" "$tmp/report" "$i" perf perf report --stdio \
			--no-children -g none -i "$big" ;;
		cpuprof) must "$bin/timed" "$tmp/report" "$i" cpuprof "$CPUPROF" report \
			--no-instructions "$big" ;;
		esac
	done
done
"$CPUPROF" report --json --no-instructions "$big" >"$tmp/out" 2>"$tmp/err"
echo "flat report of $(json "$tmp/out" events.0.samples) samples" \
	"($(($(wc -c <"$big") / 1048576)) MiB): cpuprof/perf ratio" \
	"$(ratio perf.cpu cpuprof.cpu <"$tmp/report") (CPU time, $report_rounds rounds)"
echo "  wall time $(ratio perf.wall cpuprof.wall <"$tmp/report")," \
	"medians perf $(ratio --median perf.wall <"$tmp/report") s," \
	"cpuprof $(ratio --median cpuprof.wall <"$tmp/report") s"
echo "  largest resident size: perf $(ratio --max perf.rss <"$tmp/report") MiB," \
	"cpuprof $(ratio --max cpuprof.rss <"$tmp/report") MiB"

# 4. The models: the same program, branches and caches, by us and by cachegrind.
tool=$BUILD/pmu/model/cpuprof-model
if [ -x "$tool" ] && valgrind --version >/dev/null 2>&1; then
	cat "$SRC"/src/*/*.c | head -c 2000000 >"$tmp/input"
	for i in $(seq "$report_rounds"); do
		for who in plain cachegrind cpuprof cpuprof cachegrind; do
			case $who in
			plain) must "$bin/timed" "$tmp/models" "$i" plain gzip -6 -c "$tmp/input" ;;
			cachegrind) must "$bin/timed" "$tmp/models" "$i" cachegrind valgrind -q \
				--tool=cachegrind --branch-sim=yes --cache-sim=yes \
				--cachegrind-out-file=/dev/null gzip -6 -c "$tmp/input" ;;
			cpuprof) must env VALGRIND_LAUNCHER="$tool" "$bin/timed" "$tmp/models" "$i" \
				cpuprof "$tool" --tool=cpuprof-model -q --vgdb=no \
				--command-line-only=yes --out="$tmp/counts" gzip -6 -c "$tmp/input" ;;
			esac
		done
	done
	echo "models of branches and caches: cpuprof/cachegrind ratio" \
		"$(ratio cachegrind.cpu cpuprof.cpu <"$tmp/models") (CPU time, $report_rounds rounds)," \
		"cpuprof/native $(ratio plain.cpu cpuprof.cpu <"$tmp/models")"
else
	echo "models: not compared, $([ -x "$tool" ] && echo no valgrind || echo no model tool) here"
fi
finish
