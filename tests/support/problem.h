/* problem.h - regression problems with a known answer, for tests of solvers
 * SPDX-License-Identifier: MIT */
#ifndef TH_TEST_PROBLEM_H
#define TH_TEST_PROBLEM_H

#include "memory_store.h"

#include "model/model.h"
#include "solvers/driver/train.h"

enum { PROBLEM_MOST = 64 };

/* y = intercept + sum over S* of coef x + noise, x independent normal with the
 * given mean and unit variance; labels: 5 where that is above 0, else 2. */
struct problem {
  int64_t training;
  int64_t test;
  int64_t attributes;
  int64_t true_size; /* at most PROBLEM_MOST */
  double noise;
  double mean;
  double intercept;
  uint64_t seed;
  bool labels;
  bool weighted;                 /* between 0.5 and 1.5 */
  int64_t support[PROBLEM_MOST]; /* filled in; spread evenly */
  double coef[PROBLEM_MOST];     /* filled in; +1 and -1 in turn */
};

/* The data, without memory_store_finish. */
struct memory_store *problem_store(struct problem *p);

/* The same, ready, with attribute 9 equal to attribute 5, and placed.
 * Collective. */
struct memory_store *problem_twins(struct problem *p, struct th_comm *comm);

/* The population mean squared error of a model. */
double problem_mse(const struct problem *p, const struct th_model *model);

/* Is the support of a model S* exactly? */
bool problem_solved(const struct problem *p, const struct th_model *model);

/* Usual options: one pass, standardize, intercept. */
struct th_config problem_config(const char *solver, int64_t sparsity,
                                int64_t budget);

/* Plan and train; monitor may be NULL; *model is set to nothing first and may
 * be freed in any case. Collective. */
th_status problem_train(const struct th_config *config, struct th_store *store,
                        struct th_comm *comm, const struct th_monitor *monitor,
                        struct th_model *model, struct th_error *err);

/* The same alone, with a model that is to come out well. Local. */
void problem_must_train(const struct th_config *config,
                        struct memory_store *store,
                        const struct th_monitor *monitor,
                        struct th_model *model);

/* Train and check; a digest of the model. Collective. */
typedef uint64_t problem_learn(struct th_comm *comm, struct th_config *config,
                               struct memory_store *store);

/* Do all ranks learn what rank 0 learns alone? The store is placed. Collective.
 */
bool problem_learns_alike(struct th_comm *comm, problem_learn *learn,
                          struct th_config *config, struct memory_store *store);

/* Of what a model says, without pointers: support, coefficients, intercept,
 * ledger, passes. Local. */
uint64_t problem_digest(const struct th_model *model);

#endif
