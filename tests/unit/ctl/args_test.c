// SPDX-License-Identifier: GPL-2.0-only
/* Words of the command line: what they mean, and what is said of wrong ones. */
/* cmocka makes a macro of the name fail: the tool's headers come first. */
#include <linux/xhroom.h>
#include "args.h"
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define WORDS(...) (char *[]){ "xhroomctl", __VA_ARGS__, NULL }

static int count(char *const *argv)
{
	int n = 0;

	while (argv[n])
		n++;
	return n;
}

static struct request good(char *const *argv)
{
	struct request req;
	struct err err = {};

	if (args_parse(count(argv), argv, &req, &err))
		fail_msg("refused: %s", err.text);
	return req;
}

/* @text and @hint must be in what is said; @hint may be NULL. */
static void wrong_as(enum exit_code code, char *const *argv, const char *text,
		     const char *hint_text)
{
	struct request req;
	struct err err = {};

	assert_int_equal(args_parse(count(argv), argv, &req, &err), -1);
	assert_int_equal(err.code, code);
	if (!strstr(err.text, text))
		fail_msg("'%s' is not in '%s'", text, err.text);
	if (hint_text && !strstr(err.hint, hint_text))
		fail_msg("'%s' is not in '%s'", hint_text, err.hint);
}

static void wrong(char *const *argv, const char *text, const char *hint_text)
{
	wrong_as(XC_LOCAL, argv, text, hint_text);
}

static void test_set(void **state)
{
	struct request req;

	(void)state;
	req = good(WORDS("set", "veth0", "256"));
	assert_int_equal(req.command, CMD_SET);
	assert_string_equal(req.dev, "veth0");
	assert_int_equal(req.conf.tx_extra_headroom, 256);
	assert_int_equal(req.mask, CONF_TX_HEADROOM);
	req = good(WORDS("set", "veth0", "tx-headroom", "64"));
	assert_int_equal(req.conf.tx_extra_headroom, 64);
	req = good(WORDS("set", "veth0", "0"));
	assert_int_equal(req.conf.tx_extra_headroom, 0);
	assert_int_equal(req.mask, CONF_TX_HEADROOM);
	req = good(WORDS("set", "veth0", "007"));
	assert_int_equal(req.conf.tx_extra_headroom, 7);
	/* The range is the kernel's business. */
	req = good(WORDS("set", "veth0", "4294967295"));
	assert_int_equal(req.conf.tx_extra_headroom, UINT32_MAX);
	req = good(WORDS("set", "--", "-odd", "5"));
	assert_string_equal(req.dev, "-odd");
}

static void test_set_auto(void **state)
{
	struct request req;

	(void)state;
	req = good(WORDS("set", "veth0", "auto"));
	assert_int_equal(req.conf.tx_auto_max, XHROOM_TX_EXTRA_HEADROOM_MAX);
	assert_int_equal(req.mask, CONF_TX_HEADROOM);
	req = good(WORDS("set", "veth0", "auto", "max", "256"));
	assert_int_equal(req.conf.tx_auto_max, 256);
	assert_int_equal(req.mask, CONF_TX_HEADROOM);
	req = good(WORDS("set", "veth0", "tx-head", "slab", "tx-headroom", "auto", "max", "64"));
	assert_int_equal(req.conf.tx_auto_max, 64);
	assert_int_equal(req.mask, CONF_TX_HEADROOM | CONF_TX_HEAD);
	req = good(WORDS("policy", "set", "kind:veth", "auto", "tx-head", "slab"));
	assert_int_equal(req.conf.tx_auto_max, XHROOM_TX_EXTRA_HEADROOM_MAX);
	assert_int_equal(req.mask, CONF_TX_HEADROOM | CONF_TX_HEAD);
	/* A value ends it. */
	req = good(WORDS("set", "veth0", "64"));
	assert_int_equal(req.conf.tx_auto_max, 0);
	req = good(WORDS("clear", "veth0"));
	assert_int_equal(req.conf.tx_auto_max, 0);

	wrong(WORDS("set", "veth0", "auto", "max"), "max: which value", "16 to 512");
	wrong(WORDS("set", "veth0", "auto", "max", "0"), "'0' is out of range", "16 to 512");
	wrong(WORDS("set", "veth0", "auto", "max", "-1"), "'-1' is negative", "16 to 512");
	wrong(WORDS("set", "veth0", "auto", "256"), "one word too many", NULL);
	wrong(WORDS("set", "veth0", "auto", "min", "3"), "unknown setting 'min'", NULL);
	wrong(WORDS("set", "veth0", "256", "max", "300"), "unknown setting 'max'", NULL);
	wrong(WORDS("set", "veth0", "auto", "tx-headroom", "64"), "given twice", NULL);
	wrong(WORDS("set", "veth0", "tx-headroom", "aut"), "'aut' is not a number", "auto");
}

