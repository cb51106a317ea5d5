/* given.c - a matrix that a caller has in memory, row after row as one of a
 * file
 *
 * A dense matrix is read line by line: rows, or columns where these lie
 * together. Nothing is copied but what is asked for.
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/given.h"

#include "base/integer.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Items in lines: item k of line i lies `i line + k step` items behind the
 * first one. */
struct lines {
  const char *items;
  struct th_range held; /* lines that are there, from that of `items` on */
  int64_t length;       /* items of a line */
  int64_t line;
  int64_t step;
};

int64_t th_given_bytes(const struct th_given_matrix *given)
{
  int64_t size = (int64_t)th_items_size(given->values.element);
  if (given->sparse)
    return given->entries *
           (size + (int64_t)th_items_size(given->index.element));
  return given->rows * given->columns * size;
}

/* Items of one line that do not lie one behind the other. */
#define DEFINE_GATHER(name, type)                                              \
  static void name(const void *from, int64_t step, int64_t count, void *to)    \
  {                                                                            \
    const type *item = from;                                                   \
    for (int64_t k = 0; k < count; k++)                                        \
      ((type *)to)[k] = item[k * step];                                        \
  }

DEFINE_GATHER(gather_8, uint8_t)
DEFINE_GATHER(gather_16, uint16_t)
DEFINE_GATHER(gather_32, uint32_t)
DEFINE_GATHER(gather_64, uint64_t)

static void gather_line(const void *from, int64_t step, int64_t count,
                        size_t size, void *to)
{
  if (step == 1)
    memcpy(to, from, (size_t)count * size);
  else if (size == 1)
    gather_8(from, step, count, to);
  else if (size == 2)
    gather_16(from, step, count, to);
  else if (size == 4)
    gather_32(from, step, count, to);
  else
    gather_64(from, step, count, to);
}

static th_status read_given(struct th_items *items, int64_t first,
                            int64_t count, void *to, struct th_error *err)
{
  const struct lines *lines = items->self;
  size_t size = th_items_size(items->element);
  if (first < 0 || count < 0 || first > items->count - count)
    return th_fail(err, TH_EARG, "%s: items beyond the end", items->name);
  for (int64_t done = 0; done < count;) {
    int64_t line = (first + done) / lines->length - lines->held.first;
    int64_t at = (first + done) % lines->length;
    int64_t some = th_min_i64(count - done, lines->length - at);
    int64_t begin = line * lines->line + at * lines->step;
    if (line < 0 || line >= th_range_count(lines->held))
      return th_fail(err, TH_EARG, "%s: a row of another rank", items->name);
    gather_line(lines->items + begin * (int64_t)size, lines->step, some, size,
                (char *)to + (size_t)done * size);
    done += some;
  }
  return TH_OK;
}

void th_given_rows(const struct th_given_matrix *given, struct th_range rows,
                   void *to)
{
  size_t size = th_items_size(given->values.element);
  const char *items = given->values.items;
  for (int64_t i = rows.first; i < rows.last; i++)
    gather_line(items + i * given->row_stride * (int64_t)size,
                given->column_stride, given->columns, size,
                (char *)to +
                    (size_t)((i - rows.first) * given->columns) * size);
}

static void close_given(struct th_items *items)
{
  free(items->self);
}

static th_status open_lines(struct th_items *items, const char *name,
                            enum th_element element, int64_t count,
                            const struct lines *lines, struct th_error *err)
{
  struct lines *self = NULL;
  th_status rc = TH_NEW(&self, 1, "an array", err);
  if (rc != TH_OK)
    return rc;
  *self = *lines;
  *items = (struct th_items){.element = element,
                             .count = count,
                             .in_place = true,
                             .read = read_given,
                             .close = close_given,
                             .self = self};
  snprintf(items->name, sizeof items->name, "%s", name);
  return TH_OK;
}

/* Items that lie one behind the other. */
static th_status open_given_list(struct th_items *items,
                                 const struct th_given_matrix *given,
                                 const char *what,
                                 const struct th_given_items *list,
                                 int64_t count, struct th_error *err)
{
  char name[TH_ITEMS_NAME];
  struct lines lines = {list->items, {0, 1}, th_max_i64(count, 1), 0, 1};
  snprintf(name, sizeof name, "%.200s%s", given->name, what);
  return open_lines(items, name, list->element, count, &lines, err);
}

static th_status open_given_sparse(struct th_matrix *m,
                                   const struct th_given_matrix *given,
                                   struct th_error *err)
{
  int64_t starts = (given->by_columns ? given->columns : given->rows) + 1;
  th_status rc = TH_OK;
  m->form = given->by_columns ? TH_MATRIX_BY_COLUMNS : TH_MATRIX_BY_ROWS;
  TH_TRY(open_given_list(&m->data, given, "", &given->values, given->entries,
                         err));
  TH_TRY(open_given_list(&m->index, given, ", its indices", &given->index,
                         given->entries, err));
  rc = open_given_list(&m->start, given, ", its starts", &given->start, starts,
                       err);
done:
  return rc;
}

static int64_t stride_size(int64_t stride)
{
  return stride < 0 ? -stride : stride;
}

/* The smaller stride is that within a line. */
static th_status open_given_dense(struct th_matrix *m,
                                  const struct th_given_matrix *given,
                                  struct th_error *err)
{
  bool part = th_range_count(given->held) > 0;
  bool turned = !part && stride_size(given->row_stride) <
                             stride_size(given->column_stride);
  struct lines lines = {given->values.items,
                        part ? given->held : (struct th_range){0, given->rows},
                        given->columns, given->row_stride,
                        given->column_stride};
  int64_t items = 0;
  if (turned)
    lines = (struct lines){given->values.items,
                           {0, given->columns},
                           given->rows,
                           given->column_stride,
                           given->row_stride};
  if (__builtin_mul_overflow(given->rows, given->columns, &items))
    return th_fail(err, TH_EARG, "%s: %lld x %lld values are too many",
                   given->name, (long long)given->rows,
                   (long long)given->columns);
  m->form = turned ? TH_MATRIX_TURNED : TH_MATRIX_DENSE;
  return open_lines(&m->data, given->name, given->values.element, items, &lines,
                    err);
}

th_status th_given_open(struct th_matrix *matrix,
                        const struct th_given_matrix *given,
                        struct th_error *err)
{
  snprintf(matrix->name, sizeof matrix->name, "%s", given->name);
  matrix->rows = given->rows;
  matrix->columns = given->columns;
  th_status rc = given->sparse ? open_given_sparse(matrix, given, err)
                               : open_given_dense(matrix, given, err);
  return rc == TH_OK ? th_matrix_open(matrix, err) : rc;
}

th_status th_given_texts(const char *const *given, int64_t count, char ***texts,
                         struct th_error *err)
{
  *texts = NULL;
  if (given == NULL)
    return TH_OK;
  th_status rc = TH_NEW(texts, count, "names", err);
  for (int64_t k = 0; rc == TH_OK && k < count; k++) {
    int64_t bytes = (int64_t)strlen(given[k]) + 1;
    rc = TH_NEW(&(*texts)[k], bytes, "names", err);
    if (rc == TH_OK)
      memcpy((*texts)[k], given[k], (size_t)bytes);
  }
  return rc;
}
