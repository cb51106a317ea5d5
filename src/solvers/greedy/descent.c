/* descent.c - averaged projected stochastic gradient descent on S
 *
 * Saad, Blanchard & Arlot 2024, Algorithm 7, with t from 1 on, so that the
 * average is one of weights that add up to 1. The risk is (y - x'beta)^2 with
 * Hessian 2 Sigma, so it is strongly convex with 2 rho, and steps are
 * 1/(rho (t + 1)). |y| <= span makes the radius 2 span/sqrt(rho), and G grows
 * with span.
 * SPDX-License-Identifier: MIT */
#include "solvers/greedy/descent.h"

#include "base/elementary.h"
#include "base/memory.h"

#include <math.h>

double th_descent_steps(int64_t members, const struct th_oomp_law *law,
                        double factor, double delta, double xi)
{
  double k = (double)members;
  double m = law->reach;
  double g = law->span * (8 * k * m * m / sqrt(law->least) + 4 * sqrt(k) * m);
  return factor * g * g * -th_log(delta) / (law->least * xi);
}

th_status th_descent_begin(struct th_descent *descent, int64_t members,
                           struct th_error *err)
{
  int64_t old = descent->capacity;
  th_status rc;
  TH_TRY(TH_WIDEN(&descent->mean, old, members, "the descent", err));
  TH_TRY(
      TH_GROW(&descent->coef, &descent->capacity, members, "the descent", err));
  for (int64_t k = 0; k < members; k++)
    descent->coef[k] = descent->mean[k] = 0;
  descent->size = members;
  descent->steps = 0;
done:
  return rc;
}

/* Back into the ball. */
static void project_to_ball(double *coef, int64_t members, double radius)
{
  double square = 0;
  for (int64_t k = 0; k < members; k++)
    square += coef[k] * coef[k];
  if (square > radius * radius)
    for (int64_t k = 0; k < members; k++)
      coef[k] *= radius / sqrt(square);
}

/* Row i of columns x, which has so many rows. */
static void step(struct th_descent *descent, const struct th_batch *batch,
                 int64_t members, const double *x, int64_t i,
                 const struct th_oomp_law *law)
{
  double t = (double)++descent->steps;
  double residual = -batch->target[i];
  for (int64_t k = 0; k < members; k++)
    residual += x[k * batch->rows + i] * descent->coef[k];
  double length = 2 * residual / (law->least * (t + 1));
  for (int64_t k = 0; k < members; k++)
    descent->coef[k] -= length * x[k * batch->rows + i];
  project_to_ball(descent->coef, members, 2 * law->span / sqrt(law->least));
  for (int64_t k = 0; k < members; k++)
    descent->mean[k] += 2 / (t + 1) * (descent->coef[k] - descent->mean[k]);
}

th_status th_descent_add(struct th_descent *descent, struct th_context *context,
                         const struct th_batch *batch,
                         const struct th_support *support,
                         const struct th_oomp_law *law, struct th_error *err)
{
  struct th_comm *comm = context->comm;
  int64_t bytes =
      th_range_count(batch->mine) * batch->rows * (int64_t)sizeof(double);
  int64_t *counts = NULL;
  void *all = NULL;
  th_status rc = TH_NEW(&counts, comm->size, "the descent", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_gather(comm, batch->columns, bytes, counts, &all, err));
  for (int64_t i = 0; i < batch->rows; i++)
    step(descent, batch, support->size, all, i, law);
done:
  TH_FREE(counts, all);
  return rc;
}

void th_descent_describe(struct th_descent *descent, struct th_state *state)
{
  th_state_enter(state, "descent");
  TH_STATE_ONE(state, descent, steps);
  int64_t steps = descent->steps;
  TH_STATE_ONE(state, descent, size);
  if (th_state_next_has(state, descent->size) && th_state_puts(state))
    th_state_note(state, th_descent_begin(descent, descent->size, state->err));
  descent->steps = steps;
  TH_STATE_ARRAY(state, descent, coef, descent->size);
  TH_STATE_ARRAY(state, descent, mean, descent->size);
  th_state_leave(state);
}

void th_descent_free(struct th_descent *descent)
{
  TH_FREE(descent->coef, descent->mean);
  *descent = (struct th_descent){0};
}
