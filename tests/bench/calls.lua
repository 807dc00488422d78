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

local function run(least)
	local calls, from, to = 0, clock()

	repeat
		program(argument)
		calls = calls + 1
		to = clock()
	until to - from >= least
	return calls / (to - from)
end

run(0.05)
print(("%.6f"):format(run(seconds)))
