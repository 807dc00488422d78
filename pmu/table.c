/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "pmu/table.h"
#include "src/base/mem.h"
#include "pmu/formula.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOKENS 16

struct line {
	const char *file;
	int number;
	char *token[MAX_TOKENS];	/* into room */
	int n;
	char room[1024];
};

static int bad(const struct line *l, struct err *err, const char *fmt, const char *what)
{
	char text[400];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), fmt, what);
#pragma GCC diagnostic pop
	return err_set(err, -EINVAL, "%s:%d: %s", l->file, l->number, text);
}

/* Blanks part tokens, quotes keep them together, # starts a comment. */
static int split(struct line *l, const char *text, size_t len, struct err *err)
{
	char *p = l->room;

	l->n = 0;
	if (len >= sizeof(l->room))
		return bad(l, err, "line is too long%s", "");
	memcpy(l->room, text, len);
	l->room[len] = '\0';
	for (;;) {
		bool quoted;

		p += strspn(p, " \t\r");
		if (!*p || *p == '#')
			return 0;
		if (l->n == MAX_TOKENS)
			return bad(l, err, "too many words%s", "");
		quoted = *p == '"';
		l->token[l->n++] = p += quoted;
		p += strcspn(p, quoted ? "\"" : " \t\r");
		if (quoted && !*p)
			return bad(l, err, "a quote is not closed%s", "");
		if (*p)
			*p++ = '\0';
	}
}

static void copy(char *out, size_t size, const char *s)
{
	snprintf(out, size, "%s", s);
}

/* "N", "N-M" or "*". */
static bool range(const char *s, int *low, int *high)
{
	char *end;

	*low = *high = -1;
	if (!strcmp(s, "*"))
		return true;
	*low = *high = (int)strtol(s, &end, 0);
	if (end == s)
		return false;
	if (*end == '-')
		*high = (int)strtol(end + 1, &end, 0);
	return !*end;
}

static int parse_match(struct pmu_table *t, const struct line *l, struct err *err)
{
	struct pmu_match *m = &t->matches[t->n_matches];
	int high;

	if (t->n_matches == ARRAY_SIZE(t->matches))
		return bad(l, err, "too many match lines%s", "");
	if (l->n < 4)
		return bad(l, err, "match wants VENDOR FAMILY MODEL%s", "");
	copy(m->vendor, sizeof(m->vendor), l->token[1]);
	if (!range(l->token[2], &m->family, &high) ||
	    !range(l->token[3], &m->model_low, &m->model_high) ||
	    !range(l->n > 4 ? l->token[4] : "*", &m->stepping_low, &m->stepping_high))
		return bad(l, err, "match wants numbers, ranges or *%s", "");
	t->n_matches++;
	return 0;
}

/* "KEY:NAME" of a source that was declared. */
static int parse_source(const struct pmu_table *t, const struct line *l, const char *token,
			char *key, size_t key_size, char *name, size_t name_size,
			struct err *err)
{
	const char *colon = strchr(token, ':');

	if (!colon || (size_t)(colon - token) >= key_size)
		return bad(l, err, "'%s' is no SOURCE:NAME", token);
	snprintf(key, key_size, "%.*s", (int)(colon - token), token);
	copy(name, name_size, colon + 1);
	for (size_t i = 0; i < t->n_sources; i++)
		if (!strcmp(t->sources[i].key, key))
			return 0;
	return bad(l, err, "source '%s' is not declared", key);
}

