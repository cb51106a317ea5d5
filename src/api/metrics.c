/* metrics.c - scores of predictions
 * SPDX-License-Identifier: MIT */
#include "api/metrics.h"

#include "base/elementary.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

static const double clip = 1e-15;

void th_metrics_labels_add(struct th_labels *labels, int64_t seen,
                           const double *target, int64_t n)
{
  for (int64_t i = 0; i < n; i++) {
    double y = target[i];
    bool first = seen + i == 0;
    bool third = labels->two && y != labels->low && y != labels->high;
    if (first || (labels->low == labels->high && !labels->two)) {
      labels->low = first ? y : fmin(labels->low, y);
      labels->high = first ? y : fmax(labels->high, y);
      labels->two = labels->low < labels->high;
    } else if (third) {
      labels->two = false; /* and stays false, since low < high */
    }
  }
}

struct expected {
  const struct th_metrics_rows *rows;
  double weight; /* of all rows */
  enum th_predictor kind;
  double low;
  double high;
};

/* The expected target of an example. */
static double expected_target(const struct expected *e, int64_t i)
{
  double z = e->rows->predictor[i];
  if (e->kind == TH_PREDICTS_TARGET)
    return z;
  double p = e->kind == TH_PREDICTS_ODDS ? th_metrics_probability(z)
                                         : fmin(fmax((1 + z) / 2, 0), 1);
  return e->low + (e->high - e->low) * p;
}

static void score_values(struct th_metrics *scores, const struct expected *e)
{
  const double *target = e->rows->target;
  const double *weight = e->rows->weight;
  int64_t n = e->rows->count;
  double mean = 0;
  double error = 0;
  double spread = 0;
  for (int64_t i = 0; i < n; i++)
    mean += weight[i] * target[i] / e->weight;
  for (int64_t i = 0; i < n; i++) {
    double miss = target[i] - expected_target(e, i);
    error += weight[i] * miss * miss;
    spread += weight[i] * (target[i] - mean) * (target[i] - mean);
  }
  scores->mse = error / e->weight;
  bool varies = false;
  for (int64_t i = 1; i < n && !varies; i++)
    varies = target[i] != target[0];
  if (varies)
    scores->r2 = 1 - error / spread;
}

/* The log loss of an example: of log odds it is log(1 + exp(-margin)), however
 * far these are from 0; of others that of the clipped probability p. */
static double log_loss(const struct expected *e, int64_t i, bool positive,
                       double p)
{
  if (e->kind == TH_PREDICTS_ODDS) {
    double margin = positive ? e->rows->predictor[i] : -e->rows->predictor[i];
    return fmax(-margin, 0) + th_log1p(th_exp(-fabs(margin)));
  }
  p = fmin(fmax(p, clip), 1 - clip);
  return positive ? -th_log(p) : -th_log1p(-p);
}

static void score_labels(struct th_metrics *scores, const struct expected *e)
{
  double right = 0;
  double loss = 0;
  for (int64_t i = 0; i < e->rows->count; i++) {
    bool positive = e->rows->target[i] == e->high;
    double weight = e->rows->weight[i];
    double p = (expected_target(e, i) - e->low) / (e->high - e->low);
    right += (p > 0.5) == positive ? weight : 0;
    loss += weight * log_loss(e, i, positive, p);
  }
  scores->accuracy = right / e->weight;
  scores->log_loss = loss / e->weight;
}

struct scored_label {
  double score;
  double weight;
  bool positive;
};

static int by_label_score(const void *a, const void *b)
{
  const struct scored_label *x = a;
  const struct scored_label *y = b;
  return (x->score > y->score) - (x->score < y->score);
}

/* Twice the number of pairs in the right order, a tie counting one, a pair
 * counting by the product of its weights: integers where weights are, so that
 * the order of equal scores does not matter. */
static double area(const struct scored_label *sorted, int64_t n)
{
  double twice = 0;
  double below = 0; /* negatives with a smaller score */
  double positives = 0;
  for (int64_t first = 0, last; first < n; first = last) {
    double here = 0;
    double negatives = 0;
    for (last = first; last < n && sorted[last].score == sorted[first].score;
         last++)
      *(sorted[last].positive ? &here : &negatives) += sorted[last].weight;
    twice += here * (2 * below + negatives);
    below += negatives;
    positives += here;
  }
  return twice / (2.0 * positives * below);
}

static th_status score_order(struct th_metrics *scores,
                             const struct expected *e, struct th_error *err)
{
  const struct th_metrics_rows *rows = e->rows;
  int64_t n = rows->count;
  struct scored_label *sorted = NULL;
  th_status rc = TH_NEW(&sorted, n, "sorting predictions", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < n; i++)
    sorted[i] = (struct scored_label){rows->predictor[i], rows->weight[i],
                                      rows->target[i] == e->high};
  qsort(sorted, (size_t)n, sizeof *sorted, by_label_score);
  scores->auc = area(sorted, n);
  free(sorted);
  return TH_OK;
}

th_status th_metrics_compute(struct th_metrics *scores,
                             const struct th_metrics_rows *rows,
                             const struct th_labels *labels,
                             enum th_predictor kind, struct th_error *err)
{
  struct expected e = {
      .rows = rows, .kind = kind, .low = labels->low, .high = labels->high};
  *scores = (struct th_metrics){NAN, NAN, NAN, NAN, NAN, NAN};
  for (int64_t i = 0; i < rows->count; i++)
    e.weight += rows->weight[i];
  if (labels->two || kind == TH_PREDICTS_TARGET)
    score_values(scores, &e);
  if (!labels->two)
    return TH_OK;
  score_labels(scores, &e);
  return score_order(scores, &e, err);
}

double th_metrics_relative_loss(const struct th_metrics_rows *rows,
                                const struct th_labels *labels,
                                const struct th_loss *loss)
{
  double mine = 0;
  double zero = 0;
  if (loss->labels && !labels->two)
    return NAN;
  for (int64_t i = 0; i < rows->count; i++) {
    double y = rows->target[i];
    if (loss->labels)
      y = y == labels->high ? 1 : -1;
    mine += rows->weight[i] * loss->value(rows->predictor[i], y);
    zero += rows->weight[i] * loss->value(0, y);
  }
  return isfinite(mine / zero) ? mine / zero : NAN;
}

double th_metrics_probability(double z)
{
  double e = th_exp(-fabs(z));
  return z >= 0 ? 1 / (1 + e) : e / (1 + e);
}
