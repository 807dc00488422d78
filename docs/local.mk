dist_man_MANS += docs/cpuprof.1
EXTRA_DIST += docs/ARCHITECTURE.md docs/flight.md docs/result.md
