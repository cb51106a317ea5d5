/* penalised.h - penalised problems and a slow exact reference, for tests
 * SPDX-License-Identifier: MIT */
#ifndef TH_PENALISED_H
#define TH_PENALISED_H

#include "problem.h"

#include "data/groups.h"
#include "math/loss.h"

/* Options of a solver with a penalty: l1, no intercept, not standardized. */
struct th_config penalised_config(const char *solver, const char *loss,
                                  double ratio);

/* Whether a solver of the table uses an option. */
bool solver_uses(const struct th_solver_row *row, const char *option);
/* Whether it looks at its support and at other attributes by chance. */
bool solver_looks(const struct th_solver_row *row);

/* This loss, where a run of the options takes it; else the squared one. */
const char *solver_loss(const struct th_config *config, const char *loss);

/* A problem in plain arrays: x[i * d + j], weights with mean 1. */
struct plain {
  int64_t n;
  int64_t d;
  const struct th_loss *loss;
  double lambda;
  double *x;
  double *y;
  double *weight;
};

/* The training examples of a store as solvers see them without centring and
 * scaling; exits when out of memory. lambda as given. */
void plain_take(struct plain *p, const struct memory_store *m,
                const struct th_loss *loss, double lambda);
void plain_free(struct plain *p);

/* mean loss + lambda norm1(b), with an intercept. */
double plain_objective(const struct plain *p, const double *b, double b0);

/* The minimiser of it for the l1 norm, by proximal gradient steps with momentum
 * to the last bits: b[d], and the intercept where `intercept`. */
void plain_solve(const struct plain *p, bool intercept, double *b, double *b0);

/* Coefficients of a model in full: b[d]. */
void plain_coef(const struct th_model *model, double *b);

/* Groups of `size` consecutive attributes, the last perhaps shorter, on one
 * rank; release with th_groups_free. */
void plain_groups(struct th_groups *groups, struct th_comm *comm,
                  int64_t attributes, int64_t size);

#endif
