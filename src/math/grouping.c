/* grouping.c - the penalty over a rank's active attributes: prox, dual norms
 * SPDX-License-Identifier: MIT */
#include "math/grouping.h"

#include "core/fixed.h"

#include <math.h>
#include <string.h>

/* A number from the values of a group; work has room for as many. */
typedef double reduction(struct th_group_norm norm, const double *v,
                         int64_t count, double *work);

static double value_of(struct th_group_norm norm, const double *v,
                       int64_t count, double *work)
{
  (void)work;
  return th_penalty_norm_value(norm, v, count);
}

static double second_of(struct th_group_norm norm, const double *v,
                        int64_t count, double *work)
{
  (void)work;
  double sum = 0;
  for (int64_t k = 0; k < count; k++)
    sum += v[k];
  return sum / (th_penalty_norm_least(norm) * th_penalty_norm_least(norm));
}

static struct th_group_norm norm_of(const struct th_grouping *grouping,
                                    int64_t g)
{
  return grouping->norm != NULL ? grouping->norm[g] : grouping->one;
}

static struct th_range members_of(const struct th_grouping *grouping, int64_t g)
{
  if (grouping->start == NULL)
    return (struct th_range){g, g + 1};
  return (struct th_range){grouping->start[g], grouping->start[g + 1]};
}

static bool has_remote(const struct th_grouping *grouping, int64_t g)
{
  return grouping->has_remote != NULL && grouping->has_remote[g];
}

/* Return a group's values in one piece: in their place, or copied. */
static const double *gather(const struct th_grouping *grouping,
                            struct th_range members, const double *v)
{
  if (grouping->place == NULL)
    return v + members.first;
  for (int64_t k = members.first; k < members.last; k++)
    grouping->value[k - members.first] = v[grouping->place[k]];
  return grouping->value;
}

static double reduce_group(const struct th_grouping *grouping, reduction *f,
                           const double *v, int64_t g)
{
  struct th_range members = members_of(grouping, g);
  return f(norm_of(grouping, g), gather(grouping, members, v),
           members.last - members.first, grouping->work);
}

static double reduce_shared(const struct th_grouping *grouping, reduction *f,
                            int64_t s)
{
  const struct th_grouping_shared *shared = &grouping->shared;
  return f(shared->norm[s], shared->value + shared->start[s],
           shared->start[s + 1] - shared->start[s], grouping->work);
}

/* Give the values of shared groups to all ranks. Collective where a group is
 * shared. */
static void share_values(struct th_grouping *grouping, struct th_comm *comm,
                         const double *v)
{
  struct th_grouping_shared *shared = &grouping->shared;
  if (shared->groups == 0)
    return;
  memset(shared->value, 0, (size_t)shared->members * sizeof *shared->value);
  for (int64_t k = 0; k < shared->mine; k++)
    shared->value[shared->at[k]] = v[shared->place[k]];
  th_comm_share_numbers(comm, shared->value, (size_t)shared->members);
}

/* Compute out[g] = f of each group here. Collective where a group is shared. */
static void reduce_all(struct th_grouping *grouping, struct th_comm *comm,
                       reduction *f, const double *v, double *out)
{
  const struct th_grouping_shared *shared = &grouping->shared;
  share_values(grouping, comm, v);
  for (int64_t g = 0; g < grouping->groups; g++)
    if (!has_remote(grouping, g))
      out[g] = reduce_group(grouping, f, v, g);
  for (int64_t s = 0; s < shared->groups; s++)
    if (shared->local[s] >= 0)
      out[shared->local[s]] = reduce_shared(grouping, f, s);
}

static void prox_group(const struct th_grouping *grouping, double t, double *v,
                       int64_t g)
{
  struct th_range members = members_of(grouping, g);
  int64_t count = members.last - members.first;
  if (grouping->place == NULL) {
    th_penalty_norm_prox(norm_of(grouping, g), t, v + members.first, count);
    return;
  }
  gather(grouping, members, v);
  th_penalty_norm_prox(norm_of(grouping, g), t, grouping->value, count);
  for (int64_t k = 0; k < count; k++)
    v[grouping->place[members.first + k]] = grouping->value[k];
}

