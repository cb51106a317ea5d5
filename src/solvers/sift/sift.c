/* sift.c - solver `sift`: accumulated evidence under an attribute budget
 *
 * Ours; the observations are those of Murata & Suzuki 2018, Algorithm 1 (blocks
 * J_i and the support S of each example, at most s' attributes in all), but
 * what was learnt about an attribute is kept. This is a precision-weighted mean
 * of x_j * residual, with its standard error. The problem is
 *
 *     minimise E (y - theta' x)^2, theta sparse.
 *
 * The solver, with S the support and E its entrants, those members that are
 * tried; z0 = sqrt(2 log d):
 *
 *   while examples are left, beside those of the end: a round
 *     1  rotation: the next blocks J of s' - |S| attributes outside S; the
 *        first round takes all. Race: the s' - |S| attributes that promise
 *        most. Each has half of the round's examples (sift_plan.c)
 *     2  observe x|J, x|S and y of the examples of each block J and of the race
 *     3  A = sum of x_S x_S', c = sum of x_S y over all of them
 *     4  the first guesses of theta_E are 0 unless they lower the residuals
 *     5  r = y - x_S' theta, r2 = mean of r^2
 *     6  if r2 has doubled since it was least: forget U, W and Q
 *     7  e in E: U_e, W_e += sums of (r + x_e theta_e) x_e / r2, x_e^2 / r2
 *        over all examples of the round
 *     8  j outside S: U_j, W_j, Q_j += sums of r x_j / r2, x_j^2 / r2,
 *        r^2 x_j^2 / r2^2 over the examples that observed j (sift_evidence.c)
 *     9  t = A \ c: e in E leaves if |t_e| is below two standard errors, or
 *        has another sign than its evidence. Those that few examples have are
 *        tried over rounds, by what line 7 has added since they came
 *    10  fold: what the fit (Lam, eta) knew of S without E becomes what it
 *        knows of S (sift_fit.c)
 *    11  Lam += A / rp, eta += c / rp, theta = Lam \ eta, rp the variance
 *    12  members whose theta is below two standard errors leave; their U, W
 *        and Q become what the fit knows of them; theta = Lam \ eta again
 *    13  E = the j outside S with |z_j| = |U_j| / sqrt(max(W_j, Q_j)) > z0, at
 *        most as many as there is room for; S += E
 *   the end (sift_end.c)
 *    14  E leaves. A model that predicts is made from all evidence
 *        (solvers/predict/end.h); or else:
 *    15  observe x|S and y of the examples that are left, and fit them
 *    16  while the least |theta_j| is below z0 standard errors: j leaves; then
 *        until s are left
 *    17  theta by least squares; by Newton steps for labels
 *
 * Nothing is there to choose but s': no s, step size or batch. Labels are -1
 * and +1 with squared loss until line 17.
 * SPDX-License-Identifier: MIT */
#include "solvers/sift/sift.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "math/schedule.h"
#include "solvers/access/exempt_members.h"
#include "solvers/algorithms.h"
#include "solvers/fits/refit.h"

#include <math.h>
#include <stdlib.h>

/* --- How attributes enter S in solver `sift` ------------------------------ */

static const struct th_array arrays[] = {
    TH_ARRAY(struct th_sift_entry, entrants),
    TH_ARRAY(struct th_sift_entry, merged),
    TH_ARRAY(struct th_sift_entry, attribute),
    TH_ARRAY(struct th_sift_entry, sum), TH_ARRAY(struct th_sift_entry, place)};

static void release_entry(struct th_sift_entry *entry)
{
  th_select_free(&entry->selection);
  th_memory_arrays_free(TH_ARRAYS(entry, arrays));
  *entry = (struct th_sift_entry){0};
}

/* Room for a support of that size. Local. */
static th_status entry_reserve(struct th_sift_entry *e, int64_t size,
                               struct th_error *err)
{
  return th_memory_arrays_reserve(TH_ARRAYS(e, arrays), &e->capacity, size,
                                  "attributes that enter the support", err);
}

