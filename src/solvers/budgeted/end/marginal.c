/* marginal.c - scores that select the list of an end that predicts
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/end/marginal.h"

#include "core/memory.h"

#include <math.h>

enum { STRIP = 256, WORD = 64 };

static int64_t owned_count(const struct th_context *context)
{
  return context->owned.last - context->owned.first;
}

th_status th_marginal_init(struct th_marginal *m,
                           const struct th_context *context, int64_t folds,
                           const uint8_t *fold, struct th_error *err)
{
  int64_t count = owned_count(context) * folds;
  th_status rc;
  *m = (struct th_marginal){.folds = folds, .fold = fold};
  TH_TRY(TH_NEW(&m->alone, count, "scores", err));
  TH_TRY(TH_NEW(&m->with, count, "scores", err));
  TH_TRY(TH_NEW(&m->touched, owned_count(context) / WORD + 1, "scores", err));
done:
  return rc;
}

static const struct th_array by_row[] = {
    TH_ARRAY(struct th_marginal, fold_of), TH_ARRAY(struct th_marginal, target),
    TH_ARRAY(struct th_marginal, target32)};

static const struct th_array by_member[] = {TH_ARRAY(struct th_marginal, held)};

void th_marginal_free(struct th_marginal *m)
{
  TH_FREE(m->alone, m->with, m->touched);
  th_memory_arrays_free(TH_ARRAYS(m, by_row));
  th_memory_arrays_free(TH_ARRAYS(m, by_member));
  *m = (struct th_marginal){0};
}

enum { NUMBERS = 2 }; /* of evidence */

void th_marginal_describe(struct th_marginal *m,
                          const struct th_context *context,
                          struct th_state *state)
{
  struct th_range here = {NUMBERS * context->owned.first,
                          NUMBERS * context->owned.last};
  th_state_enter(state, "marginal");
  th_state_spread(state, "alone", TH_STATE_F64, m->alone, m->folds, here);
  th_state_spread(state, "with", TH_STATE_F64, m->with, m->folds, here);
  th_state_leave(state);
}

static th_status reserve(struct th_marginal *m, int64_t rows, int64_t members,
                         struct th_error *err)
{
  th_status rc = th_memory_arrays_reserve(
      TH_ARRAYS(m, by_row), &m->row_capacity, rows, "scores", err);
  if (rc == TH_OK)
    rc = th_memory_arrays_reserve(TH_ARRAYS(m, by_member), &m->hold_capacity,
                                  members * m->folds, "scores", err);
  return rc;
}

/* Put the sums of a member in all folds aside, or back. */
static void hold(struct th_marginal *m, const struct th_context *context,
                 const struct th_support *support, bool back)
{
  int64_t count = owned_count(context);
  struct th_range mine = th_support_owned(support, context->owned);
  for (int64_t k = mine.first; k < mine.last; k++)
    for (int64_t f = 0; f < m->folds; f++) {
      int64_t j = support->attribute[k] - context->owned.first;
      struct th_evidence *now = &m->with[f * count + j];
      struct th_evidence *kept = &m->held[(k - mine.first) * m->folds + f];
      *(back ? now : kept) = *(back ? kept : now);
    }
}

th_status th_marginal_begin(struct th_marginal *m,
                            const struct th_context *context,
                            const struct th_batch *batch,
                            const struct th_support *support,
                            struct th_error *err)
{
  struct th_range mine = th_support_owned(support, context->owned);
  int64_t row = 0;
  th_status rc = reserve(m, batch->rows, mine.last - mine.first, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < batch->pieces.count; k++) {
    struct th_rows piece = batch->pieces.items[k];
    for (int64_t i = 0; i < piece.count; i++, row++) {
      m->fold_of[row] = m->fold == NULL ? 0 : m->fold[piece.first + i];
      m->target[row] = -batch->weight[row] * batch->target[row];
      m->target32[row] = (float)m->target[row];
    }
  }
  return rc;
}

void th_marginal_hold(struct th_marginal *m, const struct th_context *context,
                      const struct th_support *support)
{
  hold(m, context, support, false);
}

void th_marginal_release(struct th_marginal *m,
                         const struct th_context *context,
                         const struct th_support *support)
{
  hold(m, context, support, true);
}

/* Dense data: add a strip's sums, with a multiplier of each row. */
static void add_strip(const struct th_context *context,
                      const struct th_slab *strip,
                      const struct th_row_weights *multiplier,
                      struct th_evidence unit, struct th_evidence *to)
{
  int64_t count = strip->attributes.last - strip->attributes.first;
  int64_t at[STRIP];
  double centre[STRIP];
  double u[STRIP] = {0};
  double v[STRIP] = {0};
  double q[STRIP] = {0};
  th_context_places(context, strip, at, centre);
  th_kernel_evidence(strip, multiplier, centre, NULL, u, v, q);
  for (int64_t a = 0; a < count; a++) {
    to[at[a]].u += unit.u * u[a];
    to[at[a]].v += unit.v * v[a];
  }
}

