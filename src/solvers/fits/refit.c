/* refit.c - exact fits on a fixed support: least squares, Newton
 * SPDX-License-Identifier: MIT */
#include "solvers/fits/refit.h"

#include "base/memory.h"
#include "math/schedule.h"
#include "solvers/access/batch.h"
#include "solvers/access/exempt_members.h"
#include "solvers/access/gram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Fits on a fixed support for a loss with curvature -------------------- */

enum {
  MOST_STEPS = 30,
  MOST_HALVINGS = 10,
  HALVES = 2,
  MANY_ROWS = 50 /* per parameter */
};

static const double flattest = 1e-6;   /* smallest curvature that counts */
static const double ridge = 1e-3;      /* of coefficients of z, to sums */
static const double longest_step = 5;  /* of these */
static const double least_gain = 1e-7; /* relative decrease that goes on */

/* Work arrays of Newton's steps. */
struct newton {
  struct th_gram gram;
  const bool *keep; /* borrowed; NULL: all members */
  double *work;     /* curvatures and targets of the rows */
  double *step;     /* |S| + 1 */
  double *ridge;    /* |S|: in the members' own units */
  double weight;    /* sum of the rows' */
};

/* The ridge of each member: by its variance, with rows weighted by their
 * curvature at the start. Local. */
static th_status choose_ridge(struct newton *newton,
                              const struct th_context *context,
                              const struct th_support *support,
                              struct th_error *err)
{
  bool intercept = context->config->intercept;
  const struct th_gram *gram = &newton->gram;
  int64_t n = gram->size;
  double all = th_gram_at(gram, n, n);
  th_status rc = TH_NEW(&newton->ridge, n, "Newton steps", err);
  for (int64_t k = 0; k < n && rc == TH_OK && all > 0; k++) {
    double mean = intercept ? th_gram_at(gram, k, n) / all : 0;
    newton->ridge[k] =
        ridge * fmax(th_gram_at(gram, k, k) / all - mean * mean, 0);
    if (th_exempt_members_has(context, support->attribute[k]))
      newton->ridge[k] = 0;
  }
  return rc;
}

/* The objective, over the rows' weight. */
static double value(const struct newton *newton, const struct th_batch *batch,
                    const struct th_support *support)
{
  double sum = 0;
  for (int64_t k = 0; k < support->size && newton->weight > 0; k++)
    sum += newton->ridge[k] * support->coef[k] * support->coef[k];
  return batch->loss + (sum > 0 ? sum / (2 * newton->weight) : 0);
}

/* Neither a coefficient of z nor the constant moves by more than longest_step.
 */
static void limit_step(struct newton *newton)
{
  int64_t n = newton->gram.size;
  double most = fabs(newton->step[n]);
  for (int64_t k = 0; k < n; k++)
    most = fmax(most, fabs(newton->step[k]) * sqrt(newton->ridge[k] / ridge));
  for (int64_t k = 0; k <= n && most > longest_step; k++)
    newton->step[k] *= longest_step / most;
}

/* Newton's equations as weighted least squares: weights are the curvatures,
 * and the target is minus derivative over curvature, so that the solution is
 * the step. Collective. */
static th_status find_direction(struct newton *newton, struct th_batch *batch,
                                struct th_context *context,
                                const struct th_support *support,
                                struct th_error *err)
{
  bool intercept = context->config->intercept;
  double *curvature = newton->work;
  double *target = newton->work + batch->rows;
  th_loss_curvatures(context->loss, batch->rows, batch->prediction,
                     batch->target, curvature);
  th_loss_derivatives(context->loss, batch->rows, batch->prediction,
                      batch->target, target);
  for (int64_t i = 0; i < batch->rows; i++) {
    curvature[i] = fmax(curvature[i], flattest);
    target[i] = -target[i] / curvature[i];
  }
  free(newton->step);
  newton->step = NULL;
  th_status rc;
  TH_TRY(th_gram_start(&newton->gram, context, support->size, err));
  TH_TRY(th_gram_add(&newton->gram, context, batch, support, curvature, target,
                     err));
  if (newton->ridge == NULL)
    TH_TRY(th_agree(context->comm, choose_ridge(newton, context, support, err),
                    err));
  const struct th_gram_equations equations = {.gram = &newton->gram,
                                              .intercept = intercept,
                                              .ridge = newton->ridge,
                                              .coef = support->coef,
                                              .keep = newton->keep};
  TH_TRY(th_gram_solve(&equations, context, &newton->step, err));
  limit_step(newton);
done:
  return rc;
}

