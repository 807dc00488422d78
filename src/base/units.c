/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/units.h"
#include "src/base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *units_digits(char *out, size_t size, double v, int digits)
{
	int lead = v != 0 && isfinite(v) ? (int)floor(log10(fabs(v))) + 1 : 1;
	int decimals = digits - lead;

	snprintf(out, size, "%.*f", decimals < 0 ? 0 : decimals > 9 ? 9 : decimals, v);
	return out;
}

char *units_bytes(char *out, size_t size, double bytes)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t u = 0;

	while (bytes >= 1024 && u + 1 < ARRAY_SIZE(unit)) {
		bytes /= 1024;
		u++;
	}
	snprintf(out, size, u ? "%.1f %s" : "%.0f %s", bytes, unit[u]);
	return out;
}

char *units_si(char *out, size_t size, double v)
{
	static const char *const unit[] = { "", " k", " M", " G", " T" };
	size_t u = 0;
	char digits[32];

	while (fabs(v) >= 1000 && u + 1 < ARRAY_SIZE(unit)) {
		v /= 1000;
		u++;
	}
	snprintf(out, size, "%s%s", units_digits(digits, sizeof(digits), v, 3), unit[u]);
	return out;
}

char *units_time(char *out, size_t size, double s)
{
	static const struct { double scale; const char *unit; } row[] = {
		{ 1, "s" }, { 1e3, "ms" }, { 1e6, "us" }, { 1e9, "ns" },
	};
	size_t i = 0;
	char digits[32];

	while (i + 1 < ARRAY_SIZE(row) && fabs(s) * row[i].scale < 1)
		i++;
	snprintf(out, size, "%s %s", units_digits(digits, sizeof(digits), s * row[i].scale, 3),
		 row[i].unit);
	return out;
}

static double parse(const char *s, const char *const suffix[], const double scale[], size_t n)
{
	char *end;
	double v = strtod(s, &end);

	if (end == s || !isfinite(v) || v < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (!strcmp(end, suffix[i]))
			return v * scale[i];
	return -1;
}

double units_parse_time(const char *s)
{
	static const char *const suffix[] = { "", "s", "ms", "m", "h" };
	static const double scale[] = { 1, 1, 1e-3, 60, 3600 };

	return parse(s, suffix, scale, ARRAY_SIZE(scale));
}

double units_parse_count(const char *s)
{
	static const char *const suffix[] = { "", "k", "K", "M", "G" };
	static const double scale[] = { 1, 1024, 1024, 1048576, 1073741824 };

	return parse(s, suffix, scale, ARRAY_SIZE(scale));
}
