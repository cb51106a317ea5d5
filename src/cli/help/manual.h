/* manual.h - the manual pages, in troff
 *
 * Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MANUAL_H
#define TH_MANUAL_H

#include "cli/options/options.h"

#include <stdio.h>

/* The page of the program, with all of its commands. */
void th_manual_print(FILE *out, const struct th_command *commands);

/* The page of one of them, thresher-COMMAND(1). */
void th_manual_print_command(FILE *out, const struct th_command *command,
                             const struct th_command *commands);

#endif
