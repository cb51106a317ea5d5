/* ending.h - how a run ended, as text and as JSON
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_ENDING_H
#define TH_CLI_ENDING_H

#include "core/model.h"

#include <jansson.h>
#include <stdio.h>

/* Add chosen, candidates and passes if the run ended with a choice. Local. */
void th_ending_json(json_t *object, const struct th_ending *ending);

/* The same for a model, and select if its solver has it. Local. */
void th_ending_json_model(json_t *object, const struct th_model *model);

/* Print the choice and the losses of the others, after a label. Local. */
void th_ending_print(FILE *out, const char *label,
                     const struct th_ending *ending);

#endif
