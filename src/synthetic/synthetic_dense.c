/* synthetic_dense.c - the values of dense families, in strips of examples
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/partition.h"
#include "synthetic/families.h"

static th_status store(const struct th_synthetic_room *room,
                       const struct th_family_walk *walk, int64_t attribute,
                       struct th_error *err)
{
  int64_t to = (attribute - room->attributes.first) * room->stride +
               walk->first - room->examples.first;
  int64_t k =
      th_type_store_all(room->type, room->values, to, walk->rows, walk->value);
  if (k < walk->rows)
    return th_fail(err, TH_EDATA,
                   "example %lld, attribute %lld: %g cannot be stored as %s; "
                   "use {type} f32",
                   (long long)(walk->first + k), (long long)attribute,
                   walk->value[k], th_type_name(room->type));
  return TH_OK;
}

static th_status store_strip(const struct th_family_rules *rules,
                             const struct th_synthetic_room *room,
                             struct th_family_walk *walk, struct th_error *err)
{
  th_status rc = TH_OK;
  struct th_range range = room->attributes;
  for (int64_t j = range.first; j < range.last && rc == TH_OK; j++) {
    if (rules->start != NULL && (j == range.first || j % TH_CELL == 0))
      rules->start(walk, j);
    rules->next(walk, j);
    rc = store(room, walk, j, err);
  }
  return rc;
}

th_status th_synthetic_dense(const struct th_synthetic_law *law,
                             const struct th_synthetic_room *room,
                             struct th_error *err)
{
  const int64_t rows = room->examples.count;
  th_status rc = TH_OK;
  for (int64_t done = 0; done < rows && rc == TH_OK; done += TH_FAMILY_STRIP) {
    struct th_family_walk walk = {.law = law,
                                  .first = room->examples.first + done};
    walk.rows = th_min_i64(rows - done, TH_FAMILY_STRIP);
    rc = store_strip(law->rules, room, &walk, err);
  }
  return rc;
}
