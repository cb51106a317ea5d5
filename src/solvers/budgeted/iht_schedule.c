/* iht_schedule.c - the batches of Exploration, Exploitation and Hybrid,
 * round by round
 * SPDX-License-Identifier: MIT */
#include "math/schedule.h"
#include "solvers/budgeted/iht.h"

enum { EXPLOIT_PER_EXPLORE = 4 }; /* B = 4 B^- */

static const double default_growth = 1.2;
static const double largest_update = 0.15; /* of the rows that are left */
static const double end_share = 0.1;       /* of a pass: rows for the end */

static double growth_of(const struct th_config *config)
{
  return config->rounds.growth > 0 ? config->rounds.growth : default_growth;
}

/* B^- by the automatic rule. It grows while an update takes at most 15 per cent
 * of the rows that are left. It never shrinks, since noise would grow again. 0:
 * exploring is over, because another update would leave too little for the end.
 */
static int64_t explore_rows_by_rule(const struct th_iht *h,
                                    const struct th_context *context,
                                    int64_t blocks)
{
  double left = (double)th_deal_left(&context->deal);
  int64_t most = (int64_t)(largest_update * left / (double)blocks);
  int64_t first = th_schedule_explore_rows(context->config->sparsity);
  int64_t rows = th_schedule_grow(first, growth_of(context->config), h->round);
  if (h->round == 0) {
    rows = rows < most ? rows : most;
    return rows > 1 ? rows : 1;
  }
  if (rows > most && rows > h->explore_rows)
    rows = most > h->explore_rows ? most : h->explore_rows;
  double pass = (double)context->deal.rows_in_pass;
  double after = left - (double)blocks * (double)rows;
  return after >= end_share * pass ? rows : 0;
}

/* B by the automatic rule in a round without Exploration. It grows up to a
 * whole pass. The last update takes all that is left, unless that is less than
 * the one before took. */
static int64_t exploit_rows_by_rule(const struct th_iht *h,
                                    const struct th_context *context)
{
  int64_t pass = context->deal.rows_in_pass;
  int64_t left = th_deal_left(&context->deal);
  int64_t first =
      EXPLOIT_PER_EXPLORE * th_schedule_explore_rows(context->config->sparsity);
  int64_t rows = th_schedule_grow(first, growth_of(context->config), h->round);
  rows = rows < pass ? rows : pass;
  if (left / 2 >= rows)
    return rows;
  rows = left < pass ? left : pass;
  return rows >= h->exploit_rows ? rows : 0;
}

/* Exploration in a round, with batches as given or by rule. */
static void plan_exploration(struct th_iht *h, const struct th_context *context,
                             int64_t blocks)
{
  const struct th_config *config = context->config;
  h->explore_rows = config->rounds.batch_explore > 0
                        ? th_schedule_grow(config->rounds.batch_explore,
                                           growth_of(config), h->round)
                        : explore_rows_by_rule(h, context, blocks);
  h->updates_explore =
      config->rounds.updates_explore > 0 ? config->rounds.updates_explore : 1;
}

/* Exploitation in a round; on S alone where nothing is explored. */
static void plan_exploitation(struct th_iht *h,
                              const struct th_context *context, int64_t blocks)
{
  const struct th_config *config = context->config;
  bool alone = h->explore_rows == 0;
  h->exploit_rows = config->rounds.batch_exploit > 0
                        ? th_schedule_grow(config->rounds.batch_exploit,
                                           growth_of(config), h->round)
                    : alone ? exploit_rows_by_rule(h, context)
                            : EXPLOIT_PER_EXPLORE * h->explore_rows;
  h->updates_exploit =
      config->rounds.updates_exploit > 0
          ? config->rounds.updates_exploit
          : th_schedule_exploit_updates(alone ? 1 : blocks,
                                        h->eta * context->loss->smoothness / 2);
}

/* Whether the rows that are left go into steps on S. They do where the model
 * is, or may be, the iterate. Least squares uses all rows at once instead. */
static bool steps_to_the_end(const struct th_context *context)
{
  return context->loss->labels || context->config->refit == TH_REFIT_NO;
}

/* Rows of a round as planned. */
static double rows_of_round(const struct th_iht *h,
                            const struct th_context *context, bool explore,
                            bool exploit, int64_t blocks)
{
  double rows =
      (double)blocks * (double)h->explore_rows * (double)h->updates_explore;
  if (exploit && (h->explores || !explore || steps_to_the_end(context)))
    rows += (double)h->exploit_rows * (double)h->updates_exploit;
  return rows;
}

/* The first round may have less Exploitation than planned, so that it fits. */
static void fit_first_round(struct th_iht *h, const struct th_context *context,
                            int64_t blocks)
{
  double left =
      (double)th_deal_left(&context->deal) -
      (double)blocks * (double)h->explore_rows * (double)h->updates_explore;
  int64_t most = (int64_t)((1 - end_share) * left / (double)h->exploit_rows);
  if (h->updates_exploit > most)
    h->updates_exploit = most > 0 ? most : 0;
}

static void plan_round(struct th_iht *h, const struct th_context *context,
                       bool explore, bool exploit, int64_t blocks)
{
  h->explore_rows = explore && h->explores ? h->explore_rows : 0;
  if (explore && h->explores)
    plan_exploration(h, context, blocks);
  h->explores = h->explore_rows > 0;
  h->updates_explore = h->explores ? h->updates_explore : 0;
  if (!exploit)
    return;
  plan_exploitation(h, context, blocks);
  if (h->explores && h->round == 0 &&
      context->config->rounds.updates_exploit == 0)
    fit_first_round(h, context, blocks);
}

th_status th_iht_round(struct th_iht *h, struct th_context *context,
                       bool explore, bool exploit, bool *fits,
                       struct th_error *err)
{
  const struct th_config *config = context->config;
  th_status rc = explore ? th_iht_blocks(h, context, err) : TH_OK;
  if (rc != TH_OK)
    return rc; /* cannot fail: there is room; the same on every rank */
  int64_t blocks = explore ? h->blocks.count : 1;
  double left = (double)th_deal_left(&context->deal);
  plan_round(h, context, explore, exploit, blocks);
  double rows = rows_of_round(h, context, explore, exploit, blocks);
  if (rows > left && h->explores && exploit &&
      config->rounds.batch_explore == 0 &&
      steps_to_the_end(context)) { /* S alone */
    h->explores = false;
    plan_round(h, context, explore, exploit, blocks);
    rows = rows_of_round(h, context, explore, exploit, blocks);
  }
  *fits = rows > 0 && rows <= left &&
          (config->rounds.most == 0 || h->round < config->rounds.most);
  return TH_OK;
}
