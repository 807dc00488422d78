/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/result/json.h"
#include "src/base/mem.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that 12 digits hold exactly, no two alike. */
struct numbers { double next; };

static double number(struct numbers *n)
{
	n->next += 0.125;
	return n->next;
}

static struct quantity some_quantity(struct numbers *n)
{
	double v = number(n);

	return quantity_estimated(v, v - 0.0625, v + 0.0625, "a reason");
}

static void fill_rep(struct result_rep *rep, struct numbers *n)
{
	rep->wall_s = number(n);
	rep->setup_s = number(n);
	rep->outside = number(n);
	rep->steal_s = number(n);
	rep->throttled_s = -1;
	rep->stopped_s = number(n);
	rep->suspended_s = number(n);
	rep->served = (struct result_served){
		.requests = 4711, .bytes = 1ull << 40, .errors = 3, .latency_max_s = number(n),
		.latency_s = { number(n), number(n), number(n), number(n) },
		.load_busy = number(n), .load_threads = 2, .connections = 64, .load_shares = true,
	};
	rep->migrations = 1ull << 40;
	rep->marks = MARK_STEAL | MARK_LAST;
	rep->score = number(n);
	for (int f = 0; f < FACTORS; f++)
		rep->factors[f] = number(n);
	rep->n_batches = 3;
	rep->batches = xcalloc(3, sizeof(*rep->batches));
	for (uint32_t i = 0; i < 3; i++)
		rep->batches[i] = (struct result_batch){
			.thread = i, .cpu = 1023 - i, .start_s = number(n), .wall_s = number(n),
			.cpu_s = number(n), .user_s = number(n), .sys_s = number(n),
			.run_delay_s = number(n), .ops = i ? number(n) : 1ull << 52, .faults = 11 + i,
			.major_faults = 12 + i, .voluntary = 13 + i, .involuntary = 14 + i,
			.clock_hz = number(n), .adds_per_s = number(n),
		};
}

/* Bytes that are no UTF-8 are not among them; see test_bytes. */
static const char *const names[] = {
	"plain", "std::map<int, char>::operator[](int const&)", "\"quoted\\\"", "<script>",
	"tab\tand\nnewline", "\xc3\xa9t\xc3\xa9", "", "\x1b[31mred\x7f",
};

static void fill_profile(struct result_profile *p, struct numbers *n)
{
	p->event = xstrdup("cpu-clock");
	p->reason = xstrdup("cycles not sampled: no PMU");
	p->file = xstrdup("1t.perf.data");
	p->samples = 12345;
	p->lost = 17;
	p->rate_hz = number(n);
	p->unknown_share = number(n);
	p->kernel_share = number(n);
	p->unsampled_kernel = number(n);
	p->n_more = 99;
	p->n_functions = ARRAY_SIZE(names);
	p->functions = xcalloc(p->n_functions, sizeof(*p->functions));
	for (size_t i = 0; i < p->n_functions; i++)
		p->functions[i] = (struct result_function){
			xstrdup(names[i]), xstrdup("lib.so"), xstrdup(i ? "note" : ""),
			xstrdup(i ? "assembly" : ""),
			number(n), number(n), i };
	p->n_insns = 2;
	p->insns = xcalloc(p->n_insns, sizeof(*p->insns));
	for (uint32_t i = 0; i < 2; i++)
		p->insns[i] = (struct result_insn){ i, 0x7fffffffffff - i, number(n),
						    xstrdup("add rax, 1"),
						    xstrdup(i ? "a.go:12, less < sort" : "") };
	p->n_parts = 2;
	for (int i = 0; i < 2; i++) {
		snprintf(p->parts[i].name, sizeof(p->parts[i].name), "kernel: part %d", i);
		p->parts[i].share = number(n);
	}
	p->n_entries = 2;
	for (int i = 0; i < 2; i++) {
		snprintf(p->entries[i].name, sizeof(p->entries[i].name), "entry %d", i);
		snprintf(p->entries[i].place, sizeof(p->entries[i].place), "place %d", i);
		p->entries[i].share = number(n);
	}
}

