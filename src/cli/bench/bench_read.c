/* bench_read.c - reading dense data, verified, under several storage layouts,
 * and training on data larger than memory: against read(2) on the same file;
 * and importing text
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/random.h"
#include "cli/bench/bench.h"
#include "io/dataset/anew.h"
#include "io/dataset/residency/dataset.h"
#include "io/dataset/writer/writer.h"
#include "io/files/output.h"
#include "io/import/import.h"
#include "solvers/driver/train.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- How fast LIBSVM text becomes a data set
 *
 * Every rank imports a dense text of its own, which it has just written, into
 * the folder for temporary files (TMPDIR, else /tmp). */

enum {
  REPEATS = 5,
  ROWS = 8000,
  ATTRIBUTES = 500,
  MEMORY = 1 << 28,
  LONGEST_LINE = 1 << 20,
  PATH = 512
};

struct place {
  char folder[PATH];
  char text[PATH + 16];
  char output[PATH + 16];
  char shards[PATH + 16];
};

static th_status make_bench_folder(struct place *place, struct th_error *err)
{
  const char *base = getenv("TMPDIR");
  if (base == NULL || base[0] == '\0')
    base = "/tmp";
  int length = snprintf(place->folder, sizeof place->folder,
                        "%s/thresher-bench-XXXXXX", base);
  if (length >= PATH || mkdtemp(place->folder) == NULL) {
    int why = length >= PATH ? ENAMETOOLONG : errno;
    place->folder[0] = '\0'; /* nothing to remove */
    return th_fail(err, TH_EIO,
                   "bench: no folder can be made in %s (%s); set TMPDIR", base,
                   strerror(why));
  }
  snprintf(place->text, sizeof place->text, "%s/text.svm", place->folder);
  snprintf(place->output, sizeof place->output, "%s/data.h5", place->folder);
  snprintf(place->shards, sizeof place->shards, "%s/data.shards",
           place->folder);
  return TH_OK;
}

static void remove_all(const struct place *place)
{
  if (place->folder[0] == '\0')
    return;
  th_writer_folder_remove(AT_FDCWD, place->shards);
  unlink(place->output);
  unlink(place->text);
  rmdir(place->folder);
}

/* Six digits a value, both signs. */
static void print_examples(FILE *file)
{
  struct th_stream stream = {1, TH_PURPOSE_TEST};
  for (uint64_t i = 0; i < ROWS; i++) {
    fputs(i % 2 == 0 ? "+1" : "-1", file);
    for (uint64_t j = 0; j < ATTRIBUTES; j += 2) {
      double pair[2];
      th_random_uniform(stream, i, j, pair);
      fprintf(file, " %d:%.6g %d:%.6g", (int)j + 1, 4 * pair[0] - 2, (int)j + 2,
              4 * pair[1] - 2);
    }
    fputc('\n', file);
  }
}

static th_status write_examples(const struct place *place, struct th_error *err)
{
  FILE *file = fopen(place->text, "w");
  bool good = file != NULL;
  if (good) {
    print_examples(file);
    good = ferror(file) == 0;
    good = fclose(file) == 0 && good;
  }
  return good ? TH_OK
              : th_fail(err, TH_EIO, "bench: %s: %s", place->text,
                        strerror(errno));
}

/* Local: MB of text per second, by repetition. */
static th_status import_text(const struct place *place, double *seconds,
                             int64_t *bytes, struct th_error *err)
{
  const char *inputs[] = {place->text};
  struct th_import job = {.inputs = inputs,
                          .input_count = 1,
                          .output = place->output,
                          .format = "libsvm",
                          .layout = TH_DENSE,
                          .type = TH_F32,
                          .max_line = LONGEST_LINE,
                          .order = {.seed = 1, .shuffle = true},
                          .force = true,
                          .memory = MEMORY};
  struct th_comm alone;
  struct th_import_result result;
  th_status rc = TH_OK;
  th_comm_self(&alone);
  for (int k = -1; k < REPEATS && rc == TH_OK; k++) { /* the first warms up */
    rc = th_import_run(&job, &alone, &result, err);
    if (rc == TH_OK && k >= 0)
      seconds[k] = result.seconds;
  }
  th_comm_free(&alone);
  if (rc == TH_OK)
    *bytes = result.text_bytes;
  return rc;
}

/* Local. */
static th_status import_measure(struct place *place, double *seconds,
                                int64_t *bytes, struct th_error *err)
{
  th_status rc = make_bench_folder(place, err);
  if (rc == TH_OK)
    rc = write_examples(place, err);
  if (rc == TH_OK)
    rc = import_text(place, seconds, bytes, err);
  return rc;
}

