/* arithmetic.c - one hash of the arithmetic of this program
 * SPDX-License-Identifier: MIT */
#include "cli/shared/arithmetic.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/cholesky.h"
#include "math/kernels/column.h"
#include "math/kernels/kernels.h"
#include "math/kernels/rows.h"
#include "math/linalg.h"
#include "synthetic/families.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  POINTS = 61, /* arguments of a function; no whole vectors */
  ROWS = 77,   /* of a slab: whole steps, and a part of one */
  ATTRIBUTES = 6,
  ORDER = 37, /* of a matrix: whole tiles, and a part of one */
  PRODUCT_ROWS = 64,
  DRAWS = 64
};

static const struct th_stream draws = {7, TH_PURPOSE_TEST};

/* Between -1 and 1. */
static double number(uint64_t step, int64_t index)
{
  double pair[2];
  th_random_uniform(draws, step, (uint64_t)index, pair);
  return 2 * pair[0] - 1;
}

/* Add numbers to the hash. -0 counts as 0, and all NaN count the same. */
static void hash_numbers(uint64_t *hash, const double *values, int64_t count)
{
  for (int64_t k = 0; k < count; k++) {
    double value = isnan(values[k]) ? 0.5 : values[k] + 0.0;
    *hash = th_integer_hash(*hash, &value, sizeof value);
  }
}

struct function_row {
  double (*call)(double x);
  double low, high;
};

static const struct function_row functions[] = {
    {th_exp, -750, 712},   {th_exp, -3, 3},      {th_exp2, -60, 60},
    {th_log, 1e-300, 4},   {th_log, 0.5, 2},     {th_log2, 1e-9, 1e9},
    {th_log1p, -0.999, 1}, {th_log1p, 0, 1e-8},  {th_tanh, -4, 4},
    {th_erfc, -3, 6},      {th_log, 1e-12, 1e12}};

static void take_functions(uint64_t *hash)
{
  double x[POINTS];
  double y[POINTS];
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
    const struct function_row *row = &functions[f];
    for (int k = 0; k < POINTS; k++) {
      x[k] = row->low + (row->high - row->low) * k / (POINTS - 1);
      y[k] = row->call(x[k]);
    }
    hash_numbers(hash, y, POINTS);
  }
  for (int k = 0; k < POINTS; k++) {
    struct th_sincos turn = th_sincos(0.11 * k);
    double pair[4] = {turn.sin, turn.cos, th_pow(1 + 3 * k, -0.37 * k),
                      th_hypot(k, 3.3)};
    hash_numbers(hash, pair, 4);
  }
}

static void take_arrays(uint64_t *hash)
{
  double x[POINTS];
  double y[POINTS];
  for (int k = 0; k < POINTS; k++)
    x[k] = 1e-3 + 0.37 * k;
  th_exp_array(POINTS, x, y);
  hash_numbers(hash, y, POINTS);
  th_log_array(POINTS, x, y);
  hash_numbers(hash, y, POINTS);
  th_log1p_array(POINTS, x, y);
  hash_numbers(hash, y, POINTS);
}

/* What the rows of a slab are multiplied with. */
struct factors {
  double residual[ROWS], weight[ROWS];
  float residual32[ROWS], weight32[ROWS];
};

static void fill_factors(struct factors *f)
{
  for (int i = 0; i < ROWS; i++) {
    f->residual32[i] = (float)number(1, i);
    f->weight32[i] = (float)fabs(number(2, i));
    f->residual[i] = (double)f->residual32[i];
    f->weight[i] = (double)f->weight32[i];
  }
}

