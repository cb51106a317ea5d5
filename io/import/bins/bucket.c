/* bucket.c - the examples of a bin travel to the ranks that write their values
 * SPDX-License-Identifier: MIT */
#include "io/import/bins/bucket.h"

#include "base/memory.h"
#include "io/dataset/writer/writer.h"
#include "io/files/output.h"
#include "io/import/text/text_row.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A record in memory: its row is told here, so that records, which lie anywhere
 * in memory, need not be looked at for it. */
struct th_parsed {
  struct th_record *record; /* borrowed */
  uint32_t row;
};

/* Bytes of a record of that shape, with the values' size in bytes. */
static inline int64_t record_bytes(int64_t count, bool listed, size_t size)
{
  return (int64_t)sizeof(struct th_record) +
         (listed ? th_bucket_pad8(4 * count) : 0) +
         th_bucket_pad8(count * (int64_t)size);
}

/* --- Parsed examples sorted into bins, in memory and then on disk
 *
 * In memory records lie in arrival order in large segments that never move;
 * each bin is a list of them. When memory is used up, every list is written
 * out in turn, so that a bin is one stretch of the file per such flush, and
 * the segments are used again. */

enum { SEGMENT = 8 << 20, WRITE_PART = 1 << 20 };

struct segment {
  struct segment *next;
  int64_t used;
  int64_t capacity;
  _Alignas(8) char bytes[];
};

/* An example that is read again, from a place in the input. */
struct again {
  int64_t place;
  uint32_t row;
};

/* The records of a bin that are in memory. */
struct list {
  struct again *again; /* and what is read again */
  int64_t agains;
  int64_t again_capacity;
  struct th_parsed *held;
  int64_t count;
  int64_t capacity;
  int64_t bytes; /* of the records */
};

struct th_bucket_spill {
  const char *output; /* borrowed */
  size_t size;        /* of a value */
  int64_t bins;
  int64_t memory;
  int64_t held; /* bytes of records in memory, and of what tells of them */
  struct list *lists;       /* by bin */
  struct segment *segments; /* the first one takes new records */
  struct segment *spare;
  int fd; /* -1: memory is enough for all */
  int64_t written;
  int64_t flushes;
  int64_t capacity; /* of edges */
  int64_t **edges;  /* per flush: bin b lies at [edges[b], edges[b + 1]) */
  char *part;       /* what is on its way to the file */
  int64_t part_used;
  const uint32_t *number; /* of attributes in records on disk; NULL: as there;
                             borrowed */
};

th_status th_bucket_spill_create(struct th_bucket_spill **spill,
                                 const char *output, int64_t bins,
                                 int64_t memory, enum th_type type,
                                 int64_t most, struct th_error *err)
{
  struct th_bucket_spill *made = NULL;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&made, 1, "imported examples", err));
  made->fd = -1;
  made->output = output;
  made->size = th_type_size(type);
  made->bins = bins;
  made->memory = memory;
  TH_TRY(TH_NEW(&made->lists, bins, "imported examples", err));
  if (most > memory)
    TH_TRY(
        th_output_temporary_open(output, TH_FOR_SPILL, NULL, &made->fd, err));
  *spill = made;
  made = NULL;
done:
  th_bucket_spill_free(made);
  return rc;
}

static void free_segments(struct segment *segment)
{
  while (segment != NULL) {
    struct segment *next = segment->next;
    free(segment);
    segment = next;
  }
}

void th_bucket_spill_free(struct th_bucket_spill *spill)
{
  if (spill == NULL)
    return;
  if (spill->fd >= 0)
    close(spill->fd);
  free_segments(spill->segments);
  free_segments(spill->spare);
  TH_FREE_LIST(spill->edges, spill->flushes);
  for (int64_t b = 0; spill->lists != NULL && b < spill->bins; b++)
    TH_FREE(spill->lists[b].held, spill->lists[b].again);
  TH_FREE(spill->part, spill->lists, spill);
}

static th_status drain_part(struct th_bucket_spill *spill, struct th_error *err)
{
  th_status rc =
      th_output_temporary_write(spill->fd, spill->part, spill->part_used,
                                "temporary file of the import", err);
  spill->part_used = 0;
  return rc;
}