th_status th_bench_read_import(struct th_bench *bench, struct th_error *err)
{
  struct place place = {0};
  double seconds[REPEATS];
  int64_t bytes = 0;
  th_status rc = import_measure(&place, seconds, &bytes, err);
  remove_all(&place);
  rc = th_agree(bench->comm, rc, err);
  if (rc != TH_OK)
    return rc;
  double median = th_bench_median(bench, seconds, REPEATS);
  th_bench_report(bench, (struct th_figure){"import_mbs", "MB/s",
                                            "dense LIBSVM text to a data set",
                                            (double)bytes / median / 1e6});
  return TH_OK;
}

/* --- A data set for measurements that leaves nothing behind --------------- */

enum {
  SET_FOLDER = 3900,
  SET_PATH = 4096,
  SET_ROWS = 1024, /* R: runs of 4 KiB */
  SET_GROUPS = 16
};

/* Dense f32 in one shard, in a folder of its own in $TMPDIR or the working
 * folder. The files lose their names as soon as they are open. */
struct bench_set {
  struct th_comm self; /* each rank has its own */
  struct th_shape shape;
  struct th_dataset *dataset;
  struct th_store *store; /* borrowed */
  int file;               /* the shard */
};

/* Uniform values by a cheap recurrence, since only the speed matters. */
static th_status write_values(struct th_writer *writer,
                              const struct th_shape *shape,
                              struct th_error *err)
{
  int64_t chunk = th_writer_chunk(writer);
  struct th_range all = {0, shape->attributes};
  uint64_t state = 1;
  float *values = NULL;
  th_status rc = TH_NEW(&values, chunk * SET_ROWS, "values", err);
  for (int64_t g = 0; g < SET_GROUPS; g++)
    for (int64_t a = 0; a < all.last && rc == TH_OK; a += chunk) {
      for (int64_t k = 0; k < chunk * SET_ROWS; k++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        values[k] = (float)(state >> 40) * 0x1p-24F;
      }
      struct th_range part =
          th_range_intersect((struct th_range){a, a + chunk}, all);
      rc = th_writer_dense(writer, 0, g, part, values, SET_ROWS, err);
    }
  free(values);
  return rc;
}

static th_status write_set(struct bench_set *set, const char *path,
                           struct th_error *err)
{
  struct th_dataset_plan plan = {.shape = set->shape, .shards = 1};
  struct th_master master = {.provenance = "thresher bench"};
  struct th_writer *writer = NULL;
  double *target = NULL;
  int64_t *row = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&target, set->shape.examples, "targets", err));
  TH_TRY(TH_NEW(&row, set->shape.examples, "row numbers", err));
  for (int64_t i = 0; i < set->shape.examples; i++) {
    row[i] = i;
    target[i] = (double)(i * 37 % 101);
  }
  master.target = target;
  master.row = row;
  TH_TRY(th_writer_create(&writer, &set->self, path, &plan, false, err));
  rc = write_values(writer, &set->shape, err);
  if (rc == TH_OK)
    rc = th_writer_commit(writer, &master, TH_OK, err);
  else
    th_writer_abort(writer);
done:
  TH_FREE(target, row);
  return rc;
}

static th_status open_bench_set(struct bench_set *set, const char *path,
                                const char *shard, int64_t memory,
                                struct th_error *err)
{
  struct th_slab slab; /* the first one opens the shard */
  struct th_rows rows = {0, 1};
  struct th_range one = {0, 1};
  th_status rc = TH_OK;
  TH_TRY(th_dataset_open(&set->dataset, &set->self, path, memory, err));
  set->store = th_dataset_store(set->dataset);
  th_dataset_map(set->dataset, TH_MAPPED_RESIDENT);
  TH_TRY(th_dataset_read_ahead(set->dataset, true, err));
  TH_TRY(set->store->ops->slab(set->store, rows, one, false, &slab, err));
  set->file = open(shard, O_RDONLY);
  if (set->file < 0)
    rc = th_fail(err, TH_EIO, "%s: %s", shard, strerror(errno));
done:
  return rc;
}

/* Write it and open it, with reading ahead. memory: bytes of values that it may
 * keep. The error says how much room is missing, and where. Local. */
