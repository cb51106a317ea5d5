/* synthetic_store.c - a synthetic family as a store: computed, not read
 * SPDX-License-Identifier: MIT */
#include "synthetic/synthetic_store.h"

#include "base/integer.h"
#include "base/memory.h"
#include "ranks/comm.h"
#include "synthetic/computed.h"

#include <string.h>

enum { KEPT_TARGETS = 1 << 24 }; /* dense: kept up to this many examples */

struct th_synthetic_store {
  struct th_store store; /* first: the store is the synthetic store */
  const struct th_ground_truth *truth;
  struct th_synthetic_law law;
  double *target; /* of all examples, or NULL */
  struct th_computed_dense dense;
  struct th_computed_sparse sparse;
};

static struct th_computed_place place_of(const struct th_shape *shape,
                                         struct th_rows rows)
{
  struct th_computed_place place = {.count = (int32_t)rows.count};
  place.group = th_shape_group_of(shape, rows.first, &place.row);
  place.rows = th_shape_group(shape, place.group);
  return place;
}

static th_status slab_of(struct th_store *store, struct th_rows rows,
                         struct th_range range, bool keep, struct th_slab *slab,
                         struct th_error *err)
{
  struct th_synthetic_store *s = (struct th_synthetic_store *)store;
  const struct th_shape *shape = &store->shape;
  double began = th_comm_clock();
  if (range.first < 0 || range.first >= range.last ||
      range.last > shape->attributes || rows.first < 0 || rows.count < 1 ||
      rows.first + rows.count > shape->examples)
    return th_fail(err, TH_EARG, "a request outside of the computed data");
  struct th_computed_place place = place_of(shape, rows);
  if (place.row + place.count > place.rows.count)
    return th_fail(err, TH_EARG, "rows of more than one row group");
  *slab = (struct th_slab){.layout = shape->layout,
                           .type = shape->type,
                           .attributes = range,
                           .row = place.row,
                           .rows = place.count};
  th_status rc =
      shape->layout == TH_DENSE
          ? th_computed_dense_slab(&s->dense, &place, keep, slab, err)
          : th_computed_sparse_slab(&s->sparse, &place, keep, slab, err);
  store->seconds += th_comm_clock() - began;
  return rc;
}

static th_status targets_of(struct th_store *store, struct th_rows rows,
                            double *target, double *weight,
                            struct th_error *err)
{
  const struct th_synthetic_store *s = (struct th_synthetic_store *)store;
  const struct th_shape *shape = &store->shape;
  for (int64_t i = 0; weight != NULL && i < rows.count; i++)
    weight[i] = 1;
  if (target == NULL)
    return TH_OK;
  if (s->target == NULL)
    return th_synthetic_targets(s->truth, shape->attributes, shape->examples,
                                rows.first, rows.count, target, err);
  memcpy(target, s->target + rows.first, (size_t)rows.count * sizeof *target);
  return TH_OK;
}

static th_status statistics_of(struct th_store *store, struct th_range range,
                               struct th_statistics *statistics,
                               struct th_error *err)
{
  const struct th_synthetic_store *s = (struct th_synthetic_store *)store;
  if (range.first < 0 || range.last > store->shape.attributes)
    return th_fail(err, TH_EARG, "a request outside of the computed data");
  th_synthetic_statistics(&s->law, range, statistics);
  return TH_OK;
}

static const struct th_store_ops store_ops = {
    .slab = slab_of, .targets = targets_of, .statistics = statistics_of};

/* FNV-1a over the parameters that decide the content. */
static uint64_t fingerprint_of(const struct th_ground_truth *truth,
                               const struct th_shape *shape)
{
  double reals[1 + TH_FAMILY_PARAMETERS_COUNT] = {truth->noise};
  size_t count = 1;
  const struct th_family_parameter *row;
  for (int k = 0; (row = th_ground_truth_parameter(k)) != NULL; k++)
    if (th_ground_truth_has(truth->family, k))
      reals[count++] = th_ground_truth_get(&truth->own, row);
  const int64_t whole[] = {(int64_t)truth->seed, truth->support_size,
                           shape->examples,      shape->training,
                           shape->attributes,    shape->row_group,
                           (int64_t)shape->type};
  char bytes[TH_FAMILY_NAME + sizeof reals + sizeof whole] = "";
  memcpy(bytes, truth->family, strlen(truth->family));
  memcpy(bytes + TH_FAMILY_NAME, reals, count * sizeof *reals);
  size_t used = TH_FAMILY_NAME + count * sizeof *reals;
  memcpy(bytes + used, whole, sizeof whole);
  return th_integer_hash(TH_FNV_BASIS, bytes, used + sizeof whole);
}

/* A sparse target needs whole attributes: all are made at once. */
static th_status keep_targets(struct th_synthetic_store *s,
                              struct th_error *err)
{
  const struct th_shape *shape = &s->store.shape;
  if (shape->layout == TH_DENSE && shape->examples > KEPT_TARGETS)
    return TH_OK;
  th_status rc = TH_NEW(&s->target, shape->examples, "the targets", err);
  if (rc != TH_OK)
    return rc;
  return th_synthetic_targets(s->truth, shape->attributes, shape->examples, 0,
                              shape->examples, s->target, err);
}

th_status th_synthetic_store_create(struct th_synthetic_store **store,
                                    const struct th_ground_truth *truth,
                                    const struct th_shape *shape,
                                    int64_t memory, struct th_error *err)
{
  struct th_synthetic_store *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the computed data", err);
  if (rc != TH_OK)
    return rc;
  s->truth = truth;
  s->law = th_synthetic_law(truth, shape->attributes);
  s->store.ops = &store_ops;
  s->store.shape = *shape;
  s->store.shape.computed = true;
  s->store.statistics = "family";
  s->store.fingerprint = fingerprint_of(truth, shape);
  s->store.shape.nonzeros = (int64_t)(s->law.share * (double)shape->examples *
                                      (double)shape->attributes);
  if (shape->layout == TH_DENSE)
    th_computed_dense_init(&s->dense, truth, &s->store.shape, memory);
  else
    TH_TRY(th_computed_sparse_init(&s->sparse, truth, &s->store.shape, memory,
                                   err));
  TH_TRY(keep_targets(s, err));
  *store = s;
  s = NULL;
done:
  th_synthetic_store_free(s);
  return rc;
}

void th_synthetic_store_free(struct th_synthetic_store *store)
{
  if (store == NULL)
    return;
  th_computed_dense_free(&store->dense);
  th_computed_sparse_free(&store->sparse);
  TH_FREE(store->target, store);
}

struct th_store *th_synthetic_store_of(struct th_synthetic_store *store)
{
  return &store->store;
}
