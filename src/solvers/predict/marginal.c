/* marginal.c - scores that select the list of an end that predicts
 * SPDX-License-Identifier: MIT */
#include "solvers/predict/marginal.h"

#include "base/integer.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* --- What the zeros of sparse data add to the scores of the end
 *
 * Every draw adds to all attributes of its block, of which few have an entry.
 * Those that have had one are kept up to date. The others have the same sums
 * added in the same order once they need them, so that no bit depends on when
 * that is. */

enum {
  ZEROS_WORD = 64,
  TILE = 64 * ZEROS_WORD, /* attributes that are settled together */
  MOST_ZEROS = 4096       /* in the list, before all attributes are settled */
};

/* Take a draw's centring from the sums of one attribute. */
static inline void add(struct th_marginal *m, const struct th_context *context,
                       const struct th_marginal_zeros *zeros, int64_t j)
{
  int64_t count = th_range_count(context->owned);
  double c = context->centre[j];
  struct th_evidence *with = &m->with[zeros->fold * count + j];
  struct th_evidence *alone = &m->alone[zeros->fold * count + j];
  with->u -= zeros->unit.u * c * zeros->with.u;
  with->v -= zeros->unit.v * c * c * zeros->with.v;
  alone->u += c * zeros->alone.u;
  alone->v -= c * c * zeros->alone.v;
}

static bool is_touched(const struct th_marginal *m, int64_t j)
{
  return (m->touched[j / ZEROS_WORD] >> j % ZEROS_WORD & 1) != 0;
}

static void add_pending_draws(struct th_marginal *m,
                              const struct th_context *context, int64_t j)
{
  for (int64_t k = 0; k < m->zero_count; k++)
    if (j >= m->zeros[k].mine.first && j < m->zeros[k].mine.last)
      add(m, context, &m->zeros[k], j);
}

void th_marginal_touch(struct th_marginal *m, const struct th_context *context,
                       int64_t j)
{
  if (is_touched(m, j))
    return;
  add_pending_draws(m, context, j);
  m->touched[j / ZEROS_WORD] |= (uint64_t)1 << j % ZEROS_WORD;
}

/* Add a draw's part to those attributes of a range whose bit is `touched`. */
static void add_to(struct th_marginal *m, const struct th_context *context,
                   const struct th_marginal_zeros *zeros, struct th_range mine,
                   bool touched)
{
  uint64_t flip = touched ? 0 : UINT64_MAX;
  for (int64_t first = mine.first; first < mine.last;) {
    int64_t last = th_min_i64(mine.last, (first / ZEROS_WORD + 1) * ZEROS_WORD);
    uint64_t bits = m->touched[first / ZEROS_WORD] ^ flip;
    if (bits == UINT64_MAX)
      for (int64_t j = first; j < last; j++)
        add(m, context, zeros, j);
    else
      for (bits &= UINT64_MAX << first % ZEROS_WORD; bits != 0;
           bits &= bits - 1) {
        int64_t j = first / ZEROS_WORD * ZEROS_WORD + __builtin_ctzll(bits);
        if (j >= last)
          break;
        add(m, context, zeros, j);
      }
    first = last;
  }
}

void th_marginal_settle(struct th_marginal *m, const struct th_context *context)
{
  int64_t count = th_range_count(context->owned);
  if (m->zero_count == 0)
    return;
  for (int64_t first = 0; first < count; first += TILE) {
    struct th_range tile = {first, th_min_i64(count, first + TILE)};
    for (int64_t k = 0; k < m->zero_count; k++)
      add_to(m, context, &m->zeros[k],
             th_range_intersect(tile, m->zeros[k].mine), false);
  }
  m->zero_count = 0;
  m->settled = true;
}

/* By folds. */
static void add_draw(struct th_marginal *m, const struct th_context *context,
                     const struct th_batch *batch, int64_t draw,
                     struct th_evidence unit)
{
  struct th_marginal_zeros folds[UINT8_MAX + 1];
  struct th_range mine =
      th_range_intersect(batch->draw[draw].block, context->owned);
  int64_t origin = context->owned.first;
  memset(folds, 0, (size_t)m->folds * sizeof *folds);
  for (int64_t r = batch->draw_row[draw]; r < batch->draw_row[draw + 1]; r++) {
    struct th_marginal_zeros *zeros = &folds[m->fold_of[r]];
    zeros->with.u += batch->residual[r];
    zeros->with.v += batch->weight[r];
    zeros->alone.u += m->target[r];
    zeros->alone.v += batch->weight[r];
  }
  for (int64_t f = 0; f < m->folds; f++) {
    if (folds[f].with.v == 0 || mine.first >= mine.last)
      continue;
    folds[f].mine = (struct th_range){mine.first - origin, mine.last - origin};
    folds[f].fold = f;
    folds[f].unit = unit;
    m->zeros[m->zero_count++] = folds[f];
    add_to(m, context, &folds[f], folds[f].mine, true);
  }
}

