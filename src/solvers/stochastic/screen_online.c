/* screen_online.c - online screening
 *
 * min P(b) = E f(x'b; y) + lambda Omega(b). Liang & Poon 2022, Algorithm 2: a
 * stochastic method runs in blocks of T steps; every example adds to a dual
 * certificate Z, to primal values at an anchor point bbar, and to second
 * moments N; at the end of a block they bound the distance from the solution,
 * and attributes that cannot be in it leave. The corrected formulas are in
 * math/online.h. The paper starts Z again with every block (lines 6, 17) and t
 * with the loop of line 7; here t runs on, as its proofs need. Two additions
 * make the result exact on finite sums: checks with re-admission, and an exact
 * solution on what is left at the end (screen_online_check.c).
 * SPDX-License-Identifier: MIT */
#include "solvers/stochastic/screen_online.h"

#include "core/integer.h"
#include "math/gap.h"
#include "solvers/stochastic/screening.h"

#include <math.h>
#include <string.h>

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
      th_screen_online_streams(s)
          ? EXAMPLES_IN_BLOCK
          : th_max_i64(EPOCHS_IN_BLOCK * s->n, EXAMPLES_IN_BLOCK);
  int64_t steps = config->screening.every > 0
                      ? config->screening.every
                      : th_integer_ceil_divide(examples, s->minibatch.capacity);
  return votes ? th_integer_ceil_divide(steps, TH_ONLINE_BALLOTS) : steps;
}

struct th_online_vectors
th_screen_online_vectors_of(const struct th_stochastic *s)
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
  struct th_online_screen *screen = th_screen_online_of(s);
  if (!s->update->memoryless)
    return th_fail(
        err, TH_EUSAGE,
        "{screen} online needs steps that remember no gradients, such as those "
        "of os-prox-sgd; give {screen} gap-safe to this solver");
  screen->first_length = first_length(s);
  screen->checked = s->active.total;
  screen->certified_active = -1;
  th_stochastic_hold(s, TH_ONLINE_SAFE, &screen->safe_intercept);
  struct th_online_problem problem = {.loss = s->context->loss,
                                      .lambda = s->lambda,
                                      .n = s->n,
                                      .rule = config->screening.rule};
  th_online_init(&screen->online, &problem, config->screening.exponent,
                 screen->first_length, 0);
  th_status rc = th_screen_online_anchor(s, err);
  if (rc == TH_OK)
    th_online_begin(&screen->online, screen->held_omega, s->anchor_intercept,
                    th_screen_online_vectors_of(s));
  return rc;
}

/* T of line 7, or as many steps as the examples allow. */
static int64_t block(struct th_stochastic *s)
{
  return th_min_i64(
      th_screen_online_of(s)->online.length,
      th_integer_ceil_divide(th_screen_online_left(s), s->minibatch.capacity));
}

/* Lines 10 to 14. The engine and the update rule do lines 8 and 9. */
static void observe(struct th_stochastic *s)
{
  struct th_online *online = &th_screen_online_of(s)->online;
  struct th_online_vectors vectors = th_screen_online_vectors_of(s);
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
  th_screen_online_follow(s);
}

/* Lines 17 to 20: estimated certificate, gap, screening set. Collective. */
static void screen_block(struct th_stochastic *s)
{
  struct th_online *online = &th_screen_online_of(s)->online;
  struct th_online_vectors vectors = th_screen_online_vectors_of(s);
  double margin = th_gap_margin(s->caches.type);
  th_online_mean(online, vectors);
  th_online_end(online, th_stochastic_dual_norm(s, vectors.X), vectors);
  th_stochastic_dual_norm(s, vectors.Z);
  th_grouping_second(&s->grouping, s->context->comm, vectors.N,
                     s->places.group_second);
  th_online_judge(online, s->grouping.groups, s->places.group_dual,
                  s->places.group_second, margin, s->places.group_keep);
  th_grouping_spread(&s->grouping, s->places.group_keep, s->places.keep);
  if (online->rule == TH_RULE_VOTES)
    th_screen_online_vote(s);
}

/* Lines 16 to 22, at the end of a block. Collective. */
static th_status end(struct th_stochastic *s, struct th_error *err)
{
  struct th_online_screen *screen = th_screen_online_of(s);
  th_status rc;
  screen_block(s);                         /* lines 17 to 20 */
  TH_TRY(th_stochastic_keep(s, err));      /* line 21 */
  TH_TRY(th_screen_online_anchor(s, err)); /* line 16 */
  TH_TRY(th_screen_online_check(s, err));  /* section 3.4 */
  th_online_begin(&screen->online, screen->held_omega, s->anchor_intercept,
                  th_screen_online_vectors_of(s)); /* lines 5, 6 and 22 */
  /* a check has found the exact solution, and --epochs does not ask for more */
  s->done = s->done || (s->context->config->epochs == 0 &&
                        screen->certified_active == s->active.total);
done:
  return rc;
}

/* Tell the user what screening gained, or that it gained nothing. */
static void report(const struct th_stochastic *s, int64_t readmitted,
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
  const struct th_online_screen *screen = th_screen_online_of(s);
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
  if (th_screen_online_streams(s)) {
    report_stream(s);
    return rc;
  }
  rc = th_screen_online_end_exactly(s, &readmitted, err);
  if (rc == TH_OK)
    report(s, readmitted, left);
  return rc;
}

static bool is_exact(const struct th_stochastic *s)
{
  return !th_screen_online_streams(s);
}

static void describe(struct th_stochastic *s, struct th_state *list)
{
  struct th_online_screen *screen = th_screen_online_of(s);
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
  th_stochastic_pass_describe(&screen->certified, "certified", list);
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
    .block = block,
    .observe = observe,
    .describe = describe,
    .end = end,
    .finish = finish,
    .exact = is_exact,
    .refine = th_screen_online_end_again};
