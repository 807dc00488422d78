/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/perf/perfdata_header.h"
#include "src/base/cursor.h"
#include "src/base/mem.h"
#include "src/perf/event.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum feature {
	FEATURE_BUILD_ID = 2, FEATURE_HOSTNAME = 3, FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5, FEATURE_ARCH = 6, FEATURE_CPUDESC = 8, FEATURE_CPUID = 9,
	FEATURE_CMDLINE = 11, FEATURE_EVENT_DESC = 12,
	FEATURE_SIMPLEPERF_META_INFO = 129, FEATURE_LAST = 256,
};

#define MAX_EVENTS 1024
#define MAX_IDS (1u << 20)

void perfdata_warn(struct perfdata *pd, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	if (pd->ended || pd->n_warnings++ >= 8)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	buf_printf(&pd->warnings, "%s\n", line);
}

/* The flags are a bit field: the other byte order also mirrors each byte. */
static uint64_t read_flags(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 8);
	uint64_t v = 0;

	if (!p)
		return 0;
	for (int i = 0; i < 8; i++) {
		uint8_t b = p[i];

		if (c->swap) {
			b = (uint8_t)((b & 0xf0) >> 4 | (b & 0x0f) << 4);
			b = (uint8_t)((b & 0xcc) >> 2 | (b & 0x33) << 2);
			b = (uint8_t)((b & 0xaa) >> 1 | (b & 0x55) << 1);
		}
		v |= (uint64_t)b << (8 * i);
	}
	return v;
}

/* Flags of perf_event_attr, by their bit. */
enum attr_flag {
	ATTR_EXCLUDE_USER = 4, ATTR_EXCLUDE_KERNEL = 5, ATTR_EXCLUDE_HV = 6, ATTR_FREQ = 10,
	ATTR_PRECISE_IP = 15, ATTR_SAMPLE_ID_ALL = 18, ATTR_EXCLUDE_HOST = 19,
	ATTR_EXCLUDE_GUEST = 20,
};

static bool flag(uint64_t flags, enum attr_flag f)
{
	return flags >> f & 1;
}

/* The modifiers by which perf tells events apart that a file does not name
 * (tools/perf/util/evsel.c, evsel__add_modifiers()). */
static void put_modifiers(struct buf *b, uint64_t flags)
{
	bool no_kernel = flag(flags, ATTR_EXCLUDE_KERNEL), no_user = flag(flags, ATTR_EXCLUDE_USER);
	bool no_hv = flag(flags, ATTR_EXCLUDE_HV), no_guest = flag(flags, ATTR_EXCLUDE_GUEST);
	bool no_host = flag(flags, ATTR_EXCLUDE_HOST);
	int precise = (int)(flags >> ATTR_PRECISE_IP & 3);
	bool spoken = no_kernel || no_user || no_hv;

	if (spoken)
		buf_printf(b, "%s%s%s", no_kernel ? "" : "k", no_user ? "" : "u", no_hv ? "" : "h");
	buf_printf(b, "%.*s", precise, "ppp");
	if (no_host || no_guest == (spoken || precise))
		buf_printf(b, "%s%s", no_host ? "" : "H", no_guest ? "" : "G");
}

/* What to call an event that the file does not name. */
static char *default_name(const struct perfdata_event *e, uint64_t flags)
{
	const char *generic = event_generic_name(e->type, e->config);
	unsigned long long config = e->config;
	struct buf b = BUF_INIT;
	size_t len;

	if (generic)
		buf_adds(&b, generic);
	else if (e->type == PERF_TYPE_RAW)
		buf_printf(&b, "raw 0x%llx", config);
	else if (e->type == PERF_TYPE_TRACEPOINT)
		buf_printf(&b, "tracepoint %llu", config);
	else
		buf_printf(&b, "type %u config 0x%llx", e->type, config);
	buf_addc(&b, ':');
	len = b.len;
	put_modifiers(&b, flags);
	if (b.len == len)
		b.data[len - 1] = '\0';
	return buf_detach(&b);
}

/* One perf_event_attr of size bytes (0: as it says itself). Returns its size,
 * or -EINVAL. */
