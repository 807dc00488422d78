/* SPDX-License-Identifier: MIT */
/*
 * luajit - programs in Lua, run by LuaJIT's library; another program is a file
 * in workloads/lua and a row at the end of this one. An operation is one call of
 * the function that the file returns, with the same argument every time.
 *
 * Each thread has a virtual machine of its own, as servers that embed Lua do.
 * Compiled traces are named in the process's perf map while they are made, in
 * scored passes as in sampled ones, so that both run the same code.
 */
#include "config.h"
#include "src/base/mem.h"
#include "workloads/library.h"
#include "workloads/perf_map.h"

#include <dlfcn.h>
#include <errno.h>
#include <lauxlib.h>
#include <lua.h>
#include <luajit.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOTE_S 0.6		/* to look at a machine from inside */

#define FUNCTIONS(X) \
	X(luaL_newstate) X(luaL_openlibs) X(luaL_loadbuffer) X(lua_close) X(lua_pcall) \
	X(lua_settop) X(lua_pushvalue) X(lua_pushinteger) X(lua_pushstring) X(lua_getfield) \
	X(lua_tolstring) X(lua_toboolean) X(luaJIT_profile_start) X(luaJIT_profile_stop)

struct lua {
	FUNCTIONS(LIBRARY_MEMBER)
};

static const char *const names[] = { FUNCTIONS(LIBRARY_NAME) NULL };
static const struct library library = { "LuaJIT", "libluajit-5.1.so.2", names };

/* The files of workloads/lua, put in by the Makefile. */
static const struct script {
	const char *name, *text;
} scripts[] = {
#include "workloads/lua/scripts.def"
};

/* What differs between the workloads. */
struct program {
	const char *file;
	int argument;
	size_t len;		/* of the answer, and its hash by FNV-1a, 64 bits */
	uint64_t hash;
};

struct shared {
	void *handle;
	struct lua lua;
	const struct program *program;
	char *map;		/* path of the perf map, NULL: none; owned */
	int flip_byte;
};

struct state {
	const struct shared *shared;	/* borrowed */
	lua_State *vm;		/* the function to call lies at the bottom of its stack */
	char *answer;		/* of the first call; owned */
	size_t len;
	const char *broken;	/* what went wrong inside a batch */
};

static uint64_t fnv1a(const char *p, size_t len)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)p[i]) * 0x100000001b3u;
	return h;
}

static int failed(const struct lua *l, lua_State *vm, const char *what, struct err *err)
{
	const char *why = l->lua_tolstring(vm, -1, NULL);

	return err_set(err, -EIO, "LuaJIT: %s failed: %s", what, why ? why : "no reason given");
}

/* Leaves the script's function on the stack. */
static int load(const struct lua *l, lua_State *vm, const char *file, struct err *err)
{
	char name[64];

	snprintf(name, sizeof(name), "@%s", file);
	for (size_t i = 0; i < ARRAY_SIZE(scripts); i++)
		if (!strcmp(scripts[i].name, file))
			return l->luaL_loadbuffer(vm, scripts[i].text, strlen(scripts[i].text), name) ?
				failed(l, vm, file, err) : 0;
	return err_set(err, -ENOENT, "no script '%s'", file);
}

static lua_State *new_vm(const struct lua *l, struct err *err)
{
	lua_State *vm = l->luaL_newstate();

	if (vm)
		l->luaL_openlibs(vm);
	else
		err_set(err, -ENOMEM, "LuaJIT: no memory for a virtual machine");
	return vm;
}

/* "2.1.0-beta3", and whether it compiles here. */
static int version(const struct lua *l, char *text, size_t size, struct err *err)
{
	lua_State *vm = new_vm(l, err);
	const char *v;

	if (!vm)
		return err->code;
	l->lua_getfield(vm, LUA_GLOBALSINDEX, "jit");
	l->lua_getfield(vm, 1, "version");
	l->lua_getfield(vm, 1, "status");
	v = l->lua_tolstring(vm, 2, NULL);
	v = v && !strncmp(v, "LuaJIT ", 7) ? v + 7 : v;
	if (l->lua_pcall(vm, 0, 1, 0) == 0)
		snprintf(text, size, "%s%s", v ? v : "?",
			 l->lua_toboolean(vm, -1) ? "" : " without its JIT compiler");
	l->lua_close(vm);
	return 0;
}

