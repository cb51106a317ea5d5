/* inner_solver.c - the exact solution on a working set, the same on every rank
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/inner_solver.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "math/gap.h"
#include "solvers/exact/active_set.h"
#include "solvers/exact/covariance.h"
#include "solvers/exact/quadratic.h"
#include "solvers/penalised/problem.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Products of columns for the models of a tall problem ----------------- */

/* If there are many examples in memory and few columns, models are minimised by
 * products of columns. With a squared loss, products never change. With labels
 * they belong to the curvatures at one point. They serve Newton steps at other
 * points and lambdas, too, as long as these steps gain much: the chord method
 * (Ortega & Rheinboldt 1970, 7.1). The way to a solution depends on them, but
 * not its precision. Functions are local unless they say otherwise. */

enum {
  MOST_COLUMNS = 4096,
  ROWS_PER_COLUMN = 4, /* at least */
  FEWEST_ROWS = 512
};

/* A model's curvatures are at least this share of the largest. With small
 * penalties on separable data, nearly all examples have far less than the
 * largest. A larger share would make Newton steps short, and they would end far
 * from the solution. */
static const double least_curvature = 1e-10;

/* Rough costs in nanoseconds: of a pair of a row's entries in products, of an
 * entry and of a row in a look; then of dense values. */
static const double pair_cost = 1.1;
static const double entry_cost = 3;
static const double row_cost = 25;
static const double product_cost = 0.1;
static const double value_cost = 0.8;

/* The part of the gap that a step leaves: with new products, and with old ones
 * until it is known. */
static const double newton_rate = 0.01;
static const double usual_rate = 0.25;

static double worth_of(const struct th_chord *c, const struct th_problem *p)
{
  const struct th_rowwise *r = &c->rowwise;
  double rows = (double)p->rows;
  double columns = (double)p->kept->count;
  double pairs = 0;
  if (p->dense)
    return rows * columns * columns / 2 * product_cost /
           (rows * columns * value_cost + rows * row_cost);
  for (int64_t i = 0; i < r->rows; i++) {
    double entries = (double)(r->start[i + 1] - r->start[i]);
    pairs += entries * (entries + 1) / 2;
  }
  return (pairs * pair_cost + rows) /
         ((double)r->start[r->rows] * entry_cost + rows * row_cost);
}

bool th_inner_solver_is_tall(int64_t rows, int64_t columns)
{
  return columns <= MOST_COLUMNS && rows >= FEWEST_ROWS &&
         rows > ROWS_PER_COLUMN * columns;
}

/* Release with chord_free. */
static th_status chord_init(struct th_chord *c, const struct th_problem *p,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  if (!p->dense) {
    TH_TRY(th_rowwise_build(&c->rowwise, p->rows, p->kept->column,
                            p->kept->count, err));
    TH_TRY(TH_NEW(&c->coef, p->kept->count, "coefficients", err));
  }
  if (p->loss->quadratic)
    return rc;
  c->worth = worth_of(c, p);
  c->rate = usual_rate;
  TH_TRY(TH_NEW(&c->h, p->rows, "second derivatives", err));
  TH_TRY(TH_NEW(&c->share, p->rows, "second derivatives", err));
  TH_TRY(TH_NEW(&c->root, p->rows, "second derivatives", err));
done:
  return rc;
}

static void chord_free(struct th_chord *c)
{
  th_rowwise_free(&c->rowwise);
  TH_FREE(c->coef, c->h, c->share, c->root);
  *c = (struct th_chord){0};
}

/* Of the loss; of those at hand, where it has none. */
static double largest_curvature(const struct th_problem *p, const double *h)
{
  double most = 0;
  if (!th_loss_is_steep(p->loss))
    return th_loss_L(p->loss);
  for (int64_t i = 0; i < p->rows; i++)
    most = p->eta[i] > 0 ? fmax(most, h[i]) : most;
  return most;
}

static void take_curvatures(struct th_chord *c, const struct th_problem *p,
                            const double *prediction)
{
  c->sum = 0;
  th_loss_d2f_all(p->loss, p->rows, prediction, p->target, c->h);
  double least = least_curvature * largest_curvature(p, c->h);
  for (int64_t i = 0; i < p->rows; i++) {
    c->h[i] = p->eta[i] > 0 ? p->eta[i] * fmax(c->h[i], least) : 0;
    c->sum += c->h[i];
  }
  for (int64_t i = 0; i < p->rows; i++) {
    c->share[i] = c->h[i] / c->sum;
    c->root[i] = sqrt(c->h[i]);
  }
}

