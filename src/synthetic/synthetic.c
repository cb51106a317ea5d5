/* synthetic.c - synthetic families: their truth, targets and population error
 *
 * A family's own rules are in families.c.
 * SPDX-License-Identifier: MIT */
#include "synthetic/synthetic.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/search.h"
#include "ranks/partition.h"
#include "synthetic/families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t support_size(const struct th_family *family,
                            const struct th_ground_truth *truth,
                            int64_t attributes);

static const struct th_family families[] = {
    {"murata", "independent standard normal attributes",
     "Murata & Suzuki 2018, section 6", TH_DENSE, 25, 1, &th_murata_family,
     TH_F32},
    {"toeplitz", "normal attributes with correlation rho^|j-k|",
     "AR(1) along the attributes", TH_DENSE, 25, 1, &th_toeplitz_family,
     TH_F32},
    {"sparse", "text-like counts, attribute frequencies fall as a power",
     "Zipf-like law with exponent 0.8", TH_SPARSE, 100, 1, &th_sparse_family,
     TH_F32},
    {"kukliansky", "binary attributes, whose probabilities fall as a power",
     "Kukliansky & Shamir 2015, section 5.1", TH_DENSE, 0, 0,
     &th_kukliansky_family, TH_F32},
    {"oomp", "uniform attributes, whose coefficients fall linearly",
     "Saad, Blanchard & Arlot 2024, section 6", TH_DENSE, 1,
     0.28867513459481287, &th_oomp_family, TH_F32},
    {"genotypes", "counts of alleles on haplotypes with linkage, 0, 1 or 2",
     "a chain along each of two haplotypes", TH_DENSE, 100, 0,
     &th_genotypes_family, TH_U2},
    {NULL, NULL, NULL, TH_DENSE, 0, 0, NULL, TH_F32}};

const struct th_family *th_synthetic_family_table(void)
{
  return families;
}

const struct th_family *th_synthetic_family_find(const char *name)
{
  int64_t k = TH_SEARCH_NAME(families, name);
  return k < 0 ? NULL : &families[k];
}

struct th_synthetic_law th_synthetic_law_of(const struct th_ground_truth *truth,
                                            int64_t attributes)
{
  const struct th_family *family = th_synthetic_family_find(truth->family);
  struct th_synthetic_law law = {
      .truth = truth, .rules = family->rules, .attributes = attributes};
  law.rules->prepare(&law);
  return law;
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
  return TH_OK;
}

static th_status check_own(const struct th_ground_truth *truth,
                           struct th_error *err)
{
  const struct th_family_parameter *row;
  for (int k = 0; (row = th_origin_family_parameter(k)) != NULL; k++) {
    double value = th_origin_family_get(&truth->own, row);
    if (th_origin_family_of(row, truth->family) &&
        !th_origin_family_allows(row, value))
      return th_fail(err, TH_EUSAGE, "%s %g: must be within %c%g, %g%c",
                     row->name, value, row->lowest_open ? '(' : '[',
                     row->lowest, row->highest, row->highest_open ? ')' : ']');
  }
  return TH_OK;
}

static int64_t support_size(const struct th_family *family,
                            const struct th_ground_truth *truth,
                            int64_t attributes)
{
  if (family->rules->count != NULL)
    return family->rules->count(truth, attributes);
  if (truth->support_size > 0)
    return truth->support_size;
  return th_min_i64(family->default_support, attributes);
}

