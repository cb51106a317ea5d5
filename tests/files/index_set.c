/* index_set.c - indices that are numbered on any ranks: the same numbers, of
 * tables and of bits, with ranks that have none; indices as texts
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "io/import/text/index_set.h"
#include "mpi/mpi_comm.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 5000, BITS = 1 << 20 };

/* Ascending: the first is 0, the last the largest. */
static uint64_t index_of(int64_t k, uint64_t largest)
{
  return k == COUNT - 1 ? largest : largest / COUNT * (uint64_t)k;
}

/* Some of the indices, so that all ranks together have all; with `alone`, the
 * last rank has all of them and the others none. */
static void fill(struct th_index_set *set, const struct th_comm *comm,
                 uint64_t largest, int64_t bytes, bool alone)
{
  struct th_error err;
  CHECK(th_index_set_begin(set, largest, bytes, &err) == TH_OK);
  CHECK((set->bit != NULL) == (bytes > 0));
  for (int64_t j = 0; j < 2 * COUNT; j++) {
    int64_t k = (j * 7919 + comm->rank) % COUNT; /* each of them twice */
    bool mine = alone ? comm->rank == comm->size - 1
                      : (k % (comm->size + 1) != comm->rank);
    if (mine || (comm->size == 1 && !alone))
      CHECK(th_index_set_add(set, index_of(k, largest), &err) == TH_OK);
  }
}

static void test_join(struct th_comm *comm, uint64_t largest, int64_t bytes,
                      bool alone)
{
  struct th_index_set set;
  struct th_error err;
  uint64_t *list = NULL;
  int64_t count = 0;
  fill(&set, comm, largest, bytes, alone);
  int64_t mine = set.count;
  CHECK(th_index_set_join(&set, comm, &list, &count, &err) == TH_OK);
  CHECK(count == COUNT && set.count == mine);
  CHECK((list != NULL) == (comm->rank == 0));
  int64_t found = 0;
  for (int64_t k = 0; k < COUNT; k++) {
    int64_t number = th_index_set_find(&set, index_of(k, largest));
    CHECK(number == k || number == -1);
    CHECK(list == NULL || list[k] == index_of(k, largest));
    found += number == k;
  }
  CHECK(found == mine);
  CHECK(th_index_set_find(&set, largest / COUNT + 1) == -1);
  free(list);
  th_index_set_free(&set);
}

static void test_merge(struct th_comm *comm, uint64_t largest, int64_t bytes)
{
  struct th_index_set set;
  struct th_index_set other;
  struct th_error err;
  CHECK(th_index_set_begin(&set, largest, bytes, &err) == TH_OK);
  fill(&other, comm, largest, bytes, true);
  int64_t count = other.count;
  CHECK(th_index_set_add(&set, 0, &err) == TH_OK);
  CHECK(th_index_set_add(&set, largest - 1, &err) == TH_OK);
  CHECK(th_index_set_merge(&set, &other, &err) == TH_OK);
  CHECK(set.count == (count == 0 ? 2 : count + 1) && other.count == 0);
  th_index_set_free(&set);
}

static void test_texts(void)
{
  static const char *const bad[] = {"",   "18446744073709551616",   "-1", "1x",
                                    " 1", "99999999999999999999999"};
  const uint64_t index[] = {0, 907, UINT64_MAX};
  struct th_index_set set = {0};
  struct th_error err;
  char **names = NULL;
  uint64_t read = 0;
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    CHECK(!th_index_set_read(bad[k], bad[k] + strlen(bad[k]), &read));
  CHECK(th_index_set_names(index, 3, &names, &err) == TH_OK);
  for (int k = 0; k < 3; k++)
    CHECK(th_index_set_read(names[k], names[k] + strlen(names[k]), &read) &&
          read == index[k]);
  CHECK(strcmp(names[2], "18446744073709551615") == 0);
  CHECK(th_index_set_find(&set, 0) == -1);
  CHECK(th_index_set_fill(&set, index, 3, &err) == TH_OK);
  CHECK(th_index_set_find(&set, UINT64_MAX) == 2);
  CHECK(th_index_set_find(&set, 908) == -1);
  CHECK(th_index_set_from(index, 3, 908) == 2);
  CHECK(th_index_set_from(index, 2, UINT64_MAX) == 2);
  th_index_set_free(&set);
  free(names);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  for (int alone = 0; alone < 2; alone++) {
    CASE(test_join(&comm, UINT64_MAX, 0, alone != 0));
    CASE(test_join(&comm, BITS, 0, alone != 0));
    CASE(test_join(&comm, BITS, BITS, alone != 0));
  }
  CASE(test_merge(&comm, UINT64_MAX, 0));
  CASE(test_merge(&comm, BITS, BITS));
  CASE(test_texts());
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
