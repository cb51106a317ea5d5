/* forge_seal.c - checksums of a forged data set made right, from the bottom up
 * SPDX-License-Identifier: MIT */
#include "forge.h"

#include "base/memory.h"
#include "io/dataset/attributes.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/dataset/row_groups.h"
#include "io/files/hash.h"
#include "ranks/partition.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST = 1 << 24 }; /* bytes of an array that is followed */

/* An array of a file, as it is stored. */
struct array {
  int64_t items;
  size_t size; /* of an item */
  char *data;
};

static struct array load(hid_t file, const char *name)
{
  struct array a = {0};
  if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
    return a;
  hid_t id = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t type = H5Dget_type(id);
  hid_t space = H5Dget_space(id);
  a.items = (int64_t)H5Sget_simple_extent_npoints(space);
  a.size = H5Tget_size(type);
  if (a.items < 0 || a.items > MOST / (int64_t)a.size)
    a.items = 0;
  a.data = calloc((size_t)a.items + 1, a.size);
  if (a.items > 0)
    H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a.data);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(id);
  return a;
}

static void store(hid_t file, const char *name, const struct array *a)
{
  hid_t id = H5Dopen2(file, name, H5P_DEFAULT);
  hid_t type = H5Dget_type(id);
  if (a->items > 0)
    H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data);
  H5Tclose(type);
  H5Dclose(id);
}

static int64_t number(hid_t file, const char *name)
{
  int64_t value = 0;
  hid_t id = H5Aopen(file, name, H5P_DEFAULT);
  H5Aread(id, H5T_NATIVE_INT64, &value);
  H5Aclose(id);
  return value;
}

static void set_number(hid_t object, const char *name, uint64_t value)
{
  if (H5Aexists(object, name) <= 0)
    return;
  hid_t id = H5Aopen(object, name, H5P_DEFAULT);
  H5Awrite(id, H5T_NATIVE_UINT64, &value);
  H5Aclose(id);
}

static uint64_t item_u64(const struct array *a, int64_t k)
{
  uint64_t value = 0;
  if (k >= 0 && k < a->items)
    memcpy(&value, a->data + (size_t)k * a->size, a->size);
  return value;
}

/* Every data set that carries a checksum of its own. */
void forge_seal_arrays(const char *path)
{
  static struct forge_place places[FORGE_PLACES];
  static const char *const more[] = {
      TH_D_PIECE_CHECKSUM, TH_D_PART_CHECKSUM, TH_D_STATS_CHECKSUM,
      TH_D_GROUP_Y,        TH_D_GROUP_ROW,     TH_D_GROUP_WEIGHT,
      TH_D_SHARD_HASH,     TH_D_SHARD_CONTENT, TH_D_NAMES_CHECKSUM};
  int count = forge_list(path, places);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  int all = count + (int)(sizeof more / sizeof *more);
  for (int k = 0; k < all; k++) {
    const char *name = k < count ? places[k].object : more[k - count];
    if ((k < count && places[k].name[0] != '\0') ||
        H5Lexists(file, name, H5P_DEFAULT) <= 0)
      continue;
    struct array a = load(file, name);
    hid_t id = H5Dopen2(file, name, H5P_DEFAULT);
    set_number(id, TH_A_CHECKSUM, th_hash(a.data, (size_t)a.items * a.size));
    H5Dclose(id);
    free(a.data);
  }
  H5Fclose(file);
}

static void seal_statistics(hid_t file)
{
  static const char *const names[TH_STATS_KINDS] = {TH_D_MEAN, TH_D_DEVIATION,
                                                    TH_D_LOWEST, TH_D_HIGHEST};
  struct array kinds[TH_STATS_KINDS];
  struct array sums = load(file, TH_D_STATS_CHECKSUM);
  const void *data[TH_STATS_KINDS];
  bool even = true;
  for (int k = 0; k < TH_STATS_KINDS; k++) {
    kinds[k] = load(file, names[k]);
    data[k] = kinds[k].data;
    even = even && kinds[k].items == kinds[0].items;
  }
  for (int64_t p = 0; even && p < sums.items; p++) {
    if (p * TH_STATS_PIECE >= kinds[0].items)
      break;
    uint64_t hash =
        th_fingerprint_stats(data, kinds[0].items, p, kinds[0].size);
    memcpy(sums.data + p * 8, &hash, sizeof hash);
  }
  store(file, TH_D_STATS_CHECKSUM, &sums);
  for (int k = 0; k < TH_STATS_KINDS; k++)
    free(kinds[k].data);
  free(sums.data);
}

