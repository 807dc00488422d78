noinst_LIBRARIES += src/perf/libperf.a
src_perf_libperf_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZSTD_CFLAGS)
src_perf_libperf_a_SOURCES = \
	src/perf/event.c src/perf/event.h \
	src/perf/perfdata.c src/perf/perfdata.h \
	src/perf/perfdata_header.c src/perf/perfdata_header.h \
	src/perf/record.c src/perf/record.h \
	src/perf/recorder.c src/perf/recorder.h \
	src/perf/ring.c src/perf/ring.h \
	src/perf/unzstd.c src/perf/unzstd.h \
	src/perf/writer.c src/perf/writer.h
EXTRA_DIST += src/perf/README.md
