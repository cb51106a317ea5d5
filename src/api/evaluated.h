/* evaluated.h - models applied to data, row group by row group
 * SPDX-License-Identifier: MIT */
#ifndef TH_EVALUATED_H
#define TH_EVALUATED_H

#include "api/data.h"
#include "math/metrics.h"
#include "model/model.h"

/* Predictions of some models and targets of rows, in stored order. */
struct th_evaluated {
  int64_t count;
  int64_t models;
  int64_t stride;     /* from a model's predictions to those of the next */
  double *prediction; /* linear predictors: th_evaluated_of */
  double *target;     /* zeros if the data have none */
  double *weight;     /* likewise */
  int64_t *row;       /* number in the input */
};

/* The predictions of a model, by its number. Local. */
static inline double *th_evaluated_of(const struct th_evaluated *evaluated,
                                      int64_t number)
{
  return evaluated->prediction + number * evaluated->stride;
}

/* Some models; borrowed. */
struct th_models {
  const struct th_model *model;
  int64_t count;
};

/* Apply models of these data to rows of them, in one pass, unless they have
 * different means for a value that is missing. keep: this rank gets the
 * results; otherwise its arrays are empty. Collective; release with
 * th_evaluated_free, also after a failure. */
th_status th_evaluated_collect(struct th_evaluated *evaluated,
                               struct th_models models, struct th_data *data,
                               struct th_rows rows, bool keep,
                               struct th_comm *comm, struct th_error *err);
/* Local. */
void th_evaluated_free(struct th_evaluated *evaluated);

/* How the model's linear predictor relates to a target. Local. */
enum th_predictor th_evaluated_predictor(const struct th_model *model);

/* Leave out of this rank's results the rows of weight 0, which are not there.
 * `unweighted`: count every other row once. Local. An error if none is left. */
th_status th_evaluated_weigh(struct th_evaluated *evaluated, bool unweighted,
                             struct th_error *err);

/* Scores of this rank's results of the model with that number, by the weights
 * that th_evaluated_weigh has left. Local. */
th_status th_evaluated_scores(const struct th_evaluated *evaluated,
                              int64_t number, const struct th_model *model,
                              const struct th_data *data,
                              struct th_metrics *scores, struct th_error *err);

#endif
