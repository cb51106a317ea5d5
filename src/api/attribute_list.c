/* attribute_list.c - a list of attributes in an option, or in a file that it
 * names: numbers or names
 * SPDX-License-Identifier: MIT */
#include "api/attribute_list.h"

#include "api/match.h"
#include "base/integer.h"
#include "base/memory.h"
#include "io/import/text/text_files.h"
#include "io/import/text/text_row.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void th_attribute_list_free(struct th_attribute_list *list)
{
  TH_FREE(list->text, list->item);
}

bool th_attribute_list_numbers(const char *text)
{
  return text[0] != '\0' && text[strspn(text, "0123456789,:.eE+- ")] == '\0';
}

static int64_t count_items(const char *text)
{
  int64_t count = 1;
  for (; *text != '\0'; text++)
    count += *text == ',';
  return count;
}

static th_status refuse_item(const struct th_attribute_list *list,
                             const char *text, struct th_error *err)
{
  return th_fail(err, TH_EUSAGE, "%s %.40s: not a list such as 3,17,20%s",
                 list->option, text,
                 list->coefficients ? " or 3:0.5,17:-2" : ", or names");
}

/* Cut off and read a coefficient. False if the text after the colon is not a
 * number. */
static bool take_coef(char *text, struct th_listed_attribute *item, bool *coef)
{
  char *colon = strrchr(text, ':');
  char *end = NULL;
  *coef = colon != NULL;
  item->coef = 0;
  if (colon == NULL)
    return true;
  item->coef = strtod(colon + 1, &end);
  *colon = '\0';
  return end != colon + 1 && *end == '\0' && isfinite(item->coef);
}

/* What an attribute may be said by. A name comes after a number, and is one
 * where it is an index. */
enum naming { BY_NUMBER, BY_NAME, BY_INDEX };

/* Read an attribute. */
static th_status read_item(const struct th_attribute_list *list, char *text,
                           enum naming naming, struct th_listed_attribute *item,
                           bool *coef, int64_t attributes, struct th_error *err)
{
  char *end;
  char whole[64];
  snprintf(whole, sizeof whole, "%s", text);
  if (list->coefficients && !take_coef(text, item, coef))
    return refuse_item(list, whole, err);
  errno = 0;
  item->attribute = strtoll(text, &end, 10);
  bool number = end != text && *end == '\0' && errno == 0;
  number = number && naming != BY_INDEX;
  item->name = naming != BY_NUMBER && !number ? text : NULL;
  if (text[0] == '\0' || (!number && naming == BY_NUMBER))
    return refuse_item(list, whole, err);
  if (number && (item->attribute < 0 || item->attribute >= attributes))
    return th_fail(err, TH_EUSAGE,
                   "%s: attribute %" PRId64 " is not within 0..%" PRId64,
                   list->option, item->attribute, attributes - 1);
  return TH_OK;
}

/* Local, replicated. */
static th_status read_items(struct th_attribute_list *list, const char *text,
                            enum naming naming, int64_t attributes,
                            struct th_error *err)
{
  th_status rc;
  size_t bytes = strlen(text) + 1;
  list->count = count_items(text);
  TH_TRY(TH_NEW(&list->item, list->count, list->option, err));
  TH_TRY(TH_NEW(&list->text, (int64_t)bytes, list->option, err));
  memcpy(list->text, text, bytes);
  char *next = list->text;
  for (int64_t k = 0; k < list->count; k++) {
    bool coef = false;
    char *item = next;
    next += strcspn(item, ",");
    *next++ = '\0';
    TH_TRY(
        read_item(list, item, naming, &list->item[k], &coef, attributes, err));
    if (k > 0 && coef != list->has_coef)
      return th_fail(err, TH_EUSAGE,
                     "%s: give a coefficient to all attributes or to none",
                     list->option);
    list->has_coef = coef;
  }
done:
  return rc;
}

/* Replace names by numbers. Collective. */
static th_status resolve_names(struct th_attribute_list *list,
                               struct th_data *data, struct th_comm *comm,
                               struct th_error *err)
{
  char **name = NULL;
  int64_t *attribute = NULL;
  int64_t names = 0;
  th_status rc = TH_NEW(&name, list->count, list->option, err);
  if (rc == TH_OK)
    rc = TH_NEW(&attribute, list->count, list->option, err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < list->count; k++)
    if (list->item[k].name != NULL)
      name[names++] = list->item[k].name;
  TH_TRY(th_match_names(data, name, names, attribute, list->option, comm, err));
  names = 0;
  for (int64_t k = 0; k < list->count; k++)
    if (list->item[k].name != NULL)
      list->item[k].attribute = attribute[names++];
done:
  TH_FREE(name, attribute);
  return rc;
}

/* Local, replicated. */
static th_status sort_items(struct th_attribute_list *list,
                            struct th_error *err)
{
  qsort(list->item, (size_t)list->count, sizeof *list->item,
        th_integer_ascending);
  for (int64_t k = 1; k < list->count; k++)
    if (list->item[k].attribute == list->item[k - 1].attribute)
      return th_fail(err, TH_EUSAGE, "%s: attribute %" PRId64 " is there twice",
                     list->option, list->item[k].attribute);
  return TH_OK;
}

/* --- Lists in files ------------------------------------------------------- */

enum { LONGEST_LINE = 1 << 16 };

/* What rank 0 reads. */
struct numbered {
  const struct th_attribute_file *file;
  char *text; /* names, each with its 0 */
  int64_t used;
  int64_t room;
  double *value;
  int64_t count;
  int64_t capacity;
};