static void fill_row(struct result *r, struct numbers *n, int index)
{
	struct result_row *row = result_add_row(r, index ? "2 cores" : "1 core",
						index ? "gzip-9" : "", index + 1);
	struct result_cause *c;

	for (int i = 0; i < 2; i++)
		fill_rep(result_add_rep(row), n);
	fill_profile(&row->profile, n);
	free(row->placement);
	row->placement = xstrdup("CPU 1");
	row->score = some_quantity(n);
	row->quiet = quantity_unavailable("every repetition was disturbed");
	row->n_quiet = 5;
	for (int f = 0; f < FACTORS; f++) {
		row->factors[f] = some_quantity(n);
		row->scaling_factors[f] = number(n);
	}
	row->factors[1].origin = ORIGIN_MODELLED;
	row->factors[1].coverage = 0.5;
	row->factors[2].origin = ORIGIN_MEASURED;
	row->unexplained = -number(n);
	row->scaling = number(n);
	row->scaling_unexplained = number(n);
	c = result_add_cause(row, "page faults", number(n), -1, ORIGIN_MEASURED);
	snprintf(c->evidence, sizeof(c->evidence), "120000 faults/s");
	snprintf(c->place, sizeof(c->place), "longest_match");
	c->low = number(n);
	c->high = number(n);
	result_add_cause(row, "a part of it", number(n), 0, ORIGIN_ESTIMATED);
}

static void fill(struct result *r)
{
	struct numbers n = { 0 };

	result_init(r);
	r->version = xstrdup("0.1.0");
	r->command = xstrdup("cpuprof gzip --library \"zlib=./x y.so\"");
	r->created = xstrdup("2026-03-01T12:00:00+0100");
	r->title = xstrdup("gzip -6, zlib 1.2.13");
	r->machine_line = xstrdup("Intel Xeon, 2 CPUs");
	r->workload = xstrdup("gzip");
	r->unit = xstrdup("bytes");
	r->score_unit = xstrdup("MB/s");
	r->score_scale = 1e-6;
	r->ref_clock_hz = 2994e6;
	r->needle_reason = xstrdup("chains disagree");
	result_ref(r, 1)->adds = number(&n);
	result_ref(r, 0)->remembered = true;
	result_fact(r, "vendor", "%s", "GenuineIntel");
	result_fact(r, "vendor", "%s", "twice is no error");
	result_target(r, "library", "%s", "zlib");
	result_note(r, "a note");
	result_note(r, "another");
	r->interrupted = true;
	r->failure = xstrdup("the worker was killed");
	fill_row(r, &n, 0);
	fill_row(r, &n, 1);
	r->versus.label = xstrdup("GLIBC_TUNABLES=x");
	r->versus.verdict = xstrdup("slower");
	r->versus.ratio = some_quantity(&n);
	r->versus.p = number(&n);
	r->versus.level = 0.02;
	r->versus.rounds = 8;
	r->versus.raw_ratio = number(&n);
	r->versus.spread = number(&n);
	r->versus.raw_spread = number(&n);
	for (int f = 0; f < FACTORS; f++)
		r->versus.split[f] = number(&n);
}

static void same_profile(const struct result_profile *a, const struct result_profile *b)
{
	assert_string_equal(a->event, b->event);
	assert_string_equal(a->reason, b->reason);
	assert_string_equal(a->file, b->file);
	assert_true(a->samples == b->samples && a->lost == b->lost && a->rate_hz == b->rate_hz);
	assert_true(a->unknown_share == b->unknown_share && a->kernel_share == b->kernel_share);
	assert_true(a->unsampled_kernel == b->unsampled_kernel && a->n_more == b->n_more);
	assert_int_equal(a->n_functions, b->n_functions);
	for (size_t i = 0; i < a->n_functions; i++) {
		assert_string_equal(a->functions[i].name, b->functions[i].name);
		assert_string_equal(a->functions[i].dso, b->functions[i].dso);
		assert_string_equal(a->functions[i].note, b->functions[i].note);
		assert_string_equal(a->functions[i].code, b->functions[i].code);
		assert_memory_equal(&a->functions[i].share, &b->functions[i].share,
				    2 * sizeof(double) + sizeof(uint64_t));
	}
	assert_int_equal(a->n_insns, b->n_insns);
	for (size_t i = 0; i < a->n_insns; i++) {
		assert_int_equal(a->insns[i].function, b->insns[i].function);
		assert_true(a->insns[i].addr == b->insns[i].addr);
		assert_true(a->insns[i].share == b->insns[i].share);
		assert_string_equal(a->insns[i].text, b->insns[i].text);
		assert_string_equal(a->insns[i].place, b->insns[i].place);
		assert_int_equal(a->n_parts, b->n_parts);
		assert_string_equal(a->parts[i % 2].name, b->parts[i % 2].name);
		assert_true(a->parts[i % 2].share == b->parts[i % 2].share);
	}
	assert_int_equal(a->n_entries, b->n_entries);
	assert_memory_equal(a->entries, b->entries, sizeof(a->entries));
}

