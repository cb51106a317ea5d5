/* import.c - text to data sets on any number of ranks and threads: every
 * value arrives
 *
 * The texts are made from numbers that the test knows, and what was stored is
 * read back through the data set's reader.
 * SPDX-License-Identifier: MIT */
#include "io/import/import.h"
#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "io_data.h"
#include "mpi/mpi_comm.h"

#include <stdlib.h>
#include <string.h>

enum { PATH = 128, MOST_INPUTS = 3, MEMORY = 64 << 20 /* bytes */ };

/* What a text holds: examples first .. first + count - 1 of an endless table.
 */
struct text {
  int64_t first;
  int64_t count;
  int64_t attributes;
  int64_t padding; /* bytes of a comment in front */
  bool comma;      /* CSV, the target first */
  bool cut;        /* no line end at the end */
};

static double table_value(int64_t i, int64_t j)
{
  uint32_t bits[4];
  th_random_bits((struct th_stream){5, TH_PURPOSE_TEST}, (uint64_t)j,
                 (uint64_t)i, bits);
  return bits[0] % 3 != 0 ? 0.0 : (double)(bits[1] % 64) / 8.0 - 4.0;
}

static double table_target(int64_t i)
{
  return (double)i * 0.5 - 3.0;
}

static void print_row(FILE *file, const struct text *text, int64_t i)
{
  fprintf(file, "%+09.2f", table_target(i));
  for (int64_t j = 0; j < text->attributes; j++) {
    double value = table_value(i, j);
    if (text->comma)
      fprintf(file, ",%g", value);
    else if (value != 0.0)
      fprintf(file, " %lld:%g", (long long)j + 1, value);
  }
}

/* Rank 0 writes it. Collective. */
static void write_text(struct th_comm *comm, const char *path,
                       const struct text *text)
{
  if (comm->rank == 0) {
    FILE *file = fopen(path, "w");
    if (file == NULL)
      abort();
    for (int64_t k = 0; k < text->padding; k++)
      fputc(k + 1 == text->padding ? '\n' : '#', file);
    for (int64_t k = 0; k < text->count; k++) {
      print_row(file, text, text->first + k);
      if (!text->cut || k + 1 < text->count)
        fputc('\n', file);
    }
    fclose(file);
  }
  comm->ops->barrier(comm);
}

/* Count the values of a row group's slabs that are not the table's. */
static int64_t compare_group(struct th_store *store, struct th_rows rows,
                             const int64_t *number, struct th_error *err)
{
  int64_t wrong = 0;
  for (int64_t a = 0; a < store->shape.attributes;) {
    struct th_slab slab;
    struct th_range range = {a, store->shape.attributes};
    if (store->ops->slab(store, rows, range, false, &slab, err) != TH_OK)
      return 1;
    for (; a < slab.attributes.last; a++)
      for (int64_t r = 0; r < rows.count; r++)
        wrong += slab_value(&slab, a, r) != table_value(number[r], a);
  }
  return wrong;
}

static int64_t compare_rows(struct th_dataset *dataset, int64_t first_number,
                            int64_t *seen, struct th_error *err)
{
  struct th_store *store = th_dataset_store(dataset);
  const struct th_shape *shape = &store->shape;
  int64_t wrong = 0;
  for (int64_t i = 0; i < shape->examples;) {
    int64_t base = i < shape->training ? 0 : shape->training;
    int64_t most = i < shape->training ? shape->training : shape->examples;
    int64_t end = base + ((i - base) / shape->row_group + 1) * shape->row_group;
    struct th_rows rows = {i, (end < most ? end : most) - i};
    int64_t number[64];
    double target[64];
    if (th_dataset_row_numbers(dataset, rows, number, err) != TH_OK ||
        store->ops->targets(store, rows, target, NULL, err) != TH_OK)
      return 1;
    for (int64_t r = 0; r < rows.count; r++) {
      seen[number[r]]++;
      number[r] += first_number;
      wrong += target[r] != table_target(number[r]);
    }
    wrong += compare_group(store, rows, number, err);
    i += rows.count;
  }
  return wrong;
}

