/* exploration.c - Exploration: gradients in blocks, then a hard threshold
 *
 * Murata & Suzuki 2018, Algorithm 1, for
 *     minimise E[ l_y(theta' x) ]  subject to  |theta|_0 <= s,
 * where at most s' > s attributes of an example may be observed.
 *
 * What the paper leaves open: every block J_i has its own B_t rows (one set of
 * rows for all blocks would observe all of an example); while S is empty blocks
 * may be s' wide. The examples of all blocks see S. With shared_support the
 * coordinates on S use all of them; without it they are those of the paper.
 * SPDX-License-Identifier: MIT */
#include "solvers/algorithm.h"
#include "solvers/thresholding/algorithms.h"
#include "solvers/thresholding/iht.h"

#include <string.h>

/* The sums that add_gradient adds to. */
struct sums {
  const double *centre;
  double *grad;
};

static void add_gradient(void *self, const struct th_slab *slab,
                         const struct th_row_weights *multiplier,
                         int64_t offset)
{
  struct sums *sums = self;
  th_kernel_gradient(slab, multiplier, sums->centre + offset,
                     sums->grad + offset);
}

static double draw_weight(const struct th_batch *batch, int64_t i)
{
  double sum = 0;
  for (int64_t row = batch->draw_row[i]; row < batch->draw_row[i + 1]; row++)
    sum += batch->weight[row];
  return sum;
}

/* Sums become means over the block's rows, in scaled units. Local. */
static void average(struct th_iht *h, const struct th_context *context)
{
  struct th_range owned = context->owned;
  for (int64_t i = 0; i < h->batch.draws; i++) {
    struct th_range part = th_range_intersect(h->batch.draw[i].block, owned);
    double weight = draw_weight(&h->batch, i);
    double inverse = weight > 0 ? 1 / weight : 0;
    for (int64_t j = part.first - owned.first; j < part.last - owned.first; j++)
      h->grad[j] *= inverse * context->scale[j];
  }
}

/* grad on S from the rows of all blocks. Local. */
static void share_support(struct th_iht *h, const struct th_context *context)
{
  for (int64_t k = h->batch.mine.first; k < h->batch.mine.last; k++)
    h->grad[h->theta.attribute[k] - context->owned.first] =
        th_batch_slope(&h->batch, k);
}

/* line 7: theta = H_s(theta - eta g). Collective. */
static th_status threshold(struct th_iht *h, struct th_context *context,
                           struct th_error *err)
{
  int64_t count = context->owned.last - context->owned.first;
  int64_t found = 0;
  double *moved = h->grad; /* becomes theta - eta g in place */
  th_profile_begin(context->profile);
  for (int64_t j = 0; j < count; j++)
    moved[j] *= -h->eta;
  for (int64_t k = h->batch.mine.first; k < h->batch.mine.last; k++)
    moved[h->theta.attribute[k] - context->owned.first] += h->theta.coef[k];
  struct th_select_among among = {.values = moved,
                                  .first = context->owned.first,
                                  .count = count,
                                  .k = context->config->sparsity};
  th_status rc = th_select_largest(context->comm, &h->selection, &among,
                                   h->batch.visited, h->chosen, &found, err);
  if (rc == TH_OK)
    rc = th_support_assign(&h->theta, context, h->chosen, found, err);
  th_profile_end(context->profile, TH_PHASE_SELECT);
  return rc;
}

th_status th_iht_explore(struct th_iht *h, struct th_context *context,
                         bool *more, struct th_error *err)
{
  int64_t count = context->owned.last - context->owned.first;
  struct sums sums = {context->centre, h->grad};
  bool use = false;
  th_status rc;
  /* line 3: S = supp(theta); line 1: the blocks J_i */
  TH_TRY(th_iht_blocks(h, context, err));
  struct th_batch_request request = {.blocks = &h->blocks,
                                     .consumer = TH_CONSUMER_BLOCK,
                                     .rows = h->explore_rows,
                                     .support = &h->theta,
                                     .loss = context->loss,
                                     .visit = add_gradient,
                                     .self = &sums};
  /* line 4: sample B_t rows for each block; line 5: observe x|J_i, x|S, y;
   * line 6: g|J_i = (1/B) sum of l'_y(theta_S' x_S) x|J_i */
  memset(h->grad, 0, (size_t)count * sizeof *h->grad);
  TH_TRY(th_iht_evaluate(h, context, &request, more, &use, err));
  if (!use)
    return TH_OK;
  average(h, context);
  if (context->config->rounds.shared_support)
    share_support(h, context);
  TH_TRY(threshold(h, context, err));
  TH_TRY(th_iht_remember(h, context, err));
done:
  return rc;
}

static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  return th_iht_step(state, context, true, false, more, err);
}

const struct th_algorithm th_exploration_algorithm = TH_IHT_ALGORITHM(step);
