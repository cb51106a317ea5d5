/* dantzig.c - solver `dantzig`: adaptive feature selection by the Dantzig
 * selector
 *
 * Kale, Karnin, Liang & Pal 2017, for
 *     minimise E (x'w - y)^2  subject to  norm0(w) <= s,
 * where s' attributes of an example may be observed. Of each example the s
 * attributes of the present support and s' - s others are observed, which are
 * drawn uniformly. They give unbiased estimates G of X'X / n and c of X'y / n
 * over all examples so far. At the end of each epoch,
 *     w = argmin norm1(w)  subject to  |c - G w|_j <= lambda / sqrt(t),
 * whose s largest coefficients are the support of the next one. The prediction
 * is w on this support, as it is: no least squares. So it is too small by about
 * lambda / sqrt(t).
 *
 *   for each epoch
 *     1  of its examples: observe x of the support, of others by chance, and y
 *     2  G, c += the products of what was seen, over its probability
 *     3  w = argmin norm1(w) subject to |c - G w|_j <= lambda / sqrt(t)
 *     4  the support: the s largest of w
 *     5  the next epoch is longer
 *
 * Reconstructed. The paper was not at hand in full. Murata & Suzuki 2018
 * (sections 1 and 5, table 1, section 6) tell that it applies the Dantzig
 * selector to the updated design matrices; the observation of the support with
 * others at random, and updates at epochs, are from general knowledge of it.
 * The estimates were derived anew from the probabilities in looks.h, where a
 * pair of equals has another one than other pairs. Its memory is d^2 numbers;
 * that of the paper is all examples (section 1). Epochs grow by --growth
 * (default 1.2). The first one is as long as it takes to see each pair of
 * attributes a hundred times, and at most an eighth of the run: a support by
 * chance makes all other pairs rarer. The default lambda is about the noise of
 * c, below, and ours: that of the paper is not known, and Murata & Suzuki tuned
 * the methods that they compare (section 6).
 *
 * A step is a look at some examples of an epoch; nothing depends on how many.
 * SPDX-License-Identifier: MIT */
#include "solvers/competitors/dantzig.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "solvers/access/context.h"
#include "solvers/algorithms.h"
#include "solvers/competitors/looks.h"
#include "solvers/competitors/selector.h"
#include "solvers/plan.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- Unbiased estimates of X'X / n and X'y / n from looks at examples ----- */

/* Bytes of a rank that owns so many of d attributes. */
static int64_t pairs_bytes(int64_t d, int64_t owned)
{
  return (d + 1) * owned * (int64_t)sizeof(double);
}

th_status th_dantzig_pairs_init(struct th_pairs *pairs,
                                const struct th_context *context,
                                struct th_error *err)
{
  th_status rc;
  *pairs = (struct th_pairs){.owned = context->owned,
                             .d = th_source_shape(context->source)->attributes};
  const char *what = "the products of all pairs of attributes";
  TH_TRY(TH_NEW(&pairs->product, pairs->d * th_range_count(pairs->owned), what,
                err));
  TH_TRY(TH_NEW(&pairs->target, th_range_count(pairs->owned), what, err));
done:
  return rc;
}

void th_dantzig_pairs_free(struct th_pairs *pairs)
{
  TH_FREE(pairs->product, pairs->target);
}

/* A slot of a row, whose attribute is of this rank, with all of the row. */
static void add_slot(struct th_pairs *pairs, const struct th_looks *looks,
                     int64_t slot, double weight)
{
  int64_t slots = looks->draw.slots;
  int64_t row = slot / slots;
  int64_t own = slot % slots;
  const int64_t *attribute = looks->attribute + row * slots;
  const double *value = looks->number + row * slots;
  bool member = own < looks->known;
  double x = weight * value[own];
  double with_member = x / (member ? 1 : looks->odds.one);
  double with_other = x / (member ? looks->odds.one : looks->odds.two);
  double *column = pairs->product + (attribute[own] - pairs->owned.first);
  for (int64_t k = 0; k < looks->known; k++)
    column[attribute[k] * th_range_count(pairs->owned)] +=
        with_member * value[k];
  for (int64_t k = looks->known; k < slots; k++)
    if (k != own)
      column[attribute[k] * th_range_count(pairs->owned)] +=
          with_other * value[k];
  if (!member)
    column[attribute[own] * th_range_count(pairs->owned)] +=
        with_member * value[own];
}

