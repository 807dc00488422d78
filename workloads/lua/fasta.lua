-- SPDX-License-Identifier: MIT
-- fasta - a DNA sequence repeated, and two drawn by a linear congruential
-- generator and a table of frequencies: strings and a little arithmetic. The
-- sequences, the generator and the format are those of the Computer Language
-- Benchmarks Game.

local WIDTH = 60
local MODULUS, FACTOR, ADDEND, SEED = 139968, 3877, 29573, 42

local ALU =
	"GGCCGGGCGCGGTGGCTCACGCCTGTAATCCCAGCACTTTGG" ..
	"GAGGCCGAGGCGGGCGGATCACCTGAGGTCAGGAGTTCGAGA" ..
	"CCAGCCTGGCCAACATGGTGAAACCCCGTCTCTACTAAAAAT" ..
	"ACAAAAATTAGCCGGGCGTGGTGGCGCGCGCCTGTAATCCCA" ..
	"GCTACTCGGGAGGCTGAGGCAGGAGAATCGCTTGAACCCGGG" ..
	"AGGCGGAGGTTGCAGTGAGCCGAGATCGCGCCACTGCACTCC" ..
	"AGCCTGGGCGACAGAGCGAGACTCCGTCTCAAAAA"

local IUB = {
	"a", 0.27, "c", 0.12, "g", 0.12, "t", 0.27, "B", 0.02, "D", 0.02, "H", 0.02, "K", 0.02,
	"M", 0.02, "N", 0.02, "R", 0.02, "S", 0.02, "V", 0.02, "W", 0.02, "Y", 0.02,
}
local HUMAN = {
	"a", 0.3029549426680, "c", 0.1979883004921, "g", 0.1975473066391, "t", 0.3015094502008,
}

local seed

-- Letters, and up to where the sum of frequencies is theirs.
local function cumulate(pairs)
	local letters, up_to, sum = {}, {}, 0

	for i = 1, #pairs, 2 do
		sum = sum + pairs[i + 1]
		letters[#letters + 1] = pairs[i]
		up_to[#up_to + 1] = sum
	end
	up_to[#up_to] = 1
	return letters, up_to
end

local function repeated(out, text, n)
	local twice = text .. text
	local at = 0

	for left = n, 1, -WIDTH do
		out[#out + 1] = twice:sub(at + 1, at + math.min(left, WIDTH))
		at = (at + WIDTH) % #text
	end
end

local function random(out, letters, up_to, n)
	local line = {}

	for left = n, 1, -WIDTH do
		local width = math.min(left, WIDTH)

		for i = 1, width do
			seed = (seed * FACTOR + ADDEND) % MODULUS
			local r, k = seed / MODULUS, 1

			while r >= up_to[k] do
				k = k + 1
			end
			line[i] = letters[k]
		end
		out[#out + 1] = table.concat(line, "", 1, width)
	end
end

return function(n)
	local out = { ">ONE Homo sapiens alu" }

	seed = SEED
	repeated(out, ALU, 2 * n)
	out[#out + 1] = ">TWO IUB ambiguity codes"
	local letters, up_to = cumulate(IUB)
	random(out, letters, up_to, 3 * n)
	out[#out + 1] = ">THREE Homo sapiens frequency"
	letters, up_to = cumulate(HUMAN)
	random(out, letters, up_to, 5 * n)
	out[#out + 1] = ""
	return table.concat(out, "\n")
end
