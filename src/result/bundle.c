/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/result/bundle.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/result/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_JSON ((size_t)256 << 20)

char *bundle_create(const char *base, bool exact, const char *stamp, const char *workload,
		    struct err *err)
{
	if (exact)
		return io_mkdirs(base, err) < 0 ? NULL : xstrdup(base);
	if (io_mkdirs(base, err) < 0)
		return NULL;
	for (int n = 1; n < 1000; n++) {
		char *dir = n == 1 ? xasprintf("%s/%s-%s", base, stamp, workload) :
			xasprintf("%s/%s-%s-%d", base, stamp, workload, n);

		if (mkdir(dir, 0777) == 0)
			return dir;
		if (errno != EEXIST) {
			err_set(err, -errno, "cannot make folder '%s': %s", dir, strerror(errno));
			free(dir);
			return NULL;
		}
		free(dir);
	}
	err_set(err, -EEXIST, "'%s' holds too many results of this second", base);
	return NULL;
}

int bundle_save(const char *dir, const struct result *r, const char *report, const char *log,
		struct err *err)
{
	char *json = xasprintf("%s/result.json", dir), *text = xasprintf("%s/report.txt", dir);
	char *log_path = xasprintf("%s/log.txt", dir);
	struct buf b = BUF_INIT;
	int rc;

	result_to_json(r, &b);
	rc = io_write_file(json, b.data, b.len, err);
	if (rc == 0)
		rc = io_write_file(text, report, strlen(report), err);
	if (rc == 0)
		rc = io_write_file(log_path, log, strlen(log), err);
	buf_release(&b);
	free(json);
	free(text);
	free(log_path);
	return rc;
}

int bundle_load(const char *path, struct result *r, struct err *err)
{
	struct stat st;
	bool dir = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	char *file = dir ? xasprintf("%s/result.json", path) : xstrdup(path);
	struct buf b = BUF_INIT;
	int rc;

	result_init(r);
	rc = io_read_file(file, MAX_JSON, &b, err);
	if (rc == 0) {
		rc = result_from_json(r, buf_str(&b), b.len, err);
		if (rc < 0)
			err_prefix(err, "'%s'", file);
	}
	buf_release(&b);
	free(file);
	return rc;
}
