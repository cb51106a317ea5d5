/* shard_set.c - all shards of a data set that is written
 * SPDX-License-Identifier: MIT */
#include "io/dataset/writer/shard_set.h"

#include "base/memory.h"
#include "io/dataset/master.h"
#include "io/files/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Begins --------------------------------------------------------------- */

/* True if tiles of sparse slices travel to the owners of their shards. */
static bool delivers(const struct th_shard_set *set)
{
  return set->row_groups->shape.layout == TH_SPARSE &&
         th_slices_cut(&set->slices);
}

static bool is_owned(const struct th_shard_set *set, int64_t shard)
{
  return shard >= set->owned.first && shard < set->owned.last;
}

static struct th_shard_write *owned_shard(const struct th_shard_set *set,
                                          int64_t shard)
{
  return &set->shard[shard - set->owned.first];
}

enum { NUMBERS = 3 }; /* of a shard, that are summed at a time */

/* Numbers of each shard, all 0. */
static int64_t *cleared_numbers(const struct th_shard_set *set)
{
  memset(set->number, 0,
         (size_t)set->slices.shards * NUMBERS * sizeof *set->number);
  return set->number;
}

/* Sum them, and agree on how all ranks' work has gone so far. Collective. */
static th_status sum_of_ranks(const struct th_shard_set *set, th_status rc,
                              struct th_error *err)
{
  return th_comm_sum_agree(set->comm, set->number,
                           (size_t)set->slices.shards * NUMBERS, rc, err);
}

th_status th_shard_set_init(struct th_shard_set *set, struct th_error *err)
{
  int rank = set->comm->rank;
  int64_t mine = th_range_count(th_slices_rank(&set->slices, rank));
  th_status rc = TH_OK;
  struct th_range owned = th_slices_owned(&set->slices, rank);
  struct th_range touched = th_slices_touched(&set->slices, rank);
  TH_TRY(TH_NEW(&set->shard, th_range_count(owned), "the list of shards", err));
  set->owned = owned;
  for (int64_t k = 0; k < th_range_count(owned); k++)
    set->shard[k].file = -1;
  TH_TRY(
      TH_NEW(&set->slice, th_range_count(touched), "the list of shards", err));
  set->touched = touched;
  TH_TRY(TH_NEW(&set->told, set->slices.shards, "the shard table", err));
  TH_TRY(TH_NEW(&set->number, set->slices.shards * NUMBERS + 1,
                "the shard table", err));
  TH_TRY(th_running_stats_init(&set->stats, mine, set->weight != NULL, err));
  if (set->row_groups->shape.missing > 0)
    TH_TRY(
        th_running_stats_allow_missing(&set->stats, set->weight != NULL, err));
  set->delivery.comm = set->comm;
  set->delivery.size = th_type_size(set->row_groups->shape.type);
  if (delivers(set))
    TH_TRY(th_delivery_init(&set->delivery, err));
done:
  return rc;
}

/* Local. */
static th_status begin_shards(struct th_shard_set *set, const char *partial,
                              const char *final, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = set->owned.first; k < set->owned.last; k++) {
    struct th_shard_write *shard = owned_shard(set, k);
    shard->row_groups = set->row_groups;
    shard->index = k;
    shard->range = th_slices_shard(&set->slices, k);
    shard->needed = set->needed;
    TH_TRY(th_master_shard_path(&shard->name, final, k, err));
    TH_TRY(th_master_shard_path(&shard->path, partial, k, err));
    TH_TRY(th_shard_write_begin(shard, err));
  }
done:
  return rc;
}

/* Owners tell where values and checksums lie in their files. rc: how this
 * rank's work has gone so far. Collective. */
static th_status share_places(const struct th_shard_set *set, th_status rc,
                              struct th_error *err)
{
  int64_t *places = cleared_numbers(set);
  for (int64_t k = set->owned.first; rc == TH_OK && k < set->owned.last; k++) {
    places[NUMBERS * k] = owned_shard(set, k)->places.values;
    places[NUMBERS * k + 1] = owned_shard(set, k)->places.checksums;
  }
  return sum_of_ranks(set, rc, err);
}

