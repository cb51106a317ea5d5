/* problem.c - a penalised problem on all training examples, exactly
 * SPDX-License-Identifier: MIT */
#include "solvers/penalised/problem.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"
#include "data/store.h"
#include "math/gap.h"
#include "math/kernels/column.h"
#include "math/kernels/kernels.h"
#include "ranks/fixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A slab of a pass: its first attribute is entry `at` of the list. */
struct th_problem_piece {
  struct th_slab slab;
  struct th_rows rows;
  int64_t at;
};

/* What a pass does with a slab. */
typedef void th_problem_add(struct th_problem *problem,
                            const struct th_problem_piece *piece, void *task);

struct gradients_task;
static void scale_gradient(const struct th_problem *p, double *gradient);
static th_status form(struct th_problem *p, struct gradients_task *task,
                      struct th_error *err);
static th_status problem_moments(struct th_problem *p, struct th_error *err);

struct th_range th_problem_members(const struct th_problem *p, int64_t group)
{
  const int64_t *start = p->grouping.start;
  if (start == NULL)
    return (struct th_range){group, group + 1};
  return (struct th_range){start[group], start[group + 1]};
}

int64_t th_problem_place(const struct th_problem *p, int64_t member)
{
  return p->grouping.place == NULL ? member : p->grouping.place[member];
}

int64_t th_problem_group(const struct th_problem *p, int64_t key)
{
  return th_search_order(p->key, p->by_key, p->grouping.groups, key);
}

/* Memory for vectors over the examples: once on a node, but where they are of
 * attributes in memory, whose passes are too short to wait for each other.
 * Collective. */
static th_status share(const struct th_problem *p, size_t bytes,
                       const char *what, struct th_shared *block,
                       struct th_error *err)
{
  struct th_comm alone;
  if (p->kept == NULL)
    return th_comm_share(p->context->comm, bytes, what, block, err);
  th_comm_self(&alone);
  return th_agree(p->context->comm,
                  th_comm_share(&alone, bytes, what, block, err), err);
}

/* Collective. */
static th_status take_kept_targets(struct th_problem *p, struct th_error *err)
{
  size_t rows = (size_t)p->rows;
  struct th_shared *memory = &p->all.memory;
  double sum = 0;
  for (int64_t i = 0; i < p->rows; i++)
    sum += p->kept->weight[i];
  if (!(sum > 0)) /* on every rank */
    return th_fail(err, TH_EDATA, "no example has a weight above 0");
  th_status rc = share(p, 2 * rows * sizeof(double), "targets", memory, err);
  if (rc != TH_OK)
    return rc;
  double *target = memory->data;
  memcpy(target, p->kept->target, rows * sizeof *target);
  for (size_t i = 0; i < rows; i++)
    target[rows + i] = p->kept->weight[i] / sum;
  p->all.target = target;
  p->all.weight = target + rows;
  return rc;
}

/* Collective. */
static th_status load_examples(struct th_problem *p, struct th_error *err)
{
  size_t rows = (size_t)p->rows;
  size_t bytes = rows * (sizeof *p->multipliers.value + sizeof(float));
  th_status rc = p->kept != NULL
                     ? take_kept_targets(p, err)
                     : th_context_all_targets_init(&p->all, p->context,
                                                   TH_WEIGHTS_OF_SUM_1, err);
  TH_TRY(rc);
  p->target = p->all.target;
  p->eta = p->all.weight;
  TH_TRY(share(p, bytes, "residuals", &p->multipliers.memory, err));
  p->multipliers.value = p->multipliers.memory.data;
  p->multipliers.single = (float *)(void *)(p->multipliers.value + rows);
done:
  return rc;
}

/* Local. */
static th_status reserve_groups(struct th_problem *p, struct th_error *err)
{
  int64_t groups = p->grouping.groups;
  int64_t places = p->active.count;
  th_status rc;
  TH_TRY(TH_NEW(&p->key, groups, "names of groups", err));
  TH_TRY(TH_NEW(&p->by_key, groups, "names of groups", err));
  TH_TRY(TH_NEW(&p->is_owner, groups, "names of groups", err));
  TH_TRY(TH_NEW(&p->norm_bound, groups, "second moments", err));
  TH_TRY(TH_NEW(&p->rounding_bound, groups, "second moments", err));
  TH_TRY(TH_NEW(&p->sums, places, "sums over examples", err));
  TH_TRY(TH_NEW(&p->centre, places, "sums over examples", err));
  TH_TRY(TH_NEW(&p->place, places, "sums over examples", err));
  TH_TRY(TH_NEW(&p->listed, places, "sums over examples", err));
  rc = th_problem_bounds_take(p, err);
done:
  return rc;
}

