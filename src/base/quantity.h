/*
 * quantity.h - a number, its interval, and where it comes from.
 *
 * No number leaves the program without saying whether it was measured,
 * estimated (derived, multiplexed or sampled), modelled, or is unavailable and
 * why. Arithmetic keeps the worst origin of its operands.
 */
#ifndef CPUPROF_BASE_QUANTITY_H
#define CPUPROF_BASE_QUANTITY_H

#include <stdbool.h>

enum origin {
	ORIGIN_MEASURED,
	ORIGIN_ESTIMATED,
	ORIGIN_MODELLED,
	ORIGIN_UNAVAILABLE,
};

struct quantity {
	double value, low, high;	/* 95 % interval; low == high when unknown */
	enum origin origin;
	double coverage;		/* share of the time it was counted, 0..1 */
	char reason[120];		/* why unavailable or estimated; may be "" */
};

struct quantity quantity_measured(double value, double low, double high);
struct quantity quantity_estimated(double value, double low, double high, const char *reason);
struct quantity quantity_modelled(double value, double low, double high, const char *reason);
struct quantity quantity_unavailable(const char *reason);
bool quantity_known(const struct quantity *q);

/* Products and ratios: the interval by the corners (operands are positive),
 * the worst origin and its reason. */
struct quantity quantity_mul(const struct quantity *a, const struct quantity *b);
struct quantity quantity_div(const struct quantity *a, const struct quantity *b);

const char *origin_name(enum origin o);
/* The origin called name, or -1. */
int origin_of_name(const char *name);

#endif
