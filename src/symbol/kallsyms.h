/*
 * kallsyms.h - the text of /proc/kallsyms, remembered for the boot.
 *
 * The kernel takes some 30 ms to print it, half of the time of a report. The
 * functions of the kernel proper do not move before the next boot, so they are
 * kept in the user's cache folder; modules and what is compiled at run time may
 * change, so an address that is not found asks the kernel again.
 */
#ifndef CPUPROF_SYMBOL_KALLSYMS_H
#define CPUPROF_SYMBOL_KALLSYMS_H

#include "src/base/buf.h"

#include <stdbool.h>

/* Appends the text; *remembered says that it is the kept one. 0 or -errno. */
int kallsyms_read(struct buf *out, bool *remembered);
/* From the kernel itself; keeps it for the next time. */
int kallsyms_read_fresh(struct buf *out);

#endif
