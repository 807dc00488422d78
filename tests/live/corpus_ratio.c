/* SPDX-License-Identifier: MIT */
/*
 * corpus_ratio.c - holds the web corpus to real documents.
 *
 * usage: corpus_ratio FILE...
 *
 * Groups the real documents by the end of their name and compares, for every
 * kind and gzip level, the corpus (all its bytes of that kind) with the range
 * that 8 of 10 real documents lie in. What level 9 gains over level 1 grows with
 * the size of a document, so there the corpus's median document is compared.
 * "all" gives each kind of real documents the share it has of the corpus. The
 * speeds are only printed: they are the machine's. Exits 0, 1 (the corpus lies
 * outside) or 77 (too few real documents of every kind). tests/live/corpus.sh
 * finds the documents.
 */
#include "config.h"
#include "src/base/mem.h"
#include "src/base/stats.h"
#include "workloads/corpus.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#define LEVELS		9
#define COLUMNS		(LEVELS + 1)	/* the last is level 9 against level 1 */
#define DOCS_NEEDED	8
#define SMALLEST	2000
#define LARGEST	200000

static const char *const kinds[] = { "html", "css", "js", "json", "svg", "txt" };
#define KINDS ARRAY_SIZE(kinds)

/* The documents of one kind, real ones or the corpus's. */
struct group {
	double *ratios[COLUMNS];	/* owned; one per document */
	size_t n, caps[COLUMNS];
	double bytes, packed[LEVELS], seconds[LEVELS];
};

/* Corpus and real documents of a kind, or of all. */
struct row {
	const char *kind;
	size_t n_corpus, n_real;
	double corpus[COLUMNS], low[COLUMNS], mid[COLUMNS], high[COLUMNS];
};

struct packer {
	z_stream levels[LEVELS];
	uint8_t *out;		/* owned */
	size_t cap;
};

static int packer_init(struct packer *p)
{
	memset(p, 0, sizeof(*p));
	for (int i = 0; i < LEVELS; i++)
		if (deflateInit2(&p->levels[i], i + 1, Z_DEFLATED, 15 + 16, 8,
				 Z_DEFAULT_STRATEGY) != Z_OK)
			return -1;
	return 0;
}

