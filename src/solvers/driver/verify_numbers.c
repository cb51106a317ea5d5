/* verify_numbers.c - compares every number of a certificate with the data and
 * the model's own options
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/verify_parts.h"
#include "solvers/exact/ball_search.h"
#include "solvers/penalised/plan_penalised.h"
#include "solvers/penalised/problem_parts.h"
#include "solvers/stochastic/screen_online.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool th_verify_wrong(struct th_verdict *verdict, const char *format, ...)
{
  va_list args;
  if (verdict->wrong[0] != '\0')
    return false;
  va_start(args, format);
  vsnprintf(verdict->wrong, sizeof verdict->wrong, format, args);
  va_end(args);
  return false;
}

void th_verify_unchecked(struct th_verdict *verdict, const char *format, ...)
{
  size_t used = strlen(verdict->unchecked);
  va_list args;
  if (used > 0)
    used += (size_t)snprintf(verdict->unchecked + used,
                             sizeof verdict->unchecked - used, "; ");
  if (used >= sizeof verdict->unchecked)
    return;
  va_start(args, format);
  vsnprintf(verdict->unchecked + used, sizeof verdict->unchecked - used, format,
            args);
  va_end(args);
}

static bool check_real(struct th_verdict *verdict, const char *name,
                       double claimed, double now, double least, double most)
{
  if (claimed == now || (claimed >= least && claimed <= most))
    return true;
  return th_verify_wrong(verdict, "%s is %.12g, where the data give %.12g",
                         name, claimed, now);
}

static bool check_count(struct th_verdict *verdict, const char *name,
                        int64_t claimed, int64_t least, int64_t most)
{
  if (claimed >= least && claimed <= most)
    return true;
  if (least == most)
    return th_verify_wrong(verdict, "%s is %lld, where it has to be %lld", name,
                           (long long)claimed, (long long)least);
  return th_verify_wrong(verdict, "%s is %lld, where it has to be %lld to %lld",
                         name, (long long)claimed, (long long)least,
                         (long long)most);
}

double th_verify_lambda_slack(const struct th_verify_evidence *e)
{
  const struct th_shape *shape = th_source_shape(e->problem->context->source);
  double twice = e->found->most.lambda_max - e->found->least.lambda_max;
  /* rows are kept as floats */
  bool single =
      th_solver_find(e->config->solver)->by_examples && shape->type != TH_F64;
  return single ? twice * (TH_SINGLE_ROUNDING / TH_DOUBLE_ROUNDING) : twice;
}

/* The norm of a model in a ball; lambda is what it takes. */
static void check_ball(struct th_verdict *verdict,
                       const struct th_verify_evidence *e)
{
  const struct th_certificate *claimed = &e->model->certificate;
  double radius = e->config->ball.radius;
  if (!(claimed->norm <= radius * (1 + TH_BALL_CLOSE)))
    th_verify_wrong(verdict, "norm is %.12g, above the radius %g",
                    claimed->norm, radius);
  else if (claimed->norm < radius * (1 - TH_BALL_CLOSE))
    th_verify_unchecked(verdict, "lambda, since the ball does not bind");
}

/* The lambda that the options ask for. */
static void check_lambda(struct th_verdict *verdict,
                         const struct th_verify_evidence *e)
{
  const struct th_config *config = e->config;
  const struct th_certificate *claimed = &e->model->certificate;
  double lambda_max = claimed->lambda_max;
  if (config->ball.radius > 0) {
    check_ball(verdict, e);
    return;
  }
  double wanted =
      th_plan_penalised_lambda(config, lambda_max, config->path - 1);
  if (!(lambda_max > 0) && !(config->lambda > 0))
    return; /* nothing correlates with the target: any lambda will do */
  double error =
      config->lambda > 0
          ? 0
          : (th_verify_lambda_slack(e) / lambda_max + 8 * DBL_EPSILON) * wanted;
  if (!(fabs(claimed->lambda - wanted) <= error))
    th_verify_wrong(verdict,
                    "lambda is %.12g, where the model's options and "
                    "lambda_max give %.12g",
                    claimed->lambda, wanted);
}

/* The confidence is below 1 for a sampled stream, and nowhere else. */
static void check_confidence(struct th_verdict *verdict,
                             const struct th_verify_evidence *e)
{
  const struct th_config *config = e->config;
  double claimed = e->model->certificate.confidence;
  bool sampled = config->screening.how == TH_SCREEN_ONLINE &&
                 th_screen_online_stream_of(config, e->problem->rows);
  double below = 1 - (1 - config->confidence);
  if (claimed != 1 && !(sampled && claimed == below))
    th_verify_wrong(verdict,
                    "confidence is %.12g, where the model's options give "
                    "%.12g",
                    claimed, sampled ? below : 1.0);
}

/* The counts of screening are known to the solver alone. */
static void check_screening(struct th_verdict *verdict,
                            const struct th_verify_evidence *e)
{
  const struct th_certificate *claimed = &e->model->certificate;
  int64_t all = e->problem->active.total;
  bool online = e->config->screening.how == TH_SCREEN_ONLINE;
  bool exact = !th_solver_find(e->config->solver)->by_examples;
  if (exact)
    check_count(verdict, "active", claimed->active, e->found->least.active,
                e->found->most.active);
  else if (e->config->screening.how == TH_SCREEN_NONE)
    check_count(verdict, "active", claimed->active, all, all);
  else if (check_count(verdict, "active", claimed->active,
                       e->model->support_size, all))
    th_verify_unchecked(verdict, "active, beyond its range");
  if (!online)
    check_count(verdict, "screened_wrongly", claimed->screened_wrongly, 0, 0);
  else if (check_count(verdict, "screened_wrongly", claimed->screened_wrongly,
                       0, INT64_MAX))
    th_verify_unchecked(verdict, "screened_wrongly");
}

static void check_margins(struct th_verdict *verdict,
                          const struct th_verify_evidence *e)
{
  const int64_t *claimed = e->model->certificate.margin;
  int64_t nearer = 0; /* attributes no farther than 10^-k */
  for (int k = TH_MARGINS - 1; k >= 0; k--) {
    char name[48];
    snprintf(name, sizeof name, "the sum of margins from %d on", k);
    if (claimed[k] < 0 || claimed[k] > e->found->most.margin[0]) {
      th_verify_wrong(verdict, "margin %d is %lld", k, (long long)claimed[k]);
      return;
    }
    nearer += claimed[k];
    if (!check_count(verdict, name, nearer, e->found->least.margin[k],
                     e->found->most.margin[k]))
      return;
  }
}

void th_verify_numbers(struct th_verdict *verdict,
                       const struct th_verify_evidence *evidence)
{
  const struct th_certificate *claimed = &evidence->model->certificate;
  const struct th_recertified *found = evidence->found;
#define CHECK(name, what)                                                      \
  check_real(verdict, #name, claimed->name, found->now.name,                   \
             found->least.name, found->most.name);
  CHECK(lambda_max, "")
  check_lambda(verdict, evidence);
  TH_CERTIFICATE_REALS(CHECK)
#undef CHECK
  check_confidence(verdict, evidence);
  check_screening(verdict, evidence);
  check_margins(verdict, evidence);
}
