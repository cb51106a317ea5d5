/* averaging.c - solvers `rda-ito` and `ssr`: dual averaging with an l1 penalty,
 * from whole examples or from looks at them
 *
 * Estimates from a few attributes vary without bound: if the steps are too
 * long, their errors feed on themselves. So what is known of each example
 * predicts it first. If over some examples the squared residuals are half as
 * large again as the squared targets, the sums begin anew with half the step
 * size, and the run says so. Nothing of this happens with steps that fit.
 * SPDX-License-Identifier: MIT */
#include "solvers/competitors/averaging.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/kernels/rows.h"
#include "math/select.h"
#include "solvers/access/context.h"
#include "solvers/algorithms.h"
#include "solvers/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Gradients of a mini-batch, from whole examples or from looks at them */

/* Note the residual of an example that is predicted by what is known of it. */
static void watch(struct th_averaging *s, int64_t row, double prediction)
{
  double y = s->targets.target[row];
  double weight = s->targets.weight[row];
  double residual = prediction - y;
  s->watch.residual += weight * residual * residual;
  s->watch.target += weight * y * y;
  s->watch.rows++;
  s->loss += weight * residual * residual / 2;
}

/* An example as all ranks know it. */
struct seen {
  double known; /* sum of x w over the support, */
  double other; /* and over the others that were drawn */
  double target;
  double factor; /* slope and weight */
};

static struct seen see(const struct th_averaging *s, int64_t r)
{
  const struct th_looks *looks = &s->looks;
  int64_t slots = looks->draw.slots;
  const double *term = looks->number + r * slots;
  int64_t row = th_looks_row(looks, r);
  struct seen seen = {.target = s->targets.target[row],
                      .factor = s->rule->slope * s->targets.weight[row]};
  for (int64_t k = 0; k < looks->known; k++)
    seen.known += term[k];
  for (int64_t k = looks->known; k < slots; k++)
    seen.other += term[k];
  return seen;
}

/* Coordinate j of the gradient, (sum over i of x_i x_j w_i) - x_j y, where each
 * product is divided by the probability that both attributes are seen. own: the
 * term x_j w_j, whose two attributes are one. */
static double estimate(const struct th_looks *looks, const struct seen *e,
                       bool member, double x, double own)
{
  double one = looks->odds.one;
  double residual = e->known + e->other / one - e->target;
  if (!member)
    residual =
        (e->known + own - e->target) / one + (e->other - own) / looks->odds.two;
  return e->factor * x * residual;
}

/* Of the attributes of this rank that the mini-batch shows. Local. */
static void add_estimates(struct th_averaging *s,
                          const struct th_context *context)
{
  const struct th_looks *looks = &s->looks;
  struct seen seen = {0};
  int64_t row = -1;
  for (int64_t k = 0; k < looks->count; k++) {
    int64_t slot = looks->slot[k];
    if (slot / looks->draw.slots != row) {
      row = slot / looks->draw.slots;
      seen = see(s, row);
    }
    bool member = slot % looks->draw.slots < looks->known;
    s->gradient[looks->mine[k] - context->owned.first] +=
        estimate(looks, &seen, member, looks->value[k], looks->number[slot]);
  }
}

static th_status look(struct th_averaging *s, struct th_context *context,
                      bool *more, struct th_error *err)
{
  int64_t count = th_range_count(context->owned);
  th_status rc = th_looks_draw(&s->looks, context, &s->support,
                               s->looks.capacity, s->coef, more, err);
  if (rc != TH_OK || !*more)
    return rc;
  memset(s->gradient, 0, (size_t)count * sizeof *s->gradient);
  add_estimates(s, context);
  for (int64_t r = 0; r < s->looks.rows; r++)
    watch(s, th_looks_row(&s->looks, r), see(s, r).known);
  s->loss /= (double)s->looks.rows;
  return TH_OK;
}

/* Coefficients by place; a bound on all predictions. Collective. */
static double place_coefs(struct th_averaging *s,
                          const struct th_context *context)
{
  const struct th_active *active = &s->whole.active;
  double largest = 0;
  for (int64_t p = 0; p < active->count; p++) {
    s->by_place[p] = s->coef[active->attribute[p] - context->owned.first];
    largest = fmax(largest, fabs(s->by_place[p]) * active->bound[p]);
  }
  context->comm->ops->max_f64(context->comm, &largest, 1);
  return largest * (double)active->total;
}

