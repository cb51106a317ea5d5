/* sampling.c - solvers `aerr` and `aelr`: attribute-efficient regression
 *
 * Kukliansky & Shamir 2015, Algorithms 1 to 4: online gradient descent for
 *     minimise E (w'x - y)^2 / 2  subject to  norm(w) <= B
 * in the l2 ball (ridge) or the l1 ball (lasso), where k + 1 attributes of an
 * example are observed. Each example gives an unbiased estimate of its
 * gradient: phi, of the inner product, times a sparse estimate of x. The
 * better the draws fit the second moments, the less the estimate varies.
 *
 *   for each mini-batch, w = 0 at first
 *     1  of each example: draw kx attributes i by q, and kphi others j by p
 *     2  observe them and y
 *     3  phi = (1/kphi) sum of w_j x_j / p_j - y
 *     4  g = phi (1/kx) sum of x_i / q_i e_i, the mean over the mini-batch
 *     5  AdaGrad: the step size from all g so far
 *     6  wbar += w
 *     7  w -= step g; in the l1 ball its exponents
 *     8  p from w and the moments
 *     9  w = its projection on the ball
 *   the model is the mean of wbar
 *
 * What is drawn by: all attributes alike (AERR, AELR), the moments of the
 * import (DDAERR, DDAELR), or moments that a first phase estimates (two-phased
 * forms). As in the paper's section 5, the first phase learns by equal draws,
 * its w starts the second one, and the output is the average of the second.
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/sampling.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "ranks/partition.h"
#include "solvers/algorithms.h"
#include "solvers/plan.h"
#include "solvers/solver_table.h"

#include <math.h>
#include <stdlib.h>

static th_status set_draw_moments(struct th_sampling *s,
                                  struct th_context *context,
                                  struct th_ball_theory *theory,
                                  struct th_error *err);
static th_status touched_init(struct th_touched *t,
                              const struct th_context *context, int64_t slots,
                              struct th_error *err);
static void touched_free(struct th_touched *t);
static void sampling_learn(struct th_sampling *s, struct th_context *context);

/* --- The state of an attribute-efficient solver as a list ----------------- */

/* Draws and sums follow from coefficients and estimates. Collective. */
static void derive_draws(struct th_sampling *s, struct th_context *context,
                         struct th_state *list)
{
  struct th_ball_theory theory;
  th_learning_iterate_derive(&s->learning.w, context);
  th_state_note(list, set_draw_moments(s, context, &theory, list->err));
}

/* The state between two updates (state/state.h). Collective while an image is
 * put. */
static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct th_sampling *s = state;
  TH_STATE_ONE(list, s, examples);
  TH_STATE_ONE(list, s, updates);
  TH_STATE_ONE(list, s, second);
  th_example_order_describe(&s->order, list);
  th_learning_describe(&s->learning, context, list);
  if (!th_learning_is_over(&s->learning) && th_state_puts(list) &&
      th_state_agree(list, context->comm))
    derive_draws(s, context, list);
}

/* --- The solver ----------------------------------------------------------- */

enum { PHASES = 10, SIGHTINGS = 2, MOST_OF_RUN = 2 };

/* After the first phase. Attributes that showed 0 alone would hardly be drawn
 * again, and their rare values would make steps of any size: so their moments
 * are taken to be a little nearer to the average. */
static const double smooth_share = 0.1;
static const double prior = 0.1;

static void free_state(void *state)
{
  struct th_sampling *s = state;
  if (s == NULL)
    return;
  th_learning_free(&s->learning);
  th_reads_draws_free(&s->draws);
  th_example_order_free(&s->order);
  th_reads_free(&s->reads);
  touched_free(&s->touched);
  free(s);
}

/* Examples of the whole run, if nothing ends it early. */
static int64_t all_examples(const struct th_context *context)
{
  return context->config->passes * context->deal.rows_in_pass;
}

static bool has_two_phases(const struct th_config *config)
{
  return config->ball.moments == TH_MOMENTS_TWO_PHASE ||
         config->ball.moments == TH_MOMENTS_NORM;
}

/* A tenth of the run, but each attribute is to be drawn twice; at most half of
 * the run. */
static int64_t first_phase(const struct th_context *context)
{
  int64_t d = th_source_shape(context->source)->attributes;
  int64_t all = all_examples(context);
  int64_t enough =
      th_integer_ceil_divide(SIGHTINGS * d, context->config->budget);
  if (!has_two_phases(context->config))
    return 0;
  return th_min_i64(all / MOST_OF_RUN, th_max_i64(all / PHASES, enough));
}

