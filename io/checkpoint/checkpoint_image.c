/* checkpoint_image.c - reads a checkpoint: manifest, parts, what all ranks need
 * SPDX-License-Identifier: MIT */
#include "io/checkpoint/checkpoint_image.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/checkpoint/manifest.h"
#include "io/files/output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* No manifest has more bytes. */
static const int64_t most_bytes = INT64_C(1) << 30;

/* Open a regular file, and nothing else: no pipe would let go. Its size, or -1.
 */
static int64_t open_regular(int folder, const char *name, int *file)
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
static th_status read_words(int folder, int64_t number, int64_t **words,
                            int64_t *count, struct th_error *err)
{
  char name[TH_MANIFEST_NAME];
  int file = -1;
  int64_t bytes = open_regular(folder, th_manifest_name(number, name), &file);
  th_status rc = TH_OK;
  if (bytes <= 0 || bytes > most_bytes || bytes % (int64_t)sizeof **words != 0)
    rc = th_fail(err, TH_EFORMAT, "its manifest is damaged");
  *count = bytes / (int64_t)sizeof **words;
  if (rc == TH_OK)
    rc = TH_NEW(words, *count, "a checkpoint", err);
  if (rc == TH_OK)
    rc = th_output_temporary_read(file, *words, bytes, 0, name, err);
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

static th_status fail_part(const char *name, const char *why,
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
    rc = th_output_temporary_read(file, block, now, at, name, err);
    if (rc == TH_OK)
      hash = th_manifest_hash_next(hash, block, now);
  }
  free(block);
  if (rc == TH_OK && hash != manifest->hash[part])
    return fail_part(name, "is damaged", err);
  return rc;
}

static th_status check_part_file(const struct th_checkpoint_image *found,
                                 int64_t part, struct th_error *err)
{
  const struct th_manifest *manifest = found->manifest;
  char name[TH_MANIFEST_NAME];
  int file = -1;
  int64_t wanted = manifest->offset[(part + 1) * (manifest->arrays + 1) - 1];
  int64_t bytes =
      open_regular(found->folder,
                   th_manifest_part_name(manifest->number, part, name), &file);
  th_status rc;
  if (bytes < 0)
    return fail_part(name, "is not there, or no file", err);
  if (bytes != wanted)
    rc = fail_part(name, "has another size", err);
  else
    rc = check_open_part(manifest, part, name, file, err);
  close(file);
  return rc;
}

/* The parts are dealt out over the ranks. Collective. */
static th_status check_parts(const struct th_checkpoint_image *found,
                             struct th_error *err)
{
  struct th_comm *comm = found->comm;
  th_status rc = TH_OK;
  for (int64_t p = comm->rank; p < found->manifest->parts && rc == TH_OK;
       p += comm->size)
    rc = check_part_file(found, p, err);
  return th_agree(comm, rc, err);
}

/* Collective. */
static th_status load(struct th_checkpoint_image *found, struct th_error *err)
{
  struct th_comm *comm = found->comm;
  int64_t *words = NULL;
  int64_t count = 0;
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = read_words(found->folder, found->number, &words, &count, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(share_words(comm, &words, &count, err));
  rc = th_manifest_unpack(&found->manifest, words, count, err);
  if (rc == TH_OK && found->manifest->number != found->number)
    rc = th_fail(err, TH_EFORMAT, "its manifest is of another one");
  TH_TRY(th_agree(comm, rc, err));
done:
  free(words);
  return rc;
}

/* Local. */
static th_status read_part_file(struct th_checkpoint_image *found, int64_t part,
                                void *to, int64_t bytes, int64_t offset,
                                struct th_error *err)
{
  char name[TH_MANIFEST_NAME];
  th_manifest_part_name(found->number, part, name);
  if (found->file < 0 || found->part != part) {
    if (found->file >= 0)
      close(found->file);
    found->part = part;
    if (open_regular(found->folder, name, &found->file) < 0)
      return fail_part(name, "is not there, or no file", err);
  }
  return th_output_temporary_read(found->file, to, bytes, offset, name, err);
}

/* --- What every rank needs lies in the first part: one rank reads it ------ */

/* Bytes of an array that every rank will ask for; they lie in part 0. */
static int64_t bytes_for_all(const struct th_manifest *m, int64_t k)
{
  const struct th_state_entry *entry = &m->entry[k];
  if (entry->place != TH_STATE_REPLICATED &&
      entry->place != TH_STATE_BY_EXAMPLE)
    return 0;
  return entry->rows * m->width[k * m->parts] *
         (int64_t)th_state_size(entry->type);
}

/* Where each array lies in the memory that a node shares; returns the end. */
static int64_t place_common(struct th_checkpoint_image *found)
{
  int64_t end = 0;
  for (int64_t k = 0; k < found->manifest->arrays; k++) {
    found->place[k] = end;
    end += bytes_for_all(found->manifest, k);
  }
  return end;
}

/* The bytes first .. last - 1 of that memory, from the file. Local: rank 0. */
static th_status read_common(struct th_checkpoint_image *found, int64_t first,
                             int64_t last, char *to, struct th_error *err)
{
  const struct th_manifest *m = found->manifest;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < m->arrays && rc == TH_OK; k++) {
    int64_t place = found->place[k];
    struct th_range part = th_range_intersect(
        (struct th_range){first, last},
        (struct th_range){place, place + bytes_for_all(m, k)});
    if (th_range_count(part) > 0)
      rc = read_part_file(found, 0, to + (part.first - first),
                          th_range_count(part),
                          m->offset[k] + part.first - place, err);
  }
  return rc;
}

