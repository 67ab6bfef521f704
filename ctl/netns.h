/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Network namespaces by name or path, for the option -n.
 */
#ifndef XHROOMCTL_NETNS_H
#define XHROOMCTL_NETNS_H

#include "err.h"

/* Where ip-netns(8) keeps namespaces by name. */
#define NETNS_DIR "/run/netns"

/* Go into the network namespace @name, a name or a path. */
int netns_enter(const char *name, struct err *err);

#endif
