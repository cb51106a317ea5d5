/* reads.h - a mini-batch: fresh examples, and what is read of each
 *
 * Each example has slots. Those of its data point come first, those of its
 * inner product with w after them. The draws are independent, since reads that
 * serve both would bias the gradient (Kukliansky & Shamir 2015, section 3).
 * SPDX-License-Identifier: MIT */
#ifndef TH_READS_H
#define TH_READS_H

#include "math/discrete.h"
#include "solvers/access/context.h"
#include "solvers/access/example_order.h"
#include "solvers/sampling/learning.h"

#include <stdbool.h>
#include <stdint.h>

/* Of an attribute: what draws of it are divided by, and multiplied by. */
struct th_draws_odds {
  double chance; /* q */
  double root;   /* of the second moment, as far as it is known */
};

/* Arrays of attributes are those of the owned ones, by place from the first. */
struct th_draws {
  uint64_t seed;
  struct th_range cells;        /* of this rank */
  int64_t first;                /* attribute of it */
  struct th_alias cell;         /* q of cells; replicated */
  struct th_alias_place *place; /* q within cells: a table for each */
  struct th_draws_odds *odds;
  struct th_sum_tree mass;   /* p of the attributes, up to cells */
  struct th_sum_tree all;    /* p of the cells; replicated */
  double *weight;            /* q before it is divided by its sum */
  double *root;              /* of the second moments */
  double (*plain)(double u); /* mass of p, of u alone; NULL: improved, which is
                                |u| times the root */
  double *work;              /* cells */
  int32_t *places;           /* work */
};

/* Room for all; nothing can be drawn yet. Local. Release with
 * th_reads_draws_free. */
th_status th_reads_draws_init(struct th_draws *draws,
                              const struct th_context *context,
                              struct th_error *err);

void th_reads_draws_free(struct th_draws *draws);

/* Bytes for each attribute of a rank. Local. */
int64_t th_reads_draws_bytes(void);

/* From now on data points are drawn in proportion to draws->weight[owned].
 * Collective. An error where they add up to nothing. */
th_status th_reads_draws_set(struct th_draws *draws,
                             const struct th_context *context,
                             struct th_error *err);

/* Inner products with u are drawn by these masses from now on: of one attribute
 * of this rank, up to its cell. Local. */
void th_reads_draws_weigh(struct th_draws *draws, int64_t a, double u);

/* Of all attributes, and of all cells. Collective. */
void th_reads_draws_weigh_all(struct th_draws *draws,
                              const struct th_context *context,
                              const struct th_iterate *w);

/* Replicated but for the slots of this rank. */
struct th_reads {
  int64_t rows;
  int64_t capacity;        /* rows */
  struct th_pieces pieces; /* single rows */
  double *residual;        /* of each row: estimated prediction less target,
                              times its weight */
  int64_t points;          /* slots of a data point: kx */
  int64_t most_inners;     /* slots of an inner product: kphi */
  int64_t inners;          /* the same; 0 if w = 0 */
  int64_t slot_capacity;
  int32_t *cell;  /* of each slot, row by row */
  double *number; /* draws the attribute in it */
  struct th_draw draw;
  int64_t count; /* slots whose cell is this rank's */
  int64_t *slot;
  int64_t *attribute;
  double *value;    /* as solvers see it */
  int64_t *message; /* terms of inner products, bit by bit; distinct reads; a
                       flag */
  double loss;      /* mean of half the squared estimated residuals */
};

/* Room for `rows` examples with so many slots. Local. Release with
 * th_reads_free. */
th_status th_reads_init(struct th_reads *reads, int64_t rows, int64_t points,
                        int64_t inners, struct th_error *err);

void th_reads_free(struct th_reads *reads);

/* Take the next examples, draw and read their attributes. example: how many
 * there were before. *more = false: none is left; nothing has changed then.
 * Local. */
th_status th_reads_draw(struct th_reads *reads, struct th_context *context,
                        struct th_example_order *order,
                        const struct th_draws *draws, int64_t example,
                        bool *more, struct th_error *err);

/* Estimate the inner products with w, and the residuals. Collective: one sum of
 * 8 bytes for each slot of an inner product. taken: the status of th_reads_draw
 * on this rank. */
th_status th_reads_residuals(struct th_reads *reads, struct th_context *context,
                             const struct th_draws *draws,
                             const struct th_iterate *w,
                             const struct th_all_targets *targets,
                             th_status taken, struct th_error *err);

/* Is slot number k of this rank one of a data point? Its row. Local. */
static inline bool th_reads_is_point(const struct th_reads *reads, int64_t k)
{
  return reads->slot[k] % reads->draw.slots < reads->points;
}

static inline int64_t th_reads_row(const struct th_reads *reads, int64_t k)
{
  return reads->slot[k] / reads->draw.slots;
}

#endif
