/* covered.h - covariates: attributes of a table beside those of a data set
 *
 * A column of the table is an attribute, and one of words is one for each word,
 * as import has it. Rows belong to examples by their IDs. Where a value is
 * missing, or an example has no row, the mean of the training examples stands.
 * They have no penalty. The table is imported once, and kept as files are that
 * are trained on (io/kept/kept.h).
 * SPDX-License-Identifier: MIT */
#ifndef TH_COVERED_H
#define TH_COVERED_H

#include "api/covariate_table.h"
#include "api/data.h"
#include "model/model.h"

/* Put the covariates beside the attributes of open data, whose cells are
 * placed: the data's store is another one from now on. With models these are
 * theirs: all that have some have the same ones, and a set of columns for each
 * that has other means. What was matched is noted. Collective. An error where
 * nothing matches, as of th_targets_join; and where no training example has a
 * value. */
th_status th_covered_open(struct th_data *data, const struct th_covering *how,
                          struct th_comm *comm, struct th_error *err);

/* What the data's covariates are; NULL: there are none. Replicated, local. */
const struct th_covariates *th_covered_of(const struct th_data *data);

/* The names of ascending attributes, if the data have names; see
 * th_dataset_names_of. Local. */
th_status th_covered_names_of(struct th_data *data, const int64_t *attribute,
                              int64_t count, char **name, struct th_error *err);

/* The first attribute of those that a model has; -1: the data do not have them.
 * Replicated, local. */
int64_t th_covered_first(const struct th_data *data,
                         const struct th_covariates *covariates);

#endif
