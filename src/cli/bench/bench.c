/* bench.c - the command that measures the machine, part by part
 * SPDX-License-Identifier: MIT */
#include "cli/bench/bench.h"

#include "base/memory.h"
#include "cli/shared/arithmetic.h"
#include "cli/shared/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
