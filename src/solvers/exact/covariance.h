/* covariance.h - products of gathered columns: new ones with all
 *
 * With a squared loss and many more examples than attributes, coordinate
 * descent needs only the columns' products. Ranks share the work evenly. All
 * products lie in memory that the ranks of a node share. The bits of a product
 * depend on its two columns alone.
 *
 * All functions are collective, if they do not say otherwise: over the ranks
 * that formed the products.
 * SPDX-License-Identifier: MIT */
#ifndef TH_COVARIANCE_H
#define TH_COVARIANCE_H

#include "solvers/access/replicated_columns.h"
#include "solvers/access/rowwise.h"

/* product[j * capacity + k] = sum of eta_i (x_ij - m_j) (x_ik - m_k) over the
 * examples for slots j, k < count; m_j = 0, or the eta-weighted mean of a
 * problem with an intercept. One copy a node. */
struct th_covariance {
  int64_t count;
  int64_t capacity;
  double *product;
  struct th_shared memory; /* has the products of several ranks */
  double *alone;           /* owned: those of a single one, */
  int64_t room;            /* products that it has room for */
  double *mean;            /* m_j; replicated */
  struct th_shared sums;   /* for new products */
  int64_t sums_bytes;
};

/* Bytes that each rank needs to make the products of so many slots; and those
 * of the products, which a node shares. Local. */
int64_t th_covariance_bytes(int64_t count);
int64_t th_covariance_shared_bytes(int64_t count);

/* Collective. */
void th_covariance_free(struct th_covariance *covariance);

/* Form the products of the slots that columns have beyond count. root_eta: the
 * roots of eta. centred: with an intercept. */
th_status th_covariance_grow(struct th_covariance *covariance,
                             const struct th_replicated_columns *columns,
                             struct th_comm *comm, const double *eta,
                             const double *root_eta, bool centred,
                             struct th_error *err);

/* Any weights of examples in place of eta; borrowed. */
struct th_covariance_weights {
  const double *h; /* examples */
  double sum;
  bool centred; /* columns lose their mean under h */
};

/* Form the products of new slots of sparse columns. Attribute a is column a of
 * rowwise, which has `count` columns. */
th_status th_covariance_grow_rows(struct th_covariance *covariance,
                                  const struct th_replicated_columns *columns,
                                  const struct th_rowwise *rowwise,
                                  int64_t count,
                                  const struct th_covariance_weights *weights,
                                  struct th_comm *comm, struct th_error *err);

/* Drop slots as th_replicated_columns_keep does. */
void th_covariance_keep(struct th_covariance *covariance, const bool *keep);

/* Update the products by the curvature along a step of all slots (the update of
 * Broyden, Fletcher, Goldfarb and Shanno): by how much the step changed the
 * slopes, and by how much the products predicted. */
void th_covariance_learn(struct th_covariance *covariance, const double *step,
                         const double *change, const double *expected);

#endif
