/* quote.h - a text as one word of a shell's command line, for messages that say
 * what to type
 * SPDX-License-Identifier: MIT */
#ifndef TH_QUOTE_H
#define TH_QUOTE_H

#include <stddef.h>

/* The word in `text`, in quotes where a shell needs them, and as $'..' with the
 * bytes of what a terminal would not show as octal numbers. Where size, at
 * least 8, is too small, the word between the quotes is cut. Local. */
const char *th_quote_shell_word(const char *word, char *text, size_t size);

#endif
