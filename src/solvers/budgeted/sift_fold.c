/* sift_fold.c - how the fit of solver `sift` keeps what it knew as S grows
 *
 * Rows from before the entrants E joined observed O alone. With the regression
 * x_E = Gamma' x_O + e they say phi = theta_O + Gamma theta_E with precision
 * Lam, which is one Gaussian observation of a linear function of theta. To
 * first order this is maximum likelihood for data in which E is missing
 * monotonely (Anderson 1957).
 * SPDX-License-Identifier: MIT */
#include "math/kernels/column_kernels.h"
#include "solvers/budgeted/sift_round_parts.h"

#include <math.h>
#include <string.h>

/* variances: so much of t^2 may be chance */
static const double chance_share = 4;

/* Did earlier rows observe anything but the constant? */
static bool has_history(const struct th_sift_work *r)
{
  for (int64_t k = 0; k < r->fit->size; k++)
    if (r->part[k] == TH_SIFT_OLD)
      return r->fit->rows > 0;
  return false;
}

/* Gamma is estimated from the round's rows alone, which adds a variance f
 * inv(A_OO) to the old rows' observation phi. The part of t^2 that may be
 * chance does not count, so that a false entrant does not discount the old
 * rows. */
double th_sift_doubt(const struct th_sift_work *r)
{
  double f = 0;
  for (int64_t k = 0; k < r->fit->size; k++)
    if (r->part[k] == TH_SIFT_NEW)
      f +=
          fmax(0, r->t[k] * r->t[k] - chance_share * r->error2[k]) * r->rest[k];
  return f;
}

/* Lam <- inv(inv(Lam) + f inv(A_OO)) = Lam - Lam inv(Lam + A_OO / f) Lam, on
 * the rows of O that the round knows; eta <- Lam phi. */
static th_status discount(struct th_sift_work *r, double f,
                          struct th_error *err)
{
  struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  double *lam = fit->precision;
  double *half = r->inverse; /* no longer needed */
  double *phi = r->t;
  th_status rc;
  TH_TRY(th_cholesky_pivot(&fit->lam, n, lam, n, TH_SIFT_DEPENDS, err));
  th_cholesky_solve(&fit->lam, fit->lam.rank, fit->moment, phi);
  memset(half, 0, (size_t)(n * n) * sizeof *half);
  for (int64_t b = 0; b < r->old; b++)
    for (int64_t a = 0; a < r->old; a++) {
      int64_t at = fit->a.row[a] + fit->a.row[b] * n;
      half[at] = lam[at] + th_sift_sum(r, fit->a.row[a], fit->a.row[b]) / f;
    }
  TH_TRY(th_cholesky_pivot(&fit->lam, n, half, n, TH_SIFT_DEPENDS, err));
  for (int64_t j = 0; j < n; j++)
    th_cholesky_half(&fit->lam, fit->lam.rank, lam + j * n, half + j * n);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++)
      lam[i + j * n] -=
          th_column_dot_plain(half + i * n, half + j * n, fit->lam.rank);
  for (int64_t k = 0; k < n; k++)
    fit->moment[k] = th_column_dot_plain(lam + k * n, phi, n);
done:
  return rc;
}

/* T' Lam T and T' eta with T = [I Gamma]: the rows before speak of theta_O +
 * Gamma theta_E. Gamma is 0 but on O. */
static void extend(struct th_sift_work *r)
{
  struct th_sift_fit *fit = r->fit;
  int64_t n = fit->order;
  double *lam = fit->precision;
  for (int64_t e = 0; e < fit->size; e++) {
    const double *gamma = r->gamma + e * n;
    if (r->part[e] != TH_SIFT_NEW)
      continue;
    for (int64_t i = 0; i < n; i++) /* Lam is symmetric, and 0 on E */
      if (r->part[i] == TH_SIFT_OLD)
        lam[i + e * n] = th_column_dot_plain(lam + i * n, gamma, n);
    fit->moment[e] = th_column_dot_plain(gamma, fit->moment, n);
  }
  for (int64_t e = 0; e < fit->size; e++)
    for (int64_t i = 0; i < n && r->part[e] == TH_SIFT_NEW; i++) {
      if (r->part[i] == TH_SIFT_NEW && i <= e)
        lam[i + e * n] = th_column_dot_plain(r->gamma + i * n, lam + e * n, n);
      lam[e + i * n] = lam[i + e * n];
    }
}

/* Entrants that stand join what the rows before them said of O. */
th_status th_sift_fold(struct th_sift_work *r, double f, struct th_error *err)
{
  struct th_sift_fit *fit = r->fit;
  if (!has_history(r)) {
    memset(fit->precision, 0,
           (size_t)(fit->order * fit->order) * sizeof *fit->precision);
    memset(fit->moment, 0, (size_t)fit->order * sizeof *fit->moment);
    fit->rows = 0;
    return TH_OK;
  }
  th_status rc = f > 0 ? discount(r, f, err) : TH_OK;
  if (rc == TH_OK)
    extend(r);
  return rc;
}
