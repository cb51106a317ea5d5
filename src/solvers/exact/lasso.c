/* lasso.c - solver `lasso`: the exact path of a penalised problem
 *
 * min over b, b0 of (1/n) sum_i w_i f(x_i'b + b0; y_i) + lambda Omega(b) for
 * one lambda, or for a path of them from lambda_max down, each to a duality gap
 * (Liang & Poon 2022, section 2, for gap and spheres; Massias, Gramfort &
 * Salmon 2018 for working sets). Solution and slopes are piecewise linear in
 * lambda for a squared loss (Efron et al. 2004), nearly so for the others: the
 * next lambda starts from the line through the last two. Its working set
 * consists of the units whose extrapolated slopes reach lambda. A pass over all
 * attributes finds the units that this misses.
 *
 *   for each lambda, from large to small
 *     1  lambda of the path; or the next one of the search for a ball. The
 *        ridge of an elastic net is a share of it: the problem with one more
 *        example for each attribute is solved and certified (Zou & Hastie 2005,
 *        Lemma 1; in the parametrisation of Friedman, Hastie & Tibshirani 2010)
 *     2  if it is far from the last one: first lambdas in between
 *     3  guess: b on the line through the last two solutions, and the working
 *        set W of the units whose slopes reach lambda there
 *     4  repeat: minimise over W until its gap is small (inner_solver.c)
 *     5    theta = f' at b; dual values of all attributes that may reach lambda
 *     6    end when the gap over all is small enough; else W grows by the units
 *          that violate optimality (working_set_solver.c)
 *     7  the model and its certificate
 *     8  with a radius: go on with the search
 *
 * With a radius, Omega(b) <= B takes the place of lambda Omega(b). A search
 * finds the lambda at which Omega is B. Omega falls as lambda rises: for a
 * squared loss along straight lines (Efron et al. 2004). Lambda comes down from
 * lambda_max until Omega is above B. Then regula falsi with halved weights (the
 * Illinois rule; Dowell & Jarratt 1971) closes in. Its last solutions are
 * precise, since Omega moves with the root of the gap. A norm above B, and a
 * rounding below it, are scaled away. The certificate is that of the model that
 * is left.
 * SPDX-License-Identifier: MIT */
#include "solvers/algorithms.h"
#include "solvers/penalised/certify.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "model/claims.h"
#include "solvers/access/support.h"
#include "solvers/exact/working_set_solver.h"
#include "solvers/plan.h"
#include "state/state.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* How near Omega has to come to the radius, as a share of it. */
#define TH_BALL_NEAR 1e-9

/* A lambda, and Omega less the radius there. */
struct th_ball_end {
  double lambda;
  double excess;
};

struct th_ball_search {
  double radius;           /* 0: there is no ball, and nothing to search */
  double lambda;           /* to solve for next; the last one, once done */
  double least;            /* the smallest lambda that is tried */
  struct th_ball_end high; /* the solution is in the ball */
  struct th_ball_end low;  /* it is not; lambda 0: none such found yet */
  int side;                /* of the last lambda: 1 high, -1 low, 0 none yet */
  bool done;
  bool binds; /* false once done: the ball holds all solutions */
};

static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err);

/* --- What a run of solver `lasso` is going to do -------------------------- */

/* Passes over all values, as observed in runs: for the setup and for each
 * lambda. */
static const double passes = 4;
static const double passes_each = 0.6;

th_status th_lasso_plan(struct th_plan *plan, const struct th_plan_size *size,
                        struct th_error *err)
{
  th_status rc = th_plan_penalised(plan, size, err);
  if (rc != TH_OK)
    return rc;
  const struct th_config *config = &plan->config;
  double paths = 1 + (double)config->choice.parts;
  double ratio =
      config->path > 0 ? config->choice.path_min : config->lambda_ratio;
  plan->memory += th_working_set_solver_bytes(size, ratio);
  plan->visits = paths * (passes + (double)plan->points * passes_each) *
                 th_plan_penalised_values(size->shape);
  return TH_OK;
}