static void same_quantity(const struct quantity *a, const struct quantity *b)
{
	assert_int_equal(a->origin, b->origin);
	assert_string_equal(a->reason, b->reason);
	assert_true(a->value == b->value && a->low == b->low && a->high == b->high);
	assert_true(a->coverage == b->coverage);
}

static void same_row(const struct result_row *a, const struct result_row *b)
{
	assert_string_equal(a->label, b->label);
	assert_string_equal(a->variant, b->variant);
	assert_string_equal(a->placement, b->placement);
	assert_int_equal(a->threads, b->threads);
	assert_int_equal(a->n_reps, b->n_reps);
	for (size_t i = 0; i < a->n_reps; i++) {
		assert_memory_equal(&a->reps[i], &b->reps[i],
				    offsetof(struct result_rep, batches));
		assert_int_equal(a->reps[i].n_batches, b->reps[i].n_batches);
		assert_memory_equal(a->reps[i].batches, b->reps[i].batches,
				    a->reps[i].n_batches * sizeof(struct result_batch));
	}
	same_profile(&a->profile, &b->profile);
	same_quantity(&a->score, &b->score);
	same_quantity(&a->quiet, &b->quiet);
	assert_int_equal(a->n_quiet, b->n_quiet);
	for (int f = 0; f < FACTORS; f++) {
		same_quantity(&a->factors[f], &b->factors[f]);
		assert_true(a->scaling_factors[f] == b->scaling_factors[f]);
	}
	assert_true(a->unexplained == b->unexplained && a->scaling == b->scaling);
	assert_true(a->scaling_unexplained == b->scaling_unexplained);
	assert_int_equal(a->n_causes, b->n_causes);
	assert_memory_equal(a->causes, b->causes, a->n_causes * sizeof(*a->causes));
}

