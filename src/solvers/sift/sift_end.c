/* sift_end.c - how solver `sift` ends: elimination and the last fit on S
 * SPDX-License-Identifier: MIT */
#include "base/integer.h"

#include "base/elementary.h"
#include "base/memory.h"
#include "data/store.h"
#include "math/schedule.h"
#include "solvers/access/exempt_members.h"
#include "solvers/fits/backward.h"
#include "solvers/fits/refit.h"
#include "solvers/sift/sift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MANY_TIMES = 2,
  MANY_MORE = 10,
  HEAVY_TAILS = 20, /* kurtosis; the exponential law has 9 */
  KNOWN_ROWS = 10   /* of each member, for a fit of labels */
};

/* Of a member at the end, in standard errors, however few attributes there are:
 * the threshold for candidates is 0 of a single one. */
static const double least_score = 2;

/* --- The last decisions on rare attributes
 *
 * If all rows are read once, an attribute that few examples have gets no second
 * chance. Its trial ends with the rows. What was known of it when it came is
 * then a good part of all that can be known, so both count here. */

/* An entrant joins if it stands out of all attributes by all that is known, and
 * if what was learnt since it came is nearer to its estimate than to 0. */
static enum th_sift_verdict last_verdict(const struct th_sift *s, int64_t k,
                                         struct th_evidence now)
{
  double sign = now.u < 0 ? -1 : 1;
  double u = sign * (now.u - s->fit.came[k].u);
  double w = now.v - s->fit.came[k].v;
  bool stands = w > 0 && now.u * now.u >= s->threshold * s->threshold * now.v &&
                2 * u * now.v >= sign * now.u * w;
  return stands ? TH_SIFT_JOINS : TH_SIFT_FAILS;
}

/* The trials at the end, when no rows follow: all that is known decides, and
 * entrants that have not joined leave. Collective. */
static th_status last_trials(struct th_sift *s, struct th_context *context,
                             struct th_error *err)
{
  struct th_sift_fit *fit = &s->fit;
  int64_t count = 0;
  th_status rc;
  th_sift_evidence_marked(&s->evidence, context, &s->support, fit->slow,
                          s->entry.attribute, s->entry.sum);
  for (int64_t k = 0; k < fit->size; k++)
    if (fit->slow[k])
      fit->verdict[k] =
          (unsigned char)last_verdict(s, k, s->entry.sum[count++]);
  TH_TRY(th_sift_fit_last(fit, context, err));
  for (int64_t k = 0; k < fit->size; k++) {
    s->support.coef[k] = fit->theta[k];
    fit->keep[k] = fit->fate[k] == TH_SIFT_STAYS && !fit->entrant[k];
  }
  th_support_filter(&s->support, fit->keep);
  th_sift_fit_filter(fit, fit->keep);
  s->support.intercept = fit->constant ? fit->theta[fit->size] : 0;
done:
  return rc;
}

/* --- The last fit --------------------------------------------------------- */

/* Members that are still tried leave. Local. */
static void drop_entrants(struct th_sift *s)
{
  for (int64_t k = 0; k < s->fit.size; k++)
    s->fit.keep[k] = !s->fit.entrant[k];
  th_support_filter(&s->support, s->fit.keep);
  th_sift_fit_filter(&s->fit, s->fit.keep);
}

/* Join the precision and moment of the rounds with the rows read for S alone,
 * as one Gram matrix of (x_S, 1, y). rp: the variance that the former were
 * divided by. Only rank 0 knows them. Local. */
static void join_end(struct th_sift *s, double rp)
{
  const struct th_sift_fit *fit = &s->fit;
  struct th_gram *gram = &s->gram;
  int64_t n = fit->size;
  int64_t y = n + 1;
  double *a = gram->a;
  for (int64_t j = 0; j < fit->order; j++) {
    const double *lam = fit->precision + j * fit->order;
    /* the fit is of targets less their centre */
    double centre = fit->constant ? s->label_mean * lam[n] : 0;
    double moment = rp * (fit->moment[j] + centre);
    for (int64_t i = 0; i < fit->order; i++)
      a[i + j * (n + 2)] += rp * lam[i];
    a[j + y * (n + 2)] += moment;
    a[y + j * (n + 2)] += moment;
  }
  gram->rows += fit->rows;
  gram->weight = fit->constant ? a[n + n * (n + 2)] : gram->weight + fit->rows;
}

