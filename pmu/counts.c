/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "pmu/counts.h"
#include "src/base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MAPS 65536u
#define MAX_INSNS 20000000u

/* A number of base 10 or 16 and the blank behind it. */
static bool number(const char **p, int base, uint64_t *v)
{
	char *end;

	errno = 0;
	*v = strtoull(*p, &end, base);
	if (end == *p || errno || **p == '-' || (*end != ' ' && *end != '\0'))
		return false;
	*p = *end ? end + 1 : end;
	return true;
}

static bool map_line(struct counts *c, const char *p)
{
	struct counts_map m = { 0 };
	uint64_t n;

	if (c->n_maps >= MAX_MAPS || !number(&p, 10, &n) || n == 0 || n > UINT32_MAX ||
	    !number(&p, 16, &m.start) || !number(&p, 16, &m.offset) || !number(&p, 10, &m.inode))
		return false;
	m.number = (uint32_t)n;
	m.process = c->processes;
	m.path = xstrdup(p);
	GROW(c->maps, c->n_maps, c->cap_maps);
	c->maps[c->n_maps++] = m;
	return true;
}

static bool insn_line(struct counts *c, const char *p, uint32_t first_map)
{
	struct counts_insn i = { 0 };
	uint64_t map, len;

	if (c->n_insns >= MAX_INSNS || !number(&p, 10, &map) || map > UINT16_MAX ||
	    !number(&p, 16, &i.addr) || !number(&p, 10, &len) || len == 0 || len > 32 ||
	    !p[0] || p[1] != ' ')
		return false;
	i.process = c->processes;
	i.len = (uint8_t)len;
	i.kind = p[0];
	i.map = map ? (uint32_t)map + first_map : 0;
	p += 2;
	for (int k = 0; k < COUNTS_KINDS; k++)
		if (!number(&p, 10, &i.v[k]))
			return false;
	/* No more went wrong than there was. */
	if (*p || i.v[COUNTS_TAKEN] > i.v[COUNTS_EXECUTED] ||
	    i.v[COUNTS_MISSED] > i.v[COUNTS_EXECUTED])
		return false;
	GROW(c->insns, c->n_insns, c->cap_insns);
	c->insns[c->n_insns++] = i;
	return true;
}

/* One line without its end. */
static bool one_line(struct counts *c, const char *line, int at, uint32_t first_map, bool *ended)
{
	const char *p;
	uint64_t n;

	if (at == 1)
		return !strcmp(line, "cpuprof-model 1");
	if (*ended)
		return false;
	if (!strncmp(line, "insn ", 5))
		return insn_line(c, line + 5, first_map);
	if (!strncmp(line, "map ", 4)) {
		size_t had = c->n_maps;

		if (!map_line(c, line + 4))
			return false;
		c->maps[had].number += first_map;
		return true;
	}
	if (!strncmp(line, "threads ", 8)) {
		p = line + 8;
		if (!number(&p, 10, &n) || *p || n > UINT32_MAX)
			return false;
		c->threads = n > c->threads ? (uint32_t)n : c->threads;
		return true;
	}
	*ended = !strcmp(line, "end");
	return *ended;
}

int counts_parse(struct counts *c, const char *text, size_t len, struct err *err)
{
	/* Numbers of maps begin anew in each file. */
	uint32_t first_map = (uint32_t)c->n_maps ? c->maps[c->n_maps - 1].number : 0;
	char line[8192];
	bool ended = false;
	int at = 0;

	c->processes++;
	for (size_t from = 0; from < len;) {
		const char *nl = memchr(text + from, '\n', len - from);
		size_t n = nl ? (size_t)(nl - text) - from : len - from;

		at++;
		if (n < sizeof(line)) {
			memcpy(line, text + from, n);
			line[n] = '\0';
		}
		if (n >= sizeof(line) || !nl || strlen(line) != n ||
		    !one_line(c, line, at, first_map, &ended))
			return err_set(err, -EINVAL, "line %d of the model tool's output is wrong", at);
		from += n + 1;
	}
	return ended ? 0 : err_set(err, -EINVAL, "the model tool's output ends before its end");
}

void counts_release(struct counts *c)
{
	for (size_t i = 0; i < c->n_maps; i++)
		free(c->maps[i].path);
	free(c->maps);
	free(c->insns);
	memset(c, 0, sizeof(*c));
}

bool counts_is_branch(char kind)
{
	return kind && strchr("cdkjir", kind);
}

uint64_t counts_sum(const struct counts *c, enum counts_of what)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->n_insns; i++)
		sum += c->insns[i].v[what];
	return sum;
}

uint64_t counts_branches(const struct counts *c, bool conditional_only)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < c->n_insns; i++)
		if (conditional_only ? c->insns[i].kind == 'c' : counts_is_branch(c->insns[i].kind))
			sum += c->insns[i].v[COUNTS_EXECUTED];
	return sum;
}
