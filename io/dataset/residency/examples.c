/* examples.c - targets, weights and row numbers: the master's own arrays
 * SPDX-License-Identifier: MIT */
#include "io/dataset/residency/examples.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/attributes.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Targets and weights are kept in memory, one copy per node: up to this many
 * examples, or this share of the memory for values. */
enum { TH_KEPT_EXAMPLES = 1 << 20, TH_KEPT_SHARE = 4 };

enum { ITEM = 8 }; /* bytes of a target, a weight and a row number alike */

static th_status open_array(struct th_examples *e, const char *name,
                            const char *checksum_name, hid_t type,
                            struct th_h5_set *set, uint64_t **checksum,
                            struct th_error *err)
{
  int64_t groups = e->info->row_groups.groups;
  hsize_t size[2] = {0};
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_open(set, &e->h5, name, type, 1, size, err));
  if (size[0] != (hsize_t)e->store->shape.examples) {
    rc = TH_DAMAGED(err, "%s: %s has the wrong size", e->path, name);
    goto done;
  }
  TH_TRY(TH_NEW(checksum, groups, "checksums", err));
  TH_TRY(th_h5_set_get(&e->h5, checksum_name, H5T_NATIVE_UINT64, groups,
                       *checksum, err));
done:
  return rc;
}

static th_status check_row_numbers(const struct th_examples *e,
                                   struct th_rows rows, const int64_t *numbers,
                                   struct th_error *err)
{
  for (int64_t i = 0; i < rows.count; i++)
    if (numbers[i] < 0)
      return th_fail(err, TH_EDATA,
                     "%s: stored row %lld has number %lld in the input; import "
                     "the data again",
                     e->path, (long long)(rows.first + i),
                     (long long)numbers[i]);
  return TH_OK;
}

/* A value that is not a number is reported first, as its checksum may be right.
 */
static th_status check_numbers(const struct th_examples *e, const char *what,
                               double least, struct th_rows rows,
                               const double *values, struct th_error *err)
{
  for (int64_t i = 0; i < rows.count; i++) {
    long long row = rows.first + i;
    if (!(isfinite(values[i]) && values[i] >= least))
      return th_fail(err, TH_EDATA,
                     "%s: the %s of stored row %lld is not a number%s; import "
                     "the data again",
                     e->path, what, row, least == 0.0 ? " of at least 0" : "");
  }
  return TH_OK;
}

/* Data without targets have only NaN in their place. */
static th_status check_target_values(const struct th_examples *e,
                                     struct th_rows rows, const double *values,
                                     struct th_error *err)
{
  if (!e->store->shape.unlabelled)
    return check_numbers(e, "target", -INFINITY, rows, values, err);
  for (int64_t i = 0; i < rows.count; i++)
    if (!isnan(values[i]))
      return TH_IMPORT_AGAIN(err,
                             "%s: stored row %lld has a target, but the file "
                             "says that there is none",
                             e->path, (long long)(rows.first + i));
  return TH_OK;
}

static th_status read_group(struct th_examples *e, const struct th_h5_set *set,
                            const uint64_t *checksum, int64_t group,
                            void *values, struct th_error *err)
{
  struct th_rows rows = th_row_groups_group(&e->info->row_groups, group);
  th_status rc = th_h5_set_range(set, rows.first, rows.count, values, err);
  if (rc != TH_OK)
    return rc;
  e->store->bytes_read += rows.count * ITEM;
  if (set == &e->target)
    rc = check_target_values(e, rows, values, err);
  else if (set == &e->weight)
    rc = check_numbers(e, "weight", 0.0, rows, values, err);
  else
    rc = check_row_numbers(e, rows, values, err);
  if (rc == TH_OK &&
      th_hash(values, (size_t)rows.count * ITEM) != checksum[group])
    rc = TH_DAMAGED(err, "%s: %s, row group %lld: checksum mismatch", e->path,
                    set->name, (long long)group);
  return rc;
}