/* The mean squared residual of the rows of the Gram matrix at the coefficients
 * that the rounds have led to, or of the last round where rows are few. */
static double variance_at_end(const struct th_sift *s)
{
  const struct th_gram *gram = &s->gram;
  double sum =
      th_gram_squares(gram, s->support.coef, s->confirmed.intercept, NULL);
  double rows = gram->weight;
  if (!(rows > 10 * (double)gram->size) || !(sum > 0))
    return s->mean_square;
  return fmax(sum / rows, s->least);
}

/* Rank 0 decides which members stand out, by the threshold for candidates of
 * all attributes or the least score, and which of them stay within -s. Every
 * rank learns the result. rp: variance of the rows. Collective. */
static th_status eliminate(struct th_sift *s, struct th_context *context,
                           double rp, struct th_error *err)
{
  struct th_comm *comm = context->comm;
  int64_t n = s->support.size;
  int64_t most = context->config->sparsity > 0 ? context->config->sparsity : n;
  double *a = NULL;
  double *b = NULL;
  double *x = NULL;
  double *least = NULL;
  bool *fixed = NULL;
  double z = fmax(s->threshold, least_score);
  th_status rc = TH_NEW(&a, n * n, "backward elimination", err);
  if (rc == TH_OK)
    rc = TH_NEW(&b, n, "backward elimination", err);
  if (rc == TH_OK)
    rc = TH_NEW(&x, n, "backward elimination", err);
  if (rc == TH_OK)
    rc = TH_NEW(&least, n, "backward elimination", err);
  if (rc == TH_OK)
    rc = TH_NEW(&fixed, n, "backward elimination", err);
  for (int64_t k = 0; k < n && rc == TH_OK; k++)
    fixed[k] = th_exempt_members_has(context, s->support.attribute[k]);
  if (rc == TH_OK && comm->rank == 0) {
    double weight = s->gram.weight;
    for (int64_t j = 0; j < n; j++) { /* the intercept is swept out */
      double mean =
          context->config->intercept ? th_gram_at(&s->gram, j, n) / weight : 0;
      for (int64_t i = 0; i < n; i++)
        a[i + j * n] =
            th_gram_at(&s->gram, i, j) - mean * th_gram_at(&s->gram, i, n);
      b[j] = th_gram_at(&s->gram, j, n + 1) -
             mean * th_gram_at(&s->gram, n, n + 1);
    }
    for (int64_t k = 0; k < n; k++)
      least[k] = z * z * rp;
    struct th_backward_equations given = {
        .n = n, .a = a, .b = b, .most = most, .least = least, .fixed = fixed};
    rc = th_backward_eliminate(&given, x, s->fit.keep, err);
  }
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, s->fit.keep, (size_t)n * sizeof *s->fit.keep, 0);
done:
  TH_FREE(a, b, x, least, fixed);
  return rc;
}

/* Spend the rows that were kept for the end on S and the constant. With labels,
 * all that fit in memory are drawn at once, also for Newton steps. Collective.
 */
static th_status spend_last_rows(struct th_sift *s, struct th_context *context,
                                 bool *newton, double *rp, struct th_error *err)
{
  int64_t rows = th_refit_rows(context);
  int64_t most = *newton ? th_schedule_refit_rows(s->support.size, rows) : 0;
  th_status rc;
  TH_TRY(th_refit_spend(&s->gram, &s->batch, context, &s->support, rows - most,
                        err));
  if (*newton)
    TH_TRY(th_refit_draw(&s->batch, context, &s->support, most, newton, err));
  if (*newton && context->config->passes == 1)
    th_round_log_add(&s->log, &s->batch, &s->support, 0, err);
  if (*newton)
    TH_TRY(th_gram_add(&s->gram, context, &s->batch, &s->support, NULL, NULL,
                       err));
  *rp = variance_at_end(s);
  if (context->config->passes == 1 && context->comm->rank == 0)
    join_end(s, *rp);
done:
  return rc;
}

/* Newton steps on all rows of the pass that saw S. Collective. */
static th_status newton_on_all(struct th_sift *s, struct th_context *context,
                               struct th_error *err)
{
  int64_t rows = 0;
  th_status rc;
  if (context->config->refit == TH_REFIT_NO)
    return TH_OK;
  TH_TRY(th_round_log_gather(&s->log, context, &s->support, &s->batch, &rows,
                             err));
  if (rows > s->support.size)
    TH_TRY(th_refit_newton(&s->support, &s->batch, context, NULL, err));
done:
  return rc;
}

