/* family_kukliansky.c - binary attributes whose probabilities fall as a power
 *
 * Kukliansky & Shamir 2015, section 5.1: attributes are independent, and
 * P(x_i = 1) = u_i with u_i = i^alpha, i = 1 .. d, alpha <= 0, projected on the
 * ball of radius 1 of l2 for ridge, and of l-infinity for lasso, which it is
 * inside of. Coefficients are -1 or 1 alike for ridge, and for lasso -1, 0, 1
 * with probabilities 0.15, 0.7, 0.15.
 *
 * Where ones are rare, the next one is drawn in place of every value: in a
 * cell, q is the largest u_j, that of its first attribute. Gaps between
 * candidates are geometric with q, and candidate j is 1 with probability
 * u_j / q. A draw is named by the attribute from which the gap counts.
 * SPDX-License-Identifier: MIT */
#include "core/elementary.h"
#include "core/integer.h"
#include "core/partition.h"
#include "core/random.h"
#include "core/search.h"
#include "synthetic/families.h"

#include <math.h>

static const double rare = 1.0 / 64; /* where it is faster */
static const double lasso_share = 0.15;

static double coefficient(const struct th_ground_truth *truth,
                          int64_t attribute)
{
  struct th_stream stream = {truth->seed, TH_PURPOSE_TRUTH};
  double pair[2];
  th_random_uniform(stream, (uint64_t)attribute, 0, pair);
  double share = truth->own.task == TH_FAMILY_LASSO ? lasso_share : 0.5;
  if (pair[0] < share)
    return -1;
  return pair[0] > 1 - share ? 1 : 0;
}

static int64_t count(const struct th_ground_truth *truth, int64_t attributes)
{
  int64_t size = 0;
  for (int64_t j = 0; j < attributes; j++)
    size += coefficient(truth, j) != 0;
  return size;
}

static void plant(struct th_ground_truth *truth, int64_t attributes)
{
  int64_t size = 0;
  for (int64_t j = 0; j < attributes; j++) {
    double coef = coefficient(truth, j);
    if (coef == 0)
      continue;
    truth->support[size] = j;
    truth->coef[size++] = coef;
  }
}

/* u_1, and the mean of all. */
static void prepare(struct th_synthetic_law *law)
{
  const double alpha = law->truth->own.alpha;
  const int64_t d = law->attributes;
  law->scale = 1;
  if (law->truth->own.task == TH_FAMILY_RIDGE)
    law->scale = 1 / fmax(1, sqrt(th_zipf_power_sum(d, -2 * alpha)));
  law->share = law->scale * th_zipf_power_sum(d, -alpha) / (double)d;
}

static double probability(const struct th_synthetic_law *law, int64_t attribute)
{
  return law->scale * th_pow((double)attribute + 1, law->truth->own.alpha);
}

static void moments(const struct th_synthetic_law *law, struct th_range range,
                    struct th_statistics *of)
{
  for (int64_t j = range.first; j < range.last; j++) {
    double u = probability(law, j);
    of[j - range.first] = (struct th_statistics){u, sqrt(u * (1 - u)), 0, 1};
  }
}

/* ---- values ---- */

/* The first one of an example in [from, end), or `end`. */
static int64_t next_one(const struct th_family_walk *walk, int64_t example,
                        int64_t from, int64_t end)
{
  struct th_stream stream = {walk->law->truth->seed, TH_PURPOSE_POSITION};
  const struct th_family_gaps *gaps = &walk->gaps;
  double pair[2];
  for (int64_t j = from; j < end; j++) {
    th_random_uniform(stream, (uint64_t)j, (uint64_t)example, pair);
    if (pair[0] <= gaps->none)
      return end;
    double gap = floor(th_log(pair[0]) / gaps->log_zero);
    if (!(gap < (double)(end - j)))
      return end;
    j += (int64_t)gap;
    if (pair[1] * gaps->most < probability(walk->law, j))
      return j;
  }
  return end;
}

static int64_t cell_end(int64_t attribute)
{
  return (attribute / TH_CELL + 1) * TH_CELL;
}

