/* linalg.c - dense symmetric problems: systems by Cholesky, the largest
 * eigenvalue by Lanczos
 * SPDX-License-Identifier: MIT */
#include "math/linalg.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/kernels/column.h"
#include "math/kernels/dense.h"
#include "math/kernels/kernels.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- A blocked Cholesky factor in a given order ---------------------------
 *
 * L L' = A, by tiles of sixteen rows, so that it runs at the speed of the
 * processor's arithmetic; with the same bits on every processor
 * (math/kernels/dense.h). */

enum {
  TILE = TH_TILE,
  GROUP = 4,    /* tiles of columns that share what is read */
  STRETCH = 256 /* columns at a time: those of a group stay in a near cache */
};

/* Zeroed: empty. Rows behind the last one, up to whole tiles, are left out. */
struct tiled {
  int64_t n;
  int64_t tiles;      /* of sixteen rows */
  double *panel;      /* tile after tile: columns up to the diagonal, by lane */
  double *reciprocal; /* of the diagonal; 0: this row is left out */
};

static const struct th_tile_kernels *kernels(void)
{
  return th_kernel_best()->tiles;
}

/* Numbers in the panels of tiles 0 .. tile - 1. */
static int64_t panels_before(int64_t tile)
{
  return tile * (tile + 1) / 2 * TH_TILE_SIZE;
}

/* Row k of L, by tiles of rows; column c of tile t is panel(f, t) + c TILE. */
static double *panel(const struct tiled *f, int64_t tile)
{
  return f->panel + panels_before(tile);
}

static double *tile_at(const struct tiled *f, int64_t row, int64_t column)
{
  return panel(f, row) + column * TH_TILE_SIZE;
}

static void tiled_free(struct tiled *f)
{
  TH_FREE(f->panel, f->reciprocal);
  *f = (struct tiled){0};
}

/* Sixteen rows of the lower triangle, side by side. */
static void fill_panel(const struct tiled *f, const double *a, int64_t tile)
{
  double *to = panel(f, tile);
  for (int lane = 0; lane < TILE; lane++) {
    int64_t i = tile * TILE + lane;
    const double *row = a + i * f->n;
    for (int64_t k = 0; i < f->n && k <= i; k++)
      to[k * TILE + lane] = row[k];
  }
}

/* What columns first .. last - 1 take away from a group of tile columns. */
static void subtract_stretch(const struct tiled *f, int64_t group, int64_t end,
                             int64_t first, int64_t last)
{
  const struct th_tile_kernels *k = kernels();
  for (int64_t row = group; row < f->tiles; row++)
    for (int64_t column = group; column < end && column <= row; column++)
      k->subtract(last - first, panel(f, row) + first * TILE,
                  panel(f, column) + first * TILE, tile_at(f, row, column));
}

/* Pivots of a tile that are too small to be kept. */
static void least_pivots(const struct tiled *f, const double *a,
                         double tolerance, int64_t tile, double least[TILE])
{
  for (int lane = 0; lane < TILE; lane++) {
    int64_t i = tile * TILE + lane;
    double diagonal = i < f->n ? a[i + i * f->n] : 0;
    least[lane] = diagonal > 0 ? fmax(0, tolerance * diagonal) : INFINITY;
  }
}

/* A column of tiles from which all columns before its group are taken away. */
static void finish_column(const struct tiled *f, const double *a,
                          double tolerance, int64_t group, int64_t column)
{
  const struct th_tile_kernels *k = kernels();
  double *diagonal = tile_at(f, column, column);
  double *reciprocal = f->reciprocal + column * TILE;
  double least[TILE];
  subtract_stretch(f, column, column + 1, group * TILE, column * TILE);
  least_pivots(f, a, tolerance, column, least);
  k->factor(least, reciprocal, diagonal);
  for (int64_t row = column + 1; row < f->tiles; row++)
    k->solve(diagonal, reciprocal, tile_at(f, row, column));
}

/* Left-looking, a group of tile columns at a time. */
static void factor_tiles(const struct tiled *f, const double *a,
                         double tolerance)
{
  for (int64_t group = 0; group < f->tiles; group += GROUP) {
    int64_t end = th_min_i64(group + GROUP, f->tiles);
    for (int64_t c = 0; c < group * TILE; c += STRETCH)
      subtract_stretch(f, group, end, c, th_min_i64(c + STRETCH, group * TILE));
    for (int64_t column = group; column < end; column++)
      finish_column(f, a, tolerance, group, column);
  }
}

