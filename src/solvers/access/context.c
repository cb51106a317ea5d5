/* context.c - what every solver works with: ranks, data, targets, scaling
 * SPDX-License-Identifier: MIT */
#include "solvers/access/context.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "data/shift.h"
#include "math/kernels/kernels.h"
#include "math/select.h"
#include "ranks/fixed.h"
#include "ranks/partition.h"
#include "solvers/solver_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Magnitudes between these two have squares, and sums of squares, that neither
 * overflow nor underflow. Products of two squares may do so. */
#define TH_LARGEST_VALUE 0x1p400
#define TH_SMALLEST_VALUE 0x1p-400

static th_status weighted_scales(struct th_context *context,
                                 struct th_error *err);

/* --- How targets and weights are presented to solvers --------------------- */

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
  target->worst = fmax(th_loss_value(loss, target->offset, 1),
                       th_loss_value(loss, target->offset, -1));
  return TH_OK;
}

/* Targets of a loss that is defined from 0 on. */
static th_status check_rates(const struct th_loss *loss,
                             const struct scan *scan, struct th_error *err)
{
  if (scan->lowest < 0)
    return th_fail(err, TH_EDATA,
                   "the target goes down to %g; a %s loss needs counts or "
                   "rates, from 0 on",
                   scan->lowest, loss->name);
  if (!(scan->weighted_sum > 0))
    return th_fail(err, TH_EDATA,
                   "the target is 0 for every training example that counts; a "
                   "%s loss needs some above 0",
                   loss->name);
  return TH_OK;
}

/* --- The scale of a loss -------------------------------------------------- */

/* The value up to which training targets have this share of the weight. Local.
 */
static th_status target_quantile(struct th_source *source,
                                 const struct scan *scan, double share,
                                 double *value, struct th_error *err)
{
  int64_t training = th_source_shape(source)->training;
  struct th_select_quantile quantile;
  double target[SCAN_ROWS];
  double weight[SCAN_ROWS];
  th_select_quantile_begin(&quantile, scan->lowest, scan->highest,
                           share * scan->weight);
  do {
    for (int64_t first = 0; first < training; first += SCAN_ROWS) {
      struct th_rows rows = {first, th_min_i64(training - first, SCAN_ROWS)};
      th_status rc = th_source_targets(source, rows, target, weight, err);
      if (rc != TH_OK)
        return rc;
      th_select_quantile_add(&quantile, rows.count, target, weight);
    }
  } while (th_select_quantile_narrow(&quantile));
  *value = quantile.low;
  return TH_OK;
}

/* Local. */
static th_status scale_loss(struct th_context *context, const struct scan *scan,
                            struct th_error *err)
{
  const double of_quartiles = 0.1; /* as R's hqreg: Yi & Huang 2017 */
  const struct th_config_scaled *given = &context->config->scaled;
  double scale = given->scale;
  double quartile[2] = {0, 0};
  for (int k = 0; k < 2 && !(given->scale > 0); k++) {
    th_status rc = target_quantile(context->source, scan, k == 0 ? 0.25 : 0.75,
                                   &quartile[k], err);
    if (rc != TH_OK)
      return rc;
    scale = of_quartiles * (quartile[1] - quartile[0]);
  }
  if (!(scale > 0))
    return th_fail(err, TH_EDATA,
                   "half of the targets or more are %g, so they give no scale "
                   "for a %s loss; give {loss-scale}",
                   quartile[0], context->loss->name);
  context->scaled = th_loss_of_scale(context->loss, scale, given->quantile);
  context->loss = &context->scaled;
  return TH_OK;
}

/* --- What solvers are told of targets ---------------------------------------
 */

