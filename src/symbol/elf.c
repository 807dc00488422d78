/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/symbol/elf.h"
#include "src/base/cursor.h"
#include "src/base/mem.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Elf_Scn *section(const struct elf_image *e, const char *name, GElf_Shdr *sh)
{
	Elf_Scn *s = NULL;
	size_t strndx;

	if (elf_getshdrstrndx(e->elf, &strndx) < 0)
		return NULL;
	while ((s = elf_nextscn(e->elf, s))) {
		const char *n;

		if (!gelf_getshdr(s, sh))
			continue;
		n = elf_strptr(e->elf, strndx, sh->sh_name);
		if (n && !strcmp(n, name))
			return s;
	}
	return NULL;
}

int elf_notes_build_id(const void *notes, size_t len, uint8_t id[20])
{
	struct cursor c = cursor_of(notes, len, false);

	while (cursor_left(&c) >= 12) {
		uint32_t namesz = cursor_u32(&c), descsz = cursor_u32(&c), type = cursor_u32(&c);
		const void *name = cursor_bytes(&c, ((size_t)namesz + 3) & ~(size_t)3);
		const void *desc = cursor_bytes(&c, ((size_t)descsz + 3) & ~(size_t)3);

		if (c.bad)
			return 0;
		if (type == 3 && namesz == 4 && !memcmp(name, "GNU", 4) && descsz && descsz <= 20) {
			memset(id, 0, 20);
			memcpy(id, desc, descsz);
			return (int)descsz;
		}
	}
	return 0;
}

static void read_headers(struct elf_image *e)
{
	GElf_Ehdr eh;
	size_t n;

	if (!gelf_getehdr(e->elf, &eh) || elf_getphdrnum(e->elf, &n) < 0)
		return;
	e->machine = eh.e_machine;
	for (size_t i = 0; i < n && i < 256; i++) {
		GElf_Phdr ph;
		Elf_Data *d;

		if (!gelf_getphdr(e->elf, (int)i, &ph))
			continue;
		if (ph.p_type == PT_LOAD && e->n_seg < ARRAY_SIZE(e->seg))
			e->seg[e->n_seg++] = (struct elf_segment){
				ph.p_offset, ph.p_vaddr, ph.p_filesz };
		if (ph.p_type != PT_NOTE || e->build_id_len)
			continue;
		d = elf_getdata_rawchunk(e->elf, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_BYTE);
		if (d && d->d_buf)
			e->build_id_len = (uint8_t)elf_notes_build_id(d->d_buf, d->d_size,
								      e->build_id);
	}
}

/* Object and debug files carry the note in a section only. */
static void read_note_section(struct elf_image *e)
{
	GElf_Shdr sh;
	Elf_Scn *s = section(e, ".note.gnu.build-id", &sh);
	Elf_Data *d = s ? elf_rawdata(s, NULL) : NULL;

	if (d && d->d_buf)
		e->build_id_len = (uint8_t)elf_notes_build_id(d->d_buf, d->d_size, e->build_id);
}

static int finish_open(struct elf_image *e, const char *what, struct err *err)
{
	GElf_Shdr sh;
	Elf_Scn *s;

	if (!e->elf || elf_kind(e->elf) != ELF_K_ELF) {
		elf_close(e);
		return err_set(err, -EINVAL, "'%s' is no ELF file", what);
	}
	read_headers(e);
	if (!e->build_id_len)
		read_note_section(e);
	s = section(e, ".symtab", &sh);
	e->has_symtab = s && sh.sh_type == SHT_SYMTAB && sh.sh_size > sizeof(Elf64_Sym);
	return 0;
}

int elf_open(struct elf_image *e, const char *path, struct err *err)
{
	struct stat st;

	memset(e, 0, sizeof(*e));
	elf_version(EV_CURRENT);
	e->fd = -1;
	/* A recording may name a device, and opening alone can set one off. */
	if (stat(path, &st) < 0)
		return err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "'%s' is not a regular file", path);
	e->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (e->fd < 0)
		return err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
	if (fstat(e->fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		elf_close(e);
		return err_set(err, -EINVAL, "'%s' is not a regular file", path);
	}
	e->inode = st.st_ino;
	e->elf = elf_begin(e->fd, ELF_C_READ_MMAP, NULL);
	return finish_open(e, path, err);
}

int elf_open_mem(struct elf_image *e, const void *image, size_t len, struct err *err)
{
	memset(e, 0, sizeof(*e));
	elf_version(EV_CURRENT);
	e->fd = -1;
	e->mem = image;
	e->mem_len = len;
	e->elf = elf_memory((char *)image, len);
	return finish_open(e, "image in memory", err);
}

void elf_close(struct elf_image *e)
{
	if (e->elf)
		elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	memset(e, 0, sizeof(*e));
	e->fd = -1;	/* may be closed again */
	e->fd = -1;
}

