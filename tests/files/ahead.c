/* ahead.c - exactly the bytes that are asked for, ahead of use or not: the
 * same values, byte counts and errors
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "check.h"
#include "io_data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { R = 1024, RUN = R * 4, SUM = 8, MODES = 3 };

/* How a data set is read: as asked, ahead, ahead by a thread. */
enum mode { PLAIN, AHEAD, THREAD };

static char folder[64];
static enum th_mapped mapped; /* of all that is opened */
static struct th_comm comm;

/* Five row groups, the last short; units of 64 attributes, three stored chunks
 * in each of two shards. */
static const struct recipe recipe = {.shape = {.examples = 4 * R + 500,
                                               .training = 4 * R + 500,
                                               .attributes = 5000,
                                               .row_group = R,
                                               .type = TH_F32},
                                     .shards = 2};

static const char *path_of(const char *name)
{
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static struct th_dataset *open_set(enum mode mode, int64_t memory)
{
  struct th_dataset *d = NULL;
  struct th_error err = {0};
  CHECK(th_dataset_open(&d, &comm, path_of("data.h5"), memory, &err) == TH_OK);
  if (d != NULL)
    th_dataset_map(d, mapped);
  if (d != NULL && mode != PLAIN)
    CHECK(th_dataset_read_ahead(d, mode == THREAD, &err) == TH_OK);
  return d;
}

static void check_values(struct th_rows rows, const struct th_slab *slab)
{
  int64_t wrong = 0;
  for (int64_t a = slab->attributes.first; a < slab->attributes.last; a += 7)
    for (int64_t r = 0; r < rows.count; r += 101)
      wrong +=
          slab_value(slab, a, r) != recipe_value(&recipe, a, rows.first + r);
  CHECK(wrong == 0);
}

/* All slabs of a request; the bytes that were read for them. */
static int64_t read_range(struct th_dataset *d, struct th_rows rows,
                          struct th_range range, bool keep)
{
  struct th_store *store = th_dataset_store(d);
  int64_t before = store->bytes_read;
  while (range.first < range.last) {
    struct th_error err = {0};
    struct th_slab slab;
    th_status rc = store->ops->slab(store, rows, range, keep, &slab, &err);
    CHECK(rc == TH_OK);
    if (rc != TH_OK)
      break;
    CHECK(slab.attributes.first == range.first);
    check_values(rows, &slab);
    range.first = slab.attributes.last;
  }
  return store->bytes_read - before;
}

/* Where memory is enough for all, and many runs of a row group are kept, a kept
 * run lies in its unit in place: at the same address, and nothing is read
 * again. Else it is apart, where blocks do not displace it. */
static void test_kept(int64_t memory, int64_t before, bool enough)
{
  struct th_dataset *d = open_set(PLAIN, memory);
  struct th_store *store = th_dataset_store(d);
  struct th_rows rows = {3 * R, R};
  struct th_slab kept = {0};
  struct th_slab block = {0};
  struct th_error err = {0};
  bool copied = mapped == TH_MAPPED_NEVER || !enough;
  for (int64_t a = 5000 - before; a < 5000; a++)
    read_range(d, rows, (struct th_range){a, a + 1}, true);
  CHECK(store->ops->slab(store, rows, (struct th_range){400, 401}, true, &kept,
                         &err) == TH_OK);
  CHECK(read_range(d, rows, (struct th_range){399, 402}, false) ==
        (copied ? 3 : 2) * (RUN + SUM));
  CHECK(store->ops->slab(store, rows, (struct th_range){400, 402}, false,
                         &block, &err) == TH_OK);
  CHECK(!enough || (block.values == kept.values) == !copied);
  read_range(d, rows, (struct th_range){0, 5000}, false);
  CHECK(read_range(d, rows, (struct th_range){400, 401}, true) == 0);
  th_dataset_close(d);
}

/* Make many kept runs be used in place on a row group, among others that of an
 * attribute whose unit is then in place. */
static void keep_in_place(struct th_dataset *d, struct th_rows rows,
                          int64_t attribute)
{
  for (int64_t a = 4800; a < 5000; a++)
    read_range(d, rows, (struct th_range){a, a + 1}, true);
  read_range(d, rows, (struct th_range){attribute, attribute + 1}, true);
}

/* Copies of single attributes that lie in a unit in place are made without a
 * request for each; those before the first that is not in memory. */
static void test_copy(void)
{
  enum { ROWS = 5 };
  static const int64_t attribute[] = {401, 402, 410, 447, 448, 449};
  const struct th_packing packing = {ROWS * sizeof(float), 32, 6, NULL};
  float values[6][8] = {{0}};
  struct th_dataset *d = open_set(PLAIN, 1 << 28);
  struct th_store *store = th_dataset_store(d);
  struct th_rows rows = {3 * R + 100, ROWS};
  int64_t there = mapped == TH_MAPPED_NEVER ? 0 : 4; /* of its unit */
  keep_in_place(d, rows, 400);
  int64_t before = store->bytes_read;
  int64_t kept = store->support.read;
  const struct th_packing none = {ROWS * sizeof(float), 32, 0, NULL};
  CHECK(store->ops->copy(store, rows, attribute, 6, values, &none) == 0);
  for (int turn = 0; turn < 2; turn++)
    CHECK(store->ops->copy(store, rows, attribute, 6, values, &packing) ==
          there);
  CHECK(store->ops->copy(store, rows, attribute, 6, values, &none) == there);
  CHECK(store->bytes_read - before == there * (RUN + SUM));
  CHECK(store->support.read - kept == there * (RUN + SUM));
  for (int64_t k = 0; k < there; k++)
    for (int r = 0; r < ROWS; r++)
      CHECK((double)values[k][r] ==
            recipe_value(&recipe, attribute[k], rows.first + r));
  th_dataset_close(d);
}

/* What is asked for is read, once, and nothing else. */
static void test_bytes(void)
{
  struct th_dataset *d = open_set(PLAIN, 1 << 26);
  struct th_store *store = th_dataset_store(d);
  struct th_rows rows = {R + 7, 400};
  struct th_rows last = {4 * R, 500};
  CHECK(read_range(d, rows, (struct th_range){0, 1}, false) > 0); /* opens */
  CHECK(read_range(d, rows, (struct th_range){10, 20}, false) ==
        10 * (RUN + SUM));
  CHECK(read_range(d, rows, (struct th_range){10, 20}, false) == 0);
  CHECK(read_range(d, rows, (struct th_range){15, 25}, false) ==
        5 * (RUN + SUM));
  CHECK(read_range(d, rows, (struct th_range){5, 40}, false) ==
        20 * (RUN + SUM)); /* on both sides of what is there */
  CHECK(read_range(d, rows, (struct th_range){60, 200}, false) ==
        140 * (RUN + SUM)); /* over several units */
  CHECK(read_range(d, last, (struct th_range){30, 33}, false) ==
        2 * RUN + 500 * 4 + 3 * SUM); /* no padding at the end */
  int64_t blocks = store->blocks.read;
  CHECK(read_range(d, rows, (struct th_range){18, 19}, true) == 0);
  CHECK(read_range(d, rows, (struct th_range){300, 301}, true) == RUN + SUM);
  CHECK(read_range(d, rows, (struct th_range){300, 301}, true) == 0);
  CHECK(read_range(d, last, (struct th_range){300, 301}, true) ==
        500 * 4 + SUM);
  CHECK(store->support.read == RUN + 500 * 4 + 2 * SUM);
  CHECK(store->blocks.read == blocks);
  CHECK((store->bytes_in_place == 0) == (mapped == TH_MAPPED_NEVER));
  th_dataset_close(d);
}

/* Calls that this process has made to read; -1: the system does not tell. */
static int64_t calls_to_read(void)
{
  char line[128];
  long long calls = -1;
  FILE *file = fopen("/proc/self/io", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    if (sscanf(line, "syscr: %lld", &calls) == 1)
      break;
  if (file != NULL)
    fclose(file);
  if (calls < 0)
    printf("calls to read are not counted: this system does not tell them\n");
  return calls;
}

/* Runs of single attributes that lie near each other are read together; those
 * that lie apart, or on other row groups, by themselves. */
static void test_near(void)
{
  enum { RUNS = 64, OWN = 4 }; /* of calls to read: those of this test */
  static const struct {
    int64_t step; /* attributes, of 4 KiB each */
    int64_t turns;
    int64_t most; /* calls for the values; beside them for checksums */
  } some[] = {{1, 1, RUNS / 12}, {3, 1, RUNS / 4}, {5, 1, RUNS}, {1, 2, RUNS}};
  for (size_t k = 0; mapped == TH_MAPPED_NEVER && k < TH_COUNT(some); k++) {
    struct th_dataset *d = open_set(PLAIN, 1 << 28);
    read_range(d, (struct th_rows){R, R}, (struct th_range){0, 1}, true);
    int64_t before = calls_to_read();
    for (int64_t a = 0; a < RUNS; a++) {
      int64_t at = 100 + a * some[k].step;
      struct th_rows rows = {a % some[k].turns * R, R};
      CHECK(read_range(d, rows, (struct th_range){at, at + 1}, true) ==
            RUN + SUM);
    }
    int64_t calls = calls_to_read() - before;
    int64_t sums = some[k].turns > 1 ? RUNS : 2;
    CHECK(before < 0 || calls <= some[k].most + sums + OWN);
    CHECK(before < 0 || some[k].most < RUNS || calls >= RUNS);
    th_dataset_close(d);
  }
}

/* A small run of the mill: single attributes on many row groups, then blocks;
 * every third time something else is read in between or not at all. */
static int64_t work(enum mode mode, int64_t memory)
{
  struct th_dataset *d = open_set(mode, memory);
  struct th_store *store = th_dataset_store(d);
  static const int64_t kept[] = {3, 64, 700, 2499, 2500, 4999};
  for (int round = 0; round < 9; round++) {
    struct th_range block = {round * 450, round * 450 + 1300};
    struct th_rows rows[3];
    store->ops->forget(store);
    for (int g = 0; g < 3; g++)
      rows[g] = (struct th_rows){(2 * g + round) % 5 * R, 300 + round};
    for (int k = 0; k < 6; k++)
      for (int g = 0; g < 3; g++)
        store->ops->announce(store, rows[g],
                             (struct th_range){kept[k], kept[k] + 1}, true);
    for (int g = 0; g < 3; g++)
      store->ops->announce(store, rows[g], block, false);
    for (int k = 0; k < 6; k++)
      for (int g = 0; g < 3; g++)
        read_range(d, rows[g], (struct th_range){kept[k], kept[k] + 1}, true);
    if (round % 3 == 1)
      read_range(d, (struct th_rows){0, 9}, (struct th_range){4000, 4700},
                 false);
    for (int g = 0; g < 3 && round % 3 != 2; g++)
      read_range(d, rows[g], block, false);
  }
  int64_t bytes = store->bytes_read;
  CHECK(bytes >= store->blocks.read + store->support.read);
  th_dataset_close(d);
  return bytes;
}

static void test_modes(void)
{
  enum { MEMORIES = 5 };
  static const int64_t memory[] = {0, 700000, 3000000, 1 << 25, 1 << 28};
  static int64_t copied[MEMORIES][MODES];
  int64_t all = 0;
  for (int k = 0; k < MEMORIES; k++) {
    int64_t bytes[MODES];
    for (int mode = 0; mode < MODES; mode++)
      bytes[mode] = work((enum mode)mode, memory[k]);
    CHECK(bytes[AHEAD] == bytes[THREAD]); /* nothing depends on the clock */
    for (int mode = 0; mode < MODES; mode++) {
      if (mapped == TH_MAPPED_NEVER)
        copied[k][mode] = bytes[mode];
      CHECK(k < MEMORIES - 1 ? bytes[mode] == copied[k][mode]
                             : bytes[mode] <= copied[k][mode]);
    }
    CHECK(k == 0 || bytes[PLAIN] <= all);
    all = bytes[PLAIN];
  }
}

/* What was announced and never asked for is dropped with the data set. */
static void test_close(void)
{
  for (int k = 0; k < 20; k++) {
    struct th_dataset *d = open_set(THREAD, 1 << 28);
    struct th_store *store = th_dataset_store(d);
    for (int g = 0; g < 4; g++)
      store->ops->announce(store, (struct th_rows){g * R, R},
                           (struct th_range){0, 5000}, false);
    if (k % 2 == 1)
      read_range(d, (struct th_rows){0, R}, (struct th_range){0, 70}, false);
    th_dataset_close(d);
  }
}

/* Find a run in its shard and change a bit of it. */
static void damage(const char *name, int64_t attribute, int64_t group)
{
  static float run[R];
  static float found[R];
  for (int r = 0; r < R; r++)
    th_type_store(TH_F32, run, r,
                  recipe_value(&recipe, attribute, group * R + r));
  FILE *file = fopen(path_of(name), "r+b");
  CHECK(file != NULL);
  if (file == NULL)
    return;
  long at = 0;
  for (; fread(found, 1, 8, file) == 8; at += 8, fseek(file, at, SEEK_SET))
    if (memcmp(found, run, 8) == 0 && fread(found + 2, RUN - 8, 1, file) == 1 &&
        memcmp(found, run, RUN) == 0)
      break;
  fseek(file, at + 99, SEEK_SET);
  fputc(((unsigned char *)run)[99] ^ 16, file);
  fclose(file);
}

/* Damage that a thread has seen is told by whoever asks for the values. */
static void test_damage(void)
{
  damage("data.shards/00001.h5", 3001, 2);
  for (int mode = 0; mode < MODES; mode++) {
    struct th_dataset *d = open_set((enum mode)mode, 1 << 28);
    struct th_store *store = th_dataset_store(d);
    struct th_rows rows = {2 * R, R};
    struct th_slab slab;
    struct th_error err = {0};
    store->ops->announce(store, rows, (struct th_range){2990, 3100}, false);
    read_range(d, rows, (struct th_range){2990, 3000}, false);
    CHECK(store->ops->slab(store, rows, (struct th_range){3000, 3010}, false,
                           &slab, &err) == TH_EFORMAT);
    CHECK(strstr(err.text, "shard data.shards/00001.h5: attribute 3001, row "
                           "group 2: checksum mismatch") != NULL);
    th_dataset_close(d);
  }
}

/* A copy ends before what is damaged, and a request tells. */
static void test_damaged_copy(void)
{
  static const int64_t attribute[] = {3000, 3001, 3003};
  const struct th_packing packing = {4, 4, 3, NULL};
  float values[3];
  struct th_error err = {0};
  struct th_slab slab;
  test_grow_old();
  struct th_dataset *d = open_set(PLAIN, 1 << 28);
  struct th_store *store = th_dataset_store(d);
  struct th_rows rows = {2 * R, 1};
  keep_in_place(d, rows, 3002);
  CHECK(store->ops->copy(store, rows, attribute, 3, values, &packing) ==
        (mapped == TH_MAPPED_NEVER ? 0 : 1));
  CHECK(store->ops->slab(store, rows, (struct th_range){3001, 3002}, true,
                         &slab, &err) == TH_EFORMAT);
  th_dataset_close(d);
}

/* A file that is cut while it is in use. */
static void test_cut(void)
{
  for (int mode = 0; mode < MODES; mode++) {
    struct th_error err = {0};
    struct th_slab slab;
    CHECK(recipe_write(&recipe, &comm, path_of("data.h5"), true, &err) ==
          TH_OK);
    struct th_dataset *d = open_set((enum mode)mode, 1 << 28);
    struct th_store *store = th_dataset_store(d);
    struct th_rows rows = {0, R};
    read_range(d, rows, (struct th_range){0, 1}, false);
    CHECK(truncate(path_of("data.shards/00000.h5"), 1 << 20) == 0);
    store->ops->announce(store, rows, (struct th_range){2000, 2010}, false);
    CHECK(store->ops->slab(store, rows, (struct th_range){2000, 2010}, false,
                           &slab, &err) == TH_EIO);
    CHECK(strstr(err.text, "shard data.shards/00000.h5: ends earlier than ") !=
          NULL);
    th_dataset_close(d);
  }
}

int main(void)
{
  struct th_error err = {0};
  th_comm_self(&comm);
  test_folder(&comm, folder);
  for (int k = 0; k <= TH_MAPPED_ALWAYS; k++) {
    mapped = (enum th_mapped)k;
    CHECK(recipe_write(&recipe, &comm, path_of("data.h5"), true, &err) ==
          TH_OK);
    CASE(test_grow_old());
    CASE(test_bytes());
    CASE(test_kept(3000000, 200, false));
    CASE(test_kept(1 << 28, 20, false));
    CASE(test_kept(1 << 28, 200, true));
    CASE(test_near());
    CASE(test_copy());
    CASE(test_modes());
    CASE(test_close());
    CASE(test_damage());
    CASE(test_damaged_copy());
    CASE(test_cut());
  }
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
