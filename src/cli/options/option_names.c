/* option_names.c - the names of what options choose from
 * SPDX-License-Identifier: MIT */
#include "cli/options/option_names.h"

#include "cli/options/options.h"
#include "core/slab.h"
#include "io/import/import.h"

const char *th_option_names_format(int64_t k)
{
  return th_import_table()[k].name;
}

const char *th_option_names_type(int64_t k)
{
  return k < TH_TYPE_COUNT ? th_type_name((enum th_type)k) : NULL;
}

const char *th_option_names_layout(int64_t k)
{
  if (k == 0)
    return "auto";
  return k <= TH_LAYOUT_COUNT ? th_type_layout_name((enum th_layout)(k - 1))
                              : NULL;
}

const char *th_option_names_header(int64_t k)
{
  static const char *const names[TH_HEADER_COUNT + 1] = {
      [TH_HEADER_AUTO] = "auto",
      [TH_HEADER_YES] = "yes",
      [TH_HEADER_NO] = "no"};
  return names[k];
}

const char *th_option_names_labels(int64_t k)
{
  static const char *const names[TH_LABELS_COUNT + 1] = {
      [TH_LABELS_AUTO] = "auto",
      [TH_LABELS_PLAIN] = "plain",
      [TH_LABELS_WEIGHTED] = "weighted",
      [TH_LABELS_NONE] = "none"};
  return names[k];
}

const char *th_option_names_split(int64_t k)
{
  static const char *const names[] = {[TH_SPLIT_AUTO] = "auto",
                                      [TH_SPLIT_TEST] = "test",
                                      [TH_SPLIT_TRAIN] = "train",
                                      [TH_SPLIT_ALL] = "all",
                                      NULL};
  return names[k];
}
