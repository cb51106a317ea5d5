/* shard.c - opens a shard, finds and reads its runs and statistics
 * SPDX-License-Identifier: MIT */
#include "io/dataset/shard.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/files/file.h"
#include "io/files/hash.h"
#include "io/files/mapping.h"
#include "io/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Runs of a dense shard -------------------------------------------------
 */

th_status th_shard_damaged(const char *shard, int64_t attribute, int64_t group,
                           struct th_error *err)
{
  return TH_DAMAGED(err,
                    "%s: attribute %lld, row group %lld: checksum mismatch",
                    shard, (long long)attribute, (long long)group);
}

th_status th_shard_fetch_verify(const struct th_fetch *fetch,
                                struct th_error *err)
{
  struct th_range wanted = fetch->wanted;
  const char *run = fetch->values;
  for (int64_t a = wanted.first; a < wanted.last; a++, run += fetch->map->run)
    if (th_hash(run, (size_t)fetch->used) != fetch->checksum[a - wanted.first])
      return th_shard_damaged(fetch->shard, a, fetch->group, err);
  return TH_OK;
}

/* Verify a fetch that was read into memory, and put means in the place of
 * values that are missing. */
static th_status verify_and_fill(const struct th_fetch *fetch,
                                 struct th_error *err)
{
  th_status rc = th_shard_fetch_verify(fetch, err);
  if (rc != TH_OK || fetch->mean == NULL)
    return rc;
  for (int64_t k = 0; k < th_range_count(fetch->wanted); k++)
    th_stand_in_fill(fetch->type, fetch->values + k * fetch->map->run,
                     fetch->rows, fetch->mean[k]);
  return TH_OK;
}

/* Runs follow one another in chunks that are one row group high. */
static bool chunks_fit(const struct th_dense_map *map, enum th_type type,
                       const struct th_h5_layout *layout)
{
  int64_t height = (int64_t)layout->chunk[1];
  return height * (int64_t)th_type_size(type) == map->run;
}

