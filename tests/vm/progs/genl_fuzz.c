// SPDX-License-Identifier: GPL-2.0-only
/*
 * Talks to the family "xhroom" without any library, so that it can say what no
 * library would: attributes that are unknown, too short, too long or truncated.
 *
 *   genl_fuzz send CMD[+dump][+FLAGS] [ATTRIBUTE]...
 *	Sends one message and prints what the kernel said, on one line.
 *	ATTRIBUTE is TYPE=u32:N, TYPE=str:TEXT (with its NUL), TYPE=hex:BYTES,
 *	TYPE:LEN=... (a wrong length in the attribute's header) or hex:BYTES
 *	(bytes that are no attribute).
 *   genl_fuzz policy
 *	Prints the family's policies, as CTRL_CMD_GETPOLICY tells them.
 *   genl_fuzz dump [DEV]
 *	Dumps the devices in small pieces and prints how many came, how many were
 *	different and whether the dump was marked as interrupted. With DEV, or
 *	NETNS/DEV, that device's value is changed after the first piece.
 *   genl_fuzz many PREFIX N
 *	Sets devices PREFIX1 to PREFIXN to the values 1 to 512, in turn.
 *   genl_fuzz fuzz N SEED DEV...
 *	Sends N random messages. The generator knows the policy: it predicts
 *	which of them change which device, and after each run of messages the
 *	devices must be as predicted. Each refusal must come with words.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/xhroom.h>

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif
#define ATTR_DATA(nla) ((void *)((char *)(nla) + NLA_HDRLEN))
#define ALT_NAME_MAX 127
/* As small as it can be: the kernel fills a page, less its own overhead. */
#define PIECE 4096

static int sock;
static uint32_t sequence;
static int family;

struct message {
	union {
		struct nlmsghdr nlh;
		char bytes[4096];
	};
};

/* What the kernel said to one request. */
struct answer {
	int error;
	char text[256];
	int attr;
	int messages;
	bool interrupted;
	bool replied;
	uint32_t value;
	uint32_t head;
	uint32_t auto_max;
	uint32_t xdp_min;
	uint32_t linearize;
};

