/* sift.c - solver `sift`: accumulated evidence under an attribute budget
 *
 * Ours; the observations are those of Murata & Suzuki 2018, Algorithm 1 (blocks
 * J_i and the support S of each example, at most s' attributes in all), but
 * what was learnt about an attribute is kept. This is a precision-weighted mean
 * of x_j * residual, with its standard error. The problem is
 *
 *     minimise E (y - theta' x)^2, theta sparse.
 *
 * A round gives half of its rows to the next blocks of a rotation over all
 * attributes, half to the race of the most promising ones (sift_plan.c).
 * Attributes enter S by their z-score, are tried on the rows of the next round,
 * or of several where few rows have them, and leave when a weighted
 * least-squares fit on S and the constant finds them insignificant. The fit
 * keeps what it knew when S grows (sift_fold.c). There is no s, step size or
 * batch to choose. Logistic loss: attributes are selected on labels -1, +1 with
 * squared loss, and Newton steps on S end the run.
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/sift.h"
#include "solvers/budgeted/algorithms.h"

#include "core/elementary.h"
#include "core/integer.h"
#include "core/memory.h"
#include "math/schedule.h"
#include "solvers/algorithm.h"

#include <math.h>
#include <stdlib.h>

enum { RARE_ROWS = 4 }; /* of the rarer label, that chance may bring */

static const double least_variance = 0.25; /* of labels, after any fit */

/* Residuals are y - p with unit factor, for either kind of target. */
static double half_value(double p, double y)
{
  return (p - y) * (p - y);
}

static double half_derivative(double p, double y)
{
  return p - y;
}

static double half_curvature(double p, double y)
{
  (void)p;
  (void)y;
  return 1;
}

static const struct th_loss evidence_loss = {
    .name = "evidence",
    .smoothness = 1,
    .value = half_value,
    .derivative = half_derivative,
    .curvature = half_curvature,
};

static void release(void *state)
{
  struct th_sift *s = state;
  if (s == NULL)
    return;
  th_support_free(&s->support);
  th_support_free(&s->confirmed);
  th_sift_plan_free(&s->plan);
  th_batch_free(&s->batch);
  th_round_log_free(&s->log);
  th_gram_free(&s->gram);
  th_latin_free(&s->latin);
  th_marginal_free(&s->marginal);
  th_end_free(&s->end);
  th_sift_fit_free(&s->fit);
  th_sift_evidence_free(&s->evidence);
  th_sift_entry_free(&s->entry);
  free(s);
}

/* p_end: if the data are read more than once, one pass is kept for the final
 * fit. */
static int64_t rows_for_end(const struct th_context *context)
{
  return context->config->passes > 1 ? context->deal.rows_in_pass : 0;
}

/* If there is a single pass, its rows are kept for Newton steps. */
static bool logs_rounds(const struct th_context *context)
{
  return context->target.labels && context->config->passes == 1 &&
         context->config->refit != TH_REFIT_NO;
}

/* A few rows may by chance hold no example of a rare label. Their variance says
 * nothing then. Local. */
static void center_labels(struct th_sift *s, double mean)
{
  s->label_mean = mean;
  s->least = least_variance * (1 - mean * mean);
  s->rare_label_slack = RARE_ROWS * (1 + fabs(mean)) * (1 + fabs(mean));
}

