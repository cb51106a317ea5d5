/* matrix.c - a dense or sparse matrix of any file, row after row
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/matrix.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/printable.h"

#include <stdlib.h>
#include <string.h>

enum {
  AT_ONCE = 1 << 20,      /* bytes of rows that are read at once */
  PART = 1 << 15,         /* entries that are looked at at once */
  ROWS_AT_ONCE = 1 << 14, /* of a sparse matrix */
  MOST_TURNS = 1000       /* how often a file is read to be sorted */
};

/* --- What a matrix must be ------------------------------------------------ */

static bool is_dense(const struct th_matrix *m)
{
  return m->form == TH_MATRIX_DENSE || m->form == TH_MATRIX_TURNED;
}

/* The first number of an array and its last one. */
static th_status ends_of(struct th_items *items, int64_t end[2],
                         struct th_error *err)
{
  th_status rc = th_items_whole(items, 0, 1, &end[0], err);
  if (rc == TH_OK)
    rc = th_items_whole(items, items->count - 1, 1, &end[1], err);
  return rc;
}

static th_status check_starts(struct th_matrix *m, struct th_error *err)
{
  int64_t lines = m->form == TH_MATRIX_BY_ROWS ? m->rows : m->columns;
  int64_t end[2] = {0};
  if (m->start.count != lines + 1)
    return th_fail(err, TH_EFORMAT,
                   "%s: %lld items, expected %lld, one more than the shape of "
                   "%lld x %lld has %s; the file is damaged, make it again",
                   m->start.name, (long long)m->start.count,
                   (long long)lines + 1, (long long)m->rows,
                   (long long)m->columns,
                   m->form == TH_MATRIX_BY_ROWS ? "rows" : "columns");
  th_status rc = ends_of(&m->start, end, err);
  if (rc == TH_OK && (end[0] != 0 || end[1] != m->data.count))
    rc = th_fail(err, TH_EFORMAT,
                 "%s: goes from %lld to %lld, expected from 0 to %lld, the "
                 "number of entries; the file is damaged, make it again",
                 m->start.name, (long long)end[0], (long long)end[1],
                 (long long)m->data.count);
  return rc;
}

static th_status check_whole(const struct th_items *items, struct th_error *err)
{
  if (th_items_integer(items->element))
    return TH_OK;
  return th_fail(err, TH_EFORMAT,
                 "%s: an array of fractions, expected whole numbers; the file "
                 "is damaged, make it again",
                 items->name);
}

static th_status check_compressed(struct th_matrix *m, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(check_whole(&m->index, err));
  TH_TRY(check_whole(&m->start, err));
  if (m->index.count != m->data.count ||
      (m->form == TH_MATRIX_ENTRIES && m->start.count != m->data.count)) {
    const struct th_items *other =
        m->index.count != m->data.count ? &m->index : &m->start;
    return th_fail(err, TH_EFORMAT,
                   "%s: %lld items, and %s has %lld; the file is damaged, make "
                   "it again",
                   other->name, (long long)other->count, m->data.name,
                   (long long)m->data.count);
  }
  if (m->form != TH_MATRIX_ENTRIES)
    rc = check_starts(m, err);
done:
  return rc;
}

th_status th_matrix_open(struct th_matrix *matrix, struct th_error *err)
{
  int64_t items = 0;
  if (matrix->rows < 0 || matrix->columns < 0)
    return th_fail(err, TH_EFORMAT,
                   "%s: %lld x %lld is no shape of a matrix; make the file "
                   "again",
                   matrix->name, (long long)matrix->rows,
                   (long long)matrix->columns);
  if (matrix->columns > TH_TEXT_ATTRIBUTES && is_dense(matrix))
    return th_fail(
        err, TH_EDATA,
        "%s: %lld x %lld, expected at most %lld columns; write fewer",
        matrix->name, (long long)matrix->rows, (long long)matrix->columns,
        (long long)TH_TEXT_ATTRIBUTES);
  if (matrix->columns == 0)
    return th_fail(err, TH_EDATA, "%s: %lld x 0: no columns; check the file",
                   matrix->name, (long long)matrix->rows);
  if (matrix->form == TH_MATRIX_TEXT)
    return TH_OK;
  if (!is_dense(matrix))
    return check_compressed(matrix, err);
  if (__builtin_mul_overflow(matrix->rows, matrix->columns, &items) ||
      items != matrix->data.count)
    return th_fail(err, TH_EFORMAT,
                   "%s: %lld x %lld does not make %lld items; the file is "
                   "damaged, make it again",
                   matrix->name, (long long)matrix->rows,
                   (long long)matrix->columns, (long long)matrix->data.count);
  return TH_OK;
}

