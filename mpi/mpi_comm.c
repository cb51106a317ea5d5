/* mpi_comm.c - the ranks of a job over MPI
 * SPDX-License-Identifier: MIT */
#include "mpi/mpi_comm.h"

#include "mpi/mpi_call.h"
#include "mpi/mpi_shared.h"
#include "mpi/mpi_spread.h"
#include "ranks/comm.h"

#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct transport {
  MPI_Comm comm;
  MPI_Comm extra;      /* to compare operations; MPI_COMM_NULL: they are not */
  MPI_Request request; /* of the sum that is under way */
  struct th_mpi_nodes *nodes; /* NULL: nothing has been shared yet */
  struct th_memory_use own;
  struct th_memory_use
      *memory; /* of the process: a part has that of its whole */
  /* Borrowed by the parts of a team; NULL: nobody watches. */
  struct th_mpi_watch *watch;
  bool is_part;
};

/* MPI 3 counts in int, so longer arrays are sent in parts of this many items.
 */
enum { PART = 1 << 26 };

static int next_count(size_t count, size_t done)
{
  return count - done < PART ? (int)(count - done) : PART;
}

static struct transport *transport_of(struct th_comm *comm)
{
  return comm->transport;
}

/* bytes: of this rank's payload; the other numbers are those of th_mpi_call. */
static double enter_from(struct th_comm *comm, enum th_mpi_kind kind,
                         size_t count, size_t bytes, int root)
{
  const struct transport *transport = transport_of(comm);
  comm->operations++;
  comm->bytes_sent += comm->size > 1 ? (int64_t)bytes : 0;
  const struct th_mpi_call call = {.kind = kind,
                                   .count = (int64_t)count,
                                   .root = root,
                                   .number = comm->operations,
                                   .ranks = comm->size};
  double began = th_comm_clock();
  th_mpi_call_enter(transport->watch, &call);
  if (transport->extra != MPI_COMM_NULL)
    th_mpi_call_compare(transport->extra, &call);
  return began;
}

static double enter(struct th_comm *comm, enum th_mpi_kind kind, size_t count,
                    size_t bytes)
{
  return enter_from(comm, kind, count, bytes, 0);
}

static void leave(struct th_comm *comm, double began)
{
  th_mpi_call_leave(transport_of(comm)->watch);
  comm->seconds += th_comm_clock() - began;
}

static void reduce(struct th_comm *comm, void *values, size_t count,
                   MPI_Datatype type, MPI_Op op)
{
  enum th_mpi_kind kind = op == MPI_SUM ? TH_MPI_SUM : TH_MPI_MAX;
  double began = enter(comm, kind, count, count * 8);
  for (size_t done = 0; done < count; done += PART)
    th_mpi_call_must(MPI_Allreduce(MPI_IN_PLACE, (char *)values + done * 8,
                                   next_count(count, done), type, op,
                                   transport_of(comm)->comm),
                     "MPI_Allreduce");
  leave(comm, began);
}

static void mpi_sum_i64(struct th_comm *comm, int64_t *values, size_t count)
{
  reduce(comm, values, count, MPI_INT64_T, MPI_SUM);
}

static void mpi_max_i64(struct th_comm *comm, int64_t *values, size_t count)
{
  reduce(comm, values, count, MPI_INT64_T, MPI_MAX);
}

static void mpi_max_f64(struct th_comm *comm, double *values, size_t count)
{
  reduce(comm, values, count, MPI_DOUBLE, MPI_MAX);
}

static void mpi_prefix_i64(struct th_comm *comm, int64_t *values, size_t count)
{
  double began = enter(comm, TH_MPI_PREFIX, count, count * sizeof *values);
  for (size_t done = 0; done < count; done += PART)
    th_mpi_call_must(MPI_Exscan(MPI_IN_PLACE, values + done,
                                next_count(count, done), MPI_INT64_T, MPI_SUM,
                                transport_of(comm)->comm),
                     "MPI_Exscan");
  if (comm->rank == 0 && count > 0) /* MPI leaves it undefined */
    memset(values, 0, count * sizeof *values);
  leave(comm, began);
}

