/* codec.h - how gzip, bzip2 and xz streams are read, step by step
 * SPDX-License-Identifier: MIT */
#ifndef TH_CODEC_H
#define TH_CODEC_H

#include "io/hdf5/decompress.h"

#include <stdbool.h>
#include <stddef.h>

/* What a step of a codec came to. */
enum th_codec_outcome {
  TH_GOES_ON,
  TH_STREAM_ENDS,
  TH_IS_DAMAGED,
  TH_NO_MEMORY
};

/* The rest of the input, and the free part of the output. */
struct th_window {
  char *in;
  size_t in_left;
  char *out;
  size_t out_left;
  bool last; /* no more input will come */
};

/* A codec reads a stream by begin, any number of steps, and end. A step
 * consumes input, produces output, and says whether the stream goes on. */
struct th_codec_steps {
  const char *name;
  const char *magic;
  size_t magic_bytes;
  size_t state_bytes;
  bool (*begin)(void *state, const struct th_reading *reading);
  enum th_codec_outcome (*step)(void *state, struct th_window *window);
  void (*end)(void *state);
};

/* By enum th_codec; that of TH_CODEC_NONE is empty. */
extern const struct th_codec_steps th_codecs[TH_CODEC_XZ + 1];

#endif
