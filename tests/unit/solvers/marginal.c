/* marginal.c - what zeros add to the scores of the end: the same bits
 * whenever it is worked out
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "solvers/predict/marginal.h"

#include <string.h>

enum { D = 1000, FIRST = 256, ROWS = 12, DRAWS = 4, ROUNDS = 40, FOLDS = 3 };

static double number(int64_t step, int64_t index)
{
  const struct th_stream stream = {3, TH_PURPOSE_TEST};
  double pair[2];
  th_random_uniform(stream, (uint64_t)step, (uint64_t)index, pair);
  return pair[0];
}

/* Rows of all folds, and draws whose blocks overlap. */
struct rounds {
  double residual[ROWS], weight[ROWS];
  int64_t draw_row[DRAWS + 1];
  struct th_draw draw[DRAWS];
  struct th_batch batch;
};

static void make_round(struct rounds *r, struct th_marginal *m, int64_t round)
{
  for (int64_t i = 0; i < ROWS; i++) {
    r->residual[i] = number(round, i) - 0.5;
    r->weight[i] = number(round, ROWS + i);
    m->fold_of[i] = (uint8_t)(i % FOLDS);
    m->target[i] = number(round, 2 * ROWS + i) - 0.5;
  }
  for (int64_t i = 0; i <= DRAWS; i++)
    r->draw_row[i] = i * ROWS / DRAWS;
  for (int64_t i = 0; i < DRAWS; i++) {
    int64_t first = (int64_t)(number(round, 3 * ROWS + i) * D);
    r->draw[i].block = (struct th_range){first, first + D / 3};
  }
  r->batch = (struct th_batch){.rows = ROWS,
                               .draws = DRAWS,
                               .draw = r->draw,
                               .draw_row = r->draw_row,
                               .residual = r->residual,
                               .weight = r->weight};
}

/* Some attributes have entries in every round; every `settles` rounds all are
 * brought up to date. */
static void run(struct th_marginal *m, const struct th_context *context,
                int64_t settles)
{
  const struct th_support nobody = {0};
  struct rounds r;
  struct th_error err = {0};
  CHECK(th_marginal_init(m, context, FOLDS, NULL, settles == 0, &err) == TH_OK);
  for (int64_t round = 0; round < ROUNDS; round++) {
    r.batch = (struct th_batch){.rows = ROWS, .draws = DRAWS};
    CHECK(th_marginal_begin(m, context, &r.batch, &nobody, &err) == TH_OK);
    make_round(&r, m, round);
    th_marginal_centring(m, context, &r.batch,
                         (struct th_evidence){-1.1, 0.7 + (double)round});
    for (int64_t k = 0; k < 5; k++) {
      int64_t j = (int64_t)(number(round, 100 + k) * (D - FIRST));
      int64_t f = k % FOLDS;
      th_marginal_touch(m, context, j);
      m->with[f * (D - FIRST) + j].v += 3 + number(round, 200 + k);
      m->alone[f * (D - FIRST) + j].u += number(round, 300 + k);
    }
    if (settles > 0 && round % settles == 0)
      th_marginal_settle(m, context);
  }
}

static void test_settling(void)
{
  double centre[D - FIRST];
  double scale[D - FIRST];
  double some[D - FIRST] = {0};
  double all[D - FIRST] = {0};
  const struct th_context context = {
      .owned = {FIRST, D}, .centre = centre, .scale = scale};
  const size_t bytes = (D - FIRST) * FOLDS * sizeof(struct th_evidence);
  struct th_marginal lazy;
  for (int64_t j = 0; j < D - FIRST; j++) {
    centre[j] = number(-1, j);
    scale[j] = 1;
  }
  run(&lazy, &context, 0);
  th_marginal_scores(&lazy, &context, TH_SCORE_WITH, 1, some);
  th_marginal_settle(&lazy, &context);
  th_marginal_scores(&lazy, &context, TH_SCORE_WITH, 1, all);
  CHECK(memcmp(some, all, sizeof some) == 0);
  for (int64_t settles = 1; settles < 20; settles += 6) {
    struct th_marginal other;
    run(&other, &context, settles);
    th_marginal_settle(&other, &context);
    CHECK(memcmp(lazy.with, other.with, bytes) == 0);
    CHECK(memcmp(lazy.alone, other.alone, bytes) == 0);
    th_marginal_free(&other);
  }
  th_marginal_free(&lazy);
}

int main(void)
{
  CASE(test_settling());
  return check_finish(NULL);
}
