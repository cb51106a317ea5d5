/* watch.c - the command that follows a run by its telemetry, from another shell
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/printable.h"
#include "cli/commands.h"
#include "cli/options/options.h"
#include "cli/run/meter.h"
#include "io/files/file.h"
#include "io/files/interrupt.h"
#include "io/files/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- Which file a run writes ---------------------------------------------- */

/* A telemetry: while its run goes on, it is there under its partial name. */
struct followed {
  char *path; /* as the user knows it */
  int folder; /* descriptor */
  char *name; /* in it */
  char *partial;
  FILE *file;
  bool whole;   /* it has its final name */
  int64_t part; /* of the run, from 1 on; 0: there was one only */
  double done;  /* of the last line */
};

static const char ending[] = ".partial";

/* True if a name is that of a telemetry; *partial: one that is being written.
 */
static bool is_telemetry(const char *name, bool *partial)
{
  static const char kind[] = ".jsonl";
  size_t length = strlen(name);
  size_t tail = sizeof ending - 1;
  *partial = name[0] == '.' && length > tail &&
             strcmp(name + length - tail, ending) == 0;
  length -= *partial ? tail : 0;
  return length > sizeof kind - 1 &&
         strncmp(name + length - (sizeof kind - 1), kind, sizeof kind - 1) ==
             0 &&
         (*partial || name[0] != '.');
}

/* Of a folder: what is being written goes first, then what is newest. The name
 * without what makes it partial; NULL: there is none. */
static th_status find_newest(int folder, char **found, struct th_error *err)
{
  int copy = dup(folder);
  DIR *list = copy >= 0 ? fdopendir(copy) : NULL;
  struct timespec newest = {0};
  bool written = false;
  th_status rc = TH_OK;
  *found = NULL;
  for (struct dirent *entry = list != NULL ? readdir(list) : NULL;
       entry != NULL && rc == TH_OK; entry = readdir(list)) {
    bool partial;
    struct stat s;
    if (!is_telemetry(entry->d_name, &partial) ||
        fstatat(folder, entry->d_name, &s, 0) != 0 || !S_ISREG(s.st_mode))
      continue;
    bool newer = s.st_mtim.tv_sec != newest.tv_sec
                     ? s.st_mtim.tv_sec > newest.tv_sec
                     : s.st_mtim.tv_nsec > newest.tv_nsec;
    if (*found != NULL && (partial != written ? written : !newer))
      continue;
    free(*found);
    newest = s.st_mtim;
    written = partial;
    size_t bytes =
        strlen(entry->d_name) - (partial ? sizeof ending : 0); /* and a dot */
    rc = th_file_text(found, err, "%.*s", (int)bytes, entry->d_name + partial);
  }
  if (list != NULL)
    closedir(list);
  else if (copy >= 0)
    close(copy);
  return rc;
}

