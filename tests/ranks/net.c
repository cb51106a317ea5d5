/* net.c - elastic-net paths: as good as plain coordinate descent, the bits of
 * one rank by any team, which rows count, where a path ends
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "mpi/mpi_comm.h"
#include "solvers/exact/net.h"

#include <stdlib.h>
#include <string.h>

/* Linked with --wrap: a rank's allocation fails where a test wants it to. */
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
static int64_t good_allocations = INT64_MAX;

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
  return good_allocations-- == 0 ? NULL : __real_aligned_alloc(alignment, size);
}

enum { ROWS = 1100, COLUMNS = 270, LAMBDAS = 13 };

enum weighing { EVEN, UNEVEN, FOLD, WEIGHINGS };

/* What a problem is made of. */
struct recipe {
  int64_t rows;
  int64_t count;
  enum th_vector_form form;
  const char *loss;
  enum weighing weighing;
  bool intercept;
};

/* Columns with their values in two forms, and what came of a path. */
struct sample {
  double value[COLUMNS][ROWS]; /* as stored */
  float single[COLUMNS][ROWS];
  double entry[COLUMNS][ROWS];
  int32_t row[COLUMNS][ROWS];
  struct th_vector column[COLUMNS];
  double x[COLUMNS][ROWS]; /* as worked with */
  double target[ROWS];
  double weight[ROWS];
  double eta[ROWS];
  struct th_net_data data;
  double mix;
  double lambda[LAMBDAS];
  double least[LAMBDAS]; /* objective by plain descent, and its predictions */
  double plain[LAMBDAS][ROWS];
  double objective[LAMBDAS];
  double prediction[LAMBDAS][ROWS];
  double share[LAMBDAS];
  int64_t size[LAMBDAS];
  int64_t points;
  int64_t stop;   /* this visit fails; -1: none */
  int64_t wanted; /* visits that are enough; 0: all of them */
  double coef[COLUMNS + 1];
  struct th_error err;
};

static double normal(uint64_t number, uint64_t index)
{
  struct th_stream stream = {11, TH_PURPOSE_TEST};
  double pair[2];
  th_random_normal(stream, number, index, pair);
  return pair[0];
}

/* A column and the one before have much in common; entries are a third. */
static void fill_column(struct sample *s, uint64_t number, int64_t k)
{
  enum th_vector_form form = s->column[0].form;
  struct th_vector *x = &s->column[k];
  bool sparse = form == TH_VECTOR_ENTRIES;
  *x = (struct th_vector){.form = form,
                          .items = sparse ? 0 : s->data.rows,
                          .centre = sparse ? 0 : 0.25 * (double)(k % 3),
                          .scale = 1 + 0.5 * (double)(k % 2),
                          .values = form == TH_VECTOR_SINGLE
                                        ? (const void *)s->single[k]
                                        : s->entry[k],
                          .row = s->row[k]};
  for (int64_t i = 0; i < s->data.rows; i++) {
    double value = normal(number, (uint64_t)(k * ROWS + i)) +
                   (k > 0 ? 0.6 * s->value[k - 1][i] : 0);
    s->value[k][i] = s->single[k][i] = (float)value;
    bool left_out = sparse && (i + k) % 3 > 0;
    s->x[k][i] = left_out ? 0 : (s->value[k][i] - x->centre) * x->scale;
    if (sparse && !left_out) {
      s->row[k][x->items] = (int32_t)i;
      s->entry[k][x->items++] = s->value[k][i];
    } else if (!sparse) {
      s->entry[k][i] = s->value[k][i];
    }
  }
}

static void weigh(struct sample *s, enum weighing weighing)
{
  double sum = 0;
  for (int64_t i = 0; i < s->data.rows; i++) {
    s->weight[i] = weighing == UNEVEN ? 0.5 + 0.25 * (double)(i % 5) : 1;
    if (weighing != EVEN && i % 10 == 3)
      s->weight[i] = 0;
    sum += s->weight[i];
  }
  for (int64_t i = 0; i < s->data.rows; i++)
    s->eta[i] = s->weight[i] / sum;
}

