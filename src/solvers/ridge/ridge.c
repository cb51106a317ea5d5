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
 * where the last lambda ended. The models of the first and last way have the
 * same bits on any ranks. Those of ScaLAPACK depend on its grid of processes,
 * which the certificate names.
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/range.h"
#include "math/linalg.h"
#include "model/claims.h"
#include "ranks/spread.h"
#include "solvers/access/csc_cache.h"
#include "solvers/access/support.h"
#include "solvers/algorithms.h"
#include "solvers/plan.h"
#include "solvers/ridge/ridge_problem.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Ridge systems by Cholesky: on one rank, or on all by ScaLAPACK ------- */

/* A path of lambdas takes one Gram matrix, and one factor for each lambda. A
 * factor costs d^3 / 3 products at the full speed of the processor. The
 * spectrum of G would serve all lambdas, but costs 4 d^3 / 3, half of it at the
 * speed of the memory: as much as some forty factors. */

struct direct {
  struct th_normal_matrix matrix;
  const struct th_spread_ops *library; /* NULL: rank 0 solves */
  double *whole; /* rank 0, without a library: its lower triangle, row by row */
  double *part;  /* with a library and several lambdas: the matrix, kept */
  bool *kept;    /* rows, of a solve on rank 0 */
  int64_t room;
};

/* A pivot below this share of its diagonal is rounding. */
/* Find the means of the attributes, with weights eta; they stay 0 without an
 * intercept. Collective. */
static th_status find_centre(struct th_ridge_problem *places,
                             struct th_error *err)
{
  if (!places->problem->intercept)
    return TH_OK;
  th_ridge_problem_weigh(places, NULL, 0);
  return th_ridge_problem_sums(places, places->mean, err);
}

/* What rank `column` of a flat grid sent. */
static void place_part(const struct th_spread *s, int column,
                       const double *part, double *whole)
{
  struct th_spread of;
  struct th_spread_grid grid = s->grid;
  grid.column = column;
  th_spread_init(&of, s->n, grid);
  for (int64_t j = 0; j < of.columns; j++) {
    int64_t at = th_spread_column(&of, j);
    for (int64_t i = at; i < of.n; i++)
      whole[at + i * of.n] = part[i + j * of.lead];
  }
}

static int64_t part_bytes(const struct th_spread *s, int column)
{
  struct th_spread of;
  struct th_spread_grid grid = s->grid;
  grid.column = column;
  th_spread_init(&of, s->n, grid);
  return of.room * (int64_t)sizeof(double);
}

/* Bring the lower triangle to rank 0 of a flat grid: entry (i, j), j <= i, to
 * whole[j + i * count]. whole is NULL on the others. Collective. */
static th_status collect_matrix(const struct th_normal_matrix *m, double *whole,
                                struct th_error *err)
{
  const struct th_spread *s = &m->spread;
  struct th_comm *comm = m->places->problem->context->comm;
  int64_t *bytes = NULL; /* to each rank, from each rank */
  double *parts = NULL;
  int64_t received = 0;
  th_status rc = TH_NEW(&bytes, 2 * (int64_t)comm->size, "messages", err);
  for (int r = 0; r < comm->size && rc == TH_OK; r++) {
    bytes[comm->size + r] = comm->rank == 0 ? part_bytes(s, r) : 0;
    received += bytes[comm->size + r];
  }
  if (rc == TH_OK)
    rc = TH_NEW(&parts, received / (int64_t)sizeof *parts, "the Gram matrix",
                err);
  TH_TRY(th_agree(comm, rc, err));
  bytes[0] = s->room * (int64_t)sizeof(double);
  comm->ops->exchange(comm, s->a, bytes, parts, bytes + comm->size);
  const double *part = parts;
  for (int r = 0; r < comm->size && comm->rank == 0; r++) {
    place_part(s, r, part, whole);
    part += bytes[comm->size + r] / (int64_t)sizeof *part;
  }
done:
  TH_FREE(bytes, parts);
  return rc;
}

static const double dependent = 1e-14;

/* Bytes of a rank. library: ScaLAPACK is asked for; points: lambdas. Local. */
static int64_t direct_bytes(const struct th_plan_size *size, bool library,
                            int64_t points)
{
  enum { EACH_EXAMPLE = 8 }; /* the root of its weight */
  int64_t order = size->shape->attributes;
  int ranks = size->ranks;
  int64_t square = order * order * (int64_t)sizeof(double);
  int64_t form = th_ridge_problem_matrix_bytes(order, ranks) +
                 size->shape->training * EACH_EXAMPLE;
  if (library)
    return form + (points > 1 ? square / ranks : 0);
  return form + 2 * square + square / 2;
}