uint64_t elf_vaddr(const struct elf_image *e, uint64_t offset)
{
	for (size_t i = 0; i < e->n_seg; i++)
		if (offset >= e->seg[i].offset && offset - e->seg[i].offset < e->seg[i].filesz)
			return offset - e->seg[i].offset + e->seg[i].vaddr;
	return offset;
}

size_t elf_code(const struct elf_image *e, uint64_t vaddr, void *out, size_t len)
{
	for (size_t i = 0; i < e->n_seg; i++) {
		const struct elf_segment *s = &e->seg[i];
		Elf_Data *d;

		if (vaddr < s->vaddr || vaddr - s->vaddr >= s->filesz)
			continue;
		if (len > s->filesz - (vaddr - s->vaddr))
			len = s->filesz - (vaddr - s->vaddr);
		d = elf_getdata_rawchunk(e->elf, (int64_t)(s->offset + (vaddr - s->vaddr)), len,
					 ELF_T_BYTE);
		if (!d || !d->d_buf)
			return 0;
		memcpy(out, d->d_buf, len);
		return len;
	}
	return 0;
}

/* Functions, and labels (no type) in executable sections, as perf takes them. */
static bool is_code(const struct elf_image *e, const GElf_Sym *sym)
{
	int type = GELF_ST_TYPE(sym->st_info), vis = GELF_ST_VISIBILITY(sym->st_other);
	GElf_Shdr sh;
	Elf_Scn *s;

	if (sym->st_shndx == SHN_UNDEF)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	if (type != STT_NOTYPE || sym->st_shndx >= SHN_LORESERVE || vis == STV_HIDDEN ||
	    vis == STV_INTERNAL)
		return false;
	s = elf_getscn(e->elf, sym->st_shndx);
	return s && gelf_getshdr(s, &sh) && sh.sh_flags & SHF_EXECINSTR;
}

void elf_symbols(const struct elf_image *e, struct symtab *t)
{
	GElf_Shdr sh;
	Elf_Scn *s = e->has_symtab ? section(e, ".symtab", &sh) : section(e, ".dynsym", &sh);
	Elf_Data *d = s ? elf_getdata(s, NULL) : NULL;
	size_t n;

	if (!d || sh.sh_entsize == 0)
		return;
	n = d->d_size / sh.sh_entsize;
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Sym sym;
		const char *name;
		int bind;

		if (!gelf_getsym(d, (int)i, &sym) || !is_code(e, &sym))
			continue;
		name = elf_strptr(e->elf, sh.sh_link, sym.st_name);
		/* Arm's mapping symbols mark code and data, they name nothing. */
		if (!name || !*name || (name[0] == '$' && strchr("xdat", name[1]) && name[1]))
			continue;
		bind = GELF_ST_BIND(sym.st_info);
		symtab_add(t, sym.st_value, sym.st_value + sym.st_size, name, strlen(name),
			   bind == STB_GLOBAL ? SYMTAB_RANK_GLOBAL :
			   bind == STB_WEAK ? SYMTAB_RANK_WEAK : SYMTAB_RANK_LOCAL);
	}
}

/* The name behind entry i of .rela.plt, NULL if there is none. */
static const char *plt_name(const struct elf_image *e, Elf_Data *rel, Elf_Data *dyn,
			    const GElf_Shdr *dyn_sh, int i)
{
	GElf_Rela r;
	GElf_Sym sym;

	if (!gelf_getrela(rel, i, &r) || !gelf_getsym(dyn, (int)GELF_R_SYM(r.r_info), &sym))
		return NULL;
	return elf_strptr(e->elf, dyn_sh->sh_link, sym.st_name);
}

void elf_plt(const struct elf_image *e, struct symtab *t)
{
	GElf_Shdr rel_sh, dyn_sh, plt_sh;
	Elf_Scn *rel_s = section(e, ".rela.plt", &rel_sh), *dyn_s, *plt_s;
	Elf_Data *rel, *dyn;
	uint64_t at;
	size_t n;

	if (!rel_s || !rel_sh.sh_entsize)
		return;
	dyn_s = section(e, ".dynsym", &dyn_sh);
	/* With indirect branch tracking the calls go to .plt.sec, which has no
	 * header entry. */
	plt_s = section(e, ".plt.sec", &plt_sh);
	at = plt_s ? plt_sh.sh_addr : 0;
	if (!plt_s && (plt_s = section(e, ".plt", &plt_sh)))
		at = plt_sh.sh_addr + (e->machine == EM_AARCH64 ? 32 : 16);
	rel = elf_getdata(rel_s, NULL);
	dyn = dyn_s ? elf_getdata(dyn_s, NULL) : NULL;
	if (!plt_s || !rel || !dyn)
		return;
	n = rel->d_size / rel_sh.sh_entsize;
	for (size_t i = 0; i < n && i < 65536; i++, at += 16) {
		const char *name = plt_name(e, rel, dyn, &dyn_sh, (int)i);
		struct buf b = BUF_INIT;

		if (!name || !*name || at + 16 > plt_sh.sh_addr + plt_sh.sh_size)
			continue;
		buf_printf(&b, "%.200s@plt", name);
		symtab_add(t, at, at + 16, b.data, b.len, SYMTAB_RANK_LOCAL);
		buf_release(&b);
	}
}

