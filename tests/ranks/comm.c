/* comm.c - every operation of th_comm over MPI, and what is built on them
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/memory.h"
#include "mpi/mpi_comm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void test_sums(struct th_comm *comm)
{
  enum { COUNT = 1000 };
  int64_t values[COUNT];
  for (int64_t k = 0; k < COUNT; k++)
    values[k] = (comm->rank + 1) * (k + ((int64_t)1 << 40));
  comm->ops->sum_i64(comm, values, COUNT);
  int64_t all = (int64_t)comm->size * (comm->size + 1) / 2;
  for (int64_t k = 0; k < COUNT; k++)
    CHECK(values[k] == all * (k + ((int64_t)1 << 40)));
  comm->ops->sum_i64(comm, NULL, 0); /* an empty sum is legal */
}

static void test_maxima(struct th_comm *comm)
{
  int64_t whole[3] = {comm->rank, -comm->rank, INT64_MIN + comm->rank};
  double real[2] = {-1.5 - comm->rank, 0.25 * comm->rank};
  comm->ops->max_i64(comm, whole, 3);
  comm->ops->max_f64(comm, real, 2);
  CHECK(whole[0] == comm->size - 1 && whole[1] == 0);
  CHECK(whole[2] == INT64_MIN + comm->size - 1);
  CHECK(real[0] == -1.5 && real[1] == 0.25 * (comm->size - 1));
}

static void test_bcast(struct th_comm *comm)
{
  static unsigned char data[100003];
  for (int root = 0; root < comm->size; root++) {
    memset(data, comm->rank == root ? 17 + root : 0, sizeof data);
    comm->ops->bcast(comm, data, sizeof data, root);
    for (size_t k = 0; k < sizeof data; k += 997)
      CHECK(data[k] == 17 + root);
    CHECK(data[sizeof data - 1] == 17 + root);
    comm->ops->bcast(comm, NULL, 0, root);
  }
}

/* Bytes that rank `from` has for rank `to`: some none, some large. */
static int64_t piece_bytes(int from, int to, int64_t unit)
{
  return (from + 2 * to) % 3 * unit + (from == to ? 5 : 0);
}

static unsigned char piece_byte(int from, int to, int64_t k)
{
  return (unsigned char)(31 * from + 7 * to + k % 251);
}

static int64_t lay_out(struct th_comm *comm, int64_t unit, int64_t *send_bytes,
                       int64_t *receive_bytes, int64_t *receive_total)
{
  int64_t send_total = 0;
  *receive_total = 0;
  for (int r = 0; r < comm->size; r++) {
    send_bytes[r] = piece_bytes(comm->rank, r, unit);
    receive_bytes[r] = piece_bytes(r, comm->rank, unit);
    send_total += send_bytes[r];
    *receive_total += receive_bytes[r];
  }
  return send_total;
}

static void fill_pieces(struct th_comm *comm, const int64_t *send_bytes,
                        unsigned char *send)
{
  for (int r = 0; r < comm->size; r++)
    for (int64_t k = 0; k < send_bytes[r]; k++)
      *send++ = piece_byte(comm->rank, r, k);
}

static int64_t count_wrong(struct th_comm *comm, const int64_t *receive_bytes,
                           const unsigned char *receive)
{
  int64_t wrong = 0;
  for (int r = 0; r < comm->size; r++)
    for (int64_t k = 0; k < receive_bytes[r]; k++)
      wrong += *receive++ != piece_byte(r, comm->rank, k);
  return wrong;
}

