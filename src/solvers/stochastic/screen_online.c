/* screen_online.c - online screening
 *
 * min P(b) = E f(x'b; y) + lambda Omega(b). Liang & Poon 2022, Algorithm 2: a
 * stochastic method runs in blocks of T steps; every example adds to a dual
 * certificate Z, to primal values at an anchor point bbar, and to second
 * moments N; at the end of a block they bound the distance from the solution,
 * and attributes that cannot be in it leave. The corrected formulas are in
 * math/online.h. The paper starts X again with every block (line 17), and t
 * with the loop of line 7, by which Z begins anew, too; here t runs on, as its
 * proofs need. Two additions
 * make the result exact on finite sums: checks with re-admission, and an exact
 * solution on what is left at the end (screen_online_check.c).
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/screen_online.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/gap.h"
#include "math/penalty.h"
#include "solvers/algorithms.h"
#include "solvers/stochastic/stochastic.h"

#include <math.h>
#include <string.h>

/* Ballots in a block of the paper: after so many blocks of ours attributes
 * leave. */
enum { TH_ONLINE_BALLOTS = 4 };

static th_status screen_online_end_exactly(struct th_stochastic *s,
                                           int64_t *readmitted,
                                           struct th_error *err);
static th_status end_again(struct th_stochastic *s, double gap,
                           struct th_error *err);

/* --- The heuristic of the paper's experiments
 *
 * Their program (not their text) lets the rule vote four times in a block, with
 * a radius sqrt(n) smaller than proved. Then attributes leave that have at
 * least as many votes against them as the mean and the median of all, if that
 * is more than five. Half of the attributes may leave at once, without any
 * proof, and attributes of the solution that become active late leave with
 * them. */

static const double least_votes = 5;

/* Sums over all active attributes: those with `at_most` votes or fewer, and
 * votes. Collective. */
static void count(struct th_stochastic *s, double at_most, int64_t sums[2])
{
  const double *votes = th_stochastic_screening_field(s, TH_ONLINE_VOTES);
  sums[0] = 0;
  sums[1] = 0;
  for (int64_t p = 0; p < s->active.count; p++) {
    sums[0] += votes[p] <= at_most;
    sums[1] += (int64_t)votes[p];
  }
  s->context->comm->ops->sum_i64(s->context->comm, sums, 2);
}

/* The smallest number that half of the attributes do not exceed. */
static double median(struct th_stochastic *s, int64_t ballots)
{
  int64_t low = 0;
  int64_t high = ballots;
  while (low < high) {
    int64_t sums[2];
    int64_t middle = (low + high) / 2;
    count(s, (double)middle, sums);
    if (2 * sums[0] >= s->active.total)
      high = middle;
    else
      low = middle + 1;
  }
  return (double)low;
}

/* s->places.keep, what the rule alone would keep, is a ballot; it becomes what
 * is kept. Collective. */
static void vote(struct th_stochastic *s)
{
  struct th_online_screen *screen = s->screening_state;
  double *votes = th_stochastic_screening_field(s, TH_ONLINE_VOTES);
  bool election = ++screen->ballots % TH_ONLINE_BALLOTS == 0;
  double enough = INFINITY;
  int64_t sums[2];
  for (int64_t p = 0; p < s->active.count; p++)
    votes[p] += s->places.keep[p] ? 0 : 1;
  if (election) {
    count(s, 0, sums);
    enough = fmax((double)sums[1] / (double)th_max_i64(s->active.total, 1),
                  median(s, screen->ballots));
    enough = enough > least_votes ? enough : INFINITY;
  }
  for (int64_t p = 0; p < s->active.count; p++)
    s->places.keep[p] = votes[p] < enough;
}

/* --- Checks what screening left out of a stream
 *
 * One pass over many examples leaves no time to solve anything exactly. A check
 * takes K fresh examples instead and observes all attributes of them. Their
 * mean of -(1/lambda) theta x is within a half-width h_j of Z, for all
 * attributes at once with probability 1 - delta_c (Liang & Poon 2022, section
 * 3.4, with the empirical Bernstein half-width in place of Hoeffding's). The
 * half-width needs a bound on the entries. The largest entry seen is taken,
 * since a bound proved from the ranges of attributes is many times larger.
 * Groups whose estimate of Omega_g^D is beyond 1 come back. Those where it is
 * below 1 by more than the half-width may stay out. The others are reported as
 * doubtful. */