th_status th_synthetic_truth_init(struct th_ground_truth *truth,
                                  int64_t attributes, struct th_error *err)
{
  const struct th_family *family = th_synthetic_family_find(truth->family);
  th_status rc;
  if (family == NULL)
    return th_fail(err, TH_EUSAGE, "%s: no such family", truth->family);
  truth->support_size = support_size(family, truth, attributes);
  truth->support = NULL;
  truth->coef = NULL;
  TH_TRY(check_own(truth, err));
  if (family->rules->noise != NULL)
    truth->noise = family->rules->noise(truth);
  TH_TRY(check_truth(truth, attributes, err));
  TH_TRY(TH_NEW(&truth->support, truth->support_size, "the true support", err));
  TH_TRY(
      TH_NEW(&truth->coef, truth->support_size, "the true coefficients", err));
  family->rules->plant(truth, attributes);
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

/* Two independent numbers of deviation 1. */
static void draw_noise(const struct th_family_rules *rules,
                       struct th_stream stream, uint64_t index, double pair[2])
{
  if (!rules->uniform_noise) {
    th_random_normal(stream, 0, index, pair);
    return;
  }
  th_random_uniform(stream, 0, index, pair);
  for (int k = 0; k < 2; k++)
    pair[k] = sqrt(12) * (pair[k] - 0.5);
}

static void add_noise(const struct th_synthetic_law *law, int64_t first,
                      int64_t rows, double *target)
{
  const struct th_ground_truth *truth = law->truth;
  struct th_stream stream = {truth->seed, TH_PURPOSE_NOISE};
  double pair[2];
  for (int64_t k = 0; k < rows && truth->noise > 0; k++) {
    int64_t example = first + k;
    if (k == 0 || example % 2 == 0)
      draw_noise(law->rules, stream, (uint64_t)(example / 2), pair);
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
    rc = th_families_sparse(truth, attributes, truth->support[s], examples,
                            &column, err);
    for (int64_t k = 0; k < column.count && rc == TH_OK; k++) {
      int64_t row = column.example[k] - first;
      if (row >= 0 && row < rows)
        target[row] += truth->coef[s] * column.value[k];
    }
  }
  th_families_column_free(&column);
  return rc;
}

/* The true attributes lie together at the front, see the families' `plant`. */
static th_status dense_targets(const struct th_synthetic_law *law,
                               int64_t first, int64_t rows, double *target,
                               struct th_error *err)
{
  const struct th_ground_truth *truth = law->truth;
  const int64_t size = truth->support_size;
  struct th_range range = {0, truth->support[size - 1] + 1};
  double *values = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&values, range.last * TH_FAMILY_STRIP, "the targets", err));
  for (int64_t begun = 0; begun < rows; begun += TH_FAMILY_STRIP) {
    int64_t strip =
        rows - begun < TH_FAMILY_STRIP ? rows - begun : TH_FAMILY_STRIP;
    struct th_synthetic_room room = {.attributes = range,
                                     .examples = {first + begun, strip},
                                     .type = TH_F64,
                                     .values = values,
                                     .stride = TH_FAMILY_STRIP};
    TH_TRY(th_synthetic_dense(law, &room, err));
    for (int64_t s = 0; s < size; s++)
      for (int64_t k = 0; k < strip; k++)
        target[begun + k] +=
            truth->coef[s] * values[truth->support[s] * TH_FAMILY_STRIP + k];
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
  const struct th_family *family = th_synthetic_family_find(truth->family);
  struct th_synthetic_law law = th_synthetic_law_of(truth, attributes);
  th_status rc = TH_OK;
  memset(target, 0, (size_t)rows * sizeof *target);
  if (law.rules->add_targets != NULL)
    law.rules->add_targets(&law, first, rows, target);
  else if (family->layout == TH_SPARSE)
    rc = sparse_targets(truth, attributes, examples, first, rows, target, err);
  else
    rc = dense_targets(&law, first, rows, target, err);
  if (rc == TH_OK)
    add_noise(&law, first, rows, target);
  return rc;
}

void th_synthetic_statistics(const struct th_synthetic_law *law,
                             struct th_range range,
                             struct th_statistics *statistics)
{
  law->rules->moments(law, range, statistics);
}

struct th_design th_synthetic_design(const struct th_ground_truth *truth)
{
  const struct th_family *family = th_synthetic_family_find(truth->family);
  if (family == NULL || family->rules->design == NULL)
    return (struct th_design){0};
  return family->rules->design(truth);
}

/* The running sums of a quadratic form over ascending attributes. */
struct form {
  double square;   /* sum over pairs of delta_j delta_k cov_jk */
  double mean;     /* sum of delta_j E x_j */
  double carry;    /* sum of delta_k deviation_k rho^(j - k) over k before j */
  int64_t carried; /* the attribute that carry belongs to */
  /* with a covariance of the family's own: those of the last one's cell */
  int64_t cell_size;
  int64_t cell[TH_CELL];
  double cell_delta[TH_CELL];
};

