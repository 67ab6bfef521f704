// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tool prints, as text and as JSON. "out_test json COMMAND" prints
 * sample documents, one a line, for the check against the schemas.
 */
/* cmocka makes a macro of the name fail: the tool's headers come first. */
#include <linux/xhroom.h>
#include "help.h"
#include "out.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct dev devs[] = {
	{ .ifindex = 3, .name = "veth0", .conf = { 256, XHROOM_TX_HEAD_AUTO, 0, 256, XHROOM_XDP_LINEARIZE_ON },
	  .stats = { 1000, 256000, 0, 999, 5, 4, 3, 2, 1 } },
	{ .ifindex = 2147483647, .name = "a-name-of-fifte", .conf = { 0, XHROOM_TX_HEAD_PAGE_FRAG, 0, 192,
							XHROOM_XDP_LINEARIZE_OFF },
	  .stats = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } },
	/* Of a newer module. */
	{ .ifindex = 7, .name = "od\"d\033\xff\\", .conf = { 512, UINT32_MAX, 0, 256, UINT32_MAX } },
};

static struct dev starved = {
	.ifindex = 4, .name = "veth1", .conf = { 64, XHROOM_TX_HEAD_SLAB, 0, 256, XHROOM_XDP_LINEARIZE_ON },
	.stats = { 9, 576, 3, 0 },
};

static const struct dev_list list = { devs, 3 };
static struct dev learner[] = {
	{ .ifindex = 4, .name = "br0", .conf = { 0, XHROOM_TX_HEAD_AUTO, 512, 256, XHROOM_XDP_LINEARIZE_ON },
	  .learned = { XHROOM_TX_AUTO_REASON_NOTHING, 7, "" } },
	{ .ifindex = 5, .name = "veth1", .conf = { 32, XHROOM_TX_HEAD_SLAB, 256, 256, XHROOM_XDP_LINEARIZE_ON },
	  .learned = { XHROOM_TX_AUTO_REASON_LACKED, 0, "bpf_skb_adjust_room" } },
};

static const struct dev_list learners = { learner, 2 };
static const struct dev_list nothing = { NULL, 0 };

static struct policy policies[] = {
	{ .kind = "veth", .conf = { 256, XHROOM_TX_HEAD_AUTO, 0, 256, XHROOM_XDP_LINEARIZE_ON } },
	{ .kind = "veth", .name = "mgmt*", .conf = { 0, XHROOM_TX_HEAD_AUTO, 0, 256, XHROOM_XDP_LINEARIZE_ON } },
	{ .name = "od\"d\033*", .conf = { 16, XHROOM_TX_HEAD_SLAB, 0, 200,
					     XHROOM_XDP_LINEARIZE_FRAGS } },
};

static const struct policy_list policy_list = { policies, 3 };
static const struct policy_list no_policies = { NULL, 0 };

static struct feature features[] = {
	{ "tx-headroom", true, true, false, 2, "" },
	{ "rx", false, false, false, 0, "veth_poll: this kernel has no such function" },
	{ "xsk", true, false, true, 0, "left out by features=" },
};

static struct hook hooks[] = {
	{ "ip_make_skb", "", "tx-headroom", XHROOM_HOOK_STATE_ATTACHED,
	  XHROOM_HOOK_BACKEND_DIRECT, UINT64_MAX, 4, "", "" },
	{ "veth_poll", "veth", "rx", XHROOM_HOOK_STATE_BUSY, 0, 0, 0,
	  "somebody else holds the function", "livepatch_sample" },
	{ "of_the_future", "", "rx", 77, 78, 0, 0, "", "" },
};

static const struct status status = { "0.1.0", features, 3, hooks, 3 };
static const struct status bare = { "", NULL, 0, NULL, 0 };

/* What @print gives for an output to memory. Free the result. */
#define PRINTED(_json, _pretty, _call) ({				\
	char *text = NULL;						\
	size_t size;							\
	struct out out = { open_memstream(&text, &size), _json, _pretty }; \
	const struct out_ops *ops = _json ? &out_json : &out_text;	\
									\
	assert_int_equal(ops->_call, 0);				\
	fclose(out.file);						\
	text;								\
})

static void check(char *got, const char *want)
{
	assert_string_equal(got, want);
	free(got);
}

