/* in_memory.c - data that a caller has in memory, as a data set in memory, or
 * in a folder of their own, that lasts as long as they are open
 * SPDX-License-Identifier: MIT */
#include "io/memory/in_memory.h"

#include "base/memory.h"
#include "io/dataset/held.h"
#include "io/dataset/residency/dataset.h"
#include "io/dataset/writer/writer.h"
#include "io/files/file.h"
#include "io/import/import.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char begins[] = "thresher-";
static const char in_use[] = "in-use"; /* the file that is locked */

enum { RANDOM = 6 }; /* letters behind the beginning */

/* --- The folder; local, on rank 0 ----------------------------------------- */

static const char *place_of_folders(void)
{
  const char *place = getenv("TMPDIR");
  return place != NULL && place[0] != '\0' ? place : "/tmp";
}

/* Remove what a folder of ours has. */
static void empty_folder(int inside)
{
  int again = dup(inside);
  DIR *list = again < 0 ? NULL : fdopendir(again);
  if (list == NULL) {
    if (again >= 0)
      close(again);
    return;
  }
  rewinddir(list);
  for (struct dirent *entry = readdir(list); entry != NULL;
       entry = readdir(list)) {
    bool itself =
        strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (!itself && unlinkat(inside, entry->d_name, 0) != 0)
      th_writer_folder_remove(inside, entry->d_name);
  }
  closedir(list);
}

/* Remove a folder of a process that has gone: our own, with the file that its
 * process would have locked. */
static void sweep_folder(int place, const char *name)
{
  char holder[TH_LOCK_HOLDER];
  struct stat about;
  int inside =
      openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inside < 0)
    return;
  bool gone = fstat(inside, &about) == 0 && about.st_uid == geteuid() &&
              faccessat(inside, in_use, F_OK, 0) == 0 &&
              !th_lock_held(inside, in_use, holder);
  if (gone) {
    empty_folder(inside);
    (void)unlinkat(place, name, AT_REMOVEDIR);
  }
  close(inside);
}

static void sweep(const char *place)
{
  DIR *list = opendir(place);
  if (list == NULL)
    return;
  for (struct dirent *entry = readdir(list); entry != NULL;
       entry = readdir(list))
    if (strncmp(entry->d_name, begins, sizeof begins - 1) == 0 &&
        strlen(entry->d_name) == sizeof begins - 1 + RANDOM)
      sweep_folder(dirfd(list), entry->d_name);
  closedir(list);
}

static th_status refuse_place(const char *place, struct th_error *err)
{
  return th_fail(err, TH_EIO,
                 "%s: no folder for data in memory can be made there: %s; set "
                 "TMPDIR to a folder with room for them",
                 place, strerror(errno));
}

/* A folder is called as ours are only once it is locked. */
static th_status make_own_folder(struct th_in_memory *kept,
                                 struct th_error *err)
{
  const char *place = place_of_folders();
  char *fresh = NULL;
  th_status rc = TH_OK;
  sweep(place);
  TH_TRY(th_file_text(&fresh, err, "%s/.%sXXXXXX", place, begins));
  if (mkdtemp(fresh) == NULL) {
    rc = refuse_place(place, err);
    goto done;
  }
  kept->folder = fresh;
  fresh = NULL;
  kept->inside = open(kept->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (kept->inside >= 0)
    kept->locked = openat(kept->inside, in_use,
                          O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR);
  if (kept->locked < 0)
    return refuse_place(place, err);
  (void)th_lock_try(&kept->lock, kept->locked, kept->inside, in_use);
  TH_TRY(th_file_text(&fresh, err, "%s/%s%s", place, begins,
                      kept->folder + strlen(kept->folder) - RANDOM));
  if (rename(kept->folder, fresh) != 0) {
    rc = refuse_place(place, err);
    goto done;
  }
  free(kept->folder);
  kept->folder = fresh;
  fresh = NULL;
done:
  free(fresh);
  return rc;
}

static void drop_held(struct th_in_memory *kept)
{
  if (kept->held != NULL)
    th_held_free(kept->held);
  free(kept->held);
  kept->held = NULL;
}

void th_in_memory_remove(struct th_in_memory *kept)
{
  drop_held(kept);
  if (kept->folder != NULL) {
    if (kept->inside >= 0)
      empty_folder(kept->inside);
    (void)rmdir(kept->folder);
    th_lock_end(&kept->lock);
    if (kept->locked >= 0)
      close(kept->locked);
    if (kept->inside >= 0)
      close(kept->inside);
  }
  TH_FREE(kept->folder, kept->path);
  *kept = (struct th_in_memory){0};
}

/* --- Storing -------------------------------------------------------------- */

/* Where the data set is going to be, on every rank. Collective. */
static th_status name_data(struct th_in_memory *kept, struct th_comm *comm,
                           struct th_error *err)
{
  char path[PATH_MAX] = "";
  kept->begun = true;
  kept->inside = -1;
  kept->locked = -1;
  th_status rc = comm->rank == 0 ? make_own_folder(kept, err) : TH_OK;
  if (rc == TH_OK && comm->rank == 0 &&
      snprintf(path, sizeof path, "%s/data.h5", kept->folder) >=
          (int)sizeof path)
    rc = th_fail(err, TH_EUSAGE, "TMPDIR has a name that is too long");
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, path, sizeof path, 0);
  TH_TRY(th_agree(comm, th_file_text(&kept->path, err, "%s", path), err));
done:
  return rc;
}

