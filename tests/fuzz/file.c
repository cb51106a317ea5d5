/* file.c - the bytes that are tried as a file, in memory, and imported
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "io/files/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[FUZZ_PATH / 4];

/* Remove it with all that lies in it, and in one folder below. */
static void remove_all(const char *path, int depth)
{
  DIR *list = opendir(path);
  char inside[FUZZ_PATH];
  for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    snprintf(inside, sizeof inside, "%.200s/%.255s", path, e->d_name);
    if (unlink(inside) != 0 && depth > 0)
      remove_all(inside, depth - 1);
  }
  if (list != NULL)
    closedir(list);
  rmdir(path);
}

static void leave(void)
{
  remove_all(folder, 1);
}

void fuzz_path(const char *name, char path[FUZZ_PATH])
{
  if (folder[0] == '\0') {
    bool memory = access("/dev/shm", W_OK | X_OK) == 0;
    snprintf(folder, sizeof folder, "%s/thresher-fuzz-%ld",
             memory ? "/dev/shm" : "/tmp", (long)getpid());
    if (mkdir(folder, 0700) != 0)
      abort();
    atexit(leave);
  }
  snprintf(path, FUZZ_PATH, "%s/%s", folder, name);
}

void fuzz_file(const char *name, const uint8_t *data, size_t size,
               char path[FUZZ_PATH])
{
  fuzz_path(name, path);
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || write(file, data, size) != (ssize_t)size || close(file) != 0)
    abort();
}

void fuzz_sealed(const char *name, const uint8_t *data, size_t size,
                 char path[FUZZ_PATH])
{
  enum { SEAL = 16 };
  int64_t bytes = size > SEAL ? (int64_t)size - SEAL : 0;
  void *room = malloc(size + 1);
  if (room == NULL)
    abort();
  memcpy(room, data, (size_t)bytes);
  if (!th_output_seal_add(&room, &bytes))
    abort();
  fuzz_file(name, room, (size_t)bytes, path);
  free(room);
}

void fuzz_one_line(th_status rc, const struct th_error *err)
{
  if (rc != TH_OK && (err->text[0] == '\0' || strchr(err->text, '\n') != NULL))
    abort();
}

void fuzz_import(struct th_import job)
{
  char output[FUZZ_PATH];
  struct th_comm comm;
  struct th_error err = {0};
  struct th_import_result result;
  fuzz_path("made.h5", output);
  job.output = output;
  job.layout = -1;
  job.max_line = 4096;
  job.shards = 1;
  job.order.seed = 1;
  job.force = true;
  job.memory = 1 << 20;
  th_comm_self(&comm);
  fuzz_one_line(th_import_run(&job, &comm, &result, &err), &err);
}

void fuzz_import_file(const char *name, const uint8_t *data, size_t size,
                      struct th_import job)
{
  char input[FUZZ_PATH];
  const char *inputs[] = {input};
  fuzz_file(name, data, size, input);
  job.inputs = inputs;
  job.input_count = 1;
  job.row_group = 64;
  fuzz_import(job);
}
