// SPDX-License-Identifier: GPL-2.0-only
/*
 * xhroom.conf: what its lines mean, which line is blamed for what, that what is
 * written is read as the same, and that a file is replaced as a whole or not at all.
 */
/* cmocka makes a macro of the name fail: the tool's headers come first. */
#include <linux/xhroom.h>
#include "conffile.h"
#include "out.h"
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* What was complained about, one a line: text, and in brackets the hint. */
static char said[20000];

static void complain(const struct err *err)
{
	size_t len = strlen(said);

	snprintf(said + len, sizeof(said) - len, "%s [%s]\n", err->text, err->hint);
}

static int parse_bytes(const char *bytes, size_t size, struct conffile *conf, struct err *err)
{
	FILE *file = size ? fmemopen((char *)bytes, size, "r") : fopen("/dev/null", "r");
	int ret;

	memset(conf, 0, sizeof(*conf));
	memset(err, 0, sizeof(*err));
	conf->name = "F";
	said[0] = '\0';
	ret = conffile_parse(file, conf, complain, err);
	fclose(file);
	return ret;
}

static struct conffile good(const char *text)
{
	struct conffile conf;
	struct err err;

	if (parse_bytes(text, strlen(text), &conf, &err))
		fail_msg("refused: %s%s", said, err.text);
	assert_string_equal(said, "");
	return conf;
}

/* @complaint is in what is said of the lines, @summary in what is said of all. */
static void wrong_bytes(const char *text, size_t size, const char *complaint, const char *summary)
{
	struct conffile conf;
	struct err err;

	assert_int_equal(parse_bytes(text, size, &conf, &err), -1);
	assert_int_equal(err.code, XC_LOCAL);
	if (!strstr(said, complaint))
		fail_msg("'%s' is not in '%s'", complaint, said);
	if (!strstr(err.text, summary))
		fail_msg("'%s' is not in '%s'", summary, err.text);
	conffile_free(&conf);
}

static void wrong(const char *text, const char *complaint)
{
	wrong_bytes(text, strlen(text), complaint, "F: 1 wrong line, so none of it is used");
}

static void test_lines(void **state)
{
	struct conffile conf;

	(void)state;
	conf = good("");
	assert_int_equal(conf.nr, 0);
	conffile_free(&conf);
	conf = good("# nothing\n\n   \t\n\t# set veth0 1\n#\n");
	assert_int_equal(conf.nr, 0);
	conffile_free(&conf);
	/* The last line need not end, white space is free, DOS is no matter. */
	conf = good("# two\n"
		    "set veth0 256\r\n"
		    "\n"
		    " \tpolicy  set kind:veth/name:eth*\ttx-head slab\t tx-headroom 64");
	assert_int_equal(conf.nr, 2);
	assert_int_equal(conf.lines[0].nr, 2);
	assert_int_equal(conf.lines[0].req.command, CMD_SET);
	assert_string_equal(conf.lines[0].req.dev, "veth0");
	assert_int_equal(conf.lines[0].req.conf.tx_extra_headroom, 256);
	assert_int_equal(conf.lines[0].req.mask, CONF_TX_HEADROOM);
	assert_int_equal(conf.lines[1].nr, 4);
	assert_int_equal(conf.lines[1].req.command, CMD_POLICY);
	assert_string_equal(conf.lines[1].req.policy.kind, "veth");
	assert_string_equal(conf.lines[1].req.policy.name, "eth*");
	assert_int_equal(conf.lines[1].req.conf.tx_head, XHROOM_TX_HEAD_SLAB);
	assert_int_equal(conf.lines[1].req.mask, CONF_TX_HEADROOM | CONF_TX_HEAD);
	conffile_free(&conf);
	/* Names that look like something else. */
	conf = good("set #1 5\nset -- -n 6\nset \"x\" 7\nset set 8\n");
	assert_string_equal(conf.lines[0].req.dev, "#1");
	assert_string_equal(conf.lines[1].req.dev, "-n");
	assert_string_equal(conf.lines[2].req.dev, "\"x\"");
	assert_string_equal(conf.lines[3].req.dev, "set");
	conffile_free(&conf);
}