static th_status spill_bytes(struct th_bucket_spill *spill, const void *data,
                             int64_t bytes, struct th_error *err)
{
  th_status rc = TH_OK;
  if (spill->part_used + bytes > WRITE_PART)
    TH_TRY(drain_part(spill, err));
  spill->written += bytes;
  if (bytes > WRITE_PART)
    return th_output_temporary_write(spill->fd, data, bytes,
                                     "temporary file of the import", err);
  memcpy(spill->part + spill->part_used, data, (size_t)bytes);
  spill->part_used += bytes;
done:
  return rc;
}

static int64_t spilled_bytes(const struct th_bucket_spill *spill,
                             const struct th_record *record)
{
  return record_bytes(record->count, record->first == TH_LISTED, spill->size);
}

static th_status prepare_flush(struct th_bucket_spill *spill,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  if (spill->part == NULL)
    TH_TRY(TH_NEW(&spill->part, WRITE_PART, "writing examples", err));
  TH_TRY(TH_GROW(&spill->edges, &spill->capacity, spill->flushes + 1,
                 "the list of temporary files", err));
  TH_TRY(TH_NEW(&spill->edges[spill->flushes], spill->bins + 1,
                "the list of temporary files", err));
  spill->flushes++;
done:
  return rc;
}

static void reuse_segments(struct th_bucket_spill *spill)
{
  while (spill->segments != NULL) {
    struct segment *segment = spill->segments;
    spill->segments = segment->next;
    segment->used = 0;
    segment->next = spill->spare;
    spill->spare = segment;
  }
  spill->held = 0;
}

static th_status flush(struct th_bucket_spill *spill, struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(
      th_output_temporary_space(spill->output, spill->held, "the import", err));
  TH_TRY(prepare_flush(spill, err));
  int64_t *edges = spill->edges[spill->flushes - 1];
  for (int64_t b = 0; b < spill->bins; b++) {
    edges[b] = spill->written;
    struct list *list = &spill->lists[b];
    for (int64_t k = 0; k < list->count; k++) {
      const struct th_record *record = list->held[k].record;
      TH_TRY(spill_bytes(spill, record, spilled_bytes(spill, record), err));
    }
    list->count = 0;
    list->bytes = 0;
  }
  edges[spill->bins] = spill->written;
  TH_TRY(drain_part(spill, err));
  reuse_segments(spill);
done:
  return rc;
}

/* In large pages, as all of it is going to be filled, once. */
static struct segment *make_segment(int64_t capacity)
{
  struct segment *made = NULL;
  size_t whole = sizeof *made + (size_t)capacity;
  size_t padded = (whole + TH_LARGE_PAGE - 1) / TH_LARGE_PAGE * TH_LARGE_PAGE;
  void *room = aligned_alloc(TH_LARGE_PAGE, padded);
  if (room == NULL)
    return NULL;
  th_memory_large_pages(room, padded);
  made = room;
  *made = (struct segment){.capacity = capacity};
  return made;
}

/* A segment that has room for so many bytes, at the head of the list. */
static th_status reserve(struct th_bucket_spill *spill, int64_t bytes,
                         struct th_error *err)
{
  struct segment *segment = spill->segments;
  if (segment != NULL && segment->capacity - segment->used >= bytes)
    return TH_OK;
  segment = spill->spare;
  if (segment != NULL && segment->capacity >= bytes) {
    spill->spare = segment->next;
  } else {
    int64_t usual = SEGMENT - (int64_t)sizeof *segment;
    int64_t capacity = bytes > usual ? bytes : usual;
    segment = make_segment(capacity);
    if (segment == NULL)
      return th_memory_fail("parsed examples", capacity, err);
  }
  segment->used = 0;
  segment->next = spill->segments;
  spill->segments = segment;
  return TH_OK;
}