/* The first number of every example's draw at an attribute: most end there. */
static void draw_first(const struct th_family_walk *walk, int64_t attribute,
                       double *first)
{
  double second[TH_FAMILY_STRIP];
  const struct th_random_pairs pairs = {
      .stream = {walk->law->truth->seed, TH_PURPOSE_POSITION},
      .step = (uint64_t)attribute,
      .index = (uint64_t)walk->first,
      .index_stride = 1};
  th_random_uniform_pairs(&pairs, walk->rows, first, second);
}

static void start(struct th_family_walk *walk, int64_t attribute)
{
  struct th_family_gaps *gaps = &walk->gaps;
  const int64_t end = cell_end(attribute);
  double first[TH_FAMILY_STRIP];
  gaps->most = probability(walk->law, end - TH_CELL);
  gaps->rare = gaps->most <= rare;
  if (!gaps->rare)
    return;
  gaps->log_zero = th_log1p(-gaps->most);
  gaps->none = th_exp(TH_CELL * gaps->log_zero);
  draw_first(walk, end - TH_CELL, first);
  for (int64_t k = 0; k < walk->rows; k++) {
    int64_t j = first[k] <= gaps->none ? end : end - TH_CELL - 1;
    while (j < attribute)
      j = next_one(walk, walk->first + k, j + 1, end);
    walk->place[k] = j;
  }
}

/* Every value is drawn, those of two neighbouring examples together. */
static void draw_all(struct th_family_walk *walk, int64_t attribute)
{
  struct th_stream stream = {walk->law->truth->seed, TH_PURPOSE_ATTRIBUTE};
  const double u = probability(walk->law, attribute);
  th_random_uniforms(stream, (uint64_t)attribute, walk->first, walk->rows,
                     walk->value);
  for (int64_t k = 0; k < walk->rows; k++)
    walk->value[k] = walk->value[k] < u;
}

static void next(struct th_family_walk *walk, int64_t attribute)
{
  if (!walk->gaps.rare) {
    draw_all(walk, attribute);
    return;
  }
  for (int64_t k = 0; k < walk->rows; k++) {
    walk->value[k] = walk->place[k] == attribute;
    if (walk->place[k] == attribute)
      walk->place[k] =
          next_one(walk, walk->first + k, attribute + 1, cell_end(attribute));
  }
}

/* ---- targets ---- */

static double coef_at(const struct th_ground_truth *truth, int64_t attribute)
{
  int64_t s = th_search_i64(truth->support, 0, truth->support_size, attribute);
  bool there = s < truth->support_size && truth->support[s] == attribute;
  return there ? truth->coef[s] : 0;
}

/* The ones alone; all rows begin at the cell's first attribute. */
static void add_rare(const struct th_family_walk *walk, int64_t end,
                     double *target)
{
  for (int64_t k = 0; k < walk->rows; k++)
    for (int64_t j = walk->place[k]; j < end;
         j = next_one(walk, walk->first + k, j + 1, cell_end(j)))
      target[k] += coef_at(walk->law->truth, j);
}

static void add_cell(struct th_family_walk *walk, struct th_range cell,
                     double *target)
{
  start(walk, cell.first);
  if (walk->gaps.rare) {
    add_rare(walk, cell.last, target);
    return;
  }
  for (int64_t j = cell.first; j < cell.last; j++) {
    double coef = coef_at(walk->law->truth, j);
    draw_all(walk, j);
    for (int64_t k = 0; k < walk->rows; k++)
      target[k] += coef * walk->value[k];
  }
}

/* Sums of 1 and -1 are exact, in whatever order. */
static void add_targets(const struct th_synthetic_law *law, int64_t first,
                        int64_t rows, double *target)
{
  for (int64_t begun = 0; begun < rows; begun += TH_FAMILY_STRIP) {
    struct th_family_walk walk = {.law = law, .first = first + begun};
    walk.rows = th_min_i64(rows - begun, TH_FAMILY_STRIP);
    for (int64_t j = 0; j < law->attributes; j += TH_CELL) {
      struct th_range cell = {j, th_min_i64(j + TH_CELL, law->attributes)};
      add_cell(&walk, cell, target + begun);
    }
  }
}

const struct th_family_rules th_kukliansky_family = {.count = count,
                                                     .plant = plant,
                                                     .prepare = prepare,
                                                     .moments = moments,
                                                     .start = start,
                                                     .next = next,
                                                     .add_targets =
                                                         add_targets};