enum {
  FROM = 20000, /* examples in a pass that is a stream */
  RESERVED = 10 /* one in so many is for the final check */
};

bool th_screen_online_stream_of(const struct th_config *config, int64_t n)
{
  return config->epochs == 1 && n >= FROM;
}

static bool on_a_stream(const struct th_stochastic *s)
{
  return th_screen_online_stream_of(s->context->config, s->n);
}

/* Examples that steps may still use; of a stream, the last tenth is for the
 * final check. Local. */
static int64_t examples_left(const struct th_stochastic *s)
{
  int64_t reserved = on_a_stream(s) ? s->n / RESERVED : 0;
  return th_max_i64(
      s->n * s->context->config->passes - s->control.drawn - reserved, 0);
}

/* bound_j = max |factor x_j|. */
static void widen_bounds(const struct th_row *row, double factor, double *bound)
{
  for (int64_t k = 0; k < row->count; k++) {
    int64_t p = row->place != NULL ? row->place[k] : k;
    bound[p] = fmax(bound[p], fabs(factor * th_row_value(row, k)));
  }
}

/* Means of -(1/lambda) theta x and of its square over fresh examples, and the
 * largest magnitude. *drawn: how many there were. Collective. */
static th_status take_sample(struct th_stochastic *s, int64_t examples,
                             int64_t *drawn, struct th_error *err)
{
  double *mean = th_stochastic_screening_field(s, TH_ONLINE_X);
  double *square = th_stochastic_screening_field(s, TH_ONLINE_AVERAGE);
  double *bound = th_stochastic_screening_field(s, TH_ONLINE_EXACT);
  double loss = s->control.loss; /* the loss of steps, to be restored */
  bool more = true;
  th_status rc = TH_OK;
  *drawn = 0;
  while (*drawn < examples && more) {
    TH_TRY(th_pass_batch_next(s, &more, err));
    for (int64_t r = 0; more && r < s->minibatch.rows; r++) {
      double factor =
          -s->minibatch.factor[r] * (double)s->minibatch.rows / s->lambda;
      th_row_add_moments(&s->minibatch.row[r], factor, mean, factor * factor,
                         square);
      widen_bounds(&s->minibatch.row[r], factor, bound);
    }
    *drawn += more ? s->minibatch.rows : 0;
    th_pass_batch_release(s, false);
  }
  s->control.drawn += *drawn;
  s->control.loss = loss;
  for (int64_t p = 0; p < s->active.count; p++) {
    mean[p] /= (double)th_max_i64(*drawn, 1);
    square[p] /= (double)th_max_i64(*drawn, 1);
  }
done:
  return rc;
}

/* Field X becomes the estimate of |Z_j|, and AVERAGE the largest value that the
 * sample leaves possible. */
static void bound_duals(struct th_stochastic *s, int64_t drawn, double delta)
{
  double *middle = th_stochastic_screening_field(s, TH_ONLINE_X);
  double *high = th_stochastic_screening_field(s, TH_ONLINE_AVERAGE);
  const double *bound = th_stochastic_screening_field(s, TH_ONLINE_EXACT);
  for (int64_t p = 0; p < s->active.count; p++) {
    double mean = fabs(middle[p]);
    double variance = fmax(high[p] - mean * mean, 0) * (double)drawn /
                      (double)th_max_i64(drawn - 1, 1);
    double half = th_penalty_confidence_bernstein(variance, bound[p], drawn,
                                                  s->active.total, delta);
    middle[p] = mean;
    high[p] = mean + half;
  }
}

/* Set s->places.keep for active groups and for groups that must come back.
 * Collective. */
