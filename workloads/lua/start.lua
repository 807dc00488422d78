-- SPDX-License-Identifier: MIT
-- start - makes of a program, the chunk's first argument, the function that is
-- called over and over; and writes each trace, when it is made, into the map of
-- compiled code that the second argument is the path of, or nil: address, length,
-- "trace_7@file.lua:12".

jit.off(true, true)	-- nothing here becomes a trace

local program, path = ...
local map = path and io.open(path, "a")
local util = require("jit.util")
local places = {}

-- Addresses that come negative are meant modulo 2^64; in halves, since a double
-- counts exactly up to 2^53.
local function hex(address)
	if address < 0 then
		address = address + 2 ^ 64
	end
	return ("%x%08x"):format(math.floor(address / 2 ^ 32), address % 2 ^ 32)
end

-- When a trace begins, it is known where; when it stops, how much code it became.
local function on_trace(what, trace, func, pc)
	if what == "start" then
		places[trace] = util.funcinfo(func, pc).loc
	elseif what == "stop" then
		local code, address = util.tracemc(trace)

		if code then
			map:write(("%s %x trace_%d@%s\n"):format(hex(address), #code, trace,
				places[trace] or "?"))
			map:flush()
		end
	end
end

if map then
	jit.attach(on_trace, "trace")
end

-- Not the program itself: when LuaJIT gives up a trace in a builtin function and
-- has to tell it, it looks for the Lua function below, and crashes if there is
-- none (2.1.0-beta3; a program may end in a tail call). This one always is there.
return function(argument)
	local answer = program(argument)

	return answer
end
