/* ridge_problem.c - a problem as ridge regression sees it
 * SPDX-License-Identifier: MIT */
#include "solvers/ridge/ridge_problem.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/range.h"
#include "math/kernels/dense.h"
#include "math/kernels/kernels.h"
#include "ranks/fixed.h"
#include "solvers/penalised/problem.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Every rank's attributes, one after the other. Collective. */
static th_status gather(struct th_ridge_problem *places, struct th_error *err)
{
  struct th_comm *comm = places->problem->context->comm;
  const struct th_active *active = &places->problem->active;
  int64_t *bytes = NULL;
  void *all = NULL;
  th_status rc = TH_NEW(&bytes, comm->size, "attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_gather(comm, active->attribute,
                        active->count * (int64_t)sizeof *active->attribute,
                        bytes, &all, err));
  places->attribute = all;
done:
  free(bytes);
  return rc;
}

th_status th_ridge_problem_init(struct th_ridge_problem *places,
                                struct th_problem *problem,
                                struct th_error *err)
{
  struct th_comm *comm = problem->context->comm;
  int64_t count = problem->active.count;
  *places = (struct th_ridge_problem){.problem = problem};
  places->mine.first = th_comm_prefix(comm, count, &places->count);
  places->mine.last = places->mine.first + count;
  th_status rc = TH_NEW(&places->all, problem->grouping.groups, "places", err);
  if (rc == TH_OK)
    rc = TH_NEW(&places->here, count, "sums over examples", err);
  if (rc == TH_OK)
    rc = TH_NEW(&places->mean, places->count, "means of attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  memset(places->all, true,
         (size_t)problem->grouping.groups * sizeof *places->all);
  TH_TRY(gather(places, err));
done:
  return rc;
}

void th_ridge_problem_free(struct th_ridge_problem *places)
{
  TH_FREE(places->attribute, places->all, places->here, places->mean);
  *places = (struct th_ridge_problem){0};
}

th_status th_ridge_problem_sums(struct th_ridge_problem *places, double *out,
                                struct th_error *err)
{
  struct th_problem *p = places->problem;
  th_status rc;
  TH_TRY(th_problem_sums(p, places->all, TH_SUM_DOUBLE, 1, places->here, err));
  if (p->active.count > 0)
    memcpy(out + places->mine.first, places->here,
           (size_t)p->active.count * sizeof *out);
  TH_TRY(th_comm_join(p->context->comm, out, places->count, places->mine.first,
                      places->mine.last, err));
done:
  return rc;
}

void th_ridge_problem_weigh(const struct th_ridge_problem *places,
                            const double *value, double mean)
{
  struct th_problem *p = places->problem;
  for (int64_t i = 0; i < p->rows && p->multipliers.memory.writer; i++)
    p->multipliers.value[i] =
        value == NULL ? p->eta[i] : p->eta[i] * (value[i] - mean);
  th_comm_shared_show(&p->multipliers.memory);
}

double th_ridge_problem_mean(const struct th_ridge_problem *places,
                             const double *value)
{
  const struct th_problem *p = places->problem;
  return th_column_dot_plain(p->eta, value, p->rows);
}

/* --- What a ridge model says of itself: objective, gap, gradient ---------- */

/* P(b, b0) = (1/2) sum_i eta_i (x_i'b + b0 - y_i)^2 + (lambda/2) |b|^2. With r
 * the residuals less their mean m, and g_j = sum_i eta_i r_i x_ij + lambda b_j,
 * the gap of the point theta = r of the dual problem is
 * |g|^2 / (2 lambda) + m^2 / 2. By it the certificate's numbers mean
 *
 *   dual_norm   |sum eta r x| over lambda |b|: 1 at the optimum
 *   violation   the largest |g_j| over lambda times the largest |b_j|
 *   norm        |b|
 *   radius      the solution is no farther than this: sqrt(2 gap / lambda)
 *   lambda_max  the largest eigenvalue of the Gram matrix; 0: not computed
 *
 * There are no margins, since no attribute is screened. */

/* Vectors over the places and over the examples. */
struct review {
  struct th_ridge_problem *places;
  double lambda;
  double intercept;
  double *coef;
  double *slope;           /* sum eta r x */
  double *bound;           /* of the rounding of a slope, over its terms */
  struct th_shared memory; /* residuals of the examples, once on a node */
  double *residual;
  double shift;     /* mean of the residuals */
  double converted; /* rounding of the intercept in other units */
  double spread;    /* root of the mean of r^2 */
  double curvature; /* b\'G b: the variance of the predictions */
};

