/* sift.c - solver `sift`: accumulated evidence under an attribute budget
 *
 * Ours; the observations are those of Murata & Suzuki 2018, Algorithm 1 (blocks
 * J_i and the support S of each example, at most s' attributes in all), but
 * what was learnt about an attribute is kept: a precision-weighted mean of x_j
 * * residual with its standard error, for minimise E (y - theta' x)^2, theta
 * sparse. Attributes enter S by their z-score, stay on probation for a sweep,
 * and leave when a weighted least-squares fit on S finds them insignificant.
 * There is no s, step size or batch to choose. A simpler form (discounting old
 * evidence whenever S changes, no probation, the variance from before the fit)
 * is unstable on correlated and on repeated data: every guard below is needed.
 * Logistic loss: attributes are selected on labels -1, +1 with squared loss,
 * and Newton steps on S end the run. SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "solvers/algorithm.h"
#include "solvers/refit.h"
#include "solvers/sift_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  LEAST_ROWS = 20, /* per block and sweep */
  RARE_ROWS = 4,
  ROBUST_ROWS = 1000 /* from here on z-scores use the robust variance */
};

static const double most_of_budget = 0.7;  /* |S| <= .7 s' */
static const double batch_growth = 1.05;   /* per sweep */
static const double largest_sweep = 0.15;  /* of the rows that are left */
static const double least_variance = 0.25; /* of labels, after any fit */
static const double heavy_tails = 3;       /* robust against plain variance */

struct sift {
  struct th_support support;   /* S with theta, entrants among them */
  struct th_support confirmed; /* S without entrants: the model as it is */
  struct th_blocks blocks;     /* J */
  struct th_batch batch;
  struct th_gram gram; /* of one sweep */
  struct th_sift_fit fit;
  double *evidence; /* U, W, Q of the owned attributes, then u, v, q */
  double *z;
  double threshold; /* z0 */
  int64_t largest_support;
  int64_t sweep;      /* k, from 0 */
  int64_t reserve;    /* p_end: rows kept for the end */
  double smallest;    /* rmin */
  double mean_square; /* r2 of the last sweep */
  double unit;        /* power of two that brings sqrt(r2) to 0.5 .. 1 */
  double label_mean;  /* labels -1, +1 are centred for the evidence */
  double least;       /* r2 of labels counts as no less */
  double luck;        /* rows of the rarer label that luck may bring, times
                         their squared residual */
};

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
  struct sift *s = state;
  if (s == NULL)
    return;
  th_support_free(&s->support);
  th_support_free(&s->confirmed);
  th_blocks_free(&s->blocks);
  th_batch_free(&s->batch);
  th_gram_free(&s->gram);
  th_sift_fit_free(&s->fit);
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
static void center_labels(struct sift *s, double mean)
{
  s->label_mean = mean;
  s->least = least_variance * (1 - mean * mean);
  s->luck = RARE_ROWS * (1 + fabs(mean)) * (1 + fabs(mean));
}

