/* path.c - a path of models that is kept
 * SPDX-License-Identifier: MIT */
#include "model/path.h"

#include "base/memory.h"
#include "base/search.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "the path";

void th_path_free(struct th_path *path)
{
  TH_FREE(path->lambda, path->loss, path->se, path->intercept, path->start,
          path->attribute, path->coef);
  *path = (struct th_path){0};
}

th_status th_path_reserve(struct th_path *path, int64_t points, int64_t entries,
                          struct th_error *err)
{
  th_status rc;
  th_path_free(path);
  TH_TRY(TH_NEW(&path->lambda, points, what, err));
  TH_TRY(TH_NEW(&path->loss, points, what, err));
  TH_TRY(TH_NEW(&path->se, points, what, err));
  TH_TRY(TH_NEW(&path->intercept, points, what, err));
  TH_TRY(TH_NEW(&path->start, points + 1, what, err));
  TH_TRY(TH_NEW(&path->attribute, entries, what, err));
  TH_TRY(TH_NEW(&path->coef, entries, what, err));
  path->points = points;
  path->entries = entries;
done:
  return rc;
}

static int ascending_numbers(const void *a, const void *b)
{
  int64_t x = *(const int64_t *)a;
  int64_t y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

th_status th_path_union(const struct th_path *path, int64_t **attribute,
                        int64_t *count, struct th_error *err)
{
  int64_t size = 0;
  th_status rc = TH_NEW(attribute, path->entries, what, err);
  if (rc != TH_OK)
    return rc;
  int64_t *all = *attribute;
  if (path->entries > 0)
    memcpy(all, path->attribute, (size_t)path->entries * sizeof *all);
  qsort(all, (size_t)path->entries, sizeof *all, ascending_numbers);
  for (int64_t k = 0; k < path->entries; k++)
    if (size == 0 || all[k] != all[size - 1])
      all[size++] = all[k];
  *count = size;
  return rc;
}

th_status th_path_copy(struct th_path *to, const struct th_path *from,
                       struct th_error *err)
{
  size_t points = (size_t)from->points;
  size_t entries = (size_t)from->entries;
  th_status rc;
  TH_TRY(th_path_reserve(to, from->points, from->entries, err));
  to->folds = from->folds;
  to->best = from->best;
  to->one_se = from->one_se;
  to->chosen = from->chosen;
  memcpy(to->lambda, from->lambda, points * sizeof *to->lambda);
  memcpy(to->loss, from->loss, points * sizeof *to->loss);
  memcpy(to->se, from->se, points * sizeof *to->se);
  memcpy(to->intercept, from->intercept, points * sizeof *to->intercept);
  memcpy(to->start, from->start, (points + 1) * sizeof *to->start);
  if (entries > 0) {
    memcpy(to->attribute, from->attribute, entries * sizeof *to->attribute);
    memcpy(to->coef, from->coef, entries * sizeof *to->coef);
  }
done:
  return rc;
}

/* The entries of a lambda. */
static bool is_row_good(const struct th_path *path, int64_t k,
                        int64_t attributes)
{
  int64_t first = path->start[k];
  int64_t last = path->start[k + 1];
  bool good = first >= 0 && first <= last && last <= path->entries;
  for (int64_t e = first; good && e < last; e++)
    good = path->attribute[e] >= 0 && path->attribute[e] < attributes &&
           (e == first || path->attribute[e] > path->attribute[e - 1]) &&
           isfinite(path->coef[e]);
  return good;
}

static bool is_place(const struct th_path *path, int64_t point)
{
  return point >= 0 && point < path->points;
}

bool th_path_is_good(const struct th_path *path, int64_t attributes)
{
  bool good = is_place(path, path->best) && is_place(path, path->one_se) &&
              is_place(path, path->chosen) && path->folds > 0 &&
              path->start[0] == 0 && path->start[path->points] == path->entries;
  for (int64_t k = 0; good && k < path->points; k++)
    good = is_row_good(path, k, attributes) && path->lambda[k] > 0 &&
           isfinite(path->lambda[k]) &&
           (k == 0 || path->lambda[k] <= path->lambda[k - 1]) &&
           path->loss[k] >= 0 && isfinite(path->loss[k]) && path->se[k] >= 0 &&
           isfinite(path->se[k]) && isfinite(path->intercept[k]);
  return good;
}

/* --- Coefficients at another lambda --------------------------------------- */

/* Two lambdas of a path, and the share of the first. */
struct between {
  int64_t above;
  int64_t below;
  double share;
};

static struct between neighbours_of(const struct th_path *path, double lambda)
{
  int64_t k = 0;
  while (k < path->points && path->lambda[k] > lambda)
    k++;
  int64_t here = k < path->points ? k : k - 1;
  if (k == 0 || k == path->points || path->lambda[k] == lambda)
    return (struct between){here, here, 1};
  double way = path->lambda[k - 1] - path->lambda[k];
  return (struct between){k - 1, k, (lambda - path->lambda[k]) / way};
}

void th_path_at(const struct th_path *path, double lambda,
                const int64_t *attribute, int64_t count, double *coef,
                double *intercept)
{
  struct between at = neighbours_of(path, lambda);
  const int64_t point[2] = {at.above, at.below};
  const double share[2] = {at.share, 1 - at.share};
  *intercept = 0;
  for (int k = 0; k < 2; k++) {
    for (int64_t e = path->start[point[k]]; e < path->start[point[k] + 1]; e++)
      coef[th_search_i64(attribute, 0, count, path->attribute[e])] +=
          share[k] * path->coef[e];
    *intercept += share[k] * path->intercept[point[k]];
  }
}
