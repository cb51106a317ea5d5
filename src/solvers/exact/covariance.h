/* covariance.h - products of gathered columns: new ones with all
 *
 * With a squared loss and many more examples than attributes, coordinate
 * descent needs only the columns' products. Ranks share the work evenly, and
 * each gets all products. The bits of a product depend on its two columns
 * alone.
 * SPDX-License-Identifier: MIT */
#ifndef TH_COVARIANCE_H
#define TH_COVARIANCE_H

#include "solvers/access/replicated_columns.h"
#include "solvers/access/rowwise.h"

/* product[j * capacity + k] = sum of eta_i (x_ij - m_j) (x_ik - m_k) over the
 * examples for slots j, k < count; m_j = 0, or the eta-weighted mean of a
 * problem with an intercept. Replicated. */
struct th_covariance {
  int64_t count;
  int64_t capacity;
  int64_t room; /* products that there is memory for */
  double *product;
  double *mean; /* m_j */
};

/* Bytes of the products of so many slots, and of making them. Local. */
int64_t th_covariance_bytes(int64_t count);

/* Local. */
void th_covariance_free(struct th_covariance *covariance);

/* Form the products of the slots that columns have beyond count. root_eta: the
 * roots of eta. centred: with an intercept. Collective. */
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
 * rowwise, which has `count` columns. Local. */
th_status th_covariance_grow_rows(struct th_covariance *covariance,
                                  const struct th_replicated_columns *columns,
                                  const struct th_rowwise *rowwise,
                                  int64_t count,
                                  const struct th_covariance_weights *weights,
                                  struct th_error *err);

/* Drop slots as th_replicated_columns_keep does. Local. */
void th_covariance_keep(struct th_covariance *covariance, const bool *keep);

#endif
