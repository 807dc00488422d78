-- SPDX-License-Identifier: MIT
-- fibonacci - by its recursive definition: calls.

local function fibonacci(n)
	if n < 2 then
		return n
	end
	return fibonacci(n - 1) + fibonacci(n - 2)
end

return fibonacci
