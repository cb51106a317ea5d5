/* iht.c - solvers `exploration`, `exploitation` and `hybrid`: iterative hard
 * thresholding under an attribute budget
 *
 * Murata & Suzuki 2018, Algorithms 1 to 3, for
 *     minimise E[ l_y(theta' x) ]  subject to  |theta|_0 <= s,
 * where at most s' > s attributes of an example may be observed.
 *
 *   Exploration(theta, eta, s', s, {B_t}, T)                     Algorithm 1
 *     1  split the attributes into blocks J_i of s' - s
 *     2  for t = 1 to T
 *     3    S = supp(theta)
 *     4    for each J_i: sample B_t examples
 *     5      observe x|J_i, x|S and y of each
 *     6      g|J_i = (1/B_t) sum of l'_y(theta_S' x_S) x|J_i
 *     7    theta = H_s(theta - eta g), H_s keeps the s largest
 *   Exploitation(theta, eta, {B_t}, T)                           Algorithm 2
 *     1  S_0 = supp(theta)
 *     2  for t = 1 to T
 *     3    sample B_t examples
 *     4    observe x|S_0 and y of each
 *     5    g|S_0 = (1/B_t) sum of l'_y(theta' x) x|S_0
 *     6    g is 0 elsewhere
 *     7    theta = theta - eta g
 *   Hybrid                                                       Algorithm 3
 *     1  for k = 1, 2, ...
 *     2    theta = Exploration(theta, eta, s', s, {B^-_k}, T^-_k)
 *     3    theta = Exploitation(theta, eta, {B_k}, T_k)
 *
 * The solvers `exploration` and `exploitation` make rounds of one of the two.
 *
 * What the paper leaves open: every block J_i has its own B_t rows (one set of
 * rows for all blocks would observe all of an example); while S is empty blocks
 * may be s' wide. The examples of all blocks see S. With shared_support the
 * coordinates on S use all of them; without it they are those of the paper. The
 * support of Exploitation never changes, even when a coefficient passes through
 * 0. Batches grow from round to round.
 * SPDX-License-Identifier: MIT */
#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/linalg.h"
#include "math/schedule.h"
#include "ranks/partition.h"
#include "solvers/access/batch.h"
#include "solvers/access/exempt_members.h"
#include "solvers/access/gram.h"
#include "solvers/access/kept_rows.h"
#include "solvers/algorithms.h"
#include "solvers/fits/refit.h"
#include "solvers/solver_table.h"
#include "solvers/thresholding/budgeted_plan.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- What a run of exploration, exploitation or hybrid is going to do ----- */

enum {
  LEAST_BUDGET = 64,
  BYTES_PER_ATTRIBUTE = 88 /* centre, scale, bound and a solver's vectors */
};

th_status th_iht_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err)
{
  struct th_config *config = &plan->config;
  int64_t d = size->shape->attributes;
  const struct th_schedule_rows *given = &config->rounds.batch_explore;
  int64_t rows = given->count > 0 ? given->rows[0] : 0;
  th_status rc;
  bool fixed = plan->solver->needs_start;
  TH_TRY(th_budgeted_plan_check_start(config, d, fixed, err));
  TH_TRY(th_budgeted_plan_budget(config, d, LEAST_BUDGET, fixed, err));
  plan->blocks = th_budgeted_plan_blocks(d, config->budget - config->sparsity);
  if (rows <= 0)
    rows = th_schedule_explore_rows(config->sparsity);
  th_budgeted_plan_passes(config, size->shape, plan->blocks * rows, true,
                          fixed);
  th_budgeted_plan(
      plan, size,
      &(struct th_budgeted_needs){
          .bytes = BYTES_PER_ATTRIBUTE,
          .members = config->sparsity > 0 ? config->sparsity : config->budget,
          .copies = 2, /* the kept ones and a batch of them */
          .grows = true},
      rows);
done:
  return rc;
}

/* The updates that the rounds of a solver have: a set. */
enum updates { EXPLORE = 1, EXPLOIT = 2, BOTH = EXPLORE | EXPLOIT };

