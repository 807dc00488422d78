/* SPDX-License-Identifier: MIT */
/*
 * nginx - a private instance of nginx on the loopback, over HTTPS, with documents of
 * the web corpus; wrk asks, a closed loop: each connection asks again when it was
 * answered. The system's nginx, its configuration and its ports are left alone.
 *
 *	nginx-plain	one document after another on connections that stay
 *	nginx-gzip, -brotli	the same, compressed anew for each request
 *	nginx-handshake	the smallest document, on a new connection each time
 *
 * Sessions are not resumed. Every document is asked for once before the load and held
 * against what it was made of.
 */
#include "config.h"
#include "src/base/buf.h"
#include "src/base/io.h"
#include "src/base/mem.h"
#include "src/base/unprivileged.h"
#include "workloads/corpus.h"
#include "workloads/http.h"
#include "workloads/https.h"
#include "workloads/library.h"
#include "workloads/program.h"
#include "workloads/wrk.h"

#include <brotli/decode.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define CORPUS_BYTES ((size_t)1 << 20)
#define CONNECTIONS 32		/* for each process: none of them ever has nothing to do */
#define BROTLI_MODULE "ngx_http_brotli_filter_module.so"

enum kind { PLAIN, GZIP, BROTLI, HANDSHAKE };

/* What a request says it takes. */
static const char *const encodings[] = { NULL, "gzip", "br", NULL };

static const char *const ciphers[] = { "aes-128-gcm", "aes-256-gcm", "chacha20-poly1305", NULL };
static const char *const suites[] = { "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384",
				      "TLS_CHACHA20_POLY1305_SHA256" };

#define ZLIB_FUNCTIONS(X) X(inflateInit2_) X(inflate) X(inflateEnd)
#define BROTLI_FUNCTIONS(X) X(BrotliDecoderDecompress)

struct zlib { ZLIB_FUNCTIONS(LIBRARY_MEMBER) };
struct decoder { BROTLI_FUNCTIONS(LIBRARY_MEMBER) };

static const char *const zlib_names[] = { ZLIB_FUNCTIONS(LIBRARY_NAME) NULL };
static const char *const decoder_names[] = { BROTLI_FUNCTIONS(LIBRARY_NAME) NULL };
static const struct library zlib_library = { "zlib", "libz.so.1", zlib_names };
static const struct library decoder_library = { "brotli's decoder", "libbrotlidec.so.1",
						decoder_names };

struct shared {
	enum kind kind;
	int level, flip_byte;
	char nginx[1024], wrk[1024], openssl[1024];
	char module[1200];		/* "": it is built in, or not needed */
	struct corpus corpus;
	size_t smallest;		/* document */
	void *zlib_handle, *decoder_handle;
	struct zlib z;
	struct decoder d;
	struct https *https;
};

/* "nginx version: nginx/1.22.1" and what it was configured with. */
static int read_version(const char *nginx, struct buf *out, struct workload_info *info,
			struct err *err)
{
	char *const argv[] = { (char *)nginx, (char *)"-V", NULL };
	int rc = program_run(argv, out);
	const char *p = strstr(buf_str(out), "nginx/");
	int v[3];

	if (rc < 0)
		return err_set(err, rc, "cannot run '%s': %s", nginx, strerror(-rc));
	if (rc || !p)
		return err_set(err, -EINVAL, "'%s' is no nginx: -V says '%.60s'", nginx, buf_str(out));
	snprintf(info->library_version, sizeof(info->library_version), "%.*s",
		 (int)strcspn(p + 6, " \n\r\t"), p + 6);
	/* -e, and ssl_conf_command a little before. */
	if (sscanf(info->library_version, "%d.%d.%d", &v[0], &v[1], &v[2]) == 3 &&
	    v[0] * 1000000 + v[1] * 1000 + v[2] < 1019005)
		return err_set(err, -EINVAL, "nginx %s is too old: it takes 1.19.5", info->library_version);
	return 0;
}

