/* kernels.c - every kernel of every type and layout against plain sums
 * SPDX-License-Identifier: MIT */
#include "math/kernels/kernels.h"
#include "check.h"

#include "base/random.h"
#include "math/kernels/dense.h"

#include <stdlib.h>
#include <string.h>

enum {
  MOST = 40,
  FEW = 9,
  MOST_ROWS = 2100,
  GROUP_FIRST = 3,
  BASE = 100,
  ENTRIES = 11
};

/* One slab with all that it points to; sizes are the largest of any case. */
struct sample {
  struct th_slab slab;
  double values[MOST * (MOST_ROWS + 16)];
  uint32_t attribute[MOST];
  uint32_t start[MOST + 1];
  uint16_t row[MOST * MOST_ROWS];
  double residual[MOST_ROWS + 16];
  float residual32[MOST_ROWS + 16];
  double weight[MOST_ROWS + 16];
  float weight32[MOST_ROWS + 16];
  double centre[MOST];
  double stand_in[MOST];
  struct th_row_weights multiplier;
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
  if (type == TH_U2)
    return floor(4 * u);
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
  s->multiplier = (struct th_row_weights){s->residual, s->residual32, s->weight,
                                          s->weight32};
}

/* What lies around the rows of a slab: a kernel that used it would show. */
static void poison(enum th_type type, void *values, int64_t index)
{
  if (!th_type_store(type, values, index, NAN))
    th_type_store(type, values, index, th_type_fits(type, -128) ? -128 : 3);
}

static void fill_dense(struct sample *s, int64_t step)
{
  struct th_slab *slab = &s->slab;
  int64_t count = slab->attributes.last - slab->attributes.first;
  slab->row = step % 7; /* packed: the first row lies inside of a byte */
  slab->stride = th_type_whole(slab->type, slab->row + slab->rows + step % 4);
  slab->values = (char *)s->values + th_type_offset(slab->type, slab->row);
  for (int64_t k = 0; k < count * slab->stride; k++) {
    int64_t i = k % slab->stride - slab->row;
    if (i < 0 || i >= slab->rows)
      poison(slab->type, s->values, k);
    else
      th_type_store(slab->type, s->values, k,
                    sample_value(slab->type, (uint64_t)step, k));
  }
  for (int64_t i = slab->rows; i < slab->rows + 16; i++) {
    s->residual[i] = s->weight[i] = NAN;
    s->residual32[i] = s->weight32[i] = NAN;
  }
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

/* Attributes first .. last-1 of a slab as a slab of their own. */
static struct th_slab part_of(const struct th_slab *slab, int64_t first,
                              int64_t last)
{
  struct th_slab part = *slab;
  part.attributes = (struct th_range){slab->attributes.first + first,
                                      slab->attributes.first + last};
  if (slab->layout == TH_DENSE)
    return th_slab_part(slab, part.attributes);
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
  part.values = (const char *)slab->values + th_type_bytes(slab->type, entries);
  return part;
}

/* Sums of the magnitudes of an attribute's terms in u, v and q. */
static void magnitudes(const struct sample *s, int64_t a, double own,
                       double sums[3])
{
  double column[MOST_ROWS];
  struct th_slab one = part_of(&s->slab, a, a + 1);
  th_kernel_column(&one, 0, 1, column);
  for (int64_t i = 0; i < one.rows; i++) {
    double z = fabs(column[i]) + fabs(s->centre[a]);
    sums[0] += fabs(s->residual[i]) * z;
    sums[1] += s->weight[i] * z * z;
    double rest = fabs(s->residual[i]) + s->weight[i] * fabs(own) * z;
    sums[2] += rest * rest * z * z;
  }
}

static void complain(const struct th_slab *slab, int64_t a, double found,
                     double wanted)
{
  check_failures++;
  fprintf(stderr, "%s %s, %d rows, attribute %lld: %.17g, wanted %.17g\n",
          th_type_layout_name(slab->layout), th_type_name(slab->type),
          slab->rows, (long long)a, found, wanted);
}

/* Within the bound of kernels.h. Sums start from 0.5, so that adding and
 * overwriting differ. */
static void test_sums(const struct sample *s)
{
  const struct th_slab *slab = &s->slab;
  int64_t count = slab->attributes.last - slab->attributes.first;
  bool single = slab->layout == TH_DENSE && slab->type != TH_F64;
  double unit = single ? 0x1p-17 : 0x1p-43;
  double plain[3][MOST];
  double sums[4][MOST];
  double some[MOST];
  const double *own = slab->layout == TH_DENSE ? some : NULL;
  for (int64_t a = 0; a < count; a++)
    some[a] = a % 3 == 0 ? 0 : 0.3 * (double)(a % 5 - 2);
  for (int k = 0; k < 4 * MOST; k++)
    sums[k / MOST][k % MOST] = plain[k / MOST % 3][k % MOST] = 0.5;
  th_kernel_reference(slab, &s->multiplier, s->centre, own, plain[0], plain[1],
                      plain[2]);
  th_kernel_evidence(slab, &s->multiplier, s->centre, own, sums[0], sums[1],
                     sums[2]);
  th_kernel_gradient(slab, &s->multiplier, s->centre, sums[3]);
  for (int64_t a = 0; a < count; a++) {
    double bound[3] = {0.5, 0.5, 0.5};
    magnitudes(s, a, own == NULL ? 0 : own[a], bound);
    for (int k = 0; k < 4; k++)
      if (!(fabs(sums[k][a] - plain[k % 3][a]) <= unit * bound[k % 3]))
        complain(slab, a, sums[k][a], plain[k % 3][a]);
  }
}

/* Bits do not depend on how a slab's attributes are cut into pieces. */
static void test_pieces(const struct sample *s)
{
  double whole[4][MOST] = {{0}};
  double parts[4][MOST] = {{0}};
  int64_t count = s->slab.attributes.last - s->slab.attributes.first;
  th_kernel_evidence(&s->slab, &s->multiplier, s->centre, s->centre, whole[0],
                     whole[1], whole[2]);
  th_kernel_gradient(&s->slab, &s->multiplier, s->centre, whole[3]);
  for (int64_t first = 0, width = 1; first < count; width++) {
    int64_t last = first + width < count ? first + width : count;
    struct th_slab part = part_of(&s->slab, first, last);
    th_kernel_evidence(&part, &s->multiplier, s->centre + first,
                       s->centre + first, parts[0] + first, parts[1] + first,
                       parts[2] + first);
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
      struct th_row_weights single = {s->residual + i, s->residual32 + i,
                                      s->weight + i, s->weight32 + i};
      struct th_slab row = one;
      double sums[3] = {0};
      row.rows = 1;
      row.row = one.row + i;
      if (one.layout == TH_DENSE)
        row.values = (const char *)one.values +
                     th_type_offset(one.type, th_slab_skip(&one) + i);
      th_kernel_reference(&row, &single, s->centre + a, NULL, &sums[0],
                          &sums[1], &sums[2]);
      th_kernel_column(&one, s->centre[a], 0.25, column);
      CHECK_NEAR(4 * column[i] * s->residual[i], sums[0], 1e-13);
    }
  }
}

