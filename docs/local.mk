dist_man_MANS += docs/cpuprof.1
EXTRA_DIST += .ci/run docs/ARCHITECTURE.md docs/flight.md docs/model.md docs/result.md \
	docs/statistics.md docs/suite.md