/* Where modules lie, by what nginx says of itself. */
static int find_module(struct shared *s, const char *built, struct err *err)
{
	const char *p = strstr(built, "--modules-path="), *q;

	if (strstr(built, "--add-module=") && strstr(built, "brotli"))
		return 0;
	p = p ? p + strlen("--modules-path=") : "/usr/lib/nginx/modules";
	q = p + strcspn(p, " \n");
	snprintf(s->module, sizeof(s->module), "%.*s/" BROTLI_MODULE, (int)(q - p), p);
	if (access(s->module, R_OK) == 0)
		return 0;
	return err_set(err, -ENOPKG, "there is no brotli module for nginx, '%s'", s->module);
}

static int find_programs(struct shared *s, const char *nginx, struct workload_info *info,
			 struct err *err)
{
	struct buf built = BUF_INIT;
	int rc = 0;

	if (nginx)
		snprintf(s->nginx, sizeof(s->nginx), "%s", nginx);
	else if (program_find("nginx", s->nginx, sizeof(s->nginx)) < 0)
		return err_set(err, -ENOPKG, "there is no nginx here");
	if (program_find("wrk", s->wrk, sizeof(s->wrk)) < 0)
		return err_set(err, -ENOPKG, "there is no wrk here, which asks nginx");
	if (program_find("openssl", s->openssl, sizeof(s->openssl)) < 0)
		return err_set(err, -ENOPKG, "there is no openssl program here, which makes the certificate");
	rc = read_version(s->nginx, &built, info, err);
	if (rc == 0 && s->kind == BROTLI)
		rc = find_module(s, buf_str(&built), err);
	snprintf(info->library_path, sizeof(info->library_path), "%s", s->nginx);
	buf_release(&built);
	return rc;
}

static int probe(enum kind kind, struct workload_info *info, struct err *err)
{
	struct shared s = { .kind = kind };

	return find_programs(&s, NULL, info, err);
}

static int nginx_probe(struct workload_info *info, struct err *err)
{
	return probe(PLAIN, info, err);
}

static int brotli_probe(struct workload_info *info, struct err *err)
{
	return probe(BROTLI, info, err);
}

static void document_name(const struct shared *s, size_t i, char *out, size_t size)
{
	snprintf(out, size, "%zu.%s", i, s->corpus.docs[i].kind);
}

/* A folder below the server's, which all may enter; the server's own to write in
 * where it is not root's. */
static int make_folder(const char *dir, const char *name, bool own, struct err *err)
{
	char *path = xasprintf("%s/%s", dir, name);
	int rc = (mkdir(path, 0755) < 0 && errno != EEXIST) || (!own && chmod(path, 0755) < 0) ? -errno :
		own ? unprivileged_own(path) : 0;

	if (rc < 0)
		err_set(err, rc, "cannot make '%s': %s", path, strerror(-rc));
	free(path);
	return rc;
}

static int write_documents(struct shared *s, const char *dir, struct err *err)
{
	int rc = make_folder(dir, "www", false, err);

	for (size_t i = 0; i < s->corpus.n && rc == 0; i++) {
		char name[64] = "www/";

		document_name(s, i, name + 4, sizeof(name) - 4);
		rc = program_file(dir, name, s->corpus.docs[i].data, s->corpus.docs[i].len, err);
		if (s->corpus.docs[i].len < s->corpus.docs[s->smallest].len)
			s->smallest = i;
	}
	return rc;
}

