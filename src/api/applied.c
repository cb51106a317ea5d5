/* applied.c - a model applied to examples in memory, without a data set
 *
 * The values of the model's support are put into columns, some examples at a
 * time, and predicted as those of a store are: the bits are the same.
 * SPDX-License-Identifier: MIT */
#include "api/applied.h"

#include "api/handle.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"
#include "io/dataset/stand_in.h"
#include "io/import/arrays/given.h"
#include "solvers/driver/predict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 1 << 21, ROWS = 4096 }; /* at a time; of a row group */

/* Examples of the matrix that are looked at together, with the attributes of
 * the support alone: value[k * rows + i] of member k. */
struct columns {
  struct th_store store; /* first: the store is the columns */
  const struct th_model *model;
  const struct th_given_matrix *given;
  int64_t *column; /* of the matrix, of each member; ascending */
  double *value;
  struct th_rows rows;
};

/* --- A caller's matrix ---------------------------------------------------- */

static th_status take_element(const char *call, enum thresher_type type,
                              enum th_element *element, struct th_error *err)
{
  static const enum th_element elements[] = {[THRESHER_F32] = TH_ELEMENT_F32,
                                             [THRESHER_F64] = TH_ELEMENT_F64,
                                             [THRESHER_U8] = TH_ELEMENT_U8,
                                             [THRESHER_I8] = TH_ELEMENT_I8};
  if ((int)type < 0 || (size_t)type >= TH_COUNT(elements))
    return th_fail(err, TH_EARG, "%s: type is %d, and must be 0 to %d", call,
                   (int)type, THRESHER_I8);
  *element = elements[type];
  return TH_OK;
}

static th_status check_both_counts(const char *call, int64_t examples,
                                   int64_t attributes, struct th_error *err)
{
  if (examples >= 1 && attributes >= 1)
    return TH_OK;
  return th_fail(
      err, TH_EARG,
      "%s: %lld examples of %lld attributes; at least one of each is "
      "needed",
      call, (long long)examples, (long long)attributes);
}

th_status th_applied_dense(const char *call,
                           const struct thresher_dense *values,
                           struct th_given_matrix *given, struct th_error *err)
{
  enum th_element element = TH_ELEMENT_F32;
  th_status rc = TH_OK;
  TH_TRY(th_handle_given(call,
                         (const struct th_handle_argument[]){
                             {values->values, "values->values"}, {NULL, NULL}},
                         err));
  TH_TRY(check_both_counts(call, values->examples, values->attributes, err));
  TH_TRY(take_element(call, values->type, &element, err));
  given->rows = values->examples;
  given->columns = values->attributes;
  given->values = (struct th_given_items){values->values, element};
  given->row_stride = values->example_stride;
  given->column_stride = values->attribute_stride;
done:
  return rc;
}

static th_status take_integers(const char *call, const char *what, int bits,
                               const void *items,
                               struct th_given_items *integers,
                               struct th_error *err)
{
  if (bits != 32 && bits != 64)
    return th_fail(err, TH_EARG, "%s: %s_bits is %d, and must be 32 or 64",
                   call, what, bits);
  *integers = (struct th_given_items){items, bits == 32 ? TH_ELEMENT_I32
                                                        : TH_ELEMENT_I64};
  return TH_OK;
}

th_status th_applied_sparse(const char *call,
                            const struct thresher_sparse *values,
                            struct th_given_matrix *given, struct th_error *err)
{
  static const char none[8] = ""; /* entries of a matrix without any */
  enum th_element element = TH_ELEMENT_F32;
  const bool empty = values->entries == 0;
  const struct th_handle_argument arguments[] = {
      {values->start, "values->start"},
      {empty ? none : values->values, "values->values"},
      {empty ? none : values->index, "values->index"},
      {NULL, NULL}};
  th_status rc = TH_OK;
  TH_TRY(th_handle_given(call, arguments, err));
  TH_TRY(check_both_counts(call, values->examples, values->attributes, err));
  if (values->entries < 0)
    return th_fail(err, TH_EARG, "%s: %lld entries", call,
                   (long long)values->entries);
  TH_TRY(take_element(call, values->type, &element, err));
  TH_TRY(take_integers(call, "index", values->index_bits, arguments[2].value,
                       &given->index, err));
  TH_TRY(take_integers(call, "start", values->start_bits, values->start,
                       &given->start, err));
  given->rows = values->examples;
  given->columns = values->attributes;
  given->sparse = true;
  given->by_columns = values->by_attributes != 0;
  given->entries = values->entries;
  given->values = (struct th_given_items){arguments[1].value, element};
done:
  return rc;
}