static void test_exchange(struct th_comm *comm, int64_t unit)
{
  struct th_error err = {0};
  int64_t send_bytes[8];
  int64_t receive_bytes[8];
  int64_t incoming = 0;
  int64_t outgoing = lay_out(comm, unit, send_bytes, receive_bytes, &incoming);
  unsigned char *send = NULL;
  unsigned char *receive = NULL;
  CHECK(TH_NEW(&send, outgoing, "what is sent", &err) == TH_OK);
  CHECK(TH_NEW(&receive, incoming, "what comes", &err) == TH_OK);
  fill_pieces(comm, send_bytes, send);
  int64_t sent = comm->bytes_sent;
  int64_t exchanged = comm->bytes_exchanged;
  comm->ops->exchange(comm, send, send_bytes, receive, receive_bytes);
  CHECK(count_wrong(comm, receive_bytes, receive) == 0);
  CHECK(comm->size == 1 ||
        comm->bytes_sent - sent == outgoing - send_bytes[comm->rank]);
  CHECK(comm->bytes_exchanged - exchanged == comm->bytes_sent - sent);
  free(send);
  free(receive);
}

static void test_empty_exchange(struct th_comm *comm)
{
  int64_t none[8] = {0};
  comm->ops->exchange(comm, NULL, none, NULL, none);
}

static void test_alltoall(struct th_comm *comm)
{
  int64_t send[8];
  int64_t receive[8] = {0};
  for (int r = 0; r < comm->size; r++)
    send[r] = 100 * comm->rank + r;
  comm->ops->alltoall_i64(comm, send, receive);
  for (int r = 0; r < comm->size; r++)
    CHECK(receive[r] == 100 * r + comm->rank);
}

static void test_collect(struct th_comm *comm)
{
  struct th_error err = {0};
  int64_t mine[2] = {comm->rank, -comm->rank};
  void *all = mine;
  CHECK(th_comm_collect(comm, mine, sizeof mine, &all, &err) == TH_OK);
  CHECK((all != NULL) == (comm->rank == 0));
  const int64_t *record = all;
  for (int r = 0; record && r < comm->size; r++)
    CHECK(record[2 * r] == r && record[2 * r + 1] == -r);
  free(all);
}

/* All ranks of a test are on one node. */
static void test_split_node(struct th_comm *comm)
{
  struct th_comm node;
  comm->ops->split_node(comm, &node);
  CHECK(node.size == comm->size && node.rank == comm->rank);
  int64_t members = 1;
  node.ops->sum_i64(&node, &members, 1);
  CHECK(members == node.size);
  th_comm_free(&node);
}

static void test_running_sum(struct th_comm *comm)
{
  enum { COUNT = 50000 };
  static int64_t values[COUNT];
  for (int round = 0; round < 3; round++) {
    for (int64_t k = 0; k < COUNT; k++)
      values[k] = comm->rank + k;
    comm->ops->sum_start(comm, values, COUNT);
    double between = comm->rank; /* other operations meanwhile are legal */
    comm->ops->max_f64(comm, &between, 1);
    comm->ops->sum_progress(comm);
    comm->ops->sum_finish(comm);
    comm->ops->sum_progress(comm); /* nothing is under way */
    CHECK(between == comm->size - 1);
    int64_t ranks = (int64_t)comm->size * (comm->size - 1) / 2;
    for (int64_t k = 0; k < COUNT; k += 77)
      CHECK(values[k] == ranks + comm->size * k);
  }
}

static void test_split(struct th_comm *comm)
{
  struct th_comm part;
  int color = comm->rank % 2;
  comm->ops->split(comm, color, &part);
  CHECK(part.size == (comm->size + 1 - color) / 2);
  CHECK(part.rank == comm->rank / 2);
  int64_t members = 1;
  part.ops->sum_i64(&part, &members, 1);
  CHECK(members == part.size);
  struct th_comm alone;
  part.ops->split(&part, part.rank, &alone);
  CHECK(alone.size == 1 && alone.rank == 0);
  th_comm_free(&alone);
  th_comm_free(&part);
  CHECK(part.ops == NULL);
  comm->ops->barrier(comm);
}

