/* shard_read.c - opens a shard and checks that it is the right one
 * SPDX-License-Identifier: MIT */
#include "io/dataset/shard_read.h"

#include "core/integer.h"
#include "core/memory.h"
#include "io/dataset/format.h"
#include "io/hdf5/file.h"
#include "io/hdf5/mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

th_status th_shard_damaged(const struct th_shard_read *shard, int64_t attribute,
                           int64_t group, struct th_error *err)
{
  return th_run_fetch_damaged(shard->name, attribute, group, err);
}

static th_status check_size(const struct th_shard_read *shard,
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

static th_status check_text(const struct th_shard_read *shard,
                            const char *attribute, const char *wanted,
                            struct th_error *err)
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

static th_status check_index(const struct th_shard_read *shard,
                             struct th_error *err)
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

static th_status check_content(const struct th_shard_read *shard,
                               struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  int64_t count = shard->row->range.last - shard->row->range.first;
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

th_status th_shard_bad_size(const struct th_shard_read *shard, const char *name,
                            struct th_error *err)
{
  return TH_DAMAGED(err, "%s: %s has the wrong size", shard->name, name);
}

/* Attributes of a unit. Units do not straddle stored chunks; chunks that HDF5
 * has to decompress are kept whole. */
static int64_t dense_unit(const struct th_shard_read *shard, int64_t count)
{
  int64_t unit = shard->row_groups->chunk;
  int64_t stored = shard->map.stored;
  bool divides = stored == 0 || stored >= count || stored % unit == 0;
  if (!divides || (shard->map.file < 0 && stored > 0))
    unit = stored;
  return unit < count ? unit : count;
}

static th_status open_dense(struct th_shard_read *shard, struct th_error *err)
{
  const struct th_row_groups *g = shard->row_groups;
  hsize_t count = (hsize_t)(shard->row->range.last - shard->row->range.first);
  hsize_t columns =
      (hsize_t)(g->groups * th_row_groups_items(g, g->shape.row_group));
  hsize_t size[2] = {0};
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_open(&shard->values, &shard->h5, TH_D_X,
                        th_h5_type(g->shape.type), 2, size, err));
  if (size[0] != count || size[1] != columns) {
    rc = th_shard_bad_size(shard, TH_D_X, err);
    goto done;
  }
  TH_TRY(th_h5_set_open(&shard->checksum, &shard->h5, TH_D_CHECKSUM,
                        H5T_NATIVE_UINT64, 2, size, err));
  if (size[0] != (hsize_t)g->groups || size[1] != count) {
    rc = th_shard_bad_size(shard, TH_D_CHECKSUM, err);
    goto done;
  }
  TH_TRY(th_run_fetch_map_open(&shard->map, g, (int64_t)count, &shard->values,
                               &shard->checksum, err));
  shard->sums.count = 0;
  shard->unit = dense_unit(shard, (int64_t)count);
done:
  return rc;
}

static th_status open_runs(struct th_shard_read *shard, int64_t runs,
                           int64_t entries, struct th_error *err)
{
  const hid_t value = th_h5_type(shard->row_groups->shape.type);
  struct {
    struct th_h5_set *set;
    const char *name;
    hid_t type;
    int64_t size;
  } sets[] = {
      {&shard->attribute, TH_D_ATTRIBUTE, H5T_NATIVE_UINT32, runs},
      {&shard->count, TH_D_COUNT, H5T_NATIVE_UINT16, runs},
      {&shard->row_in_group, TH_D_ROW, H5T_NATIVE_UINT16, entries},
      {&shard->values, TH_D_VALUE, value, entries},
  };
  th_status rc = TH_OK;
  for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
    hsize_t size[2] = {0};
    TH_TRY(th_h5_set_open(sets[k].set, &shard->h5, sets[k].name, sets[k].type,
                          1, size, err));
    if (size[0] != (hsize_t)sets[k].size) {
      rc = th_shard_bad_size(shard, sets[k].name, err);
      goto done;
    }
  }
done:
  return rc;
}

/* Check that runs are not empty and have at most R entries, and that u32 can
 * number the entries of a piece. */