/* Numbers, less their mean where there is an intercept. */
static th_status take_numbers(struct th_context *context,
                              const struct scan *scan, struct th_error *err)
{
  struct th_target *target = &context->target;
  double square = scan->between > 0 ? scan->second * scan->second : 0;
  double reach = fmax(fabs(scan->lowest), fabs(scan->highest));
  bool steep = th_loss_is_steep(context->loss);
  th_status rc = steep ? check_rates(context->loss, scan, err) : TH_OK;
  if (context->loss->scaled)
    rc = scale_loss(context, scan, err);
  if (rc != TH_OK)
    return rc;
  if (context->config->intercept && !steep)
    target->shift = scan->weighted_sum / scan->weight;
  target->low = scan->lowest;
  target->high = scan->highest;
  target->kurtosis = square > 0 ? scan->weight * scan->fourth / square : 0;
  target->largest = fmax(fabs(scan->lowest - target->shift),
                         fabs(scan->highest - target->shift));
  target->worst = th_loss_value(context->loss, 0, target->largest);
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
static void weigh_unit(struct th_context *context, const struct scan *scan)
{
  double n = (double)th_source_shape(context->source)->training;
  bool evidence = context->solver->why_truth != NULL;
  double share = evidence ? n / scan->squares : 1;
  context->target.weight_unit = scan->unit * share;
  context->target.counted = n * share;
}

/* Fill in context->target from the training examples. Local. TH_EDATA for
 * targets that do not fit the loss, or whose squares are out of range. */
static th_status gather_targets(struct th_context *context,
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
  weigh_unit(context, &scan);
  context->target.labels = context->loss->labels;
  return (context->loss->labels ? take_labels : take_numbers)(context, &scan,
                                                              err);
}

/* Targets in the form above, and weights by weight_unit (only their ratios
 * count), of rows in one row group. Local. */
static th_status context_targets(struct th_context *context,
                                 struct th_rows rows, double *target,
                                 double *weight, struct th_error *err)
{
  const struct th_target *t = &context->target;
  const struct th_context_fold *apart = &context->apart;
  th_status rc = th_source_targets(context->source, rows, target, weight, err);
  for (int64_t i = 0; i < rows.count && rc == TH_OK; i++) {
    target[i] =
        t->labels ? (target[i] == t->high ? 1 : -1) : target[i] - t->shift;
    weight[i] *= t->weight_unit;
    if (apart->fold != NULL && apart->fold[rows.first + i] == apart->held)
      weight[i] = 0;
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
    rc = context_targets(context, rows, target + at, weight + at, err);
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
    struct th_rows rows = th_store_shape_rest(shape, first);
    rc = context_targets(context, rows, target + first, weight + first, err);
    first += rows.count;
  }
  return rc;
}

/* --- Targets and weights of all training examples ------------------------- */

/* Local. */
static th_status write_targets(struct th_context *context,
                               enum th_weights weights, double *target,
                               double *weight, struct th_error *err)
{
  double n = (double)th_source_shape(context->source)->training;
  th_status rc = all_targets(context, target, weight, err);
  for (int64_t i = 0; i < (int64_t)n && rc == TH_OK; i++) {
    weight[i] /= n;
    if (weights == TH_WEIGHTS_OF_MEAN_1)
      weight[i] *= n;
  }
  return rc;
}

th_status th_context_all_targets_init(struct th_all_targets *all,
                                      struct th_context *context,
                                      enum th_weights weights,
                                      struct th_error *err)
{
  int64_t n = th_source_shape(context->source)->training;
  double unit = weights == TH_WEIGHTS_OF_MEAN_1 ? (double)n : 1;
  th_status rc;
  *all = (struct th_all_targets){.square = 0};
  TH_TRY(th_comm_share(context->comm, 2 * (size_t)n * sizeof(double), "targets",
                       &all->memory, err));
  double *target = all->memory.data;
  if (all->memory.writer)
    rc = write_targets(context, weights, target, target + n, err);
  TH_TRY(th_agree(context->comm, rc, err));
  th_comm_shared_show(&all->memory);
  all->target = target;
  all->weight = target + n;
  for (int64_t i = 0; i < n; i++)
    all->square += all->weight[i] * target[i] * target[i] / unit;
done:
  return rc;
}

void th_context_all_targets_free(struct th_all_targets *all)
{
  th_comm_shared_free(&all->memory);
}

/* --- What the import knows of the squares of the attributes --------------- */

enum { PIECE = 16 * TH_CELL };

th_status th_context_second_moments_read(const struct th_context *context,
                                         double *second, struct th_error *err)
{
  struct th_range owned = context->owned;
  struct th_statistics *statistics = NULL;
  th_status rc = TH_NEW(&statistics, PIECE, "attribute statistics", err);
  for (int64_t first = owned.first; first < owned.last && rc == TH_OK;
       first += PIECE) {
    struct th_range all = {first, first + PIECE};
    struct th_range part = th_range_intersect(all, owned);
    rc = th_source_statistics(context->source, part, statistics, err);
    for (int64_t j = part.first; j < part.last && rc == TH_OK; j++) {
      const struct th_statistics *s = &statistics[j - part.first];
      double mean = s->mean - context->centre[j - owned.first];
      double scale = context->scale[j - owned.first];
      second[j - owned.first] =
          (mean * mean + s->deviation * s->deviation) * scale * scale;
    }
  }
  free(statistics);
  return rc;
}

/* --- The context ---------------------------------------------------------- */

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

/* Centre, scale and bound of attribute owned.first + a, from its statistics.
 * Local.
 * A free intercept makes up for a centre that is not subtracted, but not for a
 * scale. */
static void context_scale(struct th_context *context,
                          const struct th_statistics *s, int64_t a)
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
  if (left_out)
    return;
  context->spread[0] = fmax(context->spread[0], -spread);
  context->spread[1] = fmax(context->spread[1], spread);
}