static void release(struct review *r)
{
  TH_FREE(r->coef, r->slope, r->bound);
  th_comm_shared_free(&r->memory);
}

/* Local; replicated. */
static th_status load_coefs(struct review *r, const struct th_support *model,
                            struct th_error *err)
{
  const struct th_ridge_problem *places = r->places;
  for (int64_t k = 0; k < model->size; k++) {
    int64_t at =
        th_range_find(places->attribute, places->count, model->attribute[k]);
    if (at < 0)
      return th_fail(err, TH_EARG,
                     "attribute %lld is left out here: it never changes",
                     (long long)model->attribute[k]);
    r->coef[at] = model->coef[k];
  }
  return TH_OK;
}

/* Local. */
static th_status prepare_claim(struct review *r, const struct th_support *model,
                               struct th_error *err)
{
  int64_t count = r->places->count;
  th_status rc;
  TH_TRY(TH_NEW(&r->coef, count, "coefficients", err));
  TH_TRY(TH_NEW(&r->slope, count, "sums over examples", err));
  TH_TRY(TH_NEW(&r->bound, count, "sums over examples", err));
  TH_TRY(load_coefs(r, model, err));
done:
  return rc;
}

/* Predictions become residuals, or these lose their mean: less a number for
 * each example, or one for all. Every rank has read what it needs of them
 * before, and sees the new ones then. Collective. */
static void take_off(struct review *r, const double *each, double all)
{
  int64_t rows = r->places->problem->rows;
  th_comm_shared_show(&r->memory);
  for (int64_t i = 0; i < rows && r->memory.writer; i++)
    r->residual[i] -= each != NULL ? each[i] : all;
  th_comm_shared_show(&r->memory);
}

static double mean_of(const struct review *r)
{
  return r->places->problem->intercept
             ? th_ridge_problem_mean(r->places, r->residual)
             : 0;
}

/* Residuals less their mean. Collective. */
static th_status find_residuals(struct review *r,
                                const struct th_support *model,
                                struct th_error *err)
{
  struct th_problem *p = r->places->problem;
  double square = 0;
  th_status rc;
  TH_TRY(th_comm_share(p->context->comm, (size_t)p->rows * sizeof *r->residual,
                       "residuals", &r->memory, err));
  r->residual = r->memory.data;
  TH_TRY(th_problem_predict(p, model->attribute, model->coef, model->size,
                            model->intercept,
                            r->memory.writer ? r->residual : NULL, err));
  th_comm_shared_show(&r->memory);
  double mean = mean_of(r);
  for (int64_t i = 0; i < p->rows; i++) {
    double z = r->residual[i] - mean;
    r->curvature += p->eta[i] * z * z;
  }
  take_off(r, p->target, 0);
  r->shift = mean_of(r);
  take_off(r, NULL, r->shift);
  for (int64_t i = 0; i < p->rows; i++)
    square += p->eta[i] * r->residual[i] * r->residual[i];
  r->spread = sqrt(square);
done:
  return rc;
}

/* Collective. */
static th_status sum_slopes(struct review *r, struct th_error *err)
{
  struct th_ridge_problem *places = r->places;
  const struct th_problem *p = places->problem;
  th_status rc;
  th_ridge_problem_weigh(places, r->residual, 0);
  TH_TRY(th_ridge_problem_sums(places, r->slope, err));
  for (int64_t k = 0; k < p->active.count; k++)
    r->bound[places->mine.first + k] = p->norm_bound[k];
  TH_TRY(th_comm_join(p->context->comm, r->bound, places->count,
                      places->mine.first, places->mine.last, err));
done:
  return rc;
}

