/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/buf.h"
#include "src/base/mem.h"
#include "src/cli/cli.h"
#include "src/perf/event.h"
#include "src/run/model.h"
#include "src/run/worker.h"
#include "workloads/recipe.h"
#include "workloads/workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;

/* Ctrl-C of a terminal reaches the command too: negative, not to be passed on.
 * Whoever asks again is in earnest. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	stopped = stopped ? SIGKILL : info->si_code == SI_KERNEL ? -sig : sig;
}

void cli_catch_signals(void)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO }, before;

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	/* The terminal goes: what was made is to be removed all the same. */
	if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
}

static void overview(struct buf *b)
{
	buf_adds(b, "usage: cpuprof WORKLOAD[:VARIANT] [options]\n"
		 "       cpuprof FILE.workload [options]\n"
		 "       cpuprof COMMAND [options]\n\n"
		 "Runs real workloads, or any command, and reports the score with its causes.\n\n"
		 "workloads\n");
	for (int i = 0; workloads[i]; i++)
		buf_printf(b, "  %-21s %s\n", workloads[i]->name, workloads[i]->summary);
	buf_adds(b, "\ncommands\n");
	for (int i = 0; commands[i]; i++)
		buf_printf(b, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	buf_adds(b, "\nfor every command\n"
		 "  --flight FILE   write down everything the kernel says, for a replay\n"
		 "  --replay FILE   run on what a flight says instead of this machine\n"
		 "  --help, -h      help for a command: cpuprof gzip --help\n"
		 "  --version       the version of cpuprof\n\n"
		 "Start with: cpuprof gzip --counters\n");
}

/* --flight and --replay may stand anywhere before "--"; they are taken out. */
static int take_flight_options(int *argc, char **argv, const char **record,
			       const char **replay, struct err *err)
{
	int n = 1;

	for (int i = 1; i < *argc; i++) {
		const char **to = !strncmp(argv[i], "--flight", 8) ? record :
			!strncmp(argv[i], "--replay", 8) ? replay : NULL;

		if (!strcmp(argv[i], "--")) {
			while (i < *argc)
				argv[n++] = argv[i++];
			break;
		}
		if (!to || (argv[i][8] != '\0' && argv[i][8] != '=')) {
			argv[n++] = argv[i];
			continue;
		}
		if (argv[i][8] == '=')
			*to = argv[i] + 9;
		else if (i + 1 < *argc)
			*to = argv[++i];
		else
			return err_set(err, -EINVAL, "option '%s' wants FILE", argv[i]);
	}
	argv[n] = NULL;
	*argc = n;
	if (*record && *replay)
		return err_set(err, -EINVAL, "--flight and --replay exclude each other");
	return 0;
}

/* A flight knows the command line it was recorded with. */
static void record_argv(struct flight *f, int argc, char **argv)
{
	struct buf b = BUF_INIT;

	for (int i = 1; i < argc; i++) {
		buf_adds(&b, argv[i]);
		buf_addc(&b, '\0');
	}
	flight_put(f, "argv", b.data, b.len);
	buf_release(&b);
}

static char **replay_argv(struct flight *f, int *argc, char **argv)
{
	const void *data;
	size_t len;
	char **out, *copy;
	int n = 1, words;

	if (!flight_get(f, "argv", &data, &len) || len == 0)
		return argv;
	if (*argc > 1)		/* given again on the command line */
		return argv;
	/* One block, the pointers first: the caller frees it. */
	words = 0;
	for (size_t i = 0; i < len; i++)
		words += !((const char *)data)[i];
	out = xcalloc(1, ((size_t)words + 3) * sizeof(*out) + len + 1);
	copy = (char *)(out + words + 3);
	memcpy(copy, data, len);
	out[0] = argv[0];
	for (char *p = copy; p < copy + len; p += strlen(p) + 1)
		out[n++] = p;
	*argc = n;
	return out;
}

static char *command_line(int argc, char **argv)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "cpuprof");
	for (int i = 1; i < argc; i++)
		buf_printf(&b, " %s", argv[i]);
	return buf_detach(&b);
}

