/* registry.c - the solver table
 * SPDX-License-Identifier: MIT */
#include "solvers/algorithm.h"
#include "solvers/train.h"

#include <string.h>

static const char *const threshold_options[] = {
    "eta",    "batch-explore", "batch-exploit",  "updates-explore",
    "growth", "rounds",        "shared-support", "updates-exploit",
    NULL};
static const char *const exploration_options[] = {
    "eta",    "batch-explore", "updates-explore",
    "growth", "rounds",        "shared-support",
    NULL};
static const char *const exploitation_options[] = {
    "eta", "batch-exploit", "updates-exploit", "growth", "rounds", "start",
    NULL};
static const char *const no_options[] = {NULL};

/* Name, summary, source, options of its own, what must be given, algorithm. */
static const struct th_solver_row solvers[] = {
    {"sift",
     "attributes enter by accumulated evidence; nothing to set but the budget",
     "ours, on the observations of Murata & Suzuki 2018, Algorithm 1",
     no_options, false, false, false, &th_sift_algorithm},
    {"exploration", "gradients in blocks of attributes, then a hard threshold",
     "Murata & Suzuki 2018, Algorithm 1", exploration_options, true, true,
     false, &th_exploration_algorithm},
    {"exploitation", "gradient steps on the support of --start, which stays",
     "Murata & Suzuki 2018, Algorithm 2", exploitation_options, false, false,
     true, &th_exploitation_algorithm},
    {"hybrid", "rounds of exploration, each followed by exploitation",
     "Murata & Suzuki 2018, Algorithm 3", threshold_options, true, true, false,
     &th_hybrid_algorithm},
    {NULL, NULL, NULL, NULL, false, false, false, NULL},
};

const struct th_solver_row *th_solver_table(void)
{
  return solvers;
}

const struct th_solver_row *th_solver_find(const char *name)
{
  for (const struct th_solver_row *row = solvers; row->name != NULL; row++)
    if (strcmp(row->name, name) == 0)
      return row;
  return NULL;
}
