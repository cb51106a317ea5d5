/* refit.c - exact fits on a fixed support: least squares, Newton
 * SPDX-License-Identifier: MIT */
#include "solvers/fits/refit.h"

#include "base/memory.h"
#include "math/schedule.h"
#include "solvers/access/gram.h"
#include "solvers/fits/newton.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
           ? th_newton_improve(support, state->batch, context, err)
           : th_newton_fit(support, state->batch, context, NULL, err);
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
