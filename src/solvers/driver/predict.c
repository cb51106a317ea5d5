/* predict.c - predictions of a model, from the attributes of its support alone
 *
 * The prediction of an example is the intercept plus the sum of its terms,
 * coef_k x_ik, each rounded to a double. The sum is one of whole numbers, in
 * fixed point (ranks/fixed.h), whose unit follows from the example's own
 * largest term. So it depends neither on the order of the terms, nor on other
 * examples; `thresher export --as c` writes the same arithmetic down.
 * SPDX-License-Identifier: MIT */
#include "solvers/driver/predict.h"
#include "base/integer.h"
#include "base/memory.h"
#include "math/kernels/kernels.h"
#include "ranks/fixed.h"
#include "solvers/driver/train.h"

#include <math.h>
#include <string.h>

/* Row groups are taken together, so that ranks speak to each other once for all
 * of them, as long as their terms are not more than this. */
enum { MOST_TERMS = 1 << 21, MOST_GROUPS = 64 };

/* A term of sparse data: coef_k x_ik of an entry, and its row i of those that
 * are taken together. */
struct term {
  double value;
  int64_t row;
};

/* Predictions of a model, some row groups at a time. */
struct prediction {
  const struct th_model *model;
  struct th_store *store;
  struct th_comm *comm;
  struct th_range mine;  /* members whose attributes this rank owns */
  int64_t together;      /* row groups, the same on all ranks */
  int64_t *sums;         /* rows of these groups */
  double *largest;       /* the same: the largest term of a row, its magnitude;
                            behind these, whether a rank has failed */
  struct th_fixed *unit; /* rows of these groups */
  double *terms;         /* dense; by group: mine x rows: coef_k x_ik */
  struct term *entries;  /* sparse; by group */
  int64_t room;
  int64_t count; /* of the entries */
};

static double magnitude(double term)
{
  return isfinite(term) ? fabs(term) : INFINITY;
}

/* Append the entries of a slab that are members k and up; *k is the first one
 * behind it. `done` rows come before the slab's. Local. */
static th_status append_entries(struct prediction *p,
                                const struct th_slab *slab, int64_t *k,
                                int64_t done, struct th_error *err)
{
  const struct th_model *model = p->model;
  for (int64_t run = 0; run < slab->runs; run++) {
    int64_t attribute = slab->base + slab->attribute[run];
    while (*k < p->mine.last && model->support[*k] < attribute)
      ++*k;
    if (*k == p->mine.last || model->support[*k] > attribute)
      continue;
    struct th_range entries = th_slab_entries(slab, run);
    th_status rc =
        TH_GROW(&p->entries, &p->room, p->count + th_range_count(entries),
                "predictions", err);
    if (rc != TH_OK)
      return rc;
    for (int64_t e = entries.first; e < entries.last; e++) {
      double value =
          model->coef[*k] * th_type_load(slab->type, slab->values, e);
      int64_t row = done + slab->row_in_group[e] - slab->row;
      p->entries[p->count++] = (struct term){value, row};
      p->largest[row] = fmax(p->largest[row], magnitude(value));
    }
  }
  while (*k < p->mine.last && model->support[*k] < slab->attributes.last)
    ++*k;
  return TH_OK;
}

/* Attributes from member k on that are looked at together: members and few
 * others. */
static struct th_range next_members(const struct prediction *p, int64_t k)
{
  enum { APART = 16 };
  const int64_t *support = p->model->support;
  int64_t last = k;
  while (last + 1 < p->mine.last && support[last + 1] - support[last] <= APART)
    last++;
  return (struct th_range){support[k], support[last] + 1};
}

/* Append the terms of this rank's members on a row group of sparse data, which
 * has so many rows before it. Local. */
static th_status form_entries(struct prediction *p, struct th_rows rows,
                              int64_t done, struct th_error *err)
{
  struct th_slab slab;
  th_status rc = TH_OK;
  for (int64_t k = p->mine.first; k < p->mine.last && rc == TH_OK;) {
    struct th_range some = next_members(p, k);
    bool alone = th_range_count(some) == 1;
    rc = p->store->ops->slab(p->store, rows, some, alone, &slab, err);
    if (rc == TH_OK)
      rc = append_entries(p, &slab, &k, done, err);
  }
  return rc;
}

/* Form the terms of this rank's members on a row group of dense data: a matrix.
 * The group has so many rows before it. Local. */
static th_status form_terms(struct prediction *p, struct th_rows rows,
                            int64_t done, struct th_error *err)
{
  const struct th_model *model = p->model;
  double *terms = p->terms + done * th_range_count(p->mine);
  double *largest = p->largest + done;
  struct th_slab slab;
  for (int64_t k = p->mine.first; k < p->mine.last; k++) {
    struct th_range one = {model->support[k], model->support[k] + 1};
    th_status rc = p->store->ops->slab(p->store, rows, one, true, &slab, err);
    if (rc != TH_OK)
      return rc;
    double *term = terms + (k - p->mine.first) * rows.count;
    th_kernel_column(&slab, 0, model->coef[k], term);
    for (int64_t i = 0; i < rows.count; i++)
      largest[i] = fmax(largest[i], magnitude(term[i]));
  }
  return TH_OK;
}

/* The terms of these rows, and the largest one of each on any rank. Collective.
 */