void th_matrix_close(struct th_matrix *matrix)
{
  th_items_close(&matrix->data);
  th_items_close(&matrix->index);
  th_items_close(&matrix->start);
  th_mtx_close(matrix->text);
  TH_FREE(matrix->block.values, matrix->block.column, matrix->block.start,
          matrix->counts, matrix->part.row, matrix->part.column,
          matrix->part.value, matrix->room);
  *matrix = (struct th_matrix){0};
}

/* --- Room for a block ----------------------------------------------------- */

/* Also of a block without entries: its lists are there, which tell it from a
 * dense one. */
static th_status reserve_array(void **array, int64_t *have, int64_t wanted,
                               struct th_error *err)
{
  int64_t bytes = th_max_i64(wanted, 1);
  if (bytes <= *have)
    return TH_OK;
  free(*array);
  *array = NULL;
  *have = 0;
  th_status rc = th_alloc(array, bytes, 1, "rows of an array", err);
  if (rc == TH_OK)
    *have = bytes;
  return rc;
}

/* entries: of a sparse block, or all of a dense one. */
static th_status reserve_block(struct th_matrix *m, int64_t rows,
                               int64_t entries, struct th_error *err)
{
  struct th_matrix_block *block = &m->block;
  int64_t size = (int64_t)th_items_size(block->element);
  th_status rc = TH_OK;
  TH_TRY(reserve_array(&block->values, &block->bytes[0], entries * size, err));
  if (is_dense(m))
    return TH_OK;
  TH_TRY(reserve_array((void **)&block->column, &block->bytes[1],
                       entries * (int64_t)sizeof *block->column, err));
  TH_TRY(reserve_array((void **)&block->start, &block->bytes[2],
                       (rows + 1) * (int64_t)sizeof *block->start, err));
done:
  return rc;
}

/* --- Dense blocks --------------------------------------------------------- */

static th_status refuse_memory(const struct th_matrix *m, int64_t needed,
                               struct th_error *err)
{
  char sizes[2][TH_SIZE_TEXT];
  return th_fail(err, TH_EDATA,
                 "%s: needs %s of memory on a rank, and {memory} leaves %s; "
                 "raise it, or take more ranks",
                 m->name, th_printable_size(needed, sizes[0]),
                 th_printable_size(m->memory, sizes[1]));
}

static th_status load_plain(struct th_matrix *m, struct th_range share,
                            int64_t row, struct th_error *err)
{
  int64_t size = (int64_t)th_items_size(m->data.element);
  int64_t bytes = m->columns * size;
  int64_t rows = th_min_i64(share.last - row, 1 + AT_ONCE / bytes);
  if (bytes > m->memory)
    return refuse_memory(m, bytes, err);
  m->block.element = m->data.element;
  th_status rc = reserve_block(m, rows, rows * m->columns, err);
  if (rc == TH_OK)
    rc = m->data.read(&m->data, row * m->columns, rows * m->columns,
                      m->block.values, err);
  m->block.rows = (struct th_range){row, row + rows};
  return rc;
}

/* Parts of some columns, one behind the other, to their places in rows. */
#define DEFINE_SPREAD(name, type)                                              \
  static void name(const type *from, int64_t some, int64_t rows,               \
                   int64_t columns, type to[])                                 \
  {                                                                            \
    for (int64_t k = 0; k < rows; k++)                                         \
      for (int64_t j = 0; j < some; j++)                                       \
        to[k * columns + j] = from[j * rows + k];                              \
  }

