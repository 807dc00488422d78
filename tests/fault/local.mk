# What goes wrong is said in one sentence, with the documented exit code, and
# what was measured before is kept.
FAULT_TESTS = tests/fault/options.sh tests/fault/input.sh tests/fault/output.sh \
	tests/fault/worker.sh tests/fault/perf_denied.sh tests/fault/flight.sh \
	tests/fault/shared_counter.sh tests/fault/text_workload.sh
TESTS += $(FAULT_TESTS)
EXTRA_DIST += $(FAULT_TESTS)

check_PROGRAMS += tests/fault/flight_edit
tests_fault_flight_edit_LDADD = src/base/libbase.a -lm