/* Let each rank in turn be the one that fails, then several at once. */
static void test_agree(struct th_comm *comm)
{
  struct th_error err;
  th_error_clear(&err);
  CHECK(th_agree(comm, TH_OK, &err) == TH_OK);
  CHECK(err.code == TH_OK);
  for (int bad = 0; bad < comm->size; bad++) {
    th_error_clear(&err);
    th_status rc = TH_OK;
    if (comm->rank >= bad) /* the lowest one counts */
      rc = th_fail(&err, comm->rank == bad ? TH_EIO : TH_EDATA, "shard of %d",
                   comm->rank);
    CHECK(th_agree(comm, rc, &err) == TH_EIO);
    CHECK(err.code == TH_EIO && err.rank == bad);
    char text[32];
    snprintf(text, sizeof text, "shard of %d", bad);
    CHECK(strcmp(err.text, text) == 0);
  }
}

/* The rank that fails has written nothing down, or others have old news. */
static void test_agree_careless(struct th_comm *comm)
{
  struct th_error err;
  for (int bad = 0; bad < comm->size; bad++) {
    th_error_clear(&err);
    th_status rc = comm->rank == bad ? TH_ENUMERIC : TH_OK;
    CHECK(th_agree(comm, rc, &err) == TH_ENUMERIC);
    CHECK(err.rank == bad && err.text[0] != '\0');
    th_error_clear(&err);
    if (comm->rank == bad)
      rc = th_fail(&err, TH_EFORMAT, "new");
    else
      th_fail(&err, TH_EIO, "an old failure that was dealt with");
    rc = comm->rank == bad ? rc : TH_OK;
    CHECK(th_agree(comm, rc, &err) == TH_EFORMAT);
    CHECK(strcmp(err.text, "new") == 0);
  }
}

static void test_gather(struct th_comm *comm, int64_t unit)
{
  struct th_error err = {0};
  int64_t counts[8];
  int64_t mine = unit * ((comm->rank + 1) % 3); /* some rank has nothing */
  unsigned char *bytes = malloc((size_t)mine + 1);
  memset(bytes, 'a' + comm->rank, (size_t)mine);
  void *all = NULL;
  CHECK(th_comm_gather(comm, bytes, mine, counts, &all, &err) == TH_OK);
  const unsigned char *next = all;
  for (int r = 0; r < comm->size; r++) {
    CHECK(counts[r] == unit * ((r + 1) % 3));
    for (int64_t k = 0; k < counts[r]; k++)
      CHECK(*next++ == 'a' + r);
  }
  free(all);
  free(bytes);
}

static void test_join(struct th_comm *comm, int64_t unit)
{
  struct th_error err = {0};
  double values[64] = {0};
  int64_t edge[9] = {0}; /* some rank has nothing */
  for (int r = 0; r < comm->size; r++)
    edge[r + 1] = edge[r] + unit * ((r + 1) % 3);
  int64_t count = edge[comm->size];
  for (int64_t k = edge[comm->rank]; k < edge[comm->rank + 1]; k++)
    values[k] = 1.5 * (double)k;
  CHECK(th_comm_join(comm, values, count, edge[comm->rank],
                     edge[comm->rank + 1], &err) == TH_OK);
  for (int64_t k = 0; k < count; k++)
    CHECK(values[k] == 1.5 * (double)k);
}

static void test_prefix(struct th_comm *comm)
{
  int64_t total = 0;
  int64_t value = comm->rank * comm->rank + 1;
  int64_t before = th_comm_prefix(comm, value, &total);
  int64_t expected = 0;
  int64_t sum = 0;
  for (int r = 0; r < comm->size; r++) {
    expected += r < comm->rank ? r * r + 1 : 0;
    sum += r * r + 1;
  }
  CHECK(before == expected && total == sum);
}

static void test_prefixes(struct th_comm *comm)
{
  int64_t values[2] = {comm->rank + 1, -5};
  comm->ops->prefix_i64(comm, values, 2);
  CHECK(values[0] == (int64_t)comm->rank * (comm->rank + 1) / 2);
  CHECK(values[1] == -5 * comm->rank);
  comm->ops->prefix_i64(comm, NULL, 0);
}

