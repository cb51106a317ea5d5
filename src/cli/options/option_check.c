/* option_check.c - options that would have no effect, or whose partner lacks
 * SPDX-License-Identifier: MIT */
#include "cli/options/option_check.h"

#include "cli/options/solver_options.h"
#include "solvers/driver/train.h"

#include <string.h>

/* An option that the solver has no use for is refused, not ignored. */
static th_status check_solver(const struct th_options *options,
                              struct th_error *err)
{
  int count;
  const struct th_option *table = th_option_table(&count);
  for (int k = 0; k < count; k++) {
    char users[128];
    if (!th_option_given(options, table[k].name) ||
        th_solver_uses(options->config.solver, table[k].name))
      continue;
    th_solver_users(table[k].name, users, sizeof users);
    return th_fail(err, TH_EUSAGE,
                   "train: solver %s does not use --%s; leave it out, or use "
                   "solver %s",
                   options->config.solver, table[k].name, users);
  }
  return TH_OK;
}

static bool has_telemetry(const struct th_options *options)
{
  return options->telemetry != NULL;
}

static bool has_path(const struct th_options *options)
{
  return options->config.path > 0;
}

static bool mixes(const struct th_options *options)
{
  return strcmp(options->config.penalty, "sparse-group") == 0;
}

static enum th_screen screen_of(const struct th_config *config)
{
  return config->screen == TH_SCREEN_AUTO
             ? th_solver_find(config->solver)->screen
             : config->screen;
}

static bool screens(const struct th_options *options)
{
  return screen_of(&options->config) != TH_SCREEN_NONE;
}

static bool screens_online(const struct th_options *options)
{
  return screen_of(&options->config) == TH_SCREEN_ONLINE;
}

/* Options that count only beside another. */
static const struct partner {
  const char *option;
  const char *other;
  bool (*there)(const struct th_options *options);
} partners[] = {
    {"reference", "--telemetry FILE.jsonl", has_telemetry},
    {"path-min", "--path", has_path},
    {"mix", "--penalty sparse-group", mixes},
    {"screen-rule", "--screen gap-safe or online", screens},
    {"screen-exponent", "--screen online", screens_online},
    {"confidence", "--screen online", screens_online},
};

/* Decks may carry them: that of a model tells all options, used or not. */
static th_status check_partners(const struct th_options *options,
                                struct th_error *err)
{
  for (size_t k = 0; k < sizeof partners / sizeof *partners; k++) {
    int row = th_option_find(partners[k].option);
    if (options->given[row] == TH_GIVEN_ON_LINE && !partners[k].there(options))
      return th_fail(err, TH_EUSAGE,
                     "train: --%s counts only with %s; leave it out, or give "
                     "both",
                     partners[k].option, partners[k].other);
  }
  return TH_OK;
}

/* A solver that screens online by itself. */
static const char *online_solver(void)
{
  const struct th_solver_row *row = th_solver_table();
  while (row->name != NULL && row->screen != TH_SCREEN_ONLINE)
    row++;
  return row->name;
}

/* Online screening happens while examples come one by one, and alone has votes.
 */
static th_status check_screening(const struct th_config *config,
                                 struct th_error *err)
{
  const struct th_solver_row *row = th_solver_find(config->solver);
  bool online = screen_of(config) == TH_SCREEN_ONLINE;
  if (config->screen_rule == TH_RULE_VOTES && row->by_examples && !online)
    return th_fail(err, TH_EUSAGE,
                   "train: --screen-rule votes counts only with --screen "
                   "online; leave it out, or give both");
  if (config->screen != TH_SCREEN_ONLINE || row->screenings != NULL)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "train: solver %s cannot --screen online; leave it out, or "
                 "use solver %s",
                 row->name, online_solver());
}

th_status th_option_use_check(const struct th_options *options,
                              struct th_error *err)
{
  th_status rc;
  TH_TRY(check_solver(options, err));
  TH_TRY(check_partners(options, err));
  TH_TRY(check_screening(&options->config, err));
  TH_TRY(th_solver_check_needs(&options->config, options->start != NULL, err));
done:
  return rc;
}
