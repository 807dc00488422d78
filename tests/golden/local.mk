GOLDEN_FLIGHTS = tests/golden/doctor tests/golden/exec tests/golden/gzip \
	tests/golden/sweep tests/golden/versus
GOLDEN_TESTS = tests/golden/golden.sh tests/golden/both.sh
TESTS += $(GOLDEN_TESTS)
EXTRA_DIST += $(GOLDEN_TESTS) $(GOLDEN_FLIGHTS:=.flight) $(GOLDEN_FLIGHTS:=.txt)
