// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests module/tx/headroom.h against the formula that it has to satisfy, written
 * here in another way:
 *
 *   allocation headroom = ((hard_header_len + needed_headroom + extra) rounded
 *                          down to 16) + 16
 *   AF_XDP copy mode    = max(64, (needed_headroom + extra) rounded up to 64)
 *
 * What a hook adds, on top of what the stock kernel reserves, must give that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../../module/tx/headroom.h"

#define EXTRA_MAX	512
#define PAD		64u
#define LINE		64u

/* Of Ethernet, tunnels, a VLAN, none at all; both fields are 16 bits wide. */
static const unsigned int headers[] = {
	0, 1, 4, 8, 14, 15, 16, 17, 18, 22, 24, 28, 31, 32, 33, 40, 44, 48, 50, 62, 64, 78,
	127, 128, 129, 255, 256, 257, 1000, 32767, 65534, 65535,
};

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static unsigned int down(unsigned int n, unsigned int to)
{
	return n / to * to;
}

static unsigned int up(unsigned int n, unsigned int to)
{
	return (n + to - 1) / to * to;
}

static void ll_formula(void **state)
{
	unsigned int h, n, extra;

	for (h = 0; h < COUNT(headers); h++) {
		for (n = 0; n < COUNT(headers); n++) {
			unsigned int len = headers[h] + headers[n];
			unsigned int stock = down(len, 16) + 16;

			for (extra = 0; extra <= EXTRA_MAX; extra++)
				assert_int_equal(stock + xhr_ll_extra(headers[h], headers[n], extra),
						 down(len + extra, 16) + 16);
		}
	}
}

/* Every header length, not only the usual ones. */
static void ll_every_length(void **state)
{
	unsigned int len, extra;

	for (len = 0; len <= 2048; len++) {
		for (extra = 0; extra <= EXTRA_MAX; extra++)
			assert_int_equal(down(len, 16) + 16 + xhr_ll_extra(len, 0, extra),
					 down(len + extra, 16) + 16);
		assert_int_equal(xhr_ll_extra(len, 0, 0), 0);
	}
}

/* More asked for never gives less, and never more than a step too much. */
static void ll_bounds(void **state)
{
	unsigned int len, extra, got, last;

	for (len = 0; len <= 300; len++) {
		for (extra = 0, last = 0; extra <= EXTRA_MAX; extra++, last = got) {
			got = xhr_ll_extra(0, len, extra);
			assert_true(got >= last);
			assert_true(got < extra + 16);
			assert_true(got + 16 > extra);
			assert_int_equal(got % 16, 0);
		}
	}
}

/* Figures that can be checked by hand: Ethernet, nothing needed. */
static void ll_examples(void **state)
{
	assert_int_equal(xhr_ll_extra(14, 0, 0), 0);
	assert_int_equal(xhr_ll_extra(14, 0, 1), 0);
	assert_int_equal(xhr_ll_extra(14, 0, 2), 16);
	assert_int_equal(xhr_ll_extra(14, 0, 15), 16);
	assert_int_equal(xhr_ll_extra(14, 0, 16), 16);
	assert_int_equal(xhr_ll_extra(14, 0, 17), 16);
	assert_int_equal(xhr_ll_extra(14, 0, 18), 32);
	assert_int_equal(xhr_ll_extra(14, 0, 256), 256);
	assert_int_equal(xhr_ll_extra(14, 0, 512), 512);
	assert_int_equal(xhr_ll_extra(14, 50, 64), 64);
}

static void xsk_formula(void **state)
{
	unsigned int n, extra, want, stock;

	for (n = 0; n <= 1024; n++) {
		stock = up(n, LINE) > PAD ? up(n, LINE) : PAD;
		for (extra = 0; extra <= EXTRA_MAX; extra++) {
			want = up(n + extra, LINE) > PAD ? up(n + extra, LINE) : PAD;
			assert_int_equal(stock + xhr_xsk_extra(n, extra, PAD, LINE), want);
		}
		assert_int_equal(xhr_xsk_extra(n, 0, PAD, LINE), 0);
	}
	for (n = 0; n < COUNT(headers); n++) {
		stock = up(headers[n], LINE) > PAD ? up(headers[n], LINE) : PAD;
		for (extra = 0; extra <= EXTRA_MAX; extra++) {
			want = up(headers[n] + extra, LINE) > PAD ? up(headers[n] + extra, LINE) : PAD;
			assert_int_equal(stock + xhr_xsk_extra(headers[n], extra, PAD, LINE), want);
		}
	}
}

/* Other paddings and cache lines than today's amd64. */
static void xsk_other_lines(void **state)
{
	static const unsigned int sizes[] = { 32, 64, 128, 256 };
	unsigned int p, l, n, extra, stock, want;

	for (p = 0; p < COUNT(sizes); p++)
		for (l = 0; l < COUNT(sizes); l++)
			for (n = 0; n <= 300; n++)
				for (extra = 0; extra <= EXTRA_MAX; extra++) {
					stock = up(n, sizes[l]) > sizes[p] ? up(n, sizes[l]) : sizes[p];
					want = up(n + extra, sizes[l]);
					want = want > sizes[p] ? want : sizes[p];
					assert_int_equal(stock + xhr_xsk_extra(n, extra, sizes[p],
									       sizes[l]), want);
				}
}

static void xsk_examples(void **state)
{
	assert_int_equal(xhr_xsk_extra(0, 0, PAD, LINE), 0);
	assert_int_equal(xhr_xsk_extra(0, 64, PAD, LINE), 0);
	assert_int_equal(xhr_xsk_extra(0, 65, PAD, LINE), 64);
	assert_int_equal(xhr_xsk_extra(0, 128, PAD, LINE), 64);
	assert_int_equal(xhr_xsk_extra(0, 256, PAD, LINE), 192);
	assert_int_equal(xhr_xsk_extra(0, 320, PAD, LINE), 256);
	assert_int_equal(xhr_xsk_extra(50, 14, PAD, LINE), 0);
	assert_int_equal(xhr_xsk_extra(50, 15, PAD, LINE), 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ll_formula),
		cmocka_unit_test(ll_every_length),
		cmocka_unit_test(ll_bounds),
		cmocka_unit_test(ll_examples),
		cmocka_unit_test(xsk_formula),
		cmocka_unit_test(xsk_other_lines),
		cmocka_unit_test(xsk_examples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
