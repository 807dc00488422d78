if HAVE_CMOCKA
UNIT_TESTS = \
	tests/unit/test_stats
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)

tests_unit_test_stats_LDADD = $(UNIT_BASE)
endif
