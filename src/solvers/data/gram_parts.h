/* gram_parts.h - what the files of a Gram matrix share
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_GRAM_PARTS_H
#define TH_GRAM_PARTS_H

#include "core/fixed.h"
#include "solvers/data/gram.h"

enum { TH_GRAM_ROWS = 256 }; /* of a group */

/* One call of th_gram_add. */
struct th_gram_job {
  struct th_context *context;
  const struct th_batch *batch;
  const struct th_support *support;
  const double *row_weight;
  const double *target;
  struct th_gram_room *room;
  int64_t order;  /* |S| + 2 */
  int64_t groups; /* of TH_GRAM_ROWS rows */
  struct th_fixed fixed;
};

/* ---- which rows (gram.c) ---- */

struct th_rows th_gram_group(const struct th_gram_job *job, int64_t group);

/* Rows of all groups that a rank forms: group g is formed by rank g mod P. */
int64_t th_gram_rows_of_rank(const struct th_gram_job *job, int rank);

/* ---- their products (gram_form.c) ---- */

/* Form this rank's groups: room->sums. TH_ENUMERIC where a value is larger than
 * its attribute's bound. */
th_status th_gram_form(struct th_gram_job *job, struct th_error *err);

/* Entries of the upper triangle's columns before this one. */
static inline int64_t th_gram_triangle(int64_t column)
{
  return column * (column + 1) / 2;
}

#endif