/* The number of steps, each leaving `rate` of the gap, until it is `times`
 * smaller. */
static double steps(double times, double rate)
{
  return fmax(1, ceil(th_log(times) / -th_log(rate)));
}

static bool forming_is_due(const struct th_chord *c, double times)
{
  double saved = steps(times, c->rate) - steps(times, newton_rate);
  return !c->formed || c->failed || saved > c->worth;
}

/* Note that a step has left so much of the gap. first: it was the first at a
 * lambda. well: the whole step was made. */
static void chord_note(struct th_chord *c, double left, bool first, bool well)
{
  if (!c->fresh && !first)
    c->rate = fmin(fmax(left, newton_rate), 0.9);
  c->failed = !well || left > 0.9;
  c->fresh = false;
}

/* Begin anew at these predictions if that is the faster way to a gap that is
 * `times` smaller. The products then lose all slots. Returns whether it has
 * begun anew. */
static bool chord_renew(struct th_chord *c, const struct th_problem *p,
                        const double *prediction, double times,
                        struct th_covariance *covariance)
{
  if (!forming_is_due(c, times))
    return false;
  take_curvatures(c, p, prediction);
  covariance->count = 0;
  c->fresh = c->formed = true;
  c->failed = false;
  return true;
}

/* Form the products of the slots that columns have beyond those of the
 * products. Collective. */
static th_status chord_grow(struct th_chord *c, const struct th_problem *p,
                            const struct th_replicated_columns *columns,
                            struct th_covariance *covariance,
                            struct th_error *err)
{
  struct th_covariance_weights weights = {
      .h = c->h, .sum = c->sum, .centred = p->intercept};
  if (p->dense)
    return th_covariance_grow(covariance, columns, p->context->comm, c->share,
                              c->root, p->intercept, err);
  return th_covariance_grow_rows(covariance, columns, &c->rowwise,
                                 p->kept->count, &weights, p->context->comm,
                                 err);
}

/* Half the h-weighted square of weighted / h: a model's value at its start. */
static double chord_constant(const struct th_chord *c,
                             const struct th_problem *p, const double *weighted)
{
  double sum = 0;
  for (int64_t i = 0; i < p->rows; i++)
    sum += c->h[i] > 0 ? weighted[i] * weighted[i] / c->h[i] : 0;
  return 0.5 * sum;
}

/* --- Models of the logistic loss on sparse attributes
 *
 * Far from the solution, a model is worth few cycles of descent, and so it is
 * left as soon as its violations have fallen below an aim. The aim falls
 * whenever one cycle has reached it (newGLMNET: Yuan, Ho & Lin 2012). Near the
 * solution, cycles gain little where attributes depend on each other. Once they
 * have cost more than a factor of the support would, the model is solved for on
 * its support. The factor serves the next models too, as long as these gain
 * much. */

enum {
  MOST_CYCLES = 100, /* of a model */
  MOST_BEHIND = 4,   /* of one that was solved for on its support */
  FREE_FORMS = 4,    /* factors of a lambda that need not wait */
  SAME = 8,          /* members, and */
  ONE_IN = 16        /* of a factor: more changes than this are too many */
};

/* Of a factor: attributes of text often depend on each other. */
static const double damping = 1e-8;

/* The cost of cycles over that of a factor from which on it is formed. */
static const double worth = 1.5;

/* The aim falls to this share of what it was. */
static const double cycles_falls = 0.25;

/* The aim is no smaller a share of the violations at the start. */
static const double least_aim = 0.1;

/* A factor is formed anew if the last one has left more of the gap. */
static const double cycles_gains = 0.25;

/* Models are solved by cycles from now on, or they are not. */
static void use_cycles(struct th_inner_solver *d, bool used)
{
  struct th_inner_cycles *c = &d->cycles;
  if (c->suit)
    th_active_set_reset(&d->active_set);
  d->active_set.damping = used ? damping : 0;
  d->active_set.slack = used ? TH_INNER_ROUNDING : 0;
  *c = (struct th_inner_cycles){.suit = c->suit, .used = used, .gap = INFINITY};
}

