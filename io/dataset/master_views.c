/* master_views.c - virtual data sets: the shards as one matrix for h5py users
 * SPDX-License-Identifier: MIT */
#include "io/dataset/format.h"
#include "io/dataset/master.h"
#include "io/hdf5/h5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Create a view. The fill value shows where a shard is missing. */
static th_status create(const struct th_h5 *h5, const char *name, hid_t type,
                        double fill, hid_t space, hid_t plan,
                        struct th_error *err)
{
  hid_t id = -1;
  if (H5Pset_obj_track_times(plan, false) >= 0 &&
      H5Pset_fill_value(plan, H5T_NATIVE_DOUBLE, &fill) >= 0)
    id =
        H5Dcreate2(h5->file, name, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
  if (id < 0)
    return th_h5_fail(h5, "cannot write", name, err);
  H5Dclose(id);
  return TH_OK;
}

struct box {
  hsize_t first[2];
  hsize_t count[2];
};

/* HDF5 takes the names of sources as patterns, in which %% is a %. Returns a
 * new string, owned by the caller; NULL without memory. */
static char *pattern_of(const char *path)
{
  char *pattern = malloc(2 * strlen(path) + 1);
  char *to = pattern;
  if (pattern == NULL)
    return NULL;
  for (const char *c = path; *c != '\0'; c++) {
    if (*c == '%')
      *to++ = '%';
    *to++ = *c;
  }
  *to = '\0';
  return pattern;
}

/* A data set of a shard. */
struct shard_set {
  const char *path; /* of the shard */
  const char *name;
  int rank; /* of its dimensions */
  hsize_t size[2];
};

/* Map a box of the view to a box of a shard's data set. */
static herr_t map(hid_t plan, hid_t view, const struct box *to,
                  const struct shard_set *set, const struct box *from)
{
  hid_t source = H5Screate_simple(set->rank, set->size, NULL);
  char *pattern = pattern_of(set->path);
  herr_t ok = -1;
  if (source >= 0 && pattern != NULL &&
      H5Sselect_hyperslab(view, H5S_SELECT_SET, to->first, NULL, to->count,
                          NULL) >= 0 &&
      H5Sselect_hyperslab(source, H5S_SELECT_SET, from->first, NULL,
                          from->count, NULL) >= 0)
    ok = H5Pset_virtual(plan, view, pattern, set->name, source);
  free(pattern);
  th_h5_drop(source);
  return ok;
}

static herr_t map_statistic(hid_t plan, hid_t view, const char *name,
                            const struct th_master_info *info)
{
  herr_t ok = 0;
  for (int64_t k = 0; ok >= 0 && k < info->shards; k++) {
    const struct th_shard_row *row = &info->shard[k];
    hsize_t size = (hsize_t)th_range_count(row->range);
    struct shard_set set = {
        .path = row->path, .name = name, .rank = 1, .size = {size}};
    struct box to = {{(hsize_t)row->range.first}, {size}};
    struct box from = {{0}, {size}};
    ok = map(plan, view, &to, &set, &from);
  }
  return ok;
}

static th_status put_statistic(const struct th_h5 *h5, const char *view_name,
                               const char *set,
                               const struct th_master_info *info,
                               struct th_error *err)
{
  hsize_t size = (hsize_t)info->row_groups.shape.attributes;
  hid_t view = H5Screate_simple(1, &size, NULL);
  hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  th_status rc = TH_OK;
  if (view < 0 || plan < 0 || map_statistic(plan, view, set, info) < 0)
    rc = th_h5_fail(h5, "cannot write", view_name, err);
  if (rc == TH_OK)
    rc = create(h5, view_name, H5T_NATIVE_DOUBLE, NAN, view, plan, err);
  th_h5_drop(plan);
  th_h5_drop(view);
  return rc;
}

/* Map training columns, then test columns, without the padding between them. */
static herr_t map_values(hid_t plan, hid_t view,
                         const struct th_master_info *info)
{
  const struct th_row_groups *g = &info->row_groups;
  hsize_t training = (hsize_t)g->shape.training;
  hsize_t tests = (hsize_t)g->shape.examples - training;
  hsize_t height = (hsize_t)g->shape.row_group;
  hsize_t tests_at = (hsize_t)g->training_groups * height;
  herr_t ok = 0;
  for (int64_t k = 0; ok >= 0 && k < info->shards; k++) {
    const struct th_shard_row *row = &info->shard[k];
    hsize_t first = (hsize_t)row->range.first;
    hsize_t count = (hsize_t)th_range_count(row->range);
    struct shard_set set = {.path = row->path,
                            .name = TH_D_X,
                            .rank = 2,
                            .size = {count, (hsize_t)g->groups * height}};
    struct box to[2] = {{{first, 0}, {count, training}},
                        {{first, training}, {count, tests}}};
    struct box from[2] = {{{0, 0}, {count, training}},
                          {{0, tests_at}, {count, tests}}};
    for (int part = 0; ok >= 0 && part < 2; part++)
      if (to[part].count[1] > 0)
        ok = map(plan, view, &to[part], &set, &from[part]);
  }
  return ok;
}

/* Map the bytes of packed values, as they lie in the shards. */
static herr_t map_packed(hid_t plan, hid_t view,
                         const struct th_master_info *info)
{
  const struct th_row_groups *g = &info->row_groups;
  hsize_t width =
      (hsize_t)(g->groups * th_row_groups_items(g, g->shape.row_group));
  herr_t ok = 0;
  for (int64_t k = 0; ok >= 0 && k < info->shards; k++) {
    const struct th_shard_row *row = &info->shard[k];
    hsize_t first = (hsize_t)row->range.first;
    hsize_t count = (hsize_t)th_range_count(row->range);
    struct shard_set set = {
        .path = row->path, .name = TH_D_X, .rank = 2, .size = {count, width}};
    struct box to = {{first, 0}, {count, width}};
    struct box from = {{0, 0}, {count, width}};
    ok = map(plan, view, &to, &set, &from);
  }
  return ok;
}

/* The values of all shards as one matrix of `columns`. */
struct values_view {
  const char *name;
  hsize_t columns;
  hid_t type;
  double fill;
  herr_t (*map)(hid_t plan, hid_t view, const struct th_master_info *info);
};

static struct values_view view_of(const struct th_row_groups *g)
{
  const struct th_shape *shape = &g->shape;
  int64_t stored = g->groups * th_row_groups_items(g, shape->row_group);
  if (th_type_packed(shape->type) > 1)
    return (struct values_view){TH_D_PACKED, (hsize_t)stored, H5T_NATIVE_INT16,
                                -1, map_packed};
  /* Whole numbers have no NaN: they appear as doubles, which hold them all. */
  hid_t type = shape->type == TH_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  return (struct values_view){TH_D_X, (hsize_t)shape->examples, type, NAN,
                              map_values};
}

static th_status put_values(const struct th_h5 *h5,
                            const struct th_master_info *info,
                            struct th_error *err)
{
  struct values_view what = view_of(&info->row_groups);
  hsize_t size[2] = {(hsize_t)info->row_groups.shape.attributes, what.columns};
  hid_t view = H5Screate_simple(2, size, NULL);
  hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
  th_status rc = TH_OK;
  if (view < 0 || plan < 0 || what.map(plan, view, info) < 0)
    rc = th_h5_fail(h5, "cannot write", what.name, err);
  if (rc == TH_OK)
    rc = create(h5, what.name, what.type, what.fill, view, plan, err);
  th_h5_drop(plan);
  th_h5_drop(view);
  return rc;
}

th_status th_master_views(const struct th_h5 *h5,
                          const struct th_master_info *info,
                          struct th_error *err)
{
  static const char *const statistics[] = {TH_D_MEAN, TH_D_DEVIATION,
                                           TH_D_LOWEST, TH_D_HIGHEST};
  static const char *const views[] = {
      TH_G_STATS TH_D_MEAN, TH_G_STATS TH_D_DEVIATION, TH_G_STATS TH_D_LOWEST,
      TH_G_STATS TH_D_HIGHEST};
  th_status rc = TH_OK;
  TH_TRY(th_h5_group(h5, TH_G_STATS, err));
  for (size_t k = 0; k < sizeof views / sizeof *views; k++)
    TH_TRY(put_statistic(h5, views[k], statistics[k], info, err));
  if (info->row_groups.shape.layout == TH_DENSE)
    TH_TRY(put_values(h5, info, err));
done:
  return rc;
}
