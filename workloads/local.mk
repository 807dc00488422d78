noinst_LIBRARIES += workloads/libworkloads.a
workloads_libworkloads_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS) $(BROTLI_CFLAGS) \
	$(CRYPTO_CFLAGS) $(LUAJIT_CFLAGS) -DPKGLIBEXECDIR='"$(pkglibexecdir)"'
workloads_libworkloads_a_SOURCES = \
	workloads/brotli.c \
	workloads/corpus.c workloads/corpus.h workloads/corpus_words.h \
	workloads/go.c \
	workloads/gzip.c \
	workloads/http.c workloads/http.h \
	workloads/https.c workloads/https.h \
	workloads/library.c workloads/library.h \
	workloads/list.c workloads/list.def \
	workloads/luajit.c \
	workloads/meter.h \
	workloads/nginx.c \
	workloads/openssl.c workloads/openssl.h workloads/openssl_aead.c \
	workloads/openssl_digest.c workloads/openssl_key.c workloads/openssl_vectors.h \
	workloads/recipe.c workloads/recipe.h workloads/recipe_find.c workloads/recipe_score.c \
	workloads/recipe_units.c workloads/recipe_words.c workloads/recipe_words.h \
	workloads/perf_map.c workloads/perf_map.h \
	workloads/program.c workloads/program.h \
	workloads/slots.c workloads/slots.h \
	workloads/template.c \
	workloads/variants.c \
	workloads/workload.h \
	workloads/wrk.c workloads/wrk.h
workloaddatadir = $(pkgdatadir)/workloads
dist_workloaddata_DATA = \
	workloads/sha256sum.workload \
	workloads/text.awk \
	workloads/xz.workload \
	workloads/zstd.workload
EXTRA_DIST += workloads/README.md
EXTRA_DIST += workloads/README.md $(LUA_FILES)

# Scripts become C strings, so that an installed program needs no files.
LUA_FILES = \
	workloads/lua/binary_trees.lua workloads/lua/fasta.lua workloads/lua/fibonacci.lua \
	workloads/lua/mandelbrot.lua workloads/lua/n_body.lua workloads/lua/spectral.lua \
	workloads/lua/start.lua
workloads/lua/scripts.def: $(LUA_FILES) workloads/local.mk
	$(AM_V_GEN)mkdir -p workloads/lua && cd $(srcdir) && for f in $(LUA_FILES); do \
		echo "{ \"$${f##*/}\","; \
		sed 's/\\/&&/g; s/"/\\"/g; s/.*/	"&\\n"/' $$f; \
		echo "},"; \
	done >$(abs_builddir)/$@.new && mv $(abs_builddir)/$@.new $(abs_builddir)/$@
workloads/libworkloads_a-luajit.$(OBJEXT): workloads/lua/scripts.def
CLEANFILES += workloads/lua/scripts.def

# A program of its own, when Go is there; without the network, caches in the build.
GO_FILES = \
	workloads/go/aead.go workloads/go/counters.go workloads/go/gzip.go \
	workloads/go/keys.go workloads/go/linux.go workloads/go/linux_amd64.go \
	workloads/go/linux_arm64.go workloads/go/main.go workloads/go/measure_test.go \
	workloads/go/needles.go workloads/go/needles_amd64.s workloads/go/needles_arm64.s \
	workloads/go/protocol.go workloads/go/text.go workloads/go/worker.go
EXTRA_DIST += $(GO_FILES)
if HAVE_GO
pkglibexec_SCRIPTS += workloads/go/cpuprof-go
CLEANFILES += workloads/go/cpuprof-go
workloads/go/cpuprof-go: $(GO_FILES)
	$(AM_V_GEN)$(MKDIR_P) workloads/go && cd $(srcdir)/workloads/go && \
	$(GO_ENV) GOCACHE='$(abs_builddir)/workloads/go/cache' \
		$(GO) build -trimpath -o '$(abs_builddir)/$@' . || \
		echo 'workloads in Go: this Go cannot compile them; the rest goes on without' >&2
endif
clean-local: clean-go
.PHONY: clean-go
clean-go:
	-rm -rf workloads/go/cache
