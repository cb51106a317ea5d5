/* master_write.c - makes the master file in memory, to be written at once
 *
 * It is made in memory because HDF5 cannot handle a disk that becomes full.
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "io/dataset/attribute_groups.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/dataset/master.h"
#include "io/dataset/names.h"
#include "io/dataset/origin_file.h"
#include "io/dataset/twins.h"
#include "io/dataset/writer.h"
#include "io/hdf5/file.h"

#include <math.h>
#include <stdlib.h>

th_status th_master_shard_path(char **path, const char *folder, int64_t k,
                               struct th_error *err)
{
  return th_file_text(path, err, "%s/%05lld.h5", folder, (long long)k);
}

static th_status check_targets(const struct th_shape *shape,
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

static th_status put_shape(const struct th_h5 *h5,
                           const struct th_master_info *info,
                           const struct th_master *master, struct th_error *err)
{
  const struct th_shape *shape = &info->row_groups.shape;
  const struct {
    const char *name;
    int64_t value;
  } numbers[] = {
      {TH_A_MAJOR,
       shape->weightless > 0 ? TH_FORMAT_MAJOR_WEIGHTLESS : TH_FORMAT_MAJOR},
      {TH_A_MINOR, TH_FORMAT_MINOR},
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
  if (shape->weighted)
    TH_TRY(th_h5_put_i64(h5, "/", TH_A_WEIGHTED_STATISTICS,
                         shape->weighted_statistics, err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_LAYOUT,
                        th_type_layout_name(shape->layout), err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_TYPE, th_type_name(shape->type), err));
  TH_TRY(th_h5_put_text(h5, "/", TH_A_PROVENANCE, info->provenance, err));
  if (master->origin != NULL)
    TH_TRY(th_origin_put(h5, master->origin, err));
done:
  return rc;
}

/* Write the checksums of the arrays over examples, one per row group, and their
 * joint hash. */
static th_status put_checksums(const struct th_h5 *h5, const char *name,
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
  rc =
      th_h5_put(h5, name, H5T_NATIVE_UINT64, row_groups->groups, checksum, err);
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
    rc = th_h5_put(h5, TH_D_SPLIT, H5T_NATIVE_UINT8, shape->examples, split,
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
  TH_TRY(th_h5_put(h5, TH_D_GROUP_FIRST, H5T_NATIVE_INT64, groups, first, err));
  TH_TRY(th_h5_put(h5, TH_D_GROUP_COUNT, H5T_NATIVE_INT64, groups, count, err));
  TH_TRY(th_h5_put(h5, TH_D_GROUP_SPLIT, H5T_NATIVE_UINT8, groups, split, err));
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
  TH_TRY(th_h5_put(h5, TH_D_Y, H5T_NATIVE_DOUBLE, n, master->target, err));
  TH_TRY(put_checksums(h5, TH_D_GROUP_Y, row_groups, master->target,
                       &print->target, err));
  TH_TRY(th_h5_put(h5, TH_D_ROW, H5T_NATIVE_INT64, n, master->row, err));
  TH_TRY(put_checksums(h5, TH_D_GROUP_ROW, row_groups, master->row, &print->row,
                       err));
  if (!shape->weighted)
    goto done;
  TH_TRY(th_h5_put(h5, TH_D_WEIGHT, H5T_NATIVE_DOUBLE, n, master->weight, err));
  TH_TRY(put_checksums(h5, TH_D_GROUP_WEIGHT, row_groups, master->weight,
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
    columns[k + s] = row->range.last - row->range.first;
    columns[2 * k + s] = row->bytes;
    columns[3 * k + s] = (int64_t)row->content;
    columns[4 * k + s] = (int64_t)row->hash;
    paths[s] = row->path;
  }
  hid_t type = H5T_NATIVE_INT64;
  TH_TRY(th_h5_group(h5, TH_G_SHARD, err));
  TH_TRY(th_h5_put_texts(h5, TH_D_SHARD_PATH, k, paths, err));
  TH_TRY(th_h5_put(h5, TH_D_SHARD_FIRST, type, k, columns, err));
  TH_TRY(th_h5_put(h5, TH_D_SHARD_COUNT, type, k, columns + k, err));
  TH_TRY(th_h5_put(h5, TH_D_SHARD_BYTES, type, k, columns + 2 * k, err));
  TH_TRY(th_h5_put(h5, TH_D_SHARD_CONTENT, H5T_NATIVE_UINT64, k,
                   columns + 3 * k, err));
  TH_TRY(th_h5_put(h5, TH_D_SHARD_HASH, H5T_NATIVE_UINT64, k, columns + 4 * k,
                   err));
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
  for (int k = 0; rc == TH_OK && (row = th_ground_truth_parameter(k)) != NULL;
       k++) {
    double value = th_ground_truth_get(&truth->own, row);
    if (!th_ground_truth_has(truth->family, k))
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
  TH_TRY(th_h5_put(h5, TH_D_TRUTH_SUPPORT, H5T_NATIVE_INT64, k, truth->support,
                   err));
  TH_TRY(
      th_h5_put(h5, TH_D_TRUTH_COEF, H5T_NATIVE_DOUBLE, k, truth->coef, err));
done:
  return rc;
}

static th_status put_names(const struct th_h5 *h5, int64_t attributes,
                           const struct th_master *master,
                           struct th_print *print, struct th_error *err)
{
  struct th_name_print names = {0};
  if (master->names == NULL)
    return TH_OK;
  th_status rc = th_names_put(h5, attributes, master->names, &names, err);
  print->names = names.list;
  return rc;
}

static th_status fill(const struct th_h5 *h5, struct th_master_info *info,
                      const struct th_master *master, struct th_error *err)
{
  const struct th_row_groups *row_groups = &info->row_groups;
  struct th_print print = {0};
  th_status rc = TH_OK;
  TH_TRY(put_shape(h5, info, master, err));
  TH_TRY(put_examples(h5, row_groups, master, &print, err));
  TH_TRY(put_names(h5, row_groups->shape.attributes, master, &print, err));
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
  TH_TRY(check_targets(&info->row_groups.shape, master, err));
  TH_TRY(th_h5_create_memory(&h5, image, name, err));
  TH_TRY(fill(&h5, info, master, err));
  TH_TRY(th_h5_close(&h5, err));
done:
  th_h5_close(&h5, &ignored);
  return rc;
}
