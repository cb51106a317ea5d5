/* csv_kinds.c - columns have fields of one kind: numbers, truth values, dates,
 * percentages or words
 * SPDX-License-Identifier: MIT */
#include "io/import/csv/csv.h"

#include "base/memory.h"
#include "io/import/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TARGET, WEIGHT, OTHERS }; /* places behind those of attributes */

int64_t th_csv_kinds_place(const struct th_csv *csv, int64_t column)
{
  int64_t role = csv->role[column];
  if (role >= 0)
    return role;
  if (role == TH_COLUMN_TARGET && csv->class.name == NULL)
    return csv->attributes + TARGET;
  return role == TH_COLUMN_WEIGHT ? csv->attributes + WEIGHT : -1;
}

th_status th_csv_kinds_begin(struct th_csv_kinds *kinds,
                             const struct th_csv *csv, struct th_error *err)
{
  th_status rc = TH_OK;
  kinds->places = csv->attributes + OTHERS;
  TH_TRY(TH_NEW(&kinds->seen, kinds->places, "columns", err));
  TH_TRY(TH_NEW(&kinds->wanted, kinds->places, "columns", err));
  memset(kinds->wanted, true, (size_t)kinds->places * sizeof *kinds->wanted);
done:
  return rc;
}

void th_csv_kinds_free(struct th_csv_kinds *kinds)
{
  for (int64_t p = 0; kinds->seen != NULL && p < kinds->places; p++)
    th_levels_free(&kinds->seen[p]);
  TH_FREE(kinds->seen, kinds->wanted);
  *kinds = (struct th_csv_kinds){0};
}

int64_t th_csv_kinds_sampled(struct th_csv_kinds *kinds)
{
  int64_t count = 0;
  for (int64_t p = 0; p < kinds->places; p++) {
    const char *const *first = (const char *const *)kinds->seen[p].first;
    kinds->wanted[p] =
        first[TH_KIND_TRUTH] != NULL || first[TH_KIND_DATE] != NULL ||
        first[TH_KIND_PERCENT] != NULL || first[TH_KIND_WORD] != NULL;
    count += kinds->wanted[p];
    th_levels_free(&kinds->seen[p]);
  }
  return count;
}

/* --- What a column is ----------------------------------------------------- */

/* Two kinds of a column; -1: it has only one, or what the reader of rows says
 * better, with its place. Odd fields beside others are meant as numbers. */
struct pair {
  int kind[2];
};

static struct pair pair_of(const struct th_levels *levels)
{
  struct pair pair = {{-1, -1}};
  int found = 0;
  bool words = levels->first[TH_KIND_WORD] != NULL;
  for (int k = 0; k < TH_KINDS && found < 2; k++)
    if (levels->first[k] != NULL && !(words && k == TH_KIND_TRUTH))
      pair.kind[found++] = k;
  bool numbers = pair.kind[0] == TH_KIND_NUMBER || pair.kind[0] == TH_KIND_ODD;
  return found == 2 && !(numbers && pair.kind[1] == TH_KIND_ODD)
             ? pair
             : (struct pair){{-1, -1}};
}

bool th_csv_kinds_words(const struct th_csv_kinds *kinds,
                        const struct th_csv *csv, int64_t place)
{
  const struct th_levels *levels = &kinds->seen[place];
  return csv->wordy && place < csv->attributes &&
         levels->first[TH_KIND_WORD] != NULL && pair_of(levels).kind[0] < 0;
}

/* --- What cannot be used -------------------------------------------------- */

enum { LIST = 420, SHOWN = 3, REASONS = 400 };

/* Columns that cannot be used: how many, of how many it is for their words; the
 * first ones as text, and all as a list to type. */
struct refusal {
  int64_t count;
  int64_t wordy;
  int64_t first;
  bool placed; /* the reader of rows says where the last one has a word */
  char reasons[REASONS];
  char list[LIST];
  size_t used;
};

static const char *const names[TH_KINDS] = {
    [TH_KIND_NUMBER] = "numbers",         [TH_KIND_ODD] = "numbers",
    [TH_KIND_TRUTH] = "truth values",     [TH_KIND_DATE] = "dates",
    [TH_KIND_PERCENT] = "numbers with %", [TH_KIND_WORD] = "words"};

