/* oomp.c - solver `oomp`: online orthogonal matching pursuit
 *
 * Saad, Blanchard & Arlot 2024, Algorithm 3. Optim fits S to fresh examples
 * until its excess risk is at most xi. Try-Select reads all candidates of
 * others until some of them stand out. Then these join S. If xi is too coarse
 * to tell, both begin anew with a fourth of it and half of delta (Algorithm 4).
 * No example serves twice. So S is within the true support with probability
 * 1 - 2 delta, whenever the run ends.
 *
 *   S = nothing
 *   1  xi = 0 if S is empty, else large enough for a start; delta = that of the
 *      selection
 *   2  Optim: beta = a fit of S to fresh examples, until the excess risk is at
 *      most xi
 *   3  Try-Select: of fresh examples, Z_j += x_j (x_S'beta - y) for all j
 *      outside S
 *   4    noise: mean square of x_S'beta - y, which says how long Optim takes
 *   5    if xi is too coarse for the least interval: xi /= 4, delta /= 2, to 2
 *   6    U = the j that stand out; if there are none, to 3
 *   7  S += U; to 1
 *
 * A step is a look at some examples. They grow with those seen since the last
 * beginning, and tests come after each.
 * SPDX-License-Identifier: MIT */
#include "solvers/greedy/oomp.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "model/claims.h"
#include "ranks/partition.h"
#include "solvers/access/context.h"
#include "solvers/access/gram.h"
#include "solvers/access/support.h"
#include "solvers/algorithms.h"
#include "solvers/greedy/candidates.h"
#include "solvers/greedy/descent.h"
#include "solvers/plan.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Optim: the fit of S to fresh examples
 *
 * Least squares by the Gram matrix of the examples stands in place of the
 * averaged stochastic gradients of Saad, Blanchard & Arlot 2024, Algorithm 5:
 * the same property. In runs of this program it took 5 to 10 times fewer
 * examples. Both are here. */

struct th_oomp_fit {
  enum th_optim optim;
  const struct th_oomp_law *law; /* borrowed */
  double factor;                 /* of the steps of descent */
  int64_t rows;                  /* so far */
  struct th_gram gram;           /* least squares: of all rows so far */
  struct th_cholesky factored;
  double *room; /* work */
  int64_t capacity;
  struct th_descent descent;
};

enum { FEWEST = 5 }; /* rows, for each member */

static const double depends = 1e-10;

/* Factors of the number of steps. The theory's is far above what is needed. */
static const double factors[TH_CONSTANTS_COUNT] = {
    [TH_CONSTANTS_PRACTICAL] = 5e-4, [TH_CONSTANTS_THEORY] = 21};

/* Local. */
static void fit_init(struct th_oomp_fit *fit, const struct th_config *config,
                     const struct th_oomp_law *law)
{
  fit->optim = config->greedy.optim;
  fit->factor = factors[config->greedy.constants];
  fit->law = law;
}

static double rows_of_squares(int64_t members, double noise, double delta,
                              double xi)
{
  double k = (double)members;
  double l = -th_log(delta);
  return noise * (k + 2 * sqrt(k * l) + 2 * l) / xi;
}

/* Rows that make the excess risk at most xi with probability 1 - delta. Least
 * squares: by the chi-squared law of the excess for residuals of this mean
 * square (Laurent & Massart 2000, lemma 1). Descent: th_descent_steps. Local.
 */
static int64_t fit_rows(const struct th_oomp_fit *fit, int64_t members,
                        double noise, double delta, double xi)
{
  double rows =
      fit->optim == TH_OPTIM_DESCENT
          ? th_descent_steps(members, fit->law, fit->factor, delta, xi)
          : rows_of_squares(members, noise, delta, xi);
  return th_max_i64(FEWEST * members, (int64_t)ceil(fmin(rows, 0x1p60)));
}

/* Local. */
static void fit_free(struct th_oomp_fit *fit)
{
  th_gram_free(&fit->gram);
  th_cholesky_free(&fit->factored);
  th_descent_free(&fit->descent);
  TH_FREE(fit->room);
}

