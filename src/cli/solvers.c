/* solvers.c - which options a solver uses; the subcommand that lists solvers
 * SPDX-License-Identifier: MIT */
#include "cli/solvers.h"

#include "cli/commands.h"
#include "solvers/driver/train.h"

#include <string.h>

static bool lists(const struct th_solver_row *row, const char *option)
{
  for (const char *const *own = row->options; *own != NULL; own++)
    if (strcmp(*own, option) == 0)
      return true;
  return false;
}

bool th_solver_uses(const char *solver, const char *option)
{
  bool anyone = false;
  for (const struct th_solver_row *row = th_solver_table(); row->name != NULL;
       row++)
    anyone = anyone || lists(row, option);
  const struct th_solver_row *own = th_solver_find(solver);
  return !anyone || (own != NULL && lists(own, option));
}

void th_solver_users(const char *option, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (const struct th_solver_row *row = th_solver_table();
       row->name != NULL && used < size; row++)
    if (lists(row, option))
      used += (size_t)snprintf(text + used, size - used, "%s%s",
                               used == 0 ? "" : " or ", row->name);
}

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

th_status th_run_solvers(const struct th_options *options, struct th_comm *comm,
                         struct th_error *err)
{
  (void)options;
  (void)err;
  for (const struct th_solver_row *row = th_solver_table();
       comm->rank == 0 && row->name != NULL; row++)
    print_solver(row);
  return TH_OK;
}
