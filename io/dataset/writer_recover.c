/* writer_recover.c - what a killed run has left of a data set: put back, or
 * removed
 *
 * The folders of shards are renamed before the master is. Which folder a master
 * belongs to is told by what the master says of its shards, never by which
 * partial files happen to be there. A folder that no master is known to belong
 * to is left alone.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "io/dataset/format.h"
#include "io/dataset/shard_folder.h"
#include "io/dataset/writer_parts.h"
#include "io/hdf5/file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Whether shard k in a folder is the one that a master names. */
static bool is_shard(const struct th_writer *w, const char *folder, int64_t k,
                     const struct th_shard_row *row)
{
  struct th_error ignored = {0};
  struct th_h5 h5 = {0};
  struct stat s;
  uint64_t content = 0;
  char *inside = NULL;
  char *path = NULL;
  th_status rc = th_file_text(&inside, &ignored, "%s%s", w->place, folder);
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

/* Whether a master, which need not be there, was written with the shards in a
 * folder. */
static bool fits(const struct th_writer *w, const char *master,
                 const char *folder)
{
  struct th_master_info info = {0};
  struct th_error ignored = {0};
  bool good = th_shard_folder_holds(w->parent, folder) &&
              th_master_read(master, &info, &ignored) == TH_OK;
  for (int64_t k = 0; good && k < info.shards; k++)
    good = is_shard(w, folder, k, &info.shard[k]);
  th_master_info_free(&info);
  return good;
}

bool th_writer_is_headless(const struct th_writer *w)
{
  struct th_error ignored = {0};
  struct stat s;
  char *master = NULL;
  bool found = th_file_text(&master, &ignored, "%s.%s.partial", w->place,
                            th_file_name(w->path)) == TH_OK &&
               lstat(w->path, &s) != 0 &&
               !th_shard_folder_holds(w->parent, w->partial) &&
               fits(w, master, w->folder);
  free(master);
  return found;
}

th_status th_writer_recover(const struct th_writer *w, struct th_error *err)
{
  if (!th_shard_folder_holds(w->parent, w->old))
    return TH_OK;
  bool both = th_shard_folder_holds(w->parent, w->folder);
  if (both && fits(w, w->path, w->folder)) {
    th_shard_folder_remove(w->parent, w->old);
    return TH_OK;
  }
  if (both && !fits(w, w->path, w->old))
    return th_fail(
        err, TH_EIO,
        "a run that was killed has left %s%s and %s%s, and %s belongs "
        "to neither; remove the one that you do not want to keep",
        w->place, w->folder, w->place, w->old, w->path);
  if (both) {
    th_shard_folder_remove(w->parent, w->partial);
    renameat(w->parent, w->folder, w->parent, w->partial);
  }
  renameat(w->parent, w->old, w->parent, w->folder);
  return TH_OK;
}
