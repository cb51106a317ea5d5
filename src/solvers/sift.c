/* sift.c - solver `sift`: accumulated evidence under an attribute budget
 *
 * Ours; the observations are those of Murata & Suzuki 2018, Algorithm 1 (blocks
 * J_i and the support S of each example, at most s' attributes in all), but
 * what was learnt about an attribute is kept: a precision-weighted mean of
 * x_j * residual, with its standard error, for
 *
 *     minimise E (y - theta' x)^2, theta sparse.
 *
 * Attributes enter S by their z-score, stay on probation for a sweep, and leave
 * when a weighted least-squares fit on S finds them insignificant. There is no
 * s, step size or batch to choose. A simpler form (discounting old evidence
 * whenever S changes, no probation, the variance from before the fit) is
 * unstable on correlated and on repeated data: every guard here is needed.
 * Logistic loss: attributes are selected on labels -1, +1 with squared loss,
 * and Newton steps on S end the run.
 * SPDX-License-Identifier: MIT */
#include "solvers/sift.h"

#include "core/memory.h"
#include "math/rule.h"
#include "solvers/algorithm.h"

#include <math.h>
#include <stdlib.h>

enum {
  LEAST_ROWS = 20,    /* per block and round */
  WATCHED_ROWS = 400, /* that a mean squared residual is compared on */
  TRIAL_PART = 5,     /* the rows of a trial: at most n over this */
  RARE_ROWS = 4       /* of the rarer label, that luck may bring */
};

static const double batch_growth = 1.05;   /* per round */
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
  th_blocks_free(&s->blocks);
  th_batch_free(&s->batch);
  th_gram_free(&s->gram);
  th_sift_fit_free(&s->fit);
  th_evidence_free(&s->evidence);
  th_sift_entry_free(&s->entry);
  free(s);
}

/* p_end: a pass for the final fit where the data are read more than once;
 * labels need a fifth of a single pass for Newton's steps. */
static int64_t rows_for_end(const struct th_context *context)
{
  int64_t pass = context->deal.rows_in_pass;
  if (context->config->passes > 1)
    return pass;
  return context->target.labels ? pass / 5 : 0;
}

/* Few rows of rare labels may hold none of them by luck, and their variance
 * says nothing then. Local. */
static void center_labels(struct th_sift *s, double mean)
{
  s->label_mean = mean;
  s->least = least_variance * (1 - mean * mean);
  s->luck = RARE_ROWS * (1 + fabs(mean)) * (1 + fabs(mean));
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct th_sift *s = NULL;
  double d = (double)th_source_shape(context->source)->attributes;
  th_status rc = TH_NEW(&s, 1, "a solver", err);
  if (rc == TH_OK)
    rc = th_evidence_create(&s->evidence, context, err);
  if (rc == TH_OK)
    rc = th_sift_fit_start(&s->fit, context->config->intercept, err);
  TH_TRY(th_agree(context->comm, rc, err));
  /* the largest of d scores without a signal; probation catches what passes.
   * Half a unit more costs a third more rows and finds fewer weak attributes
   * (tests/bench/toeplitz.sh). */
  s->threshold = sqrt(2 * log(d));
  s->largest_support = th_rule_sift_support(th_source_budget(context->source),
                                            context->config->sparsity,
                                            context->deal.rows_in_pass);
  s->smallest = INFINITY;
  s->rare = th_source_shape(context->source)->layout == TH_SPARSE;
  s->reserve = rows_for_end(context);
  if (context->target.labels) /* from the log odds of the larger label */
    center_labels(s, tanh(context->target.offset / 2));
  *state = s;
  s = NULL;
done:
  release(s);
  return rc;
}

/* B, the rows of each block in this round; 0: the data are used up. What is
 * left then belongs to the end. */
static int64_t rows_per_block(const struct th_sift *s,
                              const struct th_context *context)
{
  double blocks = (double)s->blocks.count;
  double left = (double)th_deal_left(&context->deal);
  double n = (double)context->deal.rows_in_pass;
  double rows = LEAST_ROWS * pow(batch_growth, (double)s->round);
  rows = fmin(rows, n);
  rows = fmax(rows, ceil(10 * (double)s->support.size / blocks));
  rows = floor(fmax(rows, LEAST_ROWS));
  return rows * blocks <= left - (double)s->reserve ? (int64_t)rows : 0;
}

