/* bench_import.c - how fast LIBSVM text becomes a data set
 *
 * Every rank imports a dense text of its own, which it has just written, into
 * the folder for temporary files (TMPDIR, else /tmp).
 * SPDX-License-Identifier: MIT */
#include "cli/bench/bench.h"
#include "core/memory.h"
#include "core/random.h"
#include "io/dataset/shard_folder.h"
#include "io/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static th_status make_folder(struct place *place, struct th_error *err)
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
  th_shard_folder_remove(AT_FDCWD, place->shards);
  unlink(place->output);
  unlink(place->text);
  rmdir(place->folder);
}

/* Six digits a value, both signs. */
static void print_text(FILE *file)
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

static th_status write_text(const struct place *place, struct th_error *err)
{
  FILE *file = fopen(place->text, "w");
  bool good = file != NULL;
  if (good) {
    print_text(file);
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
                          .seed = 1,
                          .shuffle = true,
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
static th_status measure(struct place *place, double *seconds, int64_t *bytes,
                         struct th_error *err)
{
  th_status rc = make_folder(place, err);
  if (rc == TH_OK)
    rc = write_text(place, err);
  if (rc == TH_OK)
    rc = import_text(place, seconds, bytes, err);
  return rc;
}

th_status th_bench_import(struct th_bench *bench, struct th_error *err)
{
  struct place place = {0};
  double seconds[REPEATS];
  int64_t bytes = 0;
  th_status rc = measure(&place, seconds, &bytes, err);
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