static th_status read_all(struct th_examples *e, const struct th_h5_set *set,
                          const uint64_t *checksum, double *values,
                          struct th_error *err)
{
  const struct th_row_groups *g = &e->info->row_groups;
  th_status rc = TH_OK;
  for (int64_t group = 0; rc == TH_OK && group < g->groups; group++)
    rc = read_group(e, set, checksum, group,
                    values + th_row_groups_group(g, group).first, err);
  return rc;
}

th_status th_examples_open(struct th_examples *e, const char *path,
                           const struct th_h5_image *image,
                           const struct th_master_info *info,
                           struct th_store *store, struct th_error *err)
{
  const struct th_shape *shape = &store->shape;
  double began = th_comm_clock();
  th_status rc = TH_OK;
  e->path = path;
  e->info = info;
  e->store = store;
  if (image != NULL)
    TH_TRY(th_h5_open_image(&e->h5, image, e->path, err));
  else
    TH_TRY(th_h5_open(&e->h5, e->path, e->path, err));
  TH_TRY(th_master_same(&e->h5, e->info, err));
  TH_TRY(TH_NEW((int64_t **)&e->group, shape->row_group,
                "the examples of a row group", err));
  TH_TRY(open_array(e, TH_D_Y, TH_D_GROUP_Y, H5T_NATIVE_DOUBLE, &e->target,
                    &e->target_checksum, err));
  TH_TRY(open_array(e, TH_D_ROW, TH_D_GROUP_ROW, H5T_NATIVE_INT64, &e->row,
                    &e->row_checksum, err));
  if (shape->weighted)
    TH_TRY(open_array(e, TH_D_WEIGHT, TH_D_GROUP_WEIGHT, H5T_NATIVE_DOUBLE,
                      &e->weight, &e->weight_checksum, err));
done:
  e->store->seconds += th_comm_clock() - began;
  return rc;
}

/* Local. */
static th_status fill_kept(struct th_examples *e, struct th_error *err)
{
  double *values = e->kept.data;
  double began = th_comm_clock();
  th_status rc = read_all(e, &e->target, e->target_checksum, values, err);
  if (rc == TH_OK && e->store->shape.weighted)
    rc = read_all(e, &e->weight, e->weight_checksum,
                  values + e->store->shape.examples, err);
  e->store->seconds += th_comm_clock() - began;
  return rc;
}

th_status th_examples_keep(struct th_examples *e, int64_t memory,
                           struct th_comm *comm, struct th_error *err)
{
  const struct th_shape *shape = &e->store->shape;
  int64_t bytes = shape->examples * ITEM * (shape->weighted ? 2 : 1);
  th_status rc = TH_OK;
  if (shape->examples > TH_KEPT_EXAMPLES && bytes > memory / TH_KEPT_SHARE)
    return rc;
  TH_TRY(th_comm_share(comm, (size_t)bytes, "targets", &e->kept, err));
  rc = e->kept.writer ? fill_kept(e, err) : TH_OK;
  TH_TRY(th_agree(comm, rc, err));
  th_comm_shared_show(&e->kept);
  e->kept_target = e->kept.data;
  if (shape->weighted)
    e->kept_weight = e->kept_target + shape->examples;
done:
  return rc;
}

void th_examples_close(struct th_examples *examples)
{
  struct th_error ignored = {0};
  th_h5_set_close(&examples->target, &ignored);
  th_h5_set_close(&examples->weight, &ignored);
  th_h5_set_close(&examples->row, &ignored);
  th_h5_close(&examples->h5, &ignored);
  TH_FREE(examples->target_checksum, examples->weight_checksum,
          examples->row_checksum);
  th_comm_shared_free(&examples->kept);
  free(examples->group);
  *examples = (struct th_examples){0};
}