static void move(struct th_support *support, const double *step, double length)
{
  for (int64_t k = 0; k < support->size; k++)
    support->coef[k] += length * step[k];
  support->intercept += length * step[support->size];
}

/* Go along the step, halving it until the loss falls. *goes_on: the loss fell
 * enough for another step. Collective. */
static th_status backtrack(const struct newton *newton,
                           struct th_support *support, struct th_batch *batch,
                           struct th_context *context, bool *goes_on,
                           struct th_error *err)
{
  const double *step = newton->step;
  double before = value(newton, batch, support);
  double length = 1;
  th_status rc = TH_OK;
  *goes_on = false;
  for (int k = 0; k < MOST_HALVINGS; k++, length /= 2) {
    move(support, step, length);
    rc = th_batch_residual(batch, context, support, context->loss, err);
    if (rc != TH_OK)
      return rc;
    double now = value(newton, batch, support);
    *goes_on = now < before * (1 - least_gain);
    if (now <= before)
      return rc;
    move(support, step, -length);
  }
  return th_batch_residual(batch, context, support, context->loss, err);
}

th_status th_refit_newton(struct th_support *support, struct th_batch *batch,
                          struct th_context *context, const bool *keep,
                          struct th_error *err)
{
  struct newton newton = {.keep = keep, .weight = batch->weight_sum};
  bool goes_on = true;
  th_status rc = TH_NEW(&newton.work, 2 * batch->rows, "Newton steps", err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_batch_residual(batch, context, support, context->loss, err));
  for (int k = 0; k < MOST_STEPS && goes_on; k++) {
    TH_TRY(find_direction(&newton, batch, context, support, err));
    TH_TRY(backtrack(&newton, support, batch, context, &goes_on, err));
  }
done:
  TH_FREE(newton.step, newton.ridge, newton.work);
  th_gram_free(&newton.gram);
  return rc;
}

/* Fits on halves of the rows, each judged on the other half. Replicated. */
struct halves {
  double *weight; /* of the rows, as they are */
  double *masked; /* of one half; the others weigh nothing */
  double *now;    /* loss of each row, weighted, before any fit */
  double gain;    /* how much less the fits lose, summed over the rows */
  double square;  /* the same, squared row by row */
};

static void halves_free(struct halves *h)
{
  TH_FREE(h->weight, h->masked, h->now);
}

static double row_loss(const struct th_batch *batch,
                       const struct th_context *context, const double *weight,
                       int64_t i)
{
  return weight[i] *
         th_loss_value(context->loss, batch->prediction[i], batch->target[i]);
}

/* Begin with the losses of the support as it is. Local. */
static th_status halves_init(struct halves *h, const struct th_batch *batch,
                             const struct th_context *context,
                             struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&h->weight, batch->rows, "weights", err));
  TH_TRY(TH_NEW(&h->masked, batch->rows, "weights", err));
  TH_TRY(TH_NEW(&h->now, batch->rows, "losses", err));
  memcpy(h->weight, batch->weight, (size_t)batch->rows * sizeof *h->weight);
  for (int64_t i = 0; i < batch->rows; i++)
    h->now[i] = row_loss(batch, context, h->weight, i);
done:
  return rc;
}

/* Every other row belongs to the half. */
static void weigh_half(struct th_batch *batch, struct halves *h, int which)
{
  for (int64_t i = 0; i < batch->rows; i++)
    h->masked[i] = i % HALVES == which ? h->weight[i] : 0;
  th_batch_weigh(batch, h->masked);
}

/* Fit on the other half, and judge on this one. A half without weight gains
 * nothing. Collective. */