static void certify_ridge(const struct review *r, struct th_certificate *c)
{
  double gradient = 0;
  double slope = 0;
  double square = 0;
  double largest = 0;
  double most = 0;
  for (int64_t k = 0; k < r->places->count; k++) {
    double g = r->slope[k] + r->lambda * r->coef[k];
    gradient += g * g;
    slope += r->slope[k] * r->slope[k];
    square += r->coef[k] * r->coef[k];
    largest = fmax(largest, fabs(g));
    most = fmax(most, fabs(r->coef[k]));
  }
  double penalty = r->lambda * sqrt(square);
  c->lambda = r->lambda;
  c->confidence = 1;
  c->norm = sqrt(square);
  c->active = r->places->count;
  c->objective = (r->spread * r->spread + r->shift * r->shift) / 2 +
                 r->lambda * square / 2;
  c->gap = gradient / (2 * r->lambda) + r->shift * r->shift / 2;
  c->dual_norm = penalty > 0 ? sqrt(slope) / penalty : 0;
  c->violation = most > 0 ? largest / (r->lambda * most) : 0;
  c->radius = sqrt(2 * c->gap / r->lambda);
}

/* Bounds with room to spare: of the sums over examples, of the predictions in
 * them, and of coefficients and an intercept that have been through other
 * units. The error of the intercept is the same for all residuals: it goes with
 * their mean, and leaves the gradient alone. */
static void find_slack(const struct review *r, const struct th_certificate *c,
                       struct th_ridge_problem_slack *slack)
{
  double drift = 0;
  double sum = 0;
  double square = 0;
  double most = 0;
  double trace = 0;
  for (int64_t k = 0; k < r->places->count; k++) {
    drift += r->bound[k] * fabs(r->coef[k]);
    square += r->coef[k] * r->coef[k];
    most = fmax(most, fabs(r->coef[k]));
    trace += r->bound[k] * r->bound[k];
  }
  drift = 64 * DBL_EPSILON * (drift + r->spread);
  for (int64_t k = 0; k < r->places->count; k++) {
    double s = r->bound[k] * (TH_DOUBLE_ROUNDING * r->spread + drift) +
               16 * DBL_EPSILON * r->lambda * fabs(r->coef[k]);
    sum += s * s;
  }
  slack->gradient = sqrt(sum);
  slack->shift = drift + r->converted + 64 * DBL_EPSILON * fabs(r->intercept);
  slack->objective = 1e-12 * c->objective + drift * (r->spread + drift) +
                     slack->shift * (fabs(r->shift) + slack->shift);
  slack->relative =
      square > 0 ? slack->gradient / (r->lambda * sqrt(square)) : 0;
  slack->largest = most > 0 ? slack->gradient / (r->lambda * most) : 0;
  slack->most = trace * (1 + 1e-9);
  slack->least = square > 0 ? r->curvature / square * (1 - 1e-9) : 0;
}

th_status th_ridge_problem_claim(struct th_ridge_problem *places,
                                 const struct th_support *model, double lambda,
                                 struct th_certificate *certificate,
                                 struct th_ridge_problem_slack *slack,
                                 struct th_error *err)
{
  struct th_context *context = places->problem->context;
  struct review r = {.places = places,
                     .lambda = lambda,
                     .intercept = model->intercept,
                     .converted =
                         th_support_intercept_rounding(model, context)};
  th_status rc;
  TH_TRY(th_agree(context->comm, prepare_claim(&r, model, err), err));
  th_comm_profile_begin(context->profile);
  rc = find_residuals(&r, model, err);
  if (rc == TH_OK)
    rc = sum_slopes(&r, err);
  th_comm_profile_end(context->profile, TH_PHASE_PASS);
  if (rc != TH_OK)
    goto done;
  certify_ridge(&r, certificate);
  if (slack != NULL)
    find_slack(&r, certificate, slack);
done:
  release(&r);
  return rc;
}

/* --- The Gram matrix of the list ------------------------------------------ */

enum {
  TILE = TH_TILE,
  BLOCK = TH_SPREAD_BLOCK,
  ROWS = 512,    /* examples of a piece */
  STRETCH = 128, /* of them at a time: a tile of these stays in a near cache */
  WIDE = 128, /* columns and rows of a part at a time: all their tiles stay */
  HIGH = 64   /* in a cache not too far */
};

_Static_assert((int)TILE == (int)TH_SPREAD_TILE,
               "parts are made of whole tiles");

/* One pass over the examples. */
struct pass {
  struct th_normal_matrix *matrix;
  double *root_eta; /* of each example */
  double *column;   /* count x rows of the piece: one attribute after another */
  double *tile;     /* stretch after stretch: tiles of sixteen attributes, row
                       after row */
};