static int64_t mark_returning(struct th_stochastic *s)
{
  double *was = th_stochastic_screening_field(s, TH_ONLINE_WAS);
  int64_t back = 0;
  th_grouping_dual(&s->grouping, s->context->comm,
                   th_stochastic_screening_field(s, TH_ONLINE_X),
                   s->places.group_dual);
  th_grouping_dual(&s->grouping, s->context->comm, was, s->places.group_second);
  for (int64_t g = 0; g < s->grouping.groups; g++)
    s->places.group_keep[g] =
        s->places.group_second[g] > 0 || s->places.group_dual[g] > 1;
  th_grouping_spread(&s->grouping, s->places.group_keep, s->places.keep);
  for (int64_t p = 0; p < s->active.count; p++)
    back += s->places.keep[p] && was[p] == 0;
  s->context->comm->ops->sum_i64(s->context->comm, &back, 1);
  return back;
}

/* Attributes that were left out although the sample does not show that they may
 * be. Collective. */
static int64_t count_doubtful(struct th_stochastic *s)
{
  const double *was = th_stochastic_screening_field(s, TH_ONLINE_WAS);
  int64_t doubtful = 0;
  th_grouping_dual(&s->grouping, s->context->comm,
                   th_stochastic_screening_field(s, TH_ONLINE_AVERAGE),
                   s->places.group_dual);
  for (int64_t g = 0; g < s->grouping.groups; g++)
    s->places.group_keep[g] = !(s->places.group_dual[g] < 1);
  th_grouping_spread(&s->grouping, s->places.group_keep, s->places.keep);
  for (int64_t p = 0; p < s->active.count; p++)
    doubtful += s->places.keep[p] && was[p] == 0;
  s->context->comm->ops->sum_i64(s->context->comm, &doubtful, 1);
  return doubtful;
}

/* Clear the vectors that a check works with. */
static void clear_check(struct th_stochastic *s)
{
  th_screen_online_clear(s, TH_ONLINE_X);
  th_screen_online_clear(s, TH_ONLINE_AVERAGE);
  th_screen_online_clear(s, TH_ONLINE_EXACT);
}

/* Look at `examples` fresh ones, or what there are, with all attributes: those
 * that cannot be left out come back. Steps stay as all attributes ask for, so
 * that nothing is measured again. Collective. */
static th_status sample_stream(struct th_stochastic *s, int64_t examples,
                               int64_t *readmitted, struct th_error *err)
{
  struct th_online_screen *screen = s->screening_state;
  double risk = 1 - s->context->config->confidence;
  double delta = th_penalty_confidence_share(risk, ++screen->checks);
  int64_t drawn = 0;
  th_status rc;
  clear_check(s);
  TH_TRY(th_screen_online_check_readmit(s, err));
  TH_TRY(th_coef_bound(s, err));
  TH_TRY(take_sample(s, examples, &drawn, err));
  bound_duals(s, drawn, delta);
  screen->doubtful = count_doubtful(s);
  *readmitted = mark_returning(s);
  clear_check(s);
  TH_TRY(th_coef_places_keep(s, err));
  s->certificate.screened_wrongly += *readmitted;
  s->confidence = 1 - risk;
done:
  return rc;
}

enum {
  EPOCHS_IN_BLOCK = 4, /* first T = max(4 n, 2000) examples */
  EXAMPLES_IN_BLOCK = 2000,
};

/* Steps of the first block. */
static int64_t first_length(const struct th_stochastic *s)
{
  const struct th_config *config = s->context->config;
  bool votes = config->screening.rule == TH_RULE_VOTES;
  int64_t examples =
      on_a_stream(s) ? EXAMPLES_IN_BLOCK
                     : th_max_i64(EPOCHS_IN_BLOCK * s->n, EXAMPLES_IN_BLOCK);
  int64_t steps = config->screening.every > 0
                      ? config->screening.every
                      : th_integer_ceil_divide(examples, s->minibatch.capacity);
  return votes ? th_integer_ceil_divide(steps, TH_ONLINE_BALLOTS) : steps;
}

/* --- The rule ------------------------------------------------------------- */