/* Form the Gram matrix. Where the team has no library, rank 0 solves. local:
 * rank 0 is to solve. points: lambdas that will be asked for. Collective.
 * Release with direct_free, also after a failure. */
static th_status direct_init(struct direct *direct,
                             struct th_ridge_problem *places, bool local,
                             int64_t points, struct th_error *err)
{
  struct th_comm *comm = places->problem->context->comm;
  th_status rc;
  *direct = (struct direct){.library = local ? NULL : comm->ops->spread};
  TH_TRY(th_ridge_problem_matrix_form(&direct->matrix, places,
                                      direct->library == NULL, err));
  if (direct->library != NULL && points > 1)
    rc = TH_NEW(&direct->part, direct->matrix.spread.room, "the Gram matrix",
                err);
  if (rc == TH_OK && direct->library == NULL)
    rc = TH_NEW(&direct->kept, places->count, "a linear system", err);
  TH_TRY(th_agree(comm, rc, err));
done:
  return rc;
}

static void direct_free(struct direct *direct)
{
  th_ridge_problem_matrix_free(&direct->matrix);
  TH_FREE(direct->whole, direct->part, direct->kept);
  *direct = (struct direct){.library = NULL};
}

/* Hand the matrix over to whoever factors it; no product with it can be formed
 * any more. Collective. */