/* Read rows that may span row groups. Each group is read and verified whole. */
static th_status read_rows(struct th_examples *e, const struct th_h5_set *set,
                           const uint64_t *checksum, struct th_rows rows,
                           void *values, struct th_error *err)
{
  const struct th_row_groups *g = &e->info->row_groups;
  int64_t last = rows.first + rows.count;
  th_status rc = TH_OK;
  for (int64_t i = rows.first; rc == TH_OK && i < last;) {
    int64_t in_group = 0;
    int64_t group = th_store_shape_group_of(&g->shape, i, &in_group);
    int64_t count =
        th_min_i64(th_store_shape_rest(&g->shape, i).count, last - i);
    rc = read_group(e, set, checksum, group, e->group, err);
    if (rc == TH_OK)
      memcpy((char *)values + (size_t)(i - rows.first) * ITEM,
             (char *)e->group + (size_t)in_group * ITEM, (size_t)count * ITEM);
    i += count;
  }
  return rc;
}

static th_status check_rows(const struct th_examples *e, struct th_rows rows,
                            struct th_error *err)
{
  if (rows.first >= 0 && rows.count >= 0 &&
      rows.first + rows.count <= e->store->shape.examples)
    return TH_OK;
  return th_fail(err, TH_EARG, "%s: a request outside of the data", e->path);
}

static th_status one_array(struct th_examples *e, const struct th_h5_set *set,
                           const uint64_t *checksum, const double *kept,
                           struct th_rows rows, double *values,
                           struct th_error *err)
{
  if (kept == NULL) {
    double began = th_comm_clock();
    th_status rc = read_rows(e, set, checksum, rows, values, err);
    e->store->seconds += th_comm_clock() - began;
    return rc;
  }
  memcpy(values, kept + rows.first, (size_t)rows.count * ITEM);
  return TH_OK;
}

th_status th_examples_read(struct th_examples *e, struct th_rows rows,
                           double *target, double *weight, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(check_rows(e, rows, err));
  if (target != NULL)
    TH_TRY(one_array(e, &e->target, e->target_checksum, e->kept_target, rows,
                     target, err));
  if (weight != NULL && e->store->shape.weighted)
    TH_TRY(one_array(e, &e->weight, e->weight_checksum, e->kept_weight, rows,
                     weight, err));
  for (int64_t i = 0;
       weight != NULL && !e->store->shape.weighted && i < rows.count; i++)
    weight[i] = 1.0;
done:
  return rc;
}

th_status th_examples_row_numbers(struct th_examples *examples,
                                  struct th_rows rows, int64_t *numbers,
                                  struct th_error *err)
{
  th_status rc = check_rows(examples, rows, err);
  if (rc == TH_OK)
    rc = read_rows(examples, &examples->row, examples->row_checksum, rows,
                   numbers, err);
  return rc;
}

/* --- Verifies all of a master's own arrays -------------------------------- */

/* Read every group, which verifies it, then compare the joint hash. */
static th_status check_targets(struct th_examples *e, double *room,
                               struct th_print *print, struct th_error *err)
{
  const struct th_row_groups *g = &e->info->row_groups;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < g->groups; k++) {
    struct th_rows rows = th_row_groups_group(g, k);
    TH_TRY(th_examples_read(e, rows, room, room, err));
    TH_TRY(th_examples_row_numbers(e, rows, (int64_t *)(void *)room, err));
    print->target = th_fingerprint_next(print->target, e->target_checksum[k]);
    print->row = th_fingerprint_next(print->row, e->row_checksum[k]);
    if (e->weight_checksum != NULL)
      print->weight = th_fingerprint_next(print->weight, e->weight_checksum[k]);
  }
done:
  return rc;
}

static th_status check_groups(const struct th_examples *e, int64_t *room,
                              struct th_error *err)
{
  const struct th_row_groups *g = &e->info->row_groups;
  const struct th_h5 *h5 = &e->h5;
  bool good = true;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_get(h5, TH_D_GROUP_FIRST, H5T_NATIVE_INT64, g->groups, room,
                       err));
  for (int64_t k = 0; k < g->groups; k++)
    good = good && room[k] == th_row_groups_group(g, k).first;
  TH_TRY(th_h5_set_get(h5, TH_D_GROUP_COUNT, H5T_NATIVE_INT64, g->groups, room,
                       err));
  for (int64_t k = 0; k < g->groups; k++)
    good = good && room[k] == th_row_groups_group(g, k).count;
  const uint8_t *split = (const uint8_t *)room;
  TH_TRY(th_h5_set_get(h5, TH_D_GROUP_SPLIT, H5T_NATIVE_UINT8, g->groups, room,
                       err));
  for (int64_t k = 0; k < g->groups; k++)
    good = good && split[k] == (k >= g->training_groups);
  TH_TRY(th_h5_set_get(h5, TH_D_SPLIT, H5T_NATIVE_UINT8, g->shape.examples,
                       room, err));
  int64_t weightless = g->shape.examples - g->shape.weightless;
  for (int64_t i = 0; i < g->shape.examples; i++)
    good = good && split[i] == (i >= g->shape.training) + (i >= weightless);
  if (!good)
    rc = TH_IMPORT_AGAIN(err, "%s: the row-group table does not fit the data",
                         e->path);