/* --- The penalty at which a solution has a given norm --------------------- */

static const double ball_search_stride = 0.6; /* on the way down */
static const double smallest = 0x1p-27; /* lambda, as a share of lambda_max */

/* Begin at a share of lambda_max. If that is 0, all solutions are zero. */
static struct th_ball_search ball_search_begin(double radius, double lambda_max)
{
  struct th_ball_search s = {
      .radius = radius, .lambda = 1, .least = 1, .high = {lambda_max, -radius}};
  if (lambda_max > 0) {
    s.lambda = lambda_max * ball_search_stride;
    s.least = lambda_max * smallest;
  }
  return s;
}

/* The end that stays twice counts half. */
static void narrow_bracket(struct th_ball_search *s, struct th_ball_end now)
{
  int side = now.excess > 0 ? -1 : 1;
  struct th_ball_end *own = side < 0 ? &s->low : &s->high;
  struct th_ball_end *other = side < 0 ? &s->high : &s->low;
  *own = now;
  if (side == s->side)
    other->excess /= 2;
  s->side = side;
}

static double between(const struct th_ball_search *s)
{
  double share = s->low.excess / (s->low.excess - s->high.excess);
  double lambda = s->low.lambda + share * (s->high.lambda - s->low.lambda);
  bool inside = lambda > s->low.lambda && lambda < s->high.lambda;
  return inside ? lambda : (s->low.lambda + s->high.lambda) / 2;
}

/* Omega of the solution at search->lambda is known: go on to the next lambda,
 * or end. enough: no model in the ball is better by as much as counts, so a
 * ball that has not bound so far need not be tried further. */
static void ball_search_take(struct th_ball_search *s, double omega,
                             bool enough)
{
  struct th_ball_end now = {s->lambda, omega - s->radius};
  bool falls = s->low.lambda > 0 || now.excess > 0;
  narrow_bracket(s, now);
  s->done = fabs(now.excess) <= TH_BALL_NEAR * s->radius;
  s->binds = falls || s->done;
  if (falls)
    s->done = s->done || s->high.lambda - s->low.lambda <=
                             4 * DBL_EPSILON * s->high.lambda;
  else
    s->done = s->done || enough || s->lambda <= s->least;
  if (!s->done)
    s->lambda =
        falls ? between(s) : fmax(s->lambda * ball_search_stride, s->least);
}

static void ball_search_describe(struct th_ball_search *s,
                                 struct th_state *state)
{
  th_state_enter(state, "ball");
  TH_STATE_ONE(state, s, lambda);
  TH_STATE_ONE(state, s, high.lambda);
  TH_STATE_ONE(state, s, high.excess);
  TH_STATE_ONE(state, s, low.lambda);
  TH_STATE_ONE(state, s, low.excess);
  TH_STATE_ONE(state, s, side);
  TH_STATE_ONE(state, s, done);
  TH_STATE_ONE(state, s, binds);
  th_state_leave(state);
}

/* --- The solver ----------------------------------------------------------- */

/* A lambda below this share of lambda_max is approached by larger ones, each
 * a share of the one before. Descent from zero would take very long. Where one
 * model will do for each of them, strides are long. */
static const double far = 0.01;
static const double short_stride = 0.6;
static const double long_stride = 0.25;
enum { MOST_STRIDES = 2048 }; /* no double is smaller */

/* The search for a ball is taken to last so many lambdas from now on. Its
 * solutions have that gap, as a share of the zero model's objective. */
enum { SEARCH = 4 };
static const double precise = 1e-12;

/* Models of folds only predict what was held out: their gap, likewise. */
static const double of_a_fold = 1e-6;

/* A ball does not bind where no model in it is better by more than this share
 * of the zero model's objective: the gap that solutions have by default. */
static const double no_better = 1e-9;