void th_inner_solver_begin(struct th_inner_solver *d)
{
  use_cycles(d, d->cycles.suit);
  th_inner_solver_screen_begin(d);
  d->done = 0;
}

bool th_inner_solver_fall_back(struct th_inner_solver *d)
{
  bool used = d->cycles.used;
  if (used)
    use_cycles(d, false);
  return used;
}

static bool has_factor(const struct th_inner_solver *d)
{
  return d->active_set.factor.size > 0;
}

/* Does the factor belong to quite another support? */
static bool has_changed(const struct th_inner_solver *d)
{
  return th_active_set_changes(&d->active_set, &d->quadratic) >
         SAME + d->active_set.factor.size / ONE_IN;
}

/* Is a factor to be formed for the present model? */
static bool wants_factor(const struct th_inner_solver *d, double tolerance)
{
  const struct th_inner_cycles *c = &d->cycles;
  bool polishes = d->polishes && d->gap <= tolerance;
  int64_t support = th_working_set_support(d->quadratic.working);
  if (support == 0 || support >= TH_ACTIVE_SET_FORMED)
    return false;
  if (has_factor(d) && c->forms <= FREE_FORMS)
    return !(d->gap <= cycles_gains * c->gap);
  return polishes ||
         c->visited >= worth * th_active_set_form_cost(&d->quadratic);
}

/* For models that are solved by cycles, once the model has been made: form a
 * factor of the support if that pays; minimise. */
static th_status cycles_model(struct th_inner_solver *d, double tolerance,
                              struct th_error *err)
{
  struct th_inner_cycles *c = &d->cycles;
  th_status rc = TH_OK;
  if (has_factor(d) && has_changed(d))
    th_active_set_reset(&d->active_set);
  bool forms = wants_factor(d, tolerance);
  if (forms || has_factor(d))
    TH_TRY(th_active_set_room(&d->active_set, &d->quadratic, err));
  if (forms) {
    TH_TRY(th_active_set_form(&d->active_set, &d->quadratic, err));
    c->visited = 0;
    c->forms++;
  }
  if (has_factor(d))
    c->gap = d->gap;
done:
  return rc;
}

static void cycles_minimise(struct th_inner_solver *d, double lambda)
{
  struct th_inner_cycles *c = &d->cycles;
  struct th_quadratic *q = &d->quadratic;
  bool solved = has_factor(d);
  if (solved)
    th_active_set_step(&d->active_set, q, lambda);
  double violation = th_quadratic_violation(q, lambda).sum;
  if (!(c->aim > 0))
    c->aim = violation;
  c->aim = fmax(c->aim, least_aim * violation);
  int made = th_quadratic_cycles(q, lambda, c->aim,
                                 solved ? MOST_BEHIND : MOST_CYCLES, &c->turn);
  if (made == 1 || solved)
    c->aim *= cycles_falls;
  c->visited += (double)q->visited;
}

/* --- The quadratic model around a point, and its minimum ------------------ */

enum {
  ROUNDS_SQUARED = 10000, /* if the model is the problem itself */
  ROUNDS_KEPT = 300,      /* the same for columns in memory */
  ROUNDS_NEWTON = 20,
  ROUNDS_CHORD = 200, /* of a model by products */
  PATIENCE = 3        /* rounds before a factor of new curvatures pays */
};

/* The loss is squared, and its model the problem itself. */
static bool is_squared(const struct th_inner_solver *d)
{
  return d->problem->loss->quadratic;
}

/* Models of another loss are solved by products. */
static bool is_chord(const struct th_inner_solver *d)
{
  return d->by_products && !is_squared(d);
}

/* Are models minimised here? Steps by products are looked at on the way, by all
 * ranks: each has the model. */
static bool minimises(const struct th_inner_solver *d)
{
  return d->node.rank == 0 || (d->tall && !is_squared(d));
}

/* What the first rank of each node has. Collective. */
static void give_to_node(struct th_inner_solver *d, void *data, size_t bytes)
{
  struct th_comm *comm = d->problem->context->comm;
  struct th_comm before = d->node;
  if (d->node.size == 1)
    return;
  d->node.ops->bcast(&d->node, data, bytes, 0);
  th_comm_charge(comm, &d->node, &before);
}

