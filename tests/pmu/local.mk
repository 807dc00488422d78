# An emulated arm64 machine with a PMU, once set up 50 MB of download. Not in
# TESTS: make check-pmu.
EXTRA_DIST += tests/pmu/setup.sh tests/pmu/guest.sh tests/pmu/lib.sh tests/pmu/run.sh \
	tests/pmu/count.sh tests/pmu/hot.c tests/pmu/hog.c tests/pmu/as.c tests/pmu/exact.S \
	tests/pmu/README.md
.PHONY: check-pmu
check-pmu: cpuprof$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) \
	sh $(srcdir)/tests/pmu/setup.sh && sh $(srcdir)/tests/pmu/count.sh && \
	sh $(srcdir)/tests/pmu/run.sh; \
	rc=$$?; test $$rc -eq 77 || exit $$rc
clean-local: clean-pmu
.PHONY: clean-pmu
clean-pmu:
	-rm -rf tests/pmu/work
