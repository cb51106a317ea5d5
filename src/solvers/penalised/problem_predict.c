/* problem_predict.c - predictions of a sparse model on all training examples
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "math/kernels/kernels.h"
#include "ranks/fixed.h"
#include "solvers/penalised/problem.h"

#include <math.h>

/* A sum of predictions in fixed point. */
struct shares {
  struct th_problem *problem;
  const int64_t *attribute;
  const double *coef;
  int64_t count;
  struct th_range mine; /* this rank's entries of the list */
  struct th_fixed fixed;
  double *column; /* of a row group */
  int64_t *sums;  /* rows + 1 */
  bool kept;      /* its values are in memory */
  bool good;      /* no term was beyond the bound */
};

/* Add the terms of some entries. */
static bool add_entry(struct shares *s, double coef, double x, int64_t row)
{
  int64_t term = th_fixed_from(&s->fixed, coef * x);
  s->sums[row] = (int64_t)((uint64_t)s->sums[row] + (uint64_t)term);
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
                      s->sums + rows.first);
}

/* Add entry k of the list, on all examples, from memory. */
static bool add_kept(struct shares *s, int64_t k)
{
  const struct th_csc_cache *csc = &s->problem->csc;
  const struct th_context *context = s->problem->context;
  double scale = context->scale[s->attribute[k] - context->owned.first];
  struct th_range entries = th_csc_cache_entries(csc, s->attribute[k]);
  bool good = true;
  for (int64_t e = entries.first; e < entries.last; e++)
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

/* Local. */
static th_status share_all(struct shares *s, struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(s->problem->context->source);
  th_status rc;
  TH_TRY(
      TH_NEW(&s->column, shape->row_group, "the values of an attribute", err));
  s->kept = is_kept(s);
  s->good = true;
  for (int64_t first = 0; first < shape->training;) {
    struct th_rows all = {0, shape->training};
    struct th_rows rows = s->kept ? all : th_store_shape_rest(shape, first);
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
  th_status rc = TH_NEW(&s.sums, p->rows + 1, "predictions", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(find_scale(&s, err));
  rc = share_all(&s, err);
  TH_TRY(th_comm_sum_agree(comm, s.sums, (size_t)p->rows, rc, err));
  th_fixed_read(&s.fixed, intercept, s.sums, p->rows, prediction);
done:
  TH_FREE(s.column, s.sums);
  return rc;
}