static void hash_slab(uint64_t *hash, const struct factors *f,
                      enum th_type type)
{
  enum { STRIDE = 80 };
  static const double centre[ATTRIBUTES] = {0, 0.5, -1, 1.25, 0.1, 2};
  double values[ATTRIBUTES * STRIDE]; /* wide enough for each type */
  double sum[4][ATTRIBUTES] = {{0}};
  struct th_slab slab = {.layout = TH_DENSE,
                         .type = type,
                         .attributes = {0, ATTRIBUTES},
                         .rows = ROWS,
                         .stride = STRIDE,
                         .values = values};
  const struct th_row_weights m = {f->residual, f->residual32, f->weight,
                                   f->weight32};
  bool real = type == TH_F32 || type == TH_F64;
  memset(values, 0, sizeof values);
  for (int k = 0; k < ATTRIBUTES * STRIDE; k++)
    th_type_store(type, values, k,
                  real ? (double)(float)number(3, k)
                       : floor(2 + 2 * number(4, k)));
  th_kernel_gradient(&slab, &m, centre, sum[0]);
  th_kernel_evidence(&slab, &m, centre, centre, sum[1], sum[2], sum[3]);
  hash_numbers(hash, sum[0], 4 * ATTRIBUTES);
}

/* Loops over plain numbers, single and double. */
static void take_vectors(uint64_t *hash, const struct factors *f)
{
  const struct th_vector single = {.form = TH_VECTOR_SINGLE,
                                   .items = ROWS,
                                   .centre = 0.3,
                                   .scale = 1.7,
                                   .values = f->residual32};
  const struct th_row row = {TH_F32, ROWS, f->residual32, NULL};
  double v[ROWS];
  double sums[] = {th_column_dot_plain(f->residual, f->weight, ROWS),
                   th_column_dot(&single, f->weight),
                   th_column_square(&single, f->weight)};
  memcpy(v, f->weight, sizeof v);
  th_column_add_weighted(&single, 0.7, f->residual, v);
  th_row_step(&row, 0.6, 0.05, v);
  hash_numbers(hash, sums, sizeof sums / sizeof *sums);
  hash_numbers(hash, v, ROWS);
}

static void take_logistic(uint64_t *hash, const struct factors *f)
{
  double label[ROWS];
  double theta[ROWS];
  for (int i = 0; i < ROWS; i++)
    label[i] = i % 3 == 0 ? -1 : 1;
  struct th_logistic at =
      th_column_logistic_at(ROWS, f->weight, label, f->residual, 0.2, theta);
  double sums[] = {at.loss, at.slope, at.size, at.curvature,
                   th_column_logistic_dual(ROWS, f->weight, theta, 0.9)};
  hash_numbers(hash, sums, sizeof sums / sizeof *sums);
  hash_numbers(hash, theta, ROWS);
}

struct system {
  double columns[(ORDER + 3) * PRODUCT_ROWS]; /* whole tiles of columns */
  double a[(ORDER + 3) * (ORDER + 3)];
  double packed[ORDER * ORDER];
  double b[ORDER], x[ORDER], inverse[ORDER * ORDER];
  bool kept[ORDER];
};

/* A Gram matrix, the last but one of whose columns repeats another one. */
static void fill_system(struct system *s)
{
  const int64_t wide = ORDER + 3;
  for (int k = 0; k < ORDER * PRODUCT_ROWS; k++)
    s->columns[k] = number(5, k);
  memcpy(s->columns + (ORDER - 2) * PRODUCT_ROWS, s->columns,
         PRODUCT_ROWS * sizeof *s->columns);
  const struct th_products products = {
      .rows = PRODUCT_ROWS,
      .lead = PRODUCT_ROWS,
      .left = s->columns,
      .right = s->columns,
      .left_tiles = th_column_products_tiles(ORDER),
      .right_tiles = th_column_products_tiles(ORDER),
      .sum = s->a,
      .stride = wide};
  th_column_products_add(&products);
  for (int j = 0; j < ORDER; j++) {
    s->b[j] = number(6, j);
    memcpy(s->packed + j * ORDER, s->a + j * wide, ORDER * sizeof *s->a);
  }
}

