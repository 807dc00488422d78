noinst_LIBRARIES += src/cli/libcli.a
src_cli_libcli_a_SOURCES = \
	src/cli/cli.c src/cli/cli.h \
	src/cli/doctor.c \
	src/cli/exec.c \
	src/cli/list.c src/cli/list.def \
	src/cli/place.c src/cli/place.h \
	src/cli/recipe.c \
	src/cli/record.c \
	src/cli/report.c \
	src/cli/run.c src/cli/run.h \
	src/cli/suite.c src/cli/suite_plan.c src/cli/suite_plan.h \
	src/cli/workload.c
EXTRA_DIST += src/cli/README.md
