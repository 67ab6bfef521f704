// SPDX-License-Identifier: GPL-2.0-only
/*
 * Speaks the family "xhroom" by means of libnl. What comes from the kernel is
 * not trusted to be well-formed: attributes go through a policy, and a newer
 * module may send more than is known here.
 *
 * libnl 3.7 turns the kernel's error into one of its own and drops the extended
 * acknowledgment, so both are read from the message by hand.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/netlink.h>
#include <netlink/netlink.h>
#include <netlink/genl/genl.h>
#include <netlink/genl/ctrl.h>
#include <linux/xhroom.h>

#include "args.h"
#include "conn.h"

/* The kernel fills dumps up to 32 KiB. */
#define BUFFER_SIZE	65536
/* A dump that changes meanwhile is started again, so often. */
#define DUMP_TRIES	20

struct conn {
	struct nl_sock *sock;
	int family;
};

/* libnl's NLA_STRING is one that ends with a NUL. */
static const struct nla_policy dev_policy[XHROOM_A_DEV_MAX + 1] = {
	[XHROOM_A_DEV_IFINDEX] = { .type = NLA_U32 },
	[XHROOM_A_DEV_IFNAME] = { .type = NLA_STRING, .maxlen = IFNAMSIZ },
	[XHROOM_A_DEV_TX_EXTRA_HEADROOM] = { .type = NLA_U32 },
	[XHROOM_A_DEV_GONE] = { .type = NLA_FLAG },
	[XHROOM_A_DEV_TX_HEAD] = { .type = NLA_U32 },
	[XHROOM_A_DEV_TX_AUTO_MAX] = { .type = NLA_U32 },
	[XHROOM_A_DEV_TX_AUTO_REASON] = { .type = NLA_U32 },
	[XHROOM_A_DEV_TX_AUTO_CHANGED] = { .type = NLA_U32 },
	[XHROOM_A_DEV_TX_AUTO_FUNCTION] = { .type = NLA_STRING },
	[XHROOM_A_DEV_XDP_HEADROOM_MIN] = { .type = NLA_U32 },
	[XHROOM_A_DEV_XDP_LINEARIZE] = { .type = NLA_U32 },
};

static const struct nla_policy stats_policy[XHROOM_A_STATS_MAX + 1] = {
	[XHROOM_A_STATS_IFINDEX] = { .type = NLA_U32 },
	[XHROOM_A_STATS_IFNAME] = { .type = NLA_STRING, .maxlen = IFNAMSIZ },
	[XHROOM_A_STATS_TX_HEADROOM_PACKETS] = { .type = NLA_U64 },
	[XHROOM_A_STATS_TX_HEADROOM_BYTES] = { .type = NLA_U64 },
	[XHROOM_A_STATS_TX_HEADROOM_FALLBACKS] = { .type = NLA_U64 },
	[XHROOM_A_STATS_TX_PAGE_FRAGS] = { .type = NLA_U64 },
	[XHROOM_A_STATS_XDP_KEPT] = { .type = NLA_U64 },
	[XHROOM_A_STATS_XDP_COPIED_SHARED] = { .type = NLA_U64 },
	[XHROOM_A_STATS_XDP_COPIED_NONLINEAR] = { .type = NLA_U64 },
	[XHROOM_A_STATS_XDP_COPIED_HEADROOM] = { .type = NLA_U64 },
	[XHROOM_A_STATS_XDP_COPIED_HEAD] = { .type = NLA_U64 },
};

static const struct nla_policy status_policy[XHROOM_A_STATUS_MAX + 1] = {
	[XHROOM_A_STATUS_VERSION] = { .type = NLA_STRING },
	[XHROOM_A_STATUS_FEATURE] = { .type = NLA_NESTED },
	[XHROOM_A_STATUS_HOOK] = { .type = NLA_NESTED },
};

static const struct nla_policy feature_policy[XHROOM_A_FEATURE_MAX + 1] = {
	[XHROOM_A_FEATURE_NAME] = { .type = NLA_STRING },
	[XHROOM_A_FEATURE_AVAILABLE] = { .type = NLA_FLAG },
	[XHROOM_A_FEATURE_ATTACHED] = { .type = NLA_FLAG },
	[XHROOM_A_FEATURE_DISABLED] = { .type = NLA_FLAG },
	[XHROOM_A_FEATURE_USERS] = { .type = NLA_U32 },
	[XHROOM_A_FEATURE_REASON] = { .type = NLA_STRING },
};

