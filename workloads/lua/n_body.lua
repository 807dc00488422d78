-- SPDX-License-Identifier: MIT
-- n_body - the sun and its four large planets, n steps of a symplectic
-- integrator: floating point and fields of tables. Masses and orbits are those
-- of the Computer Language Benchmarks Game; the answer is the energy before
-- and after.

local PI = 3.141592653589793
local SOLAR_MASS = 4 * PI * PI
local YEAR = 365.24
local STEP = 0.01

local function body(x, y, z, vx, vy, vz, mass)
	return { x = x, y = y, z = z, vx = vx * YEAR, vy = vy * YEAR, vz = vz * YEAR,
		mass = mass * SOLAR_MASS }
end

local function solar_system()
	return {
		body(0, 0, 0, 0, 0, 0, 1),
		body(4.84143144246472090, -1.16032004402742839, -1.03622044471123109e-1,
			1.66007664274403694e-3, 7.69901118419740425e-3, -6.90460016972063023e-5,
			9.54791938424326609e-4),
		body(8.34336671824457987, 4.12479856412430479, -4.03523417114321381e-1,
			-2.76742510726411899e-3, 4.99852801234917238e-3, 2.30417297573763929e-5,
			2.85885980666130812e-4),
		body(1.28943695621391310e1, -1.51111514016986312e1, -2.23307578892655734e-1,
			2.96460137564761618e-3, 2.37847173959480950e-3, -2.96589568540237556e-5,
			4.36624404335156298e-5),
		body(1.53796971148509165e1, -2.59193146099879641e1, 1.79258772950371181e-1,
			2.68067772490389322e-3, 1.62824170038242295e-3, -9.51592254519715870e-5,
			5.15138902046611451e-5),
	}
end

-- The sun moves so that the momentum of all is zero.
local function rest(bodies)
	local px, py, pz = 0, 0, 0

	for _, b in ipairs(bodies) do
		px, py, pz = px + b.vx * b.mass, py + b.vy * b.mass, pz + b.vz * b.mass
	end
	local sun = bodies[1]
	sun.vx, sun.vy, sun.vz = -px / SOLAR_MASS, -py / SOLAR_MASS, -pz / SOLAR_MASS
end

local function energy(bodies)
	local e = 0

	for i = 1, #bodies do
		local a = bodies[i]

		e = e + 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
		for j = i + 1, #bodies do
			local b = bodies[j]
			local dx, dy, dz = a.x - b.x, a.y - b.y, a.z - b.z

			e = e - a.mass * b.mass / math.sqrt(dx * dx + dy * dy + dz * dz)
		end
	end
	return e
end

local function advance(bodies, n)
	for i = 1, n do
		local a = bodies[i]
		local x, y, z, mass = a.x, a.y, a.z, a.mass
		local vx, vy, vz = a.vx, a.vy, a.vz

		for j = i + 1, n do
			local b = bodies[j]
			local dx, dy, dz = x - b.x, y - b.y, z - b.z
			local d2 = dx * dx + dy * dy + dz * dz
			local pull = STEP / (d2 * math.sqrt(d2))
			local by, back = b.mass * pull, mass * pull

			vx, vy, vz = vx - dx * by, vy - dy * by, vz - dz * by
			b.vx, b.vy, b.vz = b.vx + dx * back, b.vy + dy * back, b.vz + dz * back
		end
		a.vx, a.vy, a.vz = vx, vy, vz
		a.x, a.y, a.z = x + STEP * vx, y + STEP * vy, z + STEP * vz
	end
end

return function(steps)
	local bodies = solar_system()

	rest(bodies)
	local before = energy(bodies)
	for _ = 1, steps do
		advance(bodies, #bodies)
	end
	return ("%.9f\n%.9f\n"):format(before, energy(bodies))
end