DEFINE_SPREAD(spread_8, uint8_t)
DEFINE_SPREAD(spread_16, uint16_t)
DEFINE_SPREAD(spread_32, uint32_t)
DEFINE_SPREAD(spread_64, uint64_t)

static void spread_columns(const void *from, int64_t some, int64_t rows,
                           int64_t columns, size_t size, void *to)
{
  if (size == 1)
    spread_8(from, some, rows, columns, to);
  else if (size == 2)
    spread_16(from, some, rows, columns, to);
  else if (size == 4)
    spread_32(from, some, rows, columns, to);
  else
    spread_64(from, some, rows, columns, to);
}

/* So many columns of a block are put into rows together: a line of the cache,
 * if values have 4 bytes. */
enum { COLUMNS_TOGETHER = 16, PIECE = 1 << 14 };

/* Columns are read in pieces, which the cache has room for, if rows are no
 * longer than usual. */
static th_status load_turned(struct th_matrix *m, struct th_range share,
                             int64_t row, struct th_error *err)
{
  size_t size = th_items_size(m->data.element);
  int64_t bytes = (m->columns + COLUMNS_TOGETHER) * (int64_t)size;
  int64_t piece = th_max_i64(PIECE, (share.last - row) / MOST_TURNS + 1);
  int64_t rows =
      th_min_i64(share.last - row, th_min_i64(piece, m->memory / bytes));
  th_status rc = TH_OK;
  if (rows == 0 || (share.last - row) / rows > MOST_TURNS)
    return refuse_memory(
        m, th_max_i64(bytes, bytes * (share.last - row) / MOST_TURNS), err);
  m->block.element = m->data.element;
  TH_TRY(reserve_block(m, rows, rows * m->columns, err));
  free(m->room);
  m->room = NULL;
  TH_TRY(th_alloc(&m->room, rows * COLUMNS_TOGETHER, size, "columns", err));
  for (int64_t j = 0; j < m->columns; j += COLUMNS_TOGETHER) {
    int64_t some = th_min_i64(COLUMNS_TOGETHER, m->columns - j);
    for (int64_t k = 0; k < some; k++)
      TH_TRY(m->data.read(&m->data, (j + k) * m->rows + row, rows,
                          (char *)m->room + (size_t)(k * rows) * size, err));
    spread_columns(m->room, some, rows, m->columns, size,
                   (char *)m->block.values + (size_t)j * size);
  }
  m->block.rows = (struct th_range){row, row + rows};
done:
  return rc;
}

/* --- The entries of a row in order, each column once ---------------------- */

static th_status wrong_column(const struct th_matrix *m, int64_t row,
                              int64_t column, struct th_error *err)
{
  return th_fail(err, TH_EFORMAT,
                 "%s: row %lld, counted from 0, has an entry in column %lld, "
                 "expected 0..%lld; the file is damaged, make it again",
                 m->name, (long long)row, (long long)column,
                 (long long)m->columns - 1);
}

static th_status wrong_start(const struct th_matrix *m, int64_t line,
                             int64_t start, struct th_error *err)
{
  return th_fail(err, TH_EFORMAT,
                 "%s: item %lld is %lld, expected 0..%lld, and no less than "
                 "the item before it; the file is damaged, make it again",
                 m->start.name, (long long)line, (long long)start,
                 (long long)m->data.count);
}

/* An entry that is being sorted: its column, and its place before. */
struct sorted {
  int64_t column;
  int64_t place;
  double value;
};

static int compare_sorted(const void *a, const void *b)
{
  const struct sorted *one = a;
  const struct sorted *other = b;
  int order = th_integer_ascending(a, b);
  return order != 0 ? order
                    : (one->place > other->place) - (one->place < other->place);
}