static const struct nla_policy hook_policy[XHROOM_A_HOOK_MAX + 1] = {
	[XHROOM_A_HOOK_SYMBOL] = { .type = NLA_STRING },
	[XHROOM_A_HOOK_MODULE] = { .type = NLA_STRING },
	[XHROOM_A_HOOK_FEATURE] = { .type = NLA_STRING },
	[XHROOM_A_HOOK_STATE] = { .type = NLA_U32 },
	[XHROOM_A_HOOK_BACKEND] = { .type = NLA_U32 },
	[XHROOM_A_HOOK_CALLS] = { .type = NLA_U64 },
	[XHROOM_A_HOOK_INSIDE] = { .type = NLA_U32 },
	[XHROOM_A_HOOK_REASON] = { .type = NLA_STRING },
	[XHROOM_A_HOOK_HOLDER] = { .type = NLA_STRING },
};

static const struct nla_policy policy_policy[XHROOM_A_POLICY_MAX + 1] = {
	[XHROOM_A_POLICY_KIND] = { .type = NLA_STRING, .maxlen = KIND_MAX + 1 },
	[XHROOM_A_POLICY_NAME] = { .type = NLA_STRING, .maxlen = PATTERN_MAX + 1 },
	[XHROOM_A_POLICY_TX_EXTRA_HEADROOM] = { .type = NLA_U32 },
	[XHROOM_A_POLICY_GONE] = { .type = NLA_FLAG },
	[XHROOM_A_POLICY_TX_HEAD] = { .type = NLA_U32 },
	[XHROOM_A_POLICY_TX_AUTO_MAX] = { .type = NLA_U32 },
	[XHROOM_A_POLICY_XDP_HEADROOM_MIN] = { .type = NLA_U32 },
	[XHROOM_A_POLICY_XDP_LINEARIZE] = { .type = NLA_U32 },
};

static int no_memory(struct err *err)
{
	return fail(err, XC_LOCAL, "out of memory");
}

/* --- the socket ------------------------------------------------------------ */

int conn_open(struct conn **result, struct err *err)
{
	struct conn *conn = calloc(1, sizeof(*conn));
	const int on = 1;
	int rc;

	if (!conn)
		return no_memory(err);
	conn->sock = nl_socket_alloc();
	if (!conn->sock) {
		free(conn);
		return no_memory(err);
	}
	rc = genl_connect(conn->sock);
	if (rc < 0) {
		fail(err, XC_LOCAL, "cannot open a netlink socket: %s", nl_geterror(rc));
		goto out;
	}
	nl_socket_set_msg_buf_size(conn->sock, BUFFER_SIZE);
	setsockopt(nl_socket_get_fd(conn->sock), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	conn->family = genl_ctrl_resolve(conn->sock, XHROOM_GENL_NAME);
	if (conn->family == -NLE_OBJ_NOTFOUND) {
		fail(err, XC_NO_MODULE, "the module xdp_skbext is not loaded");
		hint(err, "load it with 'modprobe xdp_skbext'");
		goto out;
	}
	if (conn->family < 0) {
		fail(err, XC_LOCAL, "cannot find the netlink family %s: %s", XHROOM_GENL_NAME,
		     nl_geterror(conn->family));
		goto out;
	}
	*result = conn;
	return 0;
out:
	conn_close(conn);
	return -1;
}

void conn_close(struct conn *conn)
{
	if (!conn)
		return;
	nl_socket_free(conn->sock);
	free(conn);
}

/* --- what the kernel refused, and why ---------------------------------------- */

/**
 * struct request_state - one request on its way
 * @msg: the request
 * @subject: the device or policy that it is about, or NULL
 * @valid: takes each message of the answer
 * @arg: for @valid
 * @done: the last message was seen
 * @failed: @err is set
 * @interrupted: things changed during a dump
 * @err: where to put an error
 */
struct request_state {
	struct nl_msg *msg;
	const char *subject;
	int (*valid)(struct nlmsghdr *nlh, void *arg, struct err *err);
	void *arg;
	bool done;
	bool failed;
	bool interrupted;
	struct err *err;
};

/**
 * struct ext_ack - an extended acknowledgment, taken apart
 * @text: the kernel's words, or empty
 * @attr: type of the attribute that it is about, 0 if none
 * @value: what the request had for it, if a u32
 * @ranged: the kernel says which range is allowed
 * @min: smallest value
 * @max: largest value
 */
struct ext_ack {
	char text[TEXT_MAX];
	int attr;
	uint32_t value;
	bool ranged;
	uint64_t min;
	uint64_t max;
};

/* The attribute of our own request at @offset, if there is one. */
static void ext_ack_attr(struct ext_ack *ack, struct nl_msg *msg, uint32_t offset)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	const struct nlattr *nla;

	if (offset < NLMSG_HDRLEN + GENL_HDRLEN || offset > nlh->nlmsg_len - NLA_HDRLEN)
		return;
	nla = (const struct nlattr *)((const char *)nlh + offset);
	ack->attr = nla_type(nla);
	if (nla_len(nla) == sizeof(uint32_t) && offset + nla->nla_len <= nlh->nlmsg_len)
		ack->value = nla_get_u32(nla);
}

