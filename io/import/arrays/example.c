/* example.c - a row of a matrix as an example in the type it is stored in
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/example.h"

#include "base/integer.h"

#include <math.h>
#include <string.h>

enum { TILE = 512 }; /* values that are converted at once */

/* --- Values as they are, where both sides have the same type -------------- */

/* How many of the values are not 0; -1: one is not finite. */
static int64_t count_f32(const float *value, int64_t count)
{
  const uint32_t exponent = 0x7f800000;
  uint32_t nonzeros = 0;
  uint32_t wrong = 0;
  int64_t sum = 0;
  for (int64_t k = 0; k < count;) {
    int64_t end = th_min_i64(count, k + (1 << 20));
    nonzeros = 0;
    for (; k < end; k++) {
      uint32_t bits;
      memcpy(&bits, &value[k], sizeof bits);
      wrong |= (bits & exponent) == exponent;
      nonzeros += (bits & ~(UINT32_C(1) << 31)) != 0;
    }
    sum += nonzeros;
  }
  return wrong != 0 ? -1 : sum;
}

static bool copy_f32(const float *from, int64_t count, struct th_text_row *row)
{
  int64_t nonzeros = count_f32(from, count);
  if (nonzeros < 0)
    return false;
  memcpy(row->values, from, (size_t)count * sizeof *from);
  row->nonzeros += nonzeros;
  if (row->measured)
    memset(row->lost, 0, (size_t)count * sizeof *row->lost);
  return true;
}

static bool copy_whole_numbers(const unsigned char *from, int64_t count,
                               struct th_text_row *row)
{
  int64_t nonzeros = 0;
  memcpy(row->values, from, (size_t)count);
  for (int64_t k = 0; k < count; k++)
    nonzeros += from[k] != 0;
  row->nonzeros += nonzeros;
  return true;
}

/* True if the values could be copied. */
static bool copy_same_type(const struct th_matrix_row *from,
                           struct th_text_row *row, int64_t count)
{
  if (from->element == TH_ELEMENT_F32 && row->type == TH_F32)
    return copy_f32((const float *)from->values + from->first, count, row);
  bool bytes = (from->element == TH_ELEMENT_U8 && row->type == TH_U8) ||
               (from->element == TH_ELEMENT_I8 && row->type == TH_I8);
  if (bytes)
    return copy_whole_numbers((const unsigned char *)from->values + from->first,
                              count, row);
  return false;
}

/* --- Values one after the other ------------------------------------------- */

static bool put_f32(const double *value, int64_t first, int64_t count,
                    struct th_text_row *row)
{
  float *to = (float *)row->values + first;
  for (int64_t k = 0; k < count; k++)
    to[k] = (float)value[k];
  int64_t nonzeros = count_f32(to, count);
  row->nonzeros += nonzeros;
  return nonzeros >= 0;
}

/* One value, which may be missing. */
static bool put_value(const struct th_missing *missing, double value, int64_t k,
                      struct th_text_row *row)
{
  bool lacks = isnan(value) || th_missing_is_number(missing, value);
  if (!lacks || missing->refused)
    return th_text_row_put(row, k, value);
  th_text_row_put_missing(row, k);
  return true;
}

/* Values of consecutive attributes; the number of the first that does not fit,
 * or count. */
static int64_t put_tile(const double *value, int64_t first, int64_t count,
                        const struct th_missing *missing,
                        struct th_text_row *row)
{
  int64_t before = row->nonzeros;
  if (row->type == TH_F32 && !row->measured && missing->numbers == 0) {
    if (put_f32(value, first, count, row))
      return count;
    row->nonzeros = before;
  }
  for (int64_t k = 0; k < count; k++)
    if (!put_value(missing, value[k], first + k, row))
      return k;
  return count;
}

/* Values at places of an example by the roles of their columns. */
static int64_t put_roles(const double *value, const int64_t *role,
                         int64_t count, const struct th_missing *missing,
                         struct th_text_row *row)
{
  for (int64_t k = 0; k < count; k++)
    if (role[k] >= 0 && !put_value(missing, value[k], role[k], row))
      return k;
  return count;
}

static bool put_dense(const struct th_matrix_row *from, const int64_t *role,
                      const struct th_missing *missing, struct th_text_row *row,
                      struct th_example_fault *fault)
{
  double value[TILE];
  for (int64_t k = 0; k < from->count; k += TILE) {
    int64_t some = th_min_i64(TILE, from->count - k);
    th_items_doubles(from->element, from->values, from->first + k, some, value);
    int64_t done = role == NULL
                       ? put_tile(value, k, some, missing, row)
                       : put_roles(value, role + k, some, missing, row);
    if (done < some) {
      *fault = (struct th_example_fault){k + done, value[done]};
      return false;
    }
  }
  return true;
}

/* --- Entries of sparse rows ----------------------------------------------- */

