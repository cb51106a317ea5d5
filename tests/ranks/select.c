/* select.c - the k largest over all ranks are those of one sorted list
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "math/select.h"
#include "mpi/mpi_comm.h"
#include "ranks/partition.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000 };

/* Value of an attribute under a pattern; every rank can compute any. */
static double value_of(int pattern, int64_t j)
{
  struct th_stream stream = {9, TH_PURPOSE_TEST};
  double pair[2];
  th_random_normal(stream, (uint64_t)pattern, (uint64_t)j, pair);
  switch (pattern) {
  case 0:
    return pair[0];
  case 1: /* many ties, of both signs */
    return floor(2 * pair[0]);
  case 2: /* all the same */
    return j % 2 ? 3 : -3;
  case 3: /* mostly zeros, of both signs */
    return j % 97 == 0 ? pair[0] : j % 2 ? 0.0 : -0.0;
  case 4: /* denormals */
    return pair[0] * 1e-310;
  case 5: /* every magnitude there is */
    return ldexp(pair[0], (int)(j * 37 % 2000) - 1040);
  case 6: /* infinities among the rest */
    return j % 50 == 7 ? copysign(INFINITY, pair[0]) : pair[0];
  case 7: /* nothing */
    return 0;
  default: /* differ in the last bit alone, beyond the spare candidates */
    return nextafter(1.0, j % 3 ? 2.0 : 0.0);
  }
}

enum { PATTERNS = 9 };

static int by_magnitude(const void *a, const void *b)
{
  const struct th_index_value *left = a;
  const struct th_index_value *right = b;
  double difference = fabs(right->value) - fabs(left->value);
  if (fabs(right->value) != fabs(left->value))
    return difference > 0 ? 1 : -1;
  return left->attribute < right->attribute ? -1 : 1;
}

static int by_attribute(const void *a, const void *b)
{
  const struct th_index_value *left = a;
  const struct th_index_value *right = b;
  return left->attribute < right->attribute ? -1 : 1;
}

static int64_t expected(int pattern, int64_t d, double floor_value, int64_t k,
                        struct th_index_value *list)
{
  int64_t count = 0;
  for (int64_t j = 0; j < d; j++)
    if (fabs(value_of(pattern, j)) > floor_value)
      list[count++] = (struct th_index_value){j, value_of(pattern, j)};
  qsort(list, (size_t)count, sizeof *list, by_magnitude);
  count = count < k ? count : k;
  qsort(list, (size_t)count, sizeof *list, by_attribute);
  return count;
}

static void check_chosen(const struct th_comm *comm, const char *name,
                         const struct th_index_value *chosen, int64_t found,
                         const struct th_index_value *right, int64_t count)
{
  bool same = found == count;
  for (int64_t i = 0; i < count && same; i++)
    same = chosen[i].attribute == right[i].attribute &&
           memcmp(&chosen[i].value, &right[i].value, sizeof(double)) == 0;
  if (same)
    return;
  check_failures++;
  fprintf(stderr, "rank %d of %d: %s\n", comm->rank, comm->size, name);
}

/* By the sum of what every rank tells, and by the plain form. */
static void check_both(struct th_comm *comm, const char *name,
                       const struct th_select_among *among,
                       const struct th_index_value *right, int64_t count)
{
  static struct th_index_value chosen[2 * MOST];
  struct th_selection work = {0};
  struct th_error err = {0};
  int64_t found = -1;
  CHECK(th_select_largest(comm, &work, among, TH_OK, chosen, &found, &err) ==
        TH_OK);
  check_chosen(comm, name, chosen, found, right, count);
  CHECK(th_select_by_digits(comm, &work, among, chosen, &found, &err) == TH_OK);
  check_chosen(comm, name, chosen, found, right, count);
  th_select_free(&work);
}

