/* metrics.h - scores of predictions
 * SPDX-License-Identifier: MIT */
#ifndef TH_METRICS_H
#define TH_METRICS_H

#include "base/error.h"
#include "math/loss.h"

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

/* What is scored: rows with what was predicted for them; borrowed. */
struct th_metrics_rows {
  int64_t count; /* at least one */
  const double *predictor;
  const double *target;
  const double *weight; /* positive: what a row counts */
  enum th_predictor kind;
  struct th_labels labels;    /* of the data set */
  const struct th_loss *loss; /* of the model; NULL: not of the table */
};

enum { TH_METRICS_MOST = 16 };

/* Scores in the order of their table (metrics.c); NaN where one is not defined.
 */
struct th_metrics {
  double score[TH_METRICS_MOST];
};

/* Return the name of score k, or NULL where there are no more. Local. */
const char *th_metrics_name(int k);

/* Return a score by its name, which is one of the table. Local. */
double th_metrics_score(const struct th_metrics *scores, const char *name);

/* Local. */
th_status th_metrics_compute(struct th_metrics *scores,
                             const struct th_metrics_rows *rows,
                             struct th_error *err);

/* 1 / (1 + exp(-z)) without overflow. Local. */
double th_metrics_probability(double z);

#endif
