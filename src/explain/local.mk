noinst_LIBRARIES += src/explain/libexplain.a
src_explain_libexplain_a_SOURCES = \
	src/explain/causes.c src/explain/counted.c \
	src/explain/explain.c src/explain/explain.h \
	src/explain/metrics.c src/explain/metrics.h \
	src/explain/versus.c src/explain/versus.h
EXTRA_DIST += src/explain/README.md
