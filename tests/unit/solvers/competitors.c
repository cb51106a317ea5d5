/* competitors.c - estimates from looks at examples are unbiased, and steps
 * are those of the listings
 *
 * Gradients and products of pairs at a fixed support are estimated many times,
 * and their means are compared with the exact ones, in standard errors. An
 * estimate that takes all pairs to be equally likely must fail. The listings
 * are written down here with matrices of products and of probabilities.
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "problem.h"

#include "ranks/comm.h"
#include "solvers/algorithms.h"
#include "solvers/competitors/averaging.h"
#include "solvers/competitors/dantzig.h"
#include "solvers/competitors/looks.h"
#include "solvers/driver/run.h"

#include <stdlib.h>
#include <string.h>

enum { D = 20, EXAMPLES = 60, PASSES = 2000, BUDGET = 8, MEMBERS = 3 };

static const double far = 4.5; /* standard errors */

/* Sums over mini-batches. */
struct sums {
  double mean[D * D];
  double square[D * D];
  double count;
};

static void add(struct sums *sums, const double *number, int size)
{
  for (int j = 0; j < size; j++) {
    sums->mean[j] += number[j];
    sums->square[j] += number[j] * number[j];
  }
  sums->count++;
}

/* How many standard errors the worst number is off. */
static double worst_of(const struct sums *sums, const double *exact, int size)
{
  double worst = 0;
  for (int j = 0; j < size; j++) {
    double mean = sums->mean[j] / sums->count;
    double variance = sums->square[j] / sums->count - mean * mean;
    double error = sqrt(fmax(variance, 1e-24) / sums->count);
    worst = fmax(worst, fabs(mean - exact[j]) / error);
  }
  return worst;
}

/* A run of a solver on data whose attributes depend on one another. */
struct trial {
  struct problem problem;
  struct memory_store *store;
  struct th_plan plan;
  struct th_comm comm;
  struct th_profile profile;
  struct th_run run;
  double w[D];
};

static void begin(struct trial *t, const char *solver, int64_t budget,
                  int64_t passes, int64_t batch)
{
  struct th_error err;
  *t = (struct trial){.problem = {.training = EXAMPLES,
                                  .attributes = D,
                                  .true_size = 5,
                                  .noise = 0.3,
                                  .mean = 0.4,
                                  .seed = 2,
                                  .weighted = true}};
  t->store = problem_store(&t->problem);
  int64_t n = t->store->store.shape.examples;
  for (int64_t k = n; k < D * n; k++)
    t->store->values[k] += t->store->values[k - n] / 2;
  memory_store_finish(t->store);
  struct th_config config = problem_config(solver, MEMBERS, budget);
  config.standardize = false;
  config.passes = passes;
  config.validation = 0;
  config.batch = batch;
  th_comm_self(&t->comm);
  t->profile.comm = &t->comm;
  CHECK(th_train_plan(&config,
                      (struct th_plan_size){.shape = &t->store->store.shape,
                                            .ranks = 1,
                                            .owned = D},
                      &t->plan, &err) == TH_OK);
  CHECK(th_run_open(&t->run, &t->plan, &t->store->store, &t->comm, NULL,
                    &t->profile, &err) == TH_OK);
}

static void end(struct trial *t)
{
  th_run_close(&t->run);
  memory_store_free(t->store);
}

static double value_of(const struct trial *t, int64_t i, int64_t j)
{
  const struct th_context *context = &t->run.context;
  double x = t->store->values[j * t->store->store.shape.examples + i];
  return (x - context->centre[j]) * context->scale[j];
}

/* w that is not 0 outside of a support. */
static void fix(struct trial *t)
{
  struct th_averaging *s = t->run.state;
  struct th_index_value chosen[MEMBERS] = {{2, 1.5}, {7, -1}, {19, 2}};
  struct th_error err;
  for (int j = 0; j < D; j++)
    t->w[j] = 0.1 * (j % 5 - 2);
  for (int k = 0; k < MEMBERS; k++)
    t->w[chosen[k].attribute] = chosen[k].value;
  memcpy(s->coef, t->w, sizeof t->w);
  CHECK(th_support_assign(&s->support, &t->run.context, chosen, MEMBERS,
                          &err) == TH_OK);
}

