/* csv_words.c - columns of words: the attributes that their words become
 * SPDX-License-Identifier: MIT */
#include "io/import/csv/csv.h"

#include "base/memory.h"
#include "io/files/file.h"

#include <string.h>

void th_csv_words_free(struct th_csv_fields *w)
{
  for (int64_t f = 0; w->levels != NULL && f < w->fields; f++)
    th_levels_free(&w->levels[f]);
  for (int64_t f = 0; w->known != NULL && f < w->fields; f++)
    th_levels_free(&w->known[f]);
  TH_FREE_LIST(w->field, w->fields);
  TH_FREE_LIST(w->name, w->attributes);
  TH_FREE(w->levels, w->known, w->first);
  *w = (struct th_csv_fields){0};
}

th_status th_csv_words_reserve(struct th_csv_fields *w, int64_t fields,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  w->fields = fields;
  TH_TRY(TH_NEW(&w->levels, fields, "columns", err));
  TH_TRY(TH_NEW(&w->first, fields, "columns", err));
  TH_TRY(TH_NEW(&w->field, fields, "names of columns", err));
done:
  return rc;
}

th_status th_csv_words_number(struct th_csv_fields *w, struct th_error *err)
{
  int64_t count = 0;
  th_status rc = TH_OK;
  for (int64_t f = 0; f < w->fields; f++) {
    w->first[f] = count;
    w->words += w->levels[f].count > 0;
    count += w->levels[f].count > 0 ? w->levels[f].count : 1;
  }
  TH_TRY(TH_NEW(&w->name, count, "names of attributes", err));
  w->attributes = count;
  for (int64_t f = 0; f < w->fields; f++) {
    const struct th_levels *levels = &w->levels[f];
    char **name = w->name + w->first[f];
    if (levels->count == 0)
      TH_TRY(th_file_text(name, err, "%s", w->field[f]));
    for (int64_t k = 0; k < levels->count; k++)
      TH_TRY(
          th_file_text(&name[k], err, "%s=%s", w->field[f], levels->name[k]));
  }
done:
  return rc;
}

/* The words that the other data have beside those of the reference: a model
 * uses only some. */
static th_status know_words(struct th_csv_fields *w,
                            const struct th_origin *like, struct th_error *err)
{
  const char *level = NULL;
  th_status rc = TH_OK;
  if (like->level == NULL)
    return rc;
  TH_TRY(TH_NEW(&w->known, w->fields, "columns", err));
  for (int64_t a = 0; a < like->levels; a++) {
    const char *column = th_origin_word_column(like, like->level[a], &level);
    for (int64_t f = 0; column != NULL && f < w->fields; f++)
      if (strcmp(w->field[f], column) == 0)
        TH_TRY(th_levels_add(&w->known[f], level, (int64_t)strlen(level),
                             INT64_MAX, err));
  }
done:
  return rc;
}

th_status th_csv_words_fold(struct th_csv_fields *w,
                            const struct th_origin *like,
                            struct th_csv_reference *reference,
                            struct th_error *err)
{
  const char *before = NULL;
  const char *level = NULL;
  int64_t fields = 0;
  th_status rc = TH_OK;
  if (like->words == 0 || reference->names == NULL)
    return TH_OK;
  TH_TRY(th_csv_words_reserve(w, reference->attributes, err));
  for (int64_t a = 0; a < reference->attributes; a++) {
    const char *name = reference->names[a];
    const char *column = th_origin_word_column(like, name, &level);
    if (column == NULL || column != before)
      TH_TRY(th_file_text(&w->field[fields++], err, "%s",
                          column != NULL ? column : name));
    if (column != NULL)
      TH_TRY(th_levels_add(&w->levels[fields - 1], level,
                           (int64_t)strlen(level), INT64_MAX, err));
    before = column;
  }
  w->fields = fields; /* those behind have nothing */
  TH_TRY(know_words(w, like, err));
  TH_TRY(th_csv_words_number(w, err));
  reference->names = (const char *const *)w->field;
  reference->attributes = fields;
done:
  return rc;
}

/* A column of words is no counter of the rows. */
static void forget_counter(struct th_csv *csv, int64_t column)
{
  int kept = 0;
  for (int c = 0; c < csv->counters; c++)
    if (csv->counter[c].column != column)
      csv->counter[kept++] = csv->counter[c];
  csv->counters = kept;
}

th_status th_csv_words_spread(const struct th_csv_fields *w, struct th_csv *csv,
                              struct th_error *err)
{
  th_status rc = TH_OK;
  if (w->fields == 0 || csv->columns == 0 || csv->words != NULL)
    return TH_OK;
  TH_TRY(TH_NEW(&csv->words, csv->columns, "columns of words", err));
  for (int64_t k = 0; k < csv->columns; k++) {
    int64_t field = csv->role[k];
    if (field < 0)
      continue;
    csv->role[k] = w->first[field];
    if (w->levels[field].count == 0)
      continue;
    csv->role[k] = TH_COLUMN_WORDS;
    csv->words[k] =
        (struct th_csv_words){w->first[field], &w->levels[field],
                              w->known != NULL ? &w->known[field] : NULL};
    forget_counter(csv, k);
  }
  csv->attributes = w->attributes;
done:
  return rc;
}

/* A column that is left out is like one that was ignored. */
static void renumber_columns(struct th_csv *csv, const uint32_t *number)
{
  int64_t left_out = 0;
  for (int64_t k = 0; k < csv->columns; k++) {
    bool words = csv->role[k] == TH_COLUMN_WORDS;
    int64_t first = words ? csv->words[k].first : csv->role[k];
    if (first < 0)
      continue;
    uint32_t now = number[first];
    left_out += now == UINT32_MAX;
    if (words)
      csv->words[k].first = now;
    if (now == UINT32_MAX)
      csv->role[k] = TH_COLUMN_IGNORED;
    else if (!words)
      csv->role[k] = now;
  }
  csv->ignored += left_out;
}

void th_csv_words_renumber(struct th_csv_fields *w, struct th_csv *csv,
                           int64_t files, const uint32_t *number)
{
  for (int64_t k = 0; k < files; k++)
    if (csv[k].columns > 0)
      renumber_columns(&csv[k], number);
  for (int64_t f = 0; w != NULL && f < w->fields; f++) {
    uint32_t now = number[w->first[f]];
    w->first[f] = now == UINT32_MAX ? -1 : (int64_t)now;
    if (now != UINT32_MAX || w->levels[f].count == 0)
      continue;
    th_levels_free(&w->levels[f]);
    w->words--;
  }
}

th_status th_csv_words_told(const struct th_csv_fields *w,
                            struct th_origin *origin, struct th_error *err)
{
  th_status rc = TH_OK;
  if (w->words == 0)
    return TH_OK;
  TH_TRY(TH_NEW(&origin->word, w->words, "columns of words", err));
  for (int64_t f = 0; f < w->fields; f++) {
    if (w->levels[f].count == 0)
      continue;
    origin->word[origin->words++] = w->field[f];
    origin->levels += w->levels[f].count;
  }
done:
  return rc;
}
