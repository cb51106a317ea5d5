/* verify.c - a certificate computed anew, from the model and data alone
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/verify.h"

#include "core/memory.h"
#include "math/confidence.h"
#include "math/kernels/kernels.h"
#include "solvers/data/support.h"
#include "solvers/driver/verify_parts.h"
#include "solvers/penalised/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct check {
  struct th_context context;
  struct th_problem problem;
  struct th_support support; /* coefficients of (x - centre) * scale */
  double *prediction;        /* n */
  double *theta;             /* n: theta times weight, over `unit` */
  float *theta32;
  double unit;  /* a power of two; so that theta fits a float */
  double *ones; /* a row group's */
  double *sum;  /* places: sum of theta z, of z^2, of theta^2 z^2 */
  double *square;
  double *both;
};

static void release(struct check *check)
{
  TH_FREE(check->prediction, check->theta, check->theta32, check->ones,
          check->sum, check->square, check->both);
  th_support_free(&check->support);
  th_problem_free(&check->problem);
  th_context_free(&check->context);
}

/* The model in the units that the problem is posed in. Collective. */
static th_status take_model(struct check *check, const struct th_model *model,
                            struct th_error *err)
{
  struct th_support *support = &check->support;
  const struct th_support_list all = {model->support, model->coef,
                                      model->support_size, true};
  th_status rc;
  TH_TRY(th_support_assign_list(support, &check->context, &all, err));
  support->intercept = model->intercept - check->context.target.shift;
  for (int64_t k = 0; k < support->size; k++) {
    if (!(support->scale[k] > 0))
      TH_TRY(th_fail(err, TH_EDATA,
                     "attribute %lld of the model never changes in these data",
                     (long long)support->attribute[k]));
    support->intercept +=
        support->coef[k] * th_support_own_centre(support, &check->context, k);
    support->coef[k] /= support->scale[k];
  }
done:
  return rc;
}

/* Scale theta by a power of two, so that it fits a float. Local; replicated. */
static void scale_theta(struct check *check)
{
  double largest = 0;
  int exponent = 0;
  for (int64_t i = 0; i < check->problem.rows; i++)
    largest = fmax(largest, fabs(check->theta[i]));
  frexp(largest, &exponent);
  check->unit = ldexp(1, exponent);
  for (int64_t i = 0; i < check->problem.rows; i++) {
    check->theta[i] /= check->unit;
    check->theta32[i] = (float)check->theta[i];
  }
}

/* theta at the model's predictions. Collective. */
static th_status take_theta(struct check *check, struct th_error *err)
{
  const struct th_support *support = &check->support;
  int64_t n = check->problem.rows;
  int64_t group = th_source_shape(check->context.source)->row_group;
  th_status rc = TH_NEW(&check->prediction, n, "predictions", err);
  if (rc == TH_OK)
    rc = TH_NEW(&check->theta, n, "a dual point", err);
  if (rc == TH_OK)
    rc = TH_NEW(&check->theta32, n, "a dual point", err);
  if (rc == TH_OK)
    rc = TH_NEW(&check->ones, group, "the examples of a row group", err);
  TH_TRY(th_agree(check->context.comm, rc, err));
  for (int64_t i = 0; i < group; i++)
    check->ones[i] = 1;
  TH_TRY(th_problem_predict(&check->problem, support->attribute, support->coef,
                            support->size, support->intercept,
                            check->prediction, err));
  th_problem_theta(&check->problem, check->prediction, check->theta);
  for (int64_t i = 0; i < n; i++)
    check->theta[i] *= check->problem.eta[i] * (double)n; /* weights */
  scale_theta(check);
done:
  return rc;
}

