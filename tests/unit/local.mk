if HAVE_CMOCKA
UNIT_TESTS = \
	tests/unit/test_perfdata \
	tests/unit/test_pmu \
	tests/unit/test_record \
	tests/unit/test_ring \
	tests/unit/test_stats \
	tests/unit/test_symtab \
	tests/unit/test_timeline
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)

tests_unit_test_perfdata_CPPFLAGS = $(AM_CPPFLAGS) $(ZSTD_CFLAGS)
tests_unit_test_perfdata_LDADD = $(UNIT_PERF)
tests_unit_test_pmu_LDADD = $(UNIT_PMU)
tests_unit_test_record_LDADD = $(UNIT_PERF)
tests_unit_test_ring_LDADD = $(UNIT_PERF)
tests_unit_test_stats_LDADD = $(UNIT_BASE)
tests_unit_test_symtab_LDADD = $(UNIT_SYMBOL)
tests_unit_test_timeline_LDADD = $(UNIT_PROFILE)
endif
