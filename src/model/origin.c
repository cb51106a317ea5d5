/* origin.c - where data come from: forgets it; parameters of families, by the
 * rows of their list
 * SPDX-License-Identifier: MIT */
#include "model/origin.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

void th_origin_free(struct th_origin *origin)
{
  TH_FREE(origin->format, origin->target_name, origin->positive_class,
          origin->weight_name, origin->id_name, origin->missing.words,
          origin->missing.targets, origin->other, origin->kind, origin->label);
  TH_FREE_LIST(origin->name, origin->others);
  TH_FREE_LIST(origin->word, origin->words);
  TH_FREE_LIST(origin->level, origin->levels);
  TH_FREE_LIST(origin->class_name, origin->classes);
  *origin = (struct th_origin){0};
}

const char *th_origin_word_column(const struct th_origin *origin,
                                  const char *name, const char **level)
{
  for (int64_t k = 0; k < origin->words; k++) {
    size_t length = strlen(origin->word[k]);
    *level = name + length + 1;
    if (strncmp(name, origin->word[k], length) == 0 && name[length] == '=')
      return origin->word[k];
  }
  return NULL;
}

/* --- What a generated data set knows about itself ------------------------- */

#define PLACE(name) offsetof(struct th_family_parameters, name)
#define NUMBER_ROW(name, family, initial, placeholder, lowest, highest,        \
                   lowest_open, highest_open, help)                            \
  {#name,   family,      PLACE(name),  initial, lowest,                        \
   highest, lowest_open, highest_open, NULL},
#define CHOICE_ROW(name, family, initial, choices, help)                       \
  {#name, family, PLACE(name), initial, 0, 0, false, false, choices},
static const struct th_family_parameter rows[] = {
    TH_FAMILY_PARAMETERS(NUMBER_ROW, CHOICE_ROW)};

const struct th_family_parameter *th_origin_family_parameter(int k)
{
  return k < TH_FAMILY_PARAMETERS_COUNT ? &rows[k] : NULL;
}

bool th_origin_family_of(const struct th_family_parameter *row,
                         const char *family)
{
  static const char joint[] = " and ";
  size_t length = strlen(family);
  const char *name = row->family;
  while (strncmp(name, family, length) != 0 ||
         (name[length] != '\0' &&
          strncmp(name + length, joint, strlen(joint)) != 0)) {
    name = strstr(name, joint);
    if (name == NULL)
      return false;
    name += strlen(joint);
  }
  return true;
}

bool th_origin_family_has(const char *family, int k)
{
  return k < TH_FAMILY_PARAMETERS_ALWAYS ||
         th_origin_family_of(&rows[k], family);
}

const char *th_origin_family_task(int64_t k)
{
  static const char *const names[] = {
      [TH_FAMILY_RIDGE] = "ridge", [TH_FAMILY_LASSO] = "lasso", NULL};
  return names[k];
}

const char *th_origin_family_design(int64_t k)
{
  static const char *const names[] = {[TH_FAMILY_ORTHOGONAL] = "orthogonal",
                                      [TH_FAMILY_TOEPLITZ] = "toeplitz",
                                      NULL};
  return names[k];
}

/* A choice is counted up to its value: it may come from a file. */
static bool is_choice(const struct th_family_parameter *row, double value)
{
  for (int64_t k = 0; row->choices(k) != NULL; k++)
    if (value == (double)k)
      return true;
  return false;
}

bool th_origin_family_allows(const struct th_family_parameter *row,
                             double value)
{
  if (row->choices != NULL)
    return is_choice(row, value);
  if (!isfinite(value) || value < row->lowest || value > row->highest)
    return false;
  return !(row->lowest_open && value == row->lowest) &&
         !(row->highest_open && value == row->highest);
}

double th_origin_family_get(const struct th_family_parameters *own,
                            const struct th_family_parameter *row)
{
  const char *place = (const char *)own + row->offset;
  return row->choices != NULL ? *(const int *)(const void *)place
                              : *(const double *)(const void *)place;
}

void th_origin_family_set(struct th_family_parameters *own,
                          const struct th_family_parameter *row, double value)
{
  char *place = (char *)own + row->offset;
  if (row->choices != NULL)
    *(int *)(void *)place = (int)value;
  else
    *(double *)(void *)place = value;
}

void th_origin_family_text(const struct th_family_parameters *own,
                           const struct th_family_parameter *row, char *text,
                           size_t size)
{
  double value = th_origin_family_get(own, row);
  if (row->choices != NULL)
    snprintf(text, size, "%s", row->choices((int64_t)value));
  else
    snprintf(text, size, "%.17g", value);
}
