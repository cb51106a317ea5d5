/* inner_solver_cycles.c - models of the logistic loss on sparse attributes
 *
 * Far from the solution, a model is worth few cycles of descent, and so it is
 * left as soon as its violations have fallen below an aim. The aim falls
 * whenever one cycle has reached it (newGLMNET: Yuan, Ho & Lin 2012). Near the
 * solution, cycles gain little where attributes depend on each other. Once they
 * have cost more than a factor of the support would, the model is solved for on
 * its support. The factor serves the next models too, as long as these gain
 * much.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "solvers/exact/active_set_parts.h"
#include "solvers/exact/inner_solver_parts.h"
#include "solvers/exact/quadratic_cycles.h"

#include <math.h>

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
static const double falls = 0.25;

/* The aim is no smaller a share of the violations at the start. */
static const double least_aim = 0.1;

/* A factor is formed anew if the last one has left more of the gap. */
static const double gains = 0.25;

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

/* Whether the factor belongs to quite another support. */
static bool has_changed(const struct th_inner_solver *d)
{
  return th_active_set_changes(&d->active_set, &d->quadratic) >
         SAME + d->active_set.factor.size / ONE_IN;
}

/* Whether a factor is to be formed for the present model. */
static bool wants_factor(const struct th_inner_solver *d, double tolerance)
{
  const struct th_inner_cycles *c = &d->cycles;
  bool polishes = d->polishes && d->gap <= tolerance;
  int64_t support = th_working_set_support(d->quadratic.working);
  if (support == 0 || support >= TH_ACTIVE_SET_MOST)
    return false;
  if (has_factor(d) && c->forms <= FREE_FORMS)
    return !(d->gap <= gains * c->gap);
  return polishes ||
         c->visited >= worth * th_active_set_form_cost(&d->quadratic);
}

th_status th_inner_cycles_model(struct th_inner_solver *d, double tolerance,
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

void th_inner_cycles_minimise(struct th_inner_solver *d, double lambda)
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
    c->aim *= falls;
  c->visited += (double)q->visited;
}
