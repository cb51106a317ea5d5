/* synthetic.c - synthetic families: their truth, targets and population error
 *
 * murata: Murata & Suzuki 2018, section 6. x_ij independent standard normal.
 * toeplitz: AR(1) along the attributes, covariance rho^|j - k|.
 * sparse: counts 1, 2, 3, ... with probabilities 1/2, 1/4, 1/8, ... at the
 *   places that th_zipf makes frequent or rare.
 * SPDX-License-Identifier: MIT */
#include "synthetic/synthetic.h"

#include "core/elementary.h"
#include "core/memory.h"
#include "core/random.h"
#include "synthetic/zipf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRIP = 256 }; /* examples generated together; even */

static const char *const no_options[] = {NULL};
static const char *const toeplitz_options[] = {"correlation", NULL};
static const char *const sparse_options[] = {"density", NULL};

static const struct th_family families[] = {
    {"murata", "independent standard normal attributes",
     "Murata & Suzuki 2018, section 6", TH_DENSE, 25, no_options},
    {"toeplitz", "normal attributes with correlation rho^|j-k|",
     "AR(1) along the attributes", TH_DENSE, 25, toeplitz_options},
    {"sparse", "text-like counts, attribute frequencies fall as a power",
     "Zipf-like law with exponent 0.8", TH_SPARSE, 100, sparse_options},
    {NULL, NULL, NULL, TH_DENSE, 0, NULL}};

const struct th_family *th_synthetic_family_table(void)
{
  return families;
}

const struct th_family *th_synthetic_family_find(const char *name)
{
  for (const struct th_family *row = families; row->name != NULL; row++)
    if (strcmp(row->name, name) == 0)
      return row;
  return NULL;
}

static bool is_family(const struct th_ground_truth *truth, const char *name)
{
  return strcmp(truth->family, name) == 0;
}

static th_status check_truth(const struct th_ground_truth *truth,
                             int64_t attributes, struct th_error *err)
{
  if (truth->support_size > attributes)
    return th_fail(err, TH_EUSAGE,
                   "a support of %lld needs at least as many attributes; there "
                   "are %lld",
                   (long long)truth->support_size, (long long)attributes);
  if (!(truth->noise >= 0) || !isfinite(truth->noise))
    return th_fail(err, TH_EUSAGE, "noise %g: must be at least 0",
                   truth->noise);
  if (is_family(truth, "toeplitz") && !(fabs(truth->correlation) < 1))
    return th_fail(err, TH_EUSAGE, "correlation %g: must be within (-1, 1)",
                   truth->correlation);
  if (is_family(truth, "sparse") &&
      !(truth->density > 0 && truth->density <= 0.5))
    return th_fail(err, TH_EUSAGE, "density %g: must be within (0, 0.5]",
                   truth->density);
  return TH_OK;
}

/* Dense: the first K attributes, +1 for the first half, then -1. Sparse: every
 * so many of the most frequent tenth, signs in turn. */
static void fill_truth(struct th_ground_truth *truth, int64_t attributes)
{
  const int64_t size = truth->support_size;
  bool sparse = is_family(truth, "sparse");
  int64_t frequent = attributes / 10 > size ? attributes / 10 : size;
  for (int64_t k = 0; k < size; k++) {
    /* k * frequent / size without its overflow */
    int64_t spread = frequent / size * k + frequent % size * k / size;
    bool plus = sparse ? k % 2 == 0 : k < (size + 1) / 2;
    truth->support[k] = sparse ? spread : k;
    truth->coef[k] = plus ? 1.0 : -1.0;
  }
}

th_status th_synthetic_truth_init(struct th_ground_truth *truth,
                                  int64_t attributes, struct th_error *err)
{
  const struct th_family *family = th_synthetic_family_find(truth->family);
  th_status rc;
  if (family == NULL)
    return th_fail(err, TH_EUSAGE, "%s: no such family", truth->family);
  if (truth->support_size == 0)
    truth->support_size = family->default_support < attributes
                              ? family->default_support
                              : attributes;
  truth->support = NULL;
  truth->coef = NULL;
  TH_TRY(check_truth(truth, attributes, err));
  TH_TRY(TH_NEW(&truth->support, truth->support_size, "the true support", err));
  TH_TRY(
      TH_NEW(&truth->coef, truth->support_size, "the true coefficients", err));
  fill_truth(truth, attributes);
done:
  if (rc != TH_OK)
    th_synthetic_truth_free(truth);
  return rc;
}

void th_synthetic_truth_free(struct th_ground_truth *truth)
{
  TH_FREE(truth->support, truth->coef);
  *truth = (struct th_ground_truth){0};
}

