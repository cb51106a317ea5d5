/* attribute_groups.c - groups of attributes in a master file
 * SPDX-License-Identifier: MIT */
#include "io/dataset/attribute_groups.h"

#include "base/memory.h"
#include "base/search.h"
#include "io/dataset/format.h"

#include <math.h>
#include <stdlib.h>

/* The table, column by column. */
struct columns {
  int64_t *first;
  int64_t *count;
  int64_t *group;
  double *weight;
};

static void columns_free(struct columns *columns)
{
  TH_FREE(columns->first, columns->count, columns->group, columns->weight);
}

static th_status columns_alloc(struct columns *columns, int64_t count,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&columns->first, count, "groups of attributes", err));
  TH_TRY(TH_NEW(&columns->count, count, "groups of attributes", err));
  TH_TRY(TH_NEW(&columns->group, count, "groups of attributes", err));
  TH_TRY(TH_NEW(&columns->weight, count, "groups of attributes", err));
done:
  return rc;
}

th_status th_attribute_groups_put(const struct th_h5 *h5,
                                  const struct th_group_piece *piece,
                                  int64_t count, struct th_error *err)
{
  struct columns c = {0};
  th_status rc = TH_OK;
  if (count == 0)
    return TH_OK;
  TH_TRY(columns_alloc(&c, count, err));
  for (int64_t k = 0; k < count; k++) {
    c.first[k] = piece[k].range.first;
    c.count[k] = th_range_count(piece[k].range);
    c.group[k] = piece[k].group;
    c.weight[k] = piece[k].weight;
  }
  hid_t type = H5T_NATIVE_INT64;
  TH_TRY(th_h5_group(h5, TH_G_TOGETHER, err));
  TH_TRY(th_h5_put_i64(h5, TH_G_TOGETHER, TH_A_COUNT, count, err));
  TH_TRY(th_h5_set_put(h5, TH_D_TOGETHER_FIRST, type, count, c.first, err));
  TH_TRY(th_h5_set_put(h5, TH_D_TOGETHER_COUNT, type, count, c.count, err));
  TH_TRY(th_h5_set_put(h5, TH_D_TOGETHER_GROUP, type, count, c.group, err));
  TH_TRY(th_h5_set_put(h5, TH_D_TOGETHER_WEIGHT, H5T_NATIVE_DOUBLE, count,
                       c.weight, err));
done:
  columns_free(&c);
  return rc;
}

static th_status get_pieces(const struct th_h5 *h5, int64_t count,
                            struct columns *c, struct th_error *err)
{
  hid_t type = H5T_NATIVE_INT64;
  th_status rc = TH_OK;
  TH_TRY(th_h5_set_expect(h5, TH_D_TOGETHER_FIRST, count, err));
  TH_TRY(columns_alloc(c, count, err));
  TH_TRY(th_h5_set_get(h5, TH_D_TOGETHER_FIRST, type, count, c->first, err));
  TH_TRY(th_h5_set_get(h5, TH_D_TOGETHER_COUNT, type, count, c->count, err));
  TH_TRY(th_h5_set_get(h5, TH_D_TOGETHER_GROUP, type, count, c->group, err));
  TH_TRY(th_h5_set_get(h5, TH_D_TOGETHER_WEIGHT, H5T_NATIVE_DOUBLE, count,
                       c->weight, err));
done:
  return rc;
}

/* The piece that a group begins with, or NULL. */
static struct th_group_piece *leading_piece(struct th_group_piece *piece,
                                            int64_t count, int64_t group)
{
  int64_t k = th_search_member(piece, sizeof *piece,
                               offsetof(struct th_group_piece, range.first),
                               count, group);
  bool found =
      k < count && piece[k].range.first == group && piece[k].group == group;
  return found ? &piece[k] : NULL;
}

/* Check that the pieces cover each attribute once and that each group has one
 * weight, and fill in sizes. False if the check fails. */
static bool complete_pieces(struct th_group_piece *piece, int64_t count,
                            int64_t attributes)
{
  int64_t reached = 0;
  for (int64_t k = 0; k < count; k++) {
    struct th_range range = piece[k].range;
    struct th_group_piece *lead = leading_piece(piece, count, piece[k].group);
    if (range.first != reached || range.last <= range.first ||
        range.last > attributes || lead == NULL || lead > &piece[k] ||
        !(lead->weight == piece[k].weight && lead->weight >= 0 &&
          isfinite(lead->weight)))
      return false;
    lead->size += th_range_count(range);
    reached = range.last;
  }
  for (int64_t k = 0; k < count; k++)
    piece[k].size = leading_piece(piece, count, piece[k].group)->size;
  return reached == attributes;
}

static void fill_pieces(const struct columns *c, int64_t count,
                        int64_t attributes, struct th_group_piece *piece)
{
  for (int64_t k = 0; k < count; k++) {
    bool in_range = c->first[k] >= 0 && c->first[k] < attributes &&
                    c->count[k] > 0 && c->count[k] <= attributes;
    piece[k] = (struct th_group_piece){.range = {c->first[k], c->first[k]},
                                       .group = c->group[k],
                                       .weight = c->weight[k]};
    piece[k].range.last += in_range ? c->count[k] : 0;
  }
}

th_status th_attribute_groups_get(const struct th_h5 *h5, int64_t attributes,
                                  struct th_group_piece **piece, int64_t *count,
                                  struct th_error *err)
{
  struct columns c = {0};
  struct th_group_piece *found = NULL;
  int64_t pieces = 0;
  th_status rc = TH_OK;
  *piece = NULL;
  *count = 0;
  if (!th_h5_set_exists(h5, TH_G_TOGETHER))
    return TH_OK;
  TH_TRY(th_h5_get_i64(h5, TH_G_TOGETHER, TH_A_COUNT, &pieces, err));
  if (pieces >= 1 && pieces <= attributes) {
    TH_TRY(get_pieces(h5, pieces, &c, err));
    TH_TRY(TH_NEW(&found, pieces, "groups of attributes", err));
    fill_pieces(&c, pieces, attributes, found);
  }
  if (found == NULL || !complete_pieces(found, pieces, attributes)) {
    rc = TH_DAMAGED(err, "%s: groups of attributes that do not fit the data",
                    h5->name);
    goto done;
  }
  *piece = found;
  *count = pieces;
  found = NULL;
done:
  columns_free(&c);
  free(found);
  return rc;
}