/* Paths are those of a team. */
static struct sample *make(struct th_comm *team, const struct recipe *recipe,
                           uint64_t number)
{
  struct sample *s = calloc(1, sizeof *s);
  if (s == NULL)
    abort();
  s->data = (struct th_net_data){.comm = team,
                                 .rows = recipe->rows,
                                 .count = recipe->count,
                                 .column = s->column,
                                 .target = s->target,
                                 .weight = s->weight,
                                 .loss = th_loss_find(recipe->loss),
                                 .intercept = recipe->intercept};
  s->stop = -1;
  s->column[0].form = recipe->form;
  for (int64_t k = 0; k < recipe->count; k++)
    fill_column(s, number, k);
  weigh(s, recipe->weighing);
  for (int64_t i = 0; i < recipe->rows; i++) {
    double y = 0.3 + normal(number + 1000, (uint64_t)i);
    for (int64_t k = 0; k < recipe->count; k += 1 + recipe->count / 8)
      y += s->x[k][i];
    s->target[i] = s->data.loss->labels ? (y > 0.5 ? 1 : -1) : y;
  }
  return s;
}

static double objective_of(const struct sample *s, double lambda,
                           const double *coef, const double *prediction)
{
  double sum = 0;
  for (int64_t i = 0; i < s->data.rows; i++)
    sum += s->eta[i] * th_loss_f(s->data.loss, prediction[i], s->target[i]);
  for (int64_t k = 0; k < s->data.count; k++)
    sum += lambda *
           (s->mix * fabs(coef[k]) + (1 - s->mix) / 2 * coef[k] * coef[k]);
  return sum;
}

/* One step of proximal gradient on a coefficient, or on the intercept: how far.
 */
static double plain_step(struct sample *s, double lambda, int64_t k,
                         double *prediction)
{
  bool free = k == s->data.count;
  double l1 = free ? 0 : lambda * s->mix;
  double ridge = free ? 0 : lambda * (1 - s->mix);
  double curvature = 0;
  double slope = 0;
  for (int64_t i = 0; i < s->data.rows; i++) {
    double x = free ? 1 : s->x[k][i];
    curvature += s->eta[i] * x * x * th_loss_L(s->data.loss);
    slope +=
        s->eta[i] * x * th_loss_df(s->data.loss, prediction[i], s->target[i]);
  }
  double to = curvature * s->coef[k] - slope;
  to = copysign(fmax(fabs(to) - l1, 0), to) / (curvature + ridge);
  double delta = to - s->coef[k];
  for (int64_t i = 0; i < s->data.rows && delta != 0; i++)
    prediction[i] += delta * (free ? 1 : s->x[k][i]);
  s->coef[k] = to;
  return fabs(delta);
}

/* Every coefficient in turn until none moves. */
static void descend(struct sample *s, int64_t at)
{
  double *prediction = s->plain[at];
  if (at > 0)
    memcpy(prediction, s->plain[at - 1], sizeof s->plain[at]);
  double moved = 1;
  for (int round = 0; round < 20000 && moved > 1e-8; round++) {
    moved = 0;
    for (int64_t k = 0; k < s->data.count + s->data.intercept; k++)
      moved = fmax(moved, plain_step(s, s->lambda[at], k, prediction));
  }
  s->least[at] = objective_of(s, s->lambda[at], s->coef, prediction);
}

/* Predictions are what the coefficients say, columns ascend. */
static void check_point(const struct sample *s, const struct th_net_point *p,
                        const double *coef)
{
  for (int64_t k = 0; k < p->size; k++) {
    CHECK(p->coef[k] != 0);
    CHECK(k == 0 || p->column[k] > p->column[k - 1]);
  }
  for (int64_t i = 0; i < s->data.rows; i++) {
    double sum = p->intercept;
    for (int64_t k = 0; k < s->data.count; k++)
      sum += coef[k] * s->x[k][i];
    CHECK_NEAR(p->prediction[i], sum, 1e-9);
  }
}