static void test_set_xdp(void **state)
{
	struct request req;

	(void)state;
	req = good(WORDS("set", "veth0", "xdp-headroom-min", "192"));
	assert_int_equal(req.conf.xdp_headroom_min, 192);
	assert_int_equal(req.mask, CONF_XDP_HEADROOM_MIN);
	req = good(WORDS("set", "veth0", "256", "xdp-headroom-min", "0"));
	assert_int_equal(req.conf.tx_extra_headroom, 256);
	assert_int_equal(req.conf.xdp_headroom_min, 0);
	assert_int_equal(req.mask, CONF_TX_HEADROOM | CONF_XDP_HEADROOM_MIN);
	/* The default is the module's business. */
	req = good(WORDS("clear", "veth0", "xdp-headroom-min"));
	assert_int_equal(req.conf.xdp_headroom_min, 0);
	assert_int_equal(req.mask, CONF_XDP_HEADROOM_MIN);

	req = good(WORDS("set", "veth0", "xdp-linearize", "frags"));
	assert_int_equal(req.conf.xdp_linearize, XHROOM_XDP_LINEARIZE_FRAGS);
	assert_int_equal(req.mask, CONF_XDP_LINEARIZE);
	req = good(WORDS("clear", "veth0", "xdp-linearize"));
	assert_int_equal(req.conf.xdp_linearize, XHROOM_XDP_LINEARIZE_ON);
	wrong(WORDS("set", "veth0", "xdp-linearize", "of"), "'of'", "'on'");

	wrong(WORDS("set", "veth0", "xdp-headroom-min", "0xc0"), "'0xc0' is not decimal",
	      "192 to 256");
	wrong(WORDS("set", "veth0", "xdp-headroom-min"), "xdp-headroom-min: which value?", NULL);
	wrong(WORDS("set", "veth0", "xdp-headroom", "192"), "unknown setting 'xdp-headroom'", NULL);
}

static void test_set_head(void **state)
{
	struct request req;

	(void)state;
	req = good(WORDS("set", "veth0", "tx-head", "auto"));
	assert_int_equal(req.conf.tx_head, XHROOM_TX_HEAD_AUTO);
	assert_int_equal(req.mask, CONF_TX_HEAD);
	req = good(WORDS("set", "veth0", "tx-head", "slab"));
	assert_int_equal(req.conf.tx_head, XHROOM_TX_HEAD_SLAB);
	req = good(WORDS("set", "veth0", "tx-head", "page-frag"));
	assert_int_equal(req.conf.tx_head, XHROOM_TX_HEAD_PAGE_FRAG);
	/* With the other setting, long and short, in either order. */
	req = good(WORDS("set", "veth0", "256", "tx-head", "slab"));
	assert_int_equal(req.conf.tx_extra_headroom, 256);
	assert_int_equal(req.conf.tx_head, XHROOM_TX_HEAD_SLAB);
	assert_int_equal(req.mask, CONF_TX_HEADROOM | CONF_TX_HEAD);
	req = good(WORDS("set", "veth0", "tx-head", "slab", "tx-headroom", "64"));
	assert_int_equal(req.conf.tx_extra_headroom, 64);
	assert_int_equal(req.mask, CONF_TX_HEADROOM | CONF_TX_HEAD);

	wrong(WORDS("set", "veth0", "tx-head", "slob"), "veth0: tx-head: 'slob'", "'slab'");
	wrong(WORDS("set", "veth0", "tx-head", "page_frag"), "'page_frag'", "'page-frag'");
	wrong(WORDS("set", "veth0", "tx-head", "Slab"), "'Slab'", "'slab'");
	wrong(WORDS("set", "veth0", "tx-head", "3"), "'3'", "auto, slab or page-frag");
	wrong(WORDS("set", "veth0", "tx-head", ""), "the value is empty",
	      "auto, slab or page-frag");
	wrong(WORDS("set", "veth0", "tx-head"), "tx-head: which value", "usage");
	wrong(WORDS("set", "veth0", "tx-head", "slab", "tx-head", "auto"), "given twice", NULL);
	wrong(WORDS("set", "veth0", "tx-haed", "slab"), "unknown setting 'tx-haed'", "'tx-head'");
	wrong(WORDS("set", "veth0", "tx-head", "slab", "256"), "one word too many", NULL);
	wrong(WORDS("set", "tx-head"), "set: which device", "usage");
}

