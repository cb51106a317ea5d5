/* running_stats.c - statistics of attributes, computed while they are written
 * SPDX-License-Identifier: MIT */
#include "io/dataset/running_stats.h"

#include "base/memory.h"

#include <math.h>

th_status th_running_stats_init(struct th_running_stats *stats,
                                int64_t attributes, bool weighted,
                                struct th_error *err)
{
  th_status rc = TH_OK;
  *stats = (struct th_running_stats){.attributes = attributes};
  TH_TRY(TH_NEW(&stats->count, attributes, "statistics", err));
  TH_TRY(TH_NEW(&stats->mean, attributes, "statistics", err));
  TH_TRY(TH_NEW(&stats->squares, attributes, "statistics", err));
  TH_TRY(TH_NEW(&stats->lowest, attributes, "statistics", err));
  TH_TRY(TH_NEW(&stats->highest, attributes, "statistics", err));
  if (weighted)
    TH_TRY(TH_NEW(&stats->weight, attributes, "statistics", err));
done:
  return rc;
}

th_status th_running_stats_allow_missing(struct th_running_stats *stats,
                                         bool weighted, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&stats->missing, stats->attributes, "statistics", err));
  TH_TRY(TH_NEW(&stats->absent, stats->attributes, "statistics", err));
  if (weighted)
    TH_TRY(TH_NEW(&stats->away, stats->attributes, "statistics", err));
done:
  return rc;
}

void th_running_stats_free(struct th_running_stats *stats)
{
  TH_FREE(stats->count, stats->mean, stats->squares, stats->lowest,
          stats->highest, stats->weight, stats->missing, stats->absent,
          stats->away);
  *stats = (struct th_running_stats){0};
}

struct run {
  int64_t count;
  double weight;
  double mean;
  double squares;
  double lowest;
  double highest;
};

/* Chan, Golub & LeVeque (1979), pairwise update of mean and sum of squares. */
static void merge(struct th_running_stats *m, int64_t a, const struct run *run)
{
  double before = m->weight != NULL ? m->weight[a] : (double)m->count[a];
  double added = run->weight;
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
  if (m->weight != NULL)
    m->weight[a] = all;
}

/* Lane l takes the items l, l + LANES, ... The order of the additions, and so
 * every bit, depends on the number of items alone. */
enum { LANES = 8 };

static double sum_lanes(const double lane[LANES])
{
  return ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
         ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

static double sum_values(const double *values, int64_t count)
{
  double lane[LANES] = {0};
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += values[i + l];
  for (int l = 0; i < count; i++, l++)
    lane[l] += values[i];
  return sum_lanes(lane);
}

static double sum_squares(const double *values, int64_t count, double mean)
{
  double lane[LANES] = {0};
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += (values[i + l] - mean) * (values[i + l] - mean);
  for (int l = 0; i < count; i++, l++)
    lane[l] += (values[i] - mean) * (values[i] - mean);
  return sum_lanes(lane);
}

/* Sums of values times weights, in lanes likewise. */
static double sum_weighted(const double *values, const double *weight,
                           int64_t count)
{
  double lane[LANES] = {0};
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += weight[i + l] * values[i + l];
  for (int l = 0; i < count; i++, l++)
    lane[l] += weight[i] * values[i];
  return sum_lanes(lane);
}

static double sum_weighted_squares(const double *values, const double *weight,
                                   int64_t count, double mean)
{
  double lane[LANES] = {0};
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] +=
          weight[i + l] * (values[i + l] - mean) * (values[i + l] - mean);
  for (int l = 0; i < count; i++, l++)
    lane[l] += weight[i] * (values[i] - mean) * (values[i] - mean);
  return sum_lanes(lane);
}

static inline double lesser(double a, double b)
{
  return a < b ? a : b;
}

static inline double greater(double a, double b)
{
  return a > b ? a : b;
}

static void find_bounds(const double *values, int64_t count, struct run *run)
{
  double low[LANES];
  double high[LANES];
  int64_t i = 0;
  for (int l = 0; l < LANES; l++)
    low[l] = high[l] = values[0];
  for (; i + LANES <= count; i += LANES)
    for (int l = 0; l < LANES; l++) {
      low[l] = lesser(values[i + l], low[l]);
      high[l] = greater(values[i + l], high[l]);
    }
  for (; i < count; i++) {
    low[0] = lesser(values[i], low[0]);
    high[0] = greater(values[i], high[0]);
  }
  for (int l = 0; l < LANES; l++) {
    run->lowest = lesser(low[l], run->lowest);
    run->highest = greater(high[l], run->highest);
  }
}

/* Mean and squares of more than one value. */
static void find_moments(const double *values, const double *weight,
                         int64_t count, struct run *run)
{
  if (weight == NULL) {
    run->mean = sum_values(values, count) / (double)count;
    run->squares = sum_squares(values, count, run->mean);
    return;
  }
  run->weight = sum_values(weight, count);
  run->mean = sum_weighted(values, weight, count) / run->weight;
  run->squares = sum_weighted_squares(values, weight, count, run->mean);
}

