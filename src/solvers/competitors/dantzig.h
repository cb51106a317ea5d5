/* dantzig.h - unbiased estimates of X'X / n and X'y / n from looks at examples
 *
 * Every product of two values, or of a value and the target, is divided by the
 * probability that the look shows both. So the sums over all examples are those
 * of whole examples, in expectation, whatever the support was at the time.
 * Each rank has the columns of the attributes that it owns.
 * SPDX-License-Identifier: MIT */
#ifndef TH_DANTZIG_H
#define TH_DANTZIG_H

#include "solvers/competitors/looks.h"

#include <stdint.h>

struct th_pairs {
  struct th_range owned;
  int64_t d;
  double examples; /* so far; replicated */
  double *product; /* d x owned, the columns side by side: sums */
  double *target;  /* owned: sums */
};

/* Local. Release with th_dantzig_pairs_free. Shown for tests. */
th_status th_dantzig_pairs_init(struct th_pairs *pairs,
                                const struct th_context *context,
                                struct th_error *err);
void th_dantzig_pairs_free(struct th_pairs *pairs);

/* Add the examples of a mini-batch, whose numbers are their values. Local.
 * Shown for tests. */
void th_dantzig_pairs_add(struct th_pairs *pairs, const struct th_looks *looks,
                          const struct th_all_targets *targets);

/* out[d] = the estimate of X'X / n times v[d], of X'y / n. Collective. Shown
 * for tests. */
void th_dantzig_pairs_multiply(const struct th_pairs *pairs,
                               struct th_comm *comm, const double *v,
                               double *out);
void th_dantzig_pairs_targets(const struct th_pairs *pairs,
                              struct th_comm *comm, double *out);

#endif
