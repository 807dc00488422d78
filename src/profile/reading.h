/*
 * reading.h - the inside of a profile being made: samples counted by address
 * (reading.c), then named (resolve.c). Private to src/profile and its tests.
 */
#ifndef CPUPROF_PROFILE_READING_H
#define CPUPROF_PROFILE_READING_H

#include "src/perf/perfdata.h"
#include "src/profile/profile.h"
#include "src/profile/timeline.h"
#include "src/symbol/dso.h"

#define READING_NO_DSO 0u	/* dsos[0]: no map holds the address */

struct reading_dso {
	uint32_t path, shown;	/* string numbers; shown is the short name */
	struct dso_key key;	/* path not set */
	bool absolute;		/* its symbols are known by address, not offset */
	struct dso *dso;	/* opened when named */
};

struct reading_hit {		/* samples at one address */
	uint64_t addr;		/* in the file; absolute in the kernel */
	uint64_t samples, period;
	uint32_t dso, comm, event;
	uint32_t pid;		/* of the first one, for JIT maps */
};

struct reading_chain {		/* one distinct kernel call chain */
	size_t at;		/* into chain_ips */
	uint32_t n;
	uint64_t period;
};

struct reading {
	struct profile *p;	/* strings, counts */
	struct perfdata pd;
	struct timeline timeline;
	struct reading_dso *dsos;
	size_t n_dsos, cap_dsos;
	struct map dso_by_key;
	struct reading_hit *hits;	/* open addressing: samples == 0 is free */
	size_t n_hits, cap_hits;
	struct map read_values;		/* group reads: (id, tid) -> last value */
	struct reading_chain *chains;
	size_t n_chains, cap_chains;
	uint64_t *chain_ips;
	size_t n_chain_ips, cap_chain_ips;
	struct map chain_by_hash;
	bool timed;			/* samples carry times */
	uint32_t kernel_dso;		/* index, 0 when no kernel map was recorded */
};

int reading_open(struct reading *r, struct profile *p, const char *path, struct err *err);
/* Both passes: maps and comms, then samples. */
void reading_run(struct reading *r, const struct profile_options *o);
/* Names, shares, instructions, kernel entries into the profile. */
void reading_resolve(struct reading *r, const struct profile_options *o);
void reading_release(struct reading *r);

#endif
