/* master.c - the master file of a data set; internal to io/
 * SPDX-License-Identifier: MIT */
#include "io/dataset/master.h"

#include "base/memory.h"
#include "io/dataset/attributes.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/dataset/origin_file.h"
#include "io/dataset/twins.h"
#include "io/files/file.h"
#include "io/files/output.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Checks that every rank reads the master that rank 0 reads
 *
 * A node may see another file under the same name, such as an old copy on a
 * local disk. */

/* The hash of the tables of checksums that verify the arrays over examples.
 * Ranks with the same tables read the same values, or get an error. Local. */
static th_status master_tables(const struct th_h5 *h5,
                               const struct th_row_groups *row_groups,
                               uint64_t *hash, struct th_error *err)
{
  const char *const names[] = {TH_D_GROUP_Y, TH_D_GROUP_ROW, TH_D_GROUP_WEIGHT};
  size_t count = row_groups->shape.weighted ? 3 : 2;
  uint64_t *table = NULL;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_expect(h5, names[0], row_groups->groups, err));
  TH_TRY(TH_NEW(&table, row_groups->groups, "checksums", err));
  *hash = 0;
  for (size_t k = 0; k < count; k++) {
    TH_TRY(th_h5_set_get(h5, names[k], H5T_NATIVE_UINT64, row_groups->groups,
                         table, err));
    *hash = th_fingerprint_next(
        *hash, th_hash(table, (size_t)row_groups->groups * sizeof *table));
  }
done:
  free(table);
  return rc;
}

th_status th_master_same(const struct th_h5 *h5,
                         const struct th_master_info *info,
                         struct th_error *err)
{
  uint64_t fingerprint = 0;
  uint64_t tables = 0;
  th_status rc = TH_OK;
  TH_TRY(th_format_check(h5, TH_FORMAT_MASTER, err));
  TH_TRY(th_h5_get_u64(h5, "/", TH_A_FINGERPRINT, &fingerprint, err));
  /* then the tables have the same sizes */
  if (fingerprint == info->fingerprint)
    TH_TRY(master_tables(h5, &info->row_groups, &tables, err));
  if (fingerprint != info->fingerprint || tables != info->tables)
    rc = th_fail(err, TH_EIO,
                 "%s is not the file that rank 0 reads under this name (data "
                 "set %016llx, there %016llx); let all ranks see the same "
                 "files",
                 h5->name, (unsigned long long)fingerprint,
                 (unsigned long long)info->fingerprint);
done:
  return rc;
}

/* --- Makes the master file in memory, to be written at once
 *
 * It is made in memory because HDF5 cannot handle a disk that becomes full. */

th_status th_master_shard_path(char **path, const char *folder, int64_t k,
                               struct th_error *err)
{
  return th_file_text(path, err, "%s/%05lld.h5", folder, (long long)k);
}

static th_status check_new_targets(const struct th_shape *shape,
                                   const struct th_master *master,
                                   struct th_error *err)
{
  if (master->target == NULL || master->row == NULL ||
      (shape->weighted && master->weight == NULL))
    return th_fail(err, TH_EARG,
                   "a data set needs targets and row numbers, "
                   "and weights when it says so");
  for (int64_t i = 0; i < shape->examples; i++) {
    if (shape->unlabelled ? !isnan(master->target[i])
                          : !isfinite(master->target[i]))
      return th_fail(err, TH_EDATA,
                     "the target of example %lld of the input is not a number",
                     (long long)master->row[i]);
    if (shape->weighted &&
        !(isfinite(master->weight[i]) && master->weight[i] >= 0.0))
      return th_fail(err, TH_EDATA,
                     "the weight of example %lld of the input is not a "
                     "number of at least 0",
                     (long long)master->row[i]);
  }
  return TH_OK;
}

/* What older programs would read wrongly has a number that they refuse. */
static int64_t major_of(const struct th_shape *shape,
                        const struct th_master *master)
{
  if (master->index != NULL)
    return TH_FORMAT_MAJOR_INDEXED;
  if (shape->missing > 0)
    return TH_FORMAT_MAJOR_MISSING;
  return shape->weightless > 0 ? TH_FORMAT_MAJOR_WEIGHTLESS : TH_FORMAT_MAJOR;
}