/* The key of a shared group is its lowest attribute on any rank. */
static th_status name_shared(struct th_problem *p, struct th_error *err)
{
  const struct th_grouping_shared *shared = &p->grouping.shared;
  struct th_comm *comm = p->context->comm;
  int64_t *lowest = NULL;
  th_status rc = TH_NEW(&lowest, shared->groups, "names of groups", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t s = 0; s < shared->groups; s++)
    lowest[s] = shared->local[s] < 0 ? INT64_MIN : -p->key[shared->local[s]];
  comm->ops->max_i64(comm, lowest, (size_t)shared->groups);
  for (int64_t s = 0; s < shared->groups; s++)
    if (shared->local[s] >= 0) {
      p->key[shared->local[s]] = -lowest[s];
      p->is_owner[shared->local[s]] = shared->is_owner[s];
    }
done:
  free(lowest);
  return rc;
}

struct named {
  int64_t key;
  int64_t group;
};

/* Local. */
static th_status order_groups(struct th_problem *p, struct th_error *err)
{
  int64_t groups = p->grouping.groups;
  struct named *named = NULL;
  th_status rc = TH_NEW(&named, groups, "names of groups", err);
  for (int64_t g = 0; g < groups && rc == TH_OK; g++)
    named[g] = (struct named){p->key[g], g};
  if (rc == TH_OK)
    qsort(named, (size_t)groups, sizeof *named, th_integer_ascending);
  for (int64_t g = 0; g < groups && rc == TH_OK; g++)
    p->by_key[g] = named[g].group;
  free(named);
  return rc;
}

static th_status set_keys(struct th_problem *p, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    int64_t member = th_problem_members(p, g).first;
    p->key[g] = p->active.attribute[th_problem_place(p, member)];
    p->is_owner[g] = true;
  }
  if (p->grouping.shared.groups > 0)
    TH_TRY(name_shared(p, err));
  rc = order_groups(p, err);
  TH_TRY(th_agree(p->context->comm, rc, err));
done:
  return rc;
}

void th_problem_theta(const struct th_problem *p, const double *prediction,
                      double *theta)
{
  if (p->exempt.count > 0) {
    th_exempt_theta(&p->exempt, prediction, theta);
    return;
  }
  th_loss_df_all(p->loss, p->rows, prediction, p->target, theta);
  if (p->intercept)
    th_gap_centre(p->loss, p->rows, p->eta, p->target, theta);
}

/* By the writer. */
static void start_everywhere(const struct th_problem *p, double *prediction,
                             double *theta)
{
  th_problem_predict_start(p, prediction);
  th_problem_theta(p, prediction, theta);
}

/* The attributes without a penalty must leave something to be explained: where
 * they separate the labels, their coefficients have no end. */
static th_status check_start(const struct th_problem *p, struct th_error *err)
{
  const double nothing = 1e-9;
  if (p->exempt.count == 0 || p->loss->predicts != TH_PREDICTS_ODDS ||
      p->zero > nothing)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "the attributes of {unpenalised} separate the two labels, so "
                 "no finite coefficients fit them; leave some of them out");
}

/* The zero model, and lambda_max, from which on it is the best. */
static th_status begin_at_zero(struct th_problem *p, struct th_duals *duals,
                               struct th_error *err)
{
  struct th_shared memory = {.data = NULL};
  th_status rc = th_problem_duals_init(duals, p, err);
  TH_TRY(th_agree(p->context->comm, rc, err));
  TH_TRY(share(p, 2 * (size_t)p->rows * sizeof(double), "predictions", &memory,
               err));
  double *prediction = memory.data;
  double *theta = prediction + p->rows;
  if (memory.writer)
    memset(prediction, 0, (size_t)p->rows * sizeof *prediction);
  th_comm_shared_show(&memory);
  rc = th_problem_predict_fit(p, prediction, p->exempt.coef, &p->exempt.start,
                              err);
  TH_TRY(th_agree(p->context->comm, rc, err));
  if (memory.writer)
    start_everywhere(p, prediction, theta);
  th_comm_shared_show(&memory);
  p->zero = th_gap_primal(p->loss, p->rows, p->eta, p->target, prediction);
  p->L = th_gap_level_L(p->loss, p->rows, p->eta, p->target, p->zero);
  TH_TRY(th_agree(p->context->comm, check_start(p, err), err));
  TH_TRY(problem_moments(p, err));
  TH_TRY(th_problem_pass(p, theta, 1, INFINITY, duals, err));
  for (int64_t g = 0; g < p->grouping.groups; g++)
    p->lambda_max = fmax(p->lambda_max, duals->value[g]);
  p->context->comm->ops->max_f64(p->context->comm, &p->lambda_max, 1);
done:
  th_comm_shared_free(&memory);
  return rc;
}