struct lasso {
  struct th_head head;
  struct th_problem problem;
  struct th_working_set_solver exact;
  struct th_support support;
  struct th_certificate certificate;
  int64_t steps;   /* lambdas so far */
  int64_t strides; /* larger ones before a single one */
  int64_t path;
  double reached;   /* share of the run after the last update, 0 to 1 */
  double explained; /* share of the zero model's loss, by the last solution */
  const double *predicted; /* the last solution's: of the inner solver */
  bool walks;              /* from lambda to lambda */
  struct th_ball_search ball;
};

static void free_state(void *state)
{
  struct lasso *s = state;
  if (s == NULL)
    return;
  th_working_set_solver_free(&s->exact);
  th_problem_free(&s->problem);
  th_support_free(&s->support);
  th_claims_certificate_free(&s->certificate);
  free(s);
}

/* A tiny weight makes lambda_max large, and leaves nothing of a path: say so.
 * Collective where there are weights. */
static void tell_weights(const struct lasso *s, struct th_context *context)
{
  const double tiny = 1e-3; /* of the largest weight */
  const struct th_grouping *grouping = &s->problem.grouping;
  double ends[2] = {0, -INFINITY}; /* the largest, and less the smallest */
  if (context->config->group.all == NULL)
    return;
  for (int64_t g = 0; g < grouping->groups; g++) {
    double least = th_penalty_norm_least(grouping->norm[g]);
    ends[0] = fmax(ends[0], least);
    if (least > 0)
      ends[1] = fmax(ends[1], -least);
  }
  context->comm->ops->max_f64(context->comm, ends, 2);
  if (-ends[1] < tiny * ends[0])
    th_context_notice(
        context,
        "the weights of the groups lie between %g and %g, so that lambda_max, "
        "%g, may be that of the smallest alone, and a path from there has "
        "nothing of the others. For no penalty give weight=0",
        -ends[1], ends[0], s->problem.lambda_max);
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  const struct th_config *config = context->config;
  struct th_duals duals = {0};
  struct lasso *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  s->path = config->path > 0 ? config->path : 1;
  s->walks = s->path > 1 || config->ball.radius > 0;
  TH_TRY(th_problem_init(&s->problem, context, &duals, err));
  rc = TH_NEW(&s->certificate.path, s->path, "the path", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_working_set_solver_init(&s->exact, &s->problem, &duals, err));
  s->certificate.lambda_max = s->problem.lambda_max;
  tell_weights(s, context);
  s->certificate.confidence = 1;
  s->exact.inner.polishes = config->ball.radius > 0;
  s->ball = ball_search_begin(config->ball.radius, s->problem.lambda_max);
  double lambda = th_plan_penalised_lambda(config, s->problem.lambda_max, 0);
  if ((!s->walks || !(s->problem.lambda_max > 0)) &&
      lambda >= s->problem.lambda_max)
    th_context_notice(
        context, "lambda %g is not below lambda_max %g, so the model is %s",
        lambda, s->problem.lambda_max,
        s->problem.exempt.count > 0 ? "that of the attributes without a penalty"
                                    : "zero");
  if (config->choice.few)
    th_context_notice(context,
                      "lambda is %g, a tenth of lambda_max: examples are too "
                      "few to choose it by",
                      lambda);
  s->predicted = s->exact.inner.prediction;
  s->head = (struct th_head){.support = &s->support,
                             .loss = &s->certificate.objective,
                             .certificate = &s->certificate,
                             .points = &s->steps,
                             .explained = &s->explained,
                             .prediction = &s->predicted};
  *state = s;
  s = NULL;
done:
  th_problem_duals_free(&duals);
  free_state(s);
  return rc;
}

/* Make a support of the members that are not zero. Collective. */
static th_status publish(struct lasso *s, struct th_context *context,
                         struct th_error *err)
{
  const struct th_working_set *w = &s->exact.working;
  const struct th_support_list members = {
      .attribute = w->attribute, .coef = w->coef, .count = w->members};
  th_status rc = th_support_assign_list(&s->support, context, &members, err);
  s->support.intercept = s->exact.inner.intercept;
  th_support_drop_dust(&s->support);
  return rc;
}

/* Begin the piece of work for lambda number `step` of `steps`. Each lambda has
 * more attributes than the one before, so the time so far grows with the
 * square. */
