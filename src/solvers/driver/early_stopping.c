/* early_stopping.c - early stopping on held-out training examples
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/early_stopping.h"

#include <math.h>

enum {
  STRIKES = 5,       /* checks without a gain that end a run */
  CHECKS_A_PASS = 4, /* at most */
  UNIT_GROUP = 64    /* deal units looked at together */
};

static const double gain = 1e-4; /* relative decrease that counts */

void th_early_stopping_free(struct th_validation *validation)
{
  th_support_free(&validation->best);
  th_batch_free(&validation->batch);
}

void th_early_stopping_describe(struct th_validation *validation,
                                struct th_state *state)
{
  th_state_enter(state, "validation");
  th_support_describe(&validation->best, "best", state);
  TH_STATE_ONE(state, validation, best_loss);
  TH_STATE_ONE(state, validation, strikes);
  TH_STATE_ONE(state, validation, checked_at);
  th_state_leave(state);
}

/* Sums over examples. */
struct totals {
  double loss; /* times weight */
  double weight;
};

/* Loss and weight of some units. Collective. */
static th_status add_units(struct th_validation *v, struct th_context *context,
                           const struct th_support *support,
                           struct th_range units, struct totals *totals,
                           struct th_error *err)
{
  th_status rc = th_batch_validate(&v->batch, context, units, support, err);
  if (rc != TH_OK)
    return rc;
  totals->loss += v->batch.loss * v->batch.weight_sum;
  totals->weight += v->batch.weight_sum;
  return rc;
}

th_status th_early_stopping_loss(struct th_validation *validation,
                                 struct th_context *context,
                                 const struct th_support *support, double *loss,
                                 struct th_error *err)
{
  int64_t units = th_deal_validation_units(&context->deal);
  struct totals totals = {0, 0};
  th_status rc = TH_OK;
  for (int64_t k = 0; k < units && rc == TH_OK; k += UNIT_GROUP) {
    int64_t last = k + UNIT_GROUP < units ? k + UNIT_GROUP : units;
    struct th_range some = {k, last};
    rc = add_units(validation, context, support, some, &totals, err);
  }
  *loss = totals.weight > 0 ? totals.loss / totals.weight : 0;
  return rc;
}

bool th_early_stopping_ended(const struct th_validation *validation)
{
  return validation->strikes >= STRIKES;
}

bool th_early_stopping_due(const struct th_validation *validation,
                           const struct th_context *context)
{
  int64_t pace = context->deal.rows_in_pass / CHECKS_A_PASS;
  return th_deal_validation_units(&context->deal) > 0 &&
         context->deal.taken - validation->checked_at >= pace;
}

th_status th_early_stopping_check(struct th_validation *validation,
                                  struct th_context *context,
                                  const struct th_support *support, bool *stop,
                                  struct th_error *err)
{
  double loss = 0;
  *stop = false;
  if (!th_early_stopping_due(validation, context))
    return TH_OK;
  validation->checked_at = context->deal.taken;
  th_status rc =
      th_early_stopping_loss(validation, context, support, &loss, err);
  if (rc != TH_OK)
    return rc;
  if (loss < validation->best_loss * (1 - gain)) {
    validation->best_loss = loss;
    validation->strikes = 0;
    rc = th_support_copy(&validation->best, support, err);
    return th_agree(context->comm, rc, err);
  }
  validation->strikes++;
  *stop = th_early_stopping_ended(validation);
  return TH_OK;
}
