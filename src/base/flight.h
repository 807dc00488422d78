/*
 * flight.h - the flight record: what the kernel told the program, in order,
 * so that a run can be repeated bit for bit on any machine.
 *
 * Every boundary function (opening an event, draining a ring, reading a text
 * of /proc, looking at the clock, a worker's messages, a symbol looked up)
 * asks here first. Recording, it does the real thing and stores the answer
 * under a key; replaying, it takes the next answer stored under that key. Keys
 * are queues of their own, so that the order between them does not matter.
 *
 * A NULL flight is an ordinary run. File format: docs/flight.md.
 */
#ifndef CPUPROF_BASE_FLIGHT_H
#define CPUPROF_BASE_FLIGHT_H

#include "src/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flight;

/* NULL on failure. The file is complete only after flight_close(). */
struct flight *flight_record(const char *path, struct err *err);
struct flight *flight_replay(const char *path, struct err *err);
/* Ends a recording (an incomplete write is an error here) and frees f. */
int flight_close(struct flight *f, struct err *err);

bool flight_replaying(const struct flight *f);
bool flight_recording(const struct flight *f);

/* Store an answer; nothing happens unless recording. */
void flight_put(struct flight *f, const char *key, const void *data, size_t len);
/* The next answer under key; borrowed until close. False when there is none:
 * the run took another way than the recorded one. */
bool flight_get(struct flight *f, const char *key, const void **data, size_t *len);

/* The same for one signed number: -ENODATA when there is none. */
void flight_put_i64(struct flight *f, const char *key, int64_t v);
int64_t flight_get_i64(struct flight *f, const char *key);

/* A text of /proc or /sys (at most 16 MiB) appended to out: 0 or -errno. */
struct buf;
int flight_read_text(struct flight *f, const char *path, struct buf *out);

/* "NAME FIRST-LINE" of each file of a folder, sorted, appended to out. */
int flight_read_folder(struct flight *f, const char *path, struct buf *out);

/* Nanoseconds: of CLOCK_MONOTONIC_RAW, and since the epoch. */
uint64_t flight_now_ns(struct flight *f);
uint64_t flight_wall_ns(struct flight *f);

#endif
