/* forecast.h - slopes of all attributes without a pass
 *
 * Sixteen vectors over the examples, and their products with all attributes, by
 * one pass: the residuals r of a fit on S, and what S leaves of some
 * candidates, u_k = x_k less its projection on S. While attributes are chosen
 * among the candidates, the residuals are r - sum b_k u_k with the present
 * coefficients, and all slopes follow. This is Batch-OMP (Rubinstein,
 * Zibulevsky & Elad 2008) with some columns of the Gram matrix at a time,
 * orthogonal to S: so it holds no more than these, and errors do not add up.
 *
 * Vectors and products are formed in float. What the residuals differ from
 * their combination is known, example by example; by Cauchy and Schwarz it
 * bounds how far a slope may be off. Slopes that may be the largest are then
 * computed exactly (th_problem_settle), so that the choice is that of a pass.
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_FORECAST_H
#define TH_FORECAST_H

#include "math/kernels/kernels.h"
#include "solvers/penalised/problem.h"

#include <stdbool.h>
#include <stdint.h>

enum { TH_FORECAST_WIDTH = TH_GRADIENTS, TH_FORECAST_MOST = TH_GRADIENTS - 1 };

struct th_forecast {
  int64_t count; /* candidates; 0: it shows nothing */
  int64_t base;  /* |S| when it was made */
  int64_t candidate[TH_FORECAST_MOST];
  float *right;                   /* examples x 16: eta times a vector, over its
                                     unit, a power of two */
  double unit[TH_FORECAST_WIDTH]; /* 0: no vector */
  double norm[TH_FORECAST_WIDTH]; /* root of sum eta vector^2 */
  double *gradient;               /* places x 16 */
};

/* Room for one, which stays until th_forecast_free. */
th_status th_forecast_reserve(struct th_forecast *forecast,
                              const struct th_problem *problem,
                              struct th_error *err);
void th_forecast_free(struct th_forecast *forecast);

/* No vectors. */
void th_forecast_clear(struct th_forecast *forecast,
                       const struct th_problem *problem);

/* Vector k is factor times z over the examples. */
void th_forecast_put(struct th_forecast *forecast,
                     const struct th_problem *problem, int k, double factor,
                     const double *z);

/* Number of the vector of a candidate; 0: it is none. */
int th_forecast_find(const struct th_forecast *forecast, int64_t attribute);

/* The vectors at some theta, which is about - sum factor[k] times vector k. */
struct th_forecast_view {
  double weight[TH_FORECAST_WIDTH]; /* factor times unit */
  double norm;                      /* root of sum eta theta^2 */
  double off; /* at most, what a slope may be off over its rounding_bound */
};

struct th_forecast_view
th_forecast_view(const struct th_forecast *forecast,
                 const struct th_problem *problem, const double *theta,
                 const double factor[TH_FORECAST_WIDTH]);

/* A lower bound of the largest slope of a wanted candidate of this rank; 0:
 * there is none. */
double th_forecast_least(const struct th_forecast *forecast,
                         const struct th_problem *problem,
                         const struct th_forecast_view *view,
                         const struct th_duals *duals);

/* Values and slacks of the wanted attributes. Where the slope is less than half
 * of `least`, since the values are so small, the value may be 0. */
void th_forecast_estimate(const struct th_forecast *forecast,
                          const struct th_problem *problem,
                          const struct th_forecast_view *view, double least,
                          struct th_duals *duals);

#endif
