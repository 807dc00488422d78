/*
 * profile.h - a recording as shares of functions.
 *
 * Every share comes with its sampling error (95 %, Wilson); what lost records,
 * unknown addresses and files that changed do to it is counted and kept.
 */
#ifndef CPUPROF_PROFILE_PROFILE_H
#define CPUPROF_PROFILE_PROFILE_H

#include "src/base/err.h"
#include "src/base/flight.h"
#include "src/base/strtab.h"

#include <stdint.h>

#define PROFILE_CLASSES 16	/* of src/symbol/insn.h */

struct profile_function {
	const char *name;	/* "longest_match", "gzip+0x4300", "[unknown]"; borrowed */
	const char *dso;	/* short name; borrowed */
	const char *path;	/* of the dso; borrowed */
	const char *note;	/* "" or why the name is missing or unverified; static */
	const char *code;	/* "assembly" or "compiled" by its source, "" not known; static */
	uint64_t samples, period;
	double share, error;	/* of the event's period; both 0..1 */
	uint64_t addr;		/* one of its samples', inside the dso */
	uint32_t dso_index;	/* of the recording's */
};

struct profile_insn {
	uint32_t function;	/* index into functions */
	uint64_t addr;		/* inside the dso */
	uint64_t samples;
	double share;		/* of the function */
	const char *text;	/* borrowed */
	const char *place;	/* "sort.go:12, less < insertionSort", "" not known; borrowed */
};

struct profile_branch {		/* one taken branch, from branch stacks */
	const char *function, *dso, *text;	/* borrowed */
	uint64_t addr;		/* inside the dso */
	uint64_t taken, missed;	/* times seen, and mispredicted */
	double share;		/* of all that were mispredicted */
};

struct profile_event {
	const char *name;	/* borrowed */
	uint64_t samples, period;
	struct profile_function *functions;	/* owned; by falling period */
	size_t n_functions;
	size_t n_ranked;	/* the first ones, whose share exceeds its error */
	struct profile_insn *insns;	/* owned; of the first three functions */
	size_t n_insns;
	double unknown_share;	/* of period, no file or no name */
	double kernel_share;	/* of period, in the kernel */
	/* Share of the period at instructions of each class: bit N of enum insn_class
	 * is [N]. decoded_share: of all periods, where there was code to look at. */
	double class_share[PROFILE_CLASSES];
	double decoded_share;
};

/* Kernel time of the first event by what brought the CPU into the kernel; as
 * shares of the event's period, from call chains. */
enum profile_entry {
	PROFILE_FAULT, PROFILE_SYSCALL, PROFILE_MIGRATION, PROFILE_SCHEDULER,
	PROFILE_INTERRUPT, PROFILE_OTHER, PROFILE_ENTRIES
};

/* The same by the part of the kernel it was spent in. */
enum profile_subsystem {
	PROFILE_NETWORK, PROFILE_FILES, PROFILE_POLLING, PROFILE_MEMORY, PROFILE_SCHEDULING,
	PROFILE_ELSEWHERE, PROFILE_SUBSYSTEMS
};
const char *profile_subsystem_name(enum profile_subsystem s);	/* "network" */

struct profile {
	struct strtab strings;		/* what the borrowed names point into */
	struct profile_event *events;	/* owned; those with samples */
	size_t n_events;
	uint64_t records[96];		/* by record type; others in records[95] */
	uint64_t bytes_read;
	uint64_t lost;			/* records and samples the kernel dropped */
	uint64_t throttled;		/* times it stopped sampling for a while */
	uint64_t bad;			/* records that could not be decoded */
	uint64_t orphans;		/* samples with an unknown event id */
	double entry_share[PROFILE_ENTRIES];
	char entry_name[PROFILE_ENTRIES][64];	/* most frequent function behind it */
	double subsystem_share[PROFILE_SUBSYSTEMS];
	bool has_entries;
	struct profile_branch *branches;	/* owned; those most often mispredicted */
	size_t n_branches;
	uint64_t branches_seen, branches_missed;	/* over all stacks */
	char *warnings;			/* owned; lines, "" when none */
	char *cmdline, *hostname, *cpudesc, *version;	/* owned; may be NULL */
};

struct profile_options {
	bool entries;		/* read call chains for entry_share */
	bool exact;		/* counts, not samples: shares have no sampling error */
	bool branches;		/* read branch stacks, where there are any */
	bool insns;		/* disassemble the hottest instructions */
	const char *hostname, *release;	/* this machine's, to judge build-ids */
	struct flight *flight;
};

int profile_read(struct profile *p, const char *path, const struct profile_options *o,
		 struct err *err);
void profile_release(struct profile *p);
/* The sampled event that explains time: the first with samples, or NULL. */
const struct profile_event *profile_main(const struct profile *p);

/* Short name of an entry class for people: "page faults". */
const char *profile_entry_name(enum profile_entry e);

#endif