void th_context_places(const struct th_context *context,
                       const struct th_slab *slab, int64_t *at, double *centre)
{
  int64_t count = th_range_count(slab->attributes);
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

/* An intercept makes up for shifts of sparse attributes (data/shift.h). They
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
  int64_t count = th_range_count(owned);
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
    for (int64_t a = 0; a < th_range_count(part); a++) {
      TH_TRY(check_attribute(context, &statistics[a], part.first + a, err));
      TH_TRY(choose_shift(context, far, &statistics[a], part.first + a, err));
      context_scale(context, &statistics[a], first + a);
    }
  }
done:
  free(statistics);
  return rc;
}

/* Collective. */
static void count_left_out(struct th_context *context)
{
  int64_t count = th_range_count(context->owned);
  for (int64_t a = 0; a < count; a++)
    context->left_out += context->scale[a] == 0;
  context->comm->ops->sum_i64(context->comm, &context->left_out, 1);
}

/* Attributes that are not standardized share a penalty or a ball, which presses
 * those of small deviations more. Collective. */
static void tell_units(struct th_context *context)
{
  const struct th_solver_row *solver = context->solver;
  const double *spread = context->spread;
  enum { UNEQUAL = 10 }; /* times */
  if (context->config->standardize ||
      (solver->ball == NULL && (!solver->penalised || solver->selects)))
    return;
  context->comm->ops->max_f64(context->comm, context->spread, 2);
  if (spread[1] > UNEQUAL * -spread[0])
    th_context_notice(
        context,
        "standard deviations of attributes go from %.3g to %.3g, and the "
        "%s weighs all of them alike; {standardize} gives them one unit",
        -spread[0], spread[1], solver->ball == NULL ? "penalty" : "ball");
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
  if (rc == TH_OK)
    th_source_exempt(context->source, config->group.exempt.attribute,
                     config->group.exempt.count);
  if (rc == TH_OK && monitor != NULL)
    th_source_watch(context->source, monitor->leaves, monitor->self);
  if (rc == TH_OK && plan->solver->dense_model)
    th_source_allow_validation(context->source, shape->attributes);
  if (rc == TH_OK)
    rc = th_deal_init(&context->deal, &deal, err);
  if (rc == TH_OK)
    rc = gather_targets(context, err);
  return rc == TH_OK ? scale_attributes(context, far, err) : rc;
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
      .spread = {-INFINITY, 0},
      .piece_part = 1};
  struct far far = {0};
  th_comm_profile_begin(profile);
  th_status rc = th_agree(comm, open_all(context, plan, store, &far, err), err);
  if (rc == TH_OK)
    tell_unweighted(context, store);
  if (rc == TH_OK && store->shape.layout == TH_SPARSE)
    rc = th_source_shift(context->source, comm, far.item, far.count, err);
  free(far.item);
  if (rc == TH_OK && th_context_weighted_wanted(context))
    rc = weighted_scales(context, err);
  if (rc == TH_OK) {
    count_left_out(context);
    tell_units(context);
  }
  th_comm_profile_end(profile, TH_PHASE_SETUP);
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

void th_context_apart(struct th_context *lent, const uint8_t *fold,
                      uint8_t held, double all, double left)
{
  lent->apart.fold = fold;
  lent->apart.held = held;
  lent->target.weight_unit *= all / left;
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
  if (done >= 0 && context->apart.run_part > 0)
    done = context->apart.run_from + context->apart.run_part * done;
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

/* --- Means and deviations under the weights of the examples
 *
 * With shares w that add up to 1, and m the mean from import: the weighted mean
 * is m + sum w (x - m), the variance sum w (x - m)^2 less the square of that
 * sum. An attribute's sums are formed by its owner, in double, in the order of
 * the stored examples. */

/* Sums of one attribute, over the examples with a weight above 0. */
struct moment {
  int64_t attribute;
  double mean;     /* m */
  double first;    /* sum of w (x - m) */
  double second;   /* sum of w (x - m)^2 */
  double weight;   /* sparse: of the stored entries */
  int64_t entries; /* stored */
  double lowest;
  double highest;
};

/* Sums of the owned attributes that are not left out, ascending. */
struct moments {
  int64_t count;
  struct moment *moment;
  int64_t *attribute;
  struct th_statistics *statistics; /* of all owned attributes, from import */
  int64_t examples;                 /* with a weight above 0 */
  double *share;                    /* w of the rows of a group */
  double *target;                   /* read, but not used */
};

static void moments_free(struct moments *m)
{
  TH_FREE(m->moment, m->attribute, m->statistics, m->share, m->target);
}

/* Local. */
static th_status moments_init(struct moments *m, struct th_context *context,
                              struct th_error *err)
{
  struct th_range owned = context->owned;
  int64_t count = th_range_count(owned);
  int64_t rows = th_source_shape(context->source)->row_group;
  th_status rc;
  TH_TRY(TH_NEW(&context->deviation, count, "weighted deviations", err));
  TH_TRY(TH_NEW(&m->moment, count, "weighted deviations", err));
  TH_TRY(TH_NEW(&m->attribute, count, "weighted deviations", err));
  TH_TRY(TH_NEW(&m->statistics, count, "weighted deviations", err));
  TH_TRY(TH_NEW(&m->share, rows, "weights", err));
  TH_TRY(TH_NEW(&m->target, rows, "targets", err));
  TH_TRY(th_source_statistics(context->source, owned, m->statistics, err));
  for (int64_t a = 0; a < count; a++)
    if (context->scale[a] > 0) {
      m->attribute[m->count] = owned.first + a;
      m->moment[m->count++] = (struct moment){.attribute = owned.first + a,
                                              .mean = m->statistics[a].mean,
                                              .lowest = INFINITY,
                                              .highest = -INFINITY};
    }
done:
  return rc;
}

static void add_value(struct moment *moment, double w, double x)
{
  double off = x - moment->mean;
  moment->first += w * off;
  moment->second += w * off * off;
  moment->lowest = fmin(moment->lowest, x);
  moment->highest = fmax(moment->highest, x);
}

static void add_dense(struct moments *m, const struct th_slab *slab, int64_t at)
{
  int64_t count = th_range_count(slab->attributes);
  for (int64_t a = 0; a < count; a++)
    for (int32_t i = 0; i < slab->rows; i++)
      if (m->share[i] > 0)
        add_value(&m->moment[at + a], m->share[i], th_slab_load(slab, a, i));
}

static void add_sparse_moments(struct moments *m, const struct th_slab *slab,
                               int64_t at)
{
  const double *share = m->share - slab->row;
  struct moment *moment = m->moment + at + slab->base - slab->attributes.first;
  for (int64_t run = 0; run < slab->runs; run++) {
    struct th_range entries = th_slab_entries(slab, run);
    struct moment *to = &moment[slab->attribute[run]];
    for (int64_t e = entries.first; e < entries.last; e++) {
      double w = share[slab->row_in_group[e]];
      if (w > 0) {
        add_value(to, w, th_type_load(slab->type, slab->values, e));
        to->weight += w;
        to->entries++;
      }
    }
  }
}

/* Add one row group. Local. */
static th_status add_group(struct moments *m, struct th_context *context,
                           struct th_rows rows, struct th_error *err)
{
  struct th_draw draw = {.rows = {.items = &rows, .count = 1}, .active = true};
  double n = (double)th_source_shape(context->source)->training;
  struct th_slab slab;
  th_status rc;
  TH_TRY(th_source_draw(context->source, &draw, err));
  TH_TRY(context_targets(context, rows, m->target, m->share, err));
  for (int64_t i = 0; i < rows.count; i++) {
    m->share[i] /= n;
    m->examples += m->share[i] > 0;
  }
  for (int64_t at = 0; at < m->count;) {
    TH_TRY(th_source_active(context->source, &draw, rows, at, &slab, err));
    (slab.layout == TH_SPARSE ? add_sparse_moments : add_dense)(m, &slab, at);
    at += th_range_count(slab.attributes);
  }
done:
  return rc;
}

/* Values that are not stored are zero, and have the rest of the weight. */
static void add_zeros(struct moments *m)
{
  for (int64_t k = 0; k < m->count; k++)
    if (m->moment[k].entries < m->examples)
      add_value(&m->moment[k], fmax(0, 1 - m->moment[k].weight), 0);
}

/* Local. */
static void set_scales(const struct moments *m, struct th_context *context)
{
  for (int64_t k = 0; k < m->count; k++) {
    const struct moment *moment = &m->moment[k];
    int64_t a = moment->attribute - context->owned.first;
    struct th_statistics s = m->statistics[a];
    double variance = moment->second - moment->first * moment->first;
    bool constant = moment->lowest == moment->highest || !(variance > 0);
    s.mean += moment->first;
    s.deviation = constant ? 0 : sqrt(variance);
    context->deviation[a] = s.deviation;
    context_scale(context, &s, a);
  }
}

bool th_context_weighted_wanted(const struct th_context *context)
{
  return context->config->standardize && context->solver->penalised &&
         th_source_shape(context->source)->weighted &&
         !th_source_shape(context->source)->weighted_statistics;
}

/* Compute centre, scale and bound of every attribute anew, with weighted means
 * and deviations in place of those from import. With an intercept, an attribute
 * that never changes among examples with a weight is left out. Observes
 * everything once. Declares active attributes, so the solver must declare its
 * own afterwards. Collective. */
static th_status weighted_scales(struct th_context *context,
                                 struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  struct moments m = {0};
  th_status rc = th_agree(context->comm, moments_init(&m, context, err), err);
  TH_TRY(rc);
  TH_TRY(th_source_activate(context->source, context->comm, m.attribute,
                            m.count, err));
  for (int64_t g = 0; g * shape->row_group < shape->training && rc == TH_OK;
       g++)
    rc = add_group(&m, context, th_store_shape_group(shape, g), err);
  TH_TRY(th_agree(context->comm, rc, err));
  if (shape->layout == TH_SPARSE)
    add_zeros(&m);
  set_scales(&m, context);
done:
  moments_free(&m);
  return rc;
}