static long read_attr(struct perfdata *pd, struct cursor *c, struct perfdata_event *e)
{
	struct cursor a = *c;
	uint32_t size;
	uint64_t flags;

	memset(e, 0, sizeof(*e));
	e->type = cursor_u32(&a);
	size = cursor_u32(&a);
	e->config = cursor_u64(&a);
	e->period = cursor_u64(&a);
	e->layout.sample_type = cursor_u64(&a);
	e->layout.read_format = cursor_u64(&a);
	flags = read_flags(&a);
	if (a.bad)
		return -EINVAL;
	if (size == 0)
		size = PERF_ATTR_SIZE_VER0;
	if (size < 48 || size > 4096 || size > cursor_left(c))
		return -EINVAL;
	e->exclude_user = flag(flags, ATTR_EXCLUDE_USER);
	e->exclude_kernel = flag(flags, ATTR_EXCLUDE_KERNEL);
	e->freq = flag(flags, ATTR_FREQ);
	e->layout.sample_id_all = flag(flags, ATTR_SAMPLE_ID_ALL);
	if (size >= PERF_ATTR_SIZE_VER2) {
		cursor_bytes(&a, 24);	/* wakeup, bp_type, config1, config2 */
		e->layout.branch_type = cursor_u64(&a);
	}
	e->name = default_name(e, flags);
	event_layout_prepare(&e->layout);
	return size;
}

static struct perfdata_event *add_event(struct perfdata *pd, const struct perfdata_event *e)
{
	GROW(pd->events, pd->n_events, pd->cap_events);
	pd->events[pd->n_events] = *e;
	if (pd->n_events == 0)
		pd->id_offset = sample_id_offset(e->layout.sample_type);
	else if (pd->id_offset != sample_id_offset(e->layout.sample_type))
		perfdata_warn(pd, "events keep their ids at different places; some samples may be lost");
	return &pd->events[pd->n_events++];
}

static void read_ids(struct perfdata *pd, struct perfdata_event *e, struct cursor *c)
{
	size_t n = cursor_left(c) / 8;

	if (n > MAX_IDS)
		n = MAX_IDS;
	e->ids = xcalloc(n, sizeof(*e->ids));
	e->n_ids = n;
	for (size_t i = 0; i < n; i++) {
		e->ids[i] = cursor_u64(c);
		*map_put(&pd->by_id, e->ids[i], NULL) = (uint64_t)(e - pd->events) + 1;
	}
}

/* A slice of the file; false (and empty) when it lies outside. */
static bool slice(const struct perfdata *pd, uint64_t off, uint64_t len, struct cursor *c)
{
	bool ok = off <= pd->map.len && len <= pd->map.len - off;

	*c = cursor_of((const char *)pd->map.data + (ok ? off : 0), ok ? len : 0, pd->swap);
	return ok;
}

static char *read_string(struct cursor *c)
{
	uint32_t len = cursor_u32(c);
	const char *s = cursor_bytes(c, len);

	return s ? xstrndup(s, len) : NULL;
}

static void set_string(char **to, char *s)
{
	if (!s)
		return;
	free(*to);
	*to = s;
}

static void read_cmdline(struct perfdata *pd, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	struct buf b = BUF_INIT;

	for (uint32_t i = 0; i < n && !c->bad && b.len < 65536; i++) {
		char *s = read_string(c);

		if (s)
			buf_printf(&b, "%s%s", i ? " " : "", s);
		free(s);
	}
	set_string(&pd->cmdline, buf_detach(&b));
}

/* Names as perf printed them, for the events in the order of the attrs. */
static void read_event_desc(struct perfdata *pd, struct cursor *c)
{
	uint32_t n = cursor_u32(c), attr_size = cursor_u32(c);

	for (uint32_t i = 0; i < n && !c->bad; i++) {
		uint32_t n_ids;
		char *name;

		cursor_bytes(c, attr_size);
		n_ids = cursor_u32(c);
		name = read_string(c);
		cursor_bytes(c, (size_t)n_ids * 8);
		if (name && i < pd->n_events && *name)
			set_string(&pd->events[i].name, name);
		else
			free(name);
	}
}