void th_dantzig_pairs_add(struct th_pairs *pairs, const struct th_looks *looks,
                          const struct th_all_targets *targets)
{
  for (int64_t k = 0; k < looks->count; k++) {
    int64_t slot = looks->slot[k];
    int64_t row = th_looks_row(looks, slot / looks->draw.slots);
    bool member = slot % looks->draw.slots < looks->known;
    double weight = targets->weight[row];
    double odds = member ? 1 : looks->odds.one;
    add_slot(pairs, looks, slot, weight);
    pairs->target[looks->mine[k] - pairs->owned.first] +=
        weight * looks->value[k] * targets->target[row] / odds;
  }
  pairs->examples += (double)looks->rows;
}

/* The mean over the examples, known to the owners, on every rank. */
static void share_means(const struct th_pairs *pairs, struct th_comm *comm,
                        double *out)
{
  for (int64_t j = pairs->owned.first; j < pairs->owned.last; j++)
    out[j] /= pairs->examples;
  th_comm_share_numbers(comm, out, (size_t)pairs->d);
}

void th_dantzig_pairs_multiply(const struct th_pairs *pairs,
                               struct th_comm *comm, const double *v,
                               double *out)
{
  int64_t count = th_range_count(pairs->owned);
  double *own = out + pairs->owned.first;
  memset(out, 0, (size_t)pairs->d * sizeof *out);
  for (int64_t i = 0; i < pairs->d; i++) {
    const double *row = pairs->product + i * count;
    if (v[i] != 0)
      for (int64_t j = 0; j < count; j++)
        own[j] += v[i] * row[j];
  }
  share_means(pairs, comm, out);
}

void th_dantzig_pairs_targets(const struct th_pairs *pairs,
                              struct th_comm *comm, double *out)
{
  memset(out, 0, (size_t)pairs->d * sizeof *out);
  memcpy(out + pairs->owned.first, pairs->target,
         (size_t)th_range_count(pairs->owned) * sizeof *out);
  share_means(pairs, comm, out);
}

/* Its state. Local. */
static void pairs_describe(struct th_pairs *pairs, struct th_state *state)
{
  th_state_enter(state, "pairs");
  TH_STATE_ONE(state, pairs, examples);
  th_state_spread(state, "product", TH_STATE_F64, pairs->product, pairs->d,
                  pairs->owned);
  th_state_spread(state, "target", TH_STATE_F64, pairs->target, 1,
                  pairs->owned);
  th_state_leave(state);
}

/* --- The solver ----------------------------------------------------------- */

enum { SIGHTINGS = 100, LEAST_EPOCHS = 8 };

/* Of the largest noise in c that is likely, and of lambda and norm1(w). */
static const double heavy = 0.8;
static const double tolerance = 0.01;

struct dantzig {
  struct th_head head;
  struct th_all_targets targets;
  struct th_looks looks;
  struct th_pairs pairs;
  struct th_selector selector;
  struct th_support support;
  struct th_selection selection;
  struct th_index_value *chosen;
  double *c;      /* d */
  double lambda;  /* the constraint's is lambda / sqrt(t) */
  double loss;    /* of the last look */
  int64_t next;   /* examples at the end of this epoch */
  int64_t solved; /* examples at the last solution */
  bool reached;   /* its tolerance */
};

static void free_state(void *state)
{
  struct dantzig *s = state;
  if (s == NULL)
    return;
  th_context_all_targets_free(&s->targets);
  th_looks_free(&s->looks);
  th_dantzig_pairs_free(&s->pairs);
  th_selector_free(&s->selector);
  th_support_free(&s->support);
  th_select_free(&s->selection);
  TH_FREE(s->chosen, s->c, s);
}