static void ext_ack_policy(struct ext_ack *ack, struct nlattr *policy)
{
	struct nlattr *tb[NL_POLICY_TYPE_ATTR_MAX + 1];
	struct nlattr *min, *max;

	if (nla_parse_nested(tb, NL_POLICY_TYPE_ATTR_MAX, policy, NULL))
		return;
	min = tb[NL_POLICY_TYPE_ATTR_MIN_VALUE_U];
	max = tb[NL_POLICY_TYPE_ATTR_MAX_VALUE_U];
	if (!min || !max || nla_len(min) != sizeof(uint64_t) || nla_len(max) != sizeof(uint64_t))
		return;
	ack->ranged = true;
	ack->min = nla_get_u64(min);
	ack->max = nla_get_u64(max);
}

static void ext_ack_parse(struct ext_ack *ack, struct nl_msg *msg, const void *tlvs, size_t len)
{
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];

	if (nla_parse(tb, NLMSGERR_ATTR_MAX, (struct nlattr *)tlvs, len, NULL))
		return;
	if (tb[NLMSGERR_ATTR_MSG])
		nla_strlcpy(ack->text, tb[NLMSGERR_ATTR_MSG], sizeof(ack->text));
	if (tb[NLMSGERR_ATTR_OFFS] && nla_len(tb[NLMSGERR_ATTR_OFFS]) == sizeof(uint32_t))
		ext_ack_attr(ack, msg, nla_get_u32(tb[NLMSGERR_ATTR_OFFS]));
	if (tb[NLMSGERR_ATTR_POLICY])
		ext_ack_policy(ack, tb[NLMSGERR_ATTR_POLICY]);
}

/* Words of the tool for a setting's attribute; commands that set share the numbers. */
static const struct setting_info *setting_of_attr(int attr)
{
	switch (attr) {
	case XHROOM_A_DEV_TX_EXTRA_HEADROOM:
	case XHROOM_A_DEV_TX_AUTO_MAX:
		return setting_find("tx-headroom");
	case XHROOM_A_DEV_TX_HEAD:
		return setting_find("tx-head");
	case XHROOM_A_DEV_XDP_HEADROOM_MIN:
		return setting_find("xdp-headroom-min");
	case XHROOM_A_DEV_XDP_LINEARIZE:
		return setting_find("xdp-linearize");
	default:
		return NULL;
	}
}

static void refuse(struct request_state *state, int errnum, const struct ext_ack *ack)
{
	int cmd = genlmsg_hdr(nlmsg_hdr(state->msg))->cmd;
	const struct setting_info *setting = NULL;
	bool out_of_range;
	const char *text = ack->text[0] ? ack->text : strerror(errnum);
	char subject[TEXT_MAX] = "";

	state->done = true;
	state->failed = true;
	if (state->subject)
		snprintf(subject, sizeof(subject), "%s: ", state->subject);
	if (cmd == XHROOM_CMD_DEV_SET || cmd == XHROOM_CMD_POLICY_SET)
		setting = setting_of_attr(ack->attr);

	out_of_range = ack->ranged && (ack->value < ack->min || ack->value > ack->max);
	if (setting && setting->value_name && out_of_range)
		fail(state->err, XC_REFUSED, "%s%s: this module does not know '%s'", subject,
		     setting->name, setting->value_name(ack->value) ?: "");
	else if (setting && out_of_range)
		fail(state->err, XC_REFUSED,
		     "%s%s: %u is out of range: %llu to %llu %s", subject, setting->name,
		     ack->value, (unsigned long long)ack->min, (unsigned long long)ack->max,
		     setting->unit);
	else if (setting)
		fail(state->err, XC_REFUSED, "%s%s: %s", subject, setting->name, text);
	else
		fail(state->err, XC_REFUSED, "%s%s", subject, text);
	state->err->errnum = errnum;

	if (errnum == EPERM)
		hint(state->err, "run it as root, outside of any user namespace");
	else if (errnum == EOPNOTSUPP || errnum == EBUSY)
		hint(state->err, "'xhroomctl status' tells more");
}

/* --- requests ---------------------------------------------------------------- */

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct request_state *state = arg;

	if (!state->failed && state->valid(nlmsg_hdr(msg), state->arg, state->err))
		state->failed = true;
	return NL_OK;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct request_state *state = arg;

	(void)msg;
	state->done = true;
	return NL_STOP;
}

