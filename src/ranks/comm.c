/* comm.c - the team of one, and functions built on any team's operations
 * SPDX-License-Identifier: MIT */
#include "ranks/comm.h"

#include "base/memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void self_i64(struct th_comm *comm, int64_t *values, size_t count)
{
  (void)values;
  (void)count;
  comm->operations++;
}

static void self_prefix(struct th_comm *comm, int64_t *values, size_t count)
{
  comm->operations++;
  if (count > 0)
    memset(values, 0, count * sizeof *values);
}

static void self_f64(struct th_comm *comm, double *values, size_t count)
{
  (void)values;
  (void)count;
  comm->operations++;
}

static void self_bcast(struct th_comm *comm, void *data, size_t bytes, int root)
{
  (void)data;
  (void)bytes;
  (void)root;
  comm->operations++;
}

static void self_alltoall(struct th_comm *comm, const int64_t *send,
                          int64_t *receive)
{
  comm->operations++;
  receive[0] = send[0];
}

static void self_exchange(struct th_comm *comm, const void *send,
                          const int64_t *send_bytes, void *receive,
                          const int64_t *receive_bytes)
{
  (void)receive_bytes;
  comm->operations++;
  if (send_bytes[0] > 0)
    memcpy(receive, send, (size_t)send_bytes[0]);
}

static void self_join(struct th_comm *comm, void *all, const int64_t *bytes)
{
  (void)all;
  (void)bytes;
  comm->operations++;
}

static void self_collect(struct th_comm *comm, const void *mine, size_t bytes,
                         void *all)
{
  comm->operations++;
  if (bytes > 0)
    memcpy(all, mine, bytes);
}

static void self_nothing(struct th_comm *comm)
{
  comm->operations++;
}

static void self_idle(struct th_comm *comm)
{
  (void)comm;
}

void *th_comm_shared_plain(size_t bytes)
{
  struct th_error ignored = {0};
  void *data = NULL;
  return th_alloc(&data, (int64_t)bytes, 1, "memory that ranks share",
                  &ignored) == TH_OK
             ? data
             : NULL;
}

static void self_share(struct th_comm *comm, size_t bytes,
                       struct th_shared *block)
{
  comm->operations++;
  *block = (struct th_shared){
      .data = th_comm_shared_plain(bytes), .writer = true, .ops = comm->ops};
}

static void self_join_shared(struct th_comm *comm, struct th_shared *block,
                             const int64_t *bytes)
{
  self_join(comm, block->data, bytes);
}

static void self_show(struct th_shared *block)
{
  (void)block;
}

static void self_unshare(struct th_shared *block)
{
  free(block->data);
}

static void self_release(struct th_comm *comm)
{
  comm->transport = NULL;
}

/* It never waits for others. */
static void self_watch(struct th_comm *comm, double seconds)
{
  (void)comm;
  (void)seconds;
}

static void self_split(struct th_comm *comm, int color, struct th_comm *part)
{
  (void)color;
  comm->operations++;
  th_comm_self(part);
}

static void self_split_node(struct th_comm *comm, struct th_comm *part)
{
  self_split(comm, 0, part);
}

static const struct th_comm_ops self_ops = {
    .sum_i64 = self_i64,
    .prefix_i64 = self_prefix,
    .max_i64 = self_i64,
    .max_f64 = self_f64,
    .bcast = self_bcast,
    .alltoall_i64 = self_alltoall,
    .exchange = self_exchange,
    .join = self_join,
    .collect = self_collect,
    .sum_start = self_i64,
    .sum_finish = self_nothing,
    .sum_progress = self_idle,
    .share = self_share,
    .join_shared = self_join_shared,
    .show = self_show,
    .unshare = self_unshare,
    .barrier = self_nothing,
    .split = self_split,
    .split_node = self_split_node,
    .release = self_release,
    .watch = self_watch,
};

void th_comm_self(struct th_comm *comm)
{
  *comm = (struct th_comm){.ops = &self_ops, .rank = 0, .size = 1};
}

void th_comm_free(struct th_comm *comm)
{
  if (comm->ops != NULL)
    comm->ops->release(comm);
  comm->ops = NULL;
}

/* The lowest failing rank has the largest mark; 0 is "all is well". */
static int64_t failure_mark(const struct th_comm *comm, th_status rc)
{
  return rc == TH_OK ? 0 : comm->size - comm->rank;
}

