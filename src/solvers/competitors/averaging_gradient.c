/* averaging_gradient.c - gradients of a mini-batch, from whole examples or from
 * looks at them
 * SPDX-License-Identifier: MIT */
#include "solvers/competitors/averaging.h"

#include <math.h>
#include <string.h>

/* Note the residual of an example that is predicted by what is known of it. */
static void watch(struct th_averaging *s, int64_t row, double prediction)
{
  double y = s->targets.target[row];
  double weight = s->targets.weight[row];
  double residual = prediction - y;
  s->watch.residual += weight * residual * residual;
  s->watch.target += weight * y * y;
  s->watch.rows++;
  s->loss += weight * residual * residual / 2;
}

/* An example as all ranks know it. */
struct seen {
  double known; /* sum of x w over the support, */
  double other; /* and over the others that were drawn */
  double target;
  double factor; /* slope and weight */
};

static struct seen see(const struct th_averaging *s, int64_t r)
{
  const struct th_looks *looks = &s->looks;
  int64_t slots = looks->draw.slots;
  const double *term = looks->number + r * slots;
  int64_t row = th_looks_row(looks, r);
  struct seen seen = {.target = s->targets.target[row],
                      .factor = s->rule->slope * s->targets.weight[row]};
  for (int64_t k = 0; k < looks->known; k++)
    seen.known += term[k];
  for (int64_t k = looks->known; k < slots; k++)
    seen.other += term[k];
  return seen;
}

/* Coordinate j of the gradient, (sum over i of x_i x_j w_i) - x_j y, where each
 * product is divided by the probability that both attributes are seen. own: the
 * term x_j w_j, whose two attributes are one. */
static double estimate(const struct th_looks *looks, const struct seen *e,
                       bool member, double x, double own)
{
  double one = looks->odds.one;
  double residual = e->known + e->other / one - e->target;
  if (!member)
    residual =
        (e->known + own - e->target) / one + (e->other - own) / looks->odds.two;
  return e->factor * x * residual;
}

/* Of the attributes of this rank that the mini-batch shows. Local. */
static void add_estimates(struct th_averaging *s,
                          const struct th_context *context)
{
  const struct th_looks *looks = &s->looks;
  struct seen seen = {0};
  int64_t row = -1;
  for (int64_t k = 0; k < looks->count; k++) {
    int64_t slot = looks->slot[k];
    if (slot / looks->draw.slots != row) {
      row = slot / looks->draw.slots;
      seen = see(s, row);
    }
    bool member = slot % looks->draw.slots < looks->known;
    s->gradient[looks->mine[k] - context->owned.first] +=
        estimate(looks, &seen, member, looks->value[k], looks->number[slot]);
  }
}

static th_status look(struct th_averaging *s, struct th_context *context,
                      bool *more, struct th_error *err)
{
  int64_t count = context->owned.last - context->owned.first;
  th_status rc = th_looks_take(&s->looks, context, &s->support,
                               s->looks.capacity, s->coef, more, err);
  if (rc != TH_OK || !*more)
    return rc;
  memset(s->gradient, 0, (size_t)count * sizeof *s->gradient);
  add_estimates(s, context);
  for (int64_t r = 0; r < s->looks.rows; r++)
    watch(s, th_looks_row(&s->looks, r), see(s, r).known);
  s->loss /= (double)s->looks.rows;
  return TH_OK;
}

/* Coefficients by place; a bound on all predictions. Collective. */
static double prepare(struct th_averaging *s, const struct th_context *context)
{
  const struct th_active *active = &s->whole.active;
  double largest = 0;
  for (int64_t p = 0; p < active->count; p++) {
    s->by_place[p] = s->coef[active->attribute[p] - context->owned.first];
    largest = fmax(largest, fabs(s->by_place[p]) * active->bound[p]);
  }
  context->comm->ops->max_f64(context->comm, &largest, 1);
  return largest * (double)active->total;
}

static th_status read_whole(struct th_averaging *s, struct th_context *context,
                            bool *more, struct th_error *err)
{
  struct th_whole_rows *whole = &s->whole;
  const struct th_active *active = &whole->active;
  *more = th_whole_rows_begin(whole, context, context->config->batch);
  if (!*more)
    return TH_OK;
  double bound = prepare(s, context);
  th_status rc = th_whole_rows_predict(whole, context, s->by_place, bound, err);
  if (rc != TH_OK)
    return rc;
  memset(s->by_place, 0, (size_t)active->count * sizeof *s->by_place);
  for (int64_t r = 0; r < whole->rows; r++) {
    int64_t row = whole->row[r];
    double prediction = th_whole_rows_prediction(whole, r);
    watch(s, row, prediction);
    whole->factor[r] = s->rule->slope * s->targets.weight[row] *
                       (prediction - s->targets.target[row]);
  }
  th_whole_rows_add(whole, s->by_place);
  for (int64_t p = 0; p < active->count; p++)
    s->gradient[active->attribute[p] - context->owned.first] = s->by_place[p];
  s->loss /= (double)whole->rows;
  th_whole_rows_release(whole);
  return TH_OK;
}

th_status th_averaging_gradient(struct th_averaging *s,
                                struct th_context *context, bool *more,
                                struct th_error *err)
{
  double before = s->loss;
  s->loss = 0;
  th_status rc = (s->reads_whole ? read_whole : look)(s, context, more, err);
  if (!*more)
    s->loss = before;
  return rc;
}
