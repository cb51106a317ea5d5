/* ssr.c - solver `ssr`: streaming sparse regression
 *
 * Steinhardt, Wager & Liang 2014, Algorithm 2, for
 *     minimise E (x'w - y)^2 / 2,
 * where few coefficients differ from 0. With g_t the gradient at w_t,
 *     w_{t+1} = argmin (sum of g)'w + lambda sqrt(t) norm1(w)
 *               + norm2(w)^2 / (2 eta) + sum over k of alpha norm2(w - w_k)^2/2
 *             = soft(sum of (alpha w_k - g_k), lambda sqrt(t))
 *               / (1 / eta + alpha t).
 * The penalty grows like the noise of a sum of gradients. So it keeps useless
 * attributes out, and in the end takes nothing off the others. The curvature
 * around the iterates adapts the steps to a strongly convex loss: they fall
 * like 1 / t, which gives the rate 1 / t.
 *
 * All attributes of an example are read. With a budget that is smaller the
 * gradients are those of looks.h, as for `rda-ito`, for half of its loss.
 *
 * Reconstructed. The paper was not at hand. Saad, Blanchard & Arlot 2024
 * (section 6 and the appendix on SSR) tell of its cost, O(d) for an example,
 * and of its guarantee. The form of the steps is from general knowledge of it,
 * derived anew as above. What is not known: whether its examples are averaged
 * in the end (here: no). The form for a budget is ours, and so are the
 * constants.
 * SPDX-License-Identifier: MIT */
#include "solvers/algorithms.h"
#include "solvers/competitors/averaging.h"

#include <math.h>

/* alpha, the penalty, and the first step as shares of what the data suggest. */
static const double curvature = 0.3;
static const double heavy = 1.3;
static const double share = 0.5;

/* The first step is a share of 1 / norm2(x)^2, where what is drawn counts as
 * often as it is not seen. */
static double eta_of(const struct th_averaging_scale *scale)
{
  double square = scale->known + (scale->d - scale->known) / scale->odds.one;
  return share / (square * scale->unit);
}

/* A standard deviation or so of the noise in a gradient at w = 0. */
static double lambda_of(const struct th_averaging_scale *scale)
{
  return heavy * scale->spread * sqrt(scale->unit / scale->odds.one);
}

static struct th_averaging_sizes sizes_of(double eta, double lambda,
                                          double pull, double examples)
{
  return (struct th_averaging_sizes){.threshold = lambda * sqrt(examples),
                                     .step = 1 / (1 / eta + pull * examples)};
}

static const struct th_averaging_rule rule = {.slope = 1,
                                              .pull = curvature,
                                              .eta = eta_of,
                                              .lambda = lambda_of,
                                              .sizes = sizes_of};

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  return th_averaging_create(state, context, &rule, err);
}

static const char *const options[] = {TH_OPTIONS_OF_AVERAGING, NULL};

const struct th_algorithm th_ssr_algorithm = {.options = options,
                                              .unit = TH_LOSS_OF_PROBLEM,
                                              .create = create,
                                              .step = th_averaging_step,
                                              .publish = th_averaging_publish,
                                              .finish = th_averaging_publish,
                                              .describe = th_averaging_describe,
                                              .free = th_averaging_free};
