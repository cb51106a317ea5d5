/* solve.c - from which size on does ScaLAPACK pay for a support's solve?
 *
 * solve N...: for every size the seconds of one rank's Cholesky solve (ours,
 * src/math/linalg.c, and LAPACK's) and those of all ranks together (pdposv),
 * the ratio of ours to the latter, and whether the solutions are right.
 * SPDX-License-Identifier: MIT */
#include "math/linalg.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 64, REPEATS = 3 };

void dposv_(const char *uplo, const int *n, const int *nrhs, double *a,
            const int *lda, double *b, const int *ldb, int *info);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row,
                     int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *place, const int *first,
            const int *places);
void descinit_(int *desc, const int *m, const int *n, const int *mb,
               const int *nb, const int *row, const int *column,
               const int *context, const int *lld, int *info);
void pdposv_(const char *uplo, const int *n, const int *nrhs, double *a,
             const int *ia, const int *ja, const int *desca, double *b,
             const int *ib, const int *jb, const int *descb, int *info);

/* A positive definite matrix with rows that sum to n + 1. */
static double entry(int n, int i, int j)
{
  return i == j ? n + 1 - (n - 1) * 0.5 : 0.5;
}

static double *room(size_t items)
{
  double *values = malloc((items + 1) * sizeof *values);
  if (values == NULL)
    MPI_Abort(MPI_COMM_WORLD, 1);
  return values;
}

/* Upper triangle of a, and b. */
static double seconds_of_lapack(int n, double *a, double *b)
{
  const int one = 1;
  int info = 0;
  double began = MPI_Wtime();
  dposv_("U", &n, &one, a, &n, b, &n, &info);
  return MPI_Wtime() - began;
}

static double seconds_of_ours(int n, double *a, double *b)
{
  struct th_error err = {0};
  bool *kept = malloc((size_t)n * sizeof *kept);
  if (kept == NULL)
    MPI_Abort(MPI_COMM_WORLD, 1);
  double began = MPI_Wtime();
  th_linalg_solve(&(struct th_linalg_system){n, a, b, 1e-12}, b, NULL, kept,
                  &err);
  double seconds = MPI_Wtime() - began;
  free(kept);
  return seconds;
}

static double solve_alone(int n, double (*solve)(int n, double *a, double *b),
                          double *error)
{
  double *a = room((size_t)n * (size_t)n);
  double *b = room((size_t)n);
  for (int j = 0; j < n; j++) {
    b[j] = n + 1;
    for (int i = 0; i < n; i++)
      a[i + (size_t)j * (size_t)n] = entry(n, i, j);
  }
  double seconds = solve(n, a, b);
  for (int j = 0; j < n; j++)
    *error = fmax(*error, fabs(b[j] - 1));
  free(a);
  free(b);
  return seconds;
}

struct grid {
  int context;
  int rows;
  int columns;
  int row;
  int column;
};

static struct grid make_grid(void)
{
  struct grid g = {.rows = 1};
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int r = 1; r * r <= size; r++)
    g.rows = size % r == 0 ? r : g.rows;
  g.columns = size / g.rows;
  Cblacs_get(-1, 0, &g.context);
  Cblacs_gridinit(&g.context, "R", g.rows, g.columns);
  Cblacs_gridinfo(g.context, &g.rows, &g.columns, &g.row, &g.column);
  return g;
}

/* Global index of a local one, block-cyclic. */
static int global(int local, int place, int places)
{
  return (local / BLOCK * places + place) * BLOCK + local % BLOCK;
}

/* The solution is all ones. */
static double solve_together(const struct grid *g, int n, double *error)
{
  const int zero = 0;
  const int one = 1;
  const int block = BLOCK;
  int info = 0;
  int rows = numroc_(&n, &block, &g->row, &zero, &g->rows);
  int columns = numroc_(&n, &block, &g->column, &zero, &g->columns);
  int lead = rows > 1 ? rows : 1;
  int desca[9];
  int descb[9];
  double *a = room((size_t)rows * (size_t)columns);
  double *b = room((size_t)rows);
  descinit_(desca, &n, &n, &block, &block, &zero, &zero, &g->context, &lead,
            &info);
  descinit_(descb, &n, &one, &block, &block, &zero, &zero, &g->context, &lead,
            &info);
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      a[i + (size_t)j * (size_t)rows] = entry(n, global(i, g->row, g->rows),
                                              global(j, g->column, g->columns));
  for (int i = 0; i < rows; i++)
    b[i] = n + 1;
  MPI_Barrier(MPI_COMM_WORLD);
  double began = MPI_Wtime();
  pdposv_("U", &n, &one, a, &one, &one, desca, b, &one, &one, descb, &info);
  MPI_Barrier(MPI_COMM_WORLD);
  double seconds = MPI_Wtime() - began;
  *error = info == 0 ? 0 : INFINITY;
  for (int i = 0; i < rows && g->column == 0; i++)
    *error = fmax(*error, fabs(b[i] - 1));
  MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  free(a);
  free(b);
  return seconds;
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  struct grid g = make_grid();
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf("%8s %10s %10s %10s %10s %10s\n", "members", "memory MB", "ours s",
           "LAPACK s", "all s", "ours/all");
  for (int k = 1; k < argc; k++) {
    int n = atoi(argv[k]);
    double alone = INFINITY;
    double lapack = INFINITY;
    double together = INFINITY;
    double error = 0;
    for (int r = 0; r < REPEATS; r++) {
      double wrong = 0;
      if (rank == 0) {
        alone = fmin(alone, solve_alone(n, seconds_of_ours, &wrong));
        lapack = fmin(lapack, solve_alone(n, seconds_of_lapack, &wrong));
      }
      together = fmin(together, solve_together(&g, n, &error));
      error = fmax(error, wrong);
    }
    if (rank == 0)
      printf("%8d %10.1f %10.4f %10.4f %10.4f %10.2f%s\n", n, 8e-6 * n * n,
             alone, lapack, together, alone / together,
             error < 1e-6 ? "" : "  WRONG");
  }
  Cblacs_gridexit(g.context);
  MPI_Finalize();
  return 0;
}
