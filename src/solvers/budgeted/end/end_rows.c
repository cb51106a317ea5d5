/* end_rows.c - the examples that an end sees, and those of them that choose the
 * model
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "solvers/budgeted/end/end.h"
#include "solvers/data/folds.h"

#include <stdlib.h>
#include <string.h>

enum {
  /* rows of a block that are enough to list its best attributes */
  ENOUGH_ROWS = 5000,
  /* different examples for each attribute of the list: so many that an equal
   * one among them hardly helps to predict */
  MANY_FOR_EACH = 100,
  FEW_VALUES = 50
};

/* The share of a single pass that screens; the rest is for the list. If a part
 * is held out besides, the share is such that two thirds of the examples are
 * seen in the end. */
static const double screened_share = 2.0 / 3;
static const double screened_unless_held = 5.0 / 7;

enum { COUNTED = -2 }; /* in place of a row */

/* What an example is used for. */
enum fate { SCREENED = 0, FITTED, CHOOSES };

bool th_end_small(int64_t passes, int64_t n)
{
  return n < (passes == 1 ? TH_END_OF_ONE : 1) * TH_END_SMALL;
}

/* Small data meet every block; of large data each block sees ENOUGH rows. */
int64_t th_end_screens(int64_t passes, int64_t blocks, int64_t n)
{
  bool small = n < TH_END_SMALL;
  int64_t most =
      small
          ? blocks
          : th_min_i64(blocks, th_integer_ceil_divide(blocks * ENOUGH_ROWS, n));
  int64_t lists =
      small ? th_max_i64(1, th_min_i64(passes / 3, TH_END_LISTS)) : 1;
  if (passes == 1)
    return 1;
  return passes == 0 ? most : th_min_i64(most, passes - lists);
}

/* In a single pass: the units until screening has its share of the rows. Local.
 */
static int64_t screened_units(const struct th_deal *deal, double share)
{
  double wanted = share * (double)deal->rows_in_pass;
  double rows = 0;
  int64_t k = 0;
  while (k + 1 < deal->training_units && rows < wanted)
    rows += (double)th_deal_training_unit(deal, k++).count;
  return k;
}

static void mark(uint8_t *fate, struct th_rows rows, enum fate what)
{
  memset(fate + rows.first, (int)what, (size_t)rows.count);
}

static void mark_all(const struct th_end *end, const struct th_deal *deal,
                     uint8_t *fate)
{
  for (int64_t k = end->once ? end->units : 0; k < deal->training_units; k++)
    mark(fate, th_deal_training_unit(deal, k), FITTED);
  for (int64_t k = 0; k < th_deal_validation_units(deal); k++)
    mark(fate, th_deal_validation_unit(deal, k), CHOOSES);
}

/* Add the examples of a row group that see the list. Local. */
static th_status add_group(struct th_end *end, struct th_rows group,
                           const uint8_t *fate, struct th_error *err)
{
  int64_t last = group.first + group.count;
  th_status rc = TH_OK;
  for (int64_t i = group.first; i < last && rc == TH_OK;) {
    int64_t first = i;
    while (i < last && (fate[i] == SCREENED) == (fate[first] == SCREENED))
      i++;
    if (fate[first] != SCREENED)
      rc = th_deal_pieces_add(&end->pieces, (struct th_rows){first, i - first},
                              err);
  }
  return rc;
}

/* Local. */
static th_status add_pieces(struct th_end *end, const struct th_shape *shape,
                            const uint8_t *fate, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t first = 0; first < shape->training && rc == TH_OK;) {
    struct th_rows rows = th_shape_rest(shape, first);
    rc = add_group(end, rows, fate, err);
    first += rows.count;
  }
  end->rows = th_deal_pieces_rows(&end->pieces);
  return rc;
}

/* ---- equal examples ---- */

/* What is known of the examples that equal others. Entries of stored rows are
 * those of the first one in a group of equal ones. */
