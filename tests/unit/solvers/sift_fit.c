/* sift_fit.c - the fit on S of solver `sift` keeps what it knew: entrants
 * that join, that fail, that leave again, rare ones, dependent ones
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "problem.h"

#include "base/random.h"
#include "math/cholesky.h"
#include "solvers/sift/sift_fit.h"

#include <stdlib.h>
#include <string.h>

enum { OLD = 6, ALL = OLD + 1, TOTAL = ALL + 2 }; /* x_S, 1, y */

static struct th_comm comm;
static struct th_profile profile;
static struct th_context context;

/* The members of old have coefficient 1; the entrant, the last attribute, has
 * `effect` and correlation `shared` with the first of them. */
struct world {
  uint64_t seed;
  int64_t next; /* row */
  double effect;
  double shared;
  double all[TOTAL * TOTAL]; /* of every row that was drawn */
};

static void draw_row(struct world *w, double *z)
{
  struct th_stream stream = {w->seed, TH_PURPOSE_TEST};
  double pair[2];
  double y = 0;
  for (int k = 0; k < TOTAL - 1; k++) {
    th_random_normal(stream, (uint64_t)w->next, (uint64_t)k, pair);
    z[k] = pair[0];
  }
  z[OLD] = w->shared * z[0] + sqrt(1 - w->shared * w->shared) * z[OLD];
  for (int k = 0; k < OLD; k++)
    y += z[k];
  y += w->effect * z[OLD] + z[ALL]; /* whose place is the constant's */
  z[ALL] = 1;
  z[TOTAL - 1] = y;
  w->next++;
}

/* Sums over more rows of the first `members` attributes, the constant, y. */
static void draw(struct world *w, struct th_gram *gram, int64_t members,
                 int64_t rows)
{
  struct th_error err = {0};
  double z[TOTAL];
  CHECK(th_gram_start(gram, &context, members, &err) == TH_OK);
  for (int64_t r = 0; r < rows; r++) {
    draw_row(w, z);
    for (int j = 0; j < TOTAL; j++)
      for (int i = 0; i < TOTAL; i++)
        w->all[i + j * TOTAL] += z[i] * z[j];
    for (int64_t k = members; k < members + 2; k++)
      z[k] = z[k + ALL - members];
    for (int64_t j = 0; j < members + 2; j++)
      for (int64_t i = 0; i < members + 2; i++)
        gram->a[i + j * (members + 2)] += z[i] * z[j];
  }
  gram->rows = gram->weight = (double)rows;
}

/* Least squares on all rows and the first `members`: squared error. */
static double oracle(const struct world *w, int64_t members)
{
  struct th_cholesky f = {0};
  struct th_error err = {0};
  int64_t order[TOTAL];
  double x[TOTAL];
  double sum = 0;
  order[0] = ALL;
  for (int64_t k = 0; k < members; k++)
    order[k + 1] = k;
  CHECK(th_cholesky_order(&f, TOTAL - 1, w->all, TOTAL,
                          (struct th_cholesky_turns){order, members + 1}, 1e-12,
                          &err) == TH_OK);
  th_cholesky_solve(&f, f.rank, w->all + (TOTAL - 1) * TOTAL, x);
  for (int64_t k = 0; k < members; k++) {
    double truth = k < OLD ? 1 : w->effect;
    sum += (x[k] - truth) * (x[k] - truth);
  }
  th_cholesky_free(&f);
  return sum;
}

static double error_of(const struct world *w, const struct th_sift_fit *fit)
{
  double sum = 0;
  for (int64_t k = 0; k < OLD; k++)
    sum += (fit->theta[k] - 1) * (fit->theta[k] - 1);
  double e = fit->size > OLD ? fit->theta[OLD] - w->effect : w->effect;
  return sum + e * e;
}

static void do_round(struct th_sift_fit *fit, struct th_gram *gram)
{
  const struct th_sift_round round = {.gram = gram, .variance = 1.2, .n = 1e9};
  struct th_error err = {0};
  CHECK(th_sift_fit_round(fit, &context, &round, TH_OK, &err) == TH_OK);
  for (int64_t k = 0; k < fit->size; k++)
    fit->keep[k] = fit->fate[k] == TH_SIFT_STAYS;
  th_sift_fit_filter(fit, fit->keep);
}

