/* selected.h - in which order a model's attributes were chosen, as text and as
 * JSON
 *
 * Local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_CLI_SELECTED_H
#define TH_CLI_SELECTED_H

#include "core/selected.h"

#include <jansson.h>
#include <stdio.h>

/* Add `selected`, and what is known with it: `remaining_bound`, `guarantee`,
 * `cost`, and the constants that were assumed. Nothing for a model that was not
 * chosen in an order. */
void th_selected_json(json_t *object, const struct th_selected *selection);

/* One line behind the label, where there is a guarantee. */
void th_selected_print(FILE *out, const char *label,
                       const struct th_selected *selection);

#endif