/* Did every example meet every attribute? There were as many passes as blocks
 * then. */
static bool saw_all(const struct th_context *context)
{
  int64_t d = th_source_shape(context->source)->attributes;
  int64_t budget = th_source_budget(context->source);
  return context->config->passes > th_integer_ceil_divide(d, budget);
}

/* Tell the user if more scores lie just below the threshold than chance brings.
 * These are weak attributes that more examples would show. Collective. */
static void tell_doubts(const struct th_sift *s, struct th_context *context)
{
  const struct th_target *target = &context->target;
  double d = (double)th_source_shape(context->source)->attributes;
  double low = s->threshold - 1;
  double usual =
      d * (th_erfc(low * M_SQRT1_2) - th_erfc(s->threshold * M_SQRT1_2));
  int64_t near = th_sift_evidence_count(&s->evidence, context, &s->support, low,
                                        s->threshold);
  if (target->kurtosis > HEAVY_TAILS)
    th_context_notice(context,
                      "the target's tails are heavy (its kurtosis is %.0f; 3 "
                      "is usual). A model of %s may fit better",
                      target->kurtosis,
                      target->low > -1 ? "log(1 + target)"
                                       : "a transformed target");
  if ((double)near > MANY_TIMES * usual + MANY_MORE)
    th_context_notice(
        context,
        "%lld attributes score just below the threshold, where chance alone "
        "puts about %.0f. %s may let true attributes in",
        (long long)near, usual,
        saw_all(context) ? "More examples" : "More passes or more examples");
  if (s->support.size >= s->largest_support && s->support.size < (int64_t)d)
    th_context_notice(context,
                      "the strict support has grown to %lld attributes. This "
                      "budget and so many examples allow no more",
                      (long long)s->support.size);
}

/* Reserve room, and take centres as the end does: entries of sparse data have
 * none. Collective. */
static th_status known_init(struct th_strict_known *known,
                            const struct th_sift *s,
                            const struct th_context *context,
                            struct th_error *err)
{
  int64_t order = s->fit.order;
  int64_t size = s->fit.size;
  bool sparse = !th_store_shape_is_full(th_source_shape(context->source));
  th_status rc =
      TH_NEW(&known->precision, order * order, "the fit of the support", err);
  if (rc == TH_OK)
    rc = TH_NEW(&known->moment, order, "the fit of the support", err);
  if (rc == TH_OK)
    rc = TH_NEW(&known->centre, size, "the fit of the support", err);
  if (rc == TH_OK)
    rc = TH_NEW(&known->coef, size, "the fit of the support", err);
  TH_TRY(th_agree(context->comm, rc, err));
  for (int64_t k = 0; k < size && sparse; k++)
    known->centre[k] = s->support.centre[k] * s->support.scale[k];
done:
  return rc;
}

/* Share what the rounds have taught about S, which only rank 0 knows.
 * Collective. */
static th_status share_squares(const struct th_sift *s,
                               const struct th_context *context,
                               struct th_strict_known *known,
                               struct th_error *err)
{
  const struct th_sift_fit *fit = &s->fit;
  struct th_comm *comm = context->comm;
  size_t order = (size_t)fit->order;
  th_status rc;
  TH_TRY(known_init(known, s, context, err));
  if (comm->rank == 0)
    memcpy(known->precision, fit->precision,
           order * order * sizeof *known->precision);
  for (size_t k = 0; k < order && comm->rank == 0; k++) {
    const double *last = fit->precision + fit->size * fit->order;
    double labels = fit->constant ? s->label_mean * last[k] : 0;
    known->moment[k] = fit->moment[k] + labels;
  }
  comm->ops->bcast(comm, known->precision,
                   order * order * sizeof *known->precision, 0);
  comm->ops->bcast(comm, known->moment, order * sizeof *known->moment, 0);
  for (int64_t k = 0; k < fit->size; k++)
    known->coef[k] = s->support.coef[k];
  known->constant = s->support.intercept + s->label_mean;
  known->variance = s->mean_square;
done:
  return rc;
}

