/* generate_parts.h - values of synthetic data sets, made on several threads
 * SPDX-License-Identifier: MIT */
#ifndef TH_GENERATE_PARTS_H
#define TH_GENERATE_PARTS_H

#include "core/comm.h"
#include "io/dataset/writer.h"
#include "synthetic/synthetic.h"

/* What is generated, and with what; replicated but for memory. */
struct th_generation {
  struct th_synthetic_law law;
  struct th_dataset_plan plan;
  struct th_writer *writer; /* borrowed */
  int64_t memory;           /* of this rank, for values under way; bytes */
  int threads; /* of this rank at most, where there are values for them; below
                  0: so many in any case. No more than memory has room for */
};

/* Make the values of this rank's shards and write them; on rank 0, fill in the
 * targets of all examples, too. Collective. TH_EARG, TH_EDATA, TH_EIO,
 * TH_ENOMEM. */
th_status th_generate_parts(const struct th_generation *generation,
                            struct th_comm *comm, double *target,
                            struct th_error *err);

#endif