/* Sum in float only if floats can hold the products of values with full
 * precision. Collective. */
static void choose_precision(struct th_problem *p, const struct th_shape *shape)
{
  const struct th_active *active = &p->active;
  double beyond = 0;
  for (int64_t k = 0; k < active->count; k++) {
    double reach = active->bound[k] / active->scale[k];
    beyond = reach > 0x1p80 || reach < 0x1p-80 ? 1 : beyond;
  }
  p->context->comm->ops->max_f64(p->context->comm, &beyond, 1);
  bool stored = shape->layout == TH_DENSE && shape->type != TH_F64;
  p->single = stored && !(beyond > 0);
  p->beyond_float = stored && beyond > 0;
}

th_status th_problem_init(struct th_problem *p, struct th_context *context,
                          struct th_duals *duals, struct th_error *err)
{
  const struct th_config *config = context->config;
  const struct th_shape *shape = th_source_shape(context->source);
  struct th_duals unwanted = {0};
  th_status rc;
  *p = (struct th_problem){.context = context,
                           .loss = context->loss,
                           .intercept = config->intercept,
                           .rows = shape->training};
  TH_TRY(load_examples(p, err));
  TH_TRY(th_active_init(&p->active, context, 0, err));
  p->dense = th_store_shape_is_full(shape);
  choose_precision(p, shape);
  if (th_csc_cache_fits(shape, context->comm->size))
    rc = th_csc_cache_load(&p->csc, context->source, p->active.attribute,
                           p->active.count, err);
  TH_TRY(th_agree(context->comm, rc, err));
  struct th_grouping_penalty of = {.penalty = th_penalty_find(config->penalty),
                                   .mix = config->group.mix,
                                   .groups = config->group.all,
                                   .exempt = config->group.exempt.attribute,
                                   .exempt_count = config->group.exempt.count};
  TH_TRY(th_grouping_build(&p->grouping, &of, context->comm,
                           p->active.attribute, p->active.count, err));
  TH_TRY(th_agree(context->comm, reserve_groups(p, err), err));
  TH_TRY(set_keys(p, err));
  p->exempt = (struct th_exempt){.loss = p->loss,
                                 .rows = p->rows,
                                 .target = p->target,
                                 .eta = p->eta,
                                 .intercept = p->intercept};
  TH_TRY(th_exempt_init(&p->exempt, context, &p->active,
                        p->csc.start == NULL ? NULL : &p->csc, err));
  TH_TRY(begin_at_zero(p, duals == NULL ? &unwanted : duals, err));
done:
  th_problem_duals_free(&unwanted);
  return rc;
}

/* Make every column active, on the rank of the team that looks at it. Local. */
static th_status activate_kept(struct th_problem *p, struct th_error *err)
{
  static const char what[] = "attributes copied to all ranks";
  const struct th_problem_kept *kept = p->kept;
  const struct th_comm *comm = p->context->comm;
  struct th_active *active = &p->active;
  struct th_range mine = th_range_part(kept->count, comm->rank, comm->size);
  int64_t count = th_range_count(mine);
  th_status rc;
  TH_TRY(TH_NEW(&active->attribute, count, what, err));
  TH_TRY(TH_NEW(&active->centre, count, what, err));
  TH_TRY(TH_NEW(&active->scale, count, what, err));
  TH_TRY(TH_NEW(&active->bound, count, what, err));
  active->owned = mine;
  active->count = active->capacity = count;
  active->total = kept->count;
  for (int64_t k = 0; k < count; k++) {
    const struct th_vector *x = &kept->column[mine.first + k];
    active->attribute[k] = mine.first + k;
    active->centre[k] = x->centre;
    active->scale[k] = x->scale;
    active->bound[k] = INFINITY; /* not computed */
  }
done:
  return rc;
}