static void begin_piece(struct th_context *context, double step, double steps)
{
  double from = step / steps;
  double to = fmin((step + 1) / steps, 1);
  context->piece_from = from * from;
  context->piece_part = to * to - from * from;
}

static double stride_of(const struct lasso *s)
{
  return s->exact.inner.cycles.suit ? long_stride : short_stride;
}

/* The larger lambda that comes next, if a single one is far from lambda_max:
 * paths and searches come from there. 0: none is left. */
static double next_stride(const struct lasso *s, double lambda)
{
  double most = s->problem.lambda_max;
  double stride = stride_of(s);
  double way = most * stride;
  if (s->path > 1 || s->ball.radius > 0 || lambda >= far * most)
    return 0;
  for (int64_t k = 0; k < s->strides; k++)
    way *= stride;
  return way * stride > lambda ? way : 0;
}

/* What is known of the solution at lambda. */
static void note_solution(struct lasso *s, double lambda)
{
  struct th_certificate *c = &s->certificate;
  c->lambda = lambda;
  c->objective = s->exact.objective;
  c->gap = s->exact.gap;
  c->dual_norm = s->exact.dual_norm / lambda;
  c->active = s->exact.working.members;
}

/* Solve for that one, which is an update of its own. Collective. */
static th_status approach(struct lasso *s, struct th_context *context,
                          double way, struct th_error *err)
{
  th_status rc;
  TH_TRY(th_working_set_solver_guess(&s->exact, way, true, err));
  s->exact.rough = s->exact.inner.cycles.suit;
  TH_TRY(th_working_set_solver_solve(&s->exact, way, err));
  s->exact.rough = false;
  TH_TRY(publish(s, context, err));
  note_solution(s, way);
  s->strides++;
done:
  return rc;
}

/* Is a lambda left? */
static bool is_left(const struct lasso *s)
{
  return s->ball.radius > 0 ? !s->ball.done : s->steps < s->path;
}

/* Say where the certificate's gap is larger than it should be. */
static void tell_gap(const struct lasso *s, struct th_context *context)
{
  const struct th_certificate *c = &s->certificate;
  double goal = th_working_set_solver_goal(&s->exact, c->objective);
  if (c->gap > goal)
    th_context_notice(context,
                      "at lambda %g the gap is %g and not %g, and descent "
                      "makes it no smaller. A path or a larger lambda may help",
                      c->lambda, c->gap, goal);
}

/* The path of a fold begins where that of all examples did, which may be above
 * its own lambda_max: the zero model is the solution there. Attributes without
 * a penalty are fitted there, too, as at any lambda. */
static bool is_zero_there(const struct lasso *s, double lambda)
{
  const double nothing_enters = 1 - 1e-12;
  const struct th_config *config = s->problem.context->config;
  return config->choice.from > 0 && s->problem.exempt.count == 0 &&
         lambda >= nothing_enters * s->problem.lambda_max;
}

/* What is told of an inexact solution, too. */
static void note_fit(struct lasso *s)
{
  double zero = s->problem.zero;
  s->explained = zero > 0 ? 1 - s->exact.inner.loss / zero : 0;
}

/* What is known of the zero model where it is the solution. Collective. */
static th_status look_at_zero(struct lasso *s, double lambda,
                              struct th_error *err)
{
  struct th_working_set_solver *e = &s->exact;
  th_status rc = th_inner_solver_screen_at(&e->inner, &e->working, lambda, err);
  e->objective = e->inner.primal;
  e->gap = e->inner.gap;
  e->dual_norm = s->problem.lambda_max;
  return rc;
}

/* Solve for a lambda. Collective. */
static th_status solve_lambda(struct lasso *s, struct th_context *context,
                              double lambda, struct th_error *err)
{
  double given = context->config->tolerance;
  bool walks = s->walks || s->strides > 0;
  th_status rc;
  if (is_zero_there(s, lambda))
    return look_at_zero(s, lambda, err);
  TH_TRY(th_working_set_solver_guess(&s->exact, lambda, walks, err));
  if (s->ball.low.lambda > 0 && !(given > 0))
    s->exact.tolerance = precise * s->problem.zero;
  if (context->config->choice.from > 0)
    s->exact.tolerance = fmax(given, of_a_fold * s->problem.zero);
  TH_TRY(th_working_set_solver_solve(&s->exact, lambda, err));
  s->exact.tolerance = given;
done:
  return rc;
}