/* Local. */
static th_status reserve(struct th_sampling *s, struct th_context *context,
                         struct th_error *err)
{
  const struct th_config *config = context->config;
  int64_t points = th_integer_ceil_divide(config->budget, 2);
  int64_t unit = context->deal.plan.unit;
  th_status rc;
  TH_TRY(th_reads_draws_init(&s->draws, context, err));
  TH_TRY(th_example_order_init(&s->order, unit, err));
  TH_TRY(th_reads_init(&s->reads, config->batch, points,
                       config->budget - points, err));
  TH_TRY(touched_init(&s->touched, context, config->batch * points, err));
done:
  return rc;
}

/* What theory knows of the present phase. */
static struct th_ball_theory theory_of(const struct th_sampling *s,
                                       const struct th_context *context)
{
  int64_t all = all_examples(context);
  bool first = s->first_phase > 0 && !s->second;
  struct th_ball_theory theory = th_learning_theory(
      &s->learning, context, first ? s->first_phase : all - s->first_phase);
  theory.reads = (double)s->reads.points;
  theory.known = s->second || context->config->ball.moments == TH_MOMENTS_KNOWN;
  theory.estimated = s->second;
  return theory;
}

/* Epsilon, Algorithm 2, line 11, and Algorithm 4, line 11. Of what the first
 * phase reads, the data points are drawn uniformly. */
static double error_of(const struct th_sampling *s,
                       const struct th_context *context)
{
  double d = (double)s->learning.w.useful;
  double delta = 1 - context->config->confidence;
  double draws = (double)s->reads.points * (double)s->first_phase;
  double error = d * th_log(2 * d / delta) / draws;
  return s->learning.ball->largest ? fmin(error, 1) : error;
}

/* What is added to the observations of each attribute. */
struct average {
  double square;
  double hits;
};

/* Collective. */
static struct average average_of(struct th_moments *m,
                                 const struct th_context *context,
                                 double weight)
{
  double square = th_learning_cells_sum(context, m->square, m->cell);
  double hits = th_learning_cells_sum(context, m->hits, m->cell);
  struct average average = {hits > 0 ? weight * square / hits : 0, weight};
  return average;
}

/* The moment of an attribute as it is used. */
static double moment_of(const struct th_moments *m, enum th_moments_use use,
                        const struct average *average, int64_t a)
{
  if (use == TH_MOMENTS_EQUAL)
    return 1;
  if (use == TH_MOMENTS_EXACT)
    return m->second[a];
  double hits = m->hits[a] + average->hits;
  return hits > 0 ? (m->square[a] + average->square) / hits : 0;
}

/* Mix value[owned] with equal shares for all attributes that are not left out.
 * Collective. Returns the sum over all, which stays. */
static double smooth_out(struct th_moments *m, const struct th_context *context,
                         double share, double *value)
{
  int64_t count = context->owned.last - context->owned.first;
  int64_t useful =
      th_source_shape(context->source)->attributes - context->left_out;
  double sum = th_learning_cells_sum(context, value, m->cell);
  double mean = sum > 0 ? sum / (double)useful : 1;
  for (int64_t a = 0; a < count; a++)
    if (context->scale[a] != 0)
      value[a] = (1 - share) * value[a] + share * mean;
  return sum;
}

/* Fill in mass[owned], in proportion to the probability of a data point's
 * draws, and root[owned], in proportion to the roots of the moments, as far as
 * they are known. Both are 0 for attributes that are left out. Returns the norm
 * of the moments that theory asks for. Collective. */
static double masses_of_draws(struct th_learning *learning,
                              const struct th_context *context,
                              enum th_moments_use use,
                              struct th_moments_care care, double *mass,
                              double *root)
{
  const struct th_ball *ball = learning->ball;
  struct th_moments *m = &learning->moments;
  const double widened = 13.0 / 6; /* Algorithm 2, line 12 */
  int64_t count = context->owned.last - context->owned.first;
  struct average average = average_of(m, context, care.prior);
  for (int64_t a = 0; a < count; a++) {
    double moment = context->scale[a] != 0 ? moment_of(m, use, &average, a) : 0;
    double error = context->scale[a] != 0 ? widened * care.error : 0;
    root[a] = sqrt(moment + error); /* never 0 where w may move */
    mass[a] = ball->squared ? moment + error : sqrt(moment + error);
    /* Lemma 3.11: the norm by which the step is chosen */
    m->work[a] =
        ball->moment_part(moment, care.error, use == TH_MOMENTS_ESTIMATE);
  }
  double norm =
      ball->moment_norm(th_learning_cells_sum(context, m->work, m->cell));
  smooth_out(m, context, care.smooth, mass);
  smooth_out(m, context, care.smooth, root);
  return norm;
}

