# Compares what perfdata_totals printed (first file) with what perf said of the
# same recording (second file, FILE.truth.txt). Prints each difference; the last
# line counts the facts compared. Keys of the top lists are looked up, their
# order is not compared: equal shares have none.

BEGIN {
	FS = "\t"
	ours_called = substr(alias, 1, index(alias, "=") - 1)
	perf_called = substr(alias, index(alias, "=") + 1)
}

function differ(what, ours, theirs) {
	print "  " what ": " (ours == "" ? "nothing" : ours) ", perf says " theirs
	bad++
}

function compare(what, ours, theirs) {
	facts++
	if (ours != theirs)
		differ(what, ours, theirs)
}

# perf cuts a command to the width of its column before it knows a longer one.
function find_cut(kind, event, comm, rest, want,    k) {
	for (k in sum)
		if (sum[k] == want && index(k, kind SUBSEP event SUBSEP comm) == 1 &&
		    substr(k, length(k) - length(rest) + 1) == rest)
			return want
	return sum[kind, event, comm rest]
}

function top_row(line,    f, n, comm, rest, kind) {
	sub(/^ */, "", line)
	n = split(line, f, "|")
	comm = f[4]
	rest = SUBSEP f[5]
	kind = "comm_dso"
	if (n > 5) {
		sub(/^\[.\] 0x0*/, "0x", f[6])
		rest = rest SUBSEP (f[6] == "0x" ? "0x0" : f[6])
		kind = "comm_sym"
	}
	compare(event " " substr(line, index(line, "|") + 1),
		find_cut(kind, event, comm, rest, f[2] " " f[3]), f[2] " " f[3])
}

# The list made of perf script where perf report failed: counts only.
function script_row(    f, n, k, key, got) {
	n = split($2, f, "|")
	sub(/.*\//, "", f[3])
	if (n != 3)
		return
	for (k in sum) {
		split(k, key, SUBSEP)
		if (key[1] == "comm_dso" && key[2] == f[1] && key[3] == f[2] && key[4] == f[3])
			got = sum[k]
	}
	sub(/ .*/, "", got)
	sub(/^ */, "", $1)
	compare($2, got, $1)
}

NR == FNR && alias != "" && $2 == ours_called { $2 = perf_called }
NR == FNR && $1 == "event" { events[$2] = $3 " " $4; next }
NR == FNR && $1 == "record" { records[$2 == "ATTR" ? "HEADER_ATTR" : $2] = $3; next }
NR == FNR && $1 == "lost" { lost = $2; next }
NR == FNR && $1 == "comm_dso" { sum[$1, $2, $5, $6] = $3 " " $4; next }
NR == FNR && $1 == "comm_sym" { sum[$1, $2, $5, $6, $7] = $3 " " $4; next }
NR == FNR { next }

/^\[/ { section = $0; next }
$1 == "event" { compare("event " $2, events[$2], $4 " " $6); next }
/^# Total Lost Samples:/ { perf_lost = substr($0, 23); next }
section ~ /^\[top 10/ && /^# Samples:/ { split($0, q, "'"); event = q[2]; next }
section ~ /^\[top 10/ && /^ *[0-9.]+%\|/ { top_row($0); next }
section ~ /the same from perf script/ && NF == 2 && $2 ~ /\|/ { script_row(); next }
$1 == "record_counts" {
	gsub(/[{}" ]/, "", $2)
	n = split($2, counts, ",")
	for (i = 1; i <= n; i++) {
		split(counts[i], c, ":")
		# Only what they hold is seen; simpleperf's own have no name.
		if (c[1] !~ /^COMPRESSED|^T[0-9]/)
			compare("records " c[1], records[c[1]], c[2])
		if (c[1] == "LOST")	# perf does not print how many they speak of
			perf_lost = ""
	}
}
END {
	if (perf_lost != "")
		compare("lost samples", lost, perf_lost)
	print "  " facts " facts"
	exit bad > 0
}