static th_status form_together(struct prediction *p, struct th_rows rows,
                               struct th_error *err)
{
  const struct th_shape *shape = &p->store->shape;
  const int64_t count = rows.count;
  double *failed = &p->largest[count];
  int64_t done = 0;
  th_status rc = TH_OK;
  memset(p->largest, 0, ((size_t)count + 1) * sizeof *p->largest);
  p->count = 0;
  while (rows.count > 0 && rc == TH_OK) {
    struct th_rows part = th_store_shape_next(shape, &rows);
    rc = (shape->layout == TH_SPARSE ? form_entries : form_terms)(p, part, done,
                                                                  err);
    done += part.count;
  }
  *failed = rc != TH_OK;
  p->comm->ops->max_f64(p->comm, p->largest, (size_t)count + 1);
  return *failed > 0 ? th_agree(p->comm, rc, err) : TH_OK;
}

/* Each row's sum has a unit of its own, so that it does not depend on other
 * rows. Terms below `least` are nothing beside any intercept. */
static th_status choose_units(const struct prediction *p, int64_t rows,
                              struct th_error *err)
{
  const double least = 0x1p-900;
  const double size = (double)p->model->support_size;
  for (int64_t i = 0; i < rows; i++) {
    double bound = p->largest[i] * size;
    if (bound > 0 && bound < least)
      bound = least;
    if (!th_fixed_init(&p->unit[i], bound))
      return th_fail(err, TH_ENUMERIC,
                     "predictions are too large to be added up; check that "
                     "the attributes have the units of the training data");
  }
  return TH_OK;
}

/* Add up a row group's terms of dense data. Times a power of two they are
 * exact, so that all rows can be added in units of 1. Local. */
static void add_matrix(const struct prediction *p, int64_t done, int64_t count)
{
  const struct th_fixed ones = {1, 1};
  const int64_t members = th_range_count(p->mine);
  double *terms = p->terms + done * members;
  for (int64_t k = 0; k < members; k++, terms += count) {
    for (int64_t i = 0; i < count; i++)
      terms[i] *= p->unit[done + i].scale;
    (void)th_fixed_add(&ones, 1, terms, count, p->sums + done);
  }
}

/* Add up the terms of these rows, each in its unit. Local. */
static void add_terms(const struct prediction *p, struct th_rows rows)
{
  const struct th_shape *shape = &p->store->shape;
  int64_t done = 0;
  memset(p->sums, 0, (size_t)rows.count * sizeof *p->sums);
  for (int64_t e = 0; e < p->count; e++)
    p->sums[p->entries[e].row] +=
        th_fixed_from(&p->unit[p->entries[e].row], p->entries[e].value);
  while (shape->layout == TH_DENSE && rows.count > 0) {
    int64_t count = th_store_shape_next(shape, &rows).count;
    add_matrix(p, done, count);
    done += count;
  }
}

/* Some row groups. Collective. */
static th_status predict_together(struct prediction *p, struct th_rows rows,
                                  double *out, struct th_error *err)
{
  th_status rc;
  TH_TRY(form_together(p, rows, err));
  TH_TRY(choose_units(p, rows.count, err));
  add_terms(p, rows);
  p->comm->ops->sum_i64(p->comm, p->sums, (size_t)rows.count);
  for (int64_t i = 0; i < rows.count; i++)
    out[i] = p->model->intercept + th_fixed_to(&p->unit[i], p->sums[i]);
done:
  return rc;
}

/* The next row groups that are taken together. */
static struct th_rows next_together(const struct prediction *p,
                                    struct th_rows *rows)
{
  struct th_rows part = {rows->first, 0};
  for (int64_t g = 0; g < p->together && rows->count > 0; g++)
    part.count += th_store_shape_next(&p->store->shape, rows).count;
  return part;
}

int64_t th_predict_rows(const struct th_model *model,
                        const struct th_shape *shape)
{
  double each = fmax((double)model->support_size, 1);
  if (shape->layout == TH_SPARSE) /* of these as many as of all attributes */
    each = fmax(each * (double)shape->nonzeros / (double)shape->attributes /
                    (double)shape->training,
                1);
  double terms = each * (double)shape->row_group;
  int64_t groups = (int64_t)fmin(MOST_TERMS / terms, MOST_GROUPS);
  return th_max_i64(groups, 1) * shape->row_group;
}

th_status th_predict(const struct th_model *model, struct th_store *store,
                     struct th_comm *comm, struct th_rows rows,
                     double *prediction, struct th_error *err)
{
  const struct th_shape *shape = &store->shape;
  struct th_range mine =
      th_range_members(model->support, model->support_size,
                       th_store_owned(store, comm->rank, comm->size));
  int64_t longest = th_predict_rows(model, shape);
  struct prediction p = {.model = model,
                         .store = store,
                         .comm = comm,
                         .mine = mine,
                         .together = longest / shape->row_group};
  longest = th_min_i64(rows.count, longest);
  th_status rc = TH_OK;
  if (shape->layout == TH_DENSE)
    rc = TH_NEW(&p.terms, th_range_count(mine) * longest, "predictions", err);
  if (rc == TH_OK)
    rc = TH_NEW(&p.sums, longest, "predictions", err);
  if (rc == TH_OK)
    rc = TH_NEW(&p.largest, longest + 1, "predictions", err);
  if (rc == TH_OK)
    rc = TH_NEW(&p.unit, longest, "predictions", err);
  TH_TRY(th_agree(comm, rc, err));
  while (rows.count > 0) {
    struct th_rows part = next_together(&p, &rows);
    TH_TRY(predict_together(&p, part, prediction, err));
    prediction += part.count;
  }
done:
  TH_FREE(p.terms, p.entries, p.sums, p.largest, p.unit);
  return rc;
}
