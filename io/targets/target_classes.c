/* target_classes.c - targets of a table that are classes
 * SPDX-License-Identifier: MIT */
#include "io/targets/target_classes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* --- Words -----------------------------------------------------------------
 */

static const char *class_word_of(const struct th_target_table *table,
                                 int64_t row)
{
  int64_t at = table->row[row].word;
  return at < 0 ? NULL : table->text + at;
}

/* Of two words, that which says that something is so, or else the last one. */
static const char *likely_class(const struct th_class_set *words)
{
  static const char *const names[] = {"case",     "cases", "affected",
                                      "positive", "yes",   "true"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    for (int64_t w = 0; w < words->count; w++)
      if (strcasecmp(words->name[w], names[k]) == 0)
        return words->name[w];
  return words->name[words->count - 1];
}

static bool is_class_word(const struct th_class_set *words, const char *name)
{
  for (int64_t w = 0; w < words->count; w++)
    if (strcmp(words->name[w], name) == 0)
      return true;
  return false;
}

static th_status not_two(const struct th_target_table *table,
                         const struct th_target_choice *choice,
                         const struct th_class_set *words, struct th_error *err)
{
  if (words->count == 1 && !words->more)
    return th_fail(err, TH_EDATA,
                   "%s: every target '%.60s' is '%s', expected two classes",
                   choice->table, table->target, words->name[0]);
  return th_fail(err, TH_EDATA,
                 "%s: the targets '%.60s' are more than two words, such as "
                 "'%s', '%s' and '%s'; name the one that is taken against all "
                 "others with {positive-class}, or give numbers",
                 choice->table, table->target, words->name[0], words->name[1],
                 words->count > 2 ? words->name[2] : "..");
}

/* The class that the user or a model has named, or the one of two. */
static th_status choose_positive(struct th_target_table *table,
                                 const struct th_target_choice *choice,
                                 const struct th_class_set *words,
                                 struct th_error *err)
{
  const char *class = choice->class;
  const char *likely = choice->likely;
  if (class == NULL && likely != NULL && is_class_word(words, likely))
    class = likely;
  if (class == NULL && (words->count != 2 || words->more))
    return not_two(table, choice, words, err);
  if (class == NULL)
    class = likely_class(words);
  snprintf(table->positive, sizeof table->positive, "%.*s", TH_CLASS_ROOM - 1,
           class);
  return TH_OK;
}

/* A class that is named by a number may be written in another form. */
static void put_class_side(struct th_target_table *table,
                           const struct th_class *class,
                           struct th_target_row *row, int64_t *met)
{
  const char *word = table->text + row->word;
  int64_t length = (int64_t)strlen(word);
  int side = th_text_row_class_of(class, word, length);
  row->target = side == 0 ? (double)NAN : side;
  *met += side > 0;
  if (side < 0)
    th_text_row_class_set_add(&table->others, word, length, 1);
}

static th_status take_class_words(struct th_target_table *table,
                                  const struct th_target_choice *choice,
                                  struct th_error *err)
{
  struct th_class_set words = {0};
  int64_t met = 0;
  for (int64_t k = 0; k < table->rows; k++) {
    const char *word = class_word_of(table, k);
    if (word != NULL)
      th_text_row_class_set_add(&words, word, (int64_t)strlen(word), 1);
  }
  if (words.count == 0 && !words.more)
    return TH_OK;
  th_status rc = choose_positive(table, choice, &words, err);
  if (rc != TH_OK)
    return rc;
  struct th_class class = th_text_row_class_named(table->positive);
  for (int64_t k = 0; k < table->rows; k++)
    if (table->row[k].word >= 0)
      put_class_side(table, &class, &table->row[k], &met);
  if (met == 0)
    return th_fail(err, TH_EDATA,
                   "%s: no target '%.60s' is of the class '%s', they are '%s'; "
                   "name a class that occurs with {positive-class}",
                   choice->table, table->target, table->positive,
                   words.count > 0 ? words.name[0] : "long");
  return TH_OK;
}

/* --- Cases and controls of PLINK -------------------------------------------
 */

enum { CONTROL = 1, CASE = 2 };

/* True if all targets are 0, 1 and 2; how often they are. */
static bool are_phenotypes(const struct th_target_table *table,
                           int64_t count[CASE + 1])
{
  for (int64_t k = 0; k < table->rows; k++) {
    double target = table->row[k].target;
    if (isnan(target))
      continue;
    if (target != 0 && target != CONTROL && target != CASE)
      return false;
    count[(int)target]++;
  }
  return true;
}

/* Without the names of PLINK they are cases where a model has such. A column of
 * 0 and 1 is none of PLINK. */
static bool are_cases(const struct th_target_table *table,
                      const struct th_target_choice *choice,
                      int64_t count[CASE + 1])
{
  bool known = choice->likely != NULL && strcmp(choice->likely, "2") == 0;
  return (table->paired || known) && are_phenotypes(table, count) &&
         (count[CASE] > 0 || (known && count[CONTROL] > 0));
}

static void take_cases(struct th_target_table *table,
                       const int64_t count[CASE + 1])
{
  for (int64_t k = 0; k < table->rows; k++) {
    double *target = &table->row[k].target;
    if (!isnan(*target))
      *target = *target == 0 ? (double)NAN : *target == CASE ? 1 : -1;
  }
  snprintf(table->positive, sizeof table->positive, "%d", CASE);
  if (count[CONTROL] > 0)
    th_text_row_class_set_add(&table->others, "1", 1, count[CONTROL]);
  table->zeros = count[0];
}

static th_status all_alike(const struct th_target_table *table,
                           const struct th_target_choice *choice,
                           const int64_t count[CASE + 1], struct th_error *err)
{
  return th_fail(err, TH_EDATA,
                 "%s: every known phenotype '%.60s' is %d; write 1 for "
                 "controls, 2 for cases, and -9 or 0 where it is not known",
                 choice->table, table->target,
                 count[CASE] > 0 ? CASE : CONTROL);
}

th_status th_target_classes(struct th_target_table *table,
                            const struct th_target_choice *choice,
                            struct th_error *err)
{
  int64_t count[CASE + 1] = {0};
  th_status rc = take_class_words(table, choice, err);
  if (rc != TH_OK || table->positive[0] != '\0' ||
      !are_cases(table, choice, count))
    return rc;
  if (choice->likely == NULL && count[CONTROL] == 0)
    return all_alike(table, choice, count, err);
  take_cases(table, count);
  return TH_OK;
}
