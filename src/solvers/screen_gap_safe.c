/* screen_gap_safe.c - gap-safe screening of finite sums
 *
 * Liang & Poon 2022, Algorithm 1, lines 10 to 13, corrected: the radius is
 * r_g = sqrt(2 L G N_g) / lambda with N_g = sum eta_i Omega_g^D(x_ig)^2. The
 * product of the printed (2.4) and (2.5) is sqrt(n) too small and removes true
 * attributes; (2.5) lacks -1/lambda. Attributes leave the index set for good:
 * setting them to 0 once, as line 13 prints, would not last.
 * SPDX-License-Identifier: MIT */
#include "solvers/screening.h"

#include "math/gap.h"

#include <math.h>

static th_status end(struct th_stochastic *s, struct th_error *err)
{
  double margin =
      s->panels.type == TH_F32 ? TH_GAP_MARGIN_FLOAT : TH_GAP_MARGIN;
  /* line 10: the primal and the dual point */
  th_status rc = th_stochastic_pass(s, err);
  if (rc != TH_OK)
    return rc;
  /* line 11: the centre Z / c and the radii */
  const double *second = th_stochastic_second(s);
  double c = fmax(1, s->pass.dual_norm);
  /* line 12: the screening set */
  for (int64_t g = 0; g < s->grouping.groups; g++) {
    double radius =
        th_gap_radius(s->smoothness, s->pass.gap, second[g], s->lambda);
    s->group_keep[g] = !th_gap_removes(s->group_dual[g] / c, radius, margin);
  }
  th_grouping_spread(&s->grouping, s->group_keep, s->keep);
  /* line 13: pruning */
  return th_stochastic_keep(s, err);
}

const struct th_screening th_screen_gap_safe = {.end = end};
