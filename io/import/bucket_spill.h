/* bucket_spill.h - parsed examples sorted into bins, in memory and then on disk
 *
 * A bin is a number of consecutive row groups of the data set to come. Its
 * examples arrive in any order.
 *
 * All functions that do not say otherwise are local. A status is one of TH_EIO,
 * TH_ENOMEM.
 * SPDX-License-Identifier: MIT */
#ifndef TH_BUCKET_SPILL_H
#define TH_BUCKET_SPILL_H

#include "io/import/text_row.h"

/* The values of one example, or of the part of it that lies in one shard.
 * Behind it lie the indices, if any, and the values, each padded to 8 bytes. */
struct th_record {
  uint32_t row; /* counted from the bin's first */
  uint32_t count;
  uint32_t first; /* attributes first, first + 1, .., or TH_LISTED */
  uint32_t unused;
};

#define TH_LISTED UINT32_MAX

static inline int64_t th_bucket_pad8(int64_t bytes)
{
  return (bytes + 7) & ~(int64_t)7;
}

/* Bytes of a record of that shape, with the values' size in bytes. */
static inline int64_t th_bucket_record_bytes(int64_t count, bool listed,
                                             size_t size)
{
  return (int64_t)sizeof(struct th_record) +
         (listed ? th_bucket_pad8(4 * count) : 0) +
         th_bucket_pad8(count * (int64_t)size);
}

static inline const uint32_t *
th_bucket_record_index(const struct th_record *record)
{
  return (const uint32_t *)(record + 1);
}

static inline const void *
th_bucket_record_values(const struct th_record *record)
{
  const char *p = (const char *)(record + 1);
  return record->first == TH_LISTED
             ? p + th_bucket_pad8(4 * (int64_t)record->count)
             : p;
}

struct th_bucket_spill;

/* Bins 0 .. bins-1. At most `memory` bytes of records (and one more) are held;
 * beyond that they go to a nameless file in the folder of `output`. It is made
 * now, where the bytes of all records may be more; `most` of them will come.
 * Only the thread that may make files calls this; any one, all others. */
th_status th_bucket_spill_create(struct th_bucket_spill **spill,
                                 const char *output, int64_t bins,
                                 int64_t memory, enum th_type type,
                                 int64_t most, struct th_error *err);
void th_bucket_spill_free(struct th_bucket_spill *spill);

/* Put an example into a bin, at a row counted from the bin's first. Local. */
th_status th_bucket_spill_add(struct th_bucket_spill *spill, int64_t bucket,
                              uint32_t row, const struct th_text_row *values,
                              struct th_error *err);

/* A record in memory: its row is told here, so that records, which lie anywhere
 * in memory, need not be looked at for it. */
struct th_held {
  const struct th_record *record; /* borrowed */
  uint32_t row;
};

/* A bin's records: some on disk, the others in memory, in the order in which
 * they came. */
int64_t th_bucket_spill_bytes(const struct th_bucket_spill *spill,
                              int64_t bucket);
const struct th_held *th_bucket_spill_held(const struct th_bucket_spill *spill,
                                           int64_t bucket, int64_t *count);

/* Those on disk, one behind the other: how many bytes, and the records. */
int64_t th_bucket_spill_stored(const struct th_bucket_spill *spill,
                               int64_t bucket);
th_status th_bucket_spill_read(const struct th_bucket_spill *spill,
                               int64_t bucket, void *buffer,
                               struct th_error *err);

#endif
