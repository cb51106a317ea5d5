/* end_rows.c - the examples that an end sees, and those of them that choose the
 * model
 * SPDX-License-Identifier: MIT */
#include "base/integer.h"
#include "base/memory.h"
#include "solvers/access/folds.h"
#include "solvers/predict/end.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t th_end_rows_longest_list(int64_t budget, int64_t n);

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

bool th_end_rows_by_folds(int64_t passes, int64_t n)
{
  return n < (passes == 1 ? TH_END_OF_ONE : 1) * TH_END_SMALL;
}

/* Small data meet every block; of large data each block sees ENOUGH rows. */
int64_t th_end_rows_screens(int64_t passes, int64_t blocks, int64_t n)
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
static th_status add_listed_rows(struct th_end *end, struct th_rows group,
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
    struct th_rows rows = th_store_shape_rest(shape, first);
    rc = add_listed_rows(end, rows, fate, err);
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

/* Do equal examples matter to the choice? Nobody copies every example
 * FEW_VALUES times: those have few values, and are equal by chance. If a part
 * is held out, they matter where so few are different that a fit could learn
 * them by heart. */
static bool matters(const struct th_twins *twins,
                    const struct th_source *source, bool held)
{
  int64_t n = th_source_shape(source)->training;
  int64_t list = th_end_rows_longest_list(th_source_budget(source), n);
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
static int64_t first_equal(const struct equals *e, int64_t row, int64_t *at)
{
  const struct th_twins *twins = e->twins;
  while (*at < twins->count && twins->row[*at] < row)
    ++*at;
  return *at < twins->count && twins->row[*at] == row ? twins->first[*at] : row;
}

/* Do examples that are equal to one of these fates take part in what screening
 * or the fits see, while it chooses? */
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
      int64_t first = first_equal(e, i, &at);
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

/* The groups that examples stay together in, by rows of the end. Local. */
static th_status group_rows(const struct th_end *end, const int64_t *first,
                            int64_t examples, int64_t *group,
                            struct th_error *err)
{
  int64_t *lead = NULL;
  int64_t row = 0;
  th_status rc = TH_NEW(&lead, examples, "folds", err);
  for (int64_t i = 0; i < examples && rc == TH_OK; i++)
    lead[i] = -1;
  for (int64_t k = 0; k < end->pieces.count && rc == TH_OK; k++) {
    struct th_rows rows = end->pieces.items[k];
    for (int64_t i = rows.first; i < rows.first + rows.count; i++, row++) {
      if (lead[first[i]] < 0)
        lead[first[i]] = row;
      group[row] = lead[first[i]];
    }
  }
  free(lead);
  return rc;
}

/* Rows that do not choose are in no fold. There are two folds at least, one of
 * which may be empty. Local. */
static th_status fold_rows(struct th_end *end, struct th_context *context,
                           struct th_error *err)
{
  double *target = NULL;
  double *weight = NULL;
  uint8_t *fold = NULL;
  int64_t *group = NULL;
  const struct th_config_together *together = &context->config->choice.together;
  th_status rc;
  TH_TRY(TH_NEW(&target, end->rows, "targets", err));
  TH_TRY(TH_NEW(&weight, end->rows, "weights", err));
  TH_TRY(TH_NEW(&fold, end->rows, "folds", err));
  TH_TRY(th_context_piece_targets(context, &end->pieces, target, weight, err));
  for (int64_t i = 0; i < end->rows; i++)
    if (end->fold[i] == UINT8_MAX)
      weight[i] = 0;
  if (together->first != NULL) {
    TH_TRY(TH_NEW(&group, end->rows, "folds", err));
    TH_TRY(group_rows(end, together->first,
                      th_source_shape(context->source)->training, group, err));
  }
  const struct th_folds_rows given = {.rows = end->rows,
                                      .target = target,
                                      .labels = context->target.labels,
                                      .weight = weight,
                                      .twin = end->twin,
                                      .group = group};
  end->folds = th_folds_count(th_folds_distinct(&given));
  if (group != NULL)
    end->folds = th_min_i64(end->folds, together->count);
  end->folds = th_max_i64(2, end->folds);
  TH_TRY(th_folds_make(&given, context->config->seed, end->folds, fold, err));
  for (int64_t i = 0; i < end->rows; i++)
    if (end->fold[i] != UINT8_MAX)
      end->fold[i] = fold[i];
done:
  TH_FREE(target, weight, fold, group);
  return rc;
}

/* Local. */
static th_status choose_rows(struct th_end *end, struct th_context *context,
                             struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  bool by_folds = th_end_rows_by_folds(end->once ? 1 : 0, shape->training);
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

th_status th_end_rows(struct th_end *end, struct th_context *context,
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

void th_end_rows_free(struct th_end *end)
{
  th_deal_pieces_free(&end->pieces);
  TH_FREE(end->fold, end->twin);
  *end = (struct th_end){0};
}

/* --- The lists and columns that the candidates of an end are fitted on ---- */

enum { LONGEST_LIST = 16384, SHORTEST_LIST = 64 };

/* Values of the list on all examples: the shortest list on the most examples.
 */
static const double most_values = (double)SHORTEST_LIST * TH_END_MOST;

static const double rounding = 1e-9; /* of sums of weights */

int64_t th_end_rows_longest_list(int64_t budget, int64_t n)
{
  int64_t room = (int64_t)(most_values / (double)n);
  room = th_min_i64(LONGEST_LIST, th_max_i64(SHORTEST_LIST, room));
  return th_min_i64(budget, room);
}

/* Are there examples with weight in a fold, or outside of it? With labels: of
 * each class outside, and in a single part that has lost equal examples? */
static bool has_all(const struct th_end_work *w, int64_t f, bool inside)
{
  bool less = w->end->torn > 0 && w->end->folds == 1;
  bool labels = w->context->target.labels && (!inside || less);
  double least = INFINITY;
  double most = -INFINITY;
  for (int64_t i = 0; i < w->rows; i++)
    if ((w->end->fold[i] == f) == inside && w->weight[i] > 0) {
      least = fmin(least, w->target[i]);
      most = fmax(most, w->target[i]);
    }
  return labels ? least < most : least <= most;
}

double th_end_rows_effective(const double *weight, const int64_t *equal,
                             int64_t rows)
{
  double sum = 0;
  double squares = 0;
  for (int64_t i = 0; i < rows; i++) {
    double mean = equal[i] > 0 ? weight[i] / (double)equal[i] : 0;
    sum += mean;
    squares += mean * mean;
  }
  return squares > 0 ? sum * sum / squares : 0;
}

/* Of the rows that choose. joint, equal: zeroed room, for each row. */
static double effective(const struct th_end_work *w, double *joint,
                        int64_t *equal)
{
  for (int64_t i = 0; i < w->rows; i++)
    if (w->end->fold[i] < w->end->folds) {
      joint[th_end_lead(w, i)] += w->weight[i];
      equal[th_end_lead(w, i)]++;
    }
  return th_end_rows_effective(joint, equal, w->rows);
}

/* Why no predictions can choose, or NULL. */
static const char *why_blind(const struct th_end_work *w, double *joint,
                             int64_t *equal)
{
  bool few = effective(w, joint, equal) < TH_END_FEWEST * (1 - rounding);
  bool bare = false;
  for (int64_t f = 0; f < w->end->folds; f++)
    bare = bare || !has_all(w, f, true) || !has_all(w, f, false);
  if (!few && !bare)
    return NULL;
  if (w->end->torn > 0)
    return "most examples that could choose equal others that are learnt from. "
           "Import each of them once, with a weight";
  if (few)
    return "fewer than 8 different examples of some weight could choose. More "
           "would help";
  return "a class has so few examples of some weight that they are all in one "
         "part. More of them would help";
}

th_status th_end_rows_reserve(struct th_end_work *w, struct th_error *err)
{
  int64_t paths = (w->end->folds + 1) * TH_MIXES;
  double *joint = NULL;
  int64_t *equal = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&w->target, w->rows, "targets", err));
  TH_TRY(TH_NEW(&w->weight, w->rows, "weights", err));
  TH_TRY(TH_NEW(&w->list, w->end->folds + 1, "the models compared at the end",
                err));
  TH_TRY(
      TH_NEW(&w->held_row, w->rows, "the examples that choose the model", err));
  TH_TRY(TH_NEW(&w->points, paths, "the models compared at the end", err));
  TH_TRY(th_context_piece_targets(w->context, &w->end->pieces, w->target,
                                  w->weight, err));
  TH_TRY(TH_NEW(&joint, w->rows, "weights", err));
  TH_TRY(TH_NEW(&equal, w->rows, "equal examples", err));
  w->blind = why_blind(w, joint, equal);
  for (int64_t i = 0; i < w->rows; i++)
    if (w->end->fold[i] < w->end->folds)
      w->held_row[w->held++] = i;
  TH_TRY(TH_NEW(&w->prediction, TH_NETS * w->held, "predictions", err));
  TH_TRY(TH_NEW(&w->strict, w->held, "predictions", err));
  TH_TRY(TH_NEW(&w->null, w->held, "predictions", err));
done:
  TH_FREE(joint, equal);
  return rc;
}

/* Make the lists. The last one is of all rows and begins with S. The list of a
 * fold knows nothing of this fold. Collective. */
static th_status make_lists(struct th_end_work *w, struct th_marginal *scores,
                            const struct th_support *support, int64_t most,
                            struct th_error *err)
{
  struct th_context *context = w->context;
  int64_t folds = w->end->folds;
  struct th_end_wish request = {.most = th_max_i64(most, support->size)};
  th_status rc = TH_OK;
  th_end_list_free(&w->all);
  for (int64_t f = 0; f <= folds; f++) {
    if (!w->end->small && f < folds)
      continue;
    request.without = f < folds ? f : -1;
    request.members = f < folds ? NULL : support;
    th_end_list_free(&w->list[f]);
    TH_TRY(th_end_list_make(&w->list[f], scores, context, &request, err));
  }
  rc = th_end_list_unite(&w->all, w->list, folds + 1, err);
  TH_TRY(th_agree(context->comm, rc, err));
done:
  return rc;
}

/* Shorten the lists to what the remaining passes can look at. Collective. */
static th_status choose_lists(struct th_end_work *w, struct th_marginal *scores,
                              const struct th_support *support,
                              struct th_error *err)
{
  int64_t budget = th_source_budget(w->context->source);
  int64_t most = th_end_rows_longest_list(budget, w->rows);
  th_status rc;
  do {
    TH_TRY(make_lists(w, scores, support, most, err));
    most /= 2;
  } while (w->all.count > w->end->passes * budget && most > 0);
done:
  return rc;
}

/* Fetch the lists' values, never more than the budget in one draw. Collective.
 */
static th_status fetch_lists(struct th_end_work *w, struct th_error *err)
{
  struct th_context *context = w->context;
  int64_t budget = th_source_budget(context->source);
  th_status rc = TH_OK;
  th_comm_profile_begin(context->profile);
  th_replicated_columns_init(&w->columns, w->rows, &w->end->pieces);
  for (int64_t k = 0; k < w->all.count && rc == TH_OK; k += budget)
    rc = th_replicated_columns_fetch(&w->columns, context, w->all.attribute + k,
                                     th_min_i64(budget, w->all.count - k), err);
  th_comm_profile_end(context->profile, TH_PHASE_SUPPORT);
  return rc;
}

/* The unit of an attribute in a penalised fit scales with the attribute, and
 * does not change with shifts. It is how far its values go from their mean, and
 * how often: by the deviation alone, rare attributes have large coefficients to
 * pay for. Where effects grow as attributes become rare, as they are simulated
 * for genotypes, the deviation predicts better, and is taken then (end_nets.c).
 * Without an intercept distances are from 0. */
static double penalty_unit(const struct th_statistics *s, bool intercept,
                           double *deviation)
{
  double centre = intercept ? s->mean : 0;
  double reach = fmax(s->highest - centre, centre - s->lowest);
  double off = s->mean - centre;
  *deviation = sqrt(s->deviation * s->deviation + off * off);
  return sqrt(*deviation * reach);
}

/* The factors of listed attributes of this rank. Those that lie near each other
 * are asked for together, since every question to a file has its price. Local.
 */
static th_status own_factors(struct th_end_work *w, struct th_range mine,
                             struct th_error *err)
{
  enum { TOGETHER = 32 * TH_CELL };
  const struct th_context *context = w->context;
  const int64_t *attribute = w->all.attribute;
  struct th_statistics *statistics = NULL;
  th_status rc = TH_NEW(&statistics, TOGETHER, "scales", err);
  for (int64_t k = mine.first; k < mine.last && rc == TH_OK;) {
    int64_t first = attribute[k];
    int64_t end = k + 1;
    while (end < mine.last && attribute[end] - first < TOGETHER)
      end++;
    struct th_range range = {first, attribute[end - 1] + 1};
    rc = th_source_statistics(context->source, range, statistics, err);
    for (; k < end; k++)
      w->unit[TH_UNIT_REACH][k] = penalty_unit(
          &statistics[attribute[k] - first], context->config->intercept,
          &w->unit[TH_UNIT_DEVIATION][k]);
  }
  free(statistics);
  return rc;
}

/* Share the statistics of the listed attributes, which their owners know.
 * Collective. */
static th_status take_scales(struct th_end_work *w, struct th_error *err)
{
  struct th_context *context = w->context;
  struct th_range mine =
      th_range_members(w->all.attribute, w->all.count, context->owned);
  th_status rc = TH_NEW(&w->scale, w->all.count, "scales", err);
  for (int u = 0; u < TH_UNITS && rc == TH_OK; u++)
    rc = TH_NEW(&w->unit[u], w->all.count, "scales", err);
  if (rc == TH_OK)
    rc = own_factors(w, mine, err);
  for (int64_t k = mine.first; k < mine.last && rc == TH_OK; k++)
    w->scale[k] = context->scale[w->all.attribute[k] - context->owned.first];
  TH_TRY(th_agree(context->comm, rc, err));
  context->comm->ops->max_f64(context->comm, w->scale, (size_t)w->all.count);
  for (int u = 0; u < TH_UNITS; u++)
    context->comm->ops->max_f64(context->comm, w->unit[u],
                                (size_t)w->all.count);
done:
  return rc;
}

/* Make vectors of the same values with either scale. Sparse entries are held
 * scaled. Local. */
static th_status make_vectors(struct th_end_work *w, struct th_error *err)
{
  th_status rc;
  TH_TRY(TH_NEW(&w->plain, w->all.count, "the values of candidate attributes",
                err));
  TH_TRY(TH_NEW(&w->scaled, w->all.count, "the values of candidate attributes",
                err));
  for (int64_t k = 0; k < w->all.count; k++) {
    int64_t slot = th_replicated_columns_slot(&w->columns, w->all.attribute[k]);
    struct th_vector *vector = &w->columns.vector[slot];
    w->plain[k] = *vector;
    w->scaled[k] = *vector;
  }
  th_end_rows_take_unit(w, TH_UNIT_REACH);
done:
  return rc;
}

bool th_end_rows_units_differ(const struct th_end_work *w)
{
  enum { ALIKE = 2 }; /* of a penalty */
  double least = INFINITY;
  double most = 0;
  for (int64_t k = 0; k < w->all.count; k++) {
    double ratio = w->unit[TH_UNIT_REACH][k] / w->unit[TH_UNIT_DEVIATION][k];
    if (!isfinite(ratio))
      continue; /* of an attribute that does not vary */
    least = fmin(least, ratio);
    most = fmax(most, ratio);
  }
  return most > ALIKE * least;
}

void th_end_rows_take_unit(struct th_end_work *w, enum th_end_unit unit)
{
  w->in_use = unit;
  for (int64_t k = 0; k < w->all.count; k++)
    w->scaled[k].scale = w->plain[k].scale / (w->scale[k] * w->unit[unit][k]);
}

th_status th_end_rows_fetch_lists(struct th_end_work *w,
                                  struct th_marginal *scores,
                                  const struct th_support *support,
                                  struct th_error *err)
{
  th_status rc;
  TH_TRY(choose_lists(w, scores, support, err));
  TH_TRY(fetch_lists(w, err));
  TH_TRY(take_scales(w, err));
  TH_TRY(th_agree(w->context->comm, make_vectors(w, err), err));
done:
  return rc;
}

/* --- What fits on the list take ------------------------------------------- */

th_status th_end_rows_reserve_model(struct th_end_model *model, int64_t size,
                                    struct th_error *err)
{
  th_status rc;
  th_end_rows_free_model(model);
  model->size = size;
  TH_TRY(TH_NEW(&model->place, size, "the models compared at the end", err));
  TH_TRY(TH_NEW(&model->coef, size, "the models compared at the end", err));
done:
  return rc;
}

void th_end_rows_free_model(struct th_end_model *model)
{
  TH_FREE(model->place, model->coef);
  *model = (struct th_end_model){0};
}

th_status th_end_rows_pick(const struct th_end_work *w,
                           const struct th_end_list *list,
                           const struct th_vector *from, struct th_vector **out,
                           struct th_error *err)
{
  th_status rc =
      TH_NEW(out, list->count, "the values of candidate attributes", err);
  for (int64_t k = 0; k < list->count && rc == TH_OK; k++)
    (*out)[k] = from[th_end_list_find(&w->all, list->attribute[k])];
  return rc;
}

th_status th_end_rows_weigh(const struct th_end_work *w, int64_t f,
                            double **weight, struct th_error *err)
{
  th_status rc = TH_NEW(weight, w->rows, "weights", err);
  for (int64_t i = 0; i < w->rows && rc == TH_OK; i++) {
    bool out = f < w->end->folds && w->end->fold[i] == f;
    (*weight)[i] = out ? 0 : w->weight[i];
  }
  return rc;
}
