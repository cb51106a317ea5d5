/* examples_check.c - verifies all of a master's own arrays
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "io/dataset/attribute_groups.h"
#include "io/dataset/dataset_parts.h"
#include "io/dataset/fingerprint.h"
#include "io/dataset/format.h"
#include "io/dataset/names.h"

#include <stdlib.h>
#include <string.h>

/* Read every group, which verifies it, then compare the joint hash. */
static th_status check_targets(struct th_dataset *d, double *room,
                               struct th_print *print, struct th_error *err)
{
  const struct th_row_groups *g = &d->info.row_groups;
  const struct th_examples *e = &d->examples;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < g->groups; k++) {
    struct th_rows rows = th_row_groups_group(g, k);
    TH_TRY(th_examples_read(d, rows, room, room, err));
    TH_TRY(th_dataset_row_numbers(d, rows, (int64_t *)(void *)room, err));
    print->target = th_fingerprint_next(print->target, e->target_checksum[k]);
    print->row = th_fingerprint_next(print->row, e->row_checksum[k]);
    if (e->weight_checksum != NULL)
      print->weight = th_fingerprint_next(print->weight, e->weight_checksum[k]);
  }
done:
  return rc;
}

static th_status check_groups(const struct th_dataset *d, int64_t *room,
                              struct th_error *err)
{
  const struct th_row_groups *g = &d->info.row_groups;
  const struct th_h5 *h5 = &d->examples.h5;
  bool good = true;
  th_status rc = TH_OK;
  TH_TRY(
      th_h5_get(h5, TH_D_GROUP_FIRST, H5T_NATIVE_INT64, g->groups, room, err));
  for (int64_t k = 0; k < g->groups; k++)
    good = good && room[k] == th_row_groups_group(g, k).first;
  TH_TRY(
      th_h5_get(h5, TH_D_GROUP_COUNT, H5T_NATIVE_INT64, g->groups, room, err));
  for (int64_t k = 0; k < g->groups; k++)
    good = good && room[k] == th_row_groups_group(g, k).count;
  const uint8_t *split = (const uint8_t *)room;
  TH_TRY(
      th_h5_get(h5, TH_D_GROUP_SPLIT, H5T_NATIVE_UINT8, g->groups, room, err));
  for (int64_t k = 0; k < g->groups; k++)
    good = good && split[k] == (k >= g->training_groups);
  TH_TRY(th_h5_get(h5, TH_D_SPLIT, H5T_NATIVE_UINT8, g->shape.examples, room,
                   err));
  int64_t weightless = g->shape.examples - g->shape.weightless;
  for (int64_t i = 0; i < g->shape.examples; i++)
    good = good && split[i] == (i >= g->shape.training) + (i >= weightless);
  if (!good)
    rc = TH_IMPORT_AGAIN(err, "%s: the row-group table does not fit the data",
                         d->path);
done:
  return rc;
}

/* Check the names as a whole, as they lie in the file, and piece by piece. */
static th_status check_names(const struct th_dataset *d, struct th_print *print,
                             struct th_error *err)
{
  const struct th_h5 *h5 = &d->examples.h5;
  int64_t attributes = d->store.shape.attributes;
  struct th_name_print found = {0};
  struct th_names names = {0};
  char **all = NULL;
  th_status rc = TH_OK;
  if (!th_h5_exists(h5, TH_D_NAMES))
    return TH_OK;
  TH_TRY(th_h5_get_texts(h5, TH_D_NAMES, attributes, &all, err));
  TH_TRY(th_names_open(&names, h5, attributes, err));
  for (int64_t a = 0; a < attributes; a++) {
    th_fingerprint_name(&found, all[a], strlen(all[a]));
    if (th_names_at(&names, a, err) == NULL) {
      rc = err->code;
      goto done;
    }
  }
  print->names = found.list;
  if (found.list != d->info.names.list || found.set != d->info.names.set)
    rc = TH_IMPORT_AGAIN(
        err, "%s: the names of attributes are not those it was written with",
        d->path);
done:
  th_names_close(&names);
  free(all);
  return rc;
}

/* Reading the groups verifies them. */
static th_status check_attribute_groups(const struct th_dataset *d,
                                        struct th_error *err)
{
  struct th_group_piece *piece = NULL;
  int64_t count = 0;
  th_status rc = th_attribute_groups_get(
      &d->examples.h5, d->store.shape.attributes, &piece, &count, err);
  free(piece);
  return rc;
}

th_status th_examples_check(struct th_dataset *dataset, struct th_print *print,
                            struct th_error *err)
{
  const struct th_row_groups *g = &dataset->info.row_groups;
  int64_t bytes = g->shape.examples + 8 * g->groups;
  int64_t *room = NULL;
  th_status rc = TH_OK;
  TH_TRY(
      th_alloc((void **)&room, bytes, 1, "the examples of a row group", err));
  TH_TRY(check_groups(dataset, room, err));
  free(room);
  room = NULL;
  TH_TRY(TH_NEW(&room, g->shape.row_group, "the examples of a row group", err));
  TH_TRY(check_targets(dataset, (double *)(void *)room, print, err));
  TH_TRY(check_names(dataset, print, err));
  TH_TRY(check_attribute_groups(dataset, err));
done:
  free(room);
  return rc;
}
