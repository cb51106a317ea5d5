/* csv_plain.c - a line of CSV in the form that most files are full of
 * SPDX-License-Identifier: MIT */
#include "io/import/csv_plain.h"

#include "io/import/text/number.h"
#include "io/import/text/text_input.h"

#include <string.h>

enum {
  LOOK = 48, /* bytes that are looked at from a field's first on, at most */
  TAIL = 96  /* bytes of a line that may go on in the tail */
};

/* Where the next field begins or the last one has ended, and the end: in the
 * line, or in a copy of its last bytes with a delimiter and room behind it. */
struct cursor {
  const char *p;
  const char *end;
  char delimiter;
  bool in_tail;
  char *tail; /* borrowed */
};

static inline void skip_blanks(struct cursor *c)
{
  while (c->p < c->end && (*c->p == ' ' || *c->p == '\t') &&
         *c->p != c->delimiter)
    c->p++;
}

static inline bool ends_field(const struct cursor *c)
{
  return c->p == c->end || *c->p == c->delimiter;
}

/* A field that is a number and nothing else but blanks, or else one in quotes.
 */
static bool read_number(struct cursor *c, double *value)
{
  skip_blanks(c);
  bool quoted = c->p < c->end && *c->p == '"';
  c->p += quoted;
  if (th_number_parse(&c->p, c->end, value) != TH_NUMBER_OK)
    return false;
  if (quoted && (c->p == c->end || *c->p++ != '"'))
    return false;
  skip_blanks(c);
  return ends_field(c);
}

/* All between two quotes, if there is neither a quote nor a line end in it. */
static bool read_quoted(struct cursor *c, const char **text, int64_t *length)
{
  *text = c->p + 1;
  const char *last = memchr(*text, '"', (size_t)(c->end - *text));
  if (last == NULL || memchr(*text, '\r', (size_t)(last - *text)) != NULL)
    return false;
  *length = last - *text;
  c->p = last + 1;
  return ends_field(c);
}

/* Any field; *text and *length leave blanks around it out. */
static bool read_text(struct cursor *c, const char **text, int64_t *length)
{
  skip_blanks(c);
  if (c->p < c->end && *c->p == '"')
    return read_quoted(c, text, length);
  const char *last = c->p; /* behind the last byte that is no blank */
  *text = c->p;
  for (; !ends_field(c); c->p++) {
    if (*c->p == '"' || *c->p == '\r')
      return false;
    if (*c->p != ' ' && *c->p != '\t')
      last = c->p + 1;
  }
  *length = last - *text;
  return true;
}

/* A field that is no attribute. */
static bool read_other(const struct th_csv *csv, struct cursor *c, int64_t role,
                       struct th_text_row *row)
{
  const char *text;
  int64_t length;
  if (role == TH_COLUMN_TARGET && csv->class.name == NULL)
    return read_number(c, &row->target);
  if (role == TH_COLUMN_WEIGHT)
    return read_number(c, &row->weight) && row->weight >= 0.0;
  if (!read_text(c, &text, &length))
    return false;
  return role != TH_COLUMN_TARGET ||
         th_text_row_class(row, &csv->class, text, length) != 0;
}

/* To where the field ends, whatever it holds. */
static void skip_field(struct cursor *c)
{
  skip_blanks(c);
  while (c->p < c->end && *c->p == '"') {
    const char *last = memchr(c->p + 1, '"', (size_t)(c->end - c->p - 1));
    c->p = last == NULL ? c->end : last + 1; /* two in a row: it goes on */
  }
  while (!ends_field(c))
    c->p++;
}

bool th_csv_plain_weightless(const struct th_csv *csv,
                             const struct th_line *line)
{
  struct cursor c = {.p = line->text,
                     .end = line->text + line->length,
                     .delimiter = csv->delimiter};
  double weight = 1.0;
  for (int64_t k = 0; k < csv->columns; k++, c.p++) {
    if (csv->role[k] == TH_COLUMN_WEIGHT)
      return read_number(&c, &weight) && weight == 0.0;
    skip_field(&c);
    if (c.p == c.end)
      return false;
  }
  return false;
}

static bool read_field(const struct th_csv *csv, struct cursor *c,
                       int64_t field, struct th_text_row *row,
                       double counted[TH_CSV_COUNTERS])
{
  int64_t role = csv->role[field];
  double value;
  if (role < 0)
    return read_other(csv, c, role, row);
  if (!read_number(c, &value))
    return false;
  for (int k = 0; k < csv->counters; k++)
    if (csv->counter[k].column == field)
      counted[k] = value;
  return th_text_row_put(row, role, value);
}

