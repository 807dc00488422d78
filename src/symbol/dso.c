/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/symbol/dso.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/base/strtab.h"
#include "src/symbol/demangle.h"
#include "src/symbol/elf.h"
#include "src/symbol/kallsyms.h"
#include "src/symbol/source.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define MAX_PERF_MAP ((size_t)256 << 20)

struct dso {
	struct flight *flight;	/* borrowed */
	struct dso_key key;	/* path owned */
	char *path, *folder;
	bool loaded;
	enum dso_status status;
	bool stripped;
	bool remembered;	/* kernel: names are from the cache */
	uint16_t machine;
	int64_t shift;		/* kernel: recorded address + shift = ours */
	struct elf_image elf;
	struct symtab tab;
	struct strtab names;	/* demangled or replayed */
	struct source *source;	/* of elf; NULL until asked for, or when there is none */
	bool source_tried;
};

const char *dso_short_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return path[0] == '[' || !slash || !slash[1] ? path : slash + 1;
}

const char *dso_status_text(enum dso_status s)
{
	static const char *const text[] = {
		[DSO_VERIFIED] = "verified",
		[DSO_UNVERIFIED] = "unverified: the recording has no build-id to compare",
		[DSO_CHANGED] = "changed since the recording, addresses only",
		[DSO_MISSING] = "not readable here, addresses only",
		[DSO_HIDDEN] = "hidden by kptr_restrict, addresses only",
		[DSO_NO_FILE] = "no file",
	};

	return text[s];
}

struct dso *dso_new(struct flight *f, const struct dso_key *key)
{
	struct dso *d = xcalloc(1, sizeof(*d));

	d->flight = f;
	d->key = *key;
	d->path = xstrdup(key->path);
	d->key.path = d->path;
	d->folder = key->folder ? xstrdup(key->folder) : NULL;
	d->key.folder = d->folder;
	d->elf.fd = -1;
	return d;
}

void dso_free(struct dso *d)
{
	if (!d)
		return;
	source_close(d->source);
	elf_close(&d->elf);
	symtab_release(&d->tab);
	strtab_release(&d->names);
	free(d->path);
	free(d->folder);
	free(d);
}

static bool is_kernel(const struct dso *d)
{
	return d->key.kernel || !strncmp(d->path, "[kernel", 7) || !strncmp(d->path, "[guest.kernel", 13);
}

/* Compares what was recorded with what is here. */
static enum dso_status check(const struct dso *d, const uint8_t *id, int len, uint64_t inode)
{
	if (d->key.build_id_len && len)
		return len == d->key.build_id_len && !memcmp(id, d->key.build_id, (size_t)len) ?
			DSO_VERIFIED : DSO_CHANGED;
	if (d->key.build_id_len)
		return DSO_CHANGED;
	if (d->key.inode && inode && d->key.same_host)
		return d->key.inode == inode ? DSO_VERIFIED : DSO_CHANGED;
	return d->key.same_host ? DSO_UNVERIFIED : DSO_CHANGED;
}

static enum dso_status load_kernel(struct dso *d)
{
	struct buf b = BUF_INIT;
	uint8_t id[20];
	struct symtab_anchor text;
	enum dso_status s = DSO_MISSING;
	int len = 0;

	if (io_read_file("/sys/kernel/notes", 1 << 20, &b, NULL) == 0)
		len = elf_notes_build_id(b.data, b.len, id);
	s = check(d, id, len, 0);
	buf_clear(&b);
	if (s != DSO_CHANGED) {
		if (kallsyms_read(&b, &d->remembered) < 0)
			s = DSO_MISSING;
		else if (symtab_take_kallsyms(&d->tab, &b, &text))
			s = DSO_HIDDEN;
		else if (text.start && d->key.kernel_text)
			d->shift = (int64_t)(text.start - d->key.kernel_text);
	}
	if (s > DSO_UNVERIFIED)
		symtab_release(&d->tab);
	buf_release(&b);
#ifdef __x86_64__
	d->machine = EM_X86_64;
#elif defined(__aarch64__)
	d->machine = EM_AARCH64;
#endif
	return s;
}

/* What was remembered does not know the address: a module's, perhaps. */
static void ask_kernel_again(struct dso *d)
{
	struct buf b = BUF_INIT;
	struct symtab_anchor text;

	d->remembered = false;
	if (kallsyms_read_fresh(&b) == 0) {
		symtab_take_kallsyms(&d->tab, &b, &text);
		symtab_finish(&d->tab);
	}
	buf_release(&b);
}

