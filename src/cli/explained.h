/* explained.h - mu_S of a model's support, on a data set (inspect --data)
 * SPDX-License-Identifier: MIT */
#ifndef TH_EXPLAINED_H
#define TH_EXPLAINED_H

#include "cli/options/options.h"
#include "core/model.h"

#include <jansson.h>

/* mu_S and who has it; data NULL: not asked for. */
struct th_explained {
  const char *data; /* the file; borrowed */
  double mu;
  int64_t attribute; /* of the data; -1: S has all of them */
};

/* Compute it on the training examples of options->data_of_model, or note that
 * it was not asked for. A model without attributes has 0. The model's support
 * gets the numbers of the data. Collective. TH_EDATA for a model of other
 * attributes, and failures of th_irrepresentable_find. Also TH_EUSAGE,
 * TH_EARG, TH_EBUDGET, TH_ENUMERIC, TH_EFORMAT, TH_EIO, TH_ENOMEM. */
th_status th_explained_find(struct th_explained *explained,
                            struct th_model *model,
                            const struct th_options *options,
                            struct th_comm *comm, struct th_error *err);

/* Add mu and mu_attribute; print them. Nothing where not asked for. Local. */
void th_explained_json(json_t *object, const struct th_explained *explained);
void th_explained_print(const struct th_explained *explained);

#endif
