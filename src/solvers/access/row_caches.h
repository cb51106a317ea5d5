/* row_caches.h - the values of the active attributes, example by example
 *
 * Stores hold attribute after attribute, but stochastic methods take example
 * after example. A row cache is one deal unit transposed: the values of this
 * rank's active attributes as (x - centre) * scale. Row caches stay while
 * there is room. Others are loaded again when they are needed; no number
 * depends on this. Values of f64 storage are held in f64, all others in f32.
 * This is exact if attributes are neither centred nor scaled. With
 * --screen-draws all, a deal unit is read with all of its attributes, and what
 * screening has dropped is not kept (Liang & Poon 2022, section 4.1, the
 * method OS-Prox-SGD-1).
 * SPDX-License-Identifier: MIT */
#ifndef TH_ROW_CACHES_H
#define TH_ROW_CACHES_H

#include "math/kernels/rows.h"
#include "solvers/access/active.h"
#include "solvers/access/context.h"

#include <stdbool.h>
#include <stdint.h>

struct th_active_redistribution;
struct th_row_cache;

/* All the row caches of a rank; one for each deal unit. */
struct th_row_caches {
  struct th_context *context;
  const struct th_active *active; /* borrowed */
  enum th_type type;              /* of values: f32 or f64 */
  bool sparse;
  bool whole;                      /* all attributes are read */
  const struct th_deal_plan *plan; /* of deal units; the context's */
  int64_t count;                   /* deal units of the training examples */
  struct th_row_cache *cache;
  int64_t limit;       /* bytes for values that stay; 0: all of them */
  int64_t bytes;       /* taken now */
  int64_t next_victim; /* the next row cache to make room */
  double *column;      /* work array: one attribute of a deal unit */
  int32_t *renumber;   /* work array: new places of old ones */
  int64_t renumber_capacity;
};

/* Reserve work arrays for the present places. Local. */
th_status th_row_caches_reserve(struct th_row_caches *caches,
                                struct th_error *err);

/* Begin with nothing read. Local. Release with th_row_caches_free. */
th_status th_row_caches_init(struct th_row_caches *caches,
                             struct th_context *context,
                             const struct th_active *active, int64_t limit,
                             struct th_error *err);
void th_row_caches_free(struct th_row_caches *caches);

/* Declare a draw of all active attributes, or of all, on the rows of deal unit
 * k, and hold
 * its row cache until th_row_caches_release. Holds are counted. Local; the
 * ledger counts the draw on every rank alike, whether or not the values are in
 * memory. */
th_status th_row_caches_draw(struct th_row_caches *caches, int64_t k,
                             struct th_error *err);
void th_row_caches_release(struct th_row_caches *caches, int64_t k);

/* *values = a stored row whose row cache is held. Local. */
void th_row_caches_row(const struct th_row_caches *caches, int64_t row,
                       struct th_row *values);

/* Call before th_active_keep: loaded row caches lose the same places. Local. */
void th_row_caches_keep(struct th_row_caches *caches, const bool *keep);

/* Call when places have changed in another way. Everything must be loaded
 * again, and held row caches must be drawn again, which does not change their
 * holds. Local. */
void th_row_caches_forget(struct th_row_caches *caches);

/* Deal unit k of the training examples; the unit of a stored row. Local. */
struct th_rows th_row_caches_unit(const struct th_row_caches *caches,
                                  int64_t k);
int64_t th_row_caches_unit_of(const struct th_row_caches *caches, int64_t row);

/* Move the row caches that every rank has loaded, among them all that are held.
 * The others are forgotten. Call before th_active_move. Collective. */
th_status th_row_caches_move(struct th_row_caches *caches,
                             struct th_active_redistribution *redistribution,
                             struct th_error *err);

#endif