/* Is a member of S an entrant? */
static bool has_entrants(const struct th_sift *s)
{
  bool any = false;
  for (int64_t k = 0; k < s->fit.size; k++)
    any |= s->fit.entrant[k];
  return any;
}

/* Sum of squares, over the rows of the Gram matrix, of y less what S predicts,
 * entrants among it or not. */
static double squares_with(const struct th_sift *s, bool entrants)
{
  const struct th_gram *gram = &s->gram;
  int64_t n = gram->size;
  double sum = th_gram_at(gram, n + 1, n + 1);
  for (int64_t j = 0; j <= n; j++) {
    double theta = j < n ? s->support.coef[j] : s->support.intercept;
    double rest = -2 * th_gram_at(gram, j, n + 1);
    if (j < n && s->fit.entrant[j] && !entrants)
      continue;
    for (int64_t i = 0; i <= n; i++)
      if (i == n || !s->fit.entrant[i] || entrants)
        rest += th_gram_at(gram, i, j) *
                (i < n ? s->support.coef[i] : s->support.intercept);
    sum += theta * rest;
  }
  return sum;
}

/* First guesses at E's coefficients count only if they help: on correlated data
 * those of many that come together add up to nonsense. */
static void choose_guesses(struct th_sift *s)
{
  if (s->waiting || !has_entrants(s) ||
      squares_with(s, true) < squares_with(s, false))
    return;
  for (int64_t k = 0; k < s->support.size; k++)
    if (s->fit.entrant[k])
      s->support.coef[k] = 0;
}

/* Residuals that have doubled while nobody is tried mean that S has changed for
 * the worse: all evidence is about another S then. */
static void watch(struct th_sift *s, const struct th_context *context)
{
  if (has_entrants(s))
    return;
  s->pooled += s->mean_square * s->batch.weight_sum;
  s->pooled_rows += s->batch.weight_sum;
  if (s->pooled_rows < fmin(WATCHED_ROWS, (double)context->deal.rows_in_pass))
    return;
  double mean = s->pooled / s->pooled_rows;
  double luck = s->luck / s->pooled_rows;
  if (mean > 2 * s->smallest + luck) {
    th_evidence_forget_all(&s->evidence, context);
    s->smallest = INFINITY;
  }
  s->smallest = fmin(s->smallest, mean + luck);
  s->pooled = 0;
  s->pooled_rows = 0;
}

/* Line E: all rows of the round speak of an entrant, with its own part of the
 * prediction added back. Local, at its owner. */
static void learn_entrants(struct th_sift *s, const struct th_context *context)
{
  const struct th_batch *batch = &s->batch;
  for (int64_t k = batch->mine.first; k < batch->mine.last; k++) {
    const double *x = batch->columns + (k - batch->mine.first) * batch->rows;
    struct th_evidence sum = {0};
    if (!s->fit.entrant[k])
      continue;
    for (int64_t i = 0; i < batch->rows; i++) {
      sum.u -= batch->residual[i] * x[i];
      sum.v += batch->weight[i] * x[i] * x[i];
    }
    sum.u += sum.v * s->support.coef[k];
    th_evidence_add(
        &s->evidence, context, s->support.attribute[k],
        (struct th_evidence){sum.u / s->mean_square, sum.v / s->mean_square});
  }
}

/* Of attributes that see few of a round's examples one round says too little:
 * their trial lasts until a coefficient as large as the guess would stand out
 * by four standard errors, or a fifth of the rows has gone into it. */
static bool must_wait(const struct th_sift *s, const struct th_context *context)
{
  const double wanted = 16 * s->mean_square;
  if (!s->rare ||
      s->gram.rows >= (double)context->deal.rows_in_pass / TRIAL_PART)
    return false;
  for (int64_t k = 0; k < s->fit.size; k++)
    if (s->fit.entrant[k] &&
        th_gram_at(&s->gram, k, k) * s->fit.guess[k] * s->fit.guess[k] < wanted)
      return true;
  return false;
}

