/* shard_folder.c - folders that hold shards and nothing else
 * SPDX-License-Identifier: MIT */
#include "io/dataset/shard_folder.h"

#include "io/hdf5/interrupt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 5, MOST_DIGITS = 6 };

/* The number of a shard named NNNNN.h5, as by th_master_shard_path; -1: another
 * name. */
static int64_t shard_of(const char *name)
{
  size_t digits = strspn(name, "0123456789");
  if (digits < DIGITS || digits > MOST_DIGITS ||
      (digits > DIGITS && name[0] == '0') || strcmp(name + digits, ".h5") != 0)
    return -1;
  return strtoll(name, NULL, 10);
}

bool th_shard_folder_holds(int folder, const char *name)
{
  struct stat s;
  return fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) == 0;
}

static int open_folder(int folder, const char *name)
{
  return openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The next name except . and .. ; NULL: no more. */
static const char *next_name(DIR *names)
{
  for (struct dirent *e = readdir(names); e != NULL; e = readdir(names))
    if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
      return e->d_name;
  return NULL;
}

static bool is_shard(int inside, const char *name)
{
  struct stat s;
  return shard_of(name) >= 0 &&
         fstatat(inside, name, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(s.st_mode);
}

/* Open a stream of the names in a folder, on a copy of its descriptor. */
static DIR *names_of(int inside)
{
  int copy = fcntl(inside, F_DUPFD_CLOEXEC, 0);
  DIR *names = copy < 0 ? NULL : fdopendir(copy);
  if (names == NULL && copy >= 0)
    close(copy);
  if (names != NULL)
    rewinddir(names);
  return names;
}

static th_status check_names(int inside, const char *path, const char *name,
                             struct th_error *err)
{
  DIR *names = names_of(inside);
  if (names == NULL)
    return th_fail(err, TH_EIO, "cannot look into %s%s: %s", path, name,
                   strerror(errno));
  const char *found = next_name(names);
  while (found != NULL && is_shard(inside, found))
    found = next_name(names);
  if (found != NULL)
    th_fail(err, TH_EIO,
            "%s%s holds %s, which is no shard and would be lost; move it "
            "away, or choose another name for the output",
            path, name, found);
  closedir(names);
  return found != NULL ? TH_EIO : TH_OK;
}

th_status th_shard_folder_check(int folder, const char *path, const char *name,
                                struct th_error *err)
{
  if (!th_shard_folder_holds(folder, name))
    return TH_OK;
  int inside = open_folder(folder, name);
  if (inside < 0)
    return th_fail(err, TH_EIO,
                   "%s%s is in the way: %s; remove it, or choose another name "
                   "for the output",
                   path, name,
                   errno == ELOOP || errno == ENOTDIR
                       ? "it is a link or a file, not a folder of shards"
                       : strerror(errno));
  th_status rc = check_names(inside, path, name, err);
  close(inside);
  return rc;
}

int th_shard_folder_enter(int folder, const char *name, int64_t shards)
{
  int inside = open_folder(folder, name);
  if (inside < 0 || th_interrupt_own_folder(folder, name, inside, shards) == 0)
    return inside;
  int saved = errno;
  close(inside);
  errno = saved;
  return -1;
}

int th_shard_folder_make(int folder, const char *name, int64_t shards)
{
  struct th_interrupt_pause pause;
  int inside = -1;
  th_interrupt_pause(&pause);
  if (mkdirat(folder, name, 0777) == 0) {
    inside = th_shard_folder_enter(folder, name, shards);
    int saved = errno;
    if (inside < 0)
      unlinkat(folder, name, AT_REMOVEDIR);
    errno = saved;
  }
  th_interrupt_resume(&pause);
  return inside;
}

int th_shard_folder_own(int folder, const char *name)
{
  int64_t shards = 0;
  int inside = open_folder(folder, name);
  DIR *names = inside < 0 ? NULL : names_of(inside);
  if (names == NULL) {
    if (inside >= 0)
      close(inside);
    return -1;
  }
  for (const char *n = next_name(names); n != NULL; n = next_name(names))
    if (shard_of(n) >= shards)
      shards = shard_of(n) + 1;
  closedir(names);
  th_interrupt_own_folder(folder, name, inside, shards);
  return inside;
}

void th_shard_folder_drop(int folder, const char *name, int inside)
{
  DIR *names = inside < 0 ? NULL : names_of(inside);
  if (inside < 0)
    return;
  if (names != NULL) {
    rewinddir(names);
    for (const char *n = next_name(names); n != NULL; n = next_name(names))
      if (is_shard(inside, n))
        unlinkat(inside, n, 0);
    closedir(names);
  }
  unlinkat(folder, name, AT_REMOVEDIR);
  th_interrupt_own_forget(folder, name);
  close(inside);
}

void th_shard_folder_remove(int folder, const char *name)
{
  th_shard_folder_drop(folder, name, th_shard_folder_own(folder, name));
}
