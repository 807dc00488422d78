# Tests: exit 0 passed, 1 failed, 77 skipped with a reason on the last line.
AM_TESTS_ENVIRONMENT = LC_ALL=C SRC=$(abs_top_srcdir) BUILD=$(abs_top_builddir) \
	CPUPROF=$(abs_top_builddir)/cpuprof SHARED=$(abs_top_srcdir)/../shared CC='$(CC)' \
	CPUPROF_DATA=$(abs_top_srcdir); export CPUPROF_DATA LC_ALL SRC BUILD CPUPROF SHARED CC;

# Unit tests link only their own archive and those above it in the table of
# docs/ARCHITECTURE.md, so that a layer that reaches up does not link.
UNIT_BASE = src/base/libbase.a $(CMOCKA_LIBS) -lm -lpthread
UNIT_PERF = src/perf/libperf.a $(UNIT_BASE) $(ZSTD_LIBS)
UNIT_MACHINE = src/machine/libmachine.a $(UNIT_PERF)
UNIT_SYMBOL = src/symbol/libsymbol.a $(UNIT_BASE) $(DW_LIBS) $(ELF_LIBS) $(ZYDIS_LIBS)
UNIT_PROFILE = src/profile/libprofile.a src/perf/libperf.a src/symbol/libsymbol.a \
	$(UNIT_BASE) $(ZSTD_LIBS) $(DW_LIBS) $(ELF_LIBS) $(ZYDIS_LIBS)
UNIT_RESULT = src/result/libresult.a $(UNIT_PROFILE) $(JANSSON_LIBS)
UNIT_PMU = pmu/libpmu.a pmu/libmodel.a $(UNIT_BASE)
UNIT_EXPLAIN = src/explain/libexplain.a pmu/libpmu.a pmu/libmodel.a src/result/libresult.a $(UNIT_BASE) $(JANSSON_LIBS)
UNIT_RUN = src/run/librun.a src/explain/libexplain.a src/machine/libmachine.a \
	pmu/libpmu.a pmu/libmodel.a workloads/libworkloads.a $(UNIT_RESULT) $(ZLIB_LIBS) -ldl
UNIT_WORKLOADS = workloads/libworkloads.a $(UNIT_BASE) $(ZLIB_LIBS) -ldl
UNIT_REPORTS = reports/libreports.a $(UNIT_RESULT)

include tests/unit/local.mk
include tests/table/local.mk
include tests/attr/local.mk
include tests/golden/local.mk
include tests/live/local.mk
include tests/pmu/local.mk
include tests/fault/local.mk
include tests/fuzz/local.mk
include tests/docs/local.mk
include tests/bench/local.mk

# What takes longer than make check should. Each line "ok" or "not ok" is a test.
SLOW_TESTS = tests/table/mutations.sh tests/fault/server_killed.sh
EXTRA_DIST += $(SLOW_TESTS)
.PHONY: check-slow
check-slow: all
	$(AM_TESTS_ENVIRONMENT) for t in $(SLOW_TESTS); do sh $(srcdir)/$$t || exit; done