/* The failure of the rank with the largest mark, which all ranks know.
 * Collective where it is not 0. */
static th_status share_failure(struct th_comm *comm, int64_t mark, th_status rc,
                               struct th_error *err)
{
  if (mark == 0)
    return TH_OK;
  int root = comm->size - (int)mark;
  if (comm->rank == root) {
    th_fail(err, rc, "%s",
            /* used if the error has no text of its own */
            th_error_status_text(rc));
    err->rank = err->rank < 0 ? root : err->rank;
  }
  comm->ops->bcast(comm, err, sizeof *err, root);
  return err->code;
}

th_status th_comm_agree_over(struct th_comm *comm, th_status rc,
                             struct th_error *err)
{
  int64_t mark = failure_mark(comm, rc);
  comm->ops->max_i64(comm, &mark, 1);
  return share_failure(comm, mark, rc, err);
}

th_status th_comm_max_agree(struct th_comm *comm, int64_t *values, size_t count,
                            th_status rc, struct th_error *err)
{
  values[count] = failure_mark(comm, rc);
  comm->ops->max_i64(comm, values, count + 1);
  th_status agreed = share_failure(comm, values[count], rc, err);
  return agreed != TH_OK ? agreed : rc;
}

/* Adding a bit pattern to zeros keeps it. */
void th_comm_share_numbers(struct th_comm *comm, double *value, size_t count)
{
  comm->ops->sum_i64(comm, (int64_t *)(void *)value, count);
}

th_status th_comm_sum_agree(struct th_comm *comm, int64_t *values, size_t count,
                            th_status rc, struct th_error *err)
{
  values[count] = rc != TH_OK;
  comm->ops->sum_i64(comm, values, count + 1);
  return values[count] == 0 ? rc : th_agree(comm, rc, err);
}

void th_comm_sum_agree_start(struct th_comm *comm, int64_t *values,
                             size_t count, th_status rc)
{
  values[count] = rc != TH_OK;
  comm->ops->sum_start(comm, values, count + 1);
}

th_status th_comm_sum_agree_finish(struct th_comm *comm, const int64_t *values,
                                   size_t count, th_status rc,
                                   struct th_error *err)
{
  comm->ops->sum_finish(comm);
  return values[count] == 0 ? TH_OK : th_agree(comm, rc, err);
}

th_status th_comm_gather(struct th_comm *comm, const void *mine, int64_t bytes,
                         int64_t *counts, void **all, struct th_error *err)
{
  size_t size = (size_t)comm->size;
  char *gathered = NULL;
  int64_t before = 0;
  int64_t total = 0;
  memset(counts, 0, size * sizeof *counts);
  counts[comm->rank] = bytes;
  comm->ops->sum_i64(comm, counts, size);
  for (int r = 0; r < comm->size; r++) {
    before += r < comm->rank ? counts[r] : 0;
    total += counts[r];
  }
  th_status rc = TH_NEW(&gathered, total, "messages between ranks", err);
  if (rc == TH_OK && bytes > 0)
    memcpy(gathered + before, mine, (size_t)bytes);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->join(comm, gathered, counts);
  *all = gathered;
  gathered = NULL;
done:
  free(gathered);
  return rc;
}

th_status th_comm_tell_bytes(struct th_comm *comm, int64_t *send,
                             int64_t *receive, th_status rc,
                             struct th_error *err)
{
  bool failed = false;
  for (int r = 0; rc != TH_OK && r < comm->size; r++)
    send[r] = -1;
  comm->ops->alltoall_i64(comm, send, receive);
  for (int r = 0; r < comm->size; r++)
    failed = failed || receive[r] < 0;
  return failed ? th_agree(comm, rc, err) : rc;
}

