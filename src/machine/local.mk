noinst_LIBRARIES += src/machine/libmachine.a
src_machine_libmachine_a_SOURCES = \
	src/machine/calibrate.c src/machine/calibrate.h \
	src/machine/cgroup.c src/machine/cgroup.h \
	src/machine/energy.c src/machine/energy.h \
	src/machine/machine.c src/machine/machine.h \
	src/machine/needles.c src/machine/needles.h \
	src/machine/uarch.c
EXTRA_DIST += src/machine/README.md