static th_status fetch_map_open(struct th_dense_map *map,
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

static void fetch_map_free(struct th_dense_map *map)
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

static bool fetch_place(struct th_fetch *fetch, struct th_dense_map *map,
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

/* Bytes of values; in one piece if runs follow one another. */
static int64_t value_bytes(const struct th_fetch *fetch)
{
  return (th_range_count(fetch->wanted) - 1) * fetch->map->run + fetch->last;
}

int64_t th_shard_fetch_bytes(const struct th_fetch *fetch)
{
  return value_bytes(fetch) +
         th_range_count(fetch->wanted) * (int64_t)sizeof *fetch->checksum;
}

/* Read one attribute after the other, as they lie apart. */
static th_status read_apart(const struct th_fetch *fetch, struct th_error *err)
{
  const struct th_dense_map *map = fetch->map;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < th_range_count(fetch->wanted) && rc == TH_OK; k++)
    rc = th_output_temporary_read(map->file, fetch->values + k * map->run,
                                  fetch->last, fetch->at + k * map->pitch,
                                  fetch->shard, err);
  return rc;
}

static th_status read_runs(const struct th_fetch *fetch, struct th_error *err)
{
  const struct th_dense_map *map = fetch->map;
  if (map->pitch == map->run)
    return th_output_temporary_read(map->file, fetch->values,
                                    value_bytes(fetch), fetch->at, fetch->shard,
                                    err);
  return read_apart(fetch, err);
}

th_status th_shard_fetch_read(const struct th_fetch *fetch,
                              struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(read_runs(fetch, err));
  TH_TRY(th_output_temporary_read(fetch->map->file, fetch->checksum,
                                  th_range_count(fetch->wanted) *
                                      (int64_t)sizeof *fetch->checksum,
                                  fetch->sums, fetch->shard, err));
  TH_TRY(verify_and_fill(fetch, err));
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

static bool is_near(const struct th_near *near, const struct th_fetch *fetch)
{
  return fetch->at >= near->at &&
         fetch->at + fetch->last <= near->at + near->bytes;
}

/* Read from a run on, as much as there is room for. Where that fails, or there
 * is no memory, nothing is near: the run is read alone, and what is wrong with
 * it is said then. */
static void take_near(struct th_near *near, const struct th_fetch *fetch,
                      int64_t rest)
{
  struct th_error ignored = {0};
  const int64_t bytes = th_min_i64(rest, TH_NEAR);
  near->at = fetch->at;
  near->bytes = 0;
  if (near->values == NULL)
    near->values = malloc(TH_NEAR);
  if (near->values != NULL &&
      th_output_temporary_read(fetch->map->file, near->values, bytes, fetch->at,
                               fetch->shard, &ignored) == TH_OK)
    near->bytes = bytes;
}

/* The runs of members of a support, or of what is chosen for a race, often lie
 * near each other, and ascend: a file system that many nodes share wants few
 * reads of them. A step of a quarter of the room is near; what is read in vain
 * is copied as quickly as four calls are made. */
static th_status read_near(const struct th_shard *shard, struct th_near *near,
                           const struct th_fetch *fetch, struct th_error *err)
{
  if (near == NULL)
    return read_runs(fetch, err);
  if (near->of != shard)
    *near = (struct th_near){.of = shard, .values = near->values};
  const int64_t step = near->last > 0 ? fetch->at - near->last : -1;
  near->last = fetch->at;
  if (!is_near(near, fetch) && step > 0 && step <= TH_NEAR / 4)
    take_near(near, fetch, shard->identity.size - fetch->at);
  if (!is_near(near, fetch))
    return read_runs(fetch, err);
  memcpy(fetch->values, near->values + (fetch->at - near->at),
         (size_t)fetch->last);
  return TH_OK;
}

static th_status fetch_single(struct th_shard *shard, struct th_near *near,
                              const struct th_fetch *fetch,
                              struct th_error *err)
{
  struct th_sums *sums = &shard->sums;
  int64_t size = (int64_t)sizeof *sums->checksum;
  th_status rc = TH_OK;
  TH_TRY(read_near(shard, near, fetch, err));
  if (fetch->sums < sums->at || fetch->sums >= sums->at + sums->count * size)
    TH_TRY(read_sums(sums, fetch, err));
  *fetch->checksum = sums->checksum[(fetch->sums - sums->at) / size];
  TH_TRY(verify_and_fill(fetch, err));
done:
  return rc;
}

void th_shard_fetch_advise(const struct th_fetch *fetch)
{
  const struct th_dense_map *map = fetch->map;
  int64_t pieces = map->pitch == map->run ? 1 : th_range_count(fetch->wanted);
  int64_t bytes = pieces == 1 ? value_bytes(fetch) : fetch->last;
  for (int64_t k = 0; k < pieces; k++)
    (void)posix_fadvise(map->file, (off_t)(fetch->at + k * map->pitch),
                        (off_t)bytes, POSIX_FADV_WILLNEED);
}

struct th_fetch th_shard_dense_fetch(const struct th_shard *shard,
                                     struct th_range wanted, int64_t group)
{
  const struct th_row_groups *g = shard->row_groups;
  int64_t rows = th_row_groups_group(g, group).count;
  int64_t used = (int64_t)th_type_bytes(g->shape.type, rows);
  const double *mean = shard->stand_in.mean;
  if (mean != NULL)
    mean += wanted.first - shard->row->range.first;
  return (struct th_fetch){.shard = shard->name,
                           .map = &shard->map,
                           .wanted = wanted,
                           .group = group,
                           .used = used,
                           .last = used,
                           .mean = mean,
                           .type = g->shape.type,
                           .rows = rows};
}

bool th_shard_dense_place(struct th_shard *shard, struct th_fetch *fetch)
{
  struct th_range all = shard->row->range;
  return fetch_place(fetch, &shard->map, &shard->values,
                     fetch->wanted.first - all.first, th_range_count(all));
}

/* Read by HDF5, which decompresses. */
static th_status read_box(struct th_shard *shard, const struct th_fetch *fetch,
                          struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  hsize_t count = (hsize_t)th_range_count(fetch->wanted);
  hsize_t first = (hsize_t)(fetch->wanted.first - shard->row->range.first);
  hsize_t height = (hsize_t)th_row_groups_items(g, g->shape.row_group);
  hsize_t at[2] = {first, (hsize_t)fetch->group * height};
  hsize_t box[2] = {count, height};
  hsize_t sum_at[2] = {(hsize_t)fetch->group, first};
  hsize_t sum_box[2] = {1, count};
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_read(&shard->values, at, box, fetch->values, err));
  TH_TRY(
      th_h5_set_read(&shard->checksum, sum_at, sum_box, fetch->checksum, err));
  TH_TRY(verify_and_fill(fetch, err));
done:
  return rc;
}

th_status th_shard_dense_read(struct th_shard *shard, struct th_near *near,
                              struct th_fetch *fetch, struct th_error *err)
{
  if (!th_shard_dense_place(shard, fetch))
    return read_box(shard, fetch, err);
  bool single = th_range_count(fetch->wanted) == 1;
  return single ? fetch_single(shard, near, fetch, err)
                : th_shard_fetch_read(fetch, err);
}

/* --- A shard is opened: what it says has to fit the master ---------------- */

static th_status check_file_size(const struct th_shard *shard,
                                 struct th_error *err)
{
  long long is = (long long)shard->identity.size;
  long long was = (long long)shard->row->bytes;
  if (is < was)
    return TH_IMPORT_AGAIN(err, "%s: truncated at %lld of %lld bytes",
                           shard->name, is, was);
  if (is > was)
    return TH_IMPORT_AGAIN(
        err, "%s: larger than it was written (%lld instead of %lld bytes)",
        shard->name, is, was);
  return TH_OK;
}

static th_status check_text(const struct th_shard *shard, const char *attribute,
                            const char *wanted, struct th_error *err)
{
  char *found = NULL;
  th_status rc = th_h5_get_text(&shard->h5, "/", attribute, &found, err);
  if (rc != TH_OK)
    return rc;
  if (strcmp(found, wanted) != 0)
    rc = th_fail(err, TH_EFORMAT,
                 "%s: of another %s (%s instead of %s); it belongs to another "
                 "data set, put the right one back or import the data again",
                 shard->name, attribute, found, wanted);
  free(found);
  return rc;
}

static th_status check_index(const struct th_shard *shard, struct th_error *err)
{
  int64_t index = 0;
  th_status rc = th_h5_get_i64(&shard->h5, "/", TH_A_SHARD, &index, err);
  if (rc == TH_OK && index != shard->index)
    rc = th_fail(err, TH_EFORMAT,
                 "%s: was written as shard %lld; give the shards of %s their "
                 "names back or import the data again",
                 shard->name, (long long)index, shard->master);
  return rc;
}

static th_status check_content(const struct th_shard *shard,
                               struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  int64_t count = th_range_count(shard->row->range);
  uint64_t content = 0;
  const struct {
    const char *name;
    int64_t value;
  } wanted[] = {{TH_A_FIRST, shard->row->range.first},
                {TH_A_COUNT, count},
                {TH_A_ROW_GROUP, g->shape.row_group},
                {TH_A_GROUPS, g->groups},
                {TH_A_TRAINING, g->shape.training}}; /* since 2.2 */
  size_t known = sizeof wanted / sizeof *wanted -
                 !th_h5_has(&shard->h5, "/", TH_A_TRAINING);
  bool same = true;
  th_status rc = TH_OK;
  for (size_t k = 0; k < known; k++) {
    int64_t value = 0;
    TH_TRY(th_h5_get_i64(&shard->h5, "/", wanted[k].name, &value, err));
    same = same && value == wanted[k].value;
  }
  TH_TRY(th_h5_get_u64(&shard->h5, "/", TH_A_CONTENT, &content, err));
  if (!same || content != shard->row->content)
    rc = th_fail(err, TH_EFORMAT,
                 "%s: not the one that %s was written with (older, newer or "
                 "of another data set); put the right one back or import the "
                 "data again",
                 shard->name, shard->master);
done:
  return rc;
}

/* Fail and name the array whose size does not fit the shard. */
static th_status bad_size(const struct th_shard *shard, const char *name,
                          struct th_error *err)
{
  return TH_DAMAGED(err, "%s: %s has the wrong size", shard->name, name);
}

/* Attributes of a unit. Units do not straddle stored chunks; chunks that HDF5
 * has to decompress are kept whole. */
static int64_t dense_unit(const struct th_shard *shard, int64_t count)
{
  int64_t unit = shard->row_groups->chunk;
  int64_t stored = shard->map.stored;
  bool divides = stored == 0 || stored >= count || stored % unit == 0;
  if (!divides || (shard->map.file < 0 && stored > 0))
    unit = stored;
  return unit < count ? unit : count;
}

static th_status open_dense(struct th_shard *shard, struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  hsize_t count = (hsize_t)th_range_count(shard->row->range);
  hsize_t columns =
      (hsize_t)(g->groups * th_row_groups_items(g, g->shape.row_group));
  hsize_t size[2] = {0};
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_open(&shard->values, &shard->h5, TH_D_X,
                        th_h5_type(g->shape.type), 2, size, err));
  if (size[0] != count || size[1] != columns) {
    rc = bad_size(shard, TH_D_X, err);
    goto done;
  }
  TH_TRY(th_h5_set_open(&shard->checksum, &shard->h5, TH_D_CHECKSUM,
                        H5T_NATIVE_UINT64, 2, size, err));
  if (size[0] != (hsize_t)g->groups || size[1] != count) {
    rc = bad_size(shard, TH_D_CHECKSUM, err);
    goto done;
  }
  TH_TRY(fetch_map_open(&shard->map, g, (int64_t)count, &shard->values,
                        &shard->checksum, err));
  shard->sums.count = 0;
  shard->unit = dense_unit(shard, (int64_t)count);
done:
  return rc;
}