static th_status create(void **state, struct th_context *context,
                        struct th_error *err)
{
  struct sift *s = NULL;
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
  s->threshold = sqrt(2 * log(d)) + 0.5;
  s->largest_support = (int64_t)fmin(most_of_budget * budget, n / 5);
  if (s->largest_support < 1)
    s->largest_support = 1;
  rc = th_support_reserve(&s->confirmed, s->largest_support, err);
  TH_TRY(th_agree(context->comm, rc, err));
  s->smallest = INFINITY;
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
static int64_t rows_per_block(const struct sift *s,
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

/* Where th_batch_blocks adds up u, v and q. */
struct sums {
  const double *centre;
  double *u;
  double *v;
  double *q;
};

static void add_evidence(void *self, const struct th_slab *slab,
                         const struct th_multiplier *multiplier, int64_t offset)
{
  struct sums *sums = self;
  th_kernel_evidence(slab, multiplier, sums->centre + offset, sums->u + offset,
                     sums->v + offset, sums->q + offset);
}

/* Residuals times a power of two, so that their squares stay within f32
 * whatever the unit of y. Local. */
static void scale_residuals(struct sift *s)
{
  int exponent = 0;
  frexp(sqrt(s->mean_square), &exponent);
  s->unit = ldexp(1, -exponent);
  for (int64_t i = 0; i < s->batch.rows; i++) {
    s->batch.residual[i] *= s->unit;
    s->batch.residual32[i] = (float)s->batch.residual[i];
  }
}

/* Owner: u_j = sum r x_j, v_j = sum x_j^2, q_j = sum r^2 x_j^2. Collective. */
static th_status gather_evidence(struct sift *s, struct th_context *context,
                                 struct th_error *err)
{
  int64_t count = owned_count(context);
  double *fresh = s->evidence + 3 * count;
  struct sums sums = {context->centre, fresh, fresh + count, fresh + 2 * count};
  th_profile_begin(context->profile);
  memset(fresh, 0, (size_t)(3 * count) * sizeof *fresh);
  scale_residuals(s);
  th_status rc = th_batch_blocks(&s->batch, context, add_evidence, &sums, err);
  rc = th_agree(context->comm, rc, err);
  th_profile_end(context->profile, TH_PHASE_GRADIENT);
  return rc;
}

/* U += u/r2, W += v/r2, Q += q/r2^2; n rows give no more evidence than n rows,
 * however often they are read. Residuals in the batch are p - y. Local. */
static void keep_evidence(struct sift *s, const struct th_context *context)
{
  int64_t count = owned_count(context);
  double n = (double)context->deal.rows_in_pass;
  double r2 = s->mean_square;
  double unit = s->unit;
  double *U = s->evidence;
  double *W = U + count;
  double *Q = W + count;
  const double *u = Q + count;
  const double *v = u + count;
  const double *q = v + count;
  for (int64_t j = 0; j < count; j++) {
    double scale = context->scale[j];
    U[j] -= scale * u[j] / (unit * r2);
    W[j] += scale * scale * v[j] / r2;
    Q[j] += scale * scale * q[j] / (unit * unit * r2 * r2);
    double rows = W[j] * r2;
    double f = rows > n ? n / rows : 1;
    U[j] *= f;
    W[j] *= f;
    Q[j] *= f;
  }
}

/* What was known about an attribute no longer holds. Local. */
static void forget(struct sift *s, const struct th_context *context,
                   int64_t attribute)
{
  int64_t count = owned_count(context);
  int64_t j = attribute - context->owned.first;
  for (int64_t k = 0; k < 3 && j >= 0 && j < count; k++)
    s->evidence[j + k * count] = 0;
}

static bool on_probation(const struct sift *s)
{
  bool any = false;
  for (int64_t k = 0; k < s->fit.size; k++)
    any |= s->fit.entrant[k];
  return any;
}

/* While nobody is on probation: residuals that have doubled mean that S has
 * changed for the worse; all evidence is about another S then. Local. */
static void watch_residuals(struct sift *s, const struct th_context *context)
{
  if (on_probation(s))
    return;
  double luck = s->luck / s->batch.weight_sum;
  if (s->mean_square > 2 * s->smallest + luck) {
    memset(s->evidence, 0,
           (size_t)(3 * owned_count(context)) * sizeof *s->evidence);
    s->smallest = INFINITY;
  }
  s->smallest = fmin(s->smallest, s->mean_square + luck);
}

/* Probation, significance, least squares on S. Collective. */
static th_status fit_support(struct sift *s, struct th_context *context,
                             struct th_error *err)
{
  th_status rc = th_gram_reset(&s->gram, s->support.size, err);
  TH_TRY(th_agree(context->comm, rc, err));
  TH_TRY(
      th_gram_add(&s->gram, context, &s->batch, &s->support, NULL, NULL, err));
  TH_TRY(th_sift_fit_sweep(&s->fit, context, &s->gram, s->mean_square, s->least,
                           (double)context->deal.rows_in_pass, err));
  for (int64_t k = 0; k < s->fit.size; k++) {
    s->support.coef[k] = s->fit.theta[k];
    if (s->fit.forget[k])
      forget(s, context, s->support.attribute[k]);
  }
  th_support_filter(&s->support, s->fit.keep);
  th_sift_fit_filter(&s->fit, s->fit.keep);
  TH_TRY(th_support_copy(&s->confirmed, &s->support, err));
  s->confirmed.intercept = s->label_mean;
done:
  return rc;
}

/* z_j of the owned attributes outside S; 0 on S. Local. */
static void score(struct sift *s, const struct th_context *context)
{
  int64_t count = owned_count(context);
  const double *U = s->evidence;
  const double *W = U + count;
  const double *Q = W + count;
  bool robust = context->deal.rows_in_pass >= ROBUST_ROWS;
  for (int64_t j = 0; j < count; j++) {
    double variance = robust ? fmax(W[j], Q[j]) : W[j];
    s->z[j] = variance > 0 ? U[j] / sqrt(variance) : 0;
  }
  struct th_range mine = th_support_owned(&s->support, context->owned);
  for (int64_t k = mine.first; k < mine.last; k++)
    s->z[s->support.attribute[k] - context->owned.first] = 0;
}

/* U_j / W_j, the first guess at theta_j, of the chosen attributes: only the
 * owner has a word in the sum of bit patterns. Collective. */
static void guess(struct sift *s, struct th_context *context,
                  struct th_choice *chosen, int64_t found, int64_t *bits)
{
  int64_t count = owned_count(context);
  for (int64_t k = 0; k < found; k++) {
    int64_t j = chosen[k].attribute - context->owned.first;
    bits[k] = 0;
    if (j >= 0 && j < count) {
      double value = s->evidence[j] / s->evidence[j + count];
      memcpy(&bits[k], &value, sizeof value);
    }
  }
  context->comm->ops->sum_i64(context->comm, bits, (size_t)found);
}

/* S += E: two ascending lists become one. Local. */
static th_status merge(struct sift *s, const struct th_choice *entrants,
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
static th_status admit(struct sift *s, struct th_context *context,
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
  score(s, context);
  TH_TRY(th_select_largest(context->comm, s->z, owned_count(context),
                           context->owned.first, s->threshold, room, entrants,
                           &found, err));
  guess(s, context, entrants, found, first);
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

/* Blocks of s' - |S| attributes outside S, and their rows. Collective. */
static th_status draw(struct sift *s, struct th_context *context, bool *more,
                      struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  int64_t width = th_source_budget(context->source) - s->support.size;
  width = width > 1 ? width : 1; /* d = 1: the block is S itself */
  th_status rc = th_blocks_outside(&s->blocks, shape->attributes, width,
                                   s->support.attribute, s->support.size, err);
  if ((rc = th_agree(context->comm, rc, err)) != TH_OK)
    return rc;
  rc = th_batch_draw(&s->batch, context, &s->blocks, TH_CONSUMER_BLOCK,
                     rows_per_block(s, context), &s->support, more, err);
  for (int64_t i = 0; i < s->batch.rows && rc == TH_OK && *more; i++)
    s->batch.target[i] -= s->label_mean;
  return rc;
}

/* One sweep over all attributes. */
static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  struct sift *s = state;
  th_status rc;
  /* every block J_i takes its own rows; of them J_i and S are observed */
  TH_TRY(draw(s, context, more, err));
  if (!*more)
    return TH_OK;
  TH_TRY(th_batch_observe(&s->batch, context, &s->support, err));
  TH_TRY(
      th_batch_residual(&s->batch, context, &s->support, &evidence_loss, err));
  s->sweep++;
  if (!(s->batch.weight_sum > 0)) /* rows of weight 0 teach nothing */
    return TH_OK;
  s->mean_square = fmax(s->batch.loss, s->least);
  bool perfect = !(s->mean_square > 0); /* no evidence is left to find */
  *more = !perfect || on_probation(s);
  if (!*more)
    return TH_OK;
  if (!perfect) {
    TH_TRY(gather_evidence(s, context, err));
    watch_residuals(s, context);
    keep_evidence(s, context);
  }
  if (s->support.size > 0)
    TH_TRY(fit_support(s, context, err));
  if (!perfect)
    TH_TRY(admit(s, context, err));
done:
  return rc;
}

/* Members still on probation leave. Local. */
static void drop_entrants(struct sift *s)
{
  for (int64_t k = 0; k < s->fit.size; k++)
    s->fit.keep[k] = !s->fit.entrant[k];
  th_support_filter(&s->support, s->fit.keep);
  th_sift_fit_filter(&s->fit, s->fit.keep);
}

/* The evidence of the sweeps (their precision, moment) and of the rows read for
 * S alone, as one Gram matrix of (x_S, 1, y). Local. */
static void join_end(struct sift *s)
{
  struct th_gram *gram = &s->gram;
  int64_t n = s->fit.size;
  double variance = s->mean_square > 0 ? s->mean_square : 1;
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < n; i++)
      gram->a[i + j * (n + 2)] += variance * s->fit.precision[i + j * n];
    gram->a[j + (n + 1) * (n + 2)] += variance * s->fit.moment[j];
    gram->a[n + 1 + j * (n + 2)] += variance * s->fit.moment[j];
  }
  gram->rows += s->fit.rows;
  gram->weight += s->fit.rows;
  gram->a[n + n * (n + 2)] += s->fit.rows;
}

/* Rank 0 decides which members stay within -s; everyone learns. Collective. */
static th_status eliminate(struct sift *s, struct th_context *context,
                           struct th_error *err)
{
  struct th_comm *comm = context->comm;
  int64_t n = s->support.size;
  int64_t most = context->config->sparsity > 0 ? context->config->sparsity : n;
  double *a = NULL;
  double *b = NULL;
  double *x = NULL;
  th_status rc = TH_NEW(&a, n * n, "backward elimination", err);
  if (rc == TH_OK)
    rc = TH_NEW(&b, n, "backward elimination", err);
  if (rc == TH_OK)
    rc = TH_NEW(&x, n, "backward elimination", err);
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
    rc = th_backward_elimination(n, n, a, b, most, x, s->fit.keep, err);
  }
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->bcast(comm, s->fit.keep, (size_t)n * sizeof *s->fit.keep, 0);
done:
  free(a);
  free(b);
  free(x);
  return rc;
}