/* Whether floats can square what is stored as floats. Collective. */
static th_status check_range(const struct check *check, struct th_error *err)
{
  const struct th_active *active = &check->problem.active;
  const struct th_shape *shape = th_source_shape(check->context.source);
  bool single = shape->layout == TH_DENSE && shape->type != TH_F64;
  th_status rc = TH_OK;
  for (int64_t p = 0; p < active->count && single && rc == TH_OK; p++) {
    double reach = active->bound[p] / active->scale[p];
    if (reach > 0x1p60 || reach < 0x1p-60)
      rc = th_fail(err, TH_EDATA,
                   "attribute %lld reaches %g: floats cannot hold its squares, "
                   "so fresh data cannot be judged; import them with {type} "
                   "f64",
                   (long long)active->attribute[p], reach);
  }
  return th_agree(check->context.comm, rc, err);
}

/* Add the three sums over one row group, at every place. Local. */
static th_status add_group(struct check *check, const struct th_draw *draw,
                           struct th_rows rows, struct th_error *err)
{
  const struct th_active *active = &check->problem.active;
  struct th_row_weights m = {.residual = check->theta + rows.first,
                             .residual32 = check->theta32 + rows.first,
                             .weight = check->ones,
                             .weight32 = check->theta32 + rows.first};
  struct th_slab slab;
  th_status rc = TH_OK;
  for (int64_t p = 0; p < active->count && rc == TH_OK;) {
    rc = th_source_active(check->context.source, draw, rows, p, &slab, err);
    if (rc != TH_OK)
      return rc;
    th_kernel_evidence(&slab, &m, active->centre + p, NULL, check->sum + p,
                       check->square + p, check->both + p);
    p += slab.attributes.last - slab.attributes.first;
  }
  return rc;
}

/* The three sums over all training examples. Local. */
static th_status add_groups(struct check *check, struct th_error *err)
{
  struct th_source *source = check->context.source;
  const struct th_shape *shape = th_source_shape(source);
  struct th_rows all = {0, shape->training};
  struct th_draw draw = {.rows = {.items = &all, .count = 1}, .active = true};
  th_status rc = th_source_draw(source, &draw, err);
  for (int64_t g = 0; g * shape->row_group < shape->training && rc == TH_OK;
       g++)
    rc = add_group(check, &draw, th_shape_group(shape, g), err);
  return rc;
}

/* sum becomes |Z_j|. square becomes its half-width: how far chance may move the
 * mean of theta x / lambda over n examples. Local. */
static void widths(struct check *check, double lambda, double confidence)
{
  const struct th_active *active = &check->problem.active;
  double n = (double)check->problem.rows;
  double largest = 0; /* |theta| */
  for (int64_t i = 0; i < check->problem.rows; i++)
    largest = fmax(largest, fabs(check->theta[i]));
  for (int64_t p = 0; p < active->count; p++) {
    double unit = active->scale[p] / lambda;
    double mean = check->sum[p] / n;
    double variance = fmax(0, check->both[p] / n - mean * mean) * n / (n - 1);
    check->sum[p] = fabs(mean) * unit;
    check->square[p] = th_confidence_bernstein(
        variance * unit * unit, largest * active->bound[p] / lambda,
        check->problem.rows, active->total, 1 - confidence);
  }
}

/* held[g] > 0 for groups with a member in the support of any rank. Collective.
 */
static void find_held(struct check *check, double *held)
{
  const struct th_support *support = &check->support;
  const struct th_active *active = &check->problem.active;
  struct th_comm *comm = check->context.comm;
  double *coef = check->both; /* no longer needed */
  memset(coef, 0, (size_t)active->count * sizeof *coef);
  struct th_range mine = th_support_owned(support, check->context.owned);
  for (int64_t k = mine.first; k < mine.last; k++)
    coef[th_active_place(active, support->attribute[k])] = support->coef[k];
  th_grouping_dual(&check->problem.grouping, comm, coef, held);
}