static void mpi_bcast(struct th_comm *comm, void *data, size_t bytes, int root)
{
  double began = enter_from(comm, TH_MPI_BCAST, bytes,
                            comm->rank == root ? bytes : 0, root);
  for (size_t done = 0; done < bytes; done += PART)
    th_mpi_call_must(MPI_Bcast((char *)data + done, next_count(bytes, done),
                               MPI_BYTE, root, transport_of(comm)->comm),
                     "MPI_Bcast");
  leave(comm, began);
}

static int64_t sum_before(const int64_t *values, int count)
{
  int64_t sum = 0;
  for (int r = 0; r < count; r++)
    sum += values[r];
  return sum;
}

static void mpi_alltoall(struct th_comm *comm, const int64_t *send,
                         int64_t *receive)
{
  double began = enter(comm, TH_MPI_ALLTOALL, (size_t)comm->size,
                       (size_t)comm->size * sizeof *send);
  th_mpi_call_must(MPI_Alltoall(send, 1, MPI_INT64_T, receive, 1, MPI_INT64_T,
                                transport_of(comm)->comm),
                   "MPI_Alltoall");
  leave(comm, began);
}

/* Messages that so many bytes take. */
static int messages_of(int64_t bytes)
{
  return (int)((bytes + PART - 1) / PART);
}

/* Begin to receive from the ranks that have something, and count the messages.
 */
static int post_receives(struct th_comm *comm, const int64_t *bytes, char *to,
                         MPI_Request *request)
{
  int count = 0;
  for (int r = 0; r < comm->size; to += bytes[r], r++)
    for (int64_t done = 0; r != comm->rank && done < bytes[r]; done += PART)
      th_mpi_call_must(MPI_Irecv(to + done,
                                 next_count((size_t)bytes[r], (size_t)done),
                                 MPI_BYTE, r, 0, transport_of(comm)->comm,
                                 &request[count++]),
                       "MPI_Irecv");
  return count;
}

/* Begin to send, too, first to the next rank, so that not all send to one. */
static int post_sends(struct th_comm *comm, const int64_t *bytes,
                      const char *from, MPI_Request *request)
{
  int count = 0;
  const char *piece = from + sum_before(bytes, comm->rank);
  for (int step = 0; step < comm->size; step++) {
    int r = (comm->rank + step) % comm->size;
    piece = r == 0 ? from : piece;
    for (int64_t done = 0; step > 0 && done < bytes[r]; done += PART)
      th_mpi_call_must(MPI_Isend(piece + done,
                                 next_count((size_t)bytes[r], (size_t)done),
                                 MPI_BYTE, r, 0, transport_of(comm)->comm,
                                 &request[count++]),
                       "MPI_Isend");
    piece += bytes[r];
  }
  return count;
}

/* This rank's piece for itself. */
static void keep_own(struct th_comm *comm, const char *send,
                     const int64_t *send_bytes, char *receive,
                     const int64_t *receive_bytes)
{
  if (send_bytes[comm->rank] > 0)
    memcpy(receive + sum_before(receive_bytes, comm->rank),
           send + sum_before(send_bytes, comm->rank),
           (size_t)send_bytes[comm->rank]);
}

/* Messages between ranks that have something for each other, all at once. */
static void mpi_exchange(struct th_comm *comm, const void *send,
                         const int64_t *send_bytes, void *receive,
                         const int64_t *receive_bytes)
{
  double began = enter(comm, TH_MPI_EXCHANGE, 0, 0);
  char nothing = 0; /* what is NULL has no bytes */
  const char *all_sent = send != NULL ? send : &nothing;
  char *all_received = receive != NULL ? receive : &nothing;
  size_t messages = 0;
  for (int r = 0; r < comm->size; r++)
    messages += (size_t)messages_of(send_bytes[r]) +
                (size_t)messages_of(receive_bytes[r]);
  MPI_Request *request = calloc(messages + 1, sizeof(MPI_Request));
  if (request == NULL)
    th_mpi_call_fail("an exchange", MPI_ERR_NO_MEM);
  int open = post_receives(comm, receive_bytes, all_received, request);
  open += post_sends(comm, send_bytes, all_sent, request + open);
  keep_own(comm, all_sent, send_bytes, all_received, receive_bytes);
  th_mpi_call_must(MPI_Waitall(open, request, MPI_STATUSES_IGNORE),
                   "MPI_Waitall");
  int64_t bytes = sum_before(send_bytes, comm->size) - send_bytes[comm->rank];
  comm->bytes_sent += bytes;
  comm->bytes_exchanged += bytes;
  free(request);
  leave(comm, began);
}

