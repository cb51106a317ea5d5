/* id_join.c - the rows of a table that belong to the examples of data, by ID
 * SPDX-License-Identifier: MIT */
#include "io/targets/id_join.h"

#include "base/memory.h"
#include "base/printable.h"
#include "io/files/hash.h"

#include <stdio.h>
#include <string.h>

/* --- IDs of the table, by their hash -------------------------------------- */

static const char *id_of(const struct th_id_join *j, int64_t row)
{
  const struct th_target_row *r = &j->table.row[row];
  return j->table.text + (j->single ? r->single : r->pair);
}

/* The slot of an ID, or the free one for it. */
static int64_t *slot_by_id(const struct th_id_join *j, const char *id,
                           size_t length)
{
  uint64_t at = th_hash(id, length) & j->mask;
  for (; j->slot[at] != 0; at = (at + 1) & j->mask) {
    const char *other = id_of(j, j->slot[at] - 1);
    if (strncmp(other, id, length) == 0 && other[length] == '\0')
      break;
  }
  return &j->slot[at];
}

/* The row that has the ID of an example, or -1. An empty ID is nobody's. */
static int64_t row_by_id(const struct th_id_join *j, int64_t example,
                         size_t *length)
{
  const char *id = j->ids.text + (size_t)example * j->ids.width;
  *length = strnlen(id, j->ids.width);
  const char *blank = j->tail ? memchr(id, ' ', *length) : NULL;
  if (blank != NULL) {
    *length -= (size_t)(blank + 1 - id);
    id = blank + 1;
  }
  return *length == 0 ? -1 : *slot_by_id(j, id, *length) - 1;
}

/* Put all rows in their slots; the first of equal IDs has it. */
static void fill_slots(struct th_id_join *j, bool single)
{
  j->single = single;
  memset(j->slot, 0, ((size_t)j->mask + 1) * sizeof *j->slot);
  for (int64_t k = 0; k < j->table.rows; k++) {
    const char *id = id_of(j, k);
    int64_t *slot = slot_by_id(j, id, strlen(id));
    if (*slot == 0)
      *slot = k + 1;
  }
}

static int64_t count_matches(const struct th_id_join *j)
{
  const int64_t n = j->examples;
  size_t length;
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++)
    count += row_by_id(j, i, &length) >= 0;
  return count;
}

/* Data may have FID and IID, or IID alone, and so may a table: whichever
 * matches more. */
static th_status index_rows(struct th_id_join *j, struct th_error *err)
{
  int64_t size = 2;
  while (size < 2 * j->table.rows)
    size *= 2;
  j->mask = (uint64_t)size - 1;
  th_status rc = TH_NEW(&j->slot, size, "a table", err);
  if (rc != TH_OK)
    return rc;
  fill_slots(j, false);
  int64_t pairs = count_matches(j);
  if (!j->table.paired) {
    j->tail = true;
    j->tail = count_matches(j) > pairs;
    return TH_OK;
  }
  fill_slots(j, true);
  if (count_matches(j) <= pairs)
    fill_slots(j, false);
  return TH_OK;
}

/* --- Examples and rows that belong together ------------------------------- */

/* A few IDs, in quotes. */
enum { SHOWN = 3, LIST = 256 };
static void show_ids(const struct th_id_join *j, bool of_data, char text[LIST])
{
  const int64_t n = of_data ? j->examples : j->table.rows;
  size_t used = 0;
  text[0] = '\0';
  for (int64_t k = 0; k < SHOWN && k < n; k++) {
    const char *id =
        of_data ? j->ids.text + (size_t)k * j->ids.width : id_of(j, k);
    int length = (int)(of_data ? strnlen(id, j->ids.width) : strlen(id));
    used += (size_t)snprintf(text + used, LIST - used, "%s'%.*s'",
                             k > 0 ? ", " : "", length < 60 ? length : 60, id);
  }
}

static th_status nothing_matches(const struct th_id_join *j,
                                 struct th_error *err)
{
  char mine[LIST];
  char theirs[LIST];
  show_ids(j, true, mine);
  show_ids(j, false, theirs);
  return th_fail(err, TH_EDATA,
                 "%s: no ID (%s) is one of %s: there %s, here %s; name another "
                 "column with {ids}, or import the data with other IDs, by "
                 "import {ids} FILE",
                 j->name, j->table.ids, j->data, mine, theirs);
}

static th_status twice_in_table(const struct th_id_join *j, int64_t row,
                                int64_t other, struct th_error *err)
{
  int64_t first = j->table.row[row].line;
  int64_t second = j->table.row[other].line;
  return th_fail(err, TH_EDATA,
                 "%s:%lld: ID '%.60s' stands on line %lld, too; leave one of "
                 "the rows out",
                 j->name, (long long)(first > second ? first : second),
                 id_of(j, row), (long long)(first > second ? second : first));
}

