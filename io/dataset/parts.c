/* parts.c - the parts of a sparse shard: cut, written, read, and bundled
 * SPDX-License-Identifier: MIT */
#include "io/dataset/parts.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"
#include "io/dataset/format.h"
#include "ranks/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

th_status th_parts_tables_init(struct th_piece_tables *tables, int64_t pieces,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&tables->run, pieces + 1, "the table of pieces", err));
  TH_TRY(TH_NEW(&tables->entry, pieces + 1, "the table of pieces", err));
  TH_TRY(TH_NEW(&tables->checksum, pieces, "the table of pieces", err));
done:
  return rc;
}

void th_parts_tables_free(struct th_piece_tables *tables)
{
  TH_FREE(tables->run, tables->entry, tables->checksum);
  *tables = (struct th_piece_tables){0};
}

/* --- A shard is cut into parts
 *
 * The first row group shows where the entries are: a part ends at the first
 * border of a cell behind which it has enough of them there. Few parts are
 * large for the many ranks that share a row group; many of them have large
 * tables, at 24 bytes for each part and row group. Attributes that come later
 * are not seen there, so no part is much wider than others. */

enum {
  MOST_PARTS = 4096, /* of a row group, if parts are not too small for that */
  FEW_ENTRIES = 128, /* of a part */
  MANY_ENTRIES = 16384, /* likewise */
  WIDE_PARTS = 128,     /* at least so many of all attributes, .. */
  WIDE_ENTRIES = 64     /* .. where a part has so many entries then */
};

/* Entries of all shards on the row group of a tile, as far as this shows. */
static double all_entries(const struct th_parts_write *parts,
                          const struct th_shard_piece_parts *tile)
{
  double shards = (double)parts->row_groups->shape.attributes /
                  (double)th_range_count(parts->range);
  return (double)tile->entries * shards;
}

/* Entries of a part on one row group. */
static int64_t part_entries(const struct th_parts_write *parts,
                            const struct th_shard_piece_parts *tile)
{
  double entries = all_entries(parts, tile) / MOST_PARTS;
  return entries < FEW_ENTRIES    ? FEW_ENTRIES
         : entries > MANY_ENTRIES ? MANY_ENTRIES
                                  : (int64_t)entries;
}

/* Attributes of the widest part. */
static int64_t widest_part(const struct th_parts_write *parts,
                           const struct th_shard_piece_parts *tile)
{
  double wide = fmin(WIDE_PARTS, all_entries(parts, tile) / WIDE_ENTRIES);
  double width =
      (double)parts->row_groups->shape.attributes / fmax(wide, 1) + TH_CELL;
  return (int64_t)width;
}

/* Parts end where they would become too wide, up to an attribute. True: one
 * did. */
static bool split_wide(struct th_parts_write *parts, int64_t end,
                       int64_t widest)
{
  int64_t base = parts->range.first;
  int64_t before = parts->count;
  for (;;) {
    int64_t next = base + parts->first[parts->count - 1] + widest;
    next = next / TH_CELL * TH_CELL - base;
    if (next >= end)
      return parts->count > before;
    parts->first[parts->count++] = next;
  }
}

/* Write where parts begin, and where the last one ends. first: room for one
 * more than there are cells. */
static void cut_parts(struct th_parts_write *parts,
                      const struct th_shard_piece_parts *tile)
{
  int64_t base = parts->range.first;
  int64_t least = part_entries(parts, tile);
  int64_t widest = widest_part(parts, tile);
  int64_t entries = 0;
  parts->count = 1;
  for (int64_t k = 0; k < tile->runs; k++) {
    int64_t cell = (base + tile->attribute[k]) / TH_CELL * TH_CELL - base;
    if (split_wide(parts, cell, widest))
      entries = 0;
    if (entries >= least && cell > parts->first[parts->count - 1]) {
      parts->first[parts->count++] = cell;
      entries = 0;
    }
    entries += tile->count[k];
  }
  split_wide(parts, th_range_count(parts->range), widest);
  parts->first[parts->count] = th_range_count(parts->range);
}