/* Sums and a failure in one operation, at once and in two halves. */
static void test_sum_agree(struct th_comm *comm)
{
  int64_t ranks = comm->size;
  for (int bad = -1; bad < comm->size; bad++)
    for (int halves = 0; halves < 2; halves++) {
      int64_t values[4] = {1, comm->rank, 7, 99};
      struct th_error err;
      th_error_clear(&err);
      th_status rc = comm->rank == bad ? th_fail(&err, TH_EDATA, "bad") : TH_OK;
      if (halves) {
        th_comm_sum_agree_start(comm, values, 3, rc);
        rc = th_comm_sum_agree_finish(comm, values, 3, rc, &err);
      } else {
        rc = th_comm_sum_agree(comm, values, 3, rc, &err);
      }
      CHECK(rc == (bad < 0 ? TH_OK : TH_EDATA));
      CHECK(bad < 0 || (err.rank == bad && strcmp(err.text, "bad") == 0));
      CHECK(values[0] == ranks && values[1] == ranks * (ranks - 1) / 2);
      CHECK(values[2] == 7 * ranks);
    }
}

/* Writers write, everyone reads; small blocks stay apart. */
/* Each number is one rank's: its bits arrive, whatever they are. */
static void test_share_numbers(struct th_comm *comm)
{
  static const double numbers[] = {-1.5,      0x1p-1074, -0x1p1023,
                                   -INFINITY, -0.0,      0x1.fffffffffffffp-3};
  enum { NUMBERS = sizeof numbers / sizeof *numbers };
  double value[NUMBERS] = {0};
  for (int k = comm->rank; k < NUMBERS; k += comm->size)
    value[k] = numbers[k];
  th_comm_share_numbers(comm, value, NUMBERS);
  CHECK(memcmp(value, numbers, sizeof numbers) == 0);
}

static void test_shared(struct th_comm *comm, size_t count)
{
  struct th_shared block = {.data = NULL};
  struct th_error err = {0};
  CHECK(th_comm_share(comm, count * sizeof(int64_t), "a block", &block, &err) ==
        TH_OK);
  int64_t *values = block.data;
  int64_t writers = block.writer;
  for (size_t k = 0; k < count; k++) {
    CHECK(values[k] == 0 || !block.writer);
    if (block.writer)
      values[k] = (int64_t)(3 * k + 1);
  }
  th_comm_shared_show(&block);
  int64_t wrong = 0;
  for (size_t k = 0; k < count; k++)
    wrong += values[k] != (int64_t)(3 * k + 1);
  CHECK(wrong == 0);
  comm->ops->sum_i64(comm, &writers, 1);
  CHECK(writers >= 1 && writers <= comm->size);
  CHECK(count > 1000 || writers == comm->size);
  th_comm_shared_free(&block);
  CHECK(block.data == NULL);
  th_comm_shared_free(&block);
}

static void test_everything(struct th_comm *comm)
{
  test_sums(comm);
  test_maxima(comm);
  test_bcast(comm);
  test_exchange(comm, 1);
  test_exchange(comm, 0);
  test_exchange(comm, 1 << 20);
  test_empty_exchange(comm);
  test_running_sum(comm);
  test_alltoall(comm);
  test_collect(comm);
  test_split(comm);
  test_split_node(comm);
  test_agree(comm);
  test_agree_careless(comm);
  test_gather(comm, 10);
  test_gather(comm, 0);
  test_gather(comm, 100000);
  test_join(comm, 0);
  test_join(comm, 5);
  test_prefix(comm);
  test_prefixes(comm);
  test_sum_agree(comm);
  test_share_numbers(comm);
  test_shared(comm, 0);
  test_shared(comm, 1000);
  test_shared(comm, 300000);
  CHECK(comm->operations > 0 && comm->seconds >= 0);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  struct th_comm self;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  CASE(test_everything(&comm));
  th_comm_self(&self); /* the team of one keeps the same contract */
  CASE(test_everything(&self));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
