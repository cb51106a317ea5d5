/* weighted_scaling.c - means and deviations under the weights of the examples
 *
 * With shares w that add up to 1, and m the mean from import: the weighted mean
 * is m + sum w (x - m), the variance sum w (x - m)^2 less the square of that
 * sum. An attribute's sums are formed by its owner, in double, in the order of
 * the stored examples.
 * SPDX-License-Identifier: MIT */
#include "solvers/data/weighted_scaling.h"

#include "core/memory.h"
#include "math/kernels/kernels_sparse.h"
#include "solvers/solver_table.h"

#include <math.h>

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
  int64_t count = owned.last - owned.first;
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
  int64_t count = slab->attributes.last - slab->attributes.first;
  for (int64_t a = 0; a < count; a++)
    for (int32_t i = 0; i < slab->rows; i++)
      if (m->share[i] > 0)
        add_value(&m->moment[at + a], m->share[i], th_slab_load(slab, a, i));
}

static void add_sparse(struct moments *m, const struct th_slab *slab,
                       int64_t at)
{
  const double *share = m->share - slab->row;
  struct moment *moment = m->moment + at + slab->base - slab->attributes.first;
  for (int64_t run = 0; run < slab->runs; run++) {
    struct th_range entries = th_kernels_sparse_entries(slab, run);
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
  TH_TRY(th_context_targets(context, rows, m->target, m->share, err));
  for (int64_t i = 0; i < rows.count; i++) {
    m->share[i] /= n;
    m->examples += m->share[i] > 0;
  }
  for (int64_t at = 0; at < m->count;) {
    TH_TRY(th_source_active(context->source, &draw, rows, at, &slab, err));
    (slab.layout == TH_SPARSE ? add_sparse : add_dense)(m, &slab, at);
    at += slab.attributes.last - slab.attributes.first;
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
    th_context_scale(context, &s, a);
  }
}

bool th_weighted_wanted(const struct th_context *context)
{
  return context->config->standardize && context->solver->penalised &&
         th_source_shape(context->source)->weighted &&
         !th_source_shape(context->source)->weighted_statistics;
}

th_status th_weighted_scales(struct th_context *context, struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  struct moments m = {0};
  th_status rc = th_agree(context->comm, moments_init(&m, context, err), err);
  TH_TRY(rc);
  TH_TRY(th_source_activate(context->source, context->comm, m.attribute,
                            m.count, err));
  for (int64_t g = 0; g * shape->row_group < shape->training && rc == TH_OK;
       g++)
    rc = add_group(&m, context, th_shape_group(shape, g), err);
  TH_TRY(th_agree(context->comm, rc, err));
  if (shape->layout == TH_SPARSE)
    add_zeros(&m);
  set_scales(&m, context);
done:
  moments_free(&m);
  return rc;
}