static int64_t tiles_of(int64_t order)
{
  return th_integer_ceil_divide(order, TILE);
}

int64_t th_ridge_problem_matrix_bytes(int64_t order, int ranks)
{
  int64_t share = (order + BLOCK) / ranks * (order + BLOCK);
  return (share + (2 * ROWS + 4) * (order + TILE)) * (int64_t)sizeof(double);
}

void th_ridge_problem_matrix_free(struct th_normal_matrix *m)
{
  th_spread_free(&m->spread);
  TH_FREE(m->diagonal, m->sums);
  *m = (struct th_normal_matrix){0};
}

/* This rank's attributes on a piece, each times the root of eta. Local. */
static th_status read_piece(const struct pass *pass, const struct th_draw *draw,
                            struct th_rows rows, struct th_error *err)
{
  const struct th_ridge_problem *places = pass->matrix->places;
  const struct th_problem *p = places->problem;
  const struct th_active *active = &p->active;
  const double *root = pass->root_eta + rows.first;
  double *to = pass->column + places->mine.first * rows.count;
  struct th_slab slab;
  for (int64_t at = 0; at < active->count;) {
    th_status rc =
        th_source_active(p->context->source, draw, rows, at, &slab, err);
    if (rc != TH_OK)
      return rc;
    struct th_range of = slab.attributes;
    for (int64_t a = of.first; a < of.last; a++, at++, to += rows.count) {
      struct th_slab one = th_slab_part(&slab, (struct th_range){a, a + 1});
      th_kernel_column(&one, active->centre[at], active->scale[at], to);
      for (int64_t i = 0; i < rows.count; i++)
        to[i] *= root[i];
    }
  }
  return TH_OK;
}

/* Sixteen attributes, from number `first` on, in a stretch of rows. All tiles
 * of a stretch lie together: they share no places of a cache. */
static double *packed(const struct pass *pass, int64_t first,
                      struct th_range stretch)
{
  int64_t all = tiles_of(pass->matrix->places->count) * TILE;
  return pass->tile + stretch.first * all + first * th_range_count(stretch);
}

/* Side by side; zeros behind the last attribute. */
static void pack_tile(const struct pass *pass, int64_t first,
                      struct th_range stretch, int64_t rows)
{
  int64_t count = pass->matrix->places->count;
  double *to = packed(pass, first, stretch);
  for (int lane = 0; lane < TILE; lane++) {
    int64_t k = first + lane;
    const double *from = pass->column + k * rows + stretch.first;
    for (int64_t i = 0; i < th_range_count(stretch); i++)
      to[i * TILE + lane] = k < count ? from[i] : 0;
  }
}

static void pack_tiles(const struct pass *pass, int64_t rows)
{
  for (int64_t k = 0; k < rows; k += STRETCH) {
    struct th_range stretch = {k, th_min_i64(k + STRETCH, rows)};
    for (int64_t first = 0; first < pass->matrix->places->count; first += TILE)
      pack_tile(pass, first, stretch, rows);
  }
}

/* Until the end the part holds minus G, tile by tile: sixteen columns take the
 * same room as they do column by column. */
static double *tile_of(const struct th_spread *s, int64_t row, int64_t column)
{
  return s->a + column * s->lead + row * TILE;
}

/* Add a stretch of a piece to some tiles of this rank's part. */
static void add_stretch(const struct pass *pass, struct th_range stretch,
                        struct th_range down, struct th_range across)
{
  const struct th_spread *s = &pass->matrix->spread;
  const struct th_tile_kernels *kernels = th_kernel_best()->tiles;
  for (int64_t i = down.first; i < down.last; i += TILE) {
    int64_t row = th_spread_row(s, i);
    for (int64_t j = across.first; j < across.last; j += TILE) {
      int64_t column = th_spread_column(s, j);
      if (row >= column)
        kernels->subtract(th_range_count(stretch), packed(pass, row, stretch),
                          packed(pass, column, stretch), tile_of(s, i, j));
    }
  }
}

