/* synthetic_values.c - attribute values of the synthetic families
 *
 * toeplitz: AR(1) along the attributes, x_j = rho x_(j-1) + sqrt(1 - rho^2)
 * z_j. Cell c starts anew W attributes before its first, where rho^W < 2^-60:
 * cells are independent to compute, and the covariance is rho^|j - k| to
 * rounding, also across cells, since the z_j are the same.
 * SPDX-License-Identifier: MIT */
#include "core/partition.h"
#include "synthetic/synthetic.h"

#include "core/elementary.h"
#include "core/memory.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

enum {
  STRIP = 256, /* examples generated together; even */
  DRAWN = 8    /* gaps between non-zeros drawn together; even */
};

static bool is_toeplitz(const struct th_ground_truth *truth)
{
  return strcmp(truth->family, "toeplitz") == 0;
}

/* Standard normals of one attribute, two neighbouring examples per draw. */
static void normals(const struct th_ground_truth *truth, int64_t attribute,
                    int64_t first, int64_t rows, double *out)
{
  struct th_stream stream = {truth->seed, TH_PURPOSE_ATTRIBUTE};
  double pair[2];
  for (int64_t k = 0; k < rows; k++) {
    int64_t example = first + k;
    if (k == 0 || example % 2 == 0)
      th_random_normal(stream, (uint64_t)attribute, (uint64_t)(example / 2),
                       pair);
    out[k] = pair[example % 2];
  }
}

/* Where the recursion of an attribute's cell starts. */
static int64_t recursion_start(double correlation, int64_t attribute)
{
  double magnitude = fabs(correlation);
  int64_t cell = attribute / TH_CELL * TH_CELL;
  int64_t warm = 1;
  if (magnitude > 0)
    warm = (int64_t)floor(-60.0 / th_log2(magnitude)) + 1;
  return cell > warm ? cell - warm : 0;
}

/* One strip of examples of the recursion, walked from attribute to attribute.
 */
struct walk {
  const struct th_ground_truth *truth;
  int64_t first;
  int64_t rows;
  double innovation;
  double value[STRIP];
  double fresh[STRIP];
};

static void walk_to(struct walk *walk, int64_t attribute)
{
  const struct th_ground_truth *truth = walk->truth;
  if (!is_toeplitz(truth)) {
    normals(truth, attribute, walk->first, walk->rows, walk->value);
    return;
  }
  normals(truth, attribute, walk->first, walk->rows, walk->fresh);
  for (int64_t k = 0; k < walk->rows; k++)
    walk->value[k] =
        truth->correlation * walk->value[k] + walk->innovation * walk->fresh[k];
  walk->innovation = sqrt((1 - truth->correlation) * (1 + truth->correlation));
}

/* Bring the walk to the attribute before `attribute`, or start it. */
static void walk_start(struct walk *walk, int64_t attribute)
{
  if (!is_toeplitz(walk->truth))
    return;
  memset(walk->value, 0, sizeof walk->value);
  walk->innovation = 1; /* the first is stationary */
  int64_t j = recursion_start(walk->truth->correlation, attribute);
  for (; j < attribute; j++)
    walk_to(walk, j);
}

static th_status store(const struct th_synthetic_room *room,
                       const struct walk *walk, int64_t attribute,
                       struct th_error *err)
{
  int64_t to = (attribute - room->attributes.first) * room->stride +
               walk->first - room->examples.first;
  for (int64_t k = 0; k < walk->rows; k++)
    if (!th_type_store(room->type, room->values, to + k, walk->value[k]))
      return th_fail(err, TH_EDATA,
                     "example %lld, attribute %lld: %g cannot be stored as %s; "
                     "use {type} f32",
                     (long long)(walk->first + k), (long long)attribute,
                     walk->value[k], th_type_name(room->type));
  return TH_OK;
}

static th_status store_strip(const struct th_synthetic_room *room,
                             struct walk *walk, struct th_error *err)
{
  th_status rc = TH_OK;
  struct th_range range = room->attributes;
  for (int64_t j = range.first; j < range.last && rc == TH_OK; j++) {
    if (j == range.first || j % TH_CELL == 0)
      walk_start(walk, j);
    walk_to(walk, j);
    rc = store(room, walk, j, err);
  }
  return rc;
}

th_status th_synthetic_dense(const struct th_ground_truth *truth,
                             const struct th_synthetic_room *room,
                             struct th_error *err)
{
  const int64_t rows = room->examples.count;
  th_status rc = TH_OK;
  for (int64_t done = 0; done < rows && rc == TH_OK; done += STRIP) {
    struct walk walk = {.truth = truth, .first = room->examples.first + done};
    walk.rows = rows - done < STRIP ? rows - done : STRIP;
    rc = store_strip(room, &walk, err);
  }
  return rc;
}

/* 1, 2, 3, ... with probabilities 1/2, 1/4, 1/8, ... */
static double count_at(const struct th_ground_truth *truth, int64_t attribute,
                       int64_t example)
{
  struct th_stream stream = {truth->seed, TH_PURPOSE_ATTRIBUTE};
  double pair[2];
  int exponent;
  th_random_uniform(stream, (uint64_t)attribute, (uint64_t)example, pair);
  frexp(pair[0], &exponent); /* 2^(exponent - 1) <= pair[0] < 2^exponent */
  return 1.0 - exponent;
}

static th_status column_add(struct th_column *column, int64_t example,
                            double value, struct th_error *err)
{
  th_status rc = TH_GROW(&column->example, &column->capacity, column->count + 1,
                         "the values of an attribute", err);
  if (rc == TH_OK)
    rc = TH_GROW(&column->value, &column->value_capacity, column->count + 1,
                 "the values of an attribute", err);
  if (rc != TH_OK)
    return rc;
  column->example[column->count] = example;
  column->value[column->count++] = value;
  return TH_OK;
}

/* Logarithms of the uniform numbers draw .. draw + DRAWN - 1. */
static void draw_logs(struct th_stream stream, uint64_t attribute,
                      uint64_t draw, double logs[DRAWN])
{
  for (uint64_t k = 0; k < DRAWN; k += 2)
    th_random_uniform(stream, attribute, (draw + k) / 2, logs + k);
  th_log_array(DRAWN, logs, logs);
}

th_status th_synthetic_sparse(const struct th_ground_truth *truth,
                              int64_t attributes, int64_t attribute,
                              int64_t examples, struct th_column *column,
                              struct th_error *err)
{
  struct th_stream stream = {truth->seed, TH_PURPOSE_POSITION};
  if (column->attributes != attributes || column->density != truth->density) {
    column->law = th_zipf(attributes, truth->density);
    column->attributes = attributes;
    column->density = truth->density;
  }
  double log_zero = th_log1p(-th_zipf_probability(&column->law, attribute));
  double logs[DRAWN];
  int64_t example = -1;
  th_status rc = TH_OK;
  column->count = 0;
  for (uint64_t draw = 0; rc == TH_OK; draw++) {
    if (draw % DRAWN == 0)
      draw_logs(stream, (uint64_t)attribute, draw, logs);
    double gap = floor(logs[draw % DRAWN] / log_zero); /* zeros in between */
    if (!(gap < (double)(examples - example - 1)))
      break;
    example += 1 + (int64_t)gap;
    rc = column_add(column, example, count_at(truth, attribute, example), err);
  }
  return rc;
}

void th_synthetic_column_free(struct th_column *column)
{
  TH_FREE(column->example, column->value);
  *column = (struct th_column){0};
}