static void exact_gradient(const struct trial *t, double slope, double *exact)
{
  const struct th_averaging *s = t->run.state;
  memset(exact, 0, D * sizeof *exact);
  for (int64_t i = 0; i < EXAMPLES; i++) {
    double residual = -s->targets.target[i];
    for (int j = 0; j < D; j++)
      residual += t->w[j] * value_of(t, i, j);
    for (int j = 0; j < D; j++)
      exact[j] += slope * s->targets.weight[i] * residual * value_of(t, i, j) /
                  EXAMPLES;
  }
}

/* wrong: pairs are taken to be as likely as if they were drawn one by one. */
static double gradients(const char *solver, double slope, bool wrong)
{
  struct trial t;
  struct sums sums = {.count = 0};
  struct th_error err;
  double exact[D];
  bool more = true;
  begin(&t, solver, BUDGET, PASSES, EXAMPLES / 3);
  struct th_averaging *s = t.run.state;
  fix(&t);
  exact_gradient(&t, slope, exact);
  for (;;) {
    CHECK(th_averaging_gradient(s, &t.run.context, &more, &err) == TH_OK);
    if (!more)
      break;
    double scale =
        wrong ? s->looks.odds.one * s->looks.odds.one / s->looks.odds.two : 1;
    for (int j = 0; j < D; j++)
      s->gradient[j] /= (double)s->looks.rows * scale;
    add(&sums, s->gradient, D);
  }
  const struct th_ledger *ledger = th_source_ledger(t.run.context.source);
  CHECK(ledger->max_attributes_per_example == BUDGET);
  CHECK(ledger->attributes == BUDGET * EXAMPLES * PASSES);
  CHECK(ledger->distinct_attributes == ledger->attributes);
  double worst = worst_of(&sums, exact, D);
  end(&t);
  return worst;
}

/* X'X / n and X'y / n, each from one mini-batch. */
static void test_pairs(void)
{
  static double exact[D * D];
  static struct sums products;
  struct sums targets = {.count = 0};
  struct trial t;
  struct th_pairs pairs;
  struct th_error err;
  double correlation[D] = {0};
  bool more = true;
  begin(&t, "rda-ito", BUDGET, PASSES, EXAMPLES / 3);
  struct th_averaging *s = t.run.state;
  fix(&t);
  for (int64_t i = 0; i < EXAMPLES; i++)
    for (int j = 0; j < D; j++) {
      double x = s->targets.weight[i] * value_of(&t, i, j) / EXAMPLES;
      correlation[j] += x * s->targets.target[i];
      for (int k = 0; k < D; k++)
        exact[j * D + k] += x * value_of(&t, i, k);
    }
  CHECK(th_dantzig_pairs_init(&pairs, &t.run.context, &err) == TH_OK);
  for (;;) {
    double c[D];
    double e[D] = {0};
    double column[D];
    CHECK(th_looks_draw(&s->looks, &t.run.context, &s->support, EXAMPLES, NULL,
                        &more, &err) == TH_OK);
    if (!more)
      break;
    memset(pairs.product, 0, sizeof exact);
    memset(pairs.target, 0, sizeof c);
    pairs.examples = 0;
    th_dantzig_pairs_add(&pairs, &s->looks, &s->targets);
    th_dantzig_pairs_targets(&pairs, &t.comm, c);
    e[3] = 1;
    th_dantzig_pairs_multiply(&pairs, &t.comm, e, column);
    CHECK(column[4] == pairs.product[3 * D + 4] / pairs.examples);
    for (int k = 0; k < D * D; k++)
      pairs.product[k] /= pairs.examples;
    add(&products, pairs.product, D * D);
    add(&targets, c, D);
  }
  CHECK(worst_of(&products, exact, D * D) < far);
  CHECK(worst_of(&targets, correlation, D) < far);
  th_dantzig_pairs_free(&pairs);
  end(&t);
}

/* The probability that a look shows both. */
static double chance(const struct th_looks *looks, bool i_in, bool j_in,
                     bool equal)
{
  double others = (double)(D - looks->known);
  double drawn = (double)(BUDGET - looks->known);
  if (i_in && j_in)
    return 1;
  if (i_in || j_in || equal)
    return drawn / others;
  return drawn * (drawn - 1) / (others * (others - 1));
}