static bool ascends(const uint32_t *column, int64_t count)
{
  bool ascending = true;
  for (int64_t k = 1; k < count; k++)
    ascending = ascending && column[k - 1] < column[k];
  return ascending;
}

/* Sort a row's entries and add up those of one column; they are doubles.
 * *count: how many are left. */
static th_status sort_row(uint32_t *column, double *value, int64_t *count,
                          struct th_error *err)
{
  struct sorted *list = NULL;
  th_status rc = TH_NEW(&list, *count, "entries of a row", err);
  int64_t kept = 0;
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 0; k < *count; k++)
    list[k] = (struct sorted){column[k], k, value[k]};
  qsort(list, (size_t)*count, sizeof *list, compare_sorted);
  for (int64_t k = 0; k < *count; k++) {
    if (kept > 0 && column[kept - 1] == list[k].column) {
      value[kept - 1] += list[k].value;
      continue;
    }
    column[kept] = (uint32_t)list[k].column;
    value[kept++] = list[k].value;
  }
  *count = kept;
  free(list);
  return TH_OK;
}

/* The values of a block as doubles, whatever they were. */
static th_status widen_values(struct th_matrix *m, int64_t entries,
                              struct th_error *err)
{
  double *values = NULL;
  th_status rc = TH_NEW(&values, entries, "entries of rows", err);
  if (rc != TH_OK)
    return rc;
  th_items_doubles(m->block.element, m->block.values, 0, entries, values);
  free(m->block.values);
  m->block.values = values;
  m->block.bytes[0] = entries * (int64_t)sizeof *values;
  m->block.element = TH_ELEMENT_F64;
  return TH_OK;
}

/* Rows whose entries do not ascend are sorted; most files have none. */
static th_status sort_block(struct th_matrix *m, struct th_error *err)
{
  struct th_matrix_block *block = &m->block;
  int64_t rows = th_range_count(block->rows);
  int64_t kept = 0;
  th_status rc = TH_OK;
  for (int64_t k = 0; k < rows; k++)
    if (!ascends(block->column + block->start[k],
                 block->start[k + 1] - block->start[k]))
      kept = -1;
  if (kept == 0)
    return TH_OK;
  kept = 0;
  if (block->element != TH_ELEMENT_F64)
    TH_TRY(widen_values(m, block->start[rows], err));
  double *value = block->values;
  for (int64_t k = 0; k < rows; k++) {
    int64_t first = block->start[k];
    int64_t count = block->start[k + 1] - first;
    if (!ascends(block->column + first, count))
      TH_TRY(sort_row(block->column + first, value + first, &count, err));
    memmove(block->column + kept, block->column + first,
            (size_t)count * sizeof *block->column);
    memmove(value + kept, value + first, (size_t)count * sizeof *value);
    block->start[k] = kept;
    kept += count;
  }
  block->start[rows] = kept;
done:
  return rc;
}

/* --- Columns that number others, or none ---------------------------------- */

enum { ABSENT = -1 };

/* What a column of an entry is called by in a block: ABSENT for none. */
static th_status number_column(const struct th_matrix *m, int64_t column,
                               uint32_t *number, struct th_error *err)
{
  const struct th_matrix_numbers *numbers = &m->numbers;
  *number = (uint32_t)column;
  if (numbers->set == NULL)
    return TH_OK;
  uint64_t index = (uint64_t)column + numbers->first;
  int64_t found = th_index_set_find(numbers->set, index);
  *number = (uint32_t)found;
  if (found >= 0)
    return TH_OK;
  ++*numbers->left_out;
  return th_index_set_note(numbers->unseen, index, err);
}