/* Factor a, n x n. Row and column k are left out (collinear), and kept[k] is
 * false, if the pivot is not above tolerance times the diagonal. *rank is the
 * number of rows kept. f is freed by the caller. */
static th_status tiled_factor(struct tiled *f, int64_t n, const double *a,
                              double tolerance, bool *kept, int64_t *rank,
                              struct th_error *err)
{
  th_status rc;
  *f = (struct tiled){.n = n, .tiles = (n + TILE - 1) / TILE};
  *rank = 0;
  TH_TRY(TH_NEW(&f->panel, panels_before(f->tiles), "a linear system", err));
  TH_TRY(TH_NEW(&f->reciprocal, f->tiles * TILE, "a linear system", err));
  for (int64_t tile = 0; tile < f->tiles; tile++)
    fill_panel(f, a, tile);
  factor_tiles(f, a, tolerance);
  for (int64_t k = 0; k < n; k++) {
    kept[k] = f->reciprocal[k] > 0;
    *rank += kept[k];
  }
done:
  return rc;
}

/* An entry of L, column <= row */
static double tiled_entry(const struct tiled *f, int64_t row, int64_t column)
{
  return panel(f, row / TILE)[column * TILE + row % TILE];
}

/* Solve a x = b on the rows kept; x is 0 elsewhere. x may be b. */
static th_status tiled_solve(const struct tiled *f, const double *b, double *x,
                             struct th_error *err)
{
  double *y = NULL;
  th_status rc = TH_NEW(&y, f->tiles * TILE, "a linear system", err);
  if (rc != TH_OK)
    return rc;
  memcpy(y, b, (size_t)f->n * sizeof *y);
  for (int64_t tile = 0; tile < f->tiles; tile++) {
    double *at = y + tile * TILE;
    kernels()->multiply(tile * TILE, panel(f, tile), y, at);
    kernels()->forward(tile_at(f, tile, tile), f->reciprocal + tile * TILE, at);
  }
  for (int64_t tile = f->tiles - 1; tile >= 0; tile--) {
    double *at = y + tile * TILE;
    kernels()->back(tile_at(f, tile, tile), f->reciprocal + tile * TILE, at);
    kernels()->transposed(tile * TILE, panel(f, tile), at, y);
  }
  memcpy(x, y, (size_t)f->n * sizeof *x);
  free(y);
  return TH_OK;
}

/* inv(L) by tiles of columns: rows from the diagonal on, its columns the lanes.
 */
static double *inverse_panel(const struct tiled *f, double *inverse,
                             int64_t tile)
{
  return inverse + panels_before(f->tiles) - panels_before(f->tiles - tile);
}

/* Rows of tile `row` in a panel of inv(L), those above it being there. */
static void invert_rows(const struct tiled *f, double *columns, int64_t row,
                        int64_t column)
{
  double *c = columns + (row - column) * TH_TILE_SIZE;
  for (int j = 0; row == column && j < TILE; j++)
    c[j * TILE + j] = 1;
  kernels()->subtract((row - column) * TILE, columns,
                      panel(f, row) + column * TH_TILE_SIZE, c);
  kernels()->solve(tile_at(f, row, row), f->reciprocal + row * TILE, c);
}

static void invert_tiles(const struct tiled *f, double *inverse)
{
  for (int64_t group = 0; group < f->tiles; group += GROUP) {
    int64_t end = th_min_i64(group + GROUP, f->tiles);
    for (int64_t column = 0; column < end; column++) {
      int64_t row = column > group ? column : group;
      for (; row < end; row++)
        invert_rows(f, inverse_panel(f, inverse, column), row, column);
    }
  }
}

/* A tile of the inverse of a, and its mirror image: c is minus the tile. */
static void write_inverse_tile(const struct tiled *f, const double *c,
                               int64_t row, int64_t column, double *out)
{
  for (int64_t j = 0; j < TILE && column * TILE + j < f->n; j++)
    for (int64_t l = 0; l < TILE && row * TILE + l < f->n; l++) {
      int64_t to = column * TILE + j;
      int64_t from = row * TILE + l;
      double value = 0 - c[j * TILE + l]; /* never -0 */
      out[from + to * f->n] = value;
      out[to + from * f->n] = value;
    }
}