static void form_add_member(struct form *form,
                            const struct th_synthetic_law *law,
                            const struct th_statistics *moments,
                            int64_t attribute, double delta)
{
  double (*covariance)(const struct th_synthetic_law *, int64_t, int64_t) =
      law->rules->covariance;
  int64_t k = form->cell_size;
  if (k > 0 && form->cell[k - 1] / TH_CELL != attribute / TH_CELL)
    k = 0;
  form->cell[k] = attribute;
  form->cell_delta[k] = delta;
  form->cell_size = k + 1;
  for (; k >= 0; k--) {
    double product =
        delta * form->cell_delta[k] * covariance(law, form->cell[k], attribute);
    form->square += form->cell[k] == attribute ? product : 2 * product;
  }
  form->mean += delta * moments->mean;
}

/* The correlation of attributes j and k is rho^|j - k|, rho = 0 for all
 * families but toeplitz and oomp, and those with a covariance of their own. */
static void form_add(struct form *form, double rho,
                     const struct th_statistics *moments, int64_t attribute,
                     double delta)
{
  double spread = delta * moments->deviation;
  form->carry *= th_pow(rho, (double)(attribute - form->carried));
  form->square += spread * spread + 2 * spread * form->carry;
  form->mean += delta * moments->mean;
  form->carry += spread;
  form->carried = attribute;
}

double th_synthetic_population_mse(const struct th_ground_truth *truth,
                                   int64_t attributes, const int64_t *support,
                                   const double *coef, int64_t support_size,
                                   double intercept)
{
  struct th_synthetic_law law = th_synthetic_law_of(truth, attributes);
  struct form form = {.carried = -1};
  int64_t a = 0;
  int64_t b = 0;
  while (a < support_size || b < truth->support_size) {
    int64_t mine = a < support_size ? support[a] : INT64_MAX;
    int64_t theirs = b < truth->support_size ? truth->support[b] : INT64_MAX;
    int64_t attribute = mine < theirs ? mine : theirs;
    double delta = mine == attribute ? coef[a++] : 0;
    delta -= theirs == attribute ? truth->coef[b++] : 0;
    struct th_statistics moments;
    law.rules->moments(&law, (struct th_range){attribute, attribute + 1},
                       &moments);
    if (law.rules->covariance != NULL)
      form_add_member(&form, &law, &moments, attribute, delta);
    else
      form_add(&form, truth->own.correlation, &moments, attribute, delta);
  }
  double bias = intercept + form.mean;
  return truth->noise * truth->noise + form.square + bias * bias;
}

/* --- The values of dense families, in strips of examples ------------------ */

static th_status store_walk(const struct th_synthetic_room *room,
                            const struct th_family_walk *walk,
                            int64_t attribute, struct th_error *err)
{
  int64_t to = (attribute - room->attributes.first) * room->stride +
               walk->first - room->examples.first;
  int64_t k =
      th_type_store_all(room->type, room->values, to, walk->rows, walk->value);
  if (k < walk->rows)
    return th_fail(err, TH_EDATA,
                   "example %lld, attribute %lld: %g cannot be stored as %s; "
                   "use {type} f32",
                   (long long)(walk->first + k), (long long)attribute,
                   walk->value[k], th_type_name(room->type));
  return TH_OK;
}

static th_status store_strip(const struct th_family_rules *rules,
                             const struct th_synthetic_room *room,
                             struct th_family_walk *walk, struct th_error *err)
{
  th_status rc = TH_OK;
  struct th_range range = room->attributes;
  for (int64_t j = range.first; j < range.last && rc == TH_OK; j++) {
    if (rules->start != NULL && (j == range.first || j % TH_CELL == 0))
      rules->start(walk, j);
    rules->next(walk, j);
    rc = store_walk(room, walk, j, err);
  }
  return rc;
}

th_status th_synthetic_dense(const struct th_synthetic_law *law,
                             const struct th_synthetic_room *room,
                             struct th_error *err)
{
  const int64_t rows = room->examples.count;
  th_status rc = TH_OK;
  for (int64_t done = 0; done < rows && rc == TH_OK; done += TH_FAMILY_STRIP) {
    struct th_family_walk walk = {.law = law,
                                  .first = room->examples.first + done};
    walk.rows = th_min_i64(rows - done, TH_FAMILY_STRIP);
    rc = store_strip(law->rules, room, &walk, err);
  }
  return rc;
}
