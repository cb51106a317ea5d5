/* computed.h - what a store that computes keeps; internal to src/synthetic
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_COMPUTED_H
#define TH_COMPUTED_H

#include "data/source.h"
#include "model/ground_truth.h"
#include "synthetic/memo.h"
#include "synthetic/synthetic.h"
#include "synthetic/tiles.h"

/* Where a request lies. */
struct th_computed_place {
  int64_t group;
  struct th_rows rows; /* of the group */
  int64_t row;         /* first wanted, counted from the group's first */
  int32_t count;
};

/* Dense values by cell and row group. shape is borrowed, and the law's truth.
 */
struct th_computed_dense {
  struct th_synthetic_law law;
  const struct th_shape *shape;
  int64_t memory;       /* bytes of values to keep */
  struct th_memo cells; /* patches, see computed.c */
  struct th_memo alone; /* patches of single attributes */
  void *scratch;        /* what is not kept */
  int64_t scratch_bytes;
};

/* Sparse values by a few attributes on all rows. truth and shape are borrowed.
 */
struct th_computed_sparse {
  const struct th_ground_truth *truth;
  const struct th_shape *shape;
  int64_t memory; /* bytes of values to keep */
  struct th_zipf law;
  uint8_t *width;        /* of each cell's units: its binary logarithm */
  struct th_memo units;  /* struct th_tiles */
  struct th_memo alone;  /* the same, of single attributes */
  struct th_tiles tiles; /* what is not kept */
  struct th_column column;
};

/* Begin with nothing kept; release with th_computed_dense_free. */
void th_computed_dense_init(struct th_computed_dense *dense,
                            const struct th_ground_truth *truth,
                            const struct th_shape *shape, int64_t memory);
void th_computed_dense_free(struct th_computed_dense *dense);
/* Begin with nothing kept; release with th_computed_sparse_free. */
th_status th_computed_sparse_init(struct th_computed_sparse *sparse,
                                  const struct th_ground_truth *truth,
                                  const struct th_shape *shape, int64_t memory,
                                  struct th_error *err);
void th_computed_sparse_free(struct th_computed_sparse *sparse);

/* Fill in a slab whose attributes are those asked for. keep: a single attribute
 * that will be wanted again. */
th_status th_computed_dense_slab(struct th_computed_dense *dense,
                                 const struct th_computed_place *place,
                                 bool keep, struct th_slab *slab,
                                 struct th_error *err);
th_status th_computed_sparse_slab(struct th_computed_sparse *sparse,
                                  const struct th_computed_place *place,
                                  bool keep, struct th_slab *slab,
                                  struct th_error *err);

#endif
