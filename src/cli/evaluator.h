/* evaluator.h - a model applied to a data set, row group by row group
 * SPDX-License-Identifier: MIT */
#ifndef TH_EVALUATOR_H
#define TH_EVALUATOR_H

#include "cli/data.h"
#include "cli/match.h"
#include "core/model.h"
#include "core/source.h"

/* A model and the data that it is applied to. */
struct th_evaluator {
  struct th_model model;
  struct th_data data;
  struct th_rows rows; /* of the split */
};
/* The model and the data of `command`, evaluate, predict or verify; the model
 * is made one of these data (cli/match.h): part says what it needs of them.
 * Collective; always end with th_evaluator_close. TH_EDATA when the model is
 * for other attributes. */
th_status th_evaluator_open(struct th_evaluator *scoring,
                            const struct th_options *options,
                            const char *command, enum th_match_part part,
                            struct th_comm *comm, struct th_error *err);
void th_evaluator_close(struct th_evaluator *scoring);

/* What rank 0 learns of the rows, in stored order; empty on other ranks. */
struct th_evaluated {
  double *prediction; /* linear predictor */
  double *target;     /* zeros where the data have none */
  int64_t *row;       /* number in the input */
};
/* Collective; release with th_evaluator_free_evaluated. */
th_status th_evaluator_collect(struct th_evaluator *scoring,
                               struct th_comm *comm,
                               struct th_evaluated *scored,
                               struct th_error *err);
void th_evaluator_free_evaluated(struct th_evaluated *scored);

/* 1 / (1 + exp(-z)) without overflow. Local. */
double th_evaluator_probability(double z);
bool th_evaluator_is_logistic(const struct th_model *model);

#endif
