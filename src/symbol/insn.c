/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/symbol/insn.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#ifdef __x86_64__
#include <Zydis/Zydis.h>
#endif

const char *insn_class_name(enum insn_class c)
{
	switch (c) {
	case INSN_BRANCH: return "branches";
	case INSN_LOAD: return "loads";
	case INSN_STORE: return "stores";
	case INSN_SSE: return "SSE, 128 bit";
	case INSN_AVX256: return "AVX2, 256 bit";
	case INSN_AVX512: return "AVX-512, 512 bit";
	case INSN_HEAVY: return "heavy";
	case INSN_AES: return "AES";
	case INSN_CLMUL: return "CLMUL";
	case INSN_SHA: return "SHA";
	case INSN_VAES: return "VAES";
	case INSN_IFMA: return "IFMA";
	case INSN_ADX: return "ADX";
	case INSN_NEON: return "NEON";
	case INSN_SVE: return "SVE";
	}
	return "";
}

#ifdef __x86_64__
static unsigned of_memory(const ZydisDecodedOperand *op, unsigned n)
{
	unsigned found = 0;

	for (unsigned i = 0; i < n; i++) {
		/* lea computes an address and goes nowhere. */
		if (op[i].type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    op[i].mem.type == ZYDIS_MEMOP_TYPE_AGEN)
			continue;
		if (op[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			found |= INSN_LOAD;
		if (op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			found |= INSN_STORE;
	}
	return found;
}

static bool has_vector(const ZydisDecodedOperand *op, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		ZydisRegisterClass c = op[i].type == ZYDIS_OPERAND_TYPE_REGISTER ?
			ZydisRegisterGetClass(op[i].reg.value) : ZYDIS_REGCLASS_INVALID;

		if (c == ZYDIS_REGCLASS_XMM || c == ZYDIS_REGCLASS_YMM || c == ZYDIS_REGCLASS_ZMM)
			return true;
	}
	return false;
}

/* Multiplication, division and floating point take the licence that costs clock. */
static bool is_heavy(const ZydisDecodedInstruction *in)
{
	const char *name = ZydisMnemonicGetString(in->mnemonic);
	size_t n = name ? strlen(name) : 0;

	if (!name)
		return false;
	if (in->meta.category == ZYDIS_CATEGORY_VFMA || in->meta.category == ZYDIS_CATEGORY_IFMA ||
	    strstr(name, "mul") || strstr(name, "madd"))
		return true;
	return n > 2 && (!strcmp(name + n - 2, "ps") || !strcmp(name + n - 2, "pd")) &&
		in->meta.category != ZYDIS_CATEGORY_DATAXFER &&
		in->meta.category != ZYDIS_CATEGORY_LOGICAL_FP;
}

static unsigned special(const ZydisDecodedInstruction *in)
{
	bool wide = in->avx.vector_length > 128;

	switch (in->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
	case ZYDIS_CATEGORY_UNCOND_BR:
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_RET:
		return INSN_BRANCH;
	case ZYDIS_CATEGORY_AES:
	case ZYDIS_CATEGORY_VAES:
		return INSN_AES | (wide ? INSN_VAES : 0);
	case ZYDIS_CATEGORY_PCLMULQDQ:
	case ZYDIS_CATEGORY_VPCLMULQDQ:
		return INSN_CLMUL;
	case ZYDIS_CATEGORY_SHA:
		return INSN_SHA;
	case ZYDIS_CATEGORY_IFMA:
		return INSN_IFMA;
	case ZYDIS_CATEGORY_ADOX_ADCX:
		return INSN_ADX;
	default:
		return 0;
	}
}

static unsigned x86(const void *code, size_t len, unsigned *size)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	ZydisDecoder d;
	unsigned c;

	ZydisDecoderInit(&d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&d, code, len, &in, op)))
		return 0;
	*size = in.length;
	c = special(&in);
	if (!(c & INSN_BRANCH))
		c |= of_memory(op, in.operand_count);
	if (in.avx.vector_length == 512)
		c |= INSN_AVX512;
	else if (in.avx.vector_length == 256)
		c |= INSN_AVX256;
	else if (has_vector(op, in.operand_count))
		c |= INSN_SSE;
	if (c & (INSN_SSE | INSN_AVX256 | INSN_AVX512) && !(c & INSN_CLMUL) && is_heavy(&in))
		c |= INSN_HEAVY;
	return c;
}
#endif

/* Top-level encodings, then what of them matters. */
static unsigned arm64(uint32_t w)
{
	unsigned top = w >> 25 & 0xf, c = 0;

	if ((w >> 26 & 7) == 5)		/* branches, exceptions, system: not those with d5, d4 */
		return w >> 24 == 0xd5 || w >> 24 == 0xd4 ? 0 : INSN_BRANCH;
	if ((top & 5) == 4) {		/* loads and stores; bit 26: of vectors */
		c = w >> 22 & 1 ? INSN_LOAD : INSN_STORE;
		if ((w & 0x3b000000) == 0x18000000)	/* literals have no such bit: all loads */
			c = INSN_LOAD;
		return c | (w >> 26 & 1 ? INSN_NEON : 0);
	}
	if (top == 2)
		return INSN_SVE;
	if ((top & 7) != 7)
		return 0;
	c = INSN_NEON;
	if ((w & 0xffff0c00) == 0x4e280800)
		c |= INSN_AES;
	if ((w & 0xffe08c00) == 0x5e000000 || (w & 0xffff0c00) == 0x5e280800 ||
	    (w & 0xffe0f000) == 0xce608000 || (w & 0xfffff800) == 0xcec08000)
		c |= INSN_SHA;
	if ((w & 0xbf20fc00) == 0x0e20e000)
		c |= INSN_CLMUL;
	return c;
}

unsigned insn_classes(uint16_t machine, const void *code, size_t len, unsigned *size)
{
	uint32_t w;

	*size = 0;
	if (machine == EM_AARCH64 && len >= 4) {
		memcpy(&w, code, sizeof(w));
		*size = 4;
		return arm64(w);
	}
#ifdef __x86_64__
	if (machine == EM_X86_64)
		return x86(code, len, size);
#endif
	return 0;
}