/* "words and numbers, such as 'x' and '3'" */
static void say_pair(const struct th_levels *levels, char *text, size_t size)
{
  struct pair pair = pair_of(levels);
  snprintf(text, size, "%s and %s, such as '%s' and '%s'", names[pair.kind[0]],
           names[pair.kind[1]], levels->first[pair.kind[0]],
           levels->first[pair.kind[1]]);
}

static void add_refusal(struct refusal *refusal, const struct th_csv *csv,
                        int64_t column, const struct th_levels *levels,
                        int64_t most)
{
  char typed[4 * LIST];
  char why[160];
  bool mixed = pair_of(levels).kind[0] >= 0;
  size_t used = strlen(refusal->reasons);
  if (mixed)
    say_pair(levels, why, sizeof why);
  else
    snprintf(why, sizeof why, "more than %lld different words",
             (long long)most);
  if (refusal->count < SHOWN && csv->names != NULL)
    snprintf(refusal->reasons + used, REASONS - used, "%s'%.40s' has %s",
             used > 0 ? ", " : "", csv->names[column], why);
  else if (refusal->count < SHOWN)
    snprintf(refusal->reasons + used, REASONS - used, "%scolumn %lld has %s",
             used > 0 ? ", " : "", (long long)column + 1, why);
  refusal->first = refusal->count++ == 0 ? column : refusal->first;
  refusal->wordy += !mixed;
  refusal->placed = mixed && levels->first[TH_KIND_WORD] != NULL;
  th_csv_match_text(csv, column, typed);
  if (refusal->used < LIST)
    refusal->used +=
        (size_t)snprintf(refusal->list + refusal->used, LIST - refusal->used,
                         "%s%s", refusal->used > 0 ? "," : "", typed);
}

/* Of words alone. */
static th_status too_many_words(const struct refusal *refusal,
                                const struct th_csv *csv, const char *file,
                                int64_t most, struct th_error *err)
{
  int64_t count = refusal->count;
  return th_fail(err, TH_EDATA,
                 "%s:1:1: %lld column%s of words %s more than %lld different "
                 "ones, %s'%.60s'; leave %s out with {ignore} %s%s, or allow "
                 "more with {levels}",
                 file, (long long)count, count == 1 ? "" : "s",
                 count == 1 ? "has" : "have", (long long)most,
                 count > 1 ? "first " : "", csv->names[refusal->first],
                 count == 1 ? "it" : "them", refusal->list,
                 refusal->used >= LIST ? ",.. and so on" : "");
}

static th_status fail_attributes(const struct refusal *refusal,
                                 const struct th_csv *csv, const char *file,
                                 int64_t most, struct th_error *err)
{
  bool one = refusal->count == 1;
  if (refusal->wordy == refusal->count)
    return too_many_words(refusal, csv, file, most, err);
  return th_fail(
      err, TH_EDATA,
      "%s:1:1: %lld column%s cannot be used: %s%s; leave %s out with {ignore} "
      "%s%s, correct %s, or say with {missing} what stands for missing "
      "values%s",
      file, (long long)refusal->count, one ? "" : "s", refusal->reasons,
      refusal->count > SHOWN ? ",.." : "", one ? "it" : "them", refusal->list,
      refusal->used >= LIST ? ",.. and so on" : "", one ? "it" : "them",
      refusal->wordy > 0 ? "; {levels} allows more words" : "");
}

/* The target or the weights: words among them are said by the reader of rows,
 * which knows of classes. */
static th_status check_other(const struct th_csv *csv, int64_t column,
                             const struct th_levels *levels, const char *file,
                             struct th_error *err)
{
  char why[160];
  if (levels->first[TH_KIND_WORD] != NULL || pair_of(levels).kind[0] < 0)
    return TH_OK;
  say_pair(levels, why, sizeof why);
  return th_fail(err, TH_EDATA,
                 "%s:1:1: column %lld%s%.60s%s, the %s, has %s; write all in "
                 "one form",
                 file, (long long)column + 1, csv->names != NULL ? ", '" : "",
                 csv->names != NULL ? csv->names[column] : "",
                 csv->names != NULL ? "'" : "",
                 csv->role[column] == TH_COLUMN_TARGET ? "target" : "weights",
                 why);
}

/* An attribute: words among numbers of a known form are said by the reader of
 * rows. */