/* --- Which column a member is --------------------------------------------- */

/* Attributes that are the indices which occur are called by these. */
static int64_t member_column(const struct th_model *model, int64_t k)
{
  const struct th_origin *origin = &model->origin;
  if (origin->indexed != TH_FACT_YES || model->name == NULL)
    return model->support[k];
  unsigned long long index = strtoull(model->name[k], NULL, 10);
  return (int64_t)index - (origin->zero_based == TH_FACT_YES ? 0 : 1);
}

int64_t thresher_model_column(const struct thresher_model *model, int64_t k)
{
  return model != NULL && k >= 0 && k < model->model.support_size
             ? member_column(&model->model, k)
             : -1;
}

static th_status refuse_attributes(const struct columns *c,
                                   struct th_error *err)
{
  return th_fail(err, TH_EDATA,
                 "the model is for %lld attributes, the data in memory have "
                 "%lld",
                 (long long)c->model->attributes, (long long)c->given->columns);
}

/* Columns that have no member are of no use, so that of attributes which are
 * indices there may be any number. */
static th_status find_member_columns(struct columns *c, struct th_error *err)
{
  const struct th_model *model = c->model;
  bool indexed = model->origin.indexed == TH_FACT_YES;
  if (!indexed && model->attributes != c->given->columns)
    return refuse_attributes(c, err);
  th_status rc = TH_NEW(&c->column, model->support_size, "a support", err);
  for (int64_t k = 0; rc == TH_OK && k < model->support_size; k++) {
    c->column[k] = member_column(model, k);
    if (c->column[k] < 0 || c->column[k] >= c->given->columns)
      rc = refuse_attributes(c, err);
  }
  return rc;
}

/* --- Values --------------------------------------------------------------- */

static double cell_value(const struct th_given_items *items, int64_t at)
{
  double value = 0;
  th_items_doubles(items->element, items->items, at, 1, &value);
  return value;
}

static int64_t whole_at(const struct th_given_items *items, int64_t at)
{
  return items->element == TH_ELEMENT_I32 ? ((const int32_t *)items->items)[at]
                                          : ((const int64_t *)items->items)[at];
}

static void fill_dense(struct columns *c)
{
  const struct th_given_matrix *g = c->given;
  for (int64_t k = 0; k < c->model->support_size; k++) {
    double *value = c->value + k * c->rows.count;
    int64_t at = c->column[k] * g->column_stride;
    for (int64_t i = 0; i < c->rows.count; i++)
      value[i] =
          cell_value(&g->values, at + (c->rows.first + i) * g->row_stride);
  }
}

/* The entries of a line, a row or a column of the matrix. */
static th_status entries_of_line(const struct th_given_matrix *g, int64_t line,
                                 struct th_range *entries, struct th_error *err)
{
  *entries = (struct th_range){whole_at(&g->start, line),
                               whole_at(&g->start, line + 1)};
  if (entries->first >= 0 && entries->first <= entries->last &&
      entries->last <= g->entries)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "start has %lld and %lld at %lld; it must ascend from 0 to "
                 "the number of entries, %lld",
                 (long long)entries->first, (long long)entries->last,
                 (long long)line, (long long)g->entries);
}

