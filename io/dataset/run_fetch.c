/* run_fetch.c - finds and reads the runs of a dense shard
 * SPDX-License-Identifier: MIT */
#include "io/dataset/run_fetch.h"

#include "base/error.h"
#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/format.h"
#include "io/files/hash.h"
#include "io/files/output.h"

#include <fcntl.h>
#include <stdlib.h>

th_status th_run_fetch_damaged(const char *shard, int64_t attribute,
                               int64_t group, struct th_error *err)
{
  return TH_DAMAGED(err,
                    "%s: attribute %lld, row group %lld: checksum mismatch",
                    shard, (long long)attribute, (long long)group);
}

th_status th_run_fetch_verify(const struct th_fetch *fetch,
                              struct th_error *err)
{
  struct th_range wanted = fetch->wanted;
  const char *run = fetch->values;
  for (int64_t a = wanted.first; a < wanted.last; a++, run += fetch->map->run)
    if (th_hash(run, (size_t)fetch->used) != fetch->checksum[a - wanted.first])
      return th_run_fetch_damaged(fetch->shard, a, fetch->group, err);
  return TH_OK;
}

/* Whether runs follow one another in chunks that are one row group high. */
static bool chunks_fit(const struct th_dense_map *map, enum th_type type,
                       const struct th_h5_layout *layout)
{
  int64_t height = (int64_t)layout->chunk[1];
  return height * (int64_t)th_type_size(type) == map->run;
}

th_status th_run_fetch_map_open(struct th_dense_map *map,
                                const struct th_row_groups *row_groups,
                                int64_t count, const struct th_h5_set *values,
                                const struct th_h5_set *checksum,
                                struct th_error *err)
{
  const struct th_shape *shape = &row_groups->shape;
  struct th_h5_layout x;
  struct th_h5_layout sums;
  th_status rc = TH_OK;
  *map = (struct th_dense_map){
      .file = -1,
      .run = (int64_t)th_type_bytes(shape->type, shape->row_group),
      .groups = row_groups->groups};
  TH_TRY(th_h5_set_layout(values, &x, err));
  TH_TRY(th_h5_set_layout(checksum, &sums, err));
  bool chunked = x.chunk[0] > 0;
  map->stored = (int64_t)x.chunk[0];
  if (!x.plain || !sums.plain || sums.chunk[0] > 0 ||
      (chunked && !chunks_fit(map, shape->type, &x)))
    return TH_OK;
  map->values = x.offset;
  map->checksums = sums.offset;
  map->end = sums.offset + map->groups * count * (int64_t)sizeof(uint64_t);
  map->pitch = chunked ? map->run : map->run * map->groups;
  if (chunked) {
    map->chunks = th_integer_ceil_divide(count, map->stored);
    TH_TRY(TH_NEW(&map->chunk, map->chunks * map->groups, "the table of chunks",
                  err));
  }
  map->file = th_h5_descriptor(values->h5);
done:
  return rc;
}

void th_run_fetch_map_free(struct th_dense_map *map)
{
  free(map->chunk);
  *map = (struct th_dense_map){.file = -1};
}

/* The place of a chunk. HDF5 searches for it, so it is asked once. */
static int64_t chunk_place(struct th_dense_map *map,
                           const struct th_h5_set *values, int64_t column,
                           int64_t group)
{
  int64_t *known = &map->chunk[group * map->chunks + column];
  hsize_t size[2] = {0};
  if (*known == 0 &&
      H5Sget_simple_extent_dims(values->space, size, NULL) == 2) {
    hsize_t width = size[1] / (hsize_t)map->groups;
    hsize_t first[2] = {(hsize_t)(column * map->stored),
                        (hsize_t)group * width};
    *known = th_h5_set_chunk(values, first);
  }
  return *known;
}

