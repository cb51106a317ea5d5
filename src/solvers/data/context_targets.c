/* context_targets.c - how targets and weights are presented to solvers
 * SPDX-License-Identifier: MIT */
#include "solvers/data/context_parts.h"

#include "core/elementary.h"
#include "solvers/solver_table.h"

#include <math.h>

enum { SCAN_ROWS = 4096 };

/* What one scan over the training targets finds. */
struct scan {
  double weight;
  double unit;    /* of weights with mean 1 */
  double squares; /* of these */
  double weighted_sum;
  double lowest;
  double highest;
  double weight_high; /* of the examples with the highest target */
  int64_t between;    /* examples with neither the lowest nor the highest */
  double second;      /* moments about the mean, in units of the range */
  double fourth;
  bool began;
};

static void scan_one(struct scan *scan, double y, double w)
{
  if (!scan->began) {
    scan->lowest = y;
    scan->highest = y;
    scan->began = true;
  }
  scan->weight += w;
  scan->weighted_sum += w * y;
  scan->lowest = fmin(scan->lowest, y);
  scan->highest = fmax(scan->highest, y);
}

static void scan_values(struct scan *scan, double y, double w)
{
  scan->squares += w * scan->unit * (w * scan->unit);
  if (y == scan->highest)
    scan->weight_high += w;
  else if (y != scan->lowest)
    scan->between++;
  if (!(scan->highest > scan->lowest))
    return;
  double z =
      (y - scan->weighted_sum / scan->weight) / (scan->highest - scan->lowest);
  scan->second += w * z * z;
  scan->fourth += w * z * z * z * z;
}

/* Two passes over the training targets, in stored order. Local. */
static th_status scan_targets(struct th_source *source, struct scan *scan,
                              struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(source);
  double target[SCAN_ROWS];
  double weight[SCAN_ROWS];
  for (int pass = 0; pass < 2; pass++) {
    scan->unit = (double)shape->training / scan->weight;
    for (int64_t first = 0; first < shape->training; first += SCAN_ROWS) {
      int64_t count = shape->training - first;
      count = count < SCAN_ROWS ? count : SCAN_ROWS;
      struct th_rows rows = {first, count};
      th_status rc = th_source_targets(source, rows, target, weight, err);
      if (rc != TH_OK)
        return rc;
      for (int64_t i = 0; i < count; i++)
        (pass == 0 ? scan_one : scan_values)(scan, target[i], weight[i]);
    }
  }
  return TH_OK;
}

/* Two values, as -1 and +1. */
static th_status take_labels(struct th_context *context,
                             const struct scan *scan, struct th_error *err)
{
  struct th_target *target = &context->target;
  const struct th_loss *loss = context->loss;
  double share = scan->weight_high / scan->weight;
  if (scan->lowest == scan->highest)
    return th_fail(err, TH_EDATA,
                   "the target is %g for every training example; a %s loss "
                   "needs two values",
                   scan->lowest, loss->name);
  if (scan->between > 0)
    return th_fail(err, TH_EDATA,
                   "the target has more than two values, and a %s loss needs "
                   "exactly two; import with {positive-class} A, such as %g, "
                   "for A against all others, or take {loss} squared",
                   loss->name, scan->highest);
  if (!(share > 0 && share < 1))
    return th_fail(err, TH_EDATA,
                   "all examples with a positive weight have the same "
                   "target; a %s loss needs two values",
                   loss->name);
  target->low = scan->lowest;
  target->high = scan->highest;
  target->largest = 1;
  target->offset = context->config->intercept ? th_log(share / (1 - share)) : 0;
  target->worst =
      fmax(loss->value(target->offset, 1), loss->value(target->offset, -1));
  return TH_OK;
}

/* Numbers, less their mean where there is an intercept. */
static th_status take_numbers(struct th_context *context,
                              const struct scan *scan, struct th_error *err)
{
  struct th_target *target = &context->target;
  double square = scan->between > 0 ? scan->second * scan->second : 0;
  double reach = fmax(fabs(scan->lowest), fabs(scan->highest));
  if (context->config->intercept)
    target->shift = scan->weighted_sum / scan->weight;
  target->low = scan->lowest;
  target->high = scan->highest;
  target->kurtosis = square > 0 ? scan->weight * scan->fourth / square : 0;
  target->largest = fmax(fabs(scan->lowest - target->shift),
                         fabs(scan->highest - target->shift));
  target->worst = context->loss->value(0, target->largest);
  if (!(reach <= TH_LARGEST_VALUE))
    return th_fail(err, TH_EDATA,
                   "the targets reach %g: too large for products of squares; "
                   "divide them by a constant",
                   reach);
  if (reach > 0 && reach < TH_SMALLEST_VALUE)
    return th_fail(err, TH_EDATA,
                   "the targets stay within %g: too small for products of "
                   "squares; multiply them by a constant",
                   reach);
  return TH_OK;
}

/* Evidence is counted in examples of equal weight (Kish 1965): with weights
 * whose sum is that of their squares, the sum of weighted products has the
 * variance that the weights add up to. */
static void take_unit(struct th_context *context, const struct scan *scan)
{
  double n = (double)th_source_shape(context->source)->training;
  bool evidence = context->solver->why_truth != NULL;
  double share = evidence ? n / scan->squares : 1;
  context->target.weight_unit = scan->unit * share;
  context->target.counted = n * share;
}

th_status th_context_take_targets(struct th_context *context,
                                  struct th_error *err)
{
  struct scan scan = {0};
  th_status rc = scan_targets(context->source, &scan, err);
  if (rc != TH_OK)
    return rc;
  if (!(scan.weight > 0))
    return th_fail(err, TH_EDATA,
                   "the weights of the training examples add "
                   "up to nothing; give some a positive weight");
  take_unit(context, &scan);
  context->target.labels = context->loss->labels;
  return (context->loss->labels ? take_labels : take_numbers)(context, &scan,
                                                              err);
}

th_status th_context_targets(struct th_context *context, struct th_rows rows,
                             double *target, double *weight,
                             struct th_error *err)
{
  const struct th_target *t = &context->target;
  th_status rc = th_source_targets(context->source, rows, target, weight, err);
  for (int64_t i = 0; i < rows.count && rc == TH_OK; i++) {
    target[i] =
        t->labels ? (target[i] == t->high ? 1 : -1) : target[i] - t->shift;
    weight[i] *= t->weight_unit;
  }
  return rc;
}

th_status th_context_piece_targets(struct th_context *context,
                                   const struct th_pieces *pieces,
                                   double *target, double *weight,
                                   struct th_error *err)
{
  int64_t at = 0;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < pieces->count && rc == TH_OK; k++) {
    struct th_rows rows = pieces->items[k];
    rc = th_context_targets(context, rows, target + at, weight + at, err);
    at += rows.count;
  }
  return rc;
}

static th_status all_targets(struct th_context *context, double *target,
                             double *weight, struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  th_status rc = TH_OK;
  for (int64_t first = 0; first < shape->training && rc == TH_OK;) {
    struct th_rows rows = th_shape_rest(shape, first);
    rc = th_context_targets(context, rows, target + first, weight + first, err);
    first += rows.count;
  }
  return rc;
}

th_status th_context_all_examples(struct th_context *context, double *target,
                                  double *eta, struct th_error *err)
{
  int64_t n = th_source_shape(context->source)->training;
  th_status rc = all_targets(context, target, eta, err);
  for (int64_t i = 0; i < n; i++)
    eta[i] /= (double)n;
  return rc;
}
