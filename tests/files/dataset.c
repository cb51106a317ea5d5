/* dataset.c - what is written is read: every type, layout, shard count
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "io_data.h"
#include "mpi/mpi_comm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct recipe recipe_of(enum th_layout layout, enum th_type type,
                               int64_t examples, int64_t training,
                               int64_t attributes, int64_t row_group)
{
  struct recipe recipe = {.shape = {.examples = examples,
                                    .training = training,
                                    .attributes = attributes,
                                    .row_group = row_group,
                                    .layout = layout,
                                    .type = type},
                          .shards = 1};
  return recipe;
}

/* Every value through slabs of odd sizes. */
static void check_values(const struct recipe *recipe, struct th_store *store,
                         struct th_error *err)
{
  const struct th_shape *s = &recipe->shape;
  int64_t wrong = 0;
  for (int64_t i = 0; i < s->examples;) {
    int64_t base = i < s->training ? 0 : s->training;
    int64_t end = base + ((i - base) / s->row_group + 1) * s->row_group;
    int64_t most = i < s->training ? s->training : s->examples;
    int64_t rows = (end < most ? end : most) - i;
    rows = rows > 5 ? rows - rows / 3 : rows;
    for (int64_t a = 0; a < s->attributes;) {
      int64_t last = a + 37 < s->attributes ? a + 37 : s->attributes;
      struct th_slab slab;
      if (store->ops->slab(store, (struct th_rows){i, rows},
                           (struct th_range){a, last}, false, &slab,
                           err) != TH_OK)
        return;
      wrong += slab.attributes.first != a || slab.attributes.last <= a ||
               slab.attributes.last > last || slab.rows != rows;
      for (int64_t k = a; k < slab.attributes.last; k++)
        for (int64_t r = 0; r < rows; r++)
          wrong += slab_value(&slab, k, r) != recipe_value(recipe, k, i + r);
      a = slab.attributes.last;
    }
    i += rows;
  }
  CHECK(wrong == 0);
}

/* Two passes over the training examples, the plain way. */
static void check_statistics(const struct recipe *recipe,
                             struct th_store *store, struct th_error *err)
{
  const struct th_shape *s = &recipe->shape;
  struct th_statistics *found = calloc((size_t)s->attributes, sizeof *found);
  int64_t n = s->training;
  bool small = s->layout == TH_SPARSE && s->type != TH_F64; /* stored as f32 */
  double tolerance = small ? 0x1p-24 : 1e-12;
  CHECK(store->ops->statistics(store, (struct th_range){0, s->attributes},
                               found, err) == TH_OK);
  for (int64_t a = 0; a < s->attributes; a++) {
    double sum = 0.0;
    double squares = 0.0;
    double low = INFINITY;
    double high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
      double v = recipe_value(recipe, a, i);
      sum += v;
      low = fmin(low, v);
      high = fmax(high, v);
    }
    for (int64_t i = 0; i < n; i++)
      squares += pow(recipe_value(recipe, a, i) - sum / (double)n, 2.0);
    CHECK_NEAR(found[a].mean, sum / (double)n, tolerance);
    CHECK_NEAR(found[a].deviation, sqrt(squares / (double)n), tolerance);
    CHECK(found[a].lowest == low && found[a].highest == high);
  }
  struct th_statistics one;
  int64_t middle = s->attributes / 2;
  CHECK(store->ops->statistics(store, (struct th_range){middle, middle + 1},
                               &one, err) == TH_OK);
  CHECK(memcmp(&one, &found[middle], sizeof one) == 0);
  free(found);
}

static void check_examples(const struct recipe *recipe, struct th_dataset *d,
                           struct th_error *err)
{
  struct th_store *store = th_dataset_store(d);
  int64_t n = recipe->shape.examples;
  double *target = calloc((size_t)n, sizeof *target);
  double *weight = calloc((size_t)n, sizeof *weight);
  int64_t *row = calloc((size_t)n, sizeof *row);
  struct th_rows rows = {1, n - 1};
  CHECK(store->ops->targets(store, rows, target, weight, err) == TH_OK);
  CHECK(th_dataset_row_numbers(d, rows, row, err) == TH_OK);
  for (int64_t i = 1; i < n; i++) {
    CHECK(target[i - 1] == recipe_target(recipe, i));
    CHECK(weight[i - 1] ==
          (recipe->shape.weighted ? recipe_weight(recipe, i) : 1.0));
    CHECK(row[i - 1] == recipe_row(recipe, i));
  }
  free(target);
  free(weight);
  free(row);
}

