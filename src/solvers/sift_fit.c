/* sift_fit.c - the weighted least-squares fit that solver `sift` keeps on S
 * SPDX-License-Identifier: MIT */
#include "solvers/sift_fit.h"

#include "core/memory.h"
#include "math/linalg.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double collinear = 1e-4; /* pivot against diagonal */
static const double significant = 2;  /* standard errors */
static const double tiny_pivot = 1e-10;
static const double telling = 4; /* standard errors that a guess must reach */

static th_status reserve(struct th_sift_fit *fit, int64_t size,
                         struct th_error *err)
{
  int64_t old = fit->capacity;
  th_status rc = TH_OK;
  if (size <= old)
    return rc;
  TH_TRY(
      TH_WIDEN(&fit->precision, old * old, size * size, "the fit on S", err));
  TH_TRY(TH_WIDEN(&fit->moment, old, size, "the fit on S", err));
  TH_TRY(TH_WIDEN(&fit->theta, old, size, "the fit on S", err));
  TH_TRY(TH_WIDEN(&fit->entrant, old, size, "the fit on S", err));
  TH_TRY(TH_WIDEN(&fit->score, old, size, "the fit on S", err));
  TH_TRY(TH_WIDEN(&fit->guess, old, size, "the fit on S", err));
  TH_TRY(TH_WIDEN(&fit->keep, old, size, "the fit on S", err));
  TH_TRY(TH_WIDEN(&fit->forget, old, size, "the fit on S", err));
  TH_TRY(th_widen((void **)&fit->told, 2 * old + 1, 2 * size + 1,
                  sizeof(double), "the fit on S", err));
  fit->capacity = size;
done:
  return rc;
}

/* From the last member to the first, so that nothing is overwritten before it
 * has moved. */
static void spread_precision(struct th_sift_fit *fit, const int64_t *place,
                             int64_t size)
{
  int64_t old = fit->size;
  double *p = fit->precision;
  int64_t end = size * size;
  for (int64_t j = old - 1; j >= 0; j--)
    for (int64_t i = old - 1; i >= 0; i--) {
      double value = p[i + j * old];
      int64_t at = place[i] + place[j] * size;
      for (int64_t k = at + 1; k < end; k++)
        p[k] = 0;
      p[at] = value;
      end = at;
    }
  for (int64_t k = 0; k < end; k++)
    p[k] = 0;
}

th_status th_sift_fit_insert(struct th_sift_fit *fit, const int64_t *place,
                             int64_t size, struct th_error *err)
{
  th_status rc = reserve(fit, size, err);
  if (rc != TH_OK)
    return rc;
  spread_precision(fit, place, size);
  int64_t old = fit->size - 1;
  for (int64_t k = size - 1; k >= 0; k--) {
    bool stays = old >= 0 && place[old] == k;
    fit->moment[k] = stays ? fit->moment[old] : 0;
    fit->theta[k] = stays ? fit->theta[old] : 0;
    fit->score[k] = stays ? fit->score[old] : 0;
    fit->guess[k] = stays ? fit->guess[old] : 0;
    fit->entrant[k] = stays ? fit->entrant[old] : true;
    old -= stays;
  }
  fit->size = size;
  return TH_OK;
}

void th_sift_fit_free(struct th_sift_fit *fit)
{
  free(fit->precision);
  free(fit->moment);
  free(fit->theta);
  free(fit->entrant);
  free(fit->score);
  free(fit->guess);
  free(fit->keep);
  free(fit->forget);
  free(fit->told);
  *fit = (struct th_sift_fit){0};
}

void th_sift_fit_filter(struct th_sift_fit *fit, const bool *keep)
{
  int64_t n = fit->size;
  int64_t kept = 0;
  int64_t place = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n && keep[j]; i++)
      if (keep[i])
        fit->precision[place++] = fit->precision[i + j * n];
  for (int64_t k = 0; k < n; k++) {
    if (!keep[k])
      continue;
    fit->moment[kept] = fit->moment[k];
    fit->theta[kept] = fit->theta[k];
    fit->entrant[kept] = fit->entrant[k];
    fit->score[kept] = fit->score[k];
    fit->guess[kept] = fit->guess[k];
    kept++;
  }
  fit->size = kept;
}

/* A member and what decides its turn in the Cholesky order. */
struct turn {
  int64_t member;
  bool entrant;
  double score;
};

