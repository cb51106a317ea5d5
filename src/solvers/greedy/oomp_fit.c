/* oomp_fit.c - Optim: least squares on S, by the Gram matrix of fresh rows
 *
 * In place of the averaged stochastic gradients of Saad, Blanchard & Arlot
 * 2024, Algorithm 5: the same property, on 5 to 10 times fewer examples.
 * SPDX-License-Identifier: MIT */
#include "solvers/greedy/oomp_fit.h"
#include "core/elementary.h"
#include "core/integer.h"
#include "core/memory.h"

#include <math.h>

enum { FEWEST = 5 }; /* rows, for each member */

static const double depends = 1e-10;

int64_t th_oomp_fit_rows(int64_t members, double noise, double delta, double xi)
{
  double k = (double)members;
  double l = -th_log(delta);
  double rows = noise * (k + 2 * sqrt(k * l) + 2 * l) / xi;
  return th_max_i64(FEWEST * members, (int64_t)ceil(fmin(rows, 0x1p60)));
}

void th_oomp_fit_free(struct th_oomp_fit *fit)
{
  th_gram_free(&fit->gram);
  th_cholesky_free(&fit->factor);
  TH_FREE(fit->room);
}

th_status th_oomp_fit_begin(struct th_oomp_fit *fit, struct th_context *context,
                            const struct th_support *support,
                            struct th_error *err)
{
  return th_gram_start(&fit->gram, context, support->size, err);
}

th_status th_oomp_fit_look(struct th_oomp_fit *fit, struct th_context *context,
                           struct th_batch *batch,
                           const struct th_support *support, int64_t rows,
                           bool *more, struct th_error *err)
{
  const struct th_batch_request request = {.consumer = TH_CONSUMER_EXPLOIT,
                                           .rows = rows,
                                           .support = support,
                                           .loss = context->loss};
  th_status rc = th_batch_observe(batch, context, &request, more, err);
  if (rc == TH_OK && *more)
    rc = th_gram_add(&fit->gram, context, batch, support, NULL, NULL, err);
  return rc;
}

/* Local, replicated. */
static th_status solve(struct th_oomp_fit *fit, struct th_support *support,
                       struct th_error *err)
{
  const struct th_gram *gram = &fit->gram;
  int64_t size = support->size;
  th_status rc =
      TH_GROW(&fit->room, &fit->capacity, size, "least squares", err);
  if (rc == TH_OK)
    rc = th_cholesky_pivot(&fit->factor, size, gram->a, size + 2, depends, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < size; k++)
    fit->room[k] = th_gram_at(gram, k, size + 1);
  th_cholesky_solve(&fit->factor, fit->factor.rank, fit->room, support->coef);
  return rc;
}

th_status th_oomp_fit_solve(struct th_oomp_fit *fit, struct th_context *context,
                            struct th_support *support, struct th_error *err)
{
  return th_agree(context->comm, solve(fit, support, err), err);
}
