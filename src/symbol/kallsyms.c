/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/symbol/kallsyms.h"
#include "src/base/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_TEXT ((size_t)256 << 20)

/* The first line of the kept text: which boot it is of. */
static bool boot_line(struct buf *out)
{
	return io_read_file("/proc/sys/kernel/random/boot_id", 256, out, NULL) == 0 && out->len &&
		out->data[out->len - 1] == '\n';
}

/* Functions of the kernel proper: type t or w and no "[module]". */
static void keep(const struct buf *text)
{
	char *path = io_cache_path("kallsyms", true);
	struct buf b = BUF_INIT;

	if (path && boot_line(&b)) {
		for (const char *p = text->data; *p;) {
			const char *eol = strchr(p, '\n');
			size_t n = eol ? (size_t)(eol + 1 - p) : strlen(p);
			size_t type = strcspn(p, " ") + 1;

			if (type + 2 < n && strchr("tTwW", p[type]) && !memchr(p, '[', n))
				buf_add(&b, p, n);
			p += n;
		}
		/* What is not complete or not private is not kept. */
		if (io_write_file(path, b.data, b.len, NULL) == 0)
			chmod(path, 0600);
	}
	buf_release(&b);
	free(path);
}

int kallsyms_read_fresh(struct buf *out)
{
	int rc = io_read_file("/proc/kallsyms", MAX_TEXT, out, NULL);

	/* Zeroes say that kptr_restrict hides them. */
	if (rc == 0 && out->len && strspn(out->data, "0") < strcspn(out->data, " "))
		keep(out);
	return rc;
}

int kallsyms_read(struct buf *out, bool *remembered)
{
	char *path = io_cache_path("kallsyms", false);
	struct buf boot = BUF_INIT;

	*remembered = path && boot_line(&boot) && io_read_file(path, MAX_TEXT, out, NULL) == 0 &&
		out->len > boot.len && !memcmp(out->data, boot.data, boot.len);
	if (*remembered)	/* the line of the boot is no symbol */
		memset(out->data, '\n', boot.len);
	else
		buf_clear(out);
	buf_release(&boot);
	free(path);
	return *remembered ? 0 : kallsyms_read_fresh(out);
}