/* A slab of a single row gives the bits of one in which the other rows have no
 * weight. */
static void test_row(const struct sample *s, int32_t i)
{
  const struct th_slab *slab = &s->slab;
  static float zeros32[2][MOST_ROWS];
  static double zeros[2][MOST_ROWS];
  const struct th_row_weights among = {zeros[0], zeros32[0], zeros[1],
                                       zeros32[1]};
  const struct th_row_weights single = {s->residual + i, s->residual32 + i,
                                        s->weight + i, s->weight32 + i};
  double sums[2][4][MOST] = {{{0}}};
  struct th_slab row = *slab;
  row.rows = 1;
  row.row = slab->row + i;
  row.values = (const char *)slab->values +
               th_type_offset(slab->type, th_slab_skip(slab) + i);
  zeros[0][i] = s->residual[i];
  zeros[1][i] = s->weight[i];
  zeros32[0][i] = s->residual32[i];
  zeros32[1][i] = s->weight32[i];
  th_kernel_evidence(slab, &among, s->centre, s->centre, sums[0][0], sums[0][1],
                     sums[0][2]);
  th_kernel_gradient(slab, &among, s->centre, sums[0][3]);
  th_kernel_evidence(&row, &single, s->centre, s->centre, sums[1][0],
                     sums[1][1], sums[1][2]);
  th_kernel_gradient(&row, &single, s->centre, sums[1][3]);
  zeros[0][i] = zeros[1][i] = 0;
  zeros32[0][i] = zeros32[1][i] = 0;
  CHECK(memcmp(sums[0], sums[1], sizeof sums[0]) == 0);
}

/* Every instruction set that runs here gives the bits of the plainest. */
static void test_sets(const struct sample *s)
{
  const struct th_slab *slab = &s->slab;
  const struct th_dense_set *set = th_kernel_sets();
  double sums[4][MOST];
  double plain[4][MOST] = {{0}};
  set->kernels->gradient[slab->type](slab, &s->multiplier, s->centre, plain[0]);
  set->kernels->evidence[slab->type](slab, &s->multiplier, s->centre, s->centre,
                                     plain[1], plain[2], plain[3]);
  for (set = th_kernel_sets(); set->name != NULL; set++) {
    if (!th_kernel_runs_here(set))
      continue;
    memset(sums, 0, sizeof sums);
    set->kernels->gradient[slab->type](slab, &s->multiplier, s->centre,
                                       sums[0]);
    set->kernels->evidence[slab->type](slab, &s->multiplier, s->centre,
                                       s->centre, sums[1], sums[2], sums[3]);
    if (memcmp(sums, plain, sizeof sums) == 0)
      continue;
    check_failures++;
    fprintf(stderr, "%s, %s, %d rows: other bits\n", set->name,
            th_type_name(slab->type), slab->rows);
  }
}

