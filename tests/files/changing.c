/* changing.c - files that change between and during the readings of an
 * import: said in one line, whatever they become, and nothing is left
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "io/import/import_job.h"
#include "io/import/text/groups_file.h"
#include "io_data.h"
#include "mpi/mpi_comm.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <zlib.h>

enum { PATH = 128, ROW = 24, FEW = 400, MANY = 60000, MOST_ROW = 4096 };

/* What becomes of a file; in SAME all stays as it was. */
enum way {
  SAME,
  GROWS,
  SHRINKS,
  MORE_ROWS,    /* in as many bytes */
  FEWER_ROWS,   /* the same */
  OTHER_VALUES, /* the same, in as many rows */
  GARBAGE,      /* the same */
  REPLACED,     /* by an equal file */
  REMOVED,
  WAYS
};

enum moment { OPENED, COUNTED, WHILE_COUNTING, WHILE_PARSING, MOMENTS };

/* Where an import runs; rank 0 changes the file. */
struct setting {
  struct th_comm *comm;
  char folder[64];
  char output[PATH];
  char path[2][PATH];
  const char *inputs[2];
  struct th_import job;
  struct th_import_monitor monitor;
  /* of this case */
  bool comma;
  int64_t rows;
  int victim; /* which of the two files */
  enum way way;
  enum moment moment;
  bool hides; /* the time is set back */
  bool changed;
  int64_t calls;
};

/* So many rows of about equal length in exactly so many bytes. */
static void write_rows(const char *path, bool comma, int64_t rows,
                       int64_t bytes, char digit)
{
  char row[MOST_ROW + 1];
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
  if (file == NULL)
    abort();
  for (int64_t i = 0; i < rows; i++) {
    int length = (int)(bytes * (i + 1) / rows - bytes * i / rows);
    int used =
        snprintf(row, sizeof row, comma ? "%c,2,1." : "1 1:2 %c:1.", digit);
    if (length > MOST_ROW || length <= used)
      abort();
    memset(row + used, '0', (size_t)(length - used - 1));
    row[length - 1] = '\n';
    fwrite(row, 1, (size_t)length, file);
  }
  if (fflush(file) != 0 || ftruncate(fd, (off_t)bytes) != 0)
    abort();
  fclose(file);
}

static void write_garbage(const char *path, int64_t bytes)
{
  FILE *file = fopen(path, "r+");
  for (int64_t k = 0; file != NULL && k < bytes; k++)
    fputc('x', file);
  if (file == NULL || fclose(file) != 0)
    abort();
}

/* In the past, so that the next change shows in it. */
static void set_time(const char *path)
{
  const struct timespec times[2] = {{1000000000, 5}, {1000000000, 5}};
  if (utimensat(AT_FDCWD, path, times, 0) != 0)
    abort();
}

static void replace(const struct setting *s, const char *path, int64_t bytes)
{
  char other[PATH + 8];
  snprintf(other, sizeof other, "%s.new", path);
  write_rows(other, s->comma, s->rows, bytes, '4');
  set_time(other);
  if (rename(other, path) != 0)
    abort();
}

static void change(struct setting *s)
{
  const char *path = s->path[s->victim];
  int64_t bytes = s->rows * ROW;
  s->changed = true;
  if (s->way == GROWS)
    write_rows(path, s->comma, s->rows + 7, bytes + (int64_t)7 * ROW, '4');
  else if (s->way == SHRINKS)
    write_rows(path, s->comma, s->rows / 2, s->rows / 2 * ROW, '4');
  else if (s->way == MORE_ROWS)
    write_rows(path, s->comma, s->rows + s->rows / 8, bytes, '4');
  else if (s->way == FEWER_ROWS)
    write_rows(path, s->comma, s->rows - s->rows / 8, bytes, '4');
  else if (s->way == OTHER_VALUES)
    write_rows(path, s->comma, s->rows, bytes, '5');
  else if (s->way == GARBAGE)
    write_garbage(path, bytes);
  else if (s->way == REPLACED)
    replace(s, path, bytes);
  else if (s->way == REMOVED)
    unlink(path);
  if (s->hides)
    set_time(path);
}

/* Once, when the file that is read has been read in part. */
static void on_progress(void *self, const struct th_import_progress *progress)
{
  struct setting *s = self;
  const char *step =
      s->moment == WHILE_COUNTING ? "counting examples" : "reading text";
  CHECK(progress->fraction >= 0 && progress->fraction <= 1);
  CHECK(progress->bytes <= progress->total);
  s->calls++;
  if (!s->changed && s->moment >= WHILE_COUNTING &&
      strcmp(progress->step, step) == 0)
    change(s);
}

