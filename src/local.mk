cpuprof_SOURCES = src/main.c
cpuprof_LDADD = src/cli/libcli.a src/run/librun.a reports/libreports.a \
	src/explain/libexplain.a src/result/libresult.a src/profile/libprofile.a \
	src/symbol/libsymbol.a src/machine/libmachine.a src/perf/libperf.a \
	pmu/libpmu.a pmu/libmodel.a workloads/libworkloads.a src/base/libbase.a $(CP_LIBS)
