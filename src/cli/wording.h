/* wording.h - numbers as people read them
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_WORDING_H
#define TH_WORDING_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The end of a plural: "1 attribute", "2 attributes"; "1 pass", "2 passes". */
static inline const char *th_wording_s(int64_t count)
{
  return count == 1 ? "" : "s";
}
static inline const char *th_wording_es(int64_t count)
{
  return count == 1 ? "" : "es";
}

/* 1234567 as "1.23 MB". */
const char *th_wording_bytes(int64_t bytes, char *text, size_t size);

/* What a mean loss of that name is called: "mean squared error". */
const char *th_wording_loss(const char *loss);

/* A line: `before`, then a text of the library, whose names of options become
 * those of the command line; what a terminal does not show as it is becomes
 * question marks. */
void th_wording_print(FILE *out, const char *before, const char *text);

#endif