/* Forget all rows, for another S. Collective. */
static th_status fit_begin(struct th_oomp_fit *fit, struct th_context *context,
                           const struct th_support *support,
                           struct th_error *err)
{
  fit->rows = 0;
  if (fit->optim == TH_OPTIM_SQUARES)
    return th_gram_start(&fit->gram, context, support->size, err);
  th_status rc = th_descent_begin(&fit->descent, support->size, err);
  return th_agree(context->comm, rc, err);
}

/* Look at so many fresh rows of S. *more: there were so many. Collective. */
static th_status fit_look(struct th_oomp_fit *fit, struct th_context *context,
                          struct th_batch *batch,
                          const struct th_support *support, int64_t rows,
                          bool *more, struct th_error *err)
{
  const struct th_batch_draw draw = {.rows = rows,
                                     .consumer = TH_CONSUMER_EXPLOIT};
  const struct th_batch_request request = {
      .draw = &draw, .draws = 1, .support = support, .loss = context->loss};
  th_status rc = th_batch_observe(batch, context, &request, more, err);
  if (rc != TH_OK || !*more)
    return rc;
  fit->rows += rows;
  return fit->optim == TH_OPTIM_SQUARES
             ? th_gram_add(&fit->gram, context, batch, support, NULL, NULL, err)
             : th_descent_add(&fit->descent, context, batch, support, fit->law,
                              err);
}

/* Local, replicated. */
static th_status solve_gram(struct th_oomp_fit *fit, struct th_support *support,
                            struct th_error *err)
{
  const struct th_gram *gram = &fit->gram;
  int64_t size = support->size;
  th_status rc =
      TH_GROW(&fit->room, &fit->capacity, size, "least squares", err);
  if (rc == TH_OK)
    rc = th_cholesky_pivot(&fit->factored, size, gram->a, size + 2, depends,
                           err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < size; k++)
    fit->room[k] = th_gram_at(gram, k, size + 1);
  th_cholesky_solve(&fit->factored, fit->factored.rank, fit->room,
                    support->coef);
  return rc;
}

/* Set the coefficients of S. Collective. */
static th_status fit_solve(struct th_oomp_fit *fit, struct th_context *context,
                           struct th_support *support, struct th_error *err)
{
  if (fit->optim == TH_OPTIM_SQUARES)
    return th_agree(context->comm, solve_gram(fit, support, err), err);
  memcpy(support->coef, fit->descent.mean,
         (size_t)support->size * sizeof *support->coef);
  return TH_OK;
}

/* Its state. Local. */
static void fit_describe(struct th_oomp_fit *fit, struct th_state *state)
{
  th_state_enter(state, "fit");
  TH_STATE_ONE(state, fit, rows);
  if (fit->optim == TH_OPTIM_SQUARES)
    th_gram_describe(&fit->gram, state);
  else
    th_descent_describe(&fit->descent, state);
  th_state_leave(state);
}

/* --- What the theory of online orthogonal matching pursuit takes as given */

/* Of useful attributes. */
struct extremes {
  double least; /* variance */
  double most;
  double least_scale;
  double scale;
  double reach;
};

/* Of this rank. */
static th_status find_here(const struct th_context *context, struct extremes *e,
                           struct th_error *err)
{
  struct th_statistics statistics[TH_CELL];
  struct th_range owned = context->owned;
  for (int64_t first = owned.first; first < owned.last; first += TH_CELL) {
    struct th_range part = {first, th_min_i64(first + TH_CELL, owned.last)};
    th_status rc = th_source_statistics(context->source, part, statistics, err);
    if (rc != TH_OK)
      return rc;
    for (int64_t j = part.first; j < part.last; j++) {
      double scale = context->scale[j - owned.first];
      double x = statistics[j - part.first].deviation * scale;
      if (!(scale > 0))
        continue;
      e->least = fmin(e->least, x * x);
      e->most = fmax(e->most, x * x);
      e->least_scale = fmin(e->least_scale, scale);
      e->scale = fmax(e->scale, scale);
      e->reach = fmax(e->reach, context->bound[j - owned.first]);
    }
  }
  return TH_OK;
}

