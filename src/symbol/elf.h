/*
 * elf.h - what an ELF file says of its functions. The only file that includes
 * libelf and libdw's unwind tables; their errors become sentences here.
 */
#ifndef CPUPROF_SYMBOL_ELF_H
#define CPUPROF_SYMBOL_ELF_H

#include "src/base/err.h"
#include "src/symbol/symtab.h"

struct elf_segment { uint64_t offset, vaddr, filesz; };

struct elf_image {
	int fd;			/* -1 when it came from memory */
	void *elf;		/* Elf *, NULL while not open */
	const void *mem;	/* in-memory image, borrowed */
	size_t mem_len;
	uint8_t build_id[20];
	uint8_t build_id_len;
	uint16_t machine;	/* EM_X86_64 ... */
	uint64_t inode;
	struct elf_segment seg[16];
	size_t n_seg;
	bool has_symtab;
};

int elf_open(struct elf_image *e, const char *path, struct err *err);
int elf_open_mem(struct elf_image *e, const void *image, size_t len, struct err *err);
void elf_close(struct elf_image *e);

/* A file offset as a virtual address by the program headers, so that files
 * whose p_offset differs from p_vaddr (lld, mold) are read right. */
uint64_t elf_vaddr(const struct elf_image *e, uint64_t offset);
/* up to len bytes of code at a virtual address; how many there were. */
size_t elf_code(const struct elf_image *e, uint64_t vaddr, void *out, size_t len);

/* Functions of .symtab (or .dynsym), PLT entries, ranges of .eh_frame. */
void elf_symbols(const struct elf_image *e, struct symtab *t);
void elf_plt(const struct elf_image *e, struct symtab *t);
void elf_ranges(const struct elf_image *e, struct symtab *t);
/* The name in .gnu_debuglink, caller frees; NULL when there is none. */
char *elf_debuglink(const struct elf_image *e);

/* The build-id of a file: its length, or 0 when it has none or is no ELF. */
int elf_file_build_id(const char *path, uint8_t id[20]);
/* n bytes of a build-id as hexadecimal text, "" of none. */
void elf_build_id_text(const uint8_t *id, int n, char out[41]);
/* The same from note sections as in /sys/kernel/notes. */
int elf_notes_build_id(const void *notes, size_t len, uint8_t id[20]);

#endif