static bool is_unusable(const struct th_csv_kinds *kinds,
                        const struct th_csv *csv, int64_t place)
{
  const struct th_levels *levels = &kinds->seen[place];
  bool words = levels->first[TH_KIND_WORD] != NULL;
  if (pair_of(levels).kind[0] >= 0)
    return csv->mixable || !words;
  return th_csv_kinds_words(kinds, csv, place) && levels->more;
}

th_status th_csv_kinds_check(const struct th_csv_kinds *kinds,
                             const struct th_csv *csv, const char *file,
                             const char *ignored, int64_t most,
                             struct th_error *err)
{
  struct refusal refusal = {0};
  char typed[4 * LIST];
  th_status rc = TH_OK;
  if (ignored != NULL)
    refusal.used =
        (size_t)snprintf(refusal.list, LIST / 2, "%s",
                         th_text_shell_word(ignored, typed, sizeof typed));
  for (int64_t k = 0; k < csv->columns; k++) {
    int64_t place = th_csv_kinds_place(csv, k);
    if (place >= 0 && place < csv->attributes && is_unusable(kinds, csv, place))
      add_refusal(&refusal, csv, k, &kinds->seen[place], most);
  }
  if (refusal.count > 1 || (refusal.count == 1 && !refusal.placed))
    return fail_attributes(&refusal, csv, file, most, err);
  for (int64_t k = 0; k < csv->columns && rc == TH_OK; k++) {
    int64_t place = th_csv_kinds_place(csv, k);
    if (place >= csv->attributes)
      rc = check_other(csv, k, &kinds->seen[place], file, err);
  }
  return rc;
}

/* --- What other data have ------------------------------------------------- */

int64_t th_csv_kinds_told(struct th_csv_kinds *kinds, const unsigned char *told)
{
  int64_t count = 0;
  for (int64_t p = 0; p < kinds->places; p++) {
    kinds->wanted[p] = kinds->wanted[p] || told[p] != TH_KIND_NUMBER;
    count += kinds->wanted[p];
  }
  return count;
}

enum th_kind th_csv_kinds_only(const struct th_csv_kinds *kinds,
                               const struct th_csv *csv, int64_t place)
{
  static const enum th_kind some[] = {TH_KIND_TRUTH, TH_KIND_DATE,
                                      TH_KIND_PERCENT};
  if (!th_csv_kinds_words(kinds, csv, place))
    for (size_t k = 0; k < sizeof some / sizeof *some; k++)
      if (kinds->seen[place].first[some[k]] != NULL)
        return some[k];
  return TH_KIND_NUMBER;
}

/* Words, and what is odd, are said by the reader of rows. */
int th_csv_kinds_strange(const struct th_csv_kinds *kinds, int64_t place,
                         const unsigned char *told)
{
  const struct th_levels *levels = &kinds->seen[place];
  if (levels->first[TH_KIND_WORD] != NULL)
    return -1;
  for (int k = TH_KIND_NUMBER; k < TH_KIND_WORD; k++)
    if (levels->first[k] != NULL && k != told[place])
      return k;
  return -1;
}

th_status th_csv_kinds_compare(const struct th_csv_kinds *kinds,
                               const struct th_csv *csv,
                               const unsigned char *told, const char *like,
                               const char *at, struct th_error *err)
{
  char reasons[REASONS] = "";
  int64_t count = 0;
  for (int64_t k = 0; k < csv->columns; k++) {
    int64_t place = th_csv_kinds_place(csv, k);
    int kind = place < 0 ? -1 : th_csv_kinds_strange(kinds, place, told);
    size_t used = strlen(reasons);
    if (kind < 0 || count++ >= SHOWN)
      continue;
    snprintf(
        reasons + used, REASONS - used,
        "%scolumn %lld%s%.40s%s has %s, such as '%s', where %s were",
        used > 0 ? ", " : "", (long long)k + 1, csv->names != NULL ? ", '" : "",
        csv->names != NULL ? csv->names[k] : "", csv->names != NULL ? "'," : "",
        names[kind], kinds->seen[place].first[kind], names[told[place]]);
  }
  if (count == 0)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s:1: %lld column%s of another kind than in %.200s: %s%s; "
                 "write %s as there",
                 at, (long long)count, count == 1 ? " is" : "s are", like,
                 reasons, count > SHOWN ? ",.." : "",
                 count == 1 ? "it" : "them");
}
