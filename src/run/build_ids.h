/*
 * build_ids.h - what a recording says of the machine and of every file it
 * mapped, gathered from the records just written.
 */
#ifndef CPUPROF_RUN_BUILD_IDS_H
#define CPUPROF_RUN_BUILD_IDS_H

#include "src/base/flight.h"
#include "src/base/strtab.h"
#include "src/machine/machine.h"
#include "src/perf/writer.h"

struct build_ids {
	struct writer_build_id *v;	/* owned */
	size_t n, cap;
	struct strtab paths;
	char cpuid[96];
};

/* From the executable maps in path, which w is still writing. */
void build_ids_collect(struct build_ids *ids, struct flight *f, const char *path,
		       const struct writer *w, uint64_t sample_type);
/* All of info; borrowed from ids, m and argv. */
void build_ids_info(struct build_ids *ids, const struct machine *m, char *const *argv,
		    struct writer_info *info);
void build_ids_release(struct build_ids *ids);

#endif
