/* metrics.c - scores of predictions
 * SPDX-License-Identifier: MIT */
#include "math/metrics.h"

#include "base/elementary.h"
#include "base/memory.h"

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

struct scored_label {
  double score;
  double weight;
  bool positive;
};

struct scoring {
  const struct th_metrics_rows *rows;
  double weight;               /* of all rows */
  double error;                /* weighted sum of squares of what is missed */
  struct scored_label *sorted; /* by score, where targets have two values */
};

/* --- Of the target: the prediction is its expectation --------------------- */

static double expected_target(const struct scoring *s, int64_t i)
{
  const struct th_labels *labels = &s->rows->labels;
  double z = s->rows->predictor[i];
  if (s->rows->kind == TH_PREDICTS_TARGET)
    return z;
  if (s->rows->kind == TH_PREDICTS_LOG_MEAN)
    return th_exp(z);
  double p = s->rows->kind == TH_PREDICTS_ODDS ? th_metrics_probability(z)
                                               : fmin(fmax((1 + z) / 2, 0), 1);
  return labels->low + (labels->high - labels->low) * p;
}

static double squared_error(const struct scoring *s)
{
  double error = 0;
  for (int64_t i = 0; i < s->rows->count; i++) {
    double miss = s->rows->target[i] - expected_target(s, i);
    error += s->rows->weight[i] * miss * miss;
  }
  return error;
}

static double mse(const struct scoring *s)
{
  return s->error / s->weight;
}

/* Of targets that are not all the same. */
static double r2(const struct scoring *s)
{
  const double *target = s->rows->target;
  const double *weight = s->rows->weight;
  bool varies = false;
  double mean = 0;
  double spread = 0;
  for (int64_t i = 0; i < s->rows->count; i++) {
    varies |= target[i] != target[0];
    mean += weight[i] * target[i] / s->weight;
  }
  for (int64_t i = 0; i < s->rows->count; i++)
    spread += weight[i] * (target[i] - mean) * (target[i] - mean);
  return varies ? 1 - s->error / spread : NAN;
}

/* --- Of two values: the larger one is positive ---------------------------- */

/* The probability of the larger value: that of log odds, or of a squared loss
 * the place of the prediction between the two values, which may lie outside. */
static double high_of(const struct scoring *s, int64_t i)
{
  const struct th_labels *labels = &s->rows->labels;
  return (expected_target(s, i) - labels->low) / (labels->high - labels->low);
}

static bool positive(const struct scoring *s, int64_t i)
{
  return s->rows->target[i] == s->rows->labels.high;
}

static double accuracy(const struct scoring *s)
{
  double right = 0;
  for (int64_t i = 0; i < s->rows->count; i++)
    right += (high_of(s, i) > 0.5) == positive(s, i) ? s->rows->weight[i] : 0;
  return right / s->weight;
}

/* Of an example: of log odds it is log(1 + exp(-margin)), however far these are
 * from 0; of others that of the clipped probability. */
static double log_loss_of(const struct scoring *s, int64_t i)
{
  double z = s->rows->predictor[i];
  if (s->rows->kind == TH_PREDICTS_ODDS) {
    double margin = positive(s, i) ? z : -z;
    return fmax(-margin, 0) + th_log1p(th_exp(-fabs(margin)));
  }
  double p = fmin(fmax(high_of(s, i), clip), 1 - clip);
  return positive(s, i) ? -th_log(p) : -th_log1p(-p);
}

static double log_loss(const struct scoring *s)
{
  double loss = 0;
  for (int64_t i = 0; i < s->rows->count; i++)
    loss += s->rows->weight[i] * log_loss_of(s, i);
  return loss / s->weight;
}

/* The area under the curve, by the order of the predictors; NaN where rows have
 * one value only. Twice the number of pairs in the right order, a tie counting
 * one, a pair counting by the product of its weights: integers where weights
 * are, so that the order of equal scores does not matter. */
