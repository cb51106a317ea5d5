/* mpi_shared.c - memory that the ranks of a node share, and parts of an array
 * that are joined on all ranks or in such memory
 *
 * A window of MPI-3 shared memory: one rank of each node allocates it, all of
 * them map it. If it is small, or does not fit into /dev/shm of some node,
 * every rank gets plain memory of its own.
 * SPDX-License-Identifier: MIT */
#include "mpi/mpi_shared.h"

#include "mpi/mpi_call.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

enum {
  WORTH_SHARING = 1 << 16, /* bytes */
  SPARE = 1 << 24,         /* addresses that MPI takes beside a window */
  ALIGNMENT = 64,          /* of a block; windows begin at pages or near them */
  PART = 1 << 26           /* bytes of a call, of what is too much for one */
};

static void *must_alloc(size_t count, size_t size)
{
  void *memory = calloc(count > 0 ? count : 1, size);
  if (memory == NULL)
    th_mpi_call_fail("memory that ranks share", MPI_ERR_NO_MEM);
  return memory;
}

/* --- Parts that are joined on all ranks of a team ------------------------- */

static int size_of(MPI_Comm team)
{
  int size;
  th_mpi_call_must(MPI_Comm_size(team, &size), "MPI_Comm_size");
  return size;
}

static int rank_in(MPI_Comm team)
{
  int rank;
  th_mpi_call_must(MPI_Comm_rank(team, &rank), "MPI_Comm_rank");
  return rank;
}

/* Bytes of the items that counts and places of a join are given in: MPI 3 has
 * both in int. 0: no item is long enough. */
static int join_unit(const int64_t *bytes, int ranks)
{
  int64_t together = 0;
  int64_t total = 0;
  for (int r = 0; r < ranks; r++) {
    together |= bytes[r];
    total += bytes[r];
  }
  if (total <= INT_MAX)
    return 1;
  return together % 8 == 0 && total / 8 <= INT_MAX ? 8 : 0;
}

static void join_at_once(MPI_Comm team, void *all, const int64_t *bytes,
                         int ranks, int unit)
{
  int *count = must_alloc(2 * (size_t)ranks, sizeof *count);
  int *place = count + ranks;
  MPI_Datatype type = unit == 8 ? MPI_INT64_T : MPI_BYTE;
  int64_t at = 0;
  for (int r = 0; r < ranks; r++) {
    count[r] = (int)(bytes[r] / unit);
    place[r] = (int)(at / unit);
    at += bytes[r];
  }
  /* In place the first type is not looked at. Counters of calls do look. */
  th_mpi_call_must(
      MPI_Allgatherv(MPI_IN_PLACE, 0, type, all, count, place, type, team),
      "MPI_Allgatherv");
  free(count);
}

/* What has too many bytes for one call: each rank's part by itself. */
static void join_by_parts(MPI_Comm team, char *all, const int64_t *bytes,
                          int ranks)
{
  for (int r = 0; r < ranks; all += bytes[r], r++)
    for (int64_t done = 0; done < bytes[r]; done += PART) {
      int64_t left = bytes[r] - done;
      th_mpi_call_must(MPI_Bcast(all + done, left < PART ? (int)left : PART,
                                 MPI_BYTE, r, team),
                       "MPI_Bcast");
    }
}

void th_mpi_shared_join_parts(MPI_Comm team, void *all, const int64_t *bytes)
{
  int ranks = size_of(team);
  int unit = join_unit(bytes, ranks);
  if (unit > 0)
    join_at_once(team, all, bytes, ranks, unit);
  else
    join_by_parts(team, all, bytes, ranks);
}

/* --- Nodes ---------------------------------------------------------------- */

struct th_mpi_nodes {
  MPI_Comm team; /* borrowed */
  MPI_Comm node;
  MPI_Comm leaders; /* the first rank of each node; MPI_COMM_NULL on others */
  int ranks;
  int most;   /* ranks of a node */
  int count;  /* nodes */
  int *place; /* of each rank: the number of its node, by their first ranks */
  bool in_order;                /* the ranks of a node follow each other */
  struct th_memory_use *memory; /* borrowed: counts windows */
};

