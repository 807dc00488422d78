/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "src/base/unprivileged.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#define NOBODY 65534	/* where no user of that name is known */

static void find(uid_t *uid, gid_t *gid)
{
	const struct passwd *p = getpwnam("nobody");

	*uid = p ? p->pw_uid : NOBODY;
	*gid = p ? p->pw_gid : NOBODY;
}

int unprivileged_due(void)
{
	return geteuid() == 0;
}

int unprivileged_own(const char *path)
{
	uid_t uid;
	gid_t gid;

	if (!unprivileged_due())
		return 0;
	find(&uid, &gid);
	return lchown(path, uid, gid) < 0 ? -errno : 0;
}

int unprivileged_become(void)
{
	uid_t uid;
	gid_t gid;

	if (!unprivileged_due())
		return 0;
	find(&uid, &gid);
	return setgroups(0, NULL) < 0 || setgid(gid) < 0 || setuid(uid) < 0 ? -errno : 0;
}
