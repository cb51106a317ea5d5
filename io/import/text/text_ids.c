/* text_ids.c - the IDs of examples on their way from text into a data set
 * SPDX-License-Identifier: MIT */
#include "io/import/text/text_ids.h"

#include "base/memory.h"
#include "base/printable.h"
#include "io/import/text/text_files.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 64 << 20 };

static th_status append_id(struct th_text_ids *ids, const char *text,
                           int64_t length, struct th_error *err)
{
  int64_t wanted = ids->bytes + length + 1;
  th_status rc = TH_GROW(&ids->text, &ids->capacity, wanted, "IDs", err);
  if (rc != TH_OK)
    return rc;
  memcpy(ids->text + ids->bytes, text, (size_t)length);
  ids->text[wanted - 1] = '\0';
  ids->bytes = wanted;
  ids->longest = length > ids->longest ? length : ids->longest;
  return TH_OK;
}

th_status th_text_ids_add(struct th_text_ids *ids, const char *id,
                          struct th_error *err)
{
  return append_id(ids, id, (int64_t)strlen(id), err);
}

th_status th_text_ids_join(struct th_text_ids *ids,
                           const struct th_text_ids *more, struct th_error *err)
{
  if (more->bytes == 0)
    return TH_OK;
  th_status rc =
      TH_GROW(&ids->text, &ids->capacity, ids->bytes + more->bytes, "IDs", err);
  if (rc != TH_OK)
    return rc;
  memcpy(ids->text + ids->bytes, more->text, (size_t)more->bytes);
  ids->bytes += more->bytes;
  ids->longest = more->longest > ids->longest ? more->longest : ids->longest;
  return TH_OK;
}

void th_text_ids_free(struct th_text_ids *ids)
{
  free(ids->text);
  *ids = (struct th_text_ids){0};
}

/* --- A file of IDs -------------------------------------------------------- */

static bool is_around(char byte)
{
  return byte == ' ' || byte == '\t' || byte == '\r';
}

/* A line without blanks around its ID. */
static th_status read_id(struct th_text_ids *ids, struct th_line *line,
                         struct th_error *err)
{
  while (line->length > 0 && is_around(line->text[line->length - 1]))
    line->length--;
  const char *text = line->text;
  while (line->length > 0 && is_around(*text)) {
    text++;
    line->length--;
  }
  if (line->length == 0)
    return th_text_row_fail(line, line->text, err,
                            "an empty line, expected an ID; remove the line, "
                            "or give the example an ID");
  if (line->too_long || line->length > TH_ID_LONGEST)
    return th_text_row_fail(line, line->text, err,
                            "an ID of more than %d bytes found; shorten it",
                            TH_ID_LONGEST);
  return append_id(ids, text, line->length, err);
}

/* A list that is read, of so many IDs. */
struct id_list {
  struct th_text_ids *ids;
  int64_t count;
  int64_t found;
};

static th_status take_id_line(void *self, struct th_line *line,
                              struct th_error *err)
{
  struct id_list *list = self;
  return list->found++ < list->count ? read_id(list->ids, line, err) : TH_OK;
}

static th_status read_id_lines(void *self, struct th_text_file *file,
                               struct th_error *err)
{
  enum { LONGEST_LINE = 4096 };
  struct id_list *list = self;
  th_status rc =
      th_text_lines_each(file, LONGEST_LINE, 0, take_id_line, list, err);
  if (rc != TH_OK || list->found == list->count)
    return rc;
  return th_fail(
      err, TH_EDATA,
      "%s:%lld: %lld lines with IDs found, expected %lld, as there "
      "are examples; give each example one, in the order of the "
      "input",
      file->name,
      (long long)(list->found < list->count ? list->found : list->count + 1),
      (long long)list->found, (long long)list->count);
}

th_status th_text_ids_read(struct th_text_ids *ids, const char *name,
                           const char *output, int64_t count,
                           struct th_error *err)
{
  struct id_list list = {.ids = ids, .count = count};
  return th_text_files_alone(name, output, read_id_lines, &list, err);
}