static bool pieces_good(const struct th_shard_read *shard, int64_t table)
{
  const int64_t *runs = shard->piece;
  const int64_t *entries = shard->piece_entry;
  bool good = runs[0] == 0 && entries[0] == 0;
  for (int64_t k = 0; good && k < table; k++) {
    /* all are nonnegative so far, so differences do not overflow */
    good = runs[k + 1] >= runs[k] && entries[k + 1] >= entries[k];
    int64_t few = good ? runs[k + 1] - runs[k] : 0;
    int64_t many = good ? entries[k + 1] - entries[k] : 0;
    good = good && few <= shard->unit && many >= few && many <= UINT32_MAX &&
           many <= few * shard->row_groups->shape.row_group;
  }
  return good;
}

static th_status open_sparse(struct th_shard_read *shard, struct th_error *err)
{
  int64_t count = shard->row->range.last - shard->row->range.first;
  int64_t groups = shard->row_groups->groups;
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_i64(&shard->h5, "/", TH_A_PIECE, &shard->unit, err));
  if (shard->unit < 1 || shard->unit > count) {
    rc = th_shard_bad_size(shard, TH_D_PIECE, err);
    goto done;
  }
  shard->pieces = th_integer_ceil_divide(count, shard->unit);
  int64_t table = groups * shard->pieces;
  TH_TRY(th_h5_expect(&shard->h5, TH_D_PIECE, table + 1, err));
  TH_TRY(TH_NEW(&shard->piece, table + 1, "the table of pieces", err));
  TH_TRY(TH_NEW(&shard->piece_entry, table + 1, "the table of pieces", err));
  TH_TRY(TH_NEW(&shard->piece_checksum, table, "the table of pieces", err));
  TH_TRY(th_h5_get(&shard->h5, TH_D_PIECE, H5T_NATIVE_INT64, table + 1,
                   shard->piece, err));
  TH_TRY(th_h5_get(&shard->h5, TH_D_PIECE_ENTRY, H5T_NATIVE_INT64, table + 1,
                   shard->piece_entry, err));
  TH_TRY(th_h5_get(&shard->h5, TH_D_PIECE_CHECKSUM, H5T_NATIVE_UINT64, table,
                   shard->piece_checksum, err));
  shard->bytes_read += (3 * table + 2) * 8;
  if (!pieces_good(shard, table)) {
    rc = th_shard_bad_size(shard, TH_D_PIECE, err);
    goto done;
  }
  TH_TRY(open_runs(shard, shard->piece[table], shard->piece_entry[table], err));
done:
  return rc;
}

/* Compare the identity first and the size last, so that a wrong shard is
 * reported as such, whatever its size. A shard that is cut short cannot be
 * opened at all. */
static th_status check(struct th_shard_read *shard, struct th_error *err)
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
    TH_TRY(check_size(shard, err));
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
    TH_TRY(check_size(shard, err));
  if (shape->layout == TH_DENSE)
    TH_TRY(open_dense(shard, err));
  else
    TH_TRY(open_sparse(shard, err));
done:
  return rc;
}

static th_status open_it(struct th_shard_read *shard, struct th_error *err)
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
    rc = check(shard, err);
  shard->open = rc == TH_OK;
  if (rc != TH_OK)
    th_shard_close(shard);
  return rc;
}

/* The path that it has had since a run that was to replace its data set renamed
 * the folder, and was killed before it renamed the master (writer_commit.c).
 * NULL: no memory. */
static char *older_path(const struct th_shard_read *shard)
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

th_status th_shard_open(struct th_shard_read *shard, struct th_error *err)
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

const struct th_mapping *th_shard_map(struct th_shard_read *shard)
{
  if (!shard->mapping_tried && shard->map.file >= 0)
    shard->mapping = th_mapping_open(shard->map.file);
  shard->mapping_tried = true;
  return shard->mapping;
}

void th_shard_unmap(struct th_shard_read *shard)
{
  th_mapping_close(shard->mapping);
  shard->mapping = NULL;
  shard->mapping_tried = false;
}

void th_shard_close(struct th_shard_read *shard)
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
  th_run_fetch_map_free(&shard->map);
  TH_FREE(shard->piece, shard->piece_entry, shard->piece_checksum);
  shard->piece = NULL;
  shard->piece_entry = NULL;
  shard->piece_checksum = NULL;
  shard->open = false;
}
