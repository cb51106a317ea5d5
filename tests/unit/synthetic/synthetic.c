/* synthetic.c - moments, covariance, independence of the split, and the
 * population error of the synthetic families
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "synthetic/families.h"
#include "synthetic/synthetic.h"

#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = 600 }; /* of data whose law depends on them */

static struct th_ground_truth make(const char *family, int64_t attributes,
                                   int64_t support, double correlation,
                                   double density)
{
  struct th_ground_truth truth = {.seed = 7,
                                  .noise = 0.5,
                                  .own.correlation = correlation,
                                  .own.density = density,
                                  .own.design = correlation != 0,
                                  .own.linkage = 0.8,
                                  .own.heritability = 0.75,
                                  .support_size = support};
  struct th_error err;
  th_error_clear(&err);
  snprintf(truth.family, sizeof truth.family, "%s", family);
  CHECK(th_synthetic_truth_init(&truth, attributes, &err) == TH_OK);
  return truth;
}

/* kukliansky, of ATTRIBUTES attributes. */
static struct th_ground_truth binary(double alpha)
{
  struct th_ground_truth truth = make("kukliansky", ATTRIBUTES, 0, 0, 0);
  truth.own.alpha = alpha; /* the true coefficients do not depend on it */
  return truth;
}

static double *dense(const struct th_ground_truth *truth, struct th_range range,
                     int64_t first, int32_t rows)
{
  struct th_error err;
  th_error_clear(&err);
  double *x =
      calloc((size_t)(range.last - range.first) * (size_t)rows, sizeof *x);
  struct th_synthetic_room room = {.attributes = range,
                                   .examples = {first, rows},
                                   .type = TH_F64,
                                   .values = x,
                                   .stride = rows};
  struct th_synthetic_law law = th_synthetic_law_of(truth, ATTRIBUTES);
  CHECK(th_synthetic_dense(&law, &room, &err) == TH_OK);
  return x;
}

static double mean_product(const double *a, const double *b, int32_t rows)
{
  double sum = 0;
  for (int32_t i = 0; i < rows; i++)
    sum += a[i] * b[i];
  return sum / rows;
}

static void test_truth(void)
{
  struct th_ground_truth truth = make("murata", 500, 0, 0, 0);
  CHECK(truth.support_size == 25);
  for (int64_t k = 0; k < 25; k++) {
    CHECK(truth.support[k] == k);
    CHECK(truth.coef[k] == (k < 13 ? 1.0 : -1.0));
  }
  th_synthetic_truth_free(&truth);
  truth = make("toeplitz", 4, 0, 0.5, 0);
  CHECK(truth.support_size == 4);
  th_synthetic_truth_free(&truth);
  truth = make("sparse", 100000, 0, 0, 0.001);
  CHECK(truth.support_size == 100);
  for (int64_t k = 1; k < 100; k++)
    CHECK(truth.support[k] == truth.support[k - 1] + 100);
  CHECK(truth.coef[0] == 1 && truth.coef[1] == -1);
  th_synthetic_truth_free(&truth);
}

static void test_refusals(void)
{
  const struct th_ground_truth bad[] = {
      {.family = "murata", .support_size = 11, .noise = 1},
      {.family = "murata", .noise = -1},
      {.family = "murata", .noise = NAN},
      {.family = "toeplitz", .noise = 1, .own.correlation = 1},
      {.family = "toeplitz", .noise = 1, .own.correlation = -1},
      {.family = "sparse", .noise = 1, .own.density = 0},
      {.family = "sparse", .noise = 1, .own.density = 0.6},
      {.family = "kukliansky", .own.alpha = 0.1},
      {.family = "kukliansky", .own.alpha = NAN},
      {.family = "kukliansky", .own.alpha = -INFINITY},
      {.family = "kukliansky", .own.task = 2},
      {.family = "genotypes", .own.heritability = 0},
      {.family = "genotypes", .own.heritability = 1.5},
      {.family = "genotypes", .own.heritability = 1, .own.linkage = 1},
      {.family = "nothing", .noise = 1},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    struct th_ground_truth truth = bad[k];
    struct th_error err;
    th_error_clear(&err);
    CHECK(th_synthetic_truth_init(&truth, 10, &err) == TH_EUSAGE);
    CHECK(truth.support == NULL && truth.coef == NULL);
  }
}

/* Five standard errors of a mean of products of standard normals. */
static double five_errors(int32_t rows)
{
  return 5 * sqrt(2.0 / rows);
}

static void test_covariance(const char *family, double correlation)
{
  enum { ROWS = 20000 };
  const int64_t picks[] = {0, 1, 3, 254, 255, 256, 257, 260};
  struct th_ground_truth truth = make(family, 600, 3, correlation, 0);
  struct th_range range = {0, 300};
  double *x = dense(&truth, range, 0, ROWS);
  bool related = strcmp(family, "murata") != 0;
  double variance = strcmp(family, "oomp") == 0 ? 1.0 / 12 : 1;
  for (size_t a = 0; a < sizeof picks / sizeof *picks; a++) {
    for (size_t b = 0; b <= a; b++) {
      double lag = (double)(picks[a] - picks[b]);
      double expected = lag == 0 ? 1 : related ? pow(correlation, lag) : 0;
      double found =
          mean_product(x + picks[a] * ROWS, x + picks[b] * ROWS, ROWS);
      CHECK(fabs(found / variance - expected) < five_errors(ROWS));
    }
  }
  free(x);
  th_synthetic_truth_free(&truth);
}

