/* anew.h - stores dense values in another way, for measurements and tests
 * SPDX-License-Identifier: MIT */
#ifndef TH_ANEW_H
#define TH_ANEW_H

#include "base/error.h"

#include <stdint.h>

/* One list: enumerator, name, how /X of a shard lies in its file. */
#define TH_STORAGE_LIST(X)                                                     \
  X(TH_STORED_TILES, "tiles", "as this program writes them: up to 4 MiB")      \
  X(TH_STORED_CHUNKS, "chunked", "chunks of 256 KiB")                          \
  X(TH_STORED_CONTIGUOUS, "contiguous", "attribute by attribute")              \
  X(TH_STORED_FILTERED, "filtered", "chunks of 256 KiB, shuffle and deflate")

enum th_storage {
#define TH_STORAGE_ENUM(code, name, help) code,
  TH_STORAGE_LIST(TH_STORAGE_ENUM)
#undef TH_STORAGE_ENUM
};

/* Store /X of the dense shard at `path` anew, as h5repack would: the same
 * values, another file. All of it passes through memory. Local. */
th_status th_anew_shard(const char *path, enum th_storage storage,
                        int64_t row_group, struct th_error *err);

/* Drop an open file from the system's page cache. Local. */
void th_anew_forget(int file);

/* Seconds that read(2) takes for a whole open file; negative if it fails.
 * Local. */
double th_anew_read_seconds(int file);

#endif
