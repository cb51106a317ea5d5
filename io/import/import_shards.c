/* import_shards.c - bins of examples become tiles, and tiles go into shards
 * SPDX-License-Identifier: MIT */
#include "io/dataset/writer.h"
#include "io/import/import_job.h"

#include "core/memory.h"
#include "core/team.h"
#include "io/import/bucket.h"
#include "io/import/handoff.h"

#include <stdlib.h>

/* What is under way. The maker has the bucket and the rows; the writer tells
 * who watches. */
struct shards {
  struct th_importing *im;
  struct th_writer *writer;
  struct th_bucket bucket;
  const struct th_record **rows; /* of a bin */
  struct th_handoff handoff;
  int64_t told; /* row groups that were seen by who watches */
};

static th_status write_tile(struct shards *shards,
                            const struct th_transpose *tile,
                            struct th_error *err)
{
  int64_t groups = shards->im->assignment.groups;
  if (tile->turned.group != shards->told)
    th_import_tell(shards->im, TH_IMPORT_WRITES, tile->turned.group, groups);
  shards->told = tile->turned.group;
  return th_transpose_write(tile, err);
}

/* Make the tiles of a shard's part of a row group, and have them written: by
 * the other thread, or at once. */
static th_status make_group(struct shards *shards, bool alone, int64_t shard,
                            int64_t group, const struct th_record *const *rows,
                            int64_t count, struct th_error *err)
{
  struct th_range all = th_writer_shard(shards->writer, shard);
  for (int64_t first = all.first; first < all.last;) {
    struct th_transpose *place = th_handoff_place(&shards->handoff);
    if (place == NULL)
      return TH_OK; /* the other thread says why */
    th_status rc =
        th_transpose_make(place, shard, group, first, rows, count, err);
    if (rc == TH_OK && alone)
      rc = write_tile(shards, place, err);
    if (rc != TH_OK)
      return rc;
    first = place->turned.range.last;
    th_handoff_made(&shards->handoff);
    if (alone)
      th_handoff_written(&shards->handoff);
  }
  return TH_OK;
}

/* The owned shards' part of a bin that has arrived. */
static th_status make_bin(struct shards *shards, bool alone, int64_t number,
                          struct th_error *err)
{
  const struct th_row_assignment *assignment = &shards->im->assignment;
  struct th_rows all = th_row_assignment_bin(assignment, number);
  int64_t first = number * assignment->bin_groups;
  int64_t last = first + assignment->bin_groups;
  last = last < assignment->groups ? last : assignment->groups;
  int64_t count = th_writer_shards(shards->writer);
  for (int64_t shard = 0; shard < count; shard++) {
    if (!th_writer_owns(shards->writer, shard))
      continue;
    th_bucket_rows(&shards->bucket, shards->rows, all.count);
    for (int64_t group = first; group < last; group++) {
      struct th_rows part = th_row_assignment_group(assignment, group);
      th_status rc =
          make_group(shards, alone, shard, group,
                     shards->rows + (part.first - all.first), part.count, err);
      if (rc != TH_OK)
        return rc;
    }
  }
  return TH_OK;
}

/* Make tiles and write them, on one thread of each rank. Collective. */
static th_status make_and_write(struct shards *shards, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t b = 0; b < shards->im->assignment.bins; b++) {
    TH_TRY(th_bucket_exchange(&shards->bucket, b, rc, err));
    rc = make_bin(shards, true, b, err);
  }
  rc = th_agree(shards->im->comm, rc, err);
done:
  return rc;
}

static th_status make_tiles(struct shards *shards, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t b = 0; rc == TH_OK && b < shards->im->assignment.bins; b++) {
    rc = th_bucket_take(&shards->bucket, b, err);
    if (rc == TH_OK)
      rc = make_bin(shards, false, b, err);
  }
  th_handoff_end(&shards->handoff);
  return rc;
}

static th_status write_tiles(struct shards *shards, struct th_error *err)
{
  const struct th_transpose *tile = th_handoff_next(&shards->handoff);
  th_status rc = TH_OK;
  while (rc == TH_OK && tile != NULL) {
    rc = write_tile(shards, tile, err);
    th_handoff_written(&shards->handoff);
    if (rc == TH_OK)
      tile = th_handoff_next(&shards->handoff);
  }
  th_handoff_end(&shards->handoff);
  return rc;
}

/* On two threads, or one, of the only rank. What the first one fails with comes
 * first in the data, too. */
static th_status work(struct th_comm *comm, void *self, struct th_error *err)
{
  struct shards *shards = self;
  if (comm->size == 1)
    return make_and_write(shards, err);
  th_status rc =
      comm->rank == 0 ? write_tiles(shards, err) : make_tiles(shards, err);
  return th_agree(comm, rc, err);
}

static th_status prepare(struct shards *shards, struct th_error *err)
{
  const struct th_row_assignment *assignment = &shards->im->assignment;
  th_status rc = th_bucket_init(&shards->bucket, err);
  if (rc != TH_OK)
    return rc;
  return th_alloc((void **)&shards->rows,
                  assignment->bin_groups * assignment->row_group,
                  sizeof(void *), "imported examples", err);
}

th_status th_import_write_shards(struct th_importing *im,
                                 struct th_writer *writer,
                                 enum th_layout layout, struct th_error *err)
{
  struct shards shards = {.im = im,
                          .writer = writer,
                          .bucket = {.comm = im->comm,
                                     .writer = writer,
                                     .spill = im->bins.all,
                                     .spills = im->bins.count,
                                     .size = th_type_size(im->type)},
                          .told = -1};
  struct th_transpose like = {
      .writer = writer, .layout = layout, .type = im->type};
  int made = 1;
  th_handoff_init(&shards.handoff, &like);
  th_status rc = prepare(&shards, err);
  TH_TRY(th_agree(im->comm, rc, err));
  if (im->comm->size == 1 && im->bins.count > 1)
    rc = th_team_run(im->comm, 2, work, &shards, 0, &made, err);
  else
    rc = make_and_write(&shards, err);
done:
  free(shards.rows);
  th_bucket_free(&shards.bucket);
  th_handoff_free(&shards.handoff);
  return rc;
}