/* Of all ranks. Collective. */
static th_status find_extremes(const struct th_context *context,
                               struct extremes *e, struct th_error *err)
{
  *e = (struct extremes){.least = INFINITY, .least_scale = INFINITY};
  th_status rc = th_agree(context->comm, find_here(context, e, err), err);
  double all[] = {-e->least, e->most, -e->least_scale, e->scale, e->reach};
  if (rc != TH_OK)
    return rc;
  context->comm->ops->max_f64(context->comm, all, sizeof all / sizeof *all);
  *e = (struct extremes){-all[0], all[1], -all[2], all[3], all[4]};
  return TH_OK;
}

/* A constant, as it was given, as the generator knows it, or as it is assumed.
 * sign: 1, a larger one is safe, and -1. */
static double choose_constant(double given, bool is_given, double known,
                              bool is_known, double assumed, double sign,
                              enum th_constant_from *from)
{
  static const double rounding = 1e-9;
  bool worse = is_known && sign * (known - given) > rounding * known;
  if (is_given)
    *from = worse ? TH_CONSTANT_CONTRADICTED : TH_CONSTANT_GIVEN;
  else
    *from = is_known ? TH_CONSTANT_GENERATOR : TH_CONSTANT_ASSUMED;
  if (is_given)
    return given;
  return is_known ? known : assumed;
}

/* What options do not give is known to the generator of the data, or assumed.
 * The smallest variance is at least the smallest eigenvalue and the largest one
 * at most the largest (Cauchy), so assumed ones err on the unsafe side. What is
 * given is contradicted where the generator knows a worse one. Collective. */
static th_status law_find(struct th_oomp_law *law,
                          const struct th_context *context,
                          struct th_error *err)
{
  const struct th_config_greedy *given = &context->config->greedy;
  const struct th_design *design = &given->known;
  bool known = design->most > 0;
  struct extremes e;
  th_status rc = find_extremes(context, &e, err);
  if (rc != TH_OK)
    return rc;
  double least = design->least * e.least_scale * e.least_scale;
  double most = design->most * e.scale * e.scale;
  *law =
      (struct th_oomp_law){.reach = given->bound > 0 ? given->bound : e.reach,
                           .span = context->target.largest,
                           .own = e.scale};
  law->mu = choose_constant(given->mu, given->mu >= 0, design->mu, known,
                            TH_MU_ASSUMED, 1, &law->mu_from);
  law->least = choose_constant(given->rho, given->rho > 0, least, known,
                               e.least, -1, &law->least_from);
  law->most = choose_constant(given->smoothness, given->smoothness > 0, most,
                              known, e.most, 1, &law->most_from);
  return TH_OK;
}

/* Do the constants hold on which the bound on what remains rests? The
 * guarantee rests on mu alone, and with descent on rho. Local. */
static bool law_bounds(const struct th_oomp_law *law)
{
  return th_claims_holds(law->mu_from) && th_claims_holds(law->least_from) &&
         th_claims_holds(law->most_from);
}

static bool law_guarantees(const struct th_oomp_law *law, bool descends)
{
  return th_claims_holds(law->mu_from) &&
         (!descends || th_claims_holds(law->least_from));
}

/* An upper bound of the root mean square of the true coefficients that are
 * left out, in the data's own units, where |Z| of all attributes is at most
 * `most` (Lemma J.1). Local. */
static double law_remaining(const struct th_oomp_law *law, double most)
{
  return law->own * sqrt(law->most / law->least) / law->least * most;
}

/* --- What a run of solver `oomp` is going to do --------------------------- */

enum {
  MOST = 1000,     /* attributes, where no option limits them */
  EACH_OWNED = 80, /* bytes */
  EACH_ROW = 64,
  ROWS = 8192 /* of a look */
};

