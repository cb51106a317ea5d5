/* strict.c - selects the strict support anew on a list
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/end/strict.h"

#include "core/elementary.h"
#include "core/integer.h"
#include "core/memory.h"
#include "solvers/budgeted/end/backward.h"
#include "solvers/data/standard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_ROUNDS = 4,
  MOST_MEMBERS = 2048,
  ROWS_PER_MEMBER = 5,
  LEAST_BATCH = 5,
  BATCHES = 4 /* of the largest support */
};

static const double share_of_columns = 0.7;
static const double clearly = 2; /* t of members, in the forward part */
static const double nothing_left = 1e-20; /* of the target's squares */

struct candidate {
  double score; /* |z| */
  int64_t column;
};

struct selection {
  struct th_standard z;
  double *target;   /* rows: of mean 0 */
  double *residual; /* rows */
  double *weighted; /* rows: target or residual, times weight; work array */
  double square;    /* of the target, weighted, summed */
  double threshold; /* of |z|, and of t at the end */
  int64_t most;
  int64_t size;  /* members of the last fit, also those that have left since */
  int64_t *list; /* size: their columns */
  double *products;            /* size x size */
  double *moment;              /* size */
  bool *member;                /* count */
  struct candidate *candidate; /* count */
  struct th_backward fit;
};

static void selection_free(struct selection *s)
{
  th_standard_free(&s->z);
  TH_FREE(s->target, s->residual, s->weighted, s->list, s->products, s->moment,
          s->member, s->candidate);
  th_backward_free(&s->fit);
}

/* u = w v; returns the sum. */
static double weigh(const struct selection *s, const double *v, double *u)
{
  double sum = 0;
  for (int64_t i = 0; i < s->z.rows; i++) {
    u[i] = s->z.weight[i] * v[i];
    sum += u[i];
  }
  return sum;
}

static int64_t largest_support(const struct selection *s)
{
  double most = fmin(share_of_columns * (double)s->z.count,
                     floor(s->z.n / ROWS_PER_MEMBER));
  return (int64_t)fmax(1, fmin(most, MOST_MEMBERS));
}

static th_status selection_init(struct selection *s, const double *target,
                                int64_t attributes, bool intercept,
                                struct th_error *err)
{
  const int64_t rows = s->z.rows;
  const int64_t count = s->z.count;
  double mean = intercept ? th_standard_mean(&s->z, target) : 0;
  th_status rc;
  TH_TRY(TH_NEW(&s->target, rows, "a target", err));
  TH_TRY(TH_NEW(&s->residual, rows, "residuals", err));
  TH_TRY(TH_NEW(&s->weighted, rows, "residuals", err));
  TH_TRY(TH_NEW(&s->member, count, "the members of the support", err));
  TH_TRY(TH_NEW(&s->candidate, count, "candidate attributes", err));
  for (int64_t i = 0; i < rows; i++)
    s->residual[i] = s->target[i] = target[i] - mean;
  weigh(s, s->target, s->weighted);
  s->square = th_column_dot_plain(s->weighted, s->target, rows);
  s->threshold = sqrt(2 * th_log(fmax(1, (double)attributes)));
  s->most = largest_support(s);
done:
  return rc;
}

static int by_score(const void *a, const void *b)
{
  const struct candidate *left = a;
  const struct candidate *right = b;
  if (left->score != right->score)
    return left->score < right->score ? 1 : -1;
  return (left->column > right->column) - (left->column < right->column);
}

/* List the columns that stand out in the residual, the best first, and as many
 * as may join. */
static int64_t find_candidates(struct selection *s)
{
  double total = weigh(s, s->residual, s->weighted);
  double square = th_column_dot_plain(s->weighted, s->residual, s->z.rows);
  int64_t batch = th_max_i64(LEAST_BATCH, s->most / BATCHES);
  int64_t found = 0;
  if (!(square > nothing_left * s->square))
    return 0;
  for (int64_t k = 0; k < s->z.count; k++) {
    if (s->member[k] || s->z.spread[k] == 0)
      continue;
    double sum = th_standard_dot(&s->z, k, s->weighted, total);
    double score = fabs(sum) / sqrt(square);
    if (score > s->threshold)
      s->candidate[found++] = (struct candidate){score, k};
  }
  qsort(s->candidate, (size_t)found, sizeof *s->candidate, by_score);
  return th_min_i64(found, th_min_i64(batch, s->most - s->fit.left));
}

/* Forget members that have left. The products of the others move together, into
 * a matrix with room for those that join. */
static void keep_products(const struct selection *s, int64_t size, double *to)
{
  int64_t column = 0;
  for (int64_t k = 0; k < s->size; k++) {
    if (!s->fit.stays[k])
      continue;
    int64_t row = 0;
    for (int64_t j = 0; j < s->size; j++)
      if (s->fit.stays[j])
        to[row++ + column * size] = s->products[j + k * s->size];
    column++;
  }
}