/* Set what data points are drawn by in the present phase. *theory: what the
 * sizes of its steps follow from. Collective. */
static th_status set_draw_moments(struct th_sampling *s,
                                  struct th_context *context,
                                  struct th_ball_theory *theory,
                                  struct th_error *err)
{
  bool proved = context->config->eta == TH_ETA_THEORY;
  struct th_moments_care care = {0};
  enum th_moments_use use = TH_MOMENTS_EQUAL;
  *theory = theory_of(s, context);
  if (theory->known)
    use = s->second ? TH_MOMENTS_ESTIMATE : TH_MOMENTS_EXACT;
  if (s->second && proved)
    theory->error = error_of(s, context);
  else if (s->second)
    care = (struct th_moments_care){.prior = prior, .smooth = smooth_share};
  care.error = theory->error * theory->unit;
  theory->norm = masses_of_draws(&s->learning, context, use, care,
                                 s->draws.weight, s->draws.root) /
                 (theory->unit > 0 ? theory->unit : 1);
  if (s->second && context->config->ball.moment_norm > 0) /* Theorem 3.6 */
    theory->norm = context->config->ball.moment_norm / theory->unit;
  th_status rc = th_reads_draws_set(&s->draws, context, err);
  if (rc == TH_OK)
    th_reads_draws_weigh_all(&s->draws, context, &s->learning.w);
  return rc;
}

/* Begin a phase: draws, sizes of steps, a new average. Collective. */
static th_status begin_phase(struct th_sampling *s, struct th_context *context,
                             struct th_error *err)
{
  struct th_ball_theory theory;
  th_status rc = set_draw_moments(s, context, &theory, err);
  if (rc != TH_OK)
    return rc;
  th_learning_begin(&s->learning, context, &theory);
  return rc;
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct th_sampling *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_agree(context->comm, reserve(s, context, err), err));
  TH_TRY(th_learning_init(&s->learning, context, err));
  if (context->config->ball.inner == TH_INNER_PLAIN)
    s->draws.plain = s->learning.ball->plain;
  s->first_phase = first_phase(context);
  if (!th_learning_is_over(&s->learning))
    TH_TRY(begin_phase(s, context, err));
  s->head = (struct th_head){.support = &s->learning.support,
                             .loss = &s->learning.loss,
                             .step_size = &s->learning.steps.shown};
  *state = s;
  s = NULL;
done:
  free_state(s);
  return rc;
}

/* What the first phase learns of the moments, from all that is read. Local. */
static void remember_moments(struct th_sampling *s)
{
  for (int64_t k = 0; k < s->reads.count; k++) {
    int64_t a = s->reads.attribute[k] - s->draws.first;
    s->learning.moments.square[a] += s->reads.value[k] * s->reads.value[k];
    s->learning.moments.hits[a] += 1;
  }
}

static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct th_sampling *s = state;
  th_status rc;
  *more = !th_learning_is_over(&s->learning);
  if (!*more)
    return TH_OK;
  /* lines 1 and 2 (Algorithm 1, lines 3 to 8) */
  rc = th_reads_draw(&s->reads, context, &s->order, &s->draws, s->examples,
                     more, err);
  if (rc == TH_OK && !*more)
    return TH_OK;
  /* line 3 */
  TH_TRY(th_reads_residuals(&s->reads, context, &s->draws, &s->learning.w,
                            &s->learning.targets, rc, err));
  s->learning.loss = s->reads.loss;
  s->examples += s->reads.rows;
  s->updates++;
  if (s->first_phase > 0 && !s->second)
    remember_moments(s);
  sampling_learn(s, context); /* lines 4 to 9 (Algorithm 1, lines 9 to 11) */
  TH_TRY(th_learning_check(&s->learning, err));
  if (s->first_phase > 0 && !s->second && s->examples >= s->first_phase) {
    s->second = true;
    rc = begin_phase(s, context, err);
  }
done:
  return rc;
}

static th_status publish(void *state, struct th_context *context,
                         struct th_error *err)
{
  struct th_sampling *s = state;
  return th_learning_publish(&s->learning, context, err);
}