/* "NAME,TYPE,CONFIG" a line. perf's own name is better where it has one. */
static void name_simpleperf_events(struct perfdata *pd, const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		const char *eol = memchr(s, '\n', (size_t)(end - s));
		char *line = xstrndup(s, (size_t)((eol ? eol : end) - s)), *comma = strchr(line, ',');
		unsigned type;
		unsigned long long config;

		if (comma && sscanf(comma, ",%9u,%19llu", &type, &config) == 2)
			for (size_t i = 0; i < pd->n_events; i++)
				if (pd->events[i].type == type && pd->events[i].config == config &&
				    !event_generic_name(type, config))
					set_string(&pd->events[i].name,
						   xstrndup(line, (size_t)(comma - line)));
		free(line);
		s = eol ? eol + 1 : end;
	}
}

/* Pairs of NUL-ended key and value (system/extras/simpleperf/record_file.h). */
static void read_simpleperf_meta(struct perfdata *pd, struct cursor *c)
{
	static const char key[] = "event_type_info";

	while (cursor_left(c)) {
		const char *k = (const char *)c->p;
		size_t n = strnlen(k, cursor_left(c));
		const char *v = k + n + 1;

		if (n == cursor_left(c))
			return;
		cursor_bytes(c, n + 1);
		n = strnlen(v, cursor_left(c));
		if (!strcmp(k, key))
			name_simpleperf_events(pd, v, n);
		cursor_bytes(c, n < cursor_left(c) ? n + 1 : n);
	}
}

static void add_build_id(struct perfdata *pd, const struct record *r)
{
	struct cursor c = cursor_of(r->data + 8, r->size - 8u, r->swap);
	struct perfdata_build_id b = { .misc = r->misc };
	const uint8_t *id;

	cursor_u32(&c);
	id = cursor_bytes(&c, 24);
	if (!id)
		return;
	memcpy(b.id, id, 20);
	b.len = r->misc & 1u << 15 && id[20] <= 20 ? id[20] : 20;
	b.path = xstrndup((const char *)c.p, cursor_left(&c));
	GROW(pd->build_ids, pd->n_build_ids, pd->cap_build_ids);
	pd->build_ids[pd->n_build_ids++] = b;
}

static void read_build_ids(struct perfdata *pd, struct cursor *c)
{
	struct record r;
	int n;

	while (cursor_left(c) && (n = record_at(c->p, cursor_left(c), pd->swap, &r)) > 0) {
		add_build_id(pd, &r);
		c->p += n;
	}
}

static void read_feature(struct perfdata *pd, int feature, struct cursor *c)
{
	switch (feature) {
	case FEATURE_BUILD_ID: read_build_ids(pd, c); break;
	case FEATURE_HOSTNAME: set_string(&pd->hostname, read_string(c)); break;
	case FEATURE_OSRELEASE: set_string(&pd->osrelease, read_string(c)); break;
	case FEATURE_VERSION: set_string(&pd->version, read_string(c)); break;
	case FEATURE_ARCH: set_string(&pd->arch, read_string(c)); break;
	case FEATURE_CPUDESC: set_string(&pd->cpudesc, read_string(c)); break;
	case FEATURE_CPUID: set_string(&pd->cpuid, read_string(c)); break;
	case FEATURE_CMDLINE: read_cmdline(pd, c); break;
	case FEATURE_EVENT_DESC: read_event_desc(pd, c); break;
	case FEATURE_SIMPLEPERF_META_INFO: read_simpleperf_meta(pd, c); break;
	default: return;
	}
	if (c->bad)
		perfdata_warn(pd, "feature %d ends early", feature);
}

/* The feature table lies behind the data, one entry for each bit set. */
static void read_features(struct perfdata *pd, const uint64_t bits[4])
{
	struct cursor table;
	uint64_t off = pd->data_end;

	for (int f = 0; f < FEATURE_LAST; f++) {
		struct cursor c;
		uint64_t at, len;

		if (!(bits[f / 64] >> f % 64 & 1))
			continue;
		if (!slice(pd, off, 16, &table)) {
			perfdata_warn(pd, "the file ends inside its feature table");
			return;
		}
		off += 16;
		at = cursor_u64(&table);
		len = cursor_u64(&table);
		if (!slice(pd, at, len, &c))
			perfdata_warn(pd, "feature %d lies outside the file", f);
		else
			read_feature(pd, f, &c);
	}
}

/* In the other byte order the bitmap was written as 64-bit words by some
 * perfs and as 32-bit words by others: HOSTNAME, always there, tells. */
static void fix_feature_bits(struct perfdata *pd, uint64_t bits[4])
{
	if (!pd->swap || bits[0] >> FEATURE_HOSTNAME & 1)
		return;
	for (int i = 0; i < 4; i++)
		bits[i] = bits[i] << 32 | bits[i] >> 32;
}