/* Attributes without a penalty are no part of the norm. */
static void scale_support(struct th_support *support,
                          const struct th_exempt *exempt, double factor)
{
  for (int64_t k = 0; k < support->size; k++)
    if (!th_exempt_has(exempt, support->attribute[k]))
      support->coef[k] *= factor;
}

/* The most by which the loss of a model in the ball is smaller than that of the
 * solution, whose norm is omega. By duality loss + lambda Omega is nowhere
 * smaller by more than the gap, and no loss is negative. */
static double may_gain(const struct lasso *s, double omega)
{
  double lambda = s->ball.lambda;
  double loss = s->exact.objective - lambda * omega;
  double gain = s->exact.gap + lambda * (s->ball.radius - omega);
  return fmax(fmin(loss, gain), 0);
}

/* Put the last solution of a search into the ball: a norm above the radius is
 * scaled away, and one that rounding keeps below it. */
static void settle(struct lasso *s, struct th_context *context, double omega)
{
  const struct th_ball_search *ball = &s->ball;
  double radius = ball->radius;
  bool near = fabs(omega - radius) <= TH_BALL_CLOSE * radius;
  if (omega > radius || (ball->binds && near))
    scale_support(&s->support, &s->problem.exempt, radius / omega);
  if (!ball->binds)
    th_context_notice(context,
                      "the ball of radius %g does not bind at lambda %g, the "
                      "smallest that is tried: the norm is %g there, and no "
                      "model in the ball has a loss that is smaller by %.2g",
                      radius, ball->lambda, omega, may_gain(s, omega));
  else if (!near)
    th_context_notice(context,
                      "the norm is %g and not the radius %g: no solution that "
                      "was found comes nearer%s",
                      omega, radius,
                      omega > radius ? ". The model is scaled to it" : "");
}

/* Go on with the search for a ball. */
static void search_on(struct lasso *s, struct th_context *context)
{
  const struct th_working_set *w = &s->exact.working;
  double omega = th_working_set_omega(w, w->coef);
  double given = context->config->tolerance;
  bool enough =
      omega <= s->ball.radius &&
      may_gain(s, omega) <= (given > 0 ? given : no_better * s->problem.zero);
  ball_search_take(&s->ball, omega, enough);
  if (s->ball.done)
    settle(s, context, omega);
}

/* The piece of work of the next update. */
static void begin_update(const struct lasso *s, struct th_context *context,
                         double lambda)
{
  double strides =
      th_log(lambda / s->problem.lambda_max) / th_log(stride_of(s));
  double steps = (double)s->path;
  if (s->ball.radius > 0)
    steps = (double)(s->steps + SEARCH);
  if (next_stride(s, lambda) > 0)
    begin_piece(context, (double)s->strides, strides);
  else if (s->strides > 0)
    begin_piece(context, (double)s->strides,
                fmin(strides, (double)s->strides + 1));
  else
    begin_piece(context, (double)s->steps, steps);
}

/* What the certificate says of the solution at lambda. */
static void certify(struct lasso *s, double lambda)
{
  struct th_certificate *c = &s->certificate;
  note_solution(s, lambda);
  c->path[s->ball.radius > 0 ? 0 : s->steps] =
      (struct th_path_point){lambda, c->objective, c->gap, s->support.size};
}