void th_running_stats_add(struct th_running_stats *stats, int64_t a,
                          const double *values, const double *weight,
                          int64_t count)
{
  if (count == 0)
    return;
  struct run run = {count,     weight != NULL ? weight[0] : (double)count,
                    values[0], 0.0,
                    values[0], values[0]};
  if (count > 1) { /* most sparse runs are a single value */
    find_moments(values, weight, count, &run);
    find_bounds(values, count, &run);
  }
  merge(stats, a, &run);
}

bool th_running_stats_add_some(struct th_running_stats *stats, int64_t a,
                               const struct th_running_run *run)
{
  int64_t kept = 0;
  double away = 0;
  for (int64_t i = 0; i < run->count; i++) {
    double weight = run->weight != NULL ? run->weight[i] : 1;
    if (isinf(run->values[i]))
      return false;
    if (isnan(run->values[i])) {
      away += weight;
      continue;
    }
    run->values[kept] = run->values[i];
    if (run->weight != NULL)
      run->kept[kept] = weight;
    kept++;
  }
  if (kept < run->count && stats->missing == NULL)
    return false;
  if (stats->missing != NULL)
    stats->missing[a] += run->count - kept;
  if (!run->training)
    return true;
  if (stats->absent != NULL)
    stats->absent[a] += run->count - kept;
  if (stats->away != NULL)
    stats->away[a] += away;
  th_running_stats_add(stats, a, run->values,
                       run->weight != NULL ? run->kept : NULL, kept);
  return true;
}

/* By how often each value is there: sums of whole numbers are exact in any
 * order. */
void th_running_stats_add_u2(struct th_running_stats *stats, int64_t a,
                             const int64_t count[4], bool training)
{
  const int values = stats->missing != NULL ? 3 : 4;
  struct run run = {.lowest = 3};
  double sum = 0;
  if (values == 3)
    stats->missing[a] += count[3];
  if (!training)
    return;
  if (values == 3)
    stats->absent[a] += count[3];
  for (int v = 0; v < values; v++) {
    run.count += count[v];
    sum += (double)(v * count[v]);
    run.lowest = count[v] > 0 ? fmin(run.lowest, v) : run.lowest;
    run.highest = count[v] > 0 ? v : run.highest;
  }
  if (run.count == 0)
    return;
  run.weight = (double)run.count;
  run.mean = sum / run.weight;
  for (int v = 0; v < values; v++)
    run.squares += (double)count[v] * (v - run.mean) * (v - run.mean);
  merge(stats, a, &run);
}

/* Examples without a stored value, and what is left of the weight for them. */
static struct run zeros_of(const struct th_running_stats *stats, int64_t a,
                           int64_t rows, double weight)
{
  int64_t absent = stats->absent != NULL ? stats->absent[a] : 0;
  double away = stats->away != NULL ? stats->away[a] : 0;
  struct run zeros = {.count = rows - stats->count[a] - absent};
  zeros.weight = stats->weight != NULL
                     ? fmax(0, weight - stats->weight[a] - away)
                     : (double)zeros.count;
  return zeros;
}

void th_running_stats_finish(struct th_running_stats *stats, int64_t rows,
                             double weight)
{
  for (int64_t a = 0; a < stats->attributes; a++) {
    struct run zeros = zeros_of(stats, a, rows, weight);
    if (zeros.count > 0)
      merge(stats, a, &zeros);
    if (rows > 0)
      stats->squares[a] = sqrt(stats->squares[a] / weight);
  }
}

/* Zero times a finite value is zero; otherwise it is not a number, and neither
 * is the sum. */
static bool finite_by_lanes(const double *values, int64_t count)
{
  double lane[LANES] = {0};
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += values[i + l] * 0.0;
  for (; i < count; i++)
    lane[0] += values[i] * 0.0;
  return sum_lanes(lane) == 0.0;
}

static int64_t count_by_lanes(const double *values, int64_t count)
{
  double lane[LANES] = {0};
  int64_t i = 0;
  for (; i + LANES <= count; i += LANES)
    for (int l = 0; l < LANES; l++)
      lane[l] += values[i + l] != 0.0 ? 1.0 : 0.0;
  for (; i < count; i++)
    lane[0] += values[i] != 0.0 ? 1.0 : 0.0;
  return (int64_t)sum_lanes(lane);
}

bool th_running_stats_load(enum th_type type, bool missing, const void *stored,
                           int64_t count, double *values, int64_t *nonzeros)
{
  const double aside = th_type_missing(type);
  th_type_load_all(type, stored, 0, count, values);
  *nonzeros += count_by_lanes(values, count);
  for (int64_t i = 0; missing && i < count; i++)
    values[i] = values[i] == aside ? (double)NAN : values[i];
  return finite_by_lanes(values, count);
}
