#!/bin/sh
# SPDX-License-Identifier: MIT
# text_workload.sh - a workload in a text file that goes wrong: one sentence with
# its line, the documented status, and no scratch folder left, also when it is
# interrupted.
. "$(dirname "$0")/../live/lib.sh"
cd "$tmp" || exit 1
TMPDIR=$tmp/scratch
XDG_CONFIG_HOME=$tmp/config
mkdir "$TMPDIR"
export TMPDIR XDG_CONFIG_HOME

group=
at_exit() {
	[ -z "$group" ] || kill -9 "$group" 2>/dev/null
}
clean() {
	[ -z "$(ls -A "$TMPDIR")" ] || fail "$what: leaves $(find "$TMPDIR" | tail -n +2)"
}
# wrong STATUS PATTERN: the file on standard input ends like that.
wrong() {
	cat >my.workload
	rm -f torn
	says "$1" "$2" ./my.workload -n 1 --no-save --no-sampling -q
	[ ! -s out ] || fail "$what: a score was printed"
	clean
}

# The file itself.
says 1 "cannot read './missing.workload': No such file" ./missing.workload
says 1 "'./scratch' is not a regular file" ./scratch
mkfifo fifo
says 1 "'./fifo' is not a regular file" ./fifo
says 1 "'/dev/zero' is not a regular file" /dev/zero
head -c 70000 /dev/zero | tr '\0' '#' >large.workload
says 1 "'./large.workload' is larger than 65536 bytes" ./large.workload
wrong 1 "./my.workload:2: 'wobble' is no directive" <<'EOF'
run true
wobble
EOF
if can_be_nobody; then
	cp "$CPUPROF" cpuprof
	echo 'run true' >secret.workload
	chmod 755 "$tmp"
	chmod 600 secret.workload
	what="an unreadable file"
	as_nobody ./cpuprof ./secret.workload >out 2>err </dev/null
	code=$?
	ended 1 "cannot read './secret.workload': Permission denied"
fi

# Programs that are not there.
wrong 3 "'nosuch-program' is not installed \(apt-get install some-package\)" <<'EOF'
needs nosuch-program some-package
run true
EOF
wrong 3 "'nosuch-program' is not there, and ./my.workload names no package" <<'EOF'
run true
verify nosuch-program
EOF
wrong 3 "'.*/nosuch' is not there" <<'EOF'
run {here}/nosuch
EOF
wrong 1 "'.*/made': cannot run it: No such file" <<'EOF'
run {dir}/made
EOF
printf "#!/nosuch/shell\n" >text
chmod 755 text
wrong 1 "'.*/text': cannot run it: No such file" <<'EOF'
run {here}/text
EOF

# Commands that fail.
wrong 1 "./my.workload:3: set-up: 'sh' ended with status 4, not 0" <<'EOF'
run true
setup true
setup sh -c 'mkdir -p a/b; exit 4'
teardown sh -c "touch {here}/torn"
EOF
wrong 1 "./my.workload:2: set-up: 'sh' ended with status 4" <<'EOF'
run true
setup sh -c 'exit 4'
teardown sh -c "touch {here}/torn"
EOF
[ -e torn ] || fail "a failed set-up is not put away"
wrong 1 "./my.workload:1: run: 'sh' ended with status 9, not 0" <<'EOF'
run sh -c 'exit 9'
EOF
wrong 1 "run: 'true' ended with status 0, not 3" <<'EOF'
run true
expect-exit 3
EOF
wrong 1 "./my.workload:1: run: 'sh' was killed by signal 9 \(Killed\)" <<'EOF'
run sh -c 'kill -9 $$'
EOF
wrong 1 "./my.workload:2: wrong output: 'sh' ended with status 1" <<'EOF'
run sh -c 'echo wrong' > out
verify sh -c "read x <out; test $x = right"
EOF
wrong 1 "./my.workload:2: wrong output: 'sh' was killed by signal 11" <<'EOF'
run true
verify sh -c 'kill -11 $$'
EOF
wrong 1 "./my.workload: wrong output: its SHA-256 is 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03" <<'EOF'
run echo hello
expect-output-sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
EOF
wrong 1 "./my.workload:2: 'speed %f' is nowhere in the output of 'echo'" <<'EOF'
run echo 'speed fast'
score "speed %f" MB/s
EOF
for v in 0 -5 1e999; do
	wrong 1 "./my.workload:2: 'echo' says .*, which is no score" <<EOF