/* S += E: two ascending lists become one. Local. */
static th_status merge_entrants(struct th_sift *s, int64_t found,
                                struct th_error *err)
{
  struct th_sift_entry *entry = &s->entry;
  const struct th_index_value *entrants = entry->entrants;
  int64_t old = s->support.size;
  int64_t k = 0;
  int64_t e = 0;
  for (int64_t at = 0; at < old + found; at++) {
    bool member = e == found ||
                  (k < old && s->support.attribute[k] < entrants[e].attribute);
    struct th_index_value *to = &entry->merged[at];
    if (member) {
      entry->place[k] = at;
      *to =
          (struct th_index_value){s->support.attribute[k], s->support.coef[k]};
      k++;
    } else {
      *to = (struct th_index_value){entrants[e].attribute,
                                    entry->sum[e].u / entry->sum[e].v};
      e++;
    }
  }
  th_status rc = th_sift_fit_insert(&s->fit, entry->place, old + found, err);
  for (int64_t at = 0, c = 0; c < found && rc == TH_OK; at++)
    if (entry->merged[at].attribute == entrants[c].attribute) {
      s->fit.came[at] = entry->sum[c];
      s->fit.score[at] = entrants[c++].value;
    }
  return rc;
}

/* Local. */
static th_status score_all(struct th_sift *s, const struct th_context *context,
                           struct th_error *err)
{
  const struct th_judgement rule = {.threshold = s->threshold,
                                    .mean_square = s->mean_square,
                                    .support = &s->support};
  th_status rc = entry_reserve(&s->entry, s->largest_support, err);
  return rc == TH_OK ? th_sift_evidence_score(&s->evidence, context, &rule, err)
                     : rc;
}

/* S += E, of which found are there. Collective. */
static th_status join_entrants(struct th_sift *s, struct th_context *context,
                               int64_t found, struct th_error *err)
{
  int64_t size = s->support.size + found;
  bool grows = size + s->fit.constant > s->fit.capacity; /* on all alike */
  for (int64_t k = 0; k < found; k++)
    s->entry.attribute[k] = s->entry.entrants[k].attribute;
  th_sift_evidence_message(&s->evidence, context, s->entry.attribute, found,
                           s->entry.sum);
  th_status rc = merge_entrants(s, found, err);
  if (grows)
    TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_support_assign(&s->support, context, s->entry.merged, size, err));
done:
  return rc;
}

/* E = the attributes with the largest |z| above z0, as many as S has room for;
 * S += E. learnt: this rank's status of the evidence; if it is a failure on any
 * rank, all ranks fail here. Collective. */
static th_status admit(struct th_sift *s, struct th_context *context,
                       th_status learnt, struct th_error *err)
{
  struct th_sift_evidence *evidence = &s->evidence;
  int64_t room = s->largest_support - s->support.size;
  int64_t found = 0;
  if (room <= 0)
    return th_agree(context->comm, learnt, err);
  th_comm_profile_begin(context->profile);
  th_status rc = learnt == TH_OK ? score_all(s, context, err) : learnt;
  struct th_select_among among = {.values = evidence->score,
                                  .attribute = evidence->candidate,
                                  .count = evidence->candidates,
                                  .threshold = s->threshold,
                                  .k = room};
  TH_TRY(th_select_largest(context->comm, &s->entry.selection, &among, rc,
                           s->entry.entrants, &found, err));
  if (found > 0)
    TH_TRY(join_entrants(s, context, found, err));
done:
  th_comm_profile_end(context->profile, TH_PHASE_SELECT);
  return rc;
}

/* --- What a round of solver `sift` teaches beside its Gram matrix --------- */

enum {
  COMPARED_ROWS =
      400,  /* that a mean squared residual is taken over, to be compared */
  FEW = 20, /* examples of an attribute in a round */
  TRIAL_PART = 5,  /* the rows of a trial: at most n over this */
  TRIAL_ROWS = 100 /* and at least so many with FEW examples */
};

/* What a trial has to gain, in squared standard errors of the first guess. */
static const double telling = 16;
static const double telling_many = 9;
static const double standing = 2; /* standard errors */

/* Is a member of S an entrant? Local. */
static bool has_entrants(const struct th_sift *s)
{
  bool any = false;
  for (int64_t k = 0; k < s->fit.size; k++)
    any |= s->fit.entrant[k];
  return any;
}

/* First guesses at E's coefficients count in a round's residuals only if they
 * make them smaller on its rows. On correlated data, the guesses of many
 * entrants at once add up to nonsense. */
static void choose_guesses(struct th_sift *s)
{
  const struct th_support *support = &s->support;
  if (!has_entrants(s) ||
      th_gram_squares(&s->gram, support->coef, support->intercept, NULL) <
          th_gram_squares(&s->gram, support->coef, support->intercept,
                          s->fit.entrant))
    return;
  for (int64_t k = 0; k < s->support.size; k++)
    if (s->fit.entrant[k])
      s->support.coef[k] = 0;
}

