DOCS_TESTS = tests/docs/help.sh tests/docs/examples.sh tests/docs/layers.sh tests/docs/formats.sh \
	tests/docs/walk.sh
TESTS += $(DOCS_TESTS)
EXTRA_DIST += $(DOCS_TESTS) tests/README.md
