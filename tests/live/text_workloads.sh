#!/bin/sh
# SPDX-License-Identifier: MIT
# text_workloads.sh - workloads in text files: the package's run where their
# programs are, and a wrong bit fails them; scores of all three kinds are what they
# are said to be; set-up, verification and teardown run as often as they should, in
# a scratch folder that goes; names are looked for in their order; all the options
# of a run work, and a flight replays without the file.
# shellcheck disable=SC2016 # for the inner shell
. "$(dirname "$0")/lib.sh"
cd "$tmp" || exit 1
TMPDIR=$tmp/scratch
XDG_CONFIG_HOME=$tmp/config
mkdir "$TMPDIR" here elsewhere "$tmp/config"
export TMPDIR XDG_CONFIG_HOME
unset CPUPROF_DATA	# the package's are found from where the program was built
cpus=$(nproc)

clean() {
	[ -z "$(ls -A "$TMPDIR")" ] || fail "$what: leaves $(ls -A "$TMPDIR") in the scratch folder"
}
near() {
	awk -v a="$2" -v b="$3" 'BEGIN { exit !(b != 0 && a / b > 0.9999 && a / b < 1.0001) }' ||
		fail "$what: $1 is $2, want $3"
}

# The package's.
for file in "$SRC"/workloads/*.workload; do
	what=$file
	name=$(basename "$file" .workload)
	run "$file" -n 1 --json --no-save -q
	if [ "$code" -eq 3 ]; then
		note "$name: not here: $(cat err)"
		continue
	fi
	[ "$code" -eq 0 ] || {
		fail "$what: status $code: $(cat err)"
		continue
	}
	cp out result
	[ "$(json result workload)" = "$name" ] || fail "$what: called $(json result workload)"
	json result 'rows.*' score.value | awk '!($1 > 0) { exit 1 }' || fail "$what: no score"
	rows=1
	grep -q '^run.*{threads}' "$file" && [ "$cpus" -gt 1 ] && rows=2
	[ "$(json result 'rows.#')" -eq "$rows" ] || fail "$what: $(json result 'rows.#') rows, want $rows"
	[ "$(json result unit)" = B ] || fail "$what: unit $(json result unit)"
	note "$name: $(json result 'rows.*' label score.value | tr '\t\n' ': ') $(json result score_unit)"
	clean
	# Of those that are verified by us.
	if grep -Eq '^(verify|expect-output-sha256)' "$file"; then
		CPUPROF_TEST_FLIP=1 timeout 60 "$CPUPROF" "$file" -n 1 --no-sampling --no-save -q \
			>out 2>err </dev/null
		code=$?
		[ "$code" -eq 1 ] || fail "$what with a flipped bit: status $code"
		grep -q 'cpuprof: .*wrong output' err || fail "$what with a flipped bit: $(cat err)"
		[ ! -s out ] || fail "$what with a flipped bit: a score was printed"
		clean
	fi
done

# Everything but a C program, and what it did is counted in files beside it.
cat >here/count.workload <<'EOF'
summary "count what is run"
env COLOUR=blue
env WHERE={here}
version sh -c "echo 'counter 1.5'; echo more"
setup sh -c 'pwd >$WHERE/dir; echo s >>$WHERE/setups'
setup cp {here}/dir in
run sh -c 'cat; pwd; echo $COLOUR "$@"; echo r >>$WHERE/runs; sleep 0.05' sh "a  b" '*' {dir} < in > {dir}/out
work 1000 query
verify sh -c 'cmp out in; grep -q "^blue a  b [*] $PWD" out && echo v >>$WHERE/verified'
teardown sh -c 'mkdir -p deep/er; touch deep/er/x; chmod 0 deep; echo t >>$WHERE/teardowns'
EOF
sed -i 's/cmp out in; //' here/count.workload
run here/count.workload -n 3 --no-sampling --json --no-save -q
what=here/count.workload
ended 0 ""
clean
[ "$(cat here/setups here/runs here/verified here/teardowns | tr -d '\n')" = srrrvvvt ] ||
	fail "$what: ran $(cat here/setups here/runs here/verified here/teardowns | tr -d '\n')"
case $(cat here/dir) in
"$TMPDIR"/cpuprof-*) ;;
*) fail "$what: set-up ran in $(cat here/dir)" ;;
esac
[ "$(json out unit) $(json out score_unit)" = "query query/s" ] || fail "$what: in $(json out score_unit)"
json out 'target.*' key value >target
grep -q "^version	counter 1.5\$" target || fail "$what: version $(cat target)"
grep -q "^work per run	1000 query\$" target || fail "$what: work $(cat target)"
json out 'rows.0.repetitions.*' score_ops_per_s wall_s | while read -r score wall; do
	near "score x time" "$(echo "$score $wall" | awk '{ print $1 * $2 }')" 1000
done
json out 'rows.0.factors.core_share.origin' >origin
[ "$(cat origin)" != measured ] || fail "$what: cpuprof's own needles count as measured"

# The command's own score, its own time, and the size of a file as its work.
printf 'run sh -c "sleep 0.05; echo rate 1; echo rate 123.5 q/s"\nscore "rate %%f q/s" q/s\n' >rate.workload
what=rate.workload
run ./rate.workload -n 2 --no-sampling --json --no-save -q
ended 0 ""
near score "$(json out rows.0.score.value)" 123.5
grep -q 'the score is what the command says of itself' out || fail "$what: no note says whose score it is"
near "operations by time" "$(json out 'rows.0.repetitions.0.batches.0' ops wall_s |
	awk '{ print $1 / $2 }')" 123.5
json out 'rows.0' factors.cpus.value factors.core_share.value factors.clock_hz.value \
	factors.ops_per_cycle.value >factors
grep -q null factors || near "their product" "$(awk '{ print $1 * $2 * $3 * $4 }' factors)" "$(
	json out 'rows.0' score.value unexplained_share | awk '{ print $1 / (1 + $2) }')"
printf 'run sh -c "echo took 0.5 s"\nseconds "took %%f s"\nwork 300 B\n' >took.workload
what=took.workload
run ./took.workload -n 1 --no-sampling --json --no-save -q
ended 0 ""
near score "$(json out rows.0.score.value)" 0.0006
printf 'setup head -c 4321 /dev/zero > x\nrun cat x\nwork-file x\nexpect-output-sha256 %s\n' \
	"$(head -c 4321 /dev/zero | sha256sum | cut -d ' ' -f 1)" >file.workload
what=file.workload
run ./file.workload -n 1 --no-sampling --json --no-save -q
ended 0 ""
[ "$(json out 'rows.0.repetitions.0.batches.0.ops')" = 4321 ] || fail "$what: not 4321 bytes of work"
printf 'run sh -c "exit 3"\nexpect-exit 3\n' >three.workload
what=three.workload
run ./three.workload -n 1 --no-sampling --no-save -q
ended 0 ""
grep -q 'one run takes' out || fail "$what: the time of a run is not told"

# Threads, as workloads in C have them.
printf 'env N={threads}\nrun sh -c "test $N = {threads}; exec true"\n' >threads.workload
what=threads.workload
run ./threads.workload -n 1 --no-sampling --json --no-save -q
ended 0 ""
want=1
[ "$cpus" -lt 2 ] || want=1,$cpus
[ "$(json out 'rows.*' threads | tr '\n' ,)" = "$want," ] || fail "$what: not on $want threads"
run ./threads.workload -n 1 --threads 1 --no-sampling --json --no-save -q
[ "$(json out 'rows.*' label)" = "1 thread" ] || fail "$what: --threads 1: $(json out 'rows.*' label)"
says 2 "only .* may be used" ./threads.workload --threads 9999
says 2 "rate.workload takes no --threads" ./rate.workload --threads 1

# Options of every run.
what="rate.workload with all that counts"
run ./rate.workload -n 1 --counters --per-thread -e page-faults --no-save -q
[ "$code" -eq 0 ] || fail "$what: status $code: $(cat err)"
grep -q 'for each q' out || fail "$what: no counts for each q"
printf 'run sh -c "sleep 0.0$SLOW"\n' >slow.workload
what="slow.workload --versus"
SLOW=1 run ./slow.workload --versus SLOW=9 -n 2 --no-save -q
grep -q '^B (SLOW=9) against A' out || fail "$what: $(cat out err)"
run ./rate.workload -n 1 -q -o kept
{ [ -s kept/result.json ] && [ -s kept/run.perf.data ]; } || fail "saved: $(ls kept)"
run report kept
grep -q '^rate: ' out || fail "report of a saved run: $(head -n 3 out)"

# A flight needs neither file nor commands, and may be replayed anywhere.
for args in "./rate.workload -n 2 -e page-faults" "here/count.workload -n 1 --no-sampling" \
	"./threads.workload -n 1" "./file.workload -n 1 --json"; do
	# shellcheck disable=SC2086 # words
	run --flight f.flight $args --no-save -q
	cp out recorded
	mkdir -p gone
	mv ./*.workload here/*.workload gone
	cd elsewhere || exit 1
	timeout 60 "$CPUPROF" --replay ../f.flight >../out 2>../err </dev/null
	code=$?
	cd .. || exit 1
	what="replay of $args"
	ended 0 ""
	cmp -s out recorded || fail "$what: $(diff recorded out | head -n 5)"
	mv gone/count.workload here
	mv gone/* .
done

# One's own go before the package's; CPUPROF_DATA before both.
mkdir -p data/workloads config/cpuprof/workloads
for name in mine xz; do
	printf 'summary "one of my own"\nrun true\n' >"config/cpuprof/workloads/$name.workload"
done
printf 'summary "of the data"\nrun true\n' >data/workloads/mine.workload
printf 'run |\n' >config/cpuprof/workloads/broken.workload
printf 'run nosuch-program-here\nneeds nosuch-program-here some-package\n' \
	>config/cpuprof/workloads/absent.workload
printf 'run true\n' >config/cpuprof/workloads/gzip.workload
summary() {
	run "$1" -n 1 --no-save --no-sampling -q
	head -n 1 out
}
[ "$(summary xz)" = "xz: one of my own" ] || fail "xz is $(summary xz)"
[ "$(summary mine.workload)" = "mine: one of my own" ] || fail "mine is $(summary mine.workload)"
CPUPROF_DATA=$tmp/data
export CPUPROF_DATA
[ "$(summary mine)" = "mine: of the data" ] || fail "mine is $(summary mine)"
says 0 "" list workloads
grep -A 2 '^mine ' out | grep -q "data/workloads/mine.workload" || fail "list workloads: not the one that runs"
grep -q "not here: 'nosuch-program-here' is not installed (apt-get install some-package)" out ||
	fail "list workloads does not say what is missing"
grep -q "not to be run: .*broken.workload:1: no shell" out || fail "list workloads does not say what is broken"
grep -q "its name is taken" out || fail "list workloads does not say that gzip is taken"
says 3 "'nosuch-program-here' is not installed \(apt-get install some-package\)" absent
says 2 "no command or workload 'mien', did you mean 'mine'" mien
says 2 "no workload 'rate.workload' in the search path, did you mean './rate.workload'" rate.workload
says 2 "mine has no variants" mine:3
says 0 "" mine --help
finish
