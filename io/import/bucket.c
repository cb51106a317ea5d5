/* bucket.c - the examples of a bin travel to the ranks that write their shards
 * SPDX-License-Identifier: MIT */
#include "io/import/bucket.h"

#include "core/memory.h"
#include "core/search.h"
#include "io/dataset/writer.h"

#include <string.h>

th_status th_bucket_init(struct th_bucket *bucket, struct th_error *err)
{
  th_status rc = TH_OK;
  int64_t ranks = bucket->comm->size;
  TH_TRY(TH_NEW(&bucket->send_bytes, ranks, "the exchange of examples", err));
  TH_TRY(
      TH_NEW(&bucket->received_bytes, ranks, "the exchange of examples", err));
  TH_TRY(TH_NEW(&bucket->cursor, ranks, "the exchange of examples", err));
done:
  return rc;
}

void th_bucket_free(struct th_bucket *bucket)
{
  TH_FREE(bucket->local, bucket->send, bucket->received, bucket->send_bytes,
          bucket->received_bytes, bucket->cursor);
  *bucket = (struct th_bucket){0};
}

/* The first of a record's entries at or above an attribute. */
static int64_t lower_bound(const struct th_record *record, int64_t attribute)
{
  if (record->first != TH_LISTED) {
    int64_t k = attribute - record->first;
    return k < 0 ? 0 : k > record->count ? record->count : k;
  }
  return th_search_u32(th_bucket_record_index(record), 0, record->count,
                       attribute);
}

static th_status append_part(struct th_bucket *bucket,
                             const struct th_record *record, int64_t first,
                             int64_t last, struct th_error *err)
{
  int64_t count = last - first;
  bool listed = record->first == TH_LISTED;
  int64_t bytes = th_bucket_record_bytes(count, listed, bucket->size);
  th_status rc =
      th_grow((void **)&bucket->send, &bucket->send_capacity,
              bucket->send_used + bytes, 1, "the exchange of examples", err);
  if (rc != TH_OK)
    return rc;
  struct th_record *part =
      (struct th_record *)(void *)(bucket->send + bucket->send_used);
  *part = (struct th_record){.row = record->row, .count = (uint32_t)count};
  part->first = listed ? TH_LISTED : record->first + (uint32_t)first;
  char *p = (char *)(part + 1);
  if (listed) {
    memcpy(p, th_bucket_record_index(record) + first, (size_t)(4 * count));
    p += th_bucket_pad8(4 * count);
  }
  memcpy(p,
         (const char *)th_bucket_record_values(record) +
             (size_t)first * bucket->size,
         (size_t)count * bucket->size);
  bucket->send_used += bytes;
  return TH_OK;
}

/* One shard's section: the count of its bytes, then its part of each record. */
static th_status append_shard(struct th_bucket *bucket, struct th_range range,
                              struct th_error *err)
{
  th_status rc = TH_OK;
  int64_t section = bucket->send_used;
  TH_TRY(th_grow((void **)&bucket->send, &bucket->send_capacity,
                 section + (int64_t)sizeof(int64_t), 1,
                 "the exchange of examples", err));
  bucket->send_used += (int64_t)sizeof(int64_t);
  for (int64_t at = 0; at < bucket->local_used;) {
    const struct th_record *record =
        (const struct th_record *)(const void *)(bucket->local + at);
    int64_t first = lower_bound(record, range.first);
    int64_t last = lower_bound(record, range.last);
    if (last > first)
      TH_TRY(append_part(bucket, record, first, last, err));
    at += th_bucket_record_bytes(record->count, record->first == TH_LISTED,
                                 bucket->size);
  }
  int64_t used = bucket->send_used - section - (int64_t)sizeof(int64_t);
  memcpy(bucket->send + section, &used, sizeof used);
done:
  return rc;
}

/* Whether all records stay on this rank, in one shard: they need not be cut up,
 * and those in memory not be moved. */
static bool stays_whole(const struct th_bucket *bucket)
{
  return bucket->comm->size == 1 && th_writer_shards(bucket->writer) == 1;
}

/* Append the records of the bin that lie in memory. */
static void copy_held(struct th_bucket *bucket, int k)
{
  int64_t count;
  const struct th_held *held =
      th_bucket_spill_held(bucket->spill[k], bucket->number, &count);
  for (int64_t j = 0; j < count; j++) {
    const struct th_record *record = held[j].record;
    int64_t bytes = th_bucket_record_bytes(
        record->count, record->first == TH_LISTED, bucket->size);
    memcpy(bucket->local + bucket->local_used, record, (size_t)bytes);
    bucket->local_used += bytes;
  }
}

