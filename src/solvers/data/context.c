/* context.c - what every solver works with: ranks, data, targets, scaling
 * SPDX-License-Identifier: MIT */
#include "solvers/data/context.h"

#include "core/fixed.h"
#include "core/memory.h"
#include "core/partition.h"
#include "core/shift.h"
#include "solvers/data/context_parts.h"
#include "solvers/data/weighted_scaling.h"
#include "solvers/solver_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
  SCAN_ATTRIBUTES = 256 * TH_CELL, /* statistics at a time */
  NOTICE_TEXT = 256
};

/* With an intercept, an attribute that never changes is useless. Without one,
 * only an attribute that is always zero is. */
static bool is_useless(const struct th_context *context,
                       const struct th_statistics *s)
{
  return s->lowest == s->highest &&
         (context->config->intercept || s->highest == 0);
}

/* A free intercept makes up for a centre that is not subtracted, but not for a
 * scale. */
void th_context_scale(struct th_context *context, const struct th_statistics *s,
                      int64_t a)
{
  double centre = context->centred ? s->mean : 0;
  double spread = s->deviation;
  if (!context->config->intercept)
    spread = sqrt(s->deviation * s->deviation + s->mean * s->mean);
  bool left_out = is_useless(context, s) || !(spread > 0);
  double scale = context->config->standardize ? 1 / spread : 1;
  context->centre[a] = centre;
  context->scale[a] = left_out ? 0 : scale;
  double reach = fmax(fabs(s->highest - centre), fabs(s->lowest - centre));
  context->bound[a] = left_out ? 0 : reach * scale * TH_FIXED_SLACK;
}

void th_context_places(const struct th_context *context,
                       const struct th_slab *slab, int64_t *at, double *centre)
{
  int64_t count = slab->attributes.last - slab->attributes.first;
  for (int64_t a = 0; a < count; a++) {
    at[a] = th_slab_attribute(slab, a) - context->owned.first;
    centre[a] = context->centre[at[a]];
  }
}

/* Local. */
static th_status check_attribute(const struct th_context *context,
                                 const struct th_statistics *s,
                                 int64_t attribute, struct th_error *err)
{
  double reach = fmax(fabs(s->highest), fabs(s->lowest));
  if (is_useless(context, s))
    return TH_OK;
  if (!(reach <= TH_LARGEST_VALUE))
    return th_fail(err, TH_EDATA,
                   "attribute %lld reaches %g: too large for products of "
                   "squares; divide it by a constant",
                   (long long)attribute, reach);
  if (reach < TH_SMALLEST_VALUE)
    return th_fail(err, TH_EDATA,
                   "attribute %lld stays within %g: too small for products of "
                   "squares; multiply it by a constant",
                   (long long)attribute, reach);
  return TH_OK;
}

/* Owned attributes that have a shift. */
struct far {
  int64_t count;
  int64_t capacity;
  struct th_shift *item;
};

/* An intercept makes up for shifts of sparse attributes (core/shift.h). They
 * are chosen here, and *s becomes the statistics of what is left. Local. */
static th_status choose_shift(const struct th_context *context, struct far *far,
                              struct th_statistics *s, int64_t attribute,
                              struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  bool wanted = shape->layout == TH_SPARSE && context->config->intercept;
  double shift = wanted ? th_shift_of(s, shape->type) : 0;
  if (shift == 0)
    return TH_OK;
  th_status rc = TH_GROW(&far->item, &far->capacity, far->count + 1,
                         "attributes far from zero", err);
  if (rc != TH_OK)
    return rc;
  far->item[far->count++] = (struct th_shift){attribute, shift};
  th_shift_statistics(s, shift);
  return TH_OK;
}

/* Local. */
static th_status scale_attributes(struct th_context *context, struct far *far,
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
    struct th_range part = th_range_intersect(all, owned);
    TH_TRY(th_source_statistics(context->source, part, statistics, err));
    for (int64_t a = 0; a < part.last - part.first; a++) {
      TH_TRY(check_attribute(context, &statistics[a], part.first + a, err));
      TH_TRY(choose_shift(context, far, &statistics[a], part.first + a, err));
      th_context_scale(context, &statistics[a], first + a);
    }
  }
done:
  free(statistics);
  return rc;
}