static void change_at(struct setting *s, enum moment moment)
{
  if (s->comm->rank == 0 && s->moment == moment)
    change(s);
  s->comm->ops->barrier(s->comm);
}

static th_status import(struct setting *s, struct th_error *err)
{
  struct th_importing im = {.job = &s->job, .comm = s->comm};
  th_status rc;
  TH_TRY(th_import_open(&im, TH_OK, err));
  change_at(s, OPENED);
  TH_TRY(th_import_parse_divide(&im, err));
  TH_TRY(th_agree(s->comm, th_import_parse_assign(&im, err), err));
  change_at(s, COUNTED);
  TH_TRY(th_import_parse_make_bins(&im, 1, err));
  TH_TRY(th_import_parse(&im, err));
  TH_TRY(th_import_write(&im, TH_OK, err));
done:
  th_import_open_close(&im);
  return rc;
}

static bool says(const struct th_error *err, const char *path)
{
  char wanted[PATH + 64];
  snprintf(wanted, sizeof wanted, "%s changed while it was read; ", path);
  return strncmp(err->text, wanted, strlen(wanted)) == 0;
}

static void run_case(struct setting *s)
{
  struct th_comm self;
  struct th_error err;
  th_comm_self(&self);
  th_error_clear(&err);
  s->changed = false;
  if (s->comm->rank == 0)
    for (int k = 0; k < 2; k++) {
      unlink(s->path[k]);
      write_rows(s->path[k], s->comma, s->rows, s->rows * ROW, '4');
      set_time(s->path[k]);
    }
  s->comm->ops->barrier(s->comm);
  th_status rc = import(s, &err);
  s->comm->ops->barrier(s->comm);
  bool good = s->way == SAME ? rc == TH_OK
                             : rc == TH_EIO && says(&err, s->path[s->victim]);
  if (!good)
    fprintf(stderr, "way %d, moment %d, victim %d: %s\n", (int)s->way,
            (int)s->moment, s->victim, err.text);
  CHECK(good);
  CHECK(s->comm->rank != 0 || s->changed);
  if (s->comm->rank == 0) {
    /* the data set is a master and a folder */
    CHECK(test_count_files(s->folder) ==
          (s->way == SAME ? 4 : 2 - (s->way == REMOVED)));
    char shards[PATH];
    snprintf(shards, sizeof shards, "%s/out.shards", s->folder);
    unlink(s->output);
    test_folder_remove(&self, shards);
  }
  s->comm->ops->barrier(s->comm);
}

static void prepare(struct setting *s, struct th_comm *comm)
{
  *s = (struct setting){.comm = comm};
  test_folder(comm, s->folder);
  snprintf(s->output, PATH, "%s/out.h5", s->folder);
  for (int k = 0; k < 2; k++) {
    snprintf(s->path[k], PATH, "%s/in%d.txt", s->folder, k);
    s->inputs[k] = s->path[k];
  }
  s->monitor = (struct th_import_monitor){.progress = on_progress, .self = s};
  s->job = (struct th_import){.inputs = s->inputs,
                              .input_count = 1,
                              .files.test = s->path[1],
                              .output = s->output,
                              .format = "auto",
                              .layout = -1,
                              .max_line = 1 << 20,
                              .row_group = 8,
                              .order = {.seed = 3, .shuffle = true},
                              .memory = 1 << 20};
}

/* Between the readings: every way, both formats, the input and the test file,
 * with memory for all examples and for none. */
static void test_between(struct setting *s)
{
  s->rows = FEW;
  for (int k = 0; k < WAYS * 16; k++) {
    s->way = (enum way)(k / 16);
    s->moment = (k & 1) != 0 ? OPENED : COUNTED;
    s->comma = (k & 2) != 0;
    s->victim = (k & 4) != 0;
    s->job.memory = (k & 8) != 0 ? 1 : 1 << 20;
    run_case(s);
  }
}

/* Other numbers of rows are noticed without the help of size and time. */
static void test_hidden(struct setting *s)
{
  s->rows = FEW;
  s->moment = COUNTED;
  s->hides = true;
  for (int k = 0; k < 4; k++) {
    s->way = (k & 1) != 0 ? MORE_ROWS : FEWER_ROWS;
    s->comma = (k & 2) != 0;
    s->victim = k & 1;
    run_case(s);
  }
}

