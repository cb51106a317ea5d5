/* penalty.h - l1, group, sparse-group and elastic-net penalties: value, prox,
 * dual norm
 *
 * Omega(b) = sum over groups g of Omega_g(b_g), where every group's norm is of
 * one form, Omega_g(v) = a norm1(v) + c norm2(v). A group's norm takes the
 * group's values in one piece: see math/grouping.h for groups over attributes.
 * All functions are local and without side effects.
 *
 * The elastic net (Zou & Hastie 2005) in the parametrisation of glmnet
 * (Friedman, Hastie & Tibshirani 2010) is mix norm1(b) + (1 - mix)/2
 * norm2(b)^2. Its square is no part of a norm: it is a ridge of (1 - mix)
 * lambda, of which an attribute has q times as much.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PENALTY_H
#define TH_PENALTY_H

#include <stdbool.h>
#include <stdint.h>

/* a, c, q >= 0; all 0: no penalty. */
struct th_group_norm {
  double a;
  double c;
  double q;     /* of a ridge, where there is one: ridge q norm2(v)^2 / 2 */
  bool bounded; /* a single value, which stays within lower <= 0 <= upper: */
  double lower;
  double upper;
};

/* Return Omega_g(v); 0 for count 0. */
double th_penalty_norm_value(struct th_group_norm norm, const double *v,
                             int64_t count);

/* Replace v by the prox of t Omega_g at v, the minimiser u of
 * norm2(u - v)^2 / 2 + t Omega_g(u): apply the soft threshold t a, then shrink
 * the group by t c, then go back to the bounds. t >= 0. */
void th_penalty_norm_prox(struct th_group_norm norm, double t, double *v,
                          int64_t count);

/* v -= t Z with Z_j = a sign(v_j) + c v_j / norm2(v), and 0 where v_j is: a
 * subgradient of Omega_g at v. */
void th_penalty_norm_descend(struct th_group_norm norm, double t, double *v,
                             int64_t count);

/* Return Omega_g^D(z) = max of z'u over Omega_g(u) <= 1, also the smallest nu
 * with norm2((|z| - a nu)_+) <= c nu. work: room for count doubles; it is not
 * used if a or c is 0. NaN if z has one, INFINITY if z has one. 0 without a
 * penalty: z is 0 at an optimum then. With bounds, as th_penalty_norm_dual_at
 * at 0. */
double th_penalty_norm_dual(struct th_group_norm norm, const double *z,
                            int64_t count, double *work);

/* --- Bounds of single values
 *
 * The conjugate of lambda a |v| within the bounds is, at lambda z, upper lambda
 * (z - a)_+ or -lower lambda (-z - a)_+. A side without a bound needs z <= a
 * (or -z <= a) instead. Where there is a bound, either will do: at the bound
 * the first one, which closes the gap, elsewhere the second. */

/* Return the smallest nu with z <= a nu and -z <= a nu, less the side on which
 * v is at its bound: what no step from v could use. Without bounds |z| / a. */
double th_penalty_norm_dual_at(struct th_group_norm norm, double v, double z);

/* Return the conjugate at lambda z, for the side on which v is at its bound.
 * 0 without bounds. */
double th_penalty_norm_beyond(struct th_group_norm norm, double v, double z,
                              double lambda);

/* Return v, or the bound that it is beyond. */
double th_penalty_norm_clip(struct th_group_norm norm, double v);

/* True if v is not 0, and at no bound. */
bool th_penalty_norm_free(struct th_group_norm norm, double v);

/* Return a number k with Omega_g(v) >= k norm2(v). Then
 * Omega_g^D(x) <= norm2(x) / k. */
double th_penalty_norm_least(struct th_group_norm norm);

/* One row per penalty. norm takes the weight of a group, or 0 for the default.
 * Of a penalty that is not grouped this is the weight of each member, by
 * default 1; otherwise the default is sqrt(size). size: members in the
 * description, screened or not. mix: share of norm1, of penalties that mix. */
struct th_penalty {
  const char *name;
  const char *summary;
  bool grouped; /* the members of a group act together */
  bool mixes;   /* takes a mix */
  struct th_group_norm (*norm)(double weight, int64_t size, double mix);
  double (*ridge)(double mix); /* the ridge over lambda; NULL: it has none */
};

/* Return the table, which ends with a NULL name; return the row of a name, or
 * NULL. */
const struct th_penalty *th_penalty_table(void);
const struct th_penalty *th_penalty_find(const char *name);

/* --- How far a mean of few examples may be from what it estimates
 *
 * Half-widths that hold for all entries at once with probability 1 - delta, for
 * means of `samples` independent values in [-bound, bound] (Liang & Poon 2022,
 * section 3.4, where the exponent lacks a square and a factor). Local. */

/* Return the share of delta that check c = 1, 2, ... of a run may spend:
 * delta / (c (c + 1)). For any number of checks the sum is at most delta. */
double th_penalty_confidence_share(double delta, int64_t check);

/* Return the half-width of Maurer & Pontil 2009, Theorem 4. variance is the
 * sample variance (divisor samples - 1). The half-width is small if the
 * variance is far below bound^2. INFINITY for fewer than 2 samples. */
double th_penalty_confidence_bernstein(double variance, double bound,
                                       int64_t samples, int64_t entries,
                                       double delta);

#endif