static th_status direct_begin(struct direct *direct, struct th_error *err)
{
  struct th_normal_matrix *m = &direct->matrix;
  struct th_comm *comm = m->places->problem->context->comm;
  int64_t count = m->places->count;
  th_status rc = TH_OK;
  if (direct->part != NULL)
    memcpy(direct->part, m->spread.a,
           (size_t)m->spread.room * sizeof *direct->part);
  if (direct->library != NULL)
    return rc;
  if (comm->rank == 0)
    rc = TH_NEW(&direct->whole, count * count, "the Gram matrix", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(collect_matrix(m, direct->whole, err));
  th_spread_free(&m->spread);
done:
  return rc;
}

static th_status fail_singular(double lambda, struct th_error *err)
{
  return th_fail(err, TH_ENUMERIC,
                 "lambda %g is too small: attributes depend on each other, and "
                 "their Gram matrix is singular in double precision; take a "
                 "larger {lambda}, or {factor} cg",
                 lambda);
}

/* Rank 0. Local. */
static th_status solve_whole(struct direct *direct, double lambda,
                             const double *b, double *x, struct th_error *err)
{
  const struct th_normal_matrix *m = &direct->matrix;
  int64_t n = m->places->count;
  const struct th_linalg_system system = {n, direct->whole, b, dependent};
  for (int64_t k = 0; k < n; k++)
    direct->whole[k + k * n] = m->diagonal[k] + lambda;
  th_status rc = th_linalg_solve(&system, x, NULL, direct->kept, err);
  for (int64_t k = 0; k < n && rc == TH_OK; k++)
    if (!direct->kept[k])
      rc = fail_singular(lambda, err);
  return rc;
}

/* Collective. */
static th_status solve_alone(struct direct *direct, double lambda,
                             const double *b, double *x, struct th_error *err)
{
  struct th_comm *comm = direct->matrix.places->problem->context->comm;
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = solve_whole(direct, lambda, b, x, err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, x, (size_t)direct->matrix.places->count * sizeof *x,
                     0);
  return rc;
}

/* Collective. */
static th_status solve_together(struct direct *direct, double lambda,
                                const double *b, double *x,
                                struct th_error *err)
{
  struct th_normal_matrix *m = &direct->matrix;
  struct th_spread *s = &m->spread;
  struct th_comm *comm = m->places->problem->context->comm;
  bool definite = false;
  int64_t at;
  if (direct->part != NULL)
    memcpy(s->a, direct->part, (size_t)s->room * sizeof *s->a);
  for (int64_t k = 0; k < s->n; k++)
    if (th_spread_diagonal(s, k, &at))
      s->a[at] = m->diagonal[k] + lambda;
  th_status rc = direct->library->solve(comm, s, b, x, &definite, err);
  return rc == TH_OK && !definite ? fail_singular(lambda, err) : rc;
}

/* Solve (G + lambda) x = b; b and x are replicated. Collective. An error where
 * the matrix is singular in double precision. */
static th_status direct_solve(struct direct *direct, double lambda,
                              const double *b, double *x, struct th_error *err)
{
  struct th_profile *profile = direct->matrix.places->problem->context->profile;
  th_comm_profile_begin(profile);
  th_status rc = (direct->library == NULL ? solve_alone : solve_together)(
      direct, lambda, b, x, err);
  th_comm_profile_end(profile, TH_PHASE_SOLVE);
  return rc;
}

/* --- Ridge systems by conjugate gradients, without a matrix --------------- */

/* Hestenes & Stiefel 1952, with the diagonal as preconditioner. A step reads
 * the data twice: for predictions, which are summed over the ranks in fixed
 * point, and for the sums of each attribute over the examples, which its owner
 * forms. Vectors are replicated. So the bits are the same on any ranks. */

struct conjugate {
  struct th_ridge_problem *places; /* borrowed */
  double *diagonal; /* of G, or more: replicated, as are the others */
  double *residual;
  double *direction;
  double *product;
  double *scaled;          /* residual over the diagonal */
  struct th_shared memory; /* predictions of the examples, once on a node */
  int64_t steps;           /* of the last solve */
};

/* When a solve ends. */
struct conjugate_end {
  double gap;   /* |residual|^2 / (2 lambda) is at most this, or */
  double share; /* the residual is at most this share of b, or */
  int64_t most; /* so many steps have been made */
};

/* Bytes of a rank. Local. */
static int64_t conjugate_bytes(const struct th_plan_size *size)
{
  enum { VECTORS = 5 };
  double examples = (double)size->shape->training;
  return (VECTORS * size->shape->attributes) * (int64_t)sizeof(double) +
         (int64_t)th_plan_part(size, examples * sizeof(double));
}

/* Local. */
static th_status conjugate_reserve(struct conjugate *cg, struct th_error *err)
{
  int64_t count = cg->places->count;
  th_status rc;
  TH_TRY(TH_NEW(&cg->diagonal, count, "conjugate gradients", err));
  TH_TRY(TH_NEW(&cg->residual, count, "conjugate gradients", err));
  TH_TRY(TH_NEW(&cg->direction, count, "conjugate gradients", err));
  TH_TRY(TH_NEW(&cg->product, count, "conjugate gradients", err));
  TH_TRY(TH_NEW(&cg->scaled, count, "conjugate gradients", err));
done:
  return rc;
}

/* Collective. Release with conjugate_free, also after a failure. */
static th_status conjugate_init(struct conjugate *cg,
                                struct th_ridge_problem *places,
                                struct th_error *err)
{
  const struct th_problem *p = places->problem;
  struct th_comm *comm = p->context->comm;
  th_status rc;
  *cg = (struct conjugate){.places = places};
  TH_TRY(th_agree(comm, conjugate_reserve(cg, err), err));
  TH_TRY(th_comm_share(comm, (size_t)p->rows * sizeof(double),
                       "conjugate gradients", &cg->memory, err));
  for (int64_t k = 0; k < p->active.count; k++)
    cg->diagonal[places->mine.first + k] = p->norm_bound[k] * p->norm_bound[k];
  TH_TRY(th_comm_join(comm, cg->diagonal, places->count, places->mine.first,
                      places->mine.last, err));
done:
  return rc;
}

static void conjugate_free(struct conjugate *cg)
{
  TH_FREE(cg->diagonal, cg->residual, cg->direction, cg->product, cg->scaled);
  th_comm_shared_free(&cg->memory);
  *cg = (struct conjugate){.places = NULL};
}

/* y = G x. Collective. */
static th_status conjugate_multiply(struct conjugate *cg, const double *x,
                                    double *y, struct th_error *err)
{
  struct th_ridge_problem *places = cg->places;
  struct th_problem *p = places->problem;
  th_status rc;
  TH_TRY(th_problem_predict(p, places->attribute, x, places->count, 0,
                            cg->memory.writer ? cg->memory.data : NULL, err));
  th_comm_shared_show(&cg->memory);
  double mean =
      p->intercept ? th_ridge_problem_mean(places, cg->memory.data) : 0;
  th_ridge_problem_weigh(places, cg->memory.data, mean);
  TH_TRY(th_ridge_problem_sums(places, y, err));
done:
  return rc;
}

static double dot(const struct conjugate *cg, const double *a, const double *b)
{
  return th_column_dot_plain(a, b, cg->places->count);
}

/* residual = b - (G + lambda) x, and the scaled one. Collective. */
static th_status conjugate_begin(struct conjugate *cg, double lambda,
                                 const double *b, const double *x,
                                 struct th_error *err)
{
  int64_t count = cg->places->count;
  th_status rc = conjugate_multiply(cg, x, cg->product, err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < count; k++) {
    cg->residual[k] = b[k] - cg->product[k] - lambda * x[k];
    cg->scaled[k] = cg->residual[k] / (cg->diagonal[k] + lambda);
    cg->direction[k] = cg->scaled[k];
  }
  return TH_OK;
}

/* One conjugate_step; *along: residual times scaled residual. Collective. */
static th_status conjugate_step(struct conjugate *cg, double lambda,
                                double *along, double *x, struct th_error *err)
{
  int64_t count = cg->places->count;
  th_status rc = conjugate_multiply(cg, cg->direction, cg->product, err);
  if (rc != TH_OK)
    return rc;
  th_column_add_plain(cg->direction, lambda, count, cg->product);
  double length = *along / dot(cg, cg->direction, cg->product);
  th_column_add_plain(cg->direction, length, count, x);
  th_column_add_plain(cg->product, -length, count, cg->residual);
  for (int64_t k = 0; k < count; k++)
    cg->scaled[k] = cg->residual[k] / (cg->diagonal[k] + lambda);
  double next = dot(cg, cg->residual, cg->scaled);
  for (int64_t k = 0; k < count; k++)
    cg->direction[k] = cg->scaled[k] + next / *along * cg->direction[k];
  *along = next;
  cg->steps++;
  return TH_OK;
}

/* Solve (G + lambda) x = b from x on. Collective. */
static th_status conjugate_solve(struct conjugate *cg, double lambda,
                                 const double *b, struct conjugate_end end,
                                 double *x, struct th_error *err)
{
  struct th_context *context = cg->places->problem->context;
  double least = end.share * end.share * dot(cg, b, b);
  least = fmax(least, 2 * lambda * end.gap);
  th_status rc = conjugate_begin(cg, lambda, b, x, err);
  if (rc != TH_OK)
    return rc;
  double along = dot(cg, cg->residual, cg->scaled);
  double square = dot(cg, cg->residual, cg->residual);
  cg->steps = 0;
  while (square > least && cg->steps < end.most) {
    TH_TRY(conjugate_step(cg, lambda, &along, x, err));
    square = dot(cg, cg->residual, cg->residual);
    th_context_going(context, -1, "step %lld, gap %.3g", (long long)cg->steps,
                     square / (2 * lambda));
  }
done:
  return rc;
}

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
  enum { EACH_OWNED = 160, EACH_ATTRIBUTE = 160 };
  return size->owned * EACH_OWNED + size->shape->attributes * EACH_ATTRIBUTE +
         th_csc_cache_bytes(size) + th_problem_bytes(size);
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
  if (plan->config.method.factoring == TH_FACTORING_CG)
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
  if (config->method.factoring == TH_FACTORING_AUTO)
    config->method.factoring = choose_factoring(order);
  bool together = config->method.factoring == TH_FACTORING_SCALAPACK;
  if (together)
    TH_TRY(check_scalapack_size(size, err));
  plan->points = config->path > 0 ? config->path : 1;
  plan->memory +=
      common_bytes(size) + (config->method.factoring == TH_FACTORING_CG
                                ? conjugate_bytes(size)
                                : direct_bytes(size, together, plan->points));
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
  struct th_ridge_problem places;
  struct direct direct;
  struct conjugate cg;
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
  direct_free(&s->direct);
  conjugate_free(&s->cg);
  th_ridge_problem_free(&s->places);
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
  double mean = p->intercept ? th_ridge_problem_mean(&s->places, p->target) : 0;
  th_status rc = TH_OK;
  th_ridge_problem_weigh(&s->places, p->target, mean);
  TH_TRY(th_ridge_problem_sums(&s->places, s->c, err));
  TH_TRY(find_centre(&s->places, err));
done:
  return rc;
}

