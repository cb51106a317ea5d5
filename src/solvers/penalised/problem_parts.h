/* problem_parts.h - what the files of a penalised problem share
 * SPDX-License-Identifier: MIT */
#ifndef TH_PROBLEM_PARTS_H
#define TH_PROBLEM_PARTS_H

#include "solvers/penalised/problem.h"

/* A bound on the rounding of a sum, over the sum of its terms' magnitudes. It
 * is twice the bound of kernels.h, since residuals are rounded, too. */
#define TH_SINGLE_ROUNDING 0x1p-16
#define TH_DOUBLE_ROUNDING 0x1p-42

enum th_sum_kind {
  TH_SUM_FAST,   /* of the storage type's kernel */
  TH_SUM_DOUBLE, /* in double */
  TH_SUM_MOMENTS /* squares, with the weights eta */
};

/* z = factor times the sums, over the places of marked groups; the others stay
 * as they are. Uses the problem's multipliers, or for moments its weights.
 * Collective. TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET,
 * TH_EFORMAT, TH_EIO. */
th_status th_problem_sums(struct th_problem *problem, const bool *marked,
                          enum th_sum_kind kind, double factor, double *z,
                          struct th_error *err);

/* A slab of a pass: its first attribute is entry `at` of the list. */
struct th_problem_piece {
  struct th_slab slab;
  struct th_rows rows;
  int64_t at;
};

/* What a pass does with a slab. */
typedef void th_problem_add(struct th_problem *problem,
                            const struct th_problem_piece *piece, void *task);

/* Read all examples of the attributes that were declared, of which this rank
 * has `count`; sparse ones that are kept whole are only counted. Local.
 * TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO.
 */
th_status th_problem_read(struct th_problem *problem, int64_t count,
                          th_problem_add *add, void *task,
                          struct th_error *err);

/* Compute second moments of the groups, and bounds on rounding, by one pass.
 * Collective. TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET,
 * TH_EFORMAT, TH_EIO. */
th_status th_problem_moments(struct th_problem *problem, struct th_error *err);

#endif
