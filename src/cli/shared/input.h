/* input.h - the data of a command: a data set's file, or --source; text in its
 * place is refused with what to type
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_INPUT_H
#define TH_CLI_INPUT_H

#include "api/data.h"
#include "cli/options/options.h"

/* What the file is wanted for. */
enum th_text_use { TH_TEXT_TO_TRAIN, TH_TEXT_TO_SCORE, TH_TEXT_AS_MODEL };

/* An error where the file is text, with the line to type first, or where it
 * cannot be opened. Collective: as rank 0 sees it. */
th_status th_input_refuse_text(struct th_comm *comm, const char *path,
                               enum th_text_use use, struct th_error *err);

/* Open --source if it was given, else the file `path`; notes about the data go
 * to standard error from rank 0, unless --quiet. memory: bytes of values that
 * this rank may keep. Collective; end with th_data_close, also after a failure.
 * An error where an output lies among the shards of the data. */
th_status th_input_open(struct th_data *data, const struct th_options *options,
                        const char *command, const char *path, int64_t memory,
                        struct th_comm *comm, struct th_error *err);

#endif