static void test_wrong_lines(void **state)
{
	char longer[1100], many[6000] = "";
	struct conffile conf;
	unsigned int i;

	(void)state;
	wrong("set veth0 tx-head slob", "F:1: veth0: tx-head: 'slob'");
	wrong("set veth0 tx-head slob", "[did you mean 'slab'?]");
	wrong("\n\n#\nste veth0 5\n\n", "F:4: unknown command 'ste'");
	wrong("set veth0 1\nset\n", "F:2: set: which device? [usage: xhroomctl set DEV");
	wrong("set veth0\n", "F:1: veth0: which value?");
	wrong("set veth0 513\n", "F:1: veth0: tx-headroom: 513 is out of range: 0 to 512 bytes");
	wrong("set veth0 4294967296\n", "4294967296 is out of range");
	wrong("policy set kind:veth 513\n", "F:1: kind:veth: tx-headroom: 513 is out of range");
	wrong("policy set kind:veth,name:x 5\n", "F:1: policy: 'kind:veth,name:x'");
	wrong("set veth0 256 # comment\n", "'#' is one word too many [a comment has a line");
	wrong("policy set 'name:eth*' 5\n", "[in a file, no quotes are needed]");
	wrong("show\n", "F:1: show has no place in a file");
	wrong("clear veth0\n", "F:1: clear has no place in a file");
	wrong("policy\n", "F:1: policy has no place in a file");
	wrong("policy clear all\n", "F:1: policy has no place in a file");
	wrong("restore\n", "F:1: restore has no place in a file");
	wrong("set -n blue veth0 5\n", "F:1: options have no place in a file");
	wrong("-h\n", "F:1: options have no place in a file");
	wrong("set veth0 5 --dry-run\n", "F:1: options have no place in a file");
	wrong("set veth0 5 --nosuch\n", "F:1: unknown option '--nosuch'");

	memset(longer, ' ', sizeof(longer));
	longer[1023] = '\0';
	conf = good(longer);
	conffile_free(&conf);
	longer[1023] = ' ';
	longer[1024] = '\0';
	wrong(longer, "F:1: a line has at most 1023 characters");
	strcpy(longer + 1024, "\nset veth0 5x\n");
	wrong_bytes(longer, strlen(longer), "F:2: veth0: tx-headroom: '5x'", "F: 2 wrong lines");

	wrong_bytes("set veth0 5\nset v\0th0 6\nset 7\n", 30, "F:2: this is not text",
		    "F: 1 wrong line");
	for (i = 0; i < 300; i++)
		strcat(many, "set x y\n");
	wrong_bytes(many, strlen(many), "F:20: x: ", "F: at least 20 wrong lines");
	assert_null(strstr(said, "F:21:"));
}

static void test_many_policies(void **state)
{
	char *text = calloc(1, 300 * 40);
	struct conffile conf;
	unsigned int i;

	(void)state;
	for (i = 0; i < XHROOM_POLICIES_MAX; i++)
		sprintf(text + strlen(text), "policy set name:n%u %u\n", i, i);
	/* Said again, it is no other. */
	strcat(text, "policy set name:n0 tx-head slab\nset veth0 5\n");
	conf = good(text);
	assert_int_equal(conf.nr, XHROOM_POLICIES_MAX + 2);
	conffile_free(&conf);
	strcat(text, "policy set kind:n0 1\n");
	wrong(text, "F:259: there may be 256 policies");
	free(text);
}

