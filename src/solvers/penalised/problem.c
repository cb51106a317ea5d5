/* problem.c - a penalised problem on all training examples, exactly
 * SPDX-License-Identifier: MIT */
#include "solvers/penalised/problem.h"

#include "core/fixed.h"
#include "core/integer.h"
#include "core/memory.h"
#include "core/search.h"
#include "math/gap.h"
#include "solvers/data/density.h"
#include "solvers/penalised/problem_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Local. */
static th_status take_kept_targets(struct th_problem *p, struct th_error *err)
{
  double sum = 0;
  memcpy(p->target, p->kept->target, (size_t)p->rows * sizeof *p->target);
  for (int64_t i = 0; i < p->rows; i++)
    sum += p->kept->weight[i];
  if (!(sum > 0))
    return th_fail(err, TH_EDATA, "no example has a weight above 0");
  for (int64_t i = 0; i < p->rows; i++)
    p->eta[i] = p->kept->weight[i] / sum;
  return TH_OK;
}

/* Local. */
static th_status reserve_rows(struct th_problem *p, struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&p->target, p->rows, "targets", err));
  TH_TRY(TH_NEW(&p->eta, p->rows, "weights", err));
  TH_TRY(TH_NEW(&p->multiplier, p->rows, "residuals", err));
  TH_TRY(TH_NEW(&p->multiplier32, p->rows, "residuals", err));
  if (p->kept != NULL)
    return take_kept_targets(p, err);
  TH_TRY(th_context_all_examples(p->context, p->target, p->eta, err));
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
static th_status sort_keys(struct th_problem *p, struct th_error *err)
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

static th_status name_groups(struct th_problem *p, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t g = 0; g < p->grouping.groups; g++) {
    int64_t member = th_problem_members(p, g).first;
    p->key[g] = p->active.attribute[th_problem_place(p, member)];
    p->is_owner[g] = true;
  }
  if (p->grouping.shared.groups > 0)
    TH_TRY(name_shared(p, err));
  rc = sort_keys(p, err);
  TH_TRY(th_agree(p->context->comm, rc, err));
done:
  return rc;
}

void th_problem_theta(const struct th_problem *p, const double *prediction,
                      double *theta)
{
  th_loss_df_all(p->loss, p->rows, prediction, p->target, theta);
  if (p->intercept)
    th_gap_centre(p->loss, p->rows, p->eta, p->target, theta);
}

/* The zero model, and lambda_max, from which on it is the best. */
static th_status begin_at_zero(struct th_problem *p, struct th_duals *duals,
                               struct th_error *err)
{
  double *theta = NULL;
  double *prediction = NULL;
  th_status rc = TH_NEW(&theta, p->rows, "dual variables", err);
  if (rc == TH_OK)
    rc = TH_NEW(&prediction, p->rows, "predictions", err);
  if (rc == TH_OK)
    rc = th_problem_duals_init(duals, p, err);
  if (rc == TH_OK && p->intercept)
    rc = th_gap_intercept(p->loss, p->rows, p->eta, p->target, prediction,
                          &p->start, err);
  TH_TRY(th_agree(p->context->comm, rc, err));
  for (int64_t i = 0; i < p->rows; i++)
    prediction[i] = p->start;
  p->zero = th_gap_primal(p->loss, p->rows, p->eta, p->target, prediction);
  th_problem_theta(p, prediction, theta);
  TH_TRY(th_problem_moments(p, err));
  TH_TRY(th_problem_pass(p, theta, 1, INFINITY, duals, err));
  for (int64_t g = 0; g < p->grouping.groups; g++)
    p->lambda_max = fmax(p->lambda_max, duals->value[g]);
  p->context->comm->ops->max_f64(p->context->comm, &p->lambda_max, 1);
done:
  TH_FREE(theta, prediction);
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
  TH_TRY(th_agree(context->comm, reserve_rows(p, err), err));
  TH_TRY(th_active_init(&p->active, context, 0, err));
  p->dense = th_density_is_full(shape);
  choose_precision(p, shape);
  if (th_csc_cache_fits(shape, shape->attributes / context->comm->size))
    rc = th_csc_cache_load(&p->csc, context->source, p->active.attribute,
                           p->active.count, err);
  TH_TRY(th_agree(context->comm, rc, err));
  struct th_grouping_penalty of = {.penalty = th_penalty_find(config->penalty),
                                   .mix = config->group.mix,
                                   .groups = config->groups};
  TH_TRY(th_grouping_build(&p->grouping, &of, context->comm,
                           p->active.attribute, p->active.count, err));
  TH_TRY(th_agree(context->comm, reserve_groups(p, err), err));
  TH_TRY(name_groups(p, err));
  TH_TRY(begin_at_zero(p, duals == NULL ? &unwanted : duals, err));
done:
  th_problem_duals_free(&unwanted);
  return rc;
}

/* Make every column active. Local. */
static th_status activate_kept(struct th_problem *p, struct th_error *err)
{
  const struct th_problem_kept *kept = p->kept;
  struct th_active *active = &p->active;
  th_status rc;
  TH_TRY(TH_NEW(&active->attribute, kept->count,
                "attributes copied to all ranks", err));
  TH_TRY(TH_NEW(&active->centre, kept->count, "attributes copied to all ranks",
                err));
  TH_TRY(TH_NEW(&active->scale, kept->count, "attributes copied to all ranks",
                err));
  TH_TRY(TH_NEW(&active->bound, kept->count, "attributes copied to all ranks",
                err));
  active->owned = (struct th_range){0, kept->count};
  active->count = active->total = active->capacity = kept->count;
  for (int64_t k = 0; k < kept->count; k++) {
    active->attribute[k] = k;
    active->centre[k] = kept->column[k].centre;
    active->scale[k] = kept->column[k].scale;
    active->bound[k] = INFINITY; /* not computed */
  }
done:
  return rc;
}

th_status th_problem_init_kept(struct th_problem *p, struct th_context *context,
                               const struct th_problem_kept *kept,
                               struct th_duals *duals, struct th_error *err)
{
  th_status rc;
  *p = (struct th_problem){.context = context,
                           .kept = kept,
                           .loss = context->loss,
                           .intercept = context->config->intercept,
                           .dense = kept->count > 0 &&
                                    kept->column->form != TH_VECTOR_ENTRIES,
                           .rows = kept->rows};
  TH_TRY(reserve_rows(p, err));
  TH_TRY(activate_kept(p, err));
  struct th_grouping_penalty l1 = {.penalty = th_penalty_find("l1"), .mix = 1};
  TH_TRY(th_grouping_build(&p->grouping, &l1, context->comm,
                           p->active.attribute, p->active.count, err));
  TH_TRY(reserve_groups(p, err));
  TH_TRY(name_groups(p, err));
  TH_TRY(begin_at_zero(p, duals, err));
done:
  return rc;
}

void th_problem_free(struct th_problem *p)
{
  th_active_free(&p->active);
  th_grouping_free(&p->grouping);
  TH_FREE(p->target, p->eta, p->multiplier, p->multiplier32, p->key, p->by_key,
          p->is_owner, p->norm_bound);
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
