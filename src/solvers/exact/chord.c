/* chord.c - products of columns for the models of a tall problem
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/chord.h"

#include "base/elementary.h"
#include "base/memory.h"

#include <math.h>

enum {
  MOST_COLUMNS = 4096,
  ROWS_PER_COLUMN = 4, /* at least */
  FEWEST_ROWS = 512
};

/* Curvatures are at least this share of the largest. */
static const double least_curvature = 1e-10;

/* Rough costs in nanoseconds: of a pair of a row's entries in products, of an
 * entry and of a row in a look; then of dense values. */
static const double pair_cost = 1.1;
static const double entry_cost = 3;
static const double row_cost = 25;
static const double product_cost = 0.1;
static const double value_cost = 0.8;

/* The part of the gap that a step leaves: with new products, and with old ones
 * until it is known. */
static const double newton_rate = 0.01;
static const double usual_rate = 0.25;

/* Least curvature along a step, over the expected one. */
static const double convex = 1e-3;

static double worth_of(const struct th_chord *c, const struct th_problem *p)
{
  const struct th_rowwise *r = &c->rowwise;
  double rows = (double)p->rows;
  double columns = (double)p->kept->count;
  double pairs = 0;
  if (p->dense)
    return rows * columns * columns / 2 * product_cost /
           (rows * columns * value_cost + rows * row_cost);
  for (int64_t i = 0; i < r->rows; i++) {
    double entries = (double)(r->start[i + 1] - r->start[i]);
    pairs += entries * (entries + 1) / 2;
  }
  return (pairs * pair_cost + rows) /
         ((double)r->start[r->rows] * entry_cost + rows * row_cost);
}

bool th_chord_fits(const struct th_problem *p)
{
  return p->kept != NULL && p->kept->count <= MOST_COLUMNS &&
         p->rows >= FEWEST_ROWS && p->rows > ROWS_PER_COLUMN * p->kept->count;
}

th_status th_chord_init(struct th_chord *c, const struct th_problem *p,
                        struct th_error *err)
{
  th_status rc = TH_OK;
  if (!p->dense) {
    TH_TRY(th_rowwise_build(&c->rowwise, p->rows, p->kept->column,
                            p->kept->count, err));
    TH_TRY(TH_NEW(&c->coef, p->kept->count, "coefficients", err));
  }
  if (p->loss->quadratic)
    return rc;
  c->worth = worth_of(c, p);
  c->rate = usual_rate;
  TH_TRY(TH_NEW(&c->h, p->rows, "second derivatives", err));
  TH_TRY(TH_NEW(&c->share, p->rows, "second derivatives", err));
  TH_TRY(TH_NEW(&c->root, p->rows, "second derivatives", err));
done:
  return rc;
}

void th_chord_free(struct th_chord *c)
{
  th_rowwise_free(&c->rowwise);
  TH_FREE(c->coef, c->h, c->share, c->root);
  *c = (struct th_chord){0};
}

static void take_curvatures(struct th_chord *c, const struct th_problem *p,
                            const double *prediction)
{
  double least = least_curvature * th_loss_L(p->loss);
  c->sum = 0;
  th_loss_d2f_all(p->loss, p->rows, prediction, p->target, c->h);
  for (int64_t i = 0; i < p->rows; i++) {
    c->h[i] = p->eta[i] > 0 ? p->eta[i] * fmax(c->h[i], least) : 0;
    c->sum += c->h[i];
  }
  for (int64_t i = 0; i < p->rows; i++) {
    c->share[i] = c->h[i] / c->sum;
    c->root[i] = sqrt(c->h[i]);
  }
}

/* The number of steps, each leaving `rate` of the gap, until it is `times`
 * smaller. */
static double steps(double times, double rate)
{
  return fmax(1, ceil(th_log(times) / -th_log(rate)));
}

static bool forming_is_due(const struct th_chord *c, double times)
{
  double saved = steps(times, c->rate) - steps(times, newton_rate);
  return !c->formed || c->failed || saved > c->worth;
}

void th_chord_note(struct th_chord *c, double left, bool first, bool well)
{
  if (!c->fresh && !first)
    c->rate = fmin(fmax(left, newton_rate), 0.9);
  c->failed = !well || left > 0.9;
  c->fresh = false;
}

void th_chord_learn(struct th_covariance *covariance, const double *step,
                    const double *change, const double *expected)
{
  int64_t count = covariance->count;
  double real = 0;
  double model = 0;
  for (int64_t j = 0; j < count; j++) {
    real += step[j] * change[j];
    model += step[j] * expected[j];
  }
  if (!(real > convex * model && model > 0))
    return;
  for (int64_t j = 0; j < count; j++) {
    double *row = covariance->product + j * covariance->capacity;
    for (int64_t k = 0; k < count; k++)
      row[k] +=
          change[j] * change[k] / real - expected[j] * expected[k] / model;
  }
}

bool th_chord_renew(struct th_chord *c, const struct th_problem *p,
                    const double *prediction, double times,
                    struct th_covariance *covariance)
{
  if (!forming_is_due(c, times))
    return false;
  take_curvatures(c, p, prediction);
  covariance->count = 0;
  c->fresh = c->formed = true;
  c->failed = false;
  return true;
}

th_status th_chord_grow(struct th_chord *c, const struct th_problem *p,
                        const struct th_replicated_columns *columns,
                        struct th_covariance *covariance, struct th_error *err)
{
  struct th_covariance_weights weights = {
      .h = c->h, .sum = c->sum, .centred = p->intercept};
  if (p->dense)
    return th_covariance_grow(covariance, columns, p->context->comm, c->share,
                              c->root, p->intercept, err);
  return th_covariance_grow_rows(covariance, columns, &c->rowwise,
                                 p->kept->count, &weights, err);
}

double th_chord_constant(const struct th_chord *c, const struct th_problem *p,
                         const double *weighted)
{
  double sum = 0;
  for (int64_t i = 0; i < p->rows; i++)
    sum += c->h[i] > 0 ? weighted[i] * weighted[i] / c->h[i] : 0;
  return 0.5 * sum;
}