static th_status put_shape(const struct th_h5 *h5,
                           const struct th_master_info *info,
                           const struct th_master *master, struct th_error *err)
{
  const struct th_shape *shape = &info->row_groups.shape;
  const struct {
    const char *name;
    int64_t value;
  } numbers[] = {
      {TH_A_MAJOR, major_of(shape, master)},
      {TH_A_MINOR, master->ids != NULL ? TH_FORMAT_MINOR_IDS : TH_FORMAT_MINOR},
      {TH_A_EXAMPLES, shape->examples},
      {TH_A_TRAINING, shape->training},
      {TH_A_ATTRIBUTES, shape->attributes},
      {TH_A_ROW_GROUP, shape->row_group},
      {TH_A_GROUPS, info->row_groups.groups},
      {TH_A_NONZEROS, shape->nonzeros},
      {TH_A_SHARDS, info->shards},
      {TH_A_WEIGHTED, shape->weighted},
      {TH_A_LABELLED, !shape->unlabelled},
  };
  th_status rc = TH_OK;
  TH_TRY(th_h5_put_text(h5, "/", TH_A_FORMAT, TH_FORMAT_MASTER, err));
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    TH_TRY(th_h5_put_i64(h5, "/", numbers[k].name, numbers[k].value, err));
  if (shape->weightless > 0)
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_WEIGHTLESS, shape->weightless, err));
  if (shape->missing > 0)
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_MISSING, shape->missing, err));
  if (shape->weighted)
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_WEIGHTED_STATISTICS,
                         shape->weighted_statistics, err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_LAYOUT,
                        th_type_layout_name(shape->layout), err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_TYPE, th_type_name(shape->type), err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_PROVENANCE, info->provenance, err));
  if (master->origin != NULL)
    TH_TRY(th_origin_file_put(h5, master->origin, err));
done:
  return rc;
}

/* Write the checksums of the arrays over examples, one per row group, and their
 * joint hash. */
static th_status put_group_checksums(const struct th_h5 *h5, const char *name,
                                     const struct th_row_groups *row_groups,
                                     const void *data, uint64_t *joint,
                                     struct th_error *err)
{
  uint64_t *checksum = NULL;
  th_status rc = TH_NEW(&checksum, row_groups->groups, "checksums", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t g = 0; g < row_groups->groups; g++) {
    struct th_rows rows = th_row_groups_group(row_groups, g);
    checksum[g] = th_hash((const char *)data + (size_t)rows.first * 8,
                          (size_t)rows.count * 8);
    *joint = th_fingerprint_next(*joint, checksum[g]);
  }
  rc = th_h5_set_put(h5, name, H5T_NATIVE_UINT64, row_groups->groups, checksum,
                     err);
  free(checksum);
  return rc;
}

static th_status put_split(const struct th_h5 *h5,
                           const struct th_row_groups *row_groups,
                           struct th_error *err)
{
  const struct th_shape *shape = &row_groups->shape;
  uint8_t *split = NULL;
  th_status rc = TH_NEW(&split, shape->examples, "the split", err);
  for (int64_t i = shape->training; rc == TH_OK && i < shape->examples; i++)
    split[i] = i < shape->examples - shape->weightless ? 1 : 2;
  if (rc == TH_OK)
    rc = th_h5_set_put(h5, TH_D_SPLIT, H5T_NATIVE_UINT8, shape->examples, split,
                       err);
  free(split);
  return rc;
}

static th_status put_groups(const struct th_h5 *h5,
                            const struct th_row_groups *row_groups,
                            struct th_error *err)
{
  int64_t groups = row_groups->groups;
  int64_t *first = NULL;
  int64_t *count = NULL;
  uint8_t *split = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&first, groups, "the row-group table", err));
  TH_TRY(TH_NEW(&count, groups, "the row-group table", err));
  TH_TRY(TH_NEW(&split, groups, "the row-group table", err));
  for (int64_t g = 0; g < groups; g++) {
    struct th_rows rows = th_row_groups_group(row_groups, g);
    first[g] = rows.first;
    count[g] = rows.count;
    split[g] = g >= row_groups->training_groups;
  }
  TH_TRY(th_h5_set_put(h5, TH_D_GROUP_FIRST, H5T_NATIVE_INT64, groups, first,
                       err));
  TH_TRY(th_h5_set_put(h5, TH_D_GROUP_COUNT, H5T_NATIVE_INT64, groups, count,
                       err));
  TH_TRY(th_h5_set_put(h5, TH_D_GROUP_SPLIT, H5T_NATIVE_UINT8, groups, split,
                       err));
