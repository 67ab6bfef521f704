/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What went wrong, handed up from where it was noticed to main(), which prints
 * it. There is no global error: whoever can fail takes a struct err.
 */
#ifndef XHROOMCTL_ERR_H
#define XHROOMCTL_ERR_H

#include <stdarg.h>
#include <stdio.h>

#include "model.h"

/* Exit codes of the tool, as in xhroomctl(8). */
enum exit_code {
	XC_DONE		= 0,
	XC_LOCAL	= 1,	/* wrong words, or this machine is in the way */
	XC_REFUSED	= 2,	/* the kernel refused */
	XC_NO_MODULE	= 3,	/* the module is not loaded */
	XC_PARTLY	= 4,	/* of several requests, the kernel refused some */
};

/**
 * struct err - an error on its way to the user
 * @code: what the tool exits with
 * @errnum: why the kernel refused a request, 0 if it was not asked
 * @text: what is wrong, begins with the device or word that it is about
 * @hint: what to do next, or empty
 */
struct err {
	enum exit_code code;
	int errnum;
	char text[TEXT_MAX];
	char hint[256];
};

/* Always returns -1, so that a function can end with "return fail(err, ...)". */
__attribute__((format(printf, 3, 4)))
static inline int fail(struct err *err, enum exit_code code, const char *format, ...)
{
	va_list ap;

	err->code = code;
	err->errnum = 0;
	err->hint[0] = '\0';
	va_start(ap, format);
	vsnprintf(err->text, sizeof(err->text), format, ap);
	va_end(ap);
	return -1;
}

__attribute__((format(printf, 2, 3)))
static inline void hint(struct err *err, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(err->hint, sizeof(err->hint), format, ap);
	va_end(ap);
}

#endif
