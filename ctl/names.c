// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words that text and JSON share.
 */
#include <string.h>
#include <linux/xhroom.h>

#include "out.h"

const char *hook_state_name(uint32_t state)
{
	switch (state) {
	case XHROOM_HOOK_STATE_ABSENT:
		return "absent";
	case XHROOM_HOOK_STATE_WAITING:
		return "waiting";
	case XHROOM_HOOK_STATE_REFUSED:
		return "refused";
	case XHROOM_HOOK_STATE_READY:
		return "ready";
	case XHROOM_HOOK_STATE_BUSY:
		return "busy";
	case XHROOM_HOOK_STATE_ATTACHED:
		return "attached";
	default:
		return "unknown";
	}
}

const char *hook_backend_name(uint32_t backend)
{
	switch (backend) {
	case 0:
		return "none";
	case XHROOM_HOOK_BACKEND_DIRECT:
		return "direct";
	case XHROOM_HOOK_BACKEND_FTRACE:
		return "ftrace";
	default:
		return "unknown";
	}
}

const char *feature_state_name(const struct feature *feature)
{
	if (feature->disabled)
		return "disabled";
	if (feature->attached)
		return "attached";
	return feature->available ? "available" : "unavailable";
}

const char *tx_head_name(uint32_t head)
{
	switch (head) {
	case XHROOM_TX_HEAD_AUTO:
		return "auto";
	case XHROOM_TX_HEAD_SLAB:
		return "slab";
	case XHROOM_TX_HEAD_PAGE_FRAG:
		return "page-frag";
	default:
		return NULL;
	}
}

const char *tx_auto_reason_name(uint32_t reason)
{
	switch (reason) {
	case XHROOM_TX_AUTO_REASON_NOTHING:
		return "nothing";
	case XHROOM_TX_AUTO_REASON_LACKED:
		return "lacked";
	case XHROOM_TX_AUTO_REASON_LIMITED:
		return "limited";
	case XHROOM_TX_AUTO_REASON_LOWERED:
		return "lowered";
	default:
		return "unknown";
	}
}

const char *xdp_linearize_name(uint32_t mode)
{
	switch (mode) {
	case XHROOM_XDP_LINEARIZE_ON:
		return "on";
	case XHROOM_XDP_LINEARIZE_OFF:
		return "off";
	case XHROOM_XDP_LINEARIZE_FRAGS:
		return "frags";
	default:
		return NULL;
	}
}

/* Length of the UTF-8 character at @s, 0 if there is none or it is a control. */
static size_t utf8_length(const unsigned char *s)
{
	size_t len, i;
	unsigned int c;

	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		len = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		len = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		len = 4;
	else
		return 0;
	c = s[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	/* Overlong, surrogate, beyond Unicode, C1 control. */
	if ((len == 3 && c < 0x800) || (len == 4 && (c < 0x10000 || c > 0x10ffff)) ||
	    (c >= 0xd800 && c <= 0xdfff) || c < 0xa0)
		return 0;
	return len;
}

const char *printable(const char *name, char *buf, size_t size)
{
	const unsigned char *s = (const unsigned char *)name;
	size_t n = 0;

	while (*s) {
		size_t len = utf8_length(s);

		if (n + (len ? len : 1) >= size)
			break;
		if (len) {
			memcpy(buf + n, s, len);
			n += len;
			s += len;
		} else {
			buf[n++] = '?';
			s++;
		}
	}
	buf[n] = '\0';
	return buf;
}

bool same_match(const struct policy *a, const struct policy *b)
{
	return !strcmp(a->kind, b->kind) && !strcmp(a->name, b->name);
}

const char *match_text(const struct policy *policy, char buf[static MATCH_SIZE])
{
	char text[MATCH_SIZE];

	snprintf(text, sizeof(text), "%s%s%s%s%s", *policy->kind ? "kind:" : "", policy->kind,
		 *policy->kind && *policy->name ? "/" : "", *policy->name ? "name:" : "",
		 policy->name);
	return printable(text, buf, MATCH_SIZE);
}
