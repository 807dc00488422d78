noinst_LIBRARIES += pmu/libpmu.a
pmu_libpmu_a_CPPFLAGS = $(AM_CPPFLAGS) -DPKGDATADIR='"$(pkgdatadir)"'
pmu_libpmu_a_SOURCES = \
	pmu/find.c pmu/find.h \
	pmu/formula.c pmu/formula.h \
	pmu/libpfm.c pmu/libpfm.h \
	pmu/request.c pmu/request.h \
	pmu/table.c pmu/table.h
pmudatadir = $(pkgdatadir)/pmu
dist_pmudata_DATA = \
	pmu/bdx.pmu \
	pmu/falkor.pmu \
	pmu/generic-arm64.pmu \
	pmu/generic-x86.pmu \
	pmu/icx.pmu \
	pmu/neoverse-n1.pmu \
	pmu/neoverse-v1.pmu \
	pmu/skx.pmu \
	pmu/spr.pmu \
	pmu/zen4.pmu
EXTRA_DIST += pmu/README.md