static double auc(const struct scoring *s)
{
  const struct scored_label *sorted = s->sorted;
  int64_t n = s->rows->count;
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

static int by_label_score(const void *a, const void *b)
{
  const struct scored_label *x = a;
  const struct scored_label *y = b;
  return (x->score > y->score) - (x->score < y->score);
}

static th_status sort_labels(struct scoring *s, struct th_error *err)
{
  int64_t n = s->rows->count;
  th_status rc = TH_NEW(&s->sorted, n, "sorting predictions", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t i = 0; i < n; i++)
    s->sorted[i] = (struct scored_label){s->rows->predictor[i],
                                         s->rows->weight[i], positive(s, i)};
  qsort(s->sorted, (size_t)n, sizeof *s->sorted, by_label_score);
  return TH_OK;
}

/* --- Of the model's loss -------------------------------------------------- */

/* The loss of the rows over the loss of the prediction 0 on them. NaN where
 * that is 0 over 0 or not finite, and where the loss needs two values and the
 * data have others. */
static double relative_loss(const struct scoring *s)
{
  const struct th_loss *loss = s->rows->loss;
  double mine = 0;
  double zero = 0;
  if (loss == NULL || (loss->labels && !s->rows->labels.two))
    return NAN;
  for (int64_t i = 0; i < s->rows->count; i++) {
    double label = positive(s, i) ? 1 : -1;
    double y = loss->labels ? label : s->rows->target[i];
    mine += s->rows->weight[i] * th_loss_value(loss, s->rows->predictor[i], y);
    zero += s->rows->weight[i] * th_loss_value(loss, 0, y);
  }
  return isfinite(mine / zero) ? mine / zero : NAN;
}

/* --- The table ------------------------------------------------------------ */

/* What a score is defined for: targets that the model predicts, perhaps by the
 * odds of two values; targets of two values; or it sees for itself. */
enum score_of { OF_TARGET, OF_LABELS, OF_LOSS };

static const struct {
  const char *name;
  enum score_of of;
  double (*compute)(const struct scoring *s);
} table[] = {
    {"mse", OF_TARGET, mse},
    {"r2", OF_TARGET, r2},
    {"auc", OF_LABELS, auc},
    {"accuracy", OF_LABELS, accuracy},
    {"log_loss", OF_LABELS, log_loss},
    {"relative_loss", OF_LOSS, relative_loss},
};
enum { COUNT = sizeof table / sizeof *table };
_Static_assert((int)COUNT <= (int)TH_METRICS_MOST, "too many scores");

static bool defined(const struct th_metrics_rows *rows, enum score_of of)
{
  bool numbers =
      rows->kind == TH_PREDICTS_TARGET || rows->kind == TH_PREDICTS_LOG_MEAN;
  return of == OF_LOSS || rows->labels.two || (of == OF_TARGET && numbers);
}

const char *th_metrics_name(int k)
{
  return k < COUNT ? table[k].name : NULL;
}

double th_metrics_score(const struct th_metrics *scores, const char *name)
{
  for (int k = 0; k < COUNT; k++)
    if (strcmp(table[k].name, name) == 0)
      return scores->score[k];
  return NAN;
}

th_status th_metrics_compute(struct th_metrics *scores,
                             const struct th_metrics_rows *rows,
                             struct th_error *err)
{
  struct scoring s = {.rows = rows};
  for (int64_t i = 0; i < rows->count; i++)
    s.weight += rows->weight[i];
  s.error = squared_error(&s);
  th_status rc = rows->labels.two ? sort_labels(&s, err) : TH_OK;
  if (rc != TH_OK)
    return rc;
  for (int k = 0; k < COUNT; k++)
    scores->score[k] = defined(rows, table[k].of) ? table[k].compute(&s) : NAN;
  free(s.sorted);
  return TH_OK;
}

double th_metrics_probability(double z)
{
  double e = th_exp(-fabs(z));
  return z >= 0 ? 1 / (1 + e) : e / (1 + e);
}
