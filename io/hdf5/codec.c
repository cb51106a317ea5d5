/* codec.c - how gzip, bzip2 and xz streams are read, step by step
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/codec.h"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>

static bool gzip_begin(void *state, const struct th_reading *reading)
{
  (void)reading;
  return inflateInit2((z_stream *)state, 16 + MAX_WBITS) == Z_OK;
}

static enum th_codec_outcome gzip_step(void *state, struct th_window *window)
{
  z_stream *stream = state;
  stream->next_in = (Bytef *)window->in;
  stream->avail_in = (uInt)window->in_left;
  stream->next_out = (Bytef *)window->out;
  stream->avail_out = (uInt)window->out_left;
  int rc = inflate(stream, Z_NO_FLUSH);
  window->in = (char *)stream->next_in;
  window->in_left = stream->avail_in;
  window->out = (char *)stream->next_out;
  window->out_left = stream->avail_out;
  if (rc == Z_STREAM_END)
    return TH_STREAM_ENDS;
  if (rc == Z_MEM_ERROR)
    return TH_NO_MEMORY;
  return rc == Z_OK || rc == Z_BUF_ERROR ? TH_GOES_ON : TH_IS_DAMAGED;
}

static void gzip_end(void *state)
{
  inflateEnd(state);
}

static bool bzip2_begin(void *state, const struct th_reading *reading)
{
  (void)reading;
  return BZ2_bzDecompressInit(state, 0, 0) == BZ_OK;
}

static enum th_codec_outcome bzip2_step(void *state, struct th_window *window)
{
  bz_stream *stream = state;
  stream->next_in = window->in;
  stream->avail_in = (unsigned)window->in_left;
  stream->next_out = window->out;
  stream->avail_out = (unsigned)window->out_left;
  int rc = BZ2_bzDecompress(stream);
  window->in = stream->next_in;
  window->in_left = stream->avail_in;
  window->out = stream->next_out;
  window->out_left = stream->avail_out;
  if (rc == BZ_STREAM_END)
    return TH_STREAM_ENDS;
  if (rc == BZ_MEM_ERROR)
    return TH_NO_MEMORY;
  return rc == BZ_OK ? TH_GOES_ON : TH_IS_DAMAGED;
}

static void bzip2_end(void *state)
{
  BZ2_bzDecompressEnd(state);
}

/* Several threads: see io/hdf5/CMakeLists.txt. A block whose head tells its
 * size is decompressed by a thread of its own, all others as by one thread. */
#ifdef TH_LZMA_THREADS
static bool begin_threads(lzma_stream *stream, const struct th_reading *reading)
{
  lzma_mt how = {.flags = LZMA_CONCATENATED,
                 .threads = (uint32_t)reading->threads,
                 .memlimit_threading = (uint64_t)reading->memory,
                 .memlimit_stop = UINT64_MAX};
  return lzma_stream_decoder_mt(stream, &how) == LZMA_OK;
}
#else
static bool begin_threads(lzma_stream *stream, const struct th_reading *reading)
{
  (void)stream;
  (void)reading;
  return false;
}
#endif

/* Several streams are one to the decoder: what pads them, zeros in fours, it
 * alone can tell from a stream. It ends with the input. */
static bool xz_begin(void *state, const struct th_reading *reading)
{
  lzma_stream *stream = state;
  if (reading != NULL && reading->threads > 1 && begin_threads(stream, reading))
    return true;
  lzma_end(stream);
  *stream = (lzma_stream)LZMA_STREAM_INIT;
  return lzma_stream_decoder(stream, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK;
}

static enum th_codec_outcome xz_step(void *state, struct th_window *window)
{
  lzma_stream *stream = state;
  stream->next_in = (uint8_t *)window->in;
  stream->avail_in = window->in_left;
  stream->next_out = (uint8_t *)window->out;
  stream->avail_out = window->out_left;
  lzma_ret rc = lzma_code(stream, window->last ? LZMA_FINISH : LZMA_RUN);
  window->in += window->in_left - stream->avail_in;
  window->in_left = stream->avail_in;
  window->out = (char *)stream->next_out;
  window->out_left = stream->avail_out;
  if (rc == LZMA_STREAM_END)
    return TH_STREAM_ENDS;
  if (rc == LZMA_MEM_ERROR)
    return TH_NO_MEMORY;
  return rc == LZMA_OK || rc == LZMA_BUF_ERROR ? TH_GOES_ON : TH_IS_DAMAGED;
}

static void xz_end(void *state)
{
  lzma_end(state);
}

const struct th_codec_steps th_codecs[TH_CODEC_XZ + 1] = {
    [TH_CODEC_GZIP] = {"gzip", "\x1f\x8b", 2, sizeof(z_stream), gzip_begin,
                       gzip_step, gzip_end},
    [TH_CODEC_BZIP2] = {"bzip2", "BZh", 3, sizeof(bz_stream), bzip2_begin,
                        bzip2_step, bzip2_end},
    [TH_CODEC_XZ] = {"xz",
                     "\xfd"
                     "7zXZ\0",
                     6, sizeof(lzma_stream), xz_begin, xz_step, xz_end},
};
