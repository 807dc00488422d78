check_PROGRAMS += tests/live/corpus_ratio
tests_live_corpus_ratio_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
tests_live_corpus_ratio_LDADD = workloads/libworkloads.a src/base/libbase.a $(ZLIB_LIBS) -ldl -lm
LIVE_TESTS = tests/live/corpus.sh
TESTS += $(LIVE_TESTS)
EXTRA_DIST += $(LIVE_TESTS)
