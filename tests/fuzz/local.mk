# Tests of this folder; see tests/README.md. The same targets under libFuzzer:
# tests/fuzz/libfuzzer.sh.
FUZZ_TARGETS = tests/fuzz/fuzz_counts tests/fuzz/fuzz_elf tests/fuzz/fuzz_flight tests/fuzz/fuzz_kallsyms \
	tests/fuzz/fuzz_meter tests/fuzz/fuzz_perfdata tests/fuzz/fuzz_pmu tests/fuzz/fuzz_reference \
	tests/fuzz/fuzz_result tests/fuzz/fuzz_served tests/fuzz/fuzz_suite tests/fuzz/fuzz_workload
check_PROGRAMS += $(FUZZ_TARGETS) tests/fuzz/seeds
tests_fuzz_fuzz_counts_SOURCES = tests/fuzz/fuzz_counts.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_counts_LDADD = $(UNIT_PMU)
tests_fuzz_fuzz_elf_SOURCES = tests/fuzz/fuzz_elf.c tests/fuzz/replay_main.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_elf_LDADD = $(UNIT_SYMBOL)
tests_fuzz_fuzz_kallsyms_SOURCES = tests/fuzz/fuzz_kallsyms.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_kallsyms_LDADD = $(UNIT_SYMBOL)
tests_fuzz_fuzz_meter_SOURCES = tests/fuzz/fuzz_meter.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_meter_LDADD = $(UNIT_RUN)
tests_fuzz_fuzz_perfdata_SOURCES = tests/fuzz/fuzz_perfdata.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_perfdata_LDADD = $(UNIT_PROFILE)
tests_fuzz_fuzz_flight_SOURCES = tests/fuzz/fuzz_flight.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_flight_LDADD = $(UNIT_BASE)
tests_fuzz_fuzz_pmu_SOURCES = tests/fuzz/fuzz_pmu.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_pmu_LDADD = $(UNIT_PMU)
tests_fuzz_fuzz_result_SOURCES = tests/fuzz/fuzz_result.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_result_LDADD = $(UNIT_REPORTS)
tests_fuzz_fuzz_served_SOURCES = tests/fuzz/fuzz_served.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_served_LDADD = $(UNIT_WORKLOADS)
tests_fuzz_fuzz_workload_SOURCES = tests/fuzz/fuzz_workload.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_workload_LDADD = $(UNIT_WORKLOADS)
tests_fuzz_fuzz_reference_SOURCES = tests/fuzz/fuzz_reference.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_reference_LDADD = $(UNIT_REPORTS)
tests_fuzz_fuzz_suite_SOURCES = tests/fuzz/fuzz_suite.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_suite_LDADD = $(UNIT_REPORTS)
tests_fuzz_seeds_CPPFLAGS = $(AM_CPPFLAGS) $(ZSTD_CFLAGS)
tests_fuzz_seeds_LDADD = $(UNIT_PERF)
FUZZ_TESTS = tests/fuzz/replay.sh
TESTS += $(FUZZ_TESTS)
EXTRA_DIST += $(FUZZ_TESTS) tests/fuzz/libfuzzer.sh
