/* families.c - the rules of each synthetic family
 * SPDX-License-Identifier: MIT */
#include "synthetic/families.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "ranks/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct th_design design(const struct th_ground_truth *truth);

/* --- How often an attribute of sparse data is not zero -------------------- */

static const double zipf_exponent = 0.8;
static const double zipf_cap = 0.5;

/* The integral of x^-a. */
static double power_integral(double low, double high, double a)
{
  const double t = (1 - a) * th_log(high / low);
  if (fabs(t) < 1e-5) /* to the first rounded term */
    return th_pow(low, 1 - a) * th_log(high / low) * (1 + t / 2 + t * t / 6);
  return (th_pow(high, 1 - a) - th_pow(low, 1 - a)) / (1 - a);
}

/* Return the sum over k = 1 .. n of k^-a, for a >= 0; O(1). The first terms one
 * by one, the others by Euler and Maclaurin's formula, whose next term is below
 * 1e-16 for a up to 1 and, for larger a, below that share of the sum. */
static double power_sum(int64_t n, double a)
{
  enum { DIRECT = 64 };
  double sum = 0;
  for (int64_t k = 1; k <= n && k < DIRECT; k++)
    sum += th_pow((double)k, -a);
  if (n < DIRECT)
    return sum;
  const double low = DIRECT;
  const double high = (double)n;
  double integral = power_integral(low, high, a);
  double ends = (th_pow(high, -a) + th_pow(low, -a)) / 2;
  double slope = a * (th_pow(low, -a - 1) - th_pow(high, -a - 1)) / 12;
  double third = a * (a + 1) * (a + 2) *
                 (th_pow(low, -a - 3) - th_pow(high, -a - 3)) / 720;
  return sum + integral + ends + slope - third;
}

/* c when the first `common` attributes are at the cap. */
static double scale_behind(int64_t attributes, double density, int64_t common)
{
  double rest = density * (double)attributes - zipf_cap * (double)common;
  return rest / (power_sum(attributes, zipf_exponent) -
                 power_sum(common, zipf_exponent));
}

struct th_zipf th_families_zipf(int64_t attributes, double density)
{
  /* the smallest number at the cap that leaves the next one below it */
  int64_t low = 0;
  int64_t high = attributes;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    double scale = scale_behind(attributes, density, middle);
    if (scale * th_pow((double)middle + 1, -zipf_exponent) <= zipf_cap)
      high = middle;
    else
      low = middle + 1;
  }
  struct th_zipf law = {.common = low};
  if (low < attributes)
    law.scale = scale_behind(attributes, density, low);
  return law;
}

/* p[k] of attribute first + k, with the bits of one by one */
static void zipf_probabilities(const struct th_zipf *law, int64_t first,
                               int64_t count, double *p)
{
  for (int64_t k = 0; k < count; k++)
    p[k] = (double)(first + k) + 1;
  th_pow_array(count, p, -zipf_exponent, p);
  for (int64_t k = 0; k < count; k++) {
    double each = law->scale * p[k];
    p[k] =
        first + k < law->common || each > zipf_cap ? zipf_cap : fmax(0.0, each);
  }
}

double th_families_zipf_probability(const struct th_zipf *law,
                                    int64_t attribute)
{
  if (attribute < law->common)
    return zipf_cap;
  double p = law->scale * th_pow((double)attribute + 1, -zipf_exponent);
  return fmin(zipf_cap, fmax(0.0, p));
}

/* --- Binary attributes whose probabilities fall as a power
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
 * u_j / q. A draw is named by the attribute from which the gap counts. */

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

static int64_t kukliansky_count(const struct th_ground_truth *truth,
                                int64_t attributes)
{
  int64_t size = 0;
  for (int64_t j = 0; j < attributes; j++)
    size += coefficient(truth, j) != 0;
  return size;
}

static void kukliansky_plant(struct th_ground_truth *truth, int64_t attributes)
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
static void kukliansky_prepare(struct th_synthetic_law *law)
{
  const double alpha = law->truth->own.alpha;
  const int64_t d = law->attributes;
  law->scale = 1;
  if (law->truth->own.task == TH_FAMILY_RIDGE)
    law->scale = 1 / fmax(1, sqrt(power_sum(d, -2 * alpha)));
  law->share = law->scale * power_sum(d, -alpha) / (double)d;
}

static double probability(const struct th_synthetic_law *law, int64_t attribute)
{
  return law->scale * th_pow((double)attribute + 1, law->truth->own.alpha);
}

