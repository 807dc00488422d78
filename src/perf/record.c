/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/perf/record.h"
#include "src/base/cursor.h"
#include "src/base/mem.h"

#include <errno.h>
#include <string.h>

#define HEADER RECORD_HEADER

const char *record_name(uint32_t type)
{
	static const char *const kernel[] = {
		NULL, "MMAP", "LOST", "COMM", "EXIT", "THROTTLE", "UNTHROTTLE", "FORK",
		"READ", "SAMPLE", "MMAP2", "AUX", "ITRACE_START", "LOST_SAMPLES", "SWITCH",
		"SWITCH_CPU_WIDE", "NAMESPACES", "KSYMBOL", "BPF_EVENT", "CGROUP",
		"TEXT_POKE", "AUX_OUTPUT_HW_ID", "CALLCHAIN_DEFERRED",
	};
	static const char *const user[] = {
		"ATTR", "EVENT_TYPE", "TRACING_DATA", "BUILD_ID", "FINISHED_ROUND",
		"ID_INDEX", "AUXTRACE_INFO", "AUXTRACE", "AUXTRACE_ERROR", "THREAD_MAP",
		"CPU_MAP", "STAT_CONFIG", "STAT", "STAT_ROUND", "EVENT_UPDATE", "TIME_CONV",
		"FEATURE", "COMPRESSED", "FINISHED_INIT", "COMPRESSED2", "BPF_METADATA",
	};

	if (type < ARRAY_SIZE(kernel))
		return kernel[type];
	if (type >= 64 && type - 64 < ARRAY_SIZE(user))
		return user[type - 64];
	return NULL;
}

static struct cursor body(const struct record *r)
{
	return cursor_of(r->data + HEADER, r->size - HEADER, r->swap);
}

static void skip_read_format(struct cursor *c, uint64_t format, struct sample *s)
{
	unsigned stride = 8;
	uint64_t nr = 1;

	if (format & PERF_FORMAT_ID)
		stride += 8;
	if (format & (1u << 4))		/* PERF_FORMAT_LOST, Linux 6.0 */
		stride += 8;
	if (format & PERF_FORMAT_GROUP)
		nr = cursor_u64(c);
	else
		cursor_u64(c);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		cursor_u64(c);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		cursor_u64(c);
	if (!(format & PERF_FORMAT_GROUP)) {
		cursor_bytes(c, stride - 8);
		return;
	}
	if (nr > cursor_left(c) / stride) {
		c->bad = true;
		return;
	}
	s->read_nr = nr;
	s->read_stride = stride;
	s->read = cursor_bytes(c, nr * stride);
}

/* The order of fields in PERF_RECORD_SAMPLE, perf_event_open(2). */
void event_layout_prepare(struct event_layout *l)
{
	uint8_t ignored, *const fields[] = {
		&l->ip, &l->tid, &l->time, &l->addr, &l->id, &ignored, &l->cpu, &l->period,
	};
	static const uint64_t bits[] = {
		PERF_SAMPLE_IP, PERF_SAMPLE_TID, PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR,
		PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU, PERF_SAMPLE_PERIOD,
	};
	uint8_t at = HEADER, identifier = 0;

	if (l->sample_type & PERF_SAMPLE_IDENTIFIER) {
		identifier = at;
		at += 8;
	}
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++) {
		*fields[i] = l->sample_type & bits[i] ? at : 0;
		at += l->sample_type & bits[i] ? 8 : 0;
	}
	if (identifier)
		l->id = identifier;
	l->fixed = at;
}

int sample_decode_read(const struct record *r, const struct event_layout *l, struct sample *s)
{
	struct cursor c = cursor_of(r->data + l->fixed, r->size - l->fixed, r->swap);

	skip_read_format(&c, l->read_format, s);
	if (c.bad)
		return -EINVAL;
	return l->sample_type & PERF_SAMPLE_CALLCHAIN ?
		sample_decode_chain(r, (unsigned)(c.p - r->data), s) : 0;
}

#define BRANCH_ENTRY 24u	/* struct perf_branch_entry */

int sample_branch_stack(const struct record *r, const struct event_layout *l,
			struct branch_stack *b)
{
	struct cursor c = cursor_of(r->data + l->fixed, r->size - l->fixed, r->swap);
	struct sample ignored = { 0 };

