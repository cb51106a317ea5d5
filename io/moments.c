/* moments.c - statistics of attributes, gathered while they are written
 * SPDX-License-Identifier: MIT */
#include "io/moments.h"

#include "core/memory.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

th_status th_moments_init(struct th_moments *moments, int64_t attributes,
                          struct th_error *err)
{
  th_status rc = TH_OK;
  *moments = (struct th_moments){.attributes = attributes};
  TH_TRY(TH_NEW(&moments->count, attributes, "statistics", err));
  TH_TRY(TH_NEW(&moments->mean, attributes, "statistics", err));
  TH_TRY(TH_NEW(&moments->squares, attributes, "statistics", err));
  TH_TRY(TH_NEW(&moments->lowest, attributes, "statistics", err));
  TH_TRY(TH_NEW(&moments->highest, attributes, "statistics", err));
done:
  return rc;
}

void th_moments_free(struct th_moments *moments)
{
  free(moments->count);
  free(moments->mean);
  free(moments->squares);
  free(moments->lowest);
  free(moments->highest);
  *moments = (struct th_moments){0};
}

struct run {
  int64_t count;
  double mean;
  double squares;
  double lowest;
  double highest;
};

/* Chan, Golub & LeVeque (1979), pairwise update of mean and sum of squares. */
static void merge(struct th_moments *m, int64_t a, const struct run *run)
{
  double before = (double)m->count[a];
  double added = (double)run->count;
  double all = before + added;
  double step = run->mean - m->mean[a];
  if (m->count[a] == 0) {
    m->lowest[a] = run->lowest;
    m->highest[a] = run->highest;
  }
  m->mean[a] += step * (added / all);
  m->squares[a] += run->squares + step * step * (before * added / all);
  m->lowest[a] = fmin(m->lowest[a], run->lowest);
  m->highest[a] = fmax(m->highest[a], run->highest);
  m->count[a] += run->count;
}

void th_moments_add(struct th_moments *moments, int64_t a, const double *values,
                    int64_t count)
{
  if (count == 0)
    return;
  struct run run = {count, 0.0, 0.0, values[0], values[0]};
  double sum = 0.0;
  for (int64_t i = 0; i < count; i++) {
    sum += values[i];
    run.lowest = values[i] < run.lowest ? values[i] : run.lowest;
    run.highest = values[i] > run.highest ? values[i] : run.highest;
  }
  run.mean = sum / (double)count;
  for (int64_t i = 0; i < count; i++)
    run.squares += (values[i] - run.mean) * (values[i] - run.mean);
  merge(moments, a, &run);
}

void th_moments_finish(struct th_moments *moments, int64_t rows)
{
  for (int64_t a = 0; a < moments->attributes; a++) {
    struct run zeros = {.count = rows - moments->count[a]};
    if (zeros.count > 0)
      merge(moments, a, &zeros);
    if (rows > 0)
      moments->squares[a] = sqrt(moments->squares[a] / (double)rows);
  }
}

#define TH_LOAD(code, name, ctype, bits, low, high, help)                      \
  case code:                                                                   \
    for (int64_t i = 0; i < count; i++)                                        \
      values[i] = (double)((const ctype *)stored)[i];                          \
    break;

static void load(enum th_type type, const void *stored, int64_t count,
                 double *values)
{
  switch (type) {
    TH_TYPE_LIST(TH_LOAD)
  case TH_TYPE_COUNT:
    break;
  }
}

static void load_packed(enum th_type type, const void *stored, int64_t count,
                        double *values)
{
  for (int64_t i = 0; i < count; i++)
    values[i] = th_type_load(type, stored, i);
}

bool th_values_load(enum th_type type, const void *stored, int64_t count,
                    double *values, int64_t *nonzeros)
{
  int64_t found = 0;
  int bad = 0;
  (th_type_packed(type) > 1 ? load_packed : load)(type, stored, count, values);
  for (int64_t i = 0; i < count; i++) {
    found += values[i] != 0.0;
    bad |= !(fabs(values[i]) <= DBL_MAX);
  }
  *nonzeros += found;
  return bad == 0;
}