done:
  TH_FREE(first, count, split);
  return rc;
}

static th_status put_examples(const struct th_h5 *h5,
                              const struct th_row_groups *row_groups,
                              const struct th_master *master,
                              struct th_print *print, struct th_error *err)
{
  const struct th_shape *shape = &row_groups->shape;
  int64_t n = shape->examples;
  th_status rc = TH_OK;
  TH_TRY(th_h5_group(h5, TH_G_GROUP, err));
  TH_TRY(put_groups(h5, row_groups, err));
  TH_TRY(put_split(h5, row_groups, err));
  TH_TRY(th_h5_set_put(h5, TH_D_Y, H5T_NATIVE_DOUBLE, n, master->target, err));
  TH_TRY(put_group_checksums(h5, TH_D_GROUP_Y, row_groups, master->target,
                             &print->target, err));
  TH_TRY(th_h5_set_put(h5, TH_D_ROW, H5T_NATIVE_INT64, n, master->row, err));
  TH_TRY(put_group_checksums(h5, TH_D_GROUP_ROW, row_groups, master->row,
                             &print->row, err));
  if (!shape->weighted)
    goto done;
  TH_TRY(th_h5_set_put(h5, TH_D_WEIGHT, H5T_NATIVE_DOUBLE, n, master->weight,
                       err));
  TH_TRY(put_group_checksums(h5, TH_D_GROUP_WEIGHT, row_groups, master->weight,
                             &print->weight, err));
done:
  return rc;
}

/* Write the table, column by column. */
static th_status put_shards(const struct th_h5 *h5,
                            const struct th_master_info *info,
                            struct th_error *err)
{
  int64_t k = info->shards;
  int64_t *columns = NULL;
  const char **paths = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&columns, 5 * k, "the shard table", err));
  TH_TRY(TH_NEW(&paths, k, "the shard table", err));
  for (int64_t s = 0; s < k; s++) {
    const struct th_shard_row *row = &info->shard[s];
    columns[s] = row->range.first;
    columns[k + s] = th_range_count(row->range);
    columns[2 * k + s] = row->bytes;
    columns[3 * k + s] = (int64_t)row->content;
    columns[4 * k + s] = (int64_t)row->hash;
    paths[s] = row->path;
  }
  hid_t type = H5T_NATIVE_INT64;
  TH_TRY(th_h5_group(h5, TH_G_SHARD, err));
  TH_TRY(th_h5_set_put_texts(h5, TH_D_SHARD_PATH, k, paths, err));
  TH_TRY(th_h5_set_put(h5, TH_D_SHARD_FIRST, type, k, columns, err));
  TH_TRY(th_h5_set_put(h5, TH_D_SHARD_COUNT, type, k, columns + k, err));
  TH_TRY(th_h5_set_put(h5, TH_D_SHARD_BYTES, type, k, columns + 2 * k, err));
  TH_TRY(th_h5_set_put(h5, TH_D_SHARD_CONTENT, H5T_NATIVE_UINT64, k,
                       columns + 3 * k, err));
  TH_TRY(th_h5_set_put(h5, TH_D_SHARD_HASH, H5T_NATIVE_UINT64, k,
                       columns + 4 * k, err));
done:
  TH_FREE(columns, paths);
  return rc;
}

/* The family's own parameters, each under its name. */
static th_status put_own(const struct th_h5 *h5,
                         const struct th_ground_truth *truth,
                         struct th_error *err)
{
  const struct th_family_parameter *row;
  th_status rc = TH_OK;
  for (int k = 0; rc == TH_OK && (row = th_origin_family_parameter(k)) != NULL;
       k++) {
    double value = th_origin_family_get(&truth->own, row);
    if (!th_origin_family_has(truth->family, k))
      continue;
    rc = row->choices != NULL
             ? th_h5_put_text(h5, TH_G_TRUTH, row->name,
                              row->choices((int64_t)value), err)
             : th_h5_put_f64(h5, TH_G_TRUTH, row->name, value, err);
  }
  return rc;
}

