/* ridge.c - solver `ridge`: exact ridge regression, or a path of it
 *
 * min over b, b0 of (1/2n) sum_i w_i (x_i'b + b0 - y_i)^2 + (lambda/2) |b|^2,
 * by (G + lambda) b = c, where G is the Gram matrix of the centred attributes
 * and c their products with the targets (Hoerl & Kennard 1970). By the number
 * of attributes alone it is solved in one of three ways:
 *
 *   own        G comes to rank 0, which factors it (math/linalg.h)
 *   scalapack  G stays spread over the ranks, which factor it together
 *   cg         conjugate gradients, without G
 *
 *   for each lambda, from large to small
 *     1  lambda
 *     2  b = (G + lambda) \ c
 *     3  the model
 *     4  its certificate, from all examples: objective, slopes and gap
 *
 * A path goes from large to small lambdas, on one G; conjugate gradients begin
 * where the last lambda ended (direct.h says why there is no spectrum). The
 * models of the first and last way have the same bits on any ranks. Those of
 * ScaLAPACK depend on its grid of processes, which the certificate names.
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/range.h"
#include "math/linalg.h"
#include "model/claims.h"
#include "ranks/spread.h"
#include "solvers/access/support.h"
#include "solvers/algorithms.h"
#include "solvers/penalised/plan_penalised.h"
#include "solvers/ridge/claim.h"
#include "solvers/ridge/conjugate.h"
#include "solvers/ridge/direct.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* --- What a run of solver `ridge` is going to do -------------------------- */

/* Attributes up to which one rank factors the Gram matrix, and all together. */
enum { MOST_OWN = 2048, MOST_TOGETHER = 20000 };

enum { USUAL_STEPS = 100, PASSES = 6 };

static const double usual_ratio = 0.001; /* of the largest eigenvalue */

static enum th_factoring choose_factoring(int64_t attributes)
{
  if (attributes <= MOST_OWN)
    return TH_FACTORING_OWN;
  return attributes <= MOST_TOGETHER ? TH_FACTORING_SCALAPACK : TH_FACTORING_CG;
}

/* Bytes of a rank for what all ways have in common: the problem on all examples
 * and the model. */
static int64_t common_bytes(const struct th_plan_size *size)
{
  enum { EACH_EXAMPLE = 48, EACH_OWNED = 160, EACH_ATTRIBUTE = 160 };
  return size->shape->training * EACH_EXAMPLE + size->owned * EACH_OWNED +
         size->shape->attributes * EACH_ATTRIBUTE;
}

/* ScaLAPACK counts the numbers of a part in int. */
static th_status check_scalapack_size(const struct th_plan_size *size,
                                      struct th_error *err)
{
  double order = (double)size->shape->attributes + TH_SPREAD_BLOCK;
  if (order * order / size->ranks < INT_MAX)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "{factor} scalapack cannot hold the Gram matrix of %lld "
                 "attributes on %d rank%s; use more ranks, or {factor} cg",
                 (long long)size->shape->attributes, size->ranks,
                 size->ranks == 1 ? "" : "s");
}

/* Products of pairs for a Gram matrix; steps for conjugate gradients. */
static double plan_visits(const struct th_plan *plan,
                          const struct th_plan_size *size)
{
  double values = th_plan_penalised_values(size->shape);
  double points = (double)plan->points;
  if (plan->config.factoring == TH_FACTORING_CG)
    return values * (PASSES + 2 * USUAL_STEPS * points);
  double order = (double)size->shape->attributes;
  double multiplied = (double)size->shape->training * order * order / 2 +
                      points * order * order * order / 6;
  return values * PASSES + multiplied / 64;
}

th_status th_ridge_plan(struct th_plan *plan, const struct th_plan_size *size,
                        struct th_error *err)
{
  struct th_config *config = &plan->config;
  int64_t order = size->shape->attributes;
  th_status rc;
  if (!(config->lambda > 0) && !(config->lambda_ratio > 0) && config->path == 0)
    config->lambda_ratio = usual_ratio;
  config->penalty = "l1"; /* groups of one; the penalty is this solver's own */
  config->group.all = NULL;
  TH_TRY(th_plan_penalised(plan, size, err));
  if (config->factoring == TH_FACTORING_AUTO)
    config->factoring = choose_factoring(order);
  bool together = config->factoring == TH_FACTORING_SCALAPACK;
  if (together)
    TH_TRY(check_scalapack_size(size, err));
  plan->points = config->path > 0 ? config->path : 1;
  plan->memory +=
      common_bytes(size) +
      (config->factoring == TH_FACTORING_CG
           ? th_conjugate_bytes(order, size->shape->training)
           : th_direct_bytes(order, size->ranks, together, plan->points));
  plan->visits = plan_visits(plan, size);
done:
  return rc;
}