static th_status read_whole(struct th_averaging *s, struct th_context *context,
                            bool *more, struct th_error *err)
{
  struct th_whole_rows *whole = &s->whole;
  const struct th_active *active = &whole->active;
  *more = th_whole_rows_begin(whole, context, context->config->batch);
  if (!*more)
    return TH_OK;
  double bound = place_coefs(s, context);
  th_status rc = th_whole_rows_predict(whole, context, s->by_place, bound, err);
  if (rc != TH_OK)
    return rc;
  memset(s->by_place, 0, (size_t)active->count * sizeof *s->by_place);
  for (int64_t r = 0; r < whole->rows; r++) {
    int64_t row = whole->row[r];
    double prediction = th_whole_rows_prediction(whole, r);
    watch(s, row, prediction);
    whole->factor[r] = s->rule->slope * s->targets.weight[row] *
                       (prediction - s->targets.target[row]);
  }
  th_whole_rows_add(whole, s->by_place);
  for (int64_t p = 0; p < active->count; p++)
    s->gradient[active->attribute[p] - context->owned.first] = s->by_place[p];
  s->loss /= (double)whole->rows;
  th_whole_rows_release(whole);
  return TH_OK;
}

th_status th_averaging_gradient(struct th_averaging *s,
                                struct th_context *context, bool *more,
                                struct th_error *err)
{
  double before = s->loss;
  s->loss = 0;
  th_status rc = (s->reads_whole ? read_whole : look)(s, context, more, err);
  if (!*more)
    s->loss = before;
  return rc;
}

/* --- The steps ------------------------------------------------------------ */

enum {
  WATCHED = 256,    /* examples */
  AT_ONCE = 1 << 20 /* times the squared targets: no need to wait for more */
};

static const double too_large = 1.5; /* times as well */

static void averaging_free(void *state)
{
  struct th_averaging *s = state;
  if (s == NULL)
    return;
  th_context_all_targets_free(&s->targets);
  th_looks_free(&s->looks);
  th_whole_rows_free(&s->whole);
  th_support_free(&s->support);
  th_select_free(&s->selection);
  TH_FREE(s->sum, s->coef, s->gradient, s->by_place, s->chosen, s);
}

/* The most attributes of the model. */
static int64_t most_members(const struct th_context *context)
{
  int64_t d = th_source_shape(context->source)->attributes;
  return context->config->sparsity > 0 ? context->config->sparsity : d;
}

/* Local. */
static th_status reserve(struct th_averaging *s, struct th_context *context,
                         struct th_error *err)
{
  const char *what = "the solver";
  int64_t owned = th_range_count(context->owned);
  th_status rc;
  TH_TRY(TH_NEW(&s->sum, owned, what, err));
  TH_TRY(TH_NEW(&s->coef, owned, what, err));
  TH_TRY(TH_NEW(&s->gradient, owned, what, err));
  TH_TRY(TH_NEW(&s->by_place, owned, what, err));
  TH_TRY(TH_NEW(&s->chosen, most_members(context), what, err));
  if (!s->reads_whole)
    TH_TRY(th_looks_init(&s->looks, context, context->config->batch, err));
  TH_TRY(th_context_second_moments_read(context, s->gradient, err));
done:
  return rc;
}

/* The constants, as given or by the data. Collective. */
static void choose_steps(struct th_averaging *s,
                         const struct th_context *context)
{
  const struct th_config *config = context->config;
  int64_t owned = th_range_count(context->owned);
  int64_t d = th_source_shape(context->source)->attributes;
  int64_t known = s->reads_whole ? d : config->sparsity;
  double unit = 0;
  for (int64_t a = 0; a < owned; a++)
    unit = fmax(unit, s->gradient[a]);
  context->comm->ops->max_f64(context->comm, &unit, 1);
  struct th_averaging_scale scale = {
      .unit = unit,
      .spread = sqrt(s->targets.square),
      .d = (double)d,
      .known = (double)known,
      .odds = th_looks_odds_of(d, known, config->budget)};
  s->over = !(unit > 0 && scale.spread > 0);
  if (s->over) {
    th_context_notice(context, "targets or attributes do not change, so the "
                               "model is constant");
    return;
  }
  s->pull = s->rule->pull * unit;
  s->eta = config->eta > 0 ? config->eta : s->rule->eta(&scale);
  s->lambda = config->lambda > 0 ? config->lambda : s->rule->lambda(&scale);
  th_context_notice(context, "{eta} %g, {lambda} %g", s->eta, s->lambda);
}

