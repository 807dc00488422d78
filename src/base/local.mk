noinst_LIBRARIES += src/base/libbase.a
src_base_libbase_a_CPPFLAGS = $(AM_CPPFLAGS) -DPKGDATADIR='"$(pkgdatadir)"'
src_base_libbase_a_SOURCES = \
	src/base/buf.c src/base/buf.h \
	src/base/cursor.h \
	src/base/err.c src/base/err.h \
	src/base/flight.c src/base/flight.h \
	src/base/io.c src/base/io.h \
	src/base/map.c src/base/map.h \
	src/base/mem.c src/base/mem.h \
	src/base/options.c src/base/options.h \
	src/base/paths.c src/base/paths.h \
	src/base/progress.c src/base/progress.h \
	src/base/quantity.c src/base/quantity.h \
	src/base/sha256.c src/base/sha256.h \
	src/base/stats.c src/base/stats.h \
	src/base/lazy.c src/base/lazy.h \
	src/base/strtab.c src/base/strtab.h \
	src/base/units.c src/base/units.h \
	src/base/unprivileged.c src/base/unprivileged.h
EXTRA_DIST += src/base/README.md