	memset(b, 0, sizeof(*b));
	if (!(l->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return 0;
	if (r->size < l->fixed)
		return -EINVAL;
	if (l->sample_type & PERF_SAMPLE_READ)
		skip_read_format(&c, l->read_format, &ignored);
	if (l->sample_type & PERF_SAMPLE_CALLCHAIN) {
		uint64_t nr = cursor_u64(&c);

		if (nr > cursor_left(&c) / 8)
			return -EINVAL;
		cursor_bytes(&c, nr * 8);
	}
	if (l->sample_type & PERF_SAMPLE_RAW)
		cursor_bytes(&c, cursor_u32(&c));
	b->nr = cursor_u64(&c);
	if (l->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		cursor_u64(&c);
	if (c.bad || b->nr > cursor_left(&c) / BRANCH_ENTRY) {
		b->nr = 0;
		return -EINVAL;
	}
	b->entries = c.p;
	b->swap = r->swap;
	return 0;
}

struct branch_entry branch_stack_entry(const struct branch_stack *b, uint64_t i)
{
	struct cursor c = cursor_of(b->entries + i * BRANCH_ENTRY, BRANCH_ENTRY, b->swap);
	struct branch_entry e = { .from = cursor_u64(&c) };
	uint64_t flags;

	e.to = cursor_u64(&c);
	flags = cursor_u64(&c);
	/* Bit fields begin at the other end on machines of the other byte order. */
	e.missed = b->swap ? flags >> 63 & 1 : flags & 1;
	e.predicted = b->swap ? flags >> 62 & 1 : flags >> 1 & 1;
	return e;
}

int sample_id_offset(uint64_t t)
{
	int off = HEADER;

	if (t & PERF_SAMPLE_IDENTIFIER)
		return off;
	if (!(t & PERF_SAMPLE_ID))
		return -1;
	off += t & PERF_SAMPLE_IP ? 8 : 0;
	off += t & PERF_SAMPLE_TID ? 8 : 0;
	off += t & PERF_SAMPLE_TIME ? 8 : 0;
	off += t & PERF_SAMPLE_ADDR ? 8 : 0;
	return off;
}

int record_trailer(const struct record *r, const struct event_layout *l,
		   struct record_trailer *t)
{
	const uint64_t fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
		PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
	uint64_t type = l->sample_type;
	struct cursor c;

	memset(t, 0, sizeof(*t));
	if (!l->sample_id_all)
		return 0;
	t->len = 8u * (size_t)__builtin_popcountll(type & fields);
	if (t->len > (size_t)r->size - HEADER) {
		t->len = 0;
		return -EINVAL;
	}
	c = cursor_of(r->data + r->size - t->len, t->len, r->swap);
	if (type & PERF_SAMPLE_TID)
		cursor_u64(&c);
	if (type & PERF_SAMPLE_TIME) {
		t->time = cursor_u64(&c);
		t->has_time = true;
	}
	if (type & PERF_SAMPLE_ID) {
		t->id = cursor_u64(&c);
		t->has_id = true;
	}
	if (type & PERF_SAMPLE_STREAM_ID)
		cursor_u64(&c);
	if (type & PERF_SAMPLE_CPU)
		cursor_u64(&c);
	if (type & PERF_SAMPLE_IDENTIFIER) {
		t->id = cursor_u64(&c);
		t->has_id = true;
	}
	return 0;
}

static void copy_name(struct cursor *c, char *out, size_t size)
{
	size_t n = strnlen((const char *)c->p, cursor_left(c));

	if (n >= size)
		n = size - 1;
	memcpy(out, c->p, n);
	out[n] = '\0';
}

int record_mmap(const struct record *r, const struct event_layout *l, struct record_mmap *m)
{
	struct cursor c = body(r);
	struct record_trailer t;

	(void)record_trailer(r, l, &t);
	c.end -= t.len;
	memset(m, 0, offsetof(struct record_mmap, path));
	m->path[0] = '\0';
	m->pid = cursor_u32(&c);
	m->tid = cursor_u32(&c);
	m->addr = cursor_u64(&c);
	m->len = cursor_u64(&c);
	m->pgoff = cursor_u64(&c);
	/* Linux before 3.16 told data maps by a bit of misc. */
	m->prot = r->misc & PERF_RECORD_MISC_MMAP_DATA ? 1 : 4;
	if (r->type == PERF_RECORD_MMAP2) {
		const uint8_t *id = cursor_bytes(&c, 24);

		m->prot = cursor_u32(&c);
		cursor_u32(&c);
		if (c.bad)
			return -EINVAL;
		if (r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
			m->build_id_len = id[0] <= 20 ? id[0] : 20;
			memcpy(m->build_id, id + 4, 20);
		} else {
			struct cursor d = cursor_of(id, 24, r->swap);

			m->maj = cursor_u32(&d);
			m->min = cursor_u32(&d);
			m->inode = cursor_u64(&d);
		}
	}
	if (c.bad)
		return -EINVAL;
	/* Old kernel maps say "everything from here". */
	if (m->addr + m->len < m->addr)
		m->len = UINT64_MAX - m->addr;
	copy_name(&c, m->path, sizeof(m->path));
	return 0;
}

int record_task(const struct record *r, struct record_task *t)
{
	struct cursor c = body(r);

	memset(t, 0, sizeof(*t));
	t->pid = cursor_u32(&c);
	if (r->type == PERF_RECORD_COMM) {
		t->tid = cursor_u32(&c);
		if (c.bad)
			return -EINVAL;
		copy_name(&c, t->comm, sizeof(t->comm));
		return 0;
	}
	t->ppid = cursor_u32(&c);
	t->tid = cursor_u32(&c);
	t->ptid = cursor_u32(&c);
	t->time = cursor_u64(&c);
	return c.bad ? -EINVAL : 0;
}

int record_read(const struct record *r, struct record_read *v)
{
	struct cursor c = body(r);

	v->pid = cursor_u32(&c);
	v->tid = cursor_u32(&c);
	v->value = cursor_u64(&c);
	v->enabled_ns = cursor_u64(&c);
	v->running_ns = cursor_u64(&c);
	v->id = cursor_u64(&c);
	return c.bad ? -EINVAL : 0;
}

uint64_t record_lost(const struct record *r)
{
	struct cursor c = body(r);

	if (r->type == PERF_RECORD_LOST)
		cursor_u64(&c);
	else if (r->type != PERF_RECORD_LOST_SAMPLES)
		return 0;
	return cursor_u64(&c);
}