static th_status visit(void *self, int64_t k, const struct th_net_point *p,
                       bool *enough, struct th_error *err)
{
  struct sample *s = self;
  double coef[COLUMNS] = {0};
  if (k == s->stop)
    return th_fail(err, TH_EIO, "stopped");
  CHECK(k == s->points);
  for (int64_t j = 0; j < p->size; j++)
    coef[p->column[j]] = p->coef[j];
  check_point(s, p, coef);
  memcpy(s->prediction[k], p->prediction,
         (size_t)s->data.rows * sizeof *p->prediction);
  s->objective[k] = objective_of(s, s->lambda[k], coef, p->prediction);
  s->share[k] = p->share;
  s->size[k] = p->size;
  s->points = k + 1;
  *enough = s->points == s->wanted;
  return TH_OK;
}

/* The path over so many decades. */
static void follow(struct sample *s, double mix, double decades)
{
  double largest = 0;
  CHECK(th_net_largest(&s->data, &largest, &s->err) == TH_OK);
  s->mix = mix;
  s->points = 0;
  for (int k = 0; k < LAMBDAS; k++)
    s->lambda[k] = largest / mix * pow(10, -k * decades / (LAMBDAS - 1));
  CHECK(th_net_path(&s->data, mix, s->lambda, LAMBDAS, visit, s, &s->err) ==
        TH_OK);
}

/* Root of the mean square of predictions' differences, over that of the
 * predictions about 0. */
static double distance(const struct sample *s, const double *a, const double *b)
{
  double apart = 0;
  double size = 0;
  for (int64_t i = 0; i < s->data.rows; i++) {
    apart += (a[i] - b[i]) * (a[i] - b[i]);
    size += 1 + b[i] * b[i];
  }
  return sqrt(apart / size);
}

static void compare(struct sample *s)
{
  memset(s->coef, 0, sizeof s->coef);
  memset(s->plain, 0, sizeof s->plain);
  CHECK(s->size[0] == 0);
  CHECK(s->points > 1 && s->size[s->points - 1] > 0);
  for (int64_t k = 0; k < s->points; k++) {
    descend(s, k);
    CHECK(s->objective[k] - s->least[k] <= 1e-6 * s->least[k]);
    CHECK(distance(s, s->prediction[k], s->plain[k]) < 2e-3);
  }
}

/* Tall ones, at least 512 examples and more than 4 for a column, are fitted by
 * products; with at most 256 columns all are members at once. */
static const struct recipe recipes[] = {
    {600, 30, TH_VECTOR_SINGLE, "squared", UNEVEN, true},
    {600, 30, TH_VECTOR_DOUBLE, "squared", EVEN, false},
    {60, 150, TH_VECTOR_SINGLE, "squared", EVEN, true},
    {120, 40, TH_VECTOR_DOUBLE, "squared", FOLD, true},
    {60, 150, TH_VECTOR_ENTRIES, "squared", UNEVEN, true},
    {120, 40, TH_VECTOR_ENTRIES, "squared", FOLD, false},
    {60, 150, TH_VECTOR_DOUBLE, "logistic", FOLD, true},
    {120, 40, TH_VECTOR_SINGLE, "logistic", UNEVEN, false},
    {120, 40, TH_VECTOR_ENTRIES, "logistic", EVEN, true},
    {60, 150, TH_VECTOR_ENTRIES, "logistic", UNEVEN, true},
    {600, 40, TH_VECTOR_ENTRIES, "squared", FOLD, true},
    {560, 30, TH_VECTOR_ENTRIES, "squared", UNEVEN, false},
    {601, 40, TH_VECTOR_ENTRIES, "logistic", FOLD, true},
    {560, 30, TH_VECTOR_ENTRIES, "logistic", UNEVEN, false},
    {603, 40, TH_VECTOR_SINGLE, "logistic", UNEVEN, true},
    {600, 30, TH_VECTOR_DOUBLE, "logistic", FOLD, false},
    {600, 30, TH_VECTOR_SINGLE, "squared-hinge", UNEVEN, true},
};

