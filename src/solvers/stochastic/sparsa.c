/* sparsa.c - the exact solution on the active attributes
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/sparsa.h"

#include "math/gap.h"
#include "solvers/stochastic/screening.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SCREEN_EVERY = 8 }; /* passes between two screenings */

static const double decrease = 1e-4; /* of what a step promises */
static const double longest = 1e6;   /* steps, times the shortest */

static double *old_coef(struct th_stochastic *s, const struct th_sparsa *p)
{
  return th_stochastic_screening_field(s, p->fields[0]);
}

static double *old_dual(struct th_stochastic *s, const struct th_sparsa *p)
{
  return th_stochastic_screening_field(s, p->fields[1]);
}

static double worst_recent(const struct th_sparsa *p)
{
  double worst = p->recent[0];
  for (int k = 1; k < TH_SPARSA_MEMORY; k++)
    worst = fmax(worst, p->recent[k]);
  return worst;
}

/* What a step changed: sum (b - old b)^2, and the product with the change of
 * the gradient, which is -lambda Z. Collective. */
static th_status differences(struct th_stochastic *s, const struct th_sparsa *p,
                             double *squares, double *bend,
                             struct th_error *err)
{
  const double *z = s->active.field[TH_FIELD_DUAL];
  const double *b = th_stochastic_coef(s);
  double *work = s->places.group_second;
  th_status rc;
  for (int64_t k = 0; k < s->active.count; k++)
    work[k] = (b[k] - old_coef(s, p)[k]) * (b[k] - old_coef(s, p)[k]);
  TH_TRY(th_stochastic_total(s, work, squares, err));
  for (int64_t k = 0; k < s->active.count; k++)
    work[k] =
        -s->lambda * (b[k] - old_coef(s, p)[k]) * (z[k] - old_dual(s, p)[k]);
  TH_TRY(th_stochastic_total(s, work, bend, err));
done:
  return rc;
}

/* b = prox of step lambda Omega at old b - step gradient, and a pass there.
 * Collective. */
static th_status try_step(struct th_stochastic *s, struct th_sparsa *p,
                          struct th_error *err)
{
  double *b = th_stochastic_coef(s);
  for (int64_t k = 0; k < s->active.count; k++)
    b[k] = old_coef(s, p)[k] + p->step * s->lambda * old_dual(s, p)[k];
  th_stochastic_prox(s, p->step, b);
  p->passes++;
  return th_stochastic_pass(s, err);
}

/* Make one step that is accepted, and choose the length of the next.
 * Collective. */
static th_status advance(struct th_stochastic *s, struct th_sparsa *p,
                         struct th_error *err)
{
  size_t bytes = (size_t)s->active.count * sizeof(double);
  double worst = worst_recent(p);
  double squares = 0;
  double bend = 0;
  bool accepted = false;
  th_status rc;
  memcpy(old_coef(s, p), th_stochastic_coef(s), bytes);
  memcpy(old_dual(s, p), s->active.field[TH_FIELD_DUAL], bytes);
  while (!accepted) {
    TH_TRY(try_step(s, p, err));
    TH_TRY(differences(s, p, &squares, &bend, err));
    double promised = decrease * squares / (2 * p->step);
    accepted = s->full.pass.objective <=
                   worst - promised + 4 * DBL_EPSILON * fabs(worst) ||
               p->step <= p->shortest;
    if (!accepted)
      p->step = fmax(p->step / 2, p->shortest);
  }
  p->recent[p->passes % TH_SPARSA_MEMORY] = s->full.pass.objective;
  double most = longest * p->shortest;
  p->step = bend > 0 ? fmin(fmax(squares / bend, p->shortest), most) : most;
done:
  return rc;
}

static void forget(struct th_sparsa *p, double objective)
{
  for (int k = 0; k < TH_SPARSA_MEMORY; k++)
    p->recent[k] = objective;
}

/* Attributes that are 0 in the solution leave. This changes objective and dual
 * point. Collective. */
static th_status screen(struct th_stochastic *s, struct th_sparsa *p,
                        struct th_error *err)
{
  th_status rc;
  int64_t before = s->active.total;
  TH_TRY(th_screening_gap_safe(s, err));
  if (s->active.total == before)
    return TH_OK;
  TH_TRY(th_stochastic_pass(s, err));
  forget(p, s->full.pass.objective);
done:
  return rc;
}

/* Whether the smallest gap has halved within each stretch of passes so far. */
struct stretch {
  double smallest; /* gap so far */
  double goal;     /* of this stretch */
  int64_t end;     /* of this stretch, in passes */
};

static bool stagnates(struct stretch *stretch, const struct th_sparsa *p,
                      double gap)
{
  stretch->smallest = fmin(stretch->smallest, gap);
  if (p->patience == 0 || p->passes < stretch->end)
    return false;
  if (stretch->smallest > stretch->goal)
    return true;
  stretch->goal = stretch->smallest / 2;
  stretch->end = p->passes + p->patience;
  return false;
}

th_status th_sparsa(struct th_stochastic *s, struct th_sparsa *p, double gap,
                    int64_t most, struct th_error *err)
{
  struct stretch stretch = {INFINITY, INFINITY, 0};
  double squares = 0;
  th_status rc;
  TH_TRY(
      th_stochastic_total(s, s->active.field[TH_FIELD_SECOND], &squares, err));
  p->shortest = squares > 0 ? 1 / (s->control.smoothness * squares) : 1;
  p->step = fmax(p->step, p->shortest);
  p->passes = 0;
  TH_TRY(th_stochastic_pass(s, err));
  forget(p, s->full.pass.objective);
  for (int64_t k = 0; s->full.pass.gap > gap && p->passes < most &&
                      !stagnates(&stretch, p, s->full.pass.gap);
       k++) {
    if (k % SCREEN_EVERY == 0)
      TH_TRY(screen(s, p, err));
    TH_TRY(advance(s, p, err));
  }
done:
  return rc;
}
