#!/bin/sh
# SPDX-License-Identifier: MIT
# agree.sh - perf report and cpuprof report say the same about the same file:
# every function above 1 % within 0.1 points, on our recordings and on perf's,
# in C and in C++. On a stripped program, where perf prints addresses, ours
# stand in a handful of functions with the same total. perf's other readers
# accept our files.
. "$(dirname "$0")/lib.sh"

perf --version >/dev/null 2>&1 || skip "no perf that runs here"
have "${CC%% *}" || skip "no compiler"
cd "$tmp" || exit 1

cat >hot.c <<'END'
#include <stdint.h>
static volatile uint64_t sink;
#define HOT(name, n) \
	__attribute__((noinline)) void name(void) \
	{ \
		uint64_t x = sink + 1; \
		for (int i = 0; i < n; i++) \
			x = x * 6364136223846793005u + 1; \
		sink = x; \
	}
HOT(alpha, 40000)
HOT(beta, 25000)
HOT(gamma_ray, 15000)
static HOT(delta, 10000)
HOT(epsilon, 5000)
HOT(zeta, 3000)
HOT(eta, 2000)
int main(void)
{
	for (int i = 0; i < 8000; i++) {
		alpha(); beta(); gamma_ray(); delta(); epsilon(); zeta(); eta();
	}
	return 0;
}
END
cat >mangled.cc <<'END'
#include <cstdint>
static volatile uint64_t sink;
namespace outer { namespace {
struct pair { uint64_t a, b; };
__attribute__((noinline)) void hidden(const pair &p, int n)
{
	uint64_t x = p.a;
	for (int i = 0; i < n; i++)
		x = x * 6364136223846793005u + p.b;
	sink = x;
}
}
template <typename T, int N> struct box {
	T v;
	__attribute__((noinline)) T operator()(T k) const
	{
		T x = v + k;
		for (int i = 0; i < N; i++)
			x = x * T(6364136223846793005u) + 1;
		return x;
	}
};
__attribute__((noinline)) uint64_t overloaded(int n)
{
	uint64_t x = n;
	for (int i = 0; i < 20000; i++)
		x = x * 6364136223846793005u + 1;
	return x;
}
__attribute__((noinline)) uint64_t overloaded(const char *s, pair = { 1, 2 })
{
	uint64_t x = *s;
	for (int i = 0; i < 10000; i++)
		x = x * 6364136223846793005u + 1;
	return x;
}
}
int main()
{
	outer::box<uint64_t, 30000> big = { 3 };
	outer::box<uint32_t, 8000> small = { 3 };
	for (int i = 0; i < 7000; i++) {
		outer::hidden({ 1, 2 }, 30000);
		sink = big(sink) + small(1) + outer::overloaded(i) + outer::overloaded("x");
	}
}
END

# Both reports as "share of 10,000 TAB object TAB symbol".
perf_shares() {
	perf report --stdio --no-children -g none --sort dso,sym -F overhead,dso,sym -i "$1" \
		2>/dev/null | sed -n 's/^ *\([0-9.]*\)%  *\([^ ].*[^ ]\)  *\[[.k]\] \(.*\)$/\1\t\2\t\3/p' |
		awk -F '\t' '{ sub(/ +$/, "", $2); sub(/ +$/, "", $3)
			printf "%.0f\t%s\t%s\n", 100 * $1, $2, $3 }'
}
# perf leaves the parameters of C++ functions out and so adds up overloads.
our_shares() {
	run report --json --no-instructions "$1"
	[ "$code" -eq 0 ] || fail "report $1: status $code: $(cat "$tmp/err")"
	json "$tmp/out" 'events.0.functions.*' share dso name |
		awk -F '\t' '
			function bare(s,   i, depth) {
				sub(/\) const$/, ")", s)
				if (s !~ /\)$/)
					return s
				for (i = length(s); i > 0; i--) {
					if (substr(s, i, 1) == ")") depth++
					if (substr(s, i, 1) == "(" && --depth == 0) break
				}
				return substr(s, 1, i - 1)
			}
			{ printf "%.2f\t%s\t%s\n", 10000 * $1, $2, bare($3) }'
}