th_status th_problem_init_kept(struct th_problem *p, struct th_context *context,
                               const struct th_problem_kept *kept,
                               struct th_duals *duals, struct th_error *err)
{
  struct th_comm *comm = context->comm;
  th_status rc;
  *p = (struct th_problem){.context = context,
                           .kept = kept,
                           .loss = context->loss,
                           .intercept = context->config->intercept,
                           .dense = kept->count > 0 &&
                                    kept->column->form != TH_VECTOR_ENTRIES,
                           .rows = kept->rows};
  TH_TRY(load_examples(p, err));
  TH_TRY(th_agree(comm, activate_kept(p, err), err));
  struct th_grouping_penalty l1 = {.penalty = th_penalty_find("l1"), .mix = 1};
  TH_TRY(th_grouping_build(&p->grouping, &l1, comm, p->active.attribute,
                           p->active.count, err));
  TH_TRY(th_agree(comm, reserve_groups(p, err), err));
  TH_TRY(set_keys(p, err));
  TH_TRY(begin_at_zero(p, duals, err));
done:
  return rc;
}

int64_t th_problem_bytes(const struct th_plan_size *size)
{
  enum {
    TARGET_AND_WEIGHT = 16,
    MULTIPLIERS = 12,
    PREDICTION_AND_THETA = 16,
    SUMS = TH_FIXED_AT_ONCE * 8 /* of a rank */
  };
  double each = TARGET_AND_WEIGHT + MULTIPLIERS + PREDICTION_AND_THETA;
  double rows = (double)size->shape->training;
  return (int64_t)th_plan_part(size, each * rows) + SUMS;
}

void th_problem_free(struct th_problem *p)
{
  th_active_free(&p->active);
  th_grouping_free(&p->grouping);
  th_context_all_targets_free(&p->all);
  th_comm_shared_free(&p->multipliers.memory);
  TH_FREE(p->key, p->by_key, p->is_owner, p->norm_bound);
  th_exempt_free(&p->exempt);
  th_csc_cache_free(&p->csc);
  TH_FREE(p->rounding_bound, p->sums, p->centre, p->place, p->listed);
  *p = (struct th_problem){0};
}

void th_problem_columns_init(const struct th_problem *p,
                             struct th_replicated_columns *columns)
{
  th_replicated_columns_init(columns, p->rows, NULL);
  columns->cache = p->csc.start == NULL ? NULL : &p->csc;
}

th_status th_problem_duals_init(struct th_duals *duals,
                                const struct th_problem *p,
                                struct th_error *err)
{
  int64_t groups = p->grouping.groups;
  th_status rc;
  *duals = (struct th_duals){0};
  TH_TRY(TH_NEW(&duals->z, p->active.count, "dual values", err));
  TH_TRY(TH_NEW(&duals->value, groups, "dual values", err));
  TH_TRY(TH_NEW(&duals->slack, groups, "dual values", err));
  TH_TRY(TH_NEW(&duals->wanted, groups, "dual values", err));
  TH_TRY(TH_NEW(&duals->known, groups, "dual values", err));
  for (int64_t g = 0; g < groups; g++)
    duals->wanted[g] = true;
done:
  return rc;
}

void th_problem_duals_free(struct th_duals *duals)
{
  TH_FREE(duals->z, duals->value, duals->slack, duals->wanted, duals->known);
  *duals = (struct th_duals){0};
}

/* --- Sums over all examples for the attributes of this rank
 *
 * Every attribute's sum is formed by its owner in the order of the stored
 * examples: dense values by the kernels of math/kernels/kernels.h, most of them
 * in float. */

/* Sums that a pass forms. */
struct sums_task {
  enum th_sum_kind kind;
  float *room; /* of a row group */
};

/* Add entry after entry, so that the bits do not depend on the cut into slabs.
 */
static void sum_sparse(struct th_problem *p,
                       const struct th_problem_piece *piece,
                       const double *factor, enum th_sum_kind kind)
{
  const struct th_slab *slab = &piece->slab;
  factor += piece->rows.first - slab->row;
  for (int64_t k = 0; k < slab->runs; k++) {
    struct th_range entries = th_slab_entries(slab, k);
    int64_t at =
        piece->at + slab->base + slab->attribute[k] - slab->attributes.first;
    double sum = p->sums[at];
    for (int64_t e = entries.first; e < entries.last; e++) {
      double x = th_type_load(slab->type, slab->values, e);
      double term = factor[slab->row_in_group[e]] * x;
      sum += kind == TH_SUM_MOMENTS ? term * x : term;
    }
    p->sums[at] = sum;
  }
}

