/* grouping.c - penalties over groups of attributes that lie on any ranks:
 * the same bits as on one rank, which are those of a plain sum over members
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "math/grouping.h"
#include "mpi/mpi_comm.h"
#include "ranks/partition.h"

#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = 1500, KINDS = 6, CASES = 40 };

/* Groups and numbers of a test case; every rank can compute them all. */
struct problem {
  int kind;
  uint64_t seed;
  const struct th_penalty *penalty;
  double mix;
  int64_t group[ATTRIBUTES]; /* its lowest attribute */
  int64_t size[ATTRIBUTES];  /* of the attribute's group */
  double weight[ATTRIBUTES]; /* likewise; 0: default */
  bool active[ATTRIBUTES];
  double v[ATTRIBUTES];
};

/* What this rank has of it. */
struct part {
  struct th_range owned;
  int64_t count;
  int64_t attribute[ATTRIBUTES];
  double v[ATTRIBUTES];
  struct th_groups groups;
  struct th_grouping grouping;
};

static uint32_t number(const struct problem *p, uint64_t step, int64_t index,
                       uint32_t below)
{
  struct th_stream stream = {p->seed, TH_PURPOSE_TEST};
  uint32_t bits[4];
  th_random_bits(stream, step, (uint64_t)index, bits);
  return bits[0] % below;
}

/* Any number that is the same for the members of a group. */
static int64_t label(const struct problem *p, int64_t j)
{
  switch (p->kind) {
  case 0: /* a few attributes in a row */
    return j / 7;
  case 1: /* scattered */
    return number(p, 1, j, 90);
  case 2: /* one group of nearly all */
    return number(p, 1, j, 10) == 0 ? j + 1 : 0;
  case 3: /* alone */
    return j;
  case 4: /* strided: every rank has members of every group */
    return j % 40;
  default: /* rows of many lengths, some across several cells */
    return number(p, 2, j / 97, 3) == 0 ? j / 600 : 100 + j / 13;
  }
}

static void make_groups(struct problem *p)
{
  static int64_t lowest[2 * ATTRIBUTES];
  static int64_t members[2 * ATTRIBUTES];
  memset(members, 0, sizeof members);
  for (int64_t j = 0; j < ATTRIBUTES; j++) {
    int64_t k = label(p, j);
    lowest[k] = members[k]++ == 0 ? j : lowest[k];
    p->group[j] = lowest[k];
  }
  for (int64_t j = 0; j < ATTRIBUTES; j++) {
    p->size[j] = members[label(p, j)];
    p->weight[j] = number(p, 3, p->group[j], 4) / 2.0;
  }
}

static void make_problem(struct problem *p, int number_of_case)
{
  struct th_stream stream = {9, TH_PURPOSE_TEST};
  p->kind = number_of_case % KINDS;
  p->seed = (uint64_t)number_of_case;
  p->penalty = &th_penalty_table()[number(p, 4, 0, 3)];
  p->mix = number(p, 5, 0, 5) / 4.0;
  make_groups(p);
  for (int64_t j = 0; j < ATTRIBUTES; j++) {
    double pair[2];
    th_random_normal(stream, p->seed, (uint64_t)j, pair);
    p->active[j] = number(p, 6, j, 5) > 0;
    p->v[j] =
        number(p, 7, p->group[j], 3) == 0 ? 0 : ldexp(pair[0], (int)(j % 9));
  }
}

/* All pieces of the description; on rank 0. */
static int64_t make_pieces(const struct problem *p,
                           struct th_group_piece *piece)
{
  int64_t count = 0;
  for (int64_t j = 0; j < ATTRIBUTES; j++)
    if (count > 0 && piece[count - 1].group == p->group[j])
      piece[count - 1].range.last = j + 1;
    else
      piece[count++] = (struct th_group_piece){
          {j, j + 1}, p->group[j], p->size[j], p->weight[j]};
  return count;
}

/* Attributes on ranks: evenly, or on the first, on the last but one, .. */
static struct th_range owned_by(const struct th_comm *comm, int split)
{
  struct th_range none = {0, 0};
  struct th_range all = {0, ATTRIBUTES};
  if (split == 0)
    return th_partition_rank(ATTRIBUTES, comm->rank, comm->size);
  if (split == 1)
    return comm->rank == comm->size - 1 ? all : none;
  int64_t border = comm->size > 1 ? TH_CELL : 0;
  if (comm->rank == 0)
    return (struct th_range){0, border};
  return comm->rank == 1 ? (struct th_range){border, ATTRIBUTES} : none;
}