/* Local. */
static struct th_online_vectors vectors_of_rule(const struct th_stochastic *s)
{
  return (struct th_online_vectors){
      .count = s->active.count,
      .X = th_stochastic_screening_field(s, TH_ONLINE_X),
      .Z = th_stochastic_screening_field(s, TH_ONLINE_Z),
      .N = th_stochastic_screening_field(s, TH_ONLINE_N)};
}

void th_screen_online_clear(struct th_stochastic *s, enum th_online_field field)
{
  memset(th_stochastic_screening_field(s, (int)field), 0,
         (size_t)s->active.count * sizeof(double));
}

/* Lines 1 to 3: Z = 0, S = 0, and the anchor is the iterate. Collective. */
static th_status create(struct th_stochastic *s, struct th_error *err)
{
  const struct th_config *config = s->context->config;
  struct th_online_screen *screen = s->screening_state;
  if (!s->update->memoryless)
    return th_fail(
        err, TH_EUSAGE,
        "{screen} online needs steps that remember no gradients, such as those "
        "of os-prox-sgd; give {screen} gap-safe to this solver");
  screen->first_length = first_length(s);
  screen->checked = s->active.total;
  screen->certified_active = -1;
  th_coef_hold(s, TH_ONLINE_SAFE, &screen->safe_intercept);
  struct th_online_problem problem = {.loss = s->context->loss,
                                      .lambda = s->lambda,
                                      .n = s->n,
                                      .rule = config->screening.rule};
  th_online_init(&screen->online, &problem, config->screening.exponent,
                 screen->first_length, 0);
  th_status rc = th_screen_online_check_anchor(s, err);
  if (rc == TH_OK)
    th_online_begin(&screen->online, screen->held_omega, s->anchor_intercept,
                    vectors_of_rule(s));
  return rc;
}

/* T of line 7, or as many steps as the examples allow. */
static int64_t online_block(struct th_stochastic *s)
{
  const struct th_online_screen *screen = s->screening_state;
  return th_min_i64(
      screen->online.length,
      th_integer_ceil_divide(examples_left(s), s->minibatch.capacity));
}

enum { IN_AVERAGE = 64 }; /* iterates of a block, evenly spaced */

/* Add the iterate to the average when it is due, and the mini-batch's examples
 * to the ring. Local. */
static void follow_block(struct th_stochastic *s)
{
  struct th_online_screen *screen = s->screening_state;
  const struct th_online *online = &screen->online;
  double *average = th_stochastic_screening_field(s, TH_ONLINE_AVERAGE);
  int64_t every = th_integer_ceil_divide(online->length, IN_AVERAGE);
  for (int64_t r = 0; r < s->minibatch.rows; r++)
    screen->recent[screen->seen++ % TH_ONLINE_RECENT] = s->minibatch.index[r];
  if (online->rule != TH_RULE_PROJ || online->block.steps % every != 0)
    return;
  if (s->update->flush != NULL)
    s->update->flush(s);
  for (int64_t p = 0; p < s->active.count; p++)
    average[p] += th_coef_of(s)[p];
  screen->intercept += s->intercept;
  screen->averaged++;
}

/* Lines 10 to 14. The engine and the update rule do lines 8 and 9. */
static void observe(struct th_stochastic *s)
{
  struct th_online_screen *screen = s->screening_state;
  struct th_online *online = &screen->online;
  struct th_online_vectors vectors = vectors_of_rule(s);
  const struct th_minibatch *minibatch = &s->minibatch;
  th_online_step(online, vectors); /* mu_t; line 14 */
  th_online_intercept(online, s->intercept);
  for (int64_t r = 0; r < minibatch->rows; r++) {
    int64_t i = minibatch->index[r];
    double factor = s->eta[i] * (double)s->n / (double)minibatch->rows;
    th_row_add_moments(
        &minibatch->row[r],
        th_online_dual_factor(online, factor, minibatch->theta[r]), vectors.X,
        th_online_second_factor(online, factor),
        vectors.N); /* lines 10 and 13 */
    th_online_example(online, factor, s->target[i], minibatch->theta[r],
                      minibatch->anchored[r]); /* lines 11 and 12 */
  }
  follow_block(s);
}

