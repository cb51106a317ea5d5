/* moments.c - second moments of the attributes: known, or estimated
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/moments.h"

#include "base/memory.h"
#include "ranks/partition.h"
#include "solvers/access/context.h"

#include <math.h>
#include <stdlib.h>

static th_status reserve(struct th_moments *m, const struct th_context *context,
                         struct th_error *err)
{
  int64_t count = context->owned.last - context->owned.first;
  int64_t cells = th_iterate_cells_count(context);
  th_status rc;
  TH_TRY(TH_NEW(&m->second, count, "second moments", err));
  TH_TRY(TH_NEW(&m->square, count, "second moments", err));
  TH_TRY(TH_NEW(&m->hits, count, "second moments", err));
  TH_TRY(TH_NEW(&m->work, count, "second moments", err));
  TH_TRY(TH_NEW(&m->cell, cells, "second moments", err));
  TH_TRY(th_context_second_moments_read(context, m->second, err));
done:
  return rc;
}

/* Values that are rare are mostly 0. An attribute of second moment E x^2 and
 * largest value b differs from 0 in at least n E x^2 / b^2 of n examples. */
static double count_shown(struct th_moments *m,
                          const struct th_context *context)
{
  int64_t count = context->owned.last - context->owned.first;
  double n = (double)th_source_shape(context->source)->training;
  for (int64_t a = 0; a < count; a++) {
    double most = context->bound[a] * context->bound[a];
    double times = most > 0 && isfinite(most) ? n * m->second[a] / most : 1;
    m->work[a] = context->scale[a] != 0 ? fmin(times, 1) : 0;
  }
  return th_iterate_cells_sum(context, m->work, m->cell);
}

th_status th_moments_init(struct th_moments *moments,
                          const struct th_context *context,
                          struct th_error *err)
{
  int64_t count = context->owned.last - context->owned.first;
  th_status rc = reserve(moments, context, err);
  if ((rc = th_agree(context->comm, rc, err)) != TH_OK)
    return rc;
  moments->sum = th_iterate_cells_sum(context, moments->second, moments->cell);
  for (int64_t a = 0; a < count; a++)
    moments->largest = fmax(moments->largest, moments->second[a]);
  context->comm->ops->max_f64(context->comm, &moments->largest, 1);
  moments->shown = count_shown(moments, context);
  return TH_OK;
}

void th_moments_free(struct th_moments *m)
{
  TH_FREE(m->second, m->square, m->hits, m->work, m->cell);
}

void th_moments_describe(struct th_moments *moments,
                         const struct th_context *context,
                         struct th_state *state)
{
  th_state_enter(state, "moments");
  th_state_spread(state, "square", TH_STATE_F64, moments->square, 1,
                  context->owned);
  th_state_spread(state, "hits", TH_STATE_F64, moments->hits, 1,
                  context->owned);
  th_state_leave(state);
}

/* What is added to the observations of each attribute. */
struct average {
  double square;
  double hits;
};

/* Collective. */
static struct average average_of(struct th_moments *m,
                                 const struct th_context *context, double prior)
{
  double square = th_iterate_cells_sum(context, m->square, m->cell);
  double hits = th_iterate_cells_sum(context, m->hits, m->cell);
  struct average average = {hits > 0 ? prior * square / hits : 0, prior};
  return average;
}

/* The moment of an attribute as it is used. */
static double moment_of(const struct th_moments *m, enum th_moments_use use,
                        const struct average *average, int64_t a)
{
  if (use == TH_MOMENTS_EQUAL)
    return 1;
  if (use == TH_MOMENTS_EXACT)
    return m->second[a];
  double hits = m->hits[a] + average->hits;
  return hits > 0 ? (m->square[a] + average->square) / hits : 0;
}

/* Mix value[owned] with equal shares for all attributes that are not left out.
 * Collective. Returns the sum over all, which stays. */
static double smooth_out(struct th_moments *m, const struct th_context *context,
                         double share, double *value)
{
  int64_t count = context->owned.last - context->owned.first;
  int64_t useful =
      th_source_shape(context->source)->attributes - context->left_out;
  double sum = th_iterate_cells_sum(context, value, m->cell);
  double mean = sum > 0 ? sum / (double)useful : 1;
  for (int64_t a = 0; a < count; a++)
    if (context->scale[a] != 0)
      value[a] = (1 - share) * value[a] + share * mean;
  return sum;
}

double th_moments_masses(struct th_moments *m, const struct th_context *context,
                         const struct th_ball *ball, enum th_moments_use use,
                         struct th_moments_care care, double *mass,
                         double *root)
{
  const double widened = 13.0 / 6; /* Algorithm 2, line 12 */
  int64_t count = context->owned.last - context->owned.first;
  struct average average = average_of(m, context, care.prior);
  for (int64_t a = 0; a < count; a++) {
    double moment = context->scale[a] != 0 ? moment_of(m, use, &average, a) : 0;
    double error = context->scale[a] != 0 ? widened * care.error : 0;
    root[a] = sqrt(moment);
    mass[a] = ball->squared ? moment + error : sqrt(moment + error);
    /* Lemma 3.11: the norm by which the step is chosen */
    m->work[a] =
        ball->moment_part(moment, care.error, use == TH_MOMENTS_ESTIMATE);
  }
  double norm =
      ball->moment_norm(th_iterate_cells_sum(context, m->work, m->cell));
  smooth_out(m, context, care.smooth, mass);
  smooth_out(m, context, care.smooth, root);
  return norm;
}