static void multiply_tile(const struct tiled *f, double *inverse, int64_t row,
                          int64_t column, double *out)
{
  double c[TH_TILE_SIZE] = {0};
  kernels()->subtract(
      (f->tiles - row) * TILE, inverse_panel(f, inverse, row),
      inverse_panel(f, inverse, column) + (row - column) * TH_TILE_SIZE, c);
  write_inverse_tile(f, c, row, column, out);
}

/* inv(L)' inv(L). */
static void multiply_inverse(const struct tiled *f, double *inverse,
                             double *out)
{
  for (int64_t group = 0; group < f->tiles; group += GROUP) {
    int64_t end = th_min_i64(group + GROUP, f->tiles);
    for (int64_t row = group; row < f->tiles; row++)
      for (int64_t column = group; column < end && column <= row; column++)
        multiply_tile(f, inverse, row, column, out);
  }
}

/* Write the inverse of a on the rows kept into inverse, n x n, full; it is 0
 * elsewhere. */
static th_status tiled_invert(const struct tiled *f, double *inverse,
                              struct th_error *err)
{
  double *columns = NULL;
  th_status rc =
      TH_NEW(&columns, panels_before(f->tiles), "a linear system", err);
  if (rc != TH_OK)
    return rc;
  invert_tiles(f, columns);
  multiply_inverse(f, columns, inverse);
  free(columns);
  return TH_OK;
}

/* --- The largest eigenvalue, by Lanczos' method --------------------------- */

enum {
  BATCH = 8, /* steps between two looks at what has been reached */
  ENOUGH = 2 /* looks without growth: by each step it grows by a part of what is
                missing, or not at all */
};

struct lanczos {
  int64_t n;
  int64_t most;  /* steps */
  int64_t steps; /* so far */
  double *before;
  double *now; /* vectors of length 1 */
  double *next;
  double *diagonal; /* most: of the tridiagonal matrix */
  double *beside;   /* most: below it; the last is what is left */
};

static void lanczos_free(struct lanczos *l)
{
  TH_FREE(l->before, l->now, l->next, l->diagonal, l->beside);
}

static th_status lanczos_init(struct lanczos *l, int64_t n,
                              struct th_error *err)
{
  th_status rc;
  *l = (struct lanczos){.n = n, .most = 10 * n + 100};
  TH_TRY(TH_NEW(&l->before, n, "eigenvalues", err));
  TH_TRY(TH_NEW(&l->now, n, "eigenvalues", err));
  TH_TRY(TH_NEW(&l->next, n, "eigenvalues", err));
  TH_TRY(TH_NEW(&l->diagonal, l->most, "eigenvalues", err));
  TH_TRY(TH_NEW(&l->beside, l->most, "eigenvalues", err));
done:
  return rc;
}

static void scale_vector(double factor, int64_t n, double *v)
{
  for (int64_t i = 0; i < n; i++)
    v[i] *= factor;
}

/* Numbers of both signs and all sizes, so that no eigenvector is orthogonal to
 * them by its pattern. */
static void start(struct lanczos *l)
{
  const struct th_stream stream = {0, TH_PURPOSE_LANCZOS};
  double pair[2];
  for (int64_t i = 0; i < l->n; i++) {
    th_random_uniform(stream, 0, (uint64_t)i, pair);
    l->now[i] = pair[0] + (pair[1] > 0.5 ? 0.5 : -1.5);
  }
  scale_vector(1 / sqrt(th_column_dot_plain(l->now, l->now, l->n)), l->n,
               l->now);
}

/* Compute one more vector from the product with the last one, in l->next.
 * False: none is left. */
static bool step(struct lanczos *l)
{
  double *next = l->next;
  double last = l->steps > 0 ? l->beside[l->steps - 1] : 0;
  double size = sqrt(th_column_dot_plain(next, next, l->n));
  th_column_add_plain(l->before, -last, l->n, next);
  double diagonal = th_column_dot_plain(l->now, next, l->n);
  th_column_add_plain(l->now, -diagonal, l->n, next);
  double left = sqrt(th_column_dot_plain(next, next, l->n));
  bool more = left > 16 * DBL_EPSILON * size && l->steps + 1 < l->most;
  l->diagonal[l->steps] = diagonal;
  l->beside[l->steps++] = more ? left : 0;
  if (more)
    scale_vector(1 / left, l->n, next);
  l->next = l->before;
  l->before = l->now;
  l->now = next;
  return more;
}

