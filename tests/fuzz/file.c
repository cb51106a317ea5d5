/* file.c - the bytes that are tried as a file, in memory
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

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