/* Start a model whose state is the slopes of the gathered columns. Local,
 * replicated. */
static void start_slopes(struct th_inner_solver *d,
                         const struct th_working_set *working)
{
  struct th_quadratic *q = &d->quadratic;
  q->covariance = &d->covariance;
  for (int64_t k = 0; k < working->members; k++)
    q->state[working->slot[k]] = working->slope[k];
  if (is_chord(d))
    q->constant = chord_constant(&d->chord, d->problem, d->weighted);
  for (int64_t i = 0; is_squared(d) && i < d->problem->rows; i++)
    q->constant += 0.5 * d->weighted[i] * d->theta[i];
  q->constant += th_working_set_ridge(working, q->ridge, working->coef);
}

/* Start a model whose state is the residuals of the examples. Local,
 * replicated. */
static void start_residuals(struct th_inner_solver *d)
{
  const struct th_problem *p = d->problem;
  d->quadratic.h = d->h;
  th_loss_d2f_all(p->loss, p->rows, d->prediction, p->target, d->h);
  double least = least_curvature * largest_curvature(p, d->h);
  th_inner_solver_screen_raise(d);
  for (int64_t i = 0; i < p->rows; i++)
    d->h[i] = p->eta[i] * fmax(d->h[i], least);
  memcpy(d->quadratic.state, d->weighted,
         (size_t)p->rows * sizeof *d->quadratic.state);
}

/* Make the model around the present coefficients. Collective where products are
 * formed. */
static th_status inner_solver_model(struct th_inner_solver *d,
                                    const struct th_working_set *working,
                                    double tolerance, struct th_error *err)
{
  struct th_quadratic *q = &d->quadratic;
  int64_t states = d->by_products ? d->columns.count : d->problem->rows;
  bool anew = !is_squared(d); /* curvatures are new */
  bool fits = false;
  th_status rc;
  if (is_chord(d)) {
    anew = chord_renew(&d->chord, d->problem, d->prediction, d->gap / tolerance,
                       &d->covariance);
    TH_TRY(chord_grow(&d->chord, d->problem, &d->columns, &d->covariance, err));
  }
  TH_TRY(
      th_quadratic_reserve(q, states, working->members, working->units, err));
  q->working = working;
  q->columns = &d->columns;
  q->ridge = d->problem->ridge;
  q->intercept = d->problem->intercept;
  if (!d->by_products)
    start_residuals(d);
  else
    start_slopes(d, working);
  q->lazy = d->cycles.used;
  TH_TRY(th_quadratic_begin(q, err));
  if ((anew && !d->cycles.used) ||
      (is_chord(d) && d->whole)) /* where chords learn */
    th_active_set_reset(&d->active_set);
  TH_TRY(th_active_set_begin(&d->active_set, q, &fits, err));
  q->active_set = fits ? &d->active_set : NULL;
  q->patience = is_squared(d) || is_chord(d) ? 0 : PATIENCE;
  q->frugal = d->problem->kept != NULL;
  if (d->cycles.used)
    TH_TRY(cycles_model(d, tolerance, err));
  else if (fits)
    TH_TRY(th_active_set_room(&d->active_set, q, err));
done:
  return rc;
}

/* Minimise a model, with a tolerance and a number of rounds that suit it. False
 * where that has made it worse: a polish of attributes that depend on each
 * other. */
static bool inner_solver_minimise(struct th_inner_solver *d, double lambda,
                                  double tolerance)
{
  if (d->cycles.used) {
    cycles_minimise(d, lambda);
    return true;
  }
  bool squared = is_squared(d);
  double wanted = squared ? 0.5 * tolerance : 0.1 * d->gap;
  int rounds = squared ? ROUNDS_SQUARED : ROUNDS_NEWTON;
  if (squared && d->problem->kept != NULL)
    rounds = ROUNDS_KEPT;
  if (d->problem->kept != NULL)
    wanted = fmax(wanted, 0.3 * tolerance);
  if (is_chord(d)) {
    wanted = fmax(0.01 * d->gap, 0.1 * tolerance);
    rounds = ROUNDS_CHORD;
  }
  wanted = th_inner_solver_screen_aim(d, lambda, wanted);
  bool polishes = d->gap <= tolerance; /* solve for its support, once */
  if (polishes) {
    wanted = 0;
    rounds = d->quadratic.patience + 1;
  }
  double gap = th_active_set_solve(&d->quadratic, lambda,
                                   fmin(wanted, 0.5 * d->gap), rounds);
  th_inner_solver_screen_expect(d, lambda);
  return !polishes || gap <= d->gap;
}

