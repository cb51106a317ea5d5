/* mpi_comm.h - the ranks of a job over MPI
 * SPDX-License-Identifier: MIT */
#ifndef TH_MPI_COMM_H
#define TH_MPI_COMM_H

#include "core/comm.h"

/* Start MPI and fill *comm with the ranks of the job. Collective over the job;
 * once per process. A failed MPI call prints one line and aborts the job:
 * nothing is left to agree over. */
void th_mpi_start(struct th_comm *comm, int *argc, char ***argv);

/* Release the team and shut MPI down. Collective. */
void th_mpi_stop(struct th_comm *comm);

#endif
