/* standard.c - standardised columns, over weighted rows
 * SPDX-License-Identifier: MIT */
#include "solvers/access/standard.h"

#include "base/integer.h"
#include "base/memory.h"
#include "math/kernels/column.h"

#include <math.h>
#include <string.h>

enum {
  TILE = TH_PRODUCTS_TILE,
  STRIP = TH_PRODUCTS_STRIP * TILE, /* columns on the right at a time */
  PIECE = TH_PRODUCTS_ROWS          /* rows at a time */
};

/* A variance below this is rounding of the values, or of their squares. */
static const double rounding_dense = 1e-20;
static const double rounding_sparse = 1e-12;

/* Scale the weights so that their unit does not matter, and their sum is that
 * of their squares (Kish 1965). */
static void normalise(struct th_standard *s, const double *weight)
{
  double sum = 0;
  double squares = 0;
  for (int64_t i = 0; i < s->rows; i++) {
    sum += weight[i];
    squares += weight[i] * weight[i];
  }
  s->n = squares > 0 ? sum * (sum / squares) : 0;
  for (int64_t i = 0; i < s->rows; i++)
    s->weight[i] = sum > 0 ? weight[i] * (s->n / sum) : 0;
}

/* Dense columns are shifted first, so that no digits are lost to a mean far
 * from 0. */
static double variance_dense(const struct th_standard *s, struct th_vector *x,
                             double mean)
{
  if (x->scale == 0)
    return 0;
  x->centre += mean / x->scale;
  double variance = th_column_square(x, s->weight) / s->n;
  double place = x->centre * x->scale;
  return variance > rounding_dense * place * place ? variance : 0;
}

static double variance_sparse(const struct th_standard *s,
                              const struct th_vector *x, double mean)
{
  double square = th_column_square(x, s->weight) / s->n;
  double variance = square - mean * mean;
  return variance > rounding_sparse * square ? variance : 0;
}

static void standardise(struct th_standard *s, int64_t k, bool centred)
{
  struct th_vector *x = &s->column[k];
  bool sparse = x->form == TH_VECTOR_ENTRIES;
  double mean = centred && s->n > 0 ? th_column_dot(x, s->weight) / s->n : 0;
  double variance = 0;
  if (s->n > 0)
    variance =
        sparse ? variance_sparse(s, x, mean) : variance_dense(s, x, mean);
  s->spread[k] = isfinite(variance) ? sqrt(variance) : 0;
  s->offset[k] = s->spread[k] > 0 ? mean : 0;
  x->scale = s->spread[k] > 0 ? x->scale / s->spread[k] : 0;
  s->mean[k] = sparse && s->spread[k] > 0 ? mean / s->spread[k] : 0;
}

th_status th_standard_init(struct th_standard *s, int64_t rows, int64_t count,
                           const struct th_vector *columns,
                           const double *weight, bool centred,
                           struct th_error *err)
{
  th_status rc;
  *s = (struct th_standard){.rows = rows, .count = count};
  TH_TRY(TH_NEW(&s->weight, rows, "weights", err));
  TH_TRY(TH_NEW(&s->offset, count, "means", err));
  TH_TRY(TH_NEW(&s->spread, count, "deviations", err));
  TH_TRY(TH_NEW(&s->column, count, "attributes copied to all ranks", err));
  TH_TRY(TH_NEW(&s->mean, count, "means", err));
  normalise(s, weight);
  for (int64_t k = 0; k < count; k++) {
    s->column[k] = columns[k];
    standardise(s, k, centred);
  }
done:
  return rc;
}

void th_standard_free(struct th_standard *s)
{
  TH_FREE(s->weight, s->offset, s->spread, s->column, s->mean);
  *s = (struct th_standard){0};
}

double th_standard_mean(const struct th_standard *s, const double *value)
{
  return s->n > 0 ? th_column_dot_plain(s->weight, value, s->rows) / s->n : 0;
}

double th_standard_dot(const struct th_standard *s, int64_t k, const double *u,
                       double total)
{
  return th_column_dot(&s->column[k], u) - s->mean[k] * total;
}

void th_standard_add(const struct th_standard *s, int64_t k, double factor,
                     double *u)
{
  double shift = factor * s->mean[k];
  th_column_add(&s->column[k], factor, u);
  for (int64_t i = 0; shift != 0 && i < s->rows; i++)
    u[i] -= shift;
}

