/* unit_kernels.c - every kernel of every type and layout against plain sums
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "core/random.h"
#include "math/kernels.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 9, MOST_ROWS = 640, GROUP_FIRST = 3, BASE = 100, ENTRIES = 11 };

/* One slab with all that it points to; sizes are the largest of any case. */
struct sample {
  struct th_slab slab;
  double values[MOST * (MOST_ROWS + 8)];
  uint32_t attribute[MOST];
  uint32_t start[MOST + 1];
  uint16_t row[MOST * MOST_ROWS];
  double residual[MOST_ROWS];
  float residual32[MOST_ROWS];
  double weight[MOST_ROWS];
  float weight32[MOST_ROWS];
  double centre[MOST];
  struct th_multiplier multiplier;
};

static double uniform(uint64_t step, int64_t index)
{
  struct th_stream stream = {5, TH_PURPOSE_TEST};
  double pair[2];
  th_random_uniform(stream, step, (uint64_t)index, pair);
  return pair[0];
}

static double sample_value(enum th_type type, uint64_t step, int64_t index)
{
  double u = uniform(step, index);
  if (type == TH_U8)
    return floor(256 * u);
  if (type == TH_I8)
    return floor(256 * u) - 128;
  return 8 * u - 3;
}

/* Multipliers are stored as f32 first, so that both precisions agree. */
static void fill_rows(struct sample *s, int64_t rows, uint64_t step)
{
  for (int64_t i = 0; i < rows; i++) {
    s->residual32[i] = (float)(2 * uniform(step + 1, i) - 1);
    s->weight32[i] = (float)uniform(step + 2, i);
    s->residual[i] = (double)s->residual32[i];
    s->weight[i] = (double)s->weight32[i];
  }
  s->multiplier = (struct th_multiplier){s->residual, s->residual32, s->weight,
                                         s->weight32};
}

static void fill_dense(struct sample *s, int64_t step)
{
  struct th_slab *slab = &s->slab;
  int64_t count = slab->attributes.last - slab->attributes.first;
  slab->values = s->values;
  slab->stride = slab->rows + step % 4;
  for (int64_t k = 0; k < count * slab->stride; k++)
    th_type_store(slab->type, s->values, k,
                  sample_value(slab->type, (uint64_t)step, k));
}

/* About a third of the values, some attributes without any; some entries lie
 * before and behind the rows of the slab. */
static void fill_sparse(struct sample *s, int64_t step)
{
  struct th_slab *slab = &s->slab;
  int64_t count = slab->attributes.last - slab->attributes.first;
  int64_t at = 0;
  slab->runs = 0;
  slab->base = slab->attributes.first - 2;
  s->start[0] = 17;
  for (int64_t a = 0; a < count; a++) {
    int64_t before = at;
    for (int64_t i = 0; i < slab->rows + 2 * GROUP_FIRST; i++)
      if ((a + step) % 4 != 3 &&
          uniform((uint64_t)(step + 3 + a), i) < 1.0 / 3) {
        s->row[at] = (uint16_t)i;
        th_type_store(slab->type, s->values, at,
                      sample_value(slab->type, (uint64_t)step, at));
        at++;
      }
    if (at == before)
      continue;
    s->attribute[slab->runs] = (uint32_t)(a + 2);
    s->start[++slab->runs] = (uint32_t)(17 + at);
  }
  slab->row = GROUP_FIRST;
  slab->values = s->values;
  slab->attribute = s->attribute;
  slab->start = s->start;
  slab->row_in_group = s->row;
}

static void fill(struct sample *s, enum th_layout layout, enum th_type type,
                 int64_t count, int32_t rows)
{
  int64_t step = rows * 64 + count * 7 + (int64_t)type;
  s->slab = (struct th_slab){.layout = layout,
                             .type = type,
                             .attributes = {BASE, BASE + count},
                             .rows = rows};
  fill_rows(s, rows, (uint64_t)step);
  for (int64_t a = 0; a < count; a++)
    s->centre[a] = rows % 3 == 0 ? 0 : (double)(a - 3) / 2;
  if (layout == TH_DENSE)
    fill_dense(s, step);
  else
    fill_sparse(s, step);
}

/* Sums of magnitudes bound the rounding of any order of summation. */
static double tolerance_of(const struct sample *s)
{
  double unit = s->slab.type == TH_F64 ? 1e-15 : 3e-7;
  double largest = s->slab.type == TH_F32 || s->slab.type == TH_F64 ? 10 : 260;
  unit = s->slab.layout == TH_SPARSE ? 1e-14 : unit;
  return unit * (double)(s->slab.rows + 4) * largest;
}

static void compare(const struct sample *s, const double *a, const double *b,
                    double tolerance)
{
  int64_t count = s->slab.attributes.last - s->slab.attributes.first;
  for (int64_t j = 0; j < count; j++)
    if (!(fabs(a[j] - b[j]) <= tolerance)) {
      check_failures++;
      fprintf(stderr, "%s %s, %d rows, attribute %lld of %lld: %.17g, %.17g\n",
              th_layout_name(s->slab.layout), th_type_name(s->slab.type),
              s->slab.rows, (long long)j, (long long)count, a[j], b[j]);
    }
}

