/* SPDX-License-Identifier: MIT */
/*
 * The Valgrind tool around the models: what a program executes, address by
 * address, goes through predictor, caches and TLBs, and a file says what each
 * instruction did. A program of its own, linked with Valgrind's core, which makes
 * the binary (not this file) GPL-2+. Runs without the valgrind program:
 *
 *	VALGRIND_LAUNCHER=/absolute/path TOOL --tool=cpuprof-model -q --vgdb=no
 *		--command-line-only=yes --out=FILE [OPTIONS] CMD...
 *
 * The file, FILE.PID.N, is text; pmu/model/counts.h reads it and has its format.
 *
 * Each block counts its executions with one addition; what its instructions
 * executed follows in the end. A conditional branch calls the predictor; loads,
 * stores and fetches call the cache model unless they hit the most recent line
 * of their set, which an inline comparison tells.
 *
 * Chasing of branches across blocks is off: with it, VEX fuses conditions and
 * runs code that the program did not (cachegrind counts that).
 */
#include "pmu/model/branch.h"
#include "pmu/model/cache.h"

#include <pub_tool_basics.h>
#include <pub_tool_vki.h>
#include <pub_tool_vkiscnums.h>
#include <pub_tool_tooliface.h>
#include <pub_tool_aspacehl.h>
#include <pub_tool_aspacemgr.h>
#include <pub_tool_clientstate.h>
#include <pub_tool_clreq.h>
#include <pub_tool_libcbase.h>
#include <pub_tool_libcfile.h>
#include <pub_tool_libcprint.h>
#include <pub_tool_libcproc.h>
#include <pub_tool_machine.h>
#include <pub_tool_mallocfree.h>
#include <pub_tool_options.h>
#include <pub_tool_transtab.h>

#define REGION_REQUEST VG_USERREQ_TOOL_BASE('C', 'P')	/* 1: count, 0: do not */
#define HASH (1u << 16)
#define MAX_MAPS 4096u
#define BLOCK_INSNS 100

enum kind {
	PLAIN = 'p', CONDITIONAL = 'c', DIRECT = 'd', CALL = 'k', INDIRECT = 'j', INDIRECT_CALL = 'i',
	RETURN = 'r', REPEATED = 's',
};

struct insn {
	struct insn *next;
	ULong addr, executed, taken, missed, accesses;
	ULong l1d, l2, llc, tlb1, tlb2, l1i;
	UInt map;
	UChar len, kind;
	struct branch_site site;
};

struct block {
	struct block *next;
	ULong executed;
	UInt n;
	struct { struct insn *insn; UInt accesses; } v[];
};

/* Where code came from: taken when it is translated, since a library may be gone
 * in the end. */
struct map { Addr start; ULong offset, inode; HChar *path; };

static struct insn *insns[HASH];
static struct block *blocks;
static struct map maps[MAX_MAPS];
static UInt n_maps, threads = 1;
static Bool counting = True;
static struct branch_model *branches;
static struct cache_model caches;

static const HChar *opt_out, *opt_sizes;
static Bool opt_region;
static Int opt_entries = 1536, opt_loops = 1;

/* Valgrind's core tells itself here that a file was mapped, and reads its debug
 * information: a third of the start-up, for names that cpuprof finds itself. The
 * linker's --wrap leads the core here instead. */
ULong __wrap_vgPlain_di_notify_mmap(Addr a, Bool whatever, Int fd) __attribute__((used, externally_visible));
ULong __wrap_vgPlain_di_notify_mmap(Addr a, Bool whatever, Int fd)
{
	return 0;
}