/* Lines 17 to 20: estimated certificate, gap, screening set. Collective. */
static void screen_block(struct th_stochastic *s)
{
  struct th_online_screen *screen = s->screening_state;
  struct th_online *online = &screen->online;
  struct th_online_vectors vectors = vectors_of_rule(s);
  double margin = th_gap_margin(s->caches.type);
  th_online_mean(online, vectors);
  th_online_end(online, th_pass_dual_norm(s, vectors.X), vectors);
  th_pass_dual_norm(s, vectors.Z);
  th_grouping_second(&s->grouping, s->context->comm, vectors.N,
                     s->places.group_second);
  th_online_judge(online, s->grouping.groups, s->places.group_dual,
                  s->places.group_second, margin, s->places.group_keep);
  th_grouping_spread(&s->grouping, s->places.group_keep, s->places.keep);
  if (online->rule == TH_RULE_VOTES)
    vote(s);
}

/* --- When what was left out is checked, and what a check changes ---------- */

enum {
  /* of a check; it gets more with the epochs since the last one */
  LEAST_PASSES = 200,
  PASSES_PER_EPOCH = 4,
  EXAMPLES_BETWEEN = 500000, /* checks of the paper's rules */
  EXAMPLES_OF_STREAM = 2000, /* fresh examples in a check */
  PATIENCE = 64              /* epochs in which nothing was left out */
};

static const double raise = 0.1; /* of w after a failed check */
static const double highest = 0.99;

/* Return to the last safe state, and screen more cautiously. */
static void fall_back(struct th_stochastic *s, int64_t readmitted)
{
  struct th_online_screen *screen = s->screening_state;
  double w = screen->online.exponent;
  double raised = fmax(w, fmin(w + raise, highest));
  th_coef_return(s, TH_ONLINE_SAFE, screen->safe_intercept);
  th_screen_online_clear(s, TH_ONLINE_VOTES);
  screen->ballots = 0;
  th_online_restart(&screen->online, raised, screen->first_length, 0,
                    vectors_of_rule(s));
  th_context_notice(s->context,
                    "online screening had left out attributes wrongly (%lld); "
                    "a check took them back, and the exponent w is now %g",
                    (long long)readmitted, raised);
}

/* No error was found: go on from where the check began. */
static void go_back(struct th_stochastic *s, double intercept, bool safe)
{
  struct th_online_screen *screen = s->screening_state;
  th_coef_return(s, TH_ONLINE_HELD, intercept);
  if (safe)
    th_coef_hold(s, TH_ONLINE_SAFE, &screen->safe_intercept);
}

/* Passes that a check may take. If they are too few, they are not lost: the
 * next check goes on from there. */
static int64_t passes_of_check(const struct th_stochastic *s, int64_t drawn)
{
  int64_t passes = PASSES_PER_EPOCH * ((s->control.drawn - drawn) / s->n);
  return passes > LEAST_PASSES ? passes : LEAST_PASSES;
}

/* Is a check due? Rule proj: at the end of a block that left something out, and
 * if nothing was left out for long. The other rules: as in the paper's
 * experiments (section 4.2), and when nothing is left. */
static bool check_is_due(struct th_stochastic *s)
{
  const struct th_online_screen *screen = s->screening_state;
  if (s->active.total == screen->checked &&
      (screen->online.rule != TH_RULE_PROJ ||
       s->control.drawn - screen->drawn < PATIENCE * s->n))
    return false;
  return screen->online.rule == TH_RULE_PROJ || s->active.total == 0 ||
         s->control.drawn - screen->drawn >= EXAMPLES_BETWEEN;
}

/* The check of a stream, on fresh examples. It is made when half of the
 * attributes have left since the last check. In the end it uses all examples
 * that are left. Collective. */
static th_status check_stream(struct th_stochastic *s, struct th_error *err)
{
  struct th_online_screen *screen = s->screening_state;
  bool last = examples_left(s) < s->minibatch.capacity;
  int64_t readmitted = 0;
  th_status rc;
  if (!last && 2 * s->active.total > screen->checked)
    return TH_OK;
  TH_TRY(sample_stream(s, last ? INT64_MAX : EXAMPLES_OF_STREAM, &readmitted,
                       err));
  screen->checked = s->active.total;
  if (readmitted > 0) {
    fall_back(s, readmitted);
    TH_TRY(th_screen_online_check_anchor(s, err));
  }
  th_coef_hold(s, TH_ONLINE_SAFE, &screen->safe_intercept);
done:
  return rc;
}

