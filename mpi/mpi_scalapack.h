/* mpi_scalapack.h - ScaLAPACK, loaded when it is wanted; internal
 * SPDX-License-Identifier: MIT */
#ifndef TH_MPI_SCALAPACK_H
#define TH_MPI_SCALAPACK_H

#include "base/error.h"

#include <mpi.h>

/* Its functions, by the names that its manual has for them without C or _. */
struct th_mpi_scalapack {
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

/* Load the library; it stays until the process ends. Local. An error where it
 * is not found. */
th_status th_mpi_scalapack_load(struct th_mpi_scalapack *library,
                                struct th_error *err);

#endif
