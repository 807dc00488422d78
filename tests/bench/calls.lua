-- SPDX-License-Identifier: MIT
-- calls FILE ARGUMENT SECONDS - calls the function that the file returns over and
-- over and prints how many calls a second of CPU time that makes, the first few left
-- out.

jit.off(true, true)	-- who calls is no part of what is called

local ffi = require("ffi")
local program = dofile(arg[1])
local argument, seconds = tonumber(arg[2]), tonumber(arg[3])

ffi.cdef([[
struct timespec { long tv_sec, tv_nsec; };
int clock_gettime(int id, struct timespec *ts);
]])
local now = ffi.new("struct timespec")

local function clock()
	ffi.C.clock_gettime(3, now)	-- of this thread
	return tonumber(now.tv_sec) + tonumber(now.tv_nsec) * 1e-9
end

-- The clock is looked at after so many calls.
local function run(least, between)
	local calls, from, to = 0, clock()

	repeat
		for _ = 1, between do
			program(argument)
		end
		calls = calls + between
		to = clock()
	until to - from >= least
	return calls / (to - from)
end

-- Batches of 20 ms, as cpuprof's.
local rate = run(0.05, 1)
print(("%.6f"):format(run(seconds, math.max(1, math.floor(rate * 0.02)))))
