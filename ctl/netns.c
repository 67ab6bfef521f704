// SPDX-License-Identifier: GPL-2.0-only
/*
 * The option -n: names of network namespaces as ip-netns(8) gives them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "netns.h"

int netns_enter(const char *name, struct err *err)
{
	char path[PATH_MAX];
	int fd, len;

	if (strchr(name, '/'))
		len = snprintf(path, sizeof(path), "%s", name);
	else
		len = snprintf(path, sizeof(path), "%s/%s", NETNS_DIR, name);
	if (len >= (int)sizeof(path))
		return fail(err, XC_LOCAL, "-n: the name is too long");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fail(err, XC_LOCAL, "network namespace '%s': %s", name, strerror(errno));
		if (errno == ENOENT)
			hint(err, "'ip netns list' shows those that have a name");
		return -1;
	}
	if (setns(fd, CLONE_NEWNET)) {
		fail(err, XC_LOCAL, "network namespace '%s': %s", name, strerror(errno));
		close(fd);
		return -1;
	}
	close(fd);
	return 0;
}