static bool put_sparse(const struct th_matrix_row *from, const int64_t *role,
                       const struct th_missing *missing,
                       struct th_text_row *row, struct th_example_fault *fault)
{
  double value[TILE];
  int64_t used = 0;
  for (int64_t k = 0; k < from->count; k += TILE) {
    int64_t some = th_min_i64(TILE, from->count - k);
    th_items_doubles(from->element, from->values, from->first + k, some, value);
    for (int64_t j = 0; j < some; j++) {
      int64_t attribute =
          role == NULL ? from->column[k + j] : role[from->column[k + j]];
      if (attribute < 0)
        continue;
      row->index[used] = (uint32_t)attribute;
      if (!put_value(missing, value[j], used++, row)) {
        *fault = (struct th_example_fault){from->column[k + j], value[j]};
        return false;
      }
    }
  }
  row->count = used;
  return true;
}

/* Attributes of other data may stand in another order: entries are sorted in
 * place, as a heap. */
static void swap_listed(struct th_text_row *row, int64_t a, int64_t b)
{
  size_t size = th_type_size(th_type_single(row->type));
  char kept[sizeof(double)];
  char *one = (char *)row->values + (size_t)a * size;
  char *other = (char *)row->values + (size_t)b * size;
  memcpy(kept, one, size);
  memcpy(one, other, size);
  memcpy(other, kept, size);
  uint32_t index = row->index[a];
  row->index[a] = row->index[b];
  row->index[b] = index;
  if (row->measured) {
    double lost = row->lost[a];
    row->lost[a] = row->lost[b];
    row->lost[b] = lost;
  }
}

/* Let entry k of a heap of `count` sink to its place. */
static void sink(struct th_text_row *row, int64_t k, int64_t count)
{
  for (int64_t child = 2 * k + 1; child < count; child = 2 * k + 1) {
    child += child + 1 < count && row->index[child + 1] > row->index[child];
    if (row->index[child] <= row->index[k])
      return;
    swap_listed(row, k, child);
    k = child;
  }
}

static void sort_by_attribute(struct th_text_row *row)
{
  bool ascending = true;
  for (int64_t k = 1; k < row->count; k++)
    ascending = ascending && row->index[k - 1] < row->index[k];
  if (ascending)
    return;
  for (int64_t k = row->count / 2 - 1; k >= 0; k--)
    sink(row, k, row->count);
  for (int64_t end = row->count - 1; end > 0; end--) {
    swap_listed(row, 0, end);
    sink(row, 0, end);
  }
}

bool th_example_put(const struct th_matrix_row *from, const int64_t *role,
                    int64_t attributes, const struct th_missing *missing,
                    struct th_text_row *row, struct th_example_fault *fault)
{
  bool as_is = role == NULL && missing->numbers == 0;
  row->nonzeros = 0;
  row->as_is = false;
  if (from->column != NULL) {
    row->first = -1;
    if (as_is && copy_same_type(from, row, from->count)) {
      memcpy(row->index, from->column,
             (size_t)from->count * sizeof *row->index);
      row->count = from->count;
      return true;
    }
    row->nonzeros = 0;
    if (!put_sparse(from, role, missing, row, fault))
      return false;
    sort_by_attribute(row);
    return true;
  }
  row->first = 0;
  row->count = attributes;
  row->as_is = as_is && copy_same_type(from, row, from->count);
  if (row->as_is)
    return true;
  row->nonzeros = 0;
  return put_dense(from, role, missing, row, fault);
}

th_status th_example_refuse(const struct th_example_fault *fault,
                            const char *name, int64_t row, enum th_type type,
                            const struct th_missing *missing,
                            struct th_error *err)
{
  static const char *const wanted[TH_TYPE_COUNT] = {
      [TH_F32] = "at most 3.4e38 in magnitude (f32); import with {type} f64",
      [TH_F64] = "a finite number (f64); rescale the data",
      [TH_U8] = "a whole number 0..255 (u8); import with {type} f32",
      [TH_I8] = "a whole number -128..127 (i8); import with {type} f32",
      [TH_U2] = "a whole number 0..3 (u2); import with {type} u8 or f32"};
  long long column = (long long)fault->column + 1;
  bool known =
      !isnan(fault->value) && !th_missing_is_number(missing, fault->value);
  if (known)
    return th_fail(err, TH_EDATA,
                   "%s: row %lld, column %lld, counted from 1: %g found, "
                   "expected %s",
                   name, (long long)row + 1, column, fault->value,
                   isfinite(fault->value) ? wanted[type]
                                          : "a finite number; correct it");
  if (missing->refused)
    return th_fail(err, TH_EDATA,
                   "%s: row %lld, column %lld, counted from 1: a missing value "
                   "found, which {missing} error refuses; fill it in",
                   name, (long long)row + 1, column);
  return th_fail(err, TH_EDATA,
                 "%s: row %lld, column %lld, counted from 1: a missing value "
                 "found, for which %s has no room; import with {type} f32",
                 name, (long long)row + 1, column, th_type_name(type));
}

double th_example_value(const struct th_matrix_row *from, int64_t column)
{
  double value = 0;
  int64_t at = column;
  if (from->column != NULL) {
    at = th_search_u32(from->column, 0, from->count, column);
    if (at == from->count || from->column[at] != (uint32_t)column)
      return 0;
  }
  th_items_doubles(from->element, from->values, from->first + at, 1, &value);
  return value;
}