static void fill_record(struct th_record *record, uint32_t row,
                        const struct th_text_row *values, size_t size)
{
  int64_t count = values->count;
  bool listed = values->first < 0;
  *record = (struct th_record){.row = row, .count = (uint32_t)count};
  record->first = listed ? TH_LISTED : (uint32_t)values->first;
  char *p = (char *)(record + 1);
  if (listed) {
    memcpy(p, values->index, (size_t)(4 * count));
    p += th_bucket_pad8(4 * count);
  }
  memcpy(p, values->values, (size_t)count * size);
}

th_status th_bucket_spill_add(struct th_bucket_spill *spill, int64_t bucket,
                              uint32_t row, const struct th_text_row *values,
                              struct th_error *err)
{
  if (values->count == 0)
    return TH_OK; /* absent records are zeros */
  th_status rc = TH_OK;
  int64_t bytes = record_bytes(values->count, values->first < 0, spill->size);
  int64_t taken = bytes + (int64_t)sizeof(struct th_parsed);
  if (spill->held > 0 && spill->held + taken > spill->memory)
    TH_TRY(flush(spill, err));
  TH_TRY(reserve(spill, bytes, err));
  struct list *list = &spill->lists[bucket];
  TH_TRY(TH_GROW(&list->held, &list->capacity, list->count + 1,
                 "parsed examples", err));
  struct segment *segment = spill->segments;
  struct th_record *record =
      (struct th_record *)(void *)(segment->bytes + segment->used);
  fill_record(record, row, values, spill->size);
  segment->used += bytes;
  spill->held += taken;
  list->held[list->count++] = (struct th_parsed){record, row};
  list->bytes += bytes;
done:
  return rc;
}

/* Those on disk, one behind the other: how many bytes, and the records. */
static int64_t spill_stored(const struct th_bucket_spill *spill, int64_t bucket)
{
  int64_t bytes = 0;
  for (int64_t f = 0; f < spill->flushes; f++)
    bytes += spill->edges[f][bucket + 1] - spill->edges[f][bucket];
  return bytes;
}

/* A bin's records: some on disk, the others in memory, in the order in which
 * they came. */
static int64_t bucket_spill_bytes(const struct th_bucket_spill *spill,
                                  int64_t bucket)
{
  return spill->lists[bucket].bytes + spill_stored(spill, bucket);
}

static const struct th_parsed *spill_held(const struct th_bucket_spill *spill,
                                          int64_t bucket, int64_t *count)
{
  *count = spill->lists[bucket].count;
  return spill->lists[bucket].held;
}

/* Give the entries of a record other numbers, and leave some of them out. */
static void renumber_record(struct th_record *record, size_t size,
                            const uint32_t *number)
{
  const bool listed = record->first == TH_LISTED;
  uint32_t *index = (uint32_t *)(record + 1);
  char *values =
      (char *)index + (listed ? th_bucket_pad8(4 * record->count) : 0);
  uint32_t kept = 0;
  uint32_t first = 0;
  for (uint32_t k = 0; k < record->count; k++) {
    uint32_t now = number[listed ? index[k] : record->first + k];
    if (now == TH_LISTED)
      continue;
    if (kept == 0)
      first = now;
    if (listed)
      index[kept] = now;
    memmove(values + kept * size, values + k * size, size);
    kept++;
  }
  if (listed)
    memmove((char *)index + th_bucket_pad8(4 * kept), values, kept * size);
  else
    record->first = first;
  record->count = kept;
}

void th_bucket_spill_renumber(struct th_bucket_spill *spill,
                              const uint32_t *number)
{
  spill->number = number;
  for (int64_t b = 0; b < spill->bins; b++)
    for (int64_t k = 0; k < spill->lists[b].count; k++)
      renumber_record(spill->lists[b].held[k].record, spill->size, number);
}

/* Records that were read get their numbers, and move together; bytes that they
 * take then. */
static int64_t renumber_read(const struct th_bucket_spill *spill, char *read,
                             int64_t bytes)
{
  char *to = read;
  for (int64_t at = 0; at < bytes;) {
    struct th_record *record = (struct th_record *)(void *)(read + at);
    at += spilled_bytes(spill, record);
    renumber_record(record, spill->size, spill->number);
    int64_t left = spilled_bytes(spill, record);
    memmove(to, record, (size_t)left);
    to += left;
  }
  return to - read;
}