/* A sparse shard's arrays. */
struct sparse {
  struct array attribute;
  struct array count;
  struct array row;
  struct array value;
};

/* Where pieces begin; a piece ends where the one `step` items later begins. */
struct tables {
  struct array run;
  struct array entry;
  struct array sums;
  int64_t step;
};

static bool within(const struct array *a, int64_t first, int64_t last)
{
  return first >= 0 && first <= last && last <= a->items;
}

static struct th_shard_piece_parts
piece_parts(const struct sparse *s, const struct tables *t, int64_t k)
{
  int64_t run = (int64_t)item_u64(&t->run, k);
  int64_t entry = (int64_t)item_u64(&t->entry, k);
  struct th_shard_piece_parts parts = {
      .runs = (int64_t)item_u64(&t->run, k + t->step),
      .entries = (int64_t)item_u64(&t->entry, k + t->step),
      .value_size = s->value.size};
  if (!within(&s->attribute, run, parts.runs) ||
      !within(&s->count, run, parts.runs) ||
      !within(&s->row, entry, parts.entries) ||
      !within(&s->value, entry, parts.entries))
    return (struct th_shard_piece_parts){.runs = -1};
  parts.runs -= run;
  parts.entries -= entry;
  parts.attribute = (const uint32_t *)(const void *)s->attribute.data + run;
  parts.count = (const uint16_t *)(const void *)s->count.data + run;
  parts.row = (const uint16_t *)(const void *)s->row.data + entry;
  parts.values = s->value.data + (size_t)entry * s->value.size;
  return parts;
}

/* A piece's share of the content, as far as its counts lead. */
static uint64_t piece_content(const struct th_shard_piece_parts *parts,
                              int64_t first, int64_t group)
{
  uint64_t content = 0;
  int64_t entry = 0;
  for (int64_t k = 0; k < parts->runs; k++) {
    int64_t left = parts->entries - entry;
    int64_t count = parts->count[k] < left ? parts->count[k] : left;
    int64_t attribute = (int64_t)((uint64_t)first + parts->attribute[k]);
    content += th_fingerprint_run(attribute, group, parts->row + entry,
                                  (const char *)parts->values +
                                      (size_t)entry * parts->value_size,
                                  parts->value_size, count);
    entry += count;
  }
  return content;
}

/* Set the checksums of pieces. groups: of the shard where pieces lie by row
 * group; else 0. Returns their content, if they do. */
static uint64_t seal_pieces(hid_t file, const struct sparse *s,
                            struct tables *t, const char *sums, int64_t groups)
{
  int64_t first = number(file, TH_A_FIRST);
  int64_t pieces = groups > 0 ? t->sums.items / groups : 0;
  uint64_t content = 0;
  for (int64_t k = 0; k < t->sums.items; k++) {
    struct th_shard_piece_parts parts = piece_parts(s, t, k);
    if (parts.runs < 0)
      continue;
    uint64_t hash = th_fingerprint_piece(&parts);
    memcpy(t->sums.data + k * 8, &hash, sizeof hash);
    if (groups > 0)
      content += piece_content(&parts, first, pieces > 0 ? k / pieces : 0);
  }
  store(file, sums, &t->sums);
  TH_FREE(t->run.data, t->entry.data, t->sums.data);
  return content;
}