static void die(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

static void start(struct message *m, int type, int cmd, int flags)
{
	struct genlmsghdr *genl;

	memset(m, 0, NLMSG_HDRLEN + GENL_HDRLEN);
	m->nlh.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
	m->nlh.nlmsg_type = type;
	m->nlh.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags;
	m->nlh.nlmsg_seq = ++sequence;
	genl = NLMSG_DATA(&m->nlh);
	genl->cmd = cmd;
	genl->version = XHROOM_GENL_VERSION;
}

/* Bytes at the end, without any alignment. */
static void append(struct message *m, const void *data, size_t len)
{
	if (m->nlh.nlmsg_len + len > sizeof(m->bytes))
		die("message too long");
	memcpy(m->bytes + m->nlh.nlmsg_len, data, len);
	m->nlh.nlmsg_len += len;
}

static void attr(struct message *m, int type, const void *data, size_t len, int claimed)
{
	struct nlattr nla = { .nla_type = type, .nla_len = claimed };

	append(m, &nla, sizeof(nla));
	append(m, data, len);
	while (m->nlh.nlmsg_len % NLA_ALIGNTO)
		append(m, "", 1);
}

static void attr_u32(struct message *m, int type, uint32_t value)
{
	attr(m, type, &value, sizeof(value), NLA_HDRLEN + sizeof(value));
}

static void attr_string(struct message *m, int type, const char *text)
{
	attr(m, type, text, strlen(text) + 1, NLA_HDRLEN + strlen(text) + 1);
}

static struct nlattr *next_attr(struct nlattr *nla, int *rest)
{
	int len = NLA_ALIGN(nla->nla_len);

	*rest -= len;
	return (struct nlattr *)((char *)nla + len);
}

static bool attr_ok(const struct nlattr *nla, int rest)
{
	return rest >= NLA_HDRLEN && nla->nla_len >= NLA_HDRLEN && nla->nla_len <= rest;
}

static int attr_type(const struct nlattr *nla)
{
	return nla->nla_type & NLA_TYPE_MASK;
}

static uint32_t get_u32(const struct nlattr *nla)
{
	uint32_t value;

	memcpy(&value, ATTR_DATA(nla), sizeof(value));
	return value;
}

static void parse_ext_ack(struct answer *answer, const struct message *request,
			  const struct nlmsghdr *nlh, size_t skip)
{
	struct nlattr *nla = (struct nlattr *)((char *)nlh + NLMSG_HDRLEN + skip);
	int rest = nlh->nlmsg_len - NLMSG_HDRLEN - skip;

	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	for (; attr_ok(nla, rest); nla = next_attr(nla, &rest)) {
		if (attr_type(nla) == NLMSGERR_ATTR_MSG) {
			snprintf(answer->text, sizeof(answer->text), "%s", (char *)ATTR_DATA(nla));
		} else if (attr_type(nla) == NLMSGERR_ATTR_OFFS) {
			uint32_t offset = get_u32(nla);

			if (offset + NLA_HDRLEN <= request->nlh.nlmsg_len)
				answer->attr = attr_type((void *)(request->bytes + offset));
		}
	}
}

static void parse_reply(struct answer *answer, struct nlmsghdr *nlh)
{
	struct nlattr *nla = (struct nlattr *)((char *)nlh + NLMSG_HDRLEN + GENL_HDRLEN);
	int rest = nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;

	answer->messages++;
	for (; attr_ok(nla, rest); nla = next_attr(nla, &rest)) {
		if (attr_type(nla) == XHROOM_A_DEV_TX_EXTRA_HEADROOM &&
		    nla->nla_len == NLA_HDRLEN + sizeof(uint32_t)) {
			answer->replied = true;
			answer->value = get_u32(nla);
		}
		if (attr_type(nla) == XHROOM_A_DEV_TX_HEAD &&
		    nla->nla_len == NLA_HDRLEN + sizeof(uint32_t))
			answer->head = get_u32(nla);
		if (attr_type(nla) == XHROOM_A_DEV_TX_AUTO_MAX &&
		    nla->nla_len == NLA_HDRLEN + sizeof(uint32_t))
			answer->auto_max = get_u32(nla);
		if (attr_type(nla) == XHROOM_A_DEV_XDP_HEADROOM_MIN &&
		    nla->nla_len == NLA_HDRLEN + sizeof(uint32_t))
			answer->xdp_min = get_u32(nla);
		if (attr_type(nla) == XHROOM_A_DEV_XDP_LINEARIZE &&
		    nla->nla_len == NLA_HDRLEN + sizeof(uint32_t))
			answer->linearize = get_u32(nla);
	}
}

/* Reads until the request is answered; @each sees every message but the end. */
static void receive(const struct message *request, struct answer *answer, size_t piece,
		    void (*each)(struct nlmsghdr *nlh, void *arg),
		    void (*between)(void *arg), void *arg)
{
	static char buf[65536] __attribute__((aligned(8)));
	uint32_t seq = request->nlh.nlmsg_seq;

	memset(answer, 0, sizeof(*answer));
	for (;;) {
		ssize_t len = recv(sock, buf, piece, MSG_TRUNC);
		struct nlmsghdr *nlh = (struct nlmsghdr *)buf;

		if (len < 0 && errno == EAGAIN)
			die("the kernel did not answer message %u", seq);
		if (len < 0)
			die("recv: %s", strerror(errno));
		if ((size_t)len > piece)
			die("a piece of %zd bytes was cut to %zu", len, piece);
		for (; NLMSG_OK(nlh, len); nlh = NLMSG_NEXT(nlh, len)) {
			if (nlh->nlmsg_seq != seq)
				continue;
			if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
				answer->interrupted = true;
			if (nlh->nlmsg_type == NLMSG_ERROR) {
				struct nlmsgerr *err = NLMSG_DATA(nlh);
				size_t skip = sizeof(*err);

				if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
					skip += NLMSG_ALIGN(err->msg.nlmsg_len) - NLMSG_HDRLEN;
				answer->error = err->error;
				parse_ext_ack(answer, request, nlh, skip);
				return;
			}
			if (nlh->nlmsg_type == NLMSG_DONE) {
				answer->error = *(int *)NLMSG_DATA(nlh);
				parse_ext_ack(answer, request, nlh, sizeof(int));
				return;
			}
			parse_reply(answer, nlh);
			if (each)
				each(nlh, arg);
		}
		if (between) {
			between(arg);
			between = NULL;
		}
	}
}

static void send_message(const struct message *m, size_t len)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };

	if (sendto(sock, m, len, 0, (void *)&kernel, sizeof(kernel)) != (ssize_t)len)
		die("sendto: %s", strerror(errno));
}

static void transact(const struct message *m, struct answer *answer)
{
	send_message(m, m->nlh.nlmsg_len);
	receive(m, answer, 65536, NULL, NULL, NULL);
}