/* Products of columns are summed over one piece of rows after the other. */
struct tiles {
  const struct th_standard *s;
  const int64_t *list;
  const double *h;
  int64_t first;
  int64_t size;
  int64_t *entry; /* of each sparse column: the next one */
  double *root;   /* of h, of the piece's rows */
  double *z;      /* PIECE for each column, times root */
  double *sum;    /* stride for each place from `first` on */
  int64_t stride;
};

/* Columns that pad the tiles are 0. */
static th_status tiles_init(struct tiles *p, struct th_error *err)
{
  int64_t filled = p->size + TILE;
  th_status rc;
  p->stride = th_column_products_tiles(p->size) * TILE;
  TH_TRY(TH_NEW(&p->entry, p->size, "products of attributes", err));
  TH_TRY(TH_NEW(&p->root, PIECE, "products of attributes", err));
  TH_TRY(TH_NEW(&p->z, filled * PIECE, "products of attributes", err));
  TH_TRY(TH_NEW(&p->sum, (filled - p->first) * p->stride,
                "products of attributes", err));
done:
  return rc;
}

static void tiles_free(struct tiles *p)
{
  TH_FREE(p->entry, p->root, p->z, p->sum);
}

static int64_t named(const int64_t *list, int64_t place)
{
  return list == NULL ? place : list[place];
}

/* Fill in a sparse column's rows up to `end`, from where the last piece ended.
 */
static void fill_sparse(struct tiles *p, int64_t place, int64_t first,
                        int64_t end, double *z)
{
  int64_t k = named(p->list, place);
  const struct th_vector *x = &p->s->column[k];
  const double *value = x->values;
  int64_t e = p->entry[place];
  for (int64_t i = 0; i < end - first; i++)
    z[i] = -p->s->mean[k] * p->root[i];
  for (; e < x->items && x->row[e] < end; e++) {
    int64_t i = x->row[e] - first;
    z[i] = (value[e] * x->scale - p->s->mean[k]) * p->root[i];
  }
  p->entry[place] = e;
}

static void fill_piece(struct tiles *p, int64_t first, int64_t count)
{
  size_t rest = (size_t)(PIECE - count);
  for (int64_t i = 0; i < count; i++)
    p->root[i] = sqrt(p->h[first + i]);
  for (int64_t place = 0; place < p->size; place++) {
    double *z = p->z + place * PIECE;
    const struct th_vector *x = &p->s->column[named(p->list, place)];
    if (x->form == TH_VECTOR_ENTRIES)
      fill_sparse(p, place, first, first + count, z);
    else
      th_column_unpack(x, first, count, 0, p->root, z);
    memset(z + count, 0, rest * sizeof *z);
  }
}

/* Sum one strip of right-hand places after the other, each with all places up
 * to its last one. */
static void sum_piece(struct tiles *p, int64_t count)
{
  struct th_products sums = {.rows = th_column_products_whole(count),
                             .lead = PIECE,
                             .left = p->z,
                             .stride = p->stride};
  for (int64_t at = p->first; at < p->size; at += STRIP) {
    int64_t end = th_min_i64(at + STRIP, p->size);
    sums.left_tiles = th_column_products_tiles(end);
    sums.right_tiles = th_column_products_tiles(end - at);
    sums.right = p->z + at * PIECE;
    sums.sum = p->sum + (at - p->first) * p->stride;
    th_column_products_add(&sums);
  }
}

static void write_sums(const struct tiles *p, double *out)
{
  for (int64_t k = p->first; k < p->size; k++)
    for (int64_t j = 0; j <= k; j++) {
      double sum = p->sum[j + (k - p->first) * p->stride];
      out[j + k * p->size] = out[k + j * p->size] = sum;
    }
}

th_status th_standard_products(const struct th_standard *s, const int64_t *list,
                               int64_t first, int64_t size, const double *h,
                               double *out, struct th_error *err)
{
  struct tiles p = {.s = s, .list = list, .h = h, .first = first, .size = size};
  th_status rc = tiles_init(&p, err);
  for (int64_t row = 0; rc == TH_OK && row < s->rows; row += PIECE) {
    int64_t count = th_min_i64(PIECE, s->rows - row);
    fill_piece(&p, row, count);
    sum_piece(&p, count);
  }
  if (rc == TH_OK)
    write_sums(&p, out);
  tiles_free(&p);
  return rc;
}