static th_status open_guest(struct th_shard_set *set, const char *partial,
                            const char *final, int64_t shard,
                            struct th_error *err)
{
  struct th_shard_guest *guest = &set->guest;
  th_status rc = th_master_shard_path(&guest->name, final, shard, err);
  if (rc == TH_OK)
    rc = th_master_shard_path(&guest->path, partial, shard, err);
  if (rc != TH_OK || set->row_groups->shape.layout == TH_SPARSE)
    return rc;
  guest->file = open(guest->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (guest->file < 0)
    rc = th_fail(err, TH_EIO,
                 "cannot write %s: %s; let all ranks see the folder of the "
                 "output",
                 guest->name, strerror(errno));
  return rc;
}

/* places: of the shard. Local. */
static th_status begin_slice(struct th_shard_set *set, int64_t shard,
                             const int64_t *places, struct th_error *err)
{
  int rank = set->comm->rank;
  bool own = is_owned(set, shard);
  struct th_slice_write *slice = &set->slice[shard - set->touched.first];
  *slice = (struct th_slice_write){
      .row_groups = set->row_groups,
      .weight = set->weight,
      .scratch = &set->scratch,
      .stats = &set->stats,
      .stats_first = th_slices_rank(&set->slices, rank).first,
      .shard = shard,
      .all = th_slices_shard(&set->slices, shard),
      .range = th_slices_part(&set->slices, rank, shard),
      .name = own ? owned_shard(set, shard)->name : set->guest.name,
      .needed = set->needed,
      .file = own ? owned_shard(set, shard)->file : set->guest.file,
      .places = {.values = places[0], .checksums = places[1]}};
  return th_slice_write_begin(slice, err);
}

/* Local. */
static th_status begin_slices(struct th_shard_set *set, const char *partial,
                              const char *final, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = set->touched.first; k < set->touched.last; k++) {
    if (!is_owned(set, k))
      TH_TRY(open_guest(set, partial, final, k, err));
    TH_TRY(begin_slice(set, k, set->number + NUMBERS * k, err));
  }
done:
  return rc;
}

th_status th_shard_set_begin(struct th_shard_set *set, const char *partial,
                             const char *final, th_status rc,
                             struct th_error *err)
{
  if (rc == TH_OK)
    rc = begin_shards(set, partial, final, err);
  TH_TRY(share_places(set, rc, err));
  rc = begin_slices(set, partial, final, err);
  TH_TRY(th_agree(set->comm, rc, err));
done:
  return rc;
}

/* --- Writes --------------------------------------------------------------- */

static struct th_slice_write *find_slice(const struct th_shard_set *set,
                                         int64_t shard, enum th_layout layout,
                                         struct th_error *err)
{
  if (shard >= set->touched.first && shard < set->touched.last &&
      set->row_groups->shape.layout == layout)
    return &set->slice[shard - set->touched.first];
  th_fail(err, TH_EARG,
          "rank %d may not write shard %lld: it is of another rank, or of the "
          "other layout",
          set->comm->rank, (long long)shard);
  return NULL;
}

th_status th_shard_set_dense(struct th_shard_set *set, int64_t shard,
                             int64_t group, struct th_range range,
                             const void *values, int64_t stride,
                             struct th_error *err)
{
  struct th_slice_write *to = find_slice(set, shard, TH_DENSE, err);
  return to == NULL
             ? err->code
             : th_slice_write_dense(to, group, range, values, stride, err);
}

th_status th_shard_set_sparse(struct th_shard_set *set, int64_t shard,
                              int64_t group, const struct th_slab *tile,
                              struct th_error *err)
{
  struct th_slice_write *to = find_slice(set, shard, TH_SPARSE, err);
  struct th_shard_piece_parts piece;
  if (to == NULL)
    return err->code;
  th_status rc = th_slice_write_sparse(to, group, tile, &piece, err);
  if (rc != TH_OK)
    return rc;
  if (th_range_count(to->range) < th_range_count(to->all))
    return th_delivery_add(&set->delivery, th_slices_owner(&set->slices, shard),
                           group, &piece, err);
  return th_shard_write_sparse(owned_shard(set, shard), group, &piece, err);
}

/* Append what has come to the last of this rank's own shards. Local. */
static th_status append_delivered(struct th_shard_set *set,
                                  struct th_error *err)
{
  struct th_shard_piece_parts piece;
  int64_t group = 0;
  th_status rc = th_delivery_next(&set->delivery, &group, &piece, err);
  while (rc == TH_OK && group >= 0) {
    rc = th_shard_write_sparse(owned_shard(set, set->owned.last - 1), group,
                               &piece, err);
    if (rc == TH_OK)
      rc = th_delivery_next(&set->delivery, &group, &piece, err);
  }
  return rc;
}

th_status th_shard_set_deliver(struct th_shard_set *set, th_status rc,
                               struct th_error *err)
{
  if (!delivers(set))
    return rc;
  rc = th_delivery_exchange(&set->delivery, rc, err);
  return rc == TH_OK ? append_delivered(set, err) : rc;
}

/* --- Ends ----------------------------------------------------------------- */

