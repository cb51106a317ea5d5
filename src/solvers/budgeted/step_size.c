/* step_size.c - L from the spectrum of a few random attributes
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "core/random.h"
#include "math/linalg.h"
#include "math/schedule.h"
#include "solvers/budgeted/iht.h"

#include <stdlib.h>

enum {
  PROBES = 2, /* blocks that are looked at */
  ROWS_PER_ATTRIBUTE = 4,
  MOST_ATTRIBUTES = 2048 /* a larger Gram matrix does not tell more */
};

static const double skipped_lambda = 2;

/* The correlation matrix of the members that vary, packed to the front. Local.
 */
static int64_t correlation(const struct th_gram *gram, double *a)
{
  int64_t n = 0;
  for (int64_t k = 0; k < gram->size; k++)
    n += th_gram_at(gram, k, k) > 0;
  int64_t column = 0;
  for (int64_t j = 0; j < gram->size; j++) {
    if (!(th_gram_at(gram, j, j) > 0))
      continue;
    int64_t row = 0;
    for (int64_t i = 0; i <= j; i++)
      if (th_gram_at(gram, i, i) > 0)
        a[row++ + column * n] = th_gram_at(gram, i, j) / gram->weight;
    column++;
  }
  return n;
}

/* Local, on rank 0. */
static th_status eigenvalue_here(const struct th_gram *gram, double *lambda,
                                 struct th_error *err)
{
  double *a = NULL;
  double largest = 1;
  th_status rc;
  TH_TRY(TH_NEW(&a, gram->size * gram->size, "a correlation matrix", err));
  int64_t n = correlation(gram, a);
  if (n > 0)
    TH_TRY(th_linalg_largest_eigenvalue(n, a, &largest, err));
  *lambda = th_schedule_eigenvalue(largest, (double)n / gram->rows);
done:
  free(a);
  return rc;
}

th_status th_iht_gram_eigenvalue(const struct th_gram *gram,
                                 struct th_context *context, double *lambda,
                                 struct th_error *err)
{
  struct th_comm *comm = context->comm;
  th_status rc = TH_OK;
  th_profile_begin(context->profile);
  if (comm->rank == 0)
    rc = eigenvalue_here(gram, lambda, err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, lambda, sizeof *lambda, 0);
  th_profile_end(context->profile, TH_PHASE_SOLVE);
  return rc;
}

/* `count` random attributes become the support. Collective. */
static th_status choose_attributes(struct th_support *support,
                                   struct th_context *context, int probe,
                                   int64_t count, struct th_error *err)
{
  int64_t d = th_source_shape(context->source)->attributes;
  struct th_stream stream = {context->config->seed, TH_PURPOSE_STEP_SIZE};
  struct th_index_value *chosen = NULL;
  th_status rc = TH_NEW(&chosen, count, "random attributes", err);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int64_t i = 0; i < count; i++)
    chosen[i].attribute = th_random_place(stream, (uint64_t)probe, d, i);
  qsort(chosen, (size_t)count, sizeof *chosen, th_integer_ascending);
  TH_TRY(th_support_assign(support, context, chosen, count, err));
done:
  free(chosen);
  return rc;
}

/* One probe. Collective. */
static th_status probe_block(struct th_context *context, int probe,
                             int64_t count, double *lambda,
                             struct th_error *err)
{
  struct th_support support = {0};
  struct th_batch batch = {0};
  struct th_gram gram = {0};
  bool complete = false;
  th_status rc;
  TH_TRY(choose_attributes(&support, context, probe, count, err));
  const struct th_batch_request request = {.consumer = TH_CONSUMER_STEP_SIZE,
                                           .rows = ROWS_PER_ATTRIBUTE * count,
                                           .support = &support};
  TH_TRY(th_batch_observe(&batch, context, &request, &complete, err));
  if (!complete)
    goto done;
  TH_TRY(th_gram_start(&gram, context, count, err));
  TH_TRY(th_gram_add(&gram, context, &batch, &support, NULL, NULL, err));
  TH_TRY(th_iht_gram_eigenvalue(&gram, context, lambda, err));
done:
  th_support_free(&support);
  th_batch_free(&batch);
  th_gram_free(&gram);
  return rc;
}

th_status th_iht_estimate_step_size(struct th_context *context, double *lambda,
                                    struct th_error *err)
{
  int64_t count = th_source_budget(context->source);
  th_status rc = TH_OK;
  count = count < MOST_ATTRIBUTES ? count : MOST_ATTRIBUTES;
  *lambda = skipped_lambda;
  if (PROBES * ROWS_PER_ATTRIBUTE * count * 10 > context->deal.rows_in_pass)
    return rc;
  *lambda = 1;
  for (int probe = 0; probe < PROBES && rc == TH_OK; probe++) {
    double found = 1;
    rc = probe_block(context, probe, count, &found, err);
    *lambda = found > *lambda ? found : *lambda;
  }
  return rc;
}