/* A pointer of .eh_frame; encodings that functions use, 0 for others. */
static uint64_t eh_pointer(struct cursor *c, uint8_t enc, uint64_t section_addr,
			   const uint8_t *base)
{
	uint64_t at = section_addr + (uint64_t)(c->p - base), v;

	switch (enc & 0x0f) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		v = cursor_u64(c);
		break;
	case DW_EH_PE_udata4:
		v = cursor_u32(c);
		break;
	case DW_EH_PE_sdata4:
		v = (uint64_t)(int64_t)(int32_t)cursor_u32(c);
		break;
	default:
		c->bad = true;
		return 0;
	}
	return (enc & 0x70) == DW_EH_PE_pcrel ? v + at : v;
}

static uint8_t cie_encoding(const Dwarf_CIE *cie)
{
	const uint8_t *p = cie->augmentation_data;

	for (const char *a = cie->augmentation; *a; a++) {
		if (*a == 'R')
			return p < cie->augmentation_data + cie->augmentation_data_size ? *p : 0;
		if (*a == 'L')
			p++;
		else if (*a == 'P')	/* its pointer's size depends on its encoding */
			p += (p[0] & 0x0f) == DW_EH_PE_absptr || (p[0] & 0x0f) == DW_EH_PE_sdata8 ||
			     (p[0] & 0x0f) == DW_EH_PE_udata8 ? 9 : 5;
		if (p >= cie->augmentation_data + cie->augmentation_data_size)
			return 0;
	}
	return 0;
}

void elf_ranges(const struct elf_image *e, struct symtab *t)
{
	GElf_Ehdr eh;
	GElf_Shdr sh;
	Elf_Scn *s = section(e, ".eh_frame", &sh);
	Elf_Data *d = s && sh.sh_type != SHT_NOBITS ? elf_rawdata(s, NULL) : NULL;
	const uint8_t *base;
	Dwarf_Off off = 0, next, cie_at = (Dwarf_Off)-1;
	Dwarf_CFI_Entry entry;
	uint8_t enc = 0;

	if (!d || !d->d_buf || !gelf_getehdr(e->elf, &eh))
		return;
	base = d->d_buf;
	while (dwarf_next_cfi(eh.e_ident, d, true, off, &next, &entry) == 0 && next > off) {
		Dwarf_CFI_Entry cie;
		Dwarf_Off ignored;
		struct cursor c;
		uint64_t start, size;

		off = next;
		if (dwarf_cfi_cie_p(&entry))
			continue;
		if (entry.fde.CIE_pointer != cie_at) {
			cie_at = entry.fde.CIE_pointer;
			if (dwarf_next_cfi(eh.e_ident, d, true, cie_at, &ignored, &cie) != 0 ||
			    !dwarf_cfi_cie_p(&cie))
				continue;
			enc = cie_encoding(&cie.cie);
		}
		c = cursor_of(entry.fde.start, (size_t)(entry.fde.end - entry.fde.start), false);
		start = eh_pointer(&c, enc, sh.sh_addr, base);
		size = eh_pointer(&c, enc & 0x0f, 0, base);
		if (!c.bad && size < 1u << 28)
			symtab_add_range(t, start, start + size);
	}
}

char *elf_debuglink(const struct elf_image *e)
{
	GElf_Shdr sh;
	Elf_Scn *s = section(e, ".gnu_debuglink", &sh);
	Elf_Data *d = s ? elf_rawdata(s, NULL) : NULL;

	if (!d || !d->d_buf || memchr(d->d_buf, '/', strnlen(d->d_buf, d->d_size)))
		return NULL;
	return xstrndup(d->d_buf, d->d_size);
}

void elf_build_id_text(const uint8_t *id, int n, char out[41])
{
	out[0] = '\0';
	for (int i = 0; i < n && i < 20; i++)
		snprintf(out + 2 * i, 3, "%02x", id[i]);
}

int elf_file_build_id(const char *path, uint8_t id[20])
{
	struct elf_image e;
	int n;

	if (elf_open(&e, path, NULL) < 0)
		return 0;
	n = e.build_id_len;
	memcpy(id, e.build_id, 20);
	elf_close(&e);
	return n;
}
