/* context.c - what every solver works with: ranks, data, targets, scaling
 * SPDX-License-Identifier: MIT */
#include "solvers/context.h"

#include "core/memory.h"
#include "solvers/weighted.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  SCAN_ROWS = 4096,
  SCAN_ATTRIBUTES = 256 * TH_CELL, /* statistics at a time */
  NOTICE_TEXT = 256
};

/* A bound must hold for every stored value in spite of rounding. */
static const double bound_slack = 1.000001;

/* What one scan over the training targets finds. */
struct scan {
  double weight;
  double weighted_sum;
  double lowest;
  double highest;
  double weight_high; /* of the examples with the highest target */
  int64_t between;    /* examples with neither the lowest nor the highest */
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
  if (y == scan->highest)
    scan->weight_high += w;
  else if (y != scan->lowest)
    scan->between++;
}

/* Two passes over the training targets, in stored order. Local. */
static th_status scan_targets(struct th_source *source, struct scan *scan,
                              struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(source);
  double target[SCAN_ROWS];
  double weight[SCAN_ROWS];
  for (int pass = 0; pass < 2; pass++)
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
  return TH_OK;
}

static th_status present_targets(struct th_context *context,
                                 struct th_error *err)
{
  struct th_target *target = &context->target;
  const struct th_shape *shape = th_source_shape(context->source);
  struct scan scan = {0};
  th_status rc = scan_targets(context->source, &scan, err);
  if (rc != TH_OK)
    return rc;
  if (!(scan.weight > 0))
    return th_fail(err, TH_EDATA,
                   "the weights of the training examples add "
                   "up to nothing; give some a positive weight");
  if (scan.lowest == scan.highest && context->loss->labels)
    return th_fail(err, TH_EDATA,
                   "the target is %g for every training example; a %s loss "
                   "needs two values",
                   scan.lowest, context->loss->name);
  if (scan.between > 0 && context->loss->labels)
    return th_fail(err, TH_EDATA,
                   "the target has more than two values; a %s loss needs "
                   "exactly two (try --loss squared)",
                   context->loss->name);
  target->weight_unit = (double)shape->training / scan.weight;
  target->labels = context->loss->labels;
  target->low = scan.lowest;
  target->high = scan.highest;
  if (target->labels) {
    double share = scan.weight_high / scan.weight;
    if (!(share > 0 && share < 1))
      return th_fail(err, TH_EDATA,
                     "all examples with a positive weight have the same "
                     "target; a %s loss needs two values",
                     context->loss->name);
    target->largest = 1;
    target->offset = context->config->intercept ? log(share / (1 - share)) : 0;
    target->worst = fmax(context->loss->value(target->offset, 1),
                         context->loss->value(target->offset, -1));
    return TH_OK;
  }
  if (context->config->intercept)
    target->shift = scan.weighted_sum / scan.weight;
  target->largest = fmax(fabs(scan.lowest - target->shift),
                         fabs(scan.highest - target->shift));
  target->worst = context->loss->value(0, target->largest);
  if (!isfinite(target->worst))
    return th_fail(err, TH_EDATA,
                   "the targets reach %g, and their squares infinity; divide "
                   "them by a constant",
                   target->largest);
  return TH_OK;
}

/* A free intercept makes up for a centre that is not subtracted, but not for a
 * scale. */
void th_context_scale(struct th_context *context, const struct th_statistics *s,
                      int64_t a)
{
  double centre = context->centred ? s->mean : 0;
  double spread = s->deviation;
  bool constant = s->lowest == s->highest || !(spread > 0);
  if (!context->config->intercept)
    spread = sqrt(s->deviation * s->deviation + s->mean * s->mean);
  double scale = context->config->standardize ? 1 / spread : 1;
  context->centre[a] = centre;
  context->scale[a] = constant ? 0 : scale;
  double reach = fmax(fabs(s->highest - centre), fabs(s->lowest - centre));
  context->bound[a] = constant ? 0 : reach * scale * bound_slack;
}

