/*
 * json.h - result.json, written and read by the same walk over the document,
 * so that neither can forget a field. Schema: docs/result.md.
 */
#ifndef CPUPROF_RESULT_JSON_H
#define CPUPROF_RESULT_JSON_H

#include "src/result/result.h"

/* Appends the document as indented JSON. */
void result_to_json(const struct result *r, struct buf *out);
/* Fills an initialised result. Text is not trusted: wrong types, sizes or a
 * foreign schema are one sentence. */
int result_from_json(struct result *r, const char *text, size_t len, struct err *err);

#endif
