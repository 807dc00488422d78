/* SPDX-License-Identifier: MIT */
/*
 * jsonget FILE PATH [FIELD...] - values of a JSON document for shell tests.
 *
 * PATH is keys and indices joined by dots; "*" takes every item, "#" counts
 * them. Each match is a line of its FIELDs (paths of their own), separated by
 * tabs, or the value itself. "-" reads standard input. Exit 1 without a match.
 */
#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *step(json_t *j, const char *key, size_t n)
{
	char name[128];

	if (n >= sizeof(name))
		return NULL;
	memcpy(name, key, n);
	name[n] = '\0';
	return json_is_array(j) ? json_array_get(j, (size_t)atol(name)) :
		json_object_get(j, name);
}

static void print(const json_t *j)
{
	if (json_is_string(j))
		fputs(json_string_value(j), stdout);
	else if (json_is_integer(j))
		printf("%lld", (long long)json_integer_value(j));
	else if (json_is_real(j))
		printf("%.12g", json_real_value(j));
	else if (json_is_boolean(j))
		fputs(json_is_true(j) ? "true" : "false", stdout);
	else
		fputs(json_is_null(j) ? "null" : json_is_array(j) ? "[]" : "{}", stdout);
}

static int walk(json_t *j, const char *path, char **fields);

static void line(json_t *j, char **fields)
{
	for (int i = 0; fields && fields[i]; i++) {
		if (i)
			putchar('\t');
		walk(j, fields[i], NULL);
	}
	if (fields && !fields[0])
		print(j);
	putchar('\n');
}

/* The number of matches. Without fields it prints values without line ends. */
static int walk(json_t *j, const char *path, char **fields)
{
	size_t n = strcspn(path, ".");
	const char *rest = path[n] ? path + n + 1 : path + n;
	int found = 0;

	if (!j)
		return 0;
	if (!*path) {
		if (fields)
			line(j, fields);
		else
			print(j);
		return 1;
	}
	if (*path == '#') {
		printf("%zu%s", json_is_array(j) ? json_array_size(j) : json_object_size(j),
		       fields ? "\n" : "");
		return 1;
	}
	if (*path == '*') {
		for (size_t i = 0; i < json_array_size(j); i++)
			found += walk(json_array_get(j, i), rest, fields);
		return found;
	}
	return walk(step(j, path, n), rest, fields);
}

int main(int argc, char **argv)
{
	json_error_t e;
	json_t *j;
	int found;

	if (argc < 3) {
		fprintf(stderr, "usage: jsonget FILE PATH [FIELD...]\n");
		return 2;
	}
	j = strcmp(argv[1], "-") ? json_load_file(argv[1], 0, &e) : json_loadf(stdin, 0, &e);
	if (!j) {
		fprintf(stderr, "jsonget: %s: %s at line %d\n", argv[1], e.text, e.line);
		return 2;
	}
	found = walk(j, argv[2], argv + 3);
	json_decref(j);
	return found ? 0 : 1;
}