static struct dev devs[] = {
	{ .ifindex = 1, .name = "lo", .conf = { 1, XHROOM_TX_HEAD_AUTO, 0, 256, XHROOM_XDP_LINEARIZE_ON } },
	{ .ifindex = 2, .name = "-dash", .conf = { 512, XHROOM_TX_HEAD_SLAB, 0, 192, XHROOM_XDP_LINEARIZE_FRAGS } },
	{ .ifindex = 3, .name = "#\xff\x01'\"", .conf = { 0, XHROOM_TX_HEAD_PAGE_FRAG, 0, 256, XHROOM_XDP_LINEARIZE_ON } },
};

static struct policy policies[] = {
	{ .kind = "veth", .conf = { 256, XHROOM_TX_HEAD_AUTO, 0, 256, XHROOM_XDP_LINEARIZE_ON } },
	{ .kind = "veth", .name = "mg[mt]t*", .conf = { 0, XHROOM_TX_HEAD_AUTO, 0, 256, XHROOM_XDP_LINEARIZE_ON } },
	{ .name = "\xff*", .conf = { 16, XHROOM_TX_HEAD_SLAB, 0, 200, XHROOM_XDP_LINEARIZE_OFF } },
};

static const struct dev_list dev_list = { devs, 3 };
static const struct policy_list policy_list = { policies, 3 };

static void test_print(void **state)
{
	struct dev newer = { .ifindex = 4, .name = "lo", .conf = { 1, 77 } };
	struct dev more = { .ifindex = 4, .name = "lo", .conf = { 1024, XHROOM_TX_HEAD_AUTO, 0, 256,
							       XHROOM_XDP_LINEARIZE_ON } };
	struct conffile conf;
	struct err err = {};
	char *text = NULL;
	FILE *file;
	size_t size, i;

	(void)state;
	file = open_memstream(&text, &size);
	assert_int_equal(conffile_print(file, &dev_list, &policy_list, &err), 0);
	fclose(file);
	assert_string_equal(text,
		"# Written by \"xhroomctl save\", read by \"xhroomctl restore\": see xhroom.conf(5).\n"
		"policy set kind:veth tx-headroom 256 tx-head auto xdp-headroom-min 256 xdp-linearize on\n"
		"policy set kind:veth/name:mg[mt]t* tx-headroom 0 tx-head auto xdp-headroom-min 256 xdp-linearize on\n"
		"policy set name:\xff* tx-headroom 16 tx-head slab xdp-headroom-min 200 xdp-linearize off\n"
		"set lo tx-headroom 1 tx-head auto xdp-headroom-min 256 xdp-linearize on\n"
		"set -- -dash tx-headroom 512 tx-head slab xdp-headroom-min 192 xdp-linearize frags\n"
		"set #\xff\x01'\" tx-headroom 0 tx-head page-frag xdp-headroom-min 256 xdp-linearize on\n");
	conf = good(text);
	assert_int_equal(conf.nr, 6);
	for (i = 0; i < 3; i++) {
		const struct request *policy = &conf.lines[i].req, *dev = &conf.lines[3 + i].req;

		assert_string_equal(policy->policy.kind, policies[i].kind);
		assert_string_equal(policy->policy.name, policies[i].name);
		assert_memory_equal(&policy->conf, &policies[i].conf, sizeof(policy->conf));
		assert_int_equal(policy->mask, CONF_ALL);
		assert_string_equal(dev->dev, devs[i].name);
		assert_memory_equal(&dev->conf, &devs[i].conf, sizeof(dev->conf));
		assert_int_equal(dev->mask, CONF_ALL);
	}
	conffile_free(&conf);
	free(text);

	/* What a newer module says is not written as something else. */
	file = fopen("/dev/null", "w");
	assert_int_equal(conffile_print(file, &(struct dev_list){ &newer, 1 },
					&(struct policy_list){}, &err), -1);
	assert_non_null(strstr(err.text, "cannot be saved: lo: tx-head: '77'"));
	assert_int_equal(conffile_print(file, &(struct dev_list){ &more, 1 },
					&(struct policy_list){}, &err), -1);
	assert_non_null(strstr(err.text, "cannot be saved: lo: tx-headroom: 1024 is out of range"));
	fclose(file);
}

