/* rda_ito.c - solver `rda-ito`: regularised dual averaging with limited
 * observation
 *
 * Ito, Hatano, Sumita, Yabe, Fukunaga, Kakimura & Kawarabayashi 2017, Algorithm
 * 1, for
 *     minimise E (x'w - y)^2 + lambda norm1(w),
 * where s' attributes of an example may be observed and s predict. Of example t
 * the s largest attributes of w_t and s' - s others are observed, which are
 * drawn uniformly. With X = [x_i x_j / P(i and j seen)] and c = [x_i y / P(i
 * seen)] over what was seen, g_t = 2 (X w_t - c) is an unbiased estimate of the
 * gradient at w_t, and
 *     w_{t+1} = argmin (sum of g)'w + lambda t norm1(w)
 *               + sqrt(t) norm2(w)^2 / (2 eta).
 * The prediction is w_t cut to its s largest attributes. Pairs of attributes
 * outside of the s must be seen, so s' is s + 2 at least.
 *
 * Reconstructed. The paper was not at hand. Murata & Suzuki 2018 (section 5,
 * table 1 and section 6) tell which attributes are observed, that the method
 * is regularised dual averaging, and that s' >= s + 2. Xiao 2010 has the
 * averaging, with beta_t = sqrt(t) / eta. The estimates were derived anew from
 * the probabilities in looks.h. What is not known: whether w is projected on a
 * ball as well (here: no), and how lambda depends on t (here: not at all, as
 * with Xiao).
 *
 * Ours: a mini-batch makes one step, all its gradients being taken at the same
 * w; the default step size, below; and the restart of averaging.c.
 * SPDX-License-Identifier: MIT */
#include "solvers/algorithms.h"
#include "solvers/competitors/averaging.h"

#include <math.h>

/* Of the longest steps at which errors do not grow, and of what a penalty takes
 * off. */
static const double shorter = 0.66;
static const double light = 0.02;

/* Errors feed on themselves like this. A coefficient e outside of the s, which
 * is wrong, makes the gradients of the d - s others vary by 4 e^2 / q for each
 * example, q being the odds of a pair. After t examples such errors add
 * (eta^2 / t) 4 (d - s) e^2 / q to norm2(w)^2, of which the averaging takes off
 * norm2(w)^2 / t. So eta = sqrt(q / (d - s)) / 2 is the longest step without
 * growth. The least error in the end comes a little beyond. */
static double eta_of(const struct th_averaging_scale *scale)
{
  double others = fmax(1, scale->d - scale->known);
  return shorter * sqrt(scale->odds.two / others) / scale->unit;
}

static double lambda_of(const struct th_averaging_scale *scale)
{
  return light * scale->spread * sqrt(scale->unit);
}

static struct th_averaging_sizes sizes_of(double eta, double lambda,
                                          double pull, double examples)
{
  (void)pull;
  return (struct th_averaging_sizes){.threshold = lambda * examples,
                                     .step = eta / sqrt(examples)};
}

static const struct th_averaging_rule rule = {
    .slope = 2, .eta = eta_of, .lambda = lambda_of, .sizes = sizes_of};

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  return th_averaging_create(state, context, &rule, err);
}

static const char *const options[] = {TH_OPTIONS_OF_AVERAGING, NULL};

const struct th_algorithm th_rda_ito_algorithm = {
    .options = options,
    .unit = TH_LOSS_OF_PROBLEM,
    .create = create,
    .step = th_averaging_step,
    .publish = th_averaging_publish,
    .finish = th_averaging_publish,
    .describe = th_averaging_describe,
    .free = th_averaging_free};
