/* mpi_spread.c - a spread matrix solved by ScaLAPACK
 *
 * The grid of processes is made on the team's own communicator, and lasts for
 * one solve. ScaLAPACK counts in int, so no rank's part may have 2^31 numbers;
 * plans see to that. OpenBLAS, where it is what ScaLAPACK stands on, is told to
 * use one thread: there is a rank for every core.
 * SPDX-License-Identifier: MIT */
#include "mpi/mpi_spread.h"

#include "core/memory.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The libraries come without headers. */
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridexit(int context);
void descinit_(int *desc, const int *m, const int *n, const int *mb,
               const int *nb, const int *row, const int *column,
               const int *context, const int *lead, int *info);
void pdpotrf_(const char *triangle, const int *n, double *a, const int *ia,
              const int *ja, const int *desc, int *info);
void pdpotrs_(const char *triangle, const int *n, const int *sides,
              const double *a, const int *ia, const int *ja, const int *desc,
              double *b, const int *ib, const int *jb, const int *desc_b,
              int *info);

enum { DESCRIPTOR = 9 };

static void one_thread(void)
{
  void (*set_threads)(int) = NULL;
  void *program = dlopen(NULL, RTLD_LAZY);
  void *found =
      program == NULL ? NULL : dlsym(program, "openblas_set_num_threads");
  memcpy(&set_threads, &found, sizeof found);
  if (set_threads != NULL)
    set_threads(1);
  if (program != NULL)
    dlclose(program);
}

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
static bool solve_parts(int context, struct th_spread *a, double *part)
{
  const int n = (int)a->n;
  const int block = TH_SPREAD_BLOCK;
  const int lead = a->lead > 0 ? (int)a->lead : 1;
  const int zero = 0;
  const int one = 1;
  int matrix[DESCRIPTOR];
  int side[DESCRIPTOR];
  int info = 0;
  descinit_(matrix, &n, &n, &block, &block, &zero, &zero, &context, &lead,
            &info);
  descinit_(side, &n, &one, &block, &block, &zero, &zero, &context, &lead,
            &info);
  pdpotrf_("L", &n, a->a, &one, &one, matrix, &info);
  if (info != 0)
    return false;
  pdpotrs_("L", &n, &one, a->a, &one, &one, matrix, part, &one, &one, side,
           &info);
  return info == 0;
}

th_status th_mpi_spread_solve(MPI_Comm team, struct th_comm *comm,
                              struct th_spread *a, const double *b, double *x,
                              bool *definite, struct th_error *err)
{
  double *part = NULL;
  th_status rc = TH_NEW(&part, a->lead, "a linear system", err);
  TH_TRY(th_agree(comm, rc, err));
  one_thread();
  take_part(a, b, part);
  int handle = Csys2blacs_handle(team);
  int context = handle;
  Cblacs_gridinit(&context, "Row", a->grid.rows, a->grid.columns);
  *definite = solve_parts(context, a, part);
  Cblacs_gridexit(context);
  Cfree_blacs_system_handle(handle);
  if (*definite) {
    give_part(a, part, x);
    th_comm_share_numbers(comm, x, (size_t)a->n);
  }
done:
  free(part);
  return rc;
}