static th_status judge_half(struct halves *h, struct th_support *support,
                            struct th_batch *batch, struct th_context *context,
                            int which, struct th_error *err)
{
  th_status rc = TH_OK;
  weigh_half(batch, h, 1 - which);
  if (!(batch->weight_sum > 0))
    return rc;
  TH_TRY(th_refit_newton(support, batch, context, NULL, err));
  weigh_half(batch, h, which);
  TH_TRY(th_batch_residual(batch, context, support, context->loss, err));
  for (int64_t i = which; i < batch->rows; i += HALVES) {
    double gain = h->now[i] - row_loss(batch, context, h->masked, i);
    h->gain += gain;
    h->square += gain * gain;
  }
done:
  return rc;
}

/* *pays: the gain is above its standard error. The support is `before` again at
 * the end. Collective. */
static th_status fits_pay(struct th_support *support,
                          const struct th_support *before,
                          struct th_batch *batch, struct th_context *context,
                          bool *pays, struct th_error *err)
{
  struct halves h = {0};
  th_status rc = halves_init(&h, batch, context, err);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int k = 0; k < HALVES; k++) {
    TH_TRY(judge_half(&h, support, batch, context, k, err));
    TH_TRY(th_support_copy(support, before, err)); /* there is room */
  }
  th_batch_weigh(batch, h.weight);
  double variance = h.square - h.gain * h.gain / (double)batch->rows;
  *pays = h.gain > sqrt(fmax(variance, 0));
done:
  halves_free(&h);
  return rc;
}

/* Fit as th_refit_newton does, but only if that is expected to predict better
 * than the support as it is. With few rows, fits on either half of them must
 * lose less on the other half than the support does, by more than one standard
 * error of the difference. With many rows, the loss must fall by more than the
 * fit's parameters alone would make it fall, twice parameters / (2 rows)
 * (Akaike 1973). The weights of the rows end as they were. */
static th_status newton_improve(struct th_support *support,
                                struct th_batch *batch,
                                struct th_context *context,
                                struct th_error *err)
{
  struct th_support before = {0};
  double parameters = (double)(support->size + 1);
  double rows = (double)batch->rows;
  bool few = rows < MANY_ROWS * parameters;
  bool pays = true;
  th_status rc = th_support_copy(&before, support, err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_batch_residual(batch, context, support, context->loss, err));
  double now = batch->loss;
  if (few)
    TH_TRY(fits_pay(support, &before, batch, context, &pays, err));
  if (pays)
    TH_TRY(th_refit_newton(support, batch, context, NULL, err));
  if (!few && !(batch->loss + parameters / rows <= now))
    TH_TRY(th_support_copy(support, &before, err)); /* there is room */
done:
  th_support_free(&before);
  return rc;
}

enum { SPEND_ROWS = 4096 }; /* of one batch */

/* Collective. */
static th_status solve(struct th_support *support, struct th_context *context,
                       const struct th_gram_equations *equations,
                       struct th_error *err)
{
  double *solution = NULL;
  th_status rc = th_gram_solve(equations, context, &solution, err);
  if (rc != TH_OK)
    return rc;
  memcpy(support->coef, solution, (size_t)support->size * sizeof(double));
  support->intercept = solution[support->size];
  free(solution);
  return TH_OK;
}

th_status th_refit_squares(struct th_support *support,
                           struct th_context *context,
                           const struct th_gram *gram, const bool *keep,
                           struct th_error *err)
{
  const struct th_gram_equations equations = {
      .gram = gram, .intercept = context->config->intercept, .keep = keep};
  return solve(support, context, &equations, err);
}

/* What the rows that are spent on S are added to. */
struct spending {
  struct th_gram *gram;      /* NULL: not there */
  struct th_kept_rows *kept; /* NULL: not there */
};

/* *wanted: more rows are wanted. Collective. */
static th_status keep_rows(struct th_kept_rows *kept,
                           struct th_context *context,
                           const struct th_batch *batch, bool *wanted,
                           struct th_error *err)
{
  th_kept_rows_add(kept, context, batch, err);
  th_status rc = th_agree(context->comm, kept->status, err);
  *wanted = rc == TH_OK && kept->rows < kept->most;
  return rc;
}