/* Say whether x is above all eigenvalues of the tridiagonal matrix T. Then all
 * pivots of T - x are negative. */
static bool is_above(const struct lanczos *l, double x)
{
  double pivot = l->diagonal[0] - x;
  for (int64_t k = 1; k < l->steps && pivot < 0; k++)
    pivot = l->diagonal[k] - x - l->beside[k - 1] * l->beside[k - 1] / pivot;
  return pivot < 0;
}

/* The largest eigenvalue of the tridiagonal matrix, from above; within what
 * Gershgorin's circles leave. Not a number where they are none. */
static double largest_of(const struct lanczos *l)
{
  double low = -INFINITY;
  double high = -INFINITY;
  for (int64_t k = 0; k < l->steps; k++) {
    double radius =
        (k > 0 ? l->beside[k - 1] : 0) + (k + 1 < l->steps ? l->beside[k] : 0);
    low = fmax(low, l->diagonal[k]);
    high = fmax(high, l->diagonal[k] + radius);
    if (!isfinite(l->diagonal[k] + radius))
      return NAN;
  }
  for (double middle = low + (high - low) / 2; middle > low && middle < high;
       middle = low + (high - low) / 2) {
    if (is_above(l, middle))
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* A matrix in memory. */
struct full {
  int64_t n;
  const double *a;
};

static th_status multiply_full(void *self, const double *x, double *y,
                               struct th_error *err)
{
  const struct full *full = self;
  (void)err;
  for (int64_t i = 0; i < full->n; i++)
    y[i] = th_column_dot_plain(full->a + i * full->n, x, full->n);
  return TH_OK;
}

static th_status iterate(struct lanczos *l,
                         const struct th_linalg_matrix *matrix, double *value,
                         struct th_error *err)
{
  int still = 0; /* looks at which it had hardly grown */
  bool more = true;
  start(l);
  *value = -INFINITY;
  while (more && still < ENOUGH) {
    th_status rc = matrix->multiply(matrix->self, l->now, l->next, err);
    if (rc != TH_OK)
      return rc;
    more = step(l);
    if (more && l->steps % BATCH != 0)
      continue;
    double before = *value;
    *value = largest_of(l);
    still = *value - before > 4 * DBL_EPSILON * fabs(*value) ? 0 : still + 1;
  }
  if (isfinite(*value))
    return TH_OK;
  return th_fail(err, TH_ENUMERIC,
                 "no largest eigenvalue of a %lld x %lld matrix",
                 (long long)l->n, (long long)l->n);
}

/* Compute the largest eigenvalue of a, n x n, full and symmetric, n at least 1.
 * It is good to some 1e-14 of the largest magnitude of an eigenvalue, with the
 * same bits on every processor. This is Lanczos' method from a fixed start
 * (Golub & Van Loan 2013, section 10.3). Vectors are not made orthogonal again,
 * since that does not change the largest value (Paige 1980). Local. An error
 * for a that is not finite. */
static th_status largest_of_array(int64_t n, const double *a, double *value,
                                  struct th_error *err)
{
  struct full full = {n, a};
  const struct th_linalg_matrix matrix = {
      .n = n, .multiply = multiply_full, .self = &full};
  struct lanczos l = {0};
  th_status rc = lanczos_init(&l, n, err);
  if (rc == TH_OK)
    rc = iterate(&l, &matrix, value, err);
  lanczos_free(&l);
  return rc;
}

th_status th_linalg_largest_of(const struct th_linalg_matrix *matrix,
                               struct th_comm *comm, double *value,
                               struct th_error *err)
{
  struct lanczos l = {0};
  th_status rc = th_agree(comm, lanczos_init(&l, matrix->n, err), err);
  if (rc == TH_OK)
    rc = iterate(&l, matrix, value, err);
  lanczos_free(&l);
  return rc;
}

/* --- Whole matrices: systems, the largest eigenvalue ---------------------- */

static bool all_finite(const double *values, int64_t count)
{
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(values[k]))
      return false;
  return true;
}

th_status th_linalg_solve(const struct th_linalg_system *system, double *x,
                          double *inverse, bool *kept, struct th_error *err)
{
  struct tiled factor = {0};
  int64_t rank = 0;
  th_status rc;
  TH_TRY(tiled_factor(&factor, system->n, system->a, system->tolerance, kept,
                      &rank, err));
  TH_TRY(tiled_solve(&factor, system->b, x, err));
  if (inverse != NULL)
    TH_TRY(tiled_invert(&factor, inverse, err));
  if (!all_finite(x, system->n))
    rc = th_fail(err, TH_ENUMERIC,
                 "least squares on %lld attributes failed; standardize, or "
                 "ask for fewer",
                 (long long)rank);
done:
  tiled_free(&factor);
  return rc;
}

/* Fill in the full matrix from its upper triangle. */
static void mirror(int64_t n, double *a)
{
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < j; i++)
      a[j + i * n] = a[i + j * n];
}

