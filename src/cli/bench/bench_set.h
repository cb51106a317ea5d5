/* bench_set.h - a data set for measurements that leaves nothing behind
 *
 * SPDX-License-Identifier: MIT */
#ifndef TH_BENCH_SET_H
#define TH_BENCH_SET_H

#include "io/dataset/anew.h"
#include "io/dataset/dataset.h"

enum {
  TH_BENCH_ROWS = 1024, /* R: runs of 4 KiB */
  TH_BENCH_GROUPS = 16
};

/* Dense f32 in one shard, in a folder of its own in $TMPDIR or the working
 * folder. The files lose their names as soon as they are open. */
struct th_bench_set {
  struct th_comm self; /* each rank has its own */
  struct th_shape shape;
  struct th_dataset *dataset;
  struct th_store *store; /* borrowed */
  int file;               /* the shard */
};

/* Write it and open it, with reading ahead. memory: bytes of values that it may
 * keep. TH_EIO says how much room is missing, and where. Local. Also TH_EUSAGE,
 * TH_EARG, TH_EDATA, TH_EFORMAT, TH_ENOMEM. */
th_status th_bench_set_open(struct th_bench_set *set, int64_t attributes,
                            enum th_storage storage, int64_t memory,
                            struct th_error *err);
/* Collective over the team of this rank alone. */
void th_bench_set_close(struct th_bench_set *set);

#endif