th_status th_oomp_plan(struct th_plan *plan, const struct th_plan_size *size,
                       struct th_error *err)
{
  struct th_config *config = &plan->config;
  const struct th_shape *shape = size->shape;
  th_status rc = th_plan_sampled_check_loss(config, err);
  if (rc != TH_OK)
    return rc;
  if (shape->weighted)
    return th_fail(err, TH_EUSAGE,
                   "solver %s takes examples that are alike: its bounds do not "
                   "hold for weights; take omp",
                   config->solver);
  int64_t most = config->sparsity > 0 ? config->sparsity : MOST;
  config->greedy.most = th_min_i64(most, shape->attributes);
  config->budget = shape->attributes;
  config->validation = 0;
  if (config->passes == 0)
    config->passes = 1;
  plan->blocks = 1;
  plan->deal_unit =
      th_partition_deal_unit_size(shape->row_group, shape->training, 1);
  plan->memory = size->owned * EACH_OWNED + ROWS * EACH_ROW;
  plan->read_bytes = (int64_t)th_store_shape_read_bytes(shape);
  plan->stream_bytes = (int64_t)th_store_shape_read_bytes(shape);
  plan->visits = (double)shape->training * (double)shape->attributes;
  return TH_OK;
}

/* --- The solver ----------------------------------------------------------- */

enum { LEAST_ROWS = 128, MOST_ROWS = 8192, SHARE = 16 };
enum { FIT_ROWS = 1000 }; /* of the last fit, for each member */

/* Of the mean square of residuals, which other rows told. */
static const double safety = 1.2;

enum phase { FIT, TRY };

struct oomp {
  struct th_head head;
  struct th_oomp_law law;
  struct th_batch batch;
  struct th_candidates candidates;
  struct th_oomp_fit fit;
  struct th_support support;
  struct th_index_value *chosen;
  int64_t room;
  struct th_selected selected; /* S in the order of selection */
  int64_t selected_room;
  int64_t most; /* attributes */
  int32_t phase;
  double delta;     /* of this call of Select */
  double xi;        /* the same; 0 where S is empty */
  double squares;   /* of residuals in this Try-Select */
  double noise;     /* their mean in the last one */
  double remaining; /* bound on the root mean square of what is left of beta,
                       in the data's own units */
  int64_t rows;     /* examples so far */
  bool fresh;       /* no example has served twice */
  struct th_claims claims; /* by finish */
};

static void free_state(void *state)
{
  struct oomp *s = state;
  if (s == NULL)
    return;
  th_batch_free(&s->batch);
  th_candidates_free(&s->candidates);
  fit_free(&s->fit);
  th_support_free(&s->support);
  th_claims_selected_free(&s->selected);
  TH_FREE(s->chosen, s);
}

/* Begin Try-Select, or Optim where there is something to fit. Collective. */
static th_status begin_try(struct oomp *s, struct th_context *context,
                           struct th_error *err)
{
  s->phase = TRY;
  s->squares = 0;
  return th_candidates_begin(&s->candidates, context, &s->support, err);
}

/* Begin Select(S, delta_k, 1): with S empty, xi is 0. Collective. */
static th_status begin_select(struct oomp *s, struct th_context *context,
                              struct th_error *err)
{
  double k = (double)s->support.size;
  /* line 1 */
  s->delta = context->config->greedy.delta / (2 * (k + 1) * (k + 2));
  s->xi = s->support.size > 0 ? s->law.span * s->law.span : 0;
  s->phase = FIT;
  th_status rc = fit_begin(&s->fit, context, &s->support, err);
  return rc == TH_OK && s->support.size == 0 ? begin_try(s, context, err) : rc;
}

