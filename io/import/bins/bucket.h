/* bucket.h - the examples of a bin travel to the ranks that write their values
 * SPDX-License-Identifier: MIT */
#ifndef TH_BUCKET_H
#define TH_BUCKET_H

#include "io/dataset/residency/dataset.h"
#include "io/import/text/text_row.h"
#include "ranks/comm.h"

/* How examples are read that were not kept: the values of one, in the storage
 * type, are so many, one for each attribute as it was numbered when they were
 * put into bins. Local. */
struct th_bucket_again {
  th_status (*read)(void *self, int64_t place, void *values,
                    struct th_error *err);
  void *self; /* borrowed */
  int64_t values;
};

/* Where a bin's records were found, shard by shard. Reused from bin to bin. */
struct th_bucket {
  struct th_comm *comm;                 /* borrowed */
  const struct th_writer *writer;       /* borrowed */
  struct th_bucket_spill *const *spill; /* borrowed */
  int spills;
  struct th_bucket_again again; /* where some examples were not kept */
  size_t size;                  /* of a value */
  int64_t number;               /* of the bin */
  char *local; /* this rank's records of the bin; but for those in memory,
                  where no other rank and shard wants them */
  int64_t local_capacity;
  int64_t local_used;
  char *send; /* cut up by shard: for each rank, for each shard that it writes
                 something of, in ascending order, a count of bytes and the
                 records of its part */
  int64_t send_capacity;
  int64_t send_used;
  char *received;
  int64_t received_capacity;
  int64_t *send_bytes; /* per rank */
  int64_t *received_bytes;
  int64_t *cursor; /* per rank: how far its piece has been handed out */
};

/* Members above `local` are set. Local. */
th_status th_bucket_init(struct th_bucket *bucket, struct th_error *err);
void th_bucket_free(struct th_bucket *bucket);

/* Bring one bin's records to the ranks that write them. Collective; rc is how
 * this rank's work has gone so far, so that one agreement serves both. */
th_status th_bucket_exchange(struct th_bucket *bucket, int64_t number,
                             th_status rc, struct th_error *err);

/* Read one bin's records on one rank, for any thread. Local. */
th_status th_bucket_read(struct th_bucket *bucket, int64_t number,
                         struct th_error *err);

/* The values of one example, or of those that one rank writes in one shard.
 * Behind it lie the indices, if any, and the values, each padded to 8 bytes. */
struct th_record {
  uint32_t row; /* counted from the bin's first */
  uint32_t count;
  uint32_t first; /* attributes first, first + 1, .., or TH_LISTED */
  uint32_t unused;
};

/* The records of the next shard of this rank, in ascending order: rows[]
 * (as many as the bin has) receives one record or NULL per row. Local. */
void th_bucket_rows(struct th_bucket *bucket, const struct th_record **rows,
                    int64_t count);

/* --- Parsed examples sorted into bins, in memory and then on disk
 *
 * A bin is a number of consecutive row groups of the data set to come. Its
 * examples arrive in any order.
 *
 * All functions that do not say otherwise are local. */

#define TH_LISTED UINT32_MAX

static inline int64_t th_bucket_pad8(int64_t bytes)
{
  return (bytes + 7) & ~(int64_t)7;
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

/* Add to load[k] how many values some of the examples in memory have in stretch
 * k of the attributes, which are cut by th_range_part. */
void th_bucket_spill_loads(const struct th_bucket_spill *spill,
                           int64_t attributes, int64_t loads, int64_t load[]);

/* When all examples are there: give their attributes other numbers, in the same
 * order; number[a], or TH_LISTED where its values are left out. Borrowed.
 * Local. */
void th_bucket_spill_renumber(struct th_bucket_spill *spill,
                              const uint32_t *number);

/* Put an example into a bin, at a row counted from the bin's first. Local. */
th_status th_bucket_spill_add(struct th_bucket_spill *spill, int64_t bucket,
                              uint32_t row, const struct th_text_row *values,
                              struct th_error *err);

/* Likewise of an example that is going to be read again. Local. */
th_status th_bucket_spill_again(struct th_bucket_spill *spill, int64_t bucket,
                                uint32_t row, int64_t place,
                                struct th_error *err);

#endif