static th_status multiply_gram(void *self, const double *x, double *y,
                               struct th_error *err)
{
  struct ridge *s = self;
  return s->iterates
             ? conjugate_multiply(&s->cg, x, y, err)
             : th_ridge_problem_matrix_multiply(&s->direct.matrix, x, y, err);
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
  bool own = context->config->method.factoring == TH_FACTORING_OWN;
  th_status rc = TH_OK;
  if (s->iterates) {
    TH_TRY(conjugate_init(&s->cg, &s->places, err));
    TH_TRY(find_largest(s, context, err));
    return rc;
  }
  TH_TRY(direct_init(&s->direct, &s->places, own, s->path, err));
  TH_TRY(find_largest(s, context, err));
  TH_TRY(direct_begin(&s->direct, err));
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
  s->iterates = config->method.factoring == TH_FACTORING_CG;
  TH_TRY(th_problem_init(&s->problem, context, NULL, err));
  TH_TRY(th_ridge_problem_init(&s->places, &s->problem, err));
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
  s->support.intercept = th_ridge_problem_mean(&s->places, p->target) -
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
  const struct conjugate_end end = {.gap = config->tolerance,
                                    .share = by_gap ? 0 : usual_share,
                                    .most = config->epochs > 0 ? config->epochs
                                                               : USUAL_EPOCHS};
  if (!s->iterates)
    return direct_solve(&s->direct, lambda, s->c, s->b, err);
  take_last(s);
  th_status rc = conjugate_solve(&s->cg, lambda, s->c, end, s->b, err);
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
  TH_TRY(th_ridge_problem_claim(&s->places, &s->support, lambda, c, NULL, err));
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
