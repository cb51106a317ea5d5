/* screen_gap_safe.c - gap-safe screening of finite sums
 *
 * Liang & Poon 2022, Algorithm 1, lines 10 to 13, corrected: the radius is r_g
 * = sqrt(2 L G N_g) / lambda with N_g = sum eta_i Omega_g^D(x_ig)^2. The
 * product of the printed (2.4) and (2.5) is sqrt(n) too small and removes true
 * attributes; (2.5) lacks -1/lambda. Attributes leave the index set for good:
 * setting them to 0 once, as line 13 prints, would not last.
 *
 * The sphere holds the solution for any primal value and any dual point, and
 * its radius is the root of their gap. Iterates with noise, or with steps as
 * short as the longest example demands, keep that gap wide for thousands of
 * epochs (leukemia at lambda_max / 2: 0.04 after 2,000). So a check looks
 * twice: at the iterate, as printed, and at a point of its own, which proximal
 * gradient passes (solvers/stochastic/sparsa.h) lead towards the solution.
 * There are as many of them as epochs since the last check, so that a check
 * costs about as much as the steps before it. The iterate does not use that
 * point, and the certificate is about the iterate. The second look is ours: the
 * paper has the first sphere alone, as --screen-rule paper does. Most
 * attributes that are screened early are screened by the second look.
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/screening.h"

#include "base/integer.h"
#include "math/gap.h"
#include "solvers/stochastic/sparsa.h"

#include <math.h>
#include <string.h>

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

th_status th_screening_gap_safe(struct th_stochastic *s, struct th_error *err)
{
  double margin = th_gap_margin(s->caches.type);
  /* line 11: the centre Z / c and the radii */
  const double *second = th_stochastic_second(s);
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
  return th_stochastic_keep(s, err);
}

static th_status create(struct th_stochastic *s, struct th_error *err)
{
  struct gap_safe *state = s->screening_state;
  (void)err;
  *state = (struct gap_safe){.sparsa.fields = {OLD_POINT, OLD_DUAL},
                             .objective = INFINITY,
                             .blocks = 1};
  return TH_OK;
}

static int64_t block(struct th_stochastic *s)
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
static th_status look_ahead(struct th_stochastic *s, int64_t passes,
                            struct th_error *err)
{
  struct gap_safe *state = s->screening_state;
  double gap = exact_gap * s->goal.zero_objective;
  int64_t before;
  th_status rc;
  if (s->full.pass.objective < state->objective)
    memcpy(th_stochastic_screening_field(s, POINT), th_stochastic_coef(s),
           (size_t)s->active.count * sizeof(double));
  change_places(s);
  TH_TRY(th_sparsa(s, &state->sparsa, gap, passes, err));
  state->objective = s->full.pass.objective;
  state->exhausted = s->full.pass.gap <= gap;
  before = s->active.total;
  TH_TRY(th_screening_gap_safe(s, err));
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
  TH_TRY(th_stochastic_pass(s, err)); /* line 10: primal and dual point */
  TH_TRY(th_screening_gap_safe(s, err));
  if (s->context->config->screening.rule == TH_RULE_PAPER)
    return rc;
  state->blocks = blocks_until_next(s);
  if (state->exhausted || passes == 0 || s->active.total == 0)
    return rc;
  iterate = s->full.pass;
  intercept = s->intercept;
  TH_TRY(look_ahead(s, passes, err));
  state->drawn = s->control.drawn;
  th_stochastic_pass_restore(s, &iterate,
                             intercept); /* as it was before pruning */
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
                                                .block = block,
                                                .end = end,
                                                .describe = describe};