/* --- The solution, model after model -------------------------------------- */

/* The coefficients after a part of the model's step from its start. */
static void set_part_of_step(struct th_working_set *working,
                             const struct th_quadratic *q, double part)
{
  for (int64_t k = 0; k < working->members; k++)
    working->coef[k] =
        part == 1 ? q->coef[k] : q->from[k] + part * (q->coef[k] - q->from[k]);
}

/* The slope of the objective at the best intercept along the step; that of the
 * model's intercept. */
static double begin_of(const struct th_inner_solver *d,
                       const struct th_working_set *working, double lambda,
                       double *intercept)
{
  const struct th_quadratic *q = &d->quadratic;
  double slope = lambda * (th_working_set_omega(working, q->coef) -
                           th_working_set_omega(working, q->from));
  *intercept = 0;
  for (int64_t k = 0; k < working->members; k++) {
    double step = q->coef[k] - q->from[k];
    slope += working->slope[k] * step;
    *intercept -= d->covariance.mean[working->slot[k]] * step;
  }
  return slope;
}

/* Update the products by the slopes, if every slot is a member. */
static void learn_products(struct th_inner_solver *d,
                           const struct th_working_set *working, double part)
{
  struct th_quadratic *q = &d->quadratic;
  double *step = q->kept[0];
  double *change = q->kept[1];
  double *expected = q->work;
  if (!d->whole || working->members != d->covariance.count)
    return;
  for (int64_t k = 0; k < working->members; k++) {
    int64_t slot = working->slot[k];
    step[slot] = working->coef[k] - q->from[k];
    double by_ridge = q->ridge * working->q[k] * step[slot];
    change[slot] = working->slope[k] - q->start[slot] - by_ridge;
    expected[slot] = part * (q->state[slot] - q->start[slot]) - by_ridge;
  }
  th_covariance_learn(&d->covariance, step, change, expected);
}

/* Make the step of a model by products, halved until it is good, and look where
 * it ends; where it began, if no part of it was good. *moved: the objective
 * fell. Collective. */
static th_status inner_solver_chord(struct th_inner_solver *d,
                                    struct th_working_set *working,
                                    double lambda, bool *moved,
                                    struct th_error *err)
{
  double along = 0;
  double slope = begin_of(d, working, lambda, &along);
  double primal = d->primal;
  double gap = d->gap;
  double intercept = d->intercept;
  double rounding = 16 * DBL_EPSILON * fabs(primal);
  double part = 1;
  bool falls = false;
  th_status rc;
  for (int k = 0; k < TH_INNER_HALVINGS && !falls; k++, part /= 2) {
    set_part_of_step(working, &d->quadratic, part);
    d->intercept = intercept + part * along;
    TH_TRY(th_inner_solver_screen_predict(d, working, lambda, err));
    falls = d->primal <= primal + 1e-4 * part * slope + rounding;
  }
  if (!falls) {
    set_part_of_step(working, &d->quadratic, 0);
    TH_TRY(th_inner_solver_screen_predict(d, working, lambda, err));
  }
  TH_TRY(th_inner_solver_screen_slopes(d, working, lambda, err));
  if (falls)
    learn_products(d, working, 2 * part);
  bool gains = d->gap < gap || d->primal < primal - rounding;
  *moved = (falls && gains) || !d->chord.fresh;
  chord_note(&d->chord, d->gap / gap, d->first, falls && part == 0.5);
done:
  return rc;
}

enum {
  MOST_MODELS = 200,
  SPARE_COLUMNS = 1024,
  EXAMPLES_PER_MEMBER = 2, /* with more examples, products are worth forming */
  MOST_PRODUCTS = 4096,    /* for columns in memory, of which none is dropped */
  MOST_CHORD = 1024, /* members whose products are formed more than once */
  MOST_WHOLE = 256,
  FEW_EXAMPLES = 512
};

/* Are models solved by cycles? Logistic loss, sparse attributes, l1. A
 * loss with flat parts leads cycles astray: no example holds them back there.
 */