struct equals {
  const struct th_twins *twins; /* NULL: nobody knows of any */
  int64_t *lead;                /* of a stored row: the row of the end that the
                                   end's other ones follow, or -1 */
  uint8_t *fates;               /* of a stored row: a bit for each fate */
};

static void equals_free(struct equals *e)
{
  TH_FREE(e->lead, e->fates);
}

/* Whether equal examples matter to the choice. Nobody copies every example
 * FEW_VALUES times: those have few values, and are equal by chance. If a part
 * is held out, they matter where so few are different that a fit could learn
 * them by heart. */
static bool matters(const struct th_twins *twins,
                    const struct th_source *source, bool held)
{
  int64_t n = th_source_shape(source)->training;
  int64_t list = th_end_longest_list(th_source_budget(source), n);
  int64_t different = twins != NULL ? n - twins->count : n;
  return different < n && different > n / FEW_VALUES &&
         (!held || different < MANY_FOR_EACH * list);
}

/* Local. */
static th_status equals_init(struct equals *e, const struct th_source *source,
                             const uint8_t *fate, bool held,
                             struct th_error *err)
{
  int64_t n = th_source_shape(source)->training;
  th_status rc = TH_OK;
  *e = (struct equals){.twins = th_source_twins(source)};
  if (!matters(e->twins, source, held))
    e->twins = NULL;
  if (e->twins == NULL)
    return rc;
  TH_TRY(TH_NEW(&e->lead, n, "equal examples", err));
  TH_TRY(TH_NEW(&e->fates, n, "equal examples", err));
  for (int64_t i = 0; i < n; i++) {
    e->lead[i] = -1;
    e->fates[i] = (uint8_t)(1 << fate[i]);
  }
  for (int64_t k = 0; k < e->twins->count; k++)
    e->fates[e->twins->first[k]] |= (uint8_t)(1 << fate[e->twins->row[k]]);
done:
  return rc;
}

/* The first example that equals stored row `row`; *at goes through the twins.
 */
static int64_t first_of(const struct equals *e, int64_t row, int64_t *at)
{
  const struct th_twins *twins = e->twins;
  while (*at < twins->count && twins->row[*at] < row)
    ++*at;
  return *at < twins->count && twins->row[*at] == row ? twins->first[*at] : row;
}

/* Whether examples that are equal to one of these fates take part in what
 * screening or the fits see, while it chooses. */
static bool is_torn(uint8_t fates, bool held)
{
  bool chooses = fates >> CHOOSES & 1;
  bool elsewhere = fates & 1 << SCREENED;
  return held ? chooses && fates != 1 << CHOOSES : elsewhere;
}

/* Which rows of the end follow which. An example does not choose where an equal
 * one has been seen: its fold is UINT8_MAX, and elsewhere 0. Local. */
static th_status join_equals(struct th_end *end, struct equals *e, bool held,
                             struct th_error *err)
{
  int64_t at = 0;
  int64_t row = 0;
  th_status rc = TH_NEW(&end->twin, end->rows, "equal examples", err);
  for (int64_t k = 0; k < end->pieces.count && rc == TH_OK; k++) {
    struct th_rows rows = end->pieces.items[k];
    for (int64_t i = rows.first; i < rows.first + rows.count; i++, row++) {
      int64_t first = first_of(e, i, &at);
      if (e->lead[first] < 0)
        e->lead[first] = row;
      end->twin[row] = e->lead[first];
      bool torn = is_torn(e->fates[first], held);
      end->fold[row] = torn ? UINT8_MAX : 0;
      end->torn += torn;
    }
  }
  return rc;
}

/* Local. */
static void tell_equals(const struct equals *e, bool held,
                        const struct th_context *context)
{
  int64_t firsts = 0;
  for (int64_t k = 0; k < e->twins->count; k++) {
    firsts += e->lead[e->twins->first[k]] != COUNTED;
    e->lead[e->twins->first[k]] = COUNTED;
  }
  th_context_notice(context, "%lld examples equal another one. Equal ones %s",
                    (long long)(e->twins->count + firsts),
                    held ? "do not choose the model unless all of them do"
                         : "share a fold");
}

