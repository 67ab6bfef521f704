// SPDX-License-Identifier: GPL-2.0-only
/*
 * Auto-tuning against a model of a device: packets that push, sometimes or
 * always, one amount or several, and what the kernel does when they cannot.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../../module/tx/auto.h"

/* Headroom of an Ethernet frame in stock. */
#define STOCK	2u
#define MAX	512u

struct model {
	struct xhr_auto a;
	unsigned int now;	/* us */
	unsigned int lacked;
	unsigned int highest;
};

static unsigned int up(unsigned int n, unsigned int to)
{
	return (n + to - 1) / to * to;
}

/* The smallest value that is enough for a push of @bytes. */
static unsigned int enough(unsigned int bytes)
{
	return bytes <= STOCK ? 0 : up(bytes - STOCK, XHR_AUTO_STEP);
}

static void begin(struct model *m, unsigned int max)
{
	memset(m, 0, sizeof(*m));
	xhr_auto_init(&m->a, max, 0);
}

/* A packet that pushes @bytes; callers round what they lack up to 64. */
static void packet(struct model *m, unsigned int bytes, unsigned int us)
{
	unsigned int extra, room;

	m->now += us;
	extra = xhr_auto_packet(&m->a, m->now / 1000);
	room = STOCK + extra;
	if (bytes > room) {
		m->lacked++;
		xhr_auto_lacked(&m->a, extra, room + up(bytes - room, 64) - STOCK, m->now / 1000);
	}
	if (m->a.value > m->highest)
		m->highest = m->a.value;
}

static void converges(void **state)
{
	unsigned int bytes, i;
	struct model m;

	for (bytes = 1; bytes <= MAX; bytes++) {
		begin(&m, MAX);
		for (i = 0; i < 100; i++)
			packet(&m, bytes, 10);
		assert_int_equal(m.a.value, enough(bytes));
		assert_int_equal(m.a.state, XHR_AUTO_SETTLED);
		if (m.lacked > 4)
			fail_msg("%u bytes: %u lacked", bytes, m.lacked);
		/* And stays there: one packet a second at most pays for it. */
		m.lacked = 0;
		for (i = 0; i < 100000; i++) {
			packet(&m, bytes, 1000);
			assert_int_equal(m.a.value, enough(bytes));
		}
		assert_true(m.lacked <= 100);
	}
}

static void never_creeps(void **state)
{
	unsigned int bytes, i;
	struct model m;

	for (bytes = 1; bytes <= 1000; bytes += 7) {
		begin(&m, 256);
		for (i = 0; i < 300000; i++)
			packet(&m, i % 3 ? bytes : 0, 5000);
		assert_true(m.highest <= 256);
		assert_true(m.highest <= up(enough(bytes), 64) + 64);
	}
}

static void goes_down(void **state)
{
	unsigned int bytes, i;
	struct model m;

	begin(&m, MAX);
	for (i = 0; i < 1000; i++)
		packet(&m, 200, 100);
	assert_int_equal(m.a.value, enough(200));
	/* Hysteresis: not at once. */
	for (i = 0; i < 5000; i++)
		packet(&m, 0, 1000);
	assert_int_equal(m.a.value, enough(200));
	for (i = 0; i < 60000; i++)
		packet(&m, 0, 1000);
	assert_int_equal(m.a.value, 0);
	m.lacked = 0;
	for (i = 0; i < 100; i++)
		packet(&m, 200, 100);
	assert_int_equal(m.a.value, enough(200));
	assert_true(m.lacked <= 4);
	/* Other, smaller needs; the last is less than what callers round to. */
	for (bytes = 150; bytes; bytes -= 10) {
		for (i = 0; i < 40000; i++)
			packet(&m, bytes, 1000);
		assert_int_equal(m.a.value, enough(bytes));
	}
}

/* Few packets push, or few push much: seldom wrong, and ever more seldom. */
static void mixed(void **state)
{
	unsigned int i, first;
	struct model m;

	begin(&m, MAX);
	for (i = 0; i < 1000000; i++)
		packet(&m, i % 97 ? 0 : 50, 1000);
	first = m.lacked;
	for (i = 0; i < 1000000; i++)
		packet(&m, i % 97 ? 0 : 50, 1000);
	assert_true(first < 500);
	assert_true(m.lacked - first < 200);
	begin(&m, MAX);
	for (i = 0; i < 1000000; i++)
		packet(&m, i % 97 ? 20 : 120, 1000);
	assert_true(m.highest <= up(enough(120), 64) + 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(converges),
		cmocka_unit_test(never_creeps),
		cmocka_unit_test(goes_down),
		cmocka_unit_test(mixed),
	};

	return cmocka_run_group_tests_name("auto", tests, NULL, NULL);
}
