/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the two halves of the test module say to each other.
 */
#ifndef XHR_HOOKTEST_H
#define XHR_HOOKTEST_H

void xhr_hooktest_settle(void);

#endif