/* Old members first, then entrants by falling |z|. */
static int by_turn(const void *a, const void *b)
{
  const struct turn *left = a;
  const struct turn *right = b;
  if (left->entrant != right->entrant)
    return left->entrant ? 1 : -1;
  if (left->entrant && left->score != right->score)
    return left->score > right->score ? -1 : 1;
  return (left->member > right->member) - (left->member < right->member);
}

/* The work of one sweep on rank 0; all arrays have fit->size members. */
struct sweep {
  struct th_sift_fit *fit;
  const struct th_gram *gram;
  double variance;
  double least;
  double n;
  struct turn *turns;
  double *a; /* in the order of turns, then scratch */
  double *b;
  double *x;
  double *inverse;
  bool *kept;
};

static th_status sweep_alloc(struct sweep *s, struct th_error *err)
{
  int64_t n = s->fit->size;
  th_status rc;
  TH_TRY(TH_NEW(&s->turns, n, "a sweep", err));
  TH_TRY(TH_NEW(&s->a, n * n, "a sweep", err));
  TH_TRY(TH_NEW(&s->b, n, "a sweep", err));
  TH_TRY(TH_NEW(&s->x, n, "a sweep", err));
  TH_TRY(TH_NEW(&s->inverse, n * n, "a sweep", err));
  TH_TRY(TH_NEW(&s->kept, n, "a sweep", err));
done:
  return rc;
}

static void sweep_free(struct sweep *s)
{
  free(s->turns);
  free(s->a);
  free(s->b);
  free(s->x);
  free(s->inverse);
  free(s->kept);
}

static void order_members(struct sweep *s)
{
  const struct th_sift_fit *fit = s->fit;
  int64_t n = fit->size;
  for (int64_t k = 0; k < n; k++)
    s->turns[k] = (struct turn){k, fit->entrant[k], fit->score[k]};
  qsort(s->turns, (size_t)n, sizeof *s->turns, by_turn);
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < n; i++)
      s->a[i + j * n] =
          th_gram_at(s->gram, s->turns[i].member, s->turns[j].member);
    s->b[j] = th_gram_at(s->gram, s->turns[j].member, n + 1);
  }
}

/* Mean squared residual after the fit x, or before it where rows are few; not
 * less than what rounding leaves of the sum of squares of y. */
static double variance_after(const struct sweep *s)
{
  int64_t n = s->fit->size;
  double rows = s->gram->weight;
  double rest = th_gram_at(s->gram, n + 1, n + 1);
  for (int64_t k = 0; k < n; k++)
    rest -= s->b[k] * s->x[k];
  if (rows <= 2 * (double)n)
    return s->variance;
  double rounding = DBL_EPSILON * th_gram_at(s->gram, n + 1, n + 1) / rows;
  double after = rest / (rows - (double)n);
  return fmax(fmin(s->variance, after), fmax(rounding, s->least));
}

/* Collinear members and insignificant entrants are marked; true: an entrant
 * stays. */
static bool probation(struct sweep *s, double rp)
{
  struct th_sift_fit *fit = s->fit;
  int64_t n = fit->size;
  bool any = false;
  for (int64_t k = 0; k < n; k++) {
    int64_t member = s->turns[k].member;
    fit->keep[member] = s->kept[k];
    fit->forget[member] = false;
    if (!fit->entrant[member] || !s->kept[k])
      continue;
    double error = sqrt(rp * s->inverse[k + k * n]);
    fit->keep[member] = fabs(s->x[k]) >= significant * error;
    any |= fit->keep[member];
  }
  return any;
}

/* The sweep's evidence joins the fit, or replaces it when S has grown; no more
 * than n rows count, however often they are read. */
static void join(struct sweep *s, bool anew, double rp)
{
  struct th_sift_fit *fit = s->fit;
  int64_t n = fit->size;
  double old = anew ? 0 : 1;
  fit->rows = old * fit->rows + s->gram->weight;
  double scale = fit->rows > s->n ? s->n / fit->rows : 1;
  fit->rows *= scale;
  for (int64_t j = 0; j < n; j++) {
    for (int64_t i = 0; i < n; i++)
      fit->precision[i + j * n] = scale * (old * fit->precision[i + j * n] +
                                           th_gram_at(s->gram, i, j) / rp);
    fit->moment[j] =
        scale * (old * fit->moment[j] + th_gram_at(s->gram, j, n + 1) / rp);
  }
}

/* An entrant about which the fit does not know enough yet: a coefficient as
 * large as the guess would not stand out. */