/* Largest half-width and largest excess over all groups. Collective. */
static th_status judge_groups(struct check *check, struct th_verdict *verdict,
                              struct th_error *err)
{
  struct th_grouping *grouping = &check->problem.grouping;
  struct th_comm *comm = check->context.comm;
  double most[2] = {0, -INFINITY};
  double *dual = NULL;
  double *width = NULL;
  double *held = NULL;
  th_status rc = TH_NEW(&dual, grouping->groups, "dual norms", err);
  if (rc == TH_OK)
    rc = TH_NEW(&width, grouping->groups, "dual norms", err);
  if (rc == TH_OK)
    rc = TH_NEW(&held, grouping->groups, "dual norms", err);
  TH_TRY(th_agree(comm, rc, err));
  th_grouping_dual(grouping, comm, check->sum, dual);
  th_grouping_dual(grouping, comm, check->square, width);
  find_held(check, held);
  for (int64_t g = 0; g < grouping->groups; g++) {
    most[0] = fmax(most[0], width[g]);
    if (!(held[g] > 0))
      most[1] = fmax(most[1], dual[g] - width[g] - 1);
  }
  comm->ops->max_f64(comm, most, 2);
  verdict->width = most[0];
  verdict->excess = most[1];
done:
  TH_FREE(dual, width, held);
  return rc;
}

/* Whether fresh examples contradict optimality. Collective. */
static th_status judge_fresh(struct check *check, double lambda,
                             double confidence, struct th_verdict *verdict,
                             struct th_error *err)
{
  struct th_active *active = &check->problem.active;
  th_status rc = TH_NEW(&check->sum, active->count, "sums over examples", err);
  if (rc == TH_OK)
    rc = TH_NEW(&check->square, active->count, "sums over examples", err);
  if (rc == TH_OK)
    rc = TH_NEW(&check->both, active->count, "sums over examples", err);
  TH_TRY(th_agree(check->context.comm, rc, err));
  TH_TRY(check_range(check, err));
  TH_TRY(take_theta(check, err));
  TH_TRY(th_source_activate(check->context.source, check->context.comm,
                            active->attribute, active->count, err));
  TH_TRY(th_agree(check->context.comm, add_groups(check, err), err));
  widths(check, lambda / check->unit, confidence);
  TH_TRY(judge_groups(check, verdict, err));
  verdict->holds = !(verdict->excess > 0);
  verdict->decided = !verdict->holds || verdict->width < 1;
  verdict->now.confidence = confidence;
done:
  return rc;
}

/* Compare the certificate with its own data, number by number. Collective. */
static th_status compare(struct check *check, const struct th_model *model,
                         struct th_verdict *verdict, struct th_error *err)
{
  struct th_recertified found;
  struct th_verify_evidence evidence = {check->context.config, model,
                                        &check->problem, &found};
  th_status rc = th_recertify(&check->problem, &check->support,
                              &model->certificate, &found, err);
  if (rc != TH_OK)
    return rc;
  verdict->now = found.now;
  th_verify_numbers(verdict, &evidence);
  th_verify_path(verdict, &evidence);
  verdict->holds = verdict->wrong[0] == '\0';
  verdict->decided = true;
  return TH_OK;
}

th_status th_verify(const struct th_verify_setting *setting,
                    const struct th_model *model, double confidence,
                    struct th_verdict *verdict, struct th_error *err)
{
  struct th_store *store = setting->store;
  struct check check = {.prediction = NULL};
  double lambda = model->certificate.lambda;
  th_status rc;
  *verdict =
      (struct th_verdict){.same = store->fingerprint == model->fingerprint};
  TH_TRY(th_context_init(&check.context, setting->plan, store, setting->comm,
                         NULL, setting->profile, err));
  TH_TRY(th_problem_init(&check.problem, &check.context, NULL, err));
  TH_TRY(take_model(&check, model, err));
  if (setting->plan->solver->ridge != NULL) {
    TH_TRY(
        th_verify_ridge(verdict, &check.problem, &check.support, model, err));
    goto done;
  }
  if (verdict->same) {
    TH_TRY(compare(&check, model, verdict, err));
    goto done;
  }
  TH_TRY(th_problem_certify(&check.problem, &check.support, lambda,
                            &verdict->now, err));
  TH_TRY(judge_fresh(&check, lambda, confidence, verdict, err));
done:
  release(&check);
  return rc;
}