/* Local. */
static th_status reserve(struct dantzig *s, struct th_context *context,
                         struct th_error *err)
{
  const struct th_config *config = context->config;
  int64_t d = th_source_shape(context->source)->attributes;
  th_status rc;
  TH_TRY(th_looks_init(&s->looks, context, config->batch, err));
  TH_TRY(th_dantzig_pairs_init(&s->pairs, context, err));
  TH_TRY(th_selector_init(&s->selector, d, err));
  TH_TRY(TH_NEW(&s->chosen, config->sparsity, "the support", err));
  TH_TRY(TH_NEW(&s->c, d, "the solver", err));
done:
  return rc;
}

/* The largest E x^2. Collective. */
static th_status find_unit(struct dantzig *s, const struct th_context *context,
                           double *unit, struct th_error *err)
{
  struct th_range owned = context->owned;
  th_status rc = th_context_second_moments_read(context, s->c, err);
  TH_TRY(th_agree(context->comm, rc, err));
  *unit = 0;
  for (int64_t j = 0; j < th_range_count(owned); j++)
    *unit = fmax(*unit, s->c[j]);
  context->comm->ops->max_f64(context->comm, unit, 1);
done:
  return rc;
}

/* The first epoch, and the constraint: the largest of d noises in c, of which
 * each has the standard deviation sqrt(E x^2 E y^2 / (p t)). Collective. */
static th_status choose_constraint(struct dantzig *s,
                                   const struct th_context *context,
                                   struct th_error *err)
{
  const struct th_config *config = context->config;
  int64_t d = s->pairs.d;
  struct th_looks_odds first = th_looks_odds_of(d, 0, config->budget);
  struct th_looks_odds later =
      th_looks_odds_of(d, config->sparsity, config->budget);
  double unit;
  th_status rc = find_unit(s, context, &unit, err);
  if (rc != TH_OK)
    return rc;
  double eighth =
      (double)(config->passes * context->deal.rows_in_pass) / LEAST_EPOCHS;
  s->next = (int64_t)ceil(fmin(SIGHTINGS / first.two, eighth));
  s->lambda = config->lambda > 0 ? config->lambda
                                 : heavy * sqrt(2 * th_log((double)d) * unit *
                                                s->targets.square / later.one);
  if (s->lambda > 0)
    th_context_notice(context, "{lambda} %g", s->lambda);
  return rc;
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct dantzig *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_agree(context->comm, reserve(s, context, err), err));
  TH_TRY(th_context_all_targets_init(&s->targets, context, TH_WEIGHTS_OF_MEAN_1,
                                     err));
  TH_TRY(choose_constraint(s, context, err));
  s->head = (struct th_head){.support = &s->support, .loss = &s->loss};
  *state = s;
  s = NULL;
done:
  free_state(s);
  return rc;
}

/* What solving needs: the matrix, and the ranks to multiply with. */
struct matrix {
  const struct th_pairs *pairs;
  struct th_comm *comm;
};

static void multiply_pairs(void *self, const double *v, double *out)
{
  const struct matrix *matrix = self;
  th_dantzig_pairs_multiply(matrix->pairs, matrix->comm, v, out);
}

/* Replicated. */
static th_status check_products_finite(const struct dantzig *s,
                                       struct th_error *err)
{
  for (int64_t j = 0; j < s->pairs.d; j++)
    if (!isfinite(s->c[j]))
      return th_fail(err, TH_EDATA,
                     "attribute %lld has a value that is not a finite number; "
                     "see thresher inspect --check, and import the data again",
                     (long long)j);
  return TH_OK;
}

/* The selector on all examples so far, and its largest coefficients.
 * Collective. */
static th_status solve_selector(struct dantzig *s, struct th_context *context,
                                struct th_error *err)
{
  struct th_range owned = context->owned;
  struct matrix matrix = {&s->pairs, context->comm};
  struct th_selector_problem problem = {.multiply = multiply_pairs,
                                        .self = &matrix,
                                        .c = s->c,
                                        .lambda = s->lambda /
                                                  sqrt(s->pairs.examples)};
  int64_t found = 0;
  th_status rc;
  th_dantzig_pairs_targets(&s->pairs, context->comm, s->c);
  TH_TRY(check_products_finite(s, err));
  s->reached = th_selector_solve(&s->selector, &problem, tolerance);
  struct th_select_among among = {.values = s->selector.w + owned.first,
                                  .first = owned.first,
                                  .count = th_range_count(owned),
                                  .k = context->config->sparsity};
  th_comm_profile_begin(context->profile);
  rc = th_select_largest(context->comm, &s->selection, &among, TH_OK, s->chosen,
                         &found, err);
  th_comm_profile_end(context->profile, TH_PHASE_SELECT);
  TH_TRY(rc);
  TH_TRY(th_support_assign(&s->support, context, s->chosen, found, err));
  s->solved = s->looks.examples;
done:
  return rc;
}

