/* sampling.c - estimates from a few attributes are unbiased
 *
 * The gradient at a fixed w is estimated many times, and its mean is compared
 * with the exact one, attribute by attribute, in standard errors. An estimate
 * that uses its reads twice must fail. And mini-batches of one example follow
 * the paper's listings, which are written down here with plain vectors.
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "problem.h"

#include "ranks/comm.h"
#include "solvers/algorithms.h"
#include "solvers/driver/run.h"
#include "solvers/sampling/sampling.h"

#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = 24, EXAMPLES = 100, PASSES = 10000 };
enum { BUDGET = 6, BATCH = 50 };

static const double far = 4; /* standard errors */

/* Sums over mini-batches, of each attribute. */
struct sums {
  double mean[ATTRIBUTES];
  double square[ATTRIBUTES];
  double count;
};

static void add(struct sums *sums, const double *gradient)
{
  for (int j = 0; j < ATTRIBUTES; j++) {
    sums->mean[j] += gradient[j];
    sums->square[j] += gradient[j] * gradient[j];
  }
  sums->count++;
}

/* How many standard errors the worst attribute is off. */
static double worst_of(const struct sums *sums, const double *exact)
{
  double worst = 0;
  for (int j = 0; j < ATTRIBUTES; j++) {
    double mean = sums->mean[j] / sums->count;
    double variance = sums->square[j] / sums->count - mean * mean;
    double error = sqrt(fmax(variance, 1e-30) / sums->count);
    worst = fmax(worst, fabs(mean - exact[j]) / error);
  }
  return worst;
}

static double value_of(const struct th_context *context,
                       const struct memory_store *m, int64_t i, int64_t j)
{
  double x = m->values[j * m->store.shape.examples + i];
  return (x - context->centre[j]) * context->scale[j];
}

static void exact_gradient(const struct th_context *context,
                           const struct th_sampling *s,
                           const struct memory_store *m, double *exact)
{
  for (int j = 0; j < ATTRIBUTES; j++)
    exact[j] = 0;
  for (int64_t i = 0; i < EXAMPLES; i++) {
    double residual = -s->learning.targets.target[i];
    for (int j = 0; j < ATTRIBUTES; j++)
      residual += th_learning_iterate_coef(&s->learning.w, j) *
                  value_of(context, m, i, j);
    for (int j = 0; j < ATTRIBUTES; j++)
      exact[j] += s->learning.targets.weight[i] * residual *
                  value_of(context, m, i, j) / EXAMPLES;
  }
}

/* Gradients as the solver forms them, or with the inner product estimated from
 * the reads of the data point. */
static void take_gradient(struct th_sampling *s, bool twice, double *gradient)
{
  struct th_reads *reads = &s->reads;
  struct th_touched *t = &s->touched;
  for (int64_t i = 0; twice && i < reads->rows; i++) {
    int64_t row = reads->pieces.items[i].first;
    double residual = -s->learning.targets.target[row];
    for (int64_t k = 0; k < reads->count; k++) {
      int64_t j = reads->attribute[k];
      if (th_reads_is_point(reads, k) && th_reads_row(reads, k) == i)
        residual += th_learning_iterate_coef(&s->learning.w, j) *
                    reads->value[k] /
                    (s->draws.odds[j].chance * (double)reads->points);
    }
    reads->residual[i] = s->learning.targets.weight[row] * residual;
  }
  th_sampling_gradient(s);
  for (int j = 0; j < ATTRIBUTES; j++)
    gradient[j] = 0;
  for (int64_t k = 0; k < t->count; k++)
    gradient[t->place[k]] = t->at[t->place[k]].gradient;
}

/* All passes of a run whose w stays. */
static void sample(struct th_run *run, bool twice, struct sums *sums)
{
  struct th_sampling *s = run->state;
  struct th_context *context = &run->context;
  struct th_error err;
  double gradient[ATTRIBUTES];
  bool more = true;
  *sums = (struct sums){.count = 0};
  for (;;) {
    th_status rc = th_reads_draw(&s->reads, context, &s->order, &s->draws,
                                 s->examples, &more, &err);
    CHECK(rc == TH_OK);
    if (rc != TH_OK || !more)
      return;
    rc = th_reads_residuals(&s->reads, context, &s->draws, &s->learning.w,
                            &s->learning.targets, rc, &err);
    CHECK(rc == TH_OK);
    s->examples += s->reads.rows;
    s->updates++;
    take_gradient(s, twice, gradient);
    add(sums, gradient);
  }
}

/* A run and what it borrows. */
struct trial {
  struct th_plan plan;
  struct th_comm comm;
  struct th_profile profile;
  struct th_run run;
};

static void trial_open(struct trial *t, struct th_config *config,
                       struct memory_store *m)
{
  struct th_error err;
  th_comm_self(&t->comm);
  t->profile = (struct th_profile){.comm = &t->comm};
  CHECK(th_train_plan(config,
                      (struct th_plan_size){.shape = &m->store.shape,
                                            .ranks = 1,
                                            .owned = ATTRIBUTES},
                      &t->plan, &err) == TH_OK);
  CHECK(th_run_open(&t->run, &t->plan, &m->store, &t->comm, NULL, &t->profile,
                    &err) == TH_OK);
}