void th_marginal_centring(struct th_marginal *m,
                          const struct th_context *context,
                          const struct th_batch *batch, struct th_evidence unit)
{
  for (int64_t i = 0; i < batch->draws; i++) {
    if (m->zero_count >= MOST_ZEROS)
      th_marginal_settle(m, context);
    add_draw(m, context, batch, i, unit);
  }
}

/* --- The sums of all attributes ------------------------------------------- */

enum { WORD = 64 };

th_status th_marginal_init(struct th_marginal *m,
                           const struct th_context *context, int64_t folds,
                           const uint8_t *fold, bool rare, struct th_error *err)
{
  int64_t count = th_range_count(context->owned) * folds;
  size_t size = sizeof *m->alone;
  th_status (*alloc)(void **, int64_t, size_t, const char *,
                     struct th_error *) = rare ? th_memory_rare : th_alloc;
  th_status rc;
  *m = (struct th_marginal){.folds = folds, .fold = fold, .rare = rare};
  TH_TRY(alloc((void **)&m->alone, count, size, "scores", err));
  TH_TRY(alloc((void **)&m->with, count, size, "scores", err));
  TH_TRY(TH_NEW(&m->touched, th_range_count(context->owned) / WORD + 1,
                "scores", err));
done:
  return rc;
}

static const struct th_array by_row[] = {
    TH_ARRAY(struct th_marginal, fold_of), TH_ARRAY(struct th_marginal, target),
    TH_ARRAY(struct th_marginal, target32)};

static const struct th_array by_member[] = {TH_ARRAY(struct th_marginal, held)};

void th_marginal_free(struct th_marginal *m)
{
  TH_FREE(m->alone, m->with, m->touched, m->zeros);
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
  th_marginal_settle(m, context);
  th_state_enter(state, "marginal");
  th_state_spread(state, "alone", TH_STATE_F64, m->alone, m->folds, here);
  th_state_spread(state, "with", TH_STATE_F64, m->with, m->folds, here);
  m->settled = true;
  th_state_leave(state);
}

/* Room for the rows of a batch, and for what the zeros of its draws add. */
static th_status reserve(struct th_marginal *m, const struct th_batch *batch,
                         int64_t members, struct th_error *err)
{
  th_status rc = th_memory_arrays_reserve(
      TH_ARRAYS(m, by_row), &m->row_capacity, batch->rows, "scores", err);
  if (rc == TH_OK)
    rc = th_memory_arrays_reserve(TH_ARRAYS(m, by_member), &m->hold_capacity,
                                  members * m->folds, "scores", err);
  if (rc == TH_OK)
    rc = TH_GROW(&m->zeros, &m->zero_capacity,
                 m->zero_count + batch->draws * m->folds, "scores", err);
  return rc;
}

