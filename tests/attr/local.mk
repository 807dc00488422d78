check_PROGRAMS += tests/attr/attrs
tests_attr_attrs_LDADD = $(UNIT_RUN)
ATTR_TESTS = tests/attr/attrs.sh
TESTS += $(ATTR_TESTS)
EXTRA_DIST += $(ATTR_TESTS) tests/attr/attrs.golden
CLEANFILES += tests/attr/attrs.out