/* Local. */
static th_status end_guest(struct th_shard_guest *guest, struct th_error *err)
{
  if (guest->file < 0)
    return TH_OK;
  th_status rc = th_file_flush(guest->file, guest->name, err);
  int closed = close(guest->file);
  guest->file = -1;
  if (rc == TH_OK && closed != 0)
    rc = th_fail(err, TH_EIO, "cannot write %s: %s", guest->name,
                 strerror(errno));
  return rc;
}

/* Local. */
static th_status end_slices(struct th_shard_set *set, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; rc == TH_OK && k < th_range_count(set->touched); k++)
    rc = th_slice_write_end(&set->slice[k], err);
  return rc == TH_OK ? end_guest(&set->guest, err) : rc;
}

enum { HALF = 32 };

/* Content is a sum modulo 2^64 over all runs, nonzeros a sum: those of each
 * shard, over all that write it. Halves, so that no sum overflows. rc: how this
 * rank's work has gone so far. Collective. */
static th_status share_sums(const struct th_shard_set *set, th_status rc,
                            struct th_error *err)
{
  int64_t *sum = cleared_numbers(set);
  for (int64_t k = 0; rc == TH_OK && k < th_range_count(set->touched); k++) {
    const struct th_slice_write *slice = &set->slice[k];
    int64_t *row = sum + NUMBERS * slice->shard;
    row[0] = (int64_t)(slice->content & UINT32_MAX);
    row[1] = (int64_t)(slice->content >> HALF);
    row[2] = slice->nonzeros;
  }
  rc = sum_of_ranks(set, rc, err);
  for (int64_t k = 0; rc == TH_OK && k < set->slices.shards; k++) {
    const int64_t *row = sum + NUMBERS * k;
    set->told[k].content = ((uint64_t)row[1] << HALF) + (uint64_t)row[0];
    set->told[k].nonzeros = row[2];
  }
  return rc;
}

/* Local. */
static th_status end_shards(const struct th_shard_set *set,
                            const struct th_delivered_stats *stats,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = set->owned.first; rc == TH_OK && k < set->owned.last; k++) {
    struct th_shard_write *shard = owned_shard(set, k);
    struct th_shard_told *told = &set->told[k];
    struct th_shard_sums sums = {.content = told->content,
                                 .nonzeros = told->nonzeros};
    int64_t skip = shard->range.first - stats->first;
    for (int s = 0; s < TH_STATS_KINDS; s++)
      sums.kind[s] = stats->kind[s] + (size_t)skip * stats->size;
    if (stats->missing != NULL)
      sums.missing = stats->missing + skip;
    rc = th_shard_write_end(shard, &sums, err);
    told->missing = shard->missing;
    told->bytes = shard->bytes;
    told->hash = shard->hash;
  }
  return rc;
}

th_status th_shard_set_end(struct th_shard_set *set, th_status rc,
                           struct th_error *err)
{
  struct th_delivered_stats stats = {0};
  if (rc == TH_OK)
    rc = end_slices(set, err);
  if (rc == TH_OK)
    rc = th_delivery_stats_reserve(&stats, set->comm, &set->slices,
                                   set->row_groups, &set->stats, err);
  TH_TRY(share_sums(set, rc, err));
  th_delivery_stats(&stats, set->comm, &set->slices, set->row_groups,
                    &set->stats);
  rc = end_shards(set, &stats, err);
done:
  th_delivery_stats_free(&stats);
  return rc;
}

th_status th_shard_set_share(struct th_shard_set *set, th_status rc,
                             struct th_error *err)
{
  int64_t *fact = cleared_numbers(set);
  for (int64_t k = set->owned.first; k < set->owned.last; k++) {
    fact[NUMBERS * k] = set->told[k].bytes;
    fact[NUMBERS * k + 1] = (int64_t)set->told[k].hash;
    fact[NUMBERS * k + 2] = set->told[k].missing;
  }
  rc = sum_of_ranks(set, rc, err);
  for (int64_t k = 0; rc == TH_OK && k < set->slices.shards; k++) {
    set->told[k].bytes = fact[NUMBERS * k];
    set->told[k].hash = (uint64_t)fact[NUMBERS * k + 1];
    set->told[k].missing = fact[NUMBERS * k + 2];
  }
  return rc;
}

void th_shard_set_free(struct th_shard_set *set)
{
  for (int64_t k = 0; k < th_range_count(set->touched); k++)
    th_slice_write_free(&set->slice[k]);
  for (int64_t k = 0; k < th_range_count(set->owned); k++)
    th_shard_write_drop(&set->shard[k]);
  if (set->guest.file >= 0)
    close(set->guest.file);
  th_slice_write_scratch_free(&set->scratch);
  th_delivery_free(&set->delivery);
  th_running_stats_free(&set->stats);
  th_slices_free(&set->slices);
  TH_FREE(set->guest.name, set->guest.path, set->shard, set->slice, set->told,
          set->number);
}
