/* ending.h - how a run ended, as text and as JSON
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_ENDING_H
#define TH_CLI_ENDING_H

#include "core/model.h"

#include <jansson.h>
#include <stdio.h>

/* chosen, candidates and passes, where the run ended so. Local. */
void th_ending_json(json_t *object, const struct th_ending *ending);

/* The same of a model, and select, where its solver has it. Local. */
void th_ending_json_model(json_t *object, const struct th_model *model);

/* What was chosen, and how the others did, behind a label. Local. */
void th_ending_print(FILE *out, const char *label,
                     const struct th_ending *ending);

#endif