static enum dso_status load_vdso(struct dso *d)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);

	/* The vdso is two pages at most; its own headers say the rest. */
	if (!image || elf_open_mem(&d->elf, image, 2u * 4096, NULL) < 0)
		return DSO_MISSING;
	return check(d, d->elf.build_id, d->elf.build_id_len, 0);
}

static enum dso_status load_perf_map(struct dso *d)
{
	char *kept = d->folder ? xasprintf("%s/perf-%u.map", d->folder, d->key.pid) : NULL, path[64];
	struct buf b = BUF_INIT;
	enum dso_status s = DSO_NO_FILE;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", d->key.pid);
	/* One that lies beside the recording is the recorded process's. */
	if (d->key.pid && ((kept && io_read_file(kept, MAX_PERF_MAP, &b, NULL) == 0) ||
			   (d->key.same_host && io_read_file(path, MAX_PERF_MAP, &b, NULL) == 0))) {
		symtab_perf_map(&d->tab, b.data, b.len);
		s = DSO_UNVERIFIED;
	}
	buf_release(&b);
	free(kept);
	return s;
}

/* A file with debug symbols whose build-id is the same as the stripped one's. */
static bool open_debug_file(const struct dso *d, const char *path, struct elf_image *dbg)
{
	if (elf_open(dbg, path, NULL) < 0)
		return false;
	if (dbg->has_symtab && dbg->build_id_len && dbg->build_id_len == d->elf.build_id_len &&
	    !memcmp(dbg->build_id, d->elf.build_id, dbg->build_id_len))
		return true;
	elf_close(dbg);
	return false;
}

