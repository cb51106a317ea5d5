/* team.c - threads as ranks: every operation of a team, over any ranks
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "mpi/mpi_comm.h"
#include "ranks/comm.h"
#include "ranks/team.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 4 };

/* One thread's part of a test. */
struct part {
  int failing; /* the thread of the team that fails; -1: none */
  int size;    /* of the team, as it was seen */
  int wrong;
};

static int check_sums(struct th_comm *comm)
{
  int64_t sum[2] = {comm->rank + 1, (int64_t)1 << 40};
  int64_t most[2] = {comm->rank, -comm->rank};
  double real[2] = {-1.5 - comm->rank, 0.25 * comm->rank};
  comm->ops->sum_i64(comm, sum, 2);
  comm->ops->max_i64(comm, most, 2);
  comm->ops->max_f64(comm, real, 2);
  int64_t lower[2] = {1, comm->rank};
  comm->ops->sum_i64(comm, NULL, 0);
  comm->ops->prefix_i64(comm, lower, 2);
  return (lower[0] != comm->rank) +
         (lower[1] != (int64_t)comm->rank * (comm->rank - 1) / 2) +
         (sum[0] != (int64_t)comm->size * (comm->size + 1) / 2) +
         (sum[1] != comm->size * ((int64_t)1 << 40)) +
         (most[0] != comm->size - 1) + (most[1] != 0) + (real[0] != -1.5) +
         (real[1] != 0.25 * (comm->size - 1));
}

static int check_bcast(struct th_comm *comm)
{
  int wrong = 0;
  for (int root = 0; root < comm->size; root++) {
    unsigned char data[1000];
    memset(data, comm->rank == root ? 17 + root : 0, sizeof data);
    comm->ops->bcast(comm, data, sizeof data, root);
    wrong += data[0] != 17 + root || data[999] != 17 + root;
  }
  comm->ops->barrier(comm);
  return wrong;
}

/* Rank r has r bytes: the first one none. */
static int check_gather(struct th_comm *comm)
{
  unsigned char mine[64];
  int64_t counts[64];
  unsigned char *all = NULL;
  struct th_error err;
  int wrong = 0;
  int64_t at = 0;
  th_error_clear(&err);
  memset(mine, 100 + comm->rank, sizeof mine);
  if (th_comm_gather(comm, mine, comm->rank, counts, (void **)&all, &err) !=
      TH_OK)
    return 1;
  for (int r = 0; r < comm->size; r++) {
    wrong += counts[r] != r;
    for (int k = 0; k < r; k++)
      wrong += all[at++] != 100 + r;
  }
  free(all);
  return wrong;
}

static th_status work(struct th_comm *comm, void *self, struct th_error *err)
{
  struct part *part = self;
  th_status rc = TH_OK;
  part->size = comm->size;
  for (int k = 0; k < 5; k++)
    part->wrong += check_sums(comm) + check_bcast(comm) + check_gather(comm);
  if (part->failing >= 0 && comm->rank >= part->failing)
    rc = th_fail(err, TH_EDATA, "thread %d fails", comm->rank);
  return th_agree(comm, rc, err);
}

static void test_team(struct th_comm *comm, int threads, int failing)
{
  struct part part[MOST_THREADS] = {{0}};
  struct th_error err;
  char text[64];
  int made = 0;
  for (int t = 0; t < threads; t++)
    part[t].failing = failing;
  th_error_clear(&err);
  th_status rc =
      th_team_run(comm, threads, work, part, sizeof *part, &made, &err);
  CHECK(made == threads);
  for (int t = 0; t < threads; t++)
    CHECK(part[t].wrong == 0 && part[t].size == threads * comm->size);
  CHECK(rc == (failing < 0 ? TH_OK : TH_EDATA));
  if (failing < 0)
    return;
  snprintf(text, sizeof text, "thread %d fails", failing);
  CHECK(strcmp(err.text, text) == 0);
  CHECK(err.rank == failing / threads); /* a rank, not a thread */
}

/* Ranks with other numbers of threads agree on the least. */
static void test_uneven(struct th_comm *comm)
{
  struct part part[MOST_THREADS] = {{0}};
  struct th_error err;
  int made = 0;
  for (int t = 0; t < MOST_THREADS; t++)
    part[t].failing = -1;
  th_error_clear(&err);
  int threads = comm->rank == comm->size - 1 ? 2 : 3;
  CHECK(th_team_run(comm, threads, work, part, sizeof *part, &made, &err) ==
        TH_OK);
  CHECK(made == 2 && part[0].wrong == 0 && part[1].wrong == 0);
  CHECK(part[0].size == 2 * comm->size && part[2].size == 0);
}

/* Pieces of a rank: number k is made as k + 1, and used in order. */
struct line {
  int64_t place[MOST_THREADS + 1];
  int64_t failing; /* piece whose making fails, as that of an odd one
                      behind it does; below 0: none */
  int64_t used;
  int64_t wrong;
};

static th_status make_number(void *self, int64_t piece, int place,
                             struct th_error *err)
{
  struct line *line = self;
  line->place[place] = piece + 1;
  if (line->failing >= 0 && piece / 2 == line->failing / 2 &&
      piece >= line->failing)
    return th_fail(err, TH_EDATA, "piece %lld", (long long)piece);
  return TH_OK;
}

static th_status use_number(void *self, int64_t piece, int place,
                            struct th_error *err)
{
  struct line *line = self;
  (void)err;
  line->wrong += piece != line->used || line->place[place] != piece + 1;
  line->used++;
  return TH_OK;
}

/* Ranks with other numbers of pieces; the first failure in the order of ranks
 * and of pieces is everyone's. */
static void test_relay(struct th_comm *comm, int threads, int64_t failing)
{
  struct line line = {.failing = comm->rank > 0 ? failing : -1};
  struct th_relay relay = {.count = comm->rank % 2 == 1 ? 100 : 17,
                           .places = threads > 1 ? threads + 1 : 1,
                           .make = make_number,
                           .use = use_number,
                           .self = &line};
  struct th_error err;
  char text[32];
  bool fails = failing >= 0 && comm->size > 1;
  th_error_clear(&err);
  th_status rc = th_team_relay_run(&relay, comm, threads, &err);
  snprintf(text, sizeof text, "piece %lld", (long long)failing);
  CHECK(rc == (fails ? TH_EDATA : TH_OK) && line.wrong == 0);
  CHECK(!fails || (strcmp(err.text, text) == 0 && err.rank == 1));
  CHECK(line.used == (line.failing >= 0 ? line.failing : relay.count));
}

/* Threads by what is wanted, worth it, and has room. */
static void test_size(void)
{
  CHECK(th_team_size(0, 9, 9) == 1 && th_team_size(8, 1, 9) == 1);
  CHECK(th_team_size(8, 3, 9) == 3 && th_team_size(8, 9, 9) == 8);
  CHECK(th_team_size(8, 9, 2) == 2 && th_team_size(8, 9, -1) == 1);
  CHECK(th_team_size(-8, 1, 9) == 8 && th_team_size(-8, 1, 2) == 2);
  CHECK(th_team_size(-8, 1, 0) == 1);
  CHECK(th_team_size(-1024, 1, INT64_MAX) == 1024);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  for (int threads = 1; threads <= MOST_THREADS; threads++)
    for (int failing = -1; failing < threads * comm.size; failing++)
      CASE(test_team(&comm, threads, failing));
  for (int threads = 1; threads <= MOST_THREADS; threads++)
    for (int64_t failing = -1; failing < 17; failing++)
      CASE(test_relay(&comm, threads, failing));
  CASE(test_uneven(&comm));
  CASE(test_size());
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
