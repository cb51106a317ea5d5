/* fake_store.c - a small store that counts what a source asks of it
 * SPDX-License-Identifier: MIT */
#include "fake_store.h"

#include <string.h>

static th_status fake_slab(struct th_store *store, struct th_rows rows,
                           struct th_range range, bool keep,
                           struct th_slab *slab, struct th_error *err)
{
  struct fake_store *fake = (struct fake_store *)store;
  (void)err;
  fake->reads++;
  fake->kept = keep;
  *slab = (struct th_slab){.layout = TH_DENSE,
                           .type = TH_F64,
                           .attributes = range,
                           .row = rows.first,
                           .rows = (int32_t)rows.count,
                           .values = fake->values +
                                     range.first * FAKE_EXAMPLES + rows.first,
                           .stride = FAKE_EXAMPLES};
  return TH_OK;
}

static th_status fake_targets(struct th_store *store, struct th_rows rows,
                              double *target, double *weight,
                              struct th_error *err)
{
  (void)store;
  (void)err;
  for (int64_t i = 0; i < rows.count; i++) {
    if (target != NULL)
      target[i] = (double)(rows.first + i);
    if (weight != NULL)
      weight[i] = 1;
  }
  return TH_OK;
}

static th_status fake_statistics(struct th_store *store, struct th_range range,
                                 struct th_statistics *statistics,
                                 struct th_error *err)
{
  (void)store;
  for (int64_t a = range.first; a < range.last; a++)
    statistics[a - range.first].mean = (double)a;
  return range.last <= FAKE_ATTRIBUTES
             ? TH_OK
             : th_fail(err, TH_EIO, "no such attribute");
}

static void fake_announce(struct th_store *store, struct th_rows rows,
                          struct th_range range, bool keep)
{
  struct fake_store *fake = (struct fake_store *)store;
  fake->announced +=
      rows.count * (range.last - range.first) + (keep ? 1000 : 0);
}

static void fake_forget(struct th_store *store)
{
  ((struct fake_store *)store)->forgotten++;
}

static const struct th_store_ops fake_ops = {.slab = fake_slab,
                                             .targets = fake_targets,
                                             .statistics = fake_statistics,
                                             .announce = fake_announce,
                                             .forget = fake_forget};

void fake_store_init(struct fake_store *fake)
{
  memset(fake, 0, sizeof *fake);
  fake->store.ops = &fake_ops;
  fake->store.shape = (struct th_shape){.examples = FAKE_EXAMPLES,
                                        .training = FAKE_TRAINING,
                                        .attributes = FAKE_ATTRIBUTES,
                                        .row_group = 8,
                                        .type = TH_F64};
  for (int64_t a = 0; a < FAKE_ATTRIBUTES; a++)
    for (int64_t i = 0; i < FAKE_EXAMPLES; i++)
      fake->values[a * FAKE_EXAMPLES + i] = (double)(100 * a + i);
}

static int64_t fake_copy(struct th_store *store, struct th_rows rows,
                         const int64_t *attribute, int64_t count, void *to,
                         const struct th_packing *packing)
{
  const struct fake_store *fake = (const struct fake_store *)store;
  int64_t k = 0;
  for (; k < count && attribute[k] < fake->absent; k++)
    memcpy((char *)to + k * packing->stride,
           fake->values + attribute[k] * FAKE_EXAMPLES + rows.first,
           (size_t)packing->bytes);
  return k;
}

void fake_store_init_copying(struct fake_store *fake, int64_t absent)
{
  static const struct th_store_ops copying = {.slab = fake_slab,
                                              .copy = fake_copy,
                                              .targets = fake_targets,
                                              .statistics = fake_statistics};
  fake_store_init(fake);
  fake->store.ops = &copying;
  fake->absent = absent;
}

th_status fake_try_draw(struct th_source *source, struct th_draw *draw)
{
  struct th_error err;
  th_error_clear(&err);
  return th_source_draw(source, draw, &err);
}

th_status fake_try_block(struct th_source *source, const struct th_draw *draw,
                         struct th_rows rows, struct th_range range)
{
  struct th_error err;
  struct th_slab slab;
  th_error_clear(&err);
  return th_source_block(source, draw, rows, range, &slab, &err);
}

th_status fake_try_support(struct th_source *source, const struct th_draw *draw,
                           struct th_rows rows, int64_t attribute)
{
  struct th_error err;
  struct th_slab slab;
  th_error_clear(&err);
  int64_t k = th_range_find(draw->support, draw->support_size, attribute);
  return th_source_members(source, draw, rows, (struct th_range){k, k + 1},
                           &slab, &err);
}