/* The Gram matrix without the members that leave. Local. */
static void filter_gram(struct th_gram *gram, const bool *keep)
{
  int64_t order = gram->size + 2;
  int64_t place = 0;
  int64_t kept = 0;
  for (int64_t j = 0; j < order; j++)
    for (int64_t i = 0; i < order && (j >= gram->size || keep[j]); i++)
      if (i >= gram->size || keep[i])
        gram->a[place++] = gram->a[i + j * order];
  for (int64_t k = 0; k < gram->size; k++)
    kept += keep[k];
  gram->size = kept;
}

/* Say so where squares of the residuals follow the attributes. Collective. */
static void warn_of_tails(const struct sift *s, struct th_context *context)
{
  int64_t count = owned_count(context);
  const double *W = s->evidence + count;
  const double *Q = W + count;
  int64_t sums[2] = {0, 0}; /* attributes; ratios, in 1/1024 */
  for (int64_t j = 0; j < count; j++) {
    double ratio = W[j] > 0 ? fmin(fmax(W[j], Q[j]) / W[j], 1e6) : 0;
    sums[0] += W[j] > 0;
    sums[1] += (int64_t)(1024 * ratio);
  }
  context->comm->ops->sum_i64(context->comm, sums, 2);
  double mean = sums[0] > 0 ? (double)sums[1] / 1024 / (double)sums[0] : 0;
  if (mean > heavy_tails && !context->target.labels)
    th_context_notice(context,
                      "the target's tails are heavy (robust variances are %.1f "
                      "times the plain ones): log(1 + target) may fit better",
                      mean);
}