/* *used grows by what the records take. */
static th_status spill_read(const struct th_bucket_spill *spill, int64_t bucket,
                            char *buffer, int64_t *used, struct th_error *err)
{
  th_status rc = TH_OK;
  char *p = buffer + *used;
  int64_t all = 0;
  for (int64_t f = 0; f < spill->flushes; f++) {
    int64_t first = spill->edges[f][bucket];
    int64_t bytes = spill->edges[f][bucket + 1] - first;
    TH_TRY(th_output_temporary_read(spill->fd, p + all, bytes, first,
                                    "temporary file of the import", err));
    all += bytes;
  }
  *used += spill->number != NULL ? renumber_read(spill, p, all) : all;
done:
  return rc;
}

th_status th_bucket_spill_again(struct th_bucket_spill *spill, int64_t bucket,
                                uint32_t row, int64_t place,
                                struct th_error *err)
{
  struct list *list = &spill->lists[bucket];
  th_status rc =
      TH_GROW(&list->again, &list->again_capacity,
              th_memory_roomier(list->again_capacity, list->agains + 1),
              "parsed examples", err);
  if (rc == TH_OK)
    list->again[list->agains++] = (struct again){place, row};
  return rc;
}

enum { SAMPLED = 4096 }; /* examples, of all bins together */

void th_bucket_spill_loads(const struct th_bucket_spill *spill,
                           int64_t attributes, int64_t loads, int64_t load[])
{
  int64_t most = SAMPLED / spill->bins + 1;
  for (int64_t b = 0; b < spill->bins; b++)
    for (int64_t j = 0; j < th_min_i64(spill->lists[b].count, most); j++) {
      const struct th_record *record = spill->lists[b].held[j].record;
      const uint32_t *index = th_bucket_record_index(record);
      bool listed = record->first == TH_LISTED;
      for (uint32_t k = 0; k < record->count; k++) {
        int64_t attribute = listed ? index[k] : record->first + k;
        if (attribute < attributes)
          load[th_range_part_of(attributes, attribute, loads)]++;
      }
    }
}

/* --- Bins on the ranks that write their values ---------------------------- */

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
  int64_t bytes = record_bytes(count, listed, bucket->size);
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

/* One part's section: the count of its bytes, then its part of each record. */
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
    at += record_bytes(record->count, record->first == TH_LISTED, bucket->size);
  }
  int64_t used = bucket->send_used - section - (int64_t)sizeof(int64_t);
  memcpy(bucket->send + section, &used, sizeof used);
done:
  return rc;
}

/* True if all records stay on this rank, in one shard: they need not be cut up,
 * and those in memory not be moved. */
static bool stays_whole(const struct th_bucket *bucket)
{
  return bucket->comm->size == 1 && th_writer_shards(bucket->writer) == 1;
}

/* Append the records of the bin that lie in memory. */
static void copy_held(struct th_bucket *bucket, int k)
{
  int64_t count;
  const struct th_parsed *held =
      spill_held(bucket->spill[k], bucket->number, &count);
  for (int64_t j = 0; j < count; j++) {
    const struct th_record *record = held[j].record;
    int64_t bytes =
        record_bytes(record->count, record->first == TH_LISTED, bucket->size);
    memcpy(bucket->local + bucket->local_used, record, (size_t)bytes);
    bucket->local_used += bytes;
  }
}

/* Append the records of examples of the bin that are read again. */
static th_status read_again(struct th_bucket *bucket, int k,
                            struct th_error *err)
{
  const struct th_bucket_spill *spill = bucket->spill[k];
  const struct list *list = &spill->lists[bucket->number];
  th_status rc = TH_OK;
  for (int64_t j = 0; rc == TH_OK && j < list->agains; j++) {
    struct th_record *record =
        (struct th_record *)(void *)(bucket->local + bucket->local_used);
    *record = (struct th_record){.row = list->again[j].row,
                                 .count = (uint32_t)bucket->again.values};
    rc = bucket->again.read(bucket->again.self, list->again[j].place,
                            record + 1, err);
    if (rc == TH_OK && spill->number != NULL)
      renumber_record(record, spill->size, spill->number);
    bucket->local_used += spilled_bytes(spill, record);
  }
  return rc;
}