static void test_policy(void **state)
{
	struct request req;
	char longer[200] = "name:";

	(void)state;
	req = good(WORDS("policy"));
	assert_int_equal(req.command, CMD_POLICY);
	assert_int_equal(req.action, POLICY_SHOW);
	req = good(WORDS("policy", "show"));
	assert_int_equal(req.action, POLICY_SHOW);
	req = good(WORDS("policy", "set", "kind:veth", "256"));
	assert_int_equal(req.action, POLICY_SET);
	assert_string_equal(req.policy.kind, "veth");
	assert_string_equal(req.policy.name, "");
	assert_int_equal(req.conf.tx_extra_headroom, 256);
	assert_int_equal(req.mask, CONF_TX_HEADROOM);
	req = good(WORDS("policy", "set", "name:eth*", "tx-head", "slab", "tx-headroom", "1"));
	assert_string_equal(req.policy.kind, "");
	assert_string_equal(req.policy.name, "eth*");
	assert_int_equal(req.mask, CONF_TX_HEADROOM | CONF_TX_HEAD);
	req = good(WORDS("policy", "set", "kind:veth/name:a[!-+]b=c,d", "0"));
	assert_string_equal(req.policy.kind, "veth");
	assert_string_equal(req.policy.name, "a[!-+]b=c,d");
	req = good(WORDS("policy", "set", "kind:ovpn-dco_v2.1", "0"));
	assert_string_equal(req.policy.kind, "ovpn-dco_v2.1");
	req = good(WORDS("policy", "clear", "name:x/kind:vlan"));
	assert_int_equal(req.action, POLICY_CLEAR);
	assert_string_equal(req.policy.kind, "vlan");
	assert_string_equal(req.policy.name, "x");
	req = good(WORDS("policy", "clear", "all"));
	assert_int_equal(req.action, POLICY_CLEAR_ALL);

	memset(longer + 5, 'n', PATTERN_MAX);
	req = good(WORDS("policy", "clear", longer));
	assert_int_equal(strlen(req.policy.name), PATTERN_MAX);
	longer[5 + PATTERN_MAX] = 'n';
	wrong(WORDS("policy", "clear", longer), "this is too long", NULL);
	wrong(WORDS("policy", "sett"), "unknown word 'sett'", "'set'");
	wrong(WORDS("policy", "kind:veth"), "unknown word 'kind:veth'", "show, set or clear");
	wrong(WORDS("policy", "show", "kind:veth"), "one word too many", "usage");
	wrong(WORDS("policy", "set"), "policy set: which devices",
	      "usage: xhroomctl policy set MATCH [SETTING] VALUE...");
	wrong(WORDS("policy", "clear"), "policy clear: which devices",
	      "usage: xhroomctl policy clear MATCH|all");
	wrong(WORDS("policy", "set", "kind:veth"), "kind:veth: which value",
	      "usage: xhroomctl policy set MATCH [SETTING] VALUE...");
	wrong(WORDS("policy", "set", "veth", "256"), "'veth' does not say which", "kind:KIND");
	wrong(WORDS("policy", "set", "", "256"), "does not say which", "kind:KIND");
	wrong(WORDS("policy", "set", "kind:", "256"), "nothing behind kind:", NULL);
	wrong(WORDS("policy", "set", "kind:veth/", "256"), "does not say which", NULL);
	wrong(WORDS("policy", "set", "kind:a/kind:b", "256"), "kind: is given twice", NULL);
	/* What no device can have. */
	wrong(WORDS("policy", "set", "kind:veth,name:x", "10"),
	      "'kind:veth,name:x': no kind of a device has a ','", "kind:KIND/name:PATTERN");
	wrong(WORDS("policy", "set", "kind:ve*", "10"), "no kind of a device has a '*'",
	      "name:PATTERN");
	wrong(WORDS("policy", "set", "kind:v\xc3\xa9th", "10"), "no kind of a device", NULL);
	wrong(WORDS("policy", "set", "kind: veth", "10"), "no kind of a device has a ' '", NULL);
	wrong(WORDS("policy", "set", "name:x,kind:veth", "10"), "no name of a device has a ':'",
	      "kind:KIND/name:PATTERN");
	wrong(WORDS("policy", "set", "name:a b", "10"), "no name of a device has a ' '", NULL);
	wrong(WORDS("policy", "clear", "kind:veth name:x"), "no kind of a device", NULL);
	wrong(WORDS("policy", "set", "kind:veth", "-1"), "kind:veth: tx-headroom: '-1' is negative",
	      "0 to 512 bytes");
	wrong(WORDS("policy", "set", "all", "1"), "'all' does not say which", NULL);
	wrong(WORDS("policy", "clear", "kind:veth", "256"), "'256' is one word too many", NULL);
	wrong(WORDS("policy", "-w", "1"), "stats only", NULL);
}