static th_status begin_parts(struct th_parts_write *parts,
                             const struct th_shard_piece_parts *tile,
                             struct th_error *err)
{
  int64_t cells = th_range_count(parts->range) / TH_CELL + 2;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&parts->first, cells + 1, "the table of parts", err));
  cut_parts(parts, tile);
  TH_TRY(TH_NEW(&parts->training, parts->count, "the table of parts", err));
  TH_TRY(th_parts_tables_init(&parts->piece,
                              parts->count * parts->row_groups->groups, err));
done:
  return rc;
}

/* The next piece of a tile, whose attributes end below `end`; the tile goes on
 * behind it. */
static struct th_shard_piece_parts cut_piece(struct th_shard_piece_parts *tile,
                                             int64_t end)
{
  struct th_shard_piece_parts piece = *tile;
  piece.runs = 0;
  piece.entries = 0;
  while (piece.runs < tile->runs && piece.attribute[piece.runs] < end)
    piece.entries += piece.count[piece.runs++];
  tile->attribute += piece.runs;
  tile->count += piece.runs;
  tile->runs -= piece.runs;
  if (piece.entries == 0) /* there may be no room at all */
    return piece;
  tile->row += piece.entries;
  tile->values =
      (const char *)tile->values + (size_t)piece.entries * tile->value_size;
  return piece;
}

th_status th_parts_enter(struct th_parts_write *parts, int64_t group,
                         const struct th_shard_piece_parts *tile, int64_t runs,
                         int64_t entries, struct th_error *err)
{
  struct th_shard_piece_parts rest = *tile;
  bool training = group < parts->row_groups->training_groups;
  th_status rc = parts->count == 0 ? begin_parts(parts, tile, err) : TH_OK;
  for (int64_t p = 0; p < parts->count && rc == TH_OK; p++) {
    int64_t at = group * parts->count + p;
    parts->piece.run[at] = runs;
    parts->piece.entry[at] = entries;
    struct th_shard_piece_parts piece = cut_piece(&rest, parts->first[p + 1]);
    parts->piece.checksum[at] = th_fingerprint_piece(&piece);
    runs += piece.runs;
    entries += piece.entries;
    parts->training[p] += training ? piece.entries : 0;
  }
  return rc;
}

/* Write a table by part, then row group, which lies in memory by row group,
 * then part. lines: parts; one more where the table has ends. turned: room. */
static th_status put_turned(const struct th_parts_write *parts,
                            const struct th_h5 *h5, const char *name,
                            const void *table, int64_t lines, uint64_t *turned,
                            struct th_error *err)
{
  int64_t groups = parts->row_groups->groups;
  const char *items = table;
  for (int64_t p = 0; p < lines; p++)
    for (int64_t g = 0; g < groups; g++)
      memcpy(&turned[p * groups + g],
             items + (g * parts->count + p) * (int64_t)sizeof *turned,
             sizeof *turned);
  return th_h5_set_put(h5, name, H5T_NATIVE_UINT64, lines * groups, turned,
                       err);
}

th_status th_parts_put(const struct th_parts_write *parts,
                       const struct th_h5 *h5, int64_t runs, int64_t entries,
                       struct th_error *err)
{
  const struct th_piece_tables *piece = &parts->piece;
  int64_t count = parts->count;
  int64_t pieces = count * parts->row_groups->groups;
  uint64_t *turned = NULL;
  th_status rc = TH_OK;
  piece->run[pieces] = runs;
  piece->entry[pieces] = entries;
  TH_TRY(TH_NEW(&turned, pieces + parts->row_groups->groups,
                "the table of parts", err));
  TH_TRY(
      put_turned(parts, h5, TH_D_PART_RUN, piece->run, count + 1, turned, err));
  TH_TRY(put_turned(parts, h5, TH_D_PART_ENTRY, piece->entry, count + 1, turned,
                    err));
  TH_TRY(put_turned(parts, h5, TH_D_PART_CHECKSUM, piece->checksum, count,
                    turned, err));
  TH_TRY(th_h5_set_put(h5, TH_D_PART, H5T_NATIVE_INT64, count + 1, parts->first,
                       err));
  TH_TRY(th_h5_set_put(h5, TH_D_PART_TRAINING, H5T_NATIVE_INT64, count,
                       parts->training, err));
  TH_TRY(th_h5_put_i64(h5, "/", TH_A_PARTS, count, err));
done:
  free(turned);
  return rc;
}

