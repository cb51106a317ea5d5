/* checkpoint_read.c - finds the newest checkpoint that is whole, and reads it
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "core/model.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_parts.h"
#include "io/checkpoint/manifest.h"
#include "io/hdf5/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_TRIED = 4, LINE = 240 };

/* No manifest has more bytes. */
static const int64_t most_bytes = INT64_C(1) << 30;

/* Open a regular file, and nothing else: no pipe would let go. Its size, or -1.
 */
static int64_t open_file(int folder, const char *name, int *file)
{
  struct stat s;
  *file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (*file < 0)
    return -1;
  if (fstat(*file, &s) == 0 && S_ISREG(s.st_mode))
    return (int64_t)s.st_size;
  close(*file);
  *file = -1;
  return -1;
}

/* The words of a manifest. Local: rank 0. */
static th_status read_words(const struct th_checkpoint *checkpoint,
                            int64_t number, int64_t **words, int64_t *count,
                            struct th_error *err)
{
  char name[TH_MANIFEST_NAME];
  int file = -1;
  int64_t bytes =
      open_file(checkpoint->folder, th_manifest_name(number, name), &file);
  th_status rc = TH_OK;
  if (bytes <= 0 || bytes > most_bytes || bytes % (int64_t)sizeof **words != 0)
    rc = th_fail(err, TH_EFORMAT, "its manifest is damaged");
  *count = bytes / (int64_t)sizeof **words;
  if (rc == TH_OK)
    rc = TH_NEW(words, *count, "a checkpoint", err);
  if (rc == TH_OK)
    rc = th_temporary_read(file, *words, bytes, 0, name, err);
  if (file >= 0)
    close(file);
  return rc;
}

/* Give rank 0's words to all ranks. Collective. */
static th_status share_words(struct th_comm *comm, int64_t **words,
                             int64_t *count, struct th_error *err)
{
  th_status rc = TH_OK;
  comm->ops->bcast(comm, count, sizeof *count, 0);
  if (comm->rank != 0)
    rc = TH_NEW(words, *count, "a checkpoint", err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, *words, (size_t)*count * sizeof **words, 0);
  return rc;
}

static th_status part_fails(const char *name, const char *why,
                            struct th_error *err)
{
  return th_fail(err, TH_EFORMAT, "%s %s", name, why);
}

/* Read a part and compare its checksum. Local. */
static th_status check_open_part(const struct th_manifest *manifest,
                                 int64_t part, const char *name, int file,
                                 struct th_error *err)
{
  int64_t bytes = manifest->offset[(part + 1) * (manifest->arrays + 1) - 1];
  int64_t hash = 0;
  char *block = NULL;
  th_status rc = TH_NEW(&block, TH_MANIFEST_BLOCK, "a checkpoint", err);
  for (int64_t at = 0; at < bytes && rc == TH_OK; at += TH_MANIFEST_BLOCK) {
    int64_t now = th_min_i64(bytes - at, TH_MANIFEST_BLOCK);
    rc = th_temporary_read(file, block, now, at, name, err);
    if (rc == TH_OK)
      hash = th_manifest_hash_next(hash, block, now);
  }
  free(block);
  if (rc == TH_OK && hash != manifest->hash[part])
    return part_fails(name, "is damaged", err);
  return rc;
}

static th_status check_part(const struct th_checkpoint *checkpoint,
                            const struct th_manifest *manifest, int64_t part,
                            struct th_error *err)
{
  char name[TH_MANIFEST_NAME];
  int file = -1;
  int64_t wanted = manifest->offset[(part + 1) * (manifest->arrays + 1) - 1];
  int64_t bytes =
      open_file(checkpoint->folder,
                th_manifest_part_name(manifest->number, part, name), &file);
  th_status rc;
  if (bytes < 0)
    return part_fails(name, "is not there, or no file", err);
  if (bytes != wanted)
    rc = part_fails(name, "has another size", err);
  else
    rc = check_open_part(manifest, part, name, file, err);
  close(file);
  return rc;
}

/* The parts are dealt out over the ranks. Collective. */
static th_status check_parts(const struct th_checkpoint *checkpoint,
                             const struct th_manifest *manifest,
                             struct th_error *err)
{
  struct th_comm *comm = checkpoint->comm;
  th_status rc = TH_OK;
  for (int64_t p = comm->rank; p < manifest->parts && rc == TH_OK;
       p += comm->size)
    rc = check_part(checkpoint, manifest, p, err);
  return th_agree(comm, rc, err);
}