/* The first phase is for the moments, and may learn next to nothing. */
static bool keeps_held_out(const void *state)
{
  const struct th_sampling *s = state;
  return s->first_phase > 0 && !s->second;
}

static const char *const options[] = {
    "budget", "moments", "moment-norm", "inner", TH_OPTIONS_IN_A_BALL, NULL};

const struct th_algorithm th_sampling_algorithm = {.options = options,
                                                   .create = create,
                                                   .step = step,
                                                   .publish = publish,
                                                   .finish = publish,
                                                   .unit = TH_LOSS_OF_PROBLEM,
                                                   .keeps_held_out =
                                                       keeps_held_out,
                                                   .describe = describe,
                                                   .free = free_state};

/* --- The step of an update: gradient, step size, projection
 *
 * Only attributes that were read are looked at, by their owners, in the order
 * of their slots. Sums over attributes are formed cell by cell. */

enum { AHEAD = 8 }; /* attributes, that memory is asked for */

/* Room for what an update touches. Local. */
static th_status touched_init(struct th_touched *t,
                              const struct th_context *context, int64_t slots,
                              struct th_error *err)
{
  int64_t count = th_range_count(context->owned);
  int64_t cells = th_learning_cells_count(context);
  const char *what = "a mini-batch";
  th_status rc;
  TH_TRY(TH_NEW(&t->at, count, what, err));
  TH_TRY(TH_NEW(&t->place, slots, what, err));
  TH_TRY(TH_NEW(&t->cell_stamp, cells, what, err));
  TH_TRY(TH_NEW(&t->cell_place, cells, what, err));
  TH_TRY(TH_NEW(&t->cell, slots, what, err));
  TH_TRY(TH_NEW(&t->number, 2 * slots, what, err));
done:
  return rc;
}

static void touched_free(struct th_touched *t)
{
  TH_FREE(t->at, t->place, t->cell_stamp, t->cell_place, t->cell, t->number);
}

/* The cells in which a data point was read. Replicated. */
static void list_cells(struct th_sampling *s)
{
  struct th_touched *t = &s->touched;
  const struct th_reads *reads = &s->reads;
  t->cells = 0;
  for (int64_t i = 0; i < reads->rows; i++)
    for (int64_t r = 0; r < reads->points; r++) {
      int32_t cell = reads->cell[i * reads->draw.slots + r];
      if (t->cell_stamp[cell] == s->updates)
        continue;
      t->cell_stamp[cell] = s->updates;
      t->cell_place[cell] = (int32_t)t->cells;
      t->cell[t->cells++] = cell;
    }
}

/* Bring near what is going to be needed of an attribute. */
static void near_gradient(const struct th_sampling *s, int64_t a)
{
  __builtin_prefetch(&s->touched.at[a], 1);
  __builtin_prefetch(&s->draws.odds[a]);
}

static void near_move(const struct th_sampling *s, int64_t a)
{
  __builtin_prefetch(&s->learning.w.at[a], 1);
  th_discrete_prefetch(&s->learning.w.size, a);
  th_discrete_prefetch(&s->draws.mass, a);
}

/* g = (1/B) sum of phi x / (kx q) e, over the slots of data points. */
void th_sampling_gradient(struct th_sampling *s)
{
  struct th_touched *t = &s->touched;
  const struct th_reads *reads = &s->reads;
  double each = 1 / ((double)reads->rows * (double)reads->points);
  t->count = 0;
  for (int64_t k = 0; k < reads->count; k++) {
    int64_t a = reads->attribute[k] - s->draws.first;
    if (k + AHEAD < reads->count)
      near_gradient(s, reads->attribute[k + AHEAD] - s->draws.first);
    if (!th_reads_is_point(reads, k))
      continue;
    if (t->at[a].stamp != s->updates) {
      t->at[a] = (struct th_touched_place){0, s->updates};
      t->place[t->count++] = a;
    }
    t->at[a].gradient += each * reads->residual[th_reads_row(reads, k)] *
                         reads->value[k] / s->draws.odds[a].chance;
  }
}

/* Where in the list of cells the cell of an attribute is. */
static int32_t cell_of(const struct th_sampling *s, int64_t a)
{
  return s->touched.cell_place[s->draws.cells.first + a / TH_CELL];
}

/* Add the squared norm of the gradient to the sum of AdaGrad-Norm.
 * Collective. */