/* If residuals have doubled while S has no entrants, S has changed for the
 * worse. All evidence is then about another S, and is forgotten. Local. */
static void check_rise(struct th_sift *s, const struct th_context *context)
{
  if (has_entrants(s))
    return;
  s->pooled += s->mean_square * s->batch.weight_sum;
  s->pooled_rows += s->batch.weight_sum;
  if (s->pooled_rows < fmin(COMPARED_ROWS, (double)context->deal.rows_in_pass))
    return;
  double mean = s->pooled / s->pooled_rows;
  double rare_label_slack = s->rare_label_slack / s->pooled_rows;
  if (mean > 2 * s->smallest + rare_label_slack) {
    th_sift_evidence_forget_all(&s->evidence, context);
    s->plan.level = 0;
    s->smallest = INFINITY;
  }
  s->smallest = fmin(s->smallest, mean + rare_label_slack);
  s->pooled = 0;
  s->pooled_rows = 0;
}

/* All rows of the round are evidence about the entrants that this rank owns,
 * once an entrant's own part of the prediction is added back to the residual.
 * Local. */
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
    if (s->predicts)
      th_marginal_entrant(&s->marginal, context, batch, s->support.attribute[k],
                          x, s->support.coef[k], s->mean_square);
    th_sift_evidence_add(
        &s->evidence, context, s->support.attribute[k],
        (struct th_evidence){sum.u / s->mean_square, sum.v / s->mean_square},
        batch->rows);
  }
}

/* How many rows of the round have a value that is not zero, at its owner. */
static int64_t count_nonzero_rows(const struct th_sift *s, int64_t k)
{
  const struct th_batch *batch = &s->batch;
  double zero = -s->support.centre[k] * s->support.scale[k];
  double near = 1e-6 * (1 + fabs(zero)); /* values may come from floats */
  int64_t count = 0;
  if (k < batch->mine.first || k >= batch->mine.last)
    return 0;
  const double *x = batch->columns + (k - batch->mine.first) * batch->rows;
  for (int64_t i = 0; i < batch->rows; i++)
    count += fabs(x[i] - zero) > near;
  return count;
}

/* A new entrant is slow if few of the round's examples have it. Its trial lasts
 * over several rounds, and its coefficient is 0 meanwhile. Collective where
 * there are entrants. */
static void find_slow(struct th_sift *s, struct th_context *context)
{
  struct th_sift_fit *fit = &s->fit;
  int64_t *count = s->entry.attribute;
  if (!has_entrants(s))
    return;
  for (int64_t k = 0; k < fit->size; k++)
    count[k] = fit->entrant[k] ? count_nonzero_rows(s, k) : 0;
  context->comm->ops->sum_i64(context->comm, count, (size_t)fit->size);
  for (int64_t k = 0; k < fit->size; k++) {
    if (!fit->entrant[k])
      continue;
    fit->slow[k] |= count[k] < FEW;
    fit->nonzeros[k] += count[k];
    if (fit->slow[k])
      s->support.coef[k] = 0;
  }
}

/* The verdict falls once the evidence since the entrant came can tell a
 * coefficient of its size from 0, or once a fifth of the rows has gone by. */
static enum th_sift_verdict entrant_verdict(const struct th_sift *s, int64_t k,
                                            struct th_evidence now, double n)
{
  const struct th_sift_fit *fit = &s->fit;
  double rows = fit->seen[k] + s->batch.weight_sum;
  double u = now.u - fit->came[k].u;
  double w = now.v - fit->came[k].v;
  double gain = w * (now.u / now.v) * (now.u / now.v);
  bool many = fit->nonzeros[k] >= FEW && rows >= TRIAL_ROWS;
  if (gain < telling && !(many && gain >= telling_many) &&
      rows < n / TRIAL_PART)
    return TH_SIFT_GOES_ON;
  bool stands = u * u >= standing * standing * w && w > 0 && u * now.u > 0;
  return stands ? TH_SIFT_JOINS : TH_SIFT_FAILS;
}

/* The verdict on slow entrants, by all rounds since they came. Collective where
 * there are some. */
static void judge_slow(struct th_sift *s, struct th_context *context)
{
  struct th_sift_fit *fit = &s->fit;
  double n = (double)context->deal.rows_in_pass;
  int64_t count = 0;
  th_sift_evidence_marked(&s->evidence, context, &s->support, fit->slow,
                          s->entry.attribute, s->entry.sum);
  for (int64_t k = 0; k < fit->size; k++)
    if (fit->slow[k])
      fit->verdict[k] =
          (unsigned char)entrant_verdict(s, k, s->entry.sum[count++], n);
}