/* Entries of columns that are left out leave a block. */
static void drop_unnumbered(struct th_matrix *m)
{
  struct th_matrix_block *block = &m->block;
  const size_t size = th_items_size(block->element);
  const int64_t rows = th_range_count(block->rows);
  char *values = block->values;
  int64_t kept = 0;
  int64_t first = 0;
  for (int64_t k = 0; m->numbers.set != NULL && k < rows; k++) {
    int64_t last = block->start[k + 1];
    block->start[k] = kept;
    for (int64_t e = first; e < last; e++) {
      if (block->column[e] == (uint32_t)ABSENT)
        continue;
      block->column[kept] = block->column[e];
      memmove(values + (size_t)kept * size, values + (size_t)e * size, size);
      kept++;
    }
    first = last;
  }
  if (m->numbers.set != NULL)
    block->start[rows] = kept;
}

/* --- Blocks of sparse rows ------------------------------------------------ */

static th_status reserve_part(struct th_matrix *m, struct th_error *err)
{
  th_status rc = TH_OK;
  if (m->part.value != NULL)
    return TH_OK;
  TH_TRY(TH_NEW(&m->part.row, PART, "entries", err));
  TH_TRY(TH_NEW(&m->part.column, PART, "entries", err));
  TH_TRY(TH_NEW(&m->part.value, PART, "entries", err));
done:
  return rc;
}

/* The starts of the next rows from `row` on, as many as a block may have. */
static th_status read_starts(struct th_matrix *m, struct th_range share,
                             int64_t row, int64_t *rows, struct th_error *err)
{
  int64_t most = th_min_i64(share.last - row, ROWS_AT_ONCE);
  int64_t *start = NULL;
  int64_t fit = 1;
  th_status rc = TH_OK;
  TH_TRY(reserve_array((void **)&m->block.start, &m->block.bytes[2],
                       (ROWS_AT_ONCE + 1) * (int64_t)sizeof *start, err));
  start = m->block.start;
  TH_TRY(th_items_whole(&m->start, row, most + 1, start, err));
  for (int64_t k = 0; k <= most; k++)
    if (start[k] < (k > 0 ? start[k - 1] : 0) || start[k] > m->data.count)
      return wrong_start(m, row + k, start[k], err);
  while (fit < most && start[fit + 1] - start[0] <= AT_ONCE / 4)
    fit++;
  *rows = fit;
done:
  return rc;
}

static th_status load_columns(struct th_matrix *m, int64_t row, int64_t begin,
                              int64_t entries, struct th_error *err)
{
  th_status rc = reserve_part(m, err);
  for (int64_t k = 0; rc == TH_OK && k < entries; k += PART) {
    int64_t some = th_min_i64(entries - k, PART);
    rc = th_items_whole(&m->index, begin + k, some, m->part.column, err);
    for (int64_t j = 0; rc == TH_OK && j < some; j++) {
      int64_t column = m->part.column[j];
      if (column < 0 || column >= m->columns) {
        while (m->block.start[row + 1 - m->block.rows.first] <= k + j)
          row++;
        return wrong_column(m, row, column, err);
      }
      rc = number_column(m, column, &m->block.column[k + j], err);
      if (rc != TH_OK)
        return rc;
    }
  }
  return rc;
}

static th_status load_rows(struct th_matrix *m, struct th_range share,
                           int64_t row, struct th_error *err)
{
  struct th_matrix_block *block = &m->block;
  int64_t rows = 0;
  th_status rc = TH_OK;
  TH_TRY(read_starts(m, share, row, &rows, err));
  int64_t begin = block->start[0];
  int64_t entries = block->start[rows] - begin;
  int64_t each = 4 + 2 * (int64_t)sizeof(double);
  if (entries > m->memory / each && entries > AT_ONCE / 4)
    return refuse_memory(m, entries * each, err);
  block->element = m->data.element;
  TH_TRY(reserve_block(m, ROWS_AT_ONCE, entries, err));
  for (int64_t k = 0; k <= rows; k++)
    block->start[k] -= begin;
  block->rows = (struct th_range){row, row + rows};
  TH_TRY(load_columns(m, row, begin, entries, err));
  TH_TRY(m->data.read(&m->data, begin, entries, block->values, err));
  drop_unnumbered(m);
  rc = sort_block(m, err);
done:
  return rc;
}

/* --- Entries in another order, sorted into rows --------------------------- */