/* --- From all ranks to the master ----------------------------------------- */

/* Where the IDs of all ranks arrive. */
struct arrival {
  int64_t *sizes; /* of an exchange: sent, received */
  char *text;     /* on rank 0 */
  int64_t bytes;
  int64_t longest;
};

/* The IDs lie in memory as text, as a list and, twice, as they are written: as
 * what is stored, and in the master. */
static th_status check_room_for_all(const struct arrival *a, int64_t count,
                                    int64_t memory, struct th_error *err)
{
  int64_t most = memory > LEAST_ROOM ? memory : LEAST_ROOM;
  int64_t width = a->longest > 1 ? a->longest : 1;
  double needed =
      2.0 * (double)a->bytes +
      (double)count * (double)(2 * (int64_t)sizeof(char *) + 2 * width);
  char sizes[2][TH_SIZE_TEXT];
  if (needed <= (double)most)
    return TH_OK;
  th_printable_size(needed < 9e18 ? (int64_t)needed : INT64_MAX, sizes[0]);
  th_printable_size(most, sizes[1]);
  return th_fail(err, TH_EDATA,
                 "IDs of %lld examples, the longest of %lld bytes, need %s of "
                 "memory on rank 0, and {memory} leaves %s; raise it, shorten "
                 "the IDs, or leave them out",
                 (long long)count, (long long)a->longest, sizes[0], sizes[1]);
}

static th_status begin(struct arrival *a, const struct th_text_ids *ids,
                       struct th_comm *comm, int64_t count, int64_t memory,
                       struct th_error *err)
{
  th_status rc = TH_NEW(&a->sizes, 2 * (int64_t)comm->size, "IDs", err);
  TH_TRY(th_agree(comm, rc, err));
  int64_t *receive = a->sizes + comm->size;
  receive[comm->rank] = ids->bytes;
  a->longest = ids->longest;
  comm->ops->sum_i64(comm, receive, (size_t)comm->size);
  comm->ops->max_i64(comm, &a->longest, 1);
  for (int r = 0; r < comm->size; r++)
    a->bytes += receive[r];
  TH_TRY(check_room_for_all(a, count, memory, err));
  if (comm->rank == 0)
    rc = TH_NEW(&a->text, a->bytes, "IDs", err);
  TH_TRY(th_agree(comm, rc, err));
  a->sizes[0] = ids->bytes;
  for (int r = 0; comm->rank > 0 && r < comm->size; r++)
    receive[r] = 0;
done:
  return rc;
}

/* Behind the list lie its texts, in the order of the input. Local. */
static th_status put_in_order(const struct arrival *a, const int64_t *row,
                              int64_t count, char ***stored,
                              struct th_error *err)
{
  char **by_row = NULL;
  char **list = NULL;
  th_status rc = TH_NEW(&by_row, count, "IDs", err);
  if (rc == TH_OK)
    rc = th_alloc((void **)&list, count * (int64_t)sizeof *list + a->bytes, 1,
                  "IDs", err);
  if (rc == TH_OK) {
    char *at = (char *)(list + count);
    memcpy(at, a->text, (size_t)a->bytes);
    for (int64_t k = 0; k < count; k++) {
      by_row[k] = at;
      at += strlen(at) + 1;
    }
    for (int64_t k = 0; k < count; k++)
      list[k] = by_row[row[k]];
    *stored = list;
  }
  free(by_row);
  return rc;
}

th_status th_text_ids_collect(const struct th_text_ids *ids,
                              struct th_comm *comm, const int64_t *row,
                              int64_t count, int64_t memory, char ***stored,
                              struct th_error *err)
{
  struct arrival a = {0};
  th_status rc = TH_OK;
  TH_TRY(begin(&a, ids, comm, count, memory, err));
  comm->ops->exchange(comm, ids->text, a.sizes, a.text, a.sizes + comm->size);
  if (comm->rank == 0)
    rc = put_in_order(&a, row, count, stored, err);
  TH_TRY(th_agree(comm, rc, err));
done:
  TH_FREE(a.sizes, a.text);
  return rc;
}
