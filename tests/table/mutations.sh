#!/bin/sh
# SPDX-License-Identifier: MIT
# mutations.sh - errors put into a copy of the sources, one at a time: each must
# turn a test of `make check` red that passes without it. Slow, since each builds.
set -u
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
command -v git >/dev/null && git -C "$SRC" rev-parse >/dev/null 2>&1 ||
	{ echo "skipped: the sources are not a git checkout, from which to take a copy"; exit 77; }
mkdir -p "$tmp/src/build"
(cd "$SRC" && git ls-files -z -co --exclude-standard && find . -path ./build -prune -o \( -name Makefile.in -o -name aclocal.m4 \
	-o -name configure -o -name config.h.in -o -path './build-aux/*' \) -print0) |
	(cd "$SRC" && tar --null -cf - -T -) | tar -xf - -C "$tmp/src"
cd "$tmp/src/build" || exit 1
# Make compares times; a copy of them all at once says nothing of what is newer.
find .. -name Makefile.in -exec touch {} + -o -name configure -exec touch {} +
../configure -q --disable-dependency-tracking >"$tmp/log" 2>&1 ||
	{ echo "FAILED: configure: $(tail -3 "$tmp/log")"; exit 1; }
jobs=$(nproc)

# run TEST...: whether they pass as the tree stands.
run() {
	make -j"$jobs" check TESTS="$*" >"$tmp/log" 2>&1
}
missed=0 planted=0
# mutate WHAT FILE SED TEST...
mutate() {
	what=$1 file=../$2 edit=$3
	shift 3
	planted=$((planted + 1))
	cp "$file" "$tmp/good"
	sed "$edit" "$tmp/good" >"$file"
	rm -f "$(dirname "${file#../}")"/*.o "$(dirname "${file#../}")"/*.a
	if cmp -s "$file" "$tmp/good"; then
		verdict="not ok $what: '$edit' changes nothing"
	elif run "$@"; then
		verdict="not ok $what: not noticed by $*"
	elif ! grep -q '^FAIL' "$tmp/log"; then
		verdict="not ok $what: does not build: $(grep -m 1 error "$tmp/log")"
	else
		verdict="ok $what: $(grep -m 1 '^FAIL' "$tmp/log")"
	fi
	echo "$verdict"
	[ "${verdict#ok}" != "$verdict" ] || missed=$((missed + 1))
	cp "$tmp/good" "$file"
	rm -f "$(dirname "${file#../}")"/*.o "$(dirname "${file#../}")"/*.a
}

run tests/table/causes.sh tests/unit/test_explain tests/unit/test_pmu tests/attr/attrs.sh \
	tests/unit/test_served tests/fault/shared_counter.sh || { echo "FAILED without any error planted:"; grep -E "^(FAIL|ERROR)|rror:" "$tmp/log" || tail -30 "$tmp/log"; exit 1; }

mutate "a sign, of a share" src/explain/causes.c 's/cost = u \* (1 - share)/cost = u * (1 + share)/' \
	tests/unit/test_explain
mutate "a sign, in formulas" pmu/formula.c 's/? v + w : v - w/? v - w : v + w/' tests/unit/test_pmu
mutate "a range's ends swapped" src/explain/counted.c 's/low->value.low) \/ 100/high->value.high) \/ 100/' \
	tests/table/causes.sh
mutate "a threshold not looked at" src/explain/counted.c 's/(limit->has_above && !high->notable)/false/' \
	tests/table/causes.sh
mutate "counters swapped" src/run/pass_command.c \
	's/(double)value\[i\] \/ running/(double)value[k->n - 1 - i] \/ running/' tests/fault/shared_counter.sh
mutate "running not scaled by" src/run/pass_command.c 's/(double)value\[i\] \/ running\[i\]/(double)value[i]/' \
	tests/fault/shared_counter.sh
mutate "running not looked at" src/run/counters.c 's/v\[1\] ? (double)v\[2\] \/ (double)v\[1\] : 0/1/' \
	tests/fault/shared_counter.sh
mutate "another CPU's table" pmu/table.c 's/within(model, m->model_low, m->model_high)/model > 0/' \
	tests/attr/attrs.sh tests/unit/test_pmu
mutate "the load's limit not looked at" src/explain/explain.c \
	's/rep->served.load_busy > LOAD_BUSY/rep->served.load_busy > 9/' tests/unit/test_explain
mutate "an answer that is cut short" workloads/http.c 's/has_length && length != a->len/false/' \
	tests/unit/test_served
echo "$planted errors planted, $missed not noticed"
[ "$missed" -eq 0 ]
