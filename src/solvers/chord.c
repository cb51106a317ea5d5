/* chord.c - products of columns for the models of a tall problem
 * SPDX-License-Identifier: MIT */
#include "solvers/chord.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

enum {
  MOST_COLUMNS = 4096,
  ROWS_PER_COLUMN = 4, /* at least */
  FEWEST_ROWS = 512
};

/* Least share of the largest curvature. */
static const double least_curvature = 1e-10;

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
  if (!p->loss->labels)
    return rc;
  TH_TRY(TH_NEW(&c->h, p->rows, "curvatures", err));
  TH_TRY(TH_NEW(&c->share, p->rows, "curvatures", err));
  TH_TRY(TH_NEW(&c->root, p->rows, "curvatures", err));
done:
  return rc;
}

void th_chord_free(struct th_chord *c)
{
  th_rowwise_free(&c->rowwise);
  free(c->coef);
  free(c->h);
  free(c->share);
  free(c->root);
  *c = (struct th_chord){0};
}

static void take_curvatures(struct th_chord *c, const struct th_problem *p,
                            const double *prediction)
{
  double least = least_curvature * th_loss_L(p->loss);
  c->sum = 0;
  for (int64_t i = 0; i < p->rows; i++) {
    double curvature =
        p->loss->half * p->loss->curvature(prediction[i], p->target[i]);
    c->h[i] = p->eta[i] > 0 ? p->eta[i] * fmax(curvature, least) : 0;
    c->sum += c->h[i];
  }
  for (int64_t i = 0; i < p->rows; i++) {
    c->share[i] = c->h[i] / c->sum;
    c->root[i] = sqrt(c->h[i]);
  }
}

th_status th_chord_form(struct th_chord *c, const struct th_problem *p,
                        const struct th_columns *columns,
                        const double *prediction,
                        struct th_covariance *covariance, bool *anew,
                        struct th_error *err)
{
  *anew = !c->formed || c->slow;
  if (*anew) {
    take_curvatures(c, p, prediction);
    covariance->count = 0;
    c->fresh = c->formed = true;
    c->slow = false;
  }
  if (p->dense)
    return th_covariance_grow(covariance, columns, p->context->comm, c->share,
                              c->root, p->intercept, err);
  return th_covariance_grow_rows(covariance, columns, &c->rowwise,
                                 p->kept->count, c->h, c->sum, p->intercept,
                                 err);
}

double th_chord_constant(const struct th_chord *c, const struct th_problem *p,
                         const double *weighted)
{
  double sum = 0;
  for (int64_t i = 0; i < p->rows; i++)
    sum += c->h[i] > 0 ? weighted[i] * weighted[i] / c->h[i] : 0;
  return 0.5 * sum;
}
