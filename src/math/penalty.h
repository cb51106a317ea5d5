/* penalty.h - l1, group and sparse-group penalties: value, prox, dual norm
 *
 * Omega(b) = sum over groups g of Omega_g(b_g), where every group's norm is of
 * one form, Omega_g(v) = a norm1(v) + c norm2(v). A group's norm takes the
 * group's values in one piece: see math/grouping.h for groups over attributes.
 * All functions are local and without side effects.
 *
 * SPDX-License-Identifier: MIT */
#ifndef TH_PENALTY_H
#define TH_PENALTY_H

#include <stdbool.h>
#include <stdint.h>

/* a, c >= 0, not both 0. */
struct th_group_norm {
  double a;
  double c;
};

/* Omega_g(v); 0 for count 0. */
double th_penalty_norm_value(struct th_group_norm norm, const double *v,
                             int64_t count);

/* v = prox of t Omega_g at v, the minimiser of norm2(u - v)^2 / 2 + t
 * Omega_g(u): the soft threshold t a, then the group is shrunk by t c. t >= 0.
 */
void th_penalty_norm_prox(struct th_group_norm norm, double t, double *v,
                          int64_t count);

/* Omega_g^D(z) = max of z'u over Omega_g(u) <= 1, also the smallest nu with
 * norm2((|z| - a nu)_+) <= c nu. work: room for count doubles, not looked at
 * where a or c is 0. NaN where z has one, INFINITY where z has one. */
double th_penalty_norm_dual(struct th_group_norm norm, const double *z,
                            int64_t count, double *work);

/* A number k with Omega_g(v) >= k norm2(v): Omega_g^D(x) <= norm2(x) / k. */
double th_penalty_norm_least(struct th_group_norm norm);

/* One row per penalty. weight: of the group, 0 for the default: 1 for l1, where
 * it is that of each member, else sqrt(size). size: of the group in the
 * description, whatever is screened. mix: share of norm1, of sparse-group
 * alone. */
struct th_penalty {
  const char *name;
  const char *summary;
  bool grouped; /* the members of a group act together */
  bool mixes;   /* takes a mix */
  struct th_group_norm (*norm)(double weight, int64_t size, double mix);
};

/* The table, ended by a NULL name; the row of a name, or NULL. */
const struct th_penalty *th_penalty_table(void);
const struct th_penalty *th_penalty_find(const char *name);

#endif
