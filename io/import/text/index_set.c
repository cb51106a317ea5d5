/* index_set.c - the indices that occur in sparse text, and the numbers of the
 * attributes that they name
 * SPDX-License-Identifier: MIT */
#include "io/import/text/index_set.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/import/text/text_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  FIRST_SLOTS = 1024,
  SLOT = sizeof(uint64_t) + sizeof(uint32_t), /* bytes */
  DIGITS = 20                                 /* of the largest index */
};

/* --- The table ------------------------------------------------------------ */

int64_t th_index_set_bytes(int64_t count)
{
  /* a table, at least a quarter full; what is sorted, sent and received */
  const int64_t each = 4 * SLOT + 4 * (int64_t)sizeof(uint64_t);
  return FIRST_SLOTS * SLOT + each * count;
}

th_status th_index_set_begin(struct th_index_set *set, uint64_t largest,
                             int64_t bytes, struct th_error *err)
{
  uint64_t words = largest / 64 + 1;
  *set = (struct th_index_set){0};
  if (words > (uint64_t)bytes / sizeof *set->bit)
    return TH_OK;
  set->words = (int64_t)words;
  th_status rc = TH_NEW(&set->bit, set->words, "indices", err);
  if (rc == TH_OK)
    memset(set->bit, 0, words * sizeof *set->bit);
  return rc;
}

/* Put an index that is not there at its place. */
static void put_index(struct th_index_set *set, uint64_t index, uint32_t number)
{
  int64_t at = th_index_set_slot(set, index);
  while (set->number[at] != TH_INDEX_FREE)
    at = (at + 1) & (set->slots - 1);
  set->index[at] = index;
  set->number[at] = number;
}

static th_status index_room(struct th_index_set *set, int64_t count,
                            struct th_error *err)
{
  struct th_index_set made = {.slots = th_max_i64(FIRST_SLOTS, set->slots),
                              .count = set->count};
  th_status rc = TH_OK;
  if (count <= set->slots / 2)
    return TH_OK;
  while (count > made.slots / 2)
    made.slots *= 2;
  TH_TRY(TH_NEW(&made.index, made.slots, "indices", err));
  TH_TRY(TH_NEW(&made.number, made.slots, "indices", err));
  memset(made.number, 0xff, (size_t)made.slots * sizeof *made.number);
  for (int64_t k = 0; k < set->slots; k++)
    if (set->number[k] != TH_INDEX_FREE)
      put_index(&made, set->index[k], set->number[k]);
  th_index_set_free(set);
  *set = made;
  made = (struct th_index_set){0};
done:
  th_index_set_free(&made);
  return rc;
}

th_status th_index_set_add(struct th_index_set *set, uint64_t index,
                           struct th_error *err)
{
  if (set->bit != NULL) {
    uint64_t *word = &set->bit[index / 64];
    uint64_t bit = UINT64_C(1) << index % 64;
    set->count += (*word & bit) == 0;
    *word |= bit;
    return TH_OK;
  }
  if (th_index_set_find(set, index) >= 0)
    return TH_OK;
  th_status rc = index_room(set, set->count + 1, err);
  if (rc != TH_OK)
    return rc;
  put_index(set, index, 0);
  set->count++;
  return TH_OK;
}

th_status th_index_set_note(struct th_index_set *set, uint64_t index,
                            struct th_error *err)
{
  return set->count < TH_INDEX_NOTED ? th_index_set_add(set, index, err)
                                     : TH_OK;
}

th_status th_index_set_merge(struct th_index_set *set,
                             struct th_index_set *other, struct th_error *err)
{
  th_status rc = TH_OK;
  bool bits = set->bit != NULL && other->bit != NULL;
  if (bits)
    set->count = 0;
  for (int64_t w = 0; bits && w < other->words; w++) {
    set->bit[w] |= other->bit[w];
    set->count += __builtin_popcountll(set->bit[w]);
  }
  for (int64_t k = 0; rc == TH_OK && k < other->slots; k++)
    if (other->number[k] != TH_INDEX_FREE)
      rc = th_index_set_add(set, other->index[k], err);
  th_index_set_free(other);
  return rc;
}

/* A table in place of bits. */
static th_status bits_to_table(struct th_index_set *set, struct th_error *err)
{
  struct th_index_set made = {0};
  if (set->bit == NULL)
    return TH_OK;
  th_status rc = index_room(&made, set->count, err);
  for (int64_t w = 0; rc == TH_OK && w < set->words; w++)
    for (uint64_t left = set->bit[w]; left != 0; left &= left - 1)
      put_index(&made, (uint64_t)w * 64 + (uint64_t)__builtin_ctzll(left), 0);
  made.count = set->count;
  th_index_set_free(set);
  *set = made;
  return rc;
}