static th_status finish(void *state, struct th_context *context,
                        struct th_error *err)
{
  struct sift *s = state;
  th_status rc;
  drop_entrants(s);
  warn_of_tails(s, context);
  rc = th_gram_reset(&s->gram, s->support.size, err);
  TH_TRY(th_agree(context->comm, rc, err));
  if (s->support.size == 0) {
    s->support.intercept = context->target.offset;
    return th_support_copy(&s->confirmed, &s->support, err);
  }
  /* rows kept for the end see S only, with the constant */
  int64_t rows = th_refit_rows(context);
  if (context->target.labels && context->config->passes == 1)
    rows = 0; /* all that is left goes to Newton's steps */
  TH_TRY(th_refit_spend(&s->gram, &s->batch, context, &s->support, rows, err));
  if (context->config->passes == 1)
    join_end(s);
  TH_TRY(eliminate(s, context, err));
  th_support_filter(&s->support, s->fit.keep);
  filter_gram(&s->gram, s->fit.keep);
  th_sift_fit_filter(&s->fit, s->fit.keep);
  if (context->config->refit != TH_REFIT_NO)
    TH_TRY(th_refit_squares(&s->support, context, &s->gram, err));
  if (context->target.labels)
    TH_TRY(th_refit_newton(&s->support, &s->batch, context,
                           th_refit_rows(context), err));
  TH_TRY(th_support_copy(&s->confirmed, &s->support, err));
done:
  return rc;
}

static const struct th_support *support(const void *state)
{
  const struct sift *s = state;
  return &s->confirmed;
}

static double loss(const void *state)
{
  const struct sift *s = state;
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
