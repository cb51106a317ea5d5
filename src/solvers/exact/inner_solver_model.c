/* inner_solver_model.c - the quadratic model around a point, and its minimum
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/inner_solver.h"
#include "solvers/exact/inner_solver_parts.h"

#include <math.h>
#include <string.h>

enum {
  ROUNDS_SQUARED = 10000, /* if the model is the problem itself */
  ROUNDS_KEPT = 300,      /* the same for columns in memory */
  ROUNDS_NEWTON = 20,
  ROUNDS_CHORD = 200, /* of a model by products */
  PATIENCE = 3        /* rounds before a factor of new curvatures pays */
};

/* A model's curvatures are at least this share of the largest. With small
 * penalties on separable data, nearly all examples have far less than the
 * largest. A larger share would make Newton steps short, and they would end far
 * from the solution. */
static const double least_curvature = 1e-10;

bool th_inner_solver_is_squared(const struct th_inner_solver *d)
{
  return d->problem->loss->quadratic;
}

bool th_inner_solver_is_chord(const struct th_inner_solver *d)
{
  return d->by_products && !th_inner_solver_is_squared(d);
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
  if (th_inner_solver_is_chord(d))
    q->constant = th_chord_constant(&d->chord, d->problem, d->weighted);
  for (int64_t i = 0; th_inner_solver_is_squared(d) && i < d->problem->rows;
       i++)
    q->constant += 0.5 * d->weighted[i] * d->theta[i];
  q->constant += th_working_set_ridge(working, q->ridge, working->coef);
}

/* Start a model whose state is the residuals of the examples. Local,
 * replicated. */
static void start_residuals(struct th_inner_solver *d)
{
  const struct th_problem *p = d->problem;
  double least = least_curvature * th_loss_L(p->loss);
  d->quadratic.h = d->h;
  th_loss_d2f_all(p->loss, p->rows, d->prediction, p->target, d->h);
  for (int64_t i = 0; i < p->rows; i++)
    d->h[i] = p->eta[i] * fmax(d->h[i], least);
  memcpy(d->quadratic.state, d->weighted,
         (size_t)p->rows * sizeof *d->quadratic.state);
}

th_status th_inner_solver_model(struct th_inner_solver *d,
                                const struct th_working_set *working,
                                double tolerance, struct th_error *err)
{
  struct th_quadratic *q = &d->quadratic;
  int64_t states = d->by_products ? d->columns.count : d->problem->rows;
  bool anew = !th_inner_solver_is_squared(d); /* curvatures are new */
  bool fits = false;
  th_status rc;
  if (th_inner_solver_is_chord(d)) {
    anew = th_chord_renew(&d->chord, d->problem, d->prediction,
                          d->gap / tolerance, &d->covariance);
    TH_TRY(
        th_chord_grow(&d->chord, d->problem, &d->columns, &d->covariance, err));
  }
  TH_TRY(
      th_quadratic_reserve(q, states, working->members, working->units, err));
  q->working = working;
  q->columns = &d->columns;
  q->ridge = d->problem->ridge;
  q->intercept = d->problem->intercept;
  if (d->by_products)
    start_slopes(d, working);
  else
    start_residuals(d);
  q->lazy = d->cycles.used;
  TH_TRY(th_quadratic_begin(q, err));
  if ((anew && !d->cycles.used) ||
      (th_inner_solver_is_chord(d) && d->whole)) /* where chords learn */
    th_active_set_reset(&d->active_set);
  TH_TRY(th_active_set_begin(&d->active_set, q, &fits, err));
  q->active_set = fits ? &d->active_set : NULL;
  q->patience = th_inner_solver_is_squared(d) || th_inner_solver_is_chord(d)
                    ? 0
                    : PATIENCE;
  q->frugal = d->problem->kept != NULL;
  if (d->cycles.used)
    TH_TRY(th_inner_cycles_model(d, tolerance, err));
  else if (fits)
    TH_TRY(th_active_set_room(&d->active_set, q, err));
done:
  return rc;
}

bool th_inner_solver_minimise(struct th_inner_solver *d, double lambda,
                              double tolerance)
{
  if (d->cycles.used) {
    th_inner_cycles_minimise(d, lambda);
    return true;
  }
  bool squared = th_inner_solver_is_squared(d);
  double wanted = squared ? 0.5 * tolerance : 0.1 * d->gap;
  int rounds = squared ? ROUNDS_SQUARED : ROUNDS_NEWTON;
  if (squared && d->problem->kept != NULL)
    rounds = ROUNDS_KEPT;
  if (d->problem->kept != NULL)
    wanted = fmax(wanted, 0.3 * tolerance);
  if (th_inner_solver_is_chord(d)) {
    wanted = fmax(0.01 * d->gap, 0.1 * tolerance);
    rounds = ROUNDS_CHORD;
  }
  bool polishes = d->gap <= tolerance; /* solve for its support, once */
  if (polishes) {
    wanted = 0;
    rounds = d->quadratic.patience + 1;
  }
  double gap = th_quadratic_solve(&d->quadratic, lambda,
                                  fmin(wanted, 0.5 * d->gap), rounds);
  return !polishes || gap <= d->gap;
}