/* Number the nodes, and tell every rank that of each. */
static void number_nodes(struct th_mpi_nodes *n)
{
  int numbers[2] = {0, 0}; /* of this node; of all */
  if (n->leaders != MPI_COMM_NULL) {
    numbers[0] = rank_in(n->leaders);
    numbers[1] = size_of(n->leaders);
  }
  th_mpi_call_must(MPI_Bcast(numbers, 2, MPI_INT, 0, n->node), "MPI_Bcast");
  n->count = numbers[1];
  n->place = must_alloc((size_t)n->ranks, sizeof *n->place);
  th_mpi_call_must(
      MPI_Allgather(numbers, 1, MPI_INT, n->place, 1, MPI_INT, n->team),
      "MPI_Allgather");
  n->in_order = true;
  for (int r = 1; r < n->ranks; r++)
    n->in_order &= n->place[r] >= n->place[r - 1];
}

struct th_mpi_nodes *th_mpi_shared_nodes(MPI_Comm team, MPI_Comm node,
                                         struct th_memory_use *memory)
{
  struct th_mpi_nodes *n = must_alloc(1, sizeof *n);
  n->team = team;
  n->node = node;
  n->memory = memory;
  n->ranks = size_of(team);
  n->most = size_of(n->node);
  th_mpi_call_must(
      MPI_Allreduce(MPI_IN_PLACE, &n->most, 1, MPI_INT, MPI_MAX, team),
      "MPI_Allreduce");
  bool leads = rank_in(n->node) == 0;
  th_mpi_call_must(MPI_Comm_split(team, leads ? 0 : MPI_UNDEFINED,
                                  rank_in(team), &n->leaders),
                   "MPI_Comm_split");
  number_nodes(n);
  return n;
}

void th_mpi_shared_nodes_free(struct th_mpi_nodes *n)
{
  if (n == NULL)
    return;
  if (n->leaders != MPI_COMM_NULL)
    th_mpi_call_must(MPI_Comm_free(&n->leaders), "MPI_Comm_free");
  th_mpi_call_must(MPI_Comm_free(&n->node), "MPI_Comm_free");
  free(n->place);
  free(n);
}

/* --- Windows -------------------------------------------------------------- */

struct window {
  struct th_mpi_nodes *nodes;
  size_t bytes;
  MPI_Win win;
};

/* May this rank map so much (ulimit -v)? */
static bool has_addresses(size_t bytes)
{
  void *room = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room != MAP_FAILED && munmap(room, bytes) == 0;
}

/* Does it fit twice into the file system that holds such windows, on every
 * node, and into the addresses of every rank? One rank per node asks for the
 * former, because a failure of Open MPI would not reach all ranks, and ends a
 * process for want of addresses. */
static bool window_fits(const struct th_mpi_nodes *n, size_t bytes)
{
  struct statvfs shm;
  int good = has_addresses(bytes + SPARE);
  if (n->leaders != MPI_COMM_NULL && good)
    good = statvfs("/dev/shm", &shm) == 0 &&
           (double)shm.f_bavail * (double)shm.f_frsize > 2.0 * (double)bytes;
  th_mpi_call_must(
      MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, n->team),
      "MPI_Allreduce");
  return good != 0;
}

static void open_window(struct window *window, size_t bytes,
                        struct th_shared *block)
{
  MPI_Comm node = window->nodes->node;
  MPI_Aint size;
  int unit;
  block->writer = rank_in(node) == 0;
  MPI_Aint room = block->writer ? (MPI_Aint)bytes + ALIGNMENT : 0;
  th_mpi_call_must(MPI_Win_allocate_shared(room, 1, MPI_INFO_NULL, node,
                                           &block->data, &window->win),
                   "MPI_Win_allocate_shared");
  th_mpi_call_must(
      MPI_Win_shared_query(window->win, 0, &size, &unit, &block->data),
      "MPI_Win_shared_query");
  uintptr_t beyond = (uintptr_t)block->data % ALIGNMENT;
  block->data = (char *)block->data + (beyond > 0 ? ALIGNMENT - beyond : 0);
  th_mpi_call_must(MPI_Win_lock_all(MPI_MODE_NOCHECK, window->win),
                   "MPI_Win_lock_all");
}

