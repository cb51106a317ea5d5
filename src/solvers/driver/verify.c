/* verify.c - a certificate computed anew, from the model and data alone
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/verify.h"
#include "solvers/penalised/certify.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "math/kernels/kernels.h"
#include "math/penalty.h"
#include "solvers/access/support.h"
#include "solvers/algorithms.h"
#include "solvers/penalised/problem.h"
#include "solvers/plan.h"
#include "solvers/stochastic/screen_online.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a model's certificate is compared with. */
struct th_verify_evidence {
  const struct th_config *config; /* the model's options */
  const struct th_model *model;
  const struct th_problem *problem;
  const struct th_certified_again *found;
};

/* --- Compares every number of a certificate with the data and the model's
 * own options */

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

static bool verify_count(struct th_verdict *verdict, const char *name,
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

/* How far the solver's own lambda_max, from which it derived its lambdas, may
 * be from the certificate's. Local. */
static double verify_lambda_slack(const struct th_verify_evidence *e)
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
static void numbers_check_lambda(struct th_verdict *verdict,
                                 const struct th_verify_evidence *e)
{
  const struct th_config *config = e->config;
  const struct th_certificate *claimed = &e->model->certificate;
  double lambda_max = claimed->lambda_max;
  if (config->ball.radius > 0) {
    check_ball(verdict, e);
    return;
  }
  bool chosen = e->model->path.points > 0;
  double wanted = th_plan_penalised_lambda(
      config, lambda_max, chosen ? e->model->path.chosen : config->path - 1);
  if (!(lambda_max > 0) && !(config->lambda > 0))
    return; /* nothing correlates with the target: any lambda will do */
  double error =
      config->lambda > 0
          ? 0
          : (verify_lambda_slack(e) / lambda_max + 8 * DBL_EPSILON) * wanted;
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
static void verify_screening(struct th_verdict *verdict,
                             const struct th_verify_evidence *e)
{
  const struct th_certificate *claimed = &e->model->certificate;
  int64_t all = e->problem->active.total;
  bool online = e->config->screening.how == TH_SCREEN_ONLINE;
  bool exact = !th_solver_find(e->config->solver)->by_examples;
  if (exact)
    verify_count(verdict, "active", claimed->active, e->found->least.active,
                 e->found->most.active);
  else if (e->config->screening.how == TH_SCREEN_NONE)
    verify_count(verdict, "active", claimed->active, all, all);
  else if (verify_count(verdict, "active", claimed->active,
                        e->model->support_size, all))
    th_verify_unchecked(verdict, "active, beyond its range");
  if (!online)
    verify_count(verdict, "screened_wrongly", claimed->screened_wrongly, 0, 0);
  else if (verify_count(verdict, "screened_wrongly", claimed->screened_wrongly,
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
    if (!verify_count(verdict, name, nearer, e->found->least.margin[k],
                      e->found->most.margin[k]))
      return;
  }
}

/* A number that the program which made the model did not know says nothing. */
static void check_field(struct th_verdict *verdict,
                        const struct th_fields_row *field,
                        const struct th_certificate *claimed,
                        const struct th_certified_again *found)
{
  if (th_claims_field_is_real(field) && !field->unverified &&
      !th_claims_field_left_out(field, claimed))
    check_real(verdict, field->name, th_claims_field_number(field, claimed),
               th_claims_field_number(field, &found->now),
               th_claims_field_number(field, &found->least),
               th_claims_field_number(field, &found->most));
}

/* Check every number of the certificate but its path; check the path. Local;
 * replicated. */
static void verify_numbers(struct th_verdict *verdict,
                           const struct th_verify_evidence *evidence)
{
  const struct th_certificate *claimed = &evidence->model->certificate;
  const struct th_certified_again *found = evidence->found;
  check_real(verdict, "lambda_max", claimed->lambda_max, found->now.lambda_max,
             found->least.lambda_max, found->most.lambda_max);
  numbers_check_lambda(verdict, evidence);
  for (int k = 0; k < th_certificate_fields.rows; k++)
    check_field(verdict, &th_certificate_fields.row[k], claimed, found);
  check_confidence(verdict, evidence);
  verify_screening(verdict, evidence);
  check_margins(verdict, evidence);
}

/* --- A model compared with itself, trained anew by its own options -------- */

static bool same_model(const struct th_model *a, const struct th_model *b)
{
  size_t size = (size_t)a->support_size;
  return a->support_size == b->support_size && a->intercept == b->intercept &&
         (size == 0 ||
          (memcmp(a->support, b->support, size * sizeof *a->support) == 0 &&
           memcmp(a->coef, b->coef, size * sizeof *a->coef) == 0));
}

/* Compare bit for bit. */
static void compare_numbers(struct th_verdict *verdict,
                            const struct th_certificate *claimed,
                            const struct th_certificate *again)
{
  for (int k = 0; k < th_certificate_fields.rows; k++) {
    const struct th_fields_row *field = &th_certificate_fields.row[k];
    double is = th_claims_field_number(field, claimed);
    double anew = th_claims_field_number(field, again);
    if (is != anew && !th_claims_field_left_out(field, claimed))
      th_verify_wrong(verdict, "%s is %.17g, trained anew it is %.17g",
                      field->name, is, anew);
  }
  for (int k = 0; k < TH_MARGINS; k++)
    if (claimed->margin[k] != again->margin[k])
      th_verify_wrong(verdict, "margin %d is %lld, trained anew it is %lld", k,
                      (long long)claimed->margin[k],
                      (long long)again->margin[k]);
}

static bool same_point(const struct th_path_point *a,
                       const struct th_path_point *b)
{
  return a->lambda == b->lambda && a->objective == b->objective &&
         a->gap == b->gap && a->support_size == b->support_size;
}

/* Both intervals hold the least objective. */
static bool meet(const struct th_path_point *a, const struct th_path_point *b)
{
  double slack = 64 * DBL_EPSILON * fmax(a->objective, b->objective);
  return a->objective - a->gap <= b->objective + slack &&
         b->objective - b->gap <= a->objective + slack;
}

static void compare_paths(struct th_verdict *verdict,
                          const struct th_certificate *claimed,
                          const struct th_certificate *again, bool reproduced)
{
  if (claimed->path_size != again->path_size) {
    th_verify_wrong(verdict,
                    "the path has %lld entries, trained anew it has %lld",
                    (long long)claimed->path_size, (long long)again->path_size);
    return;
  }
  for (int64_t k = 0; k < claimed->path_size; k++) {
    const struct th_path_point *a = &claimed->path[k];
    const struct th_path_point *b = &again->path[k];
    if (!(reproduced ? same_point(a, b) : meet(a, b)))
      th_verify_wrong(verdict,
                      "entry %lld of the path has objective %.12g, gap %.3g "
                      "and a support of %lld, trained anew %.12g, %.3g and "
                      "%lld",
                      (long long)k, a->objective, a->gap,
                      (long long)a->support_size, b->objective, b->gap,
                      (long long)b->support_size);
  }
}

/* Losses on held-out examples, bit for bit. */
static void compare_losses(struct th_verdict *verdict,
                           const struct th_path *claimed,
                           const struct th_path *again)
{
  for (int64_t k = 0; k < claimed->points && claimed->points == again->points;
       k++)
    if (claimed->loss[k] != again->loss[k] || claimed->se[k] != again->se[k]) {
      th_verify_wrong(verdict,
                      "lambda %lld of the path loses %.17g +- %.3g on held-out "
                      "examples, trained anew %.17g +- %.3g",
                      (long long)k, claimed->loss[k], claimed->se[k],
                      again->loss[k], again->se[k]);
      return;
    }
  if (claimed->points != again->points || claimed->best != again->best ||
      claimed->one_se != again->one_se)
    th_verify_wrong(verdict, "trained anew another lambda is chosen");
}

th_status th_verify_again(const struct th_verify_setting *setting,
                          const struct th_model *model,
                          struct th_verdict *verdict, struct th_error *err)
{
  struct th_model again = {0};
  const struct th_certificate *claimed = &model->certificate;
  th_status rc = th_train(setting->plan, setting->store, setting->comm, NULL,
                          setting->profile, &again, err);
  if (rc == TH_OK) {
    bool reproduced = same_model(model, &again);
    verdict->unchecked[0] = '\0';
    if (reproduced) {
      compare_numbers(verdict, claimed, &again.certificate);
      compare_losses(verdict, &model->path, &again.path);
    } else
      th_verify_unchecked(verdict,
                          "support sizes and what screening counted: another "
                          "build or processor has made the model, with other "
                          "last bits");
    compare_paths(verdict, claimed, &again.certificate, reproduced);
    verdict->holds = verdict->holds && verdict->wrong[0] == '\0';
  }
  th_model_free(&again);
  return rc;
}

/* --- Checks the path of a certificate, as far as one model allows
 *
 * P*(lambda), the least objective, is a minimum of lines in lambda: concave,
 * and it does not fall where lambda grows. An entry says that it lies between
 * objective - gap and objective. It is P(0) from lambda_max on; at its own
 * lambda the model's objective and gap enclose it; below, it lies above the
 * line from there to 0 at lambda 0; and the model, a point like any other,
 * bounds it from above everywhere. */

/* Everything about an entry of a path that bounds P* there. */
struct bounds {
  double least;
  double most;
};

static struct bounds bounds_at(const struct th_verify_evidence *e,
                               double lambda)
{
  const struct th_certificate *most = &e->found->most;
  const struct th_certificate *now = &e->found->now;
  double zero = e->problem->zero;
  double rounding = most->objective - now->objective +
                    16 * DBL_EPSILON * (zero + fabs(now->objective));
  double least = now->objective - most->gap;
  double way = now->lambda_max - now->lambda;
  double beyond = lambda - now->lambda;
  double part = beyond > 0 ? (way > beyond ? beyond / way : 1) : 0;
  double line = now->objective + (lambda - now->lambda) * e->found->omega;
  double below = lambda < now->lambda ? lambda / now->lambda : 1;
  return (struct bounds){below * least + part * (zero - least) - rounding,
                         fmin(zero, line) + rounding};
}

/* The lambda of an entry by the options: equal ratios from lambda_max on. */
static bool path_check_lambda(struct th_verdict *verdict,
                              const struct th_verify_evidence *e, int64_t k)
{
  const struct th_certificate *claimed = &e->model->certificate;
  double error = verify_lambda_slack(e);
  double along = (double)k / (double)(e->config->path - 1);
  double share = th_pow(e->config->choice.path_min, along);
  double wanted = claimed->lambda_max * share;
  double lambda = claimed->path[k].lambda;
  /* any lambda will do, as long as they fall */
  bool free = !(claimed->lambda_max > 0);
  if (free ? lambda > 0 && (k == 0 || lambda <= claimed->path[k - 1].lambda)
           : fabs(lambda - wanted) <= share * error + 16 * DBL_EPSILON * wanted)
    return true;
  return th_verify_wrong(verdict,
                         "lambda %lld of the path is %.12g, where the model's "
                         "options give %.12g",
                         (long long)k, lambda, wanted);
}

/* Objective and gap of an entry enclose P*. Both must be finite, and the gap
 * may be below 0 by rounding alone. */
static bool check_interval(struct th_verdict *verdict,
                           const struct th_verify_evidence *e, int64_t k)
{
  const struct th_path_point *point = &e->model->certificate.path[k];
  struct bounds bounds = bounds_at(e, point->lambda);
  double rounding = 16 * DBL_EPSILON * (1 - 16 * DBL_EPSILON);
  if (!(point->gap >= rounding * fabs(point->objective)) ||
      !isfinite(point->objective))
    return th_verify_wrong(verdict,
                           "the gap of entry %lld of the path is %.12g at an "
                           "objective of %.12g",
                           (long long)k, point->gap, point->objective);
  if (point->objective >= bounds.least &&
      point->objective - point->gap <= bounds.most)
    return true;
  return th_verify_wrong(verdict,
                         "entry %lld of the path has objective %.12g and gap "
                         "%.3g, where the least objective is %.12g to %.12g",
                         (long long)k, point->objective, point->gap,
                         bounds.least, bounds.most);
}

/* The line through what two other entries say, at the lambda of entry k:
 * through (a, at) and (b, bt). */
static double line_at(const struct th_path_point *path, int64_t k, int64_t a,
                      double at, int64_t b, double bt)
{
  double way = path[b].lambda - path[a].lambda;
  double part = way != 0 ? (path[k].lambda - path[a].lambda) / way : 0;
  return at + part * (bt - at);
}

/* P* at entry k lies on or above the line between its neighbours, and on or
 * below the line through two entries on one side. */
static bool check_neighbours(struct th_verdict *verdict,
                             const struct th_verify_evidence *e, int64_t k)
{
  const struct th_path_point *path = e->model->certificate.path;
  int64_t size = e->model->certificate.path_size;
  double high = path[k].objective;
  double low = high - path[k].gap;
  double slack = 64 * DBL_EPSILON * e->problem->zero;
#define HIGH(j) (path[j].objective)
#define LOW(j) (path[j].objective - path[j].gap)
  bool good =
      (k == 0 || low <= HIGH(k - 1) + slack) &&
      (k == 0 || k == size - 1 ||
       high >=
           line_at(path, k, k - 1, LOW(k - 1), k + 1, LOW(k + 1)) - slack) &&
      (k < 2 || low <= line_at(path, k, k - 1, HIGH(k - 1), k - 2, LOW(k - 2)) +
                           slack) &&
      (k > size - 3 ||
       low <= line_at(path, k, k + 1, HIGH(k + 1), k + 2, LOW(k + 2)) + slack);
#undef HIGH
#undef LOW
  if (good)
    return true;
  return th_verify_wrong(verdict,
                         "entry %lld of the path, objective %.12g, does not "
                         "fit the entries beside it",
                         (long long)k, high);
}

static bool verify_path_size(struct th_verdict *verdict,
                             const struct th_verify_evidence *e, int64_t k)
{
  int64_t size = e->model->certificate.path[k].support_size;
  int64_t all = e->problem->active.total;
  if (size >= 0 && size <= all)
    return true;
  return th_verify_wrong(verdict,
                         "entry %lld of the path has a support of %lld of "
                         "%lld attributes",
                         (long long)k, (long long)size, (long long)all);
}

/* An entry is the model: the last one, or that which was chosen. */
static bool check_chosen(struct th_verdict *verdict,
                         const struct th_verify_evidence *e)
{
  const struct th_certificate *claimed = &e->model->certificate;
  bool chosen = e->model->path.points > 0;
  int64_t k = chosen ? e->model->path.chosen : claimed->path_size - 1;
  const struct th_path_point *own = &claimed->path[k];
  if (own->lambda == claimed->lambda && own->objective == claimed->objective &&
      own->gap == claimed->gap && own->support_size == e->model->support_size)
    return true;
  return th_verify_wrong(
      verdict, "the %s entry of the path is not the model's certificate",
      chosen ? "chosen" : "last");
}

/* A path that is kept is that of the certificate, and the model is a part of
 * it. */
static bool check_kept(struct th_verdict *verdict,
                       const struct th_verify_evidence *e)
{
  const struct th_model *model = e->model;
  const struct th_path *path = &model->path;
  bool good = path->points == model->certificate.path_size;
  for (int64_t k = 0; good && k < path->points; k++)
    good = path->lambda[k] == model->certificate.path[k].lambda &&
           th_path_size(path, k) == model->certificate.path[k].support_size;
  int64_t first = good ? path->start[path->chosen] : 0;
  good = good && path->intercept[path->chosen] == model->intercept;
  for (int64_t k = 0; good && k < model->support_size; k++)
    good = path->attribute[first + k] == model->support[k] &&
           path->coef[first + k] == model->coef[k];
  if (good)
    return true;
  return th_verify_wrong(verdict, "the path that is kept is not that of the "
                                  "certificate, or the model is no part of it");
}

static void verify_path(struct th_verdict *verdict,
                        const struct th_verify_evidence *evidence)
{
  int64_t size = evidence->model->certificate.path_size;
  bool kept = evidence->model->path.points > 0;
  bool good = kept ? size > 0 && size <= evidence->config->path
                   : size == evidence->config->path;
  if (!good)
    th_verify_wrong(verdict,
                    "the path has %lld entries, where the model's options "
                    "give %lld",
                    (long long)size, (long long)evidence->config->path);
  for (int64_t k = 0; k < size && good; k++)
    good = path_check_lambda(verdict, evidence, k) &&
           verify_path_size(verdict, evidence, k);
  if (good && size > 0)
    good = check_chosen(verdict, evidence);
  if (good && kept)
    good = check_kept(verdict, evidence);
  for (int64_t k = 0; k < size && good; k++)
    good = check_interval(verdict, evidence, k);
  for (int64_t k = 0; k < size && good; k++)
    good = check_neighbours(verdict, evidence, k);
  if (good && size > 1)
    th_verify_unchecked(verdict,
                        "objective, gap and support size of %lld entries of "
                        "the path, beyond the bounds that %s one sets%s",
                        (long long)size - 1, kept ? "the chosen" : "the last",
                        kept ? "; losses on held-out examples" : "");
}

/* --- The verdict ---------------------------------------------------------- */

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
static th_status pose_model(struct check *check, const struct th_model *model,
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

/* Find out if floats can square what is stored as floats. Collective. */
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
static th_status add_rows(struct check *check, const struct th_draw *draw,
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
    p += th_range_count(slab.attributes);
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
    rc = add_rows(check, &draw, th_store_shape_group(shape, g), err);
  return rc;
}

/* sum becomes Z_j. square becomes its half-width, of the same sign: how far
 * chance may move the mean of theta x / lambda over n examples. Local. */
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
    check->sum[p] = -mean * unit;
    double width = th_penalty_confidence_bernstein(
        variance * unit * unit, largest * active->bound[p] / lambda,
        check->problem.rows, active->total, 1 - confidence);
    check->square[p] = copysign(width, check->sum[p]);
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

/* Find out if fresh examples contradict optimality. Collective. */
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
  struct th_certified_again found;
  struct th_verify_evidence evidence = {check->context.config, model,
                                        &check->problem, &found};
  th_status rc = th_certify_again(&check->problem, &check->support,
                                  &model->certificate, &found, err);
  if (rc != TH_OK)
    return rc;
  verdict->now = found.now;
  verify_numbers(verdict, &evidence);
  verify_path(verdict, &evidence);
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
  TH_TRY(pose_model(&check, model, err));
  if (setting->plan->solver->ridge != NULL) {
    TH_TRY(
        th_verify_ridge(verdict, &check.problem, &check.support, model, err));
    goto done;
  }
  if (verdict->same) {
    TH_TRY(compare(&check, model, verdict, err));
    goto done;
  }
  TH_TRY(
      th_certify(&check.problem, &check.support, lambda, &verdict->now, err));
  TH_TRY(judge_fresh(&check, lambda, confidence, verdict, err));
done:
  release(&check);
  return rc;
}
