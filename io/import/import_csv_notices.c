/* import_csv_notices.c - what an import says of the columns of CSV files
 * SPDX-License-Identifier: MIT */
#include "io/import/import_csv_notices.h"

#include "base/printable.h"

#include <stdio.h>

static bool is_utf8(const char *text)
{
  int bytes = 1;
  uint32_t code;
  while (*text != '\0' && bytes > 0) {
    bytes = th_printable_decode(text, &code);
    text += bytes;
  }
  return bytes > 0;
}

/* The first of some names that is in another encoding; NULL: none. */
static const char *foreign_of(char *const *name, int64_t count)
{
  for (int64_t k = 0; name != NULL && k < count; k++)
    if (name[k] != NULL && !is_utf8(name[k]))
      return name[k];
  return NULL;
}

/* Names stay as they are, since their encoding is not known. */
static void tell_encoding(const struct th_importing *im, const char *name)
{
  if (name != NULL)
    th_import_notice(im,
                     "note:     '%.60s' is not in UTF-8, and kept as it is: "
                     "other programs may refuse such names. If the text is in "
                     "Latin-1, convert it with iconv -f LATIN1 -t UTF-8",
                     name);
}

/* The first word in another encoding, where the names of columns are not. */
static const char *foreign_word(const struct th_csv_fields *w)
{
  const char *found = NULL;
  for (int64_t f = 0; f < w->fields; f++)
    if (w->field[f] != NULL && !is_utf8(w->field[f]))
      return NULL; /* which has been told */
  for (int64_t f = 0; f < w->fields && found == NULL; f++)
    found = foreign_of(w->levels[f].name, w->levels[f].count);
  return found;
}

void th_import_csv_notices_words(const struct th_importing *im,
                                 const struct th_csv_fields *w)
{
  enum { COLUMNS = 8, WORDS = 4, ROOM = 64 };
  int shown = 0;
  for (int64_t f = 0; f < w->fields && shown < COLUMNS; f++) {
    const struct th_levels *levels = &w->levels[f];
    char text[WORDS * ROOM] = "";
    size_t used = 0;
    for (int64_t k = 0; k < levels->count && k < WORDS; k++)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s'%.40s'",
                               k > 0 ? ", " : "", levels->name[k]);
    if (levels->count == 0)
      continue;
    shown++;
    th_import_notice(im, "words:    '%.60s' has %lld, each an attribute: %s%s",
                     w->field[f], (long long)levels->count, text,
                     levels->count > WORDS ? ", .." : "");
  }
  if (w->words > shown)
    th_import_notice(im, "words:    %lld more columns have some",
                     (long long)(w->words - shown));
  tell_encoding(im, foreign_word(w));
}

static void notice_left_columns(const struct th_importing *im,
                                const struct th_csv *csv)
{
  const char *like = im->job->like;
  int64_t others = csv->ignored - csv->surplus;
  if (others > 0)
    th_import_notice(im, "left out: %lld column%s of %lld%s%s%.200s",
                     (long long)others, others == 1 ? "" : "s",
                     (long long)csv->columns, csv->recalled > 0 ? ", " : "",
                     csv->recalled == 0       ? ""
                     : csv->recalled < others ? "some as in "
                                              : "as in ",
                     csv->recalled > 0 ? like : "");
  if (csv->surplus > 0)
    th_import_notice(im,
                     "left out: %lld column%s of %lld, which %.200s does not "
                     "use",
                     (long long)csv->surplus, csv->surplus == 1 ? "" : "s",
                     (long long)csv->columns, like);
}

static const char *separator_text(char separator)
{
  return separator == ','    ? "commas"
         : separator == ';'  ? "semicolons"
         : separator == '\t' ? "tabs"
         : separator == '|'  ? "bars"
         : separator == ' '  ? "blanks"
                             : "another mark";
}

