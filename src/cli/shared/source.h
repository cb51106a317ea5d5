/* source.h - --source: a synthetic family named on the command line
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_SOURCE_H
#define TH_CLI_SOURCE_H

#include "api/data.h"
#include "cli/options/options.h"
#include "data/source.h"
#include "model/origin.h"
#include "synthetic/synthetic.h"

/* The data that `generate` writes or --source computes. */
struct th_synthesis {
  const struct th_family *family;
  struct th_ground_truth truth; /* owns its lists */
  struct th_shape shape;
};

/* Read "FAMILY:key=value,...". The keys are the options of `generate` that
 * describe the data, by name or by letter. text receives the same with every
 * parameter as it is used. `command` opens the message of a failure. Local.
 * Release with th_source_family_free, also after a failure. */
th_status th_source_read(struct th_synthesis *synthesis, const char *source,
                         const char *command, char text[TH_SOURCE_TEXT],
                         struct th_error *err);

/* --- A synthetic family with its parameters, as options give them --------- */

/* Plan the data from the options that have TH_SOURCE. `where` opens the message
 * of a failure; `dashes` stands before an option's name. Local. Release with
 * th_source_family_free, also after a failure. */
th_status th_source_family_plan(struct th_synthesis *synthesis,
                                const struct th_options *options,
                                const char *family, const char *where,
                                const char *dashes, struct th_error *err);
void th_source_family_free(struct th_synthesis *synthesis);

/* Say whether a family uses the option; false for parameters of other families.
 * Local. */
bool th_source_family_uses(const struct th_family *family, const char *option);

#endif