/* Collective. */
static th_status load(const struct th_checkpoint *checkpoint, int64_t number,
                      struct th_manifest **manifest, struct th_error *err)
{
  struct th_comm *comm = checkpoint->comm;
  int64_t *words = NULL;
  int64_t count = 0;
  th_status rc = TH_OK;
  *manifest = NULL;
  if (comm->rank == 0)
    rc = read_words(checkpoint, number, &words, &count, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(share_words(comm, &words, &count, err));
  rc = th_manifest_unpack(manifest, words, count, err);
  if (rc == TH_OK && (*manifest)->number != number)
    rc = th_fail(err, TH_EFORMAT, "its manifest is of another one");
  TH_TRY(th_agree(comm, rc, err));
done:
  free(words);
  if (rc != TH_OK) {
    th_manifest_free(*manifest);
    *manifest = NULL;
  }
  return rc;
}

/* Local. */
static th_status read_part(struct th_checkpoint_image *found, int64_t part,
                           void *to, int64_t bytes, int64_t offset,
                           struct th_error *err)
{
  char name[TH_MANIFEST_NAME];
  th_manifest_part_name(found->number, part, name);
  if (found->file < 0 || found->part != part) {
    if (found->file >= 0)
      close(found->file);
    found->part = part;
    if (open_file(found->folder, name, &found->file) < 0)
      return part_fails(name, "is not there, or no file", err);
  }
  return th_temporary_read(found->file, to, bytes, offset, name, err);
}

/* Items of a vector of an array: from the parts that have them. Local. */
static th_status fetch(void *self, int64_t k, int64_t row,
                       struct th_range range, void *to, struct th_error *err)
{
  struct th_checkpoint_image *found = self;
  const struct th_manifest *m = found->manifest;
  int64_t item = (int64_t)th_state_size(m->entry[k].type);
  int64_t first = 0; /* item of the vector, of this part */
  char *out = to;
  th_status rc = TH_OK;
  for (int64_t p = 0; p < m->parts && rc == TH_OK; p++) {
    int64_t width = m->width[k * m->parts + p];
    struct th_range part =
        th_range_intersect(range, (struct th_range){first, first + width});
    int64_t bytes = (part.last - part.first) * item;
    if (bytes > 0)
      rc = read_part(found, p, out, bytes,
                     m->offset[p * (m->arrays + 1) + k] +
                         (row * width + part.first - first) * item,
                     err);
    out += bytes;
    first += width;
  }
  return rc;
}

void th_checkpoint_release(struct th_checkpoint_image *found)
{
  if (found->file >= 0 && found->number > 0)
    close(found->file);
  free(found->image.entry);
  th_manifest_free(found->manifest);
  *found = (struct th_checkpoint_image){.file = -1};
}

/* Local. */
static th_status show(struct th_checkpoint *checkpoint,
                      struct th_manifest *manifest,
                      struct th_checkpoint_image *found, struct th_error *err)
{
  int64_t arrays = manifest->arrays;
  found->manifest = manifest;
  found->number = manifest->number;
  found->folder = checkpoint->folder;
  found->image.fetch = fetch;
  found->image.self = found;
  found->image.name = checkpoint->path;
  found->image.count = arrays;
  th_status rc = TH_NEW(&found->image.entry, arrays, "a checkpoint", err);
  if (rc == TH_OK && arrays > 0)
    memcpy(found->image.entry, manifest->entry,
           (size_t)arrays * sizeof *manifest->entry);
  return rc;
}

/* Put a number into its place among the largest. */
static void insert(int64_t newest[MOST_TRIED], int64_t number)
{
  for (int k = 0; k < MOST_TRIED; k++) {
    int64_t larger = th_max_i64(newest[k], number);
    number = th_min_i64(newest[k], number);
    newest[k] = larger;
  }
}

/* Take the name of a file into account. Local: rank 0. */
static void take_name(struct th_checkpoint *checkpoint,
                      int64_t newest[MOST_TRIED], const char *name)
{
  bool whole;
  int64_t number = th_manifest_name_number(name, &whole);
  checkpoint->used = th_max_i64(checkpoint->used, number);
  if (!whole)
    return;
  insert(newest, number);
  checkpoint->there++;
}

/* The numbers of the newest manifests, the newest first, and the largest number
 * of any file. A folder that cannot be listed is not an empty one. Local: rank
 * 0. */
static th_status list_numbers(struct th_checkpoint *checkpoint,
                              int64_t newest[MOST_TRIED], struct th_error *err)
{
  DIR *list = th_checkpoint_list(checkpoint);
  int failure = list == NULL ? errno : 0;
  bool more = list != NULL;
  while (more) {
    errno = 0;
    const struct dirent *entry = readdir(list);
    failure = errno;
    more = entry != NULL;
    if (more)
      take_name(checkpoint, newest, entry->d_name);
  }
  if (list != NULL)
    closedir(list);
  if (failure == 0)
    return TH_OK;
  return th_fail(err, TH_EIO, "checkpoint %s: cannot be listed: %s",
                 checkpoint->path, strerror(failure));
}

/* The length of a line. */
static int line_length(const char *line)
{
  int length = (int)strcspn(line, "\n");
  return length < LINE ? length : LINE;
}

/* Local, replicated. */
static th_status compare_keys(const struct th_checkpoint *checkpoint,
                              const char *theirs, const char *mine,
                              struct th_error *err)
{
  while (*theirs != '\0' && strcspn(theirs, "\n") == strcspn(mine, "\n") &&
         strncmp(theirs, mine, strcspn(mine, "\n") + 1) == 0) {
    mine += strcspn(mine, "\n") + (strchr(mine, '\n') != NULL);
    theirs += strcspn(theirs, "\n") + (strchr(theirs, '\n') != NULL);
  }
  if (*theirs == '\0' && *mine == '\0')
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "checkpoint %s: it is of another run, with '%.*s' where this "
                 "one has '%.*s'; start that run again, or give {fresh}, or "
                 "name another folder",
                 checkpoint->path, line_length(theirs), theirs,
                 line_length(mine), mine);
}

