#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh - cpuprof where there is a PMU, and where there is none or it is closed:
# in emulated arm64 machines whose cycle counter is exact (guest.sh; setup.sh
# comes first). What was recorded there is read here by the build in $BUILD.
# Lines "ok" and "not ok"; exits 0, 1 or 77 with the reason last.
# shellcheck disable=SC2016,SC2154,SC2317 # commands of the guest; lib.sh; run by check
: "${SRC:=$(cd "$(dirname "$0")/../.." && pwd)}"
here=$SRC/tests/pmu
# shellcheck source=tests/pmu/lib.sh
. "$here/lib.sh"

# An instruction takes 8 ns and 8 cycles: what is counted is known, and a second
# there is little work here.
ICOUNT=shift=3
cycles_per_insn=8
export ICOUNT

# The program under test lies at the same path there and here, for the names.
rounds=25000
mkdir -p "$root$W/program" "$W/program"
mv "$root/bin/hot" "$root$W/program/hot"
cp "$root$W/program/hot" "$W/program/hot"
cat >>"$root/lib.sh" <<EOF
HOT=$W/program/hot
ROUNDS=$rounds
record() { t \$1 \$2 cpuprof record -o \$OUT/\$1.data -- \$HOT \$3; }
EOF

# A workload ran to its end, verified, and its hot functions have names.
ran() {
	code "$1" 0 && has "$1.out" '1 core [0-9.]+ MB/s' &&
		has "$1.out" "hot functions \\(1 core; $2 at [0-9]+ Hz, [0-9]{3,} samples\\) [0-9. ]*% \\+-[0-9. ]*libz.so.1\\+0x" &&
		has "$1.out" '[0-9.]+ % \+-[0-9. ]*crc32_z libz.so.1' && has_not "$1.out" '\[unknown\]'
}
# shares NAME.data LOW HIGH: of all that was sampled, hot() has LOW to HIGH
# percent, and of hot() and cold() it has 90, give or take one.
shares() {
	"$CPUPROF" report -f csv "$dir/$1" >"$tmp/csv" || return 1
	awk -F, -v low="$2" -v high="$3" '
		$7 == "\"hot\"" { hot += $2 }
		$7 == "\"cold\"" { cold += $2 }
		END {
			if (hot + cold == 0) exit 1
			part = 100 * hot / (hot + cold)
			printf "hot %.2f %%, cold %.2f %%: %.2f to %.2f\n", 100 * hot,
				100 * cold, part, 100 - part
			exit !(part > 89 && part < 91 && 100 * hot > low && 100 * hot < high)
		}' "$tmp/csv" && return 0
	cat "$tmp/csv"
	return 1
}
# The periods add up to what the program must take, as far as a kernel that
# adapts them to a rate knows: 20,000 instructions a round.
counts() {
	"$CPUPROF" report -f csv "$dir/$1" | awk -F, -v want="$((rounds * 20000 * cycles_per_insn))" '
		NR > 1 { got += $5 }
		END { printf "%.0f cycles, want %.0f\n", got, want
		      exit !(got > 0.97 * want && got < 1.03 * want) }'
}
perf_reads() {
	perf report -i "$dir/$1" --stdio -g none --no-children -F overhead,sym 2>"$tmp/perf.err" |
		awk '$NF == "hot" { p = $1 + 0 } !/^#/ && NF { print } END { exit !(p > 88 && p < 91) }'
}

guest pmu neoverse-n1 '
t doctor cpuprof --flight $OUT/doctor.flight doctor
t gzip cpuprof --flight $OUT/gzip.flight $Z --reps 6 --time 1
(export CPUPROF_TEST_FLIP=1; t flip cpuprof $Z --reps 1 --no-sampling)
t exec cpuprof --flight $OUT/exec.flight exec --reps 2 --no-save -q -- $HOT 2000
record root "" $ROUNDS
t kernel cpuprof record -o $OUT/kernel.data -- dd if=/dev/zero of=/dev/null bs=1 count=2000
cpuprof report $OUT/kernel.data >$OUT/kernel.out
paranoid 2
t user-doctor as 1000 cpuprof doctor
t user as 1000 cpuprof --flight $OUT/user.flight $Z --reps 1
record user-record "as 1000" $ROUNDS
'
check "doctor: counters and sampling by cycles, not all events" \
	has doctor.out 'cycles yes .* branches no the PMU here does not .* sampling cycles yes user and kernel'
check "doctor: no clock where instructions take made-up time" \
	has doctor.out 'clock, CPU 0 no unavailable: chains disagree: add says [0-9]+ MHz'