static void add_noise(const struct th_ground_truth *truth, int64_t first,
                      int64_t rows, double *target)
{
  struct th_stream stream = {truth->seed, TH_PURPOSE_NOISE};
  double pair[2];
  for (int64_t k = 0; k < rows; k++) {
    int64_t example = first + k;
    if (k == 0 || example % 2 == 0)
      th_random_normal(stream, 0, (uint64_t)(example / 2), pair);
    target[k] += truth->noise * pair[example % 2];
  }
}

static th_status sparse_targets(const struct th_ground_truth *truth,
                                int64_t attributes, int64_t examples,
                                int64_t first, int64_t rows, double *target,
                                struct th_error *err)
{
  struct th_column column = {0};
  th_status rc = TH_OK;
  for (int64_t s = 0; s < truth->support_size && rc == TH_OK; s++) {
    rc = th_synthetic_sparse(truth, attributes, truth->support[s], examples,
                             &column, err);
    for (int64_t k = 0; k < column.count && rc == TH_OK; k++) {
      int64_t row = column.example[k] - first;
      if (row >= 0 && row < rows)
        target[row] += truth->coef[s] * column.value[k];
    }
  }
  th_synthetic_column_free(&column);
  return rc;
}

/* The true attributes lie together at the front, see fill_truth. */
static th_status dense_targets(const struct th_ground_truth *truth,
                               int64_t first, int64_t rows, double *target,
                               struct th_error *err)
{
  const int64_t size = truth->support_size;
  struct th_range range = {0, truth->support[size - 1] + 1};
  double *values = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&values, range.last * STRIP, "the targets", err));
  for (int64_t begun = 0; begun < rows; begun += STRIP) {
    int64_t strip = rows - begun < STRIP ? rows - begun : STRIP;
    struct th_synthetic_room room = {.attributes = range,
                                     .examples = {first + begun, strip},
                                     .type = TH_F64,
                                     .values = values,
                                     .stride = STRIP};
    TH_TRY(th_synthetic_dense(truth, &room, err));
    for (int64_t s = 0; s < size; s++)
      for (int64_t k = 0; k < strip; k++)
        target[begun + k] +=
            truth->coef[s] * values[truth->support[s] * STRIP + k];
  }
done:
  free(values);
  return rc;
}

th_status th_synthetic_targets(const struct th_ground_truth *truth,
                               int64_t attributes, int64_t examples,
                               int64_t first, int64_t rows, double *target,
                               struct th_error *err)
{
  memset(target, 0, (size_t)rows * sizeof *target);
  th_status rc = is_family(truth, "sparse")
                     ? sparse_targets(truth, attributes, examples, first, rows,
                                      target, err)
                     : dense_targets(truth, first, rows, target, err);
  if (rc == TH_OK)
    add_noise(truth, first, rows, target);
  return rc;
}

/* The running sums of a quadratic form over ascending attributes. */
struct form {
  double square;   /* sum over pairs of delta_j delta_k cov_jk */
  double mean;     /* sum of delta_j E x_j */
  double carry;    /* sum of delta_k rho^(j - k) over k before j */
  int64_t carried; /* the attribute that carry belongs to */
};

static void form_add(struct form *form, const struct th_ground_truth *truth,
                     const struct th_zipf *law, int64_t attribute, double delta)
{
  if (law != NULL) {
    double p = th_zipf_probability(law, attribute);
    form->square += delta * delta * p * (6 - 4 * p);
    form->mean += delta * 2 * p;
    return;
  }
  double rho = is_family(truth, "toeplitz") ? truth->correlation : 0;
  form->carry *= th_pow(rho, (double)(attribute - form->carried));
  form->square += delta * delta + 2 * delta * form->carry;
  form->carry += delta;
  form->carried = attribute;
}

double th_synthetic_population_mse(const struct th_ground_truth *truth,
                                   int64_t attributes, const int64_t *support,
                                   const double *coef, int64_t support_size,
                                   double intercept)
{
  bool sparse = is_family(truth, "sparse");
  struct th_zipf law = {0};
  if (sparse)
    law = th_zipf(attributes, truth->density);
  struct form form = {.carried = -1};
  int64_t a = 0;
  int64_t b = 0;
  while (a < support_size || b < truth->support_size) {
    int64_t mine = a < support_size ? support[a] : INT64_MAX;
    int64_t theirs = b < truth->support_size ? truth->support[b] : INT64_MAX;
    int64_t attribute = mine < theirs ? mine : theirs;
    double delta = mine == attribute ? coef[a++] : 0;
    delta -= theirs == attribute ? truth->coef[b++] : 0;
    form_add(&form, truth, sparse ? &law : NULL, attribute, delta);
  }
  double bias = intercept + form.mean;
  return truth->noise * truth->noise + form.square + bias * bias;
}