static int64_t nonzeros_of(const struct recipe *recipe)
{
  int64_t count = 0;
  for (int64_t a = 0; a < recipe->shape.attributes; a++)
    for (int64_t i = 0; i < recipe->shape.examples; i++)
      count += recipe_value(recipe, a, i) != 0.0;
  return count;
}

static void check_whole(const struct recipe *recipe, struct th_dataset *d,
                        struct th_error *err)
{
  struct th_store *store = th_dataset_store(d);
  const struct th_ground_truth *truth = th_dataset_truth(d);
  CHECK(store->shape.examples == recipe->shape.examples);
  CHECK(store->shape.training == recipe->shape.training);
  CHECK(store->shape.attributes == recipe->shape.attributes);
  CHECK(store->shape.row_group == recipe->shape.row_group);
  CHECK(store->shape.layout == recipe->shape.layout);
  CHECK(store->shape.type == recipe->shape.type);
  CHECK(store->shape.weighted == recipe->shape.weighted);
  CHECK(store->shape.nonzeros == nonzeros_of(recipe));
  CHECK(strcmp(th_dataset_provenance(d), "a test") == 0);
  CHECK(strcmp(truth->family, "murata") == 0 && truth->seed == 9);
  CHECK(truth->support_size == 2 && truth->support[1] == 4);
  CHECK(truth->coef[1] == -2.0 && truth->noise == 0.25);
  check_values(recipe, store, err);
  check_statistics(recipe, store, err);
  check_examples(recipe, d, err);
  CHECK(th_dataset_unchanged(d, err) == TH_OK);
  CHECK(store->bytes_read > 0);
}

/* Write, read all of it, verify; the fingerprint. */
static uint64_t round_trip(const struct recipe *recipe, struct th_comm *comm,
                           const char *folder)
{
  struct th_error err;
  struct th_dataset *d = NULL;
  char path[128];
  uint64_t fingerprint = 0;
  th_error_clear(&err);
  snprintf(path, sizeof path, "%s/data.h5", folder);
  CHECK(recipe_write(recipe, comm, path, true, &err) == TH_OK);
  if (th_dataset_open(&d, comm, path, 1 << 20, &err) == TH_OK) {
    CHECK(th_dataset_shards(d) == recipe->shards);
    check_whole(recipe, d, &err);
    CHECK(th_dataset_check(d, comm, &err) == TH_OK);
    fingerprint = th_dataset_store(d)->fingerprint;
  }
  if (err.code != TH_OK)
    fprintf(stderr, "%s\n", err.text);
  CHECK(err.code == TH_OK);
  th_dataset_close(d);
  comm->ops->barrier(comm);
  return fingerprint;
}

/* The fingerprint is of the content, whatever the shards. */
static void test_layouts(struct th_comm *comm, const char *folder)
{
  static const int64_t shards[] = {1, 3, 8};
  for (int layout = 0; layout < TH_LAYOUT_COUNT; layout++)
    for (int type = 0; type < TH_TYPE_COUNT; type++) {
      uint64_t first = 0;
      if (layout == TH_SPARSE && th_type_packed((enum th_type)type) > 1)
        continue;
      for (size_t k = 0; k < 3; k++) {
        struct recipe recipe =
            recipe_of((enum th_layout)layout, (enum th_type)type, 150, 101,
                      type == TH_F32 ? 2600 : 300, 32);
        recipe.shards = shards[k];
        recipe.shape.weighted = type == TH_F64;
        recipe.named = type == TH_U8;
        uint64_t fingerprint = round_trip(&recipe, comm, folder);
        first = k == 0 ? fingerprint : first;
        CHECK(fingerprint == first && first != 0);
      }
    }
}