static char *content(const char *path)
{
	static char text[1000];
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

/* Files in the current directory, which is an empty one. */
static void test_write(void **state)
{
	struct dev newer = { .ifindex = 4, .name = "lo", .conf = { 1, 77 } };
	struct dev_list bad = { &newer, 1 }, one = { devs, 1 };
	const struct policy_list none = {};
	static const char *const want =
		"# Written by \"xhroomctl save\", read by \"xhroomctl restore\": see xhroom.conf(5).\n"
		"set lo tx-headroom 1 tx-head auto xdp-headroom-min 256 xdp-linearize on\n";
	struct err err = {};
	struct stat st, before;

	(void)state;
	umask(022);
	assert_int_equal(conffile_write("new", &one, &none, &err), 0);
	assert_string_equal(content("new"), want);
	stat("new", &st);
	assert_int_equal(st.st_mode & 07777, 0644);

	/* Mode and owner stay, a link stays a link, the file is another one. */
	truncate("new", 0);
	chmod("new", 0640);
	if (!getuid())
		assert_int_equal(chown("new", 1, 2), 0);
	assert_int_equal(symlink("new", "link"), 0);
	stat("new", &before);
	assert_int_equal(conffile_write("link", &one, &none, &err), 0);
	assert_string_equal(content("new"), want);
	lstat("link", &st);
	assert_true(S_ISLNK(st.st_mode));
	stat("new", &st);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(st.st_uid, before.st_uid);
	assert_int_equal(st.st_gid, before.st_gid);
	assert_int_not_equal(st.st_ino, before.st_ino);

	/* What fails leaves the file, and nothing else. */
	before = st;
	assert_int_equal(conffile_write("new", &bad, &none, &err), -1);
	assert_non_null(strstr(err.text, "tx-head: '77'"));
	assert_string_equal(content("new"), want);
	stat("new", &st);
	assert_int_equal(st.st_ino, before.st_ino);
	assert_int_equal(conffile_write("nowhere/new", &one, &none, &err), -1);
	assert_non_null(strstr(err.text, "cannot write nowhere/new: No such file or directory"));
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(conffile_write("fifo", &one, &none, &err), -1);
	assert_non_null(strstr(err.text, "fifo is not a regular file"));
	assert_int_equal(mkdir("dir", 0700), 0);
	assert_int_equal(conffile_write("dir", &one, &none, &err), -1);
	assert_non_null(strstr(err.text, "is not a regular file"));
	assert_int_equal(rmdir("dir") | unlink("fifo") | unlink("link") | unlink("new"), 0);
}

static void test_read(void **state)
{
	struct conffile conf;
	struct err err = {};

	(void)state;
	assert_int_equal(conffile_read("nosuch", &conf, complain, &err), -1);
	assert_string_equal(err.text, "cannot read nosuch: No such file or directory");
	conffile_free(&conf);
	assert_int_equal(conffile_read(".", &conf, complain, &err), -1);
	assert_string_equal(err.text, "cannot read .: Is a directory");
	conffile_free(&conf);
}

/* Fails if anything was left behind. */
static int leave(void **state)
{
	char *dir = *state;
	int ret = chdir("/") || rmdir(dir);

	free(dir);
	return ret ? -1 : 0;
}

static int enter(void **state)
{
	char *dir = strdup("/tmp/xhroom.XXXXXX");

	*state = dir;
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_wrong_lines),
		cmocka_unit_test(test_many_policies),
		cmocka_unit_test(test_print),
		cmocka_unit_test_setup_teardown(test_write, enter, leave),
		cmocka_unit_test_setup_teardown(test_read, enter, leave),
	};

	return cmocka_run_group_tests_name("ctl_conffile", tests, NULL, NULL);
}
