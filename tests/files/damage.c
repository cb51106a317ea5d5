/* damage.c - a damaged, missing or wrong file is an error, never a wrong
 * answer
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "io_data.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static enum th_mapped mapped; /* of all that is opened */
static struct th_comm comm;

static const char *in_folder(const char *name)
{
  static char paths[4][160];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static uint64_t add(uint64_t hash, const void *data, size_t bytes)
{
  for (size_t k = 0; k < bytes; k++)
    hash = (hash ^ ((const unsigned char *)data)[k]) * UINT64_C(1099511628211);
  return hash;
}

/* How values are read: as slabs that are kept or not; as single values where
 * all of them fit in memory, or none. */
enum way { SLABS, KEPT, ENTRIES, ENTRIES_ALONE, WAYS };

static th_status read_value(struct th_store *store, int64_t i, int64_t a,
                            enum way way, double *value, struct th_error *err)
{
  struct th_entries one = {1, &i, &a};
  struct th_slab slab;
  if (way == ENTRIES || way == ENTRIES_ALONE)
    return th_store_entries(store, &one, value, err);
  th_status rc =
      store->ops->slab(store, (struct th_rows){i, 1},
                       (struct th_range){a, a + 1}, way == KEPT, &slab, err);
  if (rc == TH_OK)
    *value = slab_value(&slab, a, 0);
  return rc;
}

/* Every value by itself, and all the rest that can be asked. */
static th_status read_values(struct th_store *store, enum way way,
                             uint64_t *hash, struct th_error *err)
{
  const struct th_shape *s = &store->shape;
  for (int64_t i = 0; i < s->examples; i++)
    for (int64_t a = 0; a < s->attributes; a++) {
      double value = 0;
      th_status rc = read_value(store, i, a, way, &value, err);
      if (rc != TH_OK)
        return rc;
      *hash = add(*hash, &value, sizeof value);
    }
  return TH_OK;
}

static th_status read_rest(struct th_dataset *d, uint64_t *hash,
                           struct th_error *err)
{
  struct th_store *store = th_dataset_store(d);
  const struct th_shape *s = &store->shape;
  struct th_rows all = {0, s->examples};
  double target[64];
  double weight[64];
  int64_t row[64];
  struct th_statistics statistics[64];
  const struct th_ground_truth *truth = th_dataset_truth(d);
  size_t n = (size_t)s->examples * 8;
  th_status rc = TH_OK;
  TH_TRY(store->ops->targets(store, all, target, weight, err));
  TH_TRY(th_dataset_row_numbers(d, all, row, err));
  TH_TRY(store->ops->statistics(store, (struct th_range){0, s->attributes},
                                statistics, err));
  *hash = add(*hash, target, n);
  *hash = add(*hash, weight, n);
  *hash = add(*hash, row, n);
  *hash = add(*hash, statistics, (size_t)s->attributes * sizeof *statistics);
  *hash = add(*hash, truth->support, (size_t)truth->support_size * 8);
  *hash = add(*hash, truth->coef, (size_t)truth->support_size * 8);
  *hash = add(*hash, &truth->noise, sizeof truth->noise);
  *hash =
      add(*hash, th_dataset_provenance(d), strlen(th_dataset_provenance(d)));
  *hash = add(*hash, &store->fingerprint, sizeof store->fingerprint);
  *hash = add(*hash, &s->examples, sizeof s->examples);
  *hash = add(*hash, &s->training, sizeof s->training);
  *hash = add(*hash, &s->nonzeros, sizeof s->nonzeros);
done:
  return rc;
}

/* Open and read everything; check: verify everything first. */
static th_status read_all(const char *path, bool check, enum way way,
                          uint64_t *hash, struct th_error *err)
{
  struct th_dataset *d = NULL;
  th_status rc = TH_OK;
  *hash = 0;
  th_error_clear(err);
  TH_TRY(th_dataset_open(&d, &comm, path, way == ENTRIES_ALONE ? 0 : 1 << 20,
                         err));
  th_dataset_map(d, mapped);
  if (check)
    TH_TRY(th_dataset_check(d, &comm, err));
  TH_TRY(read_values(th_dataset_store(d), way, hash, err));
  TH_TRY(read_rest(d, hash, err));
done:
  th_dataset_close(d);
  return rc;
}

static void flip(const char *path, long offset, int mask)
{
  FILE *file = fopen(path, "r+b");
  fseek(file, offset, SEEK_SET);
  int byte = fgetc(file);
  fseek(file, offset, SEEK_SET);
  fputc(byte ^ mask, file);
  fclose(file);
}

static long size_of(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0 ? (long)s.st_size : -1;
}

static struct recipe small(enum th_layout layout)
{
  struct recipe recipe = {.shape = {.examples = 45,
                                    .training = 40,
                                    .attributes = 20,
                                    .row_group = 32,
                                    .layout = layout,
                                    .type = TH_F32,
                                    .weighted = true},
                          .shards = 2,
                          .named = true};
  return recipe;
}

static void make(const struct recipe *recipe, const char *name)
{
  struct th_error err;
  th_error_clear(&err);
  CHECK(recipe_write(recipe, &comm, in_folder(name), true, &err) == TH_OK);
  if (err.code != TH_OK)
    fprintf(stderr, "%s\n", err.text);
}

/* Flip bytes all over a file: each is found, or changes nothing that is read.
 */
static void flip_all(const char *file, long step)
{
  const char *path = in_folder("data.h5");
  struct th_error err;
  uint64_t good = 0;
  uint64_t hash = 0;
  long found = 0;
  long tried = 0;
  CHECK(read_all(path, true, SLABS, &good, &err) == TH_OK);
  for (long at = 0; at < size_of(file); at += step, tried++) {
    mapped = tried / WAYS % 2 == 0 ? TH_MAPPED_NEVER : TH_MAPPED_ALWAYS;
    flip(file, at, 1 << (tried % 8));
    bool checked = read_all(path, true, SLABS, &hash, &err) == TH_OK;
    found += !checked;
    if (checked && hash != good) {
      fprintf(stderr, "%s: byte %ld passes the check\n", file, at);
      CHECK(checked && hash == good);
    }
    if (read_all(path, false, (enum way)(tried % WAYS), &hash, &err) == TH_OK &&
        hash != good) {
      fprintf(stderr, "%s: byte %ld is read wrong\n", file, at);
      CHECK(hash == good);
    }
    flip(file, at, 1 << (tried % 8));
  }
  fprintf(stderr, "%s: %ld of %ld flips found\n", strrchr(file, '/') + 1, found,
          tried);
  CHECK(found * 5 > tried);
  CHECK(read_all(path, true, SLABS, &hash, &err) == TH_OK && hash == good);
}

static void test_flips(void)
{
  for (int layout = 0; layout < TH_LAYOUT_COUNT; layout++) {
    struct recipe recipe = small((enum th_layout)layout);
    make(&recipe, "data.h5");
    char shard[160];
    snprintf(shard, sizeof shard, "%s", in_folder("data.shards/00001.h5"));
    flip_all(shard, layout == TH_DENSE ? 29 : 61);
    char master[160];
    snprintf(master, sizeof master, "%s", in_folder("data.h5"));
    flip_all(master, 41);
  }
}

static void expect(const char *name, const char *words, th_status code)
{
  for (int way = 0; way < 2 * WAYS; way++) {
    struct th_error err;
    uint64_t hash;
    mapped = way < WAYS ? TH_MAPPED_NEVER : TH_MAPPED_ALWAYS;
    CHECK(read_all(in_folder(name), false, (enum way)(way % WAYS), &hash,
                   &err) == code);
    if (strstr(err.text, words) == NULL || strchr(err.text, '\n') != NULL) {
      fprintf(stderr, "\"%s\" is not in \"%s\"\n", words, err.text);
      CHECK(strstr(err.text, words) != NULL);
    }
  }
}

/* A value's byte in the file: found by its run. */
static void test_value(void)
{
  struct recipe recipe = small(TH_DENSE);
  char run[128];
  char bytes[1 << 16];
  make(&recipe, "data.h5");
  for (int r = 0; r < 32; r++)
    th_type_store(TH_F32, run, r, recipe_value(&recipe, 13, r));
  const char *path = in_folder("data.shards/00001.h5");
  FILE *file = fopen(path, "rb");
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  long at = -1;
  for (size_t k = 0; k + sizeof run <= size && at < 0; k++)
    if (memcmp(bytes + k, run, sizeof run) == 0)
      at = (long)k;
  CHECK(at > 0);
  flip(path, at + 77, 4);
  expect("data.h5",
         "shard data.shards/00001.h5: attribute 13, row group 0: checksum "
         "mismatch; the file is damaged, import the data again",
         TH_EFORMAT);
}

/* The rows and values of a sparse run lie in a piece, which is what is checked:
 * a flipped bit in its values is named by the piece. */
static void test_piece(void)
{
  struct recipe recipe = small(TH_SPARSE);
  char bytes[1 << 16];
  float first = 0;
  make(&recipe, "data.h5");
  const char *path = in_folder("data.shards/00001.h5");
  FILE *file = fopen(path, "rb");
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  float run[4];
  int found = 0;
  int64_t attribute = 13; /* of shard 1; 13 and its neighbours have entries */
  for (int64_t i = 0; found < 4; i++) {
    first = (float)recipe_value(&recipe, attribute, i);
    if (first != 0)
      run[found++] = first;
  }
  long at = -1;
  for (size_t k = 0; k + sizeof run <= size && at < 0; k++)
    if (memcmp(bytes + k, run, sizeof run) == 0)
      at = (long)k;
  CHECK(at > 0);
  flip(path, at + 3, 4);
  expect("data.h5",
         "shard data.shards/00001.h5: attributes 10..19, row group 0: checksum "
         "mismatch; the file is damaged, import the data again",
         TH_EFORMAT);
}

static void test_wrong_shards(void)
{
  struct recipe recipe = small(TH_DENSE);
  make(&recipe, "data.h5");
  const char *one = in_folder("data.shards/00001.h5");
  rename(one, in_folder("aside"));
  expect("data.h5", "shard data.shards/00001.h5: cannot be opened (No such",
         TH_EIO);
  rename(in_folder("data.shards/00000.h5"), in_folder("data.shards/00001.h5"));
  rename(in_folder("aside"), in_folder("data.shards/00000.h5"));
  expect("data.h5", "was written as shard 1", TH_EFORMAT);
  make(&recipe, "data.h5");
  long size = size_of(in_folder("data.shards/00001.h5"));
  CHECK(truncate(in_folder("data.shards/00001.h5"), size / 2) == 0);
  expect("data.h5", "shard data.shards/00001.h5: truncated", TH_EFORMAT);
  CHECK(truncate(in_folder("data.shards/00001.h5"), 0) == 0);
  expect("data.h5", "truncated at 0 of", TH_EFORMAT);
  make(&recipe, "data.h5");
  CHECK(truncate(in_folder("data.shards/00001.h5"), size + 1) == 0);
  expect("data.h5", "larger than it was written", TH_EFORMAT);
}

static void test_other_shards(void)
{
  struct recipe recipe = small(TH_DENSE);
  make(&recipe, "data.h5");
  recipe.salt = 5;
  make(&recipe, "other.h5");
  rename(in_folder("other.shards/00001.h5"), in_folder("data.shards/00001.h5"));
  expect("data.h5", "older, newer or of another data set", TH_EFORMAT);
  recipe.shape.type = TH_F64;
  make(&recipe, "other.h5");
  rename(in_folder("other.shards/00001.h5"), in_folder("data.shards/00001.h5"));
  expect("data.h5", "of another type (f64 instead of f32)", TH_EFORMAT);
  recipe = small(TH_SPARSE);
  make(&recipe, "other.h5");
  rename(in_folder("other.shards/00001.h5"), in_folder("data.shards/00001.h5"));
  expect("data.h5", "of another layout (sparse instead of dense)", TH_EFORMAT);
}

static void test_other_files(void)
{
  FILE *file = fopen(in_folder("text.h5"), "w");
  fputs("this is no HDF5 file\n", file);
  fclose(file);
  expect("text.h5", "not a whole HDF5 file", TH_EIO);
  expect("none.h5", "No such file or directory", TH_EIO);
  expect("data.shards/00000.h5", "is a shard, not a data set", TH_EFORMAT);
}

int main(void)
{
  th_comm_self(&comm);
  test_folder(&comm, folder);
  CASE(test_value());
  CASE(test_piece());
  CASE(test_wrong_shards());
  CASE(test_other_shards());
  CASE(test_other_files());
  CASE(test_flips());
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
