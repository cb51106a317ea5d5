/* ending.h - how a run ended, as text and as JSON
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_ENDING_H
#define TH_CLI_ENDING_H

#include "core/model.h"

#include <jansson.h>
#include <stdio.h>

/* Add chosen, candidates and passes if the run ended with a choice by a loss of
 * that name. Losses are as evaluate prints them: mean squared errors for a
 * squared loss, of which the record has the half. Local. */
void th_ending_json(json_t *object, const struct th_ending *ending,
                    const char *loss);

/* The same for a model, and select if its solver has it. Local. */
void th_ending_json_model(json_t *object, const struct th_model *model);

/* Add ended_by: what ended the run, "time" where it was told to stop, which its
 * file does not tell. null where it is not known. Local. */
void th_ending_by_json(json_t *object, const struct th_model *model);

/* Print the same and what it means, after a label. Local. */
void th_ending_by_print(FILE *out, const char *label,
                        const struct th_model *model);

/* Print the choice and the losses of the others, after a label. Local. */
void th_ending_print(FILE *out, const char *label,
                     const struct th_model *model);

#endif
