/* metrics.c - scores of predictions
 * SPDX-License-Identifier: MIT */
#include "api/metrics.h"

#include "core/elementary.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
  const double *predictor;
  enum th_predictor kind;
  double low;
  double high;
};

/* The expected target of an example. */
static double expect(const struct expected *e, int64_t i)
{
  double z = e->predictor[i];
  if (e->kind == TH_PREDICTS_TARGET)
    return z;
  double p = e->kind == TH_PREDICTS_ODDS ? th_metrics_probability(z)
                                         : fmin(fmax((1 + z) / 2, 0), 1);
  return e->low + (e->high - e->low) * p;
}

static void score_values(struct th_metrics *scores, const double *target,
                         const struct expected *e, int64_t n)
{
  double mean = 0;
  double error = 0;
  double spread = 0;
  for (int64_t i = 0; i < n; i++)
    mean += target[i] / (double)n;
  for (int64_t i = 0; i < n; i++) {
    double miss = target[i] - expect(e, i);
    error += miss * miss;
    spread += (target[i] - mean) * (target[i] - mean);
  }
  scores->mse = error / (double)n;
  bool varies = false;
  for (int64_t i = 1; i < n && !varies; i++)
    varies = target[i] != target[0];
  if (varies)
    scores->r2 = 1 - error / spread;
}

static void score_labels(struct th_metrics *scores, const double *target,
                         const struct expected *e, int64_t n)
{
  int64_t right = 0;
  double loss = 0;
  for (int64_t i = 0; i < n; i++) {
    bool positive = target[i] == e->high;
    double p = (expect(e, i) - e->low) / (e->high - e->low);
    right += (p > 0.5) == positive;
    p = fmin(fmax(p, clip), 1 - clip);
    loss -= positive ? th_log(p) : th_log1p(-p);
  }
  scores->accuracy = (double)right / (double)n;
  scores->log_loss = loss / (double)n;
}

struct scored_label {
  double score;
  bool positive;
};

static int by_score(const void *a, const void *b)
{
  const struct scored_label *x = a;
  const struct scored_label *y = b;
  return (x->score > y->score) - (x->score < y->score);
}

/* Twice the number of pairs in the right order, a tie counting one: integers,
 * so that the order of equal scores does not matter. */
static double area(const struct scored_label *sorted, int64_t n)
{
  double twice = 0;
  int64_t below = 0; /* negatives with a smaller score */
  int64_t positives = 0;
  for (int64_t first = 0, last; first < n; first = last) {
    int64_t here = 0;
    for (last = first; last < n && sorted[last].score == sorted[first].score;
         last++)
      here += sorted[last].positive;
    int64_t negatives = last - first - here;
    twice += (double)here * (double)(2 * below + negatives);
    below += negatives;
    positives += here;
  }
  return twice / (2.0 * (double)positives * (double)below);
}

static th_status score_order(struct th_metrics *scores, const double *target,
                             const struct expected *e, int64_t n,
                             struct th_error *err)
{
  struct scored_label *sorted = NULL;
  th_status rc = TH_NEW(&sorted, n, "sorting predictions", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < n; i++)
    sorted[i] = (struct scored_label){e->predictor[i], target[i] == e->high};
  qsort(sorted, (size_t)n, sizeof *sorted, by_score);
  scores->auc = area(sorted, n);
  free(sorted);
  return TH_OK;
}

th_status th_metrics_compute(struct th_metrics *scores, const double *target,
                             const double *predictor, int64_t n,
                             const struct th_labels *labels,
                             enum th_predictor kind, struct th_error *err)
{
  struct expected e = {.predictor = predictor,
                       .kind = kind,
                       .low = labels->low,
                       .high = labels->high};
  *scores = (struct th_metrics){NAN, NAN, NAN, NAN, NAN, NAN};
  if (labels->two || kind == TH_PREDICTS_TARGET)
    score_values(scores, target, &e, n);
  if (!labels->two)
    return TH_OK;
  score_labels(scores, target, &e, n);
  return score_order(scores, target, &e, n, err);
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
