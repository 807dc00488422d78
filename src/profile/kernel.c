/* SPDX-License-Identifier: MIT */
/*
 * Kernel time by its call chains: what brought the CPU into the kernel, and which
 * part of it that was in.
 */
#include "config.h"
#include "src/profile/reading.h"
#include "src/base/mem.h"

#include <stdio.h>
#include <string.h>

const char *profile_entry_name(enum profile_entry e)
{
	static const char *const names[] = {
		[PROFILE_FAULT] = "page faults", [PROFILE_SYSCALL] = "system calls",
		[PROFILE_MIGRATION] = "migrations", [PROFILE_SCHEDULER] = "scheduling",
		[PROFILE_INTERRUPT] = "interrupts", [PROFILE_OTHER] = "other kernel time",
	};

	return names[e];
}

/* Which functions mean which entry; the outermost that matches decides, but
 * moving a thread to another CPU counts as that wherever it was asked for. */
static const struct { const char *prefix; enum profile_entry entry; } entry_rows[] = {
	{ "asm_exc_page_fault", PROFILE_FAULT },
	{ "exc_page_fault", PROFILE_FAULT },
	{ "do_user_addr_fault", PROFILE_FAULT },
	{ "do_mem_abort", PROFILE_FAULT },
	{ "el0_da", PROFILE_FAULT },
	{ "el0_ia", PROFILE_FAULT },
	{ "do_page_fault", PROFILE_FAULT },
	{ "entry_SYSCALL", PROFILE_SYSCALL },
	{ "do_syscall_64", PROFILE_SYSCALL },
	{ "x64_sys_call", PROFILE_SYSCALL },
	{ "__x64_sys_", PROFILE_SYSCALL },
	{ "el0_svc", PROFILE_SYSCALL },
	{ "__arm64_sys_", PROFILE_SYSCALL },
	{ "invoke_syscall", PROFILE_SYSCALL },
	{ "asm_sysvec", PROFILE_INTERRUPT },
	{ "sysvec_", PROFILE_INTERRUPT },
	{ "asm_common_interrupt", PROFILE_INTERRUPT },
	{ "common_interrupt", PROFILE_INTERRUPT },
	{ "el0_irq", PROFILE_INTERRUPT },
	{ "gic_handle_irq", PROFILE_INTERRUPT },
	{ "irqentry_exit", PROFILE_SCHEDULER },
	{ "exit_to_user_mode", PROFILE_SCHEDULER },
	{ "schedule", PROFILE_SCHEDULER },
	{ "ret_from_fork", PROFILE_OTHER },
};

static const char *const migration_functions[] = {
	"__set_cpus_allowed_ptr", "migration_cpu_stop", "affine_move_task",
	"sched_setaffinity", "__sched_setaffinity", "set_cpus_allowed_ptr",
};

static enum profile_entry classify(const char *const *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(migration_functions); k++)
			if (!strcmp(names[i], migration_functions[k]))
				return PROFILE_MIGRATION;
	for (uint32_t i = n; i-- > 0;)
		for (size_t k = 0; k < ARRAY_SIZE(entry_rows); k++)
			if (!strncmp(names[i], entry_rows[k].prefix, strlen(entry_rows[k].prefix)))
				return entry_rows[k].entry;
	return PROFILE_OTHER;
}

/* Which functions belong to which part of the kernel; the innermost that matches
 * decides, since what sends a file is in both. */
static const struct { const char *prefix; enum profile_subsystem subsystem; } subsystem_rows[] = {
	{ "tcp_", PROFILE_NETWORK }, { "__tcp_", PROFILE_NETWORK },
	{ "udp_", PROFILE_NETWORK }, { "unix_", PROFILE_NETWORK },
	{ "ip_", PROFILE_NETWORK }, { "__ip_", PROFILE_NETWORK },
	{ "ipv6_", PROFILE_NETWORK }, { "ip6_", PROFILE_NETWORK },
	{ "inet", PROFILE_NETWORK }, { "__inet", PROFILE_NETWORK },
	{ "sock_", PROFILE_NETWORK }, { "__sock_", PROFILE_NETWORK },
	{ "sk_", PROFILE_NETWORK }, { "__sk_", PROFILE_NETWORK },
	{ "skb_", PROFILE_NETWORK }, { "__skb_", PROFILE_NETWORK },
	{ "dev_", PROFILE_NETWORK }, { "__dev_", PROFILE_NETWORK },
	{ "net_rx_action", PROFILE_NETWORK }, { "__napi_", PROFILE_NETWORK },
	{ "process_backlog", PROFILE_NETWORK }, { "__netif_", PROFILE_NETWORK },
	{ "nf_", PROFILE_NETWORK }, { "release_sock", PROFILE_NETWORK },
	{ "lock_sock", PROFILE_NETWORK }, { "__sys_accept", PROFILE_NETWORK },
	{ "__sys_sendto", PROFILE_NETWORK }, { "__sys_recvfrom", PROFILE_NETWORK },
	{ "tls_", PROFILE_NETWORK },
	{ "vfs_", PROFILE_FILES }, { "filemap_", PROFILE_FILES },
	{ "generic_file", PROFILE_FILES }, { "ext4_", PROFILE_FILES },
	{ "xfs_", PROFILE_FILES }, { "btrfs_", PROFILE_FILES },
	{ "ovl_", PROFILE_FILES }, { "shmem_", PROFILE_FILES },
	{ "do_sendfile", PROFILE_FILES }, { "splice_", PROFILE_FILES },
	{ "do_splice", PROFILE_FILES }, { "path_", PROFILE_FILES },
	{ "do_filp_open", PROFILE_FILES }, { "page_cache_", PROFILE_FILES },
	{ "ep_", PROFILE_POLLING }, { "do_epoll", PROFILE_POLLING },
	{ "do_sys_poll", PROFILE_POLLING }, { "do_select", PROFILE_POLLING },
	{ "handle_mm_fault", PROFILE_MEMORY }, { "__handle_mm_fault", PROFILE_MEMORY },
	{ "do_mmap", PROFILE_MEMORY }, { "mmap_region", PROFILE_MEMORY },
	{ "do_user_addr_fault", PROFILE_MEMORY }, { "exit_mmap", PROFILE_MEMORY },
	{ "schedule", PROFILE_SCHEDULING }, { "__schedule", PROFILE_SCHEDULING },
	{ "try_to_wake_up", PROFILE_SCHEDULING }, { "__wake_up", PROFILE_SCHEDULING },
	{ "futex_", PROFILE_SCHEDULING }, { "do_futex", PROFILE_SCHEDULING },
};

