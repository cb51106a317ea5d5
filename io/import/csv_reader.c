/* csv_reader.c - one example per line of CSV text: the usual form of lines, or
 * else any
 * SPDX-License-Identifier: MIT */
#include "io/import/csv_reader.h"

#include "base/memory.h"
#include "io/import/csv_any.h"
#include "io/import/csv_plain.h"

#include <stdlib.h>

struct th_csv_parser {
  struct th_csv_any *any;
  double counted[TH_CSV_COUNTERS]; /* values of the line's counters */
};

th_status th_csv_parser_create(struct th_csv_parser **parser,
                               struct th_error *err)
{
  struct th_csv_parser *made = NULL;
  th_status rc = TH_NEW(&made, 1, "reading CSV", err);
  if (rc == TH_OK)
    rc = th_csv_any_create(&made->any, err);
  if (rc != TH_OK) {
    free(made);
    return rc;
  }
  *parser = made;
  return TH_OK;
}

void th_csv_parser_free(struct th_csv_parser *parser)
{
  if (parser == NULL)
    return;
  th_csv_any_free(parser->any);
  free(parser);
}

bool th_csv_is_example(const struct th_csv *csv, const char *text,
                       int64_t length)
{
  for (int64_t k = 0; k < length; k++)
    if (text[k] != ' ' && (text[k] != '\t' || csv->delimiter == '\t'))
      return true;
  return false;
}

void th_csv_count(struct th_csv *csv, const struct th_csv_parser *parser,
                  int64_t row)
{
  for (int k = 0; k < csv->counters; k++) {
    struct th_csv_counter *counter = &csv->counter[k];
    double offset = parser->counted[k] - (double)row;
    if (counter->rows++ == 0)
      counter->offset = offset;
    counter->broken = counter->broken || offset != counter->offset;
  }
}

th_status th_csv_row(struct th_csv_parser *parser, const struct th_csv *csv,
                     const struct th_line *line, struct th_text_row *row,
                     struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(th_text_row_reset(row, csv->attributes, err));
  if (!th_csv_plain_row(csv, line, row, parser->counted))
    TH_TRY(th_csv_any_row(parser->any, csv, line, row, parser->counted, err));
  if (csv->target < 0)
    row->target = NAN;
  row->count = csv->attributes;
  row->first = 0;
done:
  return rc;
}
