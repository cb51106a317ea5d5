/* text_row.c - a line of a text file, and the example it holds
 * SPDX-License-Identifier: MIT */
#include "io/import/text/text_row.h"

#include "base/memory.h"
#include "data/source.h"
#include "io/import/text/not_text.h"
#include "io/import/text/number.h"
#include "ranks/comm.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- One class of a target against all others ----------------------------- */

bool th_text_row_is_missing(const char *text, int64_t length)
{
  static const char *const words[] = {
      "",          "na",        "nan",      "n/a",  "+nan", "-nan",
      "inf",       "+inf",      "-inf",     "null", "?",    "none",
      "+infinity", "-infinity", "infinity", NULL};
  for (int k = 0; words[k] != NULL; k++)
    if ((int64_t)strlen(words[k]) == length &&
        strncasecmp(text, words[k], (size_t)length) == 0)
      return true;
  return false;
}

static bool whole_number(const char *text, int64_t length, double *value)
{
  const char *p = text;
  return th_number_parse(&p, text + length, value) == TH_NUMBER_OK &&
         p == text + length;
}

struct th_class th_text_row_class_named(const char *name)
{
  struct th_class made = {.name = name};
  if (name != NULL)
    made.is_number = whole_number(name, (int64_t)strlen(name), &made.value);
  return made;
}

/* Where a name is or belongs. */
static int64_t search_class(const struct th_class_set *set, const char *name,
                            bool *found)
{
  int64_t k = 0;
  int order = -1;
  while (k < set->count && (order = strcmp(set->name[k], name)) < 0)
    k++;
  *found = k < set->count && order == 0;
  return k;
}

void th_text_row_class_set_add(struct th_class_set *set, const char *text,
                               int64_t length, int64_t times)
{
  char name[TH_CLASS_ROOM] = {0};
  bool found;
  if (set->more)
    return;
  set->more = length >= TH_CLASS_ROOM;
  if (set->more)
    return;
  memcpy(name, text, (size_t)length);
  int64_t at = search_class(set, name, &found);
  if (found) {
    set->times[at] += times;
    return;
  }
  set->more = set->count == TH_CLASSES_KEPT;
  if (set->more)
    return;
  memmove(set->name[at + 1], set->name[at],
          (size_t)(set->count - at) * TH_CLASS_ROOM);
  memmove(set->times + at + 1, set->times + at,
          (size_t)(set->count - at) * sizeof *set->times);
  set->times[at] = times;
  memcpy(set->name[at], name, TH_CLASS_ROOM);
  set->count++;
}

/* Every rank's classes and whether a known one was met. */
struct met {
  struct th_class_set others;
  bool knows;
};

th_status th_text_row_class_set_join(struct th_class_set *others, bool *knows,
                                     struct th_comm *comm, struct th_error *err)
{
  struct met *all = NULL;
  int64_t *sizes = NULL;
  th_status rc = TH_NEW(&sizes, comm->size, "classes", err);
  if (rc == TH_OK)
    rc = TH_NEW(&all, comm->size, "classes", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int r = 0; r < comm->size; r++)
    sizes[r] = sizeof *all;
  all[comm->rank].others = *others;
  all[comm->rank].knows = *knows;
  comm->ops->join(comm, all, sizes);
  *others = (struct th_class_set){0}; /* comes back with those of all */
  for (int r = 0; r < comm->size; r++) {
    *knows = *knows || all[r].knows;
    others->more = others->more || all[r].others.more;
    for (int64_t k = 0; k < all[r].others.count; k++)
      th_text_row_class_set_add(others, all[r].others.name[k],
                                (int64_t)strlen(all[r].others.name[k]),
                                all[r].others.times[k]);
  }
done:
  TH_FREE(all, sizes);
  return rc;
}

int th_text_row_class_of(const struct th_class *wanted, const char *text,
                         int64_t length)
{
  double value;
  if ((int64_t)strlen(wanted->name) == length &&
      memcmp(text, wanted->name, (size_t)length) == 0)
    return 1;
  if (wanted->is_number && whole_number(text, length, &value))
    return value == wanted->value ? 1 : -1;
  return th_text_row_is_missing(text, length) ? 0 : -1;
}

