/* csv_told.c - the kind of each column of other data: recalled, compared, kept
 * SPDX-License-Identifier: MIT */
#include "io/import/csv/csv.h"

#include "base/memory.h"

#include <stdlib.h>

/* The place of an attribute of other data; -1: it is not used. */
static int64_t place_here(const struct th_csv *csv, int64_t attribute,
                          const int64_t *support, int64_t size)
{
  if (attribute < 0)
    return csv->attributes + (attribute == TH_KIND_OF_TARGET ? 0 : 1);
  if (support == NULL)
    return attribute < csv->attributes ? attribute : -1;
  for (int64_t k = 0; k < size && k < csv->attributes; k++)
    if (support[k] == attribute)
      return k;
  return -1;
}

th_status th_csv_told_recall(const struct th_csv *csv,
                             const struct th_origin *like,
                             const int64_t *support, int64_t size,
                             unsigned char **kind, struct th_error *err)
{
  th_status rc = TH_NEW(kind, csv->attributes + 2, "columns", err);
  for (int64_t k = 0; rc == TH_OK && k < like->kinds; k++) {
    int64_t place = place_here(csv, like->kind[2 * k], support, size);
    if (place >= 0)
      (*kind)[place] = (unsigned char)like->kind[2 * k + 1];
  }
  return rc;
}

th_status th_csv_told_note(const struct th_csv *csv,
                           const struct th_csv_kinds *kinds,
                           const struct th_csv_fields *w, unsigned char **kind,
                           struct th_error *err)
{
  const int64_t fields = kinds->places - 2;
  free(*kind);
  *kind = NULL;
  th_status rc = TH_NEW(kind, csv->attributes + 2, "columns", err);
  for (int64_t f = 0; rc == TH_OK && f < kinds->places; f++) {
    int64_t place = f >= fields     ? csv->attributes + f - fields
                    : w->fields > 0 ? w->first[f]
                                    : f;
    (*kind)[place] = (unsigned char)th_csv_kinds_only(kinds, csv, f);
  }
  return rc;
}

th_status th_csv_told_find(const struct th_csv *csv,
                           struct th_csv_parser *parser,
                           struct th_text_lines *lines,
                           const unsigned char *kind, int64_t *number,
                           struct th_error *err)
{
  struct th_csv_kinds seen = {0};
  struct th_line line;
  bool more = true;
  th_status rc = TH_OK;
  *number = 0;
  TH_TRY(th_csv_kinds_begin(&seen, csv, err));
  while (*number == 0) {
    TH_TRY(th_text_lines_next(lines, &line, &more, err));
    if (!more || line.too_long)
      break;
    TH_TRY(
        th_csv_reader_see(parser, csv, &line, seen.seen, seen.wanted, 1, err));
    for (int64_t p = 0; p < seen.places; p++)
      if (th_csv_kinds_strange(&seen, p, kind) >= 0)
        *number = line.number;
  }
done:
  th_csv_kinds_free(&seen);
  return rc;
}

th_status th_csv_told_keep(const struct th_csv *csv, const unsigned char *kind,
                           struct th_origin *origin, struct th_error *err)
{
  const int64_t attributes = csv->attributes;
  int64_t count = 0;
  th_status rc = TH_OK;
  for (int64_t p = 0; kind != NULL && p < attributes + 2; p++)
    count += kind[p] != TH_KIND_NUMBER;
  if (count == 0)
    return TH_OK;
  TH_TRY(TH_NEW(&origin->kind, 2 * count, "columns", err));
  for (int64_t a = TH_KIND_OF_WEIGHT; a < attributes; a++) {
    int64_t place = a >= 0 ? a : attributes - 1 - a;
    if (kind[place] == TH_KIND_NUMBER)
      continue;
    origin->kind[2 * origin->kinds] = a;
    origin->kind[2 * origin->kinds++ + 1] = kind[place];
  }
done:
  return rc;
}
