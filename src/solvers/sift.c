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
#include "solvers/algorithm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  LEAST_ROWS = 20, /* per block and sweep */
  RARE_ROWS = 4    /* of the rarer label, that luck may bring */
};

static const double most_of_budget = 0.7;  /* |S| <= .7 s' */
static const double batch_growth = 1.05;   /* per sweep */
static const double largest_sweep = 0.15;  /* of the rows that are left */
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

static int64_t owned_count(const struct th_context *context)
{
  return context->owned.last - context->owned.first;
}

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
  th_selection_free(&s->selection);
  free(s->evidence);
  free(s->z);
  free(s);
}

/* p_end: a pass for the final fit where the data are read more than once;
 * labels need as many again for Newton's steps, or a fifth of a single pass. */
static int64_t rows_for_end(const struct th_context *context)
{
  int64_t pass = context->deal.rows_in_pass;
  bool labels = context->target.labels;
  if (context->config->passes > 2)
    return labels ? 2 * pass : pass;
  if (context->config->passes == 2)
    return pass;
  return labels ? pass / 5 : 0;
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
  int64_t count = owned_count(context);
  double d = (double)th_source_shape(context->source)->attributes;
  double budget = (double)th_source_budget(context->source);
  double n = (double)context->deal.rows_in_pass;
  th_status rc = TH_NEW(&s, 1, "a solver", err);
  if (rc == TH_OK)
    rc = TH_NEW(&s->evidence, 6 * count, "evidence", err);
  if (rc == TH_OK)
    rc = TH_NEW(&s->z, count, "z-scores", err);
  TH_TRY(th_agree(context->comm, rc, err));
  /* the largest of d scores without a signal; probation catches what passes.
   * Half a unit more costs a third more rows and finds fewer weak attributes
   * (tests/bench/toeplitz.sh). */
  s->threshold = sqrt(2 * log(d));
  s->largest_support = (int64_t)fmin(most_of_budget * budget, n / 5);
  if (s->largest_support < 1)
    s->largest_support = 1;
  rc = th_support_reserve(&s->confirmed, s->largest_support, err);
  TH_TRY(th_agree(context->comm, rc, err));
  s->smallest = INFINITY;
  s->extreme = th_sift_has_extremes(context);
  s->reserve = rows_for_end(context);
  if (context->target.labels) /* from the log odds of the larger label */
    center_labels(s, tanh(context->target.offset / 2));
  *state = s;
  s = NULL;
done:
  release(s);
  return rc;
}

/* B, the rows of each block in this sweep; 0: the data are used up. */
static int64_t rows_per_block(const struct th_sift *s,
                              const struct th_context *context)
{
  double blocks = (double)s->blocks.count;
  double left = (double)th_deal_left(&context->deal);
  double n = (double)context->deal.rows_in_pass;
  double rows = LEAST_ROWS * pow(batch_growth, (double)s->sweep);
  rows = fmin(fmin(rows, largest_sweep * left / blocks), n);
  rows = fmax(rows, ceil(10 * (double)s->support.size / blocks));
  rows = floor(fmax(rows, LEAST_ROWS));
  return rows * blocks <= left - (double)s->reserve ? (int64_t)rows : 0;
}

/* Probation, significance, least squares on S. Collective. */
static th_status fit_support(struct th_sift *s, struct th_context *context,
                             struct th_error *err)
{
  th_status rc = th_gram_start(&s->gram, context, s->support.size, err);
  if (rc != TH_OK)
    return rc;
  TH_TRY(
      th_gram_add(&s->gram, context, &s->batch, &s->support, NULL, NULL, err));
  TH_TRY(th_sift_fit_sweep(&s->fit, context, &s->gram, s->mean_square, s->least,
                           (double)context->deal.rows_in_pass, err));
  for (int64_t k = 0; k < s->fit.size; k++) {
    s->support.coef[k] = s->fit.theta[k];
    if (s->fit.forget[k])
      th_sift_forget(s, context, s->support.attribute[k]);
  }
  th_support_filter(&s->support, s->fit.keep);
  th_sift_fit_filter(&s->fit, s->fit.keep);
  TH_TRY(th_support_copy(&s->confirmed, &s->support, err));
  s->confirmed.intercept = s->label_mean;
done:
  return rc;
}