static void test_text(void **state)
{
	(void)state;
	check(PRINTED(false, false, devs(&out, &nothing, false)), "");
	check(PRINTED(false, false, devs(&out, &list, false)),
	      "veth0            tx-headroom 256 bytes\n"
	      "a-name-of-fifte  tx-headroom 0 bytes  tx-head page-frag"
	      "  xdp-headroom-min 192 bytes (152 for programs to add)  xdp-linearize off\n"
	      "od\"d??\\          tx-headroom 512 bytes  tx-head 4294967295  xdp-linearize 4294967295\n");
	check(PRINTED(false, false, devs(&out, &((struct dev_list){ devs, 1 }), true)),
	      "veth0  tx-headroom 256 bytes\n"
	      "       given to 1000 packets, 256000 bytes in all; 999 heads from page fragments\n"
	      "       XDP: 5 packets kept; copied 4 as shared, 3 as not linear, 2 for headroom, "
	      "1 for their head\n");
	check(PRINTED(false, false, devs(&out, &((struct dev_list){ &starved, 1 }), true)),
	      "veth1  tx-headroom 64 bytes  tx-head slab\n"
	      "       given to 9 packets, 576 bytes in all; 0 heads from page fragments; "
	      "3 packets went without, for want of memory\n");
	check(PRINTED(false, false, stats(&out, &list)),
	      "DEVICE            TX-HEADROOM PACKETS                 BYTES             FALLBACKS            PAGE FRAGS"
	      "              XDP KEPT  COPIED: SHARED  NONLINEAR  HEADROOM  HEAD\n"
	      "veth0                            1000                256000                     0                   999"
	      "                     5               4          3         2     1\n"
	      "a-name-of-fifte  18446744073709551615  18446744073709551615  18446744073709551615  18446744073709551615"
	      "  18446744073709551615               0          0         0     0\n"
	      "od\"d??\\                             0                     0                     0                     0"
	      "                     0               0          0         0     0\n");
	check(PRINTED(false, false, devs(&out, &learners, false)),
	      "br0    tx-headroom 0 bytes (auto max 512)\n"
	      "       auto: no packet has lacked headroom, for 7 s\n"
	      "veth1  tx-headroom 32 bytes (auto max 256)  tx-head slab\n"
	      "       auto: packets lacked headroom in bpf_skb_adjust_room(), for 0 s\n");
	check(PRINTED(true, false, devs(&out, &learners, false)),
	      "[{\"ifname\":\"br0\",\"ifindex\":4,\"tx_extra_headroom\":0,\"tx_auto_max\":512,"
	      "\"tx_head\":\"auto\",\"xdp_headroom_min\":256,\"xdp_linearize\":\"on\",\"tx_auto_reason\":\"nothing\",\"tx_auto_changed\":7},"
	      "{\"ifname\":\"veth1\",\"ifindex\":5,\"tx_extra_headroom\":32,\"tx_auto_max\":256,"
	      "\"tx_head\":\"slab\",\"xdp_headroom_min\":256,\"xdp_linearize\":\"on\",\"tx_auto_reason\":\"lacked\",\"tx_auto_changed\":0,"
	      "\"tx_auto_function\":\"bpf_skb_adjust_room\"}]\n");
	check(PRINTED(false, false, event(&out, &(struct event){ .dev = &devs[0] })),
	      "veth0  tx-headroom 256 bytes\n");
	check(PRINTED(false, false, event(&out, &(struct event){ .dev = &devs[1] })),
	      "a-name-of-fifte  tx-headroom 0 bytes  tx-head page-frag"
	      "  xdp-headroom-min 192 bytes (152 for programs to add)  xdp-linearize off\n");
	check(PRINTED(false, false, event(&out, &(struct event){})), "some changes were lost\n");
	check(PRINTED(false, false, version(&out, "1", NULL)),
	      "xhroomctl   1\nxdp_skbext  not loaded\n");
}

static void test_policies(void **state)
{
	struct policy gone = { .kind = "veth", .gone = true };

	(void)state;
	check(PRINTED(false, false, policies(&out, &no_policies)), "");
	check(PRINTED(false, false, policies(&out, &policy_list)),
	      "kind:veth             tx-headroom 256 bytes\n"
	      "kind:veth/name:mgmt*  tx-headroom 0 bytes\n"
	      "name:od\"d?*           tx-headroom 16 bytes  tx-head slab"
	      "  xdp-headroom-min 200 bytes (160 for programs to add)  xdp-linearize frags\n");
	check(PRINTED(true, false, policies(&out, &no_policies)), "[]\n");
	check(PRINTED(true, false, policies(&out, &policy_list)),
	      "[{\"kind\":\"veth\",\"name\":null,\"tx_extra_headroom\":256,\"tx_head\":\"auto\",\"xdp_headroom_min\":256,\"xdp_linearize\":\"on\"},"
	      "{\"kind\":\"veth\",\"name\":\"mgmt*\",\"tx_extra_headroom\":0,\"tx_head\":\"auto\",\"xdp_headroom_min\":256,\"xdp_linearize\":\"on\"},"
	      "{\"kind\":null,\"name\":\"od\\\"d?*\",\"tx_extra_headroom\":16,"
	      "\"tx_head\":\"slab\",\"xdp_headroom_min\":200,\"xdp_linearize\":\"frags\"}]\n");
	check(PRINTED(false, false, event(&out, &(struct event){ .policy = &policies[2] })),
	      "policy name:od\"d?*  tx-headroom 16 bytes  tx-head slab"
	      "  xdp-headroom-min 200 bytes (160 for programs to add)  xdp-linearize frags\n");
	check(PRINTED(false, false, event(&out, &(struct event){ .policy = &gone })),
	      "policy kind:veth  gone\n");
	check(PRINTED(true, true, event(&out, &(struct event){ .policy = &policies[0] })),
	      "{\"event\":\"policy-set\",\"kind\":\"veth\",\"name\":null,"
	      "\"tx_extra_headroom\":256,\"tx_head\":\"auto\",\"xdp_headroom_min\":256,\"xdp_linearize\":\"on\"}\n");
	check(PRINTED(true, false, event(&out, &(struct event){ .policy = &gone })),
	      "{\"event\":\"policy-gone\",\"kind\":\"veth\",\"name\":null}\n");
}

