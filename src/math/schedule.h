/* schedule.h - step sizes and schedules by rule
 *
 * Pure arithmetic on replicated numbers. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SCHEDULE_H
#define TH_SCHEDULE_H

#include <stdint.h>

/* Estimate the largest eigenvalue lambda of a covariance matrix with unit
 * diagonal. l is the largest eigenvalue of its estimate on few rows; ratio =
 * attributes / rows. If pure noise explains l (up to the Marchenko-Pastur edge,
 * with 15 per cent to spare), lambda is 1. Above this the spike formula
 * l = lambda (1 + ratio / (lambda - 1)) is solved for lambda. Dividing l by the
 * edge instead is wrong under correlation. */
double th_schedule_eigenvalue(double l, double ratio);

/* Return T_k, the Exploitation updates of a round. They shrink the error on S
 * by the factor that exploring costs: ceil(log d' / (-2 log(1 - 2 eta))), at
 * least 1. The form is that of Murata & Suzuki, Theorem 4.4; the contraction is
 * that of a quadratic (src/solvers/THEORY.md). */
int64_t th_schedule_exploit_updates(int64_t blocks, double eta);

/* Return the most members that S may have in solver `sift`, at least 1. Three
 * limits hold. 0.7 of the budget, if the budget is less than all attributes,
 * and a fifth of the examples keep exploring and fitting possible. 2048, or 2 s
 * if that is more, keeps a Gram matrix of S small beside the data. sparsity 0:
 * s is not limited. */
int64_t th_schedule_sift_support(int64_t attributes, int64_t budget,
                                 int64_t sparsity, int64_t rows);

/* Return the rows of a round of solver `sift` after `used` rows, when S has
 * `members` members. Rounds grow with the rows used, so that there are few
 * rounds. A fit on S needs some rows for each member. */
double th_schedule_sift_round(double used, double members);

/* Return B^-_1 = max(3 s, 20). The noise of one screening coordinate then stays
 * below a typical coefficient. */
int64_t th_schedule_explore_rows(int64_t sparsity);

/* Return how many of `rows` rows a fit by Newton's steps on `members` members
 * keeps: 2^25 values at the most. */
int64_t th_schedule_refit_rows(int64_t members, int64_t rows);

/* Return the rows of a batch after `rounds` rounds of growth, rounded up. */
int64_t th_schedule_grow(int64_t rows, double growth, int64_t rounds);

/* The rows of the first batches, one after the other. */
enum { TH_SCHEDULE_MOST = 24 };
struct th_schedule_rows {
  int64_t count; /* 0: chosen by the solver */
  int64_t rows[TH_SCHEDULE_MOST];
};

/* Return the rows of batch `round`, from 0: as given, and from the last one
 * given on they grow. */
int64_t th_schedule_given(const struct th_schedule_rows *given, double growth,
                          int64_t round);

#endif
