/* folder.c - the folder of a data set's shards, also one of a killed run
 * SPDX-License-Identifier: MIT */
#include "io/dataset/writer/folder.h"

#include "base/memory.h"
#include "io/dataset/format.h"
#include "io/dataset/master.h"
#include "io/files/file.h"
#include "io/files/interrupt.h"
#include "io/files/output.h"
#include "io/hdf5/h5.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 5, MOST_DIGITS = 6 };

/* The number of a shard named NNNNN.h5, as by th_master_shard_path; -1: another
 * name. */
static int64_t shard_number(const char *name)
{
  size_t digits = strspn(name, "0123456789");
  if (digits < DIGITS || digits > MOST_DIGITS ||
      (digits > DIGITS && name[0] == '0') || strcmp(name + digits, ".h5") != 0)
    return -1;
  return strtoll(name, NULL, 10);
}

bool th_folder_holds(int folder, const char *name)
{
  struct stat s;
  return fstatat(folder, name, &s, AT_SYMLINK_NOFOLLOW) == 0;
}

static int open_subfolder(int folder, const char *name)
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
  return shard_number(name) >= 0 &&
         fstatat(inside, name, &s, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(s.st_mode);
}

/* Open a stream of the names in a folder, on a copy of its descriptor. */
static DIR *open_names(int inside)
{
  int copy = fcntl(inside, F_DUPFD_CLOEXEC, 0);
  DIR *names = copy < 0 ? NULL : fdopendir(copy);
  if (names == NULL && copy >= 0)
    close(copy);
  if (names != NULL)
    rewinddir(names);
  return names;
}