static void test_text_status(void **state)
{
	(void)state;
	check(PRINTED(false, false, status(&out, &status)),
	      "xdp_skbext 0.1.0\n"
	      "\n"
	      "FEATURE      STATE        USERS\n"
	      "tx-headroom  attached         2\n"
	      "rx           unavailable      0  veth_poll: this kernel has no such function\n"
	      "xsk          disabled         0  left out by features=\n"
	      "\n"
	      "HOOK           MODULE  FEATURE      STATE                    CALLS  INSIDE\n"
	      "ip_make_skb    -       tx-headroom  attached  18446744073709551615       4  by direct\n"
	      "veth_poll      veth    rx           busy                         0       0  "
	      "somebody else holds the function (livepatch_sample)\n"
	      "of_the_future  -       rx           unknown                      0       0  by unknown\n");
}

static void test_json(void **state)
{
	char *pretty;

	(void)state;
	check(PRINTED(true, false, devs(&out, &nothing, true)), "[]\n");
	check(PRINTED(true, false, stats(&out, &nothing)), "[]\n");
	check(PRINTED(true, false, devs(&out, &list, false)),
	      "[{\"ifname\":\"veth0\",\"ifindex\":3,\"tx_extra_headroom\":256,\"tx_head\":\"auto\",\"xdp_headroom_min\":256,\"xdp_linearize\":\"on\"},"
	      "{\"ifname\":\"a-name-of-fifte\",\"ifindex\":2147483647,\"tx_extra_headroom\":0,"
	      "\"tx_head\":\"page-frag\",\"xdp_headroom_min\":192,\"xdp_linearize\":\"off\"},"
	      "{\"ifname\":\"od\\\"d??\\\\\",\"ifindex\":7,\"tx_extra_headroom\":512,"
	      "\"tx_head\":4294967295,\"xdp_headroom_min\":256,\"xdp_linearize\":4294967295}]\n");
	check(PRINTED(true, false, stats(&out, &((struct dev_list){ devs + 1, 1 }))),
	      "[{\"ifname\":\"a-name-of-fifte\",\"ifindex\":2147483647,"
	      "\"tx_headroom_packets\":18446744073709551615,"
	      "\"tx_headroom_bytes\":18446744073709551615,"
	      "\"tx_headroom_fallbacks\":18446744073709551615,"
	      "\"tx_page_frags\":18446744073709551615,"
	      "\"xdp_kept\":18446744073709551615,\"xdp_copied_shared\":0,"
	      "\"xdp_copied_nonlinear\":0,\"xdp_copied_headroom\":0,"
	      "\"xdp_copied_head\":0}]\n");
	check(PRINTED(true, false, version(&out, "1", NULL)),
	      "{\"xhroomctl\":\"1\",\"xdp_skbext\":null}\n");
	pretty = PRINTED(true, true, devs(&out, &list, false));
	assert_non_null(strstr(pretty, "\n  "));
	free(pretty);
	/* One line, whatever was asked for. */
	check(PRINTED(true, true, event(&out, &(struct event){ .dev = &devs[0] })),
	      "{\"event\":\"set\",\"ifname\":\"veth0\",\"ifindex\":3,\"tx_extra_headroom\":256,"
	      "\"tx_head\":\"auto\",\"xdp_headroom_min\":256,\"xdp_linearize\":\"on\"}\n");
	check(PRINTED(true, false, event(&out, &(struct event){})), "{\"event\":\"lost\"}\n");
}