/* One for the folder's life: ECDSA on P-256, signed by itself. */
static int make_certificate(const struct shared *s, const char *dir, struct err *err)
{
	char *key = xasprintf("%s/key.pem", dir), *cert = xasprintf("%s/cert.pem", dir);
	const char *const argv[] = {
		s->openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
		"-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", cert, NULL,
	};
	struct buf out = BUF_INIT;
	int rc = access(cert, R_OK) == 0 ? 0 : program_run((char *const *)argv, &out);

	if (rc < 0) {
		err_set(err, rc, "cannot run '%s': %s", s->openssl, strerror(-rc));
	} else if (rc) {
		/* The first line of an error is what it is about. */
		const char *text = buf_str(&out), *error = strstr(text, "rror");

		text = error ? error + 4 + strspn(error + 4, ": ") : text;
		err_set(err, -EIO, "openssl could not make the certificate: %.*s",
			(int)strcspn(text, "\n"), text);
	} else if (chmod(key, 0600) < 0 || unprivileged_own(key) < 0 || chmod(cert, 0644) < 0) {
		rc = err_set(err, -errno, "cannot give away '%s': %s", key, strerror(errno));
	}
	buf_release(&out);
	free(key);
	free(cert);
	return rc ? -EIO : 0;
}

static void nginx_teardown(void *p)
{
	struct shared *s = p;

	if (!s)
		return;
	https_close(s->https);
	corpus_release(&s->corpus);
	if (s->zlib_handle)
		dlclose(s->zlib_handle);
	if (s->decoder_handle)
		dlclose(s->decoder_handle);
	free(s);
}

/* The folder stays root's: nobody shall read in it, and change nothing. */
static int open_folder(const char *dir, struct err *err)
{
	/* What its configuration cannot hold as it is. */
	if (strpbrk(dir, "\"\\$'{};\n"))
		return err_set(err, -EINVAL, "nginx cannot work in '%s': set TMPDIR to a plainer name", dir);
	if (unprivileged_due() && chmod(dir, 0711) < 0)
		return err_set(err, -errno, "cannot open '%s' for nobody: %s", dir, strerror(errno));
	return 0;
}

static int nginx_setup(const struct workload_env *env, void **shared, struct workload_info *info,
		       struct err *err)
{
	struct shared *s = xcalloc(1, sizeof(*s));
	int rc;

	s->kind = *(const enum kind *)env->row;
	s->level = env->variant;
	s->flip_byte = env->flip_byte;
	rc = find_programs(s, env->library, info, err);
	if (rc == 0 && s->kind == GZIP)
		rc = library_open(&s->zlib_handle, &zlib_library, NULL, &s->z, NULL, err);
	if (rc == 0 && s->kind == BROTLI)
		rc = library_open(&s->decoder_handle, &decoder_library, NULL, &s->d, NULL, err);
	if (rc == 0)
		rc = https_open(&s->https, err);
	if (rc == 0)
		rc = corpus_load(&s->corpus, NULL, CORPUS_BYTES, info->input, sizeof(info->input), err);
	if (rc == 0)
		rc = open_folder(env->dir, err);
	if (rc == 0)
		rc = write_documents(s, env->dir, err);
	if (rc == 0)
		rc = make_folder(env->dir, "tmp", true, err);
	if (rc == 0)
		rc = make_certificate(s, env->dir, err);
	if (rc < 0) {
		nginx_teardown(s);
		return rc;
	}
	*shared = s;
	return 0;
}

static void write_compression(const struct shared *s, struct buf *b)
{
	if (s->kind == GZIP)
		buf_printf(b, "\tgzip on;\n\tgzip_comp_level %d;\n\tgzip_types *;\n", s->level);
	if (s->kind == BROTLI)
		buf_printf(b, "\tbrotli on;\n\tbrotli_comp_level %d;\n\tbrotli_types *;\n", s->level);
}

