/* gradients.c - sixteen gradients at once: every instruction set gives the
 * same bits, within the stated rounding of plain sums
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "math/kernels/kernels.h"

#include "base/random.h"
#include "math/kernels/dense.h"

#include <math.h>
#include <string.h>

enum {
  ROWS = 200,
  ATTRIBUTES = 19,
  STRIDE = 208, /* whole steps */
  RIGHT = TH_GRADIENTS,
  SUMS = ATTRIBUTES * RIGHT
};

struct sample {
  unsigned char values[ATTRIBUTES * STRIDE * sizeof(double)];
  float residual[ROWS * RIGHT];
  double centre[ATTRIBUTES];
  double plain[SUMS];
  double magnitude[SUMS]; /* of the terms */
  double sum[SUMS];
};

static double uniform(uint64_t step, int64_t index)
{
  struct th_stream stream = {11, TH_PURPOSE_TEST};
  double pair[2];
  th_random_uniform(stream, step, (uint64_t)index, pair);
  return pair[0];
}

static void set_value(struct sample *s, enum th_type type, int64_t at)
{
  double x = uniform(0, at);
  float single = (float)(5 + x);
  double wide = 5 + x;
  if (type == TH_F64)
    memcpy(s->values + (size_t)at * sizeof wide, &wide, sizeof wide);
  else if (type == TH_F32)
    memcpy(s->values + (size_t)at * sizeof single, &single, sizeof single);
  else if (at < (int64_t)th_type_bytes(type, ATTRIBUTES * STRIDE))
    s->values[at] = (unsigned char)(256 * x);
}

static void fill(struct sample *s, enum th_type type)
{
  for (int64_t k = 0; k < ATTRIBUTES * STRIDE; k++)
    set_value(s, type, k);
  for (int64_t k = 0; k < ROWS * RIGHT; k++)
    s->residual[k] = (float)(uniform(1, k) - 0.5);
  for (int64_t a = 0; a < ATTRIBUTES; a++)
    s->centre[a] = (double)(a % 3) * 2.5;
}

/* Sums that begin at something, and what may be off. */
static void sum_plainly(struct sample *s, const struct th_slab *slab)
{
  for (int64_t k = 0; k < SUMS; k++) {
    s->plain[k] = (double)k;
    s->magnitude[k] = 0;
  }
  th_kernel_gradients_reference(slab, s->residual, s->centre, s->plain);
  for (int64_t a = 0; a < ATTRIBUTES; a++)
    for (int64_t i = 0; i < slab->rows; i++)
      for (int64_t k = 0; k < RIGHT; k++)
        s->magnitude[a * RIGHT + k] +=
            fabs((double)s->residual[i * RIGHT + k]) *
            (fabs(th_slab_load(slab, a, i)) + s->centre[a]);
}

static void test_slab(struct sample *s, const struct th_slab *slab)
{
  double first[SUMS];
  sum_plainly(s, slab);
  for (const struct th_dense_set *set = th_kernel_sets(); set->name != NULL;
       set++) {
    if (!th_kernel_runs_here(set))
      continue;
    for (int64_t k = 0; k < SUMS; k++)
      s->sum[k] = (double)k;
    set->gradients->add[slab->type](slab, s->residual, s->centre, s->sum);
    for (int64_t k = 0; k < SUMS; k++)
      CHECK(fabs(s->sum[k] - s->plain[k]) <= 0x1p-17 * s->magnitude[k] + 1e-12);
    if (set == th_kernel_sets())
      memcpy(first, s->sum, sizeof first);
    CHECK(memcmp(first, s->sum, sizeof first) == 0);
  }
}

/* Whole steps and parts of them, from the first row of a byte and from others.
 */
static void test_type(struct sample *s, enum th_type type)
{
  static const int32_t rows[] = {1, 15, 16, 63, 64, 65, 128, 197};
  double stand_in[ATTRIBUTES];
  fill(s, type);
  for (int64_t a = 0; a < ATTRIBUTES; a++) {
    stand_in[a] = 0.25 * (double)a;
    for (int64_t i = 0; i < STRIDE && th_type_packed(type) == 1; i += 5)
      if (th_type_whole_numbers(type))
        th_type_store(type, s->values, a * STRIDE + i, th_type_missing(type));
  }
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    for (int64_t row = 0; row < th_type_packed(type); row++) {
      struct th_slab slab = {.layout = TH_DENSE,
                             .type = type,
                             .attributes = {3, 3 + ATTRIBUTES},
                             .row = row,
                             .rows = rows[k],
                             .values = s->values,
                             .stride = STRIDE};
      test_slab(s, &slab);
      if (!th_type_whole_numbers(type))
        continue;
      slab.stand_in = stand_in;
      test_slab(s, &slab);
    }
}

/* Entries of three attributes, one of them without any: against a loop. */
static void test_entries(const struct sample *s)
{
  int64_t start[] = {0, 3, 3, 4};
  int32_t row[] = {2, 3, 50, 199};
  double value[] = {1.5, -2, 0.25, 8};
  const struct th_gradients_entries entries = {3, start, row, value};
  double right[3 * RIGHT] = {0};
  for (int e = 0; e < 4; e++)
    for (int k = 0; k < RIGHT; k++)
      right[(e < 3 ? 0 : 2) * RIGHT + k] +=
          value[e] * (double)s->residual[row[e] * RIGHT + k];
  for (const struct th_dense_set *set = th_kernel_sets(); set->name != NULL;
       set++) {
    double sum[3 * RIGHT] = {0};
    if (!th_kernel_runs_here(set))
      continue;
    set->gradients->add_entries(&entries, s->residual, sum);
    CHECK(memcmp(sum, right, sizeof sum) == 0);
  }
}

int main(void)
{
  static struct sample s;
  for (int type = 0; type < TH_TYPE_COUNT; type++)
    CASE(test_type(&s, (enum th_type)type));
  CASE(test_entries(&s));
  return check_finish(NULL);
}
