/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "workloads/workload.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct list {
	const struct workload *w;
	const char *text;
	int *out, n, max;
};

static int not_a_list(const struct list *l, struct err *err)
{
	const struct workload *w = l->w;

	if (w->variant_steps)
		return err_set(err, -EINVAL, "'%s' is no %s: want for instance %s:%d or %s:%d,%d",
			       l->text, w->variant_name, w->name, w->variant_default, w->name,
			       w->variant_min, w->variant_max);
	return err_set(err, -EINVAL, "'%s' is no %s: want for instance %s:%d or %s:%d-%d", l->text,
		       w->variant_name, w->name, w->variant_default, w->name, w->variant_min,
		       w->variant_max);
}

static int add(struct list *l, int v, struct err *err)
{
	for (int i = 0; i < l->n; i++)
		if (l->out[i] == v)
			return 0;
	if (l->n == l->max)
		return err_set(err, -EINVAL, "'%s': at most %d of them in one run", l->text, l->max);
	l->out[l->n++] = v;
	return 0;
}

/* The steps, or all numbers, from a to b. */
static int add_range(struct list *l, int a, int b, struct err *err)
{
	const int *steps = l->w->variant_steps;
	int rc = 0, any = 0;

	for (int v = a; !steps && v <= b && rc == 0; v++, any = 1)
		rc = add(l, v, err);
	for (int i = 0; steps && steps[i] && rc == 0; i++)
		if (steps[i] >= a && steps[i] <= b) {
			rc = add(l, steps[i], err);
			any = 1;
		}
	if (rc == 0 && !any)
		return err_set(err, -EINVAL, "no %s of %s lies from %d to %d",
			       l->w->variant_name, l->w->name, a, b);
	return rc;
}

/* A number of the workload's range; *p moves behind it. */
static int number(const struct list *l, const char **p, int *v, struct err *err)
{
	const struct workload *w = l->w;
	size_t n = strspn(*p, "0123456789");

	if (!n)
		return not_a_list(l, err);
	*v = n < 9 ? atoi(*p) : -1;	/* longer ones are out of every range */
	if (*v < w->variant_min || *v > w->variant_max)
		return err_set(err, -EINVAL, "%s of %s goes from %d to %d, not %.*s",
			       w->variant_name, w->name, w->variant_min, w->variant_max, (int)n,
			       *p);
	*p += n;
	return 0;
}

int workload_variants(const struct workload *w, const char *text, int *out, int max,
		      struct err *err)
{
	struct list l = { w, text, out, 0, max };
	const char *p = text;
	int a, b, rc;

	if (!text) {
		out[0] = w->variant_default;
		return 1;
	}
	if (!w->variant_name)
		return err_set(err, -EINVAL, "%s has no variants", w->name);
	for (;;) {
		rc = number(&l, &p, &a, err);
		if (rc < 0)
			return rc;
		b = a;
		if (*p == '-') {
			p++;
			rc = number(&l, &p, &b, err);
			if (rc == 0 && b < a)
				rc = not_a_list(&l, err);
			if (rc == 0)
				rc = add_range(&l, a, b, err);
		} else {
			rc = add(&l, a, err);
		}
		if (rc < 0)
			return rc;
		if (*p != ',')
			return *p ? not_a_list(&l, err) : l.n;
		p++;
	}
}
