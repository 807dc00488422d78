/* SPDX-License-Identifier: MIT */
#include "pmu/model/branch.h"

#define MULTIPLIER 0x9e3779b97f4a7c15u
#define PATH_BASE 0xd1342543de82ef95u
#define RESET_USEFUL 262144u	/* branches between two halvings of usefulness */

static uint64_t rotate(uint64_t x, unsigned n)
{
	return x << n | x >> (64 - n);
}

static inline void push(struct branch_model *m, unsigned bits, unsigned n)
{
	m->history[1] = m->history[1] << n | m->history[0] >> (64 - n);
	m->history[0] = m->history[0] << n | bits;
}

/* A branch was taken: the path is a polynomial in PATH_BASE over the newest
 * BRANCH_PATH of them, so that the oldest comes off as the new one goes on. */
static inline void follow(struct branch_model *m, uint64_t x)
{
	m->path = m->path * PATH_BASE + x - m->taken[(uint8_t)(m->at - BRANCH_PATH)] * m->oldest;
	m->taken[m->at++] = x;
}

void branch_init(struct branch_model *m, const struct branch_config *config)
{
	static const struct branch_config standard = BRANCH_CONFIG_DEFAULT;
	unsigned char *p = (unsigned char *)m;

	for (unsigned long i = 0; i < sizeof(*m); i++)
		p[i] = 0;
	m->config = config ? *config : standard;
	if (m->config.entries < 64)
		m->config.entries = 64;
	if (m->config.entries > BRANCH_MAX_ENTRIES)
		m->config.entries = BRANCH_MAX_ENTRIES;
	m->random = 0x2545f491u;
	m->oldest = 1;
	for (int i = 0; i < BRANCH_PATH; i++)
		m->oldest *= PATH_BASE;
}

/*
 * What says where a branch lies in each tagged table. The first four look at the
 * newest 5, 14, 36 and 128 outcomes, the last at the path of the newest 194 taken
 * branches: what is not taken adds nothing to that, so it reaches several times
 * further back, as Golden Cove's history does (Yavarzadeh et al., "Half&Half", S&P
 * 2023). In a program a path implies the outcomes along it; they are added for the
 * branch that is all alone. Calls and returns follow from what was before them and
 * are left out.
 */
struct places { uint64_t x[BRANCH_TABLES]; };

static inline void find_places(const struct branch_model *m, uint64_t pc, struct places *p)
{
	uint64_t key = pc * 0xd6e8feb86659fd93u ^ pc << 40, h = m->history[0];

	/* Product bits know the history up to their own place: the top is used. */
	p->x[0] = ((h & 0x1f) ^ key) * MULTIPLIER;
	p->x[1] = ((h & 0x3fff) ^ key) * MULTIPLIER;
	p->x[2] = ((h & 0xfffffffff) ^ key) * MULTIPLIER;
	p->x[3] = (h ^ rotate(m->history[1], 17) ^ key) * MULTIPLIER;
	p->x[4] = ((h & 0xfffffffff) ^ m->path ^ key) * MULTIPLIER;
}

static inline struct branch_tagged *entry(struct branch_model *m, const struct places *p, int i)
{
	return &m->table[i][(unsigned __int128)p->x[i] * m->config.entries >> 64];
}

static inline uint16_t tag(const struct places *p, int i)
{
	return (uint16_t)(p->x[i] >> 37);
}

/* Counters of three bits, and the base's of two, one step on. */
static const int8_t step3[2][8] = { { -1, 0, 1, 2, -4, -4, -3, -2 }, { 1, 2, 3, 3, -3, -2, -1, 0 } };
static const int8_t step2[2][4] = { { -1, 0, -2, -2 }, { 1, 1, -1, 0 } };

static uint32_t next_random(struct branch_model *m)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 17;
	m->random ^= m->random << 5;
	return m->random;
}

