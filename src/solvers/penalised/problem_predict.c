/* problem_predict.c - predictions of a sparse model on all training examples
 * SPDX-License-Identifier: MIT */
#include "base/integer.h"
#include "base/memory.h"
#include "math/gap.h"
#include "math/kernels/kernels.h"
#include "ranks/fixed.h"
#include "solvers/penalised/problem.h"

#include <math.h>
#include <string.h>

/* Sums of predictions in fixed point. */
struct shares {
  struct th_problem *problem;
  const int64_t *attribute;
  const double *coef;
  int64_t count;
  struct th_range mine; /* this rank's entries of the list */
  struct th_fixed fixed;
  double *column; /* of a row group */
  int64_t *sums;  /* of `now`, and a flag */
  int64_t room;   /* examples of them */
  struct th_rows now;
  bool kept; /* its values are in memory */
  bool good; /* no term was beyond the bound */
};

/* Add the terms of some entries. */
static bool add_entry(struct shares *s, double coef, double x, int64_t row)
{
  int64_t term = th_fixed_from(&s->fixed, coef * x);
  int64_t *sum = &s->sums[row - s->now.first];
  *sum = (int64_t)((uint64_t)*sum + (uint64_t)term);
  return term != TH_FIXED_BAD;
}

static bool add_sparse_shares(struct shares *s, const struct th_slab *slab,
                              double coef, double scale, int64_t first)
{
  bool good = true;
  for (int64_t k = 0; k < slab->runs; k++) {
    struct th_range entries = th_slab_entries(slab, k);
    for (int64_t e = entries.first; e < entries.last; e++)
      good &=
          add_entry(s, coef, th_type_load(slab->type, slab->values, e) * scale,
                    first + slab->row_in_group[e] - slab->row);
  }
  return good;
}

/* Add entry k of the list on a row group. */
static bool predict_slab(struct shares *s, const struct th_slab *slab,
                         int64_t k, struct th_rows rows)
{
  const struct th_context *context = s->problem->context;
  int64_t at = s->attribute[k] - context->owned.first;
  double centre = context->centre[at];
  double scale = context->scale[at];
  if (slab->layout == TH_SPARSE && centre == 0)
    return add_sparse_shares(s, slab, s->coef[k], scale, rows.first);
  th_kernel_column(slab, centre, scale, s->column);
  return th_fixed_add(&s->fixed, s->coef[k], s->column, rows.count,
                      s->sums + rows.first - s->now.first);
}

/* The first entry whose row is not below `row`. */
static int64_t entry_from(const struct th_csc_cache *csc,
                          struct th_range entries, int64_t row)
{
  while (entries.first < entries.last) {
    int64_t middle = entries.first + th_range_count(entries) / 2;
    if (csc->row[middle] < row)
      entries.first = middle + 1;
    else
      entries.last = middle;
  }
  return entries.first;
}

/* Add entry k of the list, on the examples of now, from memory. */
static bool add_kept(struct shares *s, int64_t k)
{
  const struct th_csc_cache *csc = &s->problem->csc;
  const struct th_context *context = s->problem->context;
  double scale = context->scale[s->attribute[k] - context->owned.first];
  struct th_range all = th_csc_cache_entries(csc, s->attribute[k]);
  int64_t behind = s->now.first + s->now.count;
  bool good = true;
  for (int64_t e = entry_from(csc, all, s->now.first);
       e < all.last && csc->row[e] < behind; e++)
    good &= add_entry(s, s->coef[k], csc->value[e] * scale, csc->row[e]);
  return good;
}

/* Draw the list on a row group, or on all if the entries are in memory; add
 * this rank's share of it unless they are. Local. */
static th_status share_group(struct shares *s, struct th_rows rows,
                             struct th_error *err)
{
  struct th_source *source = s->problem->context->source;
  struct th_draw draw = {.rows = {.items = &rows, .count = 1},
                         .support = s->attribute,
                         .support_size = s->count};
  th_status rc = th_source_draw(source, &draw, err);
  for (int64_t k = s->mine.first; k < s->mine.last && rc == TH_OK && !s->kept;
       k++) {
    struct th_slab slab;
    rc = th_source_members(source, &draw, rows, (struct th_range){k, k + 1},
                           &slab, err);
    if (rc == TH_OK)
      s->good &= predict_slab(s, &slab, k, rows);
  }
  return rc;
}

/* Does the problem hold the entries of this rank's share? */
static bool is_kept(const struct shares *s)
{
  const struct th_problem *p = s->problem;
  bool kept = p->csc.start != NULL;
  for (int64_t k = s->mine.first; k < s->mine.last && kept; k++)
    kept = th_csc_cache_holds(&p->csc, s->attribute[k]) &&
           p->context->centre[s->attribute[k] - p->context->owned.first] == 0;
  return kept;
}