static bool find_debug_file(const struct dso *d, struct elf_image *dbg)
{
	char hex[41], *link = elf_debuglink(&d->elf), *path;
	const char *dir_end = strrchr(d->path, '/');
	int dir = dir_end ? (int)(dir_end - d->path) : 0;
	bool found;

	elf_build_id_text(d->elf.build_id, d->elf.build_id_len, hex);
	path = xasprintf("/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex[0] ? hex + 2 : "");
	found = hex[0] && open_debug_file(d, path, dbg);
	free(path);
	for (int i = 0; link && !found && i < 3; i++) {
		static const char *const form[] = { "%.*s/%s", "%.*s/.debug/%s",
						    "/usr/lib/debug%.*s/%s" };

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		path = xasprintf(form[i], dir, d->path, link);
#pragma GCC diagnostic pop
		found = open_debug_file(d, path, dbg);
		free(path);
	}
	free(link);
	return found;
}

static void load_symbols(struct dso *d)
{
	struct elf_image dbg;

	if (!d->elf.has_symtab && find_debug_file(d, &dbg)) {
		elf_symbols(&dbg, &d->tab);
		elf_close(&dbg);
	} else {
		d->stripped = !d->elf.has_symtab;
		elf_symbols(&d->elf, &d->tab);
	}
	elf_plt(&d->elf, &d->tab);
	elf_ranges(&d->elf, &d->tab);
}

static enum dso_status load_file(struct dso *d)
{
	enum dso_status s;

	if (d->path[0] == '[')
		return DSO_NO_FILE;
	if (elf_open(&d->elf, d->path, NULL) < 0)
		return DSO_MISSING;
	s = check(d, d->elf.build_id, d->elf.build_id_len, d->elf.inode);
	if (s == DSO_CHANGED)
		elf_close(&d->elf);
	return s;
}

/* What the flight keeps of a dso. */
struct load_answer {
	int32_t status;
	uint16_t stripped, machine;
};

static void load(struct dso *d)
{
	char *key = xasprintf("dso %s", d->path);
	struct load_answer a = { DSO_MISSING, 0, 0 };
	const void *data;
	size_t len;

	d->loaded = true;
	if (flight_replaying(d->flight)) {
		if (flight_get(d->flight, key, &data, &len) && len == sizeof(a))
			memcpy(&a, data, sizeof(a));
		d->status = a.status >= 0 && a.status <= DSO_NO_FILE ?
			(enum dso_status)a.status : DSO_MISSING;
		d->stripped = a.stripped;
		d->machine = a.machine;
		free(key);
		return;
	}
	if (is_kernel(d))
		d->status = load_kernel(d);
	else if (!strcmp(d->path, "[vdso]"))
		d->status = load_vdso(d);
	else if (!strncmp(d->path, "//anon", 6) || !strncmp(d->path, "/dev/zero", 9) ||
		 !strncmp(d->path, "/memfd:", 7) || !strncmp(d->path, "[anon", 5))
		d->status = load_perf_map(d);
	else
		d->status = load_file(d);
	if (d->elf.elf && d->status <= DSO_UNVERIFIED) {
		d->machine = d->elf.machine;
		load_symbols(d);
	}
	symtab_finish(&d->tab);
	a = (struct load_answer){ (int32_t)d->status, d->stripped, d->machine };
	flight_put(d->flight, key, &a, sizeof(a));
	free(key);
}

struct symbol_answer { uint64_t start, end, addr; };

static void replay_lookup(struct dso *d, const char *key, struct dso_symbol *out)
{
	struct symbol_answer a;
	const void *data;
	size_t len;

	if (!flight_get(d->flight, key, &data, &len) || len < sizeof(a))
		return;
	memcpy(&a, data, sizeof(a));
	out->start = a.start;
	out->end = a.end;
	out->addr = a.addr;
	if (len > sizeof(a))
		out->name = strtab_get(&d->names, strtab_addn(&d->names,
				(const char *)data + sizeof(a), len - sizeof(a)));
}

static void keep_lookup(struct dso *d, const char *key, const struct dso_symbol *s)
{
	struct symbol_answer a = { s->start, s->end, s->addr };
	struct buf b = BUF_INIT;

	buf_add(&b, &a, sizeof(a));
	buf_adds(&b, s->name ? s->name : "");
	flight_put(d->flight, key, b.data, b.len);
	buf_release(&b);
}

static const char *readable(struct dso *d, const struct symtab_entry *e)
{
	const char *raw = symtab_name(&d->tab, e);
	char *nice = demangle(raw);

	if (nice) {
		raw = strtab_get(&d->names, strtab_add(&d->names, nice));
		free(nice);
	}
	return raw;
}

void dso_lookup(struct dso *d, uint64_t addr, struct dso_symbol *out)
{
	char *key = d->flight ? xasprintf("symbol %s", d->path) : NULL;
	const struct symtab_entry *e;

	memset(out, 0, sizeof(*out));
	out->addr = addr;
	if (!d->loaded)
		load(d);
	if (flight_replaying(d->flight)) {
		replay_lookup(d, key, out);
		free(key);
		return;
	}
	addr = d->elf.elf ? elf_vaddr(&d->elf, addr) : addr + (uint64_t)d->shift;
	out->addr = addr;
	e = symtab_find(&d->tab, addr);
	if (!e && d->remembered) {
		ask_kernel_again(d);
		e = symtab_find(&d->tab, addr);
	}
	if (e) {
		out->start = e->start;
		out->end = e->end;
		if (!e->range)
			out->name = readable(d, e);
	}
	if (key && flight_recording(d->flight))
		keep_lookup(d, key, out);
	free(key);
}

size_t dso_code(struct dso *d, uint64_t addr, void *out, size_t len)
{
	char *key = d->flight ? xasprintf("code %s", d->path) : NULL;
	const void *data;
	size_t got = 0;

	if (flight_replaying(d->flight)) {
		if (flight_get(d->flight, key, &data, &got) && got <= len)
			memcpy(out, data, got);
		else
			got = 0;
	} else {
		if (d->elf.elf)
			got = elf_code(&d->elf, addr, out, len);
		if (key)
			flight_put(d->flight, key, out, got);
	}
	free(key);
	return got;
}

void dso_source(struct dso *d, uint64_t addr, struct source_place *out)
{
	char *key = d->flight ? xasprintf("source %s", d->path) : NULL;
	const void *data;
	size_t len;

	memset(out, 0, sizeof(*out));
	if (flight_replaying(d->flight)) {
		if (flight_get(d->flight, key, &data, &len) && len == sizeof(*out)) {
			memcpy(out, data, sizeof(*out));
			out->file[sizeof(out->file) - 1] = out->inlined[sizeof(out->inlined) - 1] = '\0';
		}
	} else {
		if (!d->source_tried && d->elf.elf && d->status <= DSO_UNVERIFIED)
			d->source = source_open(d->elf.elf);
		d->source_tried = true;
		source_find(d->source, addr, out);
		if (key)
			flight_put(d->flight, key, out, sizeof(*out));
	}
	free(key);
}

enum dso_status dso_status(const struct dso *d)
{
	return d->status;
}

uint16_t dso_machine(const struct dso *d)
{
	return d->machine;
}

bool dso_stripped(const struct dso *d)
{
	return d->stripped;
}
