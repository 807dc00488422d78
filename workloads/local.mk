noinst_LIBRARIES += workloads/libworkloads.a
workloads_libworkloads_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS) $(BROTLI_CFLAGS) \
	$(CRYPTO_CFLAGS)
workloads_libworkloads_a_SOURCES = \
	workloads/brotli.c \
	workloads/corpus.c workloads/corpus.h workloads/corpus_words.h \
	workloads/gzip.c \
	workloads/library.c workloads/library.h \
	workloads/list.c workloads/list.def \
	workloads/meter.h \
	workloads/openssl.c workloads/openssl.h workloads/openssl_aead.c \
	workloads/openssl_digest.c workloads/openssl_key.c workloads/openssl_vectors.h \
	workloads/recipe.c workloads/recipe.h workloads/recipe_find.c workloads/recipe_score.c \
	workloads/recipe_units.c workloads/recipe_words.c workloads/recipe_words.h \
	workloads/perf_map.c workloads/perf_map.h \
	workloads/slots.c workloads/slots.h \
	workloads/template.c \
	workloads/variants.c \
	workloads/workload.h
workloaddatadir = $(pkgdatadir)/workloads
dist_workloaddata_DATA = \
	workloads/sha256sum.workload \
	workloads/text.awk \
	workloads/xz.workload \
	workloads/zstd.workload
EXTRA_DIST += workloads/README.md
