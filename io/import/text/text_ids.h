/* text_ids.h - the IDs of examples on their way from text into a data set
 * SPDX-License-Identifier: MIT */
#ifndef TH_TEXT_IDS_H
#define TH_TEXT_IDS_H

#include "base/error.h"
#include "ranks/comm.h"

#include <stdint.h>

/* IDs in the order of the input, each with a zero behind it. Zeroed: none. */
struct th_text_ids {
  char *text; /* owned */
  int64_t bytes;
  int64_t capacity;
  int64_t longest; /* bytes of an ID */
};

/* Local. */
th_status th_text_ids_add(struct th_text_ids *ids, const char *id,
                          struct th_error *err);
/* Put others behind them. Local. */
th_status th_text_ids_join(struct th_text_ids *ids,
                           const struct th_text_ids *more,
                           struct th_error *err);
void th_text_ids_free(struct th_text_ids *ids);

/* Read a file with an ID on each of `count` lines; it may be compressed, and is
 * decompressed beside `output` then. An error names FILE:LINE. Local. */
th_status th_text_ids_read(struct th_text_ids *ids, const char *name,
                           const char *output, int64_t count,
                           struct th_error *err);

/* The IDs of all ranks, in the order of their ranks, to rank 0, where
 * (*stored)[k] is that of example row[k] of the input: one allocation, owned by
 * the caller. memory: bytes that rank 0 may take for them, at least 64 MiB;
 * they are written with all as long as the longest. Collective. */
th_status th_text_ids_collect(const struct th_text_ids *ids,
                              struct th_comm *comm, const int64_t *row,
                              int64_t count, int64_t memory, char ***stored,
                              struct th_error *err);

#endif
