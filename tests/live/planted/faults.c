/* SPDX-License-Identifier: MIT */
/* faults - a page-fault storm: maps memory, touches each page once, unmaps. */
#include <stddef.h>
#include <sys/mman.h>

#define PAGES 2048
#define ROUNDS 200

int main(void)
{
	for (int r = 0; r < ROUNDS; r++) {
		char *p = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return 1;
		/* One fault a page, however large the pages of this machine are. */
		madvise(p, PAGES * 4096, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < PAGES; i++)
			*(volatile char *)(p + i * 4096) = 1;
		munmap(p, PAGES * 4096);
	}
	return 0;
}
