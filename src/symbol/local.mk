noinst_LIBRARIES += src/symbol/libsymbol.a
src_symbol_libsymbol_a_CPPFLAGS = $(AM_CPPFLAGS) $(ELF_CFLAGS) $(DW_CFLAGS) $(CAPSTONE_CFLAGS)
src_symbol_libsymbol_a_SOURCES = \
	src/symbol/demangle.c src/symbol/demangle.h \
	src/symbol/disasm.c src/symbol/disasm.h \
	src/symbol/dso.c src/symbol/dso.h \
	src/symbol/elf.c src/symbol/elf.h \
	src/symbol/insn.c src/symbol/insn.h \
	src/symbol/kallsyms.c src/symbol/kallsyms.h \
	src/symbol/source.c src/symbol/source.h \
	src/symbol/symtab.c src/symbol/symtab.h
EXTRA_DIST += src/symbol/README.md