static th_status put_truth(const struct th_h5 *h5,
                           const struct th_ground_truth *truth,
                           struct th_error *err)
{
  int64_t k = truth->support_size;
  th_status rc = TH_OK;
  TH_TRY(th_h5_group(h5, TH_G_TRUTH, err));
  TH_TRY(th_h5_put_text(h5, TH_G_TRUTH, TH_A_FAMILY, truth->family, err));
  TH_TRY(th_h5_put_u64(h5, TH_G_TRUTH, TH_A_SEED, truth->seed, err));
  TH_TRY(th_h5_put_f64(h5, TH_G_TRUTH, TH_A_NOISE, truth->noise, err));
  TH_TRY(put_own(h5, truth, err));
  TH_TRY(th_h5_put_i64(h5, TH_G_TRUTH, TH_A_COUNT, k, err));
  TH_TRY(th_h5_set_put(h5, TH_D_TRUTH_SUPPORT, H5T_NATIVE_INT64, k,
                       truth->support, err));
  TH_TRY(th_h5_set_put(h5, TH_D_TRUTH_COEF, H5T_NATIVE_DOUBLE, k, truth->coef,
                       err));
done:
  return rc;
}

static th_status put_names(const struct th_h5 *h5, int64_t attributes,
                           const struct th_master *master,
                           struct th_print *print, struct th_error *err)
{
  struct th_name_print names = {0};
  th_status rc = TH_OK;
  if (master->index != NULL)
    rc = th_attribute_indices_put(h5, attributes, master->index, &names, err);
  else if (master->names != NULL)
    rc = th_attribute_names_put(h5, attributes, master->names, &names, err);
  print->names = names.list;
  return rc;
}

static th_status put_master(const struct th_h5 *h5, struct th_master_info *info,
                            const struct th_master *master,
                            struct th_error *err)
{
  const struct th_row_groups *row_groups = &info->row_groups;
  struct th_print print = {0};
  th_status rc = TH_OK;
  TH_TRY(put_shape(h5, info, master, err));
  TH_TRY(put_examples(h5, row_groups, master, &print, err));
  TH_TRY(put_names(h5, row_groups->shape.attributes, master, &print, err));
  TH_TRY(
      th_variants_put(h5, row_groups->shape.attributes, master->variant, err));
  if (master->lacking != NULL)
    TH_TRY(th_h5_set_put(h5, TH_D_LACKING, H5T_NATIVE_UINT8,
                         row_groups->shape.attributes, master->lacking, err));
  if (master->ids != NULL)
    TH_TRY(th_attribute_texts_put(
        h5, &th_attribute_ids, row_groups->shape.examples, master->ids, err));
  TH_TRY(th_attribute_groups_put(h5, master->piece, master->pieces, err));
  TH_TRY(th_twins_put(h5, master->twins, err));
  TH_TRY(put_shards(h5, info, err));
  if (master->truth != NULL && master->truth->family[0] != '\0')
    TH_TRY(put_truth(h5, master->truth, err));
  for (int64_t k = 0; k < info->shards; k++)
    print.content += info->shard[k].content;
  info->fingerprint = th_fingerprint(&row_groups->shape, &print);
  TH_TRY(th_h5_put_u64(h5, "/", TH_A_FINGERPRINT, info->fingerprint, err));
  TH_TRY(th_master_views(h5, info, err));
done:
  return rc;
}

th_status th_master_image(const char *name, struct th_master_info *info,
                          const struct th_master *master,
                          struct th_h5_image *image, struct th_error *err)
{
  struct th_h5 h5 = {0};
  struct th_error ignored = {0};
  th_status rc = TH_OK;
  TH_TRY(check_new_targets(&info->row_groups.shape, master, err));
  TH_TRY(th_h5_create_memory(&h5, image, name, err));
  TH_TRY(put_master(&h5, info, master, err));
  TH_TRY(th_h5_close(&h5, err));
done:
  th_h5_close(&h5, &ignored);
  return rc;
}

/* --- Reads the master file on rank 0 and gives it to every rank ----------- */

void th_master_info_free(struct th_master_info *info)
{
  for (int64_t k = 0; info->shard != NULL && k < info->shards; k++)
    free(info->shard[k].path);
  TH_FREE(info->shard, info->truth.support, info->truth.coef, info->provenance);
  th_origin_free(&info->origin);
  th_twins_free(&info->twins);
  *info = (struct th_master_info){0};
}