/* What an instruction does to the flow of control, from its bytes. */
static UChar kind_of(Addr addr, UInt len)
{
	const UChar *p = (const UChar *)addr, *end = p + len;
	Bool rep = False;

	for (; p < end; p++) {
		if (*p == 0xf2 || *p == 0xf3)
			rep = True;
		else if (*p != 0x66 && *p != 0x67 && *p != 0x2e && *p != 0x3e && *p != 0x26 &&
			 *p != 0x36 && *p != 0x64 && *p != 0x65 && *p != 0xf0)
			break;
	}
	if (p < end && (*p & 0xf0) == 0x40)
		p++;	/* REX */
	if (p >= end)
		return PLAIN;
	if (rep && ((*p >= 0xa4 && *p <= 0xa7) || (*p >= 0xaa && *p <= 0xaf)))
		return REPEATED;
	if ((*p & 0xf0) == 0x70 || (*p >= 0xe0 && *p <= 0xe3) ||
	    (*p == 0x0f && p + 1 < end && (p[1] & 0xf0) == 0x80))
		return CONDITIONAL;
	switch (*p) {
	case 0xe8:
		return CALL;
	case 0xe9: case 0xeb:
		return DIRECT;
	case 0xc2: case 0xc3:
		return RETURN;
	case 0xff:
		if (p + 1 < end && (p[1] >> 3 & 7) == 2)
			return INDIRECT_CALL;
		if (p + 1 < end && (p[1] >> 3 & 7) == 4)
			return INDIRECT;
	}
	return PLAIN;
}

static UInt map_of(Addr addr)
{
	const NSegment *g = VG_(am_find_nsegment)(addr);
	const HChar *path = g ? VG_(am_get_filename)(g) : NULL;

	if (!g)
		return 0;
	for (UInt i = n_maps; i-- > 1;)
		if (maps[i].start == g->start && maps[i].offset == (ULong)g->offset &&
		    maps[i].inode == g->ino && !VG_(strcmp)(maps[i].path, path ? path : ""))
			return i;
	if (n_maps == MAX_MAPS)
		return 0;
	maps[n_maps] = (struct map){ g->start, (ULong)g->offset, g->ino,
				     VG_(strdup)("map", path ? path : "") };
	return n_maps++;
}

static struct insn *insn_at(Addr addr, UInt len)
{
	UInt map = map_of(addr), at = (UInt)(addr ^ addr >> 16) & (HASH - 1);
	UChar kind = kind_of(addr, len);
	struct insn *i;

	for (i = insns[at]; i; i = i->next)
		if (i->addr == addr && i->map == map && i->len == len && i->kind == kind)
			return i;
	i = VG_(perm_malloc)(sizeof(*i), 8);
	VG_(memset)(i, 0, sizeof(*i));
	i->addr = addr;
	i->map = map;
	i->len = (UChar)len;
	i->kind = kind;
	i->next = insns[at];
	insns[at] = i;
	return i;
}

static VG_REGPARM(2) void on_conditional(struct insn *i, UWord taken)
{
	i->taken += taken;
	i->missed += branch_conditional(branches, &i->site, i->addr, (unsigned)taken);
}

static VG_REGPARM(2) void on_indirect(struct insn *i, UWord target)
{
	if (i->kind == RETURN) {
		i->missed += branch_return(branches, target);
		return;
	}
	i->missed += branch_indirect(branches, i->addr, target);
	if (i->kind == INDIRECT_CALL)
		branch_call(branches, i->addr + i->len);
}

static VG_REGPARM(1) void on_call(struct insn *i)
{
	branch_call(branches, i->addr + i->len);
}

static VG_REGPARM(1) void on_jump(struct insn *i)
{
	branch_jump(branches, i->addr);
}

static void add_misses(struct insn *i, unsigned miss)
{
	i->l2 += miss >> 1 & 1;
	i->llc += miss >> 2 & 1;
	i->tlb1 += miss >> 3 & 1;
	i->tlb2 += miss >> 4 & 1;
}

static VG_REGPARM(3) void on_data(struct insn *i, UWord addr, UWord size)
{
	unsigned miss = cache_data(&caches, addr, (unsigned)size);

	if (!miss)
		return;
	i->l1d++;
	add_misses(i, miss);
}

static VG_REGPARM(2) void on_fetch(struct insn *i, UWord addr)
{
	unsigned miss = cache_fetch(&caches, addr);

	if (!miss)
		return;
	i->l1i++;
	add_misses(i, miss);
}

static IRExpr *number(ULong v)
{
	return IRExpr_Const(IRConst_U64(v));
}

static IRExpr *temp(IRSB *sb, IRType type, IRExpr *e)
{
	IRTemp t = newIRTemp(sb->tyenv, type);

	addStmtToIRSB(sb, IRStmt_WrTmp(t, e));
	return IRExpr_RdTmp(t);
}

static IRExpr *load(IRSB *sb, IRExpr *at)
{
	return temp(sb, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, at));
}