/* As `import` has it where nothing is told. */
static struct th_import import_of(const struct th_in_memory_job *job,
                                  const char *path)
{
  const struct th_given_matrix *given = job->given;
  enum { LONGEST = 1 << 30 };
  return (struct th_import){
      .files.given = given,
      .output = path,
      .format = given->sparse ? "npz" : "npy",
      .layout = -1,
      .type = job->type,
      .target = given->target != NULL ? TH_IMPORT_TARGETS : "none",
      .weights = given->weight != NULL ? TH_IMPORT_WEIGHTS : NULL,
      .missing = {NULL, 0.5},
      .max_line = LONGEST,
      .order = {job->seed, !job->in_order, job->test_fraction},
      .memory = job->memory,
      .threads = job->threads};
}

/* Dense values that one rank has, and has memory for. */
static bool may_be_held(const struct th_in_memory_job *job,
                        const struct th_comm *comm)
{
  const struct th_given_matrix *given = job->given;
  const bool bytes = given->values.element == TH_ELEMENT_U8 ||
                     given->values.element == TH_ELEMENT_I8;
  const enum th_type type = job->type >= 0 ? (enum th_type)job->type
                            : bytes        ? TH_U8
                                           : TH_F32;
  return comm->size == 1 && !given->sparse &&
         th_range_count(given->held) == 0 &&
         (double)given->rows * (double)given->columns *
                 (double)th_type_size(type) <=
             (double)job->memory;
}

/* kept->held stays NULL where the values need files. */
static th_status hold(struct th_in_memory *kept,
                      const struct th_in_memory_job *job, struct th_comm *comm,
                      struct th_error *err)
{
  struct th_import_result result;
  struct th_import import = import_of(job, job->given->name);
  th_status rc = TH_NEW(&kept->held, 1, "the data in memory", err);
  import.files.held = kept->held;
  if (rc == TH_OK)
    rc = th_import_run(&import, comm, &result, err);
  if (rc != TH_OK || kept->held->master == NULL)
    drop_held(kept);
  return rc;
}

th_status th_in_memory_store(struct th_in_memory *kept,
                             const struct th_in_memory_job *job,
                             struct th_comm *comm, struct th_error *err)
{
  struct th_import_result result;
  struct th_import import;
  th_status rc = TH_OK;
  if (may_be_held(job, comm))
    TH_TRY(hold(kept, job, comm, err));
  if (kept->held != NULL)
    return rc;
  TH_TRY(name_data(kept, comm, err));
  import = import_of(job, kept->path);
  rc = th_import_run(&import, comm, &result, err);
done:
  return rc;
}

th_status th_in_memory_open(const struct th_in_memory *kept, const char *name,
                            int64_t memory, struct th_comm *comm,
                            struct th_dataset **dataset, struct th_error *err)
{
  return kept->held != NULL
             ? th_dataset_open_held(dataset, comm, kept->held, name, memory,
                                    err)
             : th_dataset_open(dataset, comm, kept->path, memory, err);
}