static th_status damaged(const struct th_h5 *h5, const char *what,
                         struct th_error *err)
{
  return TH_DAMAGED(err, "%s: %s", h5->name, what);
}

static th_status get_name(const struct th_h5 *h5, const char *attribute,
                          int (*find)(const char *), int *code,
                          struct th_error *err)
{
  char *text = NULL;
  th_status rc = th_h5_get_text(h5, "/", attribute, &text, err);
  if (rc != TH_OK)
    return rc;
  *code = find(text);
  if (*code < 0)
    rc = th_fail(err, TH_EFORMAT, "%s: unknown %s \"%s\"; update thresher",
                 h5->name, attribute, text);
  free(text);
  return rc;
}

/* What not all masters have. */
static th_status get_some(const struct th_h5 *h5, struct th_shape *shape,
                          struct th_error *err)
{
  int64_t by_weight = 0;
  th_status rc = TH_OK;
  if (th_h5_has(h5, "/", TH_A_WEIGHTLESS))
    TH_TRY(th_h5_get_i64(h5, "/", TH_A_WEIGHTLESS, &shape->weightless, err));
  if (th_h5_has(h5, "/", TH_A_MISSING))
    TH_TRY(th_h5_get_i64(h5, "/", TH_A_MISSING, &shape->missing, err));
  if (th_h5_has(h5, "/", TH_A_WEIGHTED_STATISTICS))
    TH_TRY(th_h5_get_i64(h5, "/", TH_A_WEIGHTED_STATISTICS, &by_weight, err));
  shape->weighted_statistics = by_weight != 0;
done:
  return rc;
}

/* Read what masters have since minor version 2. */
static th_status get_targets(const struct th_h5 *h5,
                             struct th_master_info *info, struct th_error *err)
{
  int64_t labelled = 1;
  th_status rc = TH_OK;
  if (th_h5_has(h5, "/", TH_A_LABELLED))
    TH_TRY(th_h5_get_i64(h5, "/", TH_A_LABELLED, &labelled, err));
  info->row_groups.shape.unlabelled = labelled == 0;
  rc = th_origin_file_get(h5, info->row_groups.shape.attributes, &info->origin,
                          err);
done:
  return rc;
}

static th_status get_shape(const struct th_h5 *h5, struct th_master_info *info,
                           struct th_error *err)
{
  struct th_shape shape = {0};
  struct th_error why = {0};
  int64_t weighted = 0;
  int64_t groups = 0;
  int layout = 0;
  int type = 0;
  const struct {
    const char *name;
    int64_t *value;
  } numbers[] = {
      {TH_A_EXAMPLES, &shape.examples},
      {TH_A_TRAINING, &shape.training},
      {TH_A_ATTRIBUTES, &shape.attributes},
      {TH_A_ROW_GROUP, &shape.row_group},
      {TH_A_NONZEROS, &shape.nonzeros},
      {TH_A_WEIGHTED, &weighted},
      {TH_A_GROUPS, &groups},
      {TH_A_SHARDS, &info->shards},
  };
  th_status rc = TH_OK;
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    TH_TRY(th_h5_get_i64(h5, "/", numbers[k].name, numbers[k].value, err));
  TH_TRY(get_name(h5, TH_A_LAYOUT, th_type_layout_find, &layout, err));
  TH_TRY(get_name(h5, TH_A_TYPE, th_type_find, &type, err));
  shape.layout = (enum th_layout)layout;
  shape.type = (enum th_type)type;
  shape.weighted = weighted != 0;
  TH_TRY(get_some(h5, &shape, err));
  if (th_row_groups_init(&info->row_groups, &shape, &why) != TH_OK)
    return damaged(h5, why.text, err);
  double most = (double)shape.examples * (double)shape.attributes;
  if (groups != info->row_groups.groups || info->shards < 1 ||
      info->shards > shape.attributes || (weighted != 0 && weighted != 1) ||
      shape.nonzeros < 0 || (double)shape.nonzeros > most ||
      shape.missing < 0 || shape.missing > shape.nonzeros)
    rc = damaged(h5, "sizes that do not fit together", err);
done:
  return rc;
}