static void add_to(IRSB *sb, ULong *at, IRExpr *by)
{
	IRExpr *v = load(sb, number((ULong)(Addr)at));

	v = temp(sb, Ity_I64, IRExpr_Binop(Iop_Add64, v, by));
	addStmtToIRSB(sb, IRStmt_Store(Iend_LE, number((ULong)(Addr)at), v));
}

static void call(IRSB *sb, Int regs, const HChar *name, void *helper, IRExpr **args, IRExpr *guard)
{
	IRDirty *d = unsafeIRDirty_0_N(regs, name, VG_(fnptr_to_fnentry)(helper), args);

	if (guard)
		d->guard = guard;
	addStmtToIRSB(sb, IRStmt_Dirty(d));
}

/* The model is called unless the access lies whole in the line that was used last
 * in its set: (that line ^ address) is then no more than 64 - size. */
static void access(IRSB *sb, struct insn *i, IRExpr *addr, UInt size, IRExpr *guard)
{
	IRExpr *x = temp(sb, Ity_I64, IRExpr_Binop(Iop_Shr64, addr, IRExpr_Const(IRConst_U8(3))));
	IRExpr *miss;

	if (size > 64)
		size = 64;	/* saved register state: its first line stands for it */
	x = temp(sb, Ity_I64, IRExpr_Binop(Iop_And64, x, number(caches.l1d.mask << 3)));
	x = temp(sb, Ity_I64, IRExpr_Binop(Iop_Add64, x, number((ULong)(Addr)caches.l1d.recent)));
	x = temp(sb, Ity_I64, IRExpr_Binop(Iop_Xor64, load(sb, x), addr));
	miss = temp(sb, Ity_I1, IRExpr_Binop(Iop_CmpLT64U, number(64 - size), x));
	if (guard)
		miss = temp(sb, Ity_I1, IRExpr_Binop(Iop_And1, miss, guard));
	call(sb, 3, "on_data", on_data, mkIRExprVec_3(number((ULong)(Addr)i), addr, number(size)),
	     miss);
}

/* Every line of a block's code that is not the last used of its set. */
static void fetches(IRSB *sb, struct insn *first, Addr from, Addr to)
{
	for (Addr line = from & ~63ul; line <= to; line += 64) {
		ULong *recent = (ULong *)&caches.l1i.recent[line >> 6 & caches.l1i.mask];
		IRExpr *tag = load(sb, number((ULong)(Addr)recent));

		call(sb, 2, "on_fetch", on_fetch,
		     mkIRExprVec_2(number((ULong)(Addr)first), number(line)),
		     temp(sb, Ity_I1, IRExpr_Binop(Iop_CmpNE64, tag, number(line))));
	}
}

/* What a statement reads or writes: its address, or NULL. */
static IRExpr *accessed(const IRSB *in, const IRStmt *st, UInt *size, IRExpr **guard)
{
	IRType type, wide;

	*guard = NULL;
	switch (st->tag) {
	case Ist_WrTmp:
		if (st->Ist.WrTmp.data->tag != Iex_Load)
			return NULL;
		*size = (UInt)sizeofIRType(st->Ist.WrTmp.data->Iex.Load.ty);
		return st->Ist.WrTmp.data->Iex.Load.addr;
	case Ist_Store:
		*size = (UInt)sizeofIRType(typeOfIRExpr(in->tyenv, st->Ist.Store.data));
		return st->Ist.Store.addr;
	case Ist_StoreG:
		*guard = st->Ist.StoreG.details->guard;
		*size = (UInt)sizeofIRType(typeOfIRExpr(in->tyenv, st->Ist.StoreG.details->data));
		return st->Ist.StoreG.details->addr;
	case Ist_LoadG:
		typeOfIRLoadGOp(st->Ist.LoadG.details->cvt, &wide, &type);
		*guard = st->Ist.LoadG.details->guard;
		*size = (UInt)sizeofIRType(type);
		return st->Ist.LoadG.details->addr;
	case Ist_CAS:
		*size = (UInt)sizeofIRType(typeOfIRExpr(in->tyenv, st->Ist.CAS.details->dataLo));
		return st->Ist.CAS.details->addr;
	case Ist_Dirty:
		if (st->Ist.Dirty.details->mFx == Ifx_None)
			return NULL;
		*size = (UInt)st->Ist.Dirty.details->mSize;
		return st->Ist.Dirty.details->mAddr;
	default:
		return NULL;
	}
}

