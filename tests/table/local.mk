# Tests of this folder; see tests/README.md.
check_PROGRAMS += tests/table/perfdata_totals tests/table/runlimited
tests_table_perfdata_totals_LDADD = $(UNIT_PROFILE)
tests_table_runlimited_LDADD =
check_PROGRAMS += tests/table/noise
tests_table_noise_LDADD = $(UNIT_EXPLAIN)
check_PROGRAMS += tests/table/causes
tests_table_causes_LDADD = $(UNIT_EXPLAIN)
TABLE_TESTS = tests/table/causes.sh tests/table/noise.sh tests/table/pmu_codes.sh tests/table/perfdata.sh tests/table/perfdata_all.sh
TESTS += $(TABLE_TESTS)
EXTRA_DIST += $(TABLE_TESTS) tests/table/perfdata.awk tests/table/pmu_codes.awk tests/table/causes.rows tests/data/noise.csv