/* Fourth moments tell a normal from other symmetric laws. */
static void test_moments(void)
{
  enum { ROWS = 100000 };
  struct th_ground_truth truth = make("murata", 10, 3, 0, 0);
  double *x = dense(&truth, (struct th_range){4, 5}, 0, ROWS);
  double first = 0;
  double fourth = 0;
  for (int i = 0; i < ROWS; i++) {
    first += x[i] / ROWS;
    fourth += x[i] * x[i] * x[i] * x[i] / ROWS;
  }
  CHECK(fabs(first) < 5 / sqrt(ROWS));
  CHECK(fabs(fourth - 3) < 5 * sqrt(96.0 / ROWS));
  free(x);
  th_synthetic_truth_free(&truth);
}

/* Any part, asked for in any way, has the same bits. */
static void test_split(struct th_ground_truth truth)
{
  enum { D = ATTRIBUTES, N = 700 };
  const struct th_range ranges[] = {
      {0, 1}, {5, 9}, {250, 260}, {256, 257}, {511, 600}};
  const int64_t firsts[] = {0, 1, 255, 256, 333, 699};
  double *all = dense(&truth, (struct th_range){0, D}, 0, N);
  for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
    for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
      int32_t rows = (int32_t)(N - firsts[f] < 300 ? N - firsts[f] : 300);
      double *part = dense(&truth, ranges[r], firsts[f], rows);
      for (int64_t j = ranges[r].first; j < ranges[r].last; j++)
        CHECK(memcmp(part + (j - ranges[r].first) * rows,
                     all + j * N + firsts[f],
                     (size_t)rows * sizeof *part) == 0);
      free(part);
    }
  }
  free(all);
  th_synthetic_truth_free(&truth);
}

static void test_types(void)
{
  struct th_ground_truth truth = make("murata", 10, 3, 0, 0);
  struct th_error err;
  double *x = dense(&truth, (struct th_range){0, 10}, 0, 40);
  float narrow[400];
  uint8_t bytes[400];
  th_error_clear(&err);
  struct th_synthetic_room room = {.attributes = {0, 10},
                                   .examples = {0, 40},
                                   .type = TH_F32,
                                   .values = narrow,
                                   .stride = 40};
  struct th_synthetic_law law = th_synthetic_law_of(&truth, 10);
  CHECK(th_synthetic_dense(&law, &room, &err) == TH_OK);
  for (int k = 0; k < 400; k++)
    CHECK(narrow[k] == (float)x[k]);
  room.type = TH_U8;
  room.values = bytes;
  CHECK(th_synthetic_dense(&law, &room, &err) == TH_EDATA);
  free(x);
  th_synthetic_truth_free(&truth);
}

static void test_law(void)
{
  const int64_t sizes[] = {1, 2, 63, 64, 65, 1000, 54321};
  const double densities[] = {0.0001, 0.001, 0.05, 0.3, 0.5};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    for (size_t k = 0; k < sizeof densities / sizeof *densities; k++) {
      struct th_zipf law = th_families_zipf(sizes[s], densities[k]);
      double sum = 0;
      double before = 0.5;
      for (int64_t j = 0; j < sizes[s]; j++) {
        double p = th_families_zipf_probability(&law, j);
        CHECK(p > 0 && p <= before);
        before = p;
        sum += p;
      }
      CHECK_NEAR(sum / (double)sizes[s], densities[k], 1e-12);
    }
  }
}

static void test_sparse_column(void)
{
  enum { D = 50, N = 200000 };
  struct th_ground_truth truth = make("sparse", D, 5, 0, 0.1);
  struct th_zipf law = th_families_zipf(D, 0.1);
  struct th_column column = {0};
  struct th_error err;
  th_error_clear(&err);
  for (int64_t j = 0; j < D; j += 7) {
    double p = th_families_zipf_probability(&law, j);
    double sum = 0;
    double squares = 0;
    CHECK(th_families_sparse(&truth, D, j, N, &column, &err) == TH_OK);
    for (int64_t k = 0; k < column.count; k++) {
      CHECK(column.example[k] >= 0 && column.example[k] < N);
      CHECK(k == 0 || column.example[k] > column.example[k - 1]);
      CHECK(column.value[k] >= 1 && column.value[k] == floor(column.value[k]));
      sum += column.value[k] / N;
      squares += column.value[k] * column.value[k] / N;
    }
    CHECK(fabs((double)column.count / N - p) < 5 * sqrt(p / N));
    CHECK(fabs(sum - 2 * p) < 5 * sqrt(6 * p / N));
    CHECK(fabs(squares - 6 * p) < 5 * sqrt(150 * p / N));
  }
  th_families_column_free(&column);
  th_synthetic_truth_free(&truth);
}

