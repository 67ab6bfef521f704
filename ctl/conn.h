/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages to and from the module. Hides the netlink library: nothing above
 * this header knows of sockets or attributes.
 *
 * Functions return 0, or -1 with the error set: code XC_REFUSED and the
 * kernel's own words if the kernel said no.
 */
#ifndef XHROOMCTL_CONN_H
#define XHROOMCTL_CONN_H

#include "err.h"
#include "model.h"

struct conn;

/* Fails with XC_NO_MODULE if the module is not loaded. */
int conn_open(struct conn **conn, struct err *err);
void conn_close(struct conn *conn);

/* One device by name; its settings, or its counters. */
int conn_dev_get(struct conn *conn, const char *name, struct dev *dev, struct err *err);
int conn_stats_get(struct conn *conn, const char *name, struct dev *dev, struct err *err);

/* All configured devices of this namespace, by index. Free with dev_list_free(). */
int conn_dev_dump(struct conn *conn, struct dev_list *list, struct err *err);
int conn_stats_dump(struct conn *conn, struct dev_list *list, struct err *err);
void dev_list_free(struct dev_list *list);

/* Change the settings in @mask; @dev receives all of them, as they are then. */
int conn_dev_set(struct conn *conn, const char *name, const struct dev_conf *conf,
		 unsigned int mask, struct dev *dev, struct err *err);

/* All policies. Free with policy_list_free(). */
int conn_policy_dump(struct conn *conn, struct policy_list *list, struct err *err);
void policy_list_free(struct policy_list *list);

/*
 * Make the policy with the match of @policy, which is @match in words, or change
 * its settings in @mask, of which @policy receives all, as they are then. Take it
 * away.
 */
int conn_policy_set(struct conn *conn, const char *match, struct policy *policy,
		    unsigned int mask, struct err *err);
int conn_policy_del(struct conn *conn, const char *match, const struct policy *policy,
		    struct err *err);

/* Free with status_free(). */
int conn_status(struct conn *conn, struct status *status, struct err *err);
void status_free(struct status *status);

/**
 * conn_monitor() - wait for changes, forever
 * @take: called for each. Not 0: end
 * @arg: for @take
 * Return: 0 when @take ended it, else -1.
 */
int conn_monitor(struct conn *conn, int (*take)(const struct event *event, void *arg), void *arg,
		 struct err *err);

#endif
