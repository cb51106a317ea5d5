/* twins.c - equal examples are found, kept in a file, and refused if they
 * cannot be
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "io_data.h"

#include "base/random.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/twins.h"
#include "io/hdf5/h5.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, ATTRIBUTES = 4 };

static char folder[64];

/* Few values, so that many rows are equal, with equal targets or not. */
struct table {
  float value[ROWS][ATTRIBUTES];
  double target[ROWS];
  double weight[ROWS];
  uint64_t key[ROWS];
};

static void fill(struct table *t, uint64_t seed)
{
  struct th_stream stream = {seed, TH_PURPOSE_FOLD};
  for (int64_t i = 0; i < ROWS; i++) {
    int64_t like = th_random_place(stream, 0, ROWS, i);
    int64_t kind = like % 97;
    for (int a = 0; a < ATTRIBUTES; a++)
      t->value[i][a] = (float)(kind >> 2 * a & 3);
    t->target[i] = kind % 5 == 0 ? (double)(like % 2) : (double)kind;
    t->weight[i] = like % 11 == 0 ? 0 : 1 + (double)(like % 3);
    t->key[i] = th_fingerprint_example(0, NULL, t->value[i],
                                       sizeof t->value[i][0], ATTRIBUTES);
  }
}

static bool same_values(const struct table *t, int64_t i, int64_t j)
{
  return memcmp(t->value[i], t->value[j], sizeof t->value[i]) == 0;
}

/* Plainly: the first row equal to row i, unless the targets of some differ. */
static int64_t first_of(const struct table *t, int64_t i)
{
  int64_t first = -1;
  for (int64_t j = 0; j < ROWS; j++) {
    if (!(t->weight[j] > 0) || !same_values(t, i, j))
      continue;
    if (t->target[j] != t->target[i])
      return i;
    first = first < 0 ? j : first;
  }
  return t->weight[i] > 0 ? first : i;
}

static struct th_twins find(const struct table *t)
{
  struct th_twins twins;
  struct th_error err = {0};
  const struct th_twins_given given = {ROWS, t->key, t->target, t->weight};
  CHECK(th_twins_find(&twins, &given, &err) == TH_OK);
  return twins;
}

static void test_find(void)
{
  static struct table t;
  for (uint64_t seed = 0; seed < 5; seed++) {
    fill(&t, seed);
    struct th_twins twins = find(&t);
    int64_t at = 0;
    CHECK(twins.count > ROWS / 4 && twins.count < ROWS / 2 + ROWS / 4);
    for (int64_t i = 0; i < ROWS; i++) {
      int64_t first = first_of(&t, i);
      if (first == i)
        continue;
      CHECK(at < twins.count && twins.row[at] == i && twins.first[at] == first);
      at++;
    }
    CHECK(at == twins.count);
    th_twins_free(&twins);
  }
}

/* Dense and sparse text make the same key; places and values count. */
static void test_key(void)
{
  const double dense[] = {0, 2.5, 0, -1, 0, 7};
  const double sparse[] = {2.5, -1, 7};
  const double other[] = {2.5, 7, -1};
  const uint32_t index[] = {1, 3, 5};
  const uint32_t moved[] = {1, 3, 4};
  uint64_t key = th_fingerprint_example(0, NULL, dense, sizeof *dense, 6);
  CHECK(th_fingerprint_example(-1, index, sparse, sizeof *sparse, 3) == key);
  CHECK(th_fingerprint_example(-1, index, other, sizeof *other, 3) != key);
  CHECK(th_fingerprint_example(-1, moved, sparse, sizeof *sparse, 3) != key);
  CHECK(th_fingerprint_example(1, NULL, dense, sizeof *dense, 6) != key);
}

/* Write twins, and read them for so many training examples. */
static th_status pass(const struct th_twins *twins, int64_t training,
                      struct th_twins *read)
{
  struct th_h5 h5 = {0};
  struct th_error err = {0};
  char path[128];
  snprintf(path, sizeof path, "%s/t.h5", folder);
  remove(path);
  CHECK(th_h5_create(&h5, path, path, &err) == TH_OK);
  CHECK(th_twins_put(&h5, twins, &err) == TH_OK);
  CHECK(th_h5_close(&h5, &err) == TH_OK);
  CHECK(th_h5_open(&h5, path, path, &err) == TH_OK);
  *read = (struct th_twins){0};
  th_status rc = th_twins_get(&h5, training, read, &err);
  th_h5_close(&h5, &err);
  return rc;
}

static void test_file(void)
{
  static struct table t;
  struct th_twins none = {0};
  struct th_twins read;
  fill(&t, 9);
  struct th_twins twins = find(&t);
  CHECK(pass(&twins, ROWS, &read) == TH_OK && read.count == twins.count);
  size_t bytes = (size_t)twins.count * sizeof *twins.row;
  CHECK(memcmp(read.row, twins.row, bytes) == 0);
  CHECK(memcmp(read.first, twins.first, bytes) == 0);
  th_twins_free(&read);
  CHECK(pass(&none, ROWS, &read) == TH_OK && read.count == 0);
  th_twins_free(&read);
  CHECK(pass(&twins, twins.row[twins.count - 1], &read) == TH_EFORMAT);
  th_twins_free(&read);
  th_twins_free(&twins);
}

/* What cannot be is refused, whatever its checksums say. */
static void test_forged(void)
{
  static const struct {
    int64_t row[3];
    int64_t first[3];
  } forged[] = {
      {{2, 4, 4}, {0, 1, 1}},  /* twice */
      {{4, 2, 6}, {0, 0, 0}},  /* not ascending */
      {{2, 4, 6}, {0, 4, 0}},  /* itself */
      {{2, 4, 6}, {0, 2, 0}},  /* the first one follows another */
      {{2, 4, 6}, {0, -1, 0}}, /* before all */
      {{2, 4, 6}, {0, 9, 0}},  /* behind it */
      {{0, 4, 6}, {0, 0, 0}},
      {{2, 4, 10}, {0, 0, 0}}, /* no training example */
  };
  struct th_twins read;
  int64_t row[3] = {2, 4, 6};
  int64_t first[3] = {0, 1, 0};
  CHECK(pass(&(struct th_twins){3, row, first}, 10, &read) == TH_OK);
  th_twins_free(&read);
  for (size_t k = 0; k < sizeof forged / sizeof *forged; k++) {
    memcpy(row, forged[k].row, sizeof row);
    memcpy(first, forged[k].first, sizeof first);
    CHECK(pass(&(struct th_twins){3, row, first}, 10, &read) == TH_EFORMAT);
    th_twins_free(&read);
  }
}

int main(void)
{
  struct th_comm comm;
  th_comm_self(&comm);
  test_folder(&comm, folder);
  CASE(test_find());
  CASE(test_key());
  CASE(test_file());
  CASE(test_forged());
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
