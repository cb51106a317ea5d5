/* name_text.h - makes names of attributes safe to print
 * SPDX-License-Identifier: MIT */
#ifndef TH_NAME_TEXT_H
#define TH_NAME_TEXT_H

#include <stddef.h>

/* Bytes for a name in a list, and for a name on its own line. */
enum { TH_NAME_SHORT = 33, TH_NAME_LONG = 257 };

/* Copy a name to text[size], with spaces for its line breaks, question marks
 * for what else a terminal does not show (core/printable.h), and dots for what
 * does not fit. Returns text. Local. */
const char *th_name_text(const char *name, char *text, size_t size);

#endif