/* Collective. */
static th_status averaging_create(void **state, struct th_context *context,
                                  const struct th_averaging_rule *rule,
                                  struct th_error *err)
{
  struct th_averaging *s = NULL;
  const struct th_config *config = context->config;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  s->rule = rule;
  s->reads_whole =
      config->budget >= th_source_shape(context->source)->attributes;
  TH_TRY(th_agree(context->comm, reserve(s, context, err), err));
  TH_TRY(th_context_all_targets_init(&s->targets, context, TH_WEIGHTS_OF_MEAN_1,
                                     err));
  if (s->reads_whole)
    TH_TRY(th_whole_rows_init(&s->whole, context, config->batch, err));
  choose_steps(s, context);
  s->head = (struct th_head){
      .support = &s->support, .loss = &s->loss, .step_size = &s->step};
  *state = s;
  s = NULL;
done:
  averaging_free(s);
  return rc;
}

/* Add the gradient, and go to the minimum. Local. */
static void average(struct th_averaging *s, const struct th_context *context,
                    double rows)
{
  int64_t owned = th_range_count(context->owned);
  s->examples += rows;
  struct th_averaging_sizes sizes =
      s->rule->sizes(s->eta, s->lambda, s->pull, s->examples);
  double pull = s->pull * rows;
  s->step = sizes.step;
  for (int64_t a = 0; a < owned; a++) {
    s->sum[a] += s->gradient[a] - pull * s->coef[a];
    s->coef[a] = sizes.step * th_row_soft(-s->sum[a], sizes.threshold);
  }
}

/* Begin anew with half the step size if the residuals say so. Local, the same
 * on every rank. */
static th_status guard(struct th_averaging *s, const struct th_context *context,
                       struct th_error *err)
{
  struct th_averaging_watch *watch = &s->watch;
  size_t bytes = (size_t)th_range_count(context->owned) * sizeof *s->sum;
  if (watch->rows < WATCHED && watch->residual <= AT_ONCE * s->targets.square)
    return TH_OK;
  bool good = watch->residual <= too_large * watch->target;
  *watch = (struct th_averaging_watch){0};
  if (good)
    return TH_OK;
  s->eta /= 2;
  if (!(s->eta > 0))
    return th_fail(err, TH_ENUMERIC,
                   "no step size is small enough; standardize");
  th_context_notice(context,
                    "the steps were too long, so the sums begin anew with "
                    "{eta} %g",
                    s->eta);
  s->examples = 0;
  memset(s->sum, 0, bytes);
  memset(s->coef, 0, bytes);
  return TH_OK;
}

/* The support: the largest coefficients. Collective. */
static th_status choose(struct th_averaging *s, struct th_context *context,
                        struct th_error *err)
{
  int64_t found = 0;
  th_status rc;
  struct th_select_among among = {.values = s->coef,
                                  .first = context->owned.first,
                                  .count = th_range_count(context->owned),
                                  .k = most_members(context)};
  th_comm_profile_begin(context->profile);
  rc = th_select_largest(context->comm, &s->selection, &among, TH_OK, s->chosen,
                         &found, err);
  th_comm_profile_end(context->profile, TH_PHASE_SELECT);
  TH_TRY(rc);
  TH_TRY(th_support_assign(&s->support, context, s->chosen, found, err));
done:
  return rc;
}

static th_status averaging_step(void *state, struct th_context *context,
                                bool *more, struct th_error *err)
{
  struct th_averaging *s = state;
  th_status rc;
  *more = !s->over;
  if (!*more)
    return TH_OK;
  TH_TRY(th_averaging_gradient(s, context, more, err)); /* lines 1 and 2 */
  if (!*more)
    return TH_OK;
  /* lines 3 and 4 */
  average(s, context, (double)(s->reads_whole ? s->whole.rows : s->looks.rows));
  TH_TRY(guard(s, context, err));
  if (!s->reads_whole)            /* the next looks are at these */
    rc = choose(s, context, err); /* line 5 */
done:
  return rc;
}

static th_status averaging_publish(void *state, struct th_context *context,
                                   struct th_error *err)
{
  return choose(state, context, err);
}

/* The state between two updates. Collective while an image is put. */
static void averaging_describe(void *state, struct th_context *context,
                               struct th_state *list)
{
  struct th_averaging *s = state;
  TH_STATE_ONE(list, s, eta);
  TH_STATE_ONE(list, s, examples);
  TH_STATE_ONE(list, s, step);
  TH_STATE_ONE(list, s, loss);
  TH_STATE_ONE(list, &s->watch, residual);
  TH_STATE_ONE(list, &s->watch, target);
  TH_STATE_ONE(list, &s->watch, rows);
  th_state_spread(list, "sum", TH_STATE_F64, s->sum, 1, context->owned);
  th_state_spread(list, "coef", TH_STATE_F64, s->coef, 1, context->owned);
  th_support_describe(&s->support, "support", list);
  if (!s->reads_whole)
    th_looks_describe(&s->looks, list);
  else
    th_whole_rows_describe(&s->whole, list);
  if (s->reads_whole && th_state_puts(list) &&
      th_state_agree(list, context->comm))
    th_state_note(list, th_whole_rows_resume(&s->whole, list->err));
}