th_status th_linalg_largest_eigenvalue(int64_t n, double *a, double *value,
                                       struct th_error *err)
{
  mirror(n, a);
  return largest_of_array(n, a, value, err);
}

/* --- A Cholesky factor whose rows join and leave one by one --------------- */

static int64_t triangle(int64_t rows)
{
  return rows * (rows + 1) / 2;
}

static double *factor_row(const struct th_factor *f, int64_t i)
{
  return f->entry + triangle(i);
}

void th_linalg_factor_free(struct th_factor *f)
{
  TH_FREE(f->entry, f->row, f->cosine, f->sine);
  *f = (struct th_factor){0};
}

th_status th_linalg_factor_reserve(struct th_factor *f, int64_t rows,
                                   struct th_error *err)
{
  int64_t entries = triangle(f->room);
  th_status rc = TH_OK;
  if (rows <= f->room)
    return rc;
  TH_TRY(
      TH_LENGTHEN(&f->entry, &entries, triangle(rows), "a linear system", err));
  TH_TRY(TH_WIDEN(&f->row, f->room, rows, "a linear system", err));
  TH_TRY(TH_WIDEN(&f->cosine, f->room, rows, "a linear system", err));
  TH_TRY(TH_WIDEN(&f->sine, f->room, rows, "a linear system", err));
  f->room = rows;
done:
  return rc;
}

int64_t th_linalg_factor_bytes(int64_t rows)
{
  return (triangle(rows) + 3 * rows) * (int64_t)sizeof(double);
}

int64_t th_linalg_factor_entries(const struct th_factor *f)
{
  return triangle(f->size);
}

static int64_t whole_lanes(int64_t count)
{
  return count / TH_COLUMN_LANES * TH_COLUMN_LANES;
}

/* Rows i .. i + TH_FACTOR_TOGETHER - 1, as far as there are so many. */
static void rows_from(const struct th_factor *f, int64_t i,
                      const double *row[TH_FACTOR_TOGETHER])
{
  for (int64_t k = 0; k < TH_FACTOR_TOGETHER; k++)
    row[k] = factor_row(f, th_min_i64(i + k, f->size - 1));
}

void th_linalg_factor_forward(const struct th_factor *f,
                              double *const b[TH_FACTOR_TOGETHER])
{
  const double *const x[] = {b[0], b[1], b[2], b[3]};
  for (int64_t i = 0; i < f->size; i += TH_FACTOR_TOGETHER) {
    double lane[TH_FACTOR_TOGETHER][TH_FACTOR_TOGETHER][TH_COLUMN_LANES];
    memset(lane, 0, sizeof lane);
    const double *row[TH_FACTOR_TOGETHER];
    int64_t whole = whole_lanes(i);
    rows_from(f, i, row);
    th_column_tile(row, x, whole, lane);
    for (int64_t j = 0; j < TH_FACTOR_TOGETHER && i + j < f->size; j++)
      for (int k = 0; k < TH_FACTOR_TOGETHER; k++)
        b[k][i + j] = (x[k][i + j] - th_column_lanes_sum(lane[j][k], row[j],
                                                         x[k], whole, i + j)) /
                      row[j][i + j];
  }
}

bool th_linalg_factor_join(struct th_factor *f, int64_t done, double diagonal,
                           double tolerance)
{
  double *row = f->row;
  for (int64_t i = done; i < f->size; i++) {
    const double *above = factor_row(f, i);
    row[i] = (row[i] - th_column_dot_plain(above, row, i)) / above[i];
  }
  double pivot = diagonal - th_column_dot_plain(row, row, f->size);
  if (!(pivot > tolerance * diagonal))
    return false;
  row[f->size] = sqrt(pivot);
  memcpy(factor_row(f, f->size), row, (size_t)(f->size + 1) * sizeof *row);
  f->size++;
  return true;
}