static void packer_release(struct packer *p)
{
	for (int i = 0; i < LEVELS; i++)
		deflateEnd(&p->levels[i]);
	free(p->out);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int group_add(struct group *g, struct packer *p, const struct corpus_doc *d)
{
	double ratios[COLUMNS];

	for (int i = 0; i < LEVELS; i++) {
		z_stream *z = &p->levels[i];
		size_t bound = deflateBound(z, d->len);
		double start = cpu_seconds();

		while (p->cap < bound)
			GROW(p->out, p->cap, p->cap);
		deflateReset(z);
		z->next_in = (Bytef *)(uintptr_t)d->data;
		z->avail_in = (uInt)d->len;
		z->next_out = p->out;
		z->avail_out = (uInt)p->cap;
		if (deflate(z, Z_FINISH) != Z_STREAM_END)
			return -1;
		ratios[i] = (double)d->len / (double)z->total_out;
		g->packed[i] += (double)z->total_out;
		g->seconds[i] += cpu_seconds() - start;
	}
	ratios[LEVELS] = ratios[LEVELS - 1] / ratios[0];
	for (int i = 0; i < COLUMNS; i++) {
		GROW(g->ratios[i], g->n, g->caps[i]);
		g->ratios[i][g->n] = ratios[i];
	}
	g->bytes += (double)d->len;
	g->n++;
	return 0;
}

static void groups_release(struct group *groups)
{
	for (size_t k = 0; k < KINDS; k++)
		for (int i = 0; i < COLUMNS; i++)
			free(groups[k].ratios[i]);
}

static int kind_of(const char *name)
{
	for (size_t k = 0; k < KINDS; k++)
		if (strcmp(kinds[k], name) == 0)
			return (int)k;
	return -1;
}

static int add_corpus(struct group *groups, struct packer *p)
{
	struct corpus c;
	int rc = 0;

	corpus_web(&c, CORPUS_WEB_BYTES);
	for (size_t i = 0; rc == 0 && i < c.n; i++)
		rc = group_add(&groups[kind_of(c.docs[i].kind)], p, &c.docs[i]);
	corpus_release(&c);
	return rc;
}

static int add_file(struct group *groups, struct packer *p, const char *path)
{
	const char *dot = strrchr(path, '.');
	int k = dot ? kind_of(dot + 1) : -1, rc = 0;
	struct corpus c;
	struct err err = { 0 };

	if (k < 0 || corpus_file(&c, path, &err) < 0) {
		printf("left out: %s\n", k < 0 ? path : err.msg);
		return 0;
	}
	if (c.len >= SMALLEST && c.len <= LARGEST)
		rc = group_add(&groups[k], p, &c.docs[0]);
	corpus_release(&c);
	return rc;
}

static void compare_kind(struct row *r, const struct group *corpus, const struct group *real)
{
	r->n_corpus = corpus->n;
	r->n_real = real->n;
	for (int i = 0; i < COLUMNS; i++) {
		r->corpus[i] = i < LEVELS ? corpus->bytes / corpus->packed[i]
					  : stats_quantile(corpus->ratios[i], corpus->n, 0.5);
		r->low[i] = stats_quantile(real->ratios[i], real->n, 0.1);
		r->mid[i] = stats_quantile(real->ratios[i], real->n, 0.5);
		r->high[i] = stats_quantile(real->ratios[i], real->n, 0.9);
	}
}

struct weighted {
	double value, weight;
};

static int by_value(const void *a, const void *b)
{
	const struct weighted *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static double weighted_quantile(const struct weighted *w, size_t n, double q)
{
	double total = 0, seen = 0;
	size_t i;

	for (i = 0; i < n; i++)
		total += w[i].weight;
	for (i = 0; i + 1 < n; i++) {
		seen += w[i].weight;
		if (seen >= q * total)
			break;
	}
	return w[i].value;
}

/* Documents of all judged kinds, each kind weighing as much as its bytes in the
 * corpus. The quantile q of a column. */
static double mix_quantile(const struct group *groups, const struct group *corpus,
			   const bool *judged, int column, double q)
{
	struct weighted *w = NULL;
	size_t n = 0, cap = 0;
	double v;

	for (size_t k = 0; k < KINDS; k++) {
		for (size_t j = 0; judged[k] && j < groups[k].n; j++) {
			GROW(w, n, cap);
			w[n].value = groups[k].ratios[column][j];
			w[n++].weight = corpus[k].bytes / (double)groups[k].n;
		}
	}
	qsort(w, n, sizeof(*w), by_value);
	v = weighted_quantile(w, n, q);
	free(w);
	return v;
}

static void compare_all(struct row *r, const struct group *corpus, const struct group *real,
			const bool *judged)
{
	double bytes = 0, packed[LEVELS] = { 0 };

	for (size_t k = 0; k < KINDS; k++) {
		if (!judged[k])
			continue;
		r->n_corpus += corpus[k].n;
		r->n_real += real[k].n;
		bytes += corpus[k].bytes;
		for (int i = 0; i < LEVELS; i++)
			packed[i] += corpus[k].packed[i];
	}
	for (int i = 0; i < COLUMNS; i++) {
		r->corpus[i] = i < LEVELS ? bytes / packed[i]
					  : mix_quantile(corpus, corpus, judged, i, 0.5);
		r->low[i] = mix_quantile(real, corpus, judged, i, 0.1);
		r->mid[i] = mix_quantile(real, corpus, judged, i, 0.5);
		r->high[i] = mix_quantile(real, corpus, judged, i, 0.9);
	}
}

static void print_line(const char *kind, const char *what, size_t n, const double *v)
{
	printf("%-5s %-9s %4zu ", kind, what, n);
	for (int i = 0; i < COLUMNS; i++)
		printf(i < LEVELS ? " %6.2f" : " %7.3f", v[i]);
	printf("\n");
}

static void print_row(const struct row *r)
{
	print_line(r->kind, "corpus", r->n_corpus, r->corpus);
	print_line("", "real 10 %", r->n_real, r->low);
	print_line("", "real 50 %", r->n_real, r->mid);
	print_line("", "real 90 %", r->n_real, r->high);
}

/* How many columns lie outside; names them. */
static int judge(const struct row *r)
{
	int outside = 0;

	for (int i = 0; i < COLUMNS; i++) {
		if (r->corpus[i] >= r->low[i] && r->corpus[i] <= r->high[i])
			continue;
		printf("FAIL: %s, level %d%s: the corpus's %.3f is outside of the real "
		       "documents' %.3f to %.3f\n", r->kind, i < LEVELS ? i + 1 : LEVELS,
		       i < LEVELS ? "" : " against level 1", r->corpus[i], r->low[i], r->high[i]);
		outside++;
	}
	return outside;
}

/* MB/s of both, the real documents in the corpus's mix. */
static void print_speeds(const struct group *corpus, const struct group *real, const bool *judged)
{
	double speeds[2][COLUMNS], bytes = 0;

	memset(speeds, 0, sizeof(speeds));
	for (size_t k = 0; k < KINDS; k++) {
		if (!judged[k])
			continue;
		bytes += corpus[k].bytes;
		for (int i = 0; i < LEVELS; i++) {
			speeds[0][i] += corpus[k].seconds[i];
			speeds[1][i] += real[k].seconds[i] * corpus[k].bytes / real[k].bytes;
		}
	}
	for (int s = 0; s < 2; s++) {
		for (int i = 0; i < LEVELS; i++)
			speeds[s][i] = bytes / 1e6 / speeds[s][i];
		speeds[s][LEVELS] = speeds[s][LEVELS - 1] / speeds[s][0];
		print_line("MB/s", s == 0 ? "corpus" : "real", 0, speeds[s]);
	}
}

static int compare(const struct group *corpus, const struct group *real)
{
	bool judged[KINDS] = { false };
	struct row rows[KINDS + 1];
	size_t n = 0;
	int outside = 0;

	memset(rows, 0, sizeof(rows));
	for (size_t k = 0; k < KINDS; k++) {
		judged[k] = corpus[k].n > 0 && real[k].n >= DOCS_NEEDED;
		if (!judged[k]) {
			printf("skipped: %s: %zu real documents of 2 to 200 KB, %d are needed\n",
			       kinds[k], real[k].n, DOCS_NEEDED);
			continue;
		}
		rows[n].kind = kinds[k];
		compare_kind(&rows[n++], &corpus[k], &real[k]);
	}
	if (n == 0) {
		printf("no kind has enough real documents on this machine\n");
		return 77;
	}
	rows[n].kind = "all";
	compare_all(&rows[n++], corpus, real, judged);
	printf("%-5s %-9s %4s  gzip 1      2      3      4      5      6      7      8      9"
	       "     9:1\n", "kind", "", "docs");
	for (size_t i = 0; i < n; i++)
		print_row(&rows[i]);
	print_speeds(corpus, real, judged);
	for (size_t i = 0; i < n; i++)
		outside += judge(&rows[i]);
	printf("%zu kinds and their mix judged, %d ratios outside\n", n - 1, outside);
	return outside > 0;
}

int main(int argc, char **argv)
{
	static struct group corpus[KINDS], real[KINDS];
	struct packer p;
	int rc;

	if (packer_init(&p) < 0) {
		fprintf(stderr, "corpus_ratio: zlib does not start\n");
		return 1;
	}
	rc = add_corpus(corpus, &p);
	for (int i = 1; rc == 0 && i < argc; i++)
		rc = add_file(real, &p, argv[i]);
	if (rc == 0)
		rc = compare(corpus, real);
	else
		fprintf(stderr, "corpus_ratio: zlib fails\n");
	packer_release(&p);
	groups_release(corpus);
	groups_release(real);
	return rc < 0 ? 1 : rc;
}
