// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/btf.c as it stands, as a part of the test module. Nothing may be added.
 */
#include "../../../module/btf.c"
