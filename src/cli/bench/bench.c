/* bench.c - the command that measures the machine, part by part
 * SPDX-License-Identifier: MIT */
#include "cli/bench/bench.h"

#include "base/memory.h"
#include "cli/shared/arithmetic.h"
#include "cli/shared/json.h"
#include "io/dataset/anew.h"
#include "io/dataset/residency/dataset.h"
#include "io/dataset/writer/writer.h"
#include "io/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- A data set for measurements that leaves nothing behind --------------- */

enum { FOLDER = 3900, PATH = 4096 };

/* Uniform values by a cheap recurrence, since only the speed matters. */
static th_status write_values(struct th_writer *writer,
                              const struct th_shape *shape,
                              struct th_error *err)
{
  int64_t chunk = th_writer_chunk(writer);
  struct th_range all = {0, shape->attributes};
  uint64_t state = 1;
  float *values = NULL;
  th_status rc = TH_NEW(&values, chunk * TH_BENCH_ROWS, "values", err);
  for (int64_t g = 0; g < TH_BENCH_GROUPS; g++)
    for (int64_t a = 0; a < all.last && rc == TH_OK; a += chunk) {
      for (int64_t k = 0; k < chunk * TH_BENCH_ROWS; k++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        values[k] = (float)(state >> 40) * 0x1p-24F;
      }
      struct th_range part =
          th_range_intersect((struct th_range){a, a + chunk}, all);
      rc = th_writer_dense(writer, 0, g, part, values, TH_BENCH_ROWS, err);
    }
  free(values);
  return rc;
}

static th_status write_set(struct th_bench_set *set, const char *path,
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
    rc = th_writer_commit(writer, &master, err);
  else
    th_writer_abort(writer);
done:
  TH_FREE(target, row);
  return rc;
}

