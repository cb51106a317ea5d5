/* selected.h - in which order a run chose attributes, and for how certain
 *
 * Local but where it says otherwise.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SELECTED_H
#define TH_SELECTED_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* One list: name, and what it is. Zero where a solver does not know it. */
#define TH_SELECTED_REALS(X)                                                   \
  X(guarantee, "probability that all attributes are true")                     \
  X(remaining_bound, "of the root mean square of the coefficients left out, "  \
                     "in the units that the solver worked in")                 \
  X(cost_try_select, "attributes and targets read to choose")                  \
  X(cost_optim, "the same to fit in between")                                  \
  X(mu, "irrepresentable constant that is assumed")                            \
  X(rho, "smallest eigenvalue")                                                \
  X(smoothness, "largest eigenvalue")                                          \
  X(bound, "of the magnitude of values")

/* size 0 and no cost: nothing was to be chosen in an order. */
struct th_selected {
  int64_t size;
  int64_t examples;   /* that served to choose */
  int64_t complete;   /* 1, or 0 where a limit ended the choice */
  int64_t *attribute; /* in the order of selection; owned */
#define TH_SELECTED_MEMBER(name, what) double name;
  TH_SELECTED_REALS(TH_SELECTED_MEMBER)
#undef TH_SELECTED_MEMBER
};

/* *to is overwritten. */
th_status th_selected_copy(struct th_selected *to,
                           const struct th_selected *from,
                           struct th_error *err);
void th_selected_free(struct th_selected *selection);

/* True if the numbers of a selection are finite and not negative. */
bool th_selected_finite(const struct th_selected *selection);

#endif