/* If screening has left out attributes since the last check, check whether all
 * of them may stay out. Otherwise make those that may not active again, return
 * to the last safe state and raise w. Collective. */
static th_status check_screened(struct th_stochastic *s, struct th_error *err)
{
  struct th_online_screen *screen = s->screening_state;
  int64_t most = passes_of_check(s, screen->drawn);
  double intercept = 0;
  int64_t readmitted = 0;
  th_status rc;
  if (on_a_stream(s))
    return check_stream(s, err);
  if (!check_is_due(s))
    return TH_OK;
  th_coef_hold(s, TH_ONLINE_HELD, &intercept);
  TH_TRY(th_screen_online_check_refine(s, most, &readmitted, err));
  th_stochastic_changed(s, TH_CHANGE_COEF);
  screen->drawn = s->control.drawn;
  screen->checked = s->active.total;
  if (readmitted > 0)
    fall_back(s, readmitted);
  else
    go_back(s, intercept, readmitted == 0);
  if (readmitted > 0)
    TH_TRY(th_screen_online_check_anchor(s, err));
done:
  return rc;
}

/* --- The end of a block, and of the run ----------------------------------- */

/* Lines 16 to 22, at the end of a block. Collective. */
static th_status end(struct th_stochastic *s, struct th_error *err)
{
  struct th_online_screen *screen = s->screening_state;
  th_status rc;
  screen_block(s);                               /* lines 17 to 20 */
  TH_TRY(th_coef_places_keep(s, err));           /* line 21 */
  TH_TRY(th_screen_online_check_anchor(s, err)); /* line 16 */
  TH_TRY(check_screened(s, err));                /* section 3.4 */
  th_online_begin(&screen->online, screen->held_omega, s->anchor_intercept,
                  vectors_of_rule(s)); /* lines 5, 6 and 22 */
  /* a check has found the exact solution, and --epochs does not ask for more */
  s->done = s->done || (s->context->config->epochs == 0 &&
                        screen->certified_active == s->active.total);
done:
  return rc;
}

/* Tell the user what screening gained, or that it gained nothing. */
static void report_screening(const struct th_stochastic *s, int64_t readmitted,
                             int64_t left)
{
  int64_t all =
      th_source_shape(s->context->source)->attributes - s->context->left_out;
  if (readmitted > 0)
    th_context_notice(s->context,
                      "online screening had left out attributes of the "
                      "solution (%lld); the last check took them back",
                      (long long)readmitted);
  if (s->control.drawn > 0 && left > all - all / 10)
    th_context_notice(
        s->context,
        "online screening did not pay, since %lld of %lld attributes are left. "
        "Attributes may be strongly correlated, or the epochs may be too few. "
        "The solvers fs-prox-sgd and lasso may do better",
        (long long)left, (long long)all);
}

/* Tell the user about the attributes that a stream left out. */
static void report_stream(struct th_stochastic *s)
{
  const struct th_online_screen *screen = s->screening_state;
  if (screen->doubtful > 0)
    th_context_notice(
        s->context,
        "online screening left out attributes (%lld) that may be in the "
        "solution: the last check cannot rule them out with confidence %g. "
        "More examples or a larger {screen-exponent} may help",
        (long long)screen->doubtful, s->confidence);
}

static th_status finish(struct th_stochastic *s, struct th_error *err)
{
  int64_t readmitted = 0;
  int64_t left = s->active.total;
  th_status rc = TH_OK;
  if (on_a_stream(s)) {
    report_stream(s);
    return rc;
  }
  rc = screen_online_end_exactly(s, &readmitted, err);
  if (rc == TH_OK)
    report_screening(s, readmitted, left);
  return rc;
}

