/* master_read.c - reads the master file on rank 0 and gives it to every rank
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "io/dataset/format.h"
#include "io/dataset/master.h"
#include "io/dataset/names.h"
#include "io/dataset/origin_file.h"
#include "io/dataset/twins.h"
#include "io/hdf5/file.h"
#include "io/hdf5/message.h"
#include "io/hdf5/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* What only masters of weighted data have, and not all of them. */
static th_status get_weighting(const struct th_h5 *h5, struct th_shape *shape,
                               struct th_error *err)
{
  int64_t by_weight = 0;
  th_status rc = TH_OK;
  if (th_h5_has(h5, "/", TH_A_WEIGHTLESS))
    TH_TRY(th_h5_get_i64(h5, "/", TH_A_WEIGHTLESS, &shape->weightless, err));
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
  rc = th_origin_get(h5, info->row_groups.shape.attributes, &info->origin, err);
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
  TH_TRY(get_weighting(h5, &shape, err));
  if (th_row_groups_init(&info->row_groups, &shape, &why) != TH_OK)
    return damaged(h5, why.text, err);
  double most = (double)shape.examples * (double)shape.attributes;
  if (groups != info->row_groups.groups || info->shards < 1 ||
      info->shards > shape.attributes || (weighted != 0 && weighted != 1) ||
      shape.nonzeros < 0 || (double)shape.nonzeros > most)
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
  TH_TRY(th_h5_expect(h5, TH_D_SHARD_FIRST, k, err));
  TH_TRY(TH_NEW(&columns, 5 * k, "the shard table", err));
  TH_TRY(th_h5_get(h5, TH_D_SHARD_FIRST, type, k, columns, err));
  TH_TRY(th_h5_get(h5, TH_D_SHARD_COUNT, type, k, columns + k, err));
  TH_TRY(th_h5_get(h5, TH_D_SHARD_BYTES, type, k, columns + 2 * k, err));
  TH_TRY(th_h5_get(h5, TH_D_SHARD_CONTENT, H5T_NATIVE_UINT64, k,
                   columns + 3 * k, err));
  TH_TRY(th_h5_get(h5, TH_D_SHARD_HASH, H5T_NATIVE_UINT64, k, columns + 4 * k,
                   err));
  TH_TRY(th_h5_get_texts(h5, TH_D_SHARD_PATH, k, &paths, err));
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
  for (int k = 0; (row = th_ground_truth_parameter(k)) != NULL; k++) {
    double value = th_ground_truth_get(&truth->own, row);
    good = good && (value == 0 || th_ground_truth_allows(row, value));
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

/* A parameter that all files have, or one that a file older than it has not. */
static th_status get_own(const struct th_h5 *h5, int k,
                         struct th_ground_truth *truth, struct th_error *err)
{
  const struct th_family_parameter *row = th_ground_truth_parameter(k);
  double value = 0;
  if (k >= TH_FAMILY_PARAMETERS_ALWAYS && !th_h5_has(h5, TH_G_TRUTH, row->name))
    return TH_OK;
  th_status rc = row->choices != NULL
                     ? get_choice(h5, row, &value, err)
                     : th_h5_get_f64(h5, TH_G_TRUTH, row->name, &value, err);
  if (rc == TH_OK)
    th_ground_truth_set(&truth->own, row, value);
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
  for (int own = 0; th_ground_truth_parameter(own) != NULL; own++)
    TH_TRY(get_own(h5, own, truth, err));
  TH_TRY(th_h5_get_i64(h5, TH_G_TRUTH, TH_A_COUNT, &truth->support_size, err));
  int64_t k = truth->support_size;
  if (k < 0 || k > attributes) {
    rc = damaged(h5, "a true support of impossible size", err);
    goto done;
  }
  TH_TRY(th_h5_expect(h5, TH_D_TRUTH_SUPPORT, k, err));
  TH_TRY(TH_NEW(&truth->support, k, "the true support", err));
  TH_TRY(TH_NEW(&truth->coef, k, "the true coefficients", err));
  TH_TRY(th_h5_get(h5, TH_D_TRUTH_SUPPORT, H5T_NATIVE_INT64, k, truth->support,
                   err));
  TH_TRY(
      th_h5_get(h5, TH_D_TRUTH_COEF, H5T_NATIVE_DOUBLE, k, truth->coef, err));
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
  TH_TRY(th_file_text(&folder, err, "%.*s.shards", th_path_stem(path), path));
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

th_status th_master_read(const char *path, struct th_master_info *info,
                         struct th_error *err)
{
  struct th_h5 h5 = {0};
  struct th_identity identity = {0};
  struct th_error ignored = {0};
  th_status rc = TH_OK;
  TH_TRY(th_format_check_file(path, path, err));
  TH_TRY(th_h5_open_own(&h5, path, path, err));
  TH_TRY(th_format_check(&h5, TH_FORMAT_MASTER, err));
  TH_TRY(get_shape(&h5, info, err));
  TH_TRY(get_targets(&h5, info, err));
  TH_TRY(th_h5_get_u64(&h5, "/", TH_A_FINGERPRINT, &info->fingerprint, err));
  TH_TRY(th_master_tables(&h5, &info->row_groups, &info->tables, err));
  TH_TRY(th_h5_get_line(&h5, "/", TH_A_PROVENANCE, &info->provenance, err));
  TH_TRY(th_names_print(&h5, info->row_groups.shape.attributes, &info->names,
                        err));
  TH_TRY(th_twins_get(&h5, info->row_groups.shape.training, &info->twins, err));
  TH_TRY(get_shards(&h5, info, err));
  TH_TRY(adopt_folder(path, info, err));
  info->generated = th_h5_exists(&h5, TH_G_TRUTH);
  if (info->generated)
    TH_TRY(
        get_truth(&h5, &info->truth, info->row_groups.shape.attributes, err));
  if (th_file_identity_of(path, &identity))
    info->master_bytes = (int64_t)identity.size;
done:
  th_h5_close(&h5, &ignored);
  return rc;
}

/* Walk the record, packing or unpacking it. */
static th_status walk(struct th_message *pack, struct th_master_info *info,
                      struct th_error *err)
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
  TH_TRY(th_origin_pack(pack, &info->origin, err));
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
                          struct th_error *err)
{
  struct th_message pack = {0};
  th_status rc = comm->rank == 0 ? walk(&pack, info, err) : TH_OK;
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_message_share(&pack, comm, err));
  rc = comm->rank == 0 ? TH_OK : walk(&pack, info, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  th_message_free(&pack);
  return rc;
}