/* The first ID of the table that stands there twice, and is one of the data. */
static th_status check_repeats(const struct th_id_join *j, struct th_error *err)
{
  for (int64_t k = 0; k < j->table.rows; k++) {
    const char *id = id_of(j, k);
    int64_t first = *slot_by_id(j, id, strlen(id)) - 1;
    if (first != k && j->matched[first] != 0)
      return twice_in_table(j, first, k, err);
  }
  return TH_OK;
}

static th_status twice_in_data(const struct th_id_join *j, int64_t row,
                               int64_t example, struct th_error *err)
{
  int64_t number[2] = {0};
  const int64_t stored[2] = {j->matched[row] - 1, example};
  for (int k = 0; k < 2; k++) {
    th_status rc = th_dataset_row_numbers(
        j->dataset, (struct th_rows){stored[k], 1}, &number[k], err);
    if (rc != TH_OK)
      return rc;
  }
  return th_fail(
      err, TH_EDATA,
      "%s: examples %lld and %lld of the input, counted from 0, have "
      "the same ID, '%.60s'; import it with IDs that differ",
      j->data, (long long)(number[0] < number[1] ? number[0] : number[1]),
      (long long)(number[0] < number[1] ? number[1] : number[0]),
      id_of(j, row));
}

/* Find the row of each example. */
static th_status find_rows_of_examples(struct th_id_join *j,
                                       struct th_error *err)
{
  const int64_t n = j->examples;
  size_t length;
  for (int64_t i = 0; i < n; i++) {
    int64_t row = row_by_id(j, i, &length);
    j->row[i] = row;
    if (row < 0)
      continue;
    if (j->matched[row] != 0)
      return twice_in_data(j, row, i, err);
    j->matched[row] = i + 1;
    j->common++;
  }
  return j->common == 0 ? nothing_matches(j, err) : check_repeats(j, err);
}

/* --- The join ------------------------------------------------------------- */

/* Bytes that the table takes, and what the examples take beside it. */
static int64_t bytes_of_join(const struct th_id_join *j, size_t width)
{
  const struct th_target_table *table = &j->table;
  int64_t slots = 2;
  while (slots < 2 * table->rows)
    slots *= 2;
  int64_t rows = table->capacity * (int64_t)sizeof *table->row + table->room +
                 (slots + table->rows) * (int64_t)sizeof(int64_t);
  return rows +
         j->examples * ((int64_t)width + (int64_t)sizeof *j->row + j->beside);
}

static th_status check_join_memory(struct th_id_join *j, int64_t memory,
                                   struct th_error *err)
{
  char needed[32];
  char there[32];
  j->bytes = bytes_of_join(j, th_dataset_ids_width(j->dataset));
  if (memory == 0 || j->bytes <= memory)
    return TH_OK;
  return th_fail(err, TH_ENOMEM,
                 "%s: to find its rows for the %lld examples of %s takes %s on "
                 "rank 0, and there are %s; give more {memory}, or leave out "
                 "of the table what is not needed",
                 j->name, (long long)j->examples, j->data,
                 th_printable_size(j->bytes, needed),
                 th_printable_size(memory, there));
}

th_status th_id_join_read(struct th_id_join *j,
                          const struct th_target_choice *choice, int64_t memory,
                          struct th_error *err)
{
  j->examples = th_dataset_store(j->dataset)->shape.examples;
  const struct th_rows all = {0, j->examples};
  th_status rc;
  j->name = choice->table;
  TH_TRY(th_target_table_read(&j->table, choice, err));
  TH_TRY(check_join_memory(j, memory, err));
  TH_TRY(th_dataset_ids(j->dataset, all, &j->ids, err));
  TH_TRY(TH_NEW(&j->row, all.count, "rows of a table", err));
  TH_TRY(TH_NEW(&j->matched, j->table.rows, "a table", err));
  TH_TRY(index_rows(j, err));
  TH_TRY(find_rows_of_examples(j, err));
done:
  return rc;
}

void th_id_join_free(struct th_id_join *j)
{
  th_target_table_free(&j->table);
  TH_FREE(j->ids.text, j->slot, j->matched, j->row);
}

const char *th_id_join_called(const struct th_id_join *j)
{
  return j->single && j->table.paired ? "IID" : j->table.ids;
}

th_status th_id_join_check(const struct th_dataset *dataset, const char *data,
                           const char *option, struct th_error *err)
{
  if (dataset == NULL)
    return th_fail(err, TH_EUSAGE,
                   "%s is for a data set, and %s are computed; leave it out",
                   option, data);
  if (th_dataset_has_ids(dataset))
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s has no IDs, by which %s finds its examples; import it "
                 "with {id} COLUMN or {ids} FILE",
                 data, option);
}
