/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/run/stale.h"
#include "src/symbol/elf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int stale_machine(const struct result *r, const struct result *now, struct err *err)
{
	for (size_t i = 0; i < now->n_machine || i < r->n_machine; i++) {
		const struct result_text *is = i < now->n_machine ? &now->machine[i] : NULL;
		const struct result_text *was = i < r->n_machine ? &r->machine[i] : NULL;

		if (!is || !was || strcmp(is->key, was->key))
			return err_set(err, -ESTALE, "this is another machine");
		if (strcmp(is->value, was->value))
			return err_set(err, -ESTALE, "%s was '%.100s' and is '%.100s'", is->key,
				       was->value, is->value);
	}
	return 0;
}

int stale_library(const struct result *r, const struct workload *w, struct err *err)
{
	const char *path = result_target_value(r, "library path");
	const char *version = result_target_value(r, "library version");
	const char *id = result_target_value(r, "library build-id");
	struct workload_info info = { 0 };
	uint8_t bytes[20];
	char hex[41];

	if (!w->library || !w->probe)
		return 0;
	if (w->probe(&info, err) < 0)
		return err->code;
	elf_build_id_text(bytes, elf_file_build_id(info.library_path, bytes), hex);
	if (path && version && id && !strcmp(path, info.library_path) &&
	    !strcmp(version, info.library_version) && !strcmp(id, hex[0] ? hex : "none"))
		return 0;
	return err_set(err, -ESTALE, "%s is not the one that ran then", w->library);
}