static bool by_cycles(const struct th_problem *p)
{
  return p->kept == NULL && p->loss->predicts == TH_PREDICTS_ODDS &&
         !p->dense && p->grouping.start == NULL && !p->grouping.bounded;
}

th_status th_inner_solver_init(struct th_inner_solver *d,
                               struct th_problem *problem, struct th_error *err)
{
  int64_t n = problem->rows;
  th_status rc;
  *d = (struct th_inner_solver){.problem = problem};
  th_problem_columns_init(problem, &d->columns);
  TH_TRY(TH_NEW(&d->prediction, n, "predictions", err));
  TH_TRY(TH_NEW(&d->theta, n, "dual variables", err));
  TH_TRY(TH_NEW(&d->weighted, n, "dual variables", err));
  TH_TRY(TH_NEW(&d->root_eta, n, "weights", err));
  TH_TRY(TH_NEW(&d->h, n, "second derivatives", err));
  TH_TRY(TH_NEW(&d->trial, n, "predictions", err));
  for (int64_t i = 0; i < n; i++)
    d->root_eta[i] = sqrt(problem->eta[i]);
  d->tall =
      problem->kept != NULL && th_inner_solver_is_tall(n, problem->kept->count);
  d->whole = d->tall && problem->kept->count <= MOST_WHOLE;
  bool plain = problem->exempt.count == 0;
  d->squared = plain && problem->kept != NULL && problem->loss->quadratic;
  d->cycles.suit = by_cycles(problem);
  d->logistic = plain && (problem->kept != NULL || d->cycles.suit) &&
                problem->loss->predicts == TH_PREDICTS_ODDS;
  if (d->tall)
    TH_TRY(chord_init(&d->chord, problem, err));
done:
  return rc;
}

void th_inner_solver_free(struct th_inner_solver *d)
{
  th_comm_free(&d->node);
  th_replicated_columns_free(&d->columns);
  th_covariance_free(&d->covariance);
  th_quadratic_free(&d->quadratic);
  th_active_set_free(&d->active_set);
  chord_free(&d->chord);
  TH_FREE(d->prediction, d->theta, d->weighted, d->root_eta, d->h, d->trial,
          d->work);
  *d = (struct th_inner_solver){0};
}

/* Decided by sizes alone, never by ranks or memory. */
static bool use_products(const struct th_inner_solver *d, int64_t members)
{
  const struct th_problem_kept *kept = d->problem->kept;
  if (kept != NULL && kept->count > MOST_PRODUCTS)
    return false;
  if (d->tall && is_squared(d))
    return true;
  if (d->tall)
    return members <= MOST_CHORD;
  return is_squared(d) && d->problem->dense &&
         d->problem->rows >= FEW_EXAMPLES &&
         d->problem->rows >= EXAMPLES_PER_MEMBER * members;
}

/* Drop columns outside of the working set if there are too many. Collective. */
static th_status drop_unused(struct th_inner_solver *d,
                             const struct th_working_set *working,
                             struct th_error *err)
{
  bool *keep = NULL;
  th_status rc;
  if (d->problem->kept != NULL ||
      d->columns.count <= 2 * working->members + SPARE_COLUMNS)
    return TH_OK;
  rc = TH_NEW(&keep, d->columns.count, "the values of the working set", err);
  TH_TRY(th_agree(d->problem->context->comm, rc, err));
  for (int64_t k = 0; k < working->members; k++) {
    int64_t slot =
        th_replicated_columns_slot(&d->columns, working->attribute[k]);
    if (slot >= 0)
      keep[slot] = true;
  }
  th_covariance_keep(&d->covariance, keep);
  th_active_set_reset(&d->active_set);
  rc = th_replicated_columns_keep(&d->columns, keep, err);
done:
  free(keep);
  return rc;
}

/* List the members whose columns are not held, ascending. */
static int64_t list_missing_columns(const struct th_inner_solver *d,
                                    const struct th_working_set *working,
                                    int64_t *missing)
{
  int64_t count = 0;
  for (int64_t k = 0; k < working->members; k++)
    if (th_replicated_columns_slot(&d->columns, working->attribute[k]) < 0)
      missing[count++] = working->attribute[k];
  qsort(missing, (size_t)count, sizeof *missing, th_integer_ascending);
  return count;
}