/* This rank's records of the bin, one behind the other. */
static th_status read_local(struct th_bucket *bucket, struct th_error *err)
{
  bool whole = stays_whole(bucket);
  int64_t wanted = 1;
  th_status rc = TH_OK;
  for (int k = 0; k < bucket->spills; k++)
    wanted += whole ? th_bucket_spill_stored(bucket->spill[k], bucket->number)
                    : th_bucket_spill_bytes(bucket->spill[k], bucket->number);
  bucket->local_used = 0;
  TH_TRY(th_grow((void **)&bucket->local, &bucket->local_capacity, wanted, 1,
                 "imported examples", err));
  for (int k = 0; k < bucket->spills; k++) {
    const struct th_bucket_spill *spill = bucket->spill[k];
    TH_TRY(th_bucket_spill_read(spill, bucket->number,
                                bucket->local + bucket->local_used, err));
    bucket->local_used += th_bucket_spill_stored(spill, bucket->number);
    if (!whole)
      copy_held(bucket, k);
  }
done:
  return rc;
}

/* Cut this rank's records of the bin up by owner and shard. */
static th_status pack(struct th_bucket *bucket, struct th_error *err)
{
  th_status rc = TH_OK;
  int64_t shards = th_writer_shards(bucket->writer);
  int ranks = bucket->comm->size;
  bucket->send_used = 0;
  for (int r = 0; r < ranks; r++) {
    int64_t before = bucket->send_used;
    for (int64_t k = r; k < shards; k += ranks) /* the owner is k mod ranks */
      TH_TRY(append_shard(bucket, th_writer_shard(bucket->writer, k), err));
    bucket->send_bytes[r] = bucket->send_used - before;
  }
done:
  return rc;
}

/* Every rank tells every other how much is coming. Collective. */
static th_status exchange_counts(struct th_bucket *bucket, struct th_error *err)
{
  int64_t *eights = bucket->cursor; /* not in use yet */
  int64_t total = 0;
  for (int r = 0; r < bucket->comm->size; r++)
    eights[r] = sizeof(int64_t);
  bucket->comm->ops->exchange(bucket->comm, bucket->send_bytes, eights,
                              bucket->received_bytes, eights);
  for (int r = 0; r < bucket->comm->size; r++)
    total += bucket->received_bytes[r];
  return th_agree(bucket->comm,
                  th_grow((void **)&bucket->received,
                          &bucket->received_capacity, total + 1, 1,
                          "imported examples", err),
                  err);
}

/* A single rank's bytes need not travel. */
static void keep_bytes(struct th_bucket *bucket)
{
  char *kept = bucket->send;
  int64_t capacity = bucket->send_capacity;
  bucket->send = bucket->received;
  bucket->send_capacity = bucket->received_capacity;
  bucket->received = kept;
  bucket->received_capacity = capacity;
  bucket->cursor[0] = 0;
}

th_status th_bucket_take(struct th_bucket *bucket, int64_t number,
                         struct th_error *err)
{
  bucket->number = number;
  th_status rc = read_local(bucket, err);
  if (rc != TH_OK || stays_whole(bucket))
    return rc;
  rc = pack(bucket, err);
  if (rc == TH_OK)
    keep_bytes(bucket);
  return rc;
}

th_status th_bucket_exchange(struct th_bucket *bucket, int64_t number,
                             th_status rc, struct th_error *err)
{
  if (bucket->comm->size == 1) {
    rc = rc == TH_OK ? th_bucket_take(bucket, number, err) : rc;
    return th_agree(bucket->comm, rc, err);
  }
  bucket->number = number;
  if (rc == TH_OK)
    rc = read_local(bucket, err);
  if (rc == TH_OK)
    rc = pack(bucket, err);
  TH_TRY(th_agree(bucket->comm, rc, err));
  TH_TRY(exchange_counts(bucket, err));
  bucket->comm->ops->exchange(bucket->comm, bucket->send, bucket->send_bytes,
                              bucket->received, bucket->received_bytes);
  int64_t at = 0;
  for (int r = 0; r < bucket->comm->size; r++) {
    bucket->cursor[r] = at;
    at += bucket->received_bytes[r];
  }
done:
  return rc;
}

/* Put the records that lie in a piece of memory at their rows. */
static void place(const struct th_bucket *bucket, const char *p, int64_t bytes,
                  const struct th_record **rows)
{
  for (const char *end = p + bytes; p < end;) {
    const struct th_record *record = (const struct th_record *)(const void *)p;
    rows[record->row] = record;
    p += th_bucket_record_bytes(record->count, record->first == TH_LISTED,
                                bucket->size);
  }
}

static void place_whole(const struct th_bucket *bucket,
                        const struct th_record **rows)
{
  place(bucket, bucket->local, bucket->local_used, rows);
  for (int k = 0; k < bucket->spills; k++) {
    int64_t count;
    const struct th_held *held =
        th_bucket_spill_held(bucket->spill[k], bucket->number, &count);
    for (int64_t j = 0; j < count; j++)
      rows[held[j].row] = held[j].record;
  }
}

void th_bucket_rows(struct th_bucket *bucket, const struct th_record **rows,
                    int64_t count)
{
  for (int64_t k = 0; k < count; k++)
    rows[k] = NULL;
  if (stays_whole(bucket)) {
    place_whole(bucket, rows);
    return;
  }
  for (int r = 0; r < bucket->comm->size; r++) {
    const char *p = bucket->received + bucket->cursor[r];
    int64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    bucket->cursor[r] += bytes + (int64_t)sizeof bytes;
    place(bucket, p + sizeof bytes, bytes, rows);
  }
}
