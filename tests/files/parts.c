/* parts.c - parts of sparse shards: of the attributes that ranks own each part
 * is read by one of them, or by two beside a border; old shards, in pieces of
 * one width, hold the same values
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "forge.h"
#include "io_data.h"

#include "base/memory.h"
#include "io/dataset/format.h"
#include "io/dataset/residency/dataset_store.h"
#include "io/hdf5/h5.h"
#include "ranks/partition.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = 6000, MOST_RANKS = 8 };

static const struct recipe recipe = {.shape = {.examples = 150,
                                               .attributes = ATTRIBUTES,
                                               .training = 130,
                                               .row_group = 64,
                                               .layout = TH_SPARSE,
                                               .type = TH_F32},
                                     .shards = 2};
static char path[128];
static char folder[64];

/* --- Shards as they were written before there were parts ------------------ */

static int64_t *numbers(hid_t file, const char *name, hid_t type,
                        int64_t *count)
{
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t space = H5Dget_space(set);
  *count = H5Sget_simple_extent_npoints(space);
  int64_t *items = calloc((size_t)*count + 1, sizeof *items);
  H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, items);
  H5Sclose(space);
  H5Dclose(set);
  return items;
}

/* A data set in place of one of that name, with a checksum to be set. */
static void replace(hid_t file, const char *name, const int64_t *items,
                    int64_t count)
{
  hsize_t size = (hsize_t)count;
  H5Ldelete(file, name, H5P_DEFAULT);
  hid_t space = H5Screate_simple(1, &size, NULL);
  hid_t one = H5Screate(H5S_SCALAR);
  hid_t set = H5Dcreate2(file, name,
                         strstr(name, "checksum") != NULL ? H5T_STD_U64LE
                                                          : H5T_STD_I64LE,
                         space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t sum = H5Acreate2(set, TH_A_CHECKSUM, H5T_STD_U64LE, one, H5P_DEFAULT,
                         H5P_DEFAULT);
  uint64_t none = 0;
  CHECK(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, items) >=
            0 &&
        H5Awrite(sum, H5T_NATIVE_UINT64, &none) >= 0);
  H5Aclose(sum);
  H5Dclose(set);
  H5Sclose(one);
  H5Sclose(space);
}

/* Cut the row groups of a shard into pieces of that many attributes. */
static void cut(hid_t file, int64_t width, int64_t pieces)
{
  int64_t runs;
  int64_t groups;
  int64_t *attribute = numbers(file, TH_D_ATTRIBUTE, H5T_NATIVE_INT64, &runs);
  int64_t *count = numbers(file, TH_D_COUNT, H5T_NATIVE_INT64, &runs);
  int64_t *whole = numbers(file, TH_D_PIECE, H5T_NATIVE_INT64, &groups);
  int64_t table = --groups * pieces;
  int64_t *piece = calloc((size_t)table + 1, sizeof *piece);
  int64_t *entry = calloc((size_t)table + 1, sizeof *entry);
  int64_t *none = calloc((size_t)table + 1, sizeof *none);
  int64_t run = 0;
  int64_t sum = 0;
  for (int64_t k = 0; k < table; k++) {
    piece[k] = run;
    entry[k] = sum;
    for (; run < whole[k / pieces + 1] &&
           attribute[run] < (k % pieces + 1) * width;
         run++)
      sum += count[run];
  }
  piece[table] = run;
  entry[table] = sum;
  CHECK(run == runs);
  replace(file, TH_D_PIECE, piece, table + 1);
  replace(file, TH_D_PIECE_ENTRY, entry, table + 1);
  replace(file, TH_D_PIECE_CHECKSUM, none, table);
  TH_FREE(attribute, count, whole, piece, entry, none);
}

static void make_old(int64_t width)
{
  for (int k = 0; k < recipe.shards; k++) {
    char shard[160];
    snprintf(shard, sizeof shard, "%s/data.shards/%05d.h5", folder, k);
    hid_t file = H5Fopen(shard, H5F_ACC_RDWR, H5P_DEFAULT);
    int64_t attributes =
        th_range_count(th_partition_shard(ATTRIBUTES, k, recipe.shards));
    int64_t own = width < attributes ? width : attributes;
    cut(file, own, (attributes + own - 1) / own);
    hid_t number = H5Aopen(file, TH_A_PIECE, H5P_DEFAULT);
    CHECK(H5Awrite(number, H5T_NATIVE_INT64, &own) >= 0);
    H5Aclose(number);
    CHECK(H5Adelete(file, TH_A_PARTS) >= 0);
    H5Fclose(file);
  }
  forge_seal(path);
}

/* --- What ranks read ------------------------------------------------------ */

/* The places of a slab at which it does not have the recipe's values. */
static int64_t wrong_values(const struct th_slab *slab, struct th_rows rows)
{
  int64_t wrong = 0;
  for (int64_t a = slab->attributes.first; a < slab->attributes.last; a += 3)
    for (int64_t r = 0; r < rows.count; r++)
      wrong +=
          slab_value(slab, a, r) != recipe_value(&recipe, a, rows.first + r);
  return wrong;
}

/* Read what a rank owns, and compare a third of it with the recipe; returns the
 * bytes that were read. */
