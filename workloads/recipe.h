/*
 * recipe.h - a workload in a text file, NAME.workload: the commands that make any
 * program a workload. workloads/README.md describes the format.
 *
 * Commands are argument vectors; no shell reads them. Nothing of a file is trusted:
 * what is wrong in it is an error with FILE:LINE.
 */
#ifndef CPUPROF_WORKLOADS_RECIPE_H
#define CPUPROF_WORKLOADS_RECIPE_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define RECIPE_COMMANDS 16
#define RECIPE_SUFFIX ".workload"

/* What stands in words for {threads}, {dir} and {here}: no text has these bytes. */
enum recipe_place { RECIPE_THREADS = 1, RECIPE_DIR, RECIPE_HERE };

/* What they stand for; "{dir}" itself where a command is shown. */
struct recipe_values { const char *threads, *dir, *here; };
extern const struct recipe_values recipe_shown;

struct recipe_command {
	char **argv;		/* words, ends with NULL; NULL: no such command */
	char *input, *output;	/* words behind < and >, or NULL */
	int line;
};

struct recipe_commands { struct recipe_command v[RECIPE_COMMANDS]; size_t n; };

enum recipe_score {
	RECIPE_WORK,		/* work of a run by its time */
	RECIPE_RATE,		/* the command prints its score */
	RECIPE_SECONDS,		/* work by the time that the command prints */
};

struct recipe {
	char *file;		/* as named in messages */
	char *here;		/* its folder, absolute */
	char *name;		/* "xz" of ".../xz.workload" */
	char *summary;
	struct recipe_commands setup, verify, teardown;
	struct recipe_command run, version;
	char *env[32];		/* words NAME=VALUE */
	size_t n_env;
	struct recipe_need { char *program, *package; } needs[16];
	size_t n_needs;
	bool threads;		/* {threads} stands in run or env */

	enum recipe_score score;
	double work;		/* operations of a run; 0: not said here */
	char *work_file;	/* word: a file whose bytes are the work, or NULL */
	char *pattern;		/* of RATE and SECONDS, see recipe_match() */
	int pattern_line;
	char unit[24], score_unit[24];	/* "B", "MB/s" */
	double score_scale;	/* operations a second times this is the score */
	int expect_exit;
	char sha256[65];	/* of the run's standard output, "" any */
};

/* text is that of file; here its folder. 0 or a sentence with FILE:LINE. */
int recipe_parse(struct recipe *r, const char *text, size_t len, const char *file,
		 const char *here, struct err *err);
void recipe_release(struct recipe *r);

/* A word with its places filled. Caller frees. */
char *recipe_fill(const char *word, const struct recipe_values *v);
/* The command's words; caller frees each and the list. */
char **recipe_argv(const struct recipe_command *c, const struct recipe_values *v);
/* One line of it for people. Caller frees. */
char *recipe_line(const struct recipe_command *c);

/* The number at %f where pattern stands in a line of text; the last one counts. In
 * a pattern a blank is any blanks, %* any text, %% a percent sign. */
bool recipe_match(const char *pattern, const char *text, size_t len, double *value);

struct flight;
/* Finds and reads one: name is a path when there is a slash in it, else it is
 * looked for. -ENOENT without a sentence: there is none of that name. */
int recipe_find(struct recipe *r, struct flight *f, const char *name, struct err *err);
/* The files that names find, sorted; ends with NULL. Caller frees each and the list. */
char **recipe_files(void);
/* Why it cannot run here: the first program that is missing and the package that has
 * it. Caller frees; NULL: all are there. */
char *recipe_missing(const struct recipe *r, struct flight *f);
/* Where the program of the run lies; caller frees, NULL: not found. */
char *recipe_program(const struct recipe *r, struct flight *f);

#endif