const char *profile_subsystem_name(enum profile_subsystem s)
{
	static const char *const names[] = {
		[PROFILE_NETWORK] = "network", [PROFILE_FILES] = "files",
		[PROFILE_POLLING] = "polling", [PROFILE_MEMORY] = "memory",
		[PROFILE_SCHEDULING] = "scheduling", [PROFILE_ELSEWHERE] = "other",
	};

	return names[s];
}

static enum profile_subsystem subsystem(const char *const *names, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(subsystem_rows); k++)
			if (!strncmp(names[i], subsystem_rows[k].prefix,
				     strlen(subsystem_rows[k].prefix)))
				return subsystem_rows[k].subsystem;
	return PROFILE_ELSEWHERE;
}

/* The system call or handler that a chain is about: "getppid". */
static const char *entry_place(enum profile_entry entry, const char *const *names, uint32_t n)
{
	static const char *const prefixes[] = { "__x64_sys_", "__arm64_sys_", "__ia32_sys_" };

	for (uint32_t i = n; i-- > 0;)
		for (size_t k = 0; k < ARRAY_SIZE(prefixes); k++)
			if (entry == PROFILE_SYSCALL &&
			    !strncmp(names[i], prefixes[k], strlen(prefixes[k])))
				return names[i] + strlen(prefixes[k]);
	return n ? names[0] : "";
}

void reading_kernel(struct reading *r, const struct profile_options *o)
{
	struct dso *d = r->kernel_dso ? reading_dso_open(r, r->kernel_dso, o) : NULL;
	struct map places[PROFILE_ENTRIES] = { 0 }, known = MAP_INIT;
	double total = r->p->n_events ? (double)r->p->events[0].period : 0;
	uint64_t best[PROFILE_ENTRIES] = { 0 };
	bool named = false;

	for (size_t c = 0; d && c < r->n_chains && total > 0; c++) {
		const struct reading_chain *ch = &r->chains[c];
		const char *names[128], *place;
		enum profile_entry entry;
		uint64_t *sum;
		uint32_t id;

		for (uint32_t i = 0; i < ch->n; i++) {
			struct dso_symbol s;
			bool fresh;
			uint64_t *slot = map_put(&known, r->chain_ips[ch->at + i], &fresh);

			if (fresh) {
				/* A return address belongs to the call before it. */
				dso_lookup(d, r->chain_ips[ch->at + i] - (i ? 1 : 0), &s);
				*slot = strtab_add(&r->p->strings, s.name ? s.name : "");
			}
			names[i] = strtab_get(&r->p->strings, (uint32_t)*slot);
			named |= names[i][0] != '\0';
		}
		entry = classify(names, ch->n);
		r->p->subsystem_share[subsystem(names, ch->n)] += (double)ch->period / total;
		r->p->entry_share[entry] += (double)ch->period / total;
		place = entry_place(entry, names, ch->n);
		id = strtab_add(&r->p->strings, place);
		sum = map_put(&places[entry], id, NULL);
		*sum += ch->period;
		if (*sum > best[entry]) {
			best[entry] = *sum;
			snprintf(r->p->entry_name[entry], sizeof(r->p->entry_name[entry]),
				 "%s", strtab_get(&r->p->strings, id));
		}
	}
	r->p->has_entries = named;
	for (int i = 0; i < PROFILE_ENTRIES; i++)
		map_release(&places[i]);
	map_release(&known);
}
