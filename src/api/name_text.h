/* name_text.h - names of attributes as they are shown: they may hold anything
 * SPDX-License-Identifier: MIT */
#ifndef TH_NAME_TEXT_H
#define TH_NAME_TEXT_H

#include <stddef.h>

/* Rooms for a name in a list, and where it has a line for itself. */
enum { TH_NAME_SHORT = 33, TH_NAME_LONG = 257 };

/* A name that stays on its line and fits into text[size], with dots for what
 * does not. Returns text. Local. */
const char *th_name_text(const char *name, char *text, size_t size);

#endif