/* Where a run cannot stop by a bound, since it is not known to hold. */
static void tell_stop_below(const struct oomp *s,
                            const struct th_context *context)
{
  if (context->config->greedy.stop_below > 0 && !law_bounds(&s->law))
    th_context_notice(
        context,
        "the run does not end by {stop-below}: the bound rests on mu %.3g "
        "(%s), rho %.3g (%s) and smoothness %.3g (%s); give {mu}, {rho} and "
        "{smoothness} that hold",
        s->law.mu, th_claims_from_word(s->law.mu_from), s->law.least,
        th_claims_from_word(s->law.least_from), s->law.most,
        th_claims_from_word(s->law.most_from));
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct oomp *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  rc = th_candidates_init(&s->candidates, context, err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(law_find(&s->law, context, err));
  fit_init(&s->fit, context->config, &s->law);
  s->most = context->config->greedy.most;
  s->noise = s->law.span * s->law.span;
  s->remaining = INFINITY;
  s->fresh = true;
  TH_TRY(begin_select(s, context, err));
  tell_stop_below(s, context);
  s->head = (struct th_head){.support = &s->support,
                             .loss = &s->noise,
                             .selected = &s->selected,
                             .remaining = &s->claims.remaining_if};
  *state = s;
  s = NULL;
done:
  free_state(s);
  return rc;
}

/* Examples of the next look, of which `known` have been seen. */
static int64_t next_rows(const struct oomp *s, const struct th_context *context,
                         int64_t known)
{
  int64_t rows = known / SHARE;
  int64_t most = context->config->greedy.max_examples;
  rows = th_min_i64(th_max_i64(rows, LEAST_ROWS), MOST_ROWS);
  rows = th_min_i64(rows, th_deal_left(&context->deal));
  return most > 0 ? th_min_i64(rows, most - s->rows) : rows;
}

/* Optim: one look, and the fit once there are enough. */
static th_status step_fit(struct oomp *s, struct th_context *context,
                          bool *more, struct th_error *err)
{
  int64_t known = s->fit.rows;
  int64_t wanted =
      fit_rows(&s->fit, s->support.size, safety * s->noise, s->delta, s->xi);
  int64_t rows =
      th_min_i64(next_rows(s, context, known), th_max_i64(wanted - known, 0));
  th_status rc = TH_OK;
  if (rows > 0) {
    /* line 2 */
    TH_TRY(fit_look(&s->fit, context, &s->batch, &s->support, rows, more, err));
    s->rows += rows;
    s->selected.cost_optim += (double)rows * (double)(s->support.size + 1);
  }
  if (known + rows >= wanted) {
    TH_TRY(fit_solve(&s->fit, context, &s->support, err));
    TH_TRY(begin_try(s, context, err));
  }
done:
  return rc;
}

/* S grows by the attributes that stand out, as far as there is room.
 * Collective. */
static th_status grow_support(struct oomp *s, struct th_context *context,
                              const struct th_verdict_of_candidates *v,
                              struct th_error *err)
{
  int64_t old = s->support.size;
  int64_t size = old + th_min_i64(v->chosen, s->most - old);
  th_status rc = TH_GROW(&s->chosen, &s->room, size, "the support", err);
  if (rc == TH_OK)
    rc = TH_GROW(&s->selected.attribute, &s->selected_room, size, "the support",
                 err);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int64_t k = 0; k < old; k++)
    s->chosen[k] =
        (struct th_index_value){s->support.attribute[k], s->support.coef[k]};
  for (int64_t k = old; k < size; k++) {
    s->selected.attribute[k] = v->attribute[k - old].attribute;
    s->chosen[k] = (struct th_index_value){s->selected.attribute[k], 0};
  }
  qsort(s->chosen, (size_t)size, sizeof *s->chosen, th_integer_ascending);
  /* the sum of squares of fewer coefficients is no larger, and one is left */
  s->remaining *= sqrt((double)(1 + size - old));
  TH_TRY(th_support_assign(&s->support, context, s->chosen, size, err));
  TH_TRY(begin_select(s, context, err));
done:
  return rc;
}

static double support_norm1(const struct th_support *support)
{
  double sum = 0;
  for (int64_t k = 0; k < support->size; k++)
    sum += fabs(support->coef[k]);
  return sum;
}