/* Every row once, every value where it belongs. Collective. */
static void check_dataset(struct th_comm *comm, const char *path,
                          int64_t first_number, int64_t examples,
                          int64_t training)
{
  struct th_dataset *dataset = NULL;
  int64_t *seen = NULL;
  struct th_error err;
  th_error_clear(&err);
  if (th_dataset_open(&dataset, comm, path, 1 << 20, &err) != TH_OK) {
    fprintf(stderr, "%s\n", err.text);
    CHECK(false);
    return;
  }
  const struct th_shape *shape = &th_dataset_store(dataset)->shape;
  CHECK(shape->examples == examples && shape->training == training);
  if (shape->examples == examples &&
      TH_NEW(&seen, examples, "rows seen", &err) == TH_OK) {
    CHECK(compare_rows(dataset, first_number, seen, &err) == 0);
    for (int64_t k = 0; k < examples; k++)
      CHECK(seen[k] == 1);
  }
  CHECK(th_dataset_check(dataset, comm, &err) == TH_OK);
  free(seen);
  th_dataset_close(dataset);
}

/* A job with inputs in a folder; the strings live here. */
struct setting {
  char folder[64];
  char output[PATH];
  char input[MOST_INPUTS][PATH];
  const char *inputs[MOST_INPUTS];
  struct th_import job;
  int runs; /* which have one to four threads in turns */
};

static void prepare(struct setting *setting, struct th_comm *comm)
{
  test_folder(comm, setting->folder);
  snprintf(setting->output, PATH, "%s/out.h5", setting->folder);
  for (int k = 0; k < MOST_INPUTS; k++) {
    snprintf(setting->input[k], PATH, "%s/in%d.txt", setting->folder, k);
    setting->inputs[k] = setting->input[k];
  }
  setting->job = (struct th_import){.inputs = setting->inputs,
                                    .input_count = 1,
                                    .output = setting->output,
                                    .format = "auto",
                                    .layout = -1,
                                    .max_line = 1 << 20,
                                    .row_group = 4,
                                    .order = {.seed = 3, .shuffle = true},
                                    .force = true,
                                    .memory = MEMORY};
}

static void run_good(struct setting *setting, struct th_comm *comm,
                     int64_t first_number, int64_t examples, int64_t training)
{
  struct th_import_result result = {0};
  struct th_error err;
  th_error_clear(&err);
  setting->job.threads = -(1 + setting->runs++ % 4);
  th_status rc = th_import_run(&setting->job, comm, &result, &err);
  if (rc != TH_OK)
    fprintf(stderr, "%s\n", err.text);
  CHECK(rc == TH_OK && result.examples == examples);
  CHECK(rc != TH_OK || result.test_examples == examples - training);
  if (rc == TH_OK)
    check_dataset(comm, setting->output, first_number, examples, training);
}

/* Push the lines of a file byte by byte past the ranks' borders. */
static void test_borders(struct setting *setting, struct th_comm *comm)
{
  for (int64_t padding = 0; padding < 44; padding++) {
    struct text text = {.first = padding,
                        .count = 5,
                        .attributes = 5,
                        .padding = padding,
                        .cut = padding % 2 == 1};
    write_text(comm, setting->input[0], &text);
    setting->job.attributes = 5;
    run_good(setting, comm, padding, 5, 5);
  }
}

/* Fewer lines than ranks, one line, one line that is nearly all of the text. */
static void test_few_lines(struct setting *setting, struct th_comm *comm)
{
  for (int64_t count = 1; count <= 4; count++) {
    struct text text = {.count = count, .attributes = 3000};
    write_text(comm, setting->input[0], &text);
    setting->job.attributes = 3000;
    run_good(setting, comm, 0, count, count);
  }
}

static bool all_ways;

/* Types, layouts, shards, memory for less than one example, CSV: 2, 3 and 4
 * ranks together have all of them, with the argument `all` each. */
static void test_ways(struct setting *setting, struct th_comm *comm)
{
  for (int way = 0; way < 32; way++) {
    if (!all_ways && (way + way / 3 + comm->size) % 3 != 0)
      continue;
    struct text text = {
        .first = 7, .count = 61, .attributes = 300, .comma = (way & 1) != 0};
    write_text(comm, setting->input[0], &text);
    struct th_import *job = &setting->job;
    job->attributes = text.attributes;
    job->target = text.comma ? "1" : NULL;
    job->layout = (way & 2) != 0 ? TH_DENSE : TH_SPARSE;
    job->type = (way & 4) != 0 ? TH_F64 : TH_F32;
    job->memory = (way & 8) != 0 ? 1 : MEMORY;
    job->shards = (way & 16) != 0 ? 3 : 1;
    job->row_group = 8;
    job->order.test_fraction = 0.2;
    run_good(setting, comm, 7, 61, 49);
  }
}

