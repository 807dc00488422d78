/*
 * terminal.h - inside the terminal format: the parts that fill a file each.
 */
#ifndef CPUPROF_REPORTS_TERMINAL_H
#define CPUPROF_REPORTS_TERMINAL_H

#include "reports/report.h"

void terminal_heading(const struct report_style *s, struct buf *out, const char *text);
void terminal_result(const struct result *r, const struct report_style *s, struct buf *out);
/* Text folded at the width, later lines indented. */
void terminal_fold(const struct report_style *s, struct buf *out, const char *first,
		   const char *text);

#endif