/* S += E: two ascending lists become one. Local. */
static th_status merge(struct th_sift *s, const struct th_choice *entrants,
                       const int64_t *first, int64_t found,
                       struct th_choice *merged, int64_t *place,
                       struct th_error *err)
{
  int64_t old = s->support.size;
  int64_t k = 0;
  int64_t e = 0;
  for (int64_t at = 0; at < old + found; at++) {
    bool member = e == found ||
                  (k < old && s->support.attribute[k] < entrants[e].attribute);
    if (member) {
      place[k] = at;
      merged[at] =
          (struct th_choice){s->support.attribute[k], s->support.coef[k]};
      k++;
    } else {
      merged[at].attribute = entrants[e].attribute;
      memcpy(&merged[at].value, &first[e], sizeof first[e]);
      e++;
    }
  }
  th_status rc = th_sift_fit_insert(&s->fit, place, old + found, err);
  for (int64_t at = 0, c = 0; at < old + found && rc == TH_OK; at++)
    if (s->fit.entrant[at])
      s->fit.score[at] = fabs(entrants[c++].value);
  return rc;
}

/* E = the largest |z| above z0, as many as S has room for. Collective. */
static th_status admit(struct th_sift *s, struct th_context *context,
                       struct th_error *err)
{
  int64_t room = s->largest_support - s->support.size;
  int64_t found = 0;
  struct th_choice *entrants = NULL;
  struct th_choice *merged = NULL;
  int64_t *first = NULL; /* bits of the first guesses */
  int64_t *place = NULL;
  th_status rc = TH_OK;
  if (room <= 0)
    return TH_OK;
  th_profile_begin(context->profile);
  rc = TH_NEW(&entrants, room, "entrants", err);
  if (rc == TH_OK)
    rc = TH_NEW(&first, room, "entrants", err);
  if (rc == TH_OK)
    rc = TH_NEW(&merged, s->largest_support, "entrants", err);
  if (rc == TH_OK)
    rc = TH_NEW(&place, s->largest_support, "entrants", err);
  TH_TRY(th_agree(context->comm, rc, err));
  th_sift_score(s, context);
  TH_TRY(th_select_largest(context->comm, &s->selection, s->z,
                           owned_count(context), context->owned.first,
                           s->threshold, room, TH_OK, entrants, &found, err));
  th_sift_guess(s, context, entrants, found, first);
  rc = merge(s, entrants, first, found, merged, place, err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_support_assign(&s->support, context, merged,
                           s->support.size + found, err));
done:
  th_profile_end(context->profile, TH_PHASE_SELECT);
  free(entrants);
  free(merged);
  free(first);
  free(place);
  return rc;
}

/* Blocks of s' - |S| attributes outside S, and the residuals of their rows.
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
  return th_batch_look(&s->batch, context, &view, more, err);
}

/* One sweep over all attributes. */
static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct th_sift *s = state;
  th_status rc;
  /* every block J_i takes its own rows; of them J_i and S are observed */
  TH_TRY(look(s, context, more, err));
  if (!*more)
    return TH_OK;
  s->sweep++;
  if (!(s->batch.weight_sum > 0)) /* rows of weight 0 teach nothing */
    return TH_OK;
  s->mean_square = fmax(s->batch.loss, s->least);
  bool perfect = !(s->mean_square > 0); /* no evidence is left to find */
  *more = !perfect || th_sift_on_probation(s);
  if (!*more)
    return TH_OK;
  if (!perfect) {
    TH_TRY(th_sift_gather(s, context, err));
    th_sift_watch(s, context);
    th_sift_keep(s, context);
  }
  if (s->support.size > 0)
    TH_TRY(fit_support(s, context, err));
  if (!perfect)
    TH_TRY(admit(s, context, err));
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
