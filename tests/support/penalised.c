/* penalised.c - penalised problems and a slow exact reference, for tests
 * SPDX-License-Identifier: MIT */
#include "penalised.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 200000 };

bool solver_uses(const struct th_solver_row *row, const char *option)
{
  for (const char *const *its = th_solver_options(row); *its != NULL; its++)
    if (strcmp(*its, option) == 0)
      return true;
  return false;
}

bool solver_looks(const struct th_solver_row *row)
{
  return !row->penalised && solver_uses(row, "lambda");
}

const char *solver_loss(const struct th_config *config, const char *loss)
{
  const struct th_shape shape = {.examples = 1000,
                                 .training = 1000,
                                 .attributes = 1000,
                                 .row_group = 1000};
  struct th_config tried = *config;
  struct th_plan plan;
  struct th_error err;
  tried.loss = loss;
  th_error_clear(&err);
  return th_train_plan(
             &tried,
             (struct th_plan_size){.shape = &shape, .ranks = 1, .owned = 1000},
             &plan, &err) == TH_OK
             ? loss
             : "squared";
}

struct th_config penalised_config(const char *solver, const char *loss,
                                  double ratio)
{
  return (struct th_config){.solver = solver,
                            .loss = loss,
                            .passes = 0,
                            .validation = -1,
                            .seed = 1,
                            .penalty = "l1",
                            .group.mix = 0.5,
                            .lambda_ratio = ratio,
                            .choice.how = TH_CHOOSE_LAST,
                            .screening.exponent = 0.75,
                            .batch = 1,
                            .confidence = 0.95};
}

static void *room(int64_t count, size_t size)
{
  void *p = calloc((size_t)count + 1, size);
  if (p == NULL)
    exit(1);
  return p;
}

void plain_take(struct plain *p, const struct memory_store *m,
                const struct th_loss *loss, double lambda)
{
  const struct th_shape *shape = &m->store.shape;
  double high = -INFINITY;
  double weights = 0;
  *p = (struct plain){
      shape->training, shape->attributes, loss, lambda, NULL, NULL, NULL};
  p->x = room(p->n * p->d, sizeof *p->x);
  p->y = room(p->n, sizeof *p->y);
  p->weight = room(p->n, sizeof *p->weight);
  for (int64_t i = 0; i < p->n; i++) {
    high = fmax(high, m->target[i]);
    p->weight[i] = m->weight != NULL ? m->weight[i] : 1;
    weights += p->weight[i];
    for (int64_t j = 0; j < p->d; j++)
      p->x[i * p->d + j] = (double)m->values[j * shape->examples + i];
  }
  for (int64_t i = 0; i < p->n; i++) {
    p->y[i] = loss->labels ? (m->target[i] == high ? 1 : -1) : m->target[i];
    p->weight[i] *= (double)p->n / weights;
  }
}

void plain_free(struct plain *p)
{
  free(p->x);
  free(p->y);
  free(p->weight);
}

static double predict(const struct plain *p, const double *b, double b0,
                      int64_t i)
{
  double sum = b0;
  for (int64_t j = 0; j < p->d; j++)
    sum += p->x[i * p->d + j] * b[j];
  return sum;
}

double plain_objective(const struct plain *p, const double *b, double b0)
{
  double sum = 0;
  for (int64_t i = 0; i < p->n; i++)
    sum += p->weight[i] * th_loss_f(p->loss, predict(p, b, b0, i), p->y[i]) /
           (double)p->n;
  for (int64_t j = 0; j < p->d; j++)
    sum += p->lambda * fabs(b[j]);
  return sum;
}

/* The gradient of the mean loss: d entries, and that of the intercept. */
static void gradient(const struct plain *p, const double *b, double b0,
                     double *grad)
{
  memset(grad, 0, (size_t)(p->d + 1) * sizeof *grad);
  for (int64_t i = 0; i < p->n; i++) {
    double theta = p->weight[i] / (double)p->n *
                   th_loss_df(p->loss, predict(p, b, b0, i), p->y[i]);
    for (int64_t j = 0; j < p->d; j++)
      grad[j] += theta * p->x[i * p->d + j];
    grad[p->d] += theta;
  }
}

/* A bound on the curvature of the mean loss. */
static double curvature(const struct plain *p)
{
  double sum = 0;
  for (int64_t i = 0; i < p->n; i++) {
    double square = 1;
    for (int64_t j = 0; j < p->d; j++)
      square += p->x[i * p->d + j] * p->x[i * p->d + j];
    sum += p->weight[i] * square / (double)p->n;
  }
  return th_loss_L(p->loss) * sum;
}

void plain_solve(const struct plain *p, bool intercept, double *b, double *b0)
{
  int64_t d = p->d;
  double step = 1 / curvature(p);
  double *at = room(d + 1, sizeof *at);
  double *old = room(d + 1, sizeof *old);
  double *grad = room(d + 1, sizeof *grad);
  double momentum = 1;
  double largest = 1;
  for (int k = 0; k < MOST_ITERATIONS && largest > 0; k++) {
    double uphill = 0;
    double next = (1 + sqrt(1 + 4 * momentum * momentum)) / 2;
    gradient(p, at, at[d], grad);
    largest = 0;
    for (int64_t j = 0; j <= d; j++) {
      double t = j < d ? step * p->lambda : 0;
      double v = j < d || intercept ? at[j] - step * grad[j] : 0;
      double new = copysign(fmax(fabs(v) - t, 0), v);
      uphill += (at[j] - new) * (new - old[j]);
      largest = fmax(largest, fabs(new - old[j]) / fmax(1e-10, fabs(new)));
      at[j] = new + (momentum - 1) / next *(new - old[j]);
      old[j] = new;
    }
    largest = largest > 1e-13 ? largest : 0;
    momentum = uphill > 0 ? 1 : next; /* start anew */
  }
  memcpy(b, old, (size_t)d * sizeof *b);
  *b0 = old[d];
  free(at);
  free(old);
  free(grad);
}

void plain_coef(const struct th_model *model, double *b)
{
  memset(b, 0, (size_t)model->attributes * sizeof *b);
  for (int64_t k = 0; k < model->support_size; k++)
    b[model->support[k]] = model->coef[k];
}

void plain_groups(struct th_groups *groups, struct th_comm *comm,
                  int64_t attributes, int64_t size)
{
  int64_t count = (attributes + size - 1) / size;
  struct th_group_piece *piece = room(count, sizeof *piece);
  struct th_error err = {0};
  for (int64_t k = 0; k < count; k++) {
    int64_t last = (k + 1) * size < attributes ? (k + 1) * size : attributes;
    piece[k] = (struct th_group_piece){
        {k * size, last}, k * size, last - k * size, k % 3 == 1 ? 1.5 : 0};
  }
  CHECK(th_groups_share(groups, comm, attributes, piece, count, TH_OK, &err) ==
        TH_OK);
  free(piece);
}
