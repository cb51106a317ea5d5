/* option_names.c - the names of what options choose from
 * SPDX-License-Identifier: MIT */
#include "cli/options/option_names.h"

#include "cli/options/options.h"
#include "core/slab.h"
#include "io/import/import.h"
#include "math/loss.h"
#include "math/penalty.h"
#include "solvers/driver/train.h"

const char *th_option_names_solver(int64_t k)
{
  return th_solver_table()[k].name;
}

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

const char *th_option_names_loss(int64_t k)
{
  return k == 0 ? "auto" : th_loss_table()[k - 1].name;
}

const char *th_option_names_refit(int64_t k)
{
  static const char *const names[TH_REFIT_COUNT + 1] = {
      [TH_REFIT_NO] = "no", [TH_REFIT_YES] = "yes", [TH_REFIT_AUTO] = "auto"};
  return names[k];
}

const char *th_option_names_select(int64_t k)
{
  static const char *const names[TH_SELECT_COUNT + 1] = {
      [TH_SELECT_AUTO] = "auto",
      [TH_SELECT_PREDICT] = "predict",
      [TH_SELECT_TRUTH] = "truth"};
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

const char *th_option_names_penalty(int64_t k)
{
  return th_penalty_table()[k].name;
}

const char *th_option_names_screen(int64_t k)
{
  static const char *const names[TH_SCREEN_COUNT + 1] = {
      [TH_SCREEN_AUTO] = "auto",
      [TH_SCREEN_NONE] = "none",
      [TH_SCREEN_GAP_SAFE] = "gap-safe",
      [TH_SCREEN_ONLINE] = "online"};
  return names[k];
}

const char *th_option_names_screen_rule(int64_t k)
{
  static const char *const names[TH_RULE_COUNT + 1] = {
      [TH_RULE_PROJ] = "proj",
      [TH_RULE_PAPER] = "paper",
      [TH_RULE_VOTES] = "votes"};
  return names[k];
}
