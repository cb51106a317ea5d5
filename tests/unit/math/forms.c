/* forms.c - columns of every form give the bits of doubles of the same values,
 * on every instruction set
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "math/kernels/kernels.h"

#include "base/random.h"
#include "data/type.h"
#include "math/kernels/column.h"
#include "math/kernels/dense.h"

#include <math.h>
#include <string.h>

enum { MOST = 83, PART = 2 * TH_VECTOR_WHOLE };

/* A column as it is stored, and as doubles. */
struct sample {
  struct th_vector stored;
  struct th_vector plain;
  unsigned char values[MOST * sizeof(double)];
  double wide[MOST];
  double u[MOST];
  double h[MOST];
};

/* What the kernels of a set make of a column. */
struct made {
  double sums[2];
  double added[MOST];
  double weighted[MOST];
  double unpacked[MOST];
};

static double uniform(uint64_t step, int64_t index)
{
  struct th_stream stream = {9, TH_PURPOSE_TEST};
  double pair[2];
  th_random_uniform(stream, step, (uint64_t)index, pair);
  return pair[0];
}

/* Values from end to end of their type, those that are set aside among them. */
static double value_of(enum th_type type, int64_t i)
{
  double u = uniform(0, i);
  const double most[TH_TYPE_COUNT] = {
      [TH_U8] = 256, [TH_I8] = 256, [TH_U2] = 4};
  double low = type == TH_I8 ? -128 : 0;
  if (!th_type_whole_numbers(type))
    return (double)(float)(u - 0.3);
  return i % 5 == 2 ? th_type_missing(type) : floor(u * most[type]) + low;
}

static void fill(struct sample *s, enum th_vector_form form, enum th_type type,
                 int64_t items, bool missing)
{
  const double stand_in = (double)1.37F;
  memset(s->values, 0xa5, sizeof s->values);
  s->stored = (struct th_vector){.form = form,
                                 .items = items,
                                 .centre = 0.7,
                                 .scale = 1.3,
                                 .stand_in = missing ? stand_in : NAN,
                                 .values = s->values};
  s->plain = s->stored;
  s->plain.form = TH_VECTOR_DOUBLE;
  s->plain.values = s->wide;
  for (int64_t i = 0; i < items; i++) {
    double value = value_of(type, i);
    bool away = missing && value == th_type_missing(type);
    CHECK(th_type_store(type, s->values, i, value));
    s->wide[i] = away ? stand_in : value;
    s->u[i] = uniform(1, i) - 0.4;
    s->h[i] = uniform(2, i);
  }
}

/* Examples from `first` on are unpacked. */
static void make(const struct th_column_kernels *kernels,
                 const struct sample *s, const struct th_vector *x,
                 int64_t first, struct made *made)
{
  memset(made, 0, sizeof *made);
  memcpy(made->added, s->u, sizeof made->added);
  memcpy(made->weighted, s->u, sizeof made->weighted);
  made->sums[0] = kernels->dot[x->form](x, s->u);
  made->sums[1] = kernels->square[x->form](x, s->h);
  kernels->add[x->form](x, 0.37, made->added);
  kernels->add_weighted[x->form](x, 0.37, s->h, made->weighted);
  if (first <= x->items)
    kernels->unpack[x->form](x, first, x->items - first, 0.21, s->h,
                             made->unpacked);
}

static void test_column(enum th_vector_form form, enum th_type type,
                        int64_t items, bool missing)
{
  struct sample s = {0};
  struct made plain;
  struct made made;
  int64_t first = items % 2 * PART;
  fill(&s, form, type, items, missing);
  make(th_kernel_sets()->columns, &s, &s.plain, first, &plain);
  for (const struct th_dense_set *set = th_kernel_sets(); set->name != NULL;
       set++) {
    if (!th_kernel_runs_here(set))
      continue;
    make(set->columns, &s, &s.stored, first, &made);
    if (memcmp(&made, &plain, sizeof made) == 0)
      continue;
    check_failures++;
    fprintf(stderr, "%s, %s, %d examples: other bits\n", set->name,
            th_type_name(type), (int)items);
  }
}

/* A double loop, in no lanes. */
static void test_plain(int64_t items)
{
  struct sample s = {0};
  double dot = 0;
  double square = 0;
  fill(&s, TH_VECTOR_U2, TH_U2, items, true);
  for (int64_t i = 0; i < items; i++) {
    double z = (s.wide[i] - s.stored.centre) * s.stored.scale;
    dot += z * s.u[i];
    square += z * z * s.h[i];
  }
  CHECK_NEAR(th_column_dot(&s.stored, s.u), dot, 1e-12);
  CHECK_NEAR(th_column_square(&s.stored, s.h), square, 1e-12);
}

/* Several sums at once have the bits of each by itself. */
static void test_several(int64_t items)
{
  enum { DOTS = TH_COLUMN_DOTS, LANES = TH_COLUMN_LANES };
  static double value[2 * DOTS][MOST];
  const double *x[DOTS];
  const double *u[DOTS];
  int64_t whole = items / LANES * LANES;
  for (int k = 0; k < DOTS; k++) {
    x[k] = value[k];
    u[k] = value[DOTS + k];
    for (int64_t i = 0; i < items; i++) {
      value[k][i] = uniform((uint64_t)(3 + k), i) - 0.3;
      value[DOTS + k][i] = uniform((uint64_t)(13 + k), i) - 0.6;
    }
  }
  for (const struct th_dense_set *set = th_kernel_sets(); set->name != NULL;
       set++) {
    double tile[DOTS][DOTS][LANES] = {{{0}}};
    double lane[DOTS][LANES] = {{0}};
    if (!th_kernel_runs_here(set))
      continue;
    double added[MOST] = {0};
    double plain[MOST] = {0};
    const double factor[DOTS] = {0.3, -1.7, 0.9, 2.1};
    set->columns->several(x, factor, items, added);
    for (int k = 0; k < DOTS; k++)
      th_column_add_plain(x[k], factor[k], items, plain);
    CHECK(memcmp(added, plain, sizeof added) == 0);
    set->columns->tile(x, u, whole, tile);
    set->columns->lanes(x, u[1], whole, lane);
    for (int j = 0; j < DOTS; j++) {
      for (int k = 0; k < DOTS; k++)
        CHECK(th_column_lanes_sum(tile[j][k], x[j], u[k], whole, items) ==
              th_column_dot_plain(x[j], u[k], items));
      CHECK(th_column_lanes_sum(lane[j], x[j], u[1], whole, items) ==
            th_column_dot_plain(x[j], u[1], items));
    }
  }
}

int main(void)
{
  static const struct {
    enum th_vector_form form;
    enum th_type type;
  } forms[] = {{TH_VECTOR_SINGLE, TH_F32},
               {TH_VECTOR_DOUBLE, TH_F64},
               {TH_VECTOR_U8, TH_U8},
               {TH_VECTOR_I8, TH_I8},
               {TH_VECTOR_U2, TH_U2}};
  for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
    for (int64_t items = 0; items <= MOST; items++) {
      test_column(forms[f].form, forms[f].type, items, false);
      if (th_type_whole_numbers(forms[f].type))
        test_column(forms[f].form, forms[f].type, items, true);
    }
  for (int64_t items = 0; items <= MOST; items++)
    test_several(items);
  test_plain(MOST);
  test_plain(3);
  return check_finish(NULL);
}
