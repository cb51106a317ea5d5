/* help.h - help and the man page, printed from the tables
 * SPDX-License-Identifier: MIT */
#ifndef TH_HELP_H
#define TH_HELP_H

#include "cli/commands.h"

#include <stdio.h>

/* All local: the caller sees to it that one rank prints. */
void th_help_program(FILE *out);
void th_help_command(FILE *out, const struct th_command *command);
void th_help_man(FILE *out);

#endif
