# SPDX-License-Identifier: MIT
# Compares one event table, pmu/NAME.pmu, with what was published:
#	awk -v tables="KEY MODE FILE;..." -v absent=" KEY KEY " -f pmu_codes.awk NAME.pmu
# tables: the published files of each source key, and how to read them:
#	all	perfmon's JSON, a table a CPU: an event has to be in each of them
#	any	perf's JSON, one table in parts: being in one of them is enough
#	arm	Arm's JSON: a code is a number of its own
#	text	PerfSpect's event lists
#	kernel	EVENT_ATTR_STR lines of the kernel's PMU driver
#	names	JSON in which only names of metrics are looked for
# absent: keys whose files were not given. Prints a line for every row that does
# not agree and one of counts; exits 1 when a row disagrees.

BEGIN {
	hw = "CPU_CYCLES INSTRUCTIONS CACHE_REFERENCES CACHE_MISSES BRANCH_INSTRUCTIONS " \
		"BRANCH_MISSES BUS_CYCLES STALLED_CYCLES_FRONTEND STALLED_CYCLES_BACKEND " \
		"REF_CPU_CYCLES"
	n = split(hw, word, " ")
	for (i = 1; i <= n; i++)
		generic["PERF_COUNT_HW_" word[i]] = i - 1
	n_tables = split(tables, row, ";")
	for (t = 1; t <= n_tables; t++) {
		split(row[t], word, " ")
		mode[t] = word[2]
		of_key[word[1]] = of_key[word[1]] " " t
		if (word[2] == "text")
			read_text(t, word[3])
		else if (word[2] == "kernel")
			read_kernel(t, word[3])
		else
			read_json(t, word[3])
	}
}

function number(s,    i, v)
{
	s = tolower(s)
	gsub(/[ \t]/, "", s)
	sub(/,.*/, "", s)		# "0xB7, 0xBB": the first counter's
	if (s !~ /^0x/)
		return s + 0
	for (i = 3; i <= length(s); i++)
		v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return v + 0
}

function text(v)		# %x ends at 32 bits in some
{
	return v < 4294967296 ? sprintf("0x%x", v) : \
		sprintf("0x%x%08x", int(v / 4294967296), v % 4294967296)
}

function fault(what)
{
	printf "%s:%d: %s\n", FILENAME, FNR, what
	faults++
}

# Fields of a perf config do not overlap, so they add up.
function publish(t, name, event, umask, rest, msr, pebs)
{
	known[t, name] = 1
	config[t, name] = event % 256 + umask * 256 + rest + int(event / 256) * 4294967296
	second[t, name] = msr
	precise[t, name] = pebs
}

# v: the keys and values of the object that ends here; outer: the key it is
# the value of.
function end_of_object(t, outer)
{
	if (mode[t] == "arm" && ("code" in v) && ("name" in v)) {
		known[t, v["name"]] = 1
		config[t, v["name"]] = number(v["code"])
		precise[t, v["name"]] = -1
	} else if (mode[t] != "names" && ("EventName" in v)) {
		publish(t, v["EventName"], number(v["EventCode"]), number(v["UMask"]),
			number(v["EdgeDetect"]) * 262144 + number(v["AnyThread"]) * 2097152 + \
			number(v["Invert"]) * 8388608 + number(v["CounterMask"]) * 16777216,
			number(v["MSRIndex"]), mode[t] == "all" ? v["PEBS"] + v["Precise"] : -1)
	}
	if (mode[t] == "names" && outer != "")
		known[t, outer] = 1
	split("", v)
}

# As much of JSON as these tables need.
function read_json(t, file,    line, token, key, last, value, depth, outer)
{
	split("", v)
	while ((getline line < file) > 0)
		while (match(line, /"([^"\\]|\\.)*"|[][{}:,]|[-+.0-9A-Za-z]+/)) {
			token = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			if (token == "{") {
				outer[++depth] = value ? key : ""
				split("", v)
			} else if (token == "}") {
				end_of_object(t, outer[depth--])
			} else if (token == ":") {
				key = last
			} else if (token !~ /^[][,]$/) {
				gsub(/^"|"$/, "", token)
				last = token
				if (value)
					v[key] = token
				if (value && key == "MetricName")	# objects follow
					known[t, token] = 1
			}
			value = token == ":"
		}
	close(file)
}

