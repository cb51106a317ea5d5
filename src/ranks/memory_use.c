/* memory_use.c - the peak of a process's memory, in parts of shared one
 * SPDX-License-Identifier: MIT */
#include "ranks/memory_use.h"

#include "base/integer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What the system tells, in bytes. */
struct told {
  int64_t peak;
  int64_t shared; /* pages of shared memory that this process has in use */
  int64_t files;
};

static void take_number(const char *line, const char *name, int64_t *bytes)
{
  size_t length = strlen(name);
  if (strncmp(line, name, length) == 0)
    *bytes = strtoll(line + length, NULL, 10) * 1024;
}

/* Of this program: what getrusage tells begins with the peak of the process
 * that started it. Where /proc is not there, it has to do. */
static struct told ask_system(void)
{
  struct told told = {0};
  struct rusage usage;
  char line[128];
  FILE *status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    take_number(line, "VmHWM:", &told.peak);
    take_number(line, "RssShmem:", &told.shared);
    take_number(line, "RssFile:", &told.files);
  }
  if (status != NULL)
    (void)fclose(status);
  if (told.peak == 0 && getrusage(RUSAGE_SELF, &usage) == 0)
    told.peak = (int64_t)usage.ru_maxrss * 1024;
  return told;
}

/* The system's peak begins anew. Where it does not, later ones are no less. */
static void begin_peak(void)
{
  int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (file < 0)
    return;
  ssize_t wrote = write(file, "5", 1);
  (void)wrote;
  close(file);
}

/* Parts of others in what this process has looked at. */
static int64_t others_now(const struct th_memory_use *use, int64_t shared)
{
  if (use->shared <= shared)
    return use->others;
  return (int64_t)((double)use->others * (double)shared / (double)use->shared);
}

/* What files that are used in place take at least where the peak was. */
static int64_t files_in_place(const struct th_memory_use *use, int64_t files)
{
  return th_max_i64(th_max_i64(files, use->files) - use->program, 0);
}

void th_memory_use_note(struct th_memory_use *use)
{
  struct told told = ask_system();
  use->peak =
      th_max_i64(use->peak, told.peak - files_in_place(use, told.files) -
                                others_now(use, told.shared));
  use->files = told.files;
  begin_peak();
}

void th_memory_use_begin(struct th_memory_use *use)
{
  int64_t files = ask_system().files;
  *use = (struct th_memory_use){.program = files, .files = files};
}

void th_memory_use_share(struct th_memory_use *use, int64_t bytes, int ranks)
{
  th_memory_use_note(use);
  use->shared += bytes;
  use->others += bytes - bytes / ranks;
}

void th_memory_use_unshare(struct th_memory_use *use, int64_t bytes, int ranks)
{
  use->shared -= bytes;
  use->others -= bytes - bytes / ranks;
  begin_peak();
}

int64_t th_memory_use_peak(const struct th_memory_use *use, int64_t files)
{
  struct told told = ask_system();
  if (use == NULL)
    return told.peak - files;
  files = th_max_i64(files, files_in_place(use, told.files));
  return th_max_i64(use->peak,
                    told.peak - files - others_now(use, told.shared));
}