/* Copy the rows that were kept. */
static void copy_rows(struct th_factor *f, const struct tiled *tiled,
                      const bool *kept)
{
  f->size = 0;
  for (int64_t i = 0; i < tiled->n; i++) {
    double *row = factor_row(f, f->size);
    int64_t at = 0;
    if (!kept[i])
      continue;
    for (int64_t k = 0; k <= i; k++)
      if (kept[k])
        row[at++] = tiled_entry(tiled, i, k);
    f->size++;
  }
}

th_status th_linalg_factor_form(struct th_factor *f, int64_t n, const double *h,
                                double tolerance, bool *kept,
                                struct th_error *err)
{
  struct tiled tiled = {0};
  int64_t rank = 0;
  f->size = 0;
  th_status rc = tiled_factor(&tiled, n, h, tolerance, kept, &rank, err);
  if (rc == TH_OK)
    copy_rows(f, &tiled, kept);
  tiled_free(&tiled);
  return rc;
}

/* Remove column i from row k: apply the rotations so far, and one more that
 * takes its last entry away. */
static void rotate(struct th_factor *f, int64_t i, int64_t k)
{
  double *row = f->row;
  memcpy(row, factor_row(f, k), (size_t)(k + 1) * sizeof *row);
  for (int64_t j = i; j < k - 1; j++) {
    double left = row[j];
    row[j] = f->cosine[j] * left + f->sine[j] * row[j + 1];
    row[j + 1] = f->cosine[j] * row[j + 1] - f->sine[j] * left;
  }
  double length = th_hypot(row[k - 1], row[k]);
  f->cosine[k - 1] = row[k - 1] / length;
  f->sine[k - 1] = row[k] / length;
  row[k - 1] = length;
}

void th_linalg_factor_drop(struct th_factor *f, int64_t i)
{
  for (int64_t k = i + 1; k < f->size; k++) {
    rotate(f, i, k);
    memcpy(factor_row(f, k - 1), f->row, (size_t)k * sizeof *f->row);
  }
  f->size--;
}

/* Entries i .. i + TH_FACTOR_TOGETHER - 1 of the solution of L x = b. */
static void forward_block(const struct th_factor *f, int64_t i, const double *b,
                          double *x)
{
  double lane[TH_FACTOR_TOGETHER][TH_COLUMN_LANES] = {{0}};
  const double *row[TH_FACTOR_TOGETHER];
  int64_t whole = whole_lanes(i);
  rows_from(f, i, row);
  th_column_lanes(row, x, whole, lane);
  for (int64_t k = 0; k < TH_FACTOR_TOGETHER && i + k < f->size; k++)
    x[i + k] =
        (b[i + k] - th_column_lanes_sum(lane[k], row[k], x, whole, i + k)) /
        row[k][i + k];
}

/* Entries i .. i + TH_FACTOR_TOGETHER - 1 of the solution of L' x = b, the last
 * first; the ones before them lose their part. */
static void backward_block(const struct th_factor *f, int64_t i, double *x)
{
  const double *row[TH_FACTOR_TOGETHER];
  double factor[TH_FACTOR_TOGETHER];
  for (int k = 0; k < TH_FACTOR_TOGETHER; k++) {
    int64_t at = i + TH_FACTOR_TOGETHER - 1 - k;
    row[k] = factor_row(f, at);
    x[at] /= row[k][at];
    factor[k] = -x[at];
    for (int64_t j = i; j < at; j++)
      x[j] += row[k][j] * factor[k];
  }
  th_column_add_several(row, factor, i, x);
}

void th_linalg_factor_solve(const struct th_factor *f, const double *b,
                            double *x)
{
  for (int64_t i = 0; i < f->size; i += TH_FACTOR_TOGETHER)
    forward_block(f, i, b, x);
  int64_t left = f->size;
  for (; left >= TH_FACTOR_TOGETHER; left -= TH_FACTOR_TOGETHER)
    backward_block(f, left - TH_FACTOR_TOGETHER, x);
  for (int64_t i = left - 1; i >= 0; i--) {
    const double *row = factor_row(f, i);
    x[i] /= row[i];
    th_column_add_plain(row, -x[i], i, x);
  }
}
