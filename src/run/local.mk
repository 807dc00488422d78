noinst_LIBRARIES += src/run/librun.a
src_run_librun_a_CPPFLAGS = $(AM_CPPFLAGS) -DPKGLIBEXECDIR='"$(pkglibexecdir)"'
src_run_librun_a_SOURCES = \
	src/run/around.c src/run/around.h \
	src/run/build_ids.c src/run/build_ids.h \
	src/run/child.c src/run/child.h \
	src/run/counters.c src/run/counters.h \
	src/run/counting.c src/run/counting.h \
	src/run/doctor.c src/run/doctor.h \
	src/run/measure.c src/run/measure.h \
	src/run/parts.c src/run/parts.h \
	src/run/pass.c src/run/pass.h \
	src/run/pass_command.c \
	src/run/passes.c src/run/passes.h \
	src/run/processes.c src/run/processes.h \
	src/run/protocol.h \
	src/run/recipe_check.c \
	src/run/recipe_run.c src/run/recipe_run.h \
	src/run/sampling.c src/run/sampling.h \
	src/run/scratch.c src/run/scratch.h \
	src/run/server.c src/run/server.h \
	src/run/server_start.c src/run/server_start.h \
	src/run/share_cache.c src/run/share_cache.h \
	src/run/model.c src/run/model.h src/run/model_file.c src/run/model_file.h \
	src/run/model_pass.c src/run/model_rates.c src/run/model_rates.h src/run/region.h \
	src/run/stale.c src/run/stale.h \
	src/run/threads.c src/run/threads.h \
	src/run/timer.c src/run/timer.h \
	src/run/timer_file.c \
	src/run/worker.c src/run/worker.h
EXTRA_DIST += src/run/README.md