/* What has become of the members in this round. Local. */
static th_status settle(struct th_sift *s, const struct th_context *context,
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
      th_evidence_put(&s->evidence, context, attribute,
                      (struct th_evidence){known * fit->last[k], known});
    if (fit->fate[k] == TH_SIFT_DEPENDENT)
      th_evidence_put(&s->evidence, context, attribute,
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

/* The round, or the rounds of a trial, join the fit; or the trial goes on.
 * Collective. */
static th_status fit_support(struct th_sift *s, struct th_context *context,
                             bool waits, struct th_error *err)
{
  s->waiting = waits;
  const struct th_sift_round round = {
      .gram = &s->gram,
      .variance = s->mean_square,
      .least = s->least,
      .n = (double)context->deal.rows_in_pass,
      .waits = s->waiting,
  };
  th_status rc;
  TH_TRY(th_sift_fit_round(&s->fit, context, &round, err));
  TH_TRY(th_agree(context->comm, settle(s, context, err), err));
done:
  return rc;
}

/* Blocks of s' - |S| attributes outside S; S on their rows, and its sums.
 * Collective. */
static th_status look(struct th_sift *s, struct th_context *context, bool *more,
                      struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  int64_t width = th_source_budget(context->source) - s->support.size;
  width = width > 1 ? width : 1; /* d = 1: the block is S itself */
  th_status rc = th_blocks_outside(&s->blocks, shape->attributes, width,
                                   s->support.attribute, s->support.size, err);
  if ((rc = th_agree(context->comm, rc, err)) != TH_OK)
    return rc;
  const struct th_view view = {.blocks = &s->blocks,
                               .consumer = TH_CONSUMER_BLOCK,
                               .rows = rows_per_block(s, context),
                               .support = &s->support,
                               .loss = &evidence_loss};
  s->batch.target_centre = s->label_mean;
  TH_TRY(th_batch_observe(&s->batch, context, &view, more, err));
  if (!*more || !(s->batch.weight_sum > 0))
    return TH_OK;
  if (!s->waiting)
    TH_TRY(th_gram_start(&s->gram, context, s->support.size, err));
  TH_TRY(
      th_gram_add(&s->gram, context, &s->batch, &s->support, NULL, NULL, err));
  choose_guesses(s);
  TH_TRY(
      th_batch_residual(&s->batch, context, &s->support, &evidence_loss, err));
done:
  return rc;
}

/* What the round says of attributes outside S, and of entrants. Collective. */
static th_status learn(struct th_sift *s, struct th_context *context,
                       struct th_error *err)
{
  struct th_sift_evidence *e = &s->evidence;
  th_status rc;
  watch(s, context);
  learn_entrants(s, context);
  TH_TRY(th_agree(context->comm, th_evidence_hold(e, context, &s->support, err),
                  err));
  TH_TRY(th_evidence_gather(e, &s->batch, context, s->mean_square, err));
  th_evidence_release(e, context, &s->support);
done:
  return rc;
}

/* One round over all attributes. */
static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct th_sift *s = state;
  th_status rc;
  /* every block J_i takes its own rows; of them J_i and S are observed */
  TH_TRY(look(s, context, more, err));
  if (!*more)
    return TH_OK;
  s->round++;
  if (!(s->batch.weight_sum > 0)) /* rows of weight 0 teach nothing */
    return TH_OK;
  s->mean_square = fmax(s->batch.loss, s->least);
  bool perfect = !(s->mean_square > 0); /* no evidence is left to find */
  *more = !perfect || has_entrants(s);
  if (!*more)
    return TH_OK;
  if (!perfect)
    TH_TRY(learn(s, context, err));
  TH_TRY(fit_support(s, context, must_wait(s, context), err));
  if (!perfect && !s->waiting)
    TH_TRY(th_sift_admit(s, context, err));
done:
  return rc;
}

static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  struct th_sift *s = state;
  th_status rc = TH_OK;
  if (s->waiting) /* its rows are known to nobody yet */
    rc = fit_support(s, context, false, err);
  return rc == TH_OK ? th_sift_end(s, context, err) : rc;
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

static double step_size(const void *state)
{
  (void)state;
  return 0;
}

const struct th_algorithm th_sift_algorithm = {
    .create = create,
    .step = step,
    .finish = finish,
    .support = support,
    .loss = loss,
    .step_size = step_size,
    .free = release,
};