static th_status check_entry_place(int64_t index, int64_t limit,
                                   struct th_error *err)
{
  if (index >= 0 && index < limit)
    return TH_OK;
  return th_fail(err, TH_EDATA, "an index is %lld, and must be 0 to %lld",
                 (long long)index, (long long)limit - 1);
}

static th_status fill_by_rows(struct columns *c, struct th_error *err)
{
  const struct th_given_matrix *g = c->given;
  const int64_t size = c->model->support_size;
  struct th_range entries;
  th_status rc = TH_OK;
  for (int64_t i = 0; i < c->rows.count; i++) {
    TH_TRY(entries_of_line(g, c->rows.first + i, &entries, err));
    for (int64_t e = entries.first; e < entries.last; e++) {
      int64_t column = whole_at(&g->index, e);
      TH_TRY(check_entry_place(column, g->columns, err));
      int64_t k = th_search_i64(c->column, 0, size, column);
      if (k < size && c->column[k] == column)
        c->value[k * c->rows.count + i] += cell_value(&g->values, e);
    }
  }
done:
  return rc;
}

static th_status fill_by_columns(struct columns *c, struct th_error *err)
{
  const struct th_given_matrix *g = c->given;
  struct th_range entries;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < c->model->support_size; k++) {
    TH_TRY(entries_of_line(g, c->column[k], &entries, err));
    for (int64_t e = entries.first; e < entries.last; e++) {
      int64_t row = whole_at(&g->index, e);
      TH_TRY(check_entry_place(row, g->rows, err));
      row -= c->rows.first;
      if (row >= 0 && row < c->rows.count)
        c->value[k * c->rows.count + row] += cell_value(&g->values, e);
    }
  }
done:
  return rc;
}

/* Values as the model's data have them, and means for those that are missing.
 */
static th_status settle_values(struct columns *c, struct th_error *err)
{
  const struct th_model *model = c->model;
  int known = model->type == NULL ? -1 : th_type_find(model->type);
  enum th_type type = known < 0 ? TH_F64 : (enum th_type)known;
  for (int64_t k = 0; k < model->support_size; k++)
    for (int64_t i = 0; i < c->rows.count; i++) {
      double *value = &c->value[k * c->rows.count + i];
      if (isnan(*value) && model->mean != NULL)
        *value = th_stand_in_round(type, model->mean[k]);
      else if (type == TH_F32)
        *value = (double)(float)*value;
      if (!isfinite(*value))
        return th_fail(
            err, TH_EDATA,
            "example %lld, attribute %lld: %g, expected a finite "
            "number%s",
            (long long)(c->rows.first + i), (long long)c->column[k], *value,
            isnan(*value) ? "; no mean is known to stand for it" : "");
    }
  return TH_OK;
}

/* --- The store ------------------------------------------------------------ */

static th_status columns_slab(struct th_store *store, struct th_rows rows,
                              struct th_range range, bool alone,
                              struct th_slab *slab, struct th_error *err)
{
  const struct columns *c = (struct columns *)store;
  int64_t row = 0;
  (void)alone;
  (void)err;
  (void)th_store_shape_group_of(&store->shape, rows.first, &row);
  *slab = (struct th_slab){.layout = TH_DENSE,
                           .type = TH_F64,
                           .attributes = {range.first, range.first + 1},
                           .row = row,
                           .rows = (int32_t)rows.count,
                           .values = c->value + range.first * c->rows.count +
                                     rows.first,
                           .stride = c->rows.count};
  return TH_OK;
}

static const struct th_store_ops columns_ops = {.slab = columns_slab};

/* The model of the columns: member k is attribute k. Its lists are those of the
 * other one, but for the support. Local. */
static th_status number_members(const struct th_model *model,
                                struct th_model *numbered, struct th_error *err)
{
  th_status rc =
      TH_NEW(&numbered->support, model->support_size, "a support", err);
  for (int64_t k = 0; rc == TH_OK && k < model->support_size; k++)
    numbered->support[k] = k;
  numbered->support_size = model->support_size;
  numbered->attributes = th_max_i64(model->support_size, 1);
  numbered->coef = model->coef;
  numbered->intercept = model->intercept;
  return rc;
}

