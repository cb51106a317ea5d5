/* averaging.h - solvers `rda-ito` and `ssr`: dual averaging with an l1 penalty,
 * from whole examples or from looks at them
 *
 * G is the sum of the gradients of all examples so far, each at the iterate of
 * its time. The next iterate is the minimum of
 *     G'w + threshold(t) norm1(w) + norm2(w)^2 / (2 step(t)),
 * which is w = step soft(-G, threshold). Solvers differ in these functions of
 * t, the number of examples.
 *
 *   for each mini-batch
 *     1  observe y and x of each example; or x of the support and of others
 *        that are drawn (looks.h)
 *     2  g = the sum of their gradients at w, or an unbiased estimate of it
 *     3  G += g; t += the examples
 *     4  w = step(t) soft(-G, threshold(t)); anew with shorter steps if
 *        residuals have grown
 *     5  the support: the largest coefficients
 * SPDX-License-Identifier: MIT */
#ifndef TH_AVERAGING_H
#define TH_AVERAGING_H

#include "solvers/access/context.h"
#include "solvers/access/support.h"
#include "solvers/access/whole_rows.h"
#include "solvers/algorithms.h"
#include "solvers/competitors/looks.h"

/* What the constants of a solver follow from. Replicated. */
struct th_averaging_scale {
  double unit;   /* the largest E x^2 of an attribute */
  double spread; /* root mean square of the targets */
  double d;
  double known;              /* attributes of an example that are always seen */
  struct th_looks_odds odds; /* of the others */
};

/* At some number of examples. */
struct th_averaging_sizes {
  double threshold;
  double step;
};

/* How a solver averages. All functions are local. */
struct th_averaging_rule {
  double slope; /* gradients are slope (x'w - y) x */
  double pull;  /* times unit: each example adds a quadratic of this curvature,
                   whose minimum is at the iterate of its time */
  double (*eta)(const struct th_averaging_scale *scale);    /* default */
  double (*lambda)(const struct th_averaging_scale *scale); /* default */
  struct th_averaging_sizes (*sizes)(double eta, double lambda, double pull,
                                     double examples);
};

/* Squares since the last look at them: of residuals, and of targets. */
struct th_averaging_watch {
  double residual;
  double target;
  int64_t rows;
};

/* Arrays are of the owned attributes, other numbers replicated. */
struct th_averaging {
  struct th_head head;
  const struct th_averaging_rule *rule;
  struct th_all_targets targets;
  struct th_looks looks;
  struct th_whole_rows whole;
  bool reads_whole; /* all attributes of each example */
  bool over;        /* targets or attributes do not change */
  double pull;
  double eta;
  double lambda;
  double examples; /* t */
  double step;
  double loss;
  struct th_averaging_watch watch;
  double *sum; /* G */
  double *coef;
  double *gradient; /* work: of the mini-batch; by place if whole */
  double *by_place; /* work */
  struct th_support support;
  struct th_selection selection;
  struct th_index_value *chosen;
};

/* Form the sum of the gradients of the next mini-batch, an unbiased estimate
 * where not all attributes are seen, in `gradient`. Also for tests.
 * Collective. */
th_status th_averaging_gradient(struct th_averaging *s,
                                struct th_context *context, bool *more,
                                struct th_error *err);

#endif
