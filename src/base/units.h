/*
 * units.h - numbers as people read them. All write into out (size bytes) and
 * return out. Independent of the locale: cpuprof never calls setlocale().
 */
#ifndef CPUPROF_BASE_UNITS_H
#define CPUPROF_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

char *units_bytes(char *out, size_t size, double bytes);	/* 4.0 MiB */
char *units_si(char *out, size_t size, double v);		/* 41.3 M */
char *units_time(char *out, size_t size, double seconds);	/* 1.25 s, 340 us */
/* Significant digits without an exponent, as in tables: 0.0142, 41.3, 1203. */
char *units_digits(char *out, size_t size, double v, int digits);
/* "1.5", "90s", "2m" -> seconds; "64k", "1M", "2G" -> count. -1 if not that. */
double units_parse_time(const char *s);
double units_parse_count(const char *s);

#endif
