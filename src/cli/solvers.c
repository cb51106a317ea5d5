/* solvers.c - the command that lists solvers
 * SPDX-License-Identifier: MIT */
#include "cli/commands.h"
#include "solvers/driver/train.h"

static void print_solver(const struct th_solver_row *row)
{
  printf("%s\n  %s\n  source:  %s\n  needs:   %s\n  options:", row->name,
         row->summary, row->source,
         row->needs_sparsity && row->needs_budget ? "-s, --budget"
         : row->needs_sparsity                    ? "-s"
         : row->needs_budget                      ? "--budget"
         : row->needs_start                       ? "--start"
                                                  : "nothing");
  for (const char *const *option = row->options; *option != NULL; option++)
    printf(" --%s", *option);
  printf("%s\n", row->options[0] == NULL ? " none of its own" : "");
}

th_status th_command_solvers(const struct th_options *options,
                             struct th_comm *comm, struct th_error *err)
{
  (void)options;
  (void)err;
  for (const struct th_solver_row *row = th_solver_table();
       comm->rank == 0 && row->name != NULL; row++)
    print_solver(row);
  return TH_OK;
}
