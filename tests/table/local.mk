# Tests of this folder; see tests/README.md.
check_PROGRAMS += tests/table/perfdata_totals tests/table/runlimited
tests_table_perfdata_totals_LDADD = $(UNIT_PROFILE)
tests_table_runlimited_LDADD =
TABLE_TESTS = tests/table/perfdata.sh tests/table/perfdata_all.sh
TESTS += $(TABLE_TESTS)
EXTRA_DIST += $(TABLE_TESTS) tests/table/perfdata.awk