/* Put the sums of a member in all folds aside, or back. */
static void swap_held(struct th_marginal *m, const struct th_context *context,
                      const struct th_support *support, bool back)
{
  int64_t count = th_range_count(context->owned);
  struct th_range mine = th_support_owned(support, context->owned);
  for (int64_t k = mine.first; k < mine.last; k++)
    for (int64_t f = 0; f < m->folds; f++) {
      int64_t j = support->attribute[k] - context->owned.first;
      th_marginal_touch(m, context, j);
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
  th_status rc = reserve(m, batch, th_range_count(mine), err);
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
  swap_held(m, context, support, false);
}

void th_marginal_release(struct th_marginal *m,
                         const struct th_context *context,
                         const struct th_support *support)
{
  swap_held(m, context, support, true);
}

/* Attributes that have an entry for the first time. */
static void touch_slab(struct th_marginal *m, const struct th_context *context,
                       const struct th_marginal_slab *given)
{
  const struct th_slab *slab = given->slab;
  int64_t shift = slab->base - slab->attributes.first + given->offset;
  for (int64_t k = 0; k < slab->runs; k++) {
    int64_t j = shift + slab->attribute[k];
    if (m->touched[j / WORD] >> j % WORD & 1)
      continue;
    struct th_range entries = th_slab_entries(slab, k);
    if (entries.first < entries.last)
      th_marginal_touch(m, context, j);
  }
}

/* The rows' weight times target in place of residuals. */
static struct th_row_weights with_target(const struct th_marginal *m,
                                         const struct th_marginal_slab *given)
{
  struct th_row_weights target = *given->multiplier;
  target.residual = m->target + given->row;
  target.residual32 = m->target32 + given->row;
  return target;
}

void th_marginal_add_sparse(struct th_marginal *m,
                            const struct th_context *context,
                            const struct th_marginal_slab *given)
{
  int64_t first = m->fold_of[given->row] * th_range_count(context->owned);
  struct th_row_weights target = with_target(m, given);
  const struct th_evidence one = {-1, 1};
  touch_slab(m, context, given);
  th_kernels_sparse_touch(given->slab, given->multiplier, given->unit,
                          given->offset, m->with + first, m->touched);
  th_kernels_sparse_touch(given->slab, &target, one, given->offset,
                          m->alone + first, m->touched);
}

void th_marginal_add_dense(struct th_marginal *m,
                           const struct th_context *context,
                           const struct th_marginal_slab *given,
                           const struct th_marginal_sums *sums)
{
  int64_t count = th_range_count(given->slab->attributes);
  int64_t first = m->fold_of[given->row] * th_range_count(context->owned);
  struct th_row_weights target = with_target(m, given);
  double u[TH_MARGINAL_STRIP];
  for (int64_t a = 0; a < count; a++) {
    struct th_evidence *to = &m->with[first + sums->at[a]];
    to->u += given->unit.u * sums->u[a];
    to->v += given->unit.v * sums->v[a];
    u[a] = 0;
  }
  if (given->race)
    return;
  th_kernel_gradient(given->slab, &target, sums->centre, u);
  for (int64_t a = 0; a < count; a++) {
    struct th_evidence *to = &m->alone[first + sums->at[a]];
    to->u -= u[a];
    to->v += sums->v[a];
  }
}

void th_marginal_entrant(struct th_marginal *m,
                         const struct th_context *context,
                         const struct th_batch *batch, int64_t attribute,
                         const double *column, double coef, double mean_square)
{
  int64_t j = attribute - context->owned.first;
  double scale = context->scale[j];
  th_marginal_touch(m, context, j);
  for (int64_t i = 0; i < batch->rows; i++) {
    struct th_evidence *to =
        &m->with[m->fold_of[i] * th_range_count(context->owned) + j];
    double square = batch->weight[i] * column[i] * column[i];
    to->u +=
        (square * coef - batch->residual[i] * column[i]) / mean_square / scale;
    to->v += square / mean_square / scale / scale;
  }
}

static double score_of(const struct th_marginal *m,
                       const struct th_context *context,
                       const struct th_evidence *sums, int64_t without,
                       int64_t j)
{
  struct th_evidence sum = {0, 0};
  for (int64_t f = 0; f < m->folds; f++)
    if (f != without) {
      sum.u += sums[f * th_range_count(context->owned) + j].u;
      sum.v += sums[f * th_range_count(context->owned) + j].v;
    }
  bool known = sum.v > 0 && context->scale[j] > 0;
  double z = known ? fabs(sum.u) / sqrt(sum.v) : 0;
  return isfinite(z) ? z : 0;
}

void th_marginal_scores(struct th_marginal *m, const struct th_context *context,
                        enum th_score which, int64_t without, double *score)
{
  const struct th_evidence *sums = which == TH_SCORE_ALONE ? m->alone : m->with;
  int64_t count = th_range_count(context->owned);
  bool few = m->rare && !m->settled; /* others have none */
  if (!few)
    th_marginal_settle(m, context);
  for (int64_t j = 0; j < count && !few; j++)
    score[j] = score_of(m, context, sums, without, j);
  for (int64_t w = 0; w * WORD < count && few; w++)
    for (uint64_t bits = m->touched[w]; bits != 0; bits &= bits - 1) {
      int64_t j = w * WORD + __builtin_ctzll(bits);
      score[j] = score_of(m, context, sums, without, j);
    }
}