/* One lambda. */
static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct lasso *s = state;
  bool searches = s->ball.radius > 0;
  th_status rc = TH_OK;
  *more = is_left(s);
  if (!*more)
    return TH_OK;
  double lambda = /* line 1 */
      searches ? s->ball.lambda
               : th_plan_penalised_lambda(context->config,
                                          s->problem.lambda_max, s->steps);
  double way = next_stride(s, lambda);
  th_problem_ridge_at(&s->problem, way > 0 ? way : lambda);
  begin_update(s, context, lambda);
  s->reached = context->piece_from + context->piece_part;
  if (way > 0)
    return approach(s, context, way, err);       /* line 2 */
  TH_TRY(solve_lambda(s, context, lambda, err)); /* lines 3 to 6 */
  TH_TRY(publish(s, context, err));              /* line 7 */
  certify(s, lambda);
  note_fit(s);
  tell_gap(s, context);
  s->steps++;
  if (searches)
    search_on(s, context); /* line 8 */
done:
  return rc;
}

/* Certify the last model from the data again. It ends the path. */
static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  struct lasso *s = state;
  struct th_certificate *c = &s->certificate;
  double goal = th_working_set_solver_goal(&s->exact, c->objective);
  bool is_told = s->ball.radius == 0 && c->gap > goal; /* at its step */
  c->path_size = context->config->path > 0 ? s->steps : 0;
  th_status rc = th_certify(&s->problem, &s->support, c->lambda, c, err);
  if (rc == TH_OK && !is_told)
    tell_gap(s, context);
  if (rc == TH_OK && c->path_size > 0)
    c->path[c->path_size - 1] = (struct th_path_point){c->lambda, c->objective,
                                                       c->gap, s->support.size};
  return rc;
}

/* The model of a lambda that was found before. */
static th_status take_up(void *state, struct th_context *context,
                         const struct th_support_list *members,
                         double intercept, const struct th_certificate *said,
                         struct th_error *err)
{
  struct lasso *s = state;
  struct th_certificate *c = &s->certificate;
  th_status rc = th_support_assign_list(&s->support, context, members, err);
  s->support.intercept = intercept;
  c->lambda = said->lambda;
  c->objective = said->objective;
  c->gap = said->gap;
  c->active = said->active;
  s->steps = 1;
  return rc;
}

static double done_of(const void *state)
{
  const struct lasso *s = state;
  return is_left(s) ? s->reached : 1;
}

static void claims_of(const void *state, struct th_claims *claims)
{
  const struct lasso *s = state;
  const struct th_certificate *c = &s->certificate;
  double goal = th_working_set_solver_goal(&s->exact, c->objective);
  claims->ended_by = c->gap > goal ? TH_ENDED_PRECISION : TH_ENDED_TOLERANCE;
}

/* The state between two lambdas. Collective. */
static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct lasso *s = state;
  (void)context;
  TH_STATE_ONE(list, s, steps);
  th_state_limit(list, "steps", &s->steps, 1, 0,
                 s->ball.radius > 0 ? INT32_MAX : s->path);
  TH_STATE_AT_MOST(list, s, strides, MOST_STRIDES);
  TH_STATE_ONE(list, s, reached);
  TH_STATE_ONE(list, s, explained);
  th_claims_certificate_describe(&s->certificate, "certificate", list);
  th_claims_certificate_describe_path(&s->certificate,
                                      s->ball.radius > 0 ? 0 : s->steps, list);
  th_support_describe(&s->support, "support", list);
  ball_search_describe(&s->ball, list);
  th_working_set_solver_history_describe(&s->exact.history, list);
  th_working_set_describe(&s->exact.working, &s->problem, list);
  th_inner_solver_describe(&s->exact.inner, list);
}

static const char *const options[] = {TH_OPTIONS_OF_A_PENALTY,
                                      "loss-scale",
                                      "quantile",
                                      "radius",
                                      TH_OPTIONS_OF_A_CHOICE,
                                      "positive",
                                      "lower",
                                      "upper",
                                      NULL};

const struct th_algorithm th_lasso_algorithm = {.options = options,
                                                .create = create,
                                                .step = step,
                                                .finish = finish,
                                                .take = take_up,
                                                .unit = TH_LOSS_OBJECTIVE,
                                                .done = done_of,
                                                .claims = claims_of,
                                                .describe = describe,
                                                .free = free_state};