/* Open one of the two data sets of runs, or of entries. They are as long as
 * `count`; -1: it is not known yet. */
static th_status open_runs(struct th_shard *shard, struct th_h5_set *set,
                           const char *name, hid_t type, int64_t *count,
                           struct th_error *err)
{
  hsize_t size[2] = {0};
  th_status rc = th_h5_set_open(set, &shard->h5, name, type, 1, size, err);
  if (rc == TH_OK && *count >= 0 && size[0] != (hsize_t)*count)
    rc = bad_size(shard, name, err);
  *count = (int64_t)size[0];
  return rc;
}

static th_status open_sparse(struct th_shard *shard, struct th_error *err)
{
  const hid_t value = th_h5_type(shard->row_groups->shape.type);
  struct th_parts *parts = &shard->parts;
  th_status rc = TH_OK;
  *parts = (struct th_parts){.row_groups = shard->row_groups,
                             .h5 = &shard->h5,
                             .range = shard->row->range,
                             .runs = -1,
                             .entries = -1};
  TH_TRY(open_runs(shard, &shard->attribute, TH_D_ATTRIBUTE, H5T_NATIVE_UINT32,
                   &parts->runs, err));
  TH_TRY(open_runs(shard, &shard->count, TH_D_COUNT, H5T_NATIVE_UINT16,
                   &parts->runs, err));
  TH_TRY(open_runs(shard, &shard->row_in_group, TH_D_ROW, H5T_NATIVE_UINT16,
                   &parts->entries, err));
  TH_TRY(open_runs(shard, &shard->values, TH_D_VALUE, value, &parts->entries,
                   err));
done:
  return rc;
}