/* A conditional branch leaves its block on one side: taken, unless it leaves to
 * what follows it. Exits of other kinds are no branches. */
static void leave(IRSB *sb, struct insn *i, const IRStmt *st, Bool *seen)
{
	ULong to = st->Ist.Exit.dst->Ico.U64;
	Bool inverted = to == i->addr + i->len;
	IRExpr *taken = temp(sb, Ity_I64, IRExpr_Unop(Iop_1Uto64, st->Ist.Exit.guard));

	/* A repeated instruction is one, counted as it is left. */
	if (i->kind == REPEATED && inverted)
		add_to(sb, &i->executed, taken);
	if (i->kind != CONDITIONAL || st->Ist.Exit.jk != Ijk_Boring)
		return;
	*seen = True;
	if (inverted)
		taken = temp(sb, Ity_I64, IRExpr_Binop(Iop_Xor64, taken, number(1)));
	call(sb, 2, "on_conditional", on_conditional,
	     mkIRExprVec_2(number((ULong)(Addr)i), taken), NULL);
}

/* The end of a block. */
static void end_block(IRSB *sb, const IRSB *in, struct insn *i, Bool seen)
{
	Bool known = in->next->tag == Iex_Const;
	ULong to = known ? in->next->Iex.Const.con->Ico.U64 : 0;

	if (i->kind == REPEATED && known && to == i->addr + i->len)
		add_to(sb, &i->executed, number(1));
	/* A condition that VEX could work out has no exit. */
	if (i->kind == CONDITIONAL && !seen && known)
		call(sb, 2, "on_conditional", on_conditional,
		     mkIRExprVec_2(number((ULong)(Addr)i), number(to != i->addr + i->len)), NULL);
	if (i->kind == DIRECT)
		call(sb, 1, "on_jump", on_jump, mkIRExprVec_1(number((ULong)(Addr)i)), NULL);
	if (i->kind == CALL)
		call(sb, 1, "on_call", on_call, mkIRExprVec_1(number((ULong)(Addr)i)), NULL);
	if (i->kind == INDIRECT || i->kind == INDIRECT_CALL || i->kind == RETURN)
		call(sb, 2, "on_indirect", on_indirect,
		     mkIRExprVec_2(number((ULong)(Addr)i), in->next), NULL);
}

static struct block *block_of(const IRSB *in, Int from, Addr *last)
{
	struct block *b;
	UInt n = 0;

	for (Int i = from; i < in->stmts_used; i++)
		n += in->stmts[i]->tag == Ist_IMark;
	b = VG_(perm_malloc)(sizeof(*b) + n * sizeof(b->v[0]), 8);
	VG_(memset)(b, 0, sizeof(*b) + n * sizeof(b->v[0]));
	for (Int i = from; i < in->stmts_used; i++)
		if (in->stmts[i]->tag == Ist_IMark) {
			Addr addr = in->stmts[i]->Ist.IMark.addr + in->stmts[i]->Ist.IMark.delta;
			UInt len = in->stmts[i]->Ist.IMark.len ? in->stmts[i]->Ist.IMark.len : 1;

			b->v[b->n++].insn = insn_at(addr, len);
			*last = addr + len - 1;
		}
	b->next = blocks;
	blocks = b;
	return b;
}

static IRSB *instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
			const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest,
			IRType host)
{
	Int from = 0, at = -1;
	struct block *b;
	Bool seen = False;
	Addr last = 0;
	IRSB *sb;

	while (from < in->stmts_used && in->stmts[from]->tag != Ist_IMark)
		from++;
	/* Where nothing counts, code runs as it is; it is translated anew when that
	 * changes. */
	if (!counting || from == in->stmts_used)
		return in;
	sb = deepCopyIRSBExceptStmts(in);
	for (Int i = 0; i < from; i++)
		addStmtToIRSB(sb, in->stmts[i]);
	b = block_of(in, from, &last);
	for (Int i = from; i < in->stmts_used; i++) {
		IRStmt *st = in->stmts[i];
		IRExpr *addr, *guard;
		UInt size = 0;

		if (st->tag == Ist_IMark) {
			addStmtToIRSB(sb, st);
			if (++at == 0) {
				add_to(sb, &b->executed, number(1));
				fetches(sb, b->v[0].insn, (Addr)b->v[0].insn->addr, last);
			}
			seen = False;
			continue;
		}
		addr = accessed(in, st, &size, &guard);
		if (addr && size) {
			access(sb, b->v[at].insn, addr, size, guard);
			b->v[at].accesses++;
		}
		if (st->tag == Ist_Exit)
			leave(sb, b->v[at].insn, st, &seen);
		addStmtToIRSB(sb, st);
	}
	end_block(sb, in, b->v[at].insn, seen);
	return sb;
}

