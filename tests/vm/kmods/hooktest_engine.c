// SPDX-License-Identifier: GPL-2.0-only
/*
 * module/hook.c as it stands, as a part of the test module, and a way to wait
 * for its deferred work. Nothing may be added that changes the engine.
 */
#include "../../../module/hook.c"

#include "hooktest.h"

/* Until what xhr_feature_put() left behind is done. */
void xhr_hooktest_settle(void)
{
	flush_work(&xhr_settle_work);
}
