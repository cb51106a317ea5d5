/* bounds.h - bounds of coefficients in options: a number for all attributes, or
 * a list or a file of some
 * SPDX-License-Identifier: MIT */
#ifndef TH_BOUNDS_H
#define TH_BOUNDS_H

#include "api/attribute_list.h"
#include "model/model.h"
#include "solvers/config.h"

/* What options name, for as long as a configuration refers to it. Zeroed: none.
 */
struct th_bounds {
  int64_t *attribute[2]; /* of lists: below, above */
  double *value[2];
};

/* Read {lower}, {upper} and {positive} of a configuration into its bounds.
 * output: see struct th_attribute_file. Collective. An error where a bound is
 * on the wrong side of 0, and those of th_attribute_list. Release with
 * th_bounds_free, also after a failure. */
th_status th_bounds_read(struct th_bounds *bounds,
                         struct th_config_group *group, const char *output,
                         struct th_data *data, struct th_comm *comm,
                         struct th_error *err);
/* Local. */
void th_bounds_free(struct th_bounds *bounds);

/* Put the bounds into a model's deck: numbers as they are, and lists as such.
 * Local. */
th_status th_bounds_put(const struct th_config_group *group,
                        struct th_model *model, struct th_error *err);

#endif