static void add_touched_norm(struct th_sampling *s, struct th_context *context)
{
  struct th_touched *t = &s->touched;
  bool largest = s->learning.ball->largest;
  double norm = 0;
  for (int64_t c = 0; c < t->cells; c++)
    t->number[c] = 0;
  for (int64_t k = 0; k < t->count; k++) {
    double g = t->at[t->place[k]].gradient;
    double *sum = &t->number[cell_of(s, t->place[k])];
    *sum = largest ? fmax(*sum, g * g) : *sum + g * g;
  }
  th_comm_share_numbers(context->comm, t->number, (size_t)t->cells);
  for (int64_t c = 0; c < t->cells; c++)
    norm = largest ? fmax(norm, t->number[c]) : norm + t->number[c];
  th_learning_add_square(&s->learning, norm);
}

/* The sums of this rank's cells that were touched, to all ranks. Collective. */
static void share_cells(struct th_sampling *s, struct th_context *context)
{
  struct th_touched *t = &s->touched;
  struct th_range mine = s->draws.cells;
  for (int64_t k = 0; k < t->cells; k++) {
    int64_t cell = t->cell[k] - mine.first;
    bool owned = t->cell[k] >= mine.first && t->cell[k] < mine.last;
    t->number[2 * k] = owned ? th_discrete_top(&s->learning.w.size, cell) : 0;
    t->number[2 * k + 1] = owned ? th_discrete_top(&s->draws.mass, cell) : 0;
  }
  th_comm_share_numbers(context->comm, t->number, 2 * (size_t)t->cells);
  for (int64_t k = 0; k < t->cells; k++) {
    s->learning.w.all.level[0][t->cell[k]] = t->number[2 * k];
    s->draws.all.level[0][t->cell[k]] = t->number[2 * k + 1];
    th_discrete_update(&s->learning.w.all, t->cell[k]);
    th_discrete_update(&s->draws.all, t->cell[k]);
  }
}

/* Make a step from the mini-batch that was read: gradient, step, projection.
 * Collective: one sum or two of some numbers for each cell that was touched. */
static void sampling_learn(struct th_sampling *s, struct th_context *context)
{
  struct th_touched *t = &s->touched;
  bool derived;
  list_cells(s);
  th_sampling_gradient(s); /* line 4 */
  if (s->learning.steps.by == TH_ADAGRAD_NORM)
    add_touched_norm(s, context); /* line 5 */
  /* line 6: the average is of w before its updates */
  th_learning_iterate_pass(&s->learning.w, s->reads.rows);
  for (int64_t k = 0; k < t->count; k++) {
    int64_t a = t->place[k];
    if (k + AHEAD < t->count)
      near_move(s, t->place[k + AHEAD]);
    double step = th_learning_step(&s->learning, a, t->at[a].gradient);
    th_learning_iterate_move(&s->learning.w, a, step,
                             t->at[a].gradient);               /* line 7 */
    th_reads_draws_weigh(&s->draws, a, s->learning.w.at[a].u); /* line 8 */
  }
  share_cells(s, context);
  th_learning_iterate_project(&s->learning.w, context, &derived); /* line 9 */
  if (derived)
    th_reads_draws_weigh_all(&s->draws, context, &s->learning.w);
}

/* --- What a run of an attribute-efficient solver is going to do ----------- */

enum {
  USUAL_BUDGET = 128,
  FEWEST = 2,          /* for a data point and an inner product */
  MOST_BATCH = 256,    /* examples in a step by default, */
  UPDATES = 1000,      /* such that there are so many steps */
  MOST_PASSES = 20,    /* by default */
  PLAN_SIGHTINGS = 4,  /* of each attribute of an example, in all passes */
  CONTEXT_BYTES = 24,  /* of an attribute */
  SUPPORT_BYTES = 100, /* of an attribute in the model */
  EXAMPLE_BYTES = 16,
  CELL_BYTES = 64,
  SLOT_BYTES = 112 /* of an attribute that a batch reads */
};

static const double usual_validation = 0.1;

static th_status choose_budget(struct th_config *config, int64_t d,
                               struct th_error *err)
{
  if (config->budget == 0)
    config->budget = th_min_i64(d, USUAL_BUDGET);
  if (config->budget > d)
    return th_fail(err, TH_EUSAGE,
                   "{budget} %lld is more than the %lld attributes of the "
                   "data; ogd-ridge and eg-lasso read all of them",
                   (long long)config->budget, (long long)d);
  if (config->budget < FEWEST)
    return th_fail(err, TH_EUSAGE,
                   "{budget} %lld: at least 2 are needed, for the example and "
                   "for its inner product",
                   (long long)config->budget);
  return TH_OK;
}