/* What stands for missing values, if there are some. */
static th_status open_stand_in(struct th_shard *shard, struct th_error *err)
{
  struct th_stand_in *stand_in = &shard->stand_in;
  struct th_statistics *statistics = NULL;
  struct th_range all = shard->row->range;
  int64_t count = th_range_count(all);
  th_status rc = TH_OK;
  if (!th_h5_has(&shard->h5, "/", TH_A_MISSING))
    return TH_OK;
  TH_TRY(TH_NEW(&stand_in->missing, count, "missing values", err));
  TH_TRY(TH_NEW(&stand_in->mean, count, "missing values", err));
  TH_TRY(TH_NEW(&statistics, count, "statistics", err));
  TH_TRY(th_h5_set_get(&shard->h5, TH_D_MISSING, H5T_NATIVE_INT64, count,
                       stand_in->missing, err));
  TH_TRY(th_shard_statistics(shard, all, statistics, err));
  for (int64_t a = 0; a < count; a++)
    stand_in->mean[a] =
        th_stand_in_round(shard->row_groups->shape.type, statistics[a].mean);
done:
  free(statistics);
  return rc;
}

/* Compare the identity first and the size last, so that a wrong shard is
 * reported as such, whatever its size. A shard that is cut short cannot be
 * opened at all. */
static th_status check_shard(struct th_shard *shard, struct th_error *err)
{
  struct th_error why = {0};
  const struct th_shape *shape = &shard->row_groups->shape;
  th_status rc = TH_OK;
  rc = th_h5_open(&shard->h5, shard->path, shard->name, &why);
  if (rc == TH_ENOMEM)
    return th_fail(err, rc, "%s: %s", shard->name, why.text);
  if (rc != TH_OK) {
    if (th_h5_left_open(shard->path))
      return th_fail(err, rc, "%s", why.text);
    TH_TRY(check_file_size(shard, err));
    return TH_IMPORT_AGAIN(err, "%s", why.text);
  }
  TH_TRY(th_format_check(&shard->h5, TH_FORMAT_SHARD, err));
  TH_TRY(check_index(shard, err));
  TH_TRY(
      check_text(shard, TH_A_LAYOUT, th_type_layout_name(shape->layout), err));
  TH_TRY(check_text(shard, TH_A_TYPE, th_type_name(shape->type), err));
  TH_TRY(check_content(shard, err));
  shard->rewritten = shard->identity.size != shard->row->bytes &&
                     th_h5_whole(&shard->h5, shard->identity.size);
  if (!shard->rewritten)
    TH_TRY(check_file_size(shard, err));
  if (shape->layout == TH_DENSE)
    TH_TRY(open_dense(shard, err));
  else
    TH_TRY(open_sparse(shard, err));
  TH_TRY(open_stand_in(shard, err));
done:
  return rc;
}