static void test_odd_sizes(struct th_comm *comm, const char *folder)
{
  const struct recipe odd[] = {
      recipe_of(TH_DENSE, TH_F32, 2, 1, 5, 64),
      recipe_of(TH_SPARSE, TH_F32, 2, 1, 5, 64),
      recipe_of(TH_DENSE, TH_F64, 65, 65, 7, 64),
      recipe_of(TH_DENSE, TH_U8, 64, 64, 11, 64),
      recipe_of(TH_SPARSE, TH_I8, 67, 64, 6, 64),
      recipe_of(TH_DENSE, TH_F32, 300, 200, 6, 100),
      recipe_of(TH_SPARSE, TH_F64, 300, 200, 6, TH_SPARSE_ROWS),
      recipe_of(TH_DENSE, TH_F64, 70, 70, 9, 40000),
      recipe_of(TH_DENSE, TH_U2, 3, 1, 5, 4),
      recipe_of(TH_DENSE, TH_U2, 131, 67, 9, 64),
      recipe_of(TH_DENSE, TH_U2, 90, 90, 300, 20),
  };
  for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
    struct recipe recipe = odd[k];
    round_trip(&recipe, comm, folder);
    recipe.shards = 5;
    round_trip(&recipe, comm, folder);
  }
}

/* Rows and counts of sparse data are stored in 16 bits. */
static void test_row_group(struct th_comm *comm, const char *folder)
{
  struct recipe recipe =
      recipe_of(TH_SPARSE, TH_F32, 300, 200, 6, TH_SPARSE_ROWS + 1);
  struct th_error err;
  char path[128];
  snprintf(path, sizeof path, "%s/no.h5", folder);
  th_error_clear(&err);
  CHECK(recipe_write(&recipe, comm, path, false, &err) == TH_EDATA);
  CHECK(strstr(err.text, "1 to 32768 examples, not 32769") != NULL);
}

/* Another value, target or order of examples is another fingerprint. */
static void test_fingerprint(struct th_comm *comm, const char *folder)
{
  struct recipe recipe = recipe_of(TH_DENSE, TH_F32, 90, 70, 20, 32);
  uint64_t one = round_trip(&recipe, comm, folder);
  recipe.salt = 1;
  uint64_t other = round_trip(&recipe, comm, folder);
  recipe.salt = 0;
  recipe.shape.training = 71;
  uint64_t split = round_trip(&recipe, comm, folder);
  CHECK(one != other && one != split && other != split);
}

/* Packed values are dense, and runs begin with a byte. */
static void test_packed(struct th_comm *comm, const char *folder)
{
  struct recipe recipe = recipe_of(TH_SPARSE, TH_U2, 90, 70, 20, 32);
  struct th_error err;
  char path[128];
  snprintf(path, sizeof path, "%s/data.h5", folder);
  th_error_clear(&err);
  CHECK(recipe_write(&recipe, comm, path, true, &err) == TH_EUSAGE);
  CHECK(strstr(err.text, "stored dense") != NULL);
  recipe = recipe_of(TH_DENSE, TH_U2, 90, 70, 20, 30);
  th_error_clear(&err);
  CHECK(recipe_write(&recipe, comm, path, true, &err) == TH_EUSAGE);
  CHECK(strstr(err.text, "multiple of 4 examples, not 30") != NULL);
}

static void test_existing(struct th_comm *comm, const char *folder)
{
  struct recipe recipe = recipe_of(TH_DENSE, TH_F32, 90, 70, 20, 32);
  struct th_error err;
  struct th_dataset *d = NULL;
  char path[128];
  snprintf(path, sizeof path, "%s/data.h5", folder);
  th_error_clear(&err);
  CHECK(recipe_write(&recipe, comm, path, true, &err) == TH_OK);
  CHECK(th_dataset_open(&d, comm, path, 1 << 20, &err) == TH_OK);
  th_error_clear(&err);
  CHECK(recipe_write(&recipe, comm, path, false, &err) == TH_EIO);
  CHECK(strstr(err.text, "{force}") != NULL);
  comm->ops->barrier(comm);
  th_error_clear(&err);
  CHECK(th_dataset_unchanged(d, &err) == TH_OK);
  comm->ops->barrier(comm);
  CHECK(recipe_write(&recipe, comm, path, true, &err) == TH_OK);
  CHECK(th_dataset_unchanged(d, &err) == TH_EIO);
  th_dataset_close(d);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  char folder[64] = "";
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  test_folder(&comm, folder);
  CASE(test_layouts(&comm, folder));
  CASE(test_odd_sizes(&comm, folder));
  CASE(test_row_group(&comm, folder));
  CASE(test_fingerprint(&comm, folder));
  CASE(test_packed(&comm, folder));
  CASE(test_existing(&comm, folder));
  test_folder_remove(&comm, folder);
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
