/* given_held.c - a dense matrix in memory is put in the order of a data set
 * that is held in memory as well: one copy, and no file
 *
 * Only what needs no second look is held: values that are all known, and enough
 * of them not 0 for the dense layout. Anything else is left, and is imported
 * into files.
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/given_held.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/dataset/fingerprint.h"
#include "io/import/arrays/given_turn.h"

#include <stdlib.h>
#include <string.h>

enum {
  LINE = 64,    /* bytes of the processor's cache that come together */
  SAMPLE = 256, /* attributes by which examples are told apart at first */
  LEAST = 64    /* attributes of a row group that a first look counts */
};

/* --- Values ----------------------------------------------------------------
 */

struct filling {
  const struct th_given_fill *job;
  struct th_held *held;
  int64_t *from; /* items before each stored row, in the matrix */
};

static th_status find_items(struct filling *filling, struct th_error *err)
{
  const struct th_given_matrix *given = filling->job->given;
  th_status rc = TH_NEW(&filling->from, given->rows, "examples", err);
  for (int64_t k = 0; rc == TH_OK && k < given->rows; k++)
    filling->from[filling->job->stored[k]] = k * given->row_stride;
  return rc;
}

static bool has_few(const struct filling *filling, double cells)
{
  return (double)filling->held->nonzeros <= filling->job->density * cells;
}

/* Some attributes of a row group, while they are in the processor's cache. */
static bool fill_some(const struct filling *filling, int64_t group,
                      struct th_range range)
{
  struct th_held *held = filling->held;
  const struct th_shape *shape = &held->row_groups.shape;
  const struct th_rows rows = th_row_groups_group(&held->row_groups, group);
  return th_given_turn(filling->job->given, filling->from + rows.first,
                       rows.count, range, shape->type,
                       th_held_run(held, group, range.first),
                       shape->row_group) &&
         th_held_take(held, group, range, filling->job->weight);
}

/* Hardly any value of the first attributes of a row group is not 0: the data
 * are going to be sparse. */
static bool seems_sparse(const struct filling *filling, int64_t group,
                         struct th_range range)
{
  const struct th_row_groups *g = &filling->held->row_groups;
  const int64_t cells = range.last * th_row_groups_group(g, group).count;
  return group == 0 && range.last >= LEAST && has_few(filling, (double)cells);
}

/* Row groups outside where rows lie together, else attributes. */
static bool fill_all(const struct filling *filling)
{
  const struct th_given_matrix *given = filling->job->given;
  const struct th_row_groups *g = &filling->held->row_groups;
  const int64_t some = LINE / (int64_t)th_items_size(given->values.element);
  const int64_t blocks = th_integer_ceil_divide(g->shape.attributes, some);
  const bool by_rows = llabs(given->column_stride) <= llabs(given->row_stride);
  for (int64_t k = 0; k < blocks * g->groups; k++) {
    const int64_t group = by_rows ? k / blocks : k % g->groups;
    const int64_t first = (by_rows ? k % blocks : k / g->groups) * some;
    const struct th_range range = {
        first, th_min_i64(first + some, g->shape.attributes)};
    if (!fill_some(filling, group, range) ||
        seems_sparse(filling, group, range))
      return false;
  }
  return true;
}

/* --- Equal examples --------------------------------------------------------
 */

/* Add some of the attributes, every so many, of the examples that are marked;
 * mark NULL: of all. key: of each stored row. */
static void add_keys(const struct th_held *held, int64_t every,
                     const unsigned char *mark, uint64_t *key)
{
  const struct th_row_groups *g = &held->row_groups;
  const size_t size = th_type_size(g->shape.type);
  for (int64_t group = 0; group < g->groups; group++) {
    const struct th_rows rows = th_row_groups_group(g, group);
    if (mark != NULL &&
        memchr(mark + rows.first, 1, (size_t)rows.count) == NULL)
      continue;
    for (int64_t a = 0; a < g->shape.attributes; a += every) {
      const char *run = th_held_run(held, group, a);
      for (int64_t i = 0; i < rows.count; i++)
        if (mark == NULL || mark[rows.first + i] != 0)
          key[rows.first + i] +=
              th_fingerprint_example(a, NULL, run + (size_t)i * size, size, 1);
    }
  }
}

/* An example by what is known of it so far. */
struct known {
  uint64_t key;
  int64_t row;
};

static int by_key(const void *a, const void *b)
{
  const struct known *one = a;
  const struct known *other = b;
  return (one->key > other->key) - (one->key < other->key);
}

/* Mark the examples whose keys are another one's, too, and clear these. */
static bool mark_equal(struct known *sorted, int64_t count, uint64_t *key,
                       unsigned char *mark)
{
  bool any = false;
  for (int64_t i = 0; i < count; i++)
    sorted[i] = (struct known){key[i], i};
  qsort(sorted, (size_t)count, sizeof *sorted, by_key);
  for (int64_t k = 1; k < count; k++)
    if (sorted[k].key == sorted[k - 1].key)
      mark[sorted[k].row] = mark[sorted[k - 1].row] = 1;
  for (int64_t i = 0; i < count; i++) {
    any = any || mark[i] != 0;
    key[i] = mark[i] != 0 ? 0 : key[i];
  }
  return any;
}

/* Examples that differ in some attributes are not equal: only the others are
 * looked at as a whole. */
static th_status find_keys(const struct filling *filling, uint64_t *of_row,
                           struct th_error *err)
{
  const struct th_held *held = filling->held;
  const int64_t count = filling->job->given->rows;
  const int64_t every =
      th_max_i64(1, held->row_groups.shape.attributes / SAMPLE);
  struct known *sorted = NULL;
  unsigned char *mark = NULL;
  uint64_t *key = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&key, count, "equal examples", err));
  TH_TRY(TH_NEW(&mark, count, "equal examples", err));
  TH_TRY(TH_NEW(&sorted, count, "equal examples", err));
  add_keys(held, every, NULL, key);
  if (every > 1 && mark_equal(sorted, count, key, mark))
    add_keys(held, 1, mark, key);
  for (int64_t k = 0; k < count; k++)
    of_row[k] = key[filling->job->stored[k]];
done:
  TH_FREE(sorted, mark, key);
  return rc;
}

/* --- All of it -------------------------------------------------------------
 */

th_status th_given_held_fill(struct th_held *held,
                             const struct th_given_fill *job, uint64_t *key,
                             bool *good, struct th_error *err)
{
  struct filling filling = {.job = job, .held = held};
  const double cells =
      (double)job->shape->examples * (double)job->shape->attributes;
  th_status rc = TH_OK;
  *good = false;
  TH_TRY(th_held_begin(held, job->shape, job->weight != NULL, err));
  TH_TRY(find_items(&filling, err));
  *good = fill_all(&filling) && !has_few(&filling, cells);
  if (*good)
    rc = find_keys(&filling, key, err);
done:
  free(filling.from);
  return rc;
}