/* Replicated but for grad. */
struct iht {
  struct th_head head;
  struct th_support theta;
  struct th_support last;     /* theta before the last step, to go back to */
  struct th_blocks blocks;    /* J_i */
  struct th_batch_draw *draw; /* room for one of each */
  struct th_batch batch;
  struct th_gram gram;      /* rows seen since S last changed */
  struct th_kept_rows kept; /* the same, for labels */
  double *grad;             /* of the owned attributes */
  struct th_selection selection;
  struct th_index_value *chosen; /* room for S */
  double *slope; /* slopes on S, each from the rank that observes the member */
  double smoothness; /* L */
  double eta;
  double first_eta; /* before any halving */
  int64_t halvings;
  double smallest_loss;    /* on fresh rows so far */
  int64_t explore_rows;    /* B^-, rows per block, this round */
  int64_t exploit_rows;    /* B, this round */
  int64_t updates_explore; /* T^-_k */
  int64_t updates_exploit; /* T_k */
  int64_t round;           /* k, from 0 */
  bool explores;           /* exploring is not over */
};

/* --- L from the spectrum of a few random attributes ----------------------- */

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

/* Largest eigenvalue of the correlation of x_S in a Gram matrix; solved on rank
 * 0. Collective. */
static th_status gram_eigenvalue(const struct th_gram *gram,
                                 struct th_context *context, double *lambda,
                                 struct th_error *err)
{
  struct th_comm *comm = context->comm;
  th_status rc = TH_OK;
  th_comm_profile_begin(context->profile);
  if (comm->rank == 0)
    rc = eigenvalue_here(gram, lambda, err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, lambda, sizeof *lambda, 0);
  th_comm_profile_end(context->profile, TH_PHASE_SOLVE);
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
  const struct th_batch_draw draw = {.rows = ROWS_PER_ATTRIBUTE * count,
                                     .consumer = TH_CONSUMER_STEP_SIZE};
  const struct th_batch_request request = {
      .draw = &draw, .draws = 1, .support = &support};
  TH_TRY(th_batch_observe(&batch, context, &request, &complete, err));
  if (!complete)
    goto done;
  TH_TRY(th_gram_start(&gram, context, count, err));
  TH_TRY(th_gram_add(&gram, context, &batch, &support, NULL, NULL, err));
  TH_TRY(gram_eigenvalue(&gram, context, lambda, err));
done:
  th_support_free(&support);
  th_batch_free(&batch);
  th_gram_free(&gram);
  return rc;
}

/* L by the automatic rule, from two blocks of s' random attributes on 4 s' rows
 * each. The draws are in the ledger. If they would cost more than a tenth of
 * the data, lambda = 2, hence eta = 1/8 for a squared loss. Collective. */
static th_status estimate_step_size(struct th_context *context, double *lambda,
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

/* --- The state ------------------------------------------------------------ */

enum {
  AFFORDABLE = 1024,   /* |S| up to which every round may refit */
  RARE_ROWS = 4,       /* of the worst kind, that chance may bring */
  REFIT_ROWS = 4,      /* per member, for a refit within the run */
  EIGENVALUE_ROWS = 10 /* per member, for a new look at L */
};
static const double guard_factor = 4;

static void release(void *state)
{
  struct iht *h = state;
  if (h == NULL)
    return;
  th_support_free(&h->theta);
  th_support_free(&h->last);
  th_partition_blocks_free(&h->blocks);
  th_batch_free(&h->batch);
  th_gram_free(&h->gram);
  th_kept_rows_free(&h->kept);
  th_select_free(&h->selection);
  TH_FREE(h->draw, h->grad, h->chosen, h->slope, h);
}

/* Begin with the configured start, whose coefficients are in the data's own
 * units; with its s largest, H_s(start). Collective. */
static th_status start_support(struct iht *h, struct th_context *context,
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
  TH_TRY(
      th_support_threshold(&h->theta, context, config->sparsity, chosen, err));
  TH_TRY(th_exempt_members_join(&h->theta, context, err));
  h->theta.intercept = context->target.offset;
done:
  free(chosen);
  return rc;
}

/* eta = 1/(2 L), L = smoothness of the loss times the largest eigenvalue.
 * Collective. */
static th_status choose_step_size(struct iht *h, struct th_context *context,
                                  struct th_error *err)
{
  double lambda = 1;
  h->eta = context->config->eta;
  if (h->eta > 0)
    return TH_OK;
  th_status rc = estimate_step_size(context, &lambda, err);
  h->smoothness = context->loss->smoothness * lambda;
  h->eta = 1 / (2 * h->smoothness);
  return rc;
}

/* Reserve all room now, so that no step allocates. Local. */
static th_status reserve(struct iht *h, const struct th_context *context,
                         struct th_error *err)
{
  const struct th_config *config = context->config;
  int64_t owned = th_range_count(context->owned);
  int64_t most = th_max_i64(config->sparsity, config->start.size) +
                 config->group.exempt.count;
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
  TH_TRY(TH_NEW(&h->draw, h->blocks.count, "blocks", err));
done:
  return rc;
}

/* Start from theta = 0, or the configured start. Collective. */
static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct iht *h = NULL;
  th_status rc = TH_NEW(&h, 1, "the solver", err);
  if (rc == TH_OK)
    rc = reserve(h, context, err);
  TH_TRY(th_agree(context->comm, rc, err));
  h->smallest_loss = INFINITY;
  h->explores = true;
  h->batch.dealt = true;
  TH_TRY(start_support(h, context, err));
  TH_TRY(th_gram_start(&h->gram, context, h->theta.size, err));
  th_kept_rows_start(&h->kept, context, h->theta.size);
  TH_TRY(choose_step_size(h, context, err));
  h->first_eta = h->eta;
  h->head = (struct th_head){
      .support = &h->theta, .loss = &h->batch.loss, .step_size = &h->eta};
  *state = h;
  h = NULL;
done:
  release(h);
  return rc;
}

