/* mpi_call.h - an operation of a team: that MPI did it, that rank 0 is in the
 * same one, a note when it takes too long; internal
 * SPDX-License-Identifier: MIT */
#ifndef TH_MPI_CALL_H
#define TH_MPI_CALL_H

#include <mpi.h>
#include <stdint.h>

enum th_mpi_kind {
  TH_MPI_SUM,
  TH_MPI_MAX,
  TH_MPI_PREFIX,
  TH_MPI_BCAST,
  TH_MPI_ALLTOALL,
  TH_MPI_EXCHANGE,
  TH_MPI_JOIN,
  TH_MPI_COLLECT,
  TH_MPI_SUM_START,
  TH_MPI_SUM_FINISH,
  TH_MPI_BARRIER,
  TH_MPI_SHARE,
  TH_MPI_SPLIT,
  TH_MPI_SOLVE
};

/* An operation that a rank enters. */
struct th_mpi_call {
  enum th_mpi_kind kind;
  int64_t count;  /* values or bytes: the same on all ranks of the team */
  int64_t root;   /* 0 where there is none */
  int64_t number; /* in this team; 0: none yet */
  int ranks;      /* of the team */
};

/* Print what failed and end the job; the second function does so unless the
 * code is MPI_SUCCESS. Local. */
_Noreturn void th_mpi_call_fail(const char *what, int code);
void th_mpi_call_must(int code, const char *what);

/* Compare the operation with that of rank 0; a difference ends the job with a
 * line. extra: a communicator of the same ranks that nothing else uses.
 * Collective. */
void th_mpi_call_compare(MPI_Comm extra, const struct th_mpi_call *call);

/* --- A note when an operation takes too long ------------------------------
 *
 * A watch is a thread of each rank that prints a note when the rank has been
 * inside one operation, or outside all of them, for longer than a limit. The
 * notes of all ranks together show who waits for whom. */

struct th_mpi_watch;

/* Begin to watch this rank of the job. seconds: the limit. Local. NULL where no
 * thread can be had. Release with th_mpi_call_unwatch. */
struct th_mpi_watch *th_mpi_call_watch(int rank, double seconds);

/* Local. NULL: nothing. */
void th_mpi_call_unwatch(struct th_mpi_watch *watch);

/* Local; watch NULL: nothing. */
void th_mpi_call_enter(struct th_mpi_watch *watch,
                       const struct th_mpi_call *call);
void th_mpi_call_leave(struct th_mpi_watch *watch);

#endif