enum { RECIPES = sizeof recipes / sizeof *recipes };

static const double mixes[] = {1, 0.5, 0.1};

/* all: every recipe with every mix, else with one of them. */
static void test_minima(struct th_comm *team, bool all)
{
  for (uint64_t r = 0; r < RECIPES; r++)
    for (int m = 0; m < 3; m++) {
      if (!all && m != (int)(r % 3))
        continue;
      struct sample *s = make(team, &recipes[r], r);
      follow(s, mixes[m], recipes[r].count > recipes[r].rows ? 1.5 : 2.5);
      compare(s);
      free(s);
    }
}

/* Twice the weights are as good, values of rows without weight are none of the
 * fit's business, and the same call gives the same bits. */
static void test_weights(struct th_comm *team)
{
  for (uint64_t r = 0; r < RECIPES; r++) {
    if (recipes[r].weighing == EVEN)
      continue;
    struct sample *a = make(team, &recipes[r], r);
    struct sample *b = make(team, &recipes[r], r);
    for (int64_t i = 0; i < b->data.rows; i++) {
      b->weight[i] *= 2;
      b->target[i] =
          b->weight[i] > 0 || b->data.loss->labels ? b->target[i] : 100;
    }
    follow(a, 0.5, 2);
    follow(b, 0.5, 2);
    CHECK(a->points == b->points);
    CHECK(memcmp(a->prediction, b->prediction, sizeof a->prediction) == 0);
    CHECK(memcmp(a->share, b->share, sizeof a->share) == 0);
    free(a);
    free(b);
  }
}

/* So many columns that working sets grow, and products with them. */
static const struct recipe grown[] = {
    {1100, 270, TH_VECTOR_ENTRIES, "logistic", FOLD, true},
    {1100, 270, TH_VECTOR_SINGLE, "logistic", EVEN, true},
    {1100, 270, TH_VECTOR_ENTRIES, "squared", UNEVEN, true},
};

enum { GROWN = sizeof grown / sizeof *grown };

static void test_growth(struct th_comm *team)
{
  for (uint64_t r = 0; r < GROWN; r++) {
    struct sample *s = make(team, &grown[r], r + 40);
    follow(s, 0.2, 0.6);
    compare(s);
    CHECK(s->size[LAMBDAS - 1] > s->size[1] + 8);
    free(s);
  }
}

/* A path by a team is that of a rank by itself, bit for bit. */
static void test_alone(struct th_comm *team, const struct recipe *recipe,
                       double mix, double decades)
{
  struct sample *a = make(team, recipe, 3);
  struct th_comm self;
  th_comm_self(&self);
  struct sample *b = make(&self, recipe, 3);
  follow(a, mix, decades);
  follow(b, mix, decades);
  CHECK(a->points == b->points);
  CHECK(memcmp(a->lambda, b->lambda, sizeof a->lambda) == 0);
  CHECK(memcmp(a->prediction, b->prediction, sizeof a->prediction) == 0);
  CHECK(memcmp(a->share, b->share, sizeof a->share) == 0);
  free(a);
  free(b);
}

/* One rank is out of memory, at any allocation of the path: it ends on all of
 * them, and none waits for another. */
static void test_one_lacks(struct th_comm *team, const struct recipe *recipe)
{
  struct sample *s = make(team, recipe, 5);
  th_status rc = TH_ENOMEM;
  follow(s, 0.5, 2);
  for (int64_t good = 0; rc != TH_OK && good < 100000; good += 1 + good / 20) {
    s->points = 0;
    good_allocations = team->rank == team->size - 1 ? good : INT64_MAX;
    rc = th_net_path(&s->data, 0.5, s->lambda, LAMBDAS, visit, s, &s->err);
    good_allocations = INT64_MAX;
    CHECK(rc == TH_OK || rc == TH_ENOMEM);
  }
  CHECK(rc == TH_OK && s->points > 0);
  free(s);
}

