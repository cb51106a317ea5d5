/* solver_table.h - which solvers there are, and what each needs
 * (driver/solvers.c)
 * SPDX-License-Identifier: MIT */
#ifndef TH_SOLVER_TABLE_H
#define TH_SOLVER_TABLE_H

#include "base/error.h"
#include "solvers/config.h"

#include <stdbool.h>

struct th_algorithm;
struct th_ball;
struct th_plan;
struct th_plan_size;
struct th_screening;
struct th_shape;
struct th_update;

/* The solver table, ended by a NULL name. */
struct th_solver_row {
  const char *name;
  const char *summary;
  const char *for_whom;           /* what they have who should take it */
  const char *source;             /* paper and algorithm */
  const char *const *own_options; /* where they are not its algorithm's */
  bool needs_sparsity;            /* -s must be given */
  bool needs_budget;              /* --budget must be given */
  bool needs_start;               /* --start must be given */
  bool penalised;                 /* mean loss + lambda Omega, no budget */
  bool selects; /* with `penalised`: attributes are chosen in place of a penalty
                 */
  bool anytime; /* what it has after any update is a model */
  bool dense_model;  /* models may have more attributes than the budget */
  bool chooses;      /* without a lambda it takes a path, and held-out examples
                        choose on it (predict/chooser.h) */
  bool exact;        /* takes losses without a Lipschitz constant */
  bool squares;      /* takes penalties with a ridge: the elastic net */
  const char *ridge; /* what its penalty is called, if it is not of the penalty
                        table; the loss is squared then. NULL: it is */
  const char *why_all; /* why it has no attributes without a penalty; NULL: it
                          may have some */
  bool by_examples;    /* keeps values example by example (row_cache_memory) */
  enum th_screen screen; /* what --screen is when not given */
  /* Complete a plan whose config and solver are set, from sizes alone. Local,
   * the same on every rank. An error for options that do not go together. */
  th_status (*plan)(struct th_plan *plan, const struct th_plan_size *size,
                    struct th_error *err);
  /* Why a run cannot select for prediction; NULL: it can. Local. The pointer is
   * NULL for solvers that never do. */
  const char *(*why_truth)(const struct th_config *config,
                           const struct th_shape *shape);
  const struct th_algorithm *algorithm;
  /* Stochastic methods: how coefficients change, and how attributes are
   * dropped, by enum th_screen. */
  const struct th_update *update;
  const struct th_screening *const *screenings;
  /* Methods that sample attributes: the ball of the coefficients. */
  const struct th_ball *ball;
};
/* Local. */
const struct th_solver_row *th_solver_table(void);
/* Local. */
const struct th_solver_row *th_solver_find(const char *name);

/* Names of the options that a solver uses beyond those that all solvers use,
 * NULL-ended. Local. */
const char *const *th_solver_options(const struct th_solver_row *row);

/* An error if config lacks an option that its solver needs. starts: --start is
 * given. Local. */
th_status th_solver_check_needs(const struct th_config *config, bool starts,
                                struct th_error *err);

#endif
