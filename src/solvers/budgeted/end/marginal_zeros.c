/* marginal_zeros.c - what the zeros of sparse data add to the scores of the end
 *
 * Every draw adds to all attributes of its block, of which few have an entry.
 * Those that have had one are kept up to date. The others have the same sums
 * added in the same order once they need them, so that no bit depends on when
 * that is.
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/end/marginal.h"

#include "core/integer.h"

#include <string.h>

enum {
  WORD = 64,
  TILE = 64 * WORD, /* attributes that are settled together */
  MOST_ZEROS = 4096 /* in the list, before all attributes are settled */
};

/* Take a draw's centring from the sums of one attribute. */
static inline void add(struct th_marginal *m, const struct th_context *context,
                       const struct th_marginal_zeros *zeros, int64_t j)
{
  int64_t count = context->owned.last - context->owned.first;
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
  return (m->touched[j / WORD] >> j % WORD & 1) != 0;
}

static void catch_up(struct th_marginal *m, const struct th_context *context,
                     int64_t j)
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
  catch_up(m, context, j);
  m->touched[j / WORD] |= (uint64_t)1 << j % WORD;
}

/* Add a draw's part to those attributes of a range whose bit is `touched`. */
static void add_to(struct th_marginal *m, const struct th_context *context,
                   const struct th_marginal_zeros *zeros, struct th_range mine,
                   bool touched)
{
  uint64_t flip = touched ? 0 : UINT64_MAX;
  for (int64_t first = mine.first; first < mine.last;) {
    int64_t last = th_min_i64(mine.last, (first / WORD + 1) * WORD);
    uint64_t bits = m->touched[first / WORD] ^ flip;
    if (bits == UINT64_MAX)
      for (int64_t j = first; j < last; j++)
        add(m, context, zeros, j);
    else
      for (bits &= UINT64_MAX << first % WORD; bits != 0; bits &= bits - 1) {
        int64_t j = first / WORD * WORD + __builtin_ctzll(bits);
        if (j >= last)
          break;
        add(m, context, zeros, j);
      }
    first = last;
  }
}

void th_marginal_settle(struct th_marginal *m, const struct th_context *context)
{
  int64_t count = context->owned.last - context->owned.first;
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