/* Rank 0 reads, and every node has it. Goes on after a failure, so that all
 * ranks make the same calls. Collective. */
static th_status spread_common(struct th_checkpoint_image *found, int64_t bytes,
                               char *block, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t at = 0; at < bytes; at += TH_MANIFEST_BLOCK) {
    int64_t end = th_min_i64(bytes, at + TH_MANIFEST_BLOCK);
    if (found->comm->rank == 0 && rc == TH_OK)
      rc = read_common(found, at, end, block, err);
    th_status spread =
        th_comm_shared_spread(found->comm, &found->common, (size_t)at, block,
                              (size_t)(end - at), err);
    rc = rc == TH_OK ? spread : rc;
  }
  th_comm_shared_show(&found->common);
  return th_agree(found->comm, rc, err);
}

/* Without the memory, each rank reads for itself. Collective. */
static th_status share_common(struct th_checkpoint_image *found,
                              struct th_error *err)
{
  struct th_comm *comm = found->comm;
  struct th_error ignored = {0};
  char *block = NULL;
  th_status rc;
  if (comm->size == 1)
    return TH_OK;
  rc = TH_NEW(&found->place, found->manifest->arrays, "a checkpoint", err);
  if (rc == TH_OK && comm->rank == 0)
    rc = TH_NEW(&block, TH_MANIFEST_BLOCK, "a checkpoint", err);
  TH_TRY(th_agree(comm, rc, err));
  int64_t bytes = place_common(found);
  if (bytes == 0 || th_comm_share(comm, (size_t)bytes, "a checkpoint",
                                  &found->common, &ignored) != TH_OK)
    goto done;
  TH_TRY(spread_common(found, bytes, block, err));
done:
  free(block);
  return rc;
}

/* Bytes of a part's array, from the byte `at` of it. Local. */
static th_status fetch_bytes(struct th_checkpoint_image *found, int64_t part,
                             int64_t k, int64_t at, void *to, int64_t bytes,
                             struct th_error *err)
{
  const struct th_manifest *m = found->manifest;
  if (part > 0 || found->common.data == NULL || bytes_for_all(m, k) == 0)
    return read_part_file(found, part, to, bytes,
                          m->offset[part * (m->arrays + 1) + k] + at, err);
  memcpy(to, (const char *)found->common.data + found->place[k] + at,
         (size_t)bytes);
  return TH_OK;
}

/* Items of a vector of an array: from the parts that have them. Local. */
static th_status fetch_items(void *self, int64_t k, int64_t row,
                             struct th_range range, void *to,
                             struct th_error *err)
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
    int64_t bytes = th_range_count(part) * item;
    if (bytes > 0)
      rc = fetch_bytes(found, p, k, (row * width + part.first - first) * item,
                       out, bytes, err);
    out += bytes;
    first += width;
  }
  return rc;
}

/* Local. */
static th_status show(struct th_checkpoint_image *found, struct th_error *err)
{
  const struct th_manifest *manifest = found->manifest;
  int64_t arrays = manifest->arrays;
  found->image.fetch = fetch_items;
  found->image.self = found;
  found->image.count = arrays;
  th_status rc = TH_NEW(&found->image.entry, arrays, "a checkpoint", err);
  if (rc == TH_OK && arrays > 0)
    memcpy(found->image.entry, manifest->entry,
           (size_t)arrays * sizeof *manifest->entry);
  return rc;
}

th_status th_checkpoint_image_open(struct th_checkpoint_image *found,
                                   struct th_comm *comm, int folder,
                                   int64_t number, struct th_error *err)
{
  *found = (struct th_checkpoint_image){
      .comm = comm, .folder = folder, .number = number, .file = -1};
  return load(found, err);
}

const char *th_checkpoint_image_key(const struct th_checkpoint_image *found)
{
  return found->manifest->key;
}

th_status th_checkpoint_image_check(struct th_checkpoint_image *found,
                                    const char *name, struct th_error *err)
{
  th_status rc;
  TH_TRY(check_parts(found, err));
  found->image.name = name;
  TH_TRY(th_agree(found->comm, show(found, err), err));
  TH_TRY(share_common(found, err));
done:
  return rc;
}

void th_checkpoint_image_release(struct th_checkpoint_image *found)
{
  if (found->file >= 0 && found->number > 0)
    close(found->file);
  th_comm_shared_free(&found->common);
  free(found->place);
  free(found->image.entry);
  th_manifest_free(found->manifest);
  *found = (struct th_checkpoint_image){.file = -1};
}