/* Try one checkpoint. Collective. */
static th_status try_one(struct th_checkpoint *checkpoint, int64_t number,
                         const char *key, struct th_checkpoint_image *found,
                         struct th_error *err)
{
  struct th_manifest *manifest = NULL;
  th_status rc;
  TH_TRY(load(checkpoint, number, &manifest, err));
  TH_TRY(th_agree(checkpoint->comm,
                  compare_keys(checkpoint, manifest->key, key, err), err));
  TH_TRY(check_parts(checkpoint, manifest, err));
  rc = show(checkpoint, manifest, found, err);
  manifest = NULL;
  TH_TRY(th_agree(checkpoint->comm, rc, err));
  checkpoint->newest = number;
done:
  th_manifest_free(manifest);
  return rc;
}

static void tell(const struct th_checkpoint *checkpoint, const char *why,
                 char note[TH_CHECKPOINT_NOTE])
{
  snprintf(note, TH_CHECKPOINT_NOTE,
           "checkpoint %.200s: %.160s; the one before it is used",
           checkpoint->path, why);
}

th_status th_checkpoint_find(struct th_checkpoint *checkpoint, const char *key,
                             struct th_checkpoint_image *found,
                             char note[TH_CHECKPOINT_NOTE],
                             struct th_error *err)
{
  struct th_comm *comm = checkpoint->comm;
  int64_t newest[MOST_TRIED] = {0};
  struct th_error why;
  th_status rc = TH_OK;
  *found = (struct th_checkpoint_image){.file = -1};
  note[0] = '\0';
  if (comm->rank == 0)
    rc = list_numbers(checkpoint, newest, err);
  rc = th_agree(comm, rc, err);
  if (rc != TH_OK)
    return rc;
  comm->ops->bcast(comm, newest, sizeof newest, 0);
  for (int k = 0; k < MOST_TRIED && newest[k] > 0 && key != NULL; k++) {
    th_error_clear(&why);
    rc = try_one(checkpoint, newest[k], key, found, &why);
    if (rc == TH_OK)
      return TH_OK;
    th_checkpoint_release(found);
    if (rc != TH_EFORMAT && rc != TH_EIO) {
      *err = why;
      return rc;
    }
    tell(checkpoint, why.text, note);
  }
  if (rc == TH_OK)
    return TH_OK;
  return th_fail(err, TH_EFORMAT,
                 "checkpoint %s: none can be used: %s; give {fresh} to begin "
                 "anew",
                 checkpoint->path, why.text);
}
