/* iht.c - what Exploration, Exploitation and Hybrid share
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/iht.h"

#include "core/memory.h"
#include "core/partition.h"
#include "solvers/budgeted/refit.h"

#include <math.h>
#include <stdlib.h>

enum {
  AFFORDABLE = 1024,   /* |S| up to which every round may refit */
  RARE_ROWS = 4,       /* of the worst kind, that chance may bring */
  REFIT_ROWS = 4,      /* per member, for a refit within the run */
  EIGENVALUE_ROWS = 10 /* per member, for a new look at L */
};

static const double guard_factor = 4;

/* Begin with the configured start, whose coefficients are in the data's own
 * units. Collective. */
static th_status start_support(struct th_iht *h, struct th_context *context,
                               struct th_error *err)
{
  const struct th_config *config = context->config;
  struct th_index_value *chosen = NULL;
  th_status rc = TH_NEW(&chosen, config->start.size, "the start", err);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int64_t k = 0; k < config->start.size; k++)
    chosen[k] =
        (struct th_index_value){config->start.support[k],
                                config->start.coef ? config->start.coef[k] : 0};
  TH_TRY(
      th_support_assign(&h->theta, context, chosen, config->start.size, err));
  for (int64_t k = 0; k < h->theta.size; k++)
    h->theta.coef[k] =
        h->theta.scale[k] > 0 ? h->theta.coef[k] / h->theta.scale[k] : 0;
  h->theta.intercept = context->target.offset;
done:
  free(chosen);
  return rc;
}

/* eta = 1/(2 L), L = smoothness of the loss times the largest eigenvalue.
 * Collective. */
static th_status choose_step_size(struct th_iht *h, struct th_context *context,
                                  struct th_error *err)
{
  double lambda = 1;
  h->eta = context->config->eta;
  if (h->eta > 0)
    return TH_OK;
  th_status rc = th_iht_estimate_step_size(context, &lambda, err);
  h->smoothness = context->loss->smoothness * lambda;
  h->eta = 1 / (2 * h->smoothness);
  return rc;
}

/* Reserve all room now, so that no step allocates. Local. */
static th_status reserve(struct th_iht *h, const struct th_context *context,
                         struct th_error *err)
{
  const struct th_config *config = context->config;
  int64_t owned = context->owned.last - context->owned.first;
  int64_t most = config->sparsity > config->start.size ? config->sparsity
                                                       : config->start.size;
  int64_t width = th_source_budget(context->source) - config->sparsity;
  int64_t d = th_source_shape(context->source)->attributes;
  th_status rc;
  TH_TRY(TH_NEW(&h->grad, owned, "a gradient", err));
  TH_TRY(TH_NEW(&h->chosen, most, "a hard threshold", err));
  TH_TRY(TH_NEW(&h->slope, most + 1, "a gradient", err));
  TH_TRY(th_support_reserve(&h->last, most, err));
  TH_TRY(th_support_reserve(&h->theta, most, err));
  if (width > 0) /* blocks are never narrower, so there are never more */
    TH_TRY(th_partition_blocks_even(&h->blocks, d, width, err));
done:
  return rc;
}

th_status th_iht_create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct th_iht *h = NULL;
  th_status rc = TH_NEW(&h, 1, "the solver", err);
  if (rc == TH_OK)
    rc = reserve(h, context, err);
  TH_TRY(th_agree(context->comm, rc, err));
  h->smallest_loss = INFINITY;
  h->explores = true;
  TH_TRY(start_support(h, context, err));
  TH_TRY(th_gram_start(&h->gram, context, h->theta.size, err));
  th_kept_rows_start(&h->kept, context, h->theta.size);
  TH_TRY(choose_step_size(h, context, err));
  h->first_eta = h->eta;
  *state = h;
  h = NULL;
done:
  th_iht_release(h);
  return rc;
}

void th_iht_release(void *state)
{
  struct th_iht *h = state;
  if (h == NULL)
    return;
  th_support_free(&h->theta);
  th_support_free(&h->last);
  th_partition_blocks_free(&h->blocks);
  th_batch_free(&h->batch);
  th_gram_free(&h->gram);
  th_kept_rows_free(&h->kept);
  th_select_free(&h->selection);
  TH_FREE(h->grad, h->chosen, h->slope, h);
}

/* The halvings that shorten a step enough, at least one. A step that is e times
 * too long raises a squared loss by about e^2. */
static int64_t halvings_for(double rise)
{
  int exponent = 0;
  if (!isfinite(rise))
    return 1;
  frexp(rise, &exponent);
  return exponent > 3 ? exponent / 2 : 1;
}

static th_status guard(struct th_iht *h, struct th_context *context,
                       bool *tripped, struct th_error *err)
{
  double loss = h->batch.loss;
  double rare_label_slack =
      RARE_ROWS * context->target.worst / h->batch.weight_sum;
  *tripped = !isfinite(loss) ||
             loss > guard_factor * h->smallest_loss + rare_label_slack;
  if (!*tripped) {
    h->smallest_loss = fmin(h->smallest_loss, loss + rare_label_slack);
    return th_support_copy(&h->last, &h->theta, err);
  }
  int64_t halvings = halvings_for(loss / h->smallest_loss);
  h->eta = ldexp(h->eta, -(int)halvings);
  h->halvings += halvings;
  th_context_notice(
      context,
      "the %s on fresh examples rose to %g; the smallest so far is %g. The "
      "last state was restored, and the step size is now %g",
      context->loss->labels ? "loss" : "mean squared error", loss,
      h->smallest_loss, h->eta);
  th_status rc = th_support_copy(&h->theta, &h->last, err);
  if (rc == TH_OK) /* cannot fail: there is room; the same on every rank */
    rc = th_gram_start(&h->gram, context, h->theta.size, err);
  return rc;
}