static bool is_space_or_tab(char c)
{
  return c == ' ' || c == '\t';
}

static bool is_between(char c)
{
  return is_space_or_tab(c) || c == ',';
}

/* Keep a line's name, which ends at `end`, and its value. */
static th_status keep_numbered(struct numbered *e, const char *name,
                               const char *end, double value,
                               struct th_error *err)
{
  int64_t length = end - name;
  th_status rc;
  TH_TRY(TH_GROW(&e->text, &e->room, e->used + length + 1, "attributes", err));
  TH_TRY(TH_GROW(&e->value, &e->capacity, e->count + 1, "attributes", err));
  memcpy(e->text + e->used, name, (size_t)length);
  e->text[e->used + length] = '\0';
  e->used += length + 1;
  e->value[e->count++] = value;
done:
  return rc;
}

static th_status read_numbered(void *self, struct th_line *line,
                               struct th_error *err)
{
  struct numbered *e = self;
  const char *at = line->text;
  const char *end = at + line->length;
  double value = 0;
  if (line->too_long)
    return th_text_row_fail(line, line->text, err,
                            "the line is longer than %d bytes; shorten it",
                            LONGEST_LINE);
  while (at < end && is_space_or_tab(*at))
    at++;
  while (end > at && is_space_or_tab(end[-1]))
    end--;
  if (at == end || *at == '#')
    return TH_OK;
  const char *number = end;
  while (number > at && !is_between(number[-1]))
    number--;
  const char *behind = number;
  while (behind > at && is_between(behind[-1]))
    behind--;
  if (behind == at)
    return th_text_row_fail(line, at, err,
                            "expected an attribute, a blank, and %s; correct "
                            "the line",
                            e->file->expected);
  const char *cursor = number;
  th_status rc = th_text_row_number(line, &cursor, end, ',', e->file->expected,
                                    &value, err);
  if (rc != TH_OK)
    return rc;
  if (cursor != end || !(value >= e->file->least && value <= e->file->most))
    return th_text_row_fail(
        line, number, err, "%.*s found, expected %s; correct the line",
        (int)th_min_i64(end - number, 40), number, e->file->expected);
  return keep_numbered(e, at, behind, value, err);
}

static th_status read_numbered_lines(void *self, struct th_text_file *text,
                                     struct th_error *err)
{
  return th_text_lines_each(text, LONGEST_LINE, 0, read_numbered, self, err);
}

/* Give the entries to all ranks. Collective. */
static th_status share_numbered(struct numbered *e, struct th_comm *comm,
                                th_status rc, struct th_error *err)
{
  int64_t size[2] = {e->used, e->count};
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, size, sizeof size, 0);
  rc = TH_GROW(&e->text, &e->room, size[0], "attributes", err);
  if (rc == TH_OK)
    rc = TH_GROW(&e->value, &e->capacity, size[1], "attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  e->used = size[0];
  e->count = size[1];
  comm->ops->bcast(comm, e->text, (size_t)e->used, 0);
  comm->ops->bcast(comm, e->value, (size_t)e->count * sizeof *e->value, 0);
done:
  return rc;
}

/* The list takes over the names. Local, replicated. */
static th_status take_numbered(struct th_attribute_list *list,
                               struct numbered *e, enum naming naming,
                               int64_t attributes, struct th_error *err)
{
  bool none = false;
  th_status rc = TH_NEW(&list->item, e->count, list->option, err);
  if (rc != TH_OK)
    return rc;
  list->text = e->text;
  e->text = NULL;
  list->count = e->count;
  list->has_coef = true;
  char *name = list->text;
  for (int64_t k = 0; k < e->count && rc == TH_OK; k++) {
    rc = read_item(list, name, naming, &list->item[k], &none, attributes, err);
    list->item[k].coef = e->value[k];
    name += strlen(name) + 1;
  }
  return rc;
}

th_status th_attribute_list_file(struct th_attribute_list *list,
                                 const struct th_attribute_file *file,
                                 struct th_data *data, struct th_comm *comm,
                                 struct th_error *err)
{
  struct numbered e = {.file = file};
  enum naming naming = th_match_indexed(data) ? BY_INDEX
                       : th_match_named(data) ? BY_NAME
                                              : BY_NUMBER;
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = th_text_files_alone(file->name, file->output, read_numbered_lines, &e,
                             err);
  TH_TRY(share_numbered(&e, comm, rc, err));
  rc = take_numbered(list, &e, naming, data->store->shape.attributes, err);
  TH_TRY(th_agree(comm, rc, err));
  if (naming != BY_NUMBER)
    TH_TRY(resolve_names(list, data, comm, err));
  rc = sort_items(list, err);
done:
  TH_FREE(e.text, e.value);
  return rc;
}

th_status th_attribute_list_read(struct th_attribute_list *list,
                                 const char *text, struct th_data *data,
                                 struct th_comm *comm, struct th_error *err)
{
  int64_t attributes = data->store->shape.attributes;
  enum naming naming = BY_NUMBER;
  if (th_match_indexed(data))
    naming = BY_INDEX;
  else if (!th_attribute_list_numbers(text) && th_match_named(data))
    naming = BY_NAME;
  th_status rc = read_items(list, text, naming, attributes, err);
  TH_TRY(th_agree(comm, rc, err));
  if (naming != BY_NUMBER)
    TH_TRY(resolve_names(list, data, comm, err));
  rc = sort_items(list, err);
done:
  return rc;
}