/* Several inputs and a test file, in order. */
static void test_files(struct setting *setting, struct th_comm *comm)
{
  const int64_t counts[] = {9, 1, 6};
  int64_t first = 0;
  for (int k = 0; k < MOST_INPUTS; k++) {
    struct text text = {
        .first = first, .count = counts[k], .attributes = 20, .cut = k == 0};
    write_text(comm, setting->input[k], &text);
    first += counts[k];
  }
  setting->job.attributes = 20;
  setting->job.input_count = 3;
  run_good(setting, comm, 0, 16, 16);
  setting->job.input_count = 2;
  setting->job.files.test = setting->inputs[2];
  run_good(setting, comm, 0, 16, 10);
  setting->job.order.shuffle = false;
  run_good(setting, comm, 0, 16, 10);
}

/* A fault in each line in turn, and from there on in all: the lowest is named,
 * the same on every rank, and nothing stays behind. */
static void test_faults(struct setting *setting, struct th_comm *comm)
{
  for (int64_t bad = 0; bad < 13; bad++) {
    if (comm->rank == 0) {
      FILE *file = fopen(setting->input[0], "w");
      if (file == NULL)
        abort();
      for (int64_t k = 0; k < 13; k++)
        fprintf(file, "1 %lld:%s\n", (long long)k + 1, k >= bad ? "x" : "1");
      fclose(file);
    }
    comm->ops->barrier(comm);
    struct th_import_result result;
    struct th_error err;
    char place[PATH + 16];
    th_error_clear(&err);
    setting->job.threads = -(1 + (int)bad % 4);
    CHECK(th_import_run(&setting->job, comm, &result, &err) == TH_EDATA);
    snprintf(place, sizeof place, "%s:%lld:%d: ", setting->input[0],
             (long long)bad + 1, bad < 9 ? 5 : 6);
    CHECK(strncmp(err.text, place, strlen(place)) == 0);
    CHECK(test_count_files(setting->folder) == 1);
    comm->ops->barrier(comm);
  }
}

/* Operations that ranks make together in an import of so many files. */
static int64_t count_operations(struct setting *setting, struct th_comm *comm,
                                const char *const *inputs, int64_t count)
{
  struct th_import_result result = {0};
  struct th_error err;
  th_error_clear(&err);
  setting->job.inputs = inputs;
  setting->job.input_count = count;
  setting->job.threads = 0;
  int64_t before = comm->operations;
  CHECK(th_import_run(&setting->job, comm, &result, &err) == TH_OK);
  CHECK(result.examples == 2 * count);
  return comm->operations - before;
}

/* Ranks agree on errors, and bring numbers together, for all files at once, and
 * for steps that follow each other at once. */
static void test_operations(struct setting *setting, struct th_comm *comm)
{
  enum { MANY = 200, MOST = 42, LONG_LIST = 2 };
  static char name[MANY][PATH];
  const char *inputs[MANY];
  for (int comma = 0; comma < 2; comma++) {
    for (int k = 0; k < MANY; k++) {
      struct text text = {
          .first = 2 * k, .count = 2, .attributes = 20, .comma = comma != 0};
      snprintf(name[k], PATH, "%s/%d.%d", setting->folder, comma, k);
      inputs[k] = name[k];
      write_text(comm, name[k], &text);
    }
    setting->job.attributes = 20;
    setting->job.target = comma ? "1" : NULL;
    int64_t few = count_operations(setting, comm, inputs, 4);
    int64_t many = count_operations(setting, comm, inputs, MANY);
    CHECK(few <= MOST);
    CHECK(many <= few + LONG_LIST); /* names that one message does not hold */
  }
}

/* A test with files in a folder of its own. */
static void in_folder(struct th_comm *comm,
                      void (*test)(struct setting *, struct th_comm *))
{
  struct setting setting;
  prepare(&setting, comm);
  test(&setting, comm);
  comm->ops->barrier(comm);
  test_folder_remove(comm, setting.folder);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  all_ways = argc > 1 && strcmp(argv[1], "all") == 0;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  CASE(in_folder(&comm, test_borders));
  CASE(in_folder(&comm, test_few_lines));
  CASE(in_folder(&comm, test_ways));
  CASE(in_folder(&comm, test_files));
  CASE(in_folder(&comm, test_faults));
  CASE(in_folder(&comm, test_operations));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