static void test_bad_values(void **state)
{
	static const struct {
		char *word;
		const char *text;
	} bad[] = {
		{ "", "the value is empty" },
		{ "-1", "'-1' is negative" },
		{ "-0", "'-0' is negative" },
		{ "1e3", "'1e3' is not a number" },
		{ "0x", "'0x' is not decimal" },
		{ "0x10", "'0x10' is not decimal" },
		{ "256 ", "'256 ' is not a number" },
		{ " 256", "' 256' is not a number" },
		{ "+1", "'+1' is not a number" },
		{ "1.5", "'1.5' is not a number" },
		{ "1\n", "is not a number" },
		{ "\xd9\xa3", "is not a number" },
	};
	static char *const large[] = {
		"4294967296", "18446744073709551616", "99999999999999999999999999",
	};
	char text[64];
	size_t i;

	(void)state;
	/* The same code as for what the kernel refuses. */
	for (i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		snprintf(text, sizeof(text), "veth0: tx-headroom: %s is out of range", large[i]);
		wrong_as(XC_REFUSED, WORDS("set", "veth0", large[i]), text, "0 to 512 bytes");
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		wrong(WORDS("set", "veth0", bad[i].word), bad[i].text, "0 to 512 bytes");
		wrong(WORDS("set", "veth0", "tx-headroom", bad[i].word), bad[i].text,
		      "0 to 512 bytes");
	}
}