th_status th_index_set_fill(struct th_index_set *set, const uint64_t *index,
                            int64_t count, struct th_error *err)
{
  th_status rc = index_room(set, count, err);
  for (int64_t k = 0; rc == TH_OK && k < count; k++)
    put_index(set, index[k], (uint32_t)k);
  set->count = rc == TH_OK ? count : 0;
  return rc;
}

void th_index_set_free(struct th_index_set *set)
{
  TH_FREE(set->index, set->number, set->bit);
  *set = (struct th_index_set){0};
}

/* --- Numbers of all ranks ------------------------------------------------- */

enum { SAMPLES = 64 }; /* of each rank */

/* Rank r has the indices from edge[r] on, up to those of rank r + 1. */
struct joining {
  struct th_comm *comm;
  int64_t *bytes;          /* four lists of one number for each rank: */
  int64_t *send, *receive; /* bytes of indices that travel to their rank, */
  int64_t *back, *forth;   /* and of numbers on the way back */
  uint64_t *mine;          /* this rank's, ascending */
  uint32_t *number;        /* of these, in their order */
  int64_t arrived;
  uint64_t *got;   /* from all ranks, one after the other */
  uint32_t *reply; /* their numbers */
  uint64_t *part;  /* those that this rank numbers, ascending */
  int64_t parts;
  uint64_t *sample;
  int64_t samples;
};

static int ascending_u64(const void *a, const void *b)
{
  uint64_t left = *(const uint64_t *)a;
  uint64_t right = *(const uint64_t *)b;
  return (left > right) - (left < right);
}

static void sort_u64(uint64_t *list, int64_t count)
{
  if (count > 0)
    qsort(list, (size_t)count, sizeof *list, ascending_u64);
}

int64_t th_index_set_from(const uint64_t *list, int64_t count, uint64_t index)
{
  int64_t low = 0;
  while (low < count) {
    int64_t middle = low + (count - low) / 2;
    if (list[middle] < index)
      low = middle + 1;
    else
      count = middle;
  }
  return low;
}

static void joining_free(struct joining *j)
{
  TH_FREE(j->bytes, j->mine, j->number, j->got, j->reply, j->part, j->sample);
}

/* This rank's indices in order. Local. */
static th_status list_mine(struct joining *j, const struct th_index_set *set,
                           struct th_error *err)
{
  int64_t ranks = j->comm->size;
  int64_t used = 0;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&j->bytes, 4 * ranks, "indices", err));
  j->send = j->bytes;
  j->receive = j->send + ranks;
  j->back = j->receive + ranks;
  j->forth = j->back + ranks;
  TH_TRY(TH_NEW(&j->mine, set->count, "indices", err));
  TH_TRY(TH_NEW(&j->number, set->count, "indices", err));
  for (int64_t k = 0; k < set->slots; k++)
    if (set->number[k] != TH_INDEX_FREE)
      j->mine[used++] = set->index[k];
  sort_u64(j->mine, used);
done:
  return rc;
}

/* Some indices of every rank, evenly among its own. Collective. */
static th_status gather_samples(struct joining *j, int64_t count,
                                struct th_error *err)
{
  uint64_t some[SAMPLES];
  int64_t samples = th_min_i64(count, SAMPLES);
  for (int64_t k = 0; k < samples; k++)
    some[k] = j->mine[count / samples * k];
  th_status rc = th_comm_gather(j->comm, some, samples * (int64_t)sizeof *some,
                                j->receive, (void **)&j->sample, err);
  if (rc != TH_OK)
    return rc;
  for (int r = 0; r < j->comm->size; r++)
    j->samples += j->receive[r] / (int64_t)sizeof *some;
  sort_u64(j->sample, j->samples);
  return TH_OK;
}

/* How many of this rank's indices every rank numbers. */
static void cut_by_rank(struct joining *j, int64_t count)
{
  const int64_t size = (int64_t)sizeof(uint64_t);
  int64_t ranks = j->comm->size;
  int64_t first = 0;
  for (int64_t r = 0; r < ranks; r++) {
    int64_t next = j->samples * (r + 1) / ranks;
    int64_t last = count;
    if (next < j->samples)
      last = th_index_set_from(j->mine, count, j->sample[next]);
    j->send[r] = (last - first) * size;
    j->back[r] = j->send[r] / size * (int64_t)sizeof(uint32_t);
    first = last;
  }
}