static th_status spend_rows(const struct spending *to, struct th_batch *batch,
                            struct th_context *context,
                            const struct th_support *support, int64_t rows,
                            struct th_error *err)
{
  bool complete = true;
  th_status rc = TH_OK;
  while (rows > 0) {
    struct th_batch_draw draw = {.rows = rows < SPEND_ROWS ? rows : SPEND_ROWS,
                                 .consumer = TH_CONSUMER_EXPLOIT};
    struct th_batch_request request = {
        .draw = &draw, .draws = 1, .support = support};
    TH_TRY(th_batch_observe(batch, context, &request, &complete, err));
    if (!complete)
      break;
    if (to->gram != NULL)
      TH_TRY(th_gram_add(to->gram, context, batch, support, NULL, NULL, err));
    if (to->kept != NULL)
      TH_TRY(keep_rows(to->kept, context, batch, &complete, err));
    rows = complete ? rows - draw.rows : 0;
  }
done:
  return rc;
}

th_status th_refit_spend(struct th_gram *gram, struct th_batch *batch,
                         struct th_context *context,
                         const struct th_support *support, int64_t rows,
                         struct th_error *err)
{
  const struct spending to = {.gram = gram};
  return spend_rows(&to, batch, context, support, rows, err);
}

th_status th_refit_draw(struct th_batch *batch, struct th_context *context,
                        const struct th_support *support, int64_t rows,
                        bool *complete, struct th_error *err)
{
  const struct th_batch_draw draw = {
      .rows = th_schedule_refit_rows(support->size, rows),
      .consumer = TH_CONSUMER_EXPLOIT};
  const struct th_batch_request request = {
      .draw = &draw, .draws = 1, .support = support, .loss = context->loss};
  return th_batch_evaluate(batch, context, &request, complete, err);
}

int64_t th_refit_rows(const struct th_context *context)
{
  int64_t left = th_deal_left(&context->deal);
  int64_t pass = context->deal.rows_in_pass;
  return context->config->passes > 1 && left > pass ? pass : left;
}

/* The mean squared error of coefficients over the rows of a Gram matrix. */
static double mean_square(const struct th_gram *gram,
                          const struct th_support *support)
{
  int64_t n = gram->size;
  double sum = th_gram_at(gram, n + 1, n + 1);
  for (int64_t j = 0; j <= n; j++) {
    double b = j < n ? support->coef[j] : support->intercept;
    double product = -2 * th_gram_at(gram, j, n + 1);
    for (int64_t i = 0; i <= n; i++)
      product += th_gram_at(gram, i, j) *
                 (i < n ? support->coef[i] : support->intercept);
    sum += b * product;
  }
  return sum / gram->weight;
}

/* The variance of a column over the rows, about 0 where no constant makes up
 * for the mean; of the targets, if j = |S| + 1. */
static double variance(const struct th_gram *gram, int64_t j, bool intercept)
{
  double mean = th_gram_at(gram, gram->size, j) / gram->weight;
  double square = th_gram_at(gram, j, j) / gram->weight;
  return fmax(square - (intercept ? mean * mean : 0), 0);
}

/* The ridge that the rows themselves tell, for a row of variance 1: if members
 * explain as much as they seem to, p sigma^2 over the variance that they
 * explain (Lawless & Wang 1976). */
static double ridge_of(const struct th_gram *gram,
                       const struct th_support *support, bool intercept)
{
  double freedom = gram->rows - (double)(support->size + 1);
  double all = variance(gram, support->size + 1, intercept);
  double rest = fmax(mean_square(gram, support), 0);
  double noise = rest * gram->rows / fmax(freedom, 1);
  double explained = fmax(all - noise, all / gram->rows);
  return explained > 0 ? (double)support->size * noise / explained : 0;
}

/* Room for the equations with a ridge. */
struct shrinking {
  double *ridge;
  double *zero;
  bool *keep;
};

static th_status reserve(struct shrinking *room, int64_t members,
                         struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&room->ridge, members, "normal equations", err));
  TH_TRY(TH_NEW(&room->zero, members, "normal equations", err));
  TH_TRY(TH_NEW(&room->keep, members, "normal equations", err));
done:
  return rc;
}