/* Only FOLDER.shards/FILE.h5 is legal, so that no path leads out of the data
 * set. Such a folder is never "." or "..". */
static bool path_legal(const char *path)
{
  static const char folder_end[] = ".shards";
  static const char file_end[] = ".h5";
  const char *slash = strchr(path, '/');
  if (slash == NULL || strchr(slash + 1, '/') != NULL)
    return false;
  size_t folder = (size_t)(slash - path);
  size_t file = strlen(slash + 1);
  return folder > strlen(folder_end) && file > strlen(file_end) &&
         strncmp(slash - strlen(folder_end), folder_end, strlen(folder_end)) ==
             0 &&
         strcmp(slash + 1 + file - strlen(file_end), file_end) == 0;
}

static th_status fill_shards(const struct th_h5 *h5,
                             struct th_master_info *info,
                             const int64_t *columns, char *const *paths,
                             struct th_error *err)
{
  int64_t k = info->shards;
  int64_t next = 0;
  int64_t bytes = 0;
  th_status rc = TH_OK;
  for (int64_t s = 0; s < k; s++) {
    struct th_shard_row *row = &info->shard[s];
    if (!path_legal(paths[s]))
      return th_fail(err, TH_EFORMAT,
                     "%s: the shard path \"%s\" leads out of the data set; it "
                     "must be NAME.shards/FILE.h5",
                     h5->name, paths[s]);
    if (columns[s] != next || columns[k + s] < 1 ||
        columns[k + s] > info->row_groups.shape.attributes - next ||
        columns[2 * k + s] < 0 || columns[2 * k + s] > INT64_MAX - bytes)
      return damaged(h5, "shards that do not fit together", err);
    next += columns[k + s];
    bytes += columns[2 * k + s];
    row->range = (struct th_range){columns[s], next};
    row->bytes = columns[2 * k + s];
    row->content = (uint64_t)columns[3 * k + s];
    row->hash = (uint64_t)columns[4 * k + s];
    rc = th_file_text(&row->path, err, "%s", paths[s]);
    if (rc != TH_OK)
      return rc;
  }
  if (next != info->row_groups.shape.attributes)
    return damaged(h5, "shards that do not fit together", err);
  return TH_OK;
}

static th_status get_shards(const struct th_h5 *h5, struct th_master_info *info,
                            struct th_error *err)
{
  int64_t k = info->shards;
  hid_t type = H5T_NATIVE_INT64;
  int64_t *columns = NULL;
  char **paths = NULL;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_expect(h5, TH_D_SHARD_FIRST, k, err));
  TH_TRY(TH_NEW(&columns, 5 * k, "the shard table", err));
  TH_TRY(th_h5_set_get(h5, TH_D_SHARD_FIRST, type, k, columns, err));
  TH_TRY(th_h5_set_get(h5, TH_D_SHARD_COUNT, type, k, columns + k, err));
  TH_TRY(th_h5_set_get(h5, TH_D_SHARD_BYTES, type, k, columns + 2 * k, err));
  TH_TRY(th_h5_set_get(h5, TH_D_SHARD_CONTENT, H5T_NATIVE_UINT64, k,
                       columns + 3 * k, err));
  TH_TRY(th_h5_set_get(h5, TH_D_SHARD_HASH, H5T_NATIVE_UINT64, k,
                       columns + 4 * k, err));
  TH_TRY(th_h5_set_get_texts(h5, TH_D_SHARD_PATH, k, &paths, err));
  TH_TRY(TH_NEW(&info->shard, k, "the shard table", err));
  TH_TRY(fill_shards(h5, info, columns, paths, err));
done:
  TH_FREE(columns, paths);
  return rc;
}

static bool truth_good(const struct th_ground_truth *truth, int64_t attributes)
{
  bool good = truth->noise >= 0 && isfinite(truth->noise);
  const struct th_family_parameter *row;
  for (int k = 0; (row = th_origin_family_parameter(k)) != NULL; k++) {
    double value = th_origin_family_get(&truth->own, row);
    good = good && (value == 0 || th_origin_family_allows(row, value));
  }
  int64_t before = -1;
  for (int64_t k = 0; good && k < truth->support_size; k++) {
    good = truth->support[k] > before && truth->support[k] < attributes &&
           isfinite(truth->coef[k]);
    before = truth->support[k];
  }
  return good;
}

