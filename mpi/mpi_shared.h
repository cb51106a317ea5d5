/* mpi_shared.h - memory that the ranks of a node have in common; internal
 * SPDX-License-Identifier: MIT */
#ifndef TH_MPI_SHARED_H
#define TH_MPI_SHARED_H

#include "core/comm.h"

#include <mpi.h>

/* Fill *block as told in core/comm.h; data is NULL for want of memory.
 * Collective over the team. Stops the job where MPI fails. */
void th_mpi_share(MPI_Comm team, size_t bytes, struct th_shared *block);
void th_mpi_show(struct th_shared *block);
void th_mpi_unshare(struct th_shared *block);

/* Print what failed and end the job; the same unless the code is MPI_SUCCESS.
 * Local. */
_Noreturn void th_mpi_die(const char *what, int code);
/* Local. */
void th_mpi_must(int code, const char *what);

#endif
