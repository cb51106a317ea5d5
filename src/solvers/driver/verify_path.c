/* verify_path.c - checks the path of a certificate, as far as one model allows
 *
 * P*(lambda), the least objective, is a minimum of lines in lambda: concave,
 * and it does not fall where lambda grows. An entry says that it lies between
 * objective - gap and objective. It is P(0) from lambda_max on; at the last
 * lambda the model's own objective and gap enclose it; and the model, a point
 * like any other, bounds it from above everywhere.
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/verify_parts.h"

#include "core/elementary.h"

#include <float.h>
#include <math.h>

/* Everything about an entry of a path that bounds P* there. */
struct bounds {
  double least;
  double most;
};

static struct bounds bounds_at(const struct th_verify_evidence *e,
                               double lambda)
{
  const struct th_certificate *most = &e->found->most;
  const struct th_certificate *now = &e->found->now;
  double zero = e->problem->zero;
  double rounding = most->objective - now->objective +
                    16 * DBL_EPSILON * (zero + fabs(now->objective));
  double least = now->objective - most->gap;
  double way = now->lambda_max - now->lambda;
  double part = way > 0 ? (lambda - now->lambda) / way : 1;
  part = fmin(fmax(part, 0), 1);
  double line = now->objective + (lambda - now->lambda) * e->found->omega;
  return (struct bounds){least + part * (zero - least) - rounding,
                         fmin(zero, line) + rounding};
}

/* The lambda of an entry by the options: equal ratios from lambda_max on. */
static bool check_lambda(struct th_verdict *verdict,
                         const struct th_verify_evidence *e, int64_t k)
{
  const struct th_certificate *claimed = &e->model->certificate;
  double error = th_verify_lambda_slack(e);
  double along = (double)k / (double)(claimed->path_size - 1);
  double share = th_pow(e->config->path_min, along);
  double wanted = claimed->lambda_max * share;
  double lambda = claimed->path[k].lambda;
  /* any lambda will do, as long as they fall */
  bool free = !(claimed->lambda_max > 0);
  if (free ? lambda > 0 && (k == 0 || lambda <= claimed->path[k - 1].lambda)
           : fabs(lambda - wanted) <= share * error + 16 * DBL_EPSILON * wanted)
    return true;
  return th_verify_wrong(verdict,
                         "lambda %lld of the path is %.12g, where the model's "
                         "options give %.12g",
                         (long long)k, lambda, wanted);
}

/* Objective and gap of an entry enclose P*. Both must be finite, and the gap
 * may be below 0 by rounding alone. */
static bool check_interval(struct th_verdict *verdict,
                           const struct th_verify_evidence *e, int64_t k)
{
  const struct th_path_point *point = &e->model->certificate.path[k];
  struct bounds bounds = bounds_at(e, point->lambda);
  double rounding = 16 * DBL_EPSILON * (1 - 16 * DBL_EPSILON);
  if (!(point->gap >= rounding * fabs(point->objective)) ||
      !isfinite(point->objective))
    return th_verify_wrong(verdict,
                           "the gap of entry %lld of the path is %.12g at an "
                           "objective of %.12g",
                           (long long)k, point->gap, point->objective);
  if (point->objective >= bounds.least &&
      point->objective - point->gap <= bounds.most)
    return true;
  return th_verify_wrong(verdict,
                         "entry %lld of the path has objective %.12g and gap "
                         "%.3g, where the least objective is %.12g to %.12g",
                         (long long)k, point->objective, point->gap,
                         bounds.least, bounds.most);
}

/* The line through what two other entries say, at the lambda of entry k:
 * through (a, at) and (b, bt). */
static double line_at(const struct th_path_point *path, int64_t k, int64_t a,
                      double at, int64_t b, double bt)
{
  double way = path[b].lambda - path[a].lambda;
  double part = way != 0 ? (path[k].lambda - path[a].lambda) / way : 0;
  return at + part * (bt - at);
}

/* P* at entry k lies on or above the line between its neighbours, and on or
 * below the line through two entries on one side. */
static bool check_neighbours(struct th_verdict *verdict,
                             const struct th_verify_evidence *e, int64_t k)
{
  const struct th_path_point *path = e->model->certificate.path;
  int64_t size = e->model->certificate.path_size;
  double high = path[k].objective;
  double low = high - path[k].gap;
  double slack = 64 * DBL_EPSILON * e->problem->zero;
#define HIGH(j) (path[j].objective)
#define LOW(j) (path[j].objective - path[j].gap)
  bool good =
      (k == 0 || low <= HIGH(k - 1) + slack) &&
      (k == 0 || k == size - 1 ||
       high >=
           line_at(path, k, k - 1, LOW(k - 1), k + 1, LOW(k + 1)) - slack) &&
      (k < 2 || low <= line_at(path, k, k - 1, HIGH(k - 1), k - 2, LOW(k - 2)) +
                           slack) &&
      (k > size - 3 ||
       low <= line_at(path, k, k + 1, HIGH(k + 1), k + 2, LOW(k + 2)) + slack);
#undef HIGH
#undef LOW
  if (good)
    return true;
  return th_verify_wrong(verdict,
                         "entry %lld of the path, objective %.12g, does not "
                         "fit the entries beside it",
                         (long long)k, high);
}

static bool check_size(struct th_verdict *verdict,
                       const struct th_verify_evidence *e, int64_t k)
{
  int64_t size = e->model->certificate.path[k].support_size;
  int64_t all = e->problem->active.total;
  if (size >= 0 && size <= all)
    return true;
  return th_verify_wrong(verdict,
                         "entry %lld of the path has a support of %lld of "
                         "%lld attributes",
                         (long long)k, (long long)size, (long long)all);
}

/* The last entry is the model. */
static bool check_last(struct th_verdict *verdict,
                       const struct th_verify_evidence *e)
{
  const struct th_certificate *claimed = &e->model->certificate;
  const struct th_path_point *last = &claimed->path[claimed->path_size - 1];
  if (last->lambda == claimed->lambda &&
      last->objective == claimed->objective && last->gap == claimed->gap &&
      last->support_size == e->model->support_size)
    return true;
  return th_verify_wrong(
      verdict, "the last entry of the path is not the model's certificate");
}

void th_verify_path(struct th_verdict *verdict,
                    const struct th_verify_evidence *evidence)
{
  int64_t size = evidence->model->certificate.path_size;
  bool good = size == evidence->config->path;
  if (!good)
    th_verify_wrong(verdict,
                    "the path has %lld entries, where the model's options "
                    "give %lld",
                    (long long)size, (long long)evidence->config->path);
  for (int64_t k = 0; k < size && good; k++)
    good =
        check_lambda(verdict, evidence, k) && check_size(verdict, evidence, k);
  if (good && size > 0)
    good = check_last(verdict, evidence);
  for (int64_t k = 0; k < size && good; k++)
    good = check_interval(verdict, evidence, k);
  for (int64_t k = 0; k < size && good; k++)
    good = check_neighbours(verdict, evidence, k);
  if (good && size > 1)
    th_verify_unchecked(verdict,
                        "objective, gap and support size of %lld entries of "
                        "the path, beyond the bounds that the last one sets",
                        (long long)size - 1);
}