/* Local. */
static th_status scale_attributes(struct th_context *context,
                                  struct th_error *err)
{
  struct th_range owned = context->owned;
  int64_t count = owned.last - owned.first;
  struct th_statistics *statistics = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&context->centre, count, "attribute means", err));
  TH_TRY(TH_NEW(&context->scale, count, "attribute scales", err));
  TH_TRY(TH_NEW(&context->bound, count, "attribute bounds", err));
  int64_t room = count < SCAN_ATTRIBUTES ? count : SCAN_ATTRIBUTES;
  TH_TRY(TH_NEW(&statistics, room, "attribute statistics", err));
  for (int64_t first = 0; first < count; first += SCAN_ATTRIBUTES) {
    struct th_range all = {owned.first + first,
                           owned.first + first + SCAN_ATTRIBUTES};
    struct th_range part = th_range_meet(all, owned);
    TH_TRY(th_source_statistics(context->source, part, statistics, err));
    for (int64_t a = 0; a < part.last - part.first; a++)
      th_context_scale(context, &statistics[a], first + a);
  }
done:
  free(statistics);
  return rc;
}

/* Collective. */
static void count_constant(struct th_context *context)
{
  int64_t count = context->owned.last - context->owned.first;
  for (int64_t a = 0; a < count; a++)
    context->constant += context->scale[a] == 0;
  context->comm->ops->sum_i64(context->comm, &context->constant, 1);
}

/* Local. */
static th_status open_all(struct th_context *context,
                          const struct th_plan *plan, struct th_store *store,
                          struct th_error *err)
{
  const struct th_config *config = &plan->config;
  const struct th_shape *shape = &store->shape;
  struct th_deal_plan deal = {.seed = config->seed,
                              .training = shape->training,
                              .row_group = shape->row_group,
                              .unit = plan->deal_unit,
                              .passes = config->passes,
                              .validation = config->validation};
  th_status rc = th_source_create(&context->source, store, config->budget, err);
  if (rc == TH_OK)
    rc = th_deal_init(&context->deal, &deal, err);
  if (rc == TH_OK)
    rc = present_targets(context, err);
  if (rc == TH_OK)
    rc = scale_attributes(context, err);
  return rc;
}

/* Solvers with a penalty have an explicit intercept, and so keep the zeros of
 * sparse data. */
static bool is_centred(const struct th_config *config,
                       const struct th_shape *shape)
{
  bool keeps_zeros =
      th_solver_find(config->solver)->penalised && shape->layout == TH_SPARSE;
  return config->intercept && !keeps_zeros;
}

th_status th_context_init(struct th_context *context,
                          const struct th_plan *plan, struct th_store *store,
                          struct th_comm *comm,
                          const struct th_monitor *monitor,
                          struct th_profile *profile, struct th_error *err)
{
  *context = (struct th_context){
      .comm = comm,
      .config = &plan->config,
      .loss = th_loss_find(plan->config.loss),
      .owned = th_store_owned(store, comm->rank, comm->size),
      .centred = is_centred(&plan->config, &store->shape),
      .profile = profile,
      .monitor = monitor};
  th_profile_begin(profile);
  th_status rc = th_agree(comm, open_all(context, plan, store, err), err);
  if (rc == TH_OK && th_weighted_wanted(context))
    rc = th_weighted_scales(context, err);
  if (rc == TH_OK)
    count_constant(context);
  th_profile_end(profile, TH_PHASE_SETUP);
  return rc;
}

void th_context_free(struct th_context *context)
{
  th_source_free(context->source);
  th_deal_free(&context->deal);
  free(context->centre);
  free(context->scale);
  free(context->bound);
  *context = (struct th_context){0};
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

void th_context_notice(const struct th_context *context, const char *format,
                       ...)
{
  char text[NOTICE_TEXT];
  va_list args;
  if (context->monitor == NULL || context->monitor->notice == NULL)
    return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  context->monitor->notice(context->monitor->self, text);
}
