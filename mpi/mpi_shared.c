/* mpi_shared.c - memory that the ranks of a node share
 *
 * A window of MPI-3 shared memory: one rank of each node allocates it, all of
 * them map it. If it is small, or does not fit into /dev/shm, every rank gets
 * plain memory of its own.
 * SPDX-License-Identifier: MIT */
#include "mpi/mpi_shared.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/statvfs.h>

enum { WORTH_SHARING = 1 << 16 }; /* bytes */

struct window {
  MPI_Comm node;
  MPI_Win win;
};

/* Does it fit twice into the file system that holds such windows? One rank per
 * node asks, because a failure of Open MPI would not reach all ranks. */
static bool fits(MPI_Comm node, size_t bytes)
{
  struct statvfs shm;
  int good = 0;
  int rank;
  th_mpi_must(MPI_Comm_rank(node, &rank), "MPI_Comm_rank");
  if (rank == 0)
    good = statvfs("/dev/shm", &shm) == 0 &&
           (double)shm.f_bavail * (double)shm.f_frsize > 2.0 * (double)bytes;
  th_mpi_must(MPI_Bcast(&good, 1, MPI_INT, 0, node), "MPI_Bcast");
  return good != 0;
}

static void open_window(struct window *window, size_t bytes,
                        struct th_shared *block)
{
  MPI_Aint size;
  int unit;
  int rank;
  th_mpi_must(MPI_Comm_rank(window->node, &rank), "MPI_Comm_rank");
  th_mpi_must(MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)bytes : 0, 1,
                                      MPI_INFO_NULL, window->node, &block->data,
                                      &window->win),
              "MPI_Win_allocate_shared");
  th_mpi_must(MPI_Win_shared_query(window->win, 0, &size, &unit, &block->data),
              "MPI_Win_shared_query");
  th_mpi_must(MPI_Win_lock_all(MPI_MODE_NOCHECK, window->win),
              "MPI_Win_lock_all");
  block->writer = rank == 0;
}

void th_mpi_share(MPI_Comm team, size_t bytes, struct th_shared *block)
{
  struct window *window = calloc(1, sizeof *window);
  int ranks = 1;
  *block = (struct th_shared){.writer = true};
  if (window == NULL)
    th_mpi_die("sharing memory", MPI_ERR_NO_MEM);
  th_mpi_must(MPI_Comm_split_type(team, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                                  &window->node),
              "MPI_Comm_split_type");
  th_mpi_must(MPI_Comm_size(window->node, &ranks), "MPI_Comm_size");
  if (ranks > 1 && bytes >= WORTH_SHARING && fits(window->node, bytes)) {
    open_window(window, bytes, block);
    block->window = window;
    return;
  }
  th_mpi_must(MPI_Comm_free(&window->node), "MPI_Comm_free");
  free(window);
  block->data = calloc(bytes > 0 ? bytes : 1, 1);
}

void th_mpi_show(struct th_shared *block)
{
  struct window *window = block->window;
  if (window == NULL)
    return;
  th_mpi_must(MPI_Win_sync(window->win), "MPI_Win_sync");
  th_mpi_must(MPI_Barrier(window->node), "MPI_Barrier");
  th_mpi_must(MPI_Win_sync(window->win), "MPI_Win_sync");
}

void th_mpi_unshare(struct th_shared *block)
{
  struct window *window = block->window;
  if (window == NULL) {
    free(block->data);
    return;
  }
  th_mpi_must(MPI_Win_unlock_all(window->win), "MPI_Win_unlock_all");
  th_mpi_must(MPI_Win_free(&window->win), "MPI_Win_free");
  th_mpi_must(MPI_Comm_free(&window->node), "MPI_Comm_free");
  free(window);
}
