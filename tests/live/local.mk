check_PROGRAMS += tests/live/corpus_ratio
tests_live_corpus_ratio_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
tests_live_corpus_ratio_LDADD = workloads/libworkloads.a src/base/libbase.a $(ZLIB_LIBS) -ldl -lm

# Helpers of the scripts: read JSON without other tools, deny perf.
check_PROGRAMS += tests/live/jsonget tests/live/noperf tests/live/model_costs tests/live/model_kernels
tests_live_model_kernels_LDADD = $(UNIT_RUN)
tests_live_model_costs_LDADD = $(UNIT_RUN)
tests_live_jsonget_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
tests_live_jsonget_LDADD = $(JANSSON_LIBS)

# Programs with one known trouble each.
check_PROGRAMS += tests/live/planted/spin tests/live/planted/faults \
	tests/live/planted/syscalls tests/live/planted/migrate

LIVE_TESTS = tests/live/corpus.sh tests/live/planted.sh tests/live/doctor.sh \
	tests/live/threads.sh tests/live/model.sh tests/live/energy.sh \
	tests/live/needle_arm64.sh tests/live/agree.sh tests/live/replay.sh \
	tests/live/neighbour.sh tests/live/suite.sh tests/live/text_workloads.sh tests/live/workloads.sh \
	tests/live/luajit.sh tests/live/go.sh tests/live/nginx.sh
TESTS += $(LIVE_TESTS)
EXTRA_DIST += $(LIVE_TESTS) tests/live/lib.sh tests/live/needle_main.c
CLEANFILES += tests/live.lock
