/* sift_fit.c - the members of the fit that solver `sift` keeps on S
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/sift_fit.h"

#include "core/memory.h"

static const struct th_array arrays[] = {
    TH_MATRIX(struct th_sift_fit, precision),
    TH_ARRAY(struct th_sift_fit, moment),
    TH_ARRAY(struct th_sift_fit, theta),
    TH_ARRAY(struct th_sift_fit, entrant),
    TH_ARRAY(struct th_sift_fit, score),
    TH_ARRAY(struct th_sift_fit, came),
    TH_ARRAY(struct th_sift_fit, nonzeros),
    TH_ARRAY(struct th_sift_fit, slow),
    TH_ARRAY(struct th_sift_fit, verdict),
    TH_MATRIX(struct th_sift_fit, trial),
    TH_ARRAY(struct th_sift_fit, trial_moment),
    TH_ARRAY(struct th_sift_fit, seen),
    TH_ARRAY(struct th_sift_fit, last),
    TH_ARRAY(struct th_sift_fit, knowledge),
    TH_ARRAY(struct th_sift_fit, keep),
    TH_ARRAY(struct th_sift_fit, fate),
    TH_ARRAY_OF(struct th_sift_fit, message, 4 * sizeof(double),
                2 * sizeof(double))};

static th_status reserve(struct th_sift_fit *fit, int64_t size,
                         struct th_error *err)
{
  return th_memory_arrays_reserve(TH_ARRAYS(fit, arrays), &fit->capacity,
                                  size + fit->constant,
                                  "the fit of the support", err);
}

th_status th_sift_fit_start(struct th_sift_fit *fit, bool constant,
                            struct th_error *err)
{
  fit->constant = constant;
  fit->order = constant;
  return reserve(fit, 1,
                 err); /* the broadcast needs room even without members */
}

void th_sift_fit_describe(struct th_sift_fit *fit, struct th_state *state)
{
  th_state_enter(state, "fit");
  TH_STATE_ONE(state, fit, rows);
  TH_STATE_AT_MOST(state, fit, size, INT32_MAX);
  fit->order = fit->size + fit->constant;
  int64_t n = fit->order;
  if (th_state_next_has(state, n * n) && th_state_puts(state))
    th_state_note(state, reserve(fit, fit->size, state->err));
  th_state_first(state, "precision", TH_STATE_F64, fit->precision, n * n);
  th_state_first(state, "moment", TH_STATE_F64, fit->moment, n);
  th_state_first(state, "trial", TH_STATE_F64, fit->trial, n * n);
  th_state_first(state, "trial_moment", TH_STATE_F64, fit->trial_moment, n);
  TH_STATE_ARRAY(state, fit, theta, n);
  TH_STATE_ARRAY(state, fit, entrant, n);
  TH_STATE_ARRAY(state, fit, score, n);
  th_state_all(state, "came", TH_STATE_F64, fit->came, 2 * n);
  TH_STATE_ARRAY(state, fit, nonzeros, n);
  TH_STATE_ARRAY(state, fit, slow, n);
  TH_STATE_ARRAY(state, fit, seen, n);
  th_state_leave(state);
}

void th_sift_fit_free(struct th_sift_fit *fit)
{
  th_memory_arrays_free(TH_ARRAYS(fit, arrays));
  th_cholesky_free(&fit->a);
  th_cholesky_free(&fit->lam);
  *fit = (struct th_sift_fit){0};
}

/* Where row k goes when member k goes to place[k]; the constant stays last. */
static int64_t place_of(const struct th_sift_fit *fit, const int64_t *place,
                        int64_t size, int64_t k)
{
  return k < fit->size ? place[k] : size;
}

/* Spread a matrix over members. From the last entry to the first, so that
 * nothing is overwritten before it has moved. */
static void spread(const struct th_sift_fit *fit, double *p,
                   const int64_t *place, int64_t size)
{
  int64_t old = fit->order;
  int64_t order = size + fit->constant;
  int64_t end = order * order;
  for (int64_t j = old - 1; j >= 0; j--)
    for (int64_t i = old - 1; i >= 0; i--) {
      double value = p[i + j * old];
      int64_t at =
          place_of(fit, place, size, i) + place_of(fit, place, size, j) * order;
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
  spread(fit, fit->precision, place, size);
  spread(fit, fit->trial, place, size);
  int64_t old = fit->order - 1;
  int64_t order = size + fit->constant;
  for (int64_t k = order - 1; k >= 0; k--) {
    bool stays = old >= 0 && place_of(fit, place, size, old) == k;
    fit->moment[k] = stays ? fit->moment[old] : 0;
    fit->trial_moment[k] = stays ? fit->trial_moment[old] : 0;
    fit->seen[k] = stays ? fit->seen[old] : 0;
    fit->theta[k] = stays ? fit->theta[old] : 0;
    fit->score[k] = stays ? fit->score[old] : 0;
    fit->nonzeros[k] = stays ? fit->nonzeros[old] : 0;
    fit->came[k] = stays ? fit->came[old] : (struct th_evidence){0, 0};
    fit->entrant[k] = stays ? fit->entrant[old] : true;
    fit->slow[k] = stays && fit->slow[old];
    old -= stays;
  }
  fit->size = size;
  fit->order = order;
  return TH_OK;
}

/* Pack the rows and columns of the members that are kept. */
static void pack(const struct th_sift_fit *fit, double *p, const bool *keep)
{
  int64_t n = fit->order;
  int64_t place = 0;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n && (j == fit->size || keep[j]); i++)
      if (i == fit->size || keep[i])
        p[place++] = p[i + j * n];
}

void th_sift_fit_filter(struct th_sift_fit *fit, const bool *keep)
{
  int64_t kept = 0;
  pack(fit, fit->precision, keep);
  pack(fit, fit->trial, keep);
  for (int64_t k = 0; k < fit->order; k++) {
    if (k < fit->size && !keep[k])
      continue;
    fit->moment[kept] = fit->moment[k];
    fit->trial_moment[kept] = fit->trial_moment[k];
    fit->seen[kept] = fit->seen[k];
    fit->theta[kept] = fit->theta[k];
    fit->score[kept] = fit->score[k];
    fit->came[kept] = fit->came[k];
    fit->nonzeros[kept] = fit->nonzeros[k];
    fit->entrant[kept] = fit->entrant[k];
    fit->slow[kept] = fit->slow[k];
    kept++;
  }
  fit->order = kept;
  fit->size = kept - fit->constant;
}
