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
	workloads/slots.c workloads/slots.h \
	workloads/template.c \
	workloads/variants.c \
	workloads/workload.h
EXTRA_DIST += workloads/README.md