/* One attribute of a dense slab as a vector; room: of its rows. */
static struct th_vector vector_of(const struct th_problem_piece *piece,
                                  int64_t a, double centre, float *room)
{
  const struct th_slab *slab = &piece->slab;
  struct th_range one = {slab->attributes.first + a,
                         slab->attributes.first + a + 1};
  struct th_slab part = th_slab_part(slab, one);
  struct th_vector x = {.form = TH_VECTOR_SINGLE,
                        .items = slab->rows,
                        .centre = centre,
                        .scale = 1,
                        .values = part.values};
  if (slab->type == TH_F64)
    x.form = TH_VECTOR_DOUBLE;
  if (slab->type == TH_F64 || slab->type == TH_F32)
    return x;
  for (int32_t i = 0; i < slab->rows; i++)
    room[i] = (float)th_slab_load(&part, 0, i);
  x.values = room;
  return x;
}

static void sum_dense(struct th_problem *p,
                      const struct th_problem_piece *piece,
                      const double *factor, enum th_sum_kind kind, float *room)
{
  const struct th_slab *slab = &piece->slab;
  int64_t count = th_range_count(slab->attributes);
  for (int64_t a = 0; a < count; a++) {
    struct th_vector x = vector_of(piece, a, p->centre[piece->at + a], room);
    const double *with = factor + piece->rows.first;
    p->sums[piece->at + a] += kind == TH_SUM_MOMENTS
                                  ? th_column_square(&x, with)
                                  : th_column_dot(&x, with);
  }
}

static void sums_add_piece(struct th_problem *p,
                           const struct th_problem_piece *piece, void *of)
{
  const struct sums_task *task = of;
  enum th_sum_kind kind = task->kind;
  const double *factor = kind == TH_SUM_MOMENTS ? p->eta : p->multipliers.value;
  int64_t first = piece->rows.first;
  const struct th_row_weights m = {.residual = p->multipliers.value + first,
                                   .residual32 = p->multipliers.single + first,
                                   .weight = p->multipliers.value +
                                             first, /* not used by a gradient */
                                   .weight32 = p->multipliers.single + first};
  if (piece->slab.layout == TH_SPARSE)
    sum_sparse(p, piece, factor, kind);
  else if (kind == TH_SUM_FAST)
    th_kernel_gradient(&piece->slab, &m, p->centre + piece->at,
                       p->sums + piece->at);
  else
    sum_dense(p, piece, factor, kind, task->room);
}

/* Sums over all examples for attributes that are kept whole. */
static void sums_add_kept(struct th_problem *p, int64_t count,
                          enum th_sum_kind kind)
{
  const struct th_csc_cache *csc = &p->csc;
  const double *factor = kind == TH_SUM_MOMENTS ? p->eta : p->multipliers.value;
  for (int64_t k = 0; k < count; k++) {
    double sum = 0;
    for (int64_t e = csc->start[p->place[k]]; e < csc->start[p->place[k] + 1];
         e++) {
      double term = factor[csc->row[e]] * csc->value[e];
      sum += kind == TH_SUM_MOMENTS ? term * csc->value[e] : term;
    }
    p->sums[k] = sum;
  }
}

/* One row group. Local. */
static th_status read_row_group(struct th_problem *p, struct th_rows rows,
                                int64_t count, th_problem_add *add, void *task,
                                struct th_error *err)
{
  struct th_source *source = p->context->source;
  struct th_draw draw = {.rows = {.items = &rows, .count = 1}, .active = true};
  struct th_problem_piece piece = {.rows = rows, .at = 0};
  th_status rc = th_source_draw(source, &draw, err);
  if (p->csc.start != NULL)
    return rc; /* counted; the values are in memory */
  while (rc == TH_OK && piece.at < count) {
    rc = th_source_active(source, &draw, rows, piece.at, &piece.slab, err);
    if (rc != TH_OK)
      break;
    add(p, &piece, task);
    piece.at += th_range_count(piece.slab.attributes);
  }
  return rc;
}

/* Read all examples of the attributes that were declared, of which this rank
 * has `count`; sparse ones that are kept whole are only counted. Local. */
static th_status read_pieces(struct th_problem *p, int64_t count,
                             th_problem_add *add, void *task,
                             struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(p->context->source);
  bool drawn = p->csc.drawn;
  th_status rc = TH_OK;
  p->csc.drawn = false;
  for (int64_t first = 0; first < p->rows && rc == TH_OK && !drawn;) {
    struct th_rows rows = th_store_shape_rest(shape, first);
    rc = read_row_group(p, rows, count, add, task, err);
    first += rows.count;
  }
  return rc;
}