/* Predict the examples that are in the columns. */
static th_status predict_columns(struct columns *c,
                                 const struct th_model *numbered,
                                 struct th_comm *self, double *prediction,
                                 struct th_error *err)
{
  const int64_t count = c->rows.count;
  struct th_shape *shape = &c->store.shape;
  *shape = (struct th_shape){.examples = count,
                             .training = count,
                             .attributes = numbered->attributes,
                             .row_group = ROWS,
                             .layout = TH_DENSE,
                             .type = TH_F64};
  struct th_rows left = {0, count};
  int64_t most = th_predict_rows(numbered, 1, shape);
  th_status rc = TH_OK;
  while (rc == TH_OK && left.count > 0) {
    struct th_rows part = th_store_shape_next(shape, &left);
    while (left.count > 0 && part.count + ROWS <= most)
      part.count += th_store_shape_next(shape, &left).count;
    rc = th_predict(numbered, 1, &c->store, self, part, prediction + part.first,
                    err);
  }
  return rc;
}

/* Local. */
static th_status apply_some(struct columns *c, const struct th_model *numbered,
                            struct th_comm *self, double *prediction,
                            struct th_error *err)
{
  const struct th_given_matrix *g = c->given;
  th_status rc = TH_OK;
  memset(c->value, 0,
         (size_t)(c->rows.count * c->model->support_size) * sizeof *c->value);
  if (!g->sparse)
    fill_dense(c);
  else
    rc = g->by_columns ? fill_by_columns(c, err) : fill_by_rows(c, err);
  TH_TRY(rc);
  TH_TRY(settle_values(c, err));
  rc = predict_columns(c, numbered, self, prediction + c->rows.first, err);
done:
  return rc;
}

static th_status apply(const struct th_model *model,
                       const struct th_given_matrix *given, double *prediction,
                       struct th_error *err)
{
  const int64_t size = th_max_i64(model->support_size, 1);
  const int64_t most = th_max_i64(1, VALUES / size);
  struct columns c = {
      .store.ops = &columns_ops, .model = model, .given = given};
  struct th_model numbered = {0};
  struct th_comm self;
  th_status rc = TH_OK;
  th_comm_self(&self);
  TH_TRY(find_member_columns(&c, err));
  TH_TRY(number_members(model, &numbered, err));
  TH_TRY(TH_NEW(&c.value, size * th_min_i64(most, given->rows),
                "values of a support", err));
  for (int64_t i = 0; i < given->rows && rc == TH_OK; i += most) {
    c.rows = (struct th_rows){i, th_min_i64(most, given->rows - i)};
    rc = apply_some(&c, &numbered, &self, prediction, err);
  }
done:
  TH_FREE(c.column, c.value, numbered.support);
  return rc;
}

enum thresher_status thresher_apply_dense(const struct thresher_model *model,
                                          const struct thresher_dense *values,
                                          double *prediction,
                                          struct thresher_error *error)
{
  struct th_given_matrix given = {.name = "the data in memory"};
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {model, "model"}, {values, "values"},
                         {prediction, "prediction"}));
  TH_TRY(th_applied_dense(__func__, values, &given, &err));
  rc = apply(&model->model, &given, prediction, &err);
done:
  return th_handle_status(rc, &err, error);
}

enum thresher_status thresher_apply_sparse(const struct thresher_model *model,
                                           const struct thresher_sparse *values,
                                           double *prediction,
                                           struct thresher_error *error)
{
  struct th_given_matrix given = {.name = "the data in memory"};
  struct th_error err;
  th_status rc;
  th_error_clear(&err);
  TH_TRY(TH_HANDLE_GIVEN(&err, {model, "model"}, {values, "values"},
                         {prediction, "prediction"}));
  TH_TRY(th_applied_sparse(__func__, values, &given, &err));
  rc = apply(&model->model, &given, prediction, &err);
done:
  return th_handle_status(rc, &err, error);
}
