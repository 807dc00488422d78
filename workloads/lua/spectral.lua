-- SPDX-License-Identifier: MIT
-- spectral - the spectral norm of the infinite matrix with the elements
-- 1 / ((i + j)(i + j + 1) / 2 + i + 1), cut to n by n, by ten rounds of the
-- power method: nested loops over floating point. After the Computer Language
-- Benchmarks Game; the problem is Hundred-Dollar, Hundred-Digit Challenge 3.

local ROUNDS = 10

local function element(i, j)
	local k = i + j

	return 1 / (k * (k + 1) / 2 + i + 1)
end

-- out = A v
local function times(v, out, n)
	for i = 0, n - 1 do
		local sum = 0

		for j = 0, n - 1 do
			sum = sum + element(i, j) * v[j]
		end
		out[i] = sum
	end
end

-- out = A' v
local function times_transposed(v, out, n)
	for i = 0, n - 1 do
		local sum = 0

		for j = 0, n - 1 do
			sum = sum + element(j, i) * v[j]
		end
		out[i] = sum
	end
end

return function(n)
	local u, v, between = {}, {}, {}
	local uv, vv = 0, 0

	for i = 0, n - 1 do
		u[i] = 1
	end
	for _ = 1, ROUNDS do
		times(u, between, n)
		times_transposed(between, v, n)
		times(v, between, n)
		times_transposed(between, u, n)
	end
	for i = 0, n - 1 do
		uv = uv + u[i] * v[i]
		vv = vv + v[i] * v[i]
	end
	return ("%.9f\n"):format(math.sqrt(uv / vv))
end