static void write_configuration(const struct shared *s, const struct workload_env *env,
				const struct workload_serving *v, struct buf *b)
{
	static const char *const tmp[] = { "client_body", "proxy", "fastcgi", "uwsgi", "scgi" };

	if (s->module[0])
		buf_printf(b, "load_module \"%s\";\n", s->module);
	buf_printf(b, "daemon off;\nworker_processes %d;\nworker_cpu_affinity", v->n);
	for (int i = 0; i < v->n; i++) {
		buf_adds(b, " 1");
		for (int k = 0; k < v->cpus[i]; k++)
			buf_addc(b, '0');
	}
	buf_printf(b, ";\npid \"%s/tmp/nginx.pid\";\nerror_log \"%s/error.log\" warn;\n", env->dir, env->dir);
	buf_adds(b, "events {\n\tworker_connections 4096;\n}\nhttp {\n\taccess_log off;\n"
		 "\tserver_tokens off;\n\tsendfile on;\n\ttcp_nopush on;\n"
		 "\tkeepalive_requests 100000000;\n\topen_file_cache max=1000;\n"
		 "\ttypes {\n\t\ttext/html html;\n\t\ttext/css css;\n\t\tapplication/javascript js;\n"
		 "\t\tapplication/json json;\n\t\timage/svg+xml svg;\n\t\ttext/plain txt;\n\t}\n");
	for (size_t i = 0; i < ARRAY_SIZE(tmp); i++)
		buf_printf(b, "\t%s_temp_path \"%s/tmp/%s\";\n", tmp[i], env->dir, tmp[i]);
	write_compression(s, b);
	buf_printf(b, "\tssl_certificate \"%s/cert.pem\";\n\tssl_certificate_key \"%s/key.pem\";\n"
		   "\tssl_protocols TLSv1.3;\n\tssl_conf_command Ciphersuites %s;\n"
		   "\tssl_session_cache off;\n\tssl_session_tickets off;\n"
		   "\tserver {\n\t\tlisten 127.0.0.1:%d ssl backlog=1024;\n\t\troot \"%s/www\";\n\t}\n}\n",
		   env->dir, env->dir, suites[env->cipher], v->port, env->dir);
}

/* The load asks for all documents, or for the smallest. */
static void paths(const struct shared *s, struct buf *b)
{
	for (size_t i = 0; i < s->corpus.n; i++) {
		char name[32];

		if (s->kind == HANDSHAKE && i != s->smallest)
			continue;
		document_name(s, i, name, sizeof(name));
		buf_printf(b, "/%s\n", name);
	}
}

static int nginx_configure(const struct workload_env *env, void *shared,
			   struct workload_serving *v, struct err *err)
{
	const struct shared *s = shared;
	const struct wrk how = { .program = s->wrk, .dir = env->dir,
				 .encoding = encodings[s->kind], .close = s->kind == HANDSHAKE,
				 .connections = CONNECTIONS * v->n };
	struct buf b = BUF_INIT, list = BUF_INIT;
	int rc;

	write_configuration(s, env, v, &b);
	rc = program_file(env->dir, "nginx.conf", b.data, b.len, err);
	paths(s, &list);
	if (rc == 0)
		rc = wrk_configure(&how, buf_str(&list), v, err);
	v->server[0] = xstrdup(s->nginx);
	v->server[1] = xstrdup("-p");
	v->server[2] = xstrdup(env->dir);
	v->server[3] = xstrdup("-e");
	v->server[4] = xasprintf("%s/error.log", env->dir);
	v->server[5] = xstrdup("-c");
	v->server[6] = xasprintf("%s/nginx.conf", env->dir);
	buf_release(&b);
	buf_release(&list);
	return rc;
}

/* The body as it was before it was compressed, into room for len bytes; how many. */
static size_t decode(const struct shared *s, const struct http_answer *a, uint8_t *room, size_t len)
{
	z_stream z = { .next_in = (Bytef *)a->body, .avail_in = (uInt)a->len, .next_out = room,
		       .avail_out = (uInt)len };
	size_t n = len;

	if (!strcmp(a->encoding, "br"))
		return s->d.BrotliDecoderDecompress(a->len, (const uint8_t *)a->body, &n, room) ==
			BROTLI_DECODER_RESULT_SUCCESS ? n : 0;
	if (!strcmp(a->encoding, "gzip")) {
		if (s->z.inflateInit2_(&z, 15 + 16, ZLIB_VERSION, (int)sizeof(z)) != Z_OK)
			return 0;
		n = s->z.inflate(&z, Z_FINISH) == Z_STREAM_END ? len - z.avail_out : 0;
		s->z.inflateEnd(&z);
		return n;
	}
	memcpy(room, a->body, a->len < len ? a->len : len);
	return a->len;
}