static th_status open_it(struct th_shard *shard, struct th_error *err)
{
  if (access(shard->path, R_OK) != 0)
    return th_fail(err, TH_EIO,
                   "%s: cannot be opened (%s); put it back or import the data "
                   "again",
                   shard->name, strerror(errno));
  th_status rc = th_format_check_file(shard->path, shard->name, err);
  if (rc == TH_OK && !th_file_identity_of(shard->path, &shard->identity))
    rc = th_fail(err, TH_EIO, "%s: %s", shard->name, strerror(errno));
  if (rc == TH_OK)
    rc = check_shard(shard, err);
  shard->open = rc == TH_OK;
  if (rc != TH_OK)
    th_shard_close(shard);
  return rc;
}

/* The path that it has had since a run that was to replace its data set renamed
 * the folder, and was killed before it renamed the master (writer.c).
 * NULL: no memory. */
static char *older_path(const struct th_shard *shard)
{
  struct th_error ignored = {0};
  char *path = NULL;
  const char *inside = shard->row->path;
  const char *name = th_file_name(inside);
  size_t place = strlen(shard->path) - strlen(inside);
  th_file_text(&path, &ignored, "%.*s.%.*s.old/%s", (int)place, shard->path,
               (int)(name - inside) - 1, inside, name);
  return path;
}

th_status th_shard_open(struct th_shard *shard, struct th_error *err)
{
  struct th_error why = {0};
  struct th_error ignored = {0};
  th_status rc = shard->open ? TH_OK : open_it(shard, &why);
  char *path = rc == TH_EIO || rc == TH_EFORMAT ? older_path(shard) : NULL;
  if (path != NULL && access(path, R_OK) == 0) {
    char *usual = shard->path;
    shard->path = path;
    if (open_it(shard, &ignored) == TH_OK)
      rc = TH_OK;
    else
      shard->path = usual;
    path = rc == TH_OK ? usual : path;
  }
  free(path);
  return rc == TH_OK ? TH_OK : th_fail(err, rc, "%s", why.text);
}

const struct th_mapping *th_shard_map(struct th_shard *shard)
{
  if (!shard->mapping_tried && shard->map.file >= 0)
    shard->mapping = th_mapping_open(shard->map.file);
  shard->mapping_tried = true;
  return shard->mapping;
}

void th_shard_unmap(struct th_shard *shard)
{
  th_mapping_close(shard->mapping);
  shard->mapping = NULL;
  shard->mapping_tried = false;
}

void th_shard_close(struct th_shard *shard)
{
  struct th_error ignored = {0};
  enum { SETS = 5 };
  struct th_h5_set *sets[SETS] = {&shard->checksum, &shard->values,
                                  &shard->attribute, &shard->count,
                                  &shard->row_in_group};
  for (int k = 0; k < SETS; k++)
    th_h5_set_close(sets[k], &ignored);
  th_shard_unmap(shard); /* before its descriptor */
  th_h5_close(&shard->h5, &ignored);
  fetch_map_free(&shard->map);
  th_parts_close(&shard->parts);
  th_stand_in_free(&shard->stand_in);
  shard->open = false;
}

/* --- Reads and verifies statistics of a shard's attributes ---------------- */

static const char *const names[TH_STATS_KINDS] = {TH_D_MEAN, TH_D_DEVIATION,
                                                  TH_D_LOWEST, TH_D_HIGHEST};

/* Statistics as stored, for whole checksum pieces of attributes. */
struct stored {
  struct th_range part; /* counted from the shard's first */
  hid_t type;
  size_t size; /* of an item */
  void *kinds[TH_STATS_KINDS];
  uint64_t *checksum;
};