/* The folder of the run, and the name of its telemetry. */
static th_status find_telemetry(struct followed *f, const char *argument,
                                struct th_error *err)
{
  struct stat s;
  char *folder = NULL;
  bool given = stat(argument, &s) == 0 && S_ISDIR(s.st_mode);
  th_status rc;
  if (given)
    TH_TRY(th_file_text(&folder, err, "%s/", argument));
  else
    TH_TRY(th_file_folder(argument, &folder, err));
  f->folder = open(folder[0] != '\0' ? folder : ".",
                   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (f->folder < 0)
    rc = th_fail(err, TH_EIO, "%s: %s", argument, strerror(errno));
  TH_TRY(rc);
  if (given)
    TH_TRY(find_newest(f->folder, &f->name, err));
  else
    TH_TRY(th_file_text(&f->name, err, "%s", th_file_name(argument)));
  if (f->name == NULL)
    rc = th_fail(err, TH_EIO,
                 "%s: no telemetry is in this folder; train with --telemetry "
                 "FILE.jsonl to be followed",
                 argument);
  TH_TRY(rc);
  TH_TRY(th_file_text(&f->path, err, "%s%s", folder, f->name));
  rc = th_file_text(&f->partial, err, ".%s%s", f->name, ending);
done:
  free(folder);
  return rc;
}

/* True if a run writes it. Who may not write there cannot ask: then it is taken
 * to go on as long as its file has that name. */
static bool held(const struct followed *f)
{
  char holder[TH_LOCK_HOLDER];
  if (faccessat(f->folder, f->partial, W_OK, AT_EACCESS) != 0 &&
      errno != ENOENT)
    return true;
  return th_lock_held(f->folder, f->partial, holder);
}

/* A run that goes on is followed before an older one's file is read. */
static th_status open_followed(struct followed *f, struct th_error *err)
{
  int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK; /* a pipe is not waited for */
  int fd = openat(f->folder, f->partial, flags);
  if (fd < 0 || !held(f)) {
    int other = openat(f->folder, f->name, flags);
    f->whole = other >= 0;
    if (f->whole && fd >= 0)
      close(fd);
    fd = f->whole ? other : fd;
  }
  struct stat s;
  if (fd < 0)
    return th_fail(err, TH_EIO,
                   "%s: %s, and no run is writing it; train with --telemetry "
                   "names it",
                   f->path, strerror(errno));
  f->file = fstat(fd, &s) == 0 && S_ISREG(s.st_mode) ? fdopen(fd, "r") : NULL;
  if (f->file != NULL)
    return TH_OK;
  close(fd);
  return th_fail(err, TH_EFORMAT, "%s: not a telemetry of train", f->path);
}

static void close_followed(struct followed *f)
{
  if (f->file != NULL)
    fclose(f->file);
  if (f->folder >= 0)
    close(f->folder);
  TH_FREE(f->path, f->name, f->partial);
}

/* --- Its lines ------------------------------------------------------------ */

static double line_number(const json_t *line, const char *key)
{
  const json_t *value = json_object_get(line, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

/* Take the lines that are whole by now; the last one is handed over, or NULL.
 */
static th_status read_news(struct followed *f, json_t **last,
                           struct th_error *err)
{
  char *text = NULL;
  size_t room = 0;
  ssize_t length;
  th_status rc = TH_OK;
  long begin = ftell(f->file);
  clearerr(f->file);
  while (rc == TH_OK && (length = getline(&text, &room, f->file)) > 0) {
    if (text[length - 1] != '\n') { /* the rest of it comes later */
      fseek(f->file, begin, SEEK_SET);
      break;
    }
    begin = ftell(f->file);
    json_t *line = json_loadb(text, (size_t)length, 0, NULL);
    double done = line_number(line, "done");
    if (!json_is_number(json_object_get(line, "update"))) {
      rc = th_fail(err, TH_EFORMAT, "%s: not a telemetry of train", f->path);
      json_decref(line);
      break;
    }
    if (done < f->done) /* another part has begun */
      f->part = f->part == 0 ? 2 : f->part + 1;
    f->done = isfinite(done) ? done : f->done;
    json_decref(*last);
    *last = line;
  }
  free(text);
  return rc;
}

/* "update 120  mean squared error 0.976  support 25  examples 61248" */
static void write_news(const json_t *line, char *text, size_t size)
{
  const char *loss = json_string_value(json_object_get(line, "loss_is"));
  double gap = line_number(line, "gap");
  int used = 0;
  if (line_number(line, "fold") > 0)
    used = snprintf(text, size, "fold %.0f of %.0f  ",
                    line_number(line, "fold"), line_number(line, "folds"));
  used += snprintf(text + used, size - (size_t)used, "update %.0f  %.40s %.5g",
                   line_number(line, "update"), loss != NULL ? loss : "loss",
                   line_number(line, "loss"));
  if (isfinite(gap))
    used +=
        snprintf(text + used, size - (size_t)used, "  lambda %.4g  gap %.2g",
                 line_number(line, "lambda"), gap);
  if (isfinite(line_number(line, "support_size")))
    used += snprintf(text + used, size - (size_t)used, "  support %.0f",
                     line_number(line, "support_size"));
  snprintf(text + used, size - (size_t)used, "  examples %.0f",
           line_number(line, "examples"));
  th_printable(text);
}

static void show_news(const struct followed *f, struct th_meter *meter,
                      const json_t *line, bool last)
{
  enum { TEXT = 400 };
  char text[TEXT];
  double done = line_number(line, "done");
  double left = line_number(line, "seconds_left");
  const struct th_meter_times times = {
      .fraction = isfinite(done) ? done : -1,
      .elapsed = line_number(line, "seconds"),
      .left = isfinite(left) && !last ? left : -1,
      .part = (int)f->part,
      .at_most = json_is_true(json_object_get(line, "at_most"))};
  write_news(line, text, sizeof text);
  th_meter_put(meter, &times, text);
  fflush(stdout);
}

/* --- Until the run ends --------------------------------------------------- */

enum state { GOES_ON, ENDED, DIED };

/* Asked before the last lines are read, so that none is missed. */
static enum state state_of(const struct followed *f)
{
  struct stat mine;
  struct stat there;
  bool named = fstat(fileno(f->file), &mine) == 0 &&
               fstatat(f->folder, f->partial, &there, 0) == 0 &&
               mine.st_ino == there.st_ino;
  if (f->whole)
    return ENDED;
  if (named)
    return held(f) ? GOES_ON : DIED;
  bool final = fstatat(f->folder, f->name, &there, 0) == 0 &&
               mine.st_ino == there.st_ino;
  return final ? ENDED : DIED;
}

static void wait_a_moment(void)
{
  const struct timespec moment = {0, 200 * 1000 * 1000};
  nanosleep(&moment, NULL);
}

static bool nobody_reads(void)
{
  return th_interrupt_asked() || ferror(stdout) != 0;
}

static th_status follow_run(struct followed *f, struct th_meter *meter,
                            json_t **line, struct th_error *err)
{
  enum state state = GOES_ON;
  bool shown = false;
  th_status rc = TH_OK;
  while (state == GOES_ON && !nobody_reads()) {
    json_t *before = *line;
    state = state_of(f);
    TH_TRY(read_news(f, line, err));
    bool news = *line != before && state == GOES_ON;
    if (news && (!shown || th_meter_due(meter))) {
      show_news(f, meter, *line, false);
      shown = true;
    }
    if (state == GOES_ON)
      wait_a_moment();
  }
  th_meter_clear(meter);
  if (nobody_reads())
    return TH_OK;
  meter->terminal = false; /* the last line stays */
  if (*line != NULL)
    show_news(f, meter, *line, true);
  if (state == DIED)
    return th_fail(err, TH_EIO, "%s: its run has ended without finishing",
                   f->path);
  printf("ended: %s\n", f->path);
done:
  return rc;
}

/* Local: rank 0. */
static th_status watch_run(const char *argument, struct th_error *err)
{
  struct followed f = {.folder = -1};
  struct th_meter meter;
  json_t *line = NULL;
  th_status rc;
  th_interrupt_ask(true); /* the end of looking on, in silence */
  th_meter_begin(&meter, true);
  meter.out = stdout;
  meter.terminal = isatty(STDOUT_FILENO) == 1;
  TH_TRY(find_telemetry(&f, argument, err));
  TH_TRY(open_followed(&f, err));
  rc = follow_run(&f, &meter, &line, err);
done:
  json_decref(line);
  close_followed(&f);
  return rc;
}

th_status th_watch_command(const struct th_options *options,
                           struct th_comm *comm, struct th_error *err)
{
  return th_agree(
      comm, comm->rank == 0 ? watch_run(options->argument[0], err) : TH_OK,
      err);
}
