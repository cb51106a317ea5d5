/* groups.c - which attributes act together: a description, spread over ranks
 * SPDX-License-Identifier: MIT */
#include "data/groups.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/search.h"
#include "ranks/partition.h"

#include <stdlib.h>

/* Pieces to be exchanged: the shares of all ranks, one after the other. */
struct parcel {
  struct th_group_piece *send;
  int64_t *send_bytes;     /* by rank */
  int64_t *receive_bytes;  /* by rank */
  struct th_range *wanted; /* by rank: attributes */
};

static void parcel_free(struct parcel *parcel)
{
  TH_FREE(parcel->send, parcel->send_bytes, parcel->receive_bytes,
          parcel->wanted);
}

static th_status parcel_init(struct parcel *parcel, int size,
                             struct th_error *err)
{
  th_status rc = TH_OK;
  *parcel = (struct parcel){0};
  TH_TRY(TH_NEW(&parcel->send_bytes, size, "groups of attributes", err));
  TH_TRY(TH_NEW(&parcel->receive_bytes, size, "groups of attributes", err));
  TH_TRY(TH_NEW(&parcel->wanted, size, "groups of attributes", err));
done:
  return rc;
}

/* The first piece that ends behind an attribute. */
static int64_t first_piece(const struct th_group_piece *piece, int64_t count,
                           int64_t attribute)
{
  return th_search_member(piece, sizeof *piece,
                          offsetof(struct th_group_piece, range.last), count,
                          attribute + 1);
}

/* Copy the pieces that intersect a range, cut to it, to `to` unless that is
 * NULL. Returns their number. */
static int64_t cut_pieces(const struct th_group_piece *piece, int64_t count,
                          struct th_range range, struct th_group_piece *to)
{
  int64_t first = first_piece(piece, count, range.first);
  int64_t last = first;
  for (; last < count && piece[last].range.first < range.last; last++)
    if (to != NULL) {
      to[last - first] = piece[last];
      to[last - first].range = th_range_intersect(piece[last].range, range);
    }
  return last - first;
}

/* Fill the parcel with the pieces for each rank. */
static th_status parcel_fill(struct parcel *parcel, int size,
                             const struct th_group_piece *piece, int64_t count,
                             struct th_error *err)
{
  const int64_t bytes = sizeof *piece;
  int64_t total = 0;
  for (int r = 0; r < size; r++) {
    int64_t wanted = cut_pieces(piece, count, parcel->wanted[r], NULL);
    parcel->send_bytes[r] = wanted * bytes;
    total += wanted;
  }
  th_status rc = TH_NEW(&parcel->send, total, "groups of attributes", err);
  if (rc != TH_OK)
    return rc;
  struct th_group_piece *next = parcel->send;
  for (int r = 0; r < size; r++)
    next += cut_pieces(piece, count, parcel->wanted[r], next);
  return rc;
}

/* Exchange the parcels. Collective. */
static th_status parcel_send(struct parcel *parcel, struct th_comm *comm,
                             th_status rc, struct th_group_piece **piece,
                             int64_t *count, struct th_error *err)
{
  int64_t total = 0;
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->alltoall_i64(comm, parcel->send_bytes, parcel->receive_bytes);
  for (int r = 0; r < comm->size; r++)
    total += parcel->receive_bytes[r] / (int64_t)sizeof **piece;
  rc = TH_NEW(piece, total, "groups of attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->exchange(comm, parcel->send, parcel->send_bytes, *piece,
                      parcel->receive_bytes);
  *count = total;
done:
  return rc;
}

/* Compute the numbers over all pieces. */
static void hash_groups(struct th_groups *groups,
                        const struct th_group_piece *piece, int64_t count)
{
  groups->fingerprint =
      th_integer_hash(TH_FNV_BASIS, piece, (size_t)count * sizeof *piece);
  for (int64_t k = 0; k < count; k++)
    groups->groups += piece[k].range.first == piece[k].group;
}

th_status th_groups_share(struct th_groups *groups, struct th_comm *comm,
                          int64_t attributes,
                          const struct th_group_piece *piece, int64_t count,
                          th_status rc, struct th_error *err)
{
  struct parcel parcel;
  th_status ready = parcel_init(&parcel, comm->size, err);
  rc = rc != TH_OK ? rc : ready;
  *groups = (struct th_groups){.attributes = attributes};
  for (int r = 0; r < comm->size && rc == TH_OK; r++)
    parcel.wanted[r] = th_partition_rank(attributes, r, comm->size);
  if (rc == TH_OK)
    rc = parcel_fill(&parcel, comm->size, piece, comm->rank == 0 ? count : 0,
                     err);
  if (comm->rank == 0 && rc == TH_OK)
    hash_groups(groups, piece, count);
  comm->ops->bcast(comm, &groups->groups, sizeof groups->groups, 0);
  comm->ops->bcast(comm, &groups->fingerprint, sizeof groups->fingerprint, 0);
  rc = parcel_send(&parcel, comm, rc, &groups->piece, &groups->count, err);
  parcel_free(&parcel);
  if (rc != TH_OK)
    th_groups_free(groups);
  return rc;
}

/* Tell all ranks the range of every rank. Collective. */
static void tell_wanted(struct parcel *parcel, struct th_comm *comm,
                        struct th_range range)
{
  parcel->wanted[comm->rank] = range;
  comm->ops->sum_i64(comm, &parcel->wanted[0].first, 2 * (size_t)comm->size);
}

th_status th_groups_fetch(const struct th_groups *groups, struct th_comm *comm,
                          struct th_range range, struct th_group_piece **piece,
                          int64_t *count, struct th_error *err)
{
  struct parcel parcel;
  th_status rc = parcel_init(&parcel, comm->size, err);
  *piece = NULL;
  TH_TRY(th_agree(comm, rc, err));
  tell_wanted(&parcel, comm, range);
  rc = parcel_fill(&parcel, comm->size, groups->piece, groups->count, err);
  TH_TRY(parcel_send(&parcel, comm, rc, piece, count, err));
done:
  parcel_free(&parcel);
  return rc;
}

th_status th_groups_unpenalised(const struct th_groups *groups,
                                struct th_comm *comm, int64_t **attribute,
                                int64_t *count, struct th_error *err)
{
  int64_t *mine = NULL;
  int64_t *bytes = NULL;
  void *all = NULL;
  int64_t found = 0;
  for (int64_t k = 0; k < groups->count; k++)
    if (groups->piece[k].weight == TH_GROUPS_UNPENALISED)
      found += th_range_count(groups->piece[k].range);
  th_status rc = TH_NEW(&mine, found, "groups of attributes", err);
  if (rc == TH_OK)
    rc = TH_NEW(&bytes, comm->size, "groups of attributes", err);
  TH_TRY(th_agree(comm, rc, err));
  found = 0;
  for (int64_t k = 0; k < groups->count; k++)
    for (int64_t j = groups->piece[k].range.first;
         j < groups->piece[k].range.last &&
         groups->piece[k].weight == TH_GROUPS_UNPENALISED;
         j++)
      mine[found++] = j;
  TH_TRY(th_comm_gather(comm, mine, found * (int64_t)sizeof *mine, bytes, &all,
                        err));
  *count = 0;
  for (int r = 0; r < comm->size; r++)
    *count += bytes[r] / (int64_t)sizeof *mine;
  *attribute = all;
done:
  TH_FREE(mine, bytes);
  return rc;
}

void th_groups_free(struct th_groups *groups)
{
  free(groups->piece);
  *groups = (struct th_groups){0};
}