static th_status get_choice(const struct th_h5 *h5,
                            const struct th_family_parameter *row,
                            double *value, struct th_error *err)
{
  char *name = NULL;
  int64_t k = 0;
  th_status rc = th_h5_get_line(h5, TH_G_TRUTH, row->name, &name, err);
  if (rc != TH_OK)
    return rc;
  while (row->choices(k) != NULL && strcmp(row->choices(k), name) != 0)
    k++;
  free(name);
  *value = (double)k;
  return row->choices(k) != NULL ? TH_OK
                                 : damaged(h5, "a truth that cannot be", err);
}

/* A parameter that all files have, or one that a file older than it has not:
 * then it is what it was before it could be chosen. */
static th_status get_own(const struct th_h5 *h5, int k,
                         struct th_ground_truth *truth, struct th_error *err)
{
  const struct th_family_parameter *row = th_origin_family_parameter(k);
  double value = 0;
  if (k >= TH_FAMILY_PARAMETERS_ALWAYS &&
      !th_h5_has(h5, TH_G_TRUTH, row->name)) {
    if (row->choices == NULL && th_origin_family_has(truth->family, k))
      th_origin_family_set(&truth->own, row, strtod(row->standard, NULL));
    return TH_OK;
  }
  th_status rc = row->choices != NULL
                     ? get_choice(h5, row, &value, err)
                     : th_h5_get_f64(h5, TH_G_TRUTH, row->name, &value, err);
  if (rc == TH_OK)
    th_origin_family_set(&truth->own, row, value);
  return rc;
}

static th_status get_truth(const struct th_h5 *h5,
                           struct th_ground_truth *truth, int64_t attributes,
                           struct th_error *err)
{
  char *family = NULL;
  th_status rc = TH_OK;
  TH_TRY(th_h5_get_line(h5, TH_G_TRUTH, TH_A_FAMILY, &family, err));
  strncpy(truth->family, family, sizeof truth->family - 1);
  TH_TRY(th_h5_get_u64(h5, TH_G_TRUTH, TH_A_SEED, &truth->seed, err));
  TH_TRY(th_h5_get_f64(h5, TH_G_TRUTH, TH_A_NOISE, &truth->noise, err));
  for (int own = 0; th_origin_family_parameter(own) != NULL; own++)
    TH_TRY(get_own(h5, own, truth, err));
  TH_TRY(th_h5_get_i64(h5, TH_G_TRUTH, TH_A_COUNT, &truth->support_size, err));
  int64_t k = truth->support_size;
  if (k < 0 || k > attributes) {
    rc = damaged(h5, "a true support of impossible size", err);
    goto done;
  }
  TH_TRY(th_h5_set_expect(h5, TH_D_TRUTH_SUPPORT, k, err));
  TH_TRY(TH_NEW(&truth->support, k, "the true support", err));
  TH_TRY(TH_NEW(&truth->coef, k, "the true coefficients", err));
  TH_TRY(th_h5_set_get(h5, TH_D_TRUTH_SUPPORT, H5T_NATIVE_INT64, k,
                       truth->support, err));
  TH_TRY(th_h5_set_get(h5, TH_D_TRUTH_COEF, H5T_NATIVE_DOUBLE, k, truth->coef,
                       err));
  if (!truth_good(truth, attributes))
    rc = damaged(h5, "a truth that cannot be", err);
done:
  free(family);
  return rc;
}

/* If master and folder were renamed together, take the folder NAME.shards
 * beside NAME.h5, whatever the paths say. */
static th_status adopt_folder(const char *path, struct th_master_info *info,
                              struct th_error *err)
{
  char *folder = NULL;
  th_status rc;
  TH_TRY(th_file_text(&folder, err, "%.*s.shards", th_output_path_stem(path),
                      path));
  if (access(folder, F_OK) != 0)
    goto done;
  for (int64_t k = 0; k < info->shards; k++) {
    char *old = info->shard[k].path;
    char *renamed = NULL;
    TH_TRY(th_file_text(&renamed, err, "%s/%s", th_file_name(folder),
                        th_file_name(old)));
    free(old);
    info->shard[k].path = renamed;
  }
done:
  free(folder);
  return rc;
}

