#!/bin/sh
# SPDX-License-Identifier: MIT
# The fuzz targets over small seeds, damaged copies of them, what fuzzing has
# found before, and the recordings of other people where they are there.
set -u

FUZZ=$BUILD/tests/fuzz
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
"$FUZZ/seeds" "$tmp" || { echo "no seeds"; exit 1; }

failed=0
replay() {
	target=$1
	shift
	"$FUZZ/$target" "$@" >"$tmp/out" 2>&1 && { echo "$target: $(cat "$tmp/out")"; return; }
	echo "$target failed:"
	tail -40 "$tmp/out"
	failed=1
}

replay fuzz_perfdata -m300 "$tmp"/*.data
replay fuzz_kallsyms -m2000 "$tmp"/*.txt
replay fuzz_elf -m100 "$BUILD/tests/table/runlimited"
replay fuzz_pmu -m200 "$SRC"/pmu/*.pmu
printf '%s\n' 'cpuprof-model 1' 'threads 2' 'map 1 401000 1000 77 /bin/prog' \
	'insn 1 401010 2 c 100 40 7 0 0 0 0 0 0 3' 'insn 0 7f01 4 p 12 0 0 12 3 1 1 0 0 0' \
	end >"$tmp/counts"
replay fuzz_counts -m3000 "$tmp/counts"
printf '%s\n' 'time,watts' '# meter' 10,50 12.5,48.25 20,51 >"$tmp/watts"
printf '%s\n' 10,1000,j 20,1500,j 30,1500,j >"$tmp/joules"
{ printf "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n10;x\r\n0123456789abcdef\r\n0\r\n\r\n"; } >"$tmp/chunked"
printf "HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nno\n" >"$tmp/answer"
printf "Running 1s test\ncpuprof: 1000123 20642 361600000 0 0 0 0 0 440 610 790 1500 7000 32\n" >"$tmp/wrk"
replay fuzz_served -m3000 "$tmp/chunked" "$tmp/answer" "$tmp/wrk"
replay fuzz_meter -m3000 "$tmp/watts" "$tmp/joules"
{
	cat "$SRC/workloads/zstd.workload"
	printf '\0%s\r%s\n' ' 3#text : 10 -> 5 (x2.000), 72.9 MB/s' ' 3#text : 10 -> 5 (x2.000), 81.25 MB/s'
} >"$tmp/zstd"
cat >"$tmp/all" <<'EOF'
summary "all there is" # of it
needs a b
env A={threads} # and env
version {here}/v --version
setup a 'b {print}' "c \" d" < in > {dir}/out
run a -T{threads} {dir} {here}/x
work 12.5 query
seconds "took %f s, %*done %%"
verify cmp {dir}/x y{threads}
teardown rm x
expect-exit 3
expect-output-sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
EOF
replay fuzz_workload -m3000 "$tmp/zstd" "$tmp/all" "$SRC"/workloads/*.workload
replay fuzz_flight -m200 "$SRC"/tests/golden/doctor.flight "$SRC"/tests/golden/exec.flight
"$CPUPROF" --replay "$SRC/tests/golden/exec.flight" exec --reps 6 --rate 299 --no-save -q --json \
	-- md5sum /usr/bin/perf >"$tmp/result.json" 2>"$tmp/err" || { cat "$tmp/err"; failed=1; }
replay fuzz_result -m2000 "$tmp/result.json"
replay fuzz_reference -m3000 "$SRC/reports/reference/2017.ref"
sed 's|"folder": "gzip"|"folder": "../gzip"|' "$SRC/tests/golden/suite/suite.json" >"$tmp/suite.json"
replay fuzz_suite -m3000 "$SRC/tests/golden/suite/suite.json" "$tmp/suite.json"
for target in counts meter perfdata kallsyms elf pmu flight reference result suite \
	workload; do
	[ -d "$SRC/tests/fuzz/found/$target" ] &&
		replay "fuzz_$target" "$SRC/tests/fuzz/found/$target"/*
done
[ -d "$SHARED/perfdata" ] && replay fuzz_perfdata "$SHARED"/perfdata/*perf*data* \
	"$SHARED"/perfdata/corrupt-*
exit $failed
