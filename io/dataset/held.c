/* held.c - dense values that are held in memory, and in no file
 * SPDX-License-Identifier: MIT */
#include "io/dataset/held.h"

#include "base/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/files/file.h"
#include "io/files/hash.h"
#include "io/hdf5/h5.h"

#include <stdlib.h>

static const char what[] = "values that are held in memory";

/* Pages are zeros when they are first written, so nobody has to clear them. */
static th_status reserve_pages(struct th_held *held, struct th_error *err)
{
  const int64_t bytes = th_row_groups_bytes(&held->row_groups, 0);
  th_status rc = TH_NEW_RARE(&held->room, bytes + TH_LARGE_PAGE, what, err);
  if (rc != TH_OK)
    return rc;
  const uintptr_t past = (uintptr_t)held->room % TH_LARGE_PAGE;
  held->values = held->room + (past > 0 ? TH_LARGE_PAGE - past : 0);
  th_memory_large_pages(held->values, (size_t)bytes);
  return TH_OK;
}

th_status th_held_begin(struct th_held *held, const struct th_shape *shape,
                        bool weighted, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(th_row_groups_init(&held->row_groups, shape, err));
  held->row_groups.shape.weighted_statistics = weighted;
  held->run = (int64_t)th_type_bytes(shape->type, shape->row_group);
  TH_TRY(reserve_pages(held, err));
  TH_TRY(TH_NEW(&held->doubles, shape->row_group, what, err));
  rc = th_running_stats_init(&held->stats, shape->attributes, weighted, err);
done:
  return rc;
}

bool th_held_take(struct th_held *held, int64_t group, struct th_range range,
                  const double *weight)
{
  const struct th_row_groups *g = &held->row_groups;
  const enum th_type type = g->shape.type;
  const struct th_rows rows = th_row_groups_group(g, group);
  const size_t used = th_type_bytes(type, rows.count);
  const bool training = group < g->training_groups;
  const char *run = th_held_run(held, group, range.first);
  if (weight != NULL)
    weight += rows.first;
  for (int64_t a = range.first; a < range.last; a++, run += held->run) {
    held->content += th_fingerprint_share(a, group, th_hash(run, used));
    if (!th_running_stats_load(type, false, run, rows.count, held->doubles,
                               &held->nonzeros))
      return false;
    if (training)
      th_running_stats_add(&held->stats, a, held->doubles, weight, rows.count);
  }
  return true;
}

/* What the master says of files: there is one shard, which nobody opens. */
static th_status describe_held(const struct th_held *held,
                               const struct th_master *master,
                               struct th_master_info *info,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  info->row_groups = held->row_groups;
  info->row_groups.shape.nonzeros = held->nonzeros;
  info->row_groups.shape.missing = 0;
  TH_TRY(TH_NEW(&info->shard, 1, what, err));
  info->shards = 1;
  info->shard[0] =
      (struct th_shard_row){.range = {0, held->row_groups.shape.attributes},
                            .content = held->content};
  TH_TRY(th_file_text(&info->provenance, err, "%s",
                      master->provenance != NULL ? master->provenance : ""));
  rc = th_master_shard_path(&info->shard[0].path, "memory.shards", 0, err);
done:
  return rc;
}

th_status th_held_end(struct th_held *held, const struct th_master *master,
                      const char *name, struct th_error *err)
{
  struct th_master_info info = {0};
  struct th_h5_image *image = NULL;
  const int64_t training = held->row_groups.shape.training;
  th_status rc = TH_OK;
  th_running_stats_finish(&held->stats, training, (double)training);
  TH_TRY(TH_NEW(&image, 1, what, err));
  TH_TRY(describe_held(held, master, &info, err));
  TH_TRY(th_master_image(name, &info, master, image, err));
  held->master = image;
  image = NULL;
done:
  if (image != NULL)
    TH_FREE(image->bytes, image);
  th_master_info_free(&info);
  return rc;
}

void th_held_free(struct th_held *held)
{
  if (held->master != NULL)
    TH_FREE(held->master->bytes, held->master);
  TH_FREE(held->room, held->doubles);
  th_running_stats_free(&held->stats);
  *held = (struct th_held){0};
}