bool th_run_fetch_place(struct th_fetch *fetch, struct th_dense_map *map,
                        const struct th_h5_set *values, int64_t attribute,
                        int64_t count)
{
  if (map->file < 0)
    return false;
  fetch->sums = map->checksums + (fetch->group * count + attribute) *
                                     (int64_t)sizeof *fetch->checksum;
  if (map->stored == 0) {
    fetch->at =
        map->values + (attribute * map->groups + fetch->group) * map->run;
    return true;
  }
  int64_t chunk =
      chunk_place(map, values, attribute / map->stored, fetch->group);
  fetch->at = chunk + attribute % map->stored * map->run;
  return chunk > 0;
}

static int64_t runs_of(const struct th_fetch *fetch)
{
  return fetch->wanted.last - fetch->wanted.first;
}

/* Bytes of values; in one piece if runs follow one another. */
static int64_t value_bytes(const struct th_fetch *fetch)
{
  return (runs_of(fetch) - 1) * fetch->map->run + fetch->last;
}

int64_t th_run_fetch_bytes(const struct th_fetch *fetch)
{
  return value_bytes(fetch) + runs_of(fetch) * (int64_t)sizeof *fetch->checksum;
}

/* Read one attribute after the other, as they lie apart. */
static th_status read_apart(const struct th_fetch *fetch, struct th_error *err)
{
  const struct th_dense_map *map = fetch->map;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < runs_of(fetch) && rc == TH_OK; k++)
    rc = th_output_temporary_read(map->file, fetch->values + k * map->run,
                                  fetch->last, fetch->at + k * map->pitch,
                                  fetch->shard, err);
  return rc;
}

static th_status read_values(const struct th_fetch *fetch, struct th_error *err)
{
  const struct th_dense_map *map = fetch->map;
  if (map->pitch == map->run)
    return th_output_temporary_read(map->file, fetch->values,
                                    value_bytes(fetch), fetch->at, fetch->shard,
                                    err);
  return read_apart(fetch, err);
}

th_status th_run_fetch_read(const struct th_fetch *fetch, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(read_values(fetch, err));
  TH_TRY(th_output_temporary_read(fetch->map->file, fetch->checksum,
                                  runs_of(fetch) *
                                      (int64_t)sizeof *fetch->checksum,
                                  fetch->sums, fetch->shard, err));
  TH_TRY(th_run_fetch_verify(fetch, err));
done:
  return rc;
}

/* Read a page of checksums if the last request was near, else only the wanted
 * one. */
static th_status read_sums(struct th_sums *sums, const struct th_fetch *fetch,
                           struct th_error *err)
{
  const struct th_dense_map *map = fetch->map;
  int64_t size = (int64_t)sizeof *sums->checksum;
  int64_t step = fetch->sums - sums->at;
  int64_t rest = (map->end - fetch->sums) / size;
  bool near = step > 0 && step <= 2 * TH_SUMS * size;
  sums->at = fetch->sums;
  sums->count = 0;
  int64_t count = !near ? 1 : rest < TH_SUMS ? rest : TH_SUMS;
  th_status rc = th_output_temporary_read(
      map->file, sums->checksum, count * size, sums->at, fetch->shard, err);
  if (rc == TH_OK)
    sums->count = count;
  return rc;
}

th_status th_run_fetch_single(const struct th_fetch *fetch,
                              struct th_sums *sums, struct th_error *err)
{
  int64_t size = (int64_t)sizeof *sums->checksum;
  th_status rc = TH_OK;
  TH_TRY(read_values(fetch, err));
  if (fetch->sums < sums->at || fetch->sums >= sums->at + sums->count * size)
    TH_TRY(read_sums(sums, fetch, err));
  *fetch->checksum = sums->checksum[(fetch->sums - sums->at) / size];
  TH_TRY(th_run_fetch_verify(fetch, err));
done:
  return rc;
}

void th_run_fetch_advise(const struct th_fetch *fetch)
{
  const struct th_dense_map *map = fetch->map;
  int64_t pieces = map->pitch == map->run ? 1 : runs_of(fetch);
  int64_t bytes = pieces == 1 ? value_bytes(fetch) : fetch->last;
  for (int64_t k = 0; k < pieces; k++)
    (void)posix_fadvise(map->file, (off_t)(fetch->at + k * map->pitch),
                        (off_t)bytes, POSIX_FADV_WILLNEED);
}
