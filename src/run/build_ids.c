/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/build_ids.h"
#include "src/base/buf.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/perf/record.h"
#include "src/symbol/elf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/* The build-id of a file, the vdso or the kernel, through the flight. */
static void add_build_id(struct build_ids *ids, struct flight *f, const char *path, bool kernel)
{
	struct writer_build_id b = { .cpumode = kernel ? PERF_RECORD_MISC_KERNEL :
						       PERF_RECORD_MISC_USER };
	size_t before = ids->paths.n, len;
	uint32_t id = strtab_add(&ids->paths, path);
	const void *data;

	if (id < before)
		return;
	if (flight_replaying(f)) {
		if (flight_get(f, "build-id", &data, &len) && len <= 20) {
			memcpy(b.id, data, len);
			b.len = (uint8_t)len;
		}
	} else {
		if (kernel) {
			struct buf notes = BUF_INIT;

			if (io_read_file("/sys/kernel/notes", 1 << 20, &notes, NULL) == 0)
				b.len = (uint8_t)elf_notes_build_id(notes.data, notes.len, b.id);
			buf_release(&notes);
		} else if (!strcmp(path, "[vdso]")) {
			const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR);
			struct elf_image e;

			if (vdso && elf_open_mem(&e, vdso, 2 * 4096, NULL) == 0) {
				b.len = e.build_id_len;
				memcpy(b.id, e.build_id, sizeof(b.id));
				elf_close(&e);
			}
		} else if (path[0] == '/') {
			b.len = (uint8_t)elf_file_build_id(path, b.id);
		}
		flight_put(f, "build-id", b.id, b.len);
	}
	if (!b.len)
		return;
	b.path = strtab_get(&ids->paths, id);
	GROW(ids->v, ids->n, ids->cap);
	ids->v[ids->n++] = b;
}

void build_ids_collect(struct build_ids *ids, struct flight *f, const char *path,
		       const struct writer *w, uint64_t sample_type)
{
	const struct event_layout layout = { .sample_type = sample_type, .sample_id_all = true };
	struct io_map map;
	size_t at = w->data_off, end;

	strtab_add(&ids->paths, "");
	add_build_id(ids, f, "[kernel.kallsyms]", true);
	if (io_map_file(path, &map, NULL) < 0)
		return;
	end = w->data_off + w->data_len;
	if (end > map.len)
		end = map.len;
	while (at < end) {
		struct record r;
		struct record_mmap m;
		int n = record_at((const uint8_t *)map.data + at, end - at, false, &r);

		if (n <= 0)
			break;
		if (r.type == PERF_RECORD_MMAP2 && record_mmap(&r, &layout, &m) == 0 &&
		    m.prot & 4 && m.pid != (uint32_t)-1 &&
		    (m.path[0] == '/' || !strcmp(m.path, "[vdso]")))
			add_build_id(ids, f, m.path, false);
		at += (size_t)n;
	}
	io_map_release(&map);
}

void build_ids_info(struct build_ids *ids, const struct machine *m, char *const *argv,
		    struct writer_info *info)
{
	snprintf(ids->cpuid, sizeof(ids->cpuid), "%s,%d,%d,%d", m->vendor, m->family,
		 m->model_id, m->stepping);
	*info = (struct writer_info){
		.hostname = m->hostname, .osrelease = m->kernel,
		.version = "cpuprof " PACKAGE_VERSION, .arch = m->arch, .cpudesc = m->model,
		.cpuid = ids->cpuid, .cpus_online = (uint32_t)m->cpus_online,
		.cpus_available = (uint32_t)m->cpus_available, .total_mem_kb = m->mem_kb,
		.argv = argv, .build_ids = ids->v, .n_build_ids = ids->n,
	};
}

void build_ids_release(struct build_ids *ids)
{
	free(ids->v);
	strtab_release(&ids->paths);
}
