/* linalg.c - dense symmetric problems of one rank, over LAPACK
 * SPDX-License-Identifier: MIT */
#include "math/linalg.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

/* The Fortran interfaces of LAPACK. */
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda,
             int *info);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a,
             const int *lda, double *b, const int *ldb, int *info);
void dpotri_(const char *uplo, const int *n, double *a, const int *lda,
             int *info);
void dsyevr_(const char *jobz, const char *range, const char *uplo,
             const int *n, double *a, const int *lda, const double *vl,
             const double *vu, const int *il, const int *iu,
             const double *abstol, int *m, double *w, double *z, const int *ldz,
             int *isuppz, double *work, const int *lwork, int *iwork,
             const int *liwork, int *info);

/* Column by column (left-looking), so that a column can be left out as soon as
 * its pivot turns out to be too small. */
void th_linalg_cholesky(int64_t n, double *a, double tolerance, bool *kept,
                        int64_t *rank)
{
  *rank = 0;
  for (int64_t k = 0; k < n; k++) {
    double *column = a + k * n;
    double diagonal = column[k];
    for (int64_t i = 0; i < k; i++) {
      double sum = kept[i] ? column[i] : 0;
      for (int64_t l = 0; l < i && kept[i]; l++)
        sum -= a[l + i * n] * column[l];
      column[i] = kept[i] ? sum / a[i + i * n] : 0;
    }
    double pivot = diagonal;
    for (int64_t l = 0; l < k; l++)
      pivot -= column[l] * column[l];
    kept[k] = diagonal > 0 && pivot > tolerance * diagonal;
    column[k] = kept[k] ? sqrt(pivot) : 1;
    *rank += kept[k];
  }
}

/* The kept rows and columns of a, packed. */
static void pack(int64_t n, const double *a, const bool *kept, int64_t packed_n,
                 double *packed)
{
  int64_t column = 0;
  for (int64_t k = 0; k < n; k++) {
    if (!kept[k])
      continue;
    int64_t row = 0;
    for (int64_t i = 0; i <= k; i++)
      if (kept[i])
        packed[row++ + column * packed_n] = a[i + k * n];
    column++;
  }
}

static void unpack_vector(int64_t n, const bool *kept, const double *packed,
                          double *x)
{
  int64_t row = 0;
  for (int64_t k = 0; k < n; k++)
    x[k] = kept[k] ? packed[row++] : 0;
}

/* The upper triangle of the packed inverse to a full matrix. */
static void unpack_inverse(int64_t n, const bool *kept, int64_t packed_n,
                           const double *packed, double *inverse)
{
  memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
  int64_t column = 0;
  for (int64_t k = 0; k < n; k++) {
    if (!kept[k])
      continue;
    int64_t row = 0;
    for (int64_t i = 0; i <= k; i++)
      if (kept[i]) {
        double value = packed[row++ + column * packed_n];
        inverse[i + k * n] = value;
        inverse[k + i * n] = value;
      }
    column++;
  }
}

static void pack_vector(int64_t n, const bool *kept, const double *b,
                        double *packed)
{
  int64_t row = 0;
  for (int64_t k = 0; k < n; k++)
    if (kept[k])
      packed[row++] = b[k];
}

static bool all_finite(const double *values, int64_t count)
{
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(values[k]))
      return false;
  return true;
}

/* packed * x = b by LAPACK; the inverse replaces packed where it is wanted. */
static th_status solve_packed(int64_t n, double *packed, double *b, bool invert,
                              struct th_error *err)
{
  const int order = (int)n;
  const int one = 1;
  int info = 0;
  if (n == 0)
    return TH_OK;
  dpotrf_("U", &order, packed, &order, &info);
  if (info == 0)
    dpotrs_("U", &order, &one, packed, &order, b, &order, &info);
  if (info == 0 && invert)
    dpotri_("U", &order, packed, &order, &info);
  if (info != 0 || !all_finite(b, n))
    return th_fail(err, TH_ENUMERIC,
                   "least squares on %lld attributes failed; standardize, or "
                   "ask for fewer",
                   (long long)n);
  return TH_OK;
}

th_status th_linalg_solve(int64_t n, double *a, const double *b,
                          double tolerance, double *x, double *inverse,
                          bool *kept, struct th_error *err)
{
  double *factor = NULL;
  double *right = NULL;
  int64_t rank = 0;
  th_status rc;
  TH_TRY(TH_NEW(&factor, n * n, "a factor", err));
  TH_TRY(TH_NEW(&right, n, "a right-hand side", err));
  memcpy(factor, a, (size_t)(n * n) * sizeof *factor);
  th_linalg_cholesky(n, factor, tolerance, kept, &rank);
  pack(n, a, kept, rank, factor);
  pack_vector(n, kept, b, right);
  TH_TRY(solve_packed(rank, factor, right, inverse != NULL, err));
  unpack_vector(n, kept, right, x);
  if (inverse != NULL)
    unpack_inverse(n, kept, rank, factor, inverse);
done:
  TH_FREE(factor, right);
  return rc;
}

th_status th_linalg_largest_eigenvalue(int64_t n, double *a, double *value,
                                       struct th_error *err)
{
  const int order = (int)n;
  const int lwork = 26 * order;
  const int liwork = 10 * order;
  const double none = 0;
  int found = 0;
  int info = 0;
  int support[2];
  double unused = 0; /* no eigenvectors are asked for */
  double *work = NULL;
  double *values = NULL;
  int *iwork = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&work, lwork, "eigenvalues", err));
  TH_TRY(TH_NEW(&values, n, "eigenvalues", err));
  TH_TRY(TH_NEW(&iwork, liwork, "eigenvalues", err));
  dsyevr_("N", "I", "U", &order, a, &order, &none, &none, &order, &order, &none,
          &found, values, &unused, &order, support, work, &lwork, iwork,
          &liwork, &info);
  if (info != 0 || found != 1)
    rc = th_fail(err, TH_ENUMERIC, "no largest eigenvalue of a %d x %d matrix",
                 order, order);
  else
    *value = values[0];
done:
  TH_FREE(work, values, iwork);
  return rc;
}