static th_status make_set(struct bench_set *set, int64_t attributes,
                          enum th_storage storage, int64_t memory,
                          struct th_error *err)
{
  const char *parent = getenv("TMPDIR");
  char folder[SET_FOLDER];
  char path[SET_PATH];
  char shards[SET_PATH];
  char shard[SET_PATH + 16];
  *set = (struct bench_set){.file = -1};
  th_comm_self(&set->self);
  set->shape = (struct th_shape){.examples = SET_ROWS * SET_GROUPS,
                                 .training = SET_ROWS * SET_GROUPS,
                                 .attributes = attributes,
                                 .row_group = SET_ROWS,
                                 .layout = TH_DENSE,
                                 .type = TH_F32};
  int64_t bytes = set->shape.examples * attributes * (int64_t)sizeof(float);
  snprintf(folder, sizeof folder, "%.3000s/thresher-bench-XXXXXX",
           parent != NULL && parent[0] != '\0' ? parent : ".");
  th_status rc =
      th_output_temporary_space(folder, 2 * bytes, "the benchmark", err);
  if (rc != TH_OK)
    return rc;
  if (mkdtemp(folder) == NULL)
    return th_fail(err, TH_EIO, "%s: %s", folder, strerror(errno));
  snprintf(path, sizeof path, "%s/data.h5", folder);
  snprintf(shards, sizeof shards, "%s/data.shards", folder);
  snprintf(shard, sizeof shard, "%s/00000.h5", shards);
  rc = write_set(set, path, err);
  if (rc == TH_OK)
    rc = th_anew_shard(shard, storage, SET_ROWS, err);
  if (rc == TH_OK)
    rc = open_bench_set(set, path, shard, memory, err);
  th_writer_folder_remove(AT_FDCWD, shards);
  unlink(path);
  rmdir(folder);
  return rc;
}

/* Collective over the team of this rank alone. */
static void close_set(struct bench_set *set)
{
  th_dataset_close(set->dataset);
  if (set->file >= 0)
    close(set->file);
  *set = (struct bench_set){.file = -1};
}

/* --- How fast dense data are read ----------------------------------------- */

enum {
  ROUNDS = 5,
  ALL = 4096,      /* attributes: 256 MiB */
  FEWER = 1024,    /* 64 MiB */
  KEPT = 24 << 20, /* bytes: far from all, so all is read again */
  KEPT_STREAMED = 96 << 20,
  KEPT_WHOLE = 1 << 30,
  BLOCK = 100,
  SPARSITY = 16
};

/* One layout: the speed of whole tiles that the system has in memory, and of
 * blocks and columns on disk. A key NULL: not measured. */
struct layout_row {
  enum th_storage storage;
  int64_t attributes;
  const char *tile_key;
  const char *tile_what;
  const char *block_key;
  const char *block_what;
  const char *column_key;
  const char *column_what;
};

static const struct layout_row layouts[] = {
    {TH_STORED_TILES, ALL, "tile_read_gbs", "tiles, verified, system's cache",
     "block_disk_gbs", "blocks of 100 attributes, from disk", "column_disk_gbs",
     "single attributes, from disk"},
    {TH_STORED_CHUNKS, FEWER, "tile_read_chunked_gbs",
     "tiles in chunks of 256 KiB", "block_disk_chunked_gbs",
     "blocks, in chunks of 256 KiB", "column_disk_chunked_gbs",
     "attributes, in chunks of 256 KiB"},
    {TH_STORED_CONTIGUOUS, FEWER, "tile_read_contiguous_gbs",
     "tiles stored attribute by attribute", "block_disk_contiguous_gbs",
     "blocks stored attribute by attribute", "column_disk_contiguous_gbs",
     "attributes stored as columns"},
    {TH_STORED_FILTERED, FEWER, "tile_read_filtered_gbs",
     "tiles with shuffle and deflate", NULL, NULL, NULL, NULL},
};

enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static th_status read_block(struct th_store *store, int64_t group,
                            struct th_range range, bool keep,
                            struct th_error *err)
{
  struct th_rows rows = {group * SET_ROWS, SET_ROWS};
  th_status rc = TH_OK;
  while (range.first < range.last && rc == TH_OK) {
    struct th_slab slab;
    rc = store->ops->slab(store, rows, range, keep, &slab, err);
    range.first = slab.attributes.last;
  }
  return rc;
}

/* A way of reading; the blocks and columns lie all over the file. */
typedef th_status reading(struct th_store *store, struct th_error *err);

static th_status read_tiles(struct th_store *store, struct th_error *err)
{
  struct th_range all = {0, store->shape.attributes};
  th_status rc = TH_OK;
  for (int64_t g = 0; g < SET_GROUPS && rc == TH_OK; g++)
    rc = read_block(store, g, all, false, err);
  return rc;
}

/* Read every second block of every group, or every 50th attribute. The reads
 * are announced first, as by a solver. */