/* --- The solver ----------------------------------------------------------- */

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
  th_end_rows_free(&s->end);
  th_sift_fit_free(&s->fit);
  th_sift_evidence_free(&s->evidence);
  release_entry(&s->entry);
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
  int64_t screens = th_end_rows_screens(
      config->passes, blocks, th_source_shape(context->source)->training);
  TH_TRY(th_end_rows(&s->end, context, config->passes, screens, err));
  const uint8_t *fold = s->end.small ? s->end.fold : NULL;
  rc = th_latin_init(&s->latin, &context->deal, s->end.units, blocks, screens,
                     err);
  s->dealt = rc == TH_OK ? th_latin_left(&s->latin) : 0;
  if (rc == TH_OK)
    rc = th_marginal_init(
        &s->marginal, context, s->end.small ? s->end.folds : 1, fold,
        th_store_shape_is_rare(th_source_shape(context->source)), err);
  TH_TRY(th_agree(context->comm, rc, err));
  s->evidence.beside = &s->marginal;
  /* no race */
  s->evidence.once = s->latin.passes == blocks || s->evidence.centring != NULL;
done:
  return rc;
}

/* Attributes without a penalty are members from the beginning. Collective. */
static th_status admit_exempt(struct th_sift *s, struct th_context *context,
                              struct th_error *err)
{
  struct th_sift_fit *fit = &s->fit;
  int64_t count = context->config->group.exempt.count;
  th_status rc = TH_OK;
  if (count == 0)
    return rc;
  TH_TRY(th_exempt_members_join(&s->support, context, err));
  TH_TRY(
      th_agree(context->comm, th_sift_fit_insert(fit, NULL, count, err), err));
  for (int64_t k = 0; k < count; k++) {
    fit->entrant[k] = false;
    fit->exempt[k] = true;
  }
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
  s->largest_support += context->config->group.exempt.count;
  TH_TRY(admit_exempt(s, context, err));
  s->smallest = INFINITY;
  s->reserve = rows_for_end(context);
  if (!s->predicts)
    s->dealt =
        context->config->passes * context->deal.rows_in_pass - s->reserve;
  if (context->target.labels) /* begin with the log odds of the larger label */
    center_labels(s, th_tanh(context->target.offset / 2));
  s->head = (struct th_head){.support = &s->confirmed,
                             .loss = &s->mean_square,
                             .ending = &s->end.ending};
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

/* Observe the blocks of the round and its race, and S on all their rows.
 * Collective. */
static th_status observe_round(struct th_sift *s, struct th_context *context,
                               bool *more, struct th_error *err)
{
  const struct th_batch_request request = {.draw = s->plan.draw,
                                           .draws = s->plan.draws,
                                           .blocks = s->plan.consumers,
                                           .latin =
                                               s->predicts ? &s->latin : NULL,
                                           .support = &s->support,
                                           .loss = &evidence_loss};
  s->batch.target_centre = s->label_mean;
  return th_batch_observe(&s->batch, context, &request, more, err);
}

/* The sums over S. Collective. */
static th_status sum_members(struct th_sift *s, struct th_context *context,
                             struct th_error *err)
{
  th_status rc = th_gram_start(&s->gram, context, s->support.size, err);
  if (rc == TH_OK && logs_rounds(context))
    th_round_log_add(&s->log, &s->batch, &s->support, s->label_mean, err);
  if (rc == TH_OK)
    rc =
        th_gram_add(&s->gram, context, &s->batch, &s->support, NULL, NULL, err);
  return rc;
}

/* Learn about entrants, and about attributes outside S. Collective where the
 * trial of some lasts over rounds; but the status is this rank's own, and the
 * caller goes on to an agreement. */
static th_status learn_evidence(struct th_sift *s, struct th_context *context,
                                struct th_error *err)
{
  th_status rc = TH_OK;
  check_rise(s, context); /* line 6 */
  if (s->predicts)
    rc = th_marginal_begin(&s->marginal, context, &s->batch, &s->support, err);
  if (rc == TH_OK) {
    learn_entrants(s, context); /* line 7, before line 8 clips residuals */
    rc = th_sift_evidence_gather(&s->evidence, &s->batch, context, &s->support,
                                 s->mean_square, err); /* line 8 */
  }
  judge_slow(s, context);
  return rc;
}

/* One round. */
static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct th_sift *s = state;
  th_status learnt = TH_OK; /* by this rank */
  th_status rc;
  TH_TRY(th_sift_plan_round(s, context, more, err)); /* line 1 */
  if (*more)
    TH_TRY(observe_round(s, context, more, err)); /* line 2 */
  if (!*more && s->round == 0)
    th_context_notice(
        context, "so few examples make no round over all blocks, and nothing "
                 "was learnt. Give more {passes} or a larger {budget}");
  if (!*more)
    return TH_OK;
  s->round++;
  if (!(s->batch.weight_sum > 0)) /* rows of weight 0 teach nothing */
    return TH_OK;
  TH_TRY(sum_members(s, context, err)); /* line 3 */
  if (context->config->group.exempt.count > 0 && s->fit.rows == 0)
    TH_TRY(th_refit_squares(&s->support, context, &s->gram, NULL, err));
  find_slow(s, context);
  choose_guesses(s); /* line 4 */
  TH_TRY(th_batch_residual(&s->batch, context, &s->support, &evidence_loss,
                           err)); /* line 5 */
  s->mean_square = fmax(s->batch.loss, s->least);
  bool perfect = !(s->mean_square > 0); /* no evidence is left to find */
  *more = !perfect || has_entrants(s);
  if (!*more)
    return TH_OK;
  if (!perfect) {
    learnt = learn_evidence(s, context, err); /* lines 6 to 8 */
    th_sift_plan_done(s, context);
  }
  TH_TRY(fit_support(s, context, learnt, err)); /* lines 9 to 12 */
  if (!perfect)
    TH_TRY(admit(s, context, learnt, err)); /* line 13 */
done:
  return rc;
}