static uint64_t seal_sparse(hid_t file)
{
  struct sparse s = {load(file, TH_D_ATTRIBUTE), load(file, TH_D_COUNT),
                     load(file, TH_D_ROW), load(file, TH_D_VALUE)};
  int64_t groups = number(file, TH_A_GROUPS);
  struct tables whole = {load(file, TH_D_PIECE), load(file, TH_D_PIECE_ENTRY),
                         load(file, TH_D_PIECE_CHECKSUM), 1};
  uint64_t content = seal_pieces(file, &s, &whole, TH_D_PIECE_CHECKSUM, groups);
  if (H5Lexists(file, TH_D_PART, H5P_DEFAULT) > 0) {
    struct tables parts = {load(file, TH_D_PART_RUN),
                           load(file, TH_D_PART_ENTRY),
                           load(file, TH_D_PART_CHECKSUM), 0};
    parts.step = groups < parts.sums.items ? groups : parts.sums.items;
    seal_pieces(file, &s, &parts, TH_D_PART_CHECKSUM, 0);
  }
  TH_FREE(s.attribute.data, s.count.data, s.row.data, s.value.data);
  return content;
}

static uint64_t seal_dense(hid_t file, const struct th_row_groups *g)
{
  struct array x = load(file, TH_D_X);
  struct array sums = load(file, TH_D_CHECKSUM);
  int64_t first = number(file, TH_A_FIRST);
  int64_t count = g->groups > 0 ? sums.items / g->groups : 0;
  size_t run = th_type_bytes(g->shape.type, g->shape.row_group);
  uint64_t content = 0;
  for (int64_t k = 0; k < g->groups * count; k++) {
    int64_t group = k / count;
    int64_t a = k % count;
    size_t at = (size_t)(a * g->groups + group) * run;
    size_t used =
        th_type_bytes(g->shape.type, th_row_groups_group(g, group).count);
    if (at + run > (size_t)x.items * x.size)
      continue;
    uint64_t hash = th_hash(x.data + at, used);
    memcpy(sums.data + k * 8, &hash, sizeof hash);
    content += th_fingerprint_share((int64_t)((uint64_t)first + (uint64_t)a),
                                    group, hash);
  }
  store(file, TH_D_CHECKSUM, &sums);
  free(x.data);
  free(sums.data);
  return content;
}

static uint64_t seal_shard(const char *path, const struct th_row_groups *g)
{
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  bool sparse = H5Lexists(file, TH_D_PIECE, H5P_DEFAULT) > 0;
  uint64_t content = sparse ? seal_sparse(file) : seal_dense(file, g);
  seal_statistics(file);
  set_number(file, TH_A_CONTENT, content);
  H5Fclose(file);
  forge_seal_arrays(path);
  return content;
}

/* The joint hash of an array over the row groups, with each group's. */
static uint64_t seal_examples(hid_t file, const char *name, const char *sums,
                              const struct th_row_groups *g)
{
  struct array a = load(file, name);
  struct array checksum = load(file, sums);
  uint64_t joint = 0;
  for (int64_t k = 0; k < checksum.items; k++) {
    struct th_rows rows = th_row_groups_group(g, k);
    if (rows.count < 0 || !within(&a, rows.first, rows.first + rows.count))
      break;
    uint64_t hash =
        th_hash(a.data + (size_t)rows.first * 8, (size_t)rows.count * 8);
    memcpy(checksum.data + k * 8, &hash, sizeof hash);
    joint = th_fingerprint_next(joint, hash);
  }
  if (checksum.items > 0)
    store(file, sums, &checksum);
  free(a.data);
  free(checksum.data);
  return joint;
}

/* The names by pieces, and what the file says of all of them. */
static uint64_t seal_names(hid_t file)
{
  struct array names = load(file, TH_D_NAMES);
  struct array sums = load(file, TH_D_NAMES_CHECKSUM);
  struct th_name_print print = {0};
  for (int64_t k = 0; names.data != NULL && k < names.items; k++) {
    const char *name = names.data + (size_t)k * names.size;
    th_fingerprint_name(&print, name, strnlen(name, names.size));
  }
  for (int64_t p = 0; names.data != NULL && p < sums.items; p++) {
    int64_t first = p * TH_NAMES_PIECE;
    int64_t left = names.items - first;
    int64_t some = left < TH_NAMES_PIECE ? left : TH_NAMES_PIECE;
    uint64_t hash = some <= 0 ? 0
                              : th_hash(names.data + (size_t)first * names.size,
                                        (size_t)some * names.size);
    memcpy(sums.data + p * 8, &hash, sizeof hash);
  }
  if (sums.items > 0)
    store(file, TH_D_NAMES_CHECKSUM, &sums);
  set_number(file, TH_A_NAMES_LIST, print.list);
  set_number(file, TH_A_NAMES_SET, print.set);
  free(names.data);
  free(sums.data);
  return print.list;
}

