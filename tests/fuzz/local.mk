# Tests of this folder; see tests/README.md. The same targets under libFuzzer:
# tests/fuzz/libfuzzer.sh.
FUZZ_TARGETS = tests/fuzz/fuzz_elf tests/fuzz/fuzz_kallsyms tests/fuzz/fuzz_perfdata
check_PROGRAMS += $(FUZZ_TARGETS) tests/fuzz/seeds
tests_fuzz_fuzz_elf_SOURCES = tests/fuzz/fuzz_elf.c tests/fuzz/replay_main.c tests/fuzz/fuzz.h
tests_fuzz_fuzz_elf_LDADD = $(UNIT_SYMBOL)
tests_fuzz_fuzz_kallsyms_SOURCES = tests/fuzz/fuzz_kallsyms.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_kallsyms_LDADD = $(UNIT_SYMBOL)
tests_fuzz_fuzz_perfdata_SOURCES = tests/fuzz/fuzz_perfdata.c tests/fuzz/replay_main.c
tests_fuzz_fuzz_perfdata_LDADD = $(UNIT_PROFILE)
tests_fuzz_seeds_CPPFLAGS = $(AM_CPPFLAGS) $(ZSTD_CFLAGS)
tests_fuzz_seeds_LDADD = $(UNIT_PERF)
TESTS += tests/fuzz/replay.sh
EXTRA_DIST += tests/fuzz/replay.sh tests/fuzz/libfuzzer.sh
