/* covariance_rows.c - products of sparse columns, from their entries by rows
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "solvers/exact/covariance.h"

#include <string.h>

/* The slot of each column, -1 if it has none. Local. */
static th_status name_columns(const struct th_replicated_columns *columns,
                              int64_t count, int64_t **name,
                              struct th_error *err)
{
  th_status rc = TH_NEW(name, count, "the attributes of the working set", err);
  for (int64_t k = 0; rc == TH_OK && k < count; k++)
    (*name)[k] = -1;
  for (int64_t slot = 0; rc == TH_OK && slot < columns->count; slot++)
    (*name)[columns->attribute[slot]] = slot;
  return rc;
}

/* Turn sums of pairs into centred products, at both of their places. */
static void centre(struct th_covariance *c, int64_t first, int64_t last,
                   double sum_h)
{
  for (int64_t j = first; j < last; j++)
    for (int64_t k = 0; k <= j; k++) {
      double *here = &c->product[j * c->capacity + k];
      double *there = &c->product[k * c->capacity + j];
      if (k >= first && k < j)
        *here += *there;
      *here -= sum_h * c->mean[j] * c->mean[k];
      *there = *here;
    }
}

static void clear(struct th_covariance *c, int64_t first, int64_t last)
{
  for (int64_t j = first; j < last; j++)
    memset(c->product + j * c->capacity, 0, (size_t)last * sizeof *c->product);
}

th_status th_covariance_grow_rows(struct th_covariance *c,
                                  const struct th_replicated_columns *columns,
                                  const struct th_rowwise *rowwise,
                                  int64_t count,
                                  const struct th_covariance_weights *weights,
                                  struct th_error *err)
{
  const double *h = weights->h;
  struct th_rowwise_entry *work = NULL;
  int64_t *name = NULL;
  int64_t first = c->count;
  int64_t last = columns->count;
  th_status rc = TH_OK;
  if (first == last)
    return rc;
  TH_TRY(name_columns(columns, count, &name, err));
  TH_TRY(TH_NEW(&work, rowwise->longest, "products of attributes", err));
  TH_TRY(th_covariance_reserve(c, last, err));
  for (int64_t k = first; k < last; k++)
    c->mean[k] = weights->centred && weights->sum > 0
                     ? th_column_dot(&columns->vector[k], h) / weights->sum
                     : 0;
  clear(c, first, last);
  th_rowwise_products(rowwise, h, name, first, c->capacity, c->product, work);
  centre(c, first, last, weights->sum);
  c->count = last;
done:
  TH_FREE(name, work);
  return rc;
}
