/* checkpoint_write.c - writes a checkpoint: parts first, the manifest last
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "core/model.h"
#include "io/checkpoint/checkpoint.h"
#include "io/checkpoint/checkpoint_parts.h"
#include "io/checkpoint/manifest.h"
#include "io/hdf5/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Items of a vector that this rank writes: of what all ranks have, rank 0 does.
 */
static int64_t width_of(const struct th_state_entry *entry, int rank)
{
  if (entry->place != TH_STATE_BY_ATTRIBUTE && rank != 0)
    return 0;
  return entry->here.last - entry->here.first;
}

static int64_t bytes_of(const struct th_state_entry *entry, int rank)
{
  return entry->rows * width_of(entry, rank) *
         (int64_t)th_state_size(entry->type);
}

int64_t th_checkpoint_bytes(const struct th_state *state)
{
  int64_t sum = 0;
  for (int64_t k = 0; k < state->count; k++)
    sum += bytes_of(&state->entry[k], state->rank);
  return sum;
}

/* A file that is written block by block. */
struct sink {
  int file;
  char name[TH_MANIFEST_NAME];
  char *block; /* of TH_MANIFEST_BLOCK bytes */
  int64_t used;
  int64_t hash;
};

static th_status flush_block(struct sink *sink, struct th_error *err)
{
  if (sink->used == 0)
    return TH_OK;
  sink->hash = th_manifest_hash_next(sink->hash, sink->block, sink->used);
  int64_t bytes = sink->used;
  sink->used = 0;
  return th_file_write_whole(sink->file, sink->name, sink->block, bytes, err);
}

static th_status add(struct sink *sink, const char *data, int64_t bytes,
                     struct th_error *err)
{
  th_status rc = TH_OK;
  while (bytes > 0 && rc == TH_OK) {
    int64_t part = th_min_i64(bytes, TH_MANIFEST_BLOCK - sink->used);
    memcpy(sink->block + sink->used, data, (size_t)part);
    sink->used += part;
    data += part;
    bytes -= part;
    if (sink->used == TH_MANIFEST_BLOCK)
      rc = flush_block(sink, err);
  }
  return rc;
}

static th_status add_arrays(struct sink *sink, const struct th_state *state,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < state->count && rc == TH_OK; k++) {
    const struct th_state_entry *entry = &state->entry[k];
    rc = add(sink, entry->data, bytes_of(entry, state->rank), err);
  }
  return rc == TH_OK ? flush_block(sink, err) : rc;
}

