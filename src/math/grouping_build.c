/* grouping_build.c - groups over the active attributes, from a description
 * SPDX-License-Identifier: MIT */
#include "math/grouping_parts.h"

#include "core/memory.h"

#include <stdlib.h>

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
static th_status match(const struct th_group_piece *piece, int64_t pieces,
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

static bool in_order(const struct member *member, int64_t count)
{
  for (int64_t k = 1; k < count; k++)
    if (by_group(&member[k - 1], &member[k]) > 0)
      return false;
  return true;
}

/* For a penalty that is not grouped, make each place a group with a weight. */
static th_status weigh_places(struct th_grouping *grouping,
                              const struct th_penalty *penalty, double mix,
                              const struct member *member, struct th_error *err)
{
  th_status rc =
      TH_NEW(&grouping->norm, grouping->places, "penalty weights", err);
  for (int64_t k = 0; k < grouping->places && rc == TH_OK; k++) {
    const struct th_group_piece *piece = member[k].piece;
    grouping->norm[k] = penalty->norm(piece->weight, piece->size, mix);
  }
  grouping->groups = grouping->places;
  return rc;
}

static int64_t count_groups(const struct member *member, int64_t count)
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
      grouping->norm[g] = penalty->norm(piece->weight, piece->size, mix);
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
  grouping->groups = count_groups(member, places);
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
static th_status read_groups(struct th_grouping *grouping,
                             const struct th_grouping_penalty *of,
                             struct th_comm *comm, const int64_t *attribute,
                             int64_t **name, struct th_error *err)
{
  int64_t count = grouping->places;
  struct th_range range = {0, 0};
  struct th_group_piece *piece = NULL;
  struct member *member = NULL;
  int64_t pieces = 0;
  th_status rc;
  if (count > 0)
    range = (struct th_range){attribute[0], attribute[count - 1] + 1};
  TH_TRY(th_groups_fetch(of->groups, comm, range, &piece, &pieces, err));
  rc = TH_NEW(&member, count, "members of groups", err);
  if (rc == TH_OK)
    rc = match(piece, pieces, attribute, count, member, err);
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
  TH_FREE(piece, member);
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
  TH_TRY(read_groups(grouping, of, comm, attribute, &name, err));
  if (of->penalty->grouped)
    TH_TRY(th_grouping_share(grouping, comm, name, attribute, err));
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
    int64_t size = groups->piece[k].range.last - groups->piece[k].range.first;
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

th_status th_grouping_build(struct th_grouping *grouping,
                            const struct th_grouping_penalty *of,
                            struct th_comm *comm, const int64_t *attribute,
                            int64_t count, struct th_error *err)
{
  th_grouping_free(grouping);
  grouping->places = count;
  if (of->groups == NULL && of->penalty->grouped)
    return th_fail(err, TH_EARG, "penalty %s needs groups", of->penalty->name);
  if (of->groups == NULL) {
    grouping->groups = count;
    grouping->one = of->penalty->norm(0, 1, of->mix);
    return TH_OK;
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
  th_grouping_shared_free(&grouping->shared);
  *grouping = (struct th_grouping){0};
}