/* Members come behind those that are there. */
static void insert(struct th_sift_fit *fit, int64_t size, double score)
{
  struct th_error err = {0};
  int64_t place[ALL] = {0};
  for (int64_t k = 0; k < fit->size; k++)
    place[k] = k;
  int64_t old = fit->size;
  CHECK(th_sift_fit_insert(fit, place, size, &err) == TH_OK);
  for (int64_t k = old; k < size; k++)
    fit->score[k] = score;
}

static void begin(struct world *w, struct th_sift_fit *fit,
                  struct th_gram *gram, int64_t rows)
{
  struct th_error err = {0};
  CHECK(th_sift_fit_start(fit, true, &err) == TH_OK);
  insert(fit, OLD, 9);
  draw(w, gram, OLD, 200);
  do_round(fit, gram);
  draw(w, gram, OLD, rows - 200);
  do_round(fit, gram);
  CHECK(fit->size == OLD);
}

/* A false entrant that luck lets join, and that leaves again: mean error beside
 * that of least squares on all rows. A fit that starts anew has 20 times it. */
static void test_false_entrant(double shared)
{
  struct th_gram gram = {0};
  double mine = 0;
  double best = 0;
  int joined = 0;
  for (uint64_t seed = 0; joined < 12; seed++) {
    struct world w = {.seed = 100 + seed, .shared = shared};
    struct th_sift_fit fit = {0};
    begin(&w, &fit, &gram, 12000);
    insert(&fit, ALL, seed % 2 == 0 ? 5 : -5);
    draw(&w, &gram, ALL, 400);
    do_round(&fit, &gram);
    bool in = fit.size == ALL;
    for (int k = 0; k < 12 && fit.size == ALL && in; k++) {
      draw(&w, &gram, ALL, 400);
      do_round(&fit, &gram);
    }
    if (in) {
      joined++;
      mine += error_of(&w, &fit);
      best += oracle(&w, OLD);
    }
    th_sift_fit_free(&fit);
  }
  CHECK(mine < 1.5 * best);
  if (!(mine < 1.5 * best))
    fprintf(stderr, "shared %g: %g for %g\n", shared, mine, best);
  th_gram_free(&gram);
}

/* A true entrant after many rows that did not see it. */
static void test_true_entrant(double shared)
{
  enum { SEEDS = 20 };
  struct th_gram gram = {0};
  double mine = 0;
  double best = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct world w = {.seed = 500 + seed, .effect = 0.3, .shared = shared};
    struct th_sift_fit fit = {0};
    begin(&w, &fit, &gram, 10000);
    insert(&fit, ALL, 5);
    draw(&w, &gram, ALL, 1500);
    do_round(&fit, &gram);
    CHECK(fit.size == ALL);
    mine += error_of(&w, &fit);
    best += oracle(&w, ALL);
    th_sift_fit_free(&fit);
  }
  CHECK(mine < 5 * best); /* most of it is the entrant's own, known from 1500 */
  if (!(mine < 5 * best))
    fprintf(stderr, "shared %g: %g for %g\n", shared, mine, best);
  th_gram_free(&gram);
}

/* What a failed entrant leaves is what was there, and its rows. */
static void test_failed(void)
{
  struct th_gram gram = {0};
  struct world w = {.seed = 3, .effect = 0.5};
  struct th_sift_fit fit = {0};
  begin(&w, &fit, &gram, 1000);
  insert(&fit, ALL, -5); /* the other way */
  draw(&w, &gram, ALL, 300);
  do_round(&fit, &gram);
  CHECK(fit.size == OLD && fit.rows == 1300);
  CHECK(error_of(&w, &fit) < 0.25 + 3 * oracle(&w, OLD));
  th_sift_fit_free(&fit);
  th_gram_free(&gram);
}