/* What blocks counted goes to their instructions; blocks start anew. */
static void settle(void)
{
	for (struct block *b = blocks; b; b = b->next) {
		for (UInt i = 0; i < b->n; i++) {
			b->v[i].insn->accesses += b->executed * b->v[i].accesses;
			if (b->v[i].insn->kind != REPEATED)
				b->v[i].insn->executed += b->executed;
		}
		b->executed = 0;
	}
}

static Int out_fd = -1;
static HChar room[65536];
static Int used;
static Bool failed;

static void flush(void)
{
	for (Int at = 0; at < used && !failed;) {
		Int n = VG_(write)(out_fd, room + at, used - at);

		failed = n <= 0;
		at += n;
	}
	used = 0;
}

static void print(const HChar *format, ...) __attribute__((format(printf, 1, 2)));
static void print(const HChar *format, ...)
{
	va_list ap;

	if (used > (Int)sizeof(room) - 8192)
		flush();
	va_start(ap, format);
	used += VG_(vsnprintf)(room + used, 8192, format, ap);
	va_end(ap);
}

/* A file that was not there before: one process may run several programs. */
static Bool open_out(void)
{
	HChar name[4200];

	for (Int i = 0; i < 10000; i++) {
		SysRes r;

		VG_(snprintf)(name, sizeof(name), "%s.%d.%d", opt_out, VG_(getpid)(), i);
		r = VG_(open)(name, VKI_O_CREAT | VKI_O_WRONLY | VKI_O_EXCL, 0644);
		if (!sr_isError(r)) {
			out_fd = (Int)sr_Res(r);
			return True;
		}
		if (sr_Err(r) != VKI_EEXIST)
			return False;
	}
	return False;
}

static void write_counts(void)
{
	settle();
	if (!opt_out || !open_out())
		return;
	used = 0;
	failed = False;
	print("cpuprof-model 1\nthreads %u\n", threads);
	for (UInt i = 1; i < n_maps; i++)
		print("map %u %lx %llx %llu %s\n", i, maps[i].start, maps[i].offset, maps[i].inode,
		      maps[i].path);
	for (UInt h = 0; h < HASH; h++)
		for (const struct insn *i = insns[h]; i; i = i->next)
			if (i->executed)
				print("insn %u %llx %u %c %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu\n",
				      i->map, i->addr, i->len, i->kind, i->executed, i->taken,
				      i->missed, i->accesses, i->l1d, i->l2, i->llc, i->tlb1,
				      i->tlb2, i->l1i);
	print("end\n");
	flush();
	VG_(close)(out_fd);
}

static void fini(Int status)
{
	write_counts();
}

static void forget(void)
{
	settle();
	for (UInt h = 0; h < HASH; h++)
		for (struct insn *i = insns[h]; i; i = i->next)
			i->executed = i->taken = i->missed = i->accesses = i->l1d = i->l2 = i->llc =
				i->tlb1 = i->tlb2 = i->l1i = 0;
}

/* A child begins with what its parent has counted. */
static void in_child(ThreadId tid)
{
	forget();
}

/* What was counted would be lost with the old program. */
static void before_syscall(ThreadId tid, UInt number_, UWord *args, UInt n)
{
	if (number_ == __NR_execve || number_ == __NR_execveat) {
		write_counts();
		forget();
	}
}

static void after_syscall(ThreadId tid, UInt number_, UWord *args, UInt n, SysRes res)
{
}

static void new_thread(ThreadId tid, ThreadId child)
{
	threads += tid != 0;
}

static Bool on_request(ThreadId tid, UWord *args, UWord *ret)
{
	if (args[0] != REGION_REQUEST)
		return False;
	*ret = 1;
	if (opt_region && counting != (args[1] != 0)) {
		counting = args[1] != 0;
		VG_(discard_translations_safely)(0, ~(SizeT)0 >> 1, "cpuprof-model");
	}
	return True;
}