/* --- The solver ----------------------------------------------------------- */

/* Conjugate gradients end where the gradient has shrunk by this. */
static const double usual_share = 1e-14;
enum { USUAL_EPOCHS = 1000 };

struct ridge {
  struct th_head head;
  struct th_problem problem;
  struct th_useful places;
  struct th_direct direct;
  struct th_conjugate cg;
  bool iterates; /* conjugate gradients */
  double *b;     /* coefficients, in the order of the places */
  double *c;     /* sum eta (y - mean) x */
  struct th_support support;
  struct th_certificate certificate;
  int64_t steps; /* lambdas so far */
  int64_t path;
};

static void free_state(void *state)
{
  struct ridge *s = state;
  if (s == NULL)
    return;
  th_direct_free(&s->direct);
  th_conjugate_free(&s->cg);
  th_useful_free(&s->places);
  th_problem_free(&s->problem);
  th_support_free(&s->support);
  th_claims_certificate_free(&s->certificate);
  TH_FREE(s->b, s->c, s);
}

/* Local. */
static th_status reserve(struct ridge *s, struct th_error *err)
{
  int64_t count = s->places.count;
  th_status rc;
  TH_TRY(TH_NEW(&s->b, count, "coefficients", err));
  TH_TRY(TH_NEW(&s->c, count, "products with the targets", err));
  TH_TRY(TH_NEW(&s->certificate.path, s->path, "the path", err));
done:
  return rc;
}

/* Means of the attributes, and their products with the targets. Collective. */
static th_status take_products(struct ridge *s, struct th_error *err)
{
  struct th_problem *p = &s->problem;
  double centre = p->intercept ? th_useful_mean(&s->places, p->target) : 0;
  th_status rc = TH_OK;
  for (int64_t i = 0; i < p->rows; i++)
    p->multiplier[i] = p->eta[i] * (p->target[i] - centre);
  TH_TRY(th_useful_sums(&s->places, s->c, err));
  TH_TRY(th_useful_centre(&s->places, err));
done:
  return rc;
}

static th_status multiply_gram(void *self, const double *x, double *y,
                               struct th_error *err)
{
  struct ridge *s = self;
  return s->iterates ? th_conjugate_multiply(&s->cg, x, y, err)
                     : th_normal_matrix_multiply(&s->direct.matrix, x, y, err);
}

/* The largest eigenvalue of G, of which lambdas are a share. Collective. */
static th_status find_largest(struct ridge *s, const struct th_context *context,
                              struct th_error *err)
{
  const struct th_linalg_matrix matrix = {
      .n = s->places.count, .multiply = multiply_gram, .self = s};
  if (context->config->lambda > 0)
    return TH_OK;
  return th_linalg_largest_of(&matrix, context->comm,
                              &s->certificate.lambda_max, err);
}

/* G, or what conjugate gradients work on. Collective. */
static th_status take_matrix(struct ridge *s, const struct th_context *context,
                             struct th_error *err)
{
  struct th_certificate *c = &s->certificate;
  bool own = context->config->factoring == TH_FACTORING_OWN;
  th_status rc = TH_OK;
  if (s->iterates) {
    TH_TRY(th_conjugate_init(&s->cg, &s->places, err));
    TH_TRY(find_largest(s, context, err));
    return rc;
  }
  TH_TRY(th_direct_init(&s->direct, &s->places, own, s->path, err));
  TH_TRY(find_largest(s, context, err));
  TH_TRY(th_direct_begin(&s->direct, err));
  if (s->direct.library != NULL) {
    c->grid_rows = s->direct.matrix.spread.grid.rows;
    c->grid_columns = s->direct.matrix.spread.grid.columns;
  }
done:
  return rc;
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  const struct th_config *config = context->config;
  struct ridge *s = NULL;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  TH_TRY(th_agree(context->comm, rc, err));
  s->path = config->path > 0 ? config->path : 1;
  s->iterates = config->factoring == TH_FACTORING_CG;
  TH_TRY(th_problem_init(&s->problem, context, NULL, err));
  TH_TRY(th_useful_init(&s->places, &s->problem, err));
  TH_TRY(th_agree(context->comm, reserve(s, err), err));
  TH_TRY(take_products(s, err));
  TH_TRY(take_matrix(s, context, err));
  s->certificate.confidence = 1;
  s->head = (struct th_head){.support = &s->support,
                             .loss = &s->certificate.objective,
                             .certificate = &s->certificate};
  *state = s;
  s = NULL;
done:
  free_state(s);
  return rc;
}

