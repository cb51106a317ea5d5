/* evaluated.h - a model applied to data, row group by row group
 * SPDX-License-Identifier: MIT */
#ifndef TH_EVALUATED_H
#define TH_EVALUATED_H

#include "api/data.h"
#include "api/metrics.h"
#include "model/model.h"

/* Predictions and targets of rows, in stored order. */
struct th_evaluated {
  int64_t count;
  double *prediction; /* linear predictor */
  double *target;     /* zeros if the data have none */
  double *weight;     /* likewise */
  int64_t *row;       /* number in the input */
};

/* Apply a model of these data to rows of them. keep: this rank gets the
 * results; otherwise its arrays are empty. Collective; release with
 * th_evaluated_free, also after a failure. */
th_status th_evaluated_collect(struct th_evaluated *evaluated,
                               const struct th_model *model,
                               struct th_data *data, struct th_rows rows,
                               bool keep, struct th_comm *comm,
                               struct th_error *err);
/* Local. */
void th_evaluated_free(struct th_evaluated *evaluated);

/* How the model's linear predictor relates to a target. Local. */
enum th_predictor th_evaluated_predictor(const struct th_model *model);

/* Leave out of this rank's results the rows of weight 0, which are not there.
 * `unweighted`: count every other row once. Local. An error if none is left. */
th_status th_evaluated_weigh(struct th_evaluated *evaluated, bool unweighted,
                             struct th_error *err);

/* Scores of this rank's results, by the weights that th_evaluated_weigh has
 * left. Local. */
th_status th_evaluated_scores(const struct th_evaluated *evaluated,
                              const struct th_model *model,
                              const struct th_data *data,
                              struct th_metrics *scores, struct th_error *err);

#endif