/* Every index to the rank that numbers it. Collective. */
static th_status send_indices(struct joining *j, struct th_error *err)
{
  const int64_t size = (int64_t)sizeof(uint64_t);
  struct th_comm *comm = j->comm;
  th_status rc = TH_OK;
  comm->ops->alltoall_i64(comm, j->send, j->receive);
  for (int r = 0; r < comm->size; r++) {
    j->arrived += j->receive[r] / size;
    j->forth[r] = j->receive[r] / size * (int64_t)sizeof(uint32_t);
  }
  rc = TH_NEW(&j->got, j->arrived, "indices", err);
  if (rc == TH_OK)
    rc = TH_NEW(&j->part, j->arrived, "indices", err);
  if (rc == TH_OK)
    rc = TH_NEW(&j->reply, j->arrived, "indices", err);
  TH_TRY(th_agree(comm, rc, err));
  comm->ops->exchange(comm, j->mine, j->send, j->got, j->receive);
done:
  return rc;
}

/* The indices that have arrived, each once. */
static void unite(struct joining *j)
{
  if (j->arrived > 0)
    memcpy(j->part, j->got, (size_t)j->arrived * sizeof *j->part);
  sort_u64(j->part, j->arrived);
  for (int64_t k = 0; k < j->arrived; k++)
    if (j->parts == 0 || j->part[j->parts - 1] != j->part[k])
      j->part[j->parts++] = j->part[k];
}

/* Numbers for all ranks' indices, and back to the set. Collective. */
static void number_all(struct joining *j, int64_t before,
                       struct th_index_set *set)
{
  for (int64_t k = 0; k < j->arrived; k++)
    j->reply[k] =
        (uint32_t)(before + th_index_set_from(j->part, j->parts, j->got[k]));
  j->comm->ops->exchange(j->comm, j->reply, j->forth, j->number, j->back);
  for (int64_t k = 0; k < set->count; k++) {
    int64_t at = th_index_set_slot(set, j->mine[k]);
    while (set->index[at] != j->mine[k] || set->number[at] == TH_INDEX_FREE)
      at = (at + 1) & (set->slots - 1);
    set->number[at] = j->number[k];
  }
}

/* All parts to rank 0. Collective. */
static th_status collect_parts(struct joining *j, int64_t count,
                               uint64_t **list, struct th_error *err)
{
  struct th_comm *comm = j->comm;
  uint64_t *all = NULL;
  th_status rc = TH_OK;
  if (comm->rank == 0)
    rc = TH_NEW(&all, count, "indices", err);
  TH_TRY(th_agree(comm, rc, err));
  memset(j->send, 0, (size_t)comm->size * sizeof *j->send);
  j->send[0] = j->parts * (int64_t)sizeof *all;
  comm->ops->alltoall_i64(comm, j->send, j->receive);
  comm->ops->exchange(comm, j->part, j->send, all, j->receive);
  *list = all;
  all = NULL;
done:
  free(all);
  return rc;
}

th_status th_index_set_join(struct th_index_set *set, struct th_comm *comm,
                            uint64_t **list, int64_t *count,
                            struct th_error *err)
{
  struct joining j = {.comm = comm};
  th_status rc = bits_to_table(set, err);
  if (rc == TH_OK)
    rc = list_mine(&j, set, err);
  rc = th_agree(comm, rc, err);
  if (list != NULL)
    *list = NULL;
  if (rc != TH_OK)
    goto done;
  TH_TRY(gather_samples(&j, set->count, err));
  cut_by_rank(&j, set->count);
  TH_TRY(send_indices(&j, err));
  unite(&j);
  int64_t before = th_comm_prefix(comm, j.parts, count);
  if (*count > TH_TEXT_ATTRIBUTES)
    rc = th_fail(err, TH_EDATA, "%lld indices occur, expected at most %lld",
                 (long long)*count, (long long)TH_TEXT_ATTRIBUTES);
  TH_TRY(rc);
  number_all(&j, before, set);
  if (list != NULL)
    rc = collect_parts(&j, *count, list, err);
done:
  joining_free(&j);
  return rc;
}

/* --- Indices as texts ----------------------------------------------------- */

bool th_index_set_read(const char *text, const char *end, uint64_t *index)
{
  uint64_t value = 0;
  if (text == end)
    return false;
  for (; text < end; text++) {
    uint64_t digit = (uint64_t)(*text - '0');
    if (*text < '0' || *text > '9' || value > (UINT64_MAX - digit) / 10)
      return false;
    value = 10 * value + digit;
  }
  *index = value;
  return true;
}

th_status th_index_set_names(const uint64_t *index, int64_t count,
                             char ***names, struct th_error *err)
{
  char *room = NULL;
  th_status rc = th_alloc((void **)&room, count, sizeof(char *) + DIGITS + 1,
                          "names of attributes", err);
  if (rc != TH_OK)
    return rc;
  *names = (char **)(void *)room;
  char *text = room + (size_t)count * sizeof(char *);
  for (int64_t k = 0; k < count; k++, text += DIGITS + 1) {
    (*names)[k] = text;
    snprintf(text, DIGITS + 1, "%" PRIu64, index[k]);
  }
  return TH_OK;
}