static th_status take_system(uint64_t *hash, struct system *s,
                             struct th_error *err)
{
  struct th_cholesky factor = {0};
  double largest = 0;
  th_status rc;
  fill_system(s);
  hash_numbers(hash, s->packed, ORDER * ORDER);
  TH_TRY(
      th_linalg_solve(&(struct th_linalg_system){ORDER, s->packed, s->b, 1e-9},
                      s->x, s->inverse, s->kept, err));
  hash_numbers(hash, s->x, ORDER);
  hash_numbers(hash, s->inverse, ORDER * ORDER);
  TH_TRY(th_cholesky_pivot(&factor, ORDER, s->packed, ORDER, 1e-9, err));
  th_cholesky_solve(&factor, factor.rank, s->b, s->x);
  hash_numbers(hash, s->x, ORDER);
  TH_TRY(th_linalg_largest_eigenvalue(ORDER, s->packed, &largest, err));
  hash_numbers(hash, &largest, 1);
done:
  th_cholesky_free(&factor);
  return rc;
}

static void take_random(uint64_t *hash)
{
  double pair[2];
  for (int k = 0; k < DRAWS; k++) {
    th_random_normal(draws, 11, (uint64_t)k, pair);
    hash_numbers(hash, pair, 2);
  }
}

/* A strip of each family, and its targets. */
static th_status take_family(uint64_t *hash, const struct th_family *family,
                             struct th_error *err)
{
  enum { EXAMPLES = 40, WIDE = 300 };
  struct th_ground_truth truth = {
      .seed = 5,
      .support_size = 3,
      .noise = family->default_noise,
      .own = {.correlation = 0.5, .density = 0.05, .alpha = -0.7, .decay = 1}};
  struct th_column column = {0};
  double values[8 * EXAMPLES] = {0};
  double target[EXAMPLES];
  const struct th_synthetic_room room = {.attributes = {256, 264},
                                         .examples = {0, EXAMPLES},
                                         .type = TH_F64,
                                         .values = values,
                                         .stride = EXAMPLES};
  th_status rc;
  snprintf(truth.family, sizeof truth.family, "%s", family->name);
  TH_TRY(th_synthetic_truth_init(&truth, WIDE, err));
  if (family->layout == TH_DENSE) {
    struct th_synthetic_law law = th_synthetic_law_of(&truth, WIDE);
    TH_TRY(th_synthetic_dense(&law, &room, err));
  } else
    TH_TRY(th_families_sparse(&truth, WIDE, 9, EXAMPLES, &column, err));
  for (int64_t k = 0; k < column.count; k++)
    values[column.example[k]] = column.value[k];
  hash_numbers(hash, values, 8 * EXAMPLES);
  TH_TRY(
      th_synthetic_targets(&truth, WIDE, EXAMPLES, 0, EXAMPLES, target, err));
  hash_numbers(hash, target, EXAMPLES);
  hash_numbers(hash, truth.coef, truth.support_size);
done:
  th_families_column_free(&column);
  th_synthetic_truth_free(&truth);
  return rc;
}

th_status th_arithmetic_hash(uint64_t *hash, struct th_error *err)
{
  const char *version = th_elementary_version();
  struct system *system = NULL;
  struct factors factors;
  th_status rc = TH_NEW(&system, 1, "a matrix", err);
  uint64_t sum = th_integer_hash(TH_FNV_BASIS, version, strlen(version));
  fill_factors(&factors);
  take_functions(&sum);
  take_arrays(&sum);
  for (int type = 0; type < TH_TYPE_COUNT; type++)
    hash_slab(&sum, &factors, (enum th_type)type);
  take_vectors(&sum, &factors);
  take_logistic(&sum, &factors);
  take_random(&sum);
  if (rc == TH_OK)
    rc = take_system(&sum, system, err);
  for (const struct th_family *f = th_synthetic_family_table();
       rc == TH_OK && f->name != NULL; f++)
    if (f->default_type != TH_U2) /* which rounds where the others do */
      rc = take_family(&sum, f, err);
  *hash = sum;
  free(system);
  return rc;
}
