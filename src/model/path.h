/* path.h - a path of models that is kept: all coefficients, by lambda
 *
 * Functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_PATH_H
#define TH_PATH_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* The models at falling lambdas, as compressed rows, in the data's own units,
 * and what they lose on examples that were held out. Replicated; all pointers
 * are owned. points 0: nothing is kept. */
struct th_path {
  int64_t points; /* L */
  int64_t entries;
  int64_t folds;  /* parts that were held out, one after the other */
  int64_t best;   /* the lambda of the least loss */
  int64_t one_se; /* the largest whose loss is within a standard error of it */
  int64_t chosen; /* that of the model */
  double *lambda; /* L */
  double *loss;   /* L: mean, in the unit that evaluate prints */
  double *se;     /* L: its standard error */
  double *intercept;  /* L */
  int64_t *start;     /* L + 1: entries of a lambda, from 0 on */
  int64_t *attribute; /* entries: ascending at each lambda */
  double *coef;       /* entries */
};

void th_path_free(struct th_path *path);

/* Room for so many lambdas and entries; nothing is kept before. */
th_status th_path_reserve(struct th_path *path, int64_t points, int64_t entries,
                          struct th_error *err);

/* *to = *from; what *to held is released. */
th_status th_path_copy(struct th_path *to, const struct th_path *from,
                       struct th_error *err);

/* The attributes of all lambdas together, ascending; the caller releases
 * *attribute. */
th_status th_path_union(const struct th_path *path, int64_t **attribute,
                        int64_t *count, struct th_error *err);

/* True if its numbers are possible: lambdas fall, entries ascend, all finite.
 */
bool th_path_is_good(const struct th_path *path, int64_t attributes);

/* Attributes at a lambda. */
static inline int64_t th_path_size(const struct th_path *path, int64_t point)
{
  return path->start[point + 1] - path->start[point];
}

/* The coefficients at a lambda of `count` ascending attributes, which are those
 * of the path, and *intercept. Between two lambdas they lie on the line through
 * those of the two; beyond the ends they are those of the end, as predictions
 * of glmnet (Friedman, Hastie & Tibshirani 2010, predict with s). coef: zeros
 * before. */
void th_path_at(const struct th_path *path, double lambda,
                const int64_t *attribute, int64_t count, double *coef,
                double *intercept);

#endif
