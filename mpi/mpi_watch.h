/* mpi_watch.h - what a rank does in its team: a note when it takes too long
 *
 * A watch is a thread of each rank that prints a note when the rank has been
 * inside one operation, or outside all of them, for longer than a limit. The
 * notes of all ranks together show who waits for whom.
 * SPDX-License-Identifier: MIT */
#ifndef TH_MPI_WATCH_H
#define TH_MPI_WATCH_H

#include "mpi/mpi_call.h"

struct th_mpi_watch;

/* Begin to watch this rank of the job. seconds: the limit. Local. NULL where no
 * thread can be had. Release with th_mpi_watch_free. */
struct th_mpi_watch *th_mpi_watch_start(int rank, double seconds);

/* Local. NULL: nothing. */
void th_mpi_watch_free(struct th_mpi_watch *watch);

/* Local; watch NULL: nothing. */
void th_mpi_watch_enter(struct th_mpi_watch *watch,
                        const struct th_mpi_call *call);
void th_mpi_watch_leave(struct th_mpi_watch *watch);

#endif
