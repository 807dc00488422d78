/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "pmu/formula.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 32

struct parser {
	const char *p;
	formula_lookup *lookup;
	void *arg;
	struct err *err;
	int rc;			/* first failure */
	int depth;
};

static double expression(struct parser *f);

static double fail(struct parser *f, int rc, const char *fmt, const char *what)
{
	if (!f->rc) {
		f->rc = rc;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		err_set(f->err, rc, fmt, what);
#pragma GCC diagnostic pop
	}
	return 0;
}

static char next(struct parser *f)
{
	f->p += strspn(f->p, " \t");
	return *f->p;
}

static bool take(struct parser *f, char c)
{
	if (next(f) != c)
		return false;
	f->p++;
	return true;
}

/* Names may hold dashes: operators stand between blanks. */
static double name_or_call(struct parser *f)
{
	char name[48];
	size_t n = 0;
	double v = 0, w;

	while (isalnum((unsigned char)*f->p) || *f->p == '_' || *f->p == '.' ||
	       (*f->p == '-' && isalnum((unsigned char)f->p[1]))) {
		if (n + 1 < sizeof(name))
			name[n++] = *f->p;
		f->p++;
	}
	name[n] = '\0';
	if (*f->p == '(' && (!strcmp(name, "min") || !strcmp(name, "max"))) {
		f->p++;
		v = expression(f);
		if (!take(f, ','))
			return fail(f, -EINVAL, "%s wants two values", name);
		w = expression(f);
		if (!take(f, ')'))
			return fail(f, -EINVAL, "%s wants ')' behind its values", name);
		return name[1] == 'i' ? fmin(v, w) : fmax(v, w);
	}
	if (!f->lookup(f->arg, name, &v))
		return fail(f, -ENODATA, "%s was not counted", name);
	return v;
}

static double atom(struct parser *f)
{
	double v;
	char c = next(f), *end;

	if (c == '-') {
		f->p++;
		return -atom(f);
	}
	if (c == '(') {
		f->p++;
		v = expression(f);
		return take(f, ')') ? v : fail(f, -EINVAL, "')' is missing before '%.20s'", f->p);
	}
	if (isdigit((unsigned char)c) || c == '.') {
		v = strtod(f->p, &end);
		f->p = end;
		return v;
	}
	if (isalpha((unsigned char)c))
		return name_or_call(f);
	return fail(f, -EINVAL, "a value is missing before '%.20s'", f->p);
}

static double term(struct parser *f)
{
	double v = atom(f);

	while (!f->rc && (next(f) == '*' || *f->p == '/')) {
		char op = *f->p++;
		double w = atom(f);

		if (op == '*')
			v *= w;
		else if (w == 0)
			return fail(f, -ENODATA, "division by zero before '%.20s'", f->p);
		else
			v /= w;
	}
	return v;
}

static double expression(struct parser *f)
{
	double v;

	if (++f->depth > MAX_DEPTH)
		return fail(f, -EINVAL, "nested too deep at '%.20s'", f->p);
	v = term(f);
	while (!f->rc && (next(f) == '+' || *f->p == '-')) {
		char op = *f->p++;
		double w = term(f);

		v = op == '+' ? v + w : v - w;
	}
	f->depth--;
	return v;
}

int formula_eval(const char *text, formula_lookup *lookup, void *arg, double *value,
		 struct err *err)
{
	struct parser f = { text, lookup, arg, err, 0, 0 };
	double v = expression(&f);

	if (!f.rc && next(&f))
		fail(&f, -EINVAL, "'%.20s' was not expected", f.p);
	if (!f.rc)
		*value = v;
	return f.rc;
}
