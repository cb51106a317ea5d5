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

/* Predictions of one model. */
struct prediction {
  const struct th_model *model;
  struct th_range mine; /* members whose attributes this rank owns */
  int64_t next;         /* of these, while a row group is read */
  int64_t *sums;        /* rows that are taken together; borrowed */
  double *largest;      /* the same: the largest term of a row, its magnitude;
                           borrowed */
  double *terms;        /* dense; by group: mine x rows: coef_k x_ik */
  struct term *entries; /* sparse; by group */
  int64_t room;
  int64_t count; /* of the entries */
};

/* Predictions of some models, some row groups at a time. */
struct predictions {
  struct th_store *store;
  struct th_comm *comm;
  struct prediction *one; /* of each model */
  int64_t models;
  int64_t *attribute; /* that any model has and this rank owns, ascending */
  int64_t attributes;
  int64_t together;      /* row groups, the same on all ranks */
  int64_t *sums;         /* of all models */
  double *largest;       /* the same; behind these, whether a rank has failed */
  struct th_fixed *unit; /* the same */
};

static double magnitude(double term)
{
  return isfinite(term) ? fabs(term) : INFINITY;
}

/* Append the entries of a slab that are the next members. `done` rows come
 * before the slab's. Local. */
static th_status append_entries(struct prediction *p,
                                const struct th_slab *slab, int64_t done,
                                struct th_error *err)
{
  const struct th_model *model = p->model;
  int64_t *k = &p->next;
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

/* Attributes from the k-th one on that are looked at together: members and few
 * others. */
static struct th_range next_members(const struct predictions *p, int64_t k)
{
  enum { APART = 16 };
  const int64_t *attribute = p->attribute;
  int64_t last = k;
  while (last + 1 < p->attributes &&
         attribute[last + 1] - attribute[last] <= APART)
    last++;
  return (struct th_range){attribute[k], attribute[last] + 1};
}

static void begin_group(const struct predictions *p)
{
  for (int64_t m = 0; m < p->models; m++)
    p->one[m].next = p->one[m].mine.first;
}

/* Append the terms of this rank's members on a row group of sparse data, which
 * has so many rows before it. Local. */
static th_status form_entries(struct predictions *p, struct th_rows rows,
                              int64_t done, struct th_error *err)
{
  struct th_slab slab;
  th_status rc = TH_OK;
  begin_group(p);
  for (int64_t k = 0; k < p->attributes && rc == TH_OK;) {
    struct th_range some = next_members(p, k);
    bool alone = th_range_count(some) == 1;
    rc = p->store->ops->slab(p->store, rows, some, alone, &slab, err);
    for (int64_t m = 0; m < p->models && rc == TH_OK; m++)
      rc = append_entries(&p->one[m], &slab, done, err);
    while (rc == TH_OK && k < p->attributes &&
           p->attribute[k] < slab.attributes.last)
      k++; /* the slab may end before the members do */
  }
  return rc;
}

/* Of one model, where the attribute is its next member: a column of its terms.
 */
static void form_column(struct prediction *p, const struct th_slab *slab,
                        int64_t attribute, int64_t done)
{
  const struct th_model *model = p->model;
  const int64_t k = p->next;
  const int64_t count = slab->rows;
  if (k == p->mine.last || model->support[k] != attribute)
    return;
  double *term =
      p->terms + done * th_range_count(p->mine) + (k - p->mine.first) * count;
  double *largest = p->largest + done;
  th_kernel_column(slab, 0, model->coef[k], term);
  for (int64_t i = 0; i < count; i++)
    largest[i] = fmax(largest[i], magnitude(term[i]));
  p->next++;
}

/* Form the terms of this rank's members on a row group of dense data: a matrix
 * for each model. The group has so many rows before it. Local. */
static th_status form_terms(struct predictions *p, struct th_rows rows,
                            int64_t done, struct th_error *err)
{
  struct th_slab slab;
  begin_group(p);
  for (int64_t k = 0; k < p->attributes; k++) {
    int64_t a = p->attribute[k];
    th_status rc = p->store->ops->slab(
        p->store, rows, (struct th_range){a, a + 1}, true, &slab, err);
    if (rc != TH_OK)
      return rc;
    for (int64_t m = 0; m < p->models; m++)
      form_column(&p->one[m], &slab, a, done);
  }
  return TH_OK;
}

/* The terms of these rows, and the largest one of each on any rank. Collective.
 */
static th_status form_together(struct predictions *p, struct th_rows rows,
                               struct th_error *err)
{
  const struct th_shape *shape = &p->store->shape;
  const size_t count = (size_t)(p->models * rows.count);
  double *failed = &p->largest[count];
  int64_t done = 0;
  th_status rc = TH_OK;
  memset(p->largest, 0, (count + 1) * sizeof *p->largest);
  for (int64_t m = 0; m < p->models; m++) {
    p->one[m].largest = p->largest + m * rows.count;
    p->one[m].sums = p->sums + m * rows.count;
    p->one[m].count = 0;
  }
  while (rows.count > 0 && rc == TH_OK) {
    struct th_rows part = th_store_shape_next(shape, &rows);
    rc = (shape->layout == TH_SPARSE ? form_entries : form_terms)(p, part, done,
                                                                  err);
    done += part.count;
  }
  *failed = rc != TH_OK;
  p->comm->ops->max_f64(p->comm, p->largest, count + 1);
  return *failed > 0 ? th_agree(p->comm, rc, err) : TH_OK;
}

/* Each row's sum has a unit of its own, so that it does not depend on other
 * rows. Terms below `least` are nothing beside any intercept. */
static th_status choose_units(const struct prediction *p, struct th_fixed *unit,
                              int64_t rows, struct th_error *err)
{
  const double least = 0x1p-900;
  const double size = (double)p->model->support_size;
  for (int64_t i = 0; i < rows; i++) {
    double bound = p->largest[i] * size;
    if (bound > 0 && bound < least)
      bound = least;
    if (!th_fixed_init(&unit[i], bound))
      return th_fail(err, TH_ENUMERIC,
                     "predictions are too large to be added up; check that "
                     "the attributes have the units of the training data");
  }
  return TH_OK;
}

/* Add up a row group's terms of dense data. Times a power of two they are
 * exact, so that all rows can be added in units of 1. Local. */
static void add_matrix(const struct prediction *p, const struct th_fixed *unit,
                       int64_t done, int64_t count)
{
  const struct th_fixed ones = {1, 1};
  const int64_t members = th_range_count(p->mine);
  double *terms = p->terms + done * members;
  for (int64_t k = 0; k < members; k++, terms += count) {
    for (int64_t i = 0; i < count; i++)
      terms[i] *= unit[done + i].scale;
    (void)th_fixed_add(&ones, 1, terms, count, p->sums + done);
  }
}

/* Add up the terms of these rows, each in its unit. Local. */
static void add_terms(const struct prediction *p, const struct th_fixed *unit,
                      const struct th_shape *shape, struct th_rows rows)
{
  int64_t done = 0;
  memset(p->sums, 0, (size_t)rows.count * sizeof *p->sums);
  for (int64_t e = 0; e < p->count; e++)
    p->sums[p->entries[e].row] +=
        th_fixed_from(&unit[p->entries[e].row], p->entries[e].value);
  while (shape->layout == TH_DENSE && rows.count > 0) {
    int64_t count = th_store_shape_next(shape, &rows).count;
    add_matrix(p, unit, done, count);
    done += count;
  }
}

/* Some row groups; out[] has `stride` rows of each model. Collective. */
static th_status predict_together(struct predictions *p, struct th_rows rows,
                                  double *out, int64_t stride,
                                  struct th_error *err)
{
  th_status rc;
  TH_TRY(form_together(p, rows, err));
  for (int64_t m = 0; m < p->models; m++) {
    struct th_fixed *unit = p->unit + m * rows.count;
    TH_TRY(choose_units(&p->one[m], unit, rows.count, err));
    add_terms(&p->one[m], unit, &p->store->shape, rows);
  }
  p->comm->ops->sum_i64(p->comm, p->sums, (size_t)(p->models * rows.count));
  for (int64_t m = 0; m < p->models; m++)
    for (int64_t i = 0; i < rows.count; i++)
      out[m * stride + i] =
          p->one[m].model->intercept + th_fixed_to(&p->unit[m * rows.count + i],
                                                   p->sums[m * rows.count + i]);
done:
  return rc;
}

/* The next row groups that are taken together. */
static struct th_rows next_together(const struct predictions *p,
                                    struct th_rows *rows)
{
  struct th_rows part = {rows->first, 0};
  for (int64_t g = 0; g < p->together && rows->count > 0; g++)
    part.count += th_store_shape_next(&p->store->shape, rows).count;
  return part;
}

int64_t th_predict_rows(const struct th_model *models, int64_t count,
                        const struct th_shape *shape)
{
  double each = 0;
  for (int64_t m = 0; m < count; m++)
    each += (double)models[m].support_size;
  each = fmax(each, 1);
  if (shape->layout == TH_SPARSE) /* of these as many as of all attributes */
    each = fmax(each * (double)shape->nonzeros / (double)shape->attributes /
                    (double)shape->training,
                1);
  double terms = each * (double)shape->row_group;
  int64_t groups = (int64_t)fmin(MOST_TERMS / terms, MOST_GROUPS);
  return th_max_i64(groups, 1) * shape->row_group;
}

/* The attributes of all models that this rank owns, each once. */
static th_status list_attributes(struct predictions *p, struct th_error *err)
{
  int64_t most = 0;
  for (int64_t m = 0; m < p->models; m++)
    most += th_range_count(p->one[m].mine);
  th_status rc = TH_NEW(&p->attribute, most, "predictions", err);
  if (rc != TH_OK)
    return rc;
  begin_group(p);
  for (;;) {
    int64_t least = INT64_MAX;
    for (int64_t m = 0; m < p->models; m++) {
      const struct prediction *one = &p->one[m];
      if (one->next < one->mine.last)
        least = th_min_i64(least, one->model->support[one->next]);
    }
    if (least == INT64_MAX)
      return TH_OK;
    p->attribute[p->attributes++] = least;
    for (int64_t m = 0; m < p->models; m++) {
      struct prediction *one = &p->one[m];
      one->next +=
          one->next < one->mine.last && one->model->support[one->next] == least;
    }
  }
}

/* Rooms for `longest` rows. Local. */
static th_status reserve_predicting(struct predictions *p,
                                    const struct th_model *models,
                                    int64_t longest, struct th_error *err)
{
  struct th_range owned =
      th_store_owned(p->store, p->comm->rank, p->comm->size);
  const char *what = "predictions";
  th_status rc;
  TH_TRY(TH_NEW(&p->one, p->models, what, err));
  for (int64_t m = 0; m < p->models; m++) {
    struct prediction *one = &p->one[m];
    one->model = &models[m];
    one->mine =
        th_range_members(models[m].support, models[m].support_size, owned);
    if (p->store->shape.layout == TH_DENSE)
      TH_TRY(
          TH_NEW(&one->terms, th_range_count(one->mine) * longest, what, err));
  }
  TH_TRY(list_attributes(p, err));
  TH_TRY(TH_NEW(&p->sums, p->models * longest, what, err));
  TH_TRY(TH_NEW(&p->largest, p->models * longest + 1, what, err));
  TH_TRY(TH_NEW(&p->unit, p->models * longest, what, err));
done:
  return rc;
}

static void release_predictions(struct predictions *p)
{
  for (int64_t m = 0; p->one != NULL && m < p->models; m++)
    TH_FREE(p->one[m].terms, p->one[m].entries);
  TH_FREE(p->one, p->attribute, p->sums, p->largest, p->unit);
}

th_status th_predict(const struct th_model *models, int64_t count,
                     struct th_store *store, struct th_comm *comm,
                     struct th_rows rows, double *prediction,
                     struct th_error *err)
{
  const int64_t longest = th_predict_rows(models, count, &store->shape);
  const int64_t stride = rows.count;
  struct predictions p = {.store = store,
                          .comm = comm,
                          .models = count,
                          .together = longest / store->shape.row_group};
  th_status rc =
      reserve_predicting(&p, models, th_min_i64(rows.count, longest), err);
  TH_TRY(th_agree(comm, rc, err));
  while (rows.count > 0) {
    struct th_rows part = next_together(&p, &rows);
    TH_TRY(predict_together(&p, part, prediction, stride, err));
    prediction += part.count;
  }
done:
  release_predictions(&p);
  return rc;
}