static int64_t read_share(int rank, int ranks, int64_t *pieces)
{
  struct th_comm comm;
  struct th_dataset *d = NULL;
  struct th_error err = {0};
  th_comm_self(&comm);
  CHECK(th_dataset_open(&d, &comm, path, 64 << 20, &err) == TH_OK);
  d->residency.rank = rank; /* as if there were others */
  d->residency.ranks = ranks;
  struct th_store *store = th_dataset_store(d);
  struct th_range owned = th_store_owned(store, rank, ranks);
  int64_t wrong = 0;
  for (int64_t g = 0; g < th_store_shape_groups(&store->shape); g++) {
    struct th_rows rows = th_store_shape_group(&store->shape, g);
    for (int64_t a = owned.first; a < owned.last;) {
      struct th_slab slab;
      th_status rc = store->ops->slab(
          store, rows, (struct th_range){a, owned.last}, false, &slab, &err);
      CHECK(rc == TH_OK && slab.attributes.first == a);
      if (rc != TH_OK)
        break;
      wrong += ranks <= 3 ? wrong_values(&slab, rows) : 0;
      a = slab.attributes.last;
      ++*pieces;
    }
  }
  CHECK(wrong == 0);
  int64_t bytes = store->blocks.read;
  th_dataset_close(d);
  return bytes;
}

static int64_t read_all(int ranks, int64_t *pieces)
{
  int64_t bytes = 0;
  *pieces = 0;
  for (int r = 0; r < ranks; r++)
    bytes += read_share(r, ranks, pieces);
  return bytes;
}

/* A rank reads what it owns, and of a part beside its borders the rest. */
static void test_shares(void)
{
  int64_t pieces = 0;
  int64_t alone = read_all(1, &pieces);
  for (int ranks = 2; ranks <= MOST_RANKS; ranks++) {
    int64_t all = read_all(ranks, &pieces);
    CHECK(all >= alone && (double)all <= 1.2 * (double)alone);
  }
}

static void test_check(void)
{
  struct th_comm comm;
  struct th_dataset *d = NULL;
  struct th_error err = {0};
  th_comm_self(&comm);
  CHECK(th_dataset_open(&d, &comm, path, 1 << 20, &err) == TH_OK);
  CHECK(th_dataset_check(d, &comm, &err) == TH_OK);
  if (err.code != TH_OK)
    fprintf(stderr, "%s\n", err.text);
  th_dataset_close(d);
}

/* The values of one row and some attributes. */
static int64_t wrong_in_row(struct th_store *store, int64_t row,
                            struct th_range range)
{
  struct th_error err = {0};
  int64_t wrong = 0;
  while (range.first < range.last) {
    struct th_slab slab;
    th_status rc = store->ops->slab(store, (struct th_rows){row, 1}, range,
                                    false, &slab, &err);
    if (rc != TH_OK)
      return 1;
    CHECK(slab.rows == 1 && slab.attributes.first == range.first);
    for (int64_t k = 0; k < slab.runs; k++)
      wrong += th_range_count(th_slab_entries(&slab, k)) != 1;
    for (int64_t a = range.first; a < slab.attributes.last; a++)
      wrong += th_slab_value(&slab, a, 0) != recipe_value(&recipe, a, row);
    range.first = slab.attributes.last;
  }
  return wrong;
}

/* Pieces that are kept row by row, also where there is not memory for all. */
static void test_rows(int64_t memory)
{
  struct th_comm comm;
  struct th_dataset *d = NULL;
  struct th_error err = {0};
  th_comm_self(&comm);
  CHECK(th_dataset_open(&d, &comm, path, memory, &err) == TH_OK);
  th_dataset_by_row(d);
  struct th_store *store = th_dataset_store(d);
  int64_t wrong = 0;
  for (int64_t k = 0; k < recipe.shape.examples; k++) {
    int64_t row = k * 67 % recipe.shape.examples;
    int64_t first = k * 389 % ATTRIBUTES;
    struct th_range some = {first, first + 700};
    wrong += wrong_in_row(
        store, row, th_range_intersect(some, (struct th_range){0, ATTRIBUTES}));
  }
  CHECK(wrong == 0);
  th_dataset_close(d);
}

/* Old pieces are kept whole: each rank reads those that it has a share in. */
static void test_old(int64_t width)
{
  int64_t pieces = 0;
  make_old(width);
  test_check();
  int64_t alone = read_all(1, &pieces);
  CHECK(pieces > 0);
  CHECK(read_all(3, &pieces) >= alone);
}

int main(void)
{
  struct th_comm comm;
  struct th_error err = {0};
  th_comm_self(&comm);
  test_folder(&comm, folder);
  snprintf(path, sizeof path, "%s/data.h5", folder);
  const int64_t width[] = {ATTRIBUTES, 512, 300};
  CHECK(recipe_write(&recipe, &comm, path, true, &err) == TH_OK);
  CASE(test_shares());
  CASE(test_check());
  CASE(test_rows(64 << 20));
  CASE(test_rows(64 << 10));
  for (int k = 0; k < 3; k++) {
    CHECK(recipe_write(&recipe, &comm, path, true, &err) == TH_OK);
    CASE(test_old(width[k]));
  }
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
