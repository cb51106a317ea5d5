/* bucket.h - the examples of a bin travel to the ranks that write their shards
 * SPDX-License-Identifier: MIT */
#ifndef TH_BUCKET_H
#define TH_BUCKET_H

#include "core/comm.h"
#include "io/dataset/dataset.h"
#include "io/import/bucket_spill.h"

/* Where a bin's records were found, shard by shard. Reused from bin to bin. */
struct th_bucket {
  struct th_comm *comm;                 /* borrowed */
  const struct th_writer *writer;       /* borrowed */
  struct th_bucket_spill *const *spill; /* borrowed */
  int spills;
  size_t size;    /* of a value */
  int64_t number; /* of the bin */
  char *local;    /* this rank's records of the bin; but for those in memory,
                     where no other rank and shard wants them */
  int64_t local_capacity;
  int64_t local_used;
  char *send; /* cut up by shard: for each rank, for each of its shards in
                 ascending order, a count of bytes and the records */
  int64_t send_capacity;
  int64_t send_used;
  char *received;
  int64_t received_capacity;
  int64_t *send_bytes; /* per rank */
  int64_t *received_bytes;
  int64_t *cursor; /* per rank: how far its piece has been handed out */
};

/* Members above `local` are set. Local. TH_ENOMEM. */
th_status th_bucket_init(struct th_bucket *bucket, struct th_error *err);
void th_bucket_free(struct th_bucket *bucket);

/* Bring one bin's records to the owners of their shards. Collective; rc is how
 * this rank's work has gone so far, so that one agreement serves both. TH_EIO,
 * TH_ENOMEM. */
th_status th_bucket_exchange(struct th_bucket *bucket, int64_t number,
                             th_status rc, struct th_error *err);

/* The same on one rank, for any thread. Local. TH_EIO, TH_ENOMEM. */
th_status th_bucket_take(struct th_bucket *bucket, int64_t number,
                         struct th_error *err);

/* The records of the next owned shard, in ascending order of shards: rows[]
 * (as many as the bin has) receives one record or NULL per row. Local. */
void th_bucket_rows(struct th_bucket *bucket, const struct th_record **rows,
                    int64_t count);

#endif