/* Row i of any family, as doubles. */
static double *matrix(const struct th_ground_truth *truth, int64_t d, int32_t n)
{
  if (strcmp(truth->family, "sparse") != 0)
    return dense(truth, (struct th_range){0, d}, 0, n);
  struct th_error err;
  struct th_column column = {0};
  th_error_clear(&err);
  double *x = calloc((size_t)d * (size_t)n, sizeof *x);
  for (int64_t j = 0; j < d; j++) {
    CHECK(th_families_sparse(truth, d, j, n, &column, &err) == TH_OK);
    for (int64_t k = 0; k < column.count; k++)
      x[j * n + column.example[k]] = column.value[k];
  }
  th_families_column_free(&column);
  return x;
}

/* Targets against their definition, in parts; the population error of some
 * model against the mean over many examples. */
/* What is passed over is zero everywhere, and most of it is passed over. */
static void test_passed_over(double density)
{
  enum { N = 50, D = 3000 };
  struct th_ground_truth truth = make("sparse", D, 5, 0, density);
  struct th_error err = {0};
  struct th_column column = {0};
  struct th_column look = {0};
  int64_t filled = 0;
  int64_t asked = 0;
  for (int64_t j = 0; j < D; j++) {
    struct th_range rest = {j, D};
    int64_t next = th_families_sparse_next(&truth, D, rest, N, &look);
    CHECK(next >= j && next <= D);
    CHECK(th_families_sparse(&truth, D, j, N, &column, &err) == TH_OK);
    CHECK(column.count == 0 || next == j);
    filled += column.count > 0;
    asked += next == j;
  }
  CHECK(asked >= filled && (density > 1e-4 || asked < D / 10));
  CHECK(th_families_sparse_next(&truth, D, (struct th_range){9, 9}, N, &look) ==
        9);
  th_families_column_free(&look);
  th_families_column_free(&column);
  th_synthetic_truth_free(&truth);
}

static void test_targets(const char *family, double correlation, double density)
{
  enum { D = 30, N = 60000, CUT = 12345 };
  const int64_t support[] = {1, 4, 5, 20};
  const double coef[] = {0.7, -0.4, 1.1, 0.3};
  const double intercept = 0.25;
  struct th_ground_truth truth = make(family, D, 6, correlation, density);
  struct th_error err;
  double *x = matrix(&truth, D, N);
  double *y = calloc(N, sizeof *y);
  th_error_clear(&err);
  CHECK(th_synthetic_targets(&truth, D, N, 0, CUT, y, &err) == TH_OK);
  CHECK(th_synthetic_targets(&truth, D, N, CUT, N - CUT, y + CUT, &err) ==
        TH_OK);
  double noise = 0;
  double error = 0;
  double squares = 0;
  for (int i = 0; i < N; i++) {
    double clean = 0;
    double guess = intercept;
    for (int64_t k = 0; k < truth.support_size; k++)
      clean += truth.coef[k] * x[truth.support[k] * N + i];
    for (int k = 0; k < 4; k++)
      guess += coef[k] * x[support[k] * N + i];
    noise += (y[i] - clean) * (y[i] - clean) / N;
    double miss = (guess - clean) * (guess - clean);
    error += miss / N;
    squares += miss * miss / N;
  }
  double spread = sqrt((squares - error * error) / N);
  double exact =
      th_synthetic_population_mse(&truth, D, support, coef, 4, intercept);
  CHECK(fabs(noise - 0.25) < 5 * 0.25 * sqrt(2.0 / N));
  CHECK(fabs(exact - 0.25 - error) < 5 * spread);
  CHECK_NEAR(th_synthetic_population_mse(&truth, D, truth.support, truth.coef,
                                         truth.support_size, 0),
             0.25, 1e-12);
  free(x);
  free(y);
  th_synthetic_truth_free(&truth);
}

int main(void)
{
  CASE(test_truth());
  CASE(test_refusals());
  CASE(test_moments());
  CASE(test_covariance("murata", 0));
  CASE(test_covariance("toeplitz", 0.5));
  CASE(test_covariance("toeplitz", -0.9));
  CASE(test_covariance("oomp", 0.5));
  CASE(test_covariance("oomp", -0.8));
  CASE(test_split(make("murata", ATTRIBUTES, 3, 0, 0)));
  CASE(test_split(make("toeplitz", ATTRIBUTES, 3, 0.95, 0)));
  CASE(test_split(make("oomp", ATTRIBUTES, 3, 0.5, 0)));
  CASE(test_split(make("genotypes", ATTRIBUTES, 3, 0, 0)));
  CASE(test_split(binary(-0.3)));
  CASE(test_split(binary(-1)));
  CASE(test_types());
  CASE(test_law());
  CASE(test_sparse_column());
  CASE(test_passed_over(0.3));
  CASE(test_passed_over(0.01));
  CASE(test_passed_over(1e-5));
  CASE(test_targets("murata", 0, 0));
  CASE(test_targets("toeplitz", 0.7, 0));
  CASE(test_targets("oomp", 0.4, 0));
  CASE(test_targets("sparse", 0, 0.2));
  CASE(test_targets("genotypes", 0, 0));
  return check_finish(NULL);
}