static th_status read_open(const struct th_h5 *h5, struct th_master_info *info,
                           struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(th_format_check(h5, TH_FORMAT_MASTER, err));
  TH_TRY(get_shape(h5, info, err));
  TH_TRY(get_targets(h5, info, err));
  TH_TRY(th_h5_get_u64(h5, "/", TH_A_FINGERPRINT, &info->fingerprint, err));
  TH_TRY(master_tables(h5, &info->row_groups, &info->tables, err));
  TH_TRY(th_h5_get_line(h5, "/", TH_A_PROVENANCE, &info->provenance, err));
  TH_TRY(th_attribute_names_print(h5, info->row_groups.shape.attributes,
                                  &info->names, err));
  TH_TRY(th_twins_get(h5, info->row_groups.shape.training, &info->twins, err));
  TH_TRY(get_shards(h5, info, err));
  info->generated = th_h5_set_exists(h5, TH_G_TRUTH);
  if (info->generated)
    TH_TRY(get_truth(h5, &info->truth, info->row_groups.shape.attributes, err));
done:
  return rc;
}

th_status th_master_read(const char *path, struct th_master_info *info,
                         struct th_error *err)
{
  struct th_h5 h5 = {0};
  struct th_identity identity = {0};
  struct th_error ignored = {0};
  th_status rc = TH_OK;
  TH_TRY(th_format_check_file(path, path, err));
  TH_TRY(th_h5_open_own(&h5, path, path, err));
  TH_TRY(read_open(&h5, info, err));
  TH_TRY(adopt_folder(path, info, err));
  if (th_file_identity_of(path, &identity))
    info->master_bytes = (int64_t)identity.size;
done:
  th_h5_close(&h5, &ignored);
  return rc;
}

th_status th_master_read_image(const struct th_h5_image *image,
                               const char *name, struct th_master_info *info,
                               struct th_error *err)
{
  struct th_h5 h5 = {0};
  struct th_error ignored = {0};
  th_status rc = th_h5_open_image(&h5, image, name, err);
  if (rc == TH_OK)
    rc = read_open(&h5, info, err);
  info->master_bytes = image->count;
  th_h5_close(&h5, &ignored);
  return rc;
}

/* Walk the record, packing or unpacking it. */
static th_status master_walk(struct th_message *pack,
                             struct th_master_info *info, struct th_error *err)
{
  struct th_master_info fixed = *info;
  th_status rc = TH_OK;
  TH_TRY(th_message_bytes(pack, &fixed, sizeof fixed, err));
  if (pack->taking) {
    *info = fixed;
    info->shard = NULL;
    info->provenance = NULL;
    info->origin = (struct th_origin){0};
    info->twins.row = NULL;
    info->twins.first = NULL;
    info->truth.support = NULL;
    info->truth.coef = NULL;
  }
  TH_TRY(th_message_array(pack, (void **)&info->shard, info->shards,
                          sizeof *info->shard, err));
  for (int64_t k = 0; k < info->shards && pack->taking; k++)
    info->shard[k].path = NULL;
  for (int64_t k = 0; k < info->shards; k++)
    TH_TRY(th_message_text(pack, &info->shard[k].path, err));
  TH_TRY(th_message_text(pack, &info->provenance, err));
  TH_TRY(th_origin_file_pack(pack, &info->origin, err));
  TH_TRY(th_message_array(pack, (void **)&info->twins.row, info->twins.count,
                          sizeof(int64_t), err));
  TH_TRY(th_message_array(pack, (void **)&info->twins.first, info->twins.count,
                          sizeof(int64_t), err));
  if (!info->generated)
    goto done;
  TH_TRY(th_message_array(pack, (void **)&info->truth.support,
                          info->truth.support_size, sizeof(int64_t), err));
  TH_TRY(th_message_array(pack, (void **)&info->truth.coef,
                          info->truth.support_size, sizeof(double), err));
done:
  return rc;
}

th_status th_master_share(struct th_master_info *info, struct th_comm *comm,
                          th_status rc, struct th_error *err)
{
  struct th_message pack = {0};
  if (comm->rank == 0 && rc == TH_OK)
    rc = master_walk(&pack, info, err);
  TH_TRY(th_message_share(&pack, comm, rc, err));
  if (comm->rank != 0)
    rc = master_walk(&pack, info, err);
done:
  th_message_free(&pack);
  return rc;
}