void th_mpi_shared_make(struct th_mpi_nodes *n, size_t bytes,
                        struct th_shared *block)
{
  *block = (struct th_shared){.writer = true};
  if (n->most > 1 && bytes >= WORTH_SHARING && window_fits(n, bytes)) {
    struct window *window = must_alloc(1, sizeof *window);
    *window = (struct window){.nodes = n, .bytes = bytes};
    th_memory_use_share(n->memory, (int64_t)bytes, size_of(n->node));
    open_window(window, bytes, block);
    block->window = window;
    return;
  }
  block->data = th_comm_shared_plain(bytes);
}

void th_mpi_shared_show(struct th_shared *block)
{
  struct window *window = block->window;
  if (window == NULL)
    return;
  th_mpi_call_must(MPI_Win_sync(window->win), "MPI_Win_sync");
  th_mpi_call_must(MPI_Barrier(window->nodes->node), "MPI_Barrier");
  th_mpi_call_must(MPI_Win_sync(window->win), "MPI_Win_sync");
}

void th_mpi_shared_free(struct th_shared *block)
{
  struct window *window = block->window;
  if (window == NULL) {
    free(block->data);
    return;
  }
  th_memory_use_note(window->nodes->memory);
  th_mpi_call_must(MPI_Win_unlock_all(window->win), "MPI_Win_unlock_all");
  th_mpi_call_must(MPI_Win_free(&window->win), "MPI_Win_free");
  th_memory_use_unshare(window->nodes->memory, (int64_t)window->bytes,
                        size_of(window->nodes->node));
  free(window);
}

/* --- Parts that are joined in the memory of each node --------------------- */

/* The parts of ranks of one node that lie between those of others: they are
 * joined in the order of nodes, and then put in their places. */
static void join_scattered(const struct th_mpi_nodes *n, char *all,
                           const int64_t *bytes, const int64_t *of_node)
{
  int64_t *at = must_alloc((size_t)n->count, sizeof *at);
  int64_t total = 0;
  for (int k = 0; k < n->count; k++) {
    at[k] = total;
    total += of_node[k];
  }
  char *packed = must_alloc((size_t)total, 1);
  int mine = rank_in(n->leaders);
  for (int unpacks = 0; unpacks < 2; unpacks++) {
    int64_t *to = must_alloc((size_t)n->count, sizeof *to);
    char *part = all;
    memcpy(to, at, (size_t)n->count * sizeof *to);
    for (int r = 0; r < n->ranks; part += bytes[r], r++) {
      char *place = packed + to[n->place[r]];
      to[n->place[r]] += bytes[r];
      if (unpacks && n->place[r] != mine)
        memcpy(part, place, (size_t)bytes[r]);
      else if (!unpacks && n->place[r] == mine)
        memcpy(place, part, (size_t)bytes[r]);
    }
    free(to);
    if (!unpacks)
      th_mpi_shared_join_parts(n->leaders, packed, of_node);
  }
  free(packed);
  free(at);
}

void th_mpi_shared_join(struct th_mpi_nodes *n, struct th_shared *block,
                        const int64_t *bytes)
{
  if (block->window == NULL) {
    th_mpi_shared_join_parts(n->team, block->data, bytes);
    return;
  }
  th_mpi_shared_show(block);
  if (n->count == 1)
    return;
  if (n->leaders != MPI_COMM_NULL) {
    int64_t *of_node = must_alloc((size_t)n->count, sizeof *of_node);
    for (int r = 0; r < n->ranks; r++)
      of_node[n->place[r]] += bytes[r];
    if (n->in_order)
      th_mpi_shared_join_parts(n->leaders, block->data, of_node);
    else
      join_scattered(n, block->data, bytes, of_node);
    free(of_node);
  }
  th_mpi_shared_show(block);
}
