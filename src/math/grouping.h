/* grouping.h - the penalty over a rank's active attributes: prox, dual norms
 *
 * Vectors are over the places of the active attributes
 * (solvers/access/active.h). Here a group has only its active members. The
 * groups with members on this rank are numbered in the order of their lowest
 * attributes. l1 makes a group of every place and stores nothing for it, unless
 * a description gives weights.
 *
 * A group with active members on several ranks is shared. All ranks receive the
 * values of its members in ascending order of attributes. Each rank that needs
 * a result applies the same function to the same vector, so that no bit depends
 * on ranks. If no group is shared, nothing is sent. Each rank pays 32 bytes for
 * every member of a shared group. Groups that follow the order of attributes
 * are therefore cheap.
 * SPDX-License-Identifier: MIT */
#ifndef TH_GROUPING_H
#define TH_GROUPING_H

#include "data/groups.h"
#include "math/penalty.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

/* The groups that several ranks share; members of one group after the other. */
struct th_grouping_shared {
  int64_t groups;  /* the same on every rank, like the next three fields */
  int64_t members; /* of all of them */
  int64_t *start;  /* groups + 1: members of each in values */
  struct th_group_norm *norm;
  int64_t *local; /* the number of the group on this rank, or -1 */
  bool *is_owner; /* this rank holds its lowest active member */
  int64_t mine;   /* members on this rank: */
  int64_t *place; /* mine */
  int64_t *at;    /* mine: the same among all members */
  double *value;  /* members */
};

struct th_grouping {
  int64_t places;
  int64_t groups;             /* with members here */
  double ridge;               /* over lambda; 0: the penalty has none */
  bool bounded;               /* some places have bounds */
  struct th_group_norm one;   /* of every group, where norm is NULL */
  struct th_group_norm *norm; /* groups */
  int64_t *start;   /* groups + 1: members of each; NULL: group g is the
                       place g */
  int64_t *place;   /* members, ascending within a group; NULL: they are the
                       places in order */
  bool *has_remote; /* groups: has members on other ranks as well; NULL:
                      none has */
  double *value;    /* room for the members of a group, twice */
  double *work;
  struct th_grouping_shared shared;
};

/* A penalty with the description of its groups; borrowed. */
struct th_grouping_penalty {
  const struct th_penalty *penalty;
  double mix;
  const struct th_groups *groups; /* NULL: l1 without weights */
  const int64_t *exempt; /* ascending: attributes without a penalty. Each is a
                            group of its own, whose norm has a = c = 0 */
  int64_t exempt_count;
};

/* Form the groups of this rank's active attributes, attribute[count],
 * ascending. Groups that *grouping held before are released. Collective. An
 * error for a grouped penalty without a description, or an attribute that is
 * not in it. Release with th_grouping_free. */
th_status th_grouping_build(struct th_grouping *grouping,
                            const struct th_grouping_penalty *of,
                            struct th_comm *comm, const int64_t *attribute,
                            int64_t count, struct th_error *err);
/* Local. */
void th_grouping_free(struct th_grouping *grouping);

/* Return the bytes that building and holding the groups of `count` attributes
 * takes on one of `ranks` ranks, with the description. Groups of several pieces
 * are taken for shared. Local: the description may be spread unevenly. */
int64_t th_grouping_bytes(const struct th_groups *groups,
                          const struct th_penalty *penalty, int64_t count,
                          int ranks);

/* Give each place a norm of its own, which may get bounds. Of a penalty that is
 * not grouped. Local. */
th_status th_grouping_bound(struct th_grouping *grouping, struct th_error *err);

/* Replace v by the prox of t Omega at v. Collective where a group is shared. */
void th_grouping_prox(struct th_grouping *grouping, struct th_comm *comm,
                      double t, double *v);

/* v -= t Z, where Z is the subgradient of Omega at v that is 0 where v is.
 * Collective where a group is shared. */
void th_grouping_descend(struct th_grouping *grouping, struct th_comm *comm,
                         double t, double *v);

/* Compute dual[g] = Omega_g^D(z_g). Collective where a group is shared. */
void th_grouping_dual(struct th_grouping *grouping, struct th_comm *comm,
                      const double *z, double *dual);

/* Compute of_group[g] = N_g from second[place] = N_j = sum eta x_ij^2, as the
 * bound sum of N_j / (a + c)^2; without a penalty the sum of N_j. Collective
 * where a group is shared. */
void th_grouping_second(struct th_grouping *grouping, struct th_comm *comm,
                        const double *second, double *of_group);

/* Compute *omega = Omega(v) over all ranks; it is the same on each. Collective.
 * An error if a value is not finite. */
th_status th_grouping_norm(struct th_grouping *grouping, struct th_comm *comm,
                           const double *v, double *omega,
                           struct th_error *err);

/* Compute *sum = sum of v, not below 0, over all groups, likewise. Of a penalty
 * that is not grouped. Collective. */
th_status th_grouping_sum(struct th_grouping *grouping, struct th_comm *comm,
                          const double *v, double *sum, struct th_error *err);

/* Compute *square = sum of q norm2(v_g)^2 / 2, likewise. Collective. */
th_status th_grouping_square(struct th_grouping *grouping, struct th_comm *comm,
                             const double *v, double *square,
                             struct th_error *err);

/* Copy the flag of each group to all its places. Local. */
void th_grouping_spread(const struct th_grouping *grouping,
                        const bool *of_group, bool *of_place);

#endif
