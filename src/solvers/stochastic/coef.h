/* coef.h - the iterate of stochastic methods: b over the active places, b0; and
 * what is derived from the set of these places
 * SPDX-License-Identifier: MIT */
#ifndef TH_COEF_H
#define TH_COEF_H

#include "base/error.h"
#include "math/select.h"
#include "ranks/fixed.h"
#include "solvers/access/row_caches.h"

#include <stdbool.h>
#include <stdint.h>

struct th_row;
struct th_state;
struct th_stochastic;
struct th_support;

/* --- The iterate and its copies */

/* b, over the active places. Local. */
double *th_coef_of(const struct th_stochastic *s);

/* Is the penalty the l1 norm without weights? Its prox goes attribute by
 * attribute. Local. */
bool th_coef_separable(const struct th_stochastic *s);

/* b and b0 of a model; attributes that are not active are left out. Local. */
void th_coef_assign(struct th_stochastic *s, const struct th_support *model);

/* Keep b in a field of the screening rule, and b0 in *intercept where that is
 * not NULL; both become the iterate again. Local. */
void th_coef_hold(const struct th_stochastic *s, int field, double *intercept);
void th_coef_return(struct th_stochastic *s, int field, double intercept);

/* v = prox of t lambda Omega at v, over the active places. Collective. */
void th_coef_prox(struct th_stochastic *s, double t, double *v);

/* --- Predictions in fixed point while coefficients move
 *
 * coef_bound bounds sum |b_j| bound_j, and so every prediction. A gradient step
 * of length g along theta x adds at most g |theta| step_bound to it. */

/* Replicated. */
struct th_scaling {
  double coef_bound;
  double anchor_coef_bound; /* the same of the anchor */
  double step_bound;        /* norm2(bound) max_i norm2(x_i) */
  double scaled_for;        /* the bound that fixed was made for; 0: none */
  struct th_fixed fixed;
};

/* Its state. Local. */
void th_coef_scaling_describe(struct th_scaling *scaling,
                              struct th_state *state);

/* Set the bound to a new value; the scale is adapted when it is needed. Local.
 */
void th_coef_restart(struct th_scaling *scaling, double coef_bound);

/* Adapt the scale so that it holds predictions within the present bound.
 * Local. */
th_status th_coef_scale(struct th_stochastic *s, struct th_error *err);

/* The sum of v over all active attributes, in fixed point. Collective. */
th_status th_coef_total(struct th_stochastic *s, const double *v, double *total,
                        struct th_error *err);

/* sum |v_j| bound_j over the active places, which no prediction with such
 * coefficients exceeds but for rounding: TH_FIXED_SLACK. Collective. */
th_status th_coef_bound_of(struct th_stochastic *s, const double *v,
                           double *bound, struct th_error *err);

/* coef_bound = sum |b_j| bound_j. Collective. */
th_status th_coef_bound(struct th_stochastic *s, struct th_error *err);

/* --- The places that it has */

/* What is derived from the set of active places, and work arrays over them. */
struct th_places {
  struct th_cells cells;
  int64_t *edge; /* of cells */
  int64_t edge_capacity;
  int64_t capacity; /* of the work arrays */
  bool *keep;       /* a flag for each active place */
  bool *group_keep; /* for each group, as are the next ones */
  double *group_dual;
  double *group_second;
  struct th_index_value *choice; /* work: nonzero coefficients */
  int64_t choice_capacity;
};

/* Form cells, groups and work arrays for the present places. Collective. */
th_status th_coef_places_form(struct th_stochastic *s, struct th_error *err);
/* Local. */
void th_coef_places_free(struct th_places *places);

/* Keep the attributes of s->places.keep, and those without a penalty.
 * Collective. */
th_status th_coef_places_keep(struct th_stochastic *s, struct th_error *err);

/* Ranks exchange active attributes between outer loops when some have many more
 * than others. All vectors over places are fields, so that they move, too. This
 * call sends attributes home to the ranks that own them, before th_active_add.
 * Collective. */
th_status th_coef_places_home(struct th_stochastic *s, struct th_error *err);

/* Balance the ranks again if that pays. Collective. */
th_status th_coef_places_balance(struct th_stochastic *s, struct th_error *err);

#endif