enum { AHEAD = 512 };

/* Where a reader of entries stands. */
struct place {
  int64_t entry;
  int64_t column;       /* of a matrix by columns: that of the entry, */
  int64_t end;          /* where it ends, */
  int64_t read;         /* the ends of how many columns have been read, */
  int64_t ahead[AHEAD]; /* and these, by columns modulo AHEAD */
};

/* Go to the next column. */
static th_status turn_column(struct th_matrix *m, struct place *place,
                             struct th_error *err)
{
  int64_t column = ++place->column;
  th_status rc = TH_OK;
  if (column >= m->columns)
    return wrong_start(m, m->columns, place->end, err);
  if (column == place->read) {
    int64_t some = th_min_i64(AHEAD, m->columns - column);
    rc = th_items_whole(&m->start, column + 1, some, place->ahead, err);
    place->read += some;
  }
  int64_t end = place->ahead[column % AHEAD];
  if (rc == TH_OK && (end < place->end || end > m->data.count))
    return wrong_start(m, column + 1, end, err);
  place->end = end;
  return rc;
}

/* Walk the columns beside the entries. */
static th_status number_columns(struct th_matrix *m, struct place *place,
                                int64_t count, struct th_error *err)
{
  for (int64_t k = 0; k < count; k++) {
    while (place->entry + k >= place->end) {
      th_status rc = turn_column(m, place, err);
      if (rc != TH_OK)
        return rc;
    }
    m->part.column[k] = place->column;
  }
  return TH_OK;
}

/* The next entries from the place on; none: the end. */
static th_status read_part(struct th_matrix *m, struct place *place,
                           bool values, struct th_error *err)
{
  struct th_mtx_part *part = &m->part;
  th_status rc = TH_OK;
  if (m->form == TH_MATRIX_TEXT)
    return th_mtx_part(m->text, place->entry == 0, PART, part, err);
  part->count = th_min_i64(m->data.count - place->entry, PART);
  if (m->form == TH_MATRIX_ENTRIES) {
    TH_TRY(
        th_items_whole(&m->start, place->entry, part->count, part->row, err));
    TH_TRY(th_items_whole(&m->index, place->entry, part->count, part->column,
                          err));
  } else {
    TH_TRY(
        th_items_whole(&m->index, place->entry, part->count, part->row, err));
    TH_TRY(number_columns(m, place, part->count, err));
  }
  if (values)
    TH_TRY(th_items_numbers(&m->data, place->entry, part->count, part->value,
                            err));
done:
  return rc;
}

static th_status check_part(const struct th_matrix *m, const struct place *at,
                            struct th_error *err)
{
  const struct th_mtx_part *part = &m->part;
  for (int64_t k = 0; k < part->count; k++) {
    if (part->column[k] < 0 || part->column[k] >= m->columns)
      return wrong_column(m, part->row[k], part->column[k], err);
    if (part->row[k] < 0 || part->row[k] >= m->rows)
      return th_fail(err, TH_EFORMAT,
                     "%s: entry %lld is in row %lld, expected 0..%lld; the "
                     "file is damaged, make it again",
                     m->name, (long long)(at->entry + k),
                     (long long)part->row[k], (long long)m->rows - 1);
  }
  return TH_OK;
}

/* How many entries each row of the share has. */
static th_status count_by_row(struct th_matrix *m, struct th_range share,
                              struct th_error *err)
{
  struct place place = {.column = -1};
  th_status rc = TH_OK;
  int64_t bytes = 8 * th_range_count(share);
  free(m->counts);
  m->counts = NULL;
  if (bytes > m->memory / 2)
    return refuse_memory(m, 2 * bytes, err);
  TH_TRY(TH_NEW(&m->counts, th_range_count(share), "counts of entries", err));
  TH_TRY(reserve_part(m, err));
  while (true) {
    TH_TRY(read_part(m, &place, false, err));
    if (m->part.count == 0)
      break;
    TH_TRY(check_part(m, &place, err));
    for (int64_t k = 0; k < m->part.count; k++) {
      int64_t row = m->part.row[k];
      if (row >= share.first && row < share.last)
        m->counts[row - share.first]++;
    }
    place.entry += m->part.count;
  }
  m->counted = share;
done:
  return rc;
}