/* The end of a dump; an error in the middle of it is told here, too. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct request_state *state = arg;
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct ext_ack ack = {};
	const int *errnum = NLMSG_DATA(nlh);

	state->done = true;
	if (nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*errnum)) || *errnum >= 0)
		return NL_STOP;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		ext_ack_parse(&ack, state->msg, errnum + 1,
			      nlh->nlmsg_len - NLMSG_LENGTH(sizeof(*errnum)));
	refuse(state, -*errnum, &ack);
	return NL_STOP;
}

static int on_interrupted(struct nl_msg *msg, void *arg)
{
	struct request_state *state = arg;

	(void)msg;
	state->interrupted = true;
	return NL_OK;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *nlerr, void *arg)
{
	struct request_state *state = arg;
	const struct nlmsghdr *nlh = (const void *)((const char *)nlerr - NLMSG_HDRLEN);
	size_t skip = sizeof(*nlerr);
	struct ext_ack ack = {};

	(void)from;
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += NLMSG_ALIGN(nlerr->msg.nlmsg_len) - NLMSG_HDRLEN;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && nlh->nlmsg_len >= NLMSG_HDRLEN + skip)
		ext_ack_parse(&ack, state->msg, (const char *)nlerr + skip,
			      nlh->nlmsg_len - NLMSG_HDRLEN - skip);
	refuse(state, -nlerr->error, &ack);
	return NL_STOP;
}

/* Sends @state->msg and takes the whole answer. */
static int transact(struct conn *conn, struct request_state *state)
{
	struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);
	int rc;

	if (!cb)
		return no_memory(state->err);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, state);
	nl_cb_set(cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, state);
	nl_cb_set(cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, state);
	nl_cb_set(cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, state);
	nl_cb_err(cb, NL_CB_CUSTOM, on_error, state);

	rc = nl_send_auto(conn->sock, state->msg);
	while (rc >= 0 && !state->done)
		rc = nl_recvmsgs(conn->sock, cb);
	nl_cb_put(cb);
	if (state->failed)
		return -1;
	if (rc < 0)
		return fail(state->err, XC_LOCAL, "netlink: %s", nl_geterror(rc));
	return 0;
}

static struct nl_msg *new_request(struct conn *conn, int cmd, int flags)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (msg && !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, conn->family, 0, flags, cmd,
				XHROOM_GENL_VERSION)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

/* A request about the device @name. */
static struct nl_msg *new_dev_request(struct conn *conn, int cmd, const char *name)
{
	struct nl_msg *msg = new_request(conn, cmd, 0);

