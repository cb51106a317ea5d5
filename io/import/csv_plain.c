/* csv_plain.c - a line of CSV without quotes, in the form that most files are
 * full of
 * SPDX-License-Identifier: MIT */
#include "io/import/csv_plain.h"

#include "io/import/number.h"

#include <emmintrin.h> /* SSE2, which every x86-64 has */

/* Where the next field begins or the last one has ended, and the end. */
struct cursor {
  const char *p;
  const char *end;
  char delimiter;
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

/* A field that is a number and nothing else but blanks. */
static bool read_number(struct cursor *c, double *value)
{
  if (!th_number_usual(&c->p, c->end, value)) {
    skip_blanks(c);
    if (th_number_parse(&c->p, c->end, value) != TH_NUMBER_OK)
      return false;
  }
  if (!ends_field(c))
    skip_blanks(c);
  return ends_field(c);
}

/* Any field without quotes; *text and *length leave blanks around it out. */
static bool read_text(struct cursor *c, const char **text, int64_t *length)
{
  skip_blanks(c);
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

/* Bytes before the first delimiter of the next 16; 16: there is none. */
static inline int field_length(const char *p, __m128i delimiters)
{
  __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
  int found = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, delimiters));
  return __builtin_ctz((unsigned)found | 1U << 16);
}

/* Attributes in the form that most files are full of: numbers that
 * th_number_plain takes, each with a delimiter right behind it. Stops before
 * the first field of another kind, whose number is returned. Where a field ends
 * is looked for on its own, so that the next one need not wait for its digits.
 */
static int64_t read_usual(const struct th_csv *csv, struct cursor *c,
                          int64_t field, struct th_text_row *row)
{
  float *f32 = row->values;
  const __m128i delimiters = _mm_set1_epi8(c->delimiter);
  int64_t nonzeros = 0;
  const char *p = c->p;
  if (csv->counters > 0 || row->type != TH_F32 || row->measured)
    return field;
  while (field < csv->columns && c->end - p > TH_NUMBER_LOOK) {
    int64_t role = csv->role[field];
    double value;
    const char *q = p;
    const char *end = p + field_length(p, delimiters);
    if (role < 0 || !th_number_plain(&q, &value) || q != end ||
        *end != c->delimiter)
      break;
    f32[role] = (float)value; /* holds every such number */
    nonzeros += f32[role] != 0.0F;
    p = end + 1;
    field++;
  }
  row->nonzeros += nonzeros;
  c->p = p;
  return field;
}

bool th_csv_plain_row(const struct th_csv *csv, const struct th_line *line,
                      struct th_text_row *row, double counted[TH_CSV_COUNTERS])
{
  struct cursor c = {line->text, line->text + line->length, csv->delimiter};
  int64_t field = 0;
  while (true) {
    field = read_usual(csv, &c, field, row);
    if (field >= csv->columns || !read_field(csv, &c, field, row, counted))
      return false;
    field++;
    if (c.p == c.end)
      return field == csv->columns;
    c.p++;
  }
}
