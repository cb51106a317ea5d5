/* import_progress.c - how far an import is, for who watches it
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include <stdarg.h>
#include <stdio.h>

/* Shares of the time that steps take, about: those of LIBSVM text with 60
 * of 60,000 attributes a row. */
static const struct step {
  const char *name;
  double share;
} steps[] = {
    [TH_IMPORT_UNPACKS] = {"unpacking", 40},
    [TH_IMPORT_COUNTS] = {"counting examples", 5},
    [TH_IMPORT_PARSES] = {"reading text", 45},
    [TH_IMPORT_WRITES] = {"writing", 50},
};

static double whole_fraction(const struct th_importing *im,
                             enum th_import_step step, double share)
{
  double done = 0;
  double all = 0;
  for (int k = im->shown.unpacked ? 0 : TH_IMPORT_COUNTS; k <= TH_IMPORT_WRITES;
       k++) {
    all += steps[k].share;
    done += (k < (int)step ? 1 : k == (int)step ? share : 0) * steps[k].share;
  }
  return done / all;
}

void th_import_tell(const struct th_importing *im, enum th_import_step step,
                    int64_t done, int64_t total)
{
  const struct th_import_monitor *monitor = im->job->monitor;
  if (monitor == NULL || monitor->progress == NULL || total <= 0)
    return;
  double share = (double)(done < total ? done : total) / (double)total;
  struct th_import_progress progress = {
      .step = steps[step].name, .fraction = whole_fraction(im, step, share)};
  if (step != TH_IMPORT_WRITES) {
    progress.total =
        step == TH_IMPORT_UNPACKS ? im->shown.file_bytes : im->text_bytes;
    progress.bytes = (int64_t)(share * (double)progress.total);
  }
  monitor->progress(monitor->self, &progress);
}

void th_import_tell_read(struct th_importing *im, enum th_import_step step,
                         int64_t k)
{
  int64_t done = 0;
  int64_t total = 0;
  im->shown.offset = im->lines.next;
  for (int64_t j = 0; j < im->files; j++) {
    int64_t bytes = im->share.range[j].last - im->share.range[j].first;
    total += bytes;
    done += j < k    ? bytes
            : j == k ? im->shown.offset - im->share.range[j].first
                     : 0;
  }
  th_import_tell(im, step, done, total);
}

void th_import_notice(const struct th_importing *im, const char *format, ...)
{
  const struct th_import_monitor *monitor = im->job->monitor;
  char text[TH_ERROR_TEXT];
  if (monitor == NULL || monitor->notice == NULL)
    return;
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  monitor->notice(monitor->self, text);
}
