/* wording.h - numbers as people read them
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_WORDING_H
#define TH_WORDING_H

#include "cli/options/options.h"

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

/* What a mean loss of that name is called: "mean squared error". */
const char *th_wording_loss(const char *loss);

/* A line: `before`, then a text of the library, whose names of options become
 * those of the command line; what a terminal does not show as it is becomes
 * question marks. */
void th_wording_print(FILE *out, const char *before, const char *text);

/* Print a note that there is no lock of the usual kind, unless it is empty or
 * the run is to be quiet. Local: rank 0. */
void th_wording_note(const struct th_options *options, const char *note);

/* What is written beside the model could not be written, and is not missed: say
 * so. What was to go to the standard output is dropped. Local: rank 0. */
void th_wording_unwritten(const char *what, const char *path, const char *why);

#endif
