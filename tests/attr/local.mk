check_PROGRAMS += tests/attr/attrs
tests_attr_attrs_LDADD = src/run/librun.a src/explain/libexplain.a src/machine/libmachine.a \
	pmu/libpmu.a pmu/libmodel.a workloads/libworkloads.a $(UNIT_RESULT) $(ZLIB_LIBS) -ldl
ATTR_TESTS = tests/attr/attrs.sh
TESTS += $(ATTR_TESTS)
EXTRA_DIST += $(ATTR_TESTS) tests/attr/attrs.golden
CLEANFILES += tests/attr/attrs.out
