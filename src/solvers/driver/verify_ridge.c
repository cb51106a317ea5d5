/* verify_ridge.c - a ridge model's certificate computed anew
 *
 * Every number of the model's last lambda is computed from the data. Of the
 * others of a path this much is checked: P*(lambda), the least objective, lies
 * between objective and objective - gap of its entry, and does not grow where
 * lambda falls. The largest eigenvalue is bounded from both sides, by the trace
 * of the Gram matrix and by the product with the model's coefficients.
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/verify.h"
#include "solvers/plan.h"
#include "solvers/ridge/ridge_problem.h"

#include <float.h>
#include <math.h>

/* A claimed number within slack of what the data give. */
static bool near(struct th_verdict *verdict, const char *name, double claimed,
                 double now, double slack)
{
  if (claimed == now || fabs(claimed - now) <= slack)
    return true;
  return th_verify_wrong(verdict, "%s is %.12g, where the data give %.12g",
                         name, claimed, now);
}

/* Numbers that depend on the gradient differ by as much as it does. The gap
 * also holds the square of a mean of the residuals that is zero but for
 * rounding. */
static void verify_ridge_numbers(struct th_verdict *verdict,
                                 const struct th_certificate *claimed,
                                 const struct th_ridge_problem_slack *slack)
{
  const struct th_certificate *now = &verdict->now;
  double gradient = sqrt(2 * now->lambda * now->gap);
  double moved = gradient + 2 * slack->gradient;
  double gap = (moved * moved - gradient * gradient) / (2 * now->lambda) +
               slack->shift * (sqrt(2 * now->gap) + slack->shift);
  double radius = sqrt(2 * (now->gap + gap) / now->lambda);
  double relative = slack->relative + 64 * DBL_EPSILON;
  near(verdict, "objective", claimed->objective, now->objective,
       slack->objective);
  near(verdict, "norm", claimed->norm, now->norm, 64 * DBL_EPSILON * now->norm);
  near(verdict, "gap", claimed->gap, now->gap, gap);
  near(verdict, "dual_norm", claimed->dual_norm, now->dual_norm, relative);
  near(verdict, "violation", claimed->violation, now->violation,
       slack->largest);
  near(verdict, "radius", claimed->radius, now->radius, radius);
  near(verdict, "confidence", claimed->confidence, 1, 0);
  near(verdict, "active", (double)claimed->active, (double)now->active, 0);
  near(verdict, "screened_wrongly", (double)claimed->screened_wrongly, 0, 0);
  for (int k = 0; k < TH_MARGINS; k++)
    near(verdict, "margin", (double)claimed->margin[k], 0, 0);
}

/* The lambda that the options ask for at that point of a path. */
static bool verify_lambda(struct th_verdict *verdict,
                          const struct th_config *config,
                          const struct th_certificate *claimed, double lambda,
                          int64_t point)
{
  double wanted = th_plan_penalised_lambda(config, claimed->lambda_max, point);
  return near(verdict, "lambda", lambda, wanted, 16 * DBL_EPSILON * wanted);
}

static void check_largest(struct th_verdict *verdict,
                          const struct th_config *config,
                          const struct th_certificate *claimed,
                          const struct th_ridge_problem_slack *slack)
{
  double value = claimed->lambda_max;
  if (config->lambda > 0) {
    near(verdict, "lambda_max", value, 0, 0);
    return;
  }
  if (!(value >= slack->least && value <= slack->most))
    th_verify_wrong(verdict,
                    "lambda_max is %.12g, where the data give %.12g to %.12g",
                    value, slack->least, slack->most);
  else
    th_verify_unchecked(verdict, "lambda_max, beyond %.6g to %.6g",
                        slack->least, slack->most);
}

/* Entry k, and what it says beside the one before it. */
static bool check_entry(struct th_verdict *verdict,
                        const struct th_config *config,
                        const struct th_certificate *claimed, int64_t k)
{
  const struct th_path_point *point = &claimed->path[k];
  const struct th_path_point *before = &claimed->path[k > 0 ? k - 1 : 0];
  double rounding = 1e-12 * fabs(point->objective);
  bool good = isfinite(point->objective) && point->gap >= 0 &&
              isfinite(point->gap) && point->support_size >= 0 &&
              point->support_size <= claimed->active &&
              point->objective - point->gap <= before->objective + rounding;
  if (!good)
    return th_verify_wrong(verdict,
                           "entry %lld of the path has objective %.12g, gap "
                           "%.3g and a support of %lld, which cannot be",
                           (long long)k, point->objective, point->gap,
                           (long long)point->support_size);
  return verify_lambda(verdict, config, claimed, point->lambda, k);
}

static void check_path(struct th_verdict *verdict,
                       const struct th_config *config,
                       const struct th_model *model)
{
  const struct th_certificate *claimed = &model->certificate;
  int64_t size = claimed->path_size;
  bool good = near(verdict, "the length of the path", (double)size,
                   (double)config->path, 0);
  for (int64_t k = 0; k < size && good; k++)
    good = check_entry(verdict, config, claimed, k);
  if (!good || size == 0)
    return;
  const struct th_path_point *last = &claimed->path[size - 1];
  if (last->lambda != claimed->lambda ||
      last->objective != claimed->objective || last->gap != claimed->gap ||
      last->support_size != model->support_size)
    th_verify_wrong(
        verdict, "the last entry of the path is not the model's certificate");
  else
    th_verify_unchecked(verdict,
                        "objective and gap of %lld entries of the path, beyond "
                        "that they fall",
                        (long long)size - 1);
}

th_status th_verify_ridge(struct th_verdict *verdict,
                          struct th_problem *problem,
                          const struct th_support *support,
                          const struct th_model *model, struct th_error *err)
{
  const struct th_certificate *claimed = &model->certificate;
  const struct th_config *config = problem->context->config;
  struct th_ridge_problem_slack slack;
  struct th_ridge_problem places = {.count = 0};
  th_status rc = TH_OK;
  if (!verdict->same)
    return th_fail(err, TH_EUSAGE,
                   "a model of solver ridge can be verified only on the data "
                   "that it was trained on: it leaves out no attribute that "
                   "fresh data could ask for");
  TH_TRY(th_ridge_problem_init(&places, problem, err));
  TH_TRY(th_ridge_problem_claim(&places, support, claimed->lambda,
                                &verdict->now, &slack, err));
  verdict->now.lambda_max = claimed->lambda_max;
  check_largest(verdict, config, claimed, &slack);
  verify_lambda(verdict, config, claimed, claimed->lambda, config->path - 1);
  verify_ridge_numbers(verdict, claimed, &slack);
  check_path(verdict, config, model);
  verdict->holds = verdict->wrong[0] == '\0';
  verdict->decided = true;
done:
  th_ridge_problem_free(&places);
  return rc;
}