static const char *const options[] = {TH_LOOK_OPTIONS, "eta", "batch", NULL};

/* --- Solver `rda-ito` ----------------------------------------------------- */

/* Regularised dual averaging with limited observation: Ito, Hatano, Sumita,
 * Yabe, Fukunaga, Kakimura & Kawarabayashi 2017, Algorithm 1, for minimise E
 * (x'w - y)^2 + lambda norm1(w), where s' attributes of an example may be
 * observed and s predict. Of example t the s largest attributes of w_t and s' -
 * s others are observed, which are drawn uniformly. With X = [x_i x_j / P(i and
 * j seen)] and c = [x_i y / P(i seen)] over what was seen, g_t = 2 (X w_t - c)
 * is an unbiased estimate of the gradient at w_t, and w_{t+1} = argmin (sum of
 * g)'w + lambda t norm1(w)
 *               + sqrt(t) norm2(w)^2 / (2 eta).
 * The prediction is w_t cut to its s largest attributes. Pairs of attributes
 * outside of the s must be seen, so s' is s + 2 at least.
 *
 * Reconstructed. The paper was not at hand in full. Murata & Suzuki 2018
 * (section 5, table 1, section 6) tell which attributes are observed, that the
 * method is regularised dual averaging, and that s' >= s + 2. Xiao 2010 has the
 * averaging, with beta_t = sqrt(t) / eta. The estimates were derived anew from
 * the probabilities in looks.h. What is not known: whether w is projected on a
 * ball as well (here: no), and how lambda depends on t (here: not at all, as
 * with Xiao).
 *
 * Ours: a mini-batch makes one step, all its gradients being taken at the same
 * w; the default step size, below; and the restart of the averaging. */

/* Of the longest steps at which errors do not grow, and of what a penalty takes
 * off. */
static const double shorter = 0.66;
static const double light = 0.02;

/* Errors feed on themselves like this. A coefficient e outside of the s, which
 * is wrong, makes the gradients of the d - s others vary by 4 e^2 / q for each
 * example, q being the odds of a pair. After t examples such errors add
 * (eta^2 / t) 4 (d - s) e^2 / q to norm2(w)^2, of which the averaging takes off
 * norm2(w)^2 / t. So eta = sqrt(q / (d - s)) / 2 is the longest step without
 * growth. The least error in the end comes a little beyond. */
static double rda_eta_of(const struct th_averaging_scale *scale)
{
  double others = fmax(1, scale->d - scale->known);
  return shorter * sqrt(scale->odds.two / others) / scale->unit;
}

static double rda_lambda_of(const struct th_averaging_scale *scale)
{
  return light * scale->spread * sqrt(scale->unit);
}

static struct th_averaging_sizes rda_sizes_of(double eta, double lambda,
                                              double pull, double examples)
{
  (void)pull;
  return (struct th_averaging_sizes){.threshold = lambda * examples,
                                     .step = eta / sqrt(examples)};
}

static const struct th_averaging_rule rda_rule = {.slope = 2,
                                                  .eta = rda_eta_of,
                                                  .lambda = rda_lambda_of,
                                                  .sizes = rda_sizes_of};

static th_status rda_create(void **state, struct th_context *context,
                            struct th_error *err)
{
  return averaging_create(state, context, &rda_rule, err);
}

const struct th_algorithm th_rda_ito_algorithm = {.options = options,
                                                  .unit = TH_LOSS_OF_PROBLEM,
                                                  .create = rda_create,
                                                  .step = averaging_step,
                                                  .publish = averaging_publish,
                                                  .finish = averaging_publish,
                                                  .describe =
                                                      averaging_describe,
                                                  .free = averaging_free};

/* --- Solver `ssr`: streaming sparse regression ---------------------------- */

