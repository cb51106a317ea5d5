/* grouping.c - the penalty over a rank's active attributes: prox, dual norms
 * SPDX-License-Identifier: MIT */
#include "math/grouping.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"
#include "ranks/fixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that a member of a shared group takes on every rank: in
 * th_grouping_shared, and as a shared_member while that is made. */
enum { TH_SHARED_MEMBER_BYTES = 24 + 80 };

/* A number from the values of a group; work has room for as many. */
typedef double reduction(struct th_group_norm norm, const double *v,
                         int64_t count, double *work);

static double norm_value(struct th_group_norm norm, const double *v,
                         int64_t count, double *work)
{
  (void)work;
  return th_penalty_norm_value(norm, v, count);
}

static double half_square(struct th_group_norm norm, const double *v,
                          int64_t count, double *work)
{
  (void)work;
  double sum = 0;
  for (int64_t k = 0; k < count; k++)
    sum += v[k] * v[k];
  return norm.q * sum / 2;
}

static double itself(struct th_group_norm norm, const double *v, int64_t count,
                     double *work)
{
  (void)norm;
  (void)count;
  (void)work;
  return v[0];
}

static double second_of(struct th_group_norm norm, const double *v,
                        int64_t count, double *work)
{
  (void)work;
  double sum = 0;
  for (int64_t k = 0; k < count; k++)
    sum += v[k];
  double least = th_penalty_norm_least(norm);
  return least > 0 ? sum / (least * least) : sum;
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
static const double *gather_values(const struct th_grouping *grouping,
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
  return f(norm_of(grouping, g), gather_values(grouping, members, v),
           th_range_count(members), grouping->work);
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

/* What becomes of the members of a group. */
typedef void change(struct th_group_norm norm, double t, double *v,
                    int64_t count);

static void change_group(const struct th_grouping *grouping, change *by,
                         double t, double *v, int64_t g)
{
  struct th_range members = members_of(grouping, g);
  int64_t count = th_range_count(members);
  if (grouping->place == NULL) {
    by(norm_of(grouping, g), t, v + members.first, count);
    return;
  }
  gather_values(grouping, members, v);
  by(norm_of(grouping, g), t, grouping->value, count);
  for (int64_t k = 0; k < count; k++)
    v[grouping->place[members.first + k]] = grouping->value[k];
}

static void change_shared(struct th_grouping *grouping, change *by, double t,
                          double *v)
{
  struct th_grouping_shared *shared = &grouping->shared;
  for (int64_t s = 0; s < shared->groups; s++)
    if (shared->local[s] >= 0)
      by(shared->norm[s], t, shared->value + shared->start[s],
         shared->start[s + 1] - shared->start[s]);
  for (int64_t k = 0; k < shared->mine; k++)
    v[shared->place[k]] = shared->value[shared->at[k]];
}

static void change_all(struct th_grouping *grouping, struct th_comm *comm,
                       change *by, double t, double *v)
{
  if (grouping->norm == NULL) { /* l1: all places as one vector */
    by(grouping->one, t, v, grouping->places);
    return;
  }
  share_values(grouping, comm, v);
  for (int64_t g = 0; g < grouping->groups; g++)
    if (!has_remote(grouping, g))
      change_group(grouping, by, t, v, g);
  change_shared(grouping, by, t, v);
}

void th_grouping_prox(struct th_grouping *grouping, struct th_comm *comm,
                      double t, double *v)
{
  change_all(grouping, comm, th_penalty_norm_prox, t, v);
}

void th_grouping_descend(struct th_grouping *grouping, struct th_comm *comm,
                         double t, double *v)
{
  change_all(grouping, comm, th_penalty_norm_descend, t, v);
}

/* l1 without weights: every place is a group of its own. */
static bool is_plain_l1(const struct th_grouping *grouping)
{
  return grouping->start == NULL && grouping->norm == NULL &&
         grouping->one.a > 0 && grouping->one.c == 0;
}

void th_grouping_dual(struct th_grouping *grouping, struct th_comm *comm,
                      const double *z, double *dual)
{
  if (is_plain_l1(grouping)) /* faster for the many attributes of l1 */
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
static double counted_value(const struct th_grouping *grouping, reduction *f,
                            const double *v, int64_t k)
{
  int64_t s = k - grouping->groups;
  if (s >= 0)
    return grouping->shared.is_owner[s] ? reduce_shared(grouping, f, s) : 0;
  return has_remote(grouping, k) ? 0 : reduce_group(grouping, f, v, k);
}

/* Find what the fixed point needs: the largest value and how many are not 0.
 * Local. */
static th_status survey(const struct th_grouping *grouping, reduction *f,
                        const double *v, double *largest, int64_t *nonzero,
                        struct th_error *err)
{
  int64_t count = grouping->groups + grouping->shared.groups;
  *largest = 0;
  *nonzero = 0;
  for (int64_t k = 0; k < count; k++) {
    double value = counted_value(grouping, f, v, k);
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
static th_status total(struct th_grouping *grouping, struct th_comm *comm,
                       reduction *f, const double *v, double *omega,
                       struct th_error *err)
{
  int64_t count = grouping->groups + grouping->shared.groups;
  struct th_fixed fixed;
  double largest;
  int64_t sums[2];
  share_values(grouping, comm, v);
  th_status rc = survey(grouping, f, v, &largest, &sums[0], err);
  comm->ops->max_f64(comm, &largest, 1);
  rc = th_comm_sum_agree(comm, sums, 1, rc, err);
  if (rc != TH_OK)
    return rc;
  if (!th_fixed_init(&fixed, largest * (double)sums[0]))
    return th_fail(err, TH_ENUMERIC,
                   "the penalty is too large for a double; standardize");
  sums[0] = 0;
  for (int64_t k = 0; k < count; k++)
    sums[0] += th_fixed_from(&fixed, counted_value(grouping, f, v, k));
  comm->ops->sum_i64(comm, sums, 1);
  *omega = th_fixed_to(&fixed, sums[0]);
  return TH_OK;
}

th_status th_grouping_norm(struct th_grouping *grouping, struct th_comm *comm,
                           const double *v, double *omega, struct th_error *err)
{
  return total(grouping, comm, norm_value, v, omega, err);
}

th_status th_grouping_sum(struct th_grouping *grouping, struct th_comm *comm,
                          const double *v, double *sum, struct th_error *err)
{
  return total(grouping, comm, itself, v, sum, err);
}

th_status th_grouping_square(struct th_grouping *grouping, struct th_comm *comm,
                             const double *v, double *square,
                             struct th_error *err)
{
  return total(grouping, comm, half_square, v, square, err);
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

/* --- Groups with members on several ranks --------------------------------- */

/* A member of a shared group, as all ranks know it. */
struct shared_member {
  int64_t group;
  int64_t attribute;
  int64_t rank;
  int64_t place; /* on that rank */
  struct th_group_norm norm;
};

_Static_assert(sizeof(struct shared_member) + 24 == TH_SHARED_MEMBER_BYTES,
               "what a plan counts is what a member takes");

static int by_group_and_attribute(const void *a, const void *b)
{
  const struct shared_member *left = a;
  const struct shared_member *right = b;
  if (left->group != right->group)
    return left->group < right->group ? -1 : 1;
  return (left->attribute > right->attribute) -
         (left->attribute < right->attribute);
}

/* Gather the items of all ranks, in the order of the ranks. Collective. */
static th_status gather_items(struct th_comm *comm, const void *mine,
                              int64_t count, size_t size, void **all,
                              int64_t *total, struct th_error *err)
{
  int64_t *counts = NULL;
  th_status rc = TH_NEW(&counts, comm->size, "groups", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_gather(comm, mine, count * (int64_t)size, counts, all, err));
  *total = 0;
  for (int r = 0; r < comm->size; r++)
    *total += counts[r] / (int64_t)size;
done:
  free(counts);
  return rc;
}

/* Keep the marks only of groups that another rank has marked, too. Both lists
 * of names ascend. */
static void keep_marks(struct th_grouping *grouping, const int64_t *name,
                       const int64_t *marked, int64_t count)
{
  int64_t m = 0;
  for (int64_t g = 0; g < grouping->groups; g++) {
    while (m < count && marked[m] < name[g])
      m++;
    if (grouping->has_remote[g])
      grouping->has_remote[g] = m + 1 < count && marked[m + 1] == name[g];
  }
}

/* Find out which marked groups really have members on other ranks. Collective.
 */
static th_status confirm_marks(struct th_grouping *grouping,
                               struct th_comm *comm, const int64_t *name,
                               struct th_error *err)
{
  int64_t *mine = NULL;
  int64_t *all = NULL;
  int64_t count = 0;
  int64_t total = 0;
  th_status rc = TH_NEW(&mine, grouping->groups, "names of groups", err);
  for (int64_t g = 0; g < grouping->groups && rc == TH_OK; g++)
    if (grouping->has_remote[g])
      mine[count++] = name[g];
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(gather_items(comm, mine, count, sizeof *mine, (void **)&all, &total,
                      err));
  qsort(all, (size_t)total, sizeof *all, th_integer_ascending);
  keep_marks(grouping, name, all, total);
done:
  TH_FREE(mine, all);
  return rc;
}

/* List this rank's members of shared groups. Local. */
static th_status list_members(const struct th_grouping *grouping, int rank,
                              const int64_t *name, const int64_t *attribute,
                              struct shared_member **list, int64_t *count,
                              struct th_error *err)
{
  int64_t found = 0;
  th_status rc = TH_OK;
  for (int64_t g = 0; g < grouping->groups; g++)
    if (grouping->has_remote[g])
      found += grouping->start[g + 1] - grouping->start[g];
  TH_TRY(TH_NEW(list, found, "members of groups", err));
  *count = 0;
  for (int64_t g = 0; g < grouping->groups; g++)
    for (int64_t k = grouping->start[g];
         k < grouping->start[g + 1] && grouping->has_remote[g]; k++) {
      int64_t place = grouping->place != NULL ? grouping->place[k] : k;
      (*list)[(*count)++] = (struct shared_member){
          name[g], attribute[place], rank, place, grouping->norm[g]};
    }
done:
  return rc;
}

static th_status shared_alloc(struct th_grouping_shared *shared,
                              struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&shared->start, shared->groups + 1, "shared groups", err));
  TH_TRY(TH_NEW(&shared->norm, shared->groups, "shared groups", err));
  TH_TRY(TH_NEW(&shared->local, shared->groups, "shared groups", err));
  TH_TRY(TH_NEW(&shared->is_owner, shared->groups, "shared groups", err));
  TH_TRY(TH_NEW(&shared->place, shared->mine, "shared groups", err));
  TH_TRY(TH_NEW(&shared->at, shared->mine, "shared groups", err));
  TH_TRY(TH_NEW(&shared->value, shared->members, "shared groups", err));
done:
  return rc;
}

/* all: sorted by group and attribute; this rank's groups come up in the order
 * of their numbers. Local. */
static void shared_fill(struct th_grouping *grouping,
                        const struct shared_member *all, int rank)
{
  struct th_grouping_shared *shared = &grouping->shared;
  int64_t s = -1;
  int64_t mine = 0;
  int64_t local = -1; /* this rank's group that came up last */
  for (int64_t k = 0; k < shared->members; k++) {
    if (k == 0 || all[k - 1].group != all[k].group) {
      shared->start[++s] = k;
      shared->norm[s] = all[k].norm;
      shared->local[s] = -1;
      shared->is_owner[s] = all[k].rank == rank;
    }
    shared->start[s + 1] = k + 1;
    if (all[k].rank != rank)
      continue;
    if (shared->local[s] < 0) {
      do
        local++;
      while (!grouping->has_remote[local]);
      shared->local[s] = local;
    }
    shared->place[mine] = all[k].place;
    shared->at[mine++] = k;
  }
}

/* Send the members of shared groups to all ranks. Collective. */
static th_status tell_members(struct th_grouping *grouping,
                              struct th_comm *comm, const int64_t *name,
                              const int64_t *attribute, struct th_error *err)
{
  struct th_grouping_shared *shared = &grouping->shared;
  struct shared_member *mine = NULL;
  struct shared_member *all = NULL;
  th_status rc = list_members(grouping, comm->rank, name, attribute, &mine,
                              &shared->mine, err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(gather_items(comm, mine, shared->mine, sizeof *mine, (void **)&all,
                      &shared->members, err));
  qsort(all, (size_t)shared->members, sizeof *all, by_group_and_attribute);
  for (int64_t k = 0; k < shared->members; k++)
    shared->groups += k == 0 || all[k - 1].group != all[k].group;
  rc = shared_alloc(shared, err);
  if (rc == TH_OK)
    shared_fill(grouping, all, comm->rank);
  rc = th_agree(comm, rc, err);
done:
  TH_FREE(mine, all);
  return rc;
}

/* Find out which of the groups with has_remote really have members on other
 * ranks, and fill in grouping->shared. name: of each group here, ascending;
 * attribute: of each place. Collective. */
static th_status grouping_share(struct th_grouping *grouping,
                                struct th_comm *comm, const int64_t *name,
                                const int64_t *attribute, struct th_error *err)
{
  th_status rc = confirm_marks(grouping, comm, name, err);
  return rc == TH_OK ? tell_members(grouping, comm, name, attribute, err) : rc;
}

/* Local. */
static void shared_free(struct th_grouping_shared *shared)
{
  TH_FREE(shared->start, shared->norm, shared->local, shared->is_owner,
          shared->place, shared->at, shared->value);
}

/* --- Groups over the active attributes, from a description ---------------- */

/* A place, and its attribute's entry in the description. */
struct member {
  const struct th_group_piece *piece;
  int64_t place;
};

static int by_group(const void *a, const void *b)
{
  const struct member *left = a;
  const struct member *right = b;
  int64_t l = left->piece->group;
  int64_t r = right->piece->group;
  if (l != r)
    return l < r ? -1 : 1;
  return (left->place > right->place) - (left->place < right->place);
}

/* Both lists ascend. Local. */
static th_status match_all(const struct th_group_piece *piece, int64_t pieces,
                           const int64_t *attribute, int64_t count,
                           struct member *member, struct th_error *err)
{
  int64_t p = 0;
  for (int64_t k = 0; k < count; k++) {
    while (p < pieces && piece[p].range.last <= attribute[k])
      p++;
    if (p == pieces || piece[p].range.first > attribute[k])
      return th_fail(err, TH_EARG, "attribute %lld is in no group",
                     (long long)attribute[k]);
    member[k] = (struct member){&piece[p], k};
  }
  return TH_OK;
}

/* An attribute without a penalty is a group of its own. Names of others are not
 * below 0. */
static th_status free_members(const struct th_grouping_penalty *of,
                              const int64_t *attribute, int64_t count,
                              struct member *member,
                              struct th_group_piece **piece,
                              struct th_error *err)
{
  th_status rc =
      TH_NEW(piece, of->exempt_count, "attributes without a penalty", err);
  for (int64_t k = 0; k < of->exempt_count && rc == TH_OK; k++) {
    int64_t exempt = of->exempt[k];
    int64_t place = th_search_i64(attribute, 0, count, exempt);
    (*piece)[k] = (struct th_group_piece){.range = {exempt, exempt + 1},
                                          .group = -1 - exempt,
                                          .size = 1,
                                          .weight = TH_GROUPS_UNPENALISED};
    if (place < count && attribute[place] == exempt)
      member[place].piece = &(*piece)[k];
  }
  return rc;
}

static bool in_order(const struct member *member, int64_t count)
{
  for (int64_t k = 1; k < count; k++)
    if (by_group(&member[k - 1], &member[k]) > 0)
      return false;
  return true;
}

/* The norm of a piece's group. */
static struct th_group_norm norm_by(const struct th_penalty *penalty,
                                    const struct th_group_piece *piece,
                                    double mix)
{
  return piece->weight == TH_GROUPS_UNPENALISED
             ? (struct th_group_norm){0}
             : penalty->norm(piece->weight, piece->size, mix);
}

/* For a penalty that is not grouped, make each place a group with a weight. */
static th_status weigh_places(struct th_grouping *grouping,
                              const struct th_penalty *penalty, double mix,
                              const struct member *member, struct th_error *err)
{
  th_status rc =
      TH_NEW(&grouping->norm, grouping->places, "penalty weights", err);
  for (int64_t k = 0; k < grouping->places && rc == TH_OK; k++) {
    grouping->norm[k] = norm_by(penalty, member[k].piece, mix);
  }
  grouping->groups = grouping->places;
  return rc;
}

static int64_t count_member_groups(const struct member *member, int64_t count)
{
  int64_t groups = 0;
  for (int64_t k = 0; k < count; k++)
    groups += k == 0 || member[k - 1].piece->group != member[k].piece->group;
  return groups;
}

/* Cut the sorted members into groups. A group with members that are not here is
 * marked, since other ranks may have them. */
static void cut_groups(struct th_grouping *grouping,
                       const struct th_penalty *penalty, double mix,
                       const struct member *member)
{
  int64_t g = -1;
  for (int64_t k = 0; k < grouping->places; k++) {
    const struct th_group_piece *piece = member[k].piece;
    if (k == 0 || member[k - 1].piece->group != piece->group) {
      grouping->start[++g] = k;
      grouping->norm[g] = norm_by(penalty, piece, mix);
    }
    grouping->start[g + 1] = k + 1;
    grouping->has_remote[g] = k + 1 - grouping->start[g] < piece->size;
    if (grouping->place != NULL)
      grouping->place[k] = member[k].place;
  }
}

static th_status form_groups(struct th_grouping *grouping,
                             const struct th_penalty *penalty, double mix,
                             struct member *member, struct th_error *err)
{
  int64_t places = grouping->places;
  bool ordered = in_order(member, places);
  th_status rc = TH_OK;
  if (!ordered)
    qsort(member, (size_t)places, sizeof *member, by_group);
  grouping->groups = count_member_groups(member, places);
  TH_TRY(TH_NEW(&grouping->norm, grouping->groups, "groups", err));
  TH_TRY(TH_NEW(&grouping->start, grouping->groups + 1, "groups", err));
  TH_TRY(TH_NEW(&grouping->has_remote, grouping->groups, "groups", err));
  if (!ordered)
    TH_TRY(TH_NEW(&grouping->place, places, "members of groups", err));
  cut_groups(grouping, penalty, mix, member);
done:
  return rc;
}

/* Read the description of this rank's places. If groups are formed,
 * (*name)[g] is a group's name. Collective. */
static th_status fetch_groups(struct th_grouping *grouping,
                              const struct th_grouping_penalty *of,
                              struct th_comm *comm, const int64_t *attribute,
                              int64_t **name, struct th_error *err)
{
  int64_t count = grouping->places;
  struct th_range range = {0, 0};
  struct th_group_piece *piece = NULL;
  struct th_group_piece *freed = NULL;
  struct member *member = NULL;
  int64_t pieces = 0;
  th_status rc;
  if (count > 0)
    range = (struct th_range){attribute[0], attribute[count - 1] + 1};
  TH_TRY(th_groups_fetch(of->groups, comm, range, &piece, &pieces, err));
  rc = TH_NEW(&member, count, "members of groups", err);
  if (rc == TH_OK)
    rc = match_all(piece, pieces, attribute, count, member, err);
  if (rc == TH_OK)
    rc = free_members(of, attribute, count, member, &freed, err);
  if (rc == TH_OK && !of->penalty->grouped)
    rc = weigh_places(grouping, of->penalty, of->mix, member, err);
  else if (rc == TH_OK)
    rc = form_groups(grouping, of->penalty, of->mix, member, err);
  if (rc == TH_OK)
    rc = TH_NEW(name, grouping->groups, "names of groups", err);
  for (int64_t g = 0; g < grouping->groups && rc == TH_OK; g++)
    (*name)[g] =
        member[grouping->start != NULL ? grouping->start[g] : g].piece->group;
  rc = th_agree(comm, rc, err);
done:
  TH_FREE(piece, freed, member);
  return rc;
}

/* Make room for the members of the widest group. Local. */
static th_status make_room(struct th_grouping *grouping, struct th_error *err)
{
  const struct th_grouping_shared *shared = &grouping->shared;
  int64_t widest = 1;
  th_status rc = TH_OK;
  for (int64_t g = 0; g < grouping->groups && grouping->start != NULL; g++)
    if (grouping->start[g + 1] - grouping->start[g] > widest)
      widest = grouping->start[g + 1] - grouping->start[g];
  for (int64_t s = 0; s < shared->groups; s++)
    if (shared->start[s + 1] - shared->start[s] > widest)
      widest = shared->start[s + 1] - shared->start[s];
  TH_TRY(TH_NEW(&grouping->value, widest, "values of a group", err));
  TH_TRY(TH_NEW(&grouping->work, widest, "values of a group", err));
done:
  return rc;
}

static th_status build(struct th_grouping *grouping,
                       const struct th_grouping_penalty *of,
                       struct th_comm *comm, const int64_t *attribute,
                       struct th_error *err)
{
  int64_t *name = NULL;
  th_status rc;
  TH_TRY(fetch_groups(grouping, of, comm, attribute, &name, err));
  if (of->penalty->grouped)
    TH_TRY(grouping_share(grouping, comm, name, attribute, err));
  rc = make_room(grouping, err);
  rc = th_agree(comm, rc, err);
done:
  free(name);
  return rc;
}

/* Count the members of groups of several pieces, in this rank's share of them.
 */
static int64_t scattered_members(const struct th_groups *groups)
{
  int64_t members = 0;
  for (int64_t k = 0; k < groups->count; k++) {
    int64_t size = th_range_count(groups->piece[k].range);
    members += size < groups->piece[k].size ? size : 0;
  }
  return members;
}

int64_t th_grouping_bytes(const struct th_groups *groups,
                          const struct th_penalty *penalty, int64_t count,
                          int ranks)
{
  const int64_t norm = sizeof(struct th_group_norm);
  const int64_t piece = sizeof(struct th_group_piece);
  const int64_t member = sizeof(struct member) + sizeof(int64_t);
  if (groups == NULL)
    return 0;
  /* pieces as they are kept, sent and fetched; a place and its member */
  int64_t bytes = 3 * piece * groups->count + member * count;
  if (!penalty->grouped)
    return bytes + norm * count;
  /* of each group here its norm, start, name and mark */
  double share = (double)count / (double)groups->attributes;
  bytes += (int64_t)(share * (double)groups->groups) * (norm + 17);
  if (ranks > 1)
    bytes += scattered_members(groups) * ranks * TH_SHARED_MEMBER_BYTES;
  return bytes;
}

/* l1 without weights, but for some places that have no penalty. Local. */
static th_status free_places(struct th_grouping *grouping,
                             const struct th_grouping_penalty *of,
                             const int64_t *attribute, struct th_error *err)
{
  int64_t count = grouping->places;
  th_status rc = TH_NEW(&grouping->norm, count, "penalty weights", err);
  for (int64_t k = 0; k < count && rc == TH_OK; k++)
    grouping->norm[k] = grouping->one;
  for (int64_t k = 0; k < of->exempt_count && rc == TH_OK; k++) {
    int64_t place = th_search_i64(attribute, 0, count, of->exempt[k]);
    if (place < count && attribute[place] == of->exempt[k])
      grouping->norm[place] = (struct th_group_norm){0};
  }
  return rc;
}

th_status th_grouping_bound(struct th_grouping *grouping, struct th_error *err)
{
  int64_t count = grouping->places;
  th_status rc = TH_OK;
  grouping->bounded = true;
  if (grouping->norm != NULL)
    return rc;
  rc = TH_NEW(&grouping->norm, count, "penalty weights", err);
  for (int64_t k = 0; k < count && rc == TH_OK; k++)
    grouping->norm[k] = grouping->one;
  return rc;
}

th_status th_grouping_build(struct th_grouping *grouping,
                            const struct th_grouping_penalty *of,
                            struct th_comm *comm, const int64_t *attribute,
                            int64_t count, struct th_error *err)
{
  th_grouping_free(grouping);
  grouping->places = count;
  if (of->penalty->ridge != NULL)
    grouping->ridge = of->penalty->ridge(of->mix);
  if (of->groups == NULL && of->penalty->grouped)
    return th_fail(err, TH_EARG, "penalty %s needs groups", of->penalty->name);
  if (of->groups == NULL) {
    grouping->groups = count;
    grouping->one = of->penalty->norm(0, 1, of->mix);
    return of->exempt_count == 0
               ? TH_OK
               : th_agree(comm, free_places(grouping, of, attribute, err), err);
  }
  th_status rc = build(grouping, of, comm, attribute, err);
  if (rc != TH_OK)
    th_grouping_free(grouping);
  return rc;
}

void th_grouping_free(struct th_grouping *grouping)
{
  TH_FREE(grouping->norm, grouping->start, grouping->place,
          grouping->has_remote, grouping->value, grouping->work);
  shared_free(&grouping->shared);
  *grouping = (struct th_grouping){0};
}
