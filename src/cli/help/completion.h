/* completion.h - what a shell needs to complete command lines
 *
 * Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_COMPLETION_H
#define TH_COMPLETION_H

#include "cli/options/options.h"

#include <stdio.h>

/* Print the script of a shell, made from the tables of commands and options.
 * An error for a shell that is not known. */
th_status th_completion_print(FILE *out, const char *shell,
                              const struct th_command *commands,
                              struct th_error *err);

#endif