/* After a look: some attribute stands out, xi is too coarse, or neither. */
static th_status decide(struct oomp *s, struct th_context *context,
                        struct th_error *err)
{
  const struct th_oomp_law *law = &s->law;
  struct th_verdict_of_candidates v = {0};
  th_status rc;
  TH_TRY(th_candidates_test(&s->candidates, context, law, s->delta,
                            support_norm1(&s->support), &v, err));
  s->noise = s->squares / (double)s->candidates.rows; /* line 4 */
  /* line 5: |Z| may be off by more than that */
  if (2 * law->reach * sqrt(s->xi) > v.least) {
    s->xi /= 4;
    s->delta /= 2;
    s->phase = FIT;
  } else {
    s->remaining = law_remaining(law, v.upper);
    if (v.chosen > 0) /* lines 6 and 7 */
      TH_TRY(grow_support(s, context, &v, err));
  }
done:
  free(v.attribute);
  return rc;
}

/* Try-Select: one look, and a test. */
static th_status step_try(struct oomp *s, struct th_context *context,
                          bool *more, struct th_error *err)
{
  struct th_candidates *c = &s->candidates;
  int64_t rows = next_rows(s, context, c->rows);
  double read = (double)(c->total + s->support.size + 1);
  th_status rc;
  /* line 3 */
  TH_TRY(
      th_candidates_read(c, context, &s->batch, &s->support, rows, more, err));
  if (!*more)
    return rc;
  s->rows += rows;
  s->squares += s->batch.loss * (double)rows;
  s->selected.cost_try_select += (double)rows * read;
  if (c->rows > 1)
    TH_TRY(decide(s, context, err));
done:
  return rc;
}

/* Is the bound on what remains proved to be below the one that was asked for?
 */
static bool is_below(const struct oomp *s, const struct th_context *context)
{
  return s->fresh && law_bounds(&s->law) &&
         s->remaining <= context->config->greedy.stop_below;
}

/* The most attributes were asked for, or are the plan's limit. */
static enum th_ended_by end_of_room(const struct oomp *s,
                                    const struct th_context *context)
{
  if (context->config->sparsity > 0)
    return TH_ENDED_SPARSITY;
  bool all = s->most >= th_source_shape(context->source)->attributes;
  return all ? TH_ENDED_NOTHING : TH_ENDED_LIMIT;
}

/* What ends the run now; TH_ENDED_UNKNOWN: nothing. */
static enum th_ended_by end_of(const struct oomp *s,
                               const struct th_context *context)
{
  const struct th_config_greedy *greedy = &context->config->greedy;
  const struct th_ledger *ledger = th_source_ledger(context->source);
  if (s->support.size >= s->most)
    return end_of_room(s, context);
  if (is_below(s, context))
    return TH_ENDED_BOUND;
  if (s->phase == TRY && s->candidates.total == 0)
    return TH_ENDED_NOTHING;
  if ((greedy->max_examples > 0 && s->rows >= greedy->max_examples) ||
      (greedy->max_attributes > 0 &&
       ledger->attributes >= greedy->max_attributes))
    return TH_ENDED_LIMIT;
  return th_deal_left(&context->deal) <= 0 ? TH_ENDED_EXAMPLES
                                           : TH_ENDED_UNKNOWN;
}

/* Tell the bound on what is left out: after each look, so that a user can end
 * the run by it (appendix F). Local. */
static void tell_remaining(struct oomp *s)
{
  double remaining = s->fresh && isfinite(s->remaining) ? s->remaining : 0;
  s->claims.remaining_if = remaining;
  s->selected.remaining_bound = law_bounds(&s->law) ? remaining : 0;
}

static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct oomp *s = state;
  *more = end_of(s, context) == TH_ENDED_UNKNOWN;
  if (!*more)
    return TH_OK;
  th_status rc = (s->phase == FIT ? step_fit : step_try)(s, context, more, err);
  s->fresh = context->deal.pass == 0 && !context->deal.reused;
  tell_remaining(s);
  return rc;
}

