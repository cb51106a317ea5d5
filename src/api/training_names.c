/* training_names.c - the names of what options of training choose from
 * SPDX-License-Identifier: MIT */
#include "api/training_names.h"

#include "base/printable.h"
#include "math/loss.h"
#include "math/penalty.h"
#include "solvers/solver_table.h"

#include <stddef.h>
#include <string.h>

/* --- Makes names of attributes safe to print ------------------------------ */

const char *th_training_names_text(const char *name, char *text, size_t size)
{
  static const char more[] = "...";
  static const char blanks[] = "\t\n\v\f\r";
  size_t length = strlen(name);
  size_t kept = length < size ? length : size - sizeof more;
  memcpy(text, name, kept);
  text[kept] = '\0';
  if (kept < length)
    th_printable_drop_tail(text);
  for (char *c = strpbrk(text, blanks); c != NULL; c = strpbrk(c, blanks))
    *c = ' ';
  th_printable(text);
  if (kept < length)
    memcpy(text + strlen(text), more, sizeof more);
  return text;
}

const char *th_training_names_solver(int64_t k)
{
  return th_solver_table()[k].name;
}

const char *th_training_names_loss(int64_t k)
{
  return k == 0 ? "auto" : th_loss_table()[k - 1].name;
}

const char *th_training_names_refit(int64_t k)
{
  static const char *const names[TH_REFIT_COUNT + 1] = {
      [TH_REFIT_NO] = "no", [TH_REFIT_YES] = "yes", [TH_REFIT_AUTO] = "auto"};
  return names[k];
}

const char *th_training_names_select(int64_t k)
{
  static const char *const names[TH_SELECT_COUNT + 1] = {
      [TH_SELECT_AUTO] = "auto",
      [TH_SELECT_PREDICT] = "predict",
      [TH_SELECT_TRUTH] = "truth"};
  return names[k];
}

const char *th_training_names_penalty(int64_t k)
{
  return th_penalty_table()[k].name;
}

const char *th_training_names_screen(int64_t k)
{
  static const char *const names[TH_SCREEN_COUNT + 1] = {
      [TH_SCREEN_AUTO] = "auto",
      [TH_SCREEN_NONE] = "none",
      [TH_SCREEN_GAP_SAFE] = "gap-safe",
      [TH_SCREEN_ONLINE] = "online"};
  return names[k];
}

const char *th_training_names_factoring(int64_t k)
{
  static const char *const names[TH_FACTORING_COUNT + 1] = {
      [TH_FACTORING_AUTO] = "auto",
      [TH_FACTORING_OWN] = "own",
      [TH_FACTORING_SCALAPACK] = "scalapack",
      [TH_FACTORING_CG] = "cg"};
  return names[k];
}

const char *th_training_names_screen_rule(int64_t k)
{
  static const char *const names[TH_RULE_COUNT + 1] = {
      [TH_RULE_PROJ] = "proj",
      [TH_RULE_PAPER] = "paper",
      [TH_RULE_VOTES] = "votes"};
  return names[k];
}

const char *th_training_names_eta(int64_t k)
{
  static const char *const names[] = {"theory", NULL};
  return names[k];
}

const char *th_training_names_moments(int64_t k)
{
  static const char *const names[TH_MOMENTS_COUNT + 1] = {
      [TH_MOMENTS_TWO_PHASE] = "two-phase",
      [TH_MOMENTS_UNIFORM] = "uniform",
      [TH_MOMENTS_KNOWN] = "known"};
  return names[k];
}

const char *th_training_names_adagrad(int64_t k)
{
  static const char *const names[TH_ADAGRAD_COUNT + 1] = {
      [TH_ADAGRAD_AUTO] = "auto",
      [TH_ADAGRAD_NONE] = "none",
      [TH_ADAGRAD_NORM] = "norm",
      [TH_ADAGRAD_COORDINATE] = "coordinate"};
  return names[k];
}

const char *th_training_names_inner(int64_t k)
{
  static const char *const names[TH_INNER_COUNT + 1] = {
      [TH_INNER_IMPROVED] = "improved", [TH_INNER_PLAIN] = "plain"};
  return names[k];
}

const char *th_training_names_optim(int64_t k)
{
  static const char *const names[TH_OPTIM_COUNT + 1] = {
      [TH_OPTIM_SQUARES] = "ls", [TH_OPTIM_DESCENT] = "asgd"};
  return names[k];
}

const char *th_training_names_constants(int64_t k)
{
  static const char *const names[TH_CONSTANTS_COUNT + 1] = {
      [TH_CONSTANTS_PRACTICAL] = "practical", [TH_CONSTANTS_THEORY] = "theory"};
  return names[k];
}