/* Make a support of the coefficients. Collective. */
static th_status publish(struct ridge *s, struct th_context *context,
                         struct th_error *err)
{
  const struct th_problem *p = &s->problem;
  int64_t count = s->places.count;
  const struct th_support_list all = {
      .attribute = s->places.attribute, .coef = s->b, .count = count};
  th_status rc = th_support_assign_list(&s->support, context, &all, err);
  if (rc != TH_OK || !p->intercept)
    return rc;
  s->support.intercept = th_useful_mean(&s->places, p->target) -
                         th_column_dot_plain(s->places.mean, s->b, count);
  return rc;
}

/* The coefficients of the last lambda. */
static void take_last(struct ridge *s)
{
  memset(s->b, 0, (size_t)s->places.count * sizeof *s->b);
  for (int64_t k = 0; k < s->support.size; k++)
    s->b[th_range_find(s->places.attribute, s->places.count,
                       s->support.attribute[k])] = s->support.coef[k];
}

/* Collective. */
static th_status solve_ridge(struct ridge *s, struct th_context *context,
                             double lambda, struct th_error *err)
{
  const struct th_config *config = context->config;
  bool by_gap = config->tolerance > 0;
  const struct th_conjugate_end end = {
      .gap = config->tolerance,
      .share = by_gap ? 0 : usual_share,
      .most = config->epochs > 0 ? config->epochs : USUAL_EPOCHS};
  if (!s->iterates)
    return th_direct_solve(&s->direct, lambda, s->c, s->b, err);
  take_last(s);
  th_status rc = th_conjugate_solve(&s->cg, lambda, s->c, end, s->b, err);
  if (rc == TH_OK && s->cg.steps == end.most)
    th_context_notice(context,
                      "at lambda %g conjugate gradients have not converged in "
                      "%lld steps. A larger lambda or {standardize} may help",
                      lambda, (long long)s->cg.steps);
  return rc;
}

/* One lambda. */
static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct ridge *s = state;
  struct th_certificate *c = &s->certificate;
  th_status rc = TH_OK;
  *more = s->steps < s->path;
  if (!*more)
    return TH_OK;
  double lambda = /* line 1 */
      th_plan_penalised_lambda(context->config, c->lambda_max, s->steps);
  context->piece_from = (double)s->steps / (double)s->path;
  context->piece_part = 1 / (double)s->path;
  TH_TRY(solve_ridge(s, context, lambda, err)); /* line 2 */
  TH_TRY(publish(s, context, err));             /* line 3 */
  /* line 4 */
  TH_TRY(th_claim_make(&s->places, &s->support, lambda, c, NULL, err));
  c->path[s->steps++] =
      (struct th_path_point){lambda, c->objective, c->gap, s->support.size};
done:
  return rc;
}

static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  struct ridge *s = state;
  (void)err;
  s->certificate.path_size = context->config->path > 0 ? s->steps : 0;
  return TH_OK;
}

static double done_of(const void *state)
{
  const struct ridge *s = state;
  return (double)s->steps / (double)s->path;
}

/* All lambdas are solved. */
static void claims_of(const void *state, struct th_claims *claims)
{
  (void)state;
  claims->ended_by = TH_ENDED_NOTHING;
}

/* The state between two lambdas; everything else is made again from the data.
 */
static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct ridge *s = state;
  (void)context;
  TH_STATE_AT_MOST(list, s, steps, s->path);
  th_claims_certificate_describe(&s->certificate, "certificate", list);
  th_claims_certificate_describe_path(&s->certificate, s->steps, list);
  th_support_describe(&s->support, "support", list);
}

static const char *const options[] = {
    "lambda", "lambda-ratio", "path",   "path-min",
    "epochs", "tolerance",    "factor", NULL};

const struct th_algorithm th_ridge_algorithm = {.options = options,
                                                .create = create,
                                                .step = step,
                                                .finish = finish,
                                                .unit = TH_LOSS_OBJECTIVE,
                                                .done = done_of,
                                                .claims = claims_of,
                                                .describe = describe,
                                                .free = free_state};
