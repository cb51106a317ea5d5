/* csv_target.c - which column of a CSV file is the target
 * SPDX-License-Identifier: MIT */
#include "io/import/csv_parts.h"

#include <string.h>
#include <strings.h>

static bool is_target_name(const char *name)
{
  static const char *const names[] = {"y",       "target",   "label", "class",
                                      "outcome", "response", NULL};
  for (int k = 0; names[k] != NULL; k++)
    if (strcasecmp(name, names[k]) == 0)
      return true;
  return false;
}

/* A column that is called like a target, else the last. */
static int64_t likely_target(const struct th_csv *csv, int64_t last)
{
  for (int64_t k = 0; csv->names != NULL && k < csv->columns; k++)
    if (csv->role[k] == TH_COLUMN_FREE && is_target_name(csv->names[k]))
      return k;
  return last;
}

static th_status ask_for_target(const struct th_csv *csv,
                                const struct th_text_file *file, int64_t last,
                                struct th_error *err)
{
  char typed[TH_COLUMN_TEXT];
  int64_t likely = likely_target(csv, last);
  if (csv->names == NULL)
    return th_fail(err, TH_EUSAGE,
                   "%s:1:1: which column is the target? The last one has "
                   "another use; say it with {target} NUMBER",
                   file->name);
  return th_fail(err, TH_EUSAGE,
                 "%s:1:1: which column is the target? Say it with {target} "
                 "NAME ({target} %s for column %lld, '%.60s'); data without a "
                 "target are imported with {like} TRAIN.h5, the data that the "
                 "model was trained on",
                 file->name, th_csv_column_text(csv, likely, typed),
                 (long long)likely + 1, csv->names[likely]);
}

/* The target at its place in the text of other data, unless a name says that it
 * stands elsewhere. */
static th_status find_placed_target(const struct th_csv *csv,
                                    const struct th_text_file *file,
                                    const struct th_csv_choice *choice,
                                    int64_t *target, struct th_error *err)
{
  *target = choice->origin->target - 1;
  int64_t likely = likely_target(csv, *target);
  if (likely == *target ||
      (*target >= 0 && is_target_name(csv->names[*target])))
    return TH_OK;
  return ask_for_target(csv, file, likely, err);
}

/* The target of a file with names, where the user has not named it. */
static th_status find_named_target(const struct th_csv *csv,
                                   const struct th_text_file *file,
                                   const struct th_csv_choice *choice,
                                   const struct th_csv_reference *reference,
                                   int64_t *target, struct th_error *err)
{
  const char *known = choice->known_target;
  int64_t last;
  int64_t left = th_csv_count_free(csv, &last);
  if (known != NULL && !th_csv_is_attribute(reference, known) &&
      (!choice->may_lack || th_csv_count_named(csv, known, target) > 0))
    return th_csv_find_column(csv, file, known, "{target}", target, err);
  if ((known == NULL || reference->names == NULL) &&
      !th_csv_in_places(csv, choice, reference) &&
      is_target_name(csv->names[last]) &&
      !th_csv_is_attribute(reference, csv->names[last])) {
    *target = last;
    return TH_OK;
  }
  *target = -1;
  if (th_csv_in_places(csv, choice, reference))
    return find_placed_target(csv, file, choice, target, err);
  if (choice->may_lack &&
      (reference->names != NULL || left != reference->attributes + 1))
    return TH_OK;
  return ask_for_target(csv, file, last, err);
}

th_status th_csv_find_target(const struct th_csv *csv,
                             const struct th_text_file *file,
                             const struct th_csv_choice *choice,
                             const struct th_csv_reference *reference,
                             int64_t *target, struct th_error *err)
{
  int64_t last;
  int64_t left = th_csv_count_free(csv, &last);
  if (choice->target != NULL)
    return th_csv_find_column(csv, file, choice->target, "{target}", target,
                              err);
  if (left == 0)
    return th_fail(err, TH_EDATA,
                   "%s:1:1: no column is left for the target; leave out fewer",
                   file->name);
  if (csv->names != NULL)
    return find_named_target(csv, file, choice, reference, target, err);
  if (choice->may_lack)
    return th_csv_recall_target(csv, file, choice, reference, target, err);
  if (last < csv->columns - 1)
    return ask_for_target(csv, file, last, err);
  *target = last;
  return TH_OK;
}
