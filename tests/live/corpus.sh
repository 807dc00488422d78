#!/bin/sh
# SPDX-License-Identifier: MIT
# corpus.sh - holds the web corpus to documents that Debian's packages install.
#
# Takes up to 60 documents of 2 to 200 KB of every kind from ${DOCS:-/usr/share},
# evenly spaced in sorted order, and at most 12 of one folder, so that one
# package with hundreds of like files doesn't decide what is usual. A kind with
# fewer than 20 documents or from fewer than 3 folders is left out for the same
# reason: what happens to be installed would decide.
# Exits 0, 1 (the corpus is unlike them) or 77 (nothing to compare with).
set -u
LC_ALL=C
export LC_ALL

docs=${DOCS:-/usr/share}
ratio=${BUILD:-.}/tests/live/corpus_ratio
per_kind=60
per_folder=12
folders_needed=3
docs_needed=20

if [ ! -x "$ratio" ]; then
	echo "skipped: $ratio is not built"
	exit 77
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM

# Lines of standard input, at most $1 of them, evenly spaced.
spaced() {
	awk -v max="$1" '{ line[NR] = $0 }
		END {
			n = NR < max ? NR : max
			for (i = 0; i < n; i++)
				print line[int(i * NR / n) + 1]
		}'
}

# Of sorted paths, at most per_folder of each folder, evenly spaced.
thinned() {
	awk -v max="$per_folder" '
		function flush(   i, k) {
			k = n < max ? n : max
			for (i = 0; i < k; i++)
				print line[int(i * n / k)]
			n = 0
		}
		{
			dir = $0
			sub("/[^/]*$", "", dir)
			if (dir != last)
				flush()
			last = dir
			line[n++] = $0
		}
		END { flush() }'
}

# By folder first, so that the files of one stand together.
by_folder() {
	awk '{ dir = $0; sub("/[^/]*$", "", dir); print dir "\t" $0 }' | sort | cut -f 2
}

for kind in html css js json svg txt; do
	# A path with white space cannot be passed on below; there are few.
	find "$docs" -type f -name "*.$kind" -size +1999c -size -200001c 2>/dev/null |
		grep -v '[[:space:]]' | by_folder | thinned | spaced "$per_kind" >"$tmp/$kind"
	folders=$(sed 's|/[^/]*$||' "$tmp/$kind" | sort -u | wc -l)
	n=$(wc -l <"$tmp/$kind")
	if [ "$folders" -ge "$folders_needed" ] && [ "$n" -ge "$docs_needed" ]; then
		cat "$tmp/$kind" >>"$tmp/all"
	else
		echo "skipped: $kind: $((n)) documents from $((folders)) folders of $docs," \
			"$docs_needed from $folders_needed are needed"
	fi
done

if [ ! -s "$tmp/all" ]; then
	echo "skipped: no documents in $docs to compare the corpus with"
	exit 77
fi
xargs "$ratio" <"$tmp/all" >"$tmp/out" 2>&1
rc=$?
cat "$tmp/out"
# xargs has exit codes of its own: 123 for any code of 1 to 125.
if [ "$rc" -eq 123 ]; then
	rc=1
	grep -q '^no kind has enough' "$tmp/out" && rc=77
fi
[ "$rc" -eq 77 ] && echo "skipped: too few documents in $docs to compare the corpus with"
exit "$rc"