static int parse_event(struct pmu_table *t, const struct line *l, struct err *err)
{
	static const struct { const char *prefix; uint32_t type; } kinds[] = {
		{ "raw:", PERF_TYPE_RAW }, { "hw:", PERF_TYPE_HARDWARE },
		{ "cache:", PERF_TYPE_HW_CACHE },
	};
	struct pmu_event e = { .line = l->number };
	const char *code, *kind = NULL;
	char *end;

	if (l->n < 4)
		return bad(l, err, "event wants ROLE CODE ... SOURCE:NAME%s", "");
	copy(e.role, sizeof(e.role), l->token[1]);
	if (pmu_table_event(t, e.role))
		return bad(l, err, "event '%s' stands here twice", e.role);
	code = l->token[2];
	for (size_t i = 0; i < ARRAY_SIZE(kinds) && !kind; i++)
		if (!strncmp(code, kinds[i].prefix, strlen(kinds[i].prefix)))
			kind = kinds[i].prefix, e.type = kinds[i].type;
	if (!kind)
		return bad(l, err, "'%s' is none of raw:0xHEX, hw:N, cache:0xHEX", code);
	e.code = strtoull(strchr(code, ':') + 1, &end, 0);
	if (*end || end == strchr(code, ':') + 1)
		return bad(l, err, "'%s' is no event code", code);
	for (int i = 3; i + 1 < l->n; i++) {
		if (!strcmp(l->token[i], "fixed"))
			e.fixed = true;
		else if (!strncmp(l->token[i], "precise=", 8))
			e.precise = (unsigned)atoi(l->token[i] + 8) & 3;
		else if (!strncmp(l->token[i], "leader=", 7))
			copy(e.leader, sizeof(e.leader), l->token[i] + 7);
		else
			return bad(l, err, "event does not know '%s'", l->token[i]);
	}
	if (parse_source(t, l, l->token[l->n - 1], e.source, sizeof(e.source), e.published,
			 sizeof(e.published), err) < 0)
		return err->code;
	GROW(t->events, t->n_events, t->cap_events);
	t->events[t->n_events++] = e;
	return 0;
}

static int parse_metric(struct pmu_table *t, const struct line *l, struct err *err)
{
	static const char *const units[] = { "ratio", "percent", "perkinsn", "cycles", "GHz",
					     "count" };
	struct pmu_metric m = { .line = l->number };
	bool known = false;

	if (l->n < 5)
		return bad(l, err, "metric wants NAME UNIT FORMULA ... SOURCE:NAME%s", "");
	copy(m.name, sizeof(m.name), l->token[1]);
	copy(m.unit, sizeof(m.unit), l->token[2]);
	copy(m.formula, sizeof(m.formula), l->token[3]);
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		known |= !strcmp(units[i], m.unit);
	if (!known)
		return bad(l, err, "unit '%s' is not known", m.unit);
	if (pmu_table_metric(t, m.name) || pmu_table_event(t, m.name))
		return bad(l, err, "'%s' stands here twice", m.name);
	for (int i = 4; i + 1 < l->n; i++) {
		m.has_above |= !strncmp(l->token[i], "above=", 6);
		m.has_below |= !strncmp(l->token[i], "below=", 6);
		if (!strncmp(l->token[i], "above=", 6))
			m.above = atof(l->token[i] + 6);
		else if (!strncmp(l->token[i], "below=", 6))
			m.below = atof(l->token[i] + 6);
		else
			return bad(l, err, "metric does not know '%s'", l->token[i]);
	}
	if (parse_source(t, l, l->token[l->n - 1], m.source, sizeof(m.source), m.published,
			 sizeof(m.published), err) < 0)
		return err->code;
	GROW(t->metrics, t->n_metrics, t->cap_metrics);
	t->metrics[t->n_metrics++] = m;
	return 0;
}

static int parse_cost(struct pmu_table *t, const struct line *l, struct err *err)
{
	struct pmu_cost *c = &t->costs[t->n_costs];

	if (l->n != 5)
		return bad(l, err, "cost wants ROLE LOW HIGH SOURCE:NAME%s", "");
	if (t->n_costs == ARRAY_SIZE(t->costs))
		return bad(l, err, "too many costs%s", "");
	copy(c->role, sizeof(c->role), l->token[1]);
	c->low = atof(l->token[2]);
	c->high = atof(l->token[3]);
	if (!(c->low >= 0 && c->high >= c->low && c->high < 10000))
		return bad(l, err, "cost of '%s' is no range of cycles", c->role);
	if (!pmu_table_event(t, c->role))
		return bad(l, err, "cost names an event that is not here: '%s'", c->role);
	t->n_costs++;
	return parse_source(t, l, l->token[4], c->source, sizeof(c->source), c->published,
			    sizeof(c->published), err);
}