static void take_family(struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *nla = (struct nlattr *)((char *)nlh + NLMSG_HDRLEN + GENL_HDRLEN);
	int rest = nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;

	(void)arg;
	for (; attr_ok(nla, rest); nla = next_attr(nla, &rest)) {
		if (attr_type(nla) == CTRL_ATTR_FAMILY_ID)
			family = *(uint16_t *)ATTR_DATA(nla);
	}
}

static void open_socket(void)
{
	struct sockaddr_nl self = { .nl_family = AF_NETLINK };
	struct timeval patience = { .tv_sec = 10 };
	struct answer answer;
	struct message m;
	int on = 1;

	sock = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (sock < 0 || bind(sock, (void *)&self, sizeof(self)))
		die("netlink socket: %s", strerror(errno));
	setsockopt(sock, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	start(&m, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	attr_string(&m, CTRL_ATTR_FAMILY_NAME, XHROOM_GENL_NAME);
	send_message(&m, m.nlh.nlmsg_len);
	/* The kernel makes pieces as large as it has seen buffers: see cmd_dump(). */
	receive(&m, &answer, PIECE, take_family, NULL, NULL);
	if (!family)
		die("no family %s", XHROOM_GENL_NAME);
}

/* --- send ------------------------------------------------------------------- */

static size_t from_hex(const char *hex, unsigned char *out, size_t max)
{
	size_t n = 0;

	for (; hex[0] && hex[1] && n < max; hex += 2) {
		unsigned int byte;

		if (sscanf(hex, "%2x", &byte) != 1)
			die("not hexadecimal: %s", hex);
		out[n++] = byte;
	}
	return n;
}

static void attr_from_word(struct message *m, const char *word)
{
	unsigned char data[2048];
	size_t len;
	char *end;
	int type, claimed = -1;

	if (!strncmp(word, "hex:", 4)) {
		len = from_hex(word + 4, data, sizeof(data));
		append(m, data, len);
		return;
	}
	type = strtol(word, &end, 0);
	if (*end == ':')
		claimed = strtol(end + 1, &end, 0);
	if (*end++ != '=')
		die("not an attribute: %s", word);
	if (!strncmp(end, "u32:", 4)) {
		uint32_t value = strtoul(end + 4, NULL, 0);

		len = sizeof(value);
		memcpy(data, &value, len);
	} else if (!strncmp(end, "str:", 4)) {
		len = strlen(end + 4) + 1;
		memcpy(data, end + 4, len);
	} else if (!strncmp(end, "hex:", 4)) {
		len = from_hex(end + 4, data, sizeof(data));
	} else {
		die("not a value: %s", end);
	}
	attr(m, type, data, len, claimed >= 0 ? claimed : (int)(NLA_HDRLEN + len));
}

static int cmd_send(int argc, char **argv)
{
	struct answer answer;
	struct message m;
	int cmd, flags = 0, i;
	char *end;

	cmd = strtol(argv[0], &end, 0);
	while (*end == '+') {
		end++;
		if (!strncmp(end, "dump", 4)) {
			flags |= NLM_F_DUMP;
			end += 4;
		} else {
			flags |= strtol(end, &end, 0);
		}
	}
	start(&m, family, cmd, flags);
	for (i = 1; i < argc; i++)
		attr_from_word(&m, argv[i]);
	transact(&m, &answer);
	if (!answer.error && answer.replied && !(flags & NLM_F_DUMP) && answer.auto_max)
		printf("ok value %u head %u learned, at most %u\n", answer.value, answer.head,
		       answer.auto_max);
	else if (!answer.error && answer.replied && !(flags & NLM_F_DUMP))
		printf("ok value %u head %u\n", answer.value, answer.head);
	else if (!answer.error)
		printf("ok messages %d\n", answer.messages);
	else
		printf("error %d attr %d: %s\n", -answer.error, answer.attr, answer.text);
	return 0;
}

/* --- policy ----------------------------------------------------------------- */

#define POLICIES_MAX	16
#define ATTRS_MAX	64

struct attr_policy {
	bool known;
	uint32_t type, min_len, max_len;
	uint64_t min, max;
	bool has_range, has_max_len;
};

struct policies {
	struct attr_policy attrs[POLICIES_MAX][ATTRS_MAX];
	int ops[256][2];	/* policy + 1 of "do" and of "dump" */
};

static const char *const type_names[] = {
	[NL_ATTR_TYPE_FLAG] = "flag", [NL_ATTR_TYPE_U32] = "u32", [NL_ATTR_TYPE_U64] = "u64",
	[NL_ATTR_TYPE_STRING] = "string", [NL_ATTR_TYPE_NUL_STRING] = "string",
	[NL_ATTR_TYPE_NESTED] = "nest",
};

#define for_each_nested(nla, nest, rest) \
	for (rest = (nest)->nla_len - NLA_HDRLEN, nla = ATTR_DATA(nest); attr_ok(nla, rest); \
	     nla = next_attr(nla, &rest))

static void take_attr_policy(struct attr_policy *policy, struct nlattr *nest)
{
	struct nlattr *nla;
	int rest;

	policy->known = true;
	for_each_nested(nla, nest, rest) {
		switch (attr_type(nla)) {
		case NL_POLICY_TYPE_ATTR_TYPE:
			policy->type = get_u32(nla);
			break;
		case NL_POLICY_TYPE_ATTR_MIN_VALUE_U:
			memcpy(&policy->min, ATTR_DATA(nla), sizeof(policy->min));
			policy->has_range = true;
			break;
		case NL_POLICY_TYPE_ATTR_MAX_VALUE_U:
			memcpy(&policy->max, ATTR_DATA(nla), sizeof(policy->max));
			policy->has_range = true;
			break;
		case NL_POLICY_TYPE_ATTR_MAX_LENGTH:
			policy->max_len = get_u32(nla);
			policy->has_max_len = true;
			break;
		}
	}
}

static void take_policies(struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *top = (struct nlattr *)((char *)nlh + NLMSG_HDRLEN + GENL_HDRLEN);
	int rest = nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;
	struct policies *policies = arg;
	struct nlattr *nla, *inner;
	int r, s;

	for (; attr_ok(top, rest); top = next_attr(top, &rest)) {
		if (attr_type(top) == CTRL_ATTR_POLICY) {
			for_each_nested(nla, top, r) {
				for_each_nested(inner, nla, s) {
					if (attr_type(nla) < POLICIES_MAX &&
					    attr_type(inner) < ATTRS_MAX)
						take_attr_policy(&policies->attrs[attr_type(nla)]
								 [attr_type(inner)], inner);
				}
			}
		} else if (attr_type(top) == CTRL_ATTR_OP_POLICY) {
			for_each_nested(nla, top, r) {
				for_each_nested(inner, nla, s) {
					int which = attr_type(inner) == CTRL_ATTR_POLICY_DUMP;

					if (attr_type(nla) < 256)
						policies->ops[attr_type(nla)][which] =
							get_u32(inner) + 1;
				}
			}
		}
	}
}

static int cmd_policy(void)
{
	static struct policies policies;
	struct answer answer;
	struct message m;
	int op, which, a;

	start(&m, GENL_ID_CTRL, CTRL_CMD_GETPOLICY, NLM_F_DUMP);
	attr(&m, CTRL_ATTR_FAMILY_ID, &(uint16_t){ family }, 2, NLA_HDRLEN + 2);
	send_message(&m, m.nlh.nlmsg_len);
	receive(&m, &answer, 65536, take_policies, NULL, &policies);
	for (op = 0; op < 256; op++) {
		for (which = 0; which < 2; which++) {
			int index = policies.ops[op][which] - 1;

			for (a = 0; index >= 0 && index < POLICIES_MAX && a < ATTRS_MAX; a++) {
				const struct attr_policy *policy = &policies.attrs[index][a];

				if (!policy->known)
					continue;
				printf("%d %s %d %s", op, which ? "dump" : "do", a,
				       policy->type < sizeof(type_names) / sizeof(*type_names) &&
				       type_names[policy->type] ? type_names[policy->type] : "?");
				if (policy->has_range)
					printf(" %llu..%llu", (unsigned long long)policy->min,
					       (unsigned long long)policy->max);
				if (policy->has_max_len)
					printf(" length %u", policy->max_len);
				putchar('\n');
			}
		}
	}
	return 0;
}

/* --- dump ------------------------------------------------------------------- */

struct seen {
	int messages, different;
	char indexes[1 << 20];
	const char *poke;
};

static void see(struct nlmsghdr *nlh, void *arg)
{
	struct nlattr *nla = (struct nlattr *)((char *)nlh + NLMSG_HDRLEN + GENL_HDRLEN);
	struct seen *seen = arg;
	uint32_t index;

	seen->messages++;
	if (attr_type(nla) != XHROOM_A_DEV_IFINDEX)
		die("the first attribute is not the index");
	index = get_u32(nla);
	if (index < sizeof(seen->indexes) && !seen->indexes[index]) {
		seen->indexes[index] = 1;
		seen->different++;
	}
}

/* With another socket: this one is in the middle of its dump. */
static void poke(void *arg)
{
	const char *slash, *dev;
	struct seen *seen = arg;
	struct message m;
	char path[64];
	int dump = sock;

	if (!seen->poke)
		return;
	slash = strchr(seen->poke, '/');
	dev = slash ? slash + 1 : seen->poke;
	if (slash) {
		snprintf(path, sizeof(path), "/run/netns/%.*s", (int)(slash - seen->poke),
			 seen->poke);
		/* For good: the dump's socket stays where it is. */
		if (setns(open(path, O_RDONLY), CLONE_NEWNET))
			die("%s: %s", path, strerror(errno));
	}
	open_socket();
	start(&m, family, XHROOM_CMD_DEV_SET, 0);
	attr_string(&m, XHROOM_A_DEV_IFNAME, dev);
	attr_u32(&m, XHROOM_A_DEV_TX_EXTRA_HEADROOM, 77);
	send_message(&m, m.nlh.nlmsg_len);
	/* receive() is not reentrant in its buffer: a plain read will do. */
	if (recv(sock, &m, sizeof(m), 0) < 0)
		die("poke: %s", strerror(errno));
	close(sock);
	sock = dump;
}

static int cmd_dump(const char *dev)
{
	static struct seen seen;
	struct answer answer;
	struct message m;

	seen.poke = dev;
	start(&m, family, XHROOM_CMD_DEV_GET, NLM_F_DUMP);
	send_message(&m, m.nlh.nlmsg_len);
	receive(&m, &answer, PIECE, see, poke, &seen);
	printf("messages %d different %d interrupted %d error %d\n", seen.messages,
	       seen.different, answer.interrupted, answer.error);
	return 0;
}

static int cmd_many(const char *prefix, int n)
{
	struct answer answer;
	struct message m;
	char name[64];
	int i;

	for (i = 1; i <= n; i++) {
		snprintf(name, sizeof(name), "%s%d", prefix, i);
		start(&m, family, XHROOM_CMD_DEV_SET, 0);
		attr_string(&m, XHROOM_A_DEV_IFNAME, name);
		attr_u32(&m, XHROOM_A_DEV_TX_EXTRA_HEADROOM, (i - 1) % 512 + 1);
		transact(&m, &answer);
		if (answer.error)
			die("%s: %d %s", name, answer.error, answer.text);
	}
	return 0;
}

/* --- fuzz ------------------------------------------------------------------- */

#define DEVS_MAX 8

static uint64_t random_state;

static uint32_t rnd(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return below ? (random_state >> 11) % below : 0;
}

static bool one_in(uint32_t n)
{
	return !rnd(n);
}

struct model {
	const char *name;
	uint32_t ifindex;
	uint32_t value;
	uint32_t head;
	uint32_t auto_max;
	uint32_t xdp_min;
	uint32_t linearize;
};

static struct model model[DEVS_MAX];
static int nr_model;

/* 6.1 does not have the functions for anything but XHROOM_XDP_LINEARIZE_ON. */
static bool can_linearize;

static void random_attr(struct message *m)
{
	static const uint32_t values[] = {
		0, 1, 2, 64, 255, 256, 511, 512, 513, 65535, 65536, 0x7fffffff, 0x80000000,
		0xffffffff, 0x00020000,
	};
	static const char *const names[] = {
		"", "lo", "nosuch", "a-name-of-more-than-fifteen", "x\\y", "%d", "..",
	};
	int type = one_in(8) ? (int)rnd(70) : (int)rnd(XHROOM_A_DEV_MAX) + 1;
	unsigned char junk[300];
	size_t len, i;

	if (one_in(40))
		type |= one_in(2) ? NLA_F_NESTED : NLA_F_NET_BYTEORDER;
	switch (one_in(10) ? 9 : attr_type(&(struct nlattr){ .nla_type = type })) {
	case XHROOM_A_DEV_IFINDEX:
		attr_u32(m, type, one_in(4) ? values[rnd(15)] : model[rnd(nr_model)].ifindex);
		break;
	case XHROOM_A_DEV_IFNAME:
		attr_string(m, type, one_in(4) ? names[rnd(7)] : model[rnd(nr_model)].name);
		break;
	case XHROOM_A_DEV_TX_EXTRA_HEADROOM:
		attr_u32(m, type, one_in(3) ? rnd(600) : values[rnd(15)]);
		break;
	case XHROOM_A_DEV_TX_HEAD:
		attr_u32(m, type, one_in(4) ? values[rnd(15)] : rnd(XHROOM_TX_HEAD_MAX + 2));
		break;
	case XHROOM_A_DEV_TX_AUTO_MAX:
		attr_u32(m, type, one_in(3) ? rnd(600) : values[rnd(15)]);
		break;
	case XHROOM_A_DEV_XDP_HEADROOM_MIN:
		attr_u32(m, type, one_in(3) ? values[rnd(15)] : 188 + rnd(72));
		break;
	case XHROOM_A_DEV_XDP_LINEARIZE:
		attr_u32(m, type, one_in(4) ? values[rnd(15)] : rnd(XHROOM_XDP_LINEARIZE_MAX + 2));
		break;
	default:
		len = one_in(4) ? rnd(sizeof(junk)) : rnd(9);
		for (i = 0; i < len; i++)
			junk[i] = one_in(3) ? 0 : rnd(256);
		attr(m, type, junk, len,
		     one_in(6) ? (int)rnd(400) : (int)(NLA_HDRLEN + len));
	}
}

/* What is in the attributes of @m, by the rules of the ABI. */
struct verdict {
	bool well_formed;
	bool has[XHROOM_A_DEV_MAX + 1];
	uint32_t ifindex, value, head, auto_max, xdp_min, linearize;
	char name[ALT_NAME_MAX + 1];
};

static bool judge_attr(struct verdict *verdict, const struct nlattr *nla, int max)
{
	int type = attr_type(nla), len = nla->nla_len - NLA_HDRLEN;
	const char *data = ATTR_DATA(nla);
	int end;

	if (!type || type > max || type == XHROOM_A_DEV_GONE || nla->nla_type & NLA_F_NESTED)
		return false;
	verdict->has[type] = true;
	switch (type) {
	case XHROOM_A_DEV_IFINDEX:
		if (len != sizeof(uint32_t) || !get_u32(nla))
			return false;
		verdict->ifindex = get_u32(nla);
		return true;
	case XHROOM_A_DEV_IFNAME:
		end = strnlen(data, len);
		if (end == len || end > ALT_NAME_MAX)
			return false;
		if (len - !data[len - 1] > ALT_NAME_MAX)
			return false;
		memcpy(verdict->name, data, end + 1);
		return true;
	case XHROOM_A_DEV_TX_EXTRA_HEADROOM:
		if (len != sizeof(uint32_t) || get_u32(nla) > XHROOM_TX_EXTRA_HEADROOM_MAX)
			return false;
		verdict->value = get_u32(nla);
		return true;
	case XHROOM_A_DEV_TX_HEAD:
		if (len != sizeof(uint32_t) || !get_u32(nla) || get_u32(nla) > XHROOM_TX_HEAD_MAX)
			return false;
		verdict->head = get_u32(nla);
		return true;
	case XHROOM_A_DEV_TX_AUTO_MAX:
		if (len != sizeof(uint32_t) || get_u32(nla) < XHROOM_TX_AUTO_MAX_MIN ||
		    get_u32(nla) > XHROOM_TX_EXTRA_HEADROOM_MAX)
			return false;
		verdict->auto_max = get_u32(nla);
		return true;
	case XHROOM_A_DEV_XDP_HEADROOM_MIN:
		if (len != sizeof(uint32_t) || get_u32(nla) > XHROOM_XDP_HEADROOM_MIN_MAX)
			return false;
		/* The default, which is the largest one if the module was given none. */
		verdict->xdp_min = get_u32(nla) ?: XHROOM_XDP_HEADROOM_MIN_MAX;
		return true;
	case XHROOM_A_DEV_XDP_LINEARIZE:
		if (len != sizeof(uint32_t) || !get_u32(nla) ||
		    get_u32(nla) > XHROOM_XDP_LINEARIZE_MAX)
			return false;
		verdict->linearize = get_u32(nla);
		return true;
	}
	return false;
}

static void judge(struct verdict *verdict, const struct message *m, int max)
{
	struct nlattr *nla = (struct nlattr *)(m->bytes + NLMSG_HDRLEN + GENL_HDRLEN);
	int rest = m->nlh.nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN;

	memset(verdict, 0, sizeof(*verdict));
	for (; attr_ok(nla, rest); nla = next_attr(nla, &rest)) {
		if (!judge_attr(verdict, nla, max))
			return;
	}
	/* Of several the last one counts, and it alone must not be too small. */
	verdict->well_formed = rest <= 0 &&
			       (!verdict->has[XHROOM_A_DEV_XDP_HEADROOM_MIN] ||
				verdict->xdp_min >= XHROOM_XDP_HEADROOM_MIN_MIN);
}

static struct model *model_of(const struct verdict *verdict)
{
	int i;

	if (verdict->has[XHROOM_A_DEV_IFINDEX] == verdict->has[XHROOM_A_DEV_IFNAME])
		return NULL;
	for (i = 0; i < nr_model; i++) {
		if (verdict->has[XHROOM_A_DEV_IFINDEX] ?
		    model[i].ifindex == verdict->ifindex :
		    !strcmp(model[i].name, verdict->name))
			return &model[i];
	}
	return NULL;
}

/* Whether an earlier device of the machine that is not in the model was meant. */
static bool other_dev(const struct verdict *verdict)
{
	char name[IF_NAMESIZE];

	if (verdict->has[XHROOM_A_DEV_IFINDEX] == verdict->has[XHROOM_A_DEV_IFNAME])
		return false;
	if (verdict->has[XHROOM_A_DEV_IFINDEX])
		return verdict->ifindex <= INT32_MAX && if_indextoname(verdict->ifindex, name);
	return if_nametoindex(verdict->name);
}

static void bad(const struct message *m, uint64_t i, const struct answer *answer,
		const char *what)
{
	size_t k;

	fprintf(stderr, "message %llu: %s (error %d: %s)\n", (unsigned long long)i, what,
		answer->error, answer->text);
	for (k = 0; k < m->nlh.nlmsg_len; k++)
		fprintf(stderr, "%02x%s", (unsigned char)m->bytes[k], k % 16 == 15 ? "\n" : " ");
	fputc('\n', stderr);
	exit(1);
}

static struct answer current(uint32_t ifindex)
{
	struct answer answer;
	struct message m;

	start(&m, family, XHROOM_CMD_DEV_GET, 0);
	attr_u32(&m, XHROOM_A_DEV_IFINDEX, ifindex);
	transact(&m, &answer);
	if (answer.error || !answer.replied)
		die("DEV_GET of device %u: %d %s", ifindex, answer.error, answer.text);
	return answer;
}

/* Whether settings that are well-formed can be followed on this kernel. */
static bool acceptable(const struct verdict *verdict)
{
	bool given = verdict->has[XHROOM_A_DEV_TX_EXTRA_HEADROOM];
	bool learned = verdict->has[XHROOM_A_DEV_TX_AUTO_MAX];

	if (given && learned)
		return false;
	if (verdict->has[XHROOM_A_DEV_XDP_LINEARIZE] && !can_linearize &&
	    verdict->linearize != XHROOM_XDP_LINEARIZE_ON)
		return false;
	return given || learned || verdict->has[XHROOM_A_DEV_TX_HEAD] ||
	       verdict->has[XHROOM_A_DEV_XDP_HEADROOM_MIN] ||
	       verdict->has[XHROOM_A_DEV_XDP_LINEARIZE];
}

/* No packet is sent: what a device learns is 0. */
static void follow(struct model *dev, const struct verdict *verdict)
{
	if (verdict->has[XHROOM_A_DEV_TX_EXTRA_HEADROOM]) {
		dev->value = verdict->value;
		dev->auto_max = 0;
	}
	if (verdict->has[XHROOM_A_DEV_TX_AUTO_MAX]) {
		dev->value = 0;
		dev->auto_max = verdict->auto_max;
	}
	if (verdict->has[XHROOM_A_DEV_TX_HEAD])
		dev->head = verdict->head;
	if (verdict->has[XHROOM_A_DEV_XDP_HEADROOM_MIN])
		dev->xdp_min = verdict->xdp_min;
	if (verdict->has[XHROOM_A_DEV_XDP_LINEARIZE])
		dev->linearize = verdict->linearize;
}

static int cmd_fuzz(uint64_t n, uint64_t seed, char **devs, int nr)
{
	uint64_t i, accepted = 0, refused = 0, changes = 0;
	struct utsname system;
	struct answer now;
	int k;

	random_state = seed * 0x9e3779b97f4a7c15ull + 1;
	uname(&system);
	can_linearize = strncmp(system.release, "6.1.", 4);
	for (k = 0; k < nr && k < DEVS_MAX; k++) {
		model[k].name = devs[k];
		model[k].ifindex = if_nametoindex(devs[k]);
		if (!model[k].ifindex)
			die("no device %s", devs[k]);
		now = current(model[k].ifindex);
		model[k].value = now.value;
		model[k].head = now.head;
		model[k].auto_max = now.auto_max;
		model[k].xdp_min = now.xdp_min;
		model[k].linearize = now.linearize;
	}
	nr_model = k;
	printf("seed %llu\n", (unsigned long long)seed);

	for (i = 0; i < n; i++) {
		bool dump = one_in(12), odd = one_in(12), silent;
		int cmd = one_in(10) ? (int)rnd(256) : (int)rnd(XHROOM_CMD_MAX) + 1;
		struct verdict verdict;
		struct answer answer;
		struct message m;
		struct model *dev;

		if (!one_in(3))
			cmd = XHROOM_CMD_DEV_SET;
		start(&m, family, cmd, dump ? NLM_F_DUMP : 0);
		if (odd && one_in(2))
			m.nlh.nlmsg_flags |= 1 << rnd(12);
		/* Version and the reserved word. */
		if (odd)
			m.bytes[NLMSG_HDRLEN + 1 + rnd(3)] = rnd(256);
		for (k = rnd(4); k > 0; k--)
			random_attr(&m);
		if (cmd == XHROOM_CMD_DEV_SET && one_in(3)) {
			m.nlh.nlmsg_len = NLMSG_HDRLEN + GENL_HDRLEN;
			attr_u32(&m, XHROOM_A_DEV_IFINDEX, model[rnd(nr_model)].ifindex);
			attr_u32(&m, XHROOM_A_DEV_TX_EXTRA_HEADROOM, rnd(520));
		}
		for (k = one_in(10) ? rnd(12) : 0; k > 0; k--)
			append(&m, (char[]){ rnd(256) }, 1);
		if (one_in(20) && m.nlh.nlmsg_len > NLMSG_HDRLEN + GENL_HDRLEN)
			m.nlh.nlmsg_len -= rnd(m.nlh.nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN);
		m.nlh.nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
		/* As the kernel does: both bits make a dump. */
		dump = (m.nlh.nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
		transact(&m, &answer);

		judge(&verdict, &m, cmd == XHROOM_CMD_DEV_SET ? XHROOM_A_DEV_MAX :
		      XHROOM_A_DEV_IFNAME);
		dev = model_of(&verdict);
		/* Refused before the family is asked: the core has no words for it. */
		silent = answer.error == -EOPNOTSUPP;
		if (answer.error && !answer.text[0] && !silent)
			bad(&m, i, &answer, "refused without a word");
		if (answer.error)
			refused++;
		else
			accepted++;
		if (dump && !answer.error && m.nlh.nlmsg_len > NLMSG_HDRLEN + GENL_HDRLEN)
			bad(&m, i, &answer, "a dump with attributes was accepted");
		if (dump || odd)
			dev = cmd == XHROOM_CMD_DEV_SET && !dump && !answer.error ? dev : NULL;
		if (cmd == XHROOM_CMD_DEV_SET && !dump && !answer.error) {
			if (!verdict.well_formed || !acceptable(&verdict) ||
			    (!dev && !other_dev(&verdict)))
				bad(&m, i, &answer, "accepted what it should have refused");
			if (dev) {
				follow(dev, &verdict);
				changes++;
			}
		} else if (cmd == XHROOM_CMD_DEV_SET && dev && verdict.well_formed &&
			   acceptable(&verdict)) {
			bad(&m, i, &answer, "refused what it should have accepted");
		}
		if (i % 16 && i != n - 1)
			continue;
		for (k = 0; k < nr_model; k++) {
			now = current(model[k].ifindex);
			if (now.value != model[k].value || now.head != model[k].head ||
			    now.auto_max != model[k].auto_max ||
			    now.xdp_min != model[k].xdp_min || now.linearize != model[k].linearize)
				bad(&m, i, &answer, "a device is not as it should be");
		}
	}
	printf("messages %llu accepted %llu refused %llu changes %llu\n", (unsigned long long)n,
	       (unsigned long long)accepted, (unsigned long long)refused,
	       (unsigned long long)changes);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		die("usage: genl_fuzz send|policy|dump|many|fuzz ...");
	open_socket();
	if (!strcmp(argv[1], "send") && argc > 2)
		return cmd_send(argc - 2, argv + 2);
	if (!strcmp(argv[1], "policy"))
		return cmd_policy();
	if (!strcmp(argv[1], "dump"))
		return cmd_dump(argc > 2 ? argv[2] : NULL);
	if (!strcmp(argv[1], "many") && argc > 3)
		return cmd_many(argv[2], atoi(argv[3]));
	if (!strcmp(argv[1], "fuzz") && argc > 4)
		return cmd_fuzz(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0), argv + 4,
				argc - 4);
	die("usage: genl_fuzz send|policy|dump|many|fuzz ...");
}