run echo speed $v
score "speed %f" MB/s
EOF
done
wrong 1 "./my.workload: the work, '.*/made', cannot be read: No such file" <<'EOF'
run true
work-file made
EOF
wrong 1 "./my.workload: the work, '.*/made', is empty" <<'EOF'
setup true > made
run true
work-file made
EOF
wrong 1 "the work, '/dev', cannot be read: it is not a regular file" <<'EOF'
run true
work-file /dev
EOF
wrong 1 "./my.workload:1: cannot open '.*/none': No such file" <<'EOF'
run cat < none
EOF
wrong 1 "./my.workload:2: version: 'false' ended with status 1" <<'EOF'
run true
version false
EOF
# Nothing was measured wrongly: the score stands, and the status tells.
printf 'run true\nteardown false\n' >my.workload
says 1 "./my.workload:2: teardown: 'false' ended with status 1" ./my.workload -n 1 --no-save \
	--no-sampling -q
grep -q '^run  *[0-9]' out || fail "$what: the score is not printed"
clean

# A verification that fails only later keeps what was measured before.
cat >later.workload <<'EOF'
run sh -c 'echo x >>n'
verify sh -c 'test $(wc -l <n) -lt 3'
EOF
says 1 "later.workload:2: wrong output" ./later.workload -n 5 --no-save --no-sampling -q
grep -q '^failed: .*wrong output' out || fail "$what: the report does not say so"
clean

# What failed is a flight, too.
for f in later my; do
	timeout 60 "$CPUPROF" --flight f.flight "./$f.workload" -n 5 --no-save --no-sampling -q >1.out 2>1.err </dev/null
	status=$?
	mv "$f.workload" kept
	what="replay of $f.workload"
	run --replay f.flight
	mv kept "$f.workload"
	[ "$code" -eq "$status" ] || fail "$what: status $code, recorded $status"
	cmp -s out 1.out || fail "$what: another report"
	cmp -s err 1.err || fail "$what: says $(cat err)"
done

# No room for the scratch folder, and none in it.
echo 'run true' >my.workload
what="TMPDIR=/nonexistent"
TMPDIR=/nonexistent timeout 60 "$CPUPROF" ./my.workload -n 1 --no-save --no-sampling -q >out 2>err </dev/null
code=$?
ended 1 "cannot make a scratch folder in '/nonexistent': No such file"
mkdir full
if unshare -m sh -c 'mount -t tmpfs -o size=64k none full' 2>/dev/null; then
	for line in "setup sh -c 'exec 2>/dev/null; head -c 200000 /dev/zero' > x" \
		"verify sh -c 'exec 2>/dev/null; head -c 200000 /dev/zero' > x"; do
		printf 'run true\n%s\n' "$line" >my.workload
		what="full: $line"
		# shellcheck disable=SC2016 # expanded by the inner shell
		timeout 60 unshare -m sh -c 'mount -t tmpfs -o size=64k none full &&
			TMPDIR=$PWD/full && export TMPDIR && "$1" ./my.workload -n 1 --no-save --no-sampling -q
			code=$?; ls -A full >left; exit $code' sh "$CPUPROF" >out 2>err </dev/null
		code=$?
		ended 1 "my.workload:2: .*no space left in the scratch folder"
		[ ! -s left ] || fail "$what: leaves $(cat left)"
	done
else
	note "full disks: left out, cannot mount here"
fi

# Interrupted: in set-up, in the run, in verification; by the terminal's signal to
# all, by one to cpuprof alone, and when the terminal goes.
interrupted() {
	rm -f torn began
	printf 'teardown sh -c "sleep 0.2; touch {here}/torn"\n' >>my.workload
	what="SIG$1 in $2"
	setsid "$CPUPROF" ./my.workload -n 50 --no-save --no-sampling -q >out 2>err </dev/null &
	group=$!
	wait_for test -e began || fail "$what: never began"
	case $3 in
	all) kill "-$1" "-$group" ;;
	one) kill "-$1" "$group" ;;
	esac
	wait "$group"
	code=$?
	group=
	[ "$code" -eq 130 ] || fail "$what ($3): status $code: $(cat err)"
	[ -e torn ] || fail "$what ($3): no teardown"
	clean
}
if have setsid; then
	for to in one all; do
		printf 'run true\nsetup sh -c "touch big {here}/began; sleep 20"\n' >my.workload
		interrupted INT set-up "$to"
		printf 'run sh -c "touch big {here}/began; sleep 20"\n' >my.workload
		interrupted TERM "the run" "$to"
		printf 'run true\nverify sh -c "touch big {here}/began; sleep 20"\n' >my.workload
		# Ignored, as under nohup, it is meant to do nothing.
		awk '/^SigIgn/ { exit $2 ~ /[13579bdf]$/ }' /proc/self/status &&
			interrupted HUP verification "$to"
	done
else
	note "interruptions: left out, no setsid here"
fi
finish
