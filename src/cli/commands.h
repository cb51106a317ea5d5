/* commands.h - the commands of the program, and their help
 * SPDX-License-Identifier: MIT */
#ifndef TH_COMMANDS_H
#define TH_COMMANDS_H

#include "cli/options/options.h"
#include "ranks/comm.h"

#include <stdio.h>

/* The table of commands, ended by a NULL name; the row of one, or NULL.
 * Local. */
const struct th_command *th_command_table(void);
/* Local. */
const struct th_command *th_command_find(const char *name);

/* Collective. */
th_status th_generate_command(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_import_command(const struct th_options *options,
                            struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_train_command(const struct th_options *options,
                           struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_verify_command(const struct th_options *options,
                            struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_evaluate_command(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_evaluate_predict(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_export_command(const struct th_options *options,
                            struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_watch_command(const struct th_options *options,
                           struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_report_command(const struct th_options *options,
                            struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_inspect_command(const struct th_options *options,
                             struct th_comm *comm, struct th_error *err);

/* Refuse the name of a command, with the one that may be meant. Local. */
th_status th_command_unknown(const char *name, struct th_error *err);

/* --- Help and the man page, printed from the tables ----------------------- */

/* All local: the caller sees to it that one rank prints. */
void th_command_help_program(FILE *out);
void th_command_help(FILE *out, const struct th_command *command, bool all);

/* `thresher --man [COMMAND]`: the manual page of the program, or of a command.
 * prints: this rank does. Local. */
th_status th_command_man(int words, char **word, bool prints,
                         struct th_error *err);

/* `thresher help WORD...`: on a command, a solver, an option or a word of the
 * glossary; all of the glossary for `words`; of the program for none. prints:
 * this rank does. Local. */
th_status th_command_help_on(int words, char **word, bool prints,
                             struct th_error *err);

#endif