/* Row groups from `first` on, as many as there is room for. */
static struct th_rows rows_with_room(const struct shares *s, int64_t first)
{
  const struct th_shape *shape = th_source_shape(s->problem->context->source);
  struct th_rows rows = {first, 0};
  while (first + rows.count < shape->training) {
    int64_t count = th_store_shape_rest(shape, first + rows.count).count;
    if (rows.count + count > s->room)
      break;
    rows.count += count;
  }
  return rows;
}

/* This rank's share of the predictions of `now`. Local. */
static th_status share_rows(struct shares *s, struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(s->problem->context->source);
  int64_t behind = s->now.first + s->now.count;
  th_status rc = TH_OK;
  s->good = true;
  for (int64_t first = s->now.first; first < behind;) {
    struct th_rows rows = s->kept ? s->now : th_store_shape_rest(shape, first);
    TH_TRY(share_group(s, rows, err));
    first += rows.count;
  }
  for (int64_t k = s->mine.first; k < s->mine.last && s->kept; k++)
    s->good &= add_kept(s, k);
  if (!s->good)
    rc = th_fail(err, TH_ENUMERIC,
                 "a stored value lies outside of its attribute's recorded "
                 "range; check the data set with thresher inspect --check");
done:
  return rc;
}

/* Find the scale, from a bound on the predictions of all ranks. Collective. */
static th_status find_scale(struct shares *s, struct th_error *err)
{
  struct th_context *context = s->problem->context;
  double largest = 0;
  for (int64_t k = s->mine.first; k < s->mine.last; k++) {
    double bound = context->bound[s->attribute[k] - context->owned.first];
    largest = fmax(largest, fabs(s->coef[k]) * bound);
  }
  context->comm->ops->max_f64(context->comm, &largest, 1);
  if (th_fixed_init(&s->fixed, largest * (double)s->count))
    return TH_OK;
  return th_fail(err, TH_ENUMERIC,
                 "predictions may reach %g, which is too large; standardize",
                 largest * (double)s->count);
}

/* Local. */
static th_status reserve(struct shares *s, struct th_error *err)
{
  const struct th_problem *p = s->problem;
  int64_t group = th_source_shape(p->context->source)->row_group;
  th_status rc;
  s->kept = is_kept(s);
  s->room = th_min_i64(p->rows, th_max_i64(group, TH_FIXED_AT_ONCE));
  TH_TRY(TH_NEW(&s->column, group, "the values of an attribute", err));
  TH_TRY(TH_NEW(&s->sums, s->room + 1, "predictions", err));
done:
  return rc;
}

th_status th_problem_predict(struct th_problem *p, const int64_t *attribute,
                             const double *coef, int64_t count,
                             double intercept, double *prediction,
                             struct th_error *err)
{
  struct th_comm *comm = p->context->comm;
  struct shares s = {.problem = p,
                     .attribute = attribute,
                     .coef = coef,
                     .count = count,
                     .mine =
                         th_range_members(attribute, count, p->context->owned)};
  th_status rc;
  TH_TRY(th_agree(comm, reserve(&s, err), err));
  TH_TRY(find_scale(&s, err));
  for (int64_t first = 0; first < p->rows; first += s.now.count) {
    s.now = rows_with_room(&s, first);
    memset(s.sums, 0, (size_t)s.now.count * sizeof *s.sums);
    rc = share_rows(&s, err);
    TH_TRY(th_comm_sum_agree(comm, s.sums, (size_t)s.now.count, rc, err));
    if (prediction != NULL)
      th_fixed_read(&s.fixed, intercept, s.sums, s.now.count,
                    prediction + first);
  }
done:
  TH_FREE(s.column, s.sums);
  return rc;
}

/* --- The intercept, and attributes without a penalty --------------------- */

th_status th_problem_predict_fit(const struct th_problem *p,
                                 const double *prediction, double *coef,
                                 double *intercept, struct th_error *err)
{
  if (p->exempt.count > 0)
    return th_exempt_fit(&p->exempt, prediction, coef, intercept, err);
  return p->intercept ? th_gap_intercept(p->loss, p->rows, p->eta, p->target,
                                         prediction, intercept, err)
                      : TH_OK;
}

void th_problem_predict_start(const struct th_problem *p, double *prediction)
{
  for (int64_t i = 0; i < p->rows; i++)
    prediction[i] = p->exempt.start;
  th_exempt_add(&p->exempt, p->exempt.coef, prediction);
}