# Every function above 1 % in either is in the other, within 0.1 points (and
# the half hundredth by which perf rounds).
compare() {
	perf_shares "$2" >theirs
	our_shares "$2" >ours
	awk -F '\t' -v what="$1" '
		NR == FNR { perf[$2 "\t" $3] += $1; next }
		{ ours[$2 "\t" $3] += $1 }
		END {
			for (k in perf)
				if (perf[k] > 100) {
					n++
					d = perf[k] - ours[k]
					if (d < 0) d = -d
					if (d > worst) worst = d
					if (d > 10.5 || !(k in ours)) {
						printf "%s: %s: perf %.2f %%, cpuprof %.2f %%\n", what, k,
							perf[k] / 100, ours[k] / 100
						bad = 1
					}
				}
			for (k in ours)
				if (ours[k] > 100 && !(k in perf)) {
					printf "%s: %s: only cpuprof, %.2f %%\n", what, k, ours[k] / 100
					bad = 1
				}
			printf "%s: %d functions above 1 %%, at most %.2f points apart\n", what, n,
				worst / 100
			exit bad || n < 4
		}' theirs ours || fail "$1: the reports do not agree"
}

# perf's readers on our file: each ends well and names what it should.
accepted() {
	perf script -i "$1" >script 2>script.err || fail "perf script does not take $1"
	grep -q "$2" script || fail "perf script shows no $2 in $1"
	perf report --stdio -i "$1" >report 2>report.err || fail "perf report does not take $1"
	perf buildid-list -i "$1" >ids 2>/dev/null || fail "perf buildid-list does not take $1"
	grep -q "/$3\$" ids || fail "perf buildid-list has no $3 in $1"
	grep -q 'kernel.kallsyms' ids || fail "perf buildid-list has no kernel in $1"
	perf report --header-only -i "$1" 2>/dev/null | grep -q "cmdline : .*$3" ||
		fail "perf's header of $1 has no command line"
	if grep -Eiq 'error|corrupt|invalid' script.err report.err; then
		fail "perf complains about $1: $(cat script.err report.err)"
	fi
}

record_both() {
	run record -F 3999 -o "$1.ours" -- "./$1"
	[ "$code" -eq 0 ] || skip "cannot record here: $(cat "$tmp/err")"
	perf record -q -F 3999 -g -o "$1.perf" -- "./$1" >/dev/null 2>"$tmp/err" ||
		skip "perf cannot record here: $(cat "$tmp/err")"
}

# shellcheck disable=SC2086 # CC may hold options
$CC -O1 -g -fno-omit-frame-pointer -o hot hot.c || skip "the compiler does not work"
record_both hot
compare "C, our recording" hot.ours
compare "C, perf's recording" hot.perf
accepted hot.ours gamma_ray hot

if "${CXX:-g++}" -O1 -g -fno-omit-frame-pointer -o mangled mangled.cc 2>/dev/null; then
	record_both mangled
	compare "C++, our recording" mangled.ours
	compare "C++, perf's recording" mangled.perf
	accepted mangled.ours overloaded mangled
else
	note "C++: left out, no compiler"
fi

# A stripped program: what perf says of gzip address by address, we say of a
# handful of functions. Their totals for the object are the same.
gzip=$(command -v gzip)
if [ -n "$gzip" ] && ! perf_shares hot.ours | grep -q "0x0000" &&
   ! readelf -sW "$gzip" 2>/dev/null | grep -q '\.symtab'; then
	cat "$SRC"/src/*/*.c >text
	for _ in 1 2 3 4 5 6 7 8; do cat text; done >input
	perf record -q -F 9999 -g -o gzip.perf -- "$gzip" -9 -kc input >/dev/null 2>&1
	perf_shares gzip.perf | awk -F '\t' '$2 == "gzip"' >theirs
	our_shares gzip.perf | awk -F '\t' '$2 == "gzip"' >ours
	lines=$(wc -l <theirs)
	addresses=$(cut -f 3 theirs | grep -c '^0x')
	n=$(wc -l <ours)
	# Totals from the sort by object alone: sums of rounded lines drift.
	total=$(perf report --stdio --no-children -g none --sort dso -F overhead,dso \
		-i gzip.perf 2>/dev/null | awk '$2 == "gzip" { sub("%", "", $1); print $1 }')
	ours=$(json "$tmp/out" 'events.0.functions.*' share dso |
		awk -F '\t' '$2 == "gzip" { s += $1 } END { printf "%.2f", 100 * s }')
	note "stripped gzip: perf $((lines)) lines, $addresses of them addresses, $total %;" \
		"cpuprof $((n)) functions, $ours %"
	[ "$addresses" -ge 20 ] || note "(this gzip has names perf can use)"
	[ "$addresses" -lt 20 ] || [ $((n * 4)) -le "$lines" ] ||
		fail "gzip is not gathered into functions"
	awk -v a="$total" -v b="$ours" 'BEGIN { d = a - b; exit !(d < 0.1 && d > -0.1) }' ||
		fail "gzip's total differs: perf $total %, cpuprof $ours %"
	head -n 1 ours | grep -q 'gzip+0x' || fail "gzip's functions have no such names as gzip+0x..."
fi
finish