/* Collective. */
static th_status drop_and_list(struct th_inner_solver *d,
                               const struct th_working_set *working,
                               int64_t **missing, int64_t *count,
                               struct th_error *err)
{
  th_status rc;
  TH_TRY(drop_unused(d, working, err));
  rc = TH_NEW(missing, working->members, "the working set", err);
  if (rc == TH_OK)
    rc = TH_GROW(&d->work, &d->room, 2 * working->members + 2,
                 "the working set", err);
  TH_TRY(th_agree(d->problem->context->comm, rc, err));
  *count = list_missing_columns(d, working, *missing);
done:
  return rc;
}

/* Products of a squared loss. Collective. */
static th_status grow_products(struct th_inner_solver *d, struct th_error *err)
{
  struct th_problem *p = d->problem;
  if (p->dense)
    return th_covariance_grow(&d->covariance, &d->columns, p->context->comm,
                              p->eta, d->root_eta, p->intercept, err);
  struct th_covariance_weights weights = {
      .h = p->eta, .sum = 1, .centred = p->intercept};
  return th_covariance_grow_rows(&d->covariance, &d->columns, &d->chord.rowwise,
                                 p->kept->count, &weights, p->context->comm,
                                 err);
}

/* Fetch columns, and form their products if those are in use. Collective. */
static th_status fetch_new(struct th_inner_solver *d, const int64_t *missing,
                           int64_t count, struct th_error *err)
{
  struct th_problem *p = d->problem;
  struct th_profile *profile = p->context->profile;
  th_status rc = TH_OK;
  if (count > 0) {
    th_comm_profile_begin(profile);
    rc = p->kept != NULL
             ? th_agree(p->context->comm,
                        th_replicated_columns_borrow(
                            &d->columns, p->kept->column, missing, count, err),
                        err)
             : th_replicated_columns_fetch(&d->columns, p->context, missing,
                                           count, err);
    th_comm_profile_end(profile, TH_PHASE_SUPPORT);
  }
  if (rc == TH_OK && d->by_products && is_squared(d)) {
    th_comm_profile_begin(profile);
    rc = grow_products(d, err);
    th_comm_profile_end(profile, TH_PHASE_GRAM);
  }
  return rc;
}

/* Collective. */
static void join_node(struct th_inner_solver *d)
{
  struct th_comm *comm = d->problem->context->comm;
  if (d->node.ops == NULL)
    comm->ops->split_node(comm, &d->node);
}

th_status th_inner_solver_gather(struct th_inner_solver *d,
                                 struct th_working_set *working,
                                 struct th_error *err)
{
  int64_t *missing = NULL;
  int64_t count = 0;
  th_status rc;
  join_node(d);
  TH_TRY(drop_and_list(d, working, &missing, &count, err));
  d->by_products = use_products(d, working->members);
  TH_TRY(fetch_new(d, missing, count, err));
  for (int64_t k = 0; k < working->members; k++)
    working->slot[k] =
        th_replicated_columns_slot(&d->columns, working->attribute[k]);
done:
  free(missing);
  return rc;
}

/* Fetch columns in the order of their attributes. Their slots may differ from
 * those of the run that wrote the image. Collective. */
static void fetch_known(struct th_inner_solver *d, const int64_t *known,
                        int64_t count, struct th_state *state)
{
  int64_t *sorted = NULL;
  if (th_state_good(state))
    th_state_note(state, TH_NEW(&sorted, count, "the values of the working set",
                                state->err));
  bool good = th_state_agree(state, d->problem->context->comm);
  if (good && sorted != NULL && known != NULL) {
    memcpy(sorted, known, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, th_integer_ascending);
    th_state_note(state, fetch_new(d, sorted, count, state->err));
  }
  free(sorted);
}

/* Collective. */
static void describe_factor(struct th_inner_solver *d, const int64_t *known,
                            int64_t count, struct th_state *state)
{
  struct th_active_set *f = &d->active_set;
  join_node(d);
  bool keeps = minimises(d);
  int64_t sizes[2] = {f->factor.room, f->factor.size};
  give_to_node(d, sizes, sizeof sizes);
  if (!keeps) {
    f->factor.room = sizes[0];
    f->factor.size = sizes[1];
  }
  th_active_set_describe(f, &d->columns, known, count, keeps, state);
  if (!keeps)
    f->factor.room = f->factor.size = 0;
}

