/* printable.h - texts for people: names and texts of others, as a terminal may
 * show them, and sizes
 *
 * A name may hold any bytes. What a terminal would act upon instead of showing
 * it does not get there: control characters (below U+0020, U+007F to U+009F),
 * characters that end lines or turn the direction of the text around, and bytes
 * that are no UTF-8. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PRINTABLE_H
#define TH_PRINTABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Bytes of the character at the beginning of a text, and its code; 0 where the
 * first byte does not begin a character of UTF-8. */
int th_printable_decode(const char *text, uint32_t *code);

/* True if a terminal shows a character. */
bool th_printable_code(uint32_t code);

/* Each character that a terminal does not show, and each byte that is no UTF-8,
 * becomes a question mark, in place. All else stays as it is. */
void th_printable(char *text);

/* Write a text of any length to a file, as th_printable makes it. */
void th_printable_put(FILE *out, const char *text);

/* Of a text that was cut at some byte: drop the character that was cut. */
void th_printable_drop_tail(char *text);

/* "1.2 GB" and the like. */
enum { TH_SIZE_TEXT = 32 };
const char *th_printable_size(int64_t bytes, char text[TH_SIZE_TEXT]);

/* Bytes for a name in a list, and for a name on its own line. */
enum { TH_NAME_SHORT = 33, TH_NAME_LONG = 257 };

/* Copy a name to text[size], with spaces for its line breaks, question marks
 * for what else a terminal does not show, and dots for what
 * does not fit. Returns text. */
const char *th_printable_name(const char *name, char *text, size_t size);

#endif