/* Estimates from attributes of several sizes, at the true coefficients, which
 * are of different sizes, too. */
static struct th_config estimates_of(const char *solver, struct problem *p,
                                     const struct memory_store *m)
{
  struct th_config config = problem_config(solver, 0, BUDGET);
  for (int64_t k = 0; k < ATTRIBUTES * m->store.shape.examples; k++)
    m->values[k] *= (float)(1 + k / m->store.shape.examples % 4);
  config.standardize = false;
  config.passes = PASSES;
  config.validation = 0;
  config.batch = BATCH;
  config.ball.radius = 8;
  config.start.support = p->support;
  config.start.coef = p->coef;
  config.start.size = p->true_size;
  for (int64_t k = 0; k < p->true_size; k++)
    p->coef[k] *= 1 + (double)k / 2;
  return config;
}

static double distance(const char *solver, enum th_moments_from moments,
                       enum th_inner inner, bool twice)
{
  struct problem p = {.training = EXAMPLES,
                      .attributes = ATTRIBUTES,
                      .true_size = 5,
                      .noise = 0.3,
                      .mean = 0.4,
                      .seed = 2,
                      .weighted = true};
  struct memory_store *m = problem_store(&p);
  struct th_config config = estimates_of(solver, &p, m);
  struct trial t;
  struct sums sums;
  double exact[ATTRIBUTES];
  memory_store_finish(m);
  config.ball.moments = moments;
  config.ball.inner = inner;
  trial_open(&t, &config, m);
  exact_gradient(&t.run.context, t.run.state, m, exact);
  sample(&t.run, twice, &sums);
  double worst = worst_of(&sums, exact);
  const struct th_ledger *ledger = th_source_ledger(t.run.context.source);
  CHECK(ledger->max_attributes_per_example == BUDGET);
  CHECK(ledger->attributes == ledger->examples * BUDGET);
  CHECK(ledger->distinct_attributes < ledger->attributes);
  th_run_close(&t.run);
  memory_store_free(m);
  return worst;
}

/* ---- an attribute that the first phase has seen as 0 ---- */

/* Proved steps, two phases. An attribute of the start is 0 in all that the
 * first phase reads, and not in the second: its share of inner products must be
 * drawn all the same. Returns how far the estimates of the second phase are
 * off. */
static double distance_of_late_one(const char *solver, uint64_t seed)
{
  struct problem p = {.training = EXAMPLES,
                      .attributes = ATTRIBUTES,
                      .true_size = 5,
                      .noise = 0.3,
                      .seed = seed};
  struct memory_store *m = problem_store(&p);
  struct th_config config = estimates_of(solver, &p, m);
  int64_t late = p.support[p.true_size - 1];
  float *values = m->values + late * EXAMPLES;
  float kept[EXAMPLES];
  struct trial t;
  struct sums sums;
  double exact[ATTRIBUTES];
  bool more = true;
  struct th_error err;
  memory_store_finish(m);
  config.ball.moments = TH_MOMENTS_TWO_PHASE;
  config.eta = TH_ETA_THEORY;
  config.intercept = false; /* nothing is subtracted from a 0 */
  config.seed = seed;
  trial_open(&t, &config, m);
  struct th_sampling *s = t.run.state;
  memcpy(kept, values, sizeof kept);
  memset(values, 0, sizeof kept);
  for (int64_t u = 1; !s->second && more; u++)
    CHECK(th_run_update(&t.run, u, &more, &err) == TH_OK);
  memcpy(values, kept, sizeof kept);
  CHECK(s->learning.moments.hits[late] > 0);
  CHECK(s->learning.moments.square[late] == 0);
  CHECK(th_learning_iterate_coef(&s->learning.w, late) != 0);
  exact_gradient(&t.run.context, s, m, exact);
  sample(&t.run, false, &sums);
  th_run_close(&t.run);
  memory_store_free(m);
  return worst_of(&sums, exact);
}

/* ---- Algorithms 1 and 3, line by line, on plain vectors ---- */

struct plain {
  double w[ATTRIBUTES];
  double s[ATTRIBUTES]; /* lasso: the exponents */
  double sum[ATTRIBUTES];
  double steps;
};

static double norm_of(const double *w)
{
  double sum = 0;
  for (int j = 0; j < ATTRIBUTES; j++)
    sum += w[j] * w[j];
  return sqrt(sum);
}

/* w_i = -B sinh(S_i) / sum cosh(S_j) */
static void from_exponents(struct plain *plain, double radius)
{
  double total = 0;
  for (int j = 0; j < ATTRIBUTES; j++)
    total += cosh(plain->s[j]);
  for (int j = 0; j < ATTRIBUTES; j++)
    plain->w[j] = -radius * sinh(plain->s[j]) / total;
}

