/* source_tool.c - source_tool DATA.h5: a data set that was generated, against
 * the store that computes it: every value and target, and the models that are
 * trained on both with the same statistics
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "problem.h"

#include "io/dataset/residency/dataset.h"
#include "synthetic/synthetic_store.h"

#include <string.h>

/* The values of one store with the statistics of another. */
struct mixed {
  struct th_store store;
  struct th_store *values;
  struct th_store *statistics;
};

static th_status mixed_slab(struct th_store *store, struct th_rows rows,
                            struct th_range range, bool keep,
                            struct th_slab *slab, struct th_error *err)
{
  struct th_store *values = ((struct mixed *)store)->values;
  return values->ops->slab(values, rows, range, keep, slab, err);
}

static th_status mixed_targets(struct th_store *store, struct th_rows rows,
                               double *target, double *weight,
                               struct th_error *err)
{
  struct th_store *values = ((struct mixed *)store)->values;
  return values->ops->targets(values, rows, target, weight, err);
}

static th_status mixed_statistics(struct th_store *store, struct th_range range,
                                  struct th_statistics *statistics,
                                  struct th_error *err)
{
  struct th_store *other = ((struct mixed *)store)->statistics;
  return other->ops->statistics(other, range, statistics, err);
}

static const struct th_store_ops mixed_ops = {.slab = mixed_slab,
                                              .targets = mixed_targets,
                                              .statistics = mixed_statistics};

/* The values of one attribute of a slab on its rows. */
static void spread(const struct th_slab *slab, double *value)
{
  for (int32_t i = 0; i < slab->rows; i++)
    value[i] = slab->layout == TH_SPARSE
                   ? 0
                   : th_type_load(slab->type, slab->values, i);
  if (slab->layout == TH_DENSE || slab->runs == 0)
    return;
  CHECK(slab->runs == 1 &&
        slab->base + slab->attribute[0] == slab->attributes.first);
  for (int64_t k = 0; k < slab->start[1] - slab->start[0]; k++) {
    int64_t row = (int64_t)slab->row_in_group[k] - slab->row;
    if (row >= 0 && row < slab->rows)
      value[row] = th_type_load(slab->type, slab->values, k);
  }
}

static void read_one(struct th_store *store, struct th_rows rows, int64_t j,
                     bool keep, double *value)
{
  struct th_slab slab = {0};
  struct th_error err;
  th_error_clear(&err);
  CHECK(store->ops->slab(store, rows, (struct th_range){j, j + 1}, keep, &slab,
                         &err) == TH_OK);
  CHECK(slab.rows == rows.count && slab.attributes.first == j &&
        slab.attributes.last == j + 1);
  if (check_failures == 0)
    spread(&slab, value);
}

/* Some attributes on pieces of every row group, odd ones among them. */
static void compare_values(struct th_store *written, struct th_store *computed)
{
  enum { MOST = 4096 };
  const struct th_shape *shape = &written->shape;
  double a[MOST];
  double b[MOST];
  for (int64_t g = 0; g < th_store_shape_groups(shape); g++) {
    struct th_rows group = th_store_shape_group(shape, g);
    for (int64_t j = g % 7; j < shape->attributes; j += 13) {
      int64_t skip = (g + j) % group.count;
      struct th_rows rows = {group.first + skip, group.count - skip};
      read_one(written, rows, j, false, a);
      read_one(computed, rows, j, (g + j) % 3 == 0, b);
      CHECK(memcmp(a, b, (size_t)rows.count * sizeof *a) == 0);
    }
    double weight[MOST];
    struct th_error err;
    th_error_clear(&err);
    CHECK(written->ops->targets(written, group, a, NULL, &err) == TH_OK);
    CHECK(computed->ops->targets(computed, group, b, weight, &err) == TH_OK);
    CHECK(memcmp(a, b, (size_t)group.count * sizeof *a) == 0);
    CHECK(weight[group.count - 1] == 1);
  }
}

/* Bounds and moments of a data set of some thousand examples. */
static void compare_statistics(struct th_store *written,
                               struct th_store *computed)
{
  const int64_t d = written->shape.attributes;
  const double n = (double)written->shape.training;
  for (int64_t j = 0; j < d; j++) {
    struct th_range one = {j, j + 1};
    struct th_statistics found;
    struct th_statistics exact;
    struct th_error err;
    th_error_clear(&err);
    CHECK(written->ops->statistics(written, one, &found, &err) == TH_OK);
    CHECK(computed->ops->statistics(computed, one, &exact, &err) == TH_OK);
    CHECK(exact.lowest <= found.lowest && found.highest <= exact.highest);
    CHECK(fabs(found.mean - exact.mean) < 6 * exact.deviation / sqrt(n));
    if (written->shape.layout == TH_DENSE)
      CHECK_NEAR(found.deviation, exact.deviation, 6 / sqrt(n));
  }
}

static uint64_t digest(struct th_store *store)
{
  struct th_comm comm;
  struct th_error err;
  struct th_model model = {0};
  struct th_config config = problem_config("sift", 0, 300);
  th_comm_self(&comm);
  th_error_clear(&err);
  CHECK(problem_train(&config, store, &comm, NULL, &model, &err) == TH_OK);
  CHECK(model.support_size > 0);
  uint64_t found = problem_digest(&model);
  th_model_free(&model);
  th_comm_free(&comm);
  return found;
}

static void compare(struct th_store *written,
                    const struct th_ground_truth *truth, int64_t memory)
{
  struct th_synthetic_store *made = NULL;
  struct th_error err;
  th_error_clear(&err);
  CHECK(th_synthetic_store_create(&made, truth, &written->shape, memory,
                                  &err) == TH_OK);
  if (made == NULL)
    return;
  struct th_store *computed = th_synthetic_store_of(made);
  CHECK(computed->fingerprint != written->fingerprint);
  compare_values(written, computed);
  compare_statistics(written, computed);
  struct mixed mixed = {*computed, computed, written};
  mixed.store.ops = &mixed_ops;
  CHECK(digest(&mixed.store) == digest(written));
  th_synthetic_store_free(made);
}

int main(int argc, char **argv)
{
  const int64_t memories[] = {0, 1 << 20, (int64_t)1 << 32};
  struct th_comm comm;
  struct th_error err;
  struct th_dataset *dataset = NULL;
  th_comm_self(&comm);
  th_error_clear(&err);
  if (argc != 2 ||
      th_dataset_open(&dataset, &comm, argv[1], 1 << 26, &err) != TH_OK) {
    fprintf(stderr, "usage: source_tool DATA.h5\n%s\n", err.text);
    return 2;
  }
  for (size_t k = 0; k < sizeof memories / sizeof *memories; k++)
    compare(th_dataset_store(dataset), th_dataset_truth(dataset), memories[k]);
  th_dataset_close(dataset);
  th_comm_free(&comm);
  return check_finish(NULL);
}
