-- SPDX-License-Identifier: MIT
-- binary_trees - many short-lived trees and one long-lived one, counted node by
-- node: allocation and garbage collection. The lines are those of the
-- Computer Language Benchmarks Game.

local function build(depth)
	if depth == 0 then
		return {}
	end
	return { build(depth - 1), build(depth - 1) }
end

local function count(tree)
	local left = tree[1]

	if not left then
		return 1
	end
	return 1 + count(left) + count(tree[2])
end

return function(depth)
	local lines = {
		("stretch tree of depth %d\t check: %d"):format(depth + 1, count(build(depth + 1))),
	}
	local long_lived = build(depth)

	for d = 4, depth, 2 do
		local trees = 2 ^ (depth - d + 4)
		local nodes = 0

		for _ = 1, trees do
			nodes = nodes + count(build(d))
		end
		lines[#lines + 1] = ("%d\t trees of depth %d\t check: %d"):format(trees, d, nodes)
	end
	lines[#lines + 1] = ("long lived tree of depth %d\t check: %d\n"):format(depth,
		count(long_lived))
	return table.concat(lines, "\n")
end