static th_status open_bench_set(struct th_bench_set *set, const char *path,
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

th_status th_bench_set_open(struct th_bench_set *set, int64_t attributes,
                            enum th_storage storage, int64_t memory,
                            struct th_error *err)
{
  const char *parent = getenv("TMPDIR");
  char folder[FOLDER];
  char path[PATH];
  char shards[PATH];
  char shard[PATH + 16];
  *set = (struct th_bench_set){.file = -1};
  th_comm_self(&set->self);
  set->shape = (struct th_shape){.examples = TH_BENCH_ROWS * TH_BENCH_GROUPS,
                                 .training = TH_BENCH_ROWS * TH_BENCH_GROUPS,
                                 .attributes = attributes,
                                 .row_group = TH_BENCH_ROWS,
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
    rc = th_anew_shard(shard, storage, TH_BENCH_ROWS, err);
  if (rc == TH_OK)
    rc = open_bench_set(set, path, shard, memory, err);
  th_writer_folder_remove(AT_FDCWD, shards);
  unlink(path);
  rmdir(folder);
  return rc;
}

void th_bench_set_close(struct th_bench_set *set)
{
  th_dataset_close(set->dataset);
  if (set->file >= 0)
    close(set->file);
  *set = (struct th_bench_set){.file = -1};
}

/* --- The command ---------------------------------------------------------- */

static th_status hash_arithmetic(struct th_bench *bench, struct th_error *err)
{
  th_status rc = th_arithmetic_hash(&bench->arithmetic, err);
  return th_agree(bench->comm, rc, err);
}

/* A row per part, in the order in which they run, since later parts may compare
 * their figures with those of earlier ones. */
struct part_row {
  const char *name;
  th_bench_part *run;
};

static const struct part_row parts[] = {
    {"memory and kernels", th_bench_kernels},
    {"scalar functions behind libraries", th_bench_scalar},
    {"training in memory, of the read bandwidth", th_bench_step},
    {"disk, dense data", th_bench_read},
    {"import", th_bench_read_import},
    {"ranks", th_bench_comm},
    {"determinism", th_bench_comm_determinism},
    {"self", hash_arithmetic},
};

enum { PARTS = sizeof parts / sizeof *parts };

void th_bench_report(struct th_bench *bench, struct th_figure figure)
{
  if (bench->figures < TH_BENCH_MOST)
    bench->figure[bench->figures++] = figure;
}

double th_bench_value(const struct th_bench *bench, const char *key)
{
  for (int k = 0; k < bench->figures; k++)
    if (strcmp(bench->figure[k].key, key) == 0)
      return bench->figure[k].value;
  return NAN;
}

static int by_seconds(const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

double th_bench_median(const struct th_bench *bench, double *seconds, int count)
{
  qsort(seconds, (size_t)count, sizeof *seconds, by_seconds);
  double median = seconds[count / 2];
  bench->comm->ops->max_f64(bench->comm, &median, 1);
  return median;
}

static th_status print_json(const struct th_bench *bench, struct th_error *err)
{
  json_t *o = json_object();
  th_json_int(o, "ranks", bench->comm->size);
  for (int k = 0; k < bench->figures; k++)
    th_json_real(o, bench->figure[k].key, bench->figure[k].value);
  if (bench->self_test != 0) /* the self-test was run */
    th_json_hex(o, "self_test", bench->self_test);
  if (bench->arithmetic != 0)
    th_json_hex(o, "arithmetic", bench->arithmetic);
  return th_json_print(stdout, o, JSON_INDENT(2), err);
}

static void print_part(const struct th_bench *bench, const char *name,
                       int first)
{
  if (first == 0)
    printf("%d %s, all at once; figures of the slowest\n", bench->comm->size,
           bench->comm->size == 1 ? "rank" : "ranks");
  printf("\n%s\n", name);
  for (int k = first; k < bench->figures; k++) {
    const struct th_figure *f = &bench->figure[k];
    if (!isnan(f->value))
      printf("  %-26s %10.4g %-8s %s\n", f->key, f->value, f->unit, f->what);
  }
  fflush(stdout);
}

/* Length of the name of a part, which is the first word of its heading. */
static size_t word_length(const struct part_row *part)
{
  return strcspn(part->name, " ,");
}

static bool begins(const struct part_row *part, const char *word)
{
  size_t length = word_length(part);
  return strlen(word) == length && strncmp(part->name, word, length) == 0;
}

static bool wanted(const struct th_options *options,
                   const struct part_row *part)
{
  bool any = options->arguments == 0;
  for (int k = 0; k < options->arguments && !any; k++)
    any = begins(part, options->argument[k]);
  return any;
}

static th_status check_words(const struct th_options *options,
                             struct th_error *err)
{
  char words[256] = "";
  size_t used = 0;
  for (int p = 0; p < PARTS; p++)
    used += (size_t)snprintf(words + used, sizeof words - used, "%s%.*s",
                             p > 0 ? ", " : "", (int)word_length(&parts[p]),
                             parts[p].name);
  for (int k = 0; k < options->arguments; k++) {
    bool known = false;
    for (int p = 0; p < PARTS && !known; p++)
      known = begins(&parts[p], options->argument[k]);
    if (!known)
      return th_fail(err, TH_EUSAGE, "bench: %.40s is no part; there are %s",
                     options->argument[k], words);
  }
  return TH_OK;
}

th_status th_bench_command(const struct th_options *options,
                           struct th_comm *comm, struct th_error *err)
{
  struct th_bench bench = {.options = options, .comm = comm};
  bool prints = comm->rank == 0 && !options->json;
  th_status rc = TH_OK;
  TH_TRY(check_words(options, err));
  for (int k = 0; k < PARTS; k++) {
    int first = bench.figures;
    if (!wanted(options, &parts[k]))
      continue;
    TH_TRY(parts[k].run(&bench, err));
    if (prints && bench.figures > first)
      print_part(&bench, parts[k].name, first);
  }
  if (prints && bench.arithmetic != 0)
    printf("%sarithmetic %016" PRIx64 "\n", bench.figures > 0 ? "\n" : "",
           bench.arithmetic);
  if (prints && bench.self_test != 0)
    printf("\nself-test\n  model %016" PRIx64
           ": the same on every processor, on any ranks\n",
           bench.self_test);
  if (comm->rank == 0 && options->json)
    rc = print_json(&bench, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  return rc;
}