/* The held-out part is a fold by itself. */
static void fold_held(struct th_end *end, const uint8_t *fate)
{
  int64_t at = 0;
  end->folds = 1;
  for (int64_t k = 0; k < end->pieces.count; k++) {
    struct th_rows rows = end->pieces.items[k];
    for (int64_t i = 0; i < rows.count; i++, at++)
      if (fate[rows.first + i] != CHOOSES)
        end->fold[at] = UINT8_MAX;
  }
}

th_status th_end_targets(const struct th_end *end, struct th_context *context,
                         double *target, double *weight, struct th_error *err)
{
  return th_context_piece_targets(context, &end->pieces, target, weight, err);
}

/* Rows that do not choose are in no fold. There are two folds at least, one of
 * which may be empty. Local. */
static th_status fold_rows(struct th_end *end, struct th_context *context,
                           struct th_error *err)
{
  double *target = NULL;
  double *weight = NULL;
  uint8_t *fold = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&target, end->rows, "targets", err));
  TH_TRY(TH_NEW(&weight, end->rows, "weights", err));
  TH_TRY(TH_NEW(&fold, end->rows, "folds", err));
  TH_TRY(th_end_targets(end, context, target, weight, err));
  for (int64_t i = 0; i < end->rows; i++)
    if (end->fold[i] == UINT8_MAX)
      weight[i] = 0;
  const struct th_folds_rows given = {.rows = end->rows,
                                      .target = target,
                                      .labels = context->target.labels,
                                      .weight = weight,
                                      .twin = end->twin};
  end->folds = th_max_i64(2, th_folds_count(th_folds_distinct(&given)));
  th_folds_make(&given, context->config->seed, end->folds, fold);
  for (int64_t i = 0; i < end->rows; i++)
    if (end->fold[i] != UINT8_MAX)
      end->fold[i] = fold[i];
done:
  TH_FREE(target, weight, fold);
  return rc;
}

/* Local. */
static th_status choose_rows(struct th_end *end, struct th_context *context,
                             struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  bool by_folds = th_end_small(end->once ? 1 : 0, shape->training);
  struct equals equals = {0};
  uint8_t *fate = NULL;
  th_status rc;
  end->units = context->deal.training_units;
  if (end->once)
    end->units = screened_units(
        &context->deal, by_folds ? screened_share : screened_unless_held);
  TH_TRY(TH_NEW(&fate, shape->training, "the examples that choose the model",
                err));
  mark_all(end, &context->deal, fate);
  TH_TRY(add_pieces(end, shape, fate, err));
  TH_TRY(TH_NEW(&end->fold, end->rows, "folds", err));
  TH_TRY(equals_init(&equals, context->source, fate, !by_folds, err));
  if (equals.twins != NULL) {
    TH_TRY(join_equals(end, &equals, !by_folds, err));
    tell_equals(&equals, !by_folds, context);
  }
  if (by_folds)
    TH_TRY(fold_rows(end, context, err));
  else
    fold_held(end, fate);
done:
  equals_free(&equals);
  free(fate);
  return rc;
}

th_status th_end_init(struct th_end *end, struct th_context *context,
                      int64_t passes, int64_t screens, struct th_error *err)
{
  int64_t n = th_source_shape(context->source)->training;
  *end = (struct th_end){.once = passes == 1,
                         .small = passes > 1 && n < TH_END_SMALL,
                         .passes = th_max_i64(1, passes - screens),
                         .screened = (double)screens};
  th_status rc = choose_rows(end, context, err);
  if (end->once)
    end->screened = 1 - (double)end->rows / (double)n;
  return th_agree(context->comm, rc, err);
}

void th_end_free(struct th_end *end)
{
  th_deal_pieces_free(&end->pieces);
  TH_FREE(end->fold, end->twin);
  *end = (struct th_end){0};
}
