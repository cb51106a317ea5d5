/* input.h - the data of a command: a data set's file, or --source; text in its
 * place is refused with what to type
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_INPUT_H
#define TH_CLI_INPUT_H

#include "api/data.h"
#include "cli/options/options.h"
#include "data/source.h"
#include "model/origin.h"
#include "synthetic/synthetic.h"

/* --- --source: a synthetic family named on the command line --------------- */

/* The data that `generate` writes or --source computes. */
struct th_synthesis {
  const struct th_family *family;
  struct th_ground_truth truth; /* owns its lists */
  struct th_shape shape;
};

/* Read "FAMILY:key=value,...". The keys are the options of `generate` that
 * describe the data, by name or by letter. text receives the same with every
 * parameter as it is used. `command` opens the message of a failure. Local.
 * Release with th_input_family_free, also after a failure. */
th_status th_input_family_read(struct th_synthesis *synthesis,
                               const char *source, const char *command,
                               char text[TH_SOURCE_TEXT], struct th_error *err);

/* --- A synthetic family with its parameters, as options give them --------- */

/* Plan the data from the options that have TH_SOURCE. `where` opens the message
 * of a failure; `dashes` stands before an option's name. Local. Release with
 * th_input_family_free, also after a failure. */
th_status th_input_family_plan(struct th_synthesis *synthesis,
                               const struct th_options *options,
                               const char *family, const char *where,
                               const char *dashes, struct th_error *err);
void th_input_family_free(struct th_synthesis *synthesis);

/* Say whether a family uses the option; false for parameters of other families.
 * Local. */
bool th_input_family_uses(const struct th_family *family, const char *option);

/* --- A file, or --source -------------------------------------------------- */

/* What the file is wanted for. */
enum th_text_use {
  TH_TEXT_TO_TRAIN,
  TH_TEXT_TO_SCORE,
  TH_TEXT_TO_VERIFY,
  TH_TEXT_AS_MODEL
};

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