static void take_part(struct part *part, const struct problem *p,
                      struct th_comm *comm, int split)
{
  static struct th_group_piece piece[ATTRIBUTES];
  struct th_error err = {0};
  int64_t pieces = comm->rank == 0 ? make_pieces(p, piece) : 0;
  *part =
      (struct part){.owned = comm->size == 1 ? (struct th_range){0, ATTRIBUTES}
                                             : owned_by(comm, split)};
  for (int64_t j = part->owned.first; j < part->owned.last; j++)
    if (p->active[j]) {
      part->attribute[part->count] = j;
      part->v[part->count++] = p->v[j];
    }
  CHECK(th_groups_share(&part->groups, comm, ATTRIBUTES, piece, pieces, TH_OK,
                        &err) == TH_OK);
  struct th_grouping_penalty of = {
      .penalty = p->penalty, .mix = p->mix, .groups = &part->groups};
  CHECK(th_grouping_build(&part->grouping, &of, comm, part->attribute,
                          part->count, &err) == TH_OK);
}

static void leave_part(struct part *part)
{
  th_groups_free(&part->groups);
  th_grouping_free(&part->grouping);
}

/* What the penalty is, by attribute and as a number. */
struct answer {
  double prox[ATTRIBUTES];
  double dual[ATTRIBUTES];   /* of the attribute's group */
  double second[ATTRIBUTES]; /* likewise */
  double norm;
};

/* The group of each place, by way of flags: one bit of its number at a time. */
static void number_groups(const struct part *part, int64_t *group)
{
  static bool group_flag[ATTRIBUTES];
  static bool place_flag[ATTRIBUTES];
  memset(group, 0, ATTRIBUTES * sizeof *group);
  for (int bit = 0; ATTRIBUTES >> bit > 0; bit++) {
    for (int64_t g = 0; g < part->grouping.groups; g++)
      group_flag[g] = (g >> bit) & 1;
    th_grouping_spread(&part->grouping, group_flag, place_flag);
    for (int64_t k = 0; k < part->count; k++)
      group[k] |= (int64_t)place_flag[k] << bit;
  }
}

/* From values of groups to those of attributes. */
static void spread(const struct part *part, const double *of_group, double *to)
{
  static int64_t group[ATTRIBUTES];
  number_groups(part, group);
  for (int64_t k = 0; k < part->count; k++)
    to[part->attribute[k]] = of_group[group[k]];
}

static void answer_part(struct part *part, struct th_comm *comm,
                        struct answer *answer)
{
  static double of_group[ATTRIBUTES];
  static double v[ATTRIBUTES];
  struct th_error err = {0};
  size_t bytes = (size_t)part->count * sizeof *v;
  th_grouping_dual(&part->grouping, comm, part->v, of_group);
  spread(part, of_group, answer->dual);
  for (int64_t k = 0; k < part->count; k++)
    v[k] = part->v[k] * part->v[k];
  th_grouping_second(&part->grouping, comm, v, of_group);
  spread(part, of_group, answer->second);
  memcpy(v, part->v, bytes);
  th_grouping_prox(&part->grouping, comm, 0.4, v);
  for (int64_t k = 0; k < part->count; k++)
    answer->prox[part->attribute[k]] = v[k];
  CHECK(th_grouping_norm(&part->grouping, comm, part->v, &answer->norm, &err) ==
        TH_OK);
}

/* The same from the definition of groups, one after the other. */
static void answer_plainly(const struct problem *p, struct answer *answer)
{
  double v[ATTRIBUTES];
  double work[ATTRIBUTES];
  int64_t member[ATTRIBUTES];
  answer->norm = 0;
  for (int64_t g = 0; g < ATTRIBUTES; g++) {
    int64_t count = 0;
    double squares = 0;
    int64_t last = p->penalty->grouped ? ATTRIBUTES : g + 1;
    for (int64_t j = g; j < last && (last == g + 1 || p->group[g] == g); j++)
      if (p->active[j] && (p->penalty->grouped ? p->group[j] : j) == g) {
        member[count] = j;
        v[count++] = p->v[j];
        squares += p->v[j] * p->v[j];
      }
    if (count == 0)
      continue;
    struct th_group_norm norm =
        p->penalty->norm(p->weight[g], p->size[g], p->mix);
    double dual = th_penalty_norm_dual(norm, v, count, work);
    double least = norm.a + norm.c;
    answer->norm += th_penalty_norm_value(norm, v, count);
    th_penalty_norm_prox(norm, 0.4, v, count);
    for (int64_t k = 0; k < count; k++) {
      answer->prox[member[k]] = v[k];
      answer->dual[member[k]] = dual;
      answer->second[member[k]] = squares / (least * least);
    }
  }
}

