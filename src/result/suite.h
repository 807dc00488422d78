/*
 * suite.h - the document of cpuprof suite: which runs were planned, in which
 * order and with which options, what became of each, and their results. Each run
 * is a bundle folder of its own inside the suite's; suite.json (docs/suite.md)
 * links them.
 */
#ifndef CPUPROF_RESULT_SUITE_H
#define CPUPROF_RESULT_SUITE_H

#include "src/result/result.h"

#define SUITE_SCHEMA 1
#define SUITE_FILE "suite.json"
#define SUITE_RUNS 200u		/* no document has more */

enum suite_state {
	SUITE_PLANNED,
	SUITE_DONE,
	SUITE_FAILED,
	SUITE_MISSING,		/* a library or program is not installed */
	SUITE_STATES
};
const char *suite_state_name(enum suite_state s);	/* "done" */

struct suite_run {
	char *group;		/* "gzip" */
	char *title;		/* of the group: "OpenSSL, public key" */
	char *workload;
	char *command;		/* the same run by itself: "cpuprof gzip:1,6,9 --counters" */
	char *folder;		/* inside the suite's: a plain name */
	enum suite_state state;
	char *reason;		/* why it failed or is missing, else NULL */
	/* Not part of suite.json. */
	struct result *result;	/* owned, NULL: none */
	char *unread;		/* why one that is done has none here, or NULL */
};

struct suite {
	char *version, *command, *created, *machine_line;
	bool quick, no_model, no_sampling, energy;
	double time_s;		/* of each row; 0: as the levels of the suite have it */
	int reps;		/* 0: until the interval is narrow enough */
	char *only, *skip;	/* lists of groups, NULL */
	bool interrupted;
	struct suite_run *runs;	/* owned */
	size_t n_runs, cap_runs;
};

void suite_release(struct suite *s);
/* Borrowed until the next is added. */
struct suite_run *suite_add(struct suite *s, const char *group, const char *title,
			    const char *workload, const char *folder);
void suite_set_state(struct suite_run *r, enum suite_state state, const char *reason);

void suite_to_json(const struct suite *s, struct buf *out);
/* Into zeroed s. Text is not trusted: wrong types, sizes, a foreign schema or a
 * folder that leads elsewhere are one sentence. */
int suite_from_json(struct suite *s, const char *text, size_t len, struct err *err);

/* Is path a suite's folder? */
bool suite_is_folder(const char *path);
/* Replaces DIR/suite.json. */
int suite_save(const char *dir, const struct suite *s, struct err *err);
/* DIR/suite.json into zeroed s, without results. */
int suite_load(const char *dir, struct suite *s, struct err *err);
/* The result of a run from its folder; one that was interrupted or failed is none. */
int suite_load_result(const char *dir, struct suite_run *r, struct err *err);

#endif