/* Steinhardt, Wager & Liang 2014, Algorithm 2, for
 *     minimise E (x'w - y)^2 / 2,
 * where few coefficients differ from 0. With g_t the gradient at w_t,
 *     w_{t+1} = argmin (sum of g)'w + lambda sqrt(t) norm1(w)
 *               + norm2(w)^2 / (2 eta) + sum over k of alpha norm2(w - w_k)^2/2
 *             = soft(sum of (alpha w_k - g_k), lambda sqrt(t))
 *               / (1 / eta + alpha t).
 * The penalty grows like the noise of a sum of gradients. So it keeps useless
 * attributes out, and in the end takes nothing off the others. The curvature
 * around the iterates adapts the steps to a strongly convex loss: they fall
 * like 1 / t, which gives the rate 1 / t.
 *
 * All attributes of an example are read. With a budget that is smaller the
 * gradients are those of looks.h, as for `rda-ito`, for half of its loss.
 *
 * Reconstructed. The paper was not at hand in full. Saad, Blanchard & Arlot
 * 2024 (section 6 and the appendix on SSR) tell of its cost, O(d) for an
 * example, and of its guarantee. The form of the steps is from general
 * knowledge of it, derived anew as above. What is not known: whether its
 * examples are averaged in the end (here: no). The form for a budget is ours,
 * and so are the constants. */

/* alpha, the penalty, and the first step as shares of what the data suggest. */
static const double curvature = 0.3;
static const double heavy = 1.3;
static const double share = 0.5;

/* The first step is a share of 1 / norm2(x)^2, where what is drawn counts as
 * often as it is not seen. */
static double ssr_eta_of(const struct th_averaging_scale *scale)
{
  double square = scale->known + (scale->d - scale->known) / scale->odds.one;
  return share / (square * scale->unit);
}

/* A standard deviation or so of the noise in a gradient at w = 0. */
static double ssr_lambda_of(const struct th_averaging_scale *scale)
{
  return heavy * scale->spread * sqrt(scale->unit / scale->odds.one);
}

static struct th_averaging_sizes ssr_sizes_of(double eta, double lambda,
                                              double pull, double examples)
{
  return (struct th_averaging_sizes){.threshold = lambda * sqrt(examples),
                                     .step = 1 / (1 / eta + pull * examples)};
}

static const struct th_averaging_rule ssr_rule = {.slope = 1,
                                                  .pull = curvature,
                                                  .eta = ssr_eta_of,
                                                  .lambda = ssr_lambda_of,
                                                  .sizes = ssr_sizes_of};

static th_status ssr_create(void **state, struct th_context *context,
                            struct th_error *err)
{
  return averaging_create(state, context, &ssr_rule, err);
}

const struct th_algorithm th_ssr_algorithm = {.options = options,
                                              .unit = TH_LOSS_OF_PROBLEM,
                                              .create = ssr_create,
                                              .step = averaging_step,
                                              .publish = averaging_publish,
                                              .finish = averaging_publish,
                                              .describe = averaging_describe,
                                              .free = averaging_free};

/* --- What a run of either is going to do ---------------------------------- */

enum {
  MOST_BATCH = 64, /* examples in a step by default, */
  STEPS = 1000     /* such that there are so many steps */
};

/* Whole examples come one by one: their gradients are worth a step. */
static void choose_batch(struct th_config *config, const struct th_shape *shape)
{
  int64_t all = config->passes * shape->training;
  bool whole = config->budget >= shape->attributes;
  if (config->batch == 0)
    config->batch =
        whole ? 1 : th_max_i64(1, th_min_i64(MOST_BATCH, all / STEPS));
  config->batch = th_min_i64(config->batch, th_max_i64(1, all));
}

static th_status averaging_plan(struct th_plan *plan,
                                const struct th_plan_size *size,
                                struct th_error *err)
{
  struct th_config *config = &plan->config;
  th_status rc;
  TH_TRY(th_looks_plan_begin(config, size->shape->attributes, err));
  choose_batch(config, size->shape);
  plan->memory = th_looks_plan_memory(config, size);
  th_plan_sampled_fill(plan, size);
done:
  return rc;
}

th_status th_rda_ito_plan(struct th_plan *plan, const struct th_plan_size *size,
                          struct th_error *err)
{
  return averaging_plan(plan, size, err);
}

th_status th_ssr_plan(struct th_plan *plan, const struct th_plan_size *size,
                      struct th_error *err)
{
  struct th_config *config = &plan->config;
  int64_t d = size->shape->attributes;
  if (config->budget == 0)
    config->budget = d;
  if (config->budget < d && config->sparsity == 0)
    return th_fail(err, TH_EUSAGE,
                   "solver ssr with a {budget} below the %lld attributes needs "
                   "{sparsity}: how many of those observed stay the same",
                   (long long)d);
  return averaging_plan(plan, size, err);
}