static th_status check_moments(const struct th_plan *plan, struct th_error *err)
{
  const struct th_config_ball *ball = &plan->config.ball;
  if (ball->moments != TH_MOMENTS_NORM)
    return TH_OK;
  if (plan->solver->ball->largest)
    return th_fail(err, TH_EUSAGE,
                   "{moments} norm is for aerr: no theorem uses the norm for "
                   "{solver} %s; take two-phase or known",
                   plan->config.solver);
  if (ball->moment_norm > 0)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "{moments} norm needs {moment-norm}, the norm that is known");
}

static th_status check_step_options(const struct th_config *config,
                                    struct th_error *err)
{
  bool adapts = config->ball.adagrad == TH_ADAGRAD_NORM ||
                config->ball.adagrad == TH_ADAGRAD_COORDINATE;
  if (config->eta != 0 && adapts)
    return th_fail(err, TH_EUSAGE,
                   "{eta} and {adagrad} exclude each other; give one of them");
  if (config->eta > 0 && config->ball.step_factor > 0)
    return th_fail(err, TH_EUSAGE,
                   "{step-factor} is a factor of the steps of a rule, and "
                   "{eta} sets them; give one of them");
  return TH_OK;
}

/* Each example is drawn again until its attributes have been seen. */
static void choose_passes_and_batch(struct th_config *config,
                                    const struct th_shape *shape)
{
  int64_t wanted = th_integer_ceil_divide(PLAN_SIGHTINGS * shape->attributes,
                                          config->budget);
  if (config->passes == 0)
    config->passes = shape->computed ? 1 : th_min_i64(wanted, MOST_PASSES);
  if (config->validation < 0)
    config->validation = config->passes > 1 ? usual_validation : 0;
  int64_t all = config->passes * shape->training;
  if (config->batch == 0)
    config->batch = th_max_i64(1, th_min_i64(MOST_BATCH, all / UPDATES));
  config->batch = th_min_i64(config->batch, th_max_i64(1, all));
}

/* slots: reads of a batch that are listed one by one. */
static int64_t sampling_memory(const struct th_plan_size *size, int64_t slots)
{
  int64_t d = size->shape->attributes;
  int64_t touched = 3 * (int64_t)sizeof(double); /* and AdaGrad's squares */
  int64_t moments = 4 * (int64_t)sizeof(double);
  return size->owned * (CONTEXT_BYTES + touched + moments +
                        th_reads_draws_bytes() + th_learning_iterate_bytes()) +
         d / TH_CELL * CELL_BYTES + d * SUPPORT_BYTES +
         (int64_t)th_plan_part(size,
                               EXAMPLE_BYTES * (double)size->shape->training) +
         slots * SLOT_BYTES;
}

/* Passes, memory, and what is read. draws: attributes are drawn. */
static void fill_in(struct th_plan *plan, const struct th_plan_size *size,
                    bool draws)
{
  const struct th_config *config = &plan->config;
  choose_passes_and_batch(&plan->config, size->shape);
  plan->memory =
      sampling_memory(size, draws ? config->batch * config->budget : 0);
  th_plan_sampled_fill(plan, size);
}

/* Second moments of standardized attributes are equal: nothing is to be learnt
 * of them. */
static void choose_moments(struct th_config *config)
{
  if (config->ball.moments == TH_MOMENTS_AUTO)
    config->ball.moments =
        config->standardize ? TH_MOMENTS_UNIFORM : TH_MOMENTS_TWO_PHASE;
}

th_status th_sampling_plan(struct th_plan *plan,
                           const struct th_plan_size *size,
                           struct th_error *err)
{
  struct th_config *config = &plan->config;
  th_status rc;
  TH_TRY(th_plan_sampled_check_loss(config, err));
  choose_moments(config);
  TH_TRY(check_moments(plan, err));
  TH_TRY(choose_budget(config, size->shape->attributes, err));
  TH_TRY(check_step_options(config, err));
  fill_in(plan, size, true);
done:
  return rc;
}

th_status th_online_plan(struct th_plan *plan, const struct th_plan_size *size,
                         struct th_error *err)
{
  struct th_config *config = &plan->config;
  th_status rc;
  TH_TRY(th_plan_sampled_check_loss(config, err));
  TH_TRY(check_step_options(config, err));
  config->budget = size->shape->attributes;
  fill_in(plan, size, false);
done:
  return rc;
}