/* Sums start from 0.5, so that adding and overwriting differ. */
static void test_sums(const struct sample *s)
{
  double sums[7][MOST];
  for (int k = 0; k < 7; k++)
    for (int a = 0; a < MOST; a++)
      sums[k][a] = 0.5;
  th_kernel_reference(&s->slab, &s->multiplier, s->centre, sums[0], sums[1],
                      sums[2]);
  th_kernel_evidence(&s->slab, &s->multiplier, s->centre, sums[3], sums[4],
                     sums[5]);
  th_kernel_gradient(&s->slab, &s->multiplier, s->centre, sums[6]);
  double tolerance = tolerance_of(s);
  double largest = s->slab.type == TH_F32 || s->slab.type == TH_F64 ? 10 : 260;
  compare(s, sums[0], sums[3], tolerance);
  compare(s, sums[0], sums[6], tolerance);
  compare(s, sums[1], sums[4], tolerance * largest);
  compare(s, sums[2], sums[5], tolerance * largest);
}

/* Attributes first .. last-1 of a slab as a slab of their own. */
static struct th_slab part_of(const struct th_slab *slab, int64_t first,
                              int64_t last)
{
  struct th_slab part = *slab;
  part.attributes = (struct th_range){slab->attributes.first + first,
                                      slab->attributes.first + last};
  if (slab->layout == TH_DENSE) {
    part.values = (const char *)slab->values +
                  first * slab->stride * (int64_t)th_type_size(slab->type);
    return part;
  }
  int64_t skip = 0;
  part.runs = 0;
  for (int64_t k = 0; k < slab->runs; k++) {
    int64_t j = slab->base + slab->attribute[k];
    skip += j < part.attributes.first;
    part.runs += j >= part.attributes.first && j < part.attributes.last;
  }
  int64_t entries = (int64_t)slab->start[skip] - slab->start[0];
  part.attribute += skip;
  part.start += skip;
  part.row_in_group += entries;
  part.values =
      (const char *)slab->values + entries * (int64_t)th_type_size(slab->type);
  return part;
}

/* Bits do not depend on how a slab's attributes are cut into pieces. */
static void test_pieces(const struct sample *s)
{
  double whole[4][MOST] = {{0}};
  double parts[4][MOST] = {{0}};
  int64_t count = s->slab.attributes.last - s->slab.attributes.first;
  th_kernel_evidence(&s->slab, &s->multiplier, s->centre, whole[0], whole[1],
                     whole[2]);
  th_kernel_gradient(&s->slab, &s->multiplier, s->centre, whole[3]);
  for (int64_t first = 0, width = 1; first < count; width++) {
    int64_t last = first + width < count ? first + width : count;
    struct th_slab part = part_of(&s->slab, first, last);
    th_kernel_evidence(&part, &s->multiplier, s->centre + first,
                       parts[0] + first, parts[1] + first, parts[2] + first);
    th_kernel_gradient(&part, &s->multiplier, s->centre + first,
                       parts[3] + first);
    first = last;
  }
  CHECK(memcmp(whole, parts, sizeof whole) == 0);
}

/* A column times multipliers gives the sums of the reference, row by row. */
static void test_column(const struct sample *s, double *column)
{
  int64_t count = s->slab.attributes.last - s->slab.attributes.first;
  for (int64_t a = 0; a < count; a++) {
    struct th_slab one = part_of(&s->slab, a, a + 1);
    for (int32_t i = 0; i < s->slab.rows; i += ENTRIES) {
      struct th_multiplier single = {s->residual + i, s->residual32 + i,
                                     s->weight + i, s->weight32 + i};
      struct th_slab row = one;
      double sums[3] = {0};
      row.rows = 1;
      row.row = one.row + i;
      if (one.layout == TH_DENSE)
        row.values =
            (const char *)one.values + i * (int64_t)th_type_size(one.type);
      th_kernel_reference(&row, &single, s->centre + a, &sums[0], &sums[1],
                          &sums[2]);
      th_kernel_column(&one, s->centre[a], 0.25, column);
      CHECK_NEAR(4 * column[i] * s->residual[i], sums[0], 1e-13);
    }
  }
}

static void test_case(struct sample *s, enum th_layout layout,
                      enum th_type type, int32_t rows)
{
  double column[MOST_ROWS];
  int64_t count = 1 + rows % MOST;
  fill(s, layout, type, count, rows);
  test_sums(s);
  test_pieces(s);
  if (rows % 37 < 2)
    test_column(s, column);
  if (rows == 1 || rows == 17)
    for (int64_t every = 1; every <= MOST; every++) {
      fill(s, layout, type, every, rows);
      test_sums(s);
      test_pieces(s);
    }
}

int main(void)
{
  static struct sample s;
  for (int layout = 0; layout < TH_LAYOUT_COUNT; layout++)
    for (int type = 0; type < TH_TYPE_COUNT; type++)
      for (int32_t rows = 1; rows <= 600; rows++)
        test_case(&s, (enum th_layout)layout, (enum th_type)type, rows);
  return check_finish(NULL);
}
