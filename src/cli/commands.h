/* commands.h - the commands of the program
 * SPDX-License-Identifier: MIT */
#ifndef TH_COMMANDS_H
#define TH_COMMANDS_H

#include "api/training.h"
#include "cli/options/command.h"
#include "cli/options/options.h"
#include "cli/shared/json.h"
#include "io/files/output.h"
#include "ranks/comm.h"

/* The table of commands, ended by a NULL name; the row of one, or NULL.
 * Local. */
const struct th_command *th_command_table(void);
/* Local. */
const struct th_command *th_command_find(const char *name);

/* Collective. */
th_status th_command_generate(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_command_import(const struct th_options *options,
                            struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_command_train(const struct th_options *options,
                           struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_command_verify(const struct th_options *options,
                            struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_command_evaluate(const struct th_options *options,
                              struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_command_predict(const struct th_options *options,
                             struct th_comm *comm, struct th_error *err);
/* Collective. */
th_status th_command_inspect(const struct th_options *options,
                             struct th_comm *comm, struct th_error *err);
/* Local. Never fails. */
th_status th_command_solvers(const struct th_options *options,
                             struct th_comm *comm, struct th_error *err);

/* --- What several commands share ------------------------------------------ */

/* Bytes of stored values that a rank keeps: --memory, else 2/5 of its share.
 * Local. */
int64_t th_command_memory_to_keep(const struct th_options *options,
                                  int64_t share);

/* Refuse an output now rather than after the work: it exists, or its folder
 * cannot be written, or it is no text and goes to the standard output. path
 * NULL: nothing to check. Collective. */
th_status th_command_output_check(struct th_comm *comm, const char *path,
                                  bool text, bool force, struct th_error *err);

/* Write an object, which is released, to an output of text: a failure has its
 * name and the reason. Local. */
th_status th_command_json(const struct th_output *output, json_t *object,
                          size_t flags, struct th_error *err);

/* What is written beside the model could not be written, and is not missed: say
 * so. What was to go to the standard output is dropped. Local: rank 0. */
void th_command_unwritten(const char *what, const char *path, const char *why);

/* Print a note that there is no lock of the usual kind, unless it is empty or
 * the run is to be quiet. Local: rank 0. */
void th_command_note(const struct th_options *options, const char *note);

#endif