static void mpi_join(struct th_comm *comm, void *all, const int64_t *bytes)
{
  double began = enter(comm, TH_MPI_JOIN, (size_t)sum_before(bytes, comm->size),
                       (size_t)bytes[comm->rank] * (size_t)(comm->size - 1));
  th_mpi_shared_join_parts(transport_of(comm)->comm, all, bytes);
  leave(comm, began);
}

/* Records are small: one call. */
static void mpi_collect(struct th_comm *comm, const void *mine, size_t bytes,
                        void *all)
{
  double began = enter(comm, TH_MPI_COLLECT, bytes, comm->rank > 0 ? bytes : 0);
  th_mpi_call_must(bytes <= INT_MAX
                       ? MPI_Gather(mine, (int)bytes, MPI_BYTE, all, (int)bytes,
                                    MPI_BYTE, 0, transport_of(comm)->comm)
                       : MPI_ERR_COUNT,
                   "MPI_Gather");
  leave(comm, began);
}

static void mpi_sum_start(struct th_comm *comm, int64_t *values, size_t count)
{
  struct transport *transport = transport_of(comm);
  if (count > PART) { /* too long for one call, so it is finished here */
    mpi_sum_i64(comm, values, count);
    transport->request = MPI_REQUEST_NULL;
    return;
  }
  double began = enter(comm, TH_MPI_SUM_START, count, count * sizeof *values);
  th_mpi_call_must(MPI_Iallreduce(MPI_IN_PLACE, values, (int)count, MPI_INT64_T,
                                  MPI_SUM, transport->comm,
                                  &transport->request),
                   "MPI_Iallreduce");
  leave(comm, began);
}

static void mpi_sum_finish(struct th_comm *comm)
{
  double began = enter(comm, TH_MPI_SUM_FINISH, 0, 0);
  th_mpi_call_must(MPI_Wait(&transport_of(comm)->request, MPI_STATUS_IGNORE),
                   "MPI_Wait");
  leave(comm, began);
}

static void mpi_sum_progress(struct th_comm *comm)
{
  int complete = 0;
  if (transport_of(comm)->request == MPI_REQUEST_NULL)
    return;
  double began = th_comm_clock();
  th_mpi_call_must(
      MPI_Test(&transport_of(comm)->request, &complete, MPI_STATUS_IGNORE),
      "MPI_Test");
  comm->seconds += th_comm_clock() - began;
}

static void mpi_barrier(struct th_comm *comm)
{
  double began = enter(comm, TH_MPI_BARRIER, 0, 0);
  th_mpi_call_must(MPI_Barrier(transport_of(comm)->comm), "MPI_Barrier");
  leave(comm, began);
}

static struct th_mpi_nodes *nodes_of(struct th_comm *comm)
{
  struct transport *transport = transport_of(comm);
  MPI_Comm node;
  if (transport->nodes != NULL)
    return transport->nodes;
  th_mpi_call_must(MPI_Comm_split_type(transport->comm, MPI_COMM_TYPE_SHARED,
                                       comm->rank, MPI_INFO_NULL, &node),
                   "MPI_Comm_split_type");
  transport->nodes =
      th_mpi_shared_nodes(transport->comm, node, transport->memory);
  return transport->nodes;
}

static void mpi_share(struct th_comm *comm, size_t bytes,
                      struct th_shared *block)
{
  double began = enter(comm, TH_MPI_SHARE, bytes, 0);
  th_mpi_shared_make(nodes_of(comm), bytes, block);
  block->ops = comm->ops;
  leave(comm, began);
}

static void mpi_join_shared(struct th_comm *comm, struct th_shared *block,
                            const int64_t *bytes)
{
  double began = enter(comm, TH_MPI_JOIN, (size_t)sum_before(bytes, comm->size),
                       (size_t)bytes[comm->rank]);
  th_mpi_shared_join(nodes_of(comm), block, bytes);
  leave(comm, began);
}