static void test_selection(struct th_comm *comm, int pattern, int64_t d,
                           double floor_value, int64_t k)
{
  static struct th_index_value right[MOST];
  static double values[MOST];
  static int64_t attribute[MOST];
  struct th_range mine = th_partition_rank(d, comm->rank, comm->size);
  char name[100];
  int64_t owned = mine.last - mine.first;
  int64_t count = expected(pattern, d, floor_value, k, right);
  for (int64_t j = 0; j < owned; j++)
    values[j] = value_of(pattern, mine.first + j);
  snprintf(name, sizeof name, "pattern %d, d %lld, floor %g, k %lld", pattern,
           (long long)d, floor_value, (long long)k);
  struct th_select_among among = {.values = values,
                                  .first = mine.first,
                                  .count = owned,
                                  .threshold = floor_value,
                                  .k = k};
  check_both(comm, name, &among, right, count);
  /* listed: from the last to the first, on ranks in turn */
  int64_t listed = 0;
  for (int64_t j = d - 1 - comm->rank; j >= 0; j -= comm->size, listed++) {
    attribute[listed] = j;
    values[listed] = value_of(pattern, j);
  }
  among.attribute = attribute;
  among.count = listed;
  check_both(comm, name, &among, right, count);
}

/* Let each rank in turn own a value that is no number. */
static void test_not_a_number(struct th_comm *comm)
{
  double values[300];
  struct th_index_value chosen[8];
  struct th_selection work = {0};
  for (int bad = 0; bad < comm->size; bad++) {
    struct th_error err;
    int64_t found = -1;
    int64_t first = 300 * comm->rank;
    th_error_clear(&err);
    for (int j = 0; j < 300; j++)
      values[j] = comm->rank == bad && j == 123 ? (double)NAN : (double)j;
    struct th_select_among among = {
        .values = values, .first = first, .count = 300, .k = 8};
    CHECK(th_select_largest(comm, &work, &among, TH_OK, chosen, &found, &err) ==
          TH_ENUMERIC);
    char name[32];
    snprintf(name, sizeof name, "attribute %d ", 300 * bad + 123);
    CHECK(err.rank == bad && strstr(err.text, name) != NULL && found == 0);
  }
  th_select_free(&work);
}

/* Let each rank in turn have failed before. */
static void test_failed_before(struct th_comm *comm)
{
  double values[3] = {1, 2, 3};
  struct th_index_value chosen[8];
  struct th_selection work = {0};
  for (int bad = 0; bad < comm->size; bad++) {
    struct th_error err;
    int64_t found = -1;
    th_error_clear(&err);
    th_status rc = comm->rank == bad ? th_fail(&err, TH_EIO, "before") : TH_OK;
    struct th_select_among among = {
        .values = values, .first = 3 * comm->rank, .count = 3, .k = 2};
    CHECK(th_select_largest(comm, &work, &among, rc, chosen, &found, &err) ==
          TH_EIO);
    CHECK(err.rank == bad && strcmp(err.text, "before") == 0 && found == 0);
  }
  th_select_free(&work);
}

static void test_everything(struct th_comm *comm)
{
  const int64_t sizes[] = {1, 257, 700, MOST};
  const int64_t wanted[] = {0, 1, 2, 65, 300, MOST};
  for (int pattern = 0; pattern < PATTERNS; pattern++)
    for (int d = 0; d < 4; d++)
      for (int k = 0; k < 6; k++) {
        test_selection(comm, pattern, sizes[d], 0, wanted[k]);
        test_selection(comm, pattern, sizes[d], 0.7, wanted[k]);
      }
  test_selection(comm, 1, MOST, 1, 100);    /* ties with the floor are out */
  test_selection(comm, 4, MOST, 1e-311, 9); /* a denormal floor */
  test_selection(comm, 6, MOST, INFINITY, 9);
  test_not_a_number(comm);
  test_failed_before(comm);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  struct th_comm self;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  CASE(test_everything(&comm));
  th_comm_self(&self);
  CASE(test_everything(&self));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