int perfdata_file_header(struct perfdata *pd, const char *path, struct err *err)
{
	struct cursor c, ids;
	uint64_t attr_size, attrs_off, attrs_len, data_len, bits[4], n;

	slice(pd, 0, 104, &c);
	cursor_bytes(&c, 16);
	attr_size = cursor_u64(&c);
	attrs_off = cursor_u64(&c);
	attrs_len = cursor_u64(&c);
	pd->data_off = cursor_u64(&c);
	data_len = cursor_u64(&c);
	cursor_bytes(&c, 16);
	for (int i = 0; i < 4; i++)
		bits[i] = cursor_u64(&c);
	if (c.bad)
		return err_set(err, -EINVAL, "'%s' ends inside its perf.data header", path);
	fix_feature_bits(pd, bits);
	if (attr_size < 64 || attr_size > 4096)
		return err_set(err, -EINVAL, "'%s' has event descriptions of an impossible size (%llu)",
			       path, (unsigned long long)attr_size);
	n = attrs_len / attr_size;
	if (n == 0 || n > MAX_EVENTS || !slice(pd, attrs_off, attrs_len, &c))
		return err_set(err, -EINVAL, "'%s' describes no events (its recorder was cut off "
			       "before it wrote them, or the file is damaged)", path);
	for (uint64_t i = 0; i < n; i++) {
		struct perfdata_event e;
		struct cursor a = cursor_of(c.p + i * attr_size, attr_size, pd->swap);
		uint64_t ids_off, ids_len;

		if (read_attr(pd, &a, &e) < 0)
			return err_set(err, -EINVAL, "event %llu of '%s' has a damaged description",
				       (unsigned long long)i, path);
		a.p += attr_size - 16;
		ids_off = cursor_u64(&a);
		ids_len = cursor_u64(&a);
		add_event(pd, &e);
		if (ids_len && !slice(pd, ids_off, ids_len, &ids))
			perfdata_warn(pd, "the ids of event %llu lie outside the file",
			     (unsigned long long)i);
		else if (ids_len)
			read_ids(pd, &pd->events[pd->n_events - 1], &ids);
	}
	if (pd->data_off > pd->map.len)
		return err_set(err, -EINVAL, "the records of '%s' lie outside the file", path);
	if (data_len == 0) {
		perfdata_warn(pd, "the recorder did not finish the file: no build-ids, records to its end");
		pd->data_end = pd->map.len;
		return 0;
	}
	pd->data_end = pd->data_off + data_len;
	if (data_len > pd->map.len - pd->data_off) {
		perfdata_warn(pd, "the file ends %llu bytes before its records do",
		     (unsigned long long)(data_len - (pd->map.len - pd->data_off)));
		pd->data_end = pd->map.len;
		return 0;
	}
	read_features(pd, bits);
	return 0;
}

void perfdata_header_record(struct perfdata *pd, const struct record *r)
{
	struct cursor c = cursor_of(r->data + 8, r->size - 8u, r->swap);
	struct perfdata_event e;
	uint64_t v, *at;
	long size;

	switch (r->type) {
	case RECORD_HEADER_ATTR:
		size = read_attr(pd, &c, &e);
		if (size < 0 || pd->n_events >= MAX_EVENTS) {
			perfdata_warn(pd, "an event description in the stream is damaged");
			free(e.name);
			return;
		}
		cursor_bytes(&c, (size_t)size);
		add_event(pd, &e);
		read_ids(pd, &pd->events[pd->n_events - 1], &c);
		break;
	case RECORD_HEADER_BUILD_ID:
		add_build_id(pd, r);
		break;
	case RECORD_HEADER_FEATURE:
		v = cursor_u64(&c);
		if (v < FEATURE_LAST)
			read_feature(pd, (int)v, &c);
		break;
	case RECORD_EVENT_UPDATE:
		v = cursor_u64(&c);
		at = map_find(&pd->by_id, cursor_u64(&c));
		if (v == 2 && at && !c.bad)	/* PERF_EVENT_UPDATE__NAME */
			set_string(&pd->events[*at - 1].name,
				   xstrndup((const char *)c.p, cursor_left(&c)));
		break;
	}
}
