/* solver_options.c - which options a solver uses
 * SPDX-License-Identifier: MIT */
#include "api/solver_options.h"

#include "core/search.h"
#include "solvers/solver_table.h"

#include <stdio.h>

static bool lists(const struct th_solver_row *row, const char *option)
{
  return th_search_name(row->options, sizeof *row->options, SIZE_MAX, option) >=
         0;
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
