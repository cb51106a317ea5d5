/* mpi_comm.h - the ranks of a job over MPI
 * SPDX-License-Identifier: MIT */
#ifndef TH_MPI_COMM_H
#define TH_MPI_COMM_H

#include "ranks/comm.h"

/* Start MPI and fill *comm with the ranks of the job. Collective over the job;
 * once per process. A failed MPI call prints one line and aborts the job, since
 * ranks can no longer agree on anything. */
void th_mpi_comm_start(struct th_comm *comm, int *argc, char ***argv);

/* Fill *comm with the ranks of the caller's communicator, which is duplicated.
 * handle: its value of MPI_Comm_c2f. MPI must be running, and keeps running:
 * release with th_comm_free. Collective over it. An error before MPI_Init and
 * after MPI_Finalize. Each process by itself refuses the handle of no
 * communicator, or of one between two groups. */
th_status th_mpi_comm_join(struct th_comm *comm, int handle,
                           struct th_error *err);

/* True if threads that do not call MPI may run beside the one that does. MPI
 * must be running. Local. */
bool th_mpi_comm_allows_threads(void);

/* Release the team and shut MPI down. Collective. */
void th_mpi_comm_stop(struct th_comm *comm);

#endif
