/* sift_learn.c - what a round of solver `sift` teaches beside its Gram matrix
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/sift.h"

#include <math.h>

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

/* Is a member of S an entrant? */
bool th_sift_has_entrants(const struct th_sift *s)
{
  bool any = false;
  for (int64_t k = 0; k < s->fit.size; k++)
    any |= s->fit.entrant[k];
  return any;
}

/* First guesses at E's coefficients count only if they help. On correlated
 * data, the guesses of many entrants at once add up to nonsense. */
void th_sift_choose_guesses(struct th_sift *s)
{
  const struct th_support *support = &s->support;
  if (!th_sift_has_entrants(s) ||
      th_gram_squares(&s->gram, support->coef, support->intercept, NULL) <
          th_gram_squares(&s->gram, support->coef, support->intercept,
                          s->fit.entrant))
    return;
  for (int64_t k = 0; k < s->support.size; k++)
    if (s->fit.entrant[k])
      s->support.coef[k] = 0;
}

/* If residuals have doubled while S has no entrants, S has changed for the
 * worse. All evidence is then about another S. */
void th_sift_check_loss(struct th_sift *s, const struct th_context *context)
{
  if (th_sift_has_entrants(s))
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

/* All rows of the round are evidence about an entrant, once its own part of the
 * prediction is added back to the residual. Local, at its owner. */
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
static int64_t count_nonzeros(const struct th_sift *s, int64_t k)
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

void th_sift_find_slow(struct th_sift *s, struct th_context *context)
{
  struct th_sift_fit *fit = &s->fit;
  int64_t *count = s->entry.attribute;
  if (!th_sift_has_entrants(s))
    return;
  for (int64_t k = 0; k < fit->size; k++)
    count[k] = fit->entrant[k] ? count_nonzeros(s, k) : 0;
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
static enum th_sift_verdict verdict_on(const struct th_sift *s, int64_t k,
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

void th_sift_sum_slow(struct th_sift *s, struct th_context *context)
{
  struct th_sift_entry *entry = &s->entry;
  int64_t count = 0;
  for (int64_t k = 0; k < s->fit.size; k++)
    if (s->fit.slow[k])
      entry->attribute[count++] = s->support.attribute[k];
  if (count > 0)
    th_sift_evidence_message(&s->evidence, context, entry->attribute, count,
                             entry->sum);
}

void th_sift_judge_slow(struct th_sift *s, struct th_context *context)
{
  struct th_sift_fit *fit = &s->fit;
  double n = (double)context->deal.rows_in_pass;
  int64_t count = 0;
  th_sift_sum_slow(s, context);
  for (int64_t k = 0; k < fit->size; k++)
    if (fit->slow[k])
      fit->verdict[k] =
          (unsigned char)verdict_on(s, k, s->entry.sum[count++], n);
}