static void prox_shared(struct th_grouping *grouping, double t, double *v)
{
  struct th_grouping_shared *shared = &grouping->shared;
  for (int64_t s = 0; s < shared->groups; s++)
    if (shared->local[s] >= 0)
      th_penalty_norm_prox(shared->norm[s], t, shared->value + shared->start[s],
                           shared->start[s + 1] - shared->start[s]);
  for (int64_t k = 0; k < shared->mine; k++)
    v[shared->place[k]] = shared->value[shared->at[k]];
}

void th_grouping_prox(struct th_grouping *grouping, struct th_comm *comm,
                      double t, double *v)
{
  if (grouping->norm == NULL) { /* l1: all places as one vector */
    th_penalty_norm_prox(grouping->one, t, v, grouping->places);
    return;
  }
  share_values(grouping, comm, v);
  for (int64_t g = 0; g < grouping->groups; g++)
    if (!has_remote(grouping, g))
      prox_group(grouping, t, v, g);
  prox_shared(grouping, t, v);
}

/* l1 without weights: every place is a group of its own. */
static bool is_plain(const struct th_grouping *grouping)
{
  return grouping->start == NULL && grouping->norm == NULL &&
         grouping->one.a > 0 && grouping->one.c == 0;
}

void th_grouping_dual(struct th_grouping *grouping, struct th_comm *comm,
                      const double *z, double *dual)
{
  if (is_plain(grouping)) /* faster for the many attributes of l1 */
    for (int64_t k = 0; k < grouping->places; k++)
      dual[k] = fabs(z[k]) / grouping->one.a;
  else
    reduce_all(grouping, comm, th_penalty_norm_dual, z, dual);
}

void th_grouping_second(struct th_grouping *grouping, struct th_comm *comm,
                        const double *second, double *of_group)
{
  reduce_all(grouping, comm, second_of, second, of_group);
}

/* Return the value of number k of this rank's groups and then of the shared
 * ones; 0 if another rank counts this group. */
static double counted_value(const struct th_grouping *grouping, const double *v,
                            int64_t k)
{
  int64_t s = k - grouping->groups;
  if (s >= 0)
    return grouping->shared.is_owner[s] ? reduce_shared(grouping, value_of, s)
                                        : 0;
  return has_remote(grouping, k) ? 0 : reduce_group(grouping, value_of, v, k);
}

/* Find what the fixed point needs: the largest value and how many are not 0.
 * Local. */
static th_status survey(const struct th_grouping *grouping, const double *v,
                        double *largest, int64_t *nonzero, struct th_error *err)
{
  int64_t count = grouping->groups + grouping->shared.groups;
  *largest = 0;
  *nonzero = 0;
  for (int64_t k = 0; k < count; k++) {
    double value = counted_value(grouping, v, k);
    if (!isfinite(value))
      return th_fail(err, TH_ENUMERIC,
                     "a coefficient is not a finite number; standardize, or "
                     "take a larger {lambda}");
    *largest = fmax(*largest, value);
    *nonzero += value > 0;
  }
  return TH_OK;
}

/* Each group's value is rounded by itself, so that the sum is the same for any
 * split over ranks. */
th_status th_grouping_norm(struct th_grouping *grouping, struct th_comm *comm,
                           const double *v, double *omega, struct th_error *err)
{
  int64_t count = grouping->groups + grouping->shared.groups;
  struct th_fixed fixed;
  double largest;
  int64_t sums[2];
  share_values(grouping, comm, v);
  th_status rc = survey(grouping, v, &largest, &sums[0], err);
  comm->ops->max_f64(comm, &largest, 1);
  rc = th_comm_sum_agree(comm, sums, 1, rc, err);
  if (rc != TH_OK)
    return rc;
  if (!th_fixed_init(&fixed, largest * (double)sums[0]))
    return th_fail(err, TH_ENUMERIC,
                   "the penalty is too large for a double; standardize");
  sums[0] = 0;
  for (int64_t k = 0; k < count; k++)
    sums[0] += th_fixed_from(&fixed, counted_value(grouping, v, k));
  comm->ops->sum_i64(comm, sums, 1);
  *omega = th_fixed_to(&fixed, sums[0]);
  return TH_OK;
}

void th_grouping_spread(const struct th_grouping *grouping,
                        const bool *of_group, bool *of_place)
{
  for (int64_t g = 0; g < grouping->groups; g++) {
    struct th_range members = members_of(grouping, g);
    for (int64_t k = members.first; k < members.last; k++)
      of_place[grouping->place != NULL ? grouping->place[k] : k] = of_group[g];
  }
}