/* The refit that ends a run. It uses all that is left for S. Collective. */
static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  struct iht *h = state;
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

/* The state between two rounds. Local. */
static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct iht *h = state;
  th_support_describe(&h->theta, "theta", list);
  th_support_describe(&h->last, "last", list);
  th_gram_describe(&h->gram, list);
  th_kept_rows_describe(&h->kept, context, &h->batch, &h->theta, list);
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

/* --- What both updates begin and end with --------------------------------- */

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

static th_status guard_loss(struct iht *h, struct th_context *context,
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

/* The beginning of both updates: look at fresh examples, and guard against
 * divergence. The guard acts if the mean loss on fresh examples is not finite,
 * or above 4 times its smallest so far; where labels are rare, chance is
 * allowed for. It restores the last state and halves eta, more than once where
 * the loss has risen by orders of magnitude. *more = false: not enough examples
 * are left. *use = false: this update makes no step. Collective. */
static th_status look_guarded(struct iht *h, struct th_context *context,
                              const struct th_batch_request *request,
                              bool *more, bool *use, struct th_error *err)
{
  bool tripped = false;
  th_status rc;
  *use = false;
  TH_TRY(th_batch_evaluate(&h->batch, context, request, more, err));
  if (!*more)
    return TH_OK;
  if (!(h->batch.weight_sum > 0)) /* rows of weight 0 teach nothing */
    return th_agree(context->comm, h->batch.visited, err);
  TH_TRY(guard_loss(h, context, &tripped, err));
  *use = !tripped;
  if (tripped) /* nobody else looks at what was read in vain */
    rc = th_agree(context->comm, h->batch.visited, err);
done:
  return rc;
}

static bool same_support(const struct th_support *a, const struct th_support *b)
{
  size_t bytes = (size_t)a->size * sizeof *a->attribute;
  return a->size == b->size &&
         (bytes == 0 || memcmp(a->attribute, b->attribute, bytes) == 0);
}

/* Keep the batch's rows for the refit, unless S has changed. Collective. */
static th_status remember(struct iht *h, struct th_context *context,
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

/* --- Algorithm 1 ---------------------------------------------------------- */

/* line 1: s' - s attributes wide, s' wide while S is empty. Local, alike. */
static th_status choose_blocks(struct iht *h, struct th_context *context,
                               struct th_error *err)
{
  int64_t d = th_source_shape(context->source)->attributes;
  int64_t width = th_source_budget(context->source);
  if (h->theta.size > 0)
    width -= context->config->sparsity;
  return th_partition_blocks_even(&h->blocks, d, width, err);
}

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
static void average_block(struct iht *h, const struct th_context *context)
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

/* g|S = (1/B) sum of l' x|S, each by the rank that observes it. Collective. */
static void gradient(struct iht *h, struct th_context *context)
{
  memset(h->slope, 0, (size_t)h->theta.size * sizeof *h->slope);
  for (int64_t k = h->batch.mine.first; k < h->batch.mine.last; k++)
    h->slope[k] = th_batch_slope(&h->batch, k);
  th_comm_share_numbers(context->comm, h->slope, (size_t)h->theta.size);
}

/* grad on S from the rows of all blocks. Collective. */
static void share_support(struct iht *h, struct th_context *context)
{
  struct th_range owned = th_support_owned(&h->theta, context->owned);
  gradient(h, context);
  for (int64_t k = owned.first; k < owned.last; k++)
    h->grad[h->theta.attribute[k] - context->owned.first] = h->slope[k];
}

/* line 7: theta = H_s(theta - eta g). Collective. */
static th_status threshold(struct iht *h, struct th_context *context,
                           struct th_error *err)
{
  int64_t count = th_range_count(context->owned);
  int64_t found = 0;
  double *moved = h->grad; /* becomes theta - eta g in place */
  th_comm_profile_begin(context->profile);
  for (int64_t j = 0; j < count; j++)
    moved[j] *= -h->eta;
  struct th_range owned = th_support_owned(&h->theta, context->owned);
  for (int64_t k = owned.first; k < owned.last; k++)
    moved[h->theta.attribute[k] - context->owned.first] += h->theta.coef[k];
  th_status rc = th_exempt_members_select(
      context, &h->selection, moved, h->batch.visited, h->chosen, &found, err);
  if (rc == TH_OK)
    rc = th_support_assign(&h->theta, context, h->chosen, found, err);
  th_comm_profile_end(context->profile, TH_PHASE_SELECT);
  return rc;
}

static th_status explore(struct iht *h, struct th_context *context, bool *more,
                         struct th_error *err)
{
  int64_t count = th_range_count(context->owned);
  struct sums sums = {context->centre, h->grad};
  bool use = false;
  th_status rc;
  /* line 3: S = supp(theta); line 1: the blocks J_i */
  TH_TRY(choose_blocks(h, context, err));
  for (int64_t i = 0; i < h->blocks.count; i++) /* line 4 */
    h->draw[i] = (struct th_batch_draw){
        .block = {h->blocks.edges[i], h->blocks.edges[i + 1]},
        .rows = h->explore_rows,
        .consumer = TH_CONSUMER_BLOCK + i};
  struct th_batch_request request = {.draw = h->draw,
                                     .draws = h->blocks.count,
                                     .blocks = h->blocks.count,
                                     .support = &h->theta,
                                     .loss = context->loss,
                                     .visit = add_gradient,
                                     .self = &sums};
  /* line 4: sample B_t rows for each block; line 5: observe x|J_i, x|S, y;
   * line 6: g|J_i = (1/B) sum of l'_y(theta_S' x_S) x|J_i */
  memset(h->grad, 0, (size_t)count * sizeof *h->grad);
  TH_TRY(look_guarded(h, context, &request, more, &use, err));
  if (!use)
    return TH_OK;
  average_block(h, context);
  if (context->config->rounds.shared_support)
    share_support(h, context);
  TH_TRY(threshold(h, context, err));
  TH_TRY(remember(h, context, err));
done:
  return rc;
}

/* --- Algorithm 2 ---------------------------------------------------------- */

/* theta|S -= eta g|S. Collective. */
static void step_on_support(struct iht *h, struct th_context *context)
{
  th_comm_profile_begin(context->profile);
  gradient(h, context);
  for (int64_t k = 0; k < h->theta.size; k++)
    h->theta.coef[k] -= h->eta * h->slope[k];
  th_comm_profile_end(context->profile, TH_PHASE_GRADIENT);
}

static th_status exploit(struct iht *h, struct th_context *context, bool *more,
                         struct th_error *err)
{
  const struct th_batch_draw draw = {.rows = h->exploit_rows,
                                     .consumer = TH_CONSUMER_EXPLOIT};
  const struct th_batch_request request = {
      .draw = &draw, .draws = 1, .support = &h->theta, .loss = context->loss};
  bool use = false;
  /* line 3: sample B_t rows; line 4: observe x|S_0 and y */
  th_status rc = look_guarded(h, context, &request, more, &use, err);
  if (rc != TH_OK || !use)
    return rc;
  /* lines 5 to 7: g|S_0, nothing elsewhere; theta = theta - eta g */
  step_on_support(h, context);
  return remember(h, context, err);
}

/* --- The batches of Exploration, Exploitation and Hybrid, round by round */

enum { EXPLOIT_PER_EXPLORE = 4 }; /* B = 4 B^- */
static const double default_growth = 1.2;
static const double largest_update = 0.15; /* of the rows that are left */
static const double end_share = 0.1;       /* of a pass: rows for the end */

static double growth_of(const struct th_config *config)
{
  return config->rounds.growth > 0 ? config->rounds.growth : default_growth;
}

/* B^- by the automatic rule. It grows while an update takes at most 15 per cent
 * of the rows that are left. It never shrinks, since noise would grow again. 0:
 * exploring is over, because another update would leave too little for the end.
 */
static int64_t explore_rows_by_rule(const struct iht *h,
                                    const struct th_context *context,
                                    int64_t blocks)
{
  double left = (double)th_deal_left(&context->deal);
  int64_t most = (int64_t)(largest_update * left / (double)blocks);
  int64_t first = th_schedule_explore_rows(context->config->sparsity);
  int64_t rows = th_schedule_grow(first, growth_of(context->config), h->round);
  if (h->round == 0) {
    rows = rows < most ? rows : most;
    return rows > 1 ? rows : 1;
  }
  if (rows > most && rows > h->explore_rows)
    rows = most > h->explore_rows ? most : h->explore_rows;
  double pass = (double)context->deal.rows_in_pass;
  double after = left - (double)blocks * (double)rows;
  return after >= end_share * pass ? rows : 0;
}

/* B by the automatic rule in a round without Exploration. It grows up to a
 * whole pass. The last update takes all that is left, unless that is less than
 * the one before took. */
static int64_t exploit_rows_by_rule(const struct iht *h,
                                    const struct th_context *context)
{
  int64_t pass = context->deal.rows_in_pass;
  int64_t left = th_deal_left(&context->deal);
  int64_t first =
      EXPLOIT_PER_EXPLORE * th_schedule_explore_rows(context->config->sparsity);
  int64_t rows = th_schedule_grow(first, growth_of(context->config), h->round);
  rows = rows < pass ? rows : pass;
  if (left / 2 >= rows)
    return rows;
  rows = left < pass ? left : pass;
  return rows >= h->exploit_rows ? rows : 0;
}

/* Exploration in a round, with batches as given or by rule. */
static void plan_exploration(struct iht *h, const struct th_context *context,
                             int64_t blocks)
{
  const struct th_config *config = context->config;
  const struct th_schedule_rows *given = &config->rounds.batch_explore;
  h->explore_rows = given->count > 0
                        ? th_schedule_given(given, growth_of(config), h->round)
                        : explore_rows_by_rule(h, context, blocks);
  h->updates_explore =
      config->rounds.updates_explore > 0 ? config->rounds.updates_explore : 1;
}

/* Exploitation in a round; on S alone where nothing is explored. */
static void plan_exploitation(struct iht *h, const struct th_context *context,
                              int64_t blocks)
{
  const struct th_config *config = context->config;
  bool alone = h->explore_rows == 0;
  const struct th_schedule_rows *given = &config->rounds.batch_exploit;
  h->exploit_rows = given->count > 0
                        ? th_schedule_given(given, growth_of(config), h->round)
                    : alone ? exploit_rows_by_rule(h, context)
                            : EXPLOIT_PER_EXPLORE * h->explore_rows;
  h->updates_exploit =
      config->rounds.updates_exploit > 0
          ? config->rounds.updates_exploit
          : th_schedule_exploit_updates(alone ? 1 : blocks,
                                        h->eta * context->loss->smoothness / 2);
}

/* Do the rows that are left go into steps on S? They do where the model
 * is, or may be, the iterate. Least squares uses all rows at once instead. */
static bool steps_to_the_end(const struct th_context *context)
{
  return context->loss->labels || context->config->refit == TH_REFIT_NO;
}

/* Rows of a round as planned. */
static double rows_of_round(const struct iht *h,
                            const struct th_context *context,
                            enum updates updates, int64_t blocks)
{
  double rows =
      (double)blocks * (double)h->explore_rows * (double)h->updates_explore;
  if ((updates & EXPLOIT) &&
      (h->explores || !(updates & EXPLORE) || steps_to_the_end(context)))
    rows += (double)h->exploit_rows * (double)h->updates_exploit;
  return rows;
}

/* The first round may have less Exploitation than planned, so that it fits. */
static void fit_first_round(struct iht *h, const struct th_context *context,
                            int64_t blocks)
{
  double left =
      (double)th_deal_left(&context->deal) -
      (double)blocks * (double)h->explore_rows * (double)h->updates_explore;
  int64_t most = (int64_t)((1 - end_share) * left / (double)h->exploit_rows);
  if (h->updates_exploit > most)
    h->updates_exploit = most > 0 ? most : 0;
}

static void plan_round(struct iht *h, const struct th_context *context,
                       enum updates updates, int64_t blocks)
{
  bool explores = (updates & EXPLORE) && h->explores;
  h->explore_rows = explores ? h->explore_rows : 0;
  if (explores)
    plan_exploration(h, context, blocks);
  h->explores = h->explore_rows > 0;
  h->updates_explore = h->explores ? h->updates_explore : 0;
  if (!(updates & EXPLOIT))
    return;
  plan_exploitation(h, context, blocks);
  if (h->explores && h->round == 0 &&
      context->config->rounds.updates_exploit == 0)
    fit_first_round(h, context, blocks);
}

/* Begin a round: batches grow. *fits = false: the round does not fit into the
 * rows that are left, and exploring is over. Local, the same on every rank. */
static th_status begin_round(struct iht *h, struct th_context *context,
                             enum updates updates, bool *fits,
                             struct th_error *err)
{
  const struct th_config *config = context->config;
  th_status rc = updates & EXPLORE ? choose_blocks(h, context, err) : TH_OK;
  if (rc != TH_OK)
    return rc; /* cannot fail: there is room; the same on every rank */
  int64_t blocks = updates & EXPLORE ? h->blocks.count : 1;
  double left = (double)th_deal_left(&context->deal);
  plan_round(h, context, updates, blocks);
  double rows = rows_of_round(h, context, updates, blocks);
  if (rows > left && h->explores && (updates & EXPLOIT) &&
      config->rounds.batch_explore.count == 0 &&
      steps_to_the_end(context)) { /* S alone */
    h->explores = false;
    plan_round(h, context, updates, blocks);
    rows = rows_of_round(h, context, updates, blocks);
  }
  *fits = rows > 0 && rows <= left &&
          (config->rounds.most == 0 || h->round < config->rounds.most);
  return TH_OK;
}

/* Estimate L again; the larger one counts. Collective. */
static th_status look_at_smoothness(struct iht *h, struct th_context *context,
                                    struct th_error *err)
{
  double lambda = 1;
  th_status rc = gram_eigenvalue(&h->gram, context, &lambda, err);
  double smoothness = context->loss->smoothness * lambda;
  if (rc == TH_OK && smoothness > h->smoothness) {
    h->smoothness = smoothness;
    h->eta = fmin(h->eta, 1 / (2 * smoothness));
  }
  return rc;
}

/* End a round: if enough rows were seen since S last changed, fit S to them by
 * least squares and estimate L again. Collective. */
static th_status end_round(struct iht *h, struct th_context *context,
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

/* --- Algorithm 3 ---------------------------------------------------------- */

/* One round of the updates that it is to have. Collective. */
static th_status make_round(struct iht *h, struct th_context *context,
                            enum updates updates, bool *more,
                            struct th_error *err)
{
  th_status rc;
  TH_TRY(begin_round(h, context, updates, more, err));
  /* line 2: Exploration(theta, eta, s', s, {B^-_k}, T^-_k) */
  for (int64_t t = 0; t < h->updates_explore && *more; t++)
    TH_TRY(explore(h, context, more, err));
  /* line 3: Exploitation(theta, eta, {B_k}, T_k) */
  for (int64_t t = 0; t < h->updates_exploit && *more; t++)
    TH_TRY(exploit(h, context, more, err));
  if (*more)
    TH_TRY(end_round(h, context, err));
done:
  return rc;
}

static th_status step_exploration(void *state, struct th_context *context,
                                  bool *more, struct th_error *err)
{
  return make_round(state, context, EXPLORE, more, err);
}

static th_status step_exploitation(void *state, struct th_context *context,
                                   bool *more, struct th_error *err)
{
  return make_round(state, context, EXPLOIT, more, err);
}

static th_status step_hybrid(void *state, struct th_context *context,
                             bool *more, struct th_error *err)
{
  return make_round(state, context, BOTH, more, err);
}

/* What differs is the step. */
#define IN_ROUNDS(of)                                                          \
  {                                                                            \
    .create = create, .step = (of), .finish = finish, .describe = describe,    \
    .free = release                                                            \
  }

const struct th_algorithm th_exploration_algorithm =
    IN_ROUNDS(step_exploration);
const struct th_algorithm th_exploitation_algorithm =
    IN_ROUNDS(step_exploitation);
const struct th_algorithm th_hybrid_algorithm = IN_ROUNDS(step_hybrid);
