/* normal.c - normal equations of (x_S, 1), solved on rank 0
 * SPDX-License-Identifier: MIT */
#include "solvers/budgeted/normal.h"

#include "core/memory.h"
#include "math/linalg.h"

#include <stdlib.h>

static const double collinear = 1e-10; /* pivot against diagonal */

static void fill_equations(const struct th_normal *e, double *a, double *b)
{
  int64_t n = e->gram->size + 1;
  for (int64_t j = 0; j < n; j++) {
    bool member = j < e->gram->size;
    for (int64_t i = 0; i < n; i++)
      a[i + j * n] = th_gram_at(e->gram, i, j);
    b[j] = th_gram_at(e->gram, j, n);
    if (member && e->ridge != NULL) {
      a[j + j * n] += e->ridge[j];
      b[j] -= e->ridge[j] * e->coef[j];
    }
    if (member && e->keep != NULL && !e->keep[j])
      a[j + j * n] = 0; /* left out as if collinear */
  }
  if (e->intercept)
    return;
  for (int64_t i = 0; i < n; i++)
    a[i + (n - 1) * n] = a[n - 1 + i * n] = i == n - 1;
  b[n - 1] = 0;
}

/* Local, on rank 0. */
static th_status solve(const struct th_normal *equations, double *solution,
                       struct th_error *err)
{
  int64_t n = equations->gram->size + 1;
  double *a = NULL;
  double *b = NULL;
  bool *kept = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&a, n * n, "normal equations", err));
  TH_TRY(TH_NEW(&b, n, "normal equations", err));
  TH_TRY(TH_NEW(&kept, n, "normal equations", err));
  fill_equations(equations, a, b);
  TH_TRY(th_linalg_solve(&(struct th_linalg_system){n, a, b, collinear},
                         solution, NULL, kept, err));
done:
  TH_FREE(a, b, kept);
  return rc;
}

th_status th_normal_solve(const struct th_normal *equations,
                          struct th_context *context, double **solution,
                          struct th_error *err)
{
  struct th_comm *comm = context->comm;
  int64_t n = equations->gram->size + 1;
  double *made = NULL;
  th_status rc = TH_NEW(&made, n, "normal equations", err);
  th_profile_begin(context->profile);
  if (rc == TH_OK && comm->rank == 0)
    rc = solve(equations, made, err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, made, (size_t)n * sizeof *made, 0);
  th_profile_end(context->profile, TH_PHASE_SOLVE);
  if (rc == TH_OK)
    *solution = made;
  else
    free(made);
  return rc;
}