/* What the rounds have taught about S, for labels: the curvature of their own
 * loss at its minimum over the rows that saw all of S. Collective. */
static th_status label_curvature(struct th_sift *s, struct th_context *context,
                                 struct th_strict_known *known,
                                 struct th_error *err)
{
  struct th_support best = {0};
  struct th_batch *batch = &s->batch;
  int64_t size = s->support.size;
  int64_t order = s->fit.order;
  int64_t rows = 0;
  double *curvature = NULL;
  th_status rc = th_support_copy(&best, &s->support, err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(th_round_log_gather(&s->log, context, &best, batch, &rows, err));
  if (rows <= KNOWN_ROWS * size || size == 0)
    goto done;
  TH_TRY(th_refit_newton(&best, batch, context, NULL, err));
  TH_TRY(known_init(known, s, context, err));
  rc = TH_NEW(&curvature, rows, "the fit of the support", err);
  TH_TRY(th_agree(context->comm, rc, err));
  th_loss_curvatures(context->loss, rows, batch->prediction, batch->target,
                     curvature);
  TH_TRY(th_gram_start(&s->gram, context, size, err));
  TH_TRY(th_gram_add(&s->gram, context, batch, &best, curvature, NULL, err));
  for (int64_t k = 0; k < order; k++)
    for (int64_t j = 0; j < order; j++) {
      double x = th_gram_at(&s->gram, j, k);
      known->precision[j + k * order] = x;
      known->moment[k] += x * (j < size ? best.coef[j] : best.intercept);
    }
done:
  free(curvature);
  th_support_free(&best);
  return rc;
}

/* End with a model that predicts (end.h), in place of one more pass over S.
 * Collective. */
static th_status predict_end(struct th_sift *s, struct th_context *context,
                             struct th_error *err)
{
  struct th_end_known known = {0};
  bool once = s->end.once;
  th_status rc;
  if (once)
    TH_TRY(last_trials(s, context, err));
  else
    drop_entrants(s);
  tell_doubts(s, context);
  if (once)
    TH_TRY(share_squares(s, context, &known.squares, err));
  if (once && context->target.labels)
    TH_TRY(label_curvature(s, context, &known.labels, err));
  TH_TRY(th_end_run(&s->end, context, &s->marginal, once ? &known : NULL,
                    &s->support, err));
  th_deal_count(&context->deal, context->deal.pass + !once, 0);
  rc = th_support_copy(&s->confirmed, &s->support, err);
  TH_TRY(th_agree(context->comm, rc, err));
done:
  th_strict_known_free(&known.squares);
  th_strict_known_free(&known.labels);
  return rc;
}

th_status th_sift_end(struct th_sift *s, struct th_context *context,
                      struct th_error *err)
{
  const bool *keep = NULL;
  bool newton = context->target.labels && context->config->refit != TH_REFIT_NO;
  th_status rc;
  double rp = 0;
  if (s->predicts)
    return predict_end(s, context, err); /* line 14 */
  if (context->config->passes == 1) /* with more passes, a later one decides */
    TH_TRY(last_trials(s, context, err));
  tell_doubts(s, context);
  s->batch.target_centre = 0; /* targets as they are, from now on */
  TH_TRY(th_gram_start(&s->gram, context, s->support.size, err));
  if (s->support.size == 0) {
    s->support.intercept = context->target.offset;
    return th_support_copy(&s->confirmed, &s->support, err);
  }
  TH_TRY(spend_last_rows(s, context, &newton, &rp, err)); /* line 15 */
  TH_TRY(eliminate(s, context, rp, err));                 /* line 16 */
  keep = s->fit.keep;
  if (context->config->refit != TH_REFIT_NO) /* line 17 */
    TH_TRY(th_refit_squares(&s->support, context, &s->gram, keep, err));
  for (int64_t k = 0; k < s->fit.size; k++)
    s->support.coef[k] = keep[k] ? s->support.coef[k] : 0;
  if (newton && context->config->passes > 1) /* the rows have seen all of S */
    TH_TRY(th_refit_newton(&s->support, &s->batch, context, keep, err));
  th_support_filter(&s->support, keep);
  if (context->target.labels && context->config->passes == 1)
    TH_TRY(newton_on_all(s, context, err));
  TH_TRY(th_support_copy(&s->confirmed, &s->support, err));
done:
  return rc;
}