void th_parts_write_free(struct th_parts_write *parts)
{
  TH_FREE(parts->first, parts->training);
  th_parts_tables_free(&parts->piece);
  parts->first = NULL;
  parts->training = NULL;
  parts->count = 0;
}

static th_status bad_table(const struct th_parts *parts, const char *name,
                           struct th_error *err)
{
  return TH_DAMAGED(err, "%s: %s has the wrong size", parts->h5->name, name);
}

/* --- Borders and sizes of the parts --------------------------------------- */

static th_status reserve(struct th_parts *parts, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&parts->first, parts->count + 1, "the table of parts", err));
  TH_TRY(TH_NEW(&parts->training, parts->count, "the table of parts", err));
done:
  return rc;
}

/* Borders ascend from 0 to the end of the shard. */
static bool borders_good(const struct th_parts *parts)
{
  bool good = parts->first != NULL && parts->first[0] == 0 &&
              parts->first[parts->count] == th_range_count(parts->range);
  for (int64_t p = 0; p < parts->count; p++)
    good = good && parts->first[p] < parts->first[p + 1] &&
           parts->training[p] >= 0 && parts->training[p] <= parts->entries;
  return good;
}

static th_status read_borders(struct th_parts *parts, struct th_error *err)
{
  const struct th_h5 *h5 = parts->h5;
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_i64(h5, "/", TH_A_PARTS, &parts->count, err));
  if (parts->count < 1 || parts->count > th_range_count(parts->range))
    return bad_table(parts, TH_D_PART, err);
  TH_TRY(th_h5_set_expect(h5, TH_D_PART, parts->count + 1, err));
  TH_TRY(th_h5_set_expect(h5, TH_D_PART_TRAINING, parts->count, err));
  TH_TRY(reserve(parts, err));
  TH_TRY(th_h5_set_get(h5, TH_D_PART, H5T_NATIVE_INT64, parts->count + 1,
                       parts->first, err));
  TH_TRY(th_h5_set_get(h5, TH_D_PART_TRAINING, H5T_NATIVE_INT64, parts->count,
                       parts->training, err));
  parts->bytes_read += (2 * parts->count + 1) * 8;
  if (!borders_good(parts))
    rc = bad_table(parts, TH_D_PART, err);
done:
  return rc;
}

/* --- Shards that were written before there were parts: pieces of one width */

static th_status read_old_tables(struct th_parts *parts, int64_t table,
                                 struct th_error *err)
{
  const struct th_h5 *h5 = parts->h5;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_expect(h5, TH_D_PIECE, table + 1, err));
  TH_TRY(th_parts_tables_init(&parts->old, table, err));
  TH_TRY(th_h5_set_get(h5, TH_D_PIECE, H5T_NATIVE_INT64, table + 1,
                       parts->old.run, err));
  TH_TRY(th_h5_set_get(h5, TH_D_PIECE_ENTRY, H5T_NATIVE_INT64, table + 1,
                       parts->old.entry, err));
  TH_TRY(th_h5_set_get(h5, TH_D_PIECE_CHECKSUM, H5T_NATIVE_UINT64, table,
                       parts->old.checksum, err));
  parts->bytes_read += (3 * table + 2) * 8;
  if (parts->old.run[table] != parts->runs)
    rc = bad_table(parts, TH_D_PIECE, err);
  else if (parts->old.entry[table] != parts->entries)
    rc = bad_table(parts, TH_D_PIECE_ENTRY, err);
done:
  return rc;
}

static th_status parts_of_pieces(struct th_parts *parts, struct th_error *err)
{
  int64_t attributes = th_range_count(parts->range);
  int64_t width = 0;
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_i64(parts->h5, "/", TH_A_PIECE, &width, err));
  if (width < 1 || width > attributes)
    return bad_table(parts, TH_D_PIECE, err);
  parts->count = th_integer_ceil_divide(attributes, width);
  TH_TRY(read_old_tables(parts, parts->row_groups->groups * parts->count, err));
  TH_TRY(reserve(parts, err));
  for (int64_t p = 0; p <= parts->count; p++)
    parts->first[p] = th_min_i64(p * width, attributes);
  for (int64_t g = 0; g < parts->row_groups->training_groups; g++)
    for (int64_t p = 0; p < parts->count; p++) {
      const int64_t *at = parts->old.entry + g * parts->count + p;
      uint64_t entries = (uint64_t)at[1] - (uint64_t)at[0]; /* forged: any */
      parts->training[p] = (int64_t)((uint64_t)parts->training[p] + entries);
    }
