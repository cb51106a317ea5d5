/* match.h - finds the attributes of a model in other data, by name
 * SPDX-License-Identifier: MIT */
#ifndef TH_MATCH_H
#define TH_MATCH_H

#include "api/data.h"
#include "model/model.h"

/* Which of a model's attributes the data must have. */
enum th_match_part { TH_MATCH_SUPPORT, TH_MATCH_ALL };

/* If model and data have names, and these differ, match by name: the support
 * gets the numbers that its attributes have in the data, and the model gets as
 * many attributes as the data. Otherwise nothing changes, and the caller checks
 * that the numbers of attributes agree. Covariates go by their names; an error
 * where the model has some, and the data do not have these. path: of the model.
 * The data's `note` reports a match. Collective. An error if the data do not
 * have a name, or have it more than once. Where A1 and A2 of a variant have
 * changed places, its coefficient and mean are turned, and the intercept; other
 * alleles are an error. With TH_MATCH_ALL also if alleles have changed places,
 * the data have other attributes outside the support, or if the model has
 * groups. Without names, too, a member is refused that import has left out of
 * the data, as too many of its values are missing.
 *
 * Where attributes are indices of sparse text, and those of model or data are
 * called so, an index that does not occur in the data is 0 there, and leaves
 * the model; an error if none occurs. */
th_status th_match(struct th_model *model, struct th_data *data,
                   enum th_match_part part, const char *path,
                   struct th_comm *comm, struct th_error *err);

/* True if the data have names. Local, replicated. */
bool th_match_named(const struct th_data *data);

/* True if they are indices of sparse text. Local, replicated. */
bool th_match_indexed(const struct th_data *data);

/* The numbers of attributes by their names in data that have some. `where`
 * opens the message of a failure. Collective. */
th_status th_match_names(struct th_data *data, char *const *name, int64_t count,
                         int64_t *attribute, const char *where,
                         struct th_comm *comm, struct th_error *err);

/* Give a model of these data the names of its attributes, and what is known of
 * their text, on rank 0. Collective. */
th_status th_match_label(struct th_model *model, struct th_data *data,
                         struct th_comm *comm, struct th_error *err);

#endif