/* Half the mean squared residual of the examples by the support. Local. */
static double loss_of_looks(const struct dantzig *s)
{
  const struct th_looks *looks = &s->looks;
  double sum = 0;
  for (int64_t r = 0; r < looks->rows; r++) {
    int64_t row = th_looks_row(looks, r);
    double residual = -s->targets.target[row];
    for (int64_t k = 0; k < looks->known; k++)
      residual += s->support.coef[k] * looks->number[r * looks->draw.slots + k];
    sum += s->targets.weight[row] * residual * residual / 2;
  }
  return sum / (double)looks->rows;
}

static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct dantzig *s = state;
  double growth = context->config->rounds.growth;
  th_status rc;
  *more = s->lambda > 0; /* else targets or attributes do not change */
  if (!*more)
    return TH_OK;
  /* line 1 */
  TH_TRY(th_looks_draw(&s->looks, context, &s->support,
                       s->next - s->looks.examples, NULL, more, err));
  if (!*more)
    return TH_OK;
  th_dantzig_pairs_add(&s->pairs, &s->looks, &s->targets); /* line 2 */
  s->loss = loss_of_looks(s);
  if (s->looks.examples < s->next)
    return TH_OK;
  TH_TRY(solve_selector(s, context, err)); /* lines 3 and 4 */
  /* line 5 */
  s->next = th_max_i64(s->next + 1, (int64_t)((double)s->next * growth));
done:
  return rc;
}

/* The examples of an epoch that has not ended count, too. */
static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  struct dantzig *s = state;
  th_status rc =
      s->looks.examples > s->solved ? solve_selector(s, context, err) : TH_OK;
  if (rc == TH_OK && s->solved > 0 && !s->reached)
    th_context_notice(context,
                      "the last selector was left after %lld steps: "
                      "correlations exceed their bound by %g",
                      (long long)s->selector.steps, s->selector.violation);
  return rc;
}

/* Nothing has been solved yet. */
static bool keeps_held_out(const void *state)
{
  return ((const struct dantzig *)state)->solved == 0;
}

static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct dantzig *s = state;
  (void)context;
  TH_STATE_ONE(list, s, loss);
  TH_STATE_ONE(list, s, next);
  TH_STATE_ONE(list, s, solved);
  TH_STATE_ONE(list, s, reached);
  th_looks_describe(&s->looks, list);
  pairs_describe(&s->pairs, list);
  th_selector_describe(&s->selector, list);
  th_support_describe(&s->support, "support", list);
}

static const char *const options[] = {TH_LOOK_OPTIONS, "growth", NULL};

const struct th_algorithm th_dantzig_algorithm = {.options = options,
                                                  .create = create,
                                                  .step = step,
                                                  .finish = finish,
                                                  .unit = TH_LOSS_OF_PROBLEM,
                                                  .keeps_held_out =
                                                      keeps_held_out,
                                                  .describe = describe,
                                                  .free = free_state};

/* --- What a run of it is going to do -------------------------------------- */

enum { LOOK = 512 }; /* examples of a step: nothing depends on how many */

static const double usual_growth = 1.2;

th_status th_dantzig_plan(struct th_plan *plan, const struct th_plan_size *size,
                          struct th_error *err)
{
  struct th_config *config = &plan->config;
  int64_t d = size->shape->attributes;
  th_status rc;
  TH_TRY(th_looks_plan_begin(config, d, err));
  if (config->rounds.growth == 0)
    config->rounds.growth = usual_growth;
  config->batch = LOOK;
  plan->pairs = pairs_bytes(d, d);
  plan->memory = th_looks_plan_memory(config, size) +
                 pairs_bytes(d, size->owned) + d * th_selector_bytes();
  th_plan_sampled_fill(plan, size);
done:
  return rc;
}