/* While the file is read. */
static void test_during(struct setting *s)
{
  static const enum way ways[] = {SAME,       GROWS,        SHRINKS, MORE_ROWS,
                                  FEWER_ROWS, OTHER_VALUES, GARBAGE};
  s->job.monitor = s->comm->rank == 0 ? &s->monitor : NULL;
  s->rows = MANY;
  s->job.row_group = 1024;
  for (size_t k = 0; k < 2 * sizeof ways / sizeof *ways; k++) {
    s->way = ways[k / 2];
    s->moment = k % 2 != 0 ? WHILE_COUNTING : WHILE_PARSING;
    s->comma = s->way == MORE_ROWS;
    s->job.memory = k % 2 != 0 ? 1 << 16 : 1 << 26;
    run_case(s);
  }
  CHECK(s->comm->rank != 0 || s->calls > 0);
}

static void append_byte(void *self, const struct th_import_progress *progress)
{
  struct setting *s = self;
  if (s->changed || strcmp(progress->step, "unpacking") != 0)
    return;
  s->changed = true;
  FILE *file = fopen(s->path[0], "a");
  if (file == NULL)
    abort();
  fputc(0, file);
  fclose(file);
}

/* More than one part of a compressed file; and its last part is damaged, which
 * is not what is said. */
static void write_compressed(const char *path)
{
  uint32_t state = 1;
  gzFile file = gzopen(path, "wb1");
  if (file == Z_NULL)
    abort();
  for (int k = 0; k < 200000; k++) {
    state = state * 1664525 + 1013904223;
    gzprintf(file, "%u 1:%u\n", state % 2, state >> 4);
  }
  gzclose(file);
}

static void test_compressed(struct setting *s)
{
  struct th_error err;
  s->monitor.progress = append_byte;
  s->job.monitor = s->comm->rank == 0 ? &s->monitor : NULL;
  s->job.files.test = NULL;
  for (s->changed = true;; s->changed = false) {
    bool good = s->changed;
    if (s->comm->rank == 0)
      write_compressed(s->path[0]);
    s->comm->ops->barrier(s->comm);
    th_error_clear(&err);
    th_status rc = import(s, &err);
    CHECK(good ? rc == TH_OK : rc == TH_EIO && says(&err, s->path[0]));
    CHECK(s->comm->rank > 0 ||
          test_count_files(s->folder) == 3); /* one is text */
    s->comm->ops->barrier(s->comm);
    if (!good)
      break;
    s->job.force = true;
  }
}

static volatile sig_atomic_t groups_fd;

/* A signal's handler may write. Writes that fail show in what the test wants.
 */
static void touch(int number)
{
  (void)number;
  ssize_t written = pwrite(groups_fd, "0", 1, 0);
  (void)written;
}

/* A file of groups that is written to every two milliseconds. The descriptor
 * stays open: a thread of MPI may still be in the handler when the timer has
 * ended. */
static void test_groups(struct setting *s)
{
  enum { ATTRIBUTES = 300000, INTERVAL = 2000 };
  struct th_group_piece *piece = NULL;
  int64_t count = 0;
  struct th_error err;
  if (s->comm->rank > 0)
    return;
  FILE *file = fopen(s->path[0], "w");
  for (int k = 0; file != NULL && k < ATTRIBUTES; k++)
    fprintf(file, "%d\n", k);
  if (file == NULL || fclose(file) != 0)
    abort();
  th_error_clear(&err);
  CHECK(th_groups_file_whole(s->path[0], NULL, ATTRIBUTES, NULL, &piece, &count,
                             &err) == TH_OK);
  CHECK(count == ATTRIBUTES);
  free(piece);
  struct itimerval often = {{0, INTERVAL}, {0, INTERVAL}};
  struct itimerval never = {0};
  struct sigaction action = {.sa_handler = touch, .sa_flags = SA_RESTART};
  groups_fd = open(s->path[0], O_WRONLY);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  CHECK(th_groups_file_whole(s->path[0], NULL, ATTRIBUTES, NULL, &piece, &count,
                             &err) == TH_EIO);
  setitimer(ITIMER_REAL, &never, NULL);
  signal(SIGALRM, SIG_IGN);
  CHECK(says(&err, s->path[0]));
}

/* A test with files in a folder of its own. */
static void in_folder(struct th_comm *comm, void (*test)(struct setting *))
{
  struct setting setting;
  prepare(&setting, comm);
  test(&setting);
  comm->ops->barrier(comm);
  test_folder_remove(comm, setting.folder);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  CASE(in_folder(&comm, test_between));
  CASE(in_folder(&comm, test_hidden));
  CASE(in_folder(&comm, test_during));
  CASE(in_folder(&comm, test_compressed));
  CASE(in_folder(&comm, test_groups));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
