/* sift_learn.c - what a round of solver `sift` teaches beside its Gram matrix
 * SPDX-License-Identifier: MIT */
#include "solvers/sift.h"

#include <math.h>

enum {
  WATCHED_ROWS = 400, /* that a mean squared residual is compared on */
  TRIAL_PART = 5      /* the rows of a trial: at most n over this */
};

static const double telling = 4; /* standard errors */

/* Is a member of S an entrant? */
bool th_sift_has_entrants(const struct th_sift *s)
{
  bool any = false;
  for (int64_t k = 0; k < s->fit.size; k++)
    any |= s->fit.entrant[k];
  return any;
}

/* First guesses at E's coefficients count only if they help: on correlated data
 * those of many that come together add up to nonsense. */
void th_sift_choose_guesses(struct th_sift *s)
{
  const struct th_support *support = &s->support;
  if (s->waiting || !th_sift_has_entrants(s) ||
      th_gram_squares(&s->gram, support->coef, support->intercept, NULL) <
          th_gram_squares(&s->gram, support->coef, support->intercept,
                          s->fit.entrant))
    return;
  for (int64_t k = 0; k < s->support.size; k++)
    if (s->fit.entrant[k])
      s->support.coef[k] = 0;
}

/* Residuals that have doubled while nobody is tried mean that S has changed for
 * the worse: all evidence is about another S then. */
void th_sift_watch(struct th_sift *s, const struct th_context *context)
{
  if (th_sift_has_entrants(s))
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
void th_sift_learn_entrants(struct th_sift *s, const struct th_context *context)
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
bool th_sift_must_wait(const struct th_sift *s,
                       const struct th_context *context)
{
  const double wanted = telling * telling * s->mean_square;
  if (!s->rare ||
      s->gram.rows >= (double)context->deal.rows_in_pass / TRIAL_PART)
    return false;
  for (int64_t k = 0; k < s->fit.size; k++)
    if (s->fit.entrant[k] &&
        th_gram_at(&s->gram, k, k) * s->fit.guess[k] * s->fit.guess[k] < wanted)
      return true;
  return false;
}
