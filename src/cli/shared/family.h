/* family.h - a synthetic family with its parameters, as options give them
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_FAMILY_H
#define TH_CLI_FAMILY_H

#include "cli/options/options.h"
#include "core/ground_truth.h"
#include "core/source.h"
#include "synthetic/synthetic.h"

/* The data that `generate` writes or --source computes. */
struct th_synthesis {
  const struct th_family *family;
  struct th_ground_truth truth; /* owns its lists */
  struct th_shape shape;
};

/* Plan the data from the options that have TH_SOURCE. `where` opens the message
 * of a failure; `dashes` stands before an option's name. Local; TH_EUSAGE,
 * TH_ENOMEM.
 * Release with th_family_free, also after a failure. */
th_status th_family_plan(struct th_synthesis *synthesis,
                         const struct th_options *options, const char *family,
                         const char *where, const char *dashes,
                         struct th_error *err);
void th_family_free(struct th_synthesis *synthesis);

/* Say whether a family uses the option; false for parameters of other families.
 * Local. */
bool th_family_uses(const struct th_family *family, const char *option);

#endif
