/* family_sparse.c - text-like counts
 *
 * Counts 1, 2, 3, ... with probabilities 1/2, 1/4, 1/8, ... at the places that
 * th_zipf makes frequent or rare. With probability p of not being zero, a value
 * has the mean 2 p and the mean square 6 p.
 * SPDX-License-Identifier: MIT */
#include "core/elementary.h"
#include "core/integer.h"
#include "core/memory.h"
#include "core/partition.h"
#include "core/random.h"
#include "synthetic/families.h"

#include <math.h>
#include <string.h>

enum { DRAWN = 8 }; /* gaps between non-zeros drawn together; even */

/* Every so many of the most frequent tenth, signs in turn. */
static void plant(struct th_ground_truth *truth, int64_t attributes)
{
  const int64_t size = truth->support_size;
  int64_t frequent = attributes / 10 > size ? attributes / 10 : size;
  for (int64_t k = 0; k < size; k++) {
    /* k * frequent / size without its overflow */
    truth->support[k] = frequent / size * k + frequent % size * k / size;
    truth->coef[k] = k % 2 == 0 ? 1.0 : -1.0;
  }
}

static void prepare(struct th_synthetic_law *law)
{
  law->share = law->truth->own.density;
  law->zipf = th_zipf(law->attributes, law->share);
}

static void moments(const struct th_synthetic_law *law, struct th_range range,
                    struct th_statistics *of)
{
  double p[TH_CELL];
  for (int64_t from = range.first; from < range.last; from += TH_CELL) {
    int64_t count = th_min_i64(TH_CELL, range.last - from);
    th_zipf_probabilities(&law->zipf, from, count, p);
    for (int64_t k = 0; k < count; k++)
      of[from - range.first + k] =
          (struct th_statistics){.mean = 2 * p[k],
                                 .deviation = sqrt(p[k] * (6 - 4 * p[k])),
                                 .lowest = 0,
                                 .highest = TH_LARGEST_COUNT};
  }
}

const struct th_family_rules th_sparse_family = {
    .plant = plant, .prepare = prepare, .moments = moments};

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
  column->law = th_zipf(attributes, truth->own.density);
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
  double p = th_zipf_probability(&column->law, cell);
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

int64_t th_synthetic_sparse_next(const struct th_ground_truth *truth,
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

th_status th_synthetic_sparse(const struct th_ground_truth *truth,
                              int64_t attributes, int64_t attribute,
                              int64_t examples, struct th_column *column,
                              struct th_error *err)
{
  struct th_stream stream = {truth->seed, TH_PURPOSE_POSITION};
  const struct th_range alone = {attribute, attribute + 1};
  column->count = 0;
  if (th_synthetic_sparse_next(truth, attributes, alone, examples, column) >
      attribute)
    return TH_OK;
  double log_zero = th_log1p(-th_zipf_probability(&column->law, attribute));
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

void th_synthetic_column_free(struct th_column *column)
{
  TH_FREE(column->example, column->value);
  *column = (struct th_column){0};
}
