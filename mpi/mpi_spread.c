/* mpi_spread.c - a spread matrix solved by ScaLAPACK
 *
 * The grid of processes is made on the team's own communicator, and lasts for
 * one solve. ScaLAPACK counts in int, so no rank's part may have 2^31 numbers;
 * plans see to that.
 * SPDX-License-Identifier: MIT */
#include "mpi/mpi_spread.h"

#include "base/memory.h"
#include "mpi/mpi_scalapack.h"

#include <stdlib.h>
#include <string.h>

enum { DESCRIPTOR = 9 };

/* This rank's part of a right-hand side lies on the grid's first column. */
static void take_part(const struct th_spread *a, const double *all,
                      double *part)
{
  for (int64_t i = 0; i < a->rows && a->grid.column == 0; i++)
    part[i] = all[th_spread_row(a, i)];
}

static void give_part(const struct th_spread *a, const double *part,
                      double *all)
{
  memset(all, 0, (size_t)a->n * sizeof *all);
  for (int64_t i = 0; i < a->rows && a->grid.column == 0; i++)
    all[th_spread_row(a, i)] = part[i] == 0 ? 0.0 : part[i]; /* never -0 */
}

/* Factor and solve; the solution is in `part`. Collective. */
static bool solve_parts(const struct th_mpi_scalapack *library, int context,
                        struct th_spread *a, double *part)
{
  const int n = (int)a->n;
  const int block = TH_SPREAD_BLOCK;
  const int lead = a->lead > 0 ? (int)a->lead : 1;
  const int zero = 0;
  const int one = 1;
  int matrix[DESCRIPTOR];
  int side[DESCRIPTOR];
  int info = 0;
  library->descinit(matrix, &n, &n, &block, &block, &zero, &zero, &context,
                    &lead, &info);
  library->descinit(side, &n, &one, &block, &block, &zero, &zero, &context,
                    &lead, &info);
  library->pdpotrf("L", &n, a->a, &one, &one, matrix, &info);
  if (info != 0)
    return false;
  library->pdpotrs("L", &n, &one, a->a, &one, &one, matrix, part, &one, &one,
                   side, &info);
  return info == 0;
}

th_status th_mpi_spread_solve(MPI_Comm team, struct th_comm *comm,
                              struct th_spread *a, const double *b, double *x,
                              bool *definite, struct th_error *err)
{
  double *part = NULL;
  struct th_mpi_scalapack library;
  th_status rc = TH_NEW(&part, a->lead, "a linear system", err);
  if (rc == TH_OK)
    rc = th_mpi_scalapack_load(&library, err);
  TH_TRY(th_agree(comm, rc, err));
  take_part(a, b, part);
  int handle = library.sys2blacs_handle(team);
  int context = handle;
  library.gridinit(&context, "Row", a->grid.rows, a->grid.columns);
  *definite = solve_parts(&library, context, a, part);
  library.gridexit(context);
  library.free_blacs_system_handle(handle);
  if (*definite) {
    give_part(a, part, x);
    th_comm_share_numbers(comm, x, (size_t)a->n);
  }
done:
  free(part);
  return rc;
}