/* Sums over all examples for the listed attributes. Local. */
static th_status sum_examples(struct th_problem *p, int64_t count,
                              enum th_sum_kind kind, struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(p->context->source);
  struct sums_task task = {.kind = kind};
  th_status rc =
      TH_NEW(&task.room, shape->row_group, "the examples of a row group", err);
  if (rc == TH_OK)
    rc = read_pieces(p, count, sums_add_piece, &task, err);
  free(task.room);
  if (rc == TH_OK && p->csc.start != NULL)
    sums_add_kept(p, count, kind);
  return rc;
}

/* List the places of the groups marked. Local. */
static int64_t list_places(struct th_problem *p, const bool *marked)
{
  int64_t count = 0;
  for (int64_t g = 0; g < p->grouping.groups; g++)
    if (marked[g])
      for (int64_t m = th_problem_members(p, g).first;
           m < th_problem_members(p, g).last; m++)
        p->place[count++] = th_problem_place(p, m);
  return count;
}

/* Sums over all examples for columns in memory, each of which has its centre
 * and scale. Local. */
static void sum_kept(const struct th_problem *p, int64_t count,
                     enum th_sum_kind kind, double factor, double *z)
{
  for (int64_t k = 0; k < count; k++) {
    const struct th_vector *x =
        &p->kept->column[p->active.attribute[p->place[k]]];
    z[p->place[k]] = factor * (kind == TH_SUM_MOMENTS
                                   ? th_column_square(x, p->eta)
                                   : th_column_dot(x, p->multipliers.value));
  }
}

th_status th_problem_sums(struct th_problem *p, const bool *marked,
                          enum th_sum_kind kind, double factor, double *z,
                          struct th_error *err)
{
  struct th_comm *comm = p->context->comm;
  int64_t count = list_places(p, marked);
  if (p->grouping.place != NULL)
    qsort(p->place, (size_t)count, sizeof *p->place, th_integer_ascending);
  if (p->kept != NULL) {
    sum_kept(p, count, kind, factor, z);
    return TH_OK;
  }
  for (int64_t k = 0; k < count; k++) {
    p->listed[k] = p->active.attribute[p->place[k]];
    p->centre[k] = p->active.centre[p->place[k]];
    p->sums[k] = 0;
  }
  th_status rc =
      th_source_activate(p->context->source, comm, p->listed, count, err);
  if (rc != TH_OK)
    return rc;
  th_comm_profile_begin(p->context->profile);
  rc = th_agree(comm, sum_examples(p, count, kind, err), err);
  th_comm_profile_end(p->context->profile, TH_PHASE_GRADIENT);
  for (int64_t k = 0; k < count && rc == TH_OK; k++) {
    double scale = p->active.scale[p->place[k]];
    double unit = kind == TH_SUM_MOMENTS ? scale * scale : scale;
    z[p->place[k]] = factor * unit * p->sums[k];
  }
  return rc;
}

/* --- Gradients of sixteen residuals and more, by one pass ----------------- */

enum {
  RIGHT = TH_GRADIENTS,
  NEAR = 1 << 16 /* bytes of a slab that stay in a near cache */
};

/* What is formed, block by block. */
struct gradients_task {
  const struct th_problem_block *block;
  int64_t blocks;
};

/* Some attributes at a time, which one block after another finds near. */
static void gradients_add_piece(struct th_problem *p,
                                const struct th_problem_piece *piece, void *of)
{
  const struct gradients_task *task = of;
  const struct th_slab *slab = &piece->slab;
  int64_t count = th_range_count(slab->attributes);
  int64_t bytes = slab->rows * (int64_t)th_type_size(slab->type);
  int64_t many = task->blocks > 1 && slab->layout == TH_DENSE
                     ? th_max_i64(RIGHT, NEAR / bytes)
                     : count;
  for (int64_t a = 0; a < count; a += many) {
    int64_t first = slab->attributes.first + a;
    struct th_range range = {first, first + th_min_i64(many, count - a)};
    struct th_slab part = th_slab_part(slab, range);
    for (int64_t b = 0; b < task->blocks; b++)
      th_kernel_gradients_add(
          &part, task->block[b].right + piece->rows.first * RIGHT,
          p->active.centre + piece->at + a,
          task->block[b].gradient + (piece->at + a) * RIGHT);
  }
}

