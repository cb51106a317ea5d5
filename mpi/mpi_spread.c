/* mpi_spread.c - a spread matrix solved by ScaLAPACK
 *
 * The grid of processes is made on the team's own communicator, and lasts for
 * one solve. ScaLAPACK counts in int, so no rank's part may have 2^31 numbers;
 * plans see to that.
 * SPDX-License-Identifier: MIT */
#include "mpi/mpi_spread.h"

#include "base/error.h"
#include "base/memory.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- ScaLAPACK, loaded when it is wanted ------------------------------------
 *
 * OpenBLAS, where it is what ScaLAPACK stands on, starts threads as soon as it
 * is loaded, and they wait busily at first. Few runs want it. It is told to use
 * one thread: there is a rank for every core. */

/* Its functions, by the names that its manual has for them without C or _. */
struct scalapack {
  int (*sys2blacs_handle)(MPI_Comm comm);
  void (*free_blacs_system_handle)(int handle);
  void (*gridinit)(int *context, const char *order, int rows, int columns);
  void (*gridexit)(int context);
  void (*descinit)(int *desc, const int *m, const int *n, const int *mb,
                   const int *nb, const int *row, const int *column,
                   const int *context, const int *lead, int *info);
  void (*pdpotrf)(const char *triangle, const int *n, double *a, const int *ia,
                  const int *ja, const int *desc, int *info);
  void (*pdpotrs)(const char *triangle, const int *n, const int *sides,
                  const double *a, const int *ia, const int *ja,
                  const int *desc, double *b, const int *ib, const int *jb,
                  const int *desc_b, int *info);
};

#define AT(member) offsetof(struct scalapack, member)

static const struct {
  const char *name;
  size_t at;
} functions[] = {
    {"Csys2blacs_handle", AT(sys2blacs_handle)},
    {"Cfree_blacs_system_handle", AT(free_blacs_system_handle)},
    {"Cblacs_gridinit", AT(gridinit)},
    {"Cblacs_gridexit", AT(gridexit)},
    {"descinit_", AT(descinit)},
    {"pdpotrf_", AT(pdpotrf)},
    {"pdpotrs_", AT(pdpotrs)},
};

/* What it consists of; the last one is what is called. */
static const struct {
  const char *name; /* by which the system finds it */
  const char *file; /* where it was when this was built */
} libraries[] = {TH_SCALAPACK};

enum { LIBRARIES = sizeof libraries / sizeof *libraries };

/* Open library k. Of several one may call functions of a later one, which are
 * looked for when they are called. */
static void *open_library(int k)
{
  const int manner =
      LIBRARIES > 1 ? RTLD_LAZY | RTLD_GLOBAL : RTLD_NOW | RTLD_LOCAL;
  void *found = dlopen(libraries[k].name, manner);
  return found != NULL ? found : dlopen(libraries[k].file, manner);
}

/* The function of that name, of the last library that has it, or NULL. */
static void *find_function(void *const *opened, const char *name)
{
  void *function = NULL;
  for (int k = LIBRARIES; function == NULL && k-- > 0;)
    function = dlsym(opened[k], name);
  return function;
}

/* Load the libraries; they stay until the process ends. Local. False, and an
 * error, where one is not found. */
static bool load_scalapack(struct scalapack *library, struct th_error *err)
{
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void *opened[LIBRARIES];
  for (int k = 0; k < LIBRARIES; k++) {
    opened[k] = open_library(k);
    if (opened[k] == NULL) {
      th_fail(err, TH_EIO,
              "cannot load ScaLAPACK: %s; install it, or choose {factor} own "
              "or cg",
              dlerror());
      return false;
    }
  }
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    void *function = find_function(opened, functions[k].name);
    if (function == NULL) {
      th_fail(err, TH_EIO, "%s: no function %s; choose {factor} own or cg",
              libraries[LIBRARIES - 1].name, functions[k].name);
      return false;
    }
    memcpy((char *)library + functions[k].at, &function, sizeof function);
  }
  return true;
}

/* --- A solve -------------------------------------------------------------- */

enum { DESCRIPTOR = 9 };

/* This rank's part of a right-hand side lies on the grid's first column. */
static void first_column_part(const struct th_spread *a, const double *all,
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
static bool solve_parts(const struct scalapack *library, int context,
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
  struct scalapack library;
  th_status rc = TH_NEW(&part, a->lead, "a linear system", err);
  if (rc == TH_OK && !load_scalapack(&library, err))
    rc = TH_EIO;
  th_status own = rc;
  TH_TRY(th_agree(comm, own, err));
  TH_TRY(own); /* which th_agree has seen to already; a checker cannot know */
  first_column_part(a, b, part);
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
