/* csc_cache.c - the entries of this rank's sparse attributes, attribute by
 * attribute
 * SPDX-License-Identifier: MIT */
#include "solvers/access/csc_cache.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/kernels/kernels.h"

#include <stdlib.h>

enum { BYTES_PER_ENTRY = 12 };
#define MOST_BYTES ((int64_t)1 << 30) /* of a rank */

bool th_csc_cache_fits(const struct th_shape *shape, int ranks)
{
  return shape->layout == TH_SPARSE && shape->training <= INT32_MAX &&
         shape->nonzeros / ranks <= MOST_BYTES / BYTES_PER_ENTRY;
}

int64_t th_csc_cache_bytes(const struct th_plan_size *size)
{
  bool kept = th_csc_cache_fits(size->shape, size->ranks);
  return kept ? BYTES_PER_ENTRY * th_plan_entries(size) : 0;
}

void th_csc_cache_free(struct th_csc_cache *csc)
{
  TH_FREE(csc->start, csc->row, csc->value);
  *csc = (struct th_csc_cache){0};
}

/* Count the entries of a slab, or put them where start[a] says, and advance it.
 */
static void spread_entries(struct th_csc_cache *csc, const struct th_slab *slab,
                           int64_t first, int64_t at, bool put)
{
  for (int64_t k = 0; k < slab->runs; k++) {
    struct th_range entries = th_slab_entries(slab, k);
    int64_t a = at + slab->base + slab->attribute[k] - slab->attributes.first;
    if (!put) {
      csc->start[a + 1] += th_range_count(entries);
      continue;
    }
    for (int64_t e = entries.first; e < entries.last; e++) {
      int64_t to = csc->start[a]++;
      int64_t row = first + slab->row_in_group[e] - slab->row;
      csc->row[to] = (int32_t)row;
      csc->value[to] = th_type_load(slab->type, slab->values, e);
    }
  }
}

/* Take every slab of all training examples. Local. */
static th_status read_slabs(struct th_csc_cache *csc, struct th_source *source,
                            const struct th_draw *draw, bool put,
                            struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(source);
  th_status rc = TH_OK;
  for (int64_t first = 0; first < shape->training && rc == TH_OK;) {
    struct th_rows rows = th_store_shape_rest(shape, first);
    for (int64_t at = 0; at < csc->count && rc == TH_OK;) {
      struct th_slab slab;
      rc = th_source_active(source, draw, rows, at, &slab, err);
      if (rc != TH_OK)
        break;
      spread_entries(csc, &slab, rows.first, at, put);
      at += th_range_count(slab.attributes);
    }
    first += rows.count;
  }
  return rc;
}

/* Local. */
static th_status fill(struct th_csc_cache *csc, struct th_source *source,
                      const struct th_draw *draw, struct th_error *err)
{
  th_status rc = read_slabs(csc, source, draw, false, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t a = 0; a < csc->count; a++)
    csc->start[a + 1] += csc->start[a];
  int64_t entries = csc->start[csc->count];
  TH_TRY(TH_NEW(&csc->row, entries, "sparse values", err));
  TH_TRY(TH_NEW(&csc->value, entries, "sparse values", err));
  TH_TRY(read_slabs(csc, source, draw, true, err));
  for (int64_t a = csc->count; a > 0; a--)
    csc->start[a] = csc->start[a - 1];
  csc->start[0] = 0;
done:
  return rc;
}

th_status th_csc_cache_load(struct th_csc_cache *csc, struct th_source *source,
                            const int64_t *attribute, int64_t count,
                            struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(source);
  struct th_rows all = {0, shape->training};
  struct th_draw draw = {.rows = {.items = &all, .count = 1}, .active = true};
  *csc = (struct th_csc_cache){
      .count = count, .attribute = attribute, .drawn = true};
  th_status rc = TH_NEW(&csc->start, count + 1, "sparse values", err);
  if (rc == TH_OK)
    rc = th_source_draw(source, &draw, err);
  return rc == TH_OK ? fill(csc, source, &draw, err) : rc;
}

static const int64_t *find(const struct th_csc_cache *csc, int64_t attribute)
{
  return bsearch(&attribute, csc->attribute, (size_t)csc->count,
                 sizeof *csc->attribute, th_integer_ascending);
}

bool th_csc_cache_holds(const struct th_csc_cache *csc, int64_t attribute)
{
  return find(csc, attribute) != NULL;
}

struct th_range th_csc_cache_entries(const struct th_csc_cache *csc,
                                     int64_t attribute)
{
  const int64_t *found = find(csc, attribute);
  if (found == NULL)
    return (struct th_range){0, 0};
  const int64_t *start = csc->start + (found - csc->attribute);
  return (struct th_range){start[0], start[1]};
}