static void test_slab(struct sample *s, enum th_layout layout,
                      enum th_type type, int64_t count, int32_t rows)
{
  fill(s, layout, type, count, rows);
  test_sums(s);
  test_pieces(s);
  if (layout != TH_DENSE)
    return;
  test_sets(s);
  if (rows > 1)
    test_row(s, rows * 7 / 11);
}

/* Values of whole numbers that are missing: no sum knows what stands in the
 * memory. */
static void test_missing(struct sample *s, enum th_type type, int32_t rows)
{
  double column[MOST_ROWS];
  fill(s, TH_DENSE, type, FEW, rows);
  for (int64_t k = 0; k < FEW * s->slab.stride; k += 3)
    if (k % s->slab.stride >= s->slab.row &&
        k % s->slab.stride < s->slab.row + rows)
      th_type_store(type, s->values, k, th_type_missing(type));
  for (int64_t a = 0; a < FEW; a++)
    s->stand_in[a] = (double)(float)(0.7 * (double)a - 1);
  s->slab.stand_in = s->stand_in;
  test_sums(s);
  test_pieces(s);
  test_sets(s);
  test_row(s, rows * 7 / 11);
  test_column(s, column);
  for (int64_t i = 0; i < rows; i++) {
    double x = th_slab_load(&s->slab, 4, i);
    int64_t k = 4 * s->slab.stride + s->slab.row + i;
    CHECK(k % 3 == 0 ? x == s->stand_in[4]
                     : x != th_type_missing(type) || x == s->stand_in[4]);
  }
}

static void test_case(struct sample *s, enum th_layout layout,
                      enum th_type type, int32_t rows)
{
  double column[MOST_ROWS];
  test_slab(s, layout, type, 1 + rows % FEW, rows);
  if (rows % 37 < 2)
    test_column(s, column);
  if (rows == 1 || rows == 17 || rows == 259)
    for (int64_t every = 0; every <= MOST; every++)
      test_slab(s, layout, type, every, rows);
}

static void test_rows(struct sample *s, enum th_layout layout,
                      enum th_type type)
{
  const int32_t many[] = {1022, 1023, 1024, 1025, 1031, 1047, 2047, 2065, 2100};
  for (int32_t rows = 1; rows <= 600; rows++)
    test_case(s, layout, type, rows);
  for (size_t k = 0; k < sizeof many / sizeof *many; k++)
    test_case(s, layout, type, many[k]);
}

/* Means so large that the square of a mean is out of the range of f32: lanes
 * without a row must not see one. */
static void test_far(void)
{
  const float values[5] = {1e25F, 1.5e25F, 0.5e25F, 2e25F, 1e25F};
  const float ones[5] = {1e-20F, 1e-20F, 1e-20F, 1e-20F, 1e-20F};
  const double wide[5] = {1e-20, 1e-20, 1e-20, 1e-20, 1e-20};
  const double centre[1] = {1e25};
  struct th_row_weights m = {wide, ones, wide, ones};
  struct th_slab slab = {.type = TH_F32,
                         .attributes = {0, 1},
                         .rows = 5,
                         .stride = 5,
                         .values = values};
  double grad[1] = {0};
  double sums[3] = {0};
  th_kernel_gradient(&slab, &m, centre, grad);
  CHECK_NEAR(grad[0], 1e5, 1e-6);
  slab.rows = 1; /* at the mean: nothing but zeros */
  th_kernel_evidence(&slab, &m, centre, NULL, &sums[0], &sums[1], &sums[2]);
  CHECK(fabs(sums[0]) < 1 && sums[1] < 1e12 && sums[2] < 1e12);
}

int main(void)
{
  static struct sample s;
  CASE(test_far());
  for (int layout = 0; layout < TH_LAYOUT_COUNT; layout++)
    for (int type = 0; type < TH_TYPE_COUNT; type++)
      if (layout == TH_DENSE || th_type_packed((enum th_type)type) == 1)
        CASE(test_rows(&s, (enum th_layout)layout, (enum th_type)type));
  for (int type = 0; type < TH_TYPE_COUNT; type++)
    for (int32_t rows = 1; rows <= 1100; rows += rows < 70 ? 1 : 97)
      if (th_type_whole_numbers((enum th_type)type))
        CASE(test_missing(&s, (enum th_type)type, rows));
  return check_finish(NULL);
}
