/* random_problem.c - small random penalised problems of many kinds
 * SPDX-License-Identifier: MIT */
#include "random_problem.h"

#include "base/random.h"
#include "check.h"

#include <math.h>

enum { KINDS = 6 };

double random_problem_uniform(struct random_problem *p)
{
  struct th_stream stream = {p->number, TH_PURPOSE_TEST};
  double pair[2];
  th_random_uniform(stream, 0, p->drawn++, pair);
  return pair[0];
}

double random_problem_normal(struct random_problem *p)
{
  struct th_stream stream = {p->number, TH_PURPOSE_TEST};
  double pair[2];
  th_random_normal(stream, 1, p->drawn++, pair);
  return pair[0];
}

/* low .. high. */
static int64_t whole(struct random_problem *p, int64_t low, int64_t high)
{
  return low + (int64_t)(random_problem_uniform(p) * (double)(high - low + 1));
}

/* One column of a kind; row by row. */
static void make_column(struct random_problem *p, int64_t kind, int64_t j,
                        const double *common)
{
  double scale = kind == 1 ? exp(2 * random_problem_normal(p)) : 1;
  double share = kind == 2 ? 0.95 : 0;
  int64_t twin = j > 0 ? whole(p, 0, j - 1) : 0;
  double sign = random_problem_uniform(p) < 0.5 ? -1 : 1;
  bool copy = kind == 3 && j > 0 && random_problem_uniform(p) < 0.5;
  double shift = kind == 4 ? 3 * random_problem_normal(p) : 0;
  for (int64_t i = 0; i < p->n; i++) {
    double value = share * common[i] +
                   (1 - share) * scale * random_problem_normal(p) + shift;
    if (kind == 5)
      value = random_problem_uniform(p) < 0.3; /* few, equal, often none */
    p->x[j][i] = copy ? sign * p->x[twin][i] : value;
  }
}

static void make_values(struct random_problem *p)
{
  double common[RANDOM_ROWS];
  double total = 0;
  int64_t kind = whole(p, 0, KINDS - 1);
  bool weighted = random_problem_uniform(p) < 0.5;
  for (int64_t i = 0; i < p->n; i++)
    common[i] = random_problem_normal(p);
  for (int64_t j = 0; j < p->d; j++)
    make_column(p, kind, j, common);
  for (int64_t i = 0; i < p->n; i++) {
    p->eta[i] = !weighted                         ? 1
                : random_problem_uniform(p) < 0.1 ? 0
                                                  : random_problem_uniform(p);
    p->eta[i] = i < 2 ? 1 : p->eta[i]; /* both classes count */
    total += p->eta[i];
  }
  for (int64_t i = 0; i < p->n; i++)
    p->eta[i] /= total;
}

/* A few columns and noise. */
static void make_targets(struct random_problem *p)
{
  double noise = random_problem_uniform(p);
  for (int64_t i = 0; i < p->n; i++)
    p->y[i] = noise * random_problem_normal(p) +
              (random_problem_uniform(p) < 0.5 ? 1 : 0);
  for (int k = 0; k < 3; k++) {
    int64_t j = whole(p, 0, p->d - 1);
    double coef = random_problem_normal(p);
    for (int64_t i = 0; i < p->n; i++)
      p->y[i] += coef * p->x[j][i];
  }
  double largest = 0;
  for (int64_t i = 0; i < p->n; i++)
    largest = fmax(largest, fabs(p->y[i]));
  for (int64_t i = 0; i < p->n; i++)
    p->y[i] /= largest; /* gaps are near 1 then */
  for (int64_t i = 0; i < p->n && p->loss->labels; i++)
    p->y[i] = i == 0 || (i > 1 && p->y[i] > 0) ? 1 : -1;
}

static void make_groups(struct random_problem *p)
{
  const struct th_penalty *penalty = &th_penalty_table()[whole(p, 0, 2)];
  int64_t widest = whole(p, 1, 6);
  double mix = random_problem_uniform(p);
  bool weighted = random_problem_uniform(p) < 0.5;
  int64_t g = 0;
  for (int64_t j = 0; j < p->d; g++) {
    int64_t size = penalty->grouped ? whole(p, 1, widest) : 1;
    size = size < p->d - j ? size : p->d - j;
    p->norm[g] = penalty->norm(weighted ? 0.2 + random_problem_uniform(p) : 0,
                               size, mix);
    p->start[g] = j;
    j += size;
  }
  p->groups = g;
  p->start[g] = p->d;
}

/* N_g as it is defined, and no more than the bound from N_j. */
static void make_second(struct random_problem *p)
{
  for (int64_t g = 0; g < p->groups; g++) {
    double work[RANDOM_COLUMNS];
    double bound = 0;
    p->second[g] = 0;
    for (int64_t i = 0; i < p->n; i++) {
      double row[RANDOM_COLUMNS];
      int64_t count = 0;
      for (int64_t j = p->start[g]; j < p->start[g + 1]; j++) {
        row[count++] = p->x[j][i];
        bound += p->eta[i] * p->x[j][i] * p->x[j][i];
      }
      double dual = th_penalty_norm_dual(p->norm[g], row, count, work);
      p->second[g] += p->eta[i] * dual * dual;
    }
    double least = th_penalty_norm_least(p->norm[g]);
    CHECK(p->second[g] <= bound / (least * least) * (1 + 1e-12));
  }
}

void random_problem_init(struct random_problem *p, uint64_t number)
{
  *p = (struct random_problem){.number = number};
  p->loss = &th_loss_table()[whole(p, 0, 2)];
  p->intercept = random_problem_uniform(p) < 0.5;
  p->n = whole(p, 3, RANDOM_ROWS);
  p->d = whole(p, 2, RANDOM_COLUMNS);
  make_values(p);
  make_targets(p);
  make_groups(p);
  make_second(p);
}
