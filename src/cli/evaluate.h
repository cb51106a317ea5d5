/* evaluate.h - a model and the data that a command applies it to
 * SPDX-License-Identifier: MIT */
#ifndef TH_EVALUATE_H
#define TH_EVALUATE_H

#include "api/data.h"
#include "api/match.h"
#include "cli/options/options.h"
#include "model/model.h"

/* A model and the data that it is applied to. */
struct th_evaluator {
  struct th_model model;
  struct th_data data;
  struct th_rows rows; /* of the split */
};
/* Open the model and the data of `command`: evaluate, predict or verify. The
 * model's attributes are matched to the data (api/match.h); part says which
 * ones must be there. Collective; always end with th_evaluate_close. An error
 * when the model is for other attributes. */
th_status th_evaluate_open(struct th_evaluator *evaluator,
                           const struct th_options *options,
                           const char *command, enum th_match_part part,
                           struct th_comm *comm, struct th_error *err);
void th_evaluate_close(struct th_evaluator *evaluator);

#endif