done:
  return rc;
}

/* Check the names as a whole, as they lie in the file, and piece by piece. */
static th_status check_names(const struct th_examples *e,
                             struct th_print *print, struct th_error *err)
{
  const struct th_h5 *h5 = &e->h5;
  int64_t attributes = e->store->shape.attributes;
  struct th_name_print found = {0};
  struct th_names names = {0};
  char **all = NULL;
  th_status rc = TH_OK;
  if (!th_h5_set_exists(h5, TH_D_NAMES))
    return TH_OK;
  TH_TRY(th_attribute_names_get(h5, attributes, &all, err));
  TH_TRY(th_attribute_names_open(&names, h5, attributes, err));
  for (int64_t a = 0; a < attributes; a++) {
    th_fingerprint_name(&found, all[a], strlen(all[a]));
    if (th_attribute_names_at(&names, a, err) == NULL) {
      rc = err->code;
      goto done;
    }
  }
  print->names = found.list;
  if (found.list != e->info->names.list || found.set != e->info->names.set)
    rc = TH_IMPORT_AGAIN(
        err, "%s: the names of attributes are not those it was written with",
        e->path);
done:
  th_attribute_names_close(&names);
  free(all);
  return rc;
}

/* Check the IDs as a whole, and piece by piece. */
static th_status check_ids(const struct th_examples *e, struct th_error *err)
{
  const int64_t examples = e->store->shape.examples;
  struct th_names ids = {0};
  char **all = NULL;
  th_status rc = TH_OK;
  if (!th_h5_set_exists(&e->h5, TH_D_IDS))
    return TH_OK;
  TH_TRY(th_h5_set_get_texts(&e->h5, TH_D_IDS, examples, &all, err));
  TH_TRY(
      th_attribute_texts_open(&ids, &th_attribute_ids, &e->h5, examples, err));
  for (int64_t i = 0; i < examples && rc == TH_OK; i += TH_NAMES_PIECE)
    rc = th_attribute_names_at(&ids, i, err) == NULL ? err->code : TH_OK;
done:
  th_attribute_names_close(&ids);
  free(all);
  return rc;
}

/* Reading the groups verifies them. */
static th_status check_attribute_groups(const struct th_examples *e,
                                        struct th_error *err)
{
  struct th_group_piece *piece = NULL;
  int64_t count = 0;
  th_status rc = th_attribute_groups_get(&e->h5, e->store->shape.attributes,
                                         &piece, &count, err);
  free(piece);
  return rc;
}

th_status th_examples_check(struct th_examples *e, struct th_print *print,
                            struct th_error *err)
{
  const struct th_row_groups *g = &e->info->row_groups;
  int64_t bytes = g->shape.examples + 8 * g->groups;
  int64_t *room = NULL;
  th_status rc = TH_OK;
  TH_TRY(
      th_alloc((void **)&room, bytes, 1, "the examples of a row group", err));
  TH_TRY(check_groups(e, room, err));
  free(room);
  room = NULL;
  TH_TRY(TH_NEW(&room, g->shape.row_group, "the examples of a row group", err));
  TH_TRY(check_targets(e, (double *)(void *)room, print, err));
  TH_TRY(check_names(e, print, err));
  TH_TRY(check_ids(e, err));
  TH_TRY(check_attribute_groups(e, err));
done:
  free(room);
  return rc;
}