/* What the model says of S, and on what conditions. */
static void tell_selection(struct oomp *s, const struct th_context *context)
{
  const struct th_oomp_law *law = &s->law;
  struct th_selected *to = &s->selected;
  const struct th_config_greedy *greedy = &context->config->greedy;
  double guarantee = s->fresh ? fmax(1 - 2 * greedy->delta, 0) : 0;
  bool descends = greedy->optim == TH_OPTIM_DESCENT;
  s->claims = (struct th_claims){.guarantee_if = guarantee,
                                 .ended_by = end_of(s, context),
                                 .mu_from = law->mu_from,
                                 .rho_from = law->least_from,
                                 .smoothness_from = law->most_from};
  to->size = s->support.size;
  to->examples = s->rows;
  to->complete = th_claims_complete(s->claims.ended_by);
  to->guarantee = law_guarantees(law, descends) ? guarantee : 0;
  tell_remaining(s);
  to->mu = law->mu;
  to->rho = law->least;
  to->smoothness = law->most;
  to->bound = law->reach;
}

/* Fit S to as many examples as served to choose it, of one pass more at most:
 * S is read alone, and stays as it is. */
static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  struct oomp *s = state;
  bool more = true;
  th_status rc = TH_OK;
  tell_selection(s, context);
  if (s->support.size == 0) {
    th_context_notice(context,
                      "no attribute stands out for certain in %lld examples, "
                      "so the model is zero; give more examples or a smaller "
                      "{mu}, or take solver omp, which predicts",
                      (long long)s->rows);
    return rc;
  }
  int64_t wanted = th_max_i64(s->rows, FIT_ROWS * (s->support.size + 1));
  wanted = th_min_i64(wanted, context->deal.rows_in_pass);
  if (th_deal_left(&context->deal) < wanted)
    th_deal_extend(&context->deal, 1);
  s->fit.optim = TH_OPTIM_SQUARES; /* the better one, on so many examples */
  TH_TRY(fit_begin(&s->fit, context, &s->support, err));
  while (more && s->fit.rows < wanted) {
    int64_t rows = th_min_i64(MOST_ROWS, wanted - s->fit.rows);
    TH_TRY(
        fit_look(&s->fit, context, &s->batch, &s->support, rows, &more, err));
  }
  TH_TRY(fit_solve(&s->fit, context, &s->support, err));
done:
  return rc;
}

static void claims_of(const void *state, struct th_claims *claims)
{
  *claims = ((const struct oomp *)state)->claims;
}

/* The state between two looks. */
static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct oomp *s = state;
  struct th_state_growing selected = {"selected", TH_STATE_I64, 1,
                                      (void **)&s->selected.attribute,
                                      &s->selected_room};
  th_support_describe(&s->support, "support", list);
  th_state_grow(list, selected, s->support.size);
  TH_STATE_ONE(list, s, phase);
  TH_STATE_ONE(list, s, delta);
  TH_STATE_ONE(list, s, xi);
  TH_STATE_ONE(list, s, squares);
  TH_STATE_ONE(list, s, noise);
  TH_STATE_ONE(list, s, remaining);
  TH_STATE_ONE(list, s, rows);
  TH_STATE_ONE(list, s, selected.cost_try_select);
  TH_STATE_ONE(list, s, selected.cost_optim);
  TH_STATE_ONE(list, s, fresh);
  fit_describe(&s->fit, list);
  th_candidates_describe(&s->candidates, context, list);
}

static const char *const options[] = {
    "sparsity",     "passes",         "delta",      "mu",    "rho",
    "smoothness",   "bound",          "stop-below", "optim", "constants",
    "max-examples", "max-attributes", NULL};

const struct th_algorithm th_oomp_algorithm = {.options = options,
                                               .create = create,
                                               .step = step,
                                               .finish = finish,
                                               .claims = claims_of,
                                               .describe = describe,
                                               .free = free_state};
