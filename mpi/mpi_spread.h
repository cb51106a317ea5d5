/* mpi_spread.h - a spread matrix solved by ScaLAPACK; internal
 * SPDX-License-Identifier: MIT */
#ifndef TH_MPI_SPREAD_H
#define TH_MPI_SPREAD_H

#include "ranks/comm.h"
#include "ranks/spread.h"

#include <mpi.h>

/* As th_spread_ops.solve (ranks/spread.h), for the ranks of `team`. Collective.
 * An error where there is no ScaLAPACK. */
th_status th_mpi_spread_solve(MPI_Comm team, struct th_comm *comm,
                              struct th_spread *a, const double *b, double *x,
                              bool *definite, struct th_error *err);

#endif