void th_inner_solver_describe(struct th_inner_solver *d, struct th_state *state)
{
  int64_t *known = NULL; /* of an image: attributes of its slots */
  int64_t count = 0;
  th_state_enter(state, "inner");
  TH_STATE_ONE(state, d, intercept);
  TH_STATE_ONE(state, &d->columns, count);
  if (th_state_puts(state)) {
    count = d->columns.count;
    d->columns.count = 0;
    if (th_state_next_has(state, count))
      th_state_note(state, TH_NEW(&known, count,
                                  "the values of the working set", state->err));
    th_state_attributes(state, "columns", known, count);
    fetch_known(d, known, count, state);
  } else {
    th_state_all(state, "columns", TH_STATE_I64, d->columns.attribute,
                 d->columns.count);
  }
  describe_factor(d, known, count, state);
  th_state_leave(state);
  free(known);
}

/* Make the next model, unless the run is to end. */
static th_status next_model(struct th_inner_solver *d,
                            const struct th_working_set *working,
                            double tolerance, struct th_error *err)
{
  th_status rc = th_source_leave(d->problem->context->source, err);
  if (rc == TH_OK && minimises(d))
    rc = inner_solver_model(d, working, tolerance, err);
  return rc;
}

/* Move to the model's minimum, or as far as the objective falls. False: it does
 * not. Local. */
static bool step_here(struct th_inner_solver *d, struct th_working_set *working,
                      double lambda, double tolerance)
{
  if (!inner_solver_minimise(d, lambda, tolerance))
    return false;
  if (!is_squared(d)) /* a cautious model may be tried again */
    return th_inner_solver_screen_search(d, working, lambda) ||
           th_inner_solver_screen_grow(d);
  memcpy(working->coef, d->quadratic.coef,
         (size_t)working->members * sizeof *working->coef);
  return true;
}

/* Step on all ranks of a node. Collective. */
static bool step_of_node(struct th_inner_solver *d,
                         struct th_working_set *working, double lambda,
                         double tolerance)
{
  size_t members = (size_t)working->members;
  double *given = d->work; /* coefficients; moved */
  if (minimises(d)) {
    given[members] = step_here(d, working, lambda, tolerance);
    memcpy(given, working->coef, members * sizeof *given);
  }
  give_to_node(d, given, (members + 1) * sizeof *given);
  memcpy(working->coef, given, members * sizeof *given);
  return given[members] > 0;
}

/* Minimise the model, move, and look there. *moved: the objective fell.
 * Collective. */
static th_status follow_model(struct th_inner_solver *d,
                              struct th_working_set *working, double lambda,
                              double tolerance, bool *moved,
                              struct th_error *err)
{
  bool by_chord = is_chord(d);
  *moved = by_chord ? inner_solver_minimise(d, lambda, tolerance)
                    : step_of_node(d, working, lambda, tolerance);
  if (!*moved)
    return TH_OK;
  return by_chord ? inner_solver_chord(d, working, lambda, moved, err)
                  : th_inner_solver_screen_at(d, working, lambda, err);
}

th_status th_inner_solver_solve(struct th_inner_solver *d,
                                struct th_working_set *working, double lambda,
                                double tolerance, struct th_error *err)
{
  double before = INFINITY;
  bool moved = true;
  int most = d->cycles.used ? d->cycles.models : MOST_MODELS;
  th_status rc = TH_OK;
  for (int k = 0; k < most && rc == TH_OK && moved; k++) {
    bool enough = d->gap <= tolerance && !(d->polishes && k == 0);
    if (enough || !isfinite(d->gap))
      break;
    if (is_squared(d) && !(d->gap < 0.5 * before))
      break; /* the model is exact, so this is the limit of doubles */
    before = d->gap;
    d->first = k == 0;
    th_context_going(d->problem->context, d->done,
                     "lambda %.4g  gap %.2g  %" PRId64 " attributes in work",
                     lambda, d->gap, working->members);
    TH_TRY(th_agree(d->problem->context->comm,
                    next_model(d, working, tolerance, err), err));
    rc = follow_model(d, working, lambda, tolerance, &moved, err);
  }
done:
  return rc;
}