static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  return th_sift_end(state, context, err); /* lines 14 to 17 */
}

/* Of the rounds: an end that predicts is a part of its own. */
static double done_of(const void *state)
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

/* An end that predicts chooses by them. */
static bool keeps_held_out(const void *state)
{
  const struct th_sift *s = state;
  return s->predicts;
}

/* --- The state of solver `sift` between rounds ---------------------------- */

/* The race lasts over rounds and is state; blocks and rows are of one round
 * only. Local. */
static void describe_plan(struct th_sift_plan *plan,
                          const struct th_context *context,
                          struct th_state *list)
{
  const int64_t *keys = NULL;
  struct th_range here = {0, plan->race_count};
  th_state_enter(list, "plan");
  th_state_all(list, "fresh", TH_STATE_I64, &plan->fresh, 1);
  th_state_limit(list, "fresh", &plan->fresh, 1, -(INT64_C(1) << 46),
                 INT64_MAX);
  TH_STATE_ONE(list, plan, next);
  TH_STATE_ONE(list, plan, windows);
  TH_STATE_ONE(list, plan, level);
  TH_STATE_ONE(list, plan, used);
  if (th_state_puts(list)) {
    here = th_state_find(list, "race", context->owned, &keys);
    plan->race_count = th_range_count(here);
    th_state_note(list,
                  th_grow((void **)&plan->race, &plan->race_capacity,
                          plan->race_count, sizeof *plan->race,
                          "the choice of promising attributes", list->err));
  }
  th_state_spread(list, "race", TH_STATE_I64, plan->race, 1, here);
  th_state_leave(list);
}

/* Local. */
static void describe(void *state, struct th_context *context,
                     struct th_state *list)
{
  struct th_sift *s = state;
  th_support_describe(&s->support, "support", list);
  th_support_describe(&s->confirmed, "confirmed", list);
  describe_plan(&s->plan, context, list);
  if (s->predicts) {
    th_latin_describe(&s->latin, list);
    th_marginal_describe(&s->marginal, context, list);
  }
  th_round_log_describe(&s->log, context, list);
  th_sift_fit_describe(&s->fit, list);
  th_sift_evidence_describe(&s->evidence, context, list);
  TH_STATE_ONE(list, s, round);
  TH_STATE_ONE(list, s, smallest);
  TH_STATE_ONE(list, s, pooled);
  TH_STATE_ONE(list, s, pooled_rows);
  TH_STATE_ONE(list, s, mean_square);
  if (th_state_puts(list))
    th_state_note(list,
                  entry_reserve(&s->entry, s->largest_support, list->err));
}

static const char *const options[] = {TH_OPTIONS_UNDER_A_BUDGET, "select",
                                      "unpenalised", "folds-by", NULL};

const struct th_algorithm th_sift_algorithm = {
    .options = options,
    .create = create,
    .step = step,
    .finish = finish,
    .done = done_of,
    .keeps_held_out = keeps_held_out,
    .describe = describe,
    .free = release,
};