th_status th_text_row_reset(struct th_text_row *row, int64_t count,
                            struct th_error *err)
{
  row->count = 0;
  row->nonzeros = 0;
  row->missing = 0;
  row->aside = 0;
  row->first = -1;
  row->weight = 1.0;
  th_status rc = TH_GROW(&row->index, &row->index_capacity, count,
                         "indices of a line", err);
  if (rc != TH_OK)
    return rc;
  rc = th_grow(&row->values, &row->value_capacity, count, sizeof(double),
               "values of a line", err);
  if (rc != TH_OK || !row->measured)
    return rc;
  return TH_GROW(&row->lost, &row->lost_capacity, count, "values of a line",
                 err);
}

void th_text_row_put_missing(struct th_text_row *row, int64_t k)
{
  (void)th_type_store(th_type_single(row->type), row->values, k,
                      th_type_missing(row->type));
  if (row->measured)
    row->lost[k] = 0;
  row->nonzeros++;
  row->missing++;
}

static bool is_known_class(const struct th_text_row *row, const char *text,
                           int64_t length)
{
  for (int64_t k = 0; k < row->known_count; k++)
    if (th_text_row_class_of(&row->known[k], text, length) > 0)
      return true;
  return false;
}

int th_text_row_class(struct th_text_row *row, const struct th_class *wanted,
                      const char *text, int64_t length)
{
  int side = th_text_row_class_of(wanted, text, length);
  row->target = side;
  row->knows = row->knows || side > 0;
  if (side < 0)
    th_text_row_class_set_add(&row->others, text, length, 1);
  if (!row->knows)
    row->knows = is_known_class(row, text, length);
  if (side < 0 && row->other_class[0] == '\0')
    snprintf(row->other_class, TH_QUOTED, "%.*s",
             (int)(length < TH_QUOTED ? length : TH_QUOTED), text);
  return side;
}

void th_text_row_free(struct th_text_row *row)
{
  TH_FREE(row->index, row->values, row->lost);
  *row = (struct th_text_row){0};
}

th_status th_text_row_fail(const struct th_line *line, const char *at,
                           struct th_error *err, const char *format, ...)
{
  char text[TH_ERROR_TEXT / 2];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return th_fail(err, TH_EDATA, "%s:%lld:%lld: %s", line->file,
                 (long long)line->number, (long long)(at - line->text) + 1,
                 text);
}

th_status th_text_row_check(const struct th_line *line, struct th_error *err)
{
  const char *zero =
      line->too_long ? NULL : memchr(line->text, '\0', (size_t)line->length);
  if (zero == NULL)
    return TH_OK;
  return th_text_row_fail(line, zero, err, TH_NOT_TEXT_ZERO);
}

const char *th_text_row_quote(const struct th_line *line, const char *at,
                              char stop, char quoted[TH_QUOTED])
{
  const char *end = line->text + line->length;
  size_t used = 0;
  quoted[used++] = '\'';
  for (; at < end && *at != ' ' && *at != '\t' && *at != stop; at++) {
    if (used > TH_QUOTED - 10) {
      memcpy(quoted + used, "..", 2);
      used += 2;
      break;
    }
    if (isprint((unsigned char)*at))
      quoted[used++] = *at;
    else
      used += (size_t)snprintf(quoted + used, 5, "\\x%02x",
                               (unsigned)(unsigned char)*at);
  }
  quoted[used++] = '\'';
  quoted[used] = '\0';
  return quoted;
}

