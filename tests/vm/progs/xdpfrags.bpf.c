// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * xdpadjust.bpf.c, as a program that knows fragments. An object of its own: such
 * programs do not share maps of devices and CPUs with others.
 */
#define SECTION "xdp.frags"
#include "xdpadjust.bpf.c"