/* A new file in the folder. What has the name is of a run that was killed. */
static th_status create(const struct th_checkpoint *checkpoint,
                        struct sink *sink, struct th_error *err)
{
  unlinkat(checkpoint->folder, sink->name, 0);
  sink->file =
      openat(checkpoint->folder, sink->name,
             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (sink->file >= 0)
    return TH_OK;
  return th_fail(err, TH_EIO, "cannot write %s: %s", sink->name,
                 strerror(errno));
}

/* This rank's part. Local. */
static th_status write_part(const struct th_checkpoint *checkpoint,
                            int64_t number, const struct th_state *state,
                            int64_t *hash, struct th_error *err)
{
  struct sink sink = {.file = -1};
  int64_t bytes = th_checkpoint_bytes(state);
  th_status rc;
  th_manifest_part_name(number, state->rank, sink.name);
  TH_TRY(TH_NEW(&sink.block, TH_MANIFEST_BLOCK, "a checkpoint", err));
  TH_TRY(create(checkpoint, &sink, err));
  if (bytes > 0)
    TH_TRY(th_file_reserve(sink.file, sink.name, bytes, bytes, err));
  TH_TRY(add_arrays(&sink, state, err));
  TH_TRY(th_file_flush(sink.file, sink.name, err));
done:
  if (sink.file >= 0 && close(sink.file) != 0 && rc == TH_OK)
    rc =
        th_fail(err, TH_EIO, "cannot write %s: %s", sink.name, strerror(errno));
  free(sink.block);
  *hash = sink.hash;
  return rc;
}

/* The manifest, from what all ranks tell of their parts: the width of each
 * array, then the checksum. Local. */
static th_status fill(struct th_manifest *manifest,
                      const struct th_state *state, const int64_t *told,
                      struct th_error *err)
{
  int64_t parts = manifest->parts;
  int64_t arrays = manifest->arrays;
  for (int64_t k = 0; k < arrays; k++) {
    struct th_state_entry *entry = &manifest->entry[k];
    *entry = state->entry[k];
    entry->data = NULL;
    entry->all = 0;
    for (int64_t p = 0; p < parts; p++) {
      manifest->width[k * parts + p] = told[p * (arrays + 1) + k];
      entry->all += told[p * (arrays + 1) + k];
    }
  }
  for (int64_t p = 0; p < parts; p++)
    manifest->hash[p] = told[p * (arrays + 1) + arrays];
  if (!th_manifest_place(manifest))
    return th_fail(err, TH_EARG, "the state of the run does not fit together");
  return TH_OK;
}

/* Local: rank 0. The rename makes the checkpoint whole. */
static th_status commit(const struct th_checkpoint *checkpoint,
                        const struct th_manifest *manifest,
                        struct th_error *err)
{
  struct sink sink = {.file = -1};
  char name[TH_MANIFEST_NAME];
  int64_t *words = NULL;
  int64_t count = 0;
  th_status rc;
  th_manifest_name(manifest->number, name);
  snprintf(sink.name, sizeof sink.name, "%.40s.partial", name);
  TH_TRY(th_manifest_pack(manifest, &words, &count, err));
  TH_TRY(create(checkpoint, &sink, err));
  TH_TRY(th_file_write_whole(sink.file, name, words,
                             count * (int64_t)sizeof *words, err));
  TH_TRY(th_file_flush(sink.file, name, err));
  TH_TRY(th_file_flush(checkpoint->folder, checkpoint->path, err));
  if (renameat(checkpoint->folder, sink.name, checkpoint->folder, name) != 0)
    rc = th_fail(err, TH_EIO, "cannot write %s: %s", name, strerror(errno));
  else
    rc = th_file_flush(checkpoint->folder, checkpoint->path, err);
done:
  if (sink.file >= 0)
    close(sink.file);
  if (rc != TH_OK)
    unlinkat(checkpoint->folder, sink.name, 0);
  free(words);
  return rc;
}

/* What every rank tells of its part, on all ranks. Collective. */
static th_status tell(struct th_comm *comm, const struct th_state *state,
                      int64_t hash, int64_t **told, struct th_error *err)
{
  int64_t *mine = NULL;
  int64_t *counts = NULL;
  void *all = NULL;
  th_status rc = TH_NEW(&mine, state->count + 1, "a checkpoint", err);
  if (rc == TH_OK)
    rc = TH_NEW(&counts, comm->size, "a checkpoint", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < state->count; k++)
    mine[k] = width_of(&state->entry[k], comm->rank);
  mine[state->count] = hash;
  TH_TRY(th_comm_gather(comm, mine, (state->count + 1) * (int64_t)sizeof *mine,
                        counts, &all, err));
  *told = all;
done:
  TH_FREE(mine, counts);
  return rc;
}

/* Local: rank 0. */
static th_status finish(struct th_checkpoint *checkpoint, int64_t number,
                        const char *key, const struct th_state *state,
                        const int64_t *told, struct th_error *err)
{
  struct th_manifest *manifest = NULL;
  th_status rc;
  TH_TRY(th_manifest_new(&manifest, checkpoint->comm->size, state->count, err));
  manifest->number = number;
  manifest->key = th_model_copy_string(key);
  if (manifest->key == NULL)
    TH_TRY(th_fail(err, TH_ENOMEM, "no memory for a checkpoint"));
  TH_TRY(fill(manifest, state, told, err));
  TH_TRY(commit(checkpoint, manifest, err));
  th_checkpoint_remove_below(checkpoint, checkpoint->newest);
done:
  th_manifest_free(manifest);
  return rc;
}

/* What was written in vain is of no use. Local. */
static void take_back(const struct th_checkpoint *checkpoint, int64_t number)
{
  char name[TH_MANIFEST_NAME];
  int rank = checkpoint->comm->rank;
  if (rank == 0)
    unlinkat(checkpoint->folder, th_manifest_name(number, name), 0);
  unlinkat(checkpoint->folder, th_manifest_part_name(number, rank, name), 0);
}

th_status th_checkpoint_write(struct th_checkpoint *checkpoint, const char *key,
                              const struct th_state *state,
                              struct th_error *err)
{
  struct th_comm *comm = checkpoint->comm;
  int64_t number = checkpoint->used + 1;
  int64_t *told = NULL;
  int64_t hash = 0;
  th_status rc;
  comm->ops->bcast(comm, &number, sizeof number, 0);
  rc = write_part(checkpoint, number, state, &hash, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(tell(comm, state, hash, &told, err));
  if (comm->rank == 0)
    rc = finish(checkpoint, number, key, state, told, err);
  TH_TRY(th_agree(comm, rc, err));
  checkpoint->newest = number;
done:
  checkpoint->used = number;
  if (rc != TH_OK) {
    th_error_name(err, checkpoint->path);
    take_back(checkpoint, number);
  }
  free(told);
  return rc;
}