th_status th_refit_shrunk(struct th_support *support,
                          struct th_context *context,
                          const struct th_gram *gram, struct th_error *err)
{
  bool intercept = context->config->intercept;
  struct shrinking room = {0};
  th_status rc = th_refit_squares(support, context, gram, NULL, err);
  if (rc != TH_OK || context->config->refit == TH_REFIT_YES)
    return rc;
  rc = reserve(&room, support->size, err);
  TH_TRY(th_agree(context->comm, rc, err));
  double unit = ridge_of(gram, support, intercept) * gram->weight / gram->rows;
  for (int64_t j = 0; j < support->size; j++) {
    room.ridge[j] =
        unit *
        (context->config->standardize ? 1 : variance(gram, j, intercept));
    if (th_exempt_members_has(context, support->attribute[j]))
      room.ridge[j] = 0;
    room.keep[j] = support->coef[j] != 0; /* not collinear */
  }
  const struct th_gram_equations equations = {.gram = gram,
                                              .intercept = intercept,
                                              .ridge = room.ridge,
                                              .coef = room.zero,
                                              .keep = room.keep};
  TH_TRY(solve(support, context, &equations, err));
done:
  TH_FREE(room.ridge, room.zero, room.keep);
  return rc;
}

/* Least squares, unless they are expected to predict worse than the
 * coefficients at hand: by Akaike's final prediction error, (m + p) / (m - p)
 * times their mean square on m rows with p parameters. Collective. */
static th_status fit_if_better(struct th_support *support,
                               struct th_context *context,
                               const struct th_gram *gram, struct th_error *err)
{
  struct th_support before = {0};
  double now = mean_square(gram, support);
  double parameters = (double)(support->size + 1);
  th_status rc = th_support_copy(&before, support, err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_refit_shrunk(support, context, gram, err));
  double expected = mean_square(gram, support) * (gram->rows + parameters) /
                    (gram->rows - parameters);
  if (context->config->refit == TH_REFIT_AUTO && !(expected <= now))
    rc = th_support_copy(support, &before, err); /* there is room */
done:
  th_support_free(&before);
  return rc;
}

static th_status end_by_squares(struct th_refit_state *state,
                                struct th_context *context, int64_t rows,
                                int64_t enough, struct th_error *err)
{
  struct th_support *support = state->support;
  const struct spending to = {.gram = state->gram};
  th_status rc = TH_OK;
  /* a whole pass: each example counts once */
  if (rows >= context->deal.rows_in_pass)
    rc = th_gram_start(state->gram, context, support->size, err);
  if (rc == TH_OK)
    rc = spend_rows(&to, state->batch, context, support, rows, err);
  if (rc != TH_OK || state->gram->rows < (double)enough)
    return rc;
  return fit_if_better(support, context, state->gram, err);
}

/* Fit on all examples. The next two passes bring every one of them at the
 * latest. */
static th_status end_by_newton(struct th_refit_state *state,
                               struct th_context *context, int64_t rows,
                               int64_t enough, struct th_error *err)
{
  struct th_kept_rows *kept = state->kept;
  struct th_support *support = state->support;
  const struct spending to = {.kept = kept};
  th_status rc;
  TH_TRY(th_agree(context->comm, kept->status, err));
  if (kept->rows >= kept->most)
    rows = 0;
  TH_TRY(spend_rows(&to, state->batch, context, support, rows, err));
  TH_TRY(th_kept_rows_gather(kept, context, support, state->batch, err));
  if (kept->rows < enough)
    return TH_OK;
  rc = context->config->refit == TH_REFIT_AUTO
           ? newton_improve(support, state->batch, context, err)
           : th_refit_newton(support, state->batch, context, NULL, err);
done:
  return rc;
}

th_status th_refit_end(struct th_refit_state *state, struct th_context *context,
                       struct th_error *err)
{
  enum th_refit refit = context->config->refit;
  bool labels = context->loss->labels;
  int64_t rows = labels ? th_deal_left(&context->deal) : th_refit_rows(context);
  int64_t size = state->support->size;
  int64_t enough = refit == TH_REFIT_YES ? size + 1 : 2 * size + 2;
  if (refit == TH_REFIT_NO || size == 0)
    return TH_OK;
  return labels ? end_by_newton(state, context, rows, enough, err)
                : end_by_squares(state, context, rows, enough, err);
}
