/* start.c - the support that training begins with
 * SPDX-License-Identifier: MIT */
#include "api/start.h"

#include "api/match.h"
#include "core/integer.h"
#include "core/memory.h"
#include "io/model/model_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct item {
  int64_t attribute;
  double coef;
  char *name; /* in place of the attribute; NULL: none. Borrowed */
};

struct list {
  char *text; /* cut up */
  int64_t count;
  struct item *item;
  bool coef;
};

static void list_free(struct list *list)
{
  TH_FREE(list->text, list->item);
}

static bool is_list(const char *text)
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

static th_status refuse(const char *text, struct th_error *err)
{
  return th_fail(err, TH_EUSAGE,
                 "{start} %.40s: not a list such as 3,17,20 or "
                 "3:0.5,17:-2",
                 text);
}

/* Cut off and read a coefficient. False if the text after the colon is not a
 * number. */
static bool take_coef(char *text, struct item *item, bool *coef)
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

/* Read an attribute, by its number or, if named, by its name. */
static th_status read_item(char *text, bool named, struct item *item,
                           bool *coef, int64_t attributes, struct th_error *err)
{
  char *end;
  char whole[64];
  snprintf(whole, sizeof whole, "%s", text);
  if (!take_coef(text, item, coef))
    return refuse(whole, err);
  errno = 0;
  item->attribute = strtoll(text, &end, 10);
  bool number = end != text && *end == '\0' && errno == 0;
  item->name = named && !number ? text : NULL;
  if (text[0] == '\0' || (!number && !named))
    return refuse(whole, err);
  if (number && (item->attribute < 0 || item->attribute >= attributes))
    return th_fail(err, TH_EUSAGE,
                   "{start}: attribute %" PRId64 " is not within 0..%" PRId64,
                   item->attribute, attributes - 1);
  return TH_OK;
}

/* Local, replicated. */
static th_status read_items(struct list *list, const char *text, bool named,
                            int64_t attributes, struct th_error *err)
{
  th_status rc;
  list->count = count_items(text);
  list->text = th_model_copy_string(text);
  TH_TRY(TH_NEW(&list->item, list->count, "{start}", err));
  if (list->text == NULL)
    return th_fail(err, TH_ENOMEM, "no memory for {start}");
  char *next = list->text;
  for (int64_t k = 0; k < list->count; k++) {
    bool coef = false;
    char *item = next;
    next += strcspn(item, ",");
    *next++ = '\0';
    TH_TRY(read_item(item, named, &list->item[k], &coef, attributes, err));
    if (k > 0 && coef != list->coef)
      return th_fail(err, TH_EUSAGE,
                     "{start}: give a coefficient to all attributes or "
                     "to none");
    list->coef = coef;
  }
done:
  return rc;
}

/* Replace names by numbers. Collective. */
static th_status look_up(struct list *list, struct th_data *data,
                         struct th_comm *comm, struct th_error *err)
{
  char **name = NULL;
  int64_t *attribute = NULL;
  int64_t names = 0;
  th_status rc = TH_NEW(&name, list->count, "{start}", err);
  if (rc == TH_OK)
    rc = TH_NEW(&attribute, list->count, "{start}", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < list->count; k++)
    if (list->item[k].name != NULL)
      name[names++] = list->item[k].name;
  TH_TRY(th_match_names(data, name, names, attribute, "{start}", comm, err));
  names = 0;
  for (int64_t k = 0; k < list->count; k++)
    if (list->item[k].name != NULL)
      list->item[k].attribute = attribute[names++];
done:
  TH_FREE(name, attribute);
  return rc;
}

/* Local, replicated. */
static th_status fill_start(struct th_model *start, struct list *list,
                            struct th_error *err)
{
  th_status rc = th_model_reserve(start, list->count, err);
  qsort(list->item, (size_t)list->count, sizeof *list->item,
        th_integer_ascending);
  for (int64_t k = 0; k < list->count && rc == TH_OK; k++) {
    start->support[k] = list->item[k].attribute;
    start->coef[k] = list->item[k].coef;
    if (k > 0 && start->support[k] == start->support[k - 1])
      rc = th_fail(err, TH_EUSAGE,
                   "{start}: attribute %" PRId64 " is there twice",
                   start->support[k]);
  }
  return rc;
}

/* Collective. */
static th_status read_list(struct th_model *start, bool *with_coef,
                           struct th_comm *comm, const char *text, bool named,
                           struct th_data *data, struct th_error *err)
{
  int64_t attributes = data->store->shape.attributes;
  struct list list = {.text = NULL};
  th_status rc = read_items(&list, text, named, attributes, err);
  TH_TRY(th_agree(comm, rc, err));
  if (named)
    TH_TRY(look_up(&list, data, comm, err));
  TH_TRY(th_agree(comm, fill_start(start, &list, err), err));
  *with_coef = list.coef;
done:
  list_free(&list);
  return rc;
}

/* Collective: rank 0 decides. */
static bool is_file(const char *text, struct th_comm *comm)
{
  int64_t there = comm->rank == 0 && access(text, F_OK) == 0;
  comm->ops->max_i64(comm, &there, 1);
  return there != 0;
}

th_status th_start_model_read(struct th_model *start, bool *with_coef,
                              struct th_comm *comm, const char *text,
                              struct th_data *data, struct th_error *err)
{
  int64_t attributes = data->store->shape.attributes;
  *with_coef = false;
  bool named = !is_list(text) && th_match_named(data) && !is_file(text, comm);
  if (named || is_list(text))
    return read_list(start, with_coef, comm, text, named, data, err);
  th_status rc = th_model_read(start, comm, text, err);
  if (rc == TH_OK)
    rc = th_match(start, data, TH_MATCH_SUPPORT, text, comm, err);
  if (rc != TH_OK)
    return rc;
  if (start->attributes != attributes)
    return th_fail(err, TH_EUSAGE,
                   "{start} %s: the model is for %" PRId64
                   " attributes, the data have %" PRId64,
                   text, start->attributes, attributes);
  *with_coef = true;
  return TH_OK;
}

char *th_start_model_text(const struct th_model *start, bool with_coef)
{
  enum { ITEM = 64 };
  size_t size = (size_t)start->support_size * ITEM + 1;
  char *text = calloc(size, 1);
  size_t used = 0;
  for (int64_t k = 0; text != NULL && k < start->support_size; k++) {
    used += (size_t)snprintf(text + used, size - used, "%s%" PRId64,
                             k == 0 ? "" : ",", start->support[k]);
    if (with_coef)
      used +=
          (size_t)snprintf(text + used, size - used, ":%.17g", start->coef[k]);
  }
  return text;
}