/* Add a piece to some columns of this rank's part. */
static void add_wide(const struct pass *pass, int64_t first, int64_t rows)
{
  const struct th_spread *s = &pass->matrix->spread;
  struct th_range across = {first, th_min_i64(first + WIDE, s->columns)};
  int64_t top = th_spread_below(s, th_spread_column(s, first) / BLOCK);
  for (int64_t i = top; i < s->rows; i += HIGH) {
    struct th_range down = {i, th_min_i64(i + HIGH, s->rows)};
    for (int64_t k = 0; k < rows; k += STRETCH) {
      struct th_range stretch = {k, th_min_i64(k + STRETCH, rows)};
      add_stretch(pass, stretch, down, across);
    }
  }
}

/* One piece of examples. Collective. */
static th_status add_piece(const struct pass *pass, const struct th_draw *draw,
                           struct th_rows rows, struct th_error *err)
{
  const struct th_ridge_problem *places = pass->matrix->places;
  const struct th_spread *s = &pass->matrix->spread;
  struct th_comm *comm = places->problem->context->comm;
  th_status rc;
  TH_TRY(th_agree(comm, read_piece(pass, draw, rows, err), err));
  TH_TRY(th_comm_join(comm, pass->column, places->count * rows.count,
                      places->mine.first * rows.count,
                      places->mine.last * rows.count, err));
  pack_tiles(pass, rows.count);
  for (int64_t first = 0; first < s->columns; first += WIDE)
    add_wide(pass, first, rows.count);
done:
  return rc;
}

/* All examples, row group by row group. Collective. */
static th_status add_examples(const struct pass *pass, struct th_error *err)
{
  struct th_context *context = pass->matrix->places->problem->context;
  const struct th_shape *shape = th_source_shape(context->source);
  struct th_rows all = {0, shape->training};
  struct th_rows left = all;
  struct th_draw draw = {.rows = {.items = &all, .count = 1}, .active = true};
  th_status rc = th_source_draw(context->source, &draw, err);
  TH_TRY(th_agree(context->comm, rc, err));
  while (left.count > 0) {
    struct th_rows group = th_store_shape_next(shape, &left);
    while (group.count > 0) {
      struct th_rows piece = {group.first, th_min_i64(group.count, ROWS)};
      TH_TRY(add_piece(pass, &draw, piece, err));
      group.first += piece.count;
      group.count -= piece.count;
    }
    th_context_going(context, (double)left.first / (double)shape->training,
                     "the Gram matrix");
  }
done:
  return rc;
}

/* Bring tiles into the order of columns. room: of sixteen columns. */
static void untile(const struct th_spread *s, double *room)
{
  for (int64_t j = 0; j < s->columns; j += TILE) {
    double *part = s->a + j * s->lead;
    for (int64_t i = 0; i < s->lead; i += TILE)
      for (int64_t k = 0; k < TILE; k++)
        memcpy(room + k * s->lead + i, part + i * TILE + k * TILE,
               TILE * sizeof *room);
    memcpy(part, room, (size_t)(TILE * s->lead) * sizeof *room);
  }
}

/* G is what is there, with the other sign, less the means' products. */
static void centre_gram(struct th_normal_matrix *m)
{
  const struct th_spread *s = &m->spread;
  const double *mean = m->places->mean;
  for (int64_t j = 0; j < s->columns; j++) {
    double *column = s->a + j * s->lead;
    int64_t block = th_spread_column(s, j) / BLOCK;
    double own = mean[th_spread_column(s, j)];
    for (int64_t i = th_spread_below(s, block); i < s->rows; i++)
      column[i] = 0 - column[i] - mean[th_spread_row(s, i)] * own;
  }
}

static void share_diagonal(struct th_normal_matrix *m)
{
  int64_t at;
  for (int64_t k = 0; k < m->spread.n; k++)
    m->diagonal[k] =
        th_spread_diagonal(&m->spread, k, &at) ? m->spread.a[at] : 0.0;
  th_comm_share_numbers(m->places->problem->context->comm, m->diagonal,
                        (size_t)m->spread.n);
}

/* Local. */
static th_status reserve_pass(struct pass *pass, struct th_error *err)
{
  struct th_normal_matrix *m = pass->matrix;
  const struct th_problem *p = m->places->problem;
  int64_t count = m->places->count;
  th_status rc;
  TH_TRY(th_spread_reserve(&m->spread, err));
  TH_TRY(TH_NEW(&m->diagonal, count, "the Gram matrix", err));
  TH_TRY(TH_NEW(&m->sums, count, "products with the Gram matrix", err));
  TH_TRY(TH_NEW(&pass->root_eta, p->rows, "weights", err));
  TH_TRY(TH_NEW(&pass->column, count * ROWS, "a piece of examples", err));
  TH_TRY(TH_NEW(&pass->tile, tiles_of(count) * TILE * ROWS,
                "a piece of examples", err));
  for (int64_t i = 0; i < p->rows; i++)
    pass->root_eta[i] = sqrt(p->eta[i]);
done:
  return rc;
}