/* Prepare what an end that predicts needs from the beginning. Collective. */
static th_status prepare_end(struct th_sift *s, struct th_context *context,
                             struct th_error *err)
{
  const struct th_config *config = context->config;
  int64_t d = th_source_shape(context->source)->attributes;
  int64_t blocks = th_integer_ceil_divide(d, th_source_budget(context->source));
  th_status rc;
  s->predicts = th_end_chooses(config);
  if (!s->predicts)
    return TH_OK;
  th_context_part(context, false); /* the end is another one */
  int64_t screens = th_end_screens(config->passes, blocks,
                                   th_source_shape(context->source)->training);
  TH_TRY(th_end_init(&s->end, context, config->passes, screens, err));
  const uint8_t *fold = s->end.small ? s->end.fold : NULL;
  rc = th_latin_init(&s->latin, &context->deal, s->end.units, blocks, screens,
                     err);
  s->dealt = rc == TH_OK ? th_latin_left(&s->latin) : 0;
  if (rc == TH_OK)
    rc = th_marginal_init(
        &s->marginal, context, s->end.small ? s->end.folds : 1, fold,
        th_shape_is_rare(th_source_shape(context->source)), err);
  TH_TRY(th_agree(context->comm, rc, err));
  s->evidence.beside = &s->marginal;
  /* no race */
  s->evidence.once = s->latin.passes == blocks || s->evidence.centring != NULL;
done:
  return rc;
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct th_sift *s = NULL;
  double d = (double)th_source_shape(context->source)->attributes;
  th_status rc = TH_NEW(&s, 1, "the solver", err);
  if (rc == TH_OK)
    rc = th_sift_evidence_create(&s->evidence, context, err);
  if (rc == TH_OK)
    rc = th_sift_fit_start(&s->fit, context->config->intercept, err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(prepare_end(s, context, err));
  /* the expected largest of d scores without a signal; the trial catches those
   * that pass by chance. Half a unit more costs a third more rows and finds
   * fewer weak attributes (tests/bench/toeplitz.sh). */
  s->threshold = sqrt(2 * th_log(d));
  s->largest_support = th_schedule_sift_support(
      (int64_t)d, th_source_budget(context->source), context->config->sparsity,
      context->deal.rows_in_pass);
  s->smallest = INFINITY;
  s->reserve = rows_for_end(context);
  if (!s->predicts)
    s->dealt =
        context->config->passes * context->deal.rows_in_pass - s->reserve;
  if (context->target.labels) /* begin with the log odds of the larger label */
    center_labels(s, th_tanh(context->target.offset / 2));
  *state = s;
  s = NULL;
done:
  release(s);
  return rc;
}

/* Apply the fates of the members in this round. Local. */
static th_status end_update(struct th_sift *s, const struct th_context *context,
                            struct th_error *err)
{
  struct th_sift_fit *fit = &s->fit;
  bool *keep = fit->keep;
  for (int64_t k = 0; k < fit->size; k++) {
    int64_t attribute = s->support.attribute[k];
    double known = fit->knowledge[k];
    keep[k] = fit->fate[k] == TH_SIFT_STAYS;
    s->support.coef[k] = fit->theta[k];
    if (fit->fate[k] == TH_SIFT_DROPPED)
      th_sift_evidence_put(&s->evidence, context, attribute,
                           (struct th_evidence){known * fit->last[k], known});
    if (fit->fate[k] == TH_SIFT_DEPENDENT)
      th_sift_evidence_put(&s->evidence, context, attribute,
                           (struct th_evidence){0});
  }
  th_support_filter(&s->support, keep);
  th_sift_fit_filter(fit, keep);
  s->support.intercept = fit->constant ? fit->theta[fit->size] : 0;
  th_status rc = th_support_copy(&s->confirmed, &s->support, err);
  for (int64_t k = 0; k < fit->size; k++)
    keep[k] = !fit->entrant[k];
  if (rc == TH_OK)
    th_support_filter(&s->confirmed, keep);
  s->confirmed.intercept += s->label_mean;
  return rc;
}

/* The round joins the fit; learnt: of the work on it. Collective. */
static th_status fit_support(struct th_sift *s, struct th_context *context,
                             th_status learnt, struct th_error *err)
{
  double all = (double)th_source_shape(context->source)->training;
  const struct th_sift_round round = {
      .gram = &s->gram,
      .variance = s->mean_square,
      .least = s->least,
      .n = (double)context->deal.rows_in_pass * (context->target.counted / all),
  };
  th_status rc;
  TH_TRY(th_sift_fit_round(&s->fit, context, &round, learnt, err));
  bool grows = s->fit.size > s->confirmed.capacity; /* on every rank alike */
  rc = end_update(s, context, err);
  if (grows)
    rc = th_agree(context->comm, rc, err);
done:
  return rc;
}

/* Read the round's blocks and its race, and S on their rows, and form the sums
 * over S. Collective. */
static th_status look(struct th_sift *s, struct th_context *context, bool *more,
                      struct th_error *err)
{
  const struct th_sift_plan *plan = &s->plan;
  th_status rc;
  TH_TRY((s->predicts ? th_sift_latin_round : th_sift_plan_round)(s, context,
                                                                  more, err));
  if (!*more)
    return TH_OK;
  const int64_t consumers =
      th_integer_ceil_divide(th_source_shape(context->source)->attributes,
                             th_source_budget(context->source));
  const struct th_parts parts = {.block = plan->block,
                                 .consumer = plan->consumer,
                                 .rows = plan->block_rows,
                                 .count = plan->blocks,
                                 .consumers = consumers + 1,
                                 .active_rows = plan->race_rows,
                                 .active_consumer = consumers,
                                 .latin = s->predicts ? &s->latin : NULL};
  const struct th_batch_request request = {.parts = &parts,
                                           .consumer = TH_CONSUMER_BLOCK,
                                           .support = &s->support,
                                           .loss = &evidence_loss};
  s->batch.target_centre = s->label_mean;
  TH_TRY(th_batch_observe(&s->batch, context, &request, more, err));
  if (!*more || !(s->batch.weight_sum > 0))
    return TH_OK;
  TH_TRY(th_gram_start(&s->gram, context, s->support.size, err));
  if (logs_rounds(context))
    th_round_log_add(&s->log, &s->batch, &s->support, s->label_mean, err);
  TH_TRY(
      th_gram_add(&s->gram, context, &s->batch, &s->support, NULL, NULL, err));
  th_sift_find_slow(s, context);
  th_sift_choose_guesses(s);
  TH_TRY(
      th_batch_residual(&s->batch, context, &s->support, &evidence_loss, err));
done:
  return rc;
}

/* Members of S are no candidates: put aside what the blocks say of them. Local.
 */
static void hold_members(struct th_sift *s, const struct th_context *context)
{
  th_sift_evidence_hold(&s->evidence, context, &s->support);
  if (s->predicts)
    th_marginal_hold(&s->marginal, context, &s->support);
}

static void release_members(struct th_sift *s, const struct th_context *context)
{
  th_sift_evidence_release(&s->evidence, context, &s->support);
  if (s->predicts)
    th_marginal_release(&s->marginal, context, &s->support);
}

/* Learn about attributes outside S, and about entrants. Collective where the
 * trial of some lasts over rounds; but the status is this rank's own, and the
 * caller goes on to an agreement. */
static th_status learn(struct th_sift *s, struct th_context *context,
                       struct th_error *err)
{
  struct th_sift_evidence *e = &s->evidence;
  th_status rc;
  th_sift_check_loss(s, context);
  rc = th_sift_evidence_reserve(e, context, &s->support, err);
  if (rc == TH_OK && s->predicts)
    rc = th_marginal_begin(&s->marginal, context, &s->batch, &s->support, err);
  if (rc == TH_OK) {
    th_sift_learn_entrants(s, context);
    hold_members(s, context);
    rc = th_sift_evidence_gather(e, &s->batch, context, s->mean_square, err);
    release_members(s, context);
  }
  th_sift_judge_slow(s, context);
  return rc;
}

/* One round over all attributes. */
static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct th_sift *s = state;
  th_status learnt = TH_OK; /* by this rank */
  th_status rc;
  /* every block J_i takes its own rows; J_i and S are observed of them */
  TH_TRY(look(s, context, more, err));
  if (!*more && s->round == 0)
    th_context_notice(
        context, "so few examples make no round over all blocks, and nothing "
                 "was learnt. Give more {passes} or a larger {budget}");
  if (!*more)
    return TH_OK;
  s->round++;
  if (!(s->batch.weight_sum > 0)) /* rows of weight 0 teach nothing */
    return TH_OK;
  s->mean_square = fmax(s->batch.loss, s->least);
  bool perfect = !(s->mean_square > 0); /* no evidence is left to find */
  *more = !perfect || th_sift_has_entrants(s);
  if (!*more)
    return TH_OK;
  if (!perfect)
    learnt = learn(s, context, err);
  if (!perfect)
    th_sift_plan_done(s, context);
  TH_TRY(fit_support(s, context, learnt, err));
  if (!perfect)
    TH_TRY(th_sift_enter(s, context, learnt, err));
done:
  return rc;
}

