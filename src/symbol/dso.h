/*
 * dso.h - address -> name for one file, the kernel, the vdso or a JIT's map.
 *
 * Names are only given when the file at hand is the one that was recorded: its
 * build-id (or, without one, its inode) must match. What cannot be checked is
 * marked. Answers pass the flight seam, so a replay needs no files.
 */
#ifndef CPUPROF_SYMBOL_DSO_H
#define CPUPROF_SYMBOL_DSO_H

#include "src/base/flight.h"

enum dso_status {
	DSO_VERIFIED,		/* build-id or inode match the recording */
	DSO_UNVERIFIED,		/* nothing to check against */
	DSO_CHANGED,		/* another file than the recorded one: no names */
	DSO_MISSING,		/* cannot be read here: no names */
	DSO_HIDDEN,		/* the kernel hides its symbols (kptr_restrict) */
	DSO_NO_FILE,		/* anonymous memory, heap, stack */
};

/* How a recording names what it saw. */
struct dso_key {
	const char *path;	/* "/usr/lib/libz.so.1", "[kernel.kallsyms]", "[vdso]" */
	uint8_t build_id[20];
	uint8_t build_id_len;	/* 0 when the recording has none */
	uint64_t inode;		/* 0 when not recorded */
	uint32_t pid;		/* whose perf-PID.map to read for "//anon" */
	const char *folder;	/* where it may be kept, else it is in /tmp; NULL: only there */
	uint64_t kernel_text;	/* address of _text or _stext when recorded, 0 unknown */
	bool kernel;		/* the kernel or one of its modules */
	bool same_host;		/* recorded on this machine and this kernel */
};

struct dso_symbol {
	const char *name;	/* NULL: no name; borrowed from the dso */
	uint64_t start, end;	/* addresses inside the dso; equal when unknown */
	uint64_t addr;		/* the one asked for, inside the dso */
};

struct dso;

/* Nothing is read before the first lookup. */
struct dso *dso_new(struct flight *f, const struct dso_key *key);
void dso_free(struct dso *d);

/* addr: a file offset (ELF), the address itself (kernel, JIT map). */
void dso_lookup(struct dso *d, uint64_t addr, struct dso_symbol *out);
/* Code at an address as dso_symbol gives it: bytes got. */
size_t dso_code(struct dso *d, uint64_t addr, void *out, size_t len);

/* Where in the source an address of dso_symbol lies, where the file has DWARF. */
struct source_place;
void dso_source(struct dso *d, uint64_t addr, struct source_place *out);

/* Valid after the first lookup. */
enum dso_status dso_status(const struct dso *d);
const char *dso_status_text(enum dso_status s);
uint16_t dso_machine(const struct dso *d);	/* EM_... */
bool dso_stripped(const struct dso *d);		/* ranges instead of local names */

/* The last part of a path; names in brackets as they are. Borrowed from path. */
const char *dso_short_name(const char *path);

#endif
