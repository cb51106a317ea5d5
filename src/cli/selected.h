/* selected.h - in which order a model's attributes were chosen, as text and as
 * JSON
 *
 * Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_SELECTED_H
#define TH_CLI_SELECTED_H

#include "core/model.h"

#include <jansson.h>
#include <stdio.h>

/* Add `selected`, and what is known with it: `remaining_bound` and `guarantee`,
 * which are null where they rest on what is assumed; the same `if_assumed`;
 * `cost`; the constants and where they come from. Nothing for a model that was
 * not chosen in an order. */
void th_selected_json(json_t *object, const struct th_model *model);

/* Lines behind the label, where there is a guarantee. */
void th_selected_print(FILE *out, const char *label,
                       const struct th_model *model);

#endif
