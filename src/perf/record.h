/*
 * record.h - one decoder for perf records, from rings and from files, of
 * either byte order. Every length is checked; nothing is trusted.
 *
 * Layouts follow include/uapi/linux/perf_event.h (records below 64) and
 * tools/perf/Documentation/perf.data-file-format.txt (from 64 on).
 */
#ifndef CPUPROF_PERF_RECORD_H
#define CPUPROF_PERF_RECORD_H

#include <byteswap.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Records that perf itself writes into files. */
enum record_user {
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_EVENT_TYPE = 65,
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_EVENT_UPDATE = 78,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82,
	RECORD_COMPRESSED2 = 83,
};

/* "MMAP2", "SAMPLE" ...; NULL for a type nobody knows. */
const char *record_name(uint32_t type);

/* A raw record as it lies in memory, header included. */
struct record {
	const uint8_t *data;	/* borrowed */
	uint32_t type;
	uint16_t misc;
	uint16_t size;		/* with the header, >= 8 */
	bool swap;		/* other byte order */
};

#define RECORD_HEADER 8u

/* The record at p with left bytes behind it: its size, 0 when the bytes end
 * before it does, -EINVAL when its size cannot be. */
static inline int record_at(const void *p, size_t left, bool swap, struct record *r)
{
	struct perf_event_header h = { 0 };

	r->data = p;
	r->swap = swap;
	if (left >= RECORD_HEADER)
		memcpy(&h, p, RECORD_HEADER);
	r->type = swap ? bswap_32(h.type) : h.type;
	r->misc = swap ? bswap_16(h.misc) : h.misc;
	r->size = swap ? bswap_16(h.size) : h.size;
	if (left < RECORD_HEADER)
		return 0;
	if (r->size < RECORD_HEADER)
		return -EINVAL;
	return r->size <= left ? r->size : 0;
}

/* What a decoder needs of an event's attr, in this machine's byte order. */
struct event_layout {
	uint64_t sample_type, read_format, branch_type;
	bool sample_id_all;
	/* Where the fields of its samples lie from the record's start; 0: not
	 * there. Set by event_layout_prepare(). */
	uint8_t ip, tid, time, addr, id, cpu, period;
	uint8_t fixed;		/* bytes before the fields of varying length */
};
void event_layout_prepare(struct event_layout *l);

struct sample {
	uint64_t id, ip, time, addr, period;
	uint32_t pid, tid, cpu;
	const uint8_t *chain;	/* chain_nr u64 in the record's byte order */
	uint64_t chain_nr;
	const uint8_t *read;	/* PERF_SAMPLE_READ of a group: read_nr entries */
	uint64_t read_nr;
	unsigned read_stride;	/* bytes an entry: value, id, lost */
};

static inline uint64_t record_u64(const struct record *r, unsigned off)
{
	uint64_t v;

	memcpy(&v, r->data + off, sizeof(v));
	return r->swap ? bswap_64(v) : v;
}

static inline uint32_t record_u32(const struct record *r, unsigned off)
{
	uint32_t v;

	memcpy(&v, r->data + off, sizeof(v));
	return r->swap ? bswap_32(v) : v;
}

/* Fields whose place depends on the sample: values read, then the call chain. */
int sample_decode_read(const struct record *r, const struct event_layout *l, struct sample *s);

static inline int sample_decode_chain(const struct record *r, unsigned off, struct sample *s)
{
	if (r->size < off + 8)
		return -EINVAL;
	s->chain_nr = record_u64(r, off);
	s->chain = r->data + off + 8;
	return s->chain_nr <= (r->size - off - 8) / 8 ? 0 : -EINVAL;
}

/* 0, or -EINVAL when fields run past the record. Fields that are not in the
 * layout are 0; period is then 1 (fixed periods are the caller's to know).
 * Inline, as most of the time of a report is spent here. The flat one is for
 * layouts without PERF_SAMPLE_READ. */
static inline int sample_decode_flat(const struct record *r, const struct event_layout *l,
				     struct sample *s)
{
	s->chain_nr = s->read_nr = 0;
	if (r->size < l->fixed)
		return -EINVAL;
	s->id = l->id ? record_u64(r, l->id) : 0;
	s->ip = l->ip ? record_u64(r, l->ip) : 0;
	s->pid = l->tid ? record_u32(r, l->tid) : 0;
	s->tid = l->tid ? record_u32(r, l->tid + 4u) : 0;
	s->time = l->time ? record_u64(r, l->time) : 0;
	s->addr = l->addr ? record_u64(r, l->addr) : 0;
	s->cpu = l->cpu ? record_u32(r, l->cpu) : 0;
	s->period = l->period ? record_u64(r, l->period) : 1;
	return l->sample_type & PERF_SAMPLE_CALLCHAIN && !(l->sample_type & PERF_SAMPLE_READ) ?
		sample_decode_chain(r, l->fixed, s) : 0;
}

static inline int sample_decode(const struct record *r, const struct event_layout *l,
				struct sample *s)
{
	int rc = sample_decode_flat(r, l, s);

	return rc == 0 && l->sample_type & PERF_SAMPLE_READ ? sample_decode_read(r, l, s) : rc;
}

/* One of the last branches taken, newest first. */
struct branch_entry {
	uint64_t from, to;
	bool missed, predicted;	/* both false: this CPU does not say */
};
struct branch_stack {
	const uint8_t *entries;	/* borrowed; in the record's byte order */
	uint64_t nr;
	bool swap;
};
/* The branch stack of a sample: 0, with nr 0 when it has none, or -EINVAL. */
int sample_branch_stack(const struct record *r, const struct event_layout *l,
			struct branch_stack *b);
struct branch_entry branch_stack_entry(const struct branch_stack *b, uint64_t i);

/* Where the id of a sample lies from the record's start, -1 when it has none. */
int sample_id_offset(uint64_t sample_type);

/* The trailing fields of records that are not samples. */
struct record_trailer {
	uint64_t time, id;
	bool has_time, has_id;
	size_t len;		/* bytes it takes at the record's end */
};
int record_trailer(const struct record *r, const struct event_layout *l,
		   struct record_trailer *t);

struct record_mmap {
	uint32_t pid, tid, prot;
	uint64_t addr, len, pgoff, inode;
	uint32_t maj, min;
	uint8_t build_id[20];
	uint8_t build_id_len;	/* 0: none in the record */
	char path[4096];
};
/* MMAP and MMAP2; the name is cut at the record's end when unterminated. */
int record_mmap(const struct record *r, const struct event_layout *l, struct record_mmap *m);

struct record_task {		/* COMM: pid, tid, comm; FORK and EXIT: all numbers */
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;		/* FORK and EXIT carry one of their own */
	char comm[64];
};
int record_task(const struct record *r, struct record_task *t);

/* READ: what an inherited event had counted when its thread ended. */
struct record_read {
	uint32_t pid, tid;
	uint64_t value, enabled_ns, running_ns, id;
};
/* read_format: of the event; it must hold both times and the id. */
int record_read(const struct record *r, struct record_read *v);

/* LOST: records lost; LOST_SAMPLES: samples lost; 0 for others or when short. */
uint64_t record_lost(const struct record *r);

#endif