static void add_slab(const struct th_context *context,
                     const struct th_slab *slab,
                     const struct th_row_weights *multiplier,
                     struct th_evidence unit, struct th_evidence *to)
{
  for (int64_t a = slab->attributes.first; a < slab->attributes.last;
       a += STRIP) {
    struct th_range part = {a, a + STRIP};
    struct th_slab strip =
        th_slab_part(slab, th_range_intersect(part, slab->attributes));
    add_strip(context, &strip, multiplier, unit, to);
  }
}

void th_marginal_add(struct th_marginal *m, const struct th_context *context,
                     const struct th_marginal_slab *given)
{
  int64_t first = m->fold_of[given->row] * owned_count(context);
  struct th_row_weights target = *given->multiplier;
  const struct th_evidence one = {-1, 1};
  target.residual = m->target + given->row;
  target.residual32 = m->target32 + given->row;
  if (given->slab->layout == TH_SPARSE) {
    th_kernels_sparse_touch(given->slab, given->multiplier, given->unit,
                            given->offset, m->with + first, m->touched);
    th_kernels_sparse_touch(given->slab, &target, one, given->offset,
                            m->alone + first, m->touched);
    return;
  }
  add_slab(context, given->slab, given->multiplier, given->unit,
           m->with + first);
  if (!given->race)
    add_slab(context, given->slab, &target, one, m->alone + first);
}

/* Add the centring correction of one draw, by folds. */
static void add_centring(struct th_marginal *m,
                         const struct th_context *context,
                         struct th_range block, struct th_evidence unit,
                         const struct th_evidence *centring,
                         struct th_evidence *to)
{
  struct th_range mine = th_range_intersect(block, context->owned);
  int64_t count = owned_count(context);
  for (int64_t f = 0; f < m->folds; f++)
    for (int64_t a = mine.first; centring[f].v != 0 && a < mine.last; a++) {
      int64_t j = a - context->owned.first;
      double c = context->centre[j];
      to[f * count + j].u -= unit.u * c * centring[f].u;
      to[f * count + j].v -= unit.v * c * c * centring[f].v;
    }
}

void th_marginal_centring(struct th_marginal *m,
                          const struct th_context *context,
                          const struct th_batch *batch, struct th_evidence unit)
{
  const struct th_evidence one = {-1, 1};
  for (int64_t i = 0; i < batch->draws; i++) {
    struct th_evidence with[UINT8_MAX + 1] = {{0}};
    struct th_evidence alone[UINT8_MAX + 1] = {{0}};
    for (int64_t r = batch->draw_row[i]; r < batch->draw_row[i + 1]; r++) {
      int f = m->fold_of[r];
      with[f].u += batch->residual[r];
      with[f].v += batch->weight[r];
      alone[f].u += m->target[r];
      alone[f].v += batch->weight[r];
    }
    add_centring(m, context, batch->draw[i].block, unit, with, m->with);
    add_centring(m, context, batch->draw[i].block, one, alone, m->alone);
  }
}

void th_marginal_entrant(struct th_marginal *m,
                         const struct th_context *context,
                         const struct th_batch *batch, int64_t attribute,
                         const double *column, double coef, double mean_square)
{
  int64_t j = attribute - context->owned.first;
  double scale = context->scale[j];
  for (int64_t i = 0; i < batch->rows; i++) {
    struct th_evidence *to = &m->with[m->fold_of[i] * owned_count(context) + j];
    double square = batch->weight[i] * column[i] * column[i];
    to->u +=
        (square * coef - batch->residual[i] * column[i]) / mean_square / scale;
    to->v += square / mean_square / scale / scale;
  }
}

void th_marginal_scores(const struct th_marginal *m,
                        const struct th_context *context, enum th_score which,
                        int64_t without, double *score)
{
  const struct th_evidence *sums = which == TH_SCORE_ALONE ? m->alone : m->with;
  int64_t count = owned_count(context);
  for (int64_t j = 0; j < count; j++) {
    struct th_evidence sum = {0, 0};
    for (int64_t f = 0; f < m->folds; f++)
      if (f != without) {
        sum.u += sums[f * count + j].u;
        sum.v += sums[f * count + j].v;
      }
    bool known = sum.v > 0 && context->scale[j] > 0;
    double z = known ? fabs(sum.u) / sqrt(sum.v) : 0;
    score[j] = isfinite(z) ? z : 0;
  }
}