/* A copy of a member fails as an entrant, and as a member of old one leaves. */
static void test_dependent(void)
{
  struct th_gram gram = {0};
  struct world w = {.seed = 4, .shared = 1};
  struct th_sift_fit fit = {0};
  begin(&w, &fit, &gram, 1000);
  insert(&fit, ALL, 5);
  draw(&w, &gram, ALL, 500);
  do_round(&fit, &gram);
  CHECK(fit.size == OLD);
  insert(&fit, ALL, 5);
  fit.entrant[OLD] = false;
  draw(&w, &gram, ALL, 500);
  do_round(&fit, &gram);
  CHECK(fit.size == OLD);
  for (int64_t k = 1; k < OLD; k++)
    CHECK_NEAR(fit.theta[k], 1, 0.2);
  CHECK_NEAR(fit.theta[0], 1, 0.2);
  th_sift_fit_free(&fit);
  th_gram_free(&gram);
}

/* A trial over five rounds ends in the same fit as one round of all its rows,
 * but for the discount. */
static void test_slow(void)
{
  struct th_gram gram = {0};
  for (uint64_t seed = 0; seed < 10; seed++) {
    struct world w = {.seed = 900 + seed, .effect = 0.5, .shared = 0.5};
    struct th_sift_fit fit = {0};
    begin(&w, &fit, &gram, 2000);
    insert(&fit, ALL, 5);
    fit.slow[OLD] = true;
    for (int k = 0; k < 5; k++) {
      fit.verdict[OLD] = k < 4 ? TH_SIFT_GOES_ON : TH_SIFT_JOINS;
      draw(&w, &gram, ALL, 400);
      do_round(&fit, &gram);
      CHECK(fit.size == ALL && fit.entrant[OLD] == (k < 4));
    }
    CHECK_NEAR(fit.theta[OLD], 0.5, 0.15);
    CHECK(error_of(&w, &fit) < 4 * oracle(&w, ALL) + 0.002);
    th_sift_fit_free(&fit);
  }
  th_gram_free(&gram);
}

/* An entrant of 600 rows ends its trial where no rows follow; what 2,000 rows
 * before said of it counts where it agrees. `said`: the coefficient of which
 * they spoke. */
static double end_trial(uint64_t seed, enum th_sift_verdict verdict,
                        double said, int64_t *size)
{
  enum { BEFORE = 2000, SINCE = 600 };
  struct th_gram gram = {0};
  struct th_error err = {0};
  struct world w = {.seed = seed, .effect = 0.3};
  struct th_sift_fit fit = {0};
  begin(&w, &fit, &gram, BEFORE);
  insert(&fit, ALL, 5);
  fit.came[OLD] = (struct th_evidence){said * BEFORE, BEFORE};
  fit.slow[OLD] = true;
  fit.verdict[OLD] = TH_SIFT_GOES_ON;
  draw(&w, &gram, ALL, SINCE);
  do_round(&fit, &gram);
  fit.verdict[OLD] = (unsigned char)verdict;
  CHECK(th_sift_fit_last(&fit, &context, &err) == TH_OK);
  for (int64_t k = 0; k < fit.size; k++)
    fit.keep[k] = fit.fate[k] == TH_SIFT_STAYS && !fit.entrant[k];
  th_sift_fit_filter(&fit, fit.keep);
  *size = fit.size;
  double theta = fit.size == ALL ? fit.theta[OLD] : 0;
  th_sift_fit_free(&fit);
  th_gram_free(&gram);
  return theta;
}

static void test_last(void)
{
  int64_t size = 0;
  double alone = 0; /* squared errors */
  double known = 0;
  for (uint64_t seed = 0; seed < 10; seed++) {
    double without = end_trial(seed, TH_SIFT_JOINS, 3, &size); /* far off */
    CHECK(size == ALL);
    double with = end_trial(seed, TH_SIFT_JOINS, 0.3, &size);
    CHECK(size == ALL);
    alone += (without - 0.3) * (without - 0.3);
    known += (with - 0.3) * (with - 0.3);
    end_trial(seed, TH_SIFT_FAILS, 0.3, &size);
    CHECK(size == OLD);
  }
  CHECK(alone < 10 * 0.01);
  CHECK(known < 0.2 * alone);
}

int main(void)
{
  th_comm_self(&comm);
  context.comm = &comm;
  context.profile = &profile;
  profile.comm = &comm;
  CASE(test_false_entrant(0));
  CASE(test_false_entrant(0.8));
  CASE(test_true_entrant(0));
  CASE(test_true_entrant(0.8));
  CASE(test_failed());
  CASE(test_dependent());
  CASE(test_slow());
  CASE(test_last());
  return check_finish(NULL);
}