/* Products with the vectors, for sparse attributes that are kept whole. */
static void gradients_add_kept(const struct th_problem *p,
                               const struct th_problem_block *block)
{
  const struct th_csc_cache *csc = &p->csc;
  const struct th_gradients_entries entries = {p->active.count, csc->start,
                                               csc->row, csc->value};
  th_kernel_gradients_add_entries(&entries, block->right, block->gradient);
}

static void scale_gradient(const struct th_problem *p, double *gradient)
{
  for (int64_t k = 0; k < p->active.count; k++)
    for (int64_t l = 0; l < RIGHT; l++)
      gradient[k * RIGHT + l] *= p->active.scale[k];
}

/* Local. */
static th_status form(struct th_problem *p, struct gradients_task *task,
                      struct th_error *err)
{
  size_t bytes = (size_t)p->active.count * RIGHT * sizeof(double);
  for (int64_t b = 0; b < task->blocks; b++)
    memset(task->block[b].gradient, 0, bytes);
  th_status rc =
      read_pieces(p, p->active.count, gradients_add_piece, task, err);
  for (int64_t b = 0; b < task->blocks && rc == TH_OK; b++) {
    if (p->csc.start != NULL)
      gradients_add_kept(p, &task->block[b]);
    scale_gradient(p, task->block[b].gradient);
  }
  return rc;
}

th_status th_problem_gradients(struct th_problem *p,
                               const struct th_problem_block *block,
                               int64_t blocks, struct th_error *err)
{
  struct th_context *context = p->context;
  struct gradients_task task = {block, blocks};
  th_status rc = th_source_activate(context->source, context->comm,
                                    p->active.attribute, p->active.count, err);
  if (rc != TH_OK)
    return rc;
  th_comm_profile_begin(context->profile);
  rc = th_agree(context->comm, form(p, &task, err), err);
  th_comm_profile_end(context->profile, TH_PHASE_GRADIENT);
  return rc;
}

/* --- Moments and dual values of all groups, by passes
 *
 * Most sums are formed in float. Those that decide something are formed again
 * in double. */

/* How far a dual value of group g may be off. Sums in double are of values less
 * their centre, so that nothing is lost of what lies between. */
static double slack_of(const struct th_problem *p, int64_t g, bool single)
{
  return single ? TH_SINGLE_ROUNDING * p->rounding_bound[g]
                : TH_DOUBLE_ROUNDING * p->norm_bound[g];
}

/* Set the multipliers, in both precisions, to eta theta over a power of two
 * that makes the largest fit a float. Returns the root of sum eta theta^2.
 * Collective. */
static double weigh(struct th_problem *p, const double *theta, double *unit)
{
  double sum = 0;
  double largest = 0;
  int exponent = 0;
  for (int64_t i = 0; i < p->rows; i++) {
    double multiplier = p->eta[i] * theta[i];
    largest = fmax(largest, fabs(multiplier));
    sum += multiplier * theta[i];
  }
  frexp(largest, &exponent);
  *unit = ldexp(1, exponent);
  for (int64_t i = 0; i < p->rows && p->multipliers.memory.writer; i++) {
    p->multipliers.value[i] = p->eta[i] * theta[i] / *unit;
    p->multipliers.single[i] = (float)p->multipliers.value[i];
  }
  th_comm_shared_show(&p->multipliers.memory);
  return sqrt(sum);
}

/* Compute second moments of the groups, and bounds on rounding, by one pass.
 * Collective. N_j is summed once, in double. The rounding of a value that is
 * centred as a float grows with |x| + |centre|, and (|x| + |c|)^2 <= 4 (x -
 * c)^2 + 6 c^2. */
static th_status problem_moments(struct th_problem *p, struct th_error *err)
{
  int64_t places = p->active.count;
  bool *all = NULL;
  double *second = NULL;
  th_status rc = TH_NEW(&all, p->grouping.groups, "second moments", err);
  if (rc == TH_OK)
    rc = TH_NEW(&second, places, "second moments", err);
  TH_TRY(th_agree(p->context->comm, rc, err));
  for (int64_t g = 0; g < p->grouping.groups; g++)
    all[g] = true;
  TH_TRY(th_problem_sums(p, all, TH_SUM_MOMENTS, 1 + 1e-9, second, err));
  th_grouping_second(&p->grouping, p->context->comm, second, p->norm_bound);
  for (int64_t k = 0; k < places; k++) {
    double c = p->active.centre[k] * p->active.scale[k];
    second[k] = c == 0 ? second[k] : 4 * second[k] + 6 * c * c;
  }
  th_grouping_second(&p->grouping, p->context->comm, second, p->rounding_bound);
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    p->norm_bound[g] = sqrt(p->norm_bound[g]) * (1 + 1e-12);
    p->rounding_bound[g] = sqrt(p->rounding_bound[g]);
  }