/* After a wrong prediction a longer history gets an entry, if one is free. */
static void __attribute__((noinline)) allocate(struct branch_model *m, const struct places *p,
					       int first, unsigned taken)
{
	int got = 0;

	/* Not always the next longer one, or they would all fight for it. */
	if (first < BRANCH_TABLES - 1 && (next_random(m) & 3) == 0)
		first++;
	for (int i = first; i < BRANCH_TABLES && got < 2; i++) {
		struct branch_tagged *e = entry(m, p, i);

		if (e->useful) {
			e->useful--;
			continue;
		}
		*e = (struct branch_tagged){ tag(p, i), taken ? 0 : -1, 0 };
		got++;
		i++;
	}
}

/* Every now and then all lose some of their usefulness. */
static void forget(struct branch_model *m)
{
	for (unsigned i = 0; i < BRANCH_TABLES; i++)
		for (unsigned k = 0; k < m->config.entries; k++)
			m->table[i][k].useful >>= 1;
}

static inline unsigned highest(unsigned bits)
{
	return 31 - (unsigned)__builtin_clz(bits);
}

/*
 * The longest history that knows the branch provides, the next longest is the
 * alternate; the base, number 0 here, knows all. Written without branches on the
 * way, since the host would mispredict them.
 */
static inline __attribute__((always_inline)) unsigned tage(struct branch_model *m, uint64_t pc,
							    unsigned taken)
{
	int8_t *base = &m->base[(pc ^ pc >> BRANCH_BASE_LOG2) & ((1u << BRANCH_BASE_LOG2) - 1)];
	struct branch_tagged *e[BRANCH_TABLES + 1] = { &m->nobody }, *own;
	int8_t counters[BRANCH_TABLES + 1] = { *base };
	unsigned known = 0, first, second, predicted, alt_taken;
	struct places p;
	int counter;

	find_places(m, pc, &p);
#pragma GCC unroll 5
	for (int i = 0; i < BRANCH_TABLES; i++) {
		e[i + 1] = entry(m, &p, i);
		counters[i + 1] = e[i + 1]->counter;
		known |= (unsigned)(e[i + 1]->tag == tag(&p, i)) << i;
	}
	first = highest(known << 1 | 1);
	second = highest((known << 1 & ~(1u << first)) | 1);
	own = e[first];
	counter = counters[first];
	predicted = counter >= 0;
	alt_taken = counters[second] >= 0;
	if (predicted != alt_taken && known) {	/* else it does not matter who is right */
		unsigned right = predicted == taken;

		if (!own->useful && (counter == 0 || counter == -1)) {
			if (m->use_alternate >= 0)
				predicted = alt_taken;
			m->use_alternate += right ? -(m->use_alternate > -8) : m->use_alternate < 7;
		}
		own->useful = (uint8_t)(right ? own->useful + (own->useful < 3) :
					own->useful - (own->useful > 0));
	}
	own->counter = step3[taken][counter & 7];	/* nobody's, when the base provides */
	if (!second && !own->useful)
		*base = step2[taken][*base & 3];
	if (predicted != taken && known < 1u << (BRANCH_TABLES - 1))
		allocate(m, &p, (int)first, taken);
	if (++m->clock % RESET_USEFUL == 0)
		forget(m);
	return predicted;
}

/* How often a branch went one way before it went the other: 0 or 1 when it has
 * always been as often, -1 when that does not help. */
static inline int loop_predict(const struct branch_site *s)
{
	if (s->confidence < 3 || s->streak < BRANCH_SHORT || s->taken != s->way)
		return -1;
	return s->streak == s->trip ? !s->taken : s->taken;
}

static inline void loop_update(struct branch_site *s, unsigned taken)
{
	if (s->taken == taken) {
		s->streak++;
		return;
	}
	/* Shorter ones are within the tables' histories; and the last turn of a long
	 * one must not be taken for a loop of one. */
	if (s->streak >= BRANCH_SHORT) {
		s->confidence = (uint8_t)(s->streak != s->trip || s->taken != s->way ? 0 :
					  s->confidence + (s->confidence < 7));
		s->trip = s->streak;
		s->way = s->taken;
	}
	s->taken = (uint8_t)taken;
	s->streak = 0;
}

