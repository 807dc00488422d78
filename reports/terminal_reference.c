/* SPDX-License-Identifier: MIT */
/* What others published, with where. */
#include "config.h"
#include "reports/terminal.h"

#include <stdio.h>
#include <string.h>

#define WHAT 22
#define VALUE 18

static void value_cells(char *const *value, struct buf *out)
{
	char cell[64];

	for (int c = 0; c < REFERENCE_COLUMNS; c++)
		buf_printf(out, " %*s", VALUE + (c == 1), report_name(value[c], VALUE + (c == 1), cell,
								      sizeof(cell)));
}

void terminal_reference(const struct reference *r, const struct report_style *s, struct buf *out)
{
	struct buf head = BUF_INIT;
	char what[64];

	buf_printf(&head, "%-*s", WHAT, "published elsewhere");
	value_cells(r->column, &head);
	terminal_heading(s, out, buf_str(&head));
	buf_release(&head);
	for (size_t i = 0; i < r->n_rows; i++) {
		buf_printf(out, "%-*s", WHAT, report_name(r->rows[i].what, WHAT, what, sizeof(what)));
		value_cells(r->rows[i].value, out);
		buf_addc(out, '\n');
	}
	for (size_t i = 0; i < r->n_notes; i++)
		terminal_fold(s, out, "note: ", r->notes[i].what);
	for (size_t i = 0; i < r->n_sources; i++) {
		buf_printf(&head, "%s, %s", r->sources[i].what, r->sources[i].value[0]);
		terminal_fold(s, out, "source: ", buf_str(&head));
		buf_clear(&head);
	}
	buf_release(&head);
}