static th_status read_partly(struct th_store *store, int64_t step,
                             int64_t width, bool keep, struct th_error *err)
{
  th_status rc = TH_OK;
  store->ops->forget(store);
  for (int told = 0; told < 2; told++)
    for (int64_t a = 0; a + width <= store->shape.attributes; a += step)
      for (int64_t k = 0; k < SET_GROUPS && rc == TH_OK; k++) {
        int64_t g = (7 * k + a / step) % SET_GROUPS;
        struct th_rows rows = {g * SET_ROWS, SET_ROWS};
        struct th_range part = {a, a + width};
        if (told == 0)
          store->ops->announce(store, rows, part, keep);
        else
          rc = read_block(store, g, part, keep, err);
      }
  return rc;
}

static th_status read_blocks(struct th_store *store, struct th_error *err)
{
  return read_partly(store, 2 * BLOCK, BLOCK, false, err);
}

static th_status read_columns(struct th_store *store, struct th_error *err)
{
  return read_partly(store, BLOCK / 2, 1, true, err);
}

/* Gigabytes per second of a way of reading. From disk: the file is dropped from
 * the page cache before every round. Collective. */
static th_status time_reading(struct th_bench *bench, struct bench_set *set,
                              reading *way, bool disk, const char *key,
                              const char *what, struct th_error *err)
{
  double seconds[ROUNDS]; /* per byte */
  th_status rc = TH_OK;
  if (key == NULL)
    return TH_OK;
  for (int k = 0; k < ROUNDS; k++) {
    if (way == read_columns) /* those would be kept */
      th_dataset_drop(set->dataset);
    if (disk)
      th_anew_forget(set->file);
    bench->comm->ops->barrier(bench->comm);
    int64_t before = set->store->bytes_read;
    double began = th_comm_clock();
    if (rc == TH_OK)
      rc = way(set->store, err);
    seconds[k] =
        (th_comm_clock() - began) / (double)(set->store->bytes_read - before);
  }
  TH_TRY(th_agree(bench->comm, rc, err));
  double median = th_bench_median(bench, seconds, ROUNDS);
  th_bench_report(bench, (struct th_figure){key, "GB/s", what, 1e-9 / median});
done:
  return rc;
}

static th_status check_read(double seconds, struct th_error *err)
{
  return seconds >= 0 ? TH_OK
                      : th_fail(err, TH_EIO,
                                "bench: the file that was just written cannot "
                                "be read");
}

static th_status measure_file(struct th_bench *bench,
                              const struct bench_set *set, struct th_error *err)
{
  double seconds[ROUNDS];
  for (int k = -1; k < ROUNDS; k++) { /* the first round fills the cache */
    bench->comm->ops->barrier(bench->comm);
    double once = th_anew_read_seconds(set->file);
    th_status rc = th_agree(bench->comm, check_read(once, err), err);
    if (rc != TH_OK)
      return rc;
    seconds[k < 0 ? 0 : k] = once;
  }
  double bytes =
      (double)set->shape.examples * (double)set->shape.attributes * 4;
  double median = th_bench_median(bench, seconds, ROUNDS);
  th_bench_report(bench, (struct th_figure){"file_read_gbs", "GB/s",
                                            "read(2), system's cache",
                                            1e-9 * bytes / median});
  return TH_OK;
}

/* From now on everything is read. The system drops no page from its cache that
 * is used in place. */
static void copy_all(struct bench_set *set)
{
  th_dataset_map(set->dataset, TH_MAPPED_NEVER);
  th_dataset_drop(set->dataset);
}

static th_status measure_layout(struct th_bench *bench,
                                const struct layout_row *row,
                                struct th_error *err)
{
  struct bench_set set = {0};
  th_status rc = make_set(&set, row->attributes, row->storage, KEPT, err);
  TH_TRY(th_agree(bench->comm, rc, err));
  if (row->storage == TH_STORED_TILES)
    TH_TRY(measure_file(bench, &set, err));
  TH_TRY(time_reading(bench, &set, read_tiles, false, row->tile_key,
                      row->tile_what, err));
  copy_all(&set);
  TH_TRY(time_reading(bench, &set, read_blocks, true, row->block_key,
                      row->block_what, err));
  TH_TRY(time_reading(bench, &set, read_columns, true, row->column_key,
                      row->column_what, err));
done:
  close_set(&set);
  return rc;
}

