noinst_LIBRARIES += reports/libreports.a
reports_libreports_a_CPPFLAGS = $(AM_CPPFLAGS) $(JANSSON_CFLAGS)
reports_libreports_a_SOURCES = \
	reports/csv.c \
	reports/json.c \
	reports/list.c reports/list.def \
	reports/report.h \
	reports/terminal.c reports/terminal.h \
	reports/terminal_causes.c reports/terminal_counters.c \
	reports/terminal_reference.c reports/terminal_result.c reports/terminal_server.c \
	reports/terminal_suite.c \
	reports/terminal_sweep.c
EXTRA_DIST += reports/README.md
referencedir = $(pkgdatadir)/reports/reference
dist_reference_DATA = reports/reference/2017.ref