/* Rows from `row` on that memory has room for, and their entries. */
static th_status rows_that_fit(struct th_matrix *m, struct th_range share,
                               int64_t row, int64_t *rows, int64_t *entries,
                               struct th_error *err)
{
  const int64_t each = 4 + sizeof(double);
  int64_t most = m->memory / 2 / each;
  int64_t all = 0;
  *rows = 0;
  *entries = 0;
  for (int64_t k = row; k < share.last; k++)
    all += m->counts[k - share.first];
  while (row + *rows < share.last) {
    int64_t more = m->counts[row + *rows - share.first];
    if (*entries + more > most)
      break;
    *entries += more;
    ++*rows;
  }
  if (*rows == 0 || all / th_max_i64(*entries, 1) > MOST_TURNS)
    return refuse_memory(m, 2 * each * (all / MOST_TURNS + 1), err);
  return TH_OK;
}

/* Put the entries of the block's rows where they belong; start[k + 1] is where
 * the next one of row k goes. */
static th_status fill_block(struct th_matrix *m, int64_t entries,
                            struct th_error *err)
{
  struct th_matrix_block *block = &m->block;
  struct place place = {.column = -1};
  th_status rc = TH_OK;
  while (true) {
    TH_TRY(read_part(m, &place, true, err));
    if (m->part.count == 0)
      break;
    TH_TRY(check_part(m, &place, err));
    for (int64_t k = 0; k < m->part.count; k++) {
      int64_t row = m->part.row[k];
      if (row < block->rows.first || row >= block->rows.last)
        continue;
      int64_t *next = &block->start[row - block->rows.first + 1];
      if (*next >= entries)
        return th_fail(err, TH_EIO,
                       "%s changed while it was read; import a "
                       "copy",
                       m->name);
      ((double *)block->values)[*next] = m->part.value[k];
      TH_TRY(number_column(m, m->part.column[k], &block->column[*next], err));
      ++*next;
    }
    place.entry += m->part.count;
  }
done:
  return rc;
}

/* Sort entries into rows, which takes reading all of them for each block. A
 * file that changes meanwhile cannot leave the block. */
static th_status load_sorted(struct th_matrix *m, struct th_range share,
                             int64_t row, struct th_error *err)
{
  struct th_matrix_block *block = &m->block;
  int64_t rows = 0;
  int64_t entries = 0;
  th_status rc = TH_OK;
  if (m->counts == NULL || m->counted.first != share.first ||
      m->counted.last != share.last)
    TH_TRY(count_by_row(m, share, err));
  TH_TRY(rows_that_fit(m, share, row, &rows, &entries, err));
  block->element = TH_ELEMENT_F64;
  TH_TRY(reserve_block(m, rows, entries, err));
  block->rows = (struct th_range){row, row + rows};
  block->start[0] = 0;
  for (int64_t k = 0, sum = 0; k < rows; k++) {
    block->start[k + 1] = sum;
    sum += m->counts[row - share.first + k];
  }
  TH_TRY(fill_block(m, entries, err));
  drop_unnumbered(m);
  rc = sort_block(m, err);
done:
  return rc;
}

/* --- Columns that occur --------------------------------------------------- */

/* Of a matrix by columns: those with entries. */
static th_status see_columns(struct th_matrix *m, struct th_range some,
                             const struct th_matrix_seer *seer,
                             struct th_error *err)
{
  int64_t start[AHEAD + 1];
  int64_t column[AHEAD];
  bool enough = false;
  th_status rc = TH_OK;
  for (int64_t c = some.first; rc == TH_OK && !enough && c < some.last;
       c += AHEAD) {
    int64_t count = th_min_i64(AHEAD, some.last - c);
    int64_t found = 0;
    rc = th_items_whole(&m->start, c, count + 1, start, err);
    for (int64_t k = 0; k < count; k++)
      if (start[k + 1] > start[k])
        column[found++] = c + k;
    if (rc == TH_OK)
      rc = seer->see(seer->self, column, found, &enough, err);
  }
  return rc;
}