/* This rank's records of the bin, one behind the other. */
static th_status read_local(struct th_bucket *bucket, struct th_error *err)
{
  bool whole = stays_whole(bucket);
  int64_t wanted = 1;
  th_status rc = TH_OK;
  for (int k = 0; k < bucket->spills; k++)
    wanted += (whole ? spill_stored(bucket->spill[k], bucket->number)
                     : bucket_spill_bytes(bucket->spill[k], bucket->number)) +
              bucket->spill[k]->lists[bucket->number].agains *
                  record_bytes(bucket->again.values, false, bucket->size);
  bucket->local_used = 0;
  TH_TRY(th_grow((void **)&bucket->local, &bucket->local_capacity, wanted, 1,
                 "imported examples", err));
  for (int k = 0; k < bucket->spills; k++) {
    const struct th_bucket_spill *spill = bucket->spill[k];
    TH_TRY(spill_read(spill, bucket->number, bucket->local, &bucket->local_used,
                      err));
    if (!whole)
      copy_held(bucket, k);
    TH_TRY(read_again(bucket, k, err));
  }
done:
  return rc;
}

/* Cut this rank's records of the bin up by writer and shard. */
static th_status pack_bin(struct th_bucket *bucket, struct th_error *err)
{
  th_status rc = TH_OK;
  int ranks = bucket->comm->size;
  bucket->send_used = 0;
  for (int r = 0; r < ranks; r++) {
    int64_t before = bucket->send_used;
    struct th_range touched = th_writer_touched(bucket->writer, r);
    for (int64_t k = touched.first; k < touched.last; k++)
      TH_TRY(append_shard(bucket, th_writer_part(bucket->writer, r, k), err));
    bucket->send_bytes[r] = bucket->send_used - before;
  }
done:
  return rc;
}

/* Every rank tells every other how much is coming. rc: how this rank's work has
 * gone so far. Collective. */
static th_status exchange_counts(struct th_bucket *bucket, th_status rc,
                                 struct th_error *err)
{
  int64_t total = 0;
  rc = th_comm_tell_bytes(bucket->comm, bucket->send_bytes,
                          bucket->received_bytes, rc, err);
  if (rc != TH_OK)
    return rc;
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

th_status th_bucket_read(struct th_bucket *bucket, int64_t number,
                         struct th_error *err)
{
  bucket->number = number;
  th_status rc = read_local(bucket, err);
  if (rc != TH_OK || stays_whole(bucket))
    return rc;
  rc = pack_bin(bucket, err);
  if (rc == TH_OK)
    keep_bytes(bucket);
  return rc;
}

th_status th_bucket_exchange(struct th_bucket *bucket, int64_t number,
                             th_status rc, struct th_error *err)
{
  if (bucket->comm->size == 1) {
    rc = rc == TH_OK ? th_bucket_read(bucket, number, err) : rc;
    return th_agree(bucket->comm, rc, err);
  }
  bucket->number = number;
  if (rc == TH_OK)
    rc = read_local(bucket, err);
  if (rc == TH_OK)
    rc = pack_bin(bucket, err);
  TH_TRY(exchange_counts(bucket, rc, err));
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
static void index_records(const struct th_bucket *bucket, const char *p,
                          int64_t bytes, const struct th_record **rows)
{
  for (const char *end = p + bytes; p < end;) {
    const struct th_record *record = (const struct th_record *)(const void *)p;
    rows[record->row] = record;
    p += record_bytes(record->count, record->first == TH_LISTED, bucket->size);
  }
}

static void place_whole(const struct th_bucket *bucket,
                        const struct th_record **rows)
{
  index_records(bucket, bucket->local, bucket->local_used, rows);
  for (int k = 0; k < bucket->spills; k++) {
    int64_t count;
    const struct th_parsed *held =
        spill_held(bucket->spill[k], bucket->number, &count);
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
    index_records(bucket, p + sizeof bytes, bytes, rows);
  }
}