static int parse_cause(struct pmu_table *t, const struct line *l, struct err *err)
{
	struct pmu_cause *c = &t->causes[t->n_causes];

	if (l->n < 6)
		return bad(l, err, "cause wants ID TITLE LOW HIGH ... SOURCE:NAME%s", "");
	if (t->n_causes == ARRAY_SIZE(t->causes))
		return bad(l, err, "too many causes%s", "");
	memset(c, 0, sizeof(*c));
	c->line = l->number;
	copy(c->id, sizeof(c->id), l->token[1]);
	copy(c->title, sizeof(c->title), l->token[2]);
	copy(c->low, sizeof(c->low), l->token[3]);
	copy(c->high, sizeof(c->high), l->token[4]);
	for (size_t i = 0; i < t->n_causes; i++)
		if (!strcmp(t->causes[i].id, c->id))
			return bad(l, err, "cause '%s' stands here twice", c->id);
	for (int i = 5; i + 1 < l->n; i++) {
		if (!strncmp(l->token[i], "evidence=", 9))
			copy(c->evidence, sizeof(c->evidence), l->token[i] + 9);
		else if (!strncmp(l->token[i], "sample=", 7))
			copy(c->sample, sizeof(c->sample), l->token[i] + 7);
		else if (!strncmp(l->token[i], "parent=", 7))
			copy(c->parent, sizeof(c->parent), l->token[i] + 7);
		else if (!strcmp(l->token[i], "stack"))
			c->stack = true;
		else
			return bad(l, err, "cause does not know '%s'", l->token[i]);
	}
	t->n_causes++;
	return parse_source(t, l, l->token[l->n - 1], c->source, sizeof(c->source), c->published,
			    sizeof(c->published), err);
}

static int parse_line(struct pmu_table *t, const struct line *l, struct err *err)
{
	const char *what = l->token[0];

	if (!strcmp(what, "event"))
		return parse_event(t, l, err);
	if (!strcmp(what, "metric"))
		return parse_metric(t, l, err);
	if (!strcmp(what, "match"))
		return parse_match(t, l, err);
	if (!strcmp(what, "cost"))
		return parse_cost(t, l, err);
	if (!strcmp(what, "cause"))
		return parse_cause(t, l, err);
	if (l->n < 2)
		return bad(l, err, "'%s' wants a value", what);
	if (!strcmp(what, "cpu")) {
		copy(t->name, sizeof(t->name), l->token[1]);
		copy(t->title, sizeof(t->title), l->n > 2 ? l->token[2] : l->token[1]);
	} else if (!strcmp(what, "arch")) {
		copy(t->arch, sizeof(t->arch), l->token[1]);
	} else if (!strcmp(what, "libpfm")) {
		copy(t->libpfm, sizeof(t->libpfm), l->token[1]);
	} else if (!strcmp(what, "width")) {
		t->width = atoi(l->token[1]);
	} else if (!strcmp(what, "counters")) {
		t->counters = atoi(l->token[1]);
	} else if (!strcmp(what, "source")) {
		if (l->n != 3 || t->n_sources == ARRAY_SIZE(t->sources))
			return bad(l, err, "source wants KEY \"TEXT\"%s", "");
		copy(t->sources[t->n_sources].key, sizeof(t->sources[0].key), l->token[1]);
		copy(t->sources[t->n_sources++].text, sizeof(t->sources[0].text), l->token[2]);
	} else {
		return bad(l, err, "'%s' is no directive", what);
	}
	return 0;
}

/* Names a formula may use: roles, metrics above it, WIDTH and SMT. */
struct scope { const struct pmu_table *t; size_t metric; };

static bool in_scope(void *arg, const char *name, double *value)
{
	const struct scope *s = arg;

	*value = 3;	/* any value, but not one that makes a difference zero */
	if (pmu_table_constant(s->t, name, value) || !strcmp(name, "SMT") || pmu_table_event(s->t, name))
		return true;
	for (size_t i = 0; i < s->metric; i++)
		if (!strcmp(s->t->metrics[i].name, name))
			return true;
	return false;
}

static bool is_percent(const struct pmu_table *t, const char *name)
{
	const struct pmu_metric *m = pmu_table_metric(t, name);

	return m && !strcmp(m->unit, "percent");
}

static int check_causes(const struct pmu_table *t, struct line *l, struct err *err)
{
	for (size_t i = 0; i < t->n_causes; i++) {
		const struct pmu_cause *c = &t->causes[i];
		bool parent = !c->parent[0];

		l->number = c->line;
		if (!is_percent(t, c->low) || !is_percent(t, c->high))
			return bad(l, err, "cause '%s' is not between two metrics in percent", c->id);
		if (c->evidence[0] && !pmu_table_metric(t, c->evidence))
			return bad(l, err, "evidence '%s' is no metric here", c->evidence);
		if (c->sample[0] && !pmu_table_event(t, c->sample))
			return bad(l, err, "cause samples '%s', which is no event here", c->sample);
		for (size_t k = 0; k < i; k++)
			parent |= !strcmp(t->causes[k].id, c->parent);
		if (!parent)
			return bad(l, err, "parent '%s' is no cause above", c->parent);
	}
	return 0;
}

