/* rowwise.c - entries of sparse columns, row by row: counted, filled in, walked
 * SPDX-License-Identifier: MIT */
#include "solvers/access/rowwise.h"

#include "base/memory.h"

void th_rowwise_free(struct th_rowwise *r)
{
  TH_FREE(r->start, r->column, r->value);
  *r = (struct th_rowwise){0};
}

/* start[i + 1]: where row i begins; it is moved on entry by entry. */
static int64_t count_entries(struct th_rowwise *r,
                             const struct th_vector *column, int64_t count)
{
  int64_t entries = 0;
  for (int64_t k = 0; k < count; k++)
    for (int64_t e = 0; e < column[k].items; e++)
      r->start[column[k].row[e] + 2]++;
  for (int64_t i = 0; i < r->rows; i++) {
    int64_t here = r->start[i + 2];
    r->longest = here > r->longest ? here : r->longest;
    r->start[i + 2] = r->start[i + 1] + here;
    entries += here;
  }
  return entries;
}

static void fill_rows(struct th_rowwise *r, const struct th_vector *column,
                      int64_t count)
{
  for (int64_t k = 0; k < count; k++) {
    const double *value = column[k].values;
    for (int64_t e = 0; e < column[k].items; e++) {
      int64_t at = r->start[column[k].row[e] + 1]++;
      r->column[at] = (int32_t)k;
      r->value[at] = value[e] * column[k].scale;
    }
  }
}

th_status th_rowwise_build(struct th_rowwise *r, int64_t rows,
                           const struct th_vector *column, int64_t count,
                           struct th_error *err)
{
  th_status rc;
  *r = (struct th_rowwise){.rows = rows};
  TH_TRY(TH_NEW(&r->start, rows + 2, "values by example", err));
  int64_t entries = count_entries(r, column, count);
  TH_TRY(TH_NEW(&r->column, entries, "values by example", err));
  TH_TRY(TH_NEW(&r->value, entries, "values by example", err));
  fill_rows(r, column, count);
done:
  return rc;
}

void th_rowwise_predict(const struct th_rowwise *r, const double *coef,
                        double *out)
{
  for (int64_t i = 0; i < r->rows; i++) {
    double sum = 0;
    for (int64_t e = r->start[i]; e < r->start[i + 1]; e++)
      sum += coef[r->column[e]] * r->value[e];
    out[i] = sum;
  }
}

/* List the named entries of a row, those below `first` before the others. *old:
 * how many are below. Returns the number of all. */
static int64_t list_row(const struct th_rowwise *r, int64_t i,
                        const int64_t *name, int64_t first,
                        struct th_rowwise_entry *out, int64_t *old)
{
  int64_t count = 0;
  for (int64_t e = r->start[i]; e < r->start[i + 1]; e++)
    if (name[r->column[e]] >= 0 && name[r->column[e]] < first)
      out[count++] = (struct th_rowwise_entry){name[r->column[e]], r->value[e]};
  *old = count;
  for (int64_t e = r->start[i]; e < r->start[i + 1]; e++)
    if (name[r->column[e]] >= first)
      out[count++] = (struct th_rowwise_entry){name[r->column[e]], r->value[e]};
  return count;
}

void th_rowwise_products(const struct th_rowwise *r, const double *h,
                         const int64_t *name, int64_t first, int64_t stride,
                         double *product, struct th_rowwise_entry *work)
{
  for (int64_t i = 0; i < r->rows; i++) {
    int64_t old = 0;
    if (!(h[i] > 0))
      continue;
    int64_t count = list_row(r, i, name, first, work, &old);
    for (int64_t a = old; a < count; a++) {
      double *row = product + work[a].name * stride;
      double factor = h[i] * work[a].value;
      for (int64_t b = 0; b <= a; b++)
        row[work[b].name] += factor * work[b].value;
    }
  }
}