static int load_luajit(struct shared *s, const char *path, struct workload_info *info,
		       struct err *err)
{
	int rc = library_open(&s->handle, &library, path, &s->lua, info, err);

	return rc < 0 ? rc : version(&s->lua, info->library_version,
				     sizeof(info->library_version), err);
}

static void luajit_teardown(void *p)
{
	struct shared *s = p;

	if (!s)
		return;
	free(s->map);
	if (s->handle)
		dlclose(s->handle);
	free(s);
}

static int luajit_probe(struct workload_info *info, struct err *err)
{
	struct shared *s = xcalloc(1, sizeof(*s));
	int rc = load_luajit(s, NULL, info, err);

	luajit_teardown(s);
	return rc;
}

static int luajit_setup(const struct workload_env *env, void **shared,
			struct workload_info *info, struct err *err)
{
	struct shared *s = xcalloc(1, sizeof(*s));
	int rc;

	s->program = env->row;
	s->flip_byte = env->flip_byte;
	rc = load_luajit(s, env->library, info, err);
	if (rc < 0) {
		luajit_teardown(s);
		return rc;
	}
	s->map = perf_map_create();
	*shared = s;
	return 0;
}

static void luajit_thread_end(void *p)
{
	struct state *st = p;

	if (!st)
		return;
	if (st->vm)
		st->shared->lua.lua_close(st->vm);
	free(st->answer);
	free(st);
}

/* One call; its answer, or why there is none, lies on the stack. */
static int call(const struct state *st)
{
	const struct lua *l = &st->shared->lua;

	l->lua_settop(st->vm, 1);
	l->lua_pushvalue(st->vm, 1);
	l->lua_pushinteger(st->vm, st->shared->program->argument);
	return l->lua_pcall(st->vm, 1, 1, 0);
}

/* The function to call to the bottom of the stack, its first answer kept. */
static int begin(struct state *st, struct err *err)
{
	const struct shared *s = st->shared;
	const struct lua *l = &s->lua;
	const char *answer;
	int rc;

	st->vm = new_vm(l, err);
	if (!st->vm)
		return err->code;
	rc = load(l, st->vm, "start.lua", err);
	if (rc == 0)
		rc = load(l, st->vm, s->program->file, err);
	if (rc < 0)
		return rc;
	/* The file gives the program, start.lua the function to call. */
	if (l->lua_pcall(st->vm, 0, 1, 0))
		return failed(l, st->vm, s->program->file, err);
	l->lua_pushstring(st->vm, s->map);
	if (l->lua_pcall(st->vm, 2, 1, 0) || call(st))
		return failed(l, st->vm, s->program->file, err);
	answer = l->lua_tolstring(st->vm, -1, &st->len);
	if (!answer)
		return err_set(err, -EBADMSG, "wrong output: %s gave no text", s->program->file);
	st->answer = xmalloc(st->len + 1);
	memcpy(st->answer, answer, st->len + 1);
	return 0;
}

static int luajit_thread_begin(void *p, void **state, struct err *err)
{
	struct state *st = xcalloc(1, sizeof(*st));
	int rc;

	st->shared = p;
	rc = begin(st, err);
	if (rc < 0) {
		luajit_thread_end(st);
		return rc;
	}
	*state = st;
	return 0;
}

static uint64_t luajit_batch(void *p)
{
	struct state *st = p;
	const char *answer = NULL;
	size_t len = 0;

	if (call(st) == 0)
		answer = st->shared->lua.lua_tolstring(st->vm, -1, &len);
	if (!answer || len != st->len || memcmp(answer, st->answer, len))
		st->broken = "two calls gave different answers";
	return 1;
}

/* Answers of all calls are alike; they are those that others published, or the
 * same computed by another program (README.md says which). */