function part(s, name)
{
	if (!match(s, "[/,\"]" name "=[^,/\"]*"))
		return 0
	s = substr(s, RSTART, RLENGTH)
	return number(substr(s, index(s, "=") + 1))
}

function read_text(t, file,    line, word)
{
	while ((getline line < file) > 0)
		if (line ~ /^cpu\/event=.*name='/) {
			split(line, word, "'")
			publish(t, word[2], part(line, "event"), part(line, "umask"),
				part(line, "cmask") * 16777216, 0, -1)
		}
	close(file)
}

function read_kernel(t, file,    line, word)
{
	while ((getline line < file) > 0)
		if (line ~ /^EVENT_ATTR_STR\(.*"event=/) {
			split(line, word, /[(,]/)
			if (!((t, word[2]) in known))	# other cores' are further down
				publish(t, word[2], part(line, "event"),
					part(line, "umask"), 0, 0, -1)
		}
	close(file)
}

# The last token, which may be quoted: KEY:NAME.
function origin(line,    quoted)
{
	sub(/[ \t]+#.*/, "", line)
	sub(/[ \t]+$/, "", line)
	quoted = line ~ /"$/
	sub(/"$/, "", line)
	if (quoted)
		sub(/.*"/, "", line)
	else
		sub(/.*[ \t]/, "", line)
	key = line
	sub(/:.*/, "", key)
	name = line
	sub(/^[^:]*:/, "", name)
	if (!(key in source))
		fault("source '" key "' is not declared")
	return key in source
}

# Is name published under key? What is wrong with it otherwise.
function lookup(with_code, code, asked,    i, n, t, found, why)
{
	n = split(of_key[key], table, " ")
	for (i = 1; i <= n; i++) {
		t = table[i]
		why = ""
		if (!((t, name) in known))
			why = name " is not in " row[t]
		else if (with_code && !((t, name) in config))
			why = name " is no event in " row[t]
		else if (with_code && second[t, name])
			why = name " needs a second register"
		else if (with_code && config[t, name] != code)
			why = name " is " text(code) ", published " text(config[t, name])
		else if (with_code && asked && precise[t, name] == 0 && $2 != "cycles")
			why = name " cannot be sampled precisely"
		else if (with_code && !asked && precise[t, name] == 2)
			why = name " can only be sampled precisely"
		else
			found = 1
		if (why != "" && mode[t] == "all")
			return why
		if (found && mode[t] != "all")
			return ""
	}
	return found ? "" : why
}

$1 == "source" {
	source[$2] = $0
	sub(/^[^"]*"/, "", source[$2])
	sub(/"[^"]*$/, "", source[$2])
	if (source[$2] ~ /^[A-Za-z0-9._-]+\/[A-Za-z0-9._-]+ @/) {
		if (source[$2] !~ /^[^ ]+ @ [0-9a-f]+, ./ || length($5) != 41)
			fault("source '" $2 "' wants a full commit and a path")
	} else if (source[$2] ~ /^manual:/ && source[$2] !~ /(table|page|section) /) {
		fault("source '" $2 "' wants a table, page or section")
	}
}

$1 == "event" && origin($0) {
	code = $3
	sub(/^(raw|hw):/, "", code)
	code = number(code)
	asked = match($0, /precise=[1-3]/) > 0
	events++
	if ($3 ~ /^hw:/) {
		if (!(name in generic) || generic[name] != code)
			fault($2 ": " name " is not hw:" code)
		else
			matched++
	} else if (key in of_key) {
		why = lookup(1, code, asked)
		if (why != "")
			fault($2 ": " why)
		else
			matched++
	} else if (source[key] ~ /^manual:/) {
		printf "%s:%d: unmatched: %s %s cites %s\n", FILENAME, FNR, $2, $3, source[key]
		unmatched++
	} else if (index(absent, " " key " ")) {
		skipped++
	} else {
		fault($2 ": source '" key "' is neither a published table nor a manual")
	}
}

($1 == "metric" || $1 == "cost") && origin($0) {
	metrics += $1 == "metric"
	if (key in of_key) {
		why = lookup(0)
		if (why != "")
			fault($2 ": " why)
	}
}

END {
	printf "%s: %d events, %d as published, %d cite a manual, %d not compared; %d metrics\n",
		FILENAME, events, matched, unmatched, skipped, metrics
	if (!events)
		faults++
	exit faults > 0
}
