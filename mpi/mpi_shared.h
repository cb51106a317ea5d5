/* mpi_shared.h - memory that the ranks of a node share; internal
 * SPDX-License-Identifier: MIT */
#ifndef TH_MPI_SHARED_H
#define TH_MPI_SHARED_H

#include "core/comm.h"

#include <mpi.h>

/* Fill *block as described in core/comm.h; data is NULL without memory.
 * Collective over the team. Ends the job if MPI fails. */
void th_mpi_share(MPI_Comm team, size_t bytes, struct th_shared *block);
void th_mpi_show(struct th_shared *block);
void th_mpi_unshare(struct th_shared *block);

/* Print what failed and end the job. The second function does so unless the
 * code is MPI_SUCCESS. Local. */
_Noreturn void th_mpi_die(const char *what, int code);
/* Local. */
void th_mpi_must(int code, const char *what);

#endif