static int check(const struct pmu_table *t, const char *file, struct err *err)
{
	struct line l = { .file = file };
	struct err why = { 0 };

	if (!t->name[0] || !t->arch[0] || !t->n_matches)
		return err_set(err, -EINVAL, "%s: a table wants cpu, arch and match", file);
	if (!pmu_table_event(t, "cycles") || !pmu_table_event(t, "instructions"))
		return err_set(err, -EINVAL, "%s: a table wants the roles cycles and instructions",
			       file);
	for (size_t i = 0; i < t->n_events; i++) {
		l.number = t->events[i].line;
		if (t->events[i].leader[0] && !pmu_table_event(t, t->events[i].leader))
			return bad(&l, err, "leader '%s' is no event here", t->events[i].leader);
	}
	for (size_t i = 0; i < t->n_metrics; i++) {
		struct scope s = { t, i };
		double v;
		int rc = formula_eval(t->metrics[i].formula, in_scope, &s, &v, &why);

		l.number = t->metrics[i].line;
		/* Equal stand-ins may cancel out; that is no fault of the formula. */
		if (rc < 0 && !strstr(why.msg, "division by zero"))
			return bad(&l, err, strstr(why.msg, "was not counted") ?
				   "metric needs what is not known before it: %s" : "%s", why.msg);
	}
	return check_causes(t, &l, err);
}

int pmu_table_parse(struct pmu_table *t, const char *text, const char *file, struct err *err)
{
	struct line l = { .file = file };
	int rc = 0;

	memset(t, 0, sizeof(*t));
	while (*text && rc == 0) {
		size_t len = strcspn(text, "\n");

		l.number++;
		rc = split(&l, text, len, err);
		if (rc == 0 && l.n)
			rc = parse_line(t, &l, err);
		text += len + (text[len] == '\n');
	}
	if (rc == 0)
		rc = check(t, file, err);
	if (rc < 0)
		pmu_table_release(t);
	return rc;
}

void pmu_table_release(struct pmu_table *t)
{
	free(t->events);
	free(t->metrics);
	memset(t, 0, sizeof(*t));
}

static bool within(int v, int low, int high)
{
	return low < 0 || (v >= low && v <= high);
}

int pmu_table_fits(const struct pmu_table *t, const char *arch, const char *vendor, int family,
		   int model, int stepping)
{
	int best = 0;

	if (strcmp(t->arch, arch))
		return 0;
	for (size_t i = 0; i < t->n_matches; i++) {
		const struct pmu_match *m = &t->matches[i];

		if (!strcmp(m->vendor, "*"))
			best = best > 1 ? best : 1;
		else if (!strcmp(m->vendor, vendor) && (m->family < 0 || m->family == family) &&
			 within(model, m->model_low, m->model_high) &&
			 within(stepping, m->stepping_low, m->stepping_high))
			best = 2;
	}
	return best;
}

const struct pmu_event *pmu_table_event(const struct pmu_table *t, const char *role)
{
	for (size_t i = 0; i < t->n_events; i++)
		if (!strcmp(t->events[i].role, role))
			return &t->events[i];
	return NULL;
}

const struct pmu_metric *pmu_table_metric(const struct pmu_table *t, const char *name)
{
	for (size_t i = 0; i < t->n_metrics; i++)
		if (!strcmp(t->metrics[i].name, name))
			return &t->metrics[i];
	return NULL;
}

bool pmu_table_constant(const struct pmu_table *t, const char *name, double *value)
{
	const char *dot = strrchr(name, '.');

	if (!strcmp(name, "WIDTH")) {
		*value = t->width;
		return t->width > 0;
	}
	for (size_t i = 0; dot && i < t->n_costs; i++) {
		const struct pmu_cost *c = &t->costs[i];

		if (strlen(c->role) != (size_t)(dot - name) ||
		    strncmp(c->role, name, (size_t)(dot - name)))
			continue;
		*value = !strcmp(dot, ".low") ? c->low : c->high;
		return !strcmp(dot, ".low") || !strcmp(dot, ".high");
	}
	return false;
}