static void test_printable(void **state)
{
	char buf[16];

	(void)state;
	assert_string_equal(printable("veth0", buf, sizeof(buf)), "veth0");
	assert_string_equal(printable("\xc3\xa9\xe2\x82\xac", buf, sizeof(buf)),
			    "\xc3\xa9\xe2\x82\xac");
	assert_string_equal(printable("a\x1b[31m", buf, sizeof(buf)), "a?[31m");
	/* Cut short, overlong, surrogate, C1 control. */
	assert_string_equal(printable("x\xe2\x82", buf, sizeof(buf)), "x??");
	assert_string_equal(printable("\xc0\xaf", buf, sizeof(buf)), "??");
	assert_string_equal(printable("\xed\xa0\x80", buf, sizeof(buf)), "???");
	assert_string_equal(printable("\xc2\x9b", buf, sizeof(buf)), "??");
	assert_string_equal(printable("0123456789", buf, 4), "012");
}

static void test_complete(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	complete(file, 3, (char *[]){ "clear", "veth0", "" });
	fclose(file);
	check(text, "tx-headroom\ntx-head\nxdp-headroom-min\nxdp-linearize\n");
	file = open_memstream(&text, &size);
	complete(file, 4, (char *[]){ "set", "veth0", "tx-head", "" });
	fclose(file);
	check(text, "auto\nslab\npage-frag\n");
	/* Behind the short form of the first setting comes a name again. */
	file = open_memstream(&text, &size);
	complete(file, 4, (char *[]){ "set", "veth0", "256", "" });
	fclose(file);
	check(text, "tx-headroom\ntx-head\nxdp-headroom-min\nxdp-linearize\n");
	file = open_memstream(&text, &size);
	complete(file, 5, (char *[]){ "set", "veth0", "256", "tx-head", "s" });
	fclose(file);
	check(text, "auto\nslab\npage-frag\n");
	file = open_memstream(&text, &size);
	complete(file, 2, (char *[]){ "policy", "" });
	fclose(file);
	check(text, "show\nset\nclear\n");
	file = open_memstream(&text, &size);
	complete(file, 4, (char *[]){ "policy", "set", "kind:veth", "" });
	fclose(file);
	check(text, "tx-headroom\ntx-head\nxdp-headroom-min\nxdp-linearize\n");
	file = open_memstream(&text, &size);
	complete(file, 6, (char *[]){ "policy", "set", "kind:veth", "256", "tx-head", "" });
	fclose(file);
	check(text, "auto\nslab\npage-frag\n");
	file = open_memstream(&text, &size);
	complete(file, 4, (char *[]){ "policy", "clear", "kind:veth", "" });
	complete(file, 3, (char *[]){ "policy", "set", "" });
	complete(file, 2, (char *[]){ "nonsense", "" });
	complete(file, 4, (char *[]){ "set", "veth0", "tx-headroom", "" });
	complete(file, 3, (char *[]){ "stats", "-w", "" });
	fclose(file);
	check(text, "");
}

static int samples(const char *command)
{
	struct dev gone = { .ifindex = 3, .name = "veth0", .gone = true };
	struct policy policy_gone = { .name = "eth*", .gone = true };
	const struct out out = { stdout, true, false };

	if (!strcmp(command, "show")) {
		out_json.devs(&out, &nothing, false);
		out_json.devs(&out, &list, false);
		out_json.devs(&out, &learners, false);
		out_json.devs(&out, &list, true);
	} else if (!strcmp(command, "stats")) {
		out_json.stats(&out, &nothing);
		out_json.stats(&out, &list);
	} else if (!strcmp(command, "status")) {
		out_json.status(&out, &status);
		out_json.status(&out, &bare);
	} else if (!strcmp(command, "monitor")) {
		out_json.event(&out, &(struct event){ .dev = &devs[0] });
		out_json.event(&out, &(struct event){ .dev = &devs[2] });
		out_json.event(&out, &(struct event){ .dev = &gone });
		out_json.event(&out, &(struct event){ .policy = &policies[1] });
		out_json.event(&out, &(struct event){ .policy = &policy_gone });
		out_json.event(&out, &(struct event){});
	} else if (!strcmp(command, "policy")) {
		out_json.policies(&out, &no_policies);
		out_json.policies(&out, &policy_list);
	} else if (!strcmp(command, "version")) {
		out_json.version(&out, "0.1.0", "0.1.0");
		out_json.version(&out, "0.1.0", NULL);
	} else {
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_policies),
		cmocka_unit_test(test_text_status),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_printable),
		cmocka_unit_test(test_complete),
	};

	if (argc > 2 && !strcmp(argv[1], "json"))
		return samples(argv[2]);
	return cmocka_run_group_tests_name("ctl_out", tests, NULL, NULL);
}