/* The columns of entries that were read: those up to the first that cannot be.
 */
static th_status see_part(struct th_matrix *m, int64_t count,
                          const struct th_matrix_seer *seer, bool *enough,
                          struct th_error *err)
{
  const int64_t *column = m->part.column;
  int64_t good = 0;
  while (good < count && column[good] >= 0 && column[good] < m->columns)
    good++;
  th_status rc = seer->see(seer->self, column, good, enough, err);
  *enough = *enough || good < count;
  return rc;
}

static th_status see_text(struct th_matrix *m,
                          const struct th_matrix_seer *seer,
                          struct th_error *err)
{
  bool enough = false;
  th_status rc = th_mtx_part(m->text, true, PART, &m->part, err);
  while (rc == TH_OK && !enough && m->part.count > 0) {
    rc = see_part(m, m->part.count, seer, &enough, err);
    if (rc == TH_OK && !enough)
      rc = th_mtx_part(m->text, false, PART, &m->part, err);
  }
  return rc;
}

th_status th_matrix_columns(struct th_matrix *matrix, int64_t part,
                            int64_t parts, const struct th_matrix_seer *seer,
                            struct th_error *err)
{
  struct th_matrix *m = matrix;
  bool by_columns = m->form == TH_MATRIX_BY_COLUMNS;
  int64_t all = by_columns ? m->columns : m->data.count;
  bool enough = false;
  th_status rc = reserve_part(m, err);
  if (rc == TH_OK && m->form == TH_MATRIX_TEXT)
    return part == 0 ? see_text(m, seer, err) : TH_OK;
  struct th_range some = th_range_part(all, part, parts);
  if (rc == TH_OK && by_columns)
    return see_columns(m, some, seer, err);
  for (int64_t e = some.first; rc == TH_OK && !enough && e < some.last;
       e += PART) {
    int64_t count = th_min_i64(PART, some.last - e);
    rc = th_items_whole(&m->index, e, count, m->part.column, err);
    if (rc == TH_OK)
      rc = see_part(m, count, seer, &enough, err);
  }
  return rc;
}

/* --- Row after row -------------------------------------------------------- */

static th_status load_block(struct th_matrix *m, struct th_range share,
                            int64_t row, struct th_error *err)
{
  switch (m->form) {
  case TH_MATRIX_DENSE:
    return load_plain(m, share, row, err);
  case TH_MATRIX_TURNED:
    return load_turned(m, share, row, err);
  case TH_MATRIX_BY_ROWS:
    return load_rows(m, share, row, err);
  case TH_MATRIX_BY_COLUMNS:
  case TH_MATRIX_ENTRIES:
  case TH_MATRIX_TEXT:
    break;
  }
  return load_sorted(m, share, row, err);
}

th_status th_matrix_next(struct th_matrix *matrix, struct th_range share,
                         int64_t row, struct th_matrix_row *values,
                         struct th_error *err)
{
  struct th_matrix_block *block = &matrix->block;
  if (row < block->rows.first || row >= block->rows.last) {
    block->rows = (struct th_range){0, 0};
    th_status rc = load_block(matrix, share, row, err);
    if (rc != TH_OK) {
      block->rows = (struct th_range){0, 0};
      return rc;
    }
  }
  int64_t k = row - block->rows.first;
  *values = (struct th_matrix_row){.count = matrix->columns,
                                   .values = block->values,
                                   .first = k * matrix->columns,
                                   .element = block->element};
  if (is_dense(matrix))
    return TH_OK;
  values->first = block->start[k];
  values->count = block->start[k + 1] - block->start[k];
  values->column = block->column + block->start[k];
  return TH_OK;
}
