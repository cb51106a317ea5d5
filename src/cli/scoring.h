/* scoring.h - a model applied to a data set, row group by row group
 * SPDX-License-Identifier: MIT */
#ifndef TH_SCORING_H
#define TH_SCORING_H

#include "cli/data.h"
#include "core/model.h"
#include "core/source.h"

/* A model and the data that it is applied to. */
struct th_scoring {
  struct th_model model;
  struct th_data data;
  struct th_rows rows; /* of the split */
};
/* The model and the data of `command`, evaluate or predict. Collective; always
 * end with th_scoring_close. TH_EDATA when the model is for other attributes.
 */
th_status th_scoring_open(struct th_scoring *scoring,
                          const struct th_options *options, const char *command,
                          struct th_comm *comm, struct th_error *err);
void th_scoring_close(struct th_scoring *scoring);

/* What rank 0 learns of the rows, in stored order; empty on other ranks. */
struct th_scored {
  double *prediction; /* linear predictor */
  double *target;     /* zeros where the data have none */
  int64_t *row;       /* number in the input */
};
/* Collective; release with th_scored_free. */
th_status th_scoring_collect(struct th_scoring *scoring, struct th_comm *comm,
                             struct th_scored *scored, struct th_error *err);
void th_scored_free(struct th_scored *scored);

/* 1 / (1 + exp(-z)) without overflow. Local. */
double th_probability(double z);
bool th_is_logistic(const struct th_model *model);

#endif
