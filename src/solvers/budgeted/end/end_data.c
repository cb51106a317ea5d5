/* end_data.c - the lists and columns that the candidates of an end are fitted
 * on
 * SPDX-License-Identifier: MIT */
#include "core/integer.h"
#include "core/memory.h"
#include "solvers/budgeted/end/end_parts.h"

#include <math.h>
#include <stdlib.h>

enum { LONGEST_LIST = 16384, SHORTEST_LIST = 64 };

/* Values of the list on all examples: the shortest list on the most examples.
 */
static const double most_values = (double)SHORTEST_LIST * TH_END_MOST;

static const double rounding = 1e-9; /* of sums of weights */

int64_t th_end_longest_list(int64_t budget, int64_t n)
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

double th_end_effective(const double *weight, const int64_t *equal,
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
  return th_end_effective(joint, equal, w->rows);
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

th_status th_end_reserve(struct th_end_work *w, struct th_error *err)
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
  TH_TRY(th_end_targets(w->end, w->context, w->target, w->weight, err));
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
  int64_t most = th_end_longest_list(budget, w->rows);
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
static th_status fetch(struct th_end_work *w, struct th_error *err)
{
  struct th_context *context = w->context;
  int64_t budget = th_source_budget(context->source);
  th_status rc = TH_OK;
  th_profile_begin(context->profile);
  th_replicated_columns_init(&w->columns, w->rows, &w->end->pieces);
  for (int64_t k = 0; k < w->all.count && rc == TH_OK; k += budget)
    rc = th_replicated_columns_fetch(&w->columns, context, w->all.attribute + k,
                                     th_min_i64(budget, w->all.count - k), err);
  th_profile_end(context->profile, TH_PHASE_SUPPORT);
  return rc;
}

/* The unit of an attribute in a penalised fit: how far its values go from their
 * mean, and how often. It scales with the attribute and does not change with
 * shifts. The deviation alone would put rare attributes at a disadvantage.
 * Without an intercept distances are from 0. */
static double factor_of(const struct th_statistics *s, bool intercept)
{
  double centre = intercept ? s->mean : 0;
  double reach = fmax(s->highest - centre, centre - s->lowest);
  double off = s->mean - centre;
  return sqrt(sqrt(s->deviation * s->deviation + off * off) * reach);
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
      w->factor[k] = factor_of(&statistics[attribute[k] - first],
                               context->config->intercept);
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
  if (rc == TH_OK)
    rc = TH_NEW(&w->factor, w->all.count, "scales", err);
  if (rc == TH_OK)
    rc = own_factors(w, mine, err);
  for (int64_t k = mine.first; k < mine.last && rc == TH_OK; k++)
    w->scale[k] = context->scale[w->all.attribute[k] - context->owned.first];
  TH_TRY(th_agree(context->comm, rc, err));
  context->comm->ops->max_f64(context->comm, w->scale, (size_t)w->all.count);
  context->comm->ops->max_f64(context->comm, w->factor, (size_t)w->all.count);
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
    w->scaled[k].scale = vector->scale / (w->scale[k] * w->factor[k]);
  }
done:
  return rc;
}

th_status th_end_gather(struct th_end_work *w, struct th_marginal *scores,
                        const struct th_support *support, struct th_error *err)
{
  th_status rc;
  TH_TRY(choose_lists(w, scores, support, err));
  TH_TRY(fetch(w, err));
  TH_TRY(take_scales(w, err));
  TH_TRY(th_agree(w->context->comm, make_vectors(w, err), err));
done:
  return rc;
}