static void test_bad_words(void **state)
{
	char longer[200];

	(void)state;
	memset(longer, 'n', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	wrong((char *[]){ "xhroomctl", NULL }, "which command", "help");
	wrong((char *[]){ NULL }, "which command", "help");
	wrong(WORDS("shwo"), "unknown command 'shwo'", "'show'");
	wrong(WORDS("statsu"), "unknown command", "'status'");
	wrong(WORDS("frobnicate"), "unknown command", "xhroomctl help");
	wrong(WORDS(""), "unknown command", "help");
	wrong(WORDS("set"), "set: which device", "usage: xhroomctl set DEV");
	wrong(WORDS("clear"), "clear: which device", "usage");
	wrong(WORDS("set", "veth0"), "veth0: which value", "usage");
	wrong(WORDS("set", "tx-headroom"), "set: which device", "usage");
	wrong(WORDS("set", "veth0", "tx-headroom"), "tx-headroom: which value", "usage");
	wrong(WORDS("set", "veth0", "tx-headrom", "5"), "unknown setting 'tx-headrom'",
	      "'tx-headroom'");
	wrong(WORDS("set", "veth0", "colour", "5"), "unknown setting", "help set");
	wrong(WORDS("set", "veth0", "5", "6"), "'6' is one word too many", NULL);
	wrong(WORDS("set", "veth0", "5", "tx-headroom", "6"), "given twice", NULL);
	wrong(WORDS("set", "", "5"), "device name is empty", NULL);
	wrong(WORDS("set", "a b", "5"), "cannot be a device name", NULL);
	wrong(WORDS("set", "a/b", "5"), "cannot be a device name", NULL);
	wrong(WORDS("set", longer, "5"), "too long", NULL);
	wrong(WORDS("clear", "veth0", "colour"), "unknown setting", NULL);
	wrong(WORDS("status", "now"), "'now' is one word too many", NULL);
	wrong(WORDS("show", "veth0", "veth1"), "'veth1' is one word too many", NULL);
	wrong(WORDS("help", "stats", "x"), "one word too many", NULL);
	wrong(WORDS("help", "stat"), "unknown command", "stat");
	wrong(WORDS("-x", "show"), "unknown option '-x'", "help");
	wrong(WORDS("--colour", "show"), "unknown option '--colour'", "help");
	wrong(WORDS("--jsno", "show"), "unknown option '--jsno'", "did you mean '--json'?");
	wrong(WORDS("--netn=blue", "show"), "unknown option '--netn=blue'", "'--netns'");
	wrong(WORDS("show", "-statistcs"), "unknown option '-t'", "'--statistics'");
	wrong(WORDS("show", "-json"), "unknown option '-o'", "'--json'");
	wrong(WORDS("--json=1", "show"), "takes no value", NULL);
	wrong(WORDS("show", "-n"), "'-n' needs a value", NULL);
	wrong(WORDS("show", "--netns"), "'--netns' needs a value", NULL);
	wrong(WORDS("show", "--netns="), "empty", NULL);
	wrong(WORDS("stats", "-w", "0"), "out of range", NULL);
	wrong(WORDS("stats", "-w", "86401"), "out of range", NULL);
	wrong(WORDS("stats", "-w", "1s"), "not a number of seconds", NULL);
	wrong(WORDS("stats", "-w", ""), "not a number of seconds", NULL);
	wrong(WORDS("show", "-w", "1"), "stats only", NULL);
	wrong(WORDS("-w", "1", "set", "veth0", "256"), "stats only", NULL);
	wrong(WORDS("clear", "veth0", "-w", "1"), "stats only", NULL);
}

static void test_options(void **state)
{
	struct request req;

	(void)state;
	req = good(WORDS("-j", "show"));
	assert_true(req.json && !req.pretty && !req.dev);
	req = good(WORDS("show", "veth0", "-p"));
	assert_true(req.json && req.pretty);
	req = good(WORDS("-jsn", "blue", "show"));
	assert_true(req.json && req.statistics);
	assert_string_equal(req.netns, "blue");
	req = good(WORDS("-nblue", "show"));
	assert_string_equal(req.netns, "blue");
	req = good(WORDS("--netns=blue", "--json", "--statistics", "show"));
	assert_true(req.json && req.statistics);
	assert_string_equal(req.netns, "blue");
	req = good(WORDS("stats", "veth0", "-w", "5"));
	assert_int_equal(req.interval, 5);
	req = good(WORDS("-V"));
	assert_int_equal(req.command, CMD_VERSION);
	req = good(WORDS("set", "--help"));
	assert_int_equal(req.command, CMD_HELP);
	assert_ptr_equal(req.topic, &commands[CMD_SET]);
	req = good(WORDS("help", "clear"));
	assert_ptr_equal(req.topic, &commands[CMD_CLEAR]);
	req = good(WORDS("clear", "veth0"));
	assert_int_equal(req.mask, CONF_ALL);
	assert_int_equal(req.conf.tx_extra_headroom, 0);
	assert_int_equal(req.conf.tx_head, XHROOM_TX_HEAD_AUTO);
	req = good(WORDS("clear", "veth0", "tx-head"));
	assert_int_equal(req.mask, CONF_TX_HEAD);
	assert_int_equal(req.conf.tx_head, XHROOM_TX_HEAD_AUTO);
	req = good(WORDS("clear", "veth0", "tx-headroom"));
	assert_int_equal(req.mask, CONF_TX_HEADROOM);
	assert_int_equal(req.conf.tx_extra_headroom, 0);
}

static void test_file(void **state)
{
	struct request req;

	(void)state;
	req = good(WORDS("save"));
	assert_int_equal(req.command, CMD_SAVE);
	assert_null(req.file);
	req = good(WORDS("save", "-"));
	assert_string_equal(req.file, "-");
	req = good(WORDS("restore", "a b", "--check"));
	assert_int_equal(req.command, CMD_RESTORE);
	assert_string_equal(req.file, "a b");
	assert_true(req.check && !req.dry_run && !req.dev);
	req = good(WORDS("restore", "-N", "--device=-x"));
	assert_true(req.dry_run && !req.check);
	assert_string_equal(req.dev, "-x");
	assert_null(req.file);
	req = good(WORDS("policy", "clear", "all", "--dry-run"));
	assert_true(req.dry_run);
	wrong(WORDS("save", ""), "save: the name of the file is empty", "usage");
	wrong(WORDS("save", "a", "b"), "'b' is one word too many", "usage");
	wrong(WORDS("save", "-N"), "save: -N goes with set, clear, policy and restore only", NULL);
	wrong(WORDS("show", "-c"), "show: -c goes with restore only", NULL);
	wrong(WORDS("set", "lo", "5", "-d", "lo"), "set: -d goes with restore only", NULL);
	wrong(WORDS("restore", "-d", "a/b"), "'a/b': this cannot be a device name", NULL);
	wrong(WORDS("restore", "--device="), "device name is empty", NULL);
	wrong(WORDS("set", "-jN", "lo", "5"), "--dry-run prints words, not JSON", NULL);
}

/* What is printed of a request asks for the same. */
static void test_print(void **state)
{
	const struct {
		char *const *argv;
		const char *want;
	} prints[] = {
		{ WORDS("set", "lo", "5"), "set lo tx-headroom 5" },
		{ WORDS("-n", "x", "set", "lo", "tx-head", "slab", "tx-headroom", "5"),
		  "set lo tx-headroom 5 tx-head slab" },
		{ WORDS("set", "--", "-odd", "tx-head", "auto"), "set -- -odd tx-head auto" },
		{ WORDS("clear", "lo"), "set lo tx-headroom 0 tx-head auto xdp-headroom-min 0 xdp-linearize on" },
		{ WORDS("clear", "lo", "tx-head"), "set lo tx-head auto" },
		{ WORDS("set", "lo", "xdp-headroom-min", "200", "tx-head", "slab"),
		  "set lo tx-head slab xdp-headroom-min 200" },
		{ WORDS("policy", "set", "kind:x", "xdp-linearize", "off"), "policy set kind:x xdp-linearize off" },
		{ WORDS("policy", "set", "name:x*/kind:vlan", "6"),
		  "policy set kind:vlan/name:x* tx-headroom 6" },
		{ WORDS("policy", "clear", "kind:veth"), "policy clear kind:veth" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(prints) / sizeof(prints[0]); i++) {
		struct request req = good(prints[i].argv);
		char *text = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);

		args_print(file, &req);
		fclose(file);
		assert_string_equal(text, prints[i].want);
		free(text);
	}
}

static void test_range(void **state)
{
	struct dev_conf conf = { 512, XHROOM_TX_HEAD_PAGE_FRAG, 0, 0, XHROOM_XDP_LINEARIZE_ON };
	struct err err = {};

	(void)state;
	assert_int_equal(args_check_range("x", &conf, CONF_ALL, &err), 0);
	conf.tx_extra_headroom = 513;
	assert_int_equal(args_check_range("x", &conf, CONF_TX_HEAD, &err), 0);
	assert_int_equal(args_check_range("x", &conf, CONF_ALL, &err), -1);
	assert_string_equal(err.text, "x: tx-headroom: 513 is out of range: 0 to 512 bytes");
	assert_int_equal(err.code, XC_REFUSED);
	conf.tx_extra_headroom = 0;
	conf.tx_head = 0;
	assert_int_equal(args_check_range("x", &conf, CONF_ALL, &err), -1);
	conf.tx_head = XHROOM_TX_HEAD_MAX + 1;
	assert_int_equal(args_check_range("x", &conf, CONF_ALL, &err), -1);
	conf.tx_head = XHROOM_TX_HEAD_AUTO;
	conf.xdp_headroom_min = XHROOM_XDP_HEADROOM_MIN_MIN;
	assert_int_equal(args_check_range("x", &conf, CONF_ALL, &err), 0);
	conf.xdp_headroom_min = XHROOM_XDP_HEADROOM_MIN_MIN - 1;
	assert_int_equal(args_check_range("x", &conf, CONF_ALL, &err), -1);
	assert_string_equal(err.text, "x: xdp-headroom-min: 191 is out of range: 192 to 256 bytes");
	conf.xdp_headroom_min = XHROOM_XDP_HEADROOM_MIN_MAX + 1;
	assert_int_equal(args_check_range("x", &conf, CONF_ALL, &err), -1);
}

/* Each command can be found, and is complete. */
static void test_tables(void **state)
{
	uint32_t value;
	size_t i;

	(void)state;
	for (i = 0; i < NR_COMMANDS; i++) {
		assert_non_null(commands[i].name);
		assert_non_null(commands[i].synopsis);
		assert_non_null(commands[i].text);
		assert_true(*commands[i].summary);
		assert_ptr_equal(command_find(commands[i].name), &commands[i]);
	}
	for (i = 0; i < nr_settings; i++) {
		assert_ptr_equal(setting_find(settings[i].name), &settings[i]);
		for (value = 1; settings[i].value_name && value <= settings[i].max; value++)
			assert_non_null(settings[i].value_name(value));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_set_auto),
		cmocka_unit_test(test_set_xdp),
		cmocka_unit_test(test_set_head),
		cmocka_unit_test(test_policy),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_bad_words),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_tables),
	};

	return cmocka_run_group_tests_name("ctl_args", tests, NULL, NULL);
}