/* Bytes before the next delimiter, which most often is near; UNKNOWN: it is
 * far.
 */
enum { UNKNOWN = 32 };
static inline int field_length(const char *p, __m128i delimiters)
{
  int length = th_text_input_find_in_16(p, delimiters);
  return length < 16 ? length
                     : 16 + th_text_input_find_in_16(p + 16, delimiters);
}

/* Behind a number of any length, or NULL. Out of the way of the loop for short
 * ones, which needs the registers. */
static __attribute__((noinline)) const char *read_long(const char *p,
                                                       double *value)
{
  return th_number_long(&p, value) ? p : NULL;
}

/* A number that fills a field, perhaps between quotes. */
static inline bool is_number(const char *p, const char *end, double *value)
{
  enum { SHORT = 11 }; /* bytes; longer ones may have more than 8 decimals */
  double found;
  if (*p == '"') {
    end--;
    if (end == p || *end != '"')
      return false;
    p++;
  }
  if (end - p <= SHORT)
    return th_number_plain(&p, value) && p == end;
  p = read_long(p, &found);
  *value = found;
  return p == end;
}

/* Attributes in the form that most files are full of, each with a delimiter
 * right behind it. Fields begin before `last`, where LOOK bytes are readable.
 * Stops before the first field of another kind, whose number is returned. Where
 * a field ends is looked for on its own, so that the next one need not wait for
 * its digits. */
static int64_t read_usual(const struct th_csv *csv, struct cursor *c,
                          const char *last, int64_t field,
                          struct th_text_row *row)
{
  const bool simple = row->type == TH_F32 && !row->measured;
  float *f32 = row->values;
  const __m128i delimiters = _mm_set1_epi8(c->delimiter);
  const int64_t *roles = csv->role;
  const int64_t columns = csv->columns;
  const char *p = c->p;
  for (; field < columns && p < last; field++) {
    int64_t role = roles[field];
    int length = field_length(p, delimiters);
    double value = 0.0;
    if (role < 0 || length == UNKNOWN || !is_number(p, p + length, &value))
      break;
    if (simple)
      f32[role] = (float)value; /* holds every such number */
    else if (!th_text_row_put(row, role, value))
      break;
    p += length + 1;
  }
  c->p = p;
  return field;
}

/* Usual fields up to the end of the line; c->p is then one behind its end. What
 * is left of the line when it has no more whole blocks goes on in the tail. */
static int64_t read_along(const struct th_csv *csv, struct cursor *c,
                          int64_t field, struct th_text_row *row)
{
  if (csv->counters > 0)
    return field;
  if (!c->in_tail && c->end - c->p > LOOK)
    field = read_usual(csv, c, c->end - LOOK, field, row);
  int64_t left = c->end - c->p;
  if (!c->in_tail && left <= TAIL) {
    memcpy(c->tail, c->p, (size_t)left);
    memset(c->tail + left, 0, LOOK);
    c->tail[left] = c->delimiter;
    c->p = c->tail;
    c->end = c->tail + left;
    c->in_tail = true;
  }
  if (c->in_tail)
    field = read_usual(csv, c, c->end + 1, field, row);
  return field;
}

/* In one loop at the end: it takes no time there. */
static int64_t count_nonzeros(const float *values, int64_t count)
{
  int64_t nonzeros = 0;
  for (int64_t k = 0; k < count; k++)
    nonzeros += values[k] != 0.0F;
  return nonzeros;
}

static bool read_fields(const struct th_csv *csv, struct cursor *c,
                        struct th_text_row *row,
                        double counted[TH_CSV_COUNTERS])
{
  int64_t field = 0;
  while (true) {
    field = read_along(csv, c, field, row);
    if (c->p > c->end)
      return field == csv->columns;
    if (field >= csv->columns || !read_field(csv, c, field, row, counted))
      return false;
    field++;
    if (c->p == c->end)
      return field == csv->columns;
    c->p++;
  }
}

bool th_csv_plain_row(const struct th_csv *csv, const struct th_line *line,
                      struct th_text_row *row, double counted[TH_CSV_COUNTERS])
{
  char tail[TAIL + LOOK];
  struct cursor c = {.p = line->text,
                     .end = line->text + line->length,
                     .delimiter = csv->delimiter,
                     .tail = tail};
  if (!read_fields(csv, &c, row, counted))
    return false;
  if (row->type == TH_F32)
    row->nonzeros = count_nonzeros(row->values, csv->attributes);
  return true;
}