/* The list: members of the last fit that stay, then the first candidates. */
static th_status widen_list(struct selection *s, int64_t joining,
                            struct th_error *err)
{
  int64_t old = s->fit.left;
  int64_t kept = 0;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < s->size; k++)
    if (s->fit.stays[k])
      s->list[kept++] = s->list[k];
  TH_TRY(TH_WIDEN(&s->list, kept, old + joining, "the members of the support",
                  err));
  for (int64_t k = 0; k < joining; k++)
    s->list[old + k] = s->candidate[k].column;
done:
  return rc;
}

/* Complete the products and moments of the list. */
static th_status widen_products(struct selection *s, int64_t size,
                                struct th_error *err)
{
  double *products = NULL;
  double *moment = NULL;
  double total = weigh(s, s->target, s->weighted);
  th_status rc;
  TH_TRY(TH_NEW(&products, size * size, "products of attributes", err));
  TH_TRY(TH_NEW(&moment, size, "products of attributes", err));
  keep_products(s, size, products);
  TH_TRY(th_standard_products(&s->z, s->list, s->fit.left, size, s->z.weight,
                              products, err));
  for (int64_t k = 0; k < size; k++)
    moment[k] = th_standard_dot(&s->z, s->list[k], s->weighted, total);
  TH_FREE(s->products, s->moment);
  s->products = products;
  s->moment = moment;
  s->size = size;
  return TH_OK;
done:
  TH_FREE(products, moment);
  return rc;
}

/* Update the membership from the fit. *changed: it has changed. */
static void note_members(struct selection *s, bool *changed)
{
  *changed = false;
  for (int64_t k = 0; k < s->size; k++) {
    bool *member = &s->member[s->list[k]];
    *changed |= *member != s->fit.stays[k];
    *member = s->fit.stays[k];
  }
}

static void form_residual(struct selection *s)
{
  memcpy(s->residual, s->target, (size_t)s->z.rows * sizeof *s->residual);
  for (int64_t k = 0; k < s->size; k++)
    if (s->fit.stays[k])
      th_standard_add(&s->z, s->list[k], -s->fit.coef[k], s->residual);
}

/* One step of the forward part. *changed: the support has changed. */
static th_status forward(struct selection *s, bool *changed,
                         struct th_error *err)
{
  int64_t joining = find_candidates(s);
  int64_t size = s->fit.left + joining;
  th_status rc = TH_OK;
  *changed = false;
  if (joining <= 0)
    return rc;
  TH_TRY(widen_list(s, joining, err));
  TH_TRY(widen_products(s, size, err));
  TH_TRY(th_backward_start(&s->fit, size, s->z.n, s->products, s->moment,
                           s->square, err));
  th_backward_prune(&s->fit, clearly, true);
  note_members(s, changed);
  form_residual(s);
done:
  return rc;
}

static void finish(struct selection *s, int64_t largest, int64_t *chosen,
                   int64_t *size)
{
  bool changed;
  th_backward_prune(&s->fit, s->threshold, false);
  if (largest > 0)
    th_backward_reduce(&s->fit, largest);
  note_members(s, &changed);
  *size = 0;
  for (int64_t k = 0; k < s->z.count; k++)
    if (s->member[k])
      chosen[(*size)++] = k;
}

/* Let the support grow from nothing, a few members at a time. */
static th_status grow(struct selection *s, struct th_error *err)
{
  bool changed = true;
  th_status rc = TH_OK;
  for (int round = 0; round < MOST_ROUNDS && changed && rc == TH_OK; round++)
    rc = forward(s, &changed, err);
  return rc;
}

/* All columns are members. */
static th_status join_all(struct selection *s, struct th_error *err)
{
  th_status rc = TH_OK;
  if (s->z.count == 0)
    return rc;
  for (int64_t k = 0; k < s->z.count; k++)
    s->candidate[k].column = k;
  TH_TRY(widen_list(s, s->z.count, err));
  TH_TRY(widen_products(s, s->z.count, err));
  TH_TRY(th_backward_start(&s->fit, s->z.count, s->z.n, s->products, s->moment,
                           s->square, err));
done:
  return rc;
}

th_status th_strict_select(const struct th_strict_data *data, bool all,
                           int64_t *chosen, int64_t *size, struct th_error *err)
{
  struct selection s = {0};
  th_status rc;
  TH_TRY(th_standard_init(&s.z, data->rows, data->count, data->column,
                          data->weight, data->intercept, err));
  TH_TRY(
      selection_init(&s, data->target, data->attributes, data->intercept, err));
  TH_TRY((all ? join_all : grow)(&s, err));
  finish(&s, data->largest, chosen, size);
done:
  selection_free(&s);
  return rc;
}
