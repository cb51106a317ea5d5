/* shared.c - memory of a node: parts of all ranks are joined in that of each
 * node, whichever ranks are on it; the ranks of this machine play several nodes
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "mpi/mpi_comm.h"
#include "mpi/mpi_shared.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 };

/* What byte `at` of rank `rank` is. */
static unsigned char byte_of(int rank, int64_t at)
{
  return (unsigned char)(7 * rank + 13 * at + at / 251 + 1);
}

/* Ranks of equal color are a node; each has so many bytes times its rank + 1.
 */
static void test_join(int color, int64_t each)
{
  struct th_shared block = {.data = NULL};
  int64_t bytes[MOST];
  int64_t before = 0;
  int64_t total = 0;
  int rank;
  int size;
  MPI_Comm node;
  struct th_memory_use memory;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, color, rank, &node);
  th_memory_use_begin(&memory);
  struct th_mpi_nodes *nodes =
      th_mpi_shared_nodes(MPI_COMM_WORLD, node, &memory);
  for (int r = 0; r < size; r++) {
    bytes[r] = each * (r % 3); /* some have nothing */
    before += r < rank ? bytes[r] : 0;
    total += bytes[r];
  }
  th_mpi_shared_make(nodes, (size_t)total, &block);
  CHECK(block.data != NULL && (uintptr_t)block.data % 64 == 0);
  unsigned char *all = block.data;
  if (all == NULL)
    return;
  for (int64_t i = 0; i < bytes[rank]; i++)
    all[before + i] = byte_of(rank, i);
  th_mpi_shared_join(nodes, &block, bytes);
  for (int r = 0; r < size; all += bytes[r], r++)
    for (int64_t i = 0; i < bytes[r]; i++)
      CHECK(all[i] == byte_of(r, i));
  bool shares = block.window != NULL;
  CHECK(memory.others < (shares ? total : 1));
  CHECK(memory.shared == (shares ? total : 0));
  th_mpi_shared_free(&block);
  CHECK(memory.shared == 0 && memory.others == 0 && memory.peak >= 0);
  th_mpi_shared_nodes_free(nodes);
}

/* A window lies in the memory of one rank of each node, and the writer's. */
static void test_written(int color)
{
  enum { ITEMS = 1 << 16 };
  struct th_shared block = {.data = NULL};
  int rank;
  MPI_Comm node;
  struct th_memory_use memory;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, color, rank, &node);
  th_memory_use_begin(&memory);
  struct th_mpi_nodes *nodes =
      th_mpi_shared_nodes(MPI_COMM_WORLD, node, &memory);
  th_mpi_shared_make(nodes, ITEMS * sizeof(int), &block);
  int *values = block.data;
  for (int i = 0; i < ITEMS && block.writer; i++)
    values[i] = 3 * i + color;
  th_mpi_shared_show(&block);
  for (int i = 0; i < ITEMS; i++)
    CHECK(values[i] == 3 * i + color);
  th_mpi_shared_free(&block);
  th_mpi_shared_nodes_free(nodes);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  int rank = comm.rank;
  const int nodes[] = {0, rank / 2, rank % 2, rank == 1, rank};
  for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++) {
    CASE(test_join(nodes[k], 0));
    CASE(test_join(nodes[k], 5));
    CASE(test_join(nodes[k], 100003)); /* worth a window */
    CASE(test_written(nodes[k]));
  }
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