/* Collective. */
static void count_left_out(struct th_context *context)
{
  int64_t count = context->owned.last - context->owned.first;
  for (int64_t a = 0; a < count; a++)
    context->left_out += context->scale[a] == 0;
  context->comm->ops->sum_i64(context->comm, &context->left_out, 1);
}

/* Local. */
static th_status open_all(struct th_context *context,
                          const struct th_plan *plan, struct th_store *store,
                          struct far *far, struct th_error *err)
{
  const struct th_config *config = &plan->config;
  const struct th_shape *shape = &store->shape;
  struct th_deal_plan deal = {.seed = config->seed,
                              .training = shape->training,
                              .row_group = shape->row_group,
                              .unit = plan->deal_unit,
                              .passes = config->passes,
                              .validation = config->validation};
  const struct th_monitor *monitor = context->monitor;
  th_status rc = th_source_create(&context->source, store, config->budget, err);
  if (rc == TH_OK && monitor != NULL)
    th_source_watch(context->source, monitor->leaves, monitor->self);
  if (rc == TH_OK && plan->solver->dense_model)
    th_source_allow_validation(context->source, shape->attributes);
  if (rc == TH_OK)
    rc = th_deal_init(&context->deal, &deal, err);
  if (rc == TH_OK)
    rc = th_context_take_targets(context, err);
  if (rc == TH_OK)
    rc = scale_attributes(context, far, err);
  return rc;
}

/* Solvers with a penalty have an explicit intercept, and so keep the zeros of
 * sparse data. */
static bool is_centred(const struct th_plan *plan, const struct th_shape *shape)
{
  bool keeps_zeros = plan->solver->penalised && shape->layout == TH_SPARSE;
  return plan->config.intercept && !keeps_zeros;
}

/* Data sets of older versions. Solvers with a penalty compute what they need.
 */
static void tell_unweighted(const struct th_context *context,
                            const struct th_store *store)
{
  if (store->shape.weighted && !store->shape.weighted_statistics &&
      store->statistics == NULL && !context->solver->penalised)
    th_context_notice(context,
                      "the data set is of an older version, in which examples "
                      "of weight 0 count for means and deviations; import it "
                      "again");
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
      .solver = plan->solver,
      .centred = is_centred(plan, &store->shape),
      .profile = profile,
      .monitor = monitor,
      .piece_part = 1};
  struct far far = {0};
  th_profile_begin(profile);
  th_status rc = th_agree(comm, open_all(context, plan, store, &far, err), err);
  if (rc == TH_OK)
    tell_unweighted(context, store);
  if (rc == TH_OK && store->shape.layout == TH_SPARSE)
    rc = th_source_shift(context->source, comm, far.item, far.count, err);
  free(far.item);
  if (rc == TH_OK && th_weighted_wanted(context))
    rc = th_weighted_scales(context, err);
  if (rc == TH_OK)
    count_left_out(context);
  th_profile_end(profile, TH_PHASE_SETUP);
  return rc;
}

void th_context_free(struct th_context *context)
{
  th_source_free(context->source);
  th_deal_free(&context->deal);
  TH_FREE(context->centre, context->scale, context->bound, context->deviation);
  *context = (struct th_context){0};
}

struct th_context th_context_lend(const struct th_context *context,
                                  const struct th_config *config)
{
  struct th_context lent = *context;
  lent.config = config;
  return lent;
}

void th_context_describe(struct th_context *context, struct th_state *state)
{
  TH_STATE_ONE(state, context, piece_from);
  TH_STATE_ONE(state, context, piece_part);
  th_deal_describe(&context->deal, state);
  th_source_describe(context->source, state);
}

void th_context_going(const struct th_context *context, double done,
                      const char *format, ...)
{
  const struct th_monitor *monitor = context->monitor;
  char text[NOTICE_TEXT];
  va_list args;
  if (monitor == NULL || monitor->going == NULL)
    return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (done >= 0)
    done = context->piece_from + context->piece_part * done;
  monitor->going(monitor->self, done, text);
}

void th_context_part(struct th_context *context, bool at_most)
{
  const struct th_monitor *monitor = context->monitor;
  context->piece_from = 0;
  context->piece_part = 1;
  if (monitor != NULL && monitor->part != NULL)
    monitor->part(monitor->self, at_most);
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
