/* path.c - which paths lead to one file, and where a data set keeps its shards
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/path.h"

#include "io/hdf5/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int th_path_stem(const char *path)
{
  static const char end[] = ".h5";
  size_t length = strlen(path);
  size_t name = strlen(th_file_name(path));
  if (name > strlen(end) && strcmp(path + length - strlen(end), end) == 0)
    length -= strlen(end);
  return (int)length;
}

/* Without memory for a name, no file is found. */
static bool stat_folder(const char *path, struct stat *s)
{
  struct th_error ignored = {0};
  char *folder = NULL;
  if (th_file_folder(path, &folder, &ignored) != TH_OK)
    return false;
  bool found = stat(folder[0] != '\0' ? folder : ".", s) == 0;
  free(folder);
  return found;
}

static bool is_one(const struct stat *a, const struct stat *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool th_path_beside(const char *a, const char *b)
{
  struct stat x;
  struct stat y;
  return stat_folder(a, &x) && stat_folder(b, &y) && is_one(&x, &y);
}

bool th_path_same(const char *a, const char *b)
{
  struct stat x;
  struct stat y;
  if (strcmp(a, b) == 0)
    return true;
  if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0) /* no names of files */
    return false;
  if (stat(a, &x) == 0 && stat(b, &y) == 0 && is_one(&x, &y))
    return true;
  return strcmp(th_file_name(a), th_file_name(b)) == 0 && th_path_beside(a, b);
}

bool th_path_among_shards(const char *path, const char *master)
{
  struct th_error ignored = {0};
  char *shard = NULL;
  if (th_file_text(&shard, &ignored, "%.*s.shards/", th_path_stem(master),
                   master) != TH_OK)
    return false;
  bool among = th_path_beside(path, shard);
  free(shard);
  return among;
}
