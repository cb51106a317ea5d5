/* screen_gap_safe.c - gap-safe screening of finite sums
 *
 * Liang & Poon 2022, Algorithm 1, lines 10 to 13, corrected: the radius is
 * r_g = sqrt(2 L G N_g) / lambda with N_g = sum eta_i Omega_g^D(x_ig)^2. The
 * product of the printed (2.4) and (2.5) is sqrt(n) too small and removes true
 * attributes; (2.5) lacks -1/lambda. Attributes leave the index set for good:
 * setting them to 0 once, as line 13 prints, would not last.
 *
 * The sphere holds the solution for any primal value and any dual point, and
 * its radius is the root of their gap. Iterates with noise, or with steps as
 * short as the longest example demands, keep that gap wide for thousands of
 * epochs (leukemia at lambda_max / 2: 0.04 after 2,000). So a check looks
 * twice: at the iterate, as printed, and at a point of its own, which proximal
 * gradient passes lead towards the solution. There are as many of them as
 * epochs since the last check, so that a check costs about as much as the steps
 * before it. The iterate does not use that point, and the certificate is about
 * the iterate. The second look is ours: the paper has the first sphere alone,
 * as --screen-rule paper does. Most attributes that are screened early are
 * screened by the second look.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/screen_gap_safe.h"

#include "base/integer.h"
#include "math/gap.h"
#include "solvers/algorithms.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* --- Lines 11 to 13: screening at the point of the last pass ---------------
 */

/* N_g of every group. Collective. */
static const double *second_moments(struct th_stochastic *s)
{
  const double *second = s->active.field[TH_FIELD_SECOND];
  if (th_coef_separable(s))
    return second;
  th_grouping_second(&s->grouping, s->context->comm, second,
                     s->places.group_second);
  return s->places.group_second;
}

/* Keep the attributes that the gap-safe sphere of the last full pass cannot
 * prove to be 0 in the solution. Nothing may have changed since that pass.
 * Collective. */
static th_status screen_here(struct th_stochastic *s, struct th_error *err)
{
  double margin = th_gap_margin(s->caches.type);
  /* line 11: the centre Z / c and the radii */
  const double *second = second_moments(s);
  double c = fmax(1, s->full.pass.dual_norm);
  /* line 12: the screening set */
  for (int64_t g = 0; g < s->grouping.groups; g++) {
    double radius = th_gap_radius(s->control.smoothness, s->full.pass.gap,
                                  second[g], s->lambda);
    s->places.group_keep[g] =
        !th_gap_removes(s->places.group_dual[g] / c, radius, margin);
  }
  th_grouping_spread(&s->grouping, s->places.group_keep, s->places.keep);
  /* line 13: pruning */
  return th_coef_places_keep(s, err);
}

/* --- The second point: steps of SpaRSA ------------------------------------ */

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
  const double *b = th_coef_of(s);
  double *work = s->places.group_second;
  th_status rc;
  for (int64_t k = 0; k < s->active.count; k++)
    work[k] = (b[k] - old_coef(s, p)[k]) * (b[k] - old_coef(s, p)[k]);
  for (int64_t k = 0; k < s->exempt.count; k++) { /* passes fit them */
    int64_t place = th_active_place(&s->active, s->exempt.attribute[k]);
    if (place >= 0)
      work[place] = 0;
  }
  TH_TRY(th_coef_total(s, work, squares, err));
  for (int64_t k = 0; k < s->active.count; k++)
    work[k] =
        -s->lambda * (b[k] - old_coef(s, p)[k]) * (z[k] - old_dual(s, p)[k]);
  TH_TRY(th_coef_total(s, work, bend, err));
done:
  return rc;
}

/* b = prox of step lambda Omega at old b - step gradient, and a pass there.
 * Collective. */
static th_status try_step(struct th_stochastic *s, struct th_sparsa *p,
                          struct th_error *err)
{
  double *b = th_coef_of(s);
  for (int64_t k = 0; k < s->active.count; k++)
    b[k] = old_coef(s, p)[k] + p->step * s->lambda * old_dual(s, p)[k];
  th_coef_prox(s, p->step, b);
  p->passes++;
  return th_pass_make(s, err);
}

/* Make one step that is accepted, and choose the length of the next.
 * Collective. */
static th_status sparsa_step(struct th_stochastic *s, struct th_sparsa *p,
                             struct th_error *err)
{
  size_t bytes = (size_t)s->active.count * sizeof(double);
  double worst = worst_recent(p);
  double squares = 0;
  double bend = 0;
  bool accepted = false;
  th_status rc;
  memcpy(old_coef(s, p), th_coef_of(s), bytes);
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
  TH_TRY(screen_here(s, err));
  if (s->active.total == before)
    return TH_OK;
  TH_TRY(th_pass_make(s, err));
  forget(p, s->full.pass.objective);
done:
  return rc;
}

/* The smallest gap has to halve within each stretch of passes. */
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