/* One rank's visitor fails: the path ends on all of them. */
static void test_one_stops(struct th_comm *team)
{
  struct sample *s = make(team, &recipes[2], 5);
  follow(s, 1, 2);
  s->points = 0;
  s->stop = team->rank == team->size - 1 ? 3 : -1;
  CHECK(th_net_path(&s->data, 1, s->lambda, LAMBDAS, visit, s, &s->err) ==
        TH_EIO);
  CHECK(s->points == 3 + (team->rank < team->size - 1));
  free(s);
}

static void test_ends_early(struct th_comm *team)
{
  const struct recipe recipe = {60,        150,  TH_VECTOR_DOUBLE,
                                "squared", EVEN, true};
  struct sample *s = make(team, &recipe, 77);
  follow(s, 1, 5);
  CHECK(s->points < LAMBDAS);
  for (int64_t k = 0; k < s->points; k++)
    CHECK((s->share[k] >= 0.995) == (k == s->points - 1));
  CHECK(s->share[0] == 0);
  free(s);
}

static void test_visitor_stops(struct th_comm *team)
{
  struct sample *s = make(team, &recipes[2], 5);
  follow(s, 1, 2);
  s->points = 0;
  s->stop = 3;
  CHECK(th_net_path(&s->data, 1, s->lambda, LAMBDAS, visit, s, &s->err) ==
        TH_EIO);
  CHECK(s->points == 3);
  s->points = 0;
  s->stop = -1;
  s->wanted = 4;
  s->err = (struct th_error){0};
  CHECK(th_net_path(&s->data, 1, s->lambda, LAMBDAS, visit, s, &s->err) ==
        TH_OK);
  CHECK(s->points == 4);
  free(s);
}

/* Nothing to fit, nothing to fit it with, nothing that counts. */
static void test_edges(struct th_comm *team)
{
  struct sample *s = make(team, &recipes[2], 6);
  double largest = 1;
  memset(s->target, 0, sizeof s->target);
  follow(s, 0.5, 2);
  CHECK(s->points == LAMBDAS && s->size[LAMBDAS - 1] == 0);
  s->data.count = 0;
  CHECK(th_net_largest(&s->data, &largest, &s->err) == TH_OK && largest == 0);
  memset(s->weight, 0, sizeof s->weight);
  CHECK(th_net_largest(&s->data, &largest, &s->err) == TH_EDATA);
  free(s);
  s = make(team, &recipes[6], 6);
  for (int64_t i = 0; i < s->data.rows; i++)
    s->target[i] = 1;
  CHECK(th_net_largest(&s->data, &largest, &s->err) == TH_EDATA);
  free(s);
}

/* Is it a recipe's turn on this number of ranks? all: it always is. */
static bool turn(const struct th_comm *comm, int recipe, int of, bool all)
{
  return all || (recipe + comm->size) % of == 0;
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  bool all = argc > 1 && strcmp(argv[1], "all") == 0;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  if (comm.size == 1) {
    CASE(test_minima(&comm, all));
    CASE(test_growth(&comm));
  }
  for (int r = 0; r < RECIPES; r++)
    if (turn(&comm, r, 2, all))
      CASE(test_alone(&comm, &recipes[r], mixes[r % 3], 2));
  for (int r = 0; r < GROWN; r++)
    if (turn(&comm, r, 2, all))
      CASE(test_alone(&comm, &grown[r], 0.2, 0.6));
  if (turn(&comm, 1, 2, all))
    CASE(test_weights(&comm));
  CASE(test_ends_early(&comm));
  CASE(test_visitor_stops(&comm));
  CASE(test_one_stops(&comm));
  for (int r = 0; r < RECIPES; r++)
    if (turn(&comm, r, 3, all))
      CASE(test_one_lacks(&comm, &recipes[r]));
  CASE(test_edges(&comm));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
