if HAVE_CMOCKA
UNIT_TESTS = \
	tests/unit/test_base \
	tests/unit/test_energy \
	tests/unit/test_explain \
	tests/unit/test_flight \
	tests/unit/test_model \
	tests/unit/test_options \
	tests/unit/test_perfdata \
	tests/unit/test_pmu \
	tests/unit/test_quantity \
	tests/unit/test_recipe \
	tests/unit/test_record \
	tests/unit/test_result \
	tests/unit/test_ring \
	tests/unit/test_served \
	tests/unit/test_stats \
	tests/unit/test_symtab \
	tests/unit/test_timeline \
	tests/unit/test_units \
	tests/unit/test_variants
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)

tests_unit_test_perfdata_CPPFLAGS = $(AM_CPPFLAGS) $(ZSTD_CFLAGS)
tests_unit_test_perfdata_LDADD = $(UNIT_PERF)
tests_unit_test_pmu_LDADD = $(UNIT_PMU)
tests_unit_test_recipe_LDADD = $(UNIT_WORKLOADS)
tests_unit_test_record_LDADD = $(UNIT_PERF)
tests_unit_test_ring_LDADD = $(UNIT_PERF)
tests_unit_test_served_LDADD = $(UNIT_WORKLOADS)
tests_unit_test_stats_LDADD = $(UNIT_BASE)
tests_unit_test_symtab_LDADD = $(UNIT_SYMBOL)
tests_unit_test_timeline_LDADD = $(UNIT_PROFILE)
tests_unit_test_base_LDADD = $(UNIT_BASE)
tests_unit_test_energy_LDADD = $(UNIT_MACHINE)
tests_unit_test_explain_LDADD = $(UNIT_EXPLAIN)
tests_unit_test_flight_LDADD = $(UNIT_BASE)
tests_unit_test_model_LDADD = $(UNIT_RUN)
tests_unit_test_options_LDADD = $(UNIT_BASE)
tests_unit_test_quantity_LDADD = $(UNIT_BASE)
tests_unit_test_result_LDADD = $(UNIT_RESULT)
tests_unit_test_units_LDADD = $(UNIT_BASE)
tests_unit_test_variants_LDADD = $(UNIT_WORKLOADS)
tests_unit_test_result_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
endif
