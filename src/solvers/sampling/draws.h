/* draws.h - which attributes of an example are read
 *
 * A draw has two levels. Every rank draws the cell, and the cell's owner draws
 * the attribute within it. Both use numbers named by the example and the slot,
 * so draws do not depend on the number of ranks. Attributes of a data point are
 * drawn by q, from alias tables that stay for a phase; attributes of an inner
 * product by p, from sums that follow the iterate.
 * SPDX-License-Identifier: MIT */
#ifndef TH_DRAWS_H
#define TH_DRAWS_H

#include "math/discrete.h"
#include "solvers/access/context.h"
#include "solvers/sampling/iterate.h"

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

/* Room for all; nothing can be drawn yet. Local. Release with th_draws_free. */
th_status th_draws_init(struct th_draws *draws,
                        const struct th_context *context, struct th_error *err);
void th_draws_free(struct th_draws *draws);

/* Bytes for each attribute of a rank. Local. */
int64_t th_draws_bytes(void);

/* From now on data points are drawn in proportion to draws->weight[owned].
 * Collective. An error where they add up to nothing. */
th_status th_draws_set(struct th_draws *draws, const struct th_context *context,
                       struct th_error *err);

/* Bring near what th_draws_attribute is going to need. Local. */
void th_draws_prefetch(const struct th_draws *draws, bool inner, int32_t cell,
                       double number);

/* Inner products with u are drawn by these masses from now on: of one attribute
 * of this rank, up to its cell. Local. */
void th_draws_weigh(struct th_draws *draws, int64_t a, double u);
/* Of all attributes, and of all cells. Collective. */
void th_draws_weigh_all(struct th_draws *draws,
                        const struct th_context *context,
                        const struct th_iterate *w);

/* The cell of a slot of an example, by q or by p, and the number that draws the
 * attribute within it. Local, replicated. */
int32_t th_draws_cell(const struct th_draws *draws, bool inner, int64_t example,
                      int64_t slot, double *number);

/* The place of the attribute that the number draws in a cell of this rank.
 * Local. */
int64_t th_draws_attribute(const struct th_draws *draws, bool inner,
                           int32_t cell, double number);

/* The mass that p gives to all attributes; 0: there is nothing to draw. Local,
 * replicated. */
double th_draws_total(const struct th_draws *draws);

#endif