th_status th_text_row_number(const struct th_line *line, const char **cursor,
                             const char *end, char stop, const char *what,
                             double *value, struct th_error *err)
{
  char quoted[TH_QUOTED];
  const char *at = *cursor;
  switch (th_number_parse(cursor, end, value)) {
  case TH_NUMBER_OK:
    return TH_OK;
  case TH_NUMBER_HUGE:
    th_text_row_quote(line, at, stop, quoted);
    return th_text_row_fail(
        line, at, err,
        "%s found, which is beyond the range of numbers, "
        "expected a finite decimal number as %s; rescale the "
        "data",
        quoted, what);
  case TH_NUMBER_NONE:
    break;
  }
  th_text_row_quote(line, at, stop, quoted);
  return th_text_row_fail(line, at, err,
                          "%s found, expected a finite decimal number as %s; "
                          "correct the line",
                          at < end ? quoted : "nothing", what);
}

th_status th_text_row_misfit(const struct th_line *line, const char *at,
                             char stop, enum th_type type, struct th_error *err)
{
  static const char *const wanted[TH_TYPE_COUNT] = {
      [TH_F32] = "at most 3.4e38 in magnitude (f32); import with {type} f64",
      [TH_F64] = "a finite number (f64); rescale the data",
      [TH_U8] = "a whole number 0..255 (u8); import with {type} f32",
      [TH_I8] = "a whole number -128..127 (i8); import with {type} f32",
      [TH_U2] = "a whole number 0..3 (u2); import with {type} u8 or f32",
  };
  char quoted[TH_QUOTED];
  return th_text_row_fail(line, at, err, "%s found, expected %s",
                          th_text_row_quote(line, at, stop, quoted),
                          wanted[type]);
}

/* --- Which attributes of a text lose by being stored as f32 --------------- */

enum {
  FIRST_ROWS = 256, /* all of which are measured */
  SHARE = 64,       /* of the others, one in so many */
  MOST = 1 << 22    /* attributes; later ones are not measured */
};

/* Errors as wide as a hundredth of the deviation have a variance of at most
 * 1/40,000 of the attribute's: below it the model does not feel them. */
static const double notable = 0.01;

bool th_text_row_rounding_wants(int64_t row)
{
  return row < FIRST_ROWS || row % SHARE == 0;
}

static th_status cover(struct th_rounding *rounding, int64_t attributes,
                       struct th_error *err)
{
  if (attributes <= rounding->attributes)
    return TH_OK;
  th_status rc = TH_GROW(&rounding->error, &rounding->capacity, 2 * attributes,
                         "rounding errors", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 2 * rounding->attributes; k < 2 * attributes; k++)
    rounding->error[k] = -INFINITY;
  rounding->attributes = attributes;
  return TH_OK;
}

th_status th_text_row_rounding_see(struct th_rounding *rounding,
                                   const struct th_text_row *row,
                                   struct th_error *err)
{
  bool dense = row->first >= 0;
  if (row->count == 0)
    return TH_OK;
  int64_t last =
      dense ? row->first + row->count - 1 : row->index[row->count - 1];
  th_status rc = cover(rounding, last < MOST ? last + 1 : MOST, err);
  for (int64_t k = 0; rc == TH_OK && k < row->count; k++) {
    int64_t attribute = dense ? row->first + k : row->index[k];
    if (attribute >= MOST)
      break;
    double *error = &rounding->error[2 * attribute];
    double lost = row->lost[k];
    error[0] = -lost > error[0] ? -lost : error[0];
    error[1] = lost > error[1] ? lost : error[1];
  }
  return rc;
}

th_status th_text_row_rounding_reserve(struct th_rounding *rounding,
                                       int64_t attributes, struct th_error *err)
{
  return cover(rounding, attributes, err);
}

void th_text_row_rounding_join(struct th_rounding *rounding,
                               struct th_comm *comm)
{
  if (rounding->attributes > 0)
    comm->ops->max_f64(comm, rounding->error, 2 * (size_t)rounding->attributes);
}

bool th_text_row_rounding_notable(const struct th_rounding *rounding,
                                  int64_t attribute, double deviation)
{
  if (attribute >= rounding->attributes)
    return false;
  double spread =
      rounding->error[2 * attribute] + rounding->error[2 * attribute + 1];
  return spread > 0 && spread > notable * deviation;
}

void th_text_row_rounding_free(struct th_rounding *rounding)
{
  free(rounding->error);
  *rounding = (struct th_rounding){0};
}