static th_status read_range(const struct th_shard *shard, const char *name,
                            hid_t type, int64_t first, int64_t count,
                            void *items, struct th_error *err)
{
  struct th_h5_set set = {0};
  struct th_error ignored = {0};
  hsize_t size[2] = {0};
  th_status rc = th_h5_set_open(&set, &shard->h5, name, type, 1, size, err);
  if (rc == TH_OK && size[0] < (hsize_t)(first + count))
    rc = bad_size(shard, name, err);
  if (rc == TH_OK)
    rc = th_h5_set_range(&set, first, count, items, err);
  th_h5_set_close(&set, &ignored);
  return rc;
}

static th_status read_statistics(struct th_shard *shard, struct stored *stored,
                                 struct th_error *err)
{
  int64_t count = th_range_count(stored->part);
  int64_t pieces = th_integer_ceil_divide(count, TH_STATS_PIECE);
  th_status rc = TH_OK;
  for (int k = 0; k < TH_STATS_KINDS; k++) {
    TH_TRY(th_alloc(&stored->kinds[k], count, stored->size, "statistics", err));
    TH_TRY(read_range(shard, names[k], stored->type, stored->part.first, count,
                      stored->kinds[k], err));
  }
  TH_TRY(TH_NEW(&stored->checksum, pieces, "checksums", err));
  TH_TRY(read_range(shard, TH_D_STATS_CHECKSUM, H5T_NATIVE_UINT64,
                    stored->part.first / TH_STATS_PIECE, pieces,
                    stored->checksum, err));
  shard->bytes_read +=
      TH_STATS_KINDS * count * (int64_t)stored->size + pieces * 8;
done:
  return rc;
}

static th_status verify(const struct th_shard *shard,
                        const struct stored *stored, struct th_error *err)
{
  int64_t count = th_range_count(stored->part);
  for (int64_t k = 0; k < th_integer_ceil_divide(count, TH_STATS_PIECE); k++)
    if (th_fingerprint_stats((const void *const *)stored->kinds, count, k,
                             stored->size) != stored->checksum[k])
      return TH_DAMAGED(
          err,
          "%s: statistics of attribute %lld and following: checksum mismatch",
          shard->name,
          (long long)(shard->row->range.first + stored->part.first +
                      k * TH_STATS_PIECE));
  return TH_OK;
}

static double item(const struct stored *stored, int kind, int64_t k)
{
  return stored->size == sizeof(float)
             ? (double)((const float *)stored->kinds[kind])[k]
             : ((const double *)stored->kinds[kind])[k];
}

/* The whole checksum pieces around a range, counted from the shard's first. */
static struct th_range around(const struct th_shard *shard,
                              struct th_range range)
{
  int64_t first = shard->row->range.first;
  int64_t count = shard->row->range.last - first;
  int64_t low = (range.first - first) / TH_STATS_PIECE * TH_STATS_PIECE;
  int64_t high = th_integer_ceil_divide(range.last - first, TH_STATS_PIECE) *
                 TH_STATS_PIECE;
  return (struct th_range){low, high < count ? high : count};
}

/* Of values near the largest doubles mean and deviation may be no numbers. */
static bool make_sense(const struct th_statistics *s)
{
  return !(s->deviation < 0) && s->lowest <= s->highest;
}

th_status th_shard_statistics(struct th_shard *shard, struct th_range range,
                              struct th_statistics *statistics,
                              struct th_error *err)
{
  bool small = th_row_groups_short_stats(shard->row_groups);
  struct stored stored = {.part = around(shard, range),
                          .type = small ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE,
                          .size = small ? sizeof(float) : sizeof(double)};
  th_status rc = TH_OK;
  TH_TRY(read_statistics(shard, &stored, err));
  TH_TRY(verify(shard, &stored, err));
  int64_t skip = range.first - shard->row->range.first - stored.part.first;
  for (int64_t a = 0; a < th_range_count(range); a++)
    statistics[a] = (struct th_statistics){
        item(&stored, 0, skip + a), item(&stored, 1, skip + a),
        item(&stored, 2, skip + a), item(&stored, 3, skip + a)};
  for (int64_t a = 0; a < th_range_count(range) && rc == TH_OK; a++)
    if (!make_sense(&statistics[a]))
      rc = TH_IMPORT_AGAIN(err,
                           "%s: statistics of attribute %lld: make no sense",
                           shard->name, (long long)(range.first + a));
done:
  for (int k = 0; k < TH_STATS_KINDS; k++)
    free(stored.kinds[k]);
  free(stored.checksum);
  return rc;
}
