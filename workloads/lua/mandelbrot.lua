-- SPDX-License-Identifier: MIT
-- mandelbrot - the set on a square of n by n points as a portable bitmap, after
-- at most 50 steps each: floating point in an inner loop. Size and place of the
-- square are those of the Computer Language Benchmarks Game.

local STEPS, LIMIT = 50, 4

local function inside(cr, ci)
	local zr, zi, zr2, zi2 = 0, 0, 0, 0

	for _ = 1, STEPS do
		zi = 2 * zr * zi + ci
		zr = zr2 - zi2 + cr
		zr2, zi2 = zr * zr, zi * zi
		if zr2 + zi2 > LIMIT then
			return false
		end
	end
	return true
end

return function(n)
	local out = { ("P4\n%d %d\n"):format(n, n) }

	for y = 0, n - 1 do
		local ci = 2 * y / n - 1

		for x = 0, n - 1, 8 do
			local byte = 0

			for bit = 0, 7 do
				byte = byte * 2
				if x + bit < n and inside(2 * (x + bit) / n - 1.5, ci) then
					byte = byte + 1
				end
			end
			out[#out + 1] = string.char(byte)
		end
	end
	return table.concat(out)
end