static th_status check_only_shards(int inside, const char *path,
                                   const char *name, struct th_error *err)
{
  DIR *names = open_names(inside);
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

th_status th_folder_check(int folder, const char *path, const char *name,
                          struct th_error *err)
{
  if (!th_folder_holds(folder, name))
    return TH_OK;
  int inside = open_subfolder(folder, name);
  if (inside < 0)
    return th_fail(err, TH_EIO,
                   "%s%s is in the way: %s; remove it, or choose another name "
                   "for the output",
                   path, name,
                   errno == ELOOP || errno == ENOTDIR
                       ? "it is a link or a file, not a folder of shards"
                       : strerror(errno));
  th_status rc = check_only_shards(inside, path, name, err);
  close(inside);
  return rc;
}

int th_folder_enter(int folder, const char *name, int64_t shards)
{
  int inside = open_subfolder(folder, name);
  if (inside < 0 || th_interrupt_own_folder(folder, name, inside, shards) == 0)
    return inside;
  int saved = errno;
  close(inside);
  errno = saved;
  return -1;
}

int th_folder_make(int folder, const char *name, int64_t shards)
{
  struct th_interrupt_pause pause;
  int inside = -1;
  th_interrupt_pause(&pause);
  if (mkdirat(folder, name, 0777) == 0) {
    inside = th_folder_enter(folder, name, shards);
    int saved = errno;
    if (inside < 0)
      unlinkat(folder, name, AT_REMOVEDIR);
    errno = saved;
  }
  th_interrupt_resume(&pause);
  return inside;
}

int th_folder_own(int folder, const char *name)
{
  int64_t shards = 0;
  int inside = open_subfolder(folder, name);
  DIR *names = inside < 0 ? NULL : open_names(inside);
  if (names == NULL) {
    if (inside >= 0)
      close(inside);
    return -1;
  }
  for (const char *n = next_name(names); n != NULL; n = next_name(names))
    if (shard_number(n) >= shards)
      shards = shard_number(n) + 1;
  closedir(names);
  th_interrupt_own_folder(folder, name, inside, shards);
  return inside;
}

void th_folder_drop(int folder, const char *name, int inside)
{
  DIR *names = inside < 0 ? NULL : open_names(inside);
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

void th_folder_remove(int folder, const char *name)
{
  th_folder_drop(folder, name, th_folder_own(folder, name));
}

/* --- The names of a data set that is written ------------------------------ */

th_status th_folder_names(struct th_folder *f, const char *path,
                          struct th_error *err)
{
  const char *name = th_file_name(path);
  int n = th_output_path_stem(name);
  th_status rc = TH_OK;
  TH_TRY(th_file_folder(path, &f->place, err));
  TH_TRY(th_file_text(&f->path, err, "%s", path));
  TH_TRY(th_file_text(&f->final, err, "%.*s.shards", n, name));
  TH_TRY(th_file_text(&f->partial, err, ".%.*s.shards.partial", n, name));
  TH_TRY(th_file_text(&f->old, err, ".%.*s.shards.old", n, name));
done:
  return rc;
}

void th_folder_free(struct th_folder *f)
{
  if (f->parent >= 0)
    close(f->parent);
  TH_FREE(f->place, f->path, f->final, f->partial, f->old);
}

/* --- What a killed run has left of a data set: put back, or removed
 *
 * The folders of shards are renamed before the master is. Which folder a master
 * belongs to is told by what the master says of its shards, never by which
 * partial files happen to be there. A folder that no master is known to belong
 * to is left alone. */

/* Shard k in a folder is the one that a master names. */
static bool is_written_shard(const struct th_folder *f, const char *folder,
                             int64_t k, const struct th_shard_row *row)
{
  struct th_error ignored = {0};
  struct th_h5 h5 = {0};
  struct stat s;
  uint64_t content = 0;
  char *inside = NULL;
  char *path = NULL;
  th_status rc = th_file_text(&inside, &ignored, "%s%s", f->place, folder);
  if (rc == TH_OK)
    rc = th_master_shard_path(&path, inside, k, &ignored);
  bool good =
      rc == TH_OK && stat(path, &s) == 0 && S_ISREG(s.st_mode) &&
      s.st_size == row->bytes &&
      th_h5_open(&h5, path, path, &ignored) == TH_OK &&
      th_h5_get_u64(&h5, "/", TH_A_CONTENT, &content, &ignored) == TH_OK &&
      content == row->content;
  th_h5_close(&h5, &ignored);
  TH_FREE(inside, path);
  return good;
}

/* A master, which need not be there, was written with the shards in a
 * folder. */
static bool master_fits(const struct th_folder *f, const char *master,
                        const char *folder)
{
  struct th_master_info info = {0};
  struct th_error ignored = {0};
  bool good = th_folder_holds(f->parent, folder) &&
              th_master_read(master, &info, &ignored) == TH_OK;
  for (int64_t k = 0; good && k < info.shards; k++)
    good = is_written_shard(f, folder, k, &info.shard[k]);
  th_master_info_free(&info);
  return good;
}

bool th_folder_headless(const struct th_folder *f)
{
  struct th_error ignored = {0};
  struct stat s;
  char *master = NULL;
  bool found = th_file_text(&master, &ignored, "%s.%s.partial", f->place,
                            th_file_name(f->path)) == TH_OK &&
               lstat(f->path, &s) != 0 &&
               !th_folder_holds(f->parent, f->partial) &&
               master_fits(f, master, f->final);
  free(master);
  return found;
}

th_status th_folder_recover(const struct th_folder *f, struct th_error *err)
{
  if (!th_folder_holds(f->parent, f->old))
    return TH_OK;
  bool both = th_folder_holds(f->parent, f->final);
  if (both && master_fits(f, f->path, f->final)) {
    th_folder_remove(f->parent, f->old);
    return TH_OK;
  }
  if (both && !master_fits(f, f->path, f->old))
    return th_fail(
        err, TH_EIO,
        "a run that was killed has left %s%s and %s%s, and %s belongs "
        "to neither; remove the one that you do not want to keep",
        f->place, f->final, f->place, f->old, f->path);
  if (both) {
    th_folder_remove(f->parent, f->partial);
    renameat(f->parent, f->final, f->parent, f->partial);
  }
  renameat(f->parent, f->old, f->parent, f->final);
  return TH_OK;
}
