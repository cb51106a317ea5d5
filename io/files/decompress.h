/* decompress.h - files compressed by gzip, bzip2, xz, zstd or lz4, and zip
 * archives of one file, recognised by their first bytes
 * SPDX-License-Identifier: MIT */
#ifndef TH_DECOMPRESS_H
#define TH_DECOMPRESS_H

#include "base/error.h"

#include <stdint.h>

/* The longest line of text that is accepted, and what to do about a longer one.
 */
struct th_line_limit {
  int64_t bytes; /* 0: any */
  const char *remedy;
};

/* How text is decompressed: told is called now and then with the number of
 * input bytes that have been read. More than one thread is used for xz files of
 * several blocks, as far as what they hold fits `memory`. */
struct th_reading {
  void (*told)(void *self, int64_t bytes);
  void *self;
  struct th_line_limit line;
  int threads;
  int64_t memory; /* bytes */
};

enum th_codec {
  TH_CODEC_NONE,
  TH_CODEC_GZIP,
  TH_CODEC_BZIP2,
  TH_CODEC_XZ,
  TH_CODEC_ZSTD,
  TH_CODEC_LZ4,
  TH_CODEC_ZIP
};

/* What names of compressed files end in, up to NULL. Local. */
const char *const *th_decompress_endings(void);

/* How an open file is compressed. Local. */
th_status th_decompress_find(int fd, const char *name, enum th_codec *codec,
                             struct th_error *err);

/* Decompress all of the file `from`, which may hold several streams one after
 * the other, to the end of the file `to`; TH_CODEC_NONE copies it, also from a
 * pipe. name is for messages; reading may be
 * NULL. Local. An error where the file is damaged or cut short, or a line is
 * too long, or where no more than a fiftieth of the disk, or 4 GB, is left
 * free. */
th_status th_decompress(enum th_codec codec, int from, int to, const char *name,
                        const struct th_reading *reading, struct th_error *err);

#endif
