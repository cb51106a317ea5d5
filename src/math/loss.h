/* loss.h - losses: value, derivative, curvature, conjugate
 *
 * All functions that do not say otherwise are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_LOSS_H
#define TH_LOSS_H

#include <stdbool.h>
#include <stdint.h>

struct th_loss_arrays; /* of whole arrays: math/loss.c */

/* What a linear predictor z says of a target: squared loss, the target itself;
 * logistic, the log odds of the larger value; squared hinge, a margin, at best
 * 2 p - 1 for the probability p of the larger value (Zhang 2004); Poisson, the
 * logarithm of its mean. */
enum th_predictor {
  TH_PREDICTS_TARGET,
  TH_PREDICTS_ODDS,
  TH_PREDICTS_MARGIN,
  TH_PREDICTS_LOG_MEAN
};

/* One row per loss; p is the linear predictor, y the target (labels: -1, +1).
 */
struct th_loss {
  const char *name;
  const char *summary;
  const char *mean; /* what the mean of `value` is called */
  enum th_predictor predicts;
  bool quadratic;      /* a square of p: its curvature is the same everywhere */
  bool labels;         /* needs a target with exactly two values */
  bool penalised_only; /* for solvers with a penalty */
  bool exact_only;     /* for the exact one of them */
  double smoothness;   /* largest second derivative: L = smoothness * lambda;
                          INFINITY: targets are from 0 on, there is none */
  double half;         /* f = half * value in problems with a penalty */
  bool scaled;         /* th_loss_of_scale makes it */
  bool by_share;       /* its slopes are those of a quantile */
  double bend;         /* of a scaled one: 1 / its curvature near the target */
  double low;          /* and its slopes far below it and far above */
  double high;
  double (*value)(double p, double y); /* NULL: arrays has it */
  double (*derivative)(double p, double y);
  double (*curvature)(double p, double y);
  double (*conjugate)(double u, double y); /* of f, not of value */
  const struct th_loss_arrays *arrays;     /* NULL: one by one */
  bool quadratic_conjugate; /* u^2 / 2 + u y wherever it is finite */
};

/* Compute value, derivative or curvature of n examples, with the same bits as
 * one by one; out may be p or y. Local. */
void th_loss_values(const struct th_loss *loss, int64_t n, const double *p,
                    const double *y, double *out);
void th_loss_derivatives(const struct th_loss *loss, int64_t n, const double *p,
                         const double *y, double *out);
void th_loss_curvatures(const struct th_loss *loss, int64_t n, const double *p,
                        const double *y, double *out);

/* Compute f*(u) of n examples. */
void th_loss_conjugates(const struct th_loss *loss, int64_t n, const double *u,
                        const double *y, double *out);

/* Compute f = half * value and its first two derivatives, likewise. */
void th_loss_f_all(const struct th_loss *loss, int64_t n, const double *p,
                   const double *y, double *out);
void th_loss_df_all(const struct th_loss *loss, int64_t n, const double *p,
                    const double *y, double *out);
void th_loss_d2f_all(const struct th_loss *loss, int64_t n, const double *p,
                     const double *y, double *out);

/* Compute curvatures of parabolas that touch f at p and lie nowhere below it,
 * of a scaled loss (Hunter & Lange 2000 for quantiles). */
void th_loss_majorants(const struct th_loss *loss, int64_t n, const double *p,
                       const double *y, double *out);

/* Return the table, which ends with a NULL name; return the row of a name, or
 * NULL. Local. */
const struct th_loss *th_loss_table(void);
const struct th_loss *th_loss_find(const char *name);

/* A loss whose errors count linearly once they are large: that row with a scale
 * above 0, in units of the target. huber: half of the square up to errors of
 * `scale` (Huber 1964). quantile: what has the quantile `share` of y at its
 * minimum (Koenker & Bassett 1978), a parabola within an interval of length
 * `scale` about y, its Moreau envelope. Rows have scale 1 and the median. Other
 * rows come back as they are. Local. */
struct th_loss th_loss_of_scale(const struct th_loss *row, double scale,
                                double share);

/* The scale it was made of. Local. */
double th_loss_scale(const struct th_loss *loss);

/* The value of one example. Local. */
double th_loss_value(const struct th_loss *loss, double p, double y);

/* The loss of a problem with a penalty (Liang & Poon, section 2): f, f',
 * f*(u) = sup_p (u p - f(p)), which is INFINITY outside of its domain, and the
 * Lipschitz constant of f', or INFINITY. Kernels have f' of whole arrays; one
 * value of it is for tests. Local. */
double th_loss_f(const struct th_loss *loss, double p, double y);
double th_loss_df(const struct th_loss *loss, double p, double y);
double th_loss_conjugate(const struct th_loss *loss, double u, double y);
double th_loss_L(const struct th_loss *loss);

/* Has f' no Lipschitz constant? Then targets are from 0 on, and as they are. */
bool th_loss_is_steep(const struct th_loss *loss);

/* Make u one of the domain of f*: the nearest to it, or 0 of the wrong sign. */
double th_loss_in_domain(const struct th_loss *loss, double u, double y);

/* Is f* finite for all u? */
bool th_loss_takes_all(const struct th_loss *loss);

/* A bound on the second derivative of f wherever f(p) is at most `most`: a
 * Lipschitz constant there. */
double th_loss_level_L(const struct th_loss *loss, double y, double most);

#endif
