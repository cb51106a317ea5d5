/* bucket.c - the examples of a bin travel to the ranks that write their shards
 * SPDX-License-Identifier: MIT */
#include "io/import/bucket.h"

#include "core/memory.h"
#include "core/search.h"
#include "io/dataset/writer.h"

#include <string.h>

th_status th_bucket_init(struct th_bucket *bin, struct th_error *err)
{
  th_status rc = TH_OK;
  int64_t ranks = bin->comm->size;
  TH_TRY(TH_NEW(&bin->send_bytes, ranks, "the exchange of examples", err));
  TH_TRY(TH_NEW(&bin->received_bytes, ranks, "the exchange of examples", err));
  TH_TRY(TH_NEW(&bin->cursor, ranks, "the exchange of examples", err));
done:
  return rc;
}

void th_bucket_free(struct th_bucket *bin)
{
  TH_FREE(bin->local, bin->send, bin->received, bin->send_bytes,
          bin->received_bytes, bin->cursor);
  *bin = (struct th_bucket){0};
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

static th_status append_part(struct th_bucket *bin,
                             const struct th_record *record, int64_t first,
                             int64_t last, struct th_error *err)
{
  int64_t count = last - first;
  bool listed = record->first == TH_LISTED;
  int64_t bytes = th_bucket_record_bytes(count, listed, bin->size);
  th_status rc =
      th_grow((void **)&bin->send, &bin->send_capacity, bin->send_used + bytes,
              1, "the exchange of examples", err);
  if (rc != TH_OK)
    return rc;
  struct th_record *part =
      (struct th_record *)(void *)(bin->send + bin->send_used);
  *part = (struct th_record){.row = record->row, .count = (uint32_t)count};
  part->first = listed ? TH_LISTED : record->first + (uint32_t)first;
  char *p = (char *)(part + 1);
  if (listed) {
    memcpy(p, th_bucket_record_index(record) + first, (size_t)(4 * count));
    p += th_bucket_pad8(4 * count);
  }
  memcpy(p,
         (const char *)th_bucket_record_values(record) +
             (size_t)first * bin->size,
         (size_t)count * bin->size);
  bin->send_used += bytes;
  return TH_OK;
}

/* One shard's section: the count of its bytes, then its part of each record. */
static th_status append_shard(struct th_bucket *bin, int64_t bytes,
                              struct th_range range, struct th_error *err)
{
  th_status rc = TH_OK;
  int64_t section = bin->send_used;
  TH_TRY(th_grow((void **)&bin->send, &bin->send_capacity,
                 section + (int64_t)sizeof(int64_t), 1,
                 "the exchange of examples", err));
  bin->send_used += (int64_t)sizeof(int64_t);
  for (int64_t at = 0; at < bytes;) {
    const struct th_record *record =
        (const struct th_record *)(const void *)(bin->local + at);
    int64_t first = lower_bound(record, range.first);
    int64_t last = lower_bound(record, range.last);
    if (last > first)
      TH_TRY(append_part(bin, record, first, last, err));
    at += th_bucket_record_bytes(record->count, record->first == TH_LISTED,
                                 bin->size);
  }
  int64_t used = bin->send_used - section - (int64_t)sizeof(int64_t);
  memcpy(bin->send + section, &used, sizeof used);
done:
  return rc;
}

/* Read this rank's records of a bin and cut them up by owner and shard. */
static th_status pack(struct th_bucket *bin, int64_t number,
                      struct th_error *err)
{
  th_status rc = TH_OK;
  int64_t bytes = th_bucket_spill_bytes(bin->spill, number);
  int64_t shards = th_writer_shards(bin->writer);
  int ranks = bin->comm->size;
  bin->send_used = 0;
  TH_TRY(th_grow((void **)&bin->local, &bin->local_capacity, bytes + 1, 1,
                 "the examples of a bin", err));
  TH_TRY(th_bucket_spill_read(bin->spill, number, bin->local, err));
  for (int r = 0; r < ranks; r++) {
    int64_t before = bin->send_used;
    for (int64_t k = r; k < shards; k += ranks) /* the owner is k mod ranks */
      TH_TRY(append_shard(bin, bytes, th_writer_shard(bin->writer, k), err));
    bin->send_bytes[r] = bin->send_used - before;
  }
done:
  return rc;
}

/* Every rank tells every other how much is coming. Collective. */
static th_status exchange_counts(struct th_bucket *bin, struct th_error *err)
{
  int64_t *eights = bin->cursor; /* not in use yet */
  int64_t total = 0;
  for (int r = 0; r < bin->comm->size; r++)
    eights[r] = sizeof(int64_t);
  bin->comm->ops->exchange(bin->comm, bin->send_bytes, eights,
                           bin->received_bytes, eights);
  for (int r = 0; r < bin->comm->size; r++)
    total += bin->received_bytes[r];
  return th_agree(bin->comm,
                  th_grow((void **)&bin->received, &bin->received_capacity,
                          total + 1, 1, "the examples of a bin", err),
                  err);
}

/* A single rank's bytes need not travel. */
static void keep_bytes(struct th_bucket *bin)
{
  char *kept = bin->send;
  int64_t capacity = bin->send_capacity;
  bin->send = bin->received;
  bin->send_capacity = bin->received_capacity;
  bin->received = kept;
  bin->received_capacity = capacity;
  bin->cursor[0] = 0;
}

th_status th_bucket_exchange(struct th_bucket *bin, int64_t number,
                             th_status rc, struct th_error *err)
{
  if (rc == TH_OK)
    rc = pack(bin, number, err);
  TH_TRY(th_agree(bin->comm, rc, err));
  if (bin->comm->size == 1) {
    keep_bytes(bin);
    return TH_OK;
  }
  TH_TRY(exchange_counts(bin, err));
  bin->comm->ops->exchange(bin->comm, bin->send, bin->send_bytes, bin->received,
                           bin->received_bytes);
  int64_t at = 0;
  for (int r = 0; r < bin->comm->size; r++) {
    bin->cursor[r] = at;
    at += bin->received_bytes[r];
  }
done:
  return rc;
}

void th_bucket_rows(struct th_bucket *bin, const struct th_record **rows,
                    int64_t count)
{
  for (int64_t k = 0; k < count; k++)
    rows[k] = NULL;
  for (int r = 0; r < bin->comm->size; r++) {
    const char *p = bin->received + bin->cursor[r];
    int64_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    p += sizeof bytes;
    bin->cursor[r] += bytes + (int64_t)sizeof bytes;
    for (const char *end = p + bytes; p < end;) {
      const struct th_record *record =
          (const struct th_record *)(const void *)p;
      rows[record->row] = record;
      p += th_bucket_record_bytes(record->count, record->first == TH_LISTED,
                                  bin->size);
    }
  }
}
