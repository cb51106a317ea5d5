/* cells.c - numbers of cells that every rank knows
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/cells.h"

#include "core/integer.h"
#include "core/partition.h"

int64_t th_cells_count(const struct th_context *context)
{
  int64_t attributes = th_source_shape(context->source)->attributes;
  return th_integer_ceil_divide(attributes, TH_CELL);
}

struct th_range th_cells_owned(const struct th_context *context)
{
  struct th_range owned = context->owned;
  return (struct th_range){th_integer_ceil_divide(owned.first, TH_CELL),
                           th_integer_ceil_divide(owned.last, TH_CELL)};
}

double th_cells_sum(const struct th_context *context, const double *value,
                    double *sum)
{
  struct th_range owned = context->owned;
  int64_t cells = th_cells_count(context);
  double all = 0;
  for (int64_t c = 0; c < cells; c++)
    sum[c] = 0;
  for (int64_t j = owned.first; j < owned.last; j++)
    sum[j / TH_CELL] += value[j - owned.first];
  th_comm_share_numbers(context->comm, sum, (size_t)cells);
  for (int64_t c = 0; c < cells; c++)
    all += sum[c];
  return all;
}

void th_cells_share(const struct th_context *context,
                    const struct th_sum_tree *owned, struct th_sum_tree *all)
{
  struct th_range mine = th_cells_owned(context);
  double *leaf = all->level[0];
  for (int64_t c = 0; c < all->leaves; c++)
    leaf[c] = c >= mine.first && c < mine.last
                  ? th_sum_tree_top(owned, c - mine.first)
                  : 0;
  th_comm_share_numbers(context->comm, leaf, (size_t)all->leaves);
  th_sum_tree_refresh(all);
}