static bool is_exact(const struct th_stochastic *s)
{
  return !on_a_stream(s);
}

static void describe(struct th_stochastic *s, struct th_state *list)
{
  struct th_online_screen *screen = s->screening_state;
  th_online_describe(&screen->online, list);
  TH_STATE_ONE(list, screen, averaged);
  TH_STATE_ONE(list, screen, intercept);
  TH_STATE_ARRAY(list, screen, recent, TH_ONLINE_RECENT);
  th_state_limit(list, "recent", screen->recent, TH_ONLINE_RECENT, 0, s->n - 1);
  TH_STATE_ONE(list, screen, seen);
  TH_STATE_ONE(list, screen, ballots);
  TH_STATE_ONE(list, screen, checked);
  TH_STATE_ONE(list, screen, drawn);
  TH_STATE_ONE(list, screen, checks);
  TH_STATE_ONE(list, screen, doubtful);
  TH_STATE_ONE(list, screen, refined);
  th_pass_describe(&screen->certified, "certified", list);
  TH_STATE_ONE(list, screen, certified_intercept);
  TH_STATE_ONE(list, screen, certified_active);
  TH_STATE_ONE(list, screen, safe_intercept);
  TH_STATE_ONE(list, screen, held_omega);
}

const struct th_screening th_screen_online = {
    .size = sizeof(struct th_online_screen),
    .fields = TH_ONLINE_FIELDS,
    .anchored = true,
    .create = create,
    .block = online_block,
    .observe = observe,
    .describe = describe,
    .end = end,
    .finish = finish,
    .exact = is_exact,
    .refine = end_again};

/* --- The end of a run with online screening: the exact solution
 *
 * The screened problem is mostly small, and proximal gradient passes solve it
 * fast. On data of very uneven scales, or with tiny penalties, they come to a
 * standstill. Then the exact solver ends the run, on all attributes. */

/* Solve the whole problem at this lambda, by way of larger ones if it is far
 * from lambda_max. Collective. */
static th_status solve_by_lasso(struct th_stochastic *s, int64_t *readmitted,
                                struct th_error *err)
{
  const struct th_algorithm *lasso = &th_lasso_algorithm;
  struct th_config config = *s->context->config;
  void *state = NULL;
  bool more = true;
  th_status rc;
  config.lambda = s->lambda;
  config.lambda_ratio = 0;
  config.path = 0;
  config.epochs = 0;
  config.screening.how = TH_SCREEN_GAP_SAFE;
  struct th_context context = th_context_lend(s->context, &config);
  TH_TRY(lasso->create(&state, &context, err));
  while (more)
    TH_TRY(lasso->step(state, &context, &more, err));
  const struct th_head *head = state;
  TH_TRY(th_screen_online_check_adopt(s, head->support, readmitted, err));
done:
  lasso->free(state);
  return rc;
}

/* The end of a run on a finite sum: b becomes the exact solution of the whole
 * problem, whose certificate is filled in. If passes come to a standstill, the
 * solver `lasso` finds it (screen_online.c). *readmitted: attributes of
 * the solution that had been left out. Collective. */
static th_status screen_online_end_exactly(struct th_stochastic *s,
                                           int64_t *readmitted,
                                           struct th_error *err)
{
  th_status rc = th_screen_online_check_refine(s, INT64_MAX, readmitted, err);
  if (rc != TH_OK || *readmitted >= 0)
    return rc;
  th_context_notice(
      s->context,
      "passes over the attributes that are left stopped at a gap of %g, so the "
      "exact solver ends the run. {solver} lasso needs no such passes",
      s->full.pass.gap);
  return solve_by_lasso(s, readmitted, err);
}

/* Afterwards: solve again to that gap, on values whose rounding may have
 * changed. Collective. */
static th_status end_again(struct th_stochastic *s, double gap,
                           struct th_error *err)
{
  struct th_online_screen *screen = s->screening_state;
  int64_t readmitted = 0;
  screen->wanted = gap;
  screen->certified_active = -1;
  th_coef_hold(s, TH_ONLINE_EXACT, NULL);
  return screen_online_end_exactly(s, &readmitted, err);
}