static void compare(const struct problem *p, const struct part *part,
                    const struct answer *found, const struct answer *right)
{
  bool same = true;
  for (int64_t k = 0; k < part->count; k++) {
    int64_t j = part->attribute[k];
    same = same && found->prox[j] == right->prox[j] &&
           found->dual[j] == right->dual[j] &&
           found->second[j] == right->second[j];
  }
  CHECK(same);
  CHECK_NEAR(found->norm, right->norm, 1e-13);
  if (!same)
    fprintf(stderr, "groups of kind %d, penalty %s\n", p->kind,
            p->penalty->name);
}

/* Weights of l1 are those of the attribute's group. */
static void widen_weights(struct problem *p)
{
  for (int64_t j = 0; j < ATTRIBUTES; j++) {
    p->weight[j] = p->weight[p->group[j]];
    p->size[j] = p->size[p->group[j]];
  }
}

static void test_case(struct th_comm *comm, struct th_comm *self,
                      struct problem *p)
{
  static struct answer right;
  static struct answer alone;
  static struct answer found;
  static struct part part;
  widen_weights(p);
  answer_plainly(p, &right);
  take_part(&part, p, self, 0);
  answer_part(&part, self, &alone);
  compare(p, &part, &alone, &right);
  leave_part(&part);
  for (int split = 0; split < 3; split++) {
    take_part(&part, p, comm, split);
    answer_part(&part, comm, &found);
    compare(p, &part, &found, &right);
    CHECK(memcmp(&found.norm, &alone.norm, sizeof found.norm) == 0);
    leave_part(&part);
  }
}

/* l1 without a description: nothing is stored, nothing sent but for the norm.
 */
static void test_without_groups(struct th_comm *comm)
{
  struct th_range owned = th_partition_rank(ATTRIBUTES, comm->rank, comm->size);
  struct th_grouping grouping = {0};
  struct th_error err = {0};
  double v[ATTRIBUTES];
  double dual[ATTRIBUTES];
  double omega = 0;
  int64_t attribute[ATTRIBUTES];
  int64_t count = owned.last - owned.first;
  int64_t sent = comm->operations;
  for (int64_t k = 0; k < count; k++) {
    attribute[k] = owned.first + k;
    v[k] = (double)(attribute[k] % 5) - 2;
  }
  struct th_grouping_penalty of = {.penalty = th_penalty_find("l1"),
                                   .mix = 0.5};
  CHECK(th_grouping_build(&grouping, &of, comm, attribute, count, &err) ==
        TH_OK);
  CHECK(grouping.norm == NULL && grouping.start == NULL);
  th_grouping_dual(&grouping, comm, v, dual);
  for (int64_t k = 0; k < count; k++)
    CHECK(dual[k] == fabs(v[k]));
  th_grouping_prox(&grouping, comm, 1.5, v);
  CHECK(comm->operations == sent);
  CHECK(th_grouping_norm(&grouping, comm, v, &omega, &err) == TH_OK);
  CHECK(omega == 2 * 0.5 * ATTRIBUTES / 5);
  of.penalty = th_penalty_find("group");
  CHECK(th_grouping_build(&grouping, &of, comm, attribute, count, &err) ==
        TH_EARG);
  th_grouping_free(&grouping);
}

/* Each rank in turn has a value that is no number, or an attribute that the
 * description lacks. */
static void test_failures(struct th_comm *comm, struct problem *p)
{
  static struct part part;
  double omega = 0;
  make_problem(p, 1);
  take_part(&part, p, comm, 0);
  for (int bad = 0; bad < comm->size; bad++) {
    struct th_error err;
    th_error_clear(&err);
    double before = part.v[0];
    part.v[0] = comm->rank == bad ? (double)NAN : before;
    CHECK(th_grouping_norm(&part.grouping, comm, part.v, &omega, &err) ==
          TH_ENUMERIC);
    part.v[0] = before;
    th_error_clear(&err);
    int64_t beyond = ATTRIBUTES + comm->rank;
    struct th_grouping_penalty of = {
        .penalty = p->penalty, .mix = p->mix, .groups = &part.groups};
    CHECK(th_grouping_build(&part.grouping, &of, comm, &beyond,
                            comm->rank == bad, &err) == TH_EARG);
    CHECK(err.rank == bad);
    CHECK(th_grouping_build(&part.grouping, &of, comm, part.attribute,
                            part.count, &err) == TH_OK);
  }
  leave_part(&part);
}

int main(int argc, char **argv)
{
  static struct problem problem;
  struct th_comm comm;
  struct th_comm self;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  th_comm_self(&self);
  for (int k = 0; k < CASES; k++) {
    make_problem(&problem, k);
    CASE(test_case(&comm, &self, &problem));
  }
  CASE(test_without_groups(&comm));
  CASE(test_failures(&comm, &problem));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
