/* start.c - --start: the support that training begins with
 * SPDX-License-Identifier: MIT */
#include "cli/start.h"

#include "io/model_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
  int64_t attribute;
  double coef;
};

static int by_attribute(const void *a, const void *b)
{
  const struct item *x = a;
  const struct item *y = b;
  return (x->attribute > y->attribute) - (x->attribute < y->attribute);
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

static th_status read_item(const char **text, struct item *item, bool *coef,
                           int64_t attributes, struct th_error *err)
{
  char *end;
  const char *from = *text;
  errno = 0;
  item->attribute = strtoll(from, &end, 10);
  item->coef = 0;
  bool good = end != from && errno == 0;
  *coef = good && *end == ':';
  if (*coef) {
    const char *number = end + 1;
    item->coef = strtod(number, &end);
    good = end != number && isfinite(item->coef);
  }
  if (!good || (*end != ',' && *end != '\0'))
    return th_fail(err, TH_EUSAGE,
                   "train: --start %.40s: not a list such as 3,17,20 or "
                   "3:0.5,17:-2",
                   from);
  if (item->attribute < 0 || item->attribute >= attributes)
    return th_fail(err, TH_EUSAGE,
                   "train: --start: attribute %" PRId64
                   " is not within 0..%" PRId64,
                   item->attribute, attributes - 1);
  *text = *end == ',' ? end + 1 : end;
  return TH_OK;
}

static th_status read_items(const char *text, struct item *items, int64_t count,
                            bool *with_coef, int64_t attributes,
                            struct th_error *err)
{
  for (int64_t k = 0; k < count; k++) {
    bool coef = false;
    th_status rc = read_item(&text, &items[k], &coef, attributes, err);
    if (rc != TH_OK)
      return rc;
    if (k > 0 && coef != *with_coef)
      return th_fail(err, TH_EUSAGE,
                     "train: --start: give a coefficient to all attributes or "
                     "to none");
    *with_coef = coef;
  }
  qsort(items, (size_t)count, sizeof *items, by_attribute);
  for (int64_t k = 1; k < count; k++)
    if (items[k].attribute == items[k - 1].attribute)
      return th_fail(err, TH_EUSAGE,
                     "train: --start: attribute %" PRId64 " is there twice",
                     items[k].attribute);
  return TH_OK;
}

static th_status read_list(struct th_model *start, bool *with_coef,
                           const char *text, int64_t attributes,
                           struct th_error *err)
{
  int64_t count = count_items(text);
  struct item *items = calloc((size_t)count, sizeof *items);
  th_status rc;
  if (items == NULL)
    return th_fail(err, TH_ENOMEM, "no memory for --start");
  TH_TRY(read_items(text, items, count, with_coef, attributes, err));
  TH_TRY(th_model_reserve(start, count, err));
  for (int64_t k = 0; k < count; k++) {
    start->support[k] = items[k].attribute;
    start->coef[k] = items[k].coef;
  }
done:
  free(items);
  return rc;
}

th_status th_start_read(struct th_model *start, bool *with_coef,
                        struct th_comm *comm, const char *text,
                        int64_t attributes, struct th_error *err)
{
  *with_coef = false;
  if (is_list(text))
    return read_list(start, with_coef, text, attributes, err);
  th_status rc = th_model_read(start, comm, text, err);
  if (rc != TH_OK)
    return rc;
  if (start->attributes != attributes)
    return th_fail(err, TH_EUSAGE,
                   "train: --start %s: the model is for %" PRId64
                   " attributes, the data have %" PRId64,
                   text, start->attributes, attributes);
  *with_coef = true;
  return TH_OK;
}

char *th_start_text(const struct th_model *start, bool with_coef)
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
