/* sparse.c - sums over the stored entries of sparse slabs
 * SPDX-License-Identifier: MIT */
#include "math/sparse.h"

/* The first entry of [low, high) whose row is not below `row`. */
static int64_t bisect(const uint32_t *rows, int64_t low, int64_t high,
                      int64_t row)
{
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (rows[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The entries of run k that lie on the slab's rows. */
struct th_range th_sparse_entries(const struct th_slab *slab, int64_t k)
{
  int64_t low = slab->start[k] - slab->start[0];
  int64_t high = slab->start[k + 1] - slab->start[0];
  low = bisect(slab->row_in_group, low, high, slab->row);
  high = bisect(slab->row_in_group, low, high, slab->row + slab->rows);
  return (struct th_range){low, high};
}

static double sum_of(const double *values, int64_t count)
{
  double sum = 0;
  for (int64_t i = 0; i < count; i++)
    sum += values[i];
  return sum;
}

/* Sum r (x - c) = sum over the entries of r x, less c times the sum of r. */
void th_sparse_gradient(const struct th_slab *slab,
                        const struct th_multiplier *m, const double *centre,
                        double *grad)
{
  double all = sum_of(m->residual, slab->rows);
  int64_t count = slab->attributes.last - slab->attributes.first;
  for (int64_t a = 0; a < count; a++)
    grad[a] -= centre[a] * all;
  for (int64_t k = 0; k < slab->runs; k++) {
    struct th_range entries = th_sparse_entries(slab, k);
    double sum = 0;
    for (int64_t e = entries.first; e < entries.last; e++)
      sum += m->residual[slab->row_in_group[e] - slab->row] *
             th_type_load(slab->type, slab->values, e);
    grad[slab->base + slab->attribute[k] - slab->attributes.first] += sum;
  }
}

/* Sums over all rows of w and r^2: what centring adds where x is zero. */
static void sparse_floor(const struct th_slab *slab,
                         const struct th_multiplier *m, const double *centre,
                         double *u, double *v, double *q)
{
  double r_all = sum_of(m->residual, slab->rows);
  double w_all = sum_of(m->weight, slab->rows);
  double rr_all = 0;
  for (int32_t i = 0; i < slab->rows; i++)
    rr_all += m->residual[i] * m->residual[i];
  int64_t count = slab->attributes.last - slab->attributes.first;
  for (int64_t a = 0; a < count; a++) {
    u[a] -= centre[a] * r_all;
    v[a] += centre[a] * centre[a] * w_all;
    q[a] += centre[a] * centre[a] * rr_all;
  }
}

void th_sparse_evidence(const struct th_slab *slab,
                        const struct th_multiplier *m, const double *centre,
                        double *u, double *v, double *q)
{
  sparse_floor(slab, m, centre, u, v, q);
  for (int64_t k = 0; k < slab->runs; k++) {
    struct th_range entries = th_sparse_entries(slab, k);
    int64_t a = slab->base + slab->attribute[k] - slab->attributes.first;
    for (int64_t e = entries.first; e < entries.last; e++) {
      int64_t i = slab->row_in_group[e] - slab->row;
      double x = th_type_load(slab->type, slab->values, e);
      double r = m->residual[i];
      double gain = x * x - 2 * centre[a] * x; /* (x - c)^2 - c^2 */
      u[a] += r * x;
      v[a] += m->weight[i] * gain;
      q[a] += r * r * gain;
    }
  }
}
