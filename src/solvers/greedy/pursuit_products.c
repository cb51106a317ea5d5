/* pursuit_products.c - products of the columns of S
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "core/range.h"
#include "solvers/greedy/pursuit_parts.h"

#include <string.h>

static const struct th_vector *column_of(const struct th_pursuit *path,
                                         int64_t j)
{
  return &path->data.columns->vector[path->slot[j]];
}

static struct th_comm *comm_of(const struct th_pursuit *path)
{
  return path->data.problem->context->comm;
}

static double sum_of(const double *x, int64_t count)
{
  double sum = 0;
  for (int64_t i = 0; i < count; i++)
    sum += x[i];
  return sum;
}

/* Without an intercept the means are 0. */
static th_status find_means(struct th_pursuit *path, int64_t first,
                            const double *q, struct th_error *err)
{
  const struct th_problem *p = path->data.problem;
  int64_t count = path->size - first;
  double total = sum_of(q, p->rows);
  memset(path->mean + first, 0, (size_t)count * sizeof *path->mean);
  if (!p->intercept || !(total > 0))
    return TH_OK;
  th_status rc = th_replicated_columns_dots(path->data.columns, comm_of(path),
                                            path->slot + first, count, q,
                                            path->mean + first, err);
  for (int64_t j = first; j < path->size && rc == TH_OK; j++)
    path->mean[j] /= total;
  return rc;
}

th_status th_pursuit_means(struct th_pursuit *path, int64_t first,
                           const double *q, const double *u,
                           struct th_error *err)
{
  int64_t rows = path->data.problem->rows;
  double *z = path->work;
  th_status rc;
  TH_TRY(find_means(path, first, q, err));
  for (int64_t i = 0; i < rows; i++)
    z[i] = q[i] * u[i];
  double sum = sum_of(z, rows);
  TH_TRY(th_replicated_columns_dots(path->data.columns, comm_of(path),
                                    path->slot + first, path->size - first, z,
                                    path->product + first, err));
  for (int64_t j = first; j < path->size; j++)
    path->product[j] -= path->mean[j] * sum;
done:
  return rc;
}

/* z = q (x_j - mean_j), for all examples. */
static void weigh_column(const struct th_pursuit *path, int64_t j,
                         const double *q, double *z)
{
  int64_t rows = path->data.problem->rows;
  memset(z, 0, (size_t)rows * sizeof *z);
  th_column_add(column_of(path, j), 1, z);
  for (int64_t i = 0; i < rows; i++)
    z[i] = q[i] * (z[i] - path->mean[j]);
}

/* Products j, k are item j (j + 1) / 2 + k of a list. */
static int64_t item_of(int64_t j)
{
  return j * (j + 1) / 2;
}

/* Form the items of this rank. Since q (x_j - mean_j) adds up to 0, mean_k need
 * not be taken off. */
static void form(const struct th_pursuit *path, int64_t first,
                 struct th_range mine, const double *q, double *list)
{
  for (int64_t j = first; j < path->size; j++) {
    struct th_range row = {item_of(j), item_of(j + 1)};
    struct th_range items = th_range_intersect(row, mine);
    if (items.first >= items.last)
      continue;
    weigh_column(path, j, q, path->work);
    for (int64_t at = items.first; at < items.last; at++)
      list[at - item_of(first)] =
          th_column_dot(column_of(path, at - row.first), path->work);
  }
}

th_status th_pursuit_products(struct th_pursuit *path, int64_t first,
                              const double *q, struct th_error *err)
{
  struct th_comm *comm = comm_of(path);
  int64_t count = item_of(path->size) - item_of(first);
  double *list = NULL;
  th_status rc = TH_NEW(&list, count, "products of attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  struct th_range part = th_range_part(count, comm->rank, comm->size);
  struct th_range mine = {part.first + item_of(first),
                          part.last + item_of(first)};
  form(path, first, mine, q, list);
  TH_TRY(th_comm_join(comm, list, count, part.first, part.last, err));
  for (int64_t j = first; j < path->size; j++)
    for (int64_t k = 0; k <= j; k++) {
      double value = list[item_of(j) - item_of(first) + k];
      path->gram[j * path->room + k] = value;
      path->gram[k * path->room + j] = value;
    }
done:
  TH_FREE(list);
  return rc;
}