static int unknown_command(const char *name)
{
	const char *names[128], *near;
	char **files = recipe_files();
	struct err err;
	size_t n = 0;

	for (int i = 0; workloads[i] && n < 96; i++)
		names[n++] = workloads[i]->name;
	for (int i = 0; commands[i] && n < 127; i++)
		names[n++] = commands[i]->name;
	/* Only their names are looked at, without folder and suffix. */
	for (int i = 0; files[i] && n < 127; i++) {
		files[i][strlen(files[i]) - strlen(RECIPE_SUFFIX)] = '\0';
		names[n++] = strrchr(files[i], '/') + 1;
	}
	names[n] = NULL;
	near = options_nearest(name, names);
	if (near)
		err_set(&err, -EINVAL, "no command or workload '%s', did you mean '%s'?", name, near);
	else if (strstr(name, RECIPE_SUFFIX) && access(name, F_OK) == 0)
		err_set(&err, -EINVAL, "no workload '%s' in the search path, did you mean './%s'?",
			name, name);
	else
		err_set(&err, -EINVAL, "no command or workload '%s', see cpuprof --help", name);
	for (int i = 0; files[i]; i++)
		free(files[i]);
	free(files);
	return cli_fail(&err, EXIT_USAGE);
}

static int dispatch(struct cli *cli)
{
	const char *name = cli->argv[0];
	struct buf b = BUF_INIT;
	int code;

	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		overview(&b);
		code = cli_print(buf_str(&b));
		buf_release(&b);
		return code;
	}
	if (!strcmp(name, "--version"))
		return cli_print("cpuprof " PACKAGE_VERSION "\n");
	for (int i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i]->run(commands[i], cli);
	for (int i = 0; workloads[i]; i++) {
		size_t n = strlen(workloads[i]->name);

		if (!strncmp(workloads[i]->name, name, n) && (name[n] == ':' || !name[n]))
			return cli_run_workload(cli);
	}
	return cli_run_recipe(cli, &code) == -ENOENT ? unknown_command(name) : code;
}

int main(int argc, char **argv)
{
	const char *record = NULL, *replay = NULL;
	char **given = argv;
	struct err err = { 0 };
	struct cli cli = { .stop = &stopped };
	struct buf b = BUF_INIT;
	int code;

	if (argc > 1 && !strcmp(argv[1], "worker"))
		return worker_main(argc - 1, argv + 1);
	/* The model tool starts a child of its program by way of us. */
	if (argc > 1 && !strncmp(argv[1], "--tool=cpuprof-model", 20))
		return model_relaunch(argc, argv) < 0 ? 127 : EXIT_OK;
	cli.fd_limit = event_raise_fd_limit();
	signal(SIGPIPE, SIG_IGN);
	if (take_flight_options(&argc, argv, &record, &replay, &err) < 0)
		return cli_fail(&err, EXIT_USAGE);
	if (record || replay)
		cli.flight = record ? flight_record(record, &err) : flight_replay(replay, &err);
	if ((record || replay) && !cli.flight)
		return cli_fail(&err, EXIT_FAILED);
	if (replay)
		argv = replay_argv(cli.flight, &argc, argv);
	else
		record_argv(cli.flight, argc, argv);
	if (argc < 2) {
		overview(&b);
		fputs(buf_str(&b), stderr);
		buf_release(&b);
		flight_close(cli.flight, NULL);
		return EXIT_USAGE;
	}
	cli.argc = argc - 1;
	cli.argv = argv + 1;
	cli.line = command_line(argc, argv);
	code = dispatch(&cli);
	free(cli.line);
	if (argv != given)
		free(argv);
	if (flight_close(cli.flight, &err) < 0)
		code = cli_fail(&err, EXIT_FAILED);
	return code;
}