/* What the text has in common with that of --like, and what not. */
static void tell_differences(const struct th_importing *im,
                             const struct th_csv *csv)
{
  const struct th_origin *like = &im->like.origin;
  bool named = csv->names != NULL;
  if (like->header != TH_FACT_UNKNOWN && named != (like->header == TH_FACT_YES))
    th_import_notice(im,
                     "note:     the first row is %s header, and the text of "
                     "%.200s has %s: columns go by their places",
                     named ? "a" : "no", im->job->like, named ? "none" : "one");
  if (like->separator != '\0' && like->separator != csv->delimiter &&
      csv->columns > 1)
    th_import_notice(im,
                     "note:     columns are separated by %s, those of "
                     "%.200s by %s",
                     separator_text(csv->delimiter), im->job->like,
                     separator_text(like->separator));
  if ((like->weight > 0 || like->label_weights == TH_FACT_YES) &&
      !im->text.weighted && !im->text.unlabelled)
    th_import_notice(im, "weights:  none, %.200s has some", im->job->like);
  if ((like->id > 0 || like->id_name != NULL) && csv->id < 0 &&
      im->job->id.file == NULL)
    th_import_notice(im, "IDs:      none, %.200s has some", im->job->like);
}

/* Names of rows are found without being asked for. */
static void tell_ids(const struct th_importing *im, const struct th_csv *csv)
{
  const char *what = csv->row_names && csv->id == 0
                         ? ", the names of rows, which the header does not name"
                     : csv->index && csv->id == 0
                         ? ", an index of words without a name"
                         : "";
  bool named = csv->names != NULL && csv->id >= 0 && what[0] == '\0';
  if (csv->id >= 0)
    th_import_notice(im, "IDs:      column %lld of %lld%s%s%.60s%s",
                     (long long)csv->id + 1, (long long)csv->columns, what,
                     named ? ", '" : "", named ? csv->names[csv->id] : "",
                     named ? "'" : "");
  else if (csv->row_names)
    th_import_notice(im, "note:     the header names one column less: the "
                         "first one has the names of rows");
}

/* Which column is what, for the user to see. */
void th_import_csv_notices_columns(const struct th_importing *im,
                                   const struct th_csv *csv)
{
  if (csv->columns == 0)
    return;
  tell_ids(im, csv);
  notice_left_columns(im, csv);
  if (csv->target < 0)
    th_import_notice(im, "target:   none");
  else if (csv->names != NULL)
    th_import_notice(im, "target:   column %lld of %lld, '%.60s'",
                     (long long)csv->target + 1, (long long)csv->columns,
                     csv->names[csv->target]);
  else
    th_import_notice(im, "target:   column %lld of %lld (there is no header)",
                     (long long)csv->target + 1, (long long)csv->columns);
  if (csv->weight >= 0)
    th_import_notice(im, "weights:  column %lld of %lld%s%.200s",
                     (long long)csv->weight + 1, (long long)csv->columns,
                     im->job->weights == NULL ? ", as in " : "",
                     im->job->weights == NULL ? im->job->like : "");
  tell_encoding(im, foreign_of(csv->names, csv->columns));
  if (im->job->like != NULL)
    tell_differences(im, csv);
}

/* Say what fields were numbers in forms of tables, of which all ranks have
 * found so many. Collective. */
void th_import_csv_notices_forms(const struct th_importing *im,
                                 const struct th_csv *csv,
                                 const struct th_csv_forms *mine,
                                 const int64_t *fields)
{
  int64_t first[TH_CELL_COUNT];
  for (int k = 0; k < TH_CELL_COUNT; k++)
    first[k] = -mine->column[k];
  im->comm->ops->max_i64(im->comm, first, TH_CELL_COUNT);
  for (int k = 0; k < TH_CELL_COUNT; k++) {
    int64_t column = -first[k];
    const char *meaning = th_cell_meaning((enum th_cell)k);
    if (fields[k] == 0 || meaning == NULL)
      continue;
    bool named = csv->names != NULL && column < csv->columns;
    th_import_notice(im, "note:     %s; first in column %lld%s%.60s%s", meaning,
                     (long long)column + 1, named ? ", '" : "",
                     named ? csv->names[column] : "", named ? "'" : "");
  }
}

void th_import_csv_notices_unseen(const struct th_importing *im, int64_t unseen)
{
  bool known = !im->text.part || im->like.origin.level != NULL;
  if (unseen > 0 && known) /* a model does not use all of them */
    th_import_notice(im,
                     "note:     %lld word%s %s not in %.200s: 0 for all "
                     "attributes of the column",
                     (long long)unseen, unseen == 1 ? "" : "s",
                     unseen == 1 ? "is" : "are", im->job->like);
}