done:
  return rc;
}

static void free_parts(struct th_parts *parts)
{
  th_parts_tables_free(&parts->old);
  TH_FREE(parts->first, parts->training);
  parts->first = NULL;
  parts->training = NULL;
}

th_status th_parts_open(struct th_parts *parts, struct th_error *err)
{
  if (parts->first != NULL)
    return TH_OK;
  th_status rc = th_h5_has(parts->h5, "/", TH_A_PARTS)
                     ? read_borders(parts, err)
                     : parts_of_pieces(parts, err);
  if (rc == TH_OK && !borders_good(parts))
    rc = bad_table(parts, TH_D_PIECE_ENTRY, err);
  if (rc != TH_OK)
    free_parts(parts);
  return rc;
}

void th_parts_close(struct th_parts *parts)
{
  for (int64_t b = 0; b < parts->bundles; b++)
    th_parts_tables_free(&parts->bundle[b].piece);
  free(parts->bundle);
  free_parts(parts);
  *parts = (struct th_parts){0};
}

/* --- Bundles -------------------------------------------------------------- */

/* The part behind the last one that a bundle from `part` on has, below
 * `end`. */
static int64_t bundle_end(const struct th_parts *parts, int64_t part,
                          int64_t end)
{
  int64_t left =
      TH_TOGETHER * th_max_i64(parts->row_groups->training_groups, 1);
  do
    left -= parts->training[part++];
  while (part < end && left > 0);
  return part;
}

/* Bundle parts part .. end - 1. */
static void bundle_all(struct th_parts *parts, int64_t part, int64_t end)
{
  int64_t base = parts->range.first;
  while (part < end) {
    int64_t last = bundle_end(parts, part, end);
    parts->bundle[parts->bundles++] = (struct th_bundle){
        .attributes = {base + parts->first[part], base + parts->first[last]},
        .parts = {part, last}};
    part = last;
  }
}

static th_status make_bundles(struct th_parts *parts, struct th_range owned,
                              struct th_error *err)
{
  int64_t base = parts->range.first;
  int64_t low = 0;
  th_status rc = TH_NEW(&parts->bundle, parts->count, "bundles of parts", err);
  if (rc != TH_OK)
    return rc;
  while (low < parts->count && base + parts->first[low + 1] <= owned.first)
    low++;
  int64_t high = low;
  while (high < parts->count && base + parts->first[high] < owned.last)
    high++;
  bundle_all(parts, 0, low);
  bundle_all(parts, low, high);
  bundle_all(parts, high, parts->count);
  return TH_OK;
}

static int64_t search_bundle(const struct th_parts *parts, int64_t attribute)
{
  return th_search_member(parts->bundle, sizeof *parts->bundle,
                          offsetof(struct th_bundle, attributes.last),
                          parts->bundles - 1, attribute + 1);
}

int64_t th_parts_first(const struct th_parts *parts, int64_t attribute)
{
  if (parts->bundles == 0)
    return -1;
  return parts->bundle[search_bundle(parts, attribute)].attributes.first;
}

/* --- Tables of a bundle --------------------------------------------------- */

/* Runs are not empty and have at most R entries; u32 can number the entries of
 * a bundle on a row group. */
static bool piece_good(const struct th_parts *parts,
                       const struct th_bundle *bundle, int64_t part,
                       int64_t group)
{
  int64_t groups = parts->row_groups->groups;
  int64_t at = (part - bundle->parts.first) * groups + group;
  int64_t width = parts->first[part + 1] - parts->first[part];
  int64_t run = bundle->piece.run[at];
  int64_t entry = bundle->piece.entry[at];
  int64_t behind = bundle->piece.run[at + groups];
  int64_t behind_entry = bundle->piece.entry[at + groups];
  if (run < 0 || behind < run || behind > parts->runs || entry < 0 ||
      behind_entry < entry || behind_entry > parts->entries)
    return false;
  return behind - run <= width && behind_entry - entry >= behind - run &&
         behind_entry - bundle->piece.entry[group] <= UINT32_MAX &&
         behind_entry - entry <=
             (behind - run) * parts->row_groups->shape.row_group;
}