/* Two passes of Exploration over halves: each reads half of the data. */
static th_status explore_twice(struct bench_set *set, struct th_error *err)
{
  struct th_config config = {.solver = "exploration",
                             .loss = "squared",
                             .sparsity = SPARSITY,
                             .budget = ALL / 2 + SPARSITY,
                             .passes = 2,
                             .seed = 1,
                             .eta = 0.01,
                             .rounds.batch_explore = {1, {2 * SET_ROWS}},
                             .rounds.growth = 1,
                             .standardize = true,
                             .intercept = true,
                             .rounds.shared_support = true,
                             .refit = TH_REFIT_NO};
  struct th_profile profile = {0};
  struct th_model model = {0};
  struct th_plan plan;
  th_status rc = TH_OK;
  TH_TRY(th_train_plan(
      &config,
      (struct th_plan_size){.shape = &set->shape, .ranks = 1, .owned = ALL},
      &plan, err));
  TH_TRY(th_train(&plan, set->store, &set->self, NULL, &profile, &model, err));
done:
  th_model_free(&model);
  return rc;
}

/* Bytes per second of whole training runs, from disk, against read(2). The two
 * take turns, so that a change in the machine's load meets both. */
static th_status measure_stream(struct th_bench *bench, struct th_error *err)
{
  struct bench_set set = {0};
  double share[ROUNDS];
  th_status rc = make_set(&set, ALL, TH_STORED_TILES, KEPT_STREAMED, err);
  TH_TRY(th_agree(bench->comm, rc, err));
  copy_all(&set);
  for (int k = 0; k < ROUNDS; k++) {
    th_anew_forget(set.file);
    bench->comm->ops->barrier(bench->comm);
    double once = th_anew_read_seconds(set.file);
    double file = once / (4.0 * (double)set.shape.examples * ALL);
    if (rc == TH_OK)
      rc = check_read(once, err);
    th_anew_forget(set.file);
    bench->comm->ops->barrier(bench->comm);
    int64_t before = set.store->bytes_read;
    double began = th_comm_clock();
    if (rc == TH_OK)
      rc = explore_twice(&set, err);
    share[k] = (th_comm_clock() - began) /
               (double)(set.store->bytes_read - before) / file;
  }
  TH_TRY(th_agree(bench->comm, rc, err));
  double median = th_bench_median(bench, share, ROUNDS);
  th_bench_report(bench, (struct th_figure){"streamed_share", "",
                                            "training from disk, of read(2)",
                                            1 / median});
done:
  close_set(&set);
  return rc;
}

/* Seconds of a training run on data that the system has in memory; a failure
 * before it is kept. Collective. */
static double train_seconds(struct th_bench *bench, struct bench_set *set,
                            th_status *rc, struct th_error *err)
{
  bench->comm->ops->barrier(bench->comm);
  double began = th_comm_clock();
  if (*rc == TH_OK)
    *rc = explore_twice(set, err);
  return th_comm_clock() - began;
}

/* Two sets of the same values: of one, all values are kept and verified once;
 * of the other, hardly any are, and all are verified in every pass. They take
 * turns. */
static th_status measure_resident(struct th_bench *bench, struct th_error *err)
{
  struct bench_set kept = {.file = -1};
  struct bench_set streamed = {.file = -1};
  double share[ROUNDS];
  th_status rc = make_set(&kept, ALL, TH_STORED_TILES, KEPT_WHOLE, err);
  if (rc == TH_OK)
    rc = make_set(&streamed, ALL, TH_STORED_TILES, KEPT_STREAMED, err);
  TH_TRY(th_agree(bench->comm, rc, err));
  (void)train_seconds(bench, &kept, &rc, err); /* from now on it is kept */
  (void)train_seconds(bench, &streamed, &rc, err);
  for (int k = 0; k < ROUNDS; k++) {
    double once = train_seconds(bench, &kept, &rc, err);
    share[k] = train_seconds(bench, &streamed, &rc, err) / once;
  }
  TH_TRY(th_agree(bench->comm, rc, err));
  double median = th_bench_median(bench, share, ROUNDS);
  th_bench_report(bench, (struct th_figure){"resident_share", "",
                                            "training, system's cache, of "
                                            "training on kept values",
                                            1 / median});
done:
  close_set(&kept);
  close_set(&streamed);
  return rc;
}

/* Whole tiles against read(2), both of an earlier part. */
static void report_tile_share(struct th_bench *bench)
{
  double tile = th_bench_value(bench, "tile_read_gbs");
  double file = th_bench_value(bench, "file_read_gbs");
  th_bench_report(bench, (struct th_figure){"tile_share", "",
                                            "tiles, verified, of read(2)",
                                            tile / file});
}

th_status th_bench_read(struct th_bench *bench, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int k = 0; k < LAYOUTS; k++)
    TH_TRY(measure_layout(bench, &layouts[k], err));
  report_tile_share(bench);
  TH_TRY(measure_resident(bench, err));
  TH_TRY(measure_stream(bench, err));
done:
  return rc;
}
