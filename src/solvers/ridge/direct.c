/* direct.c - ridge systems by Cholesky: on one rank, or on all by ScaLAPACK
 * SPDX-License-Identifier: MIT */
#include "solvers/ridge/direct.h"

#include "base/memory.h"
#include "math/linalg.h"

#include <stdlib.h>
#include <string.h>

/* A pivot below this share of its diagonal is rounding. */
static const double dependent = 1e-14;

int64_t th_direct_bytes(int64_t order, int ranks, bool library, int64_t points)
{
  int64_t square = order * order * (int64_t)sizeof(double);
  int64_t form = th_normal_matrix_bytes(order, ranks);
  if (library)
    return form + (points > 1 ? square / ranks : 0);
  return form + 2 * square + square / 2;
}

th_status th_direct_init(struct th_direct *direct, struct th_useful *places,
                         bool local, int64_t points, struct th_error *err)
{
  struct th_comm *comm = places->problem->context->comm;
  th_status rc;
  *direct = (struct th_direct){.library = local ? NULL : comm->ops->spread};
  TH_TRY(th_normal_matrix_form(&direct->matrix, places, direct->library == NULL,
                               err));
  if (direct->library != NULL && points > 1)
    rc = TH_NEW(&direct->part, direct->matrix.spread.room, "the Gram matrix",
                err);
  if (rc == TH_OK && direct->library == NULL)
    rc = TH_NEW(&direct->kept, places->count, "a linear system", err);
  TH_TRY(th_agree(comm, rc, err));
done:
  return rc;
}

void th_direct_free(struct th_direct *direct)
{
  th_normal_matrix_free(&direct->matrix);
  TH_FREE(direct->whole, direct->part, direct->kept);
  *direct = (struct th_direct){.library = NULL};
}

th_status th_direct_begin(struct th_direct *direct, struct th_error *err)
{
  struct th_normal_matrix *m = &direct->matrix;
  struct th_comm *comm = m->places->problem->context->comm;
  int64_t count = m->places->count;
  th_status rc = TH_OK;
  if (direct->part != NULL)
    memcpy(direct->part, m->spread.a,
           (size_t)m->spread.room * sizeof *direct->part);
  if (direct->library != NULL)
    return rc;
  if (comm->rank == 0)
    rc = TH_NEW(&direct->whole, count * count, "the Gram matrix", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_normal_matrix_collect(m, direct->whole, err));
  th_spread_free(&m->spread);
done:
  return rc;
}

static th_status fail_singular(double lambda, struct th_error *err)
{
  return th_fail(err, TH_ENUMERIC,
                 "lambda %g is too small: attributes depend on each other, and "
                 "their Gram matrix is singular in double precision; take a "
                 "larger {lambda}, or {factor} cg",
                 lambda);
}

/* Rank 0. Local. */
static th_status solve_whole(struct th_direct *direct, double lambda,
                             const double *b, double *x, struct th_error *err)
{
  const struct th_normal_matrix *m = &direct->matrix;
  int64_t n = m->places->count;
  const struct th_linalg_system system = {n, direct->whole, b, dependent};
  for (int64_t k = 0; k < n; k++)
    direct->whole[k + k * n] = m->diagonal[k] + lambda;
  th_status rc = th_linalg_solve(&system, x, NULL, direct->kept, err);
  for (int64_t k = 0; k < n && rc == TH_OK; k++)
    if (!direct->kept[k])
      rc = fail_singular(lambda, err);
  return rc;
}

/* Collective. */
static th_status solve_alone(struct th_direct *direct, double lambda,
                             const double *b, double *x, struct th_error *err)
{
  struct th_comm *comm = direct->matrix.places->problem->context->comm;
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = solve_whole(direct, lambda, b, x, err);
  rc = th_agree(comm, rc, err);
  if (rc == TH_OK)
    comm->ops->bcast(comm, x, (size_t)direct->matrix.places->count * sizeof *x,
                     0);
  return rc;
}

/* Collective. */
static th_status solve_together(struct th_direct *direct, double lambda,
                                const double *b, double *x,
                                struct th_error *err)
{
  struct th_normal_matrix *m = &direct->matrix;
  struct th_spread *s = &m->spread;
  struct th_comm *comm = m->places->problem->context->comm;
  bool definite = false;
  int64_t at;
  if (direct->part != NULL)
    memcpy(s->a, direct->part, (size_t)s->room * sizeof *s->a);
  for (int64_t k = 0; k < s->n; k++)
    if (th_spread_diagonal(s, k, &at))
      s->a[at] = m->diagonal[k] + lambda;
  th_status rc = direct->library->solve(comm, s, b, x, &definite, err);
  return rc == TH_OK && !definite ? fail_singular(lambda, err) : rc;
}

th_status th_direct_solve(struct th_direct *direct, double lambda,
                          const double *b, double *x, struct th_error *err)
{
  struct th_profile *profile = direct->matrix.places->problem->context->profile;
  th_comm_profile_begin(profile);
  th_status rc = (direct->library == NULL ? solve_alone : solve_together)(
      direct, lambda, b, x, err);
  th_comm_profile_end(profile, TH_PHASE_SOLVE);
  return rc;
}