th_status th_comm_collect(struct th_comm *comm, const void *mine, size_t bytes,
                          void **all, struct th_error *err)
{
  th_status rc = TH_OK;
  *all = NULL;
  if (comm->rank == 0)
    rc = th_alloc(all, comm->size, bytes, "messages between ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->collect(comm, mine, bytes, *all);
done:
  return rc;
}

th_status th_comm_join(struct th_comm *comm, double *values, int64_t count,
                       int64_t first, int64_t last, struct th_error *err)
{
  int64_t *bytes = NULL;
  th_status rc;
  if (comm->size == 1 || count == 0)
    return TH_OK;
  rc = TH_NEW(&bytes, comm->size, "messages between ranks", err);
  TH_TRY(th_agree(comm, rc, err));
  bytes[comm->rank] = (last - first) * (int64_t)sizeof *values;
  comm->ops->sum_i64(comm, bytes, (size_t)comm->size);
  comm->ops->join(comm, values, bytes);
done:
  free(bytes);
  return rc;
}

th_status th_comm_share(struct th_comm *comm, size_t bytes, const char *what,
                        struct th_shared *block, struct th_error *err)
{
  th_status rc = TH_OK;
  comm->ops->share(comm, bytes, block);
  if (block->data == NULL)
    rc = th_memory_fail(what, (int64_t)bytes, err);
  rc = th_agree(comm, rc, err);
  if (rc != TH_OK)
    th_comm_shared_free(block);
  return rc;
}

th_status th_comm_shared_spread(struct th_comm *comm, struct th_shared *block,
                                size_t place, const void *from, size_t bytes,
                                struct th_error *err)
{
  enum { ROOM = 1 << 19 };
  char *room = NULL;
  th_status rc = th_agree(comm, TH_NEW(&room, ROOM, "shared values", err), err);
  for (size_t first = 0; rc == TH_OK && first < bytes; first += ROOM) {
    size_t part = bytes - first < ROOM ? bytes - first : ROOM;
    if (comm->rank == 0)
      memcpy(room, (const char *)from + first, part);
    comm->ops->bcast(comm, room, part, 0);
    if (block->writer)
      memcpy((char *)block->data + place + first, room, part);
  }
  free(room);
  return rc;
}

void th_comm_shared_show(struct th_shared *block)
{
  block->ops->show(block);
}

void th_comm_shared_free(struct th_shared *block)
{
  if (block->ops != NULL)
    block->ops->unshare(block);
  *block = (struct th_shared){.data = NULL};
}

int64_t th_comm_prefix(struct th_comm *comm, int64_t value, int64_t *total)
{
  int64_t before = value;
  *total = value;
  comm->ops->prefix_i64(comm, &before, 1);
  comm->ops->sum_i64(comm, total, 1);
  return before;
}

double th_comm_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void th_comm_charge(struct th_comm *comm, const struct th_comm *team,
                    const struct th_comm *before)
{
  comm->bytes_sent += team->bytes_sent - before->bytes_sent;
  comm->bytes_exchanged += team->bytes_exchanged - before->bytes_exchanged;
  comm->operations += team->operations - before->operations;
  comm->seconds += team->seconds - before->seconds;
}

/* --- Where the time of a run goes, phase by phase ------------------------- */

const char *th_comm_phase_key(enum th_phase phase)
{
  static const char *const keys[TH_PHASE_COUNT] = {
#define TH_PHASE_KEY(code, key) [code] = (key),
      TH_PHASE_LIST(TH_PHASE_KEY)
#undef TH_PHASE_KEY
  };
  return keys[phase];
}

/* The accounts as they stand: a phase costs what they grow by. */
static struct th_phase_cost accounts(const struct th_profile *profile)
{
  struct th_phase_cost now = {.seconds = th_comm_clock()};
  if (profile->comm != NULL) {
    now.waiting = profile->comm->seconds;
    now.bytes_sent = profile->comm->bytes_sent;
    now.bytes_exchanged = profile->comm->bytes_exchanged;
    now.operations = profile->comm->operations;
  }
  return now;
}

/* One account, and factor times another one. */
static void add_cost(struct th_phase_cost *sum, struct th_phase_cost other,
                     int factor)
{
  sum->seconds += factor * other.seconds;
  sum->waiting += factor * other.waiting;
  sum->bytes_sent += factor * other.bytes_sent;
  sum->bytes_exchanged += factor * other.bytes_exchanged;
  sum->operations += factor * other.operations;
}

void th_comm_profile_begin(struct th_profile *profile)
{
  assert(profile->depth < TH_PHASE_DEPTH);
  profile->began[profile->depth++] = accounts(profile);
}

void th_comm_profile_end(struct th_profile *profile, enum th_phase phase)
{
  assert(profile->depth > 0);
  struct th_phase_cost cost = accounts(profile);
  add_cost(&cost, profile->began[--profile->depth], -1);
  add_cost(&profile->phase[phase], cost, 1);
  profile->phase[phase].calls++;
  if (profile->depth > 0) {
    add_cost(&profile->began[profile->depth - 1], cost, 1);
  }
}