	if (msg && nla_put_string(msg, XHROOM_A_DEV_IFNAME, name)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

static int bad_answer(struct err *err)
{
	return fail(err, XC_LOCAL, "the module's answer is malformed");
}

/* --- devices ------------------------------------------------------------------ */

/* Settings have the same numbers wherever they are. */
static void conf_from_attrs(struct nlattr **tb, struct dev_conf *conf)
{
	if (tb[XHROOM_A_DEV_TX_EXTRA_HEADROOM])
		conf->tx_extra_headroom = nla_get_u32(tb[XHROOM_A_DEV_TX_EXTRA_HEADROOM]);
	if (tb[XHROOM_A_DEV_TX_AUTO_MAX])
		conf->tx_auto_max = nla_get_u32(tb[XHROOM_A_DEV_TX_AUTO_MAX]);
	/* A module that does not say it knows nothing else. */
	conf->tx_head = tb[XHROOM_A_DEV_TX_HEAD] ? nla_get_u32(tb[XHROOM_A_DEV_TX_HEAD]) :
						   XHROOM_TX_HEAD_SLAB;
	conf->xdp_headroom_min = tb[XHROOM_A_DEV_XDP_HEADROOM_MIN] ?
		nla_get_u32(tb[XHROOM_A_DEV_XDP_HEADROOM_MIN]) : XHROOM_XDP_HEADROOM_MIN_MAX;
	conf->xdp_linearize = tb[XHROOM_A_DEV_XDP_LINEARIZE] ?
		nla_get_u32(tb[XHROOM_A_DEV_XDP_LINEARIZE]) : XHROOM_XDP_LINEARIZE_ON;
}

static int put_conf(struct nl_msg *msg, const struct dev_conf *conf, unsigned int mask)
{
	/* Either a value, or the bound of one that is learned. */
	if (mask & CONF_TX_HEADROOM &&
	    (conf->tx_auto_max ?
	     nla_put_u32(msg, XHROOM_A_DEV_TX_AUTO_MAX, conf->tx_auto_max) :
	     nla_put_u32(msg, XHROOM_A_DEV_TX_EXTRA_HEADROOM, conf->tx_extra_headroom)))
		return -1;
	if (mask & CONF_TX_HEAD && nla_put_u32(msg, XHROOM_A_DEV_TX_HEAD, conf->tx_head))
		return -1;
	if (mask & CONF_XDP_HEADROOM_MIN &&
	    nla_put_u32(msg, XHROOM_A_DEV_XDP_HEADROOM_MIN, conf->xdp_headroom_min))
		return -1;
	if (mask & CONF_XDP_LINEARIZE &&
	    nla_put_u32(msg, XHROOM_A_DEV_XDP_LINEARIZE, conf->xdp_linearize))
		return -1;
	return 0;
}

static int dev_from_msg(struct nlmsghdr *nlh, struct dev *dev, struct err *err)
{
	struct nlattr *tb[XHROOM_A_DEV_MAX + 1];

	memset(dev, 0, sizeof(*dev));
	if (genlmsg_parse(nlh, 0, tb, XHROOM_A_DEV_MAX, (struct nla_policy *)dev_policy) ||
	    !tb[XHROOM_A_DEV_IFINDEX] || !tb[XHROOM_A_DEV_IFNAME])
		return bad_answer(err);
	dev->ifindex = nla_get_u32(tb[XHROOM_A_DEV_IFINDEX]);
	nla_strlcpy(dev->name, tb[XHROOM_A_DEV_IFNAME], sizeof(dev->name));
	dev->gone = tb[XHROOM_A_DEV_GONE];
	conf_from_attrs(tb, &dev->conf);
	if (tb[XHROOM_A_DEV_TX_AUTO_REASON])
		dev->learned.reason = nla_get_u32(tb[XHROOM_A_DEV_TX_AUTO_REASON]);
	if (tb[XHROOM_A_DEV_TX_AUTO_CHANGED])
		dev->learned.changed = nla_get_u32(tb[XHROOM_A_DEV_TX_AUTO_CHANGED]);
	if (tb[XHROOM_A_DEV_TX_AUTO_FUNCTION])
		nla_strlcpy(dev->learned.function, tb[XHROOM_A_DEV_TX_AUTO_FUNCTION],
			    sizeof(dev->learned.function));
	return 0;
}

/* A counter that the module does not send is 0. */
static uint64_t get_counter(struct nlattr **tb, int attr)
{
	return tb[attr] ? nla_get_u64(tb[attr]) : 0;
}

static int stats_from_msg(struct nlmsghdr *nlh, struct dev *dev, struct err *err)
{
	struct nlattr *tb[XHROOM_A_STATS_MAX + 1];

	memset(dev, 0, sizeof(*dev));
	if (genlmsg_parse(nlh, 0, tb, XHROOM_A_STATS_MAX, (struct nla_policy *)stats_policy) ||
	    !tb[XHROOM_A_STATS_IFINDEX] || !tb[XHROOM_A_STATS_IFNAME])
		return bad_answer(err);
	dev->ifindex = nla_get_u32(tb[XHROOM_A_STATS_IFINDEX]);
	nla_strlcpy(dev->name, tb[XHROOM_A_STATS_IFNAME], sizeof(dev->name));
	dev->stats.tx_headroom_packets = get_counter(tb, XHROOM_A_STATS_TX_HEADROOM_PACKETS);
	dev->stats.tx_headroom_bytes = get_counter(tb, XHROOM_A_STATS_TX_HEADROOM_BYTES);
	dev->stats.tx_headroom_fallbacks = get_counter(tb, XHROOM_A_STATS_TX_HEADROOM_FALLBACKS);
	dev->stats.tx_page_frags = get_counter(tb, XHROOM_A_STATS_TX_PAGE_FRAGS);
	dev->stats.xdp_kept = get_counter(tb, XHROOM_A_STATS_XDP_KEPT);
	dev->stats.xdp_copied_shared = get_counter(tb, XHROOM_A_STATS_XDP_COPIED_SHARED);
	dev->stats.xdp_copied_nonlinear = get_counter(tb, XHROOM_A_STATS_XDP_COPIED_NONLINEAR);
	dev->stats.xdp_copied_headroom = get_counter(tb, XHROOM_A_STATS_XDP_COPIED_HEADROOM);
	dev->stats.xdp_copied_head = get_counter(tb, XHROOM_A_STATS_XDP_COPIED_HEAD);
	return 0;
}

static int from_msg(struct nlmsghdr *nlh, struct dev *dev, struct err *err)
{
	if (genlmsg_hdr(nlh)->cmd == XHROOM_CMD_STATS_GET)
		return stats_from_msg(nlh, dev, err);
	return dev_from_msg(nlh, dev, err);
}

static int take_dev_msg(struct nlmsghdr *nlh, void *arg, struct err *err)
{
	return from_msg(nlh, arg, err);
}

static int append_dev_msg(struct nlmsghdr *nlh, void *arg, struct err *err)
{
	struct dev_list *list = arg;
	struct dev *more = realloc(list->devs, (list->nr + 1) * sizeof(*more));

	if (!more)
		return no_memory(err);
	list->devs = more;
	if (from_msg(nlh, &more[list->nr], err))
		return -1;
	list->nr++;
	return 0;
}

/* Sends @msg, which is about the device @name, and frees it. */
static int transact_dev(struct conn *conn, struct nl_msg *msg, const char *name, struct dev *dev,
			struct err *err)
{
	struct request_state state = {
		.msg = msg, .subject = name, .valid = take_dev_msg, .arg = dev, .err = err,
	};
	int ret;

	if (!msg)
		return no_memory(err);
	memset(dev, 0, sizeof(*dev));
	ret = transact(conn, &state);
	nlmsg_free(msg);
	if (!ret && !dev->ifindex)
		ret = bad_answer(err);
	return ret;
}

int conn_dev_get(struct conn *conn, const char *name, struct dev *dev, struct err *err)
{
	struct nl_msg *msg = new_dev_request(conn, XHROOM_CMD_DEV_GET, name);

	return transact_dev(conn, msg, name, dev, err);
}

int conn_stats_get(struct conn *conn, const char *name, struct dev *dev, struct err *err)
{
	struct nl_msg *msg = new_dev_request(conn, XHROOM_CMD_STATS_GET, name);

	return transact_dev(conn, msg, name, dev, err);
}

int conn_dev_set(struct conn *conn, const char *name, const struct dev_conf *conf,
		 unsigned int mask, struct dev *dev, struct err *err)
{
	struct nl_msg *msg = new_dev_request(conn, XHROOM_CMD_DEV_SET, name);

	if (msg && put_conf(msg, conf, mask)) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return transact_dev(conn, msg, name, dev, err);
}

static int by_ifindex(const void *a, const void *b)
{
	const struct dev *x = a, *y = b;

	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

void dev_list_free(struct dev_list *list)
{
	free(list->devs);
	memset(list, 0, sizeof(*list));
}

/*
 * Starts anew while it is interrupted, so that the result is of one moment.
 * @valid adds to the list @arg, @empty makes that empty.
 */
static int dump(struct conn *conn, int cmd,
		int (*valid)(struct nlmsghdr *nlh, void *arg, struct err *err),
		void (*empty)(void *arg), void *arg, struct err *err)
{
	int tries;

	for (tries = 0; tries < DUMP_TRIES; tries++) {
		struct request_state state = { .valid = valid, .arg = arg, .err = err };
		int ret;

		state.msg = new_request(conn, cmd, NLM_F_DUMP);
		if (!state.msg)
			return no_memory(err);
		ret = transact(conn, &state);
		nlmsg_free(state.msg);
		if (!ret && !state.interrupted)
			return 0;
		empty(arg);
		if (ret)
			return ret;
	}
	return fail(err, XC_LOCAL, "settings change too fast to be listed");
}

static void empty_devs(void *list)
{
	dev_list_free(list);
}

static int dump_devs(struct conn *conn, int cmd, struct dev_list *list, struct err *err)
{
	memset(list, 0, sizeof(*list));
	if (dump(conn, cmd, append_dev_msg, empty_devs, list, err))
		return -1;
	if (list->nr)
		qsort(list->devs, list->nr, sizeof(*list->devs), by_ifindex);
	return 0;
}

int conn_dev_dump(struct conn *conn, struct dev_list *list, struct err *err)
{
	return dump_devs(conn, XHROOM_CMD_DEV_GET, list, err);
}

int conn_stats_dump(struct conn *conn, struct dev_list *list, struct err *err)
{
	return dump_devs(conn, XHROOM_CMD_STATS_GET, list, err);
}

/* --- policies ------------------------------------------------------------------- */

static int policy_from_msg(struct nlmsghdr *nlh, struct policy *policy, struct err *err)
{
	struct nlattr *tb[XHROOM_A_POLICY_MAX + 1];

	memset(policy, 0, sizeof(*policy));
	if (genlmsg_parse(nlh, 0, tb, XHROOM_A_POLICY_MAX, (struct nla_policy *)policy_policy) ||
	    (!tb[XHROOM_A_POLICY_KIND] && !tb[XHROOM_A_POLICY_NAME]))
		return bad_answer(err);
	if (tb[XHROOM_A_POLICY_KIND])
		nla_strlcpy(policy->kind, tb[XHROOM_A_POLICY_KIND], sizeof(policy->kind));
	if (tb[XHROOM_A_POLICY_NAME])
		nla_strlcpy(policy->name, tb[XHROOM_A_POLICY_NAME], sizeof(policy->name));
	policy->gone = tb[XHROOM_A_POLICY_GONE];
	conf_from_attrs(tb, &policy->conf);
	return 0;
}

static int take_policy_msg(struct nlmsghdr *nlh, void *arg, struct err *err)
{
	return policy_from_msg(nlh, arg, err);
}

static int append_policy_msg(struct nlmsghdr *nlh, void *arg, struct err *err)
{
	struct policy_list *list = arg;
	struct policy *more = realloc(list->policies, (list->nr + 1) * sizeof(*more));

	if (!more)
		return no_memory(err);
	list->policies = more;
	if (policy_from_msg(nlh, &more[list->nr], err))
		return -1;
	list->nr++;
	return 0;
}

void policy_list_free(struct policy_list *list)
{
	free(list->policies);
	memset(list, 0, sizeof(*list));
}

static void empty_policies(void *list)
{
	policy_list_free(list);
}

int conn_policy_dump(struct conn *conn, struct policy_list *list, struct err *err)
{
	memset(list, 0, sizeof(*list));
	return dump(conn, XHROOM_CMD_POLICY_GET, append_policy_msg, empty_policies, list, err);
}

/* A request about the policy with the match of @policy. */
static struct nl_msg *new_policy_request(struct conn *conn, int cmd, const struct policy *policy)
{
	struct nl_msg *msg = new_request(conn, cmd, 0);

	if (msg && ((*policy->kind && nla_put_string(msg, XHROOM_A_POLICY_KIND, policy->kind)) ||
		    (*policy->name && nla_put_string(msg, XHROOM_A_POLICY_NAME, policy->name)))) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return msg;
}

int conn_policy_set(struct conn *conn, const char *match, struct policy *policy,
		    unsigned int mask, struct err *err)
{
	struct request_state state = {
		.subject = match, .valid = take_policy_msg, .arg = policy, .err = err,
	};
	int ret;

	state.msg = new_policy_request(conn, XHROOM_CMD_POLICY_SET, policy);
	if (!state.msg || put_conf(state.msg, &policy->conf, mask)) {
		nlmsg_free(state.msg);
		return no_memory(err);
	}
	ret = transact(conn, &state);
	nlmsg_free(state.msg);
	return ret;
}

int conn_policy_del(struct conn *conn, const char *match, const struct policy *policy,
		    struct err *err)
{
	struct policy ignored;
	struct request_state state = {
		.subject = match, .valid = take_policy_msg, .arg = &ignored, .err = err,
	};
	int ret;

	state.msg = new_policy_request(conn, XHROOM_CMD_POLICY_DEL, policy);
	if (!state.msg)
		return no_memory(err);
	ret = transact(conn, &state);
	nlmsg_free(state.msg);
	return ret;
}

/* --- status --------------------------------------------------------------------- */

static char *text_of(struct nlattr *nla)
{
	return strdup(nla ? nla_get_string(nla) : "");
}

static int append_feature(struct nlattr *nest, struct status *status, struct err *err)
{
	struct nlattr *tb[XHROOM_A_FEATURE_MAX + 1];
	struct feature *feature;

	if (nla_parse_nested(tb, XHROOM_A_FEATURE_MAX, nest,
			     (struct nla_policy *)feature_policy) || !tb[XHROOM_A_FEATURE_NAME])
		return bad_answer(err);
	feature = realloc(status->features, (status->nr_features + 1) * sizeof(*feature));
	if (!feature)
		return no_memory(err);
	status->features = feature;
	feature += status->nr_features++;
	*feature = (struct feature) {
		.name = text_of(tb[XHROOM_A_FEATURE_NAME]),
		.available = tb[XHROOM_A_FEATURE_AVAILABLE],
		.attached = tb[XHROOM_A_FEATURE_ATTACHED],
		.disabled = tb[XHROOM_A_FEATURE_DISABLED],
		.users = tb[XHROOM_A_FEATURE_USERS] ? nla_get_u32(tb[XHROOM_A_FEATURE_USERS]) : 0,
		.reason = text_of(tb[XHROOM_A_FEATURE_REASON]),
	};
	return feature->name && feature->reason ? 0 : no_memory(err);
}

static int append_hook(struct nlattr *nest, struct status *status, struct err *err)
{
	struct nlattr *tb[XHROOM_A_HOOK_MAX + 1];
	struct hook *hook;

	if (nla_parse_nested(tb, XHROOM_A_HOOK_MAX, nest, (struct nla_policy *)hook_policy) ||
	    !tb[XHROOM_A_HOOK_SYMBOL])
		return bad_answer(err);
	hook = realloc(status->hooks, (status->nr_hooks + 1) * sizeof(*hook));
	if (!hook)
		return no_memory(err);
	status->hooks = hook;
	hook += status->nr_hooks++;
	*hook = (struct hook) {
		.symbol = text_of(tb[XHROOM_A_HOOK_SYMBOL]),
		.module = text_of(tb[XHROOM_A_HOOK_MODULE]),
		.feature = text_of(tb[XHROOM_A_HOOK_FEATURE]),
		.state = tb[XHROOM_A_HOOK_STATE] ? nla_get_u32(tb[XHROOM_A_HOOK_STATE]) : 0,
		.backend = tb[XHROOM_A_HOOK_BACKEND] ? nla_get_u32(tb[XHROOM_A_HOOK_BACKEND]) : 0,
		.calls = tb[XHROOM_A_HOOK_CALLS] ? nla_get_u64(tb[XHROOM_A_HOOK_CALLS]) : 0,
		.inside = tb[XHROOM_A_HOOK_INSIDE] ? nla_get_u32(tb[XHROOM_A_HOOK_INSIDE]) : 0,
		.reason = text_of(tb[XHROOM_A_HOOK_REASON]),
		.holder = text_of(tb[XHROOM_A_HOOK_HOLDER]),
	};
	if (!hook->symbol || !hook->module || !hook->feature || !hook->reason || !hook->holder)
		return no_memory(err);
	return 0;
}

static int take_status_msg(struct nlmsghdr *nlh, void *arg, struct err *err)
{
	struct nlattr *tb[XHROOM_A_STATUS_MAX + 1];
	struct status *status = arg;

	if (genlmsg_parse(nlh, 0, tb, XHROOM_A_STATUS_MAX, (struct nla_policy *)status_policy))
		return bad_answer(err);
	if (tb[XHROOM_A_STATUS_VERSION]) {
		free(status->version);
		status->version = text_of(tb[XHROOM_A_STATUS_VERSION]);
		return status->version ? 0 : no_memory(err);
	}
	if (tb[XHROOM_A_STATUS_FEATURE])
		return append_feature(tb[XHROOM_A_STATUS_FEATURE], status, err);
	if (tb[XHROOM_A_STATUS_HOOK])
		return append_hook(tb[XHROOM_A_STATUS_HOOK], status, err);
	return 0;
}

int conn_status(struct conn *conn, struct status *status, struct err *err)
{
	struct request_state state = { .valid = take_status_msg, .arg = status, .err = err };
	int ret;

	memset(status, 0, sizeof(*status));
	state.msg = new_request(conn, XHROOM_CMD_STATUS_GET, NLM_F_DUMP);
	if (!state.msg)
		return no_memory(err);
	ret = transact(conn, &state);
	nlmsg_free(state.msg);
	if (!ret && !status->version)
		ret = bad_answer(err);
	if (ret)
		status_free(status);
	return ret;
}

void status_free(struct status *status)
{
	size_t i;

	for (i = 0; i < status->nr_features; i++) {
		free(status->features[i].name);
		free(status->features[i].reason);
	}
	for (i = 0; i < status->nr_hooks; i++) {
		free(status->hooks[i].symbol);
		free(status->hooks[i].module);
		free(status->hooks[i].feature);
		free(status->hooks[i].reason);
		free(status->hooks[i].holder);
	}
	free(status->features);
	free(status->hooks);
	free(status->version);
	memset(status, 0, sizeof(*status));
}

/* --- notifications --------------------------------------------------------------- */

struct monitor {
	int family;
	int (*take)(const struct event *event, void *arg);
	void *arg;
	bool ended;
	struct err *err;
};

static int on_notification(struct nl_msg *msg, void *arg)
{
	struct monitor *monitor = arg;
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct event event = {};
	struct policy policy;
	struct err ignored;
	struct dev dev;
	int cmd;

	if (nlh->nlmsg_type != monitor->family || !genlmsg_valid_hdr(nlh, 0))
		return NL_OK;
	cmd = genlmsg_hdr(nlh)->cmd;
	if (cmd == XHROOM_CMD_DEV_NTF && !dev_from_msg(nlh, &dev, &ignored))
		event.dev = &dev;
	else if (cmd == XHROOM_CMD_POLICY_NTF && !policy_from_msg(nlh, &policy, &ignored))
		event.policy = &policy;
	else
		return NL_OK;
	if (monitor->take(&event, monitor->arg)) {
		monitor->ended = true;
		return NL_STOP;
	}
	return NL_OK;
}

static int any_sequence(struct nl_msg *msg, void *arg)
{
	(void)msg;
	(void)arg;
	return NL_OK;
}

int conn_monitor(struct conn *conn, int (*take)(const struct event *event, void *arg), void *arg,
		 struct err *err)
{
	struct monitor monitor = { .family = conn->family, .take = take, .arg = arg, .err = err };
	const struct event lost = {};
	int group = genl_ctrl_resolve_grp(conn->sock, XHROOM_GENL_NAME, XHROOM_MCGRP_CONFIG);
	struct nl_cb *cb;
	int rc;

	if (group < 0)
		return fail(err, XC_LOCAL, "cannot find the group %s: %s", XHROOM_MCGRP_CONFIG,
			    nl_geterror(group));
	rc = nl_socket_add_membership(conn->sock, group);
	if (rc < 0)
		return fail(err, XC_LOCAL, "cannot listen: %s", nl_geterror(rc));
	cb = nl_cb_alloc(NL_CB_DEFAULT);
	if (!cb)
		return no_memory(err);
	nl_cb_set(cb, NL_CB_SEQ_CHECK, NL_CB_CUSTOM, any_sequence, NULL);
	nl_cb_set(cb, NL_CB_VALID, NL_CB_CUSTOM, on_notification, &monitor);

	while (!monitor.ended) {
		rc = nl_recvmsgs(conn->sock, cb);
		/* libnl's name for ENOBUFS: the socket's buffer was full. */
		if (rc == -NLE_NOMEM)
			monitor.ended = take(&lost, arg);
		else if (rc < 0 && rc != -NLE_INTR)
			break;
	}
	nl_cb_put(cb);
	if (monitor.ended)
		return 0;
	return fail(err, XC_LOCAL, "netlink: %s", nl_geterror(rc));
}
