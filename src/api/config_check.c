/* config_check.c - refuses options that would have no effect, or that need
 * another one
 * SPDX-License-Identifier: MIT */
#include "api/config_check.h"

#include "api/training_options.h"
#include "math/penalty.h"
#include "solvers/solver_table.h"

#include <string.h>

/* An option that the solver does not use is refused, not ignored. */
static th_status check_solver(const struct th_config *config,
                              const unsigned char *given, struct th_error *err)
{
  for (int k = 0; k < th_training_options_count(); k++) {
    const char *name = th_training_options_row(k)->name;
    char users[128];
    if (given[k] == TH_NOT_GIVEN ||
        th_training_options_solver_uses(config->solver, name))
      continue;
    th_training_options_solver_users(name, users, sizeof users);
    return th_fail(err, TH_EUSAGE,
                   "solver %s does not use {%s}; leave it out, or use solver "
                   "%s",
                   config->solver, name, users);
  }
  return TH_OK;
}

static bool has_path(const struct th_config *config)
{
  return config->path > 0;
}

static bool mixes(const struct th_config *config)
{
  const struct th_penalty *penalty = th_penalty_find(config->penalty);
  return penalty != NULL && penalty->mixes;
}

static enum th_screen screen_of(const struct th_config *config)
{
  return config->screening.how == TH_SCREEN_AUTO
             ? th_solver_find(config->solver)->screen
             : config->screening.how;
}

static bool screens(const struct th_config *config)
{
  return screen_of(config) != TH_SCREEN_NONE;
}

static bool screens_online(const struct th_config *config)
{
  return screen_of(config) == TH_SCREEN_ONLINE;
}

static bool descends(const struct th_config *config)
{
  return config->greedy.optim == TH_OPTIM_DESCENT;
}

/* Options that have an effect only with another one. */
static const struct partner {
  const char *option;
  const char *other;
  bool (*there)(const struct th_config *config);
} partners[] = {
    {"path-min", "{path}", has_path},
    {"mix", "{penalty} sparse-group", mixes},
    {"screen-rule", "{screen} gap-safe or online", screens},
    {"screen-exponent", "{screen} online", screens_online},
    {"confidence", "{screen} online", screens_online},
    {"constants", "{optim} asgd", descends},
};

/* In decks such options are allowed, since the deck of a model lists all
 * options, used or not. */
static th_status check_partners(const struct th_config *config,
                                const unsigned char *given,
                                struct th_error *err)
{
  for (size_t k = 0; k < sizeof partners / sizeof *partners; k++) {
    int row = th_training_options_find(partners[k].option);
    if (given[row] == TH_GIVEN_ON_LINE && !partners[k].there(config))
      return th_fail(err, TH_EUSAGE,
                     "{%s} counts only with %s; leave it out, or give both",
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

/* Online screening needs solvers that take examples one by one. Rule votes
 * needs online screening. */
static th_status check_screening(const struct th_config *config,
                                 struct th_error *err)
{
  const struct th_solver_row *row = th_solver_find(config->solver);
  bool online = screen_of(config) == TH_SCREEN_ONLINE;
  if (config->screening.rule == TH_RULE_VOTES && row->by_examples && !online)
    return th_fail(err, TH_EUSAGE,
                   "{screen-rule} votes counts only with {screen} "
                   "online; leave the rule out, or give {screen} online too");
  if (config->screening.how != TH_SCREEN_ONLINE || row->screenings != NULL)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "solver %s cannot {screen} online; leave it out, or "
                 "use solver %s",
                 row->name, online_solver());
}

/* Local. */
static th_status check_theory(const struct th_config *config,
                              struct th_error *err)
{
  if (config->eta != TH_ETA_THEORY ||
      th_solver_find(config->solver)->ball != NULL)
    return TH_OK;
  return th_fail(err, TH_EUSAGE,
                 "solver %s has no {eta} theory; give a number, or leave {eta} "
                 "out",
                 config->solver);
}

th_status th_config_check(const struct th_config *config,
                          const unsigned char *given, struct th_error *err)
{
  th_status rc;
  TH_TRY(check_solver(config, given, err));
  TH_TRY(check_partners(config, given, err));
  TH_TRY(check_screening(config, err));
  TH_TRY(check_theory(config, err));
  TH_TRY(th_solver_check_needs(config, config->start.text != NULL, err));
done:
  return rc;
}