th_status th_screen_gap_safe_refine(struct th_stochastic *s,
                                    struct th_sparsa *p, double gap,
                                    int64_t most, struct th_error *err)
{
  struct stretch stretch = {INFINITY, INFINITY, 0};
  double squares = 0;
  th_status rc;
  TH_TRY(th_coef_total(s, s->active.field[TH_FIELD_SECOND], &squares, err));
  p->shortest = squares > 0 ? 1 / (s->control.smoothness * squares) : 1;
  p->step = fmax(p->step, p->shortest);
  p->passes = 0;
  TH_TRY(th_pass_make(s, err));
  forget(p, s->full.pass.objective);
  for (int64_t k = 0; s->full.pass.gap > gap && p->passes < most &&
                      !stagnates(&stretch, p, s->full.pass.gap);
       k++) {
    if (k % SCREEN_EVERY == 0)
      TH_TRY(screen(s, p, err));
    TH_TRY(sparsa_step(s, p, err));
  }
done:
  return rc;
}

/* --- The rule --------------------------------------------------------------
 */

enum { POINT, OLD_POINT, OLD_DUAL, FIELDS }; /* screening fields */

enum { MOST_BLOCKS = 16 }; /* between checks that find nothing */

static const double exact_gap = 1e-10; /* over the objective at zero */

/* Replicated. */
struct gap_safe {
  struct th_sparsa sparsa;
  double objective; /* P at the point; INFINITY: there is none yet */
  int64_t drawn;    /* examples used by steps when the point last moved */
  bool exhausted;   /* it cannot remove more */
  int64_t blocks;   /* blocks of the usual length until the next check */
};

static th_status create(struct th_stochastic *s, struct th_error *err)
{
  struct gap_safe *state = s->screening_state;
  (void)err;
  *state = (struct gap_safe){.sparsa.fields = {OLD_POINT, OLD_DUAL},
                             .objective = INFINITY,
                             .blocks = 1};
  return TH_OK;
}

static int64_t gap_safe_block(struct th_stochastic *s)
{
  const struct gap_safe *state = s->screening_state;
  return state->blocks * th_stochastic_block(s);
}

/* Once the solution is known, nothing is left to be screened, and checks become
 * rare. They do not if a gap may end the run, or if the update rule needs the
 * outer loops, too. */
static int64_t blocks_until_next(const struct th_stochastic *s)
{
  const struct th_config *config = s->context->config;
  const struct gap_safe *state = s->screening_state;
  bool waits = config->epochs > 0 && !(config->tolerance > 0) &&
               config->screening.every == 0 && s->update->begin == NULL;
  return state->exhausted && waits ? th_min_i64(2 * state->blocks, MOST_BLOCKS)
                                   : 1;
}

/* Exchange the point and the iterate. */
static void change_places(struct th_stochastic *s)
{
  double **b = &s->active.field[TH_FIELD_COEF];
  double **point =
      &s->active.field[TH_FIELD_UPDATE + s->update->fields + POINT];
  double *iterate = *b;
  *b = *point;
  *point = iterate;
}

/* Move the point on, starting from the iterate if that is better, and screen
 * there. Collective. */
static th_status screen_ahead(struct th_stochastic *s, int64_t passes,
                              struct th_error *err)
{
  struct gap_safe *state = s->screening_state;
  double gap = exact_gap * s->goal.zero_objective;
  int64_t before;
  th_status rc;
  if (s->full.pass.objective < state->objective)
    memcpy(th_stochastic_screening_field(s, POINT), th_coef_of(s),
           (size_t)s->active.count * sizeof(double));
  change_places(s);
  TH_TRY(th_screen_gap_safe_refine(s, &state->sparsa, gap, passes, err));
  state->objective = s->full.pass.objective;
  state->exhausted = s->full.pass.gap <= gap;
  before = s->active.total;
  TH_TRY(screen_here(s, err));
  state->exhausted = state->exhausted && s->active.total == before;
done:
  change_places(s);
  return rc;
}

static th_status end(struct th_stochastic *s, struct th_error *err)
{
  struct gap_safe *state = s->screening_state;
  int64_t passes = (s->control.drawn - state->drawn) / s->n;
  struct th_pass iterate;
  double intercept;
  th_status rc;
  TH_TRY(th_pass_make(s, err)); /* line 10: primal and dual point */
  TH_TRY(screen_here(s, err));
  if (s->context->config->screening.rule == TH_RULE_PAPER)
    return rc;
  state->blocks = blocks_until_next(s);
  if (state->exhausted || passes == 0 || s->active.total == 0)
    return rc;
  iterate = s->full.pass;
  intercept = s->intercept;
  TH_TRY(screen_ahead(s, passes, err));
  state->drawn = s->control.drawn;
  th_pass_restore(s, &iterate, intercept); /* as it was before pruning */
  th_stochastic_changed(s, TH_CHANGE_COEF);
done:
  return rc;
}

static void describe(struct th_stochastic *s, struct th_state *list)
{
  struct gap_safe *state = s->screening_state;
  TH_STATE_ONE(list, &state->sparsa, step);
  TH_STATE_ONE(list, state, objective);
  TH_STATE_ONE(list, state, drawn);
  TH_STATE_ONE(list, state, exhausted);
  TH_STATE_ONE(list, state, blocks);
}

const struct th_screening th_screen_gap_safe = {.size = sizeof(struct gap_safe),
                                                .fields = FIELDS,
                                                .create = create,
                                                .block = gap_safe_block,
                                                .end = end,
                                                .describe = describe};