static bool undecided(const struct th_sift_fit *fit, int64_t k)
{
  double information = fit->precision[k + k * fit->size];
  return fit->rare && fit->entrant[k] &&
         information * fit->guess[k] * fit->guess[k] < telling * telling;
}

/* Members below two standard errors go; true: there were such. */
static bool drop_insignificant(struct sweep *s)
{
  struct th_sift_fit *fit = s->fit;
  bool dropped = false;
  for (int64_t k = 0; k < fit->size; k++) {
    double error = sqrt(s->inverse[k + k * fit->size]);
    bool stands = s->kept[k] && fabs(fit->theta[k]) >= significant * error;
    if (!fit->keep[k] || stands || undecided(fit, k))
      continue;
    fit->keep[k] = false;
    fit->forget[k] = !fit->entrant[k] || !fit->rare;
    dropped = true;
  }
  return dropped;
}

/* theta = Lam \ eta on the kept members, until none of them is insignificant.
 */
static th_status settle(struct sweep *s, struct th_error *err)
{
  struct th_sift_fit *fit = s->fit;
  int64_t n = fit->size;
  do {
    memcpy(s->a, fit->precision, (size_t)(n * n) * sizeof *s->a);
    for (int64_t k = 0; k < n; k++)
      if (!fit->keep[k])
        s->a[k + k * n] = 0; /* left out as if collinear */
    th_status rc = th_linalg_solve(n, s->a, fit->moment, tiny_pivot, fit->theta,
                                   s->inverse, s->kept, err);
    if (rc != TH_OK)
      return rc;
  } while (drop_insignificant(s));
  for (int64_t k = 0; k < n; k++) {
    fit->entrant[k] = undecided(fit, k);
    if (fit->entrant[k])
      fit->theta[k] = 0; /* guesses of rare attributes add up to nonsense */
  }
  return TH_OK;
}

/* Where attributes are rare, probation is part of the lasting fit. */
static bool start_trial(struct sweep *s, double rp)
{
  if (!s->fit->rare)
    return probation(s, rp);
  for (int64_t k = 0; k < s->fit->size; k++) {
    s->fit->keep[k] = true;
    s->fit->forget[k] = false;
  }
  return false;
}

/* Local, on rank 0. */
static th_status sweep_here(struct sweep *s, struct th_error *err)
{
  th_status rc = sweep_alloc(s, err);
  if (rc != TH_OK)
    return rc;
  order_members(s);
  rc = th_linalg_solve(s->fit->size, s->a, s->b, collinear, s->x, s->inverse,
                       s->kept, err);
  if (rc != TH_OK)
    return rc;
  double rp = variance_after(s);
  if (!(rp > 0)) /* y is 0: any positive variance gives the same theta */
    rp = 1;
  bool grown = start_trial(s, rp);
  join(s, grown, rp);
  return settle(s, err);
}

/* What everyone has to know of rank 0's fit, in one broadcast. Collective. */
static void tell(struct th_sift_fit *fit, struct th_comm *comm)
{
  size_t size = (size_t)fit->size;
  const struct {
    void *data;
    size_t bytes;
  } parts[] = {{&fit->rows, sizeof fit->rows},
               {fit->theta, size * sizeof *fit->theta},
               {fit->keep, size * sizeof *fit->keep},
               {fit->forget, size * sizeof *fit->forget},
               {fit->entrant, size * sizeof *fit->entrant}};
  size_t total = 0;
  for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
    memcpy(fit->told + total, parts[p].data, parts[p].bytes);
    total += parts[p].bytes;
  }
  comm->ops->bcast(comm, fit->told, total, 0);
  total = 0;
  for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
    memcpy(parts[p].data, fit->told + total, parts[p].bytes);
    total += parts[p].bytes;
  }
}

th_status th_sift_fit_sweep(struct th_sift_fit *fit, struct th_context *context,
                            const struct th_gram *gram, double variance,
                            double least, double n, struct th_error *err)
{
  struct th_comm *comm = context->comm;
  struct sweep s = {
      .fit = fit, .gram = gram, .variance = variance, .least = least, .n = n};
  th_status rc = TH_OK;
  th_profile_begin(context->profile);
  if (comm->rank == 0)
    rc = sweep_here(&s, err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    tell(fit, comm);
  th_profile_end(context->profile, TH_PHASE_SOLVE);
  sweep_free(&s);
  return rc;
}
