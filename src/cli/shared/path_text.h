/* path_text.h - the path of a model with a penalty, as text and as JSON
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PATH_TEXT_H
#define TH_PATH_TEXT_H

#include "model/model.h"

#include <jansson.h>
#include <stdio.h>

/* Add `path`: lambda, size, objective and gap of each lambda, as arrays. Where
 * the model was chosen from it, also loss and se, and beside it `chosen_lambda`
 * of best and 1se, and `folds`. */
void th_path_text_json(json_t *object, const struct th_model *model);

/* Add `entered`: the attributes of a path in the order in which they enter,
 * with the lambda and the sign at which they do. */
void th_path_text_json_entered(json_t *object, const struct th_model *model);

/* Print a line for each lambda. */
void th_path_text_print(FILE *out, const struct th_model *model);

/* Print the attributes in the order in which they enter. An error without
 * memory. */
th_status th_path_text_print_entered(FILE *out, const struct th_model *model,
                                     struct th_error *err);

/* Print what was chosen, behind a label; nothing where nothing was. */
void th_path_text_chosen(FILE *out, const char *label,
                         const struct th_model *model);

#endif
