/* schedule.h - step sizes and schedules by rule
 *
 * Pure arithmetic on replicated numbers. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SCHEDULE_H
#define TH_SCHEDULE_H

#include <stdint.h>

/* The largest eigenvalue lambda of a covariance matrix with unit diagonal, from
 * the largest eigenvalue l of its estimate on few rows, ratio = attributes /
 * rows: an l that pure noise explains (the Marchenko-Pastur edge, with 15 per
 * cent to spare) means 1; above it the spike formula
 * l = lambda (1 + ratio / (lambda - 1)) is solved for lambda. Dividing l by the
 * edge instead is wrong under correlation. */
double th_schedule_eigenvalue(double l, double ratio);

/* T_k, the Exploitation updates of a round: as many as shrink the error on S by
 * the factor that exploring costs, ceil(log d' / (-2 log(1 - 2 eta))), at
 * least 1 (Murata & Suzuki, Theorem 4.4). */
int64_t th_schedule_exploit_updates(int64_t blocks, double eta);

/* The most members that S may have in solver `sift`: 0.7 of the budget, where
 * that is less than all attributes, and a fifth of the examples, so that
 * exploring and fitting stay possible, and 2048, or 2 s, so that a Gram matrix
 * of S stays small beside the data. At least 1. sparsity 0: not limited. */
int64_t th_schedule_sift_support(int64_t attributes, int64_t budget,
                                 int64_t sparsity, int64_t rows);

/* Rows of a round of solver `sift` after `used` rows, with so many members of
 * S: rounds that grow with what is known make few of them, and a fit on S wants
 * some rows of each. */
double th_schedule_sift_round(double used, double members);

/* B^-_1 = max(3 s, 20): the noise of one screening coordinate then stays below
 * a typical coefficient. */
int64_t th_schedule_explore_rows(int64_t sparsity);

/* Of `rows` rows, those that a fit by Newton's steps on so many members keeps:
 * 2^25 values at the most. */
int64_t th_schedule_refit_rows(int64_t members, int64_t rows);

/* A batch after `rounds` rounds of growth, rounded up. */
int64_t th_schedule_grow(int64_t rows, double growth, int64_t rounds);

#endif