/* X w - c of the last look, from whole matrices. */
static void plain_gradient(const struct trial *t, const double *w,
                           const bool *member, double *g)
{
  const struct th_averaging *s = t->run.state;
  const struct th_looks *looks = &s->looks;
  int64_t row = th_looks_row(looks, 0);
  bool seen[D] = {false};
  memset(g, 0, D * sizeof *g);
  for (int64_t k = 0; k < looks->draw.slots; k++)
    seen[looks->attribute[k]] = true;
  for (int i = 0; i < D; i++) {
    double x = value_of(t, row, i);
    if (!seen[i])
      continue;
    g[i] =
        -x * s->targets.target[row] / chance(looks, member[i], member[i], true);
    for (int j = 0; j < D; j++)
      if (seen[j])
        g[i] += x * value_of(t, row, j) * w[j] /
                chance(looks, member[i], member[j], i == j);
    g[i] *= s->targets.weight[row];
  }
}

static double soft(double v, double t)
{
  return v > t ? v - t : v < -t ? v + t : 0;
}

/* The s largest by comparing all pairs. */
static void largest(const double *w, bool *member)
{
  for (int j = 0; j < D; j++) {
    int before = 0;
    for (int k = 0; k < D; k++)
      before += fabs(w[k]) > fabs(w[j]) || (fabs(w[k]) == fabs(w[j]) && k < j);
    member[j] = before < MEMBERS && w[j] != 0;
  }
}

/* Steps from one example each, in the form of the headers. */
static void test_listing(const char *solver)
{
  struct trial t;
  struct th_error err;
  double sum[D] = {0};
  double w[D] = {0};
  bool member[D] = {false};
  bool more = true;
  bool ssr = strcmp(solver, "ssr") == 0;
  begin(&t, solver, BUDGET, 4, 1);
  struct th_averaging *s = t.run.state;
  for (int step = 1; step <= 4 * EXAMPLES; step++) {
    double g[D];
    double root = sqrt((double)step);
    double off = 0;
    CHECK(th_rda_ito_algorithm.step(s, &t.run.context, &more, &err) == TH_OK &&
          more);
    plain_gradient(&t, w, member, g);
    for (int j = 0; j < D; j++) {
      sum[j] += ssr ? g[j] - s->pull * w[j] : 2 * g[j];
      w[j] =
          ssr ? soft(-sum[j], s->lambda * root) / (1 / s->eta + s->pull * step)
              : soft(-sum[j], s->lambda * step) * s->eta / root;
      off = fmax(off, fabs(w[j] - s->coef[j]));
    }
    largest(w, member);
    CHECK(off < 1e-9);
  }
  CHECK(s->support.size == MEMBERS);
  end(&t);
}

/* With all attributes the gradient is exact, and the same from whole examples.
 */
static void test_whole(void)
{
  struct trial t;
  struct th_error err;
  double exact[D];
  bool more = true;
  begin(&t, "ssr", D, 1, EXAMPLES);
  struct th_averaging *s = t.run.state;
  CHECK(s->reads_whole);
  fix(&t);
  exact_gradient(&t, 1, exact);
  CHECK(th_averaging_gradient(s, &t.run.context, &more, &err) == TH_OK && more);
  for (int j = 0; j < D; j++)
    CHECK(fabs(s->gradient[j] / EXAMPLES - exact[j]) < 1e-5);
  end(&t);
}

static void test_odds(void)
{
  struct th_looks_odds odds = th_looks_odds_of(500, 25, 50);
  CHECK(fabs(odds.one - 25.0 / 475) < 1e-15);
  CHECK(fabs(odds.two - 25.0 * 24 / (475.0 * 474)) < 1e-15);
  CHECK(th_looks_odds_of(10, 9, 10).two == 1);
}

static void test_gradients(void)
{
  CHECK(gradients("rda-ito", 2, false) < far);
  CHECK(gradients("ssr", 1, false) < far);
  CHECK(gradients("rda-ito", 2, true) > 2 * far);
}

int main(void)
{
  CASE(test_odds());
  CASE(test_gradients());
  CASE(test_pairs());
  CASE(test_listing("rda-ito"));
  CASE(test_listing("ssr"));
  CASE(test_whole());
  return check_finish(NULL);
}
