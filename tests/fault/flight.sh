#!/bin/sh
# SPDX-License-Identifier: MIT
# flight.sh - flights that are cut off, damaged, of another kind, or edited so
# that answers are missing: a sentence or a smaller report, never a crash.
. "$(dirname "$0")/../live/lib.sh"
cd "$tmp" || exit 1

edit=$BUILD/tests/fault/flight_edit

says 1 "cannot open 'missing'" --replay missing gzip
: >empty
says 1 "'empty' is not a cpuprof flight" --replay empty
cp "$CPUPROF" program
says 1 "'program' is not a cpuprof flight" --replay program
mkdir folder
says 1 "'folder' is not a regular file" --replay folder

says 0 "" --flight f gzip --reps 2 --threads 1 --no-save -q
cp out good
cp f longer
printf 'xy' >>longer
says 1 "flight 'longer' is cut off" --replay longer
size=$(wc -c <f)
for part in 1 2 3 5 10 30 60 90 99; do
	head -c $((size * part / 100 + 1)) f >"cut"
	# By chance between two answers it is a shorter flight, not a damaged one.
	"$edit" list cut cut >keys 2>/dev/null ||
		says 1 "flight 'cut' is cut off|not a cpuprof flight" --replay cut
done
head -c $((size - 1)) f >"cut"
says 1 "flight 'cut' is cut off" --replay cut

# Whatever the answers are, it ends with a status of its own and at most one
# sentence. (The overview after "argv" is gone is several lines.)
survives() {
	what=$1
	timeout 60 "$CPUPROF" --replay edited >out 2>err </dev/null
	code=$?
	case $code in
	124 | 132 | 134 | 135 | 136 | 139)
		fail "$what: status $code: $(head -n 5 err)" ;;
	0) [ ! -s err ] || fail "$what: status 0, yet says $(head -n 3 err)" ;;
	*) [ "$(grep -c '' err)" -le 1 ] || grep -q '^usage: ' err ||
		fail "$what: status $code and not one sentence: $(head -n 5 err)" ;;
	esac
}

# Without all answers of one kind; without the first one; cut short; damaged.
"$edit" list f f >keys || fail "flight_edit does not read our flight"
[ "$(wc -l <keys)" -gt 15 ] || fail "few kinds of answers: $(cat keys)"
sort -u keys | while IFS= read -r key; do
	for how in drop first short grow zero ones; do
		"$edit" "$how" f edited "$key" || fail "flight_edit $how '$key'"
		survives "$how '$key'"
	done
	[ "$failures" -eq 0 ] || touch failed
done
[ ! -e failed ] || failures=1
# Random damage inside the answers, seeded.
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$edit" noise f edited "$seed"
	survives "noise with seed $seed"
done
cp f edited
survives "not edited"
cmp -s out good || fail "the edits were judged with a replay that differs from its run"

# A run of a command needs its answers as well.
says 0 "" --flight f exec --reps 2 --no-save -q -- "$BUILD/tests/live/planted/spin" 1
"$edit" list f f >keys
sort -u keys | while IFS= read -r key; do
	for how in drop short ones; do
		"$edit" "$how" f edited "$key" || fail "flight_edit $how '$key'"
		survives "exec: $how '$key'"
	done
	[ "$failures" -eq 0 ] || touch failed
done
[ ! -e failed ] || failures=1
finish