done:
  TH_FREE(all, second);
  return rc;
}

/* Compute again the groups whose dual value decides something and is not exact
 * yet. reach: what a slack is in units of slack_of. Collective. */
static th_status finish_duals(struct th_problem *p, enum th_sum_kind kind,
                              double factor, double reach, double level,
                              struct th_duals *duals, struct th_error *err)
{
  int64_t groups = p->grouping.groups;
  bool *marked = NULL;
  double *value = NULL;
  th_status rc = TH_NEW(&marked, groups, "dual values", err);
  if (rc == TH_OK)
    rc = TH_NEW(&value, groups, "dual values", err);
  TH_TRY(th_agree(p->context->comm, rc, err));
  for (int64_t g = 0; g < groups; g++)
    marked[g] = duals->wanted[g] && !duals->known[g] &&
                !(duals->value[g] + duals->slack[g] < level);
  TH_TRY(th_problem_sums(p, marked, kind, factor, duals->z, err));
  th_grouping_dual(&p->grouping, p->context->comm, duals->z, value);
  for (int64_t g = 0; g < groups; g++)
    if (marked[g]) {
      duals->value[g] = value[g];
      duals->slack[g] = reach * slack_of(p, g, false);
    }
done:
  TH_FREE(marked, value);
  return rc;
}

/* A lower bound of the maximum. Collective. */
static double least_maximum(struct th_problem *p, const struct th_duals *duals)
{
  double most = 0;
  for (int64_t g = 0; g < p->grouping.groups; g++)
    if (duals->wanted[g])
      most = fmax(most, duals->value[g] - duals->slack[g]);
  p->context->comm->ops->max_f64(p->context->comm, &most, 1);
  return most;
}

/* Compute new values and slacks of the wanted groups. Collective. */
static th_status evaluate(struct th_problem *p, double reach,
                          struct th_duals *duals, struct th_error *err)
{
  int64_t groups = p->grouping.groups;
  double *value = NULL;
  th_status rc = TH_NEW(&value, groups, "dual values", err);
  TH_TRY(th_agree(p->context->comm, rc, err));
  th_grouping_dual(&p->grouping, p->context->comm, duals->z, value);
  for (int64_t g = 0; g < groups; g++)
    if (duals->wanted[g]) {
      duals->value[g] = value[g];
      duals->slack[g] = reach * slack_of(p, g, p->single);
    }
done:
  free(value);
  return rc;
}

/* A value that is no finite number shows in the sums of its attribute. Local.
 */
static th_status check_duals_finite(const struct th_problem *p,
                                    const struct th_duals *duals,
                                    struct th_error *err)
{
  for (int64_t g = 0; g < p->grouping.groups; g++)
    if (duals->wanted[g] && !isfinite(duals->value[g]))
      return th_fail(err, TH_EDATA,
                     "attribute %lld, or its group, has a value that is not a "
                     "finite number; see thresher inspect --check, and import "
                     "the data again",
                     (long long)p->key[g]);
  return TH_OK;
}

th_status th_problem_pass(struct th_problem *p, const double *theta,
                          double lambda, double level, struct th_duals *duals,
                          struct th_error *err)
{
  double unit;
  double reach = weigh(p, theta, &unit) / lambda;
  double factor = -unit / lambda;
  enum th_sum_kind kind = p->beyond_float ? TH_SUM_DOUBLE : TH_SUM_FAST;
  th_status rc;
  TH_TRY(th_problem_sums(p, duals->wanted, kind, factor, duals->z, err));
  TH_TRY(evaluate(p, reach, duals, err));
  if (p->single) {
    level = fmin(level, least_maximum(p, duals));
    TH_TRY(finish_duals(p, TH_SUM_DOUBLE, factor, reach, level, duals, err));
  }
  rc = th_agree(p->context->comm, check_duals_finite(p, duals, err), err);
done:
  return rc;
}

th_status th_problem_settle(struct th_problem *p, const double *theta,
                            double lambda, double level, struct th_duals *duals,
                            struct th_error *err)
{
  bool exact = !p->single && !p->beyond_float;
  double unit;
  double reach = weigh(p, theta, &unit) / lambda;
  level = fmin(level, least_maximum(p, duals));
  return finish_duals(p, exact ? TH_SUM_FAST : TH_SUM_DOUBLE, -unit / lambda,
                      reach, level, duals, err);
}