static inline void remember(struct branch_model *m, uint64_t pc, unsigned taken)
{
	push(m, taken, 1);
	if (taken)
		follow(m, pc);
}

unsigned branch_conditional(struct branch_model *m, struct branch_site *site, uint64_t pc,
			    unsigned taken)
{
	int loop = m->config.loops ? loop_predict(site) : -1;
	unsigned predicted;

	/* What has long gone one way is taken to go on so, without a look. */
	if (site->streak >= BRANCH_STREAK && site->taken == taken) {
		site->streak++;
		remember(m, pc, taken);
		return loop >= 0 && (unsigned)loop != taken;
	}
	predicted = tage(m, pc, taken);
	if (loop >= 0)
		predicted = (unsigned)loop;
	else if (site->streak >= BRANCH_STREAK)
		predicted = site->taken;
	loop_update(site, taken);
	remember(m, pc, taken);
	return predicted != taken;
}

void branch_jump(struct branch_model *m, uint64_t pc)
{
	follow(m, pc);
}

/* By nothing but the branch; the newest 16 outcomes and targets' bits; 48; the path. */
static inline uint64_t target_place(const struct branch_model *m, uint64_t pc, int i)
{
	static const uint64_t mask[BRANCH_TARGETS] = { 0, 0xffff, 0xffffffffffff, 0xffffffffffff };
	uint64_t h = (m->history[0] & mask[i]) ^ (i == BRANCH_TARGETS - 1 ? m->path : 0);

	return (h * 0xd6e8feb86659fd93u ^ pc * MULTIPLIER) * MULTIPLIER;
}

unsigned branch_indirect(struct branch_model *m, uint64_t pc, uint64_t target)
{
	struct branch_target *e[BRANCH_TARGETS], *provider = 0;
	unsigned wrong;
	int from = -1;

	for (int i = 0; i < BRANCH_TARGETS; i++) {
		uint64_t x = target_place(m, pc, i);

		e[i] = &m->target[i][x >> (64 - BRANCH_TARGETS_LOG2)];
		if (e[i]->tag == ((uint32_t)(x >> 16) | 1)) {
			provider = e[i];
			from = i;
		}
		/* Its own for the update below, whoever provides. */
		if (from != i && e[i]->confidence == 0)
			e[i]->tag = 0;
	}
	wrong = !provider || provider->target != target;
	if (provider && !wrong)
		provider->confidence += provider->confidence < 3;
	else if (provider && provider->confidence)
		provider->confidence--;
	else if (provider)
		provider->target = target;
	for (int i = from + 1, got = 0; wrong && i < BRANCH_TARGETS && !got; i++) {
		uint64_t x = target_place(m, pc, i);

		if (e[i]->confidence) {
			e[i]->confidence--;
			continue;
		}
		*e[i] = (struct branch_target){ target, (uint32_t)(x >> 16) | 1, 0 };
		got = 1;
	}
	push(m, (unsigned)(target * MULTIPLIER >> 61), 3);
	follow(m, pc ^ target * 3);
	return wrong;
}

void branch_call(struct branch_model *m, uint64_t next)
{
	m->stack[m->depth++ % BRANCH_STACK] = next;
}

unsigned branch_return(struct branch_model *m, uint64_t target)
{
	/* Deeper than the stack: what is left of it is older calls'. */
	return m->stack[--m->depth % BRANCH_STACK] != target;
}

void gshare_init(struct gshare *g)
{
	g->history = 0;
	for (unsigned i = 0; i < sizeof(g->counter); i++)
		g->counter[i] = 1;
}

unsigned gshare_conditional(struct gshare *g, uint64_t pc, unsigned taken)
{
	uint8_t *c = &g->counter[(pc ^ pc >> 16 ^ g->history) & 0xffff];
	unsigned wrong = (*c >> 1) != taken;

	if (taken)
		*c += *c < 3;
	else
		*c -= *c > 0;
	g->history = (g->history << 1 | taken) & 0xffff;
	return wrong;
}