th_status th_iht_evaluate(struct th_iht *h, struct th_context *context,
                          const struct th_batch_request *request, bool *more,
                          bool *use, struct th_error *err)
{
  bool tripped = false;
  th_status rc;
  *use = false;
  TH_TRY(th_batch_evaluate(&h->batch, context, request, more, err));
  if (!*more)
    return TH_OK;
  if (!(h->batch.weight_sum > 0)) /* rows of weight 0 teach nothing */
    return th_agree(context->comm, h->batch.visited, err);
  TH_TRY(guard(h, context, &tripped, err));
  *use = !tripped;
  if (tripped) /* nobody else looks at what was read in vain */
    rc = th_agree(context->comm, h->batch.visited, err);
done:
  return rc;
}

th_status th_iht_blocks(struct th_iht *h, struct th_context *context,
                        struct th_error *err)
{
  int64_t d = th_source_shape(context->source)->attributes;
  int64_t width = th_source_budget(context->source);
  if (h->theta.size > 0)
    width -= context->config->sparsity;
  return th_partition_blocks_even(&h->blocks, d, width, err);
}

static bool same_support(const struct th_support *a, const struct th_support *b)
{
  if (a->size != b->size)
    return false;
  for (int64_t k = 0; k < a->size; k++)
    if (a->attribute[k] != b->attribute[k])
      return false;
  return true;
}

th_status th_iht_remember(struct th_iht *h, struct th_context *context,
                          struct th_error *err)
{
  bool refits = context->config->refit != TH_REFIT_NO;
  if (!same_support(&h->theta, &h->last)) {
    th_kept_rows_start(&h->kept, context, h->theta.size);
    return th_gram_start(&h->gram, context, h->theta.size, err);
  }
  if (refits && context->loss->labels)
    th_kept_rows_add(&h->kept, context, &h->batch, err);
  if (!refits || context->loss->labels || h->theta.size > AFFORDABLE)
    return TH_OK;
  return th_gram_add(&h->gram, context, &h->batch, &h->theta, NULL, NULL, err);
}

/* Estimate L again; the larger one counts. Collective. */
static th_status look_at_smoothness(struct th_iht *h,
                                    struct th_context *context,
                                    struct th_error *err)
{
  double lambda = 1;
  th_status rc = th_iht_gram_eigenvalue(&h->gram, context, &lambda, err);
  double smoothness = context->loss->smoothness * lambda;
  if (rc == TH_OK && smoothness > h->smoothness) {
    h->smoothness = smoothness;
    h->eta = fmin(h->eta, 1 / (2 * smoothness));
  }
  return rc;
}

th_status th_iht_round_end(struct th_iht *h, struct th_context *context,
                           struct th_error *err)
{
  double rows = h->gram.rows;
  double members = (double)h->theta.size;
  th_status rc = TH_OK;
  h->round++;
  if (h->theta.size > 0 && rows >= REFIT_ROWS * members)
    rc = th_refit_shrunk(&h->theta, context, &h->gram, err);
  if (rc == TH_OK && h->theta.size > 0 && context->config->eta == 0 &&
      rows >= EIGENVALUE_ROWS * members)
    rc = look_at_smoothness(h, context, err);
  return rc;
}

th_status th_iht_finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  struct th_iht *h = state;
  if (h->theta.size == 0 && h->halvings > 0 && context->config->eta > 0)
    return th_fail(
        err, TH_ENUMERIC,
        "training diverged until the examples were used up: the step size %g "
        "is too large, and so is %g after %lld halvings; leave {eta} out",
        h->first_eta, h->eta, (long long)h->halvings);
  struct th_refit_state end = {.support = &h->theta,
                               .batch = &h->batch,
                               .gram = &h->gram,
                               .kept = &h->kept};
  return th_refit_end(&end, context, err);
}

void th_iht_describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct th_iht *h = state;
  th_support_describe(&h->theta, "theta", list);
  th_support_describe(&h->last, "last", list);
  th_gram_describe(&h->gram, list);
  th_kept_rows_describe(&h->kept, context, &h->theta, list);
  TH_STATE_ONE(list, &h->batch, loss);
  TH_STATE_ONE(list, h, smoothness);
  TH_STATE_ONE(list, h, eta);
  TH_STATE_ONE(list, h, first_eta);
  TH_STATE_ONE(list, h, halvings);
  TH_STATE_ONE(list, h, smallest_loss);
  TH_STATE_ONE(list, h, explore_rows);
  TH_STATE_ONE(list, h, exploit_rows);
  TH_STATE_COUNTER(list, h, updates_explore);
  TH_STATE_COUNTER(list, h, updates_exploit);
  TH_STATE_ONE(list, h, round);
  TH_STATE_ONE(list, h, explores);
}

const struct th_support *th_iht_support(const void *state)
{
  const struct th_iht *h = state;
  return &h->theta;
}

double th_iht_loss(const void *state)
{
  const struct th_iht *h = state;
  return h->batch.loss;
}

double th_iht_step_size(const void *state)
{
  const struct th_iht *h = state;
  return h->eta;
}
