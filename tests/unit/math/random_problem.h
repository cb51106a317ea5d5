/* random_problem.h - small random penalised problems of many kinds
 * SPDX-License-Identifier: MIT */
#ifndef RANDOM_PROBLEM_H
#define RANDOM_PROBLEM_H

#include "math/loss.h"
#include "math/penalty.h"

#include <stdbool.h>
#include <stdint.h>

enum { RANDOM_ROWS = 20, RANDOM_COLUMNS = 24 };

/* n examples of d attributes, in groups. */
struct random_problem {
  uint64_t number;
  uint64_t drawn; /* random numbers so far */
  const struct th_loss *loss;
  bool intercept;
  int64_t n;
  int64_t d;
  int64_t groups;
  int64_t
      start[RANDOM_COLUMNS + 1]; /* of groups, which are ranges of columns */
  struct th_group_norm norm[RANDOM_COLUMNS];
  double lambda;
  double x[RANDOM_COLUMNS][RANDOM_ROWS];
  double y[RANDOM_ROWS];
  double eta[RANDOM_ROWS];
  double second[RANDOM_COLUMNS]; /* N_g = sum eta Omega_g^D(x_ig)^2 */
};

/* All but lambda, as the number says. */
void random_problem_init(struct random_problem *p, uint64_t number);

/* More random numbers of it: from (0, 1), and standard normal ones. */
double random_problem_uniform(struct random_problem *p);
double random_problem_normal(struct random_problem *p);

#endif
