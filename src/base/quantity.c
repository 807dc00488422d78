/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/quantity.h"
#include "src/base/mem.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
	[ORIGIN_MEASURED] = "measured",
	[ORIGIN_ESTIMATED] = "estimated",
	[ORIGIN_MODELLED] = "modelled",
	[ORIGIN_UNAVAILABLE] = "unavailable",
};

struct quantity quantity_measured(double value, double low, double high)
{
	struct quantity q = { value, low, high, ORIGIN_MEASURED, 1.0, "" };
	return q;
}

struct quantity quantity_estimated(double value, double low, double high, const char *reason)
{
	struct quantity q = { value, low, high, ORIGIN_ESTIMATED, 1.0, "" };

	snprintf(q.reason, sizeof(q.reason), "%s", reason);
	return q;
}

struct quantity quantity_modelled(double value, double low, double high, const char *reason)
{
	struct quantity q = quantity_estimated(value, low, high, reason);

	q.origin = ORIGIN_MODELLED;
	return q;
}

struct quantity quantity_unavailable(const char *reason)
{
	struct quantity q = { 0, 0, 0, ORIGIN_UNAVAILABLE, 0, "" };

	snprintf(q.reason, sizeof(q.reason), "%s", reason);
	return q;
}

bool quantity_known(const struct quantity *q)
{
	return q->origin != ORIGIN_UNAVAILABLE;
}

static struct quantity combine(const struct quantity *a, const struct quantity *b)
{
	const struct quantity *worst = b->origin > a->origin ? b : a;
	struct quantity q = *worst;

	q.coverage = a->coverage < b->coverage ? a->coverage : b->coverage;
	return q;
}

struct quantity quantity_mul(const struct quantity *a, const struct quantity *b)
{
	struct quantity q = combine(a, b);

	if (q.origin == ORIGIN_UNAVAILABLE)
		return quantity_unavailable(q.reason);
	q.value = a->value * b->value;
	q.low = a->low * b->low;
	q.high = a->high * b->high;
	return q;
}

struct quantity quantity_div(const struct quantity *a, const struct quantity *b)
{
	struct quantity q = combine(a, b);

	if (q.origin == ORIGIN_UNAVAILABLE)
		return quantity_unavailable(q.reason);
	if (b->value <= 0 || b->low <= 0)
		return quantity_unavailable("division by zero");
	q.value = a->value / b->value;
	q.low = a->low / b->high;
	q.high = a->high / b->low;
	return q;
}

const char *origin_name(enum origin o)
{
	return names[o];
}

int origin_of_name(const char *name)
{
	for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return (int)i;
	return -1;
}
