/* model_text.h - what a model says of itself, as text and as JSON
 * SPDX-License-Identifier: MIT */
#ifndef TH_MODEL_TEXT_H
#define TH_MODEL_TEXT_H

#include "model/model.h"
#include "model/origin.h"

#include <jansson.h>
#include <stdio.h>

/* Add its members under their own names, margin as an array, but its path;
 * nothing for a model without a penalty. Local. */
void th_model_text_certificate_json(json_t *object,
                                    const struct th_certificate *certificate);

/* Print a certificate as lines of text, but its path. Local. */
void th_model_text_certificate_print(FILE *out,
                                     const struct th_certificate *certificate);

/* Return the model's deck as an object, each value in the type of its option;
 * NULL: no memory. Local. */
json_t *th_model_text_deck_json(const struct th_model *model);

/* --- How a run ended, as text and as JSON --------------------------------- */

/* Add chosen, candidates and passes if the run ended with a choice by a loss of
 * that name. Losses are as evaluate prints them: mean squared errors for a
 * squared loss, of which the record has the half. Local. */
void th_model_text_ending_json(json_t *object, const struct th_ending *ending,
                               const char *loss);

/* Add its loss, and of one that has a scale what it was made of. Local. */
void th_model_text_loss_json(json_t *object, const struct th_model *model);

/* Print what a loss that has a scale was made of, after the label. Local. */
void th_model_text_loss_print(FILE *out, const char *label,
                              const struct th_model *model);

/* Add how the run of a model ended, and select if its solver has it. Local. */
void th_model_text_ending_json_model(json_t *object,
                                     const struct th_model *model);

/* Add ended_by: what ended the run, "time" where it was told to stop, which its
 * file does not tell. null where it is not known. Local. */
void th_model_text_ending_by_json(json_t *object, const struct th_model *model);

/* Print what ended the run and what that means, after a label. Local. */
void th_model_text_ending_by_print(FILE *out, const char *label,
                                   const struct th_model *model);

/* Print the choice and the losses of the others, after a label. Local. */
void th_model_text_ending_print(FILE *out, const char *label,
                                const struct th_model *model);

/* --- In which order a model's attributes were chosen, as text and as JSON
 *
 * Local. */

/* Add `selected`, and what is known with it: `remaining_bound` and `guarantee`,
 * which are null where they rest on what is assumed; the same `if_assumed`;
 * `cost`; the constants and where they come from. Nothing for a model that was
 * not chosen in an order. */
void th_model_text_selected_json(json_t *object, const struct th_model *model);

/* Lines behind the label, where there is a guarantee. */
void th_model_text_selected_print(FILE *out, const char *label,
                                  const struct th_model *model);

/* --- The text that data were imported from --------------------------------
 *
 * All functions are local. */

/* Lines, each with a label that is padded to `width`; none where nothing is
 * known. */
void th_model_text_origin_print(int width, const struct th_origin *origin);

/* The member "text" of an object: null where nothing is known. */
void th_model_text_origin_json(json_t *object, const struct th_origin *origin);

#endif
