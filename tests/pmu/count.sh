#!/bin/sh
# SPDX-License-Identifier: MIT
# count.sh - what cpuprof counts, against what is known: programs whose
# instructions are known to the last one (exact.S), in a machine of one CPU
# (guest.sh; two of them count each other's instructions). Lines "ok" and "not
# ok"; exits 0, 1 or 77 with the reason last.
# shellcheck disable=SC2016,SC2154,SC2317 # commands of the guest; lib.sh; run by check
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
here=$SRC/tests/pmu
# shellcheck source=tests/pmu/lib.sh
. "$here/lib.sh"
SMP=1
ICOUNT=shift=1
export SMP ICOUNT
cat >>"$root/lib.sh" <<'EOF'
N='--no-sampling --no-save -q'
# NAME EVENTS COMMAND...: counted twice with the score, three times for the rest.
count() {
	name=$1
	events=$2
	shift 2
	t $name cpuprof --flight $OUT/$name.flight exec -j --reps 2 $N -e "$events" -- "$@"
}
EOF

# What a result says of counters, metrics and factors: name, group or -, origin,
# value, coverage and reason.
quantities() {
	awk -F': ' '
		function word(s) { gsub(/[", ]/, "", s); return s }
		function say(group) {
			if (origin)
				print name, group, origin, value, coverage, reason
			origin = ""
		}
		/^ *"name": / { say("-"); name = word($2) }
		/^ *"[a-z_]+": \{/ && !/"(per_operation|value)"/ {
			say("-"); name = word($1); sub(/:.*/, "", name) }
		/^ *"origin": / { origin = word($2); value = coverage = "-" }
		/^ *"value": [^{]/ { value = word($2) }
		/^ *"coverage": / { coverage = word($2) }
		/^ *"reason": / {
			reason = $0
			sub(/^ *"reason": "/, "", reason)
			sub(/",?$/, "", reason)
		}
		/^ *"group": / { say(word($2)) }
		END {
			say("-")
		}' "$dir/$1.out"
}
# is NAME WHAT LOW [HIGH]: measured wherever it stands, from LOW to HIGH.
is() {
	quantities "$1" | awk -v what="$2" -v low="$3" -v high="${4:-$3}" '
		$1 == what {
			n++
			bad += $3 != "measured" || $4 < low || $4 > high
			print
		}
		END { exit !(n && !bad) }' && return 0
	cat "$dir/$1.err"
	quantities "$1"
	return 1
}
# is_not NAME WHAT REASON: unavailable, and why.
is_not() {
	quantities "$1" | grep -E "^$2 [0-9-]+ unavailable - - .*$3" && return 0
	quantities "$1"
	return 1
}
# Nothing is counted as 0 that is not.
no_zero() {
	quantities "$1" | awk '$2 != "-" && $3 != "unavailable" && $4 == 0 { print; bad++ }
		END { exit bad > 0 }'
}
# ratio NAME WHAT OVER WANT WITHIN, of the same pass
ratio() {
	quantities "$1" | awk -v a="$2" -v b="$3" -v want="$4" -v within="$5" '
		$1 == a { x = $4 }
		$1 == b { y = $4 }
		END { printf "%.6f\n", x / y; exit !(x / y > want - within && x / y < want + within) }'
}
adds_up() {
	quantities "$1" | awk '
		$1 == "instructions:u" { u = $4 }
		$1 == "instructions:k" { k = $4 }
		$1 == "instructions" && $2 > 0 { all = $4 }
		END {
			printf "%d user and %d kernel of %d\n", u, k, all
			exit !(k > u && u + k > 0.99 * all && u + k < 1.01 * all)
		}'
}
# The same number ten times, each counted and none of it scaled.
ten() {
	quantities "$1" | awk '
		$1 == "r11" {
			n += $3 == "measured" && $5 == 1
			if (!low || $4 < low) low = $4
			if ($4 > high) high = $4
		}
		END { printf "%d measured, %s to %s\n", n, low, high
		      exit !(n == 10 && high < 1.01 * low) }' && return 0
	quantities "$1"
	return 1
}
# What each thread counted: instructions, IPC and clock.
by_thread() {
	awk -F': ' '
		/"per_thread": \[/ { on = 1 }
		/^ *\],?$/ { on = 0 }
		on && /"(cpu_s|counted_s|cycles|instructions)": / {
			gsub(/[ ",]/, "", $1)
			sub(/,$/, "", $2)
			v[$1] = $2
		}
		on && /\}/ {
			printf "%d %.4f %.4f\n", v["instructions"], v["instructions"] / v["cycles"],
				v["cycles"] / v["counted_s"] * 1e-9
		}' "$dir/$1.out" >"$tmp/threads"
	awk '
		$1 < 1e6 || $2 < 0.499 || $2 > 0.501 || $3 < 0.97 || $3 > 1.03 { bad++ }
		{ print }
		END { exit !(NR == 1 && !bad) }' "$tmp/threads"
}
r='r11,r11,r11,r11,r11'

# A table by which every instruction costs: there is nothing else to sample here.
mkdir -p "$root/planted/pmu"
cp "$root"/pmu/*.pmu "$root/planted/pmu/"
cat >>"$root/planted/pmu/neoverse-n1.pmu" <<'EOF'
metric retired percent "100 * instructions / instructions" own:planted
cause retired "retired instructions" retired retired evidence=ipc sample=instructions stack own:planted
EOF

guest exact neoverse-n1 '
r='$r,$r'
count loop instructions:u,cycles:u loop
count tiny instructions:u,cycles:u tiny
count calls "{instructions:u,instructions:k,instructions}" calls
count forks instructions:u,cycles:u forks
count threads instructions:u,cycles:u threads
count pair "{cycles,instructions}" loop
t once cpuprof --flight $OUT/once.flight exec --once -q --no-save -e $r -- hot 2000
count many $r loop
count group "{$r}" hot 500
t by-thread cpuprof --flight $OUT/by-thread.flight exec -j --reps 1 --per-thread $N -- threads
t by-worker cpuprof $Z --no-sampling --reps 1 --per-thread -j
(export CPUPROF_DATA=/planted
t cause cpuprof --flight $OUT/cause.flight exec --reps 1 -F 997 --counters --no-save -q -- hot 15000)
t work cpuprof --flight $OUT/work.flight $Z --no-sampling --reps 6 --counters -j
'
check "a loop: its instructions exactly" is loop instructions:u 8388612
check "a loop: two cycles for each" is loop cycles:u 16777224
check "a program of three instructions: not one of its parent's" is tiny instructions:u 3
check "5,000 system calls: user instructions exactly" is calls instructions:u 15005
check "system calls: user and kernel are the whole" adds_up calls
check "three children: theirs and the parent's exactly" is forks instructions:u 1966137
check "three threads: all theirs" is threads instructions:u 1966131 1966149
check "cycles and instructions as a group: IPC 0.500" is pair ipc 0.4999 0.5001
check "once: ten events share the counters, scaled and said" has once.out \
	'r11 ~ [0-9.]+ for each run,? multiplexed, scaled from [4-9][0-9] % of the time'
check "ten events: each in a pass with room" ten many
check "ten events as a group: split, not scaled" ten group
check "ten events as a group: said" has group.out '10 events of a group \(r11, \.\.\.\) do not fit'
check "by thread: this kernel leaves no counts, and it is said" \
	has by-thread.out 'counts by thread: this kernel left none of 4 threads'
check "by thread: of a workload there are" by_thread by-worker
check "a cause: within the program's own time, by name" has cause.out \
	'the program itself, on its core at its clock, and within it .*retired instructions, mostly hot: ipc is 0\.50; (8[2-9]|9[0-8]) % of them there'
check "a cause: sampled where it happens" has cause.out \
	'where instructions happen \(run; instructions, [0-9]+ samples\) .*(8[2-9]|9[0-8])\.[0-9] % \+-[0-9.]+ +hot hot'
check "a cause: no branch stacks, and said" has cause.out 'instructions: no branch stacks here'
check "gzip: ends well" code work 0
check "gzip: cycles are measured" is work cycles 1 1000
check "gzip: instructions are measured" is work instructions 1 1000
check "gzip: IPC 0.500" is work ipc 0.4995 0.5005
check "gzip: a clock of 1.000 GHz" is work clock_hz 999e6 1001e6
check "gzip: stalls are implemented, and 0" is work stall-backend 0
for e in branches branch-misses l1d-misses l1i-misses l2-misses llc-misses dtlb-walks itlb-walks; do
	check "gzip: $e: not counted here" is_not work $e 'the PMU here does not count this'
done
for m in branch-mpki:branch-misses l1d-mpki:l1d-misses branch-miss-cost-high:branch-misses; do
	check "gzip: no ${m%:*} without ${m#*:}" is_not work "${m%:*}" "${m#*:}: the PMU here does not"
done
for f in loop calls forks group once by-thread cause work; do
	check "$f: replays here to the same bytes" replays $f
done

ICOUNT=shift=3
guest taken neoverse-n1 '
r='$r,$r'
count loop instructions:u,cycles loop
t all hog 99 cpuprof --flight $OUT/all.flight $Z --no-sampling --reps 1 --counters -j
t all-exec hog 99 cpuprof exec -j --reps 2 $N -e cycles:u,instructions:u -- loop
t all-text hog 99 cpuprof exec --reps 1 $N -e cycles:u,instructions:u -- loop
t one hog 6 cpuprof --flight $OUT/one.flight $Z --no-sampling --reps 2 --counters -j
t some hog 4 cpuprof $Z --no-sampling --reps 1 -e "{$r}" -j
t some-exec hog 6 cpuprof exec -j --reps 2 $N -e instructions:u,r11 -- hot 500
(sleep 3; exec hog 99 sleep 1000) & t midway cpuprof --flight $OUT/midway.flight $Z --no-sampling --reps 9 --counters -j
kill $!
echo 50 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 2000 >/proc/sys/kernel/perf_event_max_sample_rate
t rate cpuprof record -F 20000 -o $OUT/rate.data -- hot 2000
t rate-exec cpuprof exec --reps 1 -F 20000 --no-save -q -- hot 2000
'
check "shift=3: eight cycles an instruction, IPC 0.125" is loop ipc 0.1249 0.1251
check "shift=3: the instructions are the same" is loop instructions:u 8388612
check "no counter left: gzip has its score" code all 0
check "no counter left: cycles are unavailable" is_not all cycles 'the counters were taken by another user'
check "no counter left: what does not exist is still told apart" \
	is_not all branches 'the PMU here does not count this'
check "no counter left: no IPC" is_not all ipc 'instructions: the counters were taken'
check "no counter left: nothing is 0" no_zero all
check "no counter left: exec has its score" code all-exec 0
check "no counter left, exec: instructions" is_not all-exec instructions:u 'taken by another user'
check "no counter left, exec: as text" has all-text.out 'instructions:u the counters were taken by another user'
check "one left: the pair of the scores is parted, cycles measured" is one cycles 1 1000
check "one left: and instructions, in a pass of their own" is one instructions 1 1000
check "one left: IPC is an estimate" sh -c "grep -A9 '\"ipc\"' '$dir/one.out' | grep -q 'operands from different passes, whose instructions differ by'"
check "three left: ten events of a group, in passes of three" ten some
check "one left: two events, one after the other" is some-exec instructions:u 10000000 10020000
check "taken midway: gzip has its score" code midway 0
check "taken midway: some repetitions counted" is midway ipc 0.1249 0.1251
check "taken midway: what came later is unavailable" \
	is_not midway stall-backend 'the counters were taken by another user'
check "taken midway: nothing is 0" no_zero midway
check "rate lowered: record says so" has rate.err 'rate lowered from 20000 to 2000 Hz by perf_event_max_sample_rate'
check "rate lowered: exec says so" has rate-exec.out 'note: rate lowered from 20000 to 2000 Hz'
check "rate lowered: a report with hot()" has rate-exec.out 'cycles at 2000 Hz, [0-9]+ samples\) (8[5-9]|9[0-5])[0-9.]* % \+-[0-9. ]+ hot hot'
for f in loop all one midway; do
	check "taken, $f: replays here to the same bytes" replays $f
done

guest none neoverse-n1,pmu=off '
count cycles cycles,task-clock loop
t text cpuprof exec --reps 1 $N --counters -- loop
'
check "no PMU: the command ran" code cycles 0
check "no PMU: cycles, and why not" is_not cycles cycles 'no hardware counter behind this event here'
check "no PMU: the rest is counted" is cycles task-clock 67000000 75000000
check "no PMU: --counters says why, once" \
	sh -c "[ \$(grep -c 'other hardware counters are not measured' '$dir/text.out') -eq 1 ]"

# Debian's perf, in instructions: no noise.
cp -a "$W/perf/." "$root/"
ICOUNT=shift=1
guest perf neoverse-n1 '
count perf instructions:u perf stat -e instructions tiny
count ours instructions:u cpuprof exec --reps 1 $N -e instructions -- tiny
count plain instructions:u cpuprof exec --reps 1 $N -- tiny
perf stat -x, -e instructions:u -o $OUT/loop.perf loop
'
against() {
	{
		for f in perf ours plain; do
			quantities $f | awk -v f=$f '$1 ~ /^instructions/ { print f, $1, $4 }'
		done
	} | awk '
		{ v[$1 $2] = $3 }
		END {
			all = v["oursinstructions"] / v["perfinstructions"]
			printf "perf stat %.1f M instructions (%.1f M user), cpuprof exec %.1f M (%.1f M), without -e %.1f M (%.1f M): %.2f times\n",
				v["perfinstructions"] / 1e6, v["perfinstructions:u"] / 1e6,
				v["oursinstructions"] / 1e6, v["oursinstructions:u"] / 1e6,
				v["plaininstructions"] / 1e6, v["plaininstructions:u"] / 1e6, all
			exit !(all > 0 && all <= 1)
		}'
}
check "perf stat counts the loop as we do" sh -c "grep '^8388612,' '$dir/loop.perf'"
check "exec takes no more instructions than perf stat" against
finish
