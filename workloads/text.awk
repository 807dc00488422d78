# Text of words, 2 MB, the same from every awk: the numbers stay below 2^46.
# Park and Miller's generator (CACM 31, 1988), squared so that some words are common.
BEGIN {
	x = 7
	while (bytes < 2000000) {
		line = ""
		for (i = 0; i < 12; i++) {
			x = x * 16807 % 2147483647
			w = x % 4096
			w = int(w * w / 4096)
			line = line " " substr("etaoinshrdlucmfw", 1 + w % 13, 1 + w % 4) w
		}
		bytes += length(line) + 1
		print line
	}
}
