/* metrics.h - scores of predictions
 * SPDX-License-Identifier: MIT */
#ifndef TH_METRICS_H
#define TH_METRICS_H

#include "math/loss.h"
#include "model/model.h"

#include <stdbool.h>
#include <stdint.h>

/* The two values of a data set's targets, where it has exactly two. */
struct th_labels {
  bool two;
  double low;
  double high;
};

/* Look at `n` more targets; *labels begins as zeros with seen = 0 targets.
 * Local. */
void th_metrics_labels_add(struct th_labels *labels, int64_t seen,
                           const double *target, int64_t n);

/* NaN where a score is not defined. */
struct th_metrics {
  double mse;
  double r2; /* needs targets that are not all the same */
  /* these need a data set with exactly two values; the larger is positive */
  double auc; /* ties count half; needs examples of both */
  double accuracy;
  double log_loss;
  double relative_loss; /* th_metrics_relative_loss */
};

/* Rows with what was predicted for them; borrowed. */
struct th_metrics_rows {
  int64_t count;
  const double *predictor;
  const double *target;
  const double *weight; /* positive */
};

/* Scores of at least one linear predictor, but for relative_loss; a row counts
 * by its weight. Where they are not of the target itself, the prediction is the
 * expected target; mse and r2 then need two values too. Squared loss: accuracy
 * splits at the middle of the two values, log_loss maps them to 0 and 1 and
 * clips into [1e-15, 1 - 1e-15]; that of log odds is of the odds themselves.
 * auc orders by the predictors. Local. */
th_status th_metrics_compute(struct th_metrics *scores,
                             const struct th_metrics_rows *rows,
                             const struct th_labels *labels,
                             enum th_predictor kind, struct th_error *err);

/* Return the loss of the rows over the loss of the prediction 0 on them, both
 * with weights. NaN where that is 0 over 0 or not finite, and where the loss
 * needs two values and the data have others. Local. */
double th_metrics_relative_loss(const struct th_metrics_rows *rows,
                                const struct th_labels *labels,
                                const struct th_loss *loss);

/* 1 / (1 + exp(-z)) without overflow. Local. */
double th_metrics_probability(double z);

#endif
