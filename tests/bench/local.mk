# Side by side with peers: "make bench". Never a test; see tests/README.md.
BENCH_TOOLS = tests/bench/minimal tests/bench/ratio tests/bench/spin tests/bench/timed tests/bench/work
EXTRA_PROGRAMS = $(BENCH_TOOLS)
tests_bench_minimal_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS) $(BROTLI_CFLAGS)
tests_bench_minimal_LDADD = workloads/libworkloads.a src/base/libbase.a $(ZLIB_LIBS) \
	$(BROTLI_LIBS) -ldl -lm -lpthread
tests_bench_ratio_LDADD = src/base/libbase.a -lm
tests_bench_work_CFLAGS = -O2 -fno-omit-frame-pointer
tests_bench_spin_CFLAGS = -O1
EXTRA_DIST += tests/bench/bench.sh tests/bench/calls.lua tests/bench/versus.sh tests/bench/workloads.sh
CLEANFILES += $(BENCH_TOOLS) tests/bench/million.data

.PHONY: bench
bench: all $(BENCH_TOOLS) tests/live/jsonget
	SRC=$(abs_top_srcdir) BUILD=$(abs_top_builddir) CPUPROF=$(abs_top_builddir)/cpuprof \
		CC='$(CC)' sh $(srcdir)/tests/bench/bench.sh
	SRC=$(abs_top_srcdir) BUILD=$(abs_top_builddir) CPUPROF=$(abs_top_builddir)/cpuprof \
		sh $(srcdir)/tests/bench/versus.sh
	SRC=$(abs_top_srcdir) BUILD=$(abs_top_builddir) CPUPROF=$(abs_top_builddir)/cpuprof \
		sh $(srcdir)/tests/bench/workloads.sh
