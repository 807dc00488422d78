noinst_LIBRARIES += pmu/libpmu.a pmu/libmodel.a
# Freestanding; the model tool compiles the same files its own way.
pmu_libmodel_a_SOURCES = \
	pmu/model/branch.c pmu/model/branch.h \
	pmu/model/cache.c pmu/model/cache.h
pmu_libpmu_a_SOURCES = \
	pmu/counts.c pmu/counts.h \
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
EXTRA_DIST += pmu/README.md pmu/model/README.md pmu/model/tool.c

# A program of its own with no libc: none of the usual flags are for it.
MODEL_TOOL = pmu/model/cpuprof-model
MODEL_TOOL_FILES = pmu/model/tool.c pmu/model/branch.c pmu/model/cache.c
MODEL_TOOL_CFLAGS = -std=gnu11 -O2 -flto -g -Wall -fno-stack-protector -fno-builtin \
	-fno-strict-aliasing -fno-pic -fno-pie -fcf-protection=none -fno-tree-vectorize \
	-fno-asynchronous-unwind-tables -DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 \
	-DVGPV_amd64_linux_vanilla=1
if HAVE_MODEL_TOOL
pkglibexec_SCRIPTS += $(MODEL_TOOL)
CLEANFILES += $(MODEL_TOOL)
$(MODEL_TOOL): $(MODEL_TOOL_FILES) pmu/model/branch.h pmu/model/cache.h
	$(AM_V_CCLD)$(MKDIR_P) pmu/model && $(CC) $(MODEL_TOOL_CFLAGS) -I$(top_srcdir) \
		-I$(VALGRIND_INCLUDE) -static -nodefaultlibs -nostartfiles -no-pie -u _start \
		-Wl,--build-id=none -Wl,-Ttext-segment=0x58000000 \
		-Wl,--wrap=vgPlain_di_notify_mmap -o $@.part \
		$(MODEL_TOOL_FILES:%=$(top_srcdir)/%) \
		$(VALGRIND_ARCHIVES)/libcoregrind-amd64-linux.a $(VALGRIND_ARCHIVES)/libvex-amd64-linux.a \
		$(VALGRIND_ARCHIVES)/libgcc-sup-amd64-linux.a -lgcc && mv $@.part $@
endif
