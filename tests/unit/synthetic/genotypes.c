/* genotypes.c - the family of genotypes: frequencies, linkage along a
 * haplotype, and targets whose variance is 1, of which a share is explained
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "synthetic/synthetic.h"

#include <stdlib.h>

enum { ATTRIBUTES = 600, ROWS = 20000 };

static struct th_ground_truth make(double linkage, double heritability,
                                   int64_t support)
{
  struct th_ground_truth truth = {
      .family = "genotypes",
      .seed = 5,
      .own = {.linkage = linkage, .heritability = heritability},
      .support_size = support};
  struct th_error err;
  th_error_clear(&err);
  CHECK(th_synthetic_truth_init(&truth, ATTRIBUTES, &err) == TH_OK);
  return truth;
}

static double *dense(const struct th_ground_truth *truth)
{
  struct th_synthetic_law law = th_synthetic_law_of(truth, ATTRIBUTES);
  struct th_error err;
  double *x = calloc((size_t)ROWS * ATTRIBUTES, sizeof *x);
  struct th_synthetic_room room = {.attributes = {0, ATTRIBUTES},
                                   .examples = {0, ROWS},
                                   .type = TH_F64,
                                   .values = x,
                                   .stride = ROWS};
  if (x == NULL)
    abort();
  th_error_clear(&err);
  CHECK(th_synthetic_dense(&law, &room, &err) == TH_OK);
  return x;
}

static double moment(const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < ROWS; i++)
    sum += b == NULL ? a[i] : a[i] * b[i];
  return sum / ROWS;
}

/* Values are binomial of two draws: p^2 twice, 2 p (1 - p) once. */
static void test_frequencies(double linkage)
{
  struct th_ground_truth truth = make(linkage, 0.5, 10);
  struct th_synthetic_law law = th_synthetic_law_of(&truth, ATTRIBUTES);
  struct th_statistics of[ATTRIBUTES];
  double *x = dense(&truth);
  double sum = 0;
  double squares = 0;
  th_synthetic_statistics(&law, (struct th_range){0, ATTRIBUTES}, of);
  for (int j = 0; j < ATTRIBUTES; j++) {
    const double p = of[j].mean / 2;
    int64_t twice = 0;
    int64_t once = 0;
    for (int i = 0; i < ROWS; i++) {
      twice += x[(int64_t)j * ROWS + i] == 2;
      once += x[(int64_t)j * ROWS + i] == 1;
    }
    CHECK(p >= 0.05 && p <= 0.5);
    CHECK(fabs((double)twice / ROWS - p * p) < 5 * p / sqrt(ROWS));
    CHECK(fabs((double)once / ROWS - 2 * p * (1 - p)) <
          5 * sqrt(2 * p * (1 - p) / ROWS));
    sum += p / ATTRIBUTES;
    squares += p * p / ATTRIBUTES;
  }
  CHECK(fabs(sum - 0.275) < 5 * 0.13 / sqrt(ATTRIBUTES));
  CHECK(fabs(squares - sum * sum - 0.45 * 0.45 / 12) < 0.003);
  free(x);
  th_synthetic_truth_free(&truth);
}

/* Covariances in the values: linkage^lag times min(p, q) - p q or - p q for
 * each haplotype, both signs as often; none across cells. */
static void test_linkage(double linkage)
{
  struct th_ground_truth truth = make(linkage, 0.5, 10);
  struct th_synthetic_law law = th_synthetic_law_of(&truth, ATTRIBUTES);
  struct th_statistics of[ATTRIBUTES];
  double *x = dense(&truth);
  int64_t signs[2] = {0, 0};
  int64_t pairs = 0;
  th_synthetic_statistics(&law, (struct th_range){0, ATTRIBUTES}, of);
  for (int lag = 1; lag < 6; lag += 2) {
    for (int j = 0; j + lag < ATTRIBUTES; j++) {
      const double p = of[j].mean / 2;
      const double q = of[j + lag].mean / 2;
      const double *a = x + (int64_t)j * ROWS;
      const double *b = a + (int64_t)lag * ROWS;
      const double found = moment(a, b) - moment(a, NULL) * moment(b, NULL);
      const bool apart = j / TH_CELL != (j + lag) / TH_CELL;
      const double share = apart ? 0 : 2 * pow(linkage, lag);
      const double same = share * (fmin(p, q) - p * q);
      const double opposite = -share * p * q;
      const bool closer = fabs(found - same) < fabs(found - opposite);
      CHECK(fabs(found - (closer ? same : opposite)) <
            5 * of[j].deviation * of[j + lag].deviation * sqrt(2.0 / ROWS));
      signs[closer] += !apart;
      pairs += !apart;
    }
  }
  CHECK(linkage == 0 || fabs((double)signs[0] / (double)pairs - 0.5) < 0.1);
  free(x);
  th_synthetic_truth_free(&truth);
}

/* True variants are scattered, their part of the targets is what they give, and
 * it has the promised share of a variance of 1, also where they are linked. */
static void test_targets(double heritability, int64_t support)
{
  struct th_ground_truth truth = make(0.95, heritability, support);
  struct th_error err;
  double *x = dense(&truth);
  double *y = calloc(ROWS, sizeof *y);
  double *part = calloc(ROWS, sizeof *part);
  double place = 0;
  if (y == NULL || part == NULL)
    abort();
  th_error_clear(&err);
  CHECK(th_synthetic_targets(&truth, ATTRIBUTES, ROWS, 0, ROWS, y, &err) ==
        TH_OK);
  for (int64_t k = 0; k < support; k++) {
    CHECK(k == 0 || truth.support[k] > truth.support[k - 1]);
    place += (double)truth.support[k] / (double)support / ATTRIBUTES;
    for (int i = 0; i < ROWS; i++)
      part[i] += truth.coef[k] * x[truth.support[k] * ROWS + i];
  }
  CHECK(truth.support[support - 1] < ATTRIBUTES);
  CHECK(fabs(place - 0.5) < 5 * sqrt(1.0 / 12 / (double)support));
  double explained = moment(part, part) - pow(moment(part, NULL), 2);
  double all = moment(y, y) - pow(moment(y, NULL), 2);
  CHECK(fabs(explained / heritability - 1) < 5 * sqrt(2.0 / ROWS));
  CHECK(fabs(all - 1) < 5 * sqrt(2.0 / ROWS));
  CHECK_NEAR(truth.noise * truth.noise, 1 - heritability, 1e-12);
  for (int i = 0; i < ROWS; i++)
    part[i] = y[i] - part[i];
  CHECK(fabs(moment(part, part) - (1 - heritability)) <
        5 * (1 - heritability) * sqrt(2.0 / ROWS) + 1e-20);
  free(part);
  free(y);
  free(x);
  th_synthetic_truth_free(&truth);
}

int main(void)
{
  CASE(test_frequencies(0));
  CASE(test_frequencies(0.9));
  CASE(test_linkage(0));
  CASE(test_linkage(0.9));
  CASE(test_targets(0.5, 200));
  CASE(test_targets(1, 30));
  return check_finish(NULL);
}
