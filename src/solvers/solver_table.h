/* solver_table.h - which solvers there are, and what each needs
 * (driver/registry.c)
 * SPDX-License-Identifier: MIT */
#ifndef TH_SOLVER_TABLE_H
#define TH_SOLVER_TABLE_H

#include "solvers/config.h"

#include <stdbool.h>

struct th_algorithm;

/* The solver table, ended by a NULL name. */
struct th_solver_row {
  const char *name;
  const char *summary;
  const char *source;         /* paper and algorithm */
  const char *const *options; /* names of the options it uses beyond those
                                 that all solvers use; NULL-ended */
  bool needs_sparsity;        /* -s must be given */
  bool needs_budget;          /* --budget must be given */
  bool needs_start;           /* --start must be given */
  bool penalised;             /* mean loss + lambda Omega, no budget */
  bool by_examples;      /* keeps values example by example (panel_memory) */
  enum th_screen screen; /* what --screen is when not given */
  const struct th_algorithm *algorithm;
};
const struct th_solver_row *th_solver_table(void);
const struct th_solver_row *th_solver_find(const char *name);

#endif