static void start_transport(struct th_comm *comm, MPI_Comm team, bool checked);

/* Make a team of some ranks of another. */
static void start_part(const struct transport *whole, MPI_Comm team,
                       struct th_comm *part)
{
  start_transport(part, team, whole->extra != MPI_COMM_NULL);
  transport_of(part)->watch = whole->watch;
  transport_of(part)->memory = whole->memory;
  part->memory = whole->memory;
  transport_of(part)->is_part = true;
}

static void mpi_split(struct th_comm *comm, int color, struct th_comm *part)
{
  const struct transport *whole = transport_of(comm);
  double began = enter(comm, TH_MPI_SPLIT, 0, 0);
  MPI_Comm team;
  th_mpi_call_must(MPI_Comm_split(whole->comm, color, comm->rank, &team),
                   "MPI_Comm_split");
  start_part(whole, team, part);
  leave(comm, began);
}

static void mpi_split_node(struct th_comm *comm, struct th_comm *part)
{
  const struct transport *whole = transport_of(comm);
  double began = enter(comm, TH_MPI_SPLIT, 0, 0);
  MPI_Comm team;
  th_mpi_call_must(MPI_Comm_split_type(whole->comm, MPI_COMM_TYPE_SHARED,
                                       comm->rank, MPI_INFO_NULL, &team),
                   "MPI_Comm_split_type");
  start_part(whole, team, part);
  leave(comm, began);
}

static void mpi_watch(struct th_comm *comm, double seconds)
{
  struct transport *transport = transport_of(comm);
  if (transport->is_part)
    return;
  th_mpi_call_unwatch(transport->watch);
  transport->watch = NULL;
  if (seconds > 0 && comm->size > 1)
    transport->watch = th_mpi_call_watch(comm->rank, seconds);
}

static void mpi_release(struct th_comm *comm)
{
  struct transport *transport = transport_of(comm);
  comm->ops->watch(comm, 0);
  th_mpi_shared_nodes_free(transport->nodes);
  th_mpi_call_must(MPI_Comm_free(&transport->comm), "MPI_Comm_free");
  if (transport->extra != MPI_COMM_NULL)
    th_mpi_call_must(MPI_Comm_free(&transport->extra), "MPI_Comm_free");
  free(transport);
  comm->transport = NULL;
}

static th_status mpi_solve(struct th_comm *comm, struct th_spread *a,
                           const double *b, double *x, bool *definite,
                           struct th_error *err)
{
  double inside = comm->seconds;
  double began = enter(comm, TH_MPI_SOLVE, 0, 0);
  th_status rc = th_mpi_spread_solve(transport_of(comm)->comm, comm, a, b, x,
                                     definite, err);
  comm->seconds = inside;
  leave(comm, began);
  return rc;
}

static const struct th_spread_ops mpi_spread = {.name = "ScaLAPACK",
                                                .solve = mpi_solve};

static const struct th_comm_ops mpi_ops = {
    .sum_i64 = mpi_sum_i64,
    .prefix_i64 = mpi_prefix_i64,
    .max_i64 = mpi_max_i64,
    .max_f64 = mpi_max_f64,
    .bcast = mpi_bcast,
    .alltoall_i64 = mpi_alltoall,
    .exchange = mpi_exchange,
    .join = mpi_join,
    .collect = mpi_collect,
    .sum_start = mpi_sum_start,
    .sum_finish = mpi_sum_finish,
    .sum_progress = mpi_sum_progress,
    .barrier = mpi_barrier,
    .share = mpi_share,
    .join_shared = mpi_join_shared,
    .show = th_mpi_shared_show,
    .unshare = th_mpi_shared_free,
    .split = mpi_split,
    .split_node = mpi_split_node,
    .release = mpi_release,
    .watch = mpi_watch,
    .spread = &mpi_spread,
};