check "doctor: status 0" code doctor 0
check "gzip: sampled by cycles" ran gzip cycles
check "gzip: says why there is no clock" has gzip.out 'note: no clock and no core share: chains disagree'
check "gzip: wrong output is found" code flip 1
check "gzip: wrong output is named" has flip.err 'wrong output'
check "exec: hot() is named" has exec.out 'cycles at [0-9]+ Hz, [0-9]+ samples\) (8[789]|9[01])[0-9.]* % \+-[0-9. ]+ hot hot'
check "record: status of the command" code root 0
check "record: by cycles" has root.err 'recorded cycles at [0-9]+ Hz in'
check "record: hot() has 90 %" shares root.data 88 91
check "record: the kernel's functions are named" has kernel.out '(crng_|el0_svc|vfs_)[a-z_.0]* \[kernel.kallsyms\]'
check "record: nothing without a name" has_not kernel.out '\[unknown\]'
check "paranoid 2: doctor says user code only" has user-doctor.out 'sampling cycles partly user code only'
check "paranoid 2: doctor knows that kernel names are hidden" has user-doctor.out 'kernel names no perf_event_paranoid 2'
check "paranoid 2: gzip sampled in user code" ran user cycles:u
check "paranoid 2: says why no kernel code" has user.out 'note: .*perf_event_paranoid is 2'
check "paranoid 2: record by cycles:u" has user-record.err 'recorded cycles:u at'
check "paranoid 2: hot() has 90 % of all" shares user-record.data 89 91
check "paranoid 2: the periods are the cycles it takes" counts user-record.data
if command -v perf >/dev/null 2>&1; then
	check "perf reads the recording" perf_reads root.data
else
	echo "ok - # SKIP no perf here"
fi
for f in doctor gzip exec user; do
	check "$f: replays here to the same bytes" replays "$f"
done

guest closed neoverse-n1 '
paranoid 3
t paranoid as 1000 cpuprof --flight $OUT/paranoid.flight $Z --reps 1
record paranoid-record "as 1000" 1
paranoid -1
for e in EPERM EACCES ENOSYS; do
	record $e-record "noperf $e" 1
done
t EPERM noperf EPERM cpuprof --flight $OUT/EPERM.flight $Z --reps 1
t ENOSYS as 1000 noperf ENOSYS cpuprof $Z --reps 1
t doctor noperf EPERM cpuprof --flight $OUT/doctor.flight doctor
'
check "paranoid 3: gzip sampled by its own timers" ran paranoid thread-timer:u
check "paranoid 3: is named" has paranoid.out 'note: .*perf_event_paranoid is 3'
check "paranoid 3: seccomp is not blamed" has_not paranoid.out seccomp
check "paranoid 3: record is not possible" code paranoid-record 3
check "paranoid 3: record says so" has paranoid-record.err 'perf_event_paranoid is 3'
for e in EPERM EACCES; do
	check "seccomp, $e: record is not possible" code $e-record 3
	check "seccomp, $e: is named" has $e-record.err 'a seccomp filter .* denies'
	check "seccomp, $e: paranoid is not blamed" has_not $e-record.err 'paranoid'
done
check "seccomp, ENOSYS: record is not possible" code ENOSYS-record 3
check "seccomp, ENOSYS: is named" has ENOSYS-record.err 'does not exist for this process: a seccomp filter hides it'
check "seccomp, EPERM: gzip sampled by its own timers" ran EPERM thread-timer:u
check "seccomp, EPERM: gzip says why" has EPERM.out 'note: .*a seccomp filter .* denies'
check "seccomp, ENOSYS, user: gzip sampled by its own timers" ran ENOSYS thread-timer:u
check "seccomp: doctor says so" has doctor.out 'cycles no a seccomp filter .* cpu-clock no'
for f in paranoid EPERM doctor; do
	check "$f: replays here to the same bytes" replays "$f"
done

guest none neoverse-n1,pmu=off '
t doctor cpuprof --flight $OUT/doctor.flight doctor
t gzip cpuprof --flight $OUT/gzip.flight $Z --reps 6 --time 1 --counters
record root "" $ROUNDS
paranoid 2
t user as 1000 cpuprof --flight $OUT/user.flight $Z --reps 1
'
check "no PMU: doctor says so" has doctor.out 'cycles no no hardware counter .* cpu-clock yes'
check "no PMU: gzip sampled by cpu-clock" ran gzip cpu-clock
check "no PMU: gzip says why" has gzip.out 'note: cycles not sampled: no hardware counter'
check "no PMU: --counters says why" has gzip.out 'note: cycles, instructions and .* no hardware counter'
check "no PMU: record by cpu-clock" has root.err 'recorded cpu-clock at .*no hardware counter'
check "no PMU: hot() has 90 %" shares root.data 88 91
check "no PMU, paranoid 2: gzip sampled by cpu-clock:u" ran user cpu-clock:u
check "no PMU, paranoid 2: the PMU is missing" has user.out 'note: cycles not sampled: no hardware counter'
check "no PMU, paranoid 2: so is the right to kernel code" has user.out 'kernel code not sampled: kernel.perf_event_paranoid is 2'
for f in doctor gzip user; do
	check "no PMU, $f: replays here to the same bytes" replays "$f"
done
finish