static int check_document(const struct shared *s, size_t i, const struct buf *answer, struct err *err)
{
	const struct corpus_doc *doc = &s->corpus.docs[i];
	const char *want = encodings[s->kind] ? encodings[s->kind] : "";
	uint8_t *room = xmalloc(doc->len + 1);
	struct http_answer a;
	int rc = http_parse(answer->data, answer->len, &a, err);

	if (rc == 0 && a.status != 200)
		rc = err_set(err, -EIO, "nginx answers with status %d", a.status);
	if (rc == 0 && strcmp(a.encoding, want))
		rc = err_set(err, -EIO, "nginx answers with the encoding '%s', not '%s'", a.encoding, want);
	if (rc == 0 && s->flip_byte && a.len)
		a.body[(size_t)s->flip_byte % a.len] ^= 1;
	if (rc == 0 && (decode(s, &a, room, doc->len + 1) != doc->len ||
			memcmp(room, doc->data, doc->len)))
		rc = err_set(err, -EBADMSG, "wrong output: document %zu is not what nginx was given", i);
	free(room);
	return rc;
}

static int nginx_verify(void *shared, const struct workload_serving *v, char *tls, size_t size,
			struct err *err)
{
	const struct shared *s = shared;
	const char *encoding = encodings[s->kind];
	char *headers = encoding ? xasprintf("Accept-Encoding: %s\r\n", encoding) : xstrdup("");
	int rc = 0;

	for (size_t i = 0; i < s->corpus.n && rc == 0; i++) {
		struct buf answer = BUF_INIT;
		char path[32] = "/";

		document_name(s, i, path + 1, sizeof(path) - 1);
		rc = https_get(s->https, v->port, path, headers, &answer, tls, size, err);
		if (rc == 0)
			rc = check_document(s, i, &answer, err);
		buf_release(&answer);
	}
	free(headers);
	return rc;
}

static const struct workload_server server = {
	.process = "nginx", .log = "error.log", .address_in_use = "Address already in use",
	.configure = nginx_configure, .verify = nginx_verify, .read_load = wrk_read,
};

static const enum kind kinds[] = { PLAIN, GZIP, BROTLI, HANDSHAKE };

#define WORKLOAD(ID, NAME, KIND, SUMMARY, ...) \
	extern const struct workload workload_nginx_##ID; \
	const struct workload workload_nginx_##ID = { \
		.name = "nginx-" NAME, .summary = SUMMARY, .unit = "request", \
		.score_unit = "req/s", .score_scale = 1, .library = "nginx", .ciphers = ciphers, \
		.row = &kinds[KIND], .setup = nginx_setup, .teardown = nginx_teardown, \
		.server = &server, __VA_ARGS__ }

WORKLOAD(plain, "plain", PLAIN, "serve web documents over HTTPS with nginx",
	 .package = "nginx wrk openssl", .probe = nginx_probe);
WORKLOAD(gzip, "gzip", GZIP, "the same, compressed by gzip for each request",
	 .package = "nginx wrk openssl", .probe = nginx_probe,
	 .variant_name = "level", .variant_min = 1, .variant_max = 9, .variant_default = 6);
WORKLOAD(brotli, "brotli", BROTLI, "the same, compressed by brotli",
	 .package = "nginx libnginx-mod-http-brotli-filter wrk openssl", .probe = brotli_probe,
	 .variant_name = "quality", .variant_min = 0, .variant_max = 11, .variant_default = 6);
WORKLOAD(handshake, "handshake", HANDSHAKE, "serve a small document on a new TLS connection each time",
	 .package = "nginx wrk openssl", .probe = nginx_probe);