static void start_transport(struct th_comm *comm, MPI_Comm team, bool checked)
{
  struct transport *transport = calloc(1, sizeof *transport);
  if (transport == NULL)
    th_mpi_call_fail("starting a team", MPI_ERR_NO_MEM);
  transport->comm = team;
  transport->extra = MPI_COMM_NULL;
  transport->request = MPI_REQUEST_NULL;
  transport->memory = &transport->own;
  th_memory_use_begin(transport->memory);
  *comm = (struct th_comm){
      .ops = &mpi_ops, .memory = transport->memory, .transport = transport};
  th_mpi_call_must(MPI_Comm_set_errhandler(team, MPI_ERRORS_RETURN),
                   "MPI_Comm_set_errhandler");
  th_mpi_call_must(MPI_Comm_rank(team, &comm->rank), "MPI_Comm_rank");
  th_mpi_call_must(MPI_Comm_size(team, &comm->size), "MPI_Comm_size");
  if (checked)
    th_mpi_call_must(MPI_Comm_dup(team, &transport->extra), "MPI_Comm_dup");
}

/* True if every operation is compared with rank 0's: by the build or the
 * environment of any rank, since those of other hosts may have another one. */
static bool is_checked(MPI_Comm team)
{
  const char *told = getenv("THRESHER_CHECK_COLLECTIVES");
  int checked = told != NULL ? strcmp(told, "yes") == 0 : TH_CHECKED;
  th_mpi_call_must(
      MPI_Allreduce(MPI_IN_PLACE, &checked, 1, MPI_INT, MPI_MAX, team),
      "MPI_Allreduce");
  return checked != 0;
}

void th_mpi_comm_start(struct th_comm *comm, int *argc, char ***argv)
{
  MPI_Comm team;
  int provided; /* other threads read files, but only this one calls MPI */
  th_mpi_call_must(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided),
                   "MPI_Init_thread");
  th_mpi_call_must(MPI_Comm_dup(MPI_COMM_WORLD, &team), "MPI_Comm_dup");
  start_transport(comm, team, is_checked(team));
}

/* True if a handle, which may be any number, is that of a communicator of one
 * group. Asked about another one, MPI ends the process, unless it is told to
 * return; some versions have the communicator of the world say so, and some
 * that of the process. Local. */
static bool is_team(MPI_Comm comm)
{
  const MPI_Comm asked[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  MPI_Errhandler handler[2];
  int between = 1;
  if (comm == (MPI_Comm)0 || comm == MPI_COMM_NULL)
    return false;
  for (int k = 0; k < 2; k++) {
    th_mpi_call_must(MPI_Comm_get_errhandler(asked[k], &handler[k]),
                     "MPI_Comm_get_errhandler");
    th_mpi_call_must(MPI_Comm_set_errhandler(asked[k], MPI_ERRORS_RETURN),
                     "MPI_Comm_set_errhandler");
  }
  int code = MPI_Comm_test_inter(comm, &between);
  for (int k = 0; k < 2; k++) {
    th_mpi_call_must(MPI_Comm_set_errhandler(asked[k], handler[k]),
                     "MPI_Comm_set_errhandler");
    th_mpi_call_must(MPI_Errhandler_free(&handler[k]), "MPI_Errhandler_free");
  }
  return code == MPI_SUCCESS && !between;
}

th_status th_mpi_comm_join(struct th_comm *comm, int handle,
                           struct th_error *err)
{
  int begun = 0;
  int ended = 0;
  MPI_Comm team;
  th_mpi_call_must(MPI_Initialized(&begun), "MPI_Initialized");
  th_mpi_call_must(MPI_Finalized(&ended), "MPI_Finalized");
  if (!begun || ended)
    return th_fail(err, TH_EUSAGE,
                   "MPI is not running; make a team of ranks after MPI_Init "
                   "and before MPI_Finalize");
  if (!is_team(MPI_Comm_f2c(handle)))
    return th_fail(err, TH_EARG,
                   "%d is no communicator of one group; give the number that "
                   "MPI_Comm_c2f has for one that this process belongs to",
                   handle);
  th_mpi_call_must(MPI_Comm_dup(MPI_Comm_f2c(handle), &team), "MPI_Comm_dup");
  start_transport(comm, team, is_checked(team));
  return TH_OK;
}

bool th_mpi_comm_allows_threads(void)
{
  int level = MPI_THREAD_SINGLE;
  th_mpi_call_must(MPI_Query_thread(&level), "MPI_Query_thread");
  return level >= MPI_THREAD_FUNNELED;
}

void th_mpi_comm_stop(struct th_comm *comm)
{
  th_comm_free(comm);
  MPI_Finalize();
}