/* What was written is read, field by field, and writes the same bytes. */
static void test_round_trip(void **state)
{
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct err err = { 0 };
	struct result r, s;

	fill(&r);
	result_to_json(&r, &a);
	result_init(&s);
	if (result_from_json(&s, a.data, a.len, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(err.code, 0);
	result_to_json(&s, &b);
	assert_string_equal(buf_str(&a), buf_str(&b));
	assert_string_equal(r.command, s.command);
	assert_string_equal(r.failure, s.failure);
	assert_string_equal(r.needle_reason, s.needle_reason);
	assert_true(r.score_scale == s.score_scale && r.ref_clock_hz == s.ref_clock_hz);
	assert_true(s.interrupted);
	assert_int_equal(s.n_notes, 2);
	assert_int_equal(s.n_machine, 2);
	assert_string_equal(s.machine[1].value, "twice is no error");
	assert_string_equal(result_target_value(&s, "library"), "zlib");
	assert_int_equal(s.n_refs, 2);
	assert_true(s.refs[0].cpu == 1 && s.refs[0].adds == r.refs[0].adds);
	assert_true(s.refs[1].remembered);
	assert_int_equal(s.n_rows, 2);
	for (size_t i = 0; i < 2; i++)
		same_row(&r.rows[i], &s.rows[i]);
	assert_string_equal(s.versus.label, "GLIBC_TUNABLES=x");
	assert_string_equal(s.versus.verdict, "slower");
	same_quantity(&r.versus.ratio, &s.versus.ratio);
	assert_memory_equal(&r.versus.p, &s.versus.p,
			    sizeof(r.versus) - offsetof(struct result_versus, p));
	result_release(&r);
	result_release(&s);
	buf_release(&a);
	buf_release(&b);
}

/* An empty document is a document; so is one of bytes that are no text. */
static void test_bytes(void **state)
{
	struct buf a = BUF_INIT, b = BUF_INIT;
	struct err err = { 0 };
	struct result r, s;

	result_init(&r);
	result_to_json(&r, &a);
	result_init(&s);
	assert_int_equal(result_from_json(&s, a.data, a.len, &err), 0);
	assert_string_equal(s.title, "");
	result_release(&s);
	buf_clear(&a);

	r.title = xstrdup("name \xff\xfe of bytes");
	result_add_row(&r, "row", "", 1);
	r.rows[0].unexplained = NAN;
	r.rows[0].score = quantity_measured(INFINITY, 0, 1);
	result_to_json(&r, &a);
	assert_null(strstr(a.data, "nan"));
	assert_null(strstr(a.data, "inf"));
	result_init(&s);
	assert_int_equal(result_from_json(&s, a.data, a.len, &err), 0);
	assert_string_equal(s.title, "name ?? of bytes");
	result_to_json(&s, &b);
	result_release(&s);
	result_release(&r);
	buf_release(&a);
	buf_release(&b);
}

static int load(const char *text, size_t len, struct err *err)
{
	struct buf b = BUF_INIT;
	struct result r;
	int rc;

	result_init(&r);
	rc = result_from_json(&r, text, len, err);
	if (rc == 0) {		/* what is taken can be written */
		result_to_json(&r, &b);
		result_release(&r);
	}
	buf_release(&b);
	return rc;
}

static const struct { const char *text, *says; } hostile[] = {
	{ "", "not JSON" }, { "{", "not JSON" }, { "hello", "not JSON" }, { "\x01\x02", "not JSON" },
	{ "[]", "not a cpuprof result" }, { "{}", "not a cpuprof result" },
	{ "null", "" }, { "1", "" },
	{ "{\"schema\":2}", "not a cpuprof result of schema 1" },
	{ "{\"schema\":\"1\"}", "not a cpuprof result" },
	{ "{\"schema\":1.0}", "not a cpuprof result" },
	{ "{\"schema\":-1}", "not a cpuprof result" },
	{ "{\"schema\":1,\"schema\":1}", "not JSON" },
	{ "{\"schema\":1,\"rows\":{}}", "\"rows\"" },
	{ "{\"schema\":1,\"rows\":[{\"causes\":7}]}", "\"causes\"" },
	{ "{\"schema\":1,\"title\":[]}", "\"title\"" },
	{ "{\"schema\":1,\"interrupted\":1}", "\"interrupted\"" },
	{ "{\"schema\":1,\"rows\":[{\"score\":{\"origin\":\"guessed\"}}]}", "\"origin\"" },
	{ "{\"schema\":1,\"rows\":[{\"score\":{\"origin\":\"measured\",\"value\":\"1\"}}]}", "\"value\"" },
	{ "{\"schema\":1,\"rows\":[{\"profile\":{\"instructions\":[{\"function\":0}]}}]}", "\"function\"" },
	{ "{\"schema\":1,\"rows\":[{\"repetitions\":[{\"batches\":[{\"ops\":\"1\"}]}]}]}", "\"ops\"" },
};

static void test_hostile(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++) {
		struct err err = { 0 };
		int rc = load(hostile[i].text, strlen(hostile[i].text), &err);

		if (rc >= 0 || !strstr(err.msg, hostile[i].says))
			fail_msg("%s: %d '%s', want '%s'", hostile[i].text, rc, err.msg,
				 hostile[i].says);
	}
}

/* A text that ends anywhere; what lies behind its end is not looked at. */
static void test_cut(void **state)
{
	struct buf a = BUF_INIT;
	struct result r;

	fill(&r);
	result_to_json(&r, &a);
	while (a.len && a.data[a.len - 1] == '\n')
		a.len--;
	for (size_t len = 0; len < a.len; len += len < 600 || a.len - len < 200 ? 1 : 97) {
		struct err err = { 0 };
		char *copy = xmalloc(len + 1);

		memcpy(copy, a.data, len);
		assert_true(load(copy, len, &err) < 0);
		assert_true(err.msg[0] != '\0');
		free(copy);
	}
	result_release(&r);
	buf_release(&a);
}

/* Every value of the whole document replaced by every kind of value, and left
 * out: an error with a sentence, or a document that can be written again. */
struct tally { const json_t *root; int taken, refused; };

static void one_load(struct tally *t)
{
	char *text = json_dumps(t->root, 0);
	struct err err = { 0 };

	if (load(text, strlen(text), &err) < 0) {
		assert_true(err.code < 0 && err.msg[0]);
		t->refused++;
	} else {
		t->taken++;
	}
	free(text);
}

#define KINDS 10

static json_t *kind(int i)
{
	switch (i) {
	case 0: return json_null();
	case 1: return json_integer(-1);
	case 2: return json_integer(INT64_MAX);
	case 3: return json_real(1e308);
	case 4: return json_string("unavailable");
	case 5: return json_string("");
	case 6: return json_true();
	case 7: return json_array();
	case 8: return json_pack("[o, i, s, [], {}]", json_null(), 1, "x");
	default: return json_object();
	}
}

static void walk(struct tally *t, json_t *j);

static void walk_array(struct tally *t, json_t *j)
{
	json_t *first = json_incref(json_array_get(j, 0));

	for (int i = 0; first && i < KINDS; i++) {
		json_array_set_new(j, 0, kind(i));
		one_load(t);
	}
	if (first)
		json_array_set_new(j, 0, first);
	walk(t, json_array_get(j, 0));
}

static void walk(struct tally *t, json_t *j)
{
	char *keys[64];
	size_t n = 0;

	if (json_is_array(j)) {
		walk_array(t, j);
		return;
	}
	/* Putting a key back moves it to the end, so they are listed first. */
	for (void *it = json_object_iter(j); it; it = json_object_iter_next(j, it)) {
		assert_true(n < ARRAY_SIZE(keys));
		keys[n++] = xstrdup(json_object_iter_key(it));
	}
	for (size_t k = 0; k < n; k++) {
		json_t *v = json_incref(json_object_get(j, keys[k]));

		for (int i = 0; i < KINDS; i++) {
			json_object_set_new(j, keys[k], kind(i));
			one_load(t);
		}
		json_object_del(j, keys[k]);
		one_load(t);
		json_object_set(j, keys[k], v);
		if (json_is_object(v) || json_is_array(v))
			walk(t, v);
		json_decref(v);
		free(keys[k]);
	}
}

static void test_every_kind(void **state)
{
	struct buf a = BUF_INIT;
	struct tally t = { 0 };
	struct result r;
	json_t *root;

	fill(&r);
	result_to_json(&r, &a);
	root = json_loads(a.data, 0, NULL);
	assert_non_null(root);
	t.root = root;
	walk(&t, root);
	print_message("%d documents taken, %d refused\n", t.taken, t.refused);
	assert_true(t.taken > 200 && t.refused > 500);
	/* All is as it was: the walk put everything back. */
	one_load(&t);
	json_decref(root);
	result_release(&r);
	buf_release(&a);
}

/* More items than any measurement has are refused, before room is made. */
static void test_huge(void **state)
{
	static const char *const at[][2] = {
		{ "{\"schema\":1,\"rows\":[", "]}" },
		{ "{\"schema\":1,\"machine\":[", "]}" },
		{ "{\"schema\":1,\"rows\":[{\"repetitions\":[{\"batches\":[", "]}]}]}" },
		{ "{\"schema\":1,\"rows\":[{\"profile\":{\"functions\":[", "]}}]}" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(at); i++) {
		struct buf b = BUF_INIT;
		struct err err = { 0 };

		buf_adds(&b, at[i][0]);
		for (int k = 0; k < 100001; k++)
			buf_adds(&b, k ? ",{}" : "{}");
		buf_adds(&b, at[i][1]);
		assert_true(load(b.data, b.len, &err) < 0);
		assert_non_null(strstr(err.msg, "wrong type or size"));
		buf_release(&b);
	}
}

/* A fixed array of the document takes what fits. */
static void test_many_entries(void **state)
{
	struct buf b = BUF_INIT;
	struct err err = { 0 };
	struct result r;

	buf_adds(&b, "{\"schema\":1,\"rows\":[{\"profile\":{\"kernel_entries\":[");
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "%s{\"name\":\"%0200d\",\"share\":0.5}", i ? "," : "", i);
	buf_adds(&b, "]}}]}");
	result_init(&r);
	assert_int_equal(result_from_json(&r, b.data, b.len, &err), 0);
	assert_int_equal(r.rows[0].profile.n_entries, ARRAY_SIZE(r.rows[0].profile.entries));
	assert_int_equal(strlen(r.rows[0].profile.entries[7].name),
			 sizeof(r.rows[0].profile.entries[7].name) - 1);
	assert_int_equal(r.rows[0].n_causes, 0);
	result_release(&r);
	buf_release(&b);
}

/* Nesting beyond reason, and a NUL inside. */
static void test_deep(void **state)
{
	struct buf b = BUF_INIT;
	struct err err = { 0 };

	for (int i = 0; i < 100000; i++)
		buf_addc(&b, '[');
	assert_true(load(b.data, b.len, &err) < 0);
	buf_clear(&b);
	buf_add(&b, "{\"schema\":1,\"title\":\"a\0b\"}", 27);
	assert_true(load(b.data, b.len, &err) < 0);
	buf_release(&b);
}

static void test_notes(void **state)
{
	struct result r;

	result_init(&r);
	result_note(&r, "the same %d", 1);
	result_note(&r, "another");
	result_note(&r, "the same %d", 1);
	assert_int_equal(r.n_notes, 2);
	assert_null(result_target_value(&r, "library"));
	result_ref(&r, 7)->adds = 2;
	assert_true(result_ref(&r, 3)->adds == 0);
	assert_true(result_ref(&r, 7)->adds == 2);
	assert_int_equal(r.n_refs, 2);
	result_release(&r);
	result_release(&r);	/* nothing is left to be freed twice */
	for (unsigned m = 1; m <= MARK_LAST; m <<= 1)
		assert_string_not_equal(result_mark_name((enum result_mark)m), "?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_every_kind),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_many_entries),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