static struct th_row_groups geometry_of(hid_t file)
{
  struct th_row_groups g = {0};
  struct th_error ignored = {0};
  struct th_shape shape = {.examples = number(file, TH_A_EXAMPLES),
                           .training = number(file, TH_A_TRAINING),
                           .attributes = number(file, TH_A_ATTRIBUTES),
                           .row_group = number(file, TH_A_ROW_GROUP),
                           .weighted = number(file, TH_A_WEIGHTED) != 0};
  char text[16] = "";
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, sizeof text - 1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  for (int k = 0; k < 2; k++) {
    hid_t id = H5Aopen(file, k == 0 ? TH_A_LAYOUT : TH_A_TYPE, H5P_DEFAULT);
    H5Aread(id, type, text);
    H5Aclose(id);
    int code = k == 0 ? th_type_layout_find(text) : th_type_find(text);
    if (k == 0)
      shape.layout = (enum th_layout)(code < 0 ? 0 : code);
    else
      shape.type = (enum th_type)(code < 0 ? 0 : code);
  }
  H5Tclose(type);
  if (th_row_groups_init(&g, &shape, &ignored) != TH_OK)
    g = (struct th_row_groups){.shape = {.row_group = 1}};
  return g;
}

/* The shards that lie in the folder, whatever the master calls them. */
static uint64_t seal_shards(hid_t file, const char *master,
                            const struct th_row_groups *g)
{
  struct array bytes = load(file, TH_D_SHARD_BYTES);
  struct array contents = load(file, TH_D_SHARD_CONTENT);
  struct array hashes = load(file, TH_D_SHARD_HASH);
  uint64_t content = 0;
  for (int64_t k = 0; k < contents.items && k < hashes.items; k++) {
    char path[FORGE_PATH];
    struct stat s;
    uint64_t hash = 0;
    snprintf(path, sizeof path, "%.*s.shards/%05lld.h5",
             (int)strlen(master) - 3, master, (long long)k);
    if (stat(path, &s) != 0)
      continue;
    th_hash_file(path, &hash);
    if (hash == item_u64(&hashes, k)) { /* as it was written */
      content += item_u64(&contents, k);
      continue;
    }
    uint64_t one = seal_shard(path, g);
    content += one;
    stat(path, &s);
    th_hash_file(path, &hash);
    int64_t size = (int64_t)s.st_size;
    memcpy(contents.data + k * 8, &one, sizeof one);
    memcpy(hashes.data + k * 8, &hash, sizeof hash);
    /* a size that was forged stays */
    if (bytes.items > k && item_u64(&bytes, k) < (uint64_t)size &&
        item_u64(&bytes, k) > (uint64_t)size / 2)
      memcpy(bytes.data + k * 8, &size, sizeof size);
  }
  store(file, TH_D_SHARD_CONTENT, &contents);
  store(file, TH_D_SHARD_HASH, &hashes);
  store(file, TH_D_SHARD_BYTES, &bytes);
  free(bytes.data);
  free(contents.data);
  free(hashes.data);
  return content;
}

void forge_seal(const char *master)
{
  hid_t file = H5Fopen(master, H5F_ACC_RDWR, H5P_DEFAULT);
  struct th_row_groups g = geometry_of(file);
  struct th_print print = {.content = seal_shards(file, master, &g)};
  print.target = seal_examples(file, TH_D_Y, TH_D_GROUP_Y, &g);
  print.row = seal_examples(file, TH_D_ROW, TH_D_GROUP_ROW, &g);
  print.weight = seal_examples(file, TH_D_WEIGHT, TH_D_GROUP_WEIGHT, &g);
  print.names = seal_names(file);
  set_number(file, TH_A_FINGERPRINT, th_fingerprint(&g.shape, &print));
  H5Fclose(file);
  forge_seal_arrays(master);
}