static void kukliansky_moments(const struct th_synthetic_law *law,
                               struct th_range range, struct th_statistics *of)
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

static void kukliansky_start(struct th_family_walk *walk, int64_t attribute)
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
static void draw_bernoulli(struct th_family_walk *walk, int64_t attribute)
{
  struct th_stream stream = {walk->law->truth->seed, TH_PURPOSE_ATTRIBUTE};
  const double u = probability(walk->law, attribute);
  th_random_uniforms(stream, (uint64_t)attribute, walk->first, walk->rows,
                     walk->value);
  for (int64_t k = 0; k < walk->rows; k++)
    walk->value[k] = walk->value[k] < u;
}

static void kukliansky_next(struct th_family_walk *walk, int64_t attribute)
{
  if (!walk->gaps.rare) {
    draw_bernoulli(walk, attribute);
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
  kukliansky_start(walk, cell.first);
  if (walk->gaps.rare) {
    add_rare(walk, cell.last, target);
    return;
  }
  for (int64_t j = cell.first; j < cell.last; j++) {
    double coef = coef_at(walk->law->truth, j);
    draw_bernoulli(walk, j);
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

const struct th_family_rules th_kukliansky_family = {
    .count = kukliansky_count,
    .plant = kukliansky_plant,
    .prepare = kukliansky_prepare,
    .moments = kukliansky_moments,
    .start = kukliansky_start,
    .next = kukliansky_next,
    .add_targets = add_targets};

/* --- Families with normal attributes
 *
 * murata: Murata & Suzuki 2018, section 6. x_ij independent standard normal.
 * toeplitz: AR(1) along the attributes, covariance rho^|j - k|:
 * x_j = rho x_(j-1) + sqrt(1 - rho^2) z_j. Cell c starts anew W attributes
 * before its first, where rho^W < 2^-60: cells are independent to compute, and
 * the covariance is rho^|j - k| to rounding, also across cells, since the z_j
 * are the same. */

/* Where recursions and storage types round. */
static const double outward = 1 + 0x1p-20;

/* The first K attributes, +1 for the first half, then -1. */
static void normal_plant(struct th_ground_truth *truth, int64_t attributes)
{
  const int64_t size = truth->support_size;
  (void)attributes;
  for (int64_t k = 0; k < size; k++) {
    truth->support[k] = k;
    truth->coef[k] = k < (size + 1) / 2 ? 1.0 : -1.0;
  }
}

/* |x| <= z sqrt((1 + r) / (1 - r)) with r = |rho| and z the largest normal: the
 * recursion keeps that bound, and the first value of a walk, a normal, is
 * within it. */
static void normal_prepare(struct th_synthetic_law *law)
{
  double r = fabs(law->truth->own.correlation);
  law->share = 1;
  law->bound = TH_LARGEST_NORMAL * sqrt((1 + r) / (1 - r)) * outward;
}

static void normal_moments(const struct th_synthetic_law *law,
                           struct th_range range, struct th_statistics *of)
{
  for (int64_t j = range.first; j < range.last; j++)
    of[j - range.first] = (struct th_statistics){0, 1, -law->bound, law->bound};
}

/* Standard normals of one attribute, two neighbouring examples per draw. */
static void normals(const struct th_ground_truth *truth, int64_t attribute,
                    int64_t first, int64_t rows, double *out)
{
  struct th_stream stream = {truth->seed, TH_PURPOSE_ATTRIBUTE};
  th_random_normals(stream, (uint64_t)attribute, first, rows, out);
}

static void next_murata(struct th_family_walk *walk, int64_t attribute)
{
  normals(walk->law->truth, attribute, walk->first, walk->rows, walk->value);
}

const struct th_family_rules th_murata_family = {.plant = normal_plant,
                                                 .prepare = normal_prepare,
                                                 .moments = normal_moments,
                                                 .next = next_murata};

/* ---- toeplitz ---- */

/* Where the walk of an attribute's cell begins, if neighbours have that
 * correlation: so far before the cell that less than 2^-60 is left of it. */
static int64_t families_start(double correlation, int64_t attribute)
{
  double magnitude = fabs(correlation);
  int64_t cell = attribute / TH_CELL * TH_CELL;
  int64_t warm = 1;
  if (magnitude > 0)
    warm = (int64_t)floor(-60.0 / th_log2(magnitude)) + 1;
  return cell > warm ? cell - warm : 0;
}

static void next_toeplitz(struct th_family_walk *walk, int64_t attribute)
{
  double rho = walk->law->truth->own.correlation;
  normals(walk->law->truth, attribute, walk->first, walk->rows, walk->fresh);
  for (int64_t k = 0; k < walk->rows; k++)
    walk->value[k] = rho * walk->value[k] + walk->innovation * walk->fresh[k];
  walk->innovation = sqrt((1 - rho) * (1 + rho));
}

static void start_toeplitz(struct th_family_walk *walk, int64_t attribute)
{
  int64_t j = families_start(walk->law->truth->own.correlation, attribute);
  memset(walk->value, 0, sizeof walk->value);
  walk->innovation = 1; /* the first is stationary */
  for (; j < attribute; j++)
    next_toeplitz(walk, j);
}

const struct th_family_rules th_toeplitz_family = {.plant = normal_plant,
                                                   .prepare = normal_prepare,
                                                   .moments = normal_moments,
                                                   .start = start_toeplitz,
                                                   .next = next_toeplitz};

/* --- Text-like counts
 *
 * Counts 1, 2, 3, ... with probabilities 1/2, 1/4, 1/8, ... at the places that
 * th_zipf makes frequent or rare. With probability p of not being zero, a value
 * has the mean 2 p and the mean square 6 p. */

enum { DRAWN = 8 }; /* gaps between non-zeros drawn together; even */

/* Every so many of the most frequent tenth, signs in turn. */
static void sparse_plant(struct th_ground_truth *truth, int64_t attributes)
{
  const int64_t size = truth->support_size;
  int64_t frequent = attributes / 10 > size ? attributes / 10 : size;
  for (int64_t k = 0; k < size; k++) {
    /* k * frequent / size without its overflow */
    truth->support[k] = frequent / size * k + frequent % size * k / size;
    truth->coef[k] = k % 2 == 0 ? 1.0 : -1.0;
  }
}

static void sparse_prepare(struct th_synthetic_law *law)
{
  law->share = law->truth->own.density;
  law->zipf = th_families_zipf(law->attributes, law->share);
}

static void sparse_moments(const struct th_synthetic_law *law,
                           struct th_range range, struct th_statistics *of)
{
  double p[TH_CELL];
  for (int64_t from = range.first; from < range.last; from += TH_CELL) {
    int64_t count = th_min_i64(TH_CELL, range.last - from);
    zipf_probabilities(&law->zipf, from, count, p);
    for (int64_t k = 0; k < count; k++)
      of[from - range.first + k] =
          (struct th_statistics){.mean = 2 * p[k],
                                 .deviation = sqrt(p[k] * (6 - 4 * p[k])),
                                 .lowest = 0,
                                 .highest = TH_LARGEST_COUNT};
  }
}

const struct th_family_rules th_sparse_family = {.plant = sparse_plant,
                                                 .prepare = sparse_prepare,
                                                 .moments = sparse_moments};

/* ---- values ---- */

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
                         "positions of a column", err);
  if (rc == TH_OK)
    rc = TH_GROW(&column->value, &column->value_capacity, column->count + 1,
                 "values of a column", err);
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
  th_random_uniforms(stream, attribute, (int64_t)draw, DRAWN, logs);
  th_log_array(DRAWN, logs, logs);
}

static void prepare_column(const struct th_ground_truth *truth,
                           int64_t attributes, struct th_column *column)
{
  if (column->attributes == attributes && column->density == truth->own.density)
    return;
  column->law = th_families_zipf(attributes, truth->own.density);
  column->attributes = attributes;
  column->density = truth->own.density;
  column->screen.known = false;
}

/* An attribute is zero everywhere if log u / log(1 - p) >= n, with u the first
 * number drawn. As -log u >= 1 - u and -log(1 - p) <= p / (1 - p), and p falls
 * within the cell, this is so where 1 - u >= n p / (1 - p) with its largest p.
 */
static void look_at_cell(const struct th_ground_truth *truth, int64_t cell,
                         int64_t examples, struct th_column *column)
{
  const double rounded = 1 + 1e-6;
  struct th_sparse_screen *screen = &column->screen;
  double first[TH_CELL];
  double second[TH_CELL];
  double p = th_families_zipf_probability(&column->law, cell);
  double least = (double)examples * p / (1 - p) * rounded;
  const struct th_random_pairs pairs = {
      .stream = {truth->seed, TH_PURPOSE_POSITION},
      .step = (uint64_t)cell,
      .step_stride = 1};
  th_random_uniform_pairs(&pairs, TH_CELL, first, second);
  for (int64_t k = 0; k < TH_CELL; k++)
    screen->may[k] = 1 - first[k] < least;
  screen->seed = truth->seed;
  screen->cell = cell;
  screen->examples = examples;
  screen->known = true;
}

int64_t th_families_sparse_next(const struct th_ground_truth *truth,
                                int64_t attributes, struct th_range range,
                                int64_t examples, struct th_column *column)
{
  const struct th_sparse_screen *screen = &column->screen;
  prepare_column(truth, attributes, column);
  for (int64_t j = range.first; j < range.last;) {
    int64_t cell = j / TH_CELL * TH_CELL;
    int64_t end = th_min_i64(cell + TH_CELL, range.last);
    if (!screen->known || screen->cell != cell ||
        screen->examples != examples || screen->seed != truth->seed)
      look_at_cell(truth, cell, examples, column);
    const bool *may = memchr(screen->may + (j - cell), true, (size_t)(end - j));
    if (may != NULL)
      return cell + (may - screen->may);
    j = end;
  }
  return range.last;
}

th_status th_families_sparse(const struct th_ground_truth *truth,
                             int64_t attributes, int64_t attribute,
                             int64_t examples, struct th_column *column,
                             struct th_error *err)
{
  struct th_stream stream = {truth->seed, TH_PURPOSE_POSITION};
  const struct th_range alone = {attribute, attribute + 1};
  column->count = 0;
  if (th_families_sparse_next(truth, attributes, alone, examples, column) >
      attribute)
    return TH_OK;
  double log_zero =
      th_log1p(-th_families_zipf_probability(&column->law, attribute));
  double logs[DRAWN];
  int64_t example = -1;
  th_status rc = TH_OK;
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

void th_families_column_free(struct th_column *column)
{
  TH_FREE(column->example, column->value);
  *column = (struct th_column){0};
}

/* --- Uniform attributes in a renewal chain
 *
 * Saad, Blanchard & Arlot 2024, section 6: x_j uniform on [-1/2, 1/2], the
 * noise uniform as well, and coefficients that fall linearly,
 *   beta_i = (1 - (i - 1) / s) / sqrt(s), i = 1 .. s.
 * Attributes are independent (design orthogonal), or have correlation
 * rho^|j - k| (toeplitz): x_j is x_(j-1) with probability |rho|, with the sign
 * of rho, and else drawn afresh. A cell begins afresh so far before its first
 * attribute that nobody can tell. */

static const double half = 0.5;

/* log2 d, as in the paper. */
static int64_t chain_count(const struct th_ground_truth *truth,
                           int64_t attributes)
{
  int64_t size = (int64_t)floor(th_log2((double)attributes) + 0.5);
  if (truth->support_size > 0)
    return truth->support_size;
  return size > 1 ? size : 1;
}

static double falling(double share, double decay)
{
  return decay == 1 ? share : th_pow(share, decay);
}

/* Saad, Blanchard & Arlot 2024, section 5: decay is their gamma. */
static void chain_plant(struct th_ground_truth *truth, int64_t attributes)
{
  const double size = (double)truth->support_size;
  const double decay = truth->own.decay;
  (void)attributes;
  for (int64_t k = 0; k < truth->support_size; k++) {
    truth->support[k] = k;
    truth->coef[k] = falling(1 - (double)k / size, decay) / sqrt(size);
  }
  if (truth->own.design == TH_FAMILY_ORTHOGONAL)
    truth->own.correlation = 0;
}

static void chain_prepare(struct th_synthetic_law *law)
{
  law->share = 1;
  law->bound = half;
}

static void chain_moments(const struct th_synthetic_law *law,
                          struct th_range range, struct th_statistics *of)
{
  (void)law;
  for (int64_t j = range.first; j < range.last; j++)
    of[j - range.first] = (struct th_statistics){0, 1 / sqrt(12), -half, half};
}

/* Numbers of one attribute, two neighbouring examples per draw. */
static void uniforms(const struct th_family_walk *walk, enum th_purpose purpose,
                     int64_t attribute, double *out)
{
  struct th_stream stream = {walk->law->truth->seed, purpose};
  th_random_uniforms(stream, (uint64_t)attribute, walk->first, walk->rows, out);
}

static void chain_next(struct th_family_walk *walk, int64_t attribute)
{
  double rho = walk->law->truth->own.correlation;
  double stays[TH_FAMILY_STRIP] = {0};
  uniforms(walk, TH_PURPOSE_ATTRIBUTE, attribute, walk->fresh);
  if (rho != 0)
    uniforms(walk, TH_PURPOSE_POSITION, attribute, stays);
  for (int64_t k = 0; k < walk->rows; k++) {
    bool renews = rho == 0 || walk->innovation > 0 || stays[k] >= fabs(rho);
    double before = rho < 0 ? -walk->value[k] : walk->value[k];
    walk->value[k] = renews ? walk->fresh[k] - half : before;
  }
  walk->innovation = 0;
}

static void chain_start(struct th_family_walk *walk, int64_t attribute)
{
  double rho = walk->law->truth->own.correlation;
  int64_t j = families_start(rho, attribute);
  memset(walk->value, 0, sizeof walk->value);
  walk->innovation = 1; /* the first is drawn afresh */
  for (; j < attribute; j++)
    chain_next(walk, j);
}

/* Correlations are those of a stationary process of first order. The true
 * attributes are neighbours, and explain others by the last of them alone.
 * Eigenvalues lie within its spectrum (Grenander & Szego 1958), divided by the
 * 12 of a uniform law. */
static struct th_design design(const struct th_ground_truth *truth)
{
  double rho = fabs(truth->own.correlation);
  return (struct th_design){.mu = rho,
                            .least = (1 - rho) / (1 + rho) / 12,
                            .most = (1 + rho) / (1 - rho) / 12};
}

const struct th_family_rules th_oomp_family = {.count = chain_count,
                                               .plant = chain_plant,
                                               .prepare = chain_prepare,
                                               .moments = chain_moments,
                                               .start = chain_start,
                                               .next = chain_next,
                                               .design = design,
                                               .uniform_noise = true};

/* --- Genotypes
 *
 * Values count the rarer alleles of two haplotypes: 0, 1 or 2. Variants have a
 * frequency p of their own, uniform within 0.05 and 0.5. A haplotype is a chain
 * of uniform numbers u along the variants: with probability `linkage` it goes
 * on with the number before, and else it draws one afresh. It has the allele of
 * a variant where u < p, or u > 1 - p at half of the variants, so that alleles
 * are together more often than by chance, or less often. Cells are stretches
 * that recombine freely: each begins afresh, and is computed without those
 * before it.
 *
 * True variants lie anywhere. Their effects are normal, per deviation of the
 * variant, and scaled so that the targets have the variance 1, of which the
 * share `heritability` is theirs and the rest is noise. */

static const double rarest = 0.05;
static const double most_common = 0.5;

struct frequency {
  double p;
  bool high; /* large numbers have the allele */
};

static struct frequency frequency_of(const struct th_ground_truth *truth,
                                     int64_t attribute)
{
  struct th_stream stream = {truth->seed, TH_PURPOSE_TRUTH};
  double pair[2];
  th_random_uniform(stream, (uint64_t)attribute, 0, pair);
  return (struct frequency){rarest + (most_common - rarest) * pair[0],
                            pair[1] < 0.5};
}

/* Alleles of one haplotype are together where one number is both; the others
 * are independent. */
static double genotypes_covariance(const struct th_synthetic_law *law,
                                   int64_t attribute, int64_t other)
{
  const struct th_ground_truth *truth = law->truth;
  if (attribute / TH_CELL != other / TH_CELL)
    return 0;
  const struct frequency a = frequency_of(truth, attribute);
  const struct frequency b = frequency_of(truth, other);
  double lag = (double)llabs(other - attribute);
  double together = a.high == b.high ? fmin(a.p, b.p) : 0;
  return 2 * th_pow(truth->own.linkage, lag) * (together - a.p * b.p);
}

/* The variance of the true attributes' part of the targets. */
static double explained(const struct th_synthetic_law *law)
{
  const struct th_ground_truth *truth = law->truth;
  double sum = 0;
  for (int64_t a = 0; a < truth->support_size; a++)
    for (int64_t b = a; b >= 0; b--) {
      if (truth->support[a] / TH_CELL != truth->support[b] / TH_CELL)
        break;
      sum += (a == b ? 1 : 2) * truth->coef[a] * truth->coef[b] *
             genotypes_covariance(law, truth->support[a], truth->support[b]);
    }
  return sum;
}

static void genotypes_plant(struct th_ground_truth *truth, int64_t attributes)
{
  const struct th_stream places = {truth->seed, TH_PURPOSE_POSITION};
  const struct th_stream effects = {truth->seed, TH_PURPOSE_TRUTH};
  const struct th_synthetic_law law = {.truth = truth,
                                       .attributes = attributes};
  for (int64_t k = 0; k < truth->support_size; k++)
    truth->support[k] = th_random_place(places, 0, attributes, k);
  qsort(truth->support, (size_t)truth->support_size, sizeof *truth->support,
        th_integer_ascending);
  for (int64_t k = 0; k < truth->support_size; k++) {
    double p = frequency_of(truth, truth->support[k]).p;
    double pair[2];
    th_random_normal(effects, (uint64_t)truth->support[k], 1, pair);
    truth->coef[k] = pair[0] / sqrt(2 * p * (1 - p));
  }
  double scale = sqrt(truth->own.heritability / explained(&law));
  for (int64_t k = 0; k < truth->support_size; k++)
    truth->coef[k] *= scale;
}

static double genotypes_noise(const struct th_ground_truth *truth)
{
  return sqrt(1 - truth->own.heritability);
}

/* 1 - (1 - p)^2, on average over p. */
static void genotypes_prepare(struct th_synthetic_law *law)
{
  const double low = rarest;
  const double high = most_common;
  law->share = low + high - (low * low + low * high + high * high) / 3;
}

static void genotypes_moments(const struct th_synthetic_law *law,
                              struct th_range range, struct th_statistics *of)
{
  for (int64_t j = range.first; j < range.last; j++) {
    double p = frequency_of(law->truth, j).p;
    of[j - range.first] =
        (struct th_statistics){2 * p, sqrt(2 * p * (1 - p)), 0, 2};
  }
}

/* ---- values ---- */

/* A haplotype goes on by one variant. fresh[] decides both, whether it goes on
 * with its number and which other one it takes. */
static void go_along(double stays, int64_t rows, const double *fresh,
                     double *restrict number)
{
  const double stretch = 1 / (1 - stays);
  for (int64_t k = 0; k < rows; k++)
    number[k] = fresh[k] < stays ? number[k] : (fresh[k] - stays) * stretch;
}

static void genotypes_next(struct th_family_walk *walk, int64_t attribute)
{
  const struct th_ground_truth *truth = walk->law->truth;
  const struct frequency of = frequency_of(truth, attribute);
  const double sign = of.high ? -1 : 1;
  const double bound = of.high ? of.p - 1 : of.p;
  const struct th_random_pairs pairs = {
      .stream = {truth->seed, TH_PURPOSE_ATTRIBUTE},
      .step = (uint64_t)attribute,
      .index = (uint64_t)walk->first,
      .index_stride = 1};
  double stays = attribute % TH_CELL == 0 ? 0 : truth->own.linkage;
  double fresh[2][TH_FAMILY_STRIP];
  th_random_uniform_pairs(&pairs, walk->rows, fresh[0], fresh[1]);
  for (int h = 0; h < 2; h++)
    go_along(stays, walk->rows, fresh[h], walk->haplotype[h]);
  for (int64_t k = 0; k < walk->rows; k++)
    walk->value[k] = (sign * walk->haplotype[0][k] < bound) +
                     (sign * walk->haplotype[1][k] < bound);
}

static void genotypes_start(struct th_family_walk *walk, int64_t attribute)
{
  memset(walk->haplotype, 0, sizeof walk->haplotype);
  for (int64_t j = attribute / TH_CELL * TH_CELL; j < attribute; j++)
    genotypes_next(walk, j);
}

/* Cells are walked as far as they have true variants. */
static void genotypes_targets(const struct th_synthetic_law *law, int64_t first,
                              int64_t rows, double *target)
{
  const struct th_ground_truth *truth = law->truth;
  for (int64_t begun = 0; begun < rows; begun += TH_FAMILY_STRIP) {
    struct th_family_walk walk = {.law = law, .first = first + begun};
    int64_t at = -1;
    walk.rows = th_min_i64(rows - begun, TH_FAMILY_STRIP);
    for (int64_t s = 0; s < truth->support_size; s++) {
      const int64_t wanted = truth->support[s];
      if (at < 0 || at / TH_CELL != wanted / TH_CELL)
        at = wanted / TH_CELL * TH_CELL - 1;
      while (at < wanted)
        genotypes_next(&walk, ++at);
      for (int64_t k = 0; k < walk.rows; k++)
        target[begun + k] += truth->coef[s] * walk.value[k];
    }
  }
}

const struct th_family_rules th_genotypes_family = {
    .plant = genotypes_plant,
    .noise = genotypes_noise,
    .prepare = genotypes_prepare,
    .moments = genotypes_moments,
    .covariance = genotypes_covariance,
    .start = genotypes_start,
    .next = genotypes_next,
    .add_targets = genotypes_targets};