th_status th_ridge_problem_matrix_form(struct th_normal_matrix *m,
                                       struct th_ridge_problem *places,
                                       bool flat, struct th_error *err)
{
  struct th_context *context = places->problem->context;
  struct pass pass = {.matrix = m};
  th_status rc;
  *m = (struct th_normal_matrix){.places = places};
  th_spread_init(&m->spread, places->count,
                 th_spread_grid_of(context->comm, flat));
  TH_TRY(th_agree(context->comm, reserve_pass(&pass, err), err));
  th_comm_profile_begin(context->profile);
  rc = add_examples(&pass, err);
  th_comm_profile_end(context->profile, TH_PHASE_GRAM);
  if (rc != TH_OK)
    goto done;
  untile(&m->spread, pass.column);
  centre_gram(m);
  share_diagonal(m);
done:
  TH_FREE(pass.root_eta, pass.column, pass.tile);
  return rc;
}

/* Add one block's products to the sums: rows and columns of the part, and, off
 * the diagonal, of its mirror image. False where one is out of range. */
static bool multiply_block(const struct th_normal_matrix *m,
                           const struct th_fixed *fixed, int64_t row,
                           int64_t column, const double *x)
{
  const struct th_spread *s = &m->spread;
  int64_t rows = th_min_i64(BLOCK, s->rows - row);
  int64_t columns = th_min_i64(BLOCK, s->columns - column);
  int64_t to = th_spread_row(s, row);
  int64_t from = th_spread_column(s, column);
  double down[BLOCK] = {0};
  double across[BLOCK] = {0};
  for (int64_t j = 0; j < columns; j++) {
    const double *a = s->a + row + (column + j) * s->lead;
    int64_t top = to == from ? j : 0;
    for (int64_t i = top; i < rows; i++)
      down[i] += a[i] * x[from + j];
    for (int64_t i = to == from ? j + 1 : 0; i < rows; i++)
      across[j] += a[i] * x[to + i];
  }
  return th_fixed_add(fixed, 1, down, rows, m->sums + to) &&
         th_fixed_add(fixed, 1, across, columns, m->sums + from);
}

/* |G_jk| is at most the root of G_jj G_kk. */
static double bound_of(const struct th_normal_matrix *m, const double *x)
{
  double largest = 0;
  double sum = 0;
  for (int64_t k = 0; k < m->spread.n; k++) {
    double root = sqrt(fmax(m->diagonal[k], 0));
    largest = fmax(largest, root);
    sum += root * fabs(x[k]);
  }
  return 2 * TH_FIXED_SLACK * largest * sum;
}

th_status th_ridge_problem_matrix_multiply(struct th_normal_matrix *m,
                                           const double *x, double *y,
                                           struct th_error *err)
{
  const struct th_spread *s = &m->spread;
  struct th_comm *comm = m->places->problem->context->comm;
  struct th_fixed fixed;
  double bound = bound_of(m, x);
  int64_t bad = 0;
  if (!th_fixed_init(&fixed, bound))
    return th_fail(err, TH_ENUMERIC,
                   "products of attributes may reach %g, which is out of "
                   "range; standardize",
                   bound);
  memset(m->sums, 0, (size_t)s->n * sizeof *m->sums);
  for (int64_t j = 0; j < s->columns; j += BLOCK)
    for (int64_t i = th_spread_below(s, th_spread_column(s, j) / BLOCK);
         i < s->rows; i += BLOCK)
      bad |= !multiply_block(m, &fixed, i, j, x);
  comm->ops->max_i64(comm, &bad, 1);
  comm->ops->sum_i64(comm, m->sums, (size_t)s->n);
  if (bad)
    return th_fail(err, TH_ENUMERIC, "the Gram matrix is not finite");
  th_fixed_read(&fixed, 0, m->sums, s->n, y);
  return TH_OK;
}