static bool tables_good(const struct th_parts *parts,
                        const struct th_bundle *bundle)
{
  for (int64_t p = bundle->parts.first; p < bundle->parts.last; p++)
    for (int64_t g = 0; g < parts->row_groups->groups; g++)
      if (!piece_good(parts, bundle, p, g))
        return false;
  return true;
}

/* Items of a table of this name, from that place on. */
static th_status read_table(struct th_parts *parts, const char *name,
                            hid_t type, struct th_range items, void *to,
                            struct th_error *err)
{
  struct th_h5_set set = {0};
  struct th_error ignored = {0};
  hsize_t size[2] = {0};
  th_status rc = th_h5_set_open(&set, parts->h5, name, type, 1, size, err);
  if (rc == TH_OK && size[0] < (hsize_t)items.last)
    rc = bad_table(parts, name, err);
  if (rc == TH_OK)
    rc = th_h5_set_range(&set, items.first, th_range_count(items), to, err);
  th_h5_set_close(&set, &ignored);
  parts->bytes_read += th_range_count(items) * 8;
  return rc;
}

static th_status read_tables(struct th_parts *parts, struct th_bundle *bundle,
                             struct th_error *err)
{
  int64_t groups = parts->row_groups->groups;
  struct th_piece_tables *piece = &bundle->piece;
  struct th_range starts = {bundle->parts.first * groups,
                            (bundle->parts.last + 1) * groups};
  struct th_range sums = {starts.first, starts.last - groups};
  th_status rc = TH_OK;
  TH_TRY(read_table(parts, TH_D_PART_RUN, H5T_NATIVE_INT64, starts, piece->run,
                    err));
  TH_TRY(read_table(parts, TH_D_PART_ENTRY, H5T_NATIVE_INT64, starts,
                    piece->entry, err));
  TH_TRY(read_table(parts, TH_D_PART_CHECKSUM, H5T_NATIVE_UINT64, sums,
                    piece->checksum, err));
done:
  return rc;
}

/* The tables of pieces of one width, turned. */
static void turn_tables(const struct th_parts *parts, struct th_bundle *bundle)
{
  int64_t groups = parts->row_groups->groups;
  for (int64_t g = 0; g < groups; g++)
    for (int64_t p = bundle->parts.first; p <= bundle->parts.last; p++) {
      int64_t at = (p - bundle->parts.first) * groups + g;
      int64_t from = g * parts->count + p;
      bundle->piece.run[at] = parts->old.run[from];
      bundle->piece.entry[at] = parts->old.entry[from];
      if (p < bundle->parts.last)
        bundle->piece.checksum[at] = parts->old.checksum[from];
    }
}

static th_status load_tables(struct th_parts *parts, struct th_bundle *bundle,
                             struct th_error *err)
{
  int64_t groups = parts->row_groups->groups;
  bool old = parts->old.run != NULL;
  th_status rc = TH_OK;
  TH_TRY(th_parts_tables_init(
      &bundle->piece, (th_range_count(bundle->parts) + 1) * groups, err));
  if (old)
    turn_tables(parts, bundle);
  else
    TH_TRY(read_tables(parts, bundle, err));
  if (!tables_good(parts, bundle))
    rc = bad_table(parts, old ? TH_D_PIECE : TH_D_PART_RUN, err);
done:
  if (rc != TH_OK)
    th_parts_tables_free(&bundle->piece);
  return rc;
}

th_status th_parts_find(struct th_parts *parts, struct th_range owned,
                        int64_t attribute, int64_t *bundle,
                        struct th_error *err)
{
  th_status rc = TH_OK;
  if (parts->bundles == 0) {
    TH_TRY(th_parts_open(parts, err));
    TH_TRY(make_bundles(parts, owned, err));
  }
  *bundle = search_bundle(parts, attribute);
  struct th_bundle *found = &parts->bundle[*bundle];
  if (found->piece.run == NULL)
    rc = load_tables(parts, found, err);
done:
  return rc;
}