/* The residual that the reads of the last step give. */
static double residual_of(const struct plain *plain,
                          const struct th_sampling *s)
{
  const struct th_reads *reads = &s->reads;
  double residual = -s->learning.targets.target[reads->pieces.items[0].first];
  double total = 0;
  for (int j = 0; j < ATTRIBUTES; j++)
    total += fabs(plain->w[j]) * s->draws.odds[j].root;
  for (int64_t k = 0; k < reads->count; k++) {
    int64_t j = reads->attribute[k];
    double p = fabs(plain->w[j]) * s->draws.odds[j].root / total;
    if (!th_reads_is_point(reads, k))
      residual += plain->w[j] * reads->value[k] / p / (double)reads->inners;
  }
  return residual;
}

/* One step with the reads of the solver's last step. */
static void step_plainly(struct plain *plain, const struct th_sampling *s,
                         double eta, bool lasso)
{
  const struct th_reads *reads = &s->reads;
  double radius = s->learning.w.frame.radius;
  double residual = residual_of(plain, s);
  double g[ATTRIBUTES] = {0};
  for (int64_t k = 0; k < reads->count; k++) {
    int64_t j = reads->attribute[k];
    if (th_reads_is_point(reads, k))
      g[j] += residual * reads->value[k] / s->draws.odds[j].chance /
              (double)reads->points;
  }
  plain->steps++;
  for (int j = 0; j < ATTRIBUTES; j++) {
    plain->sum[j] += plain->w[j];
    plain->w[j] -= lasso ? 0 : eta * g[j];
    plain->s[j] += lasso ? fmax(-1, fmin(1, eta * g[j])) : 0;
  }
  if (lasso) {
    from_exponents(plain, radius);
    return;
  }
  double norm = norm_of(plain->w);
  for (int j = 0; j < ATTRIBUTES && norm > radius; j++)
    plain->w[j] *= radius / norm;
}

/* Examples one by one, a step size that is given: the solver's w and average
 * are those of the listing. The ball is so small that w is often projected. */
static void test_listing(const char *solver, enum th_moments_from moments)
{
  struct problem p = {.training = EXAMPLES,
                      .attributes = ATTRIBUTES,
                      .true_size = 5,
                      .noise = 0.3,
                      .mean = 0.4,
                      .seed = 6};
  struct memory_store *m = problem_store(&p);
  struct th_config config = problem_config(solver, 0, BUDGET);
  struct trial trial;
  struct th_run *run = &trial.run;
  struct th_error err;
  struct plain plain = {.steps = 0};
  bool lasso = strcmp(solver, "aelr") == 0;
  bool more = true;
  memory_store_finish(m);
  config.ball.moments = moments;
  config.ball.radius = 1.5;
  config.eta = 0.02;
  config.batch = 1;
  config.passes = 40;
  trial_open(&trial, &config, m);
  struct th_sampling *s = run->state;
  for (int64_t t = 1; more; t++) {
    CHECK(th_run_update(run, t, &more, &err) == TH_OK);
    if (more)
      step_plainly(&plain, s, config.eta, lasso);
  }
  CHECK(plain.steps == 40 * EXAMPLES);
  CHECK(run->algorithm->publish(s, &run->context, &err) == TH_OK);
  const struct th_support *average = s->head.support;
  CHECK(average->size == ATTRIBUTES);
  for (int j = 0; j < ATTRIBUTES; j++) {
    CHECK_NEAR(th_learning_iterate_coef(&s->learning.w, j), plain.w[j], 1e-10);
    CHECK_NEAR(average->coef[j], plain.sum[j] / plain.steps, 1e-11);
  }
  th_run_close(run);
  memory_store_free(m);
}

static void test_unbiased(const char *solver, int k)
{
  enum th_moments_from moments = k & 1 ? TH_MOMENTS_KNOWN : TH_MOMENTS_UNIFORM;
  enum th_inner inner = k & 2 ? TH_INNER_PLAIN : TH_INNER_IMPROVED;
  double off = distance(solver, moments, inner, false);
  printf("%s: %.2f standard errors at most\n", solver, off);
  CHECK(off < far);
}

static void test_late_one(const char *solver, int k)
{
  double off = distance_of_late_one(solver, (uint64_t)k);
  printf("%s, seen as 0 first: %.2f standard errors at most\n", solver, off);
  CHECK(off < far);
}

static void test_reads_used_twice(void)
{
  double off = distance("aerr", TH_MOMENTS_KNOWN, TH_INNER_IMPROVED, true);
  printf("reads used twice: %.1f standard errors\n", off);
  CHECK(off > far);
}

int main(void)
{
  CASE(test_listing("aerr", TH_MOMENTS_KNOWN));
  CASE(test_listing("aerr", TH_MOMENTS_UNIFORM));
  CASE(test_listing("aelr", TH_MOMENTS_KNOWN));
  for (int k = 0; k < 4; k++) {
    CASE_OF(k, test_unbiased("aerr", k));
    CASE_OF(k, test_unbiased("aelr", k));
  }
  for (int k = 1; k <= 3; k++) {
    CASE_OF(k, test_late_one("aerr", k));
    CASE_OF(k, test_late_one("aelr", k));
  }
  CASE(test_reads_used_twice());
  return check_finish(NULL);
}