static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  return th_sift_end(state, context, err);
}

static const struct th_support *support(const void *state)
{
  const struct th_sift *s = state;
  return &s->confirmed;
}

static double loss(const void *state)
{
  const struct th_sift *s = state;
  return s->mean_square;
}

/* Of the rounds: an end that predicts is a part of its own. */
static double done(const void *state)
{
  const struct th_sift *s = state;
  double rows = (double)s->dealt;
  double passes = 1;
  double now = s->plan.used;
  if (s->end.ending.kind != TH_ENDING_NONE)
    return 1;
  if (s->predicts) {
    passes = (double)s->latin.passes;
    now = (double)(s->latin.pass + 1) * rows - (double)th_latin_left(&s->latin);
  }
  return rows > 0 ? fmin(now / (passes * rows), 1) : -1;
}

static double step_size(const void *state)
{
  (void)state;
  return 0;
}

static const struct th_ending *ending(const void *state)
{
  const struct th_sift *s = state;
  return &s->end.ending;
}

/* An end that predicts chooses by them. */
static bool keeps_held_out(const void *state)
{
  const struct th_sift *s = state;
  return s->predicts;
}

const struct th_algorithm th_sift_algorithm = {
    .create = create,
    .step = step,
    .finish = finish,
    .support = support,
    .loss = loss,
    .done = done,
    .step_size = step_size,
    .ending = ending,
    .keeps_held_out = keeps_held_out,
    .describe = th_sift_describe,
    .free = release,
};
