/* SPDX-License-Identifier: MIT */
/*
 * go - workloads in Go. Two runtimes in one process would disagree over signals
 * and threads, so the worker becomes a program of its own, workloads/go, which
 * speaks the worker's protocol; what it does and how it verifies that stands
 * there. The input it gets is the same corpus as gzip's, through a descriptor.
 */
#include "config.h"
#include "src/base/buf.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "workloads/corpus.h"
#include "workloads/program.h"
#include "workloads/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PROGRAM "cpuprof-go"
#define MAX_ARGS 64

/* In the build tree beside this program, else where it was installed. */
static int find_program(char *out, size_t size, struct err *err)
{
	char dir[3800];
	ssize_t n = readlink("/proc/self/exe", dir, sizeof(dir) - 1);
	char *slash;

	dir[n > 0 ? n : 0] = '\0';
	slash = strrchr(dir, '/');
	if (slash) {
		*slash = '\0';
		snprintf(out, size, "%s/workloads/go/" PROGRAM, dir);
		if (access(out, X_OK) == 0)
			return 0;
	}
	snprintf(out, size, "%s/" PROGRAM, PKGLIBEXECDIR);
	if (access(out, X_OK) == 0)
		return 0;
	return err_set(err, -ENOPKG, "this cpuprof was built without Go, there is no " PROGRAM
		       "; build it again when Go is installed");
}

static int go_probe(struct workload_info *info, struct err *err)
{
	char *const argv[] = { info->library_path, (char *)"version", NULL };
	struct buf out = BUF_INIT;

	if (find_program(info->library_path, sizeof(info->library_path), err) < 0)
		return err->code;
	program_run(argv, &out);
	snprintf(info->library_version, sizeof(info->library_version), "%.*s",
		 (int)strcspn(buf_str(&out), "\n"), buf_str(&out));
	if (!info->library_version[0])
		snprintf(info->library_version, sizeof(info->library_version), "?");
	buf_release(&out);
	return 0;
}

/* The documents one after another in a file without a name; adds arguments. */
static int give_input(const struct workload_env *env, char **argv, int *n, struct err *err)
{
	struct corpus c = { 0 };
	char title[256] = "";
	struct buf docs = BUF_INIT;
	int rc = corpus_load(&c, env->input, CORPUS_WEB_BYTES, title, sizeof(title), err), fd;

	if (rc < 0)
		return rc;
	/* Outlives the exec. */
	fd = memfd_create("cpuprof-input", 0);
	if (fd < 0 || io_write(fd, c.bytes, c.len) < 0 || lseek(fd, 0, SEEK_SET) < 0) {
		rc = err_set(err, -errno, "cannot pass the input to " PROGRAM ": %s", strerror(errno));
		goto out;
	}
	for (size_t i = 0; i < c.n; i++)
		buf_printf(&docs, "%s%zu", i ? "," : "docs=", c.docs[i].len);
	argv[(*n)++] = xasprintf("input_fd=%d", fd);
	argv[(*n)++] = xasprintf("title=%s", title);
	argv[(*n)++] = xstrdup(buf_str(&docs));
out:
	buf_release(&docs);
	corpus_release(&c);
	return rc;
}

static int go_become(const struct workload_env *env, char *const *argv, struct err *err)
{
	char path[4096], *args[MAX_ARGS];
	int n = 0, rc = 0;

	if (env->library)
		snprintf(path, sizeof(path), "%s", env->library);
	else
		rc = find_program(path, sizeof(path), err);
	for (args[n++] = path; rc == 0 && *argv && n < MAX_ARGS - 4; argv++)
		args[n++] = *argv;
	if (rc == 0 && env->row)
		rc = give_input(env, args, &n, err);
	if (rc < 0)
		return rc;
	args[n] = NULL;
	execv(path, args);
	return err_set(err, -errno, "cannot run '%s': %s", path, strerror(errno));
}

static const int block_sizes[] = { 16, 64, 256, 1024, 8192, 16384, 0 };
static const int text_sizes[] = { 32, 1024, 32768, 0 };

#define WORKLOAD(ID, NAME, SUMMARY, ...) \
	extern const struct workload workload_go_##ID; \
	const struct workload workload_go_##ID = { \
		.name = "go-" NAME, .summary = SUMMARY, .library = "go", \
		.package = "golang-go golang-golang-x-crypto-dev", \
		.probe = go_probe, .become = go_become, __VA_ARGS__ }

#define BYTES .unit = "B", .score_unit = "MB/s", .score_scale = 1e-6
#define BLOCKS BYTES, \
	.variant_name = "block size", .variant_unit = "B", .variant_steps = block_sizes, \
	.variant_min = 16, .variant_max = 16384, .variant_default = 16384
#define TEXTS BYTES, \
	.variant_name = "size", .variant_unit = "B", .variant_steps = text_sizes, \
	.variant_min = 32, .variant_max = 32768, .variant_default = 32768
#define SIGNATURES .unit = "signature", .score_unit = "signs/s", .score_scale = 1
#define VERIFICATIONS .unit = "verification", .score_unit = "verifies/s", .score_scale = 1

WORKLOAD(ecdsa_p256_sign, "ecdsa-p256-sign", "sign with ECDSA on curve P-256, in Go", SIGNATURES);
WORKLOAD(ecdsa_p256_verify, "ecdsa-p256-verify", "verify signatures of ECDSA on P-256, in Go",
	 VERIFICATIONS);
WORKLOAD(rsa_2048_sign, "rsa-2048-sign", "sign with RSA, 2048 bits, in Go", SIGNATURES);
WORKLOAD(rsa_2048_verify, "rsa-2048-verify", "verify signatures of RSA, 2048 bits, in Go",
	 VERIFICATIONS);
WORKLOAD(aes_128_gcm, "aes-128-gcm", "encrypt and authenticate, AES-128-GCM, in Go", BLOCKS);
WORKLOAD(chacha20_poly1305, "chacha20-poly1305", "the same with ChaCha20-Poly1305, in Go", BLOCKS);
WORKLOAD(gzip, "gzip", "compress web documents with Go's compress/gzip", BYTES,
	 .takes_input = true, .row = "input", .variant_name = "level", .variant_min = 1,
	 .variant_max = 9, .variant_default = 6);
WORKLOAD(regexp_easy, "regexp-easy", "an expression that begins with a letter, in Go", TEXTS);
WORKLOAD(regexp_medium, "regexp-medium", "one that begins with a choice of letters, in Go", TEXTS);
WORKLOAD(regexp_hard, "regexp-hard", "one that can begin anywhere, in Go", TEXTS);
WORKLOAD(strings, "strings", "take a text apart and put it together, in Go", BYTES);
