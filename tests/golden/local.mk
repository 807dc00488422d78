GOLDEN_FLIGHTS = tests/golden/doctor tests/golden/exec tests/golden/gzip \
	tests/golden/sweep tests/golden/versus
GOLDEN_TESTS = tests/golden/golden.sh tests/golden/both.sh tests/golden/suite.sh
TESTS += $(GOLDEN_TESTS)
EXTRA_DIST += $(GOLDEN_TESTS) $(GOLDEN_FLIGHTS:=.flight) $(GOLDEN_FLIGHTS:=.txt) tests/golden/published.txt tests/golden/suite.txt \
	tests/golden/suite/suite.json tests/golden/suite/gzip/result.json \
	tests/golden/suite/rsa-2048-sign/result.json