static int luajit_verify(void *p, struct err *err)
{
	struct state *st = p;
	const struct program *want = st->shared->program;

	if (st->broken)
		return err_set(err, -EBADMSG, "wrong output: %s: %s", want->file, st->broken);
	if (st->shared->flip_byte)
		st->answer[st->len / 2] ^= 1;
	if (st->len != want->len || fnv1a(st->answer, st->len) != want->hash)
		return err_set(err, -EBADMSG, "wrong output: %s(%d) gave another answer than is known",
			       want->file, want->argument);
	return 0;
}

/* What LuaJIT's own profiler saw a machine do, in milliseconds. */
struct seen {
	int native, interpreted, in_c, collecting, compiling;
};

static void look(void *p, lua_State *vm, int samples, int state)
{
	struct seen *s = p;

	(void)vm;
	*(state == 'N' ? &s->native : state == 'I' ? &s->interpreted : state == 'C' ? &s->in_c :
	  state == 'G' ? &s->collecting : &s->compiling) += samples;
}

/* The library is stripped, so that samples cannot tell its parts; it can. */
static void luajit_note(void *p, char *text, size_t size)
{
	struct state *st = p;
	const struct lua *l = &st->shared->lua;
	struct seen s = { 0 };
	struct timespec from, now;
	double all;

	clock_gettime(CLOCK_MONOTONIC, &from);
	l->luaJIT_profile_start(st->vm, "i1", look, &s);
	do {
		call(st);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - from.tv_sec) + (double)(now.tv_nsec - from.tv_nsec) * 1e-9 <
		 NOTE_S);
	l->luaJIT_profile_stop(st->vm);
	all = s.native + s.interpreted + s.in_c + s.collecting + s.compiling;
	if (all > 0)
		snprintf(text, size, "LuaJIT's own profiler: traces %.0f %%, interpreter %.0f %%, "
			 "C functions %.0f %%, garbage collection %.0f %%, recording and "
			 "compiling traces %.0f %% (%.0f samples)",
			 100 * s.native / all, 100 * s.interpreted / all, 100 * s.in_c / all,
			 100 * s.collecting / all, 100 * s.compiling / all, all);
}

#define WORKLOAD(ID, NAME, SUMMARY, ...) \
	extern const struct workload workload_luajit_##ID; \
	const struct workload workload_luajit_##ID = { \
		.name = "luajit-" NAME, .summary = SUMMARY, .unit = "call", \
		.score_unit = "calls/s", .score_scale = 1, .library = "luajit", \
		.package = "libluajit-5.1-2", .probe = luajit_probe, .setup = luajit_setup, \
		.thread_begin = luajit_thread_begin, .batch = luajit_batch, \
		.verify = luajit_verify, .note = luajit_note, \
		.thread_end = luajit_thread_end, .teardown = luajit_teardown, \
		.row = &(const struct program){ __VA_ARGS__ } }

WORKLOAD(binary_trees, "binary-trees", "count nodes of many small binary trees, in Lua",
	 "binary_trees.lua", 10, 223, 0xa20740abda92403b);
WORKLOAD(fasta, "fasta", "write random DNA sequences, in Lua",
	 "fasta.lua", 1000, 10245, 0x6b659544b02d5c8a);
WORKLOAD(fibonacci, "fibonacci", "the 30th Fibonacci number by recursion, in Lua",
	 "fibonacci.lua", 30, 6, 0xe2b42a7082126ffa);
WORKLOAD(mandelbrot, "mandelbrot", "the Mandelbrot set on 200 by 200 points, in Lua",
	 "mandelbrot.lua", 200, 5011, 0x3ae1067771285c5f);
WORKLOAD(n_body, "n-body", "1000 steps of the sun and four planets, in Lua",
	 "n_body.lua", 1000, 26, 0x30c76d9b0868e8e4);
WORKLOAD(spectral, "spectral", "the spectral norm of a matrix of 100 by 100, in Lua",
	 "spectral.lua", 100, 12, 0x31e021ec5affb194);