/* "A,B,..." in the order of struct cache_sizes, kept where a number is missing. */
static void read_sizes(struct cache_sizes *s, const HChar *text)
{
	ULong v[13] = {
		s->l1i_bytes, s->l1d_bytes, s->l2_bytes, s->llc_bytes, s->l1i_ways, s->l1d_ways,
		s->l2_ways, s->llc_ways, s->dtlb_entries, s->dtlb_ways, s->stlb_entries,
		s->stlb_ways, (ULong)s->prefetch,
	};

	for (UInt i = 0; text && *text && i < 13; i++) {
		HChar *end;

		v[i] = (ULong)VG_(strtoll10)(text, &end);
		text = *end == ',' ? end + 1 : end;
	}
	s->l1i_bytes = v[0];
	s->l1d_bytes = v[1];
	s->l2_bytes = v[2];
	s->llc_bytes = v[3];
	s->l1i_ways = (unsigned)v[4];
	s->l1d_ways = (unsigned)v[5];
	s->l2_ways = (unsigned)v[6];
	s->llc_ways = (unsigned)v[7];
	s->dtlb_entries = (unsigned)v[8];
	s->dtlb_ways = (unsigned)v[9];
	s->stlb_entries = (unsigned)v[10];
	s->stlb_ways = (unsigned)v[11];
	s->prefetch = (int)v[12];
}

static Bool option(const HChar *arg)
{
	if VG_STR_CLO(arg, "--out", opt_out) {}
	else if VG_STR_CLO(arg, "--sizes", opt_sizes) {}
	else if VG_INT_CLO(arg, "--entries", opt_entries) {}
	else if VG_INT_CLO(arg, "--loops", opt_loops) {}
	else if VG_BOOL_CLO(arg, "--region", opt_region) {}
	else
		return False;
	return True;
}

static void usage(void)
{
	VG_(printf)("    --out=FILE    write counts to FILE.PID.N\n");
}

static void debug_usage(void)
{
}

/* The core preloads a library of Valgrind's that need not be here. */
static void unpreload(void)
{
	for (HChar **e = VG_(client_envp); e && *e; e++) {
		HChar *v = *e + 11, *rest;

		if (VG_(strncmp)(*e, "LD_PRELOAD=", 11) || !VG_(strstr)(v, "/vgpreload_core-"))
			continue;
		for (rest = v; *rest && *rest != ':'; rest++)
			;
		rest += *rest == ':';
		VG_(memmove)(v, rest, VG_(strlen)(rest) + 1);
	}
}

static void after_options(void)
{
	struct branch_config config = { (unsigned)opt_entries, opt_loops };
	struct cache_sizes sizes = CACHE_SIZES_DEFAULT;
	SizeT bytes;
	void *memory;

	VG_(clo_vex_control).guest_chase = False;
	VG_(clo_vex_control).iropt_unroll_thresh = 0;
	unpreload();
	counting = !opt_region;
	n_maps = 1;
	maps[0].path = VG_(strdup)("map", "");
	branches = VG_(malloc)("branches", sizeof(*branches));
	branch_init(branches, &config);
	read_sizes(&sizes, opt_sizes);
	bytes = cache_memory(&sizes);
	memory = VG_(malloc)("caches", bytes);
	VG_(memset)(memory, 0, bytes);
	cache_init(&caches, &sizes, memory);
}

static void before_options(void)
{
	VG_(details_name)("cpuprof-model");
	VG_(details_version)(NULL);
	VG_(details_description)("models of branch predictor and caches");
	VG_(details_copyright_author)("The core is GPL-2+, (C) the Valgrind developers.");
	VG_(details_bug_reports_to)("cpuprof");
	VG_(basic_tool_funcs)(after_options, instrument, fini);
	VG_(needs_command_line_options)(option, usage, debug_usage);
	VG_(needs_client_requests)(on_request);
	VG_(needs_syscall_wrapper)(before_syscall, after_syscall);
	VG_(track_pre_thread_ll_create)(new_thread);
	VG_(atfork)(NULL, NULL, in_child);
}
VG_DETERMINE_INTERFACE_VERSION(before_options)
