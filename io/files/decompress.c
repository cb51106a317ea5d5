/* decompress.c - compressed files, recognised by their first bytes
 * SPDX-License-Identifier: MIT */
#include "io/files/decompress.h"

#include "base/integer.h"
#include "base/memory.h"
#include "io/files/output.h"
#include "io/files/zip.h"

#include <bzlib.h>
#include <errno.h>
#include <lz4frame.h>
#include <lzma.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* --- How streams are read, step by step ----------------------------------- */

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

/* By enum th_codec. */
extern const struct th_codec_steps th_codecs[TH_CODEC_ZIP + 1];

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

/* Several threads: see io/files/CMakeLists.txt. A block whose head tells its
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

/* What these two keep is made by their libraries. */
union pointed {
  ZSTD_DStream *zstd;
  LZ4F_dctx *lz4;
};

/* The window that a frame asks for may be as large as the memory, and is as
 * zstd makes it by itself in any case. */
static bool zstd_begin(void *state, const struct th_reading *reading)
{
  enum { USUAL = 27, MOST = 31 };
  union pointed *made = state;
  int window = USUAL;
  while (reading != NULL && window < MOST &&
         INT64_C(2) << window <= reading->memory)
    window++;
  made->zstd = ZSTD_createDStream();
  return made->zstd != NULL && !ZSTD_isError(ZSTD_DCtx_setParameter(
                                   made->zstd, ZSTD_d_windowLogMax, window));
}

static enum th_codec_outcome zstd_step(void *state, struct th_window *window)
{
  union pointed *made = state;
  ZSTD_inBuffer in = {window->in, window->in_left, 0};
  ZSTD_outBuffer out = {window->out, window->out_left, 0};
  size_t rc = ZSTD_decompressStream(made->zstd, &out, &in);
  window->in += in.pos;
  window->in_left -= in.pos;
  window->out += out.pos;
  window->out_left -= out.pos;
  if (rc == 0)
    return TH_STREAM_ENDS;
  if (!ZSTD_isError(rc))
    return TH_GOES_ON;
  bool memory = strstr(ZSTD_getErrorName(rc), "memory") != NULL;
  return memory ? TH_NO_MEMORY : TH_IS_DAMAGED;
}

static void zstd_end(void *state)
{
  ZSTD_freeDStream(((union pointed *)state)->zstd);
}

static bool lz4_begin(void *state, const struct th_reading *reading)
{
  (void)reading;
  return !LZ4F_isError(LZ4F_createDecompressionContext(
      &((union pointed *)state)->lz4, LZ4F_VERSION));
}

static enum th_codec_outcome lz4_step(void *state, struct th_window *window)
{
  size_t taken = window->in_left;
  size_t made = window->out_left;
  size_t rc = LZ4F_decompress(((union pointed *)state)->lz4, window->out, &made,
                              window->in, &taken, NULL);
  if (LZ4F_isError(rc))
    return TH_IS_DAMAGED;
  window->in += taken;
  window->in_left -= taken;
  window->out += made;
  window->out_left -= made;
  return rc == 0 ? TH_STREAM_ENDS : TH_GOES_ON;
}

static void lz4_end(void *state)
{
  LZ4F_freeDecompressionContext(((union pointed *)state)->lz4);
}

/* What is not compressed is copied, a part of it by each step. */
static bool copy_begin(void *state, const struct th_reading *reading)
{
  (void)state;
  (void)reading;
  return true;
}

static enum th_codec_outcome copy_step(void *state, struct th_window *window)
{
  (void)state;
  size_t some =
      window->in_left < window->out_left ? window->in_left : window->out_left;
  memcpy(window->out, window->in, some);
  window->in += some;
  window->in_left -= some;
  window->out += some;
  window->out_left -= some;
  return TH_STREAM_ENDS;
}

static void copy_end(void *state)
{
  (void)state;
}

/* Archives have no streams: see unpack_archive. */
const struct th_codec_steps th_codecs[TH_CODEC_ZIP + 1] = {
    [TH_CODEC_NONE] = {"", "", 0, 1, copy_begin, copy_step, copy_end},
    [TH_CODEC_GZIP] = {"gzip", "\x1f\x8b", 2, sizeof(z_stream), gzip_begin,
                       gzip_step, gzip_end},
    [TH_CODEC_BZIP2] = {"bzip2", "BZh", 3, sizeof(bz_stream), bzip2_begin,
                        bzip2_step, bzip2_end},
    [TH_CODEC_XZ] = {"xz",
                     "\xfd"
                     "7zXZ\0",
                     6, sizeof(lzma_stream), xz_begin, xz_step, xz_end},
    [TH_CODEC_ZSTD] = {"zstd", "\x28\xb5\x2f\xfd", 4, sizeof(union pointed),
                       zstd_begin, zstd_step, zstd_end},
    [TH_CODEC_LZ4] = {"lz4", "\x04\x22\x4d\x18", 4, sizeof(union pointed),
                      lz4_begin, lz4_step, lz4_end},
    [TH_CODEC_ZIP] = {"zip", "PK\3\4", 4, 1, NULL, NULL, NULL},
};

/* --- Streams of a file ---------------------------------------------------- */

enum {
  PART = 1 << 20,
  LOOK = 1 << 24, /* bytes after which the room on disk is looked at again */
  LEFT_FREE = 50, /* this part of the disk */
  HEAD = 10
};

/* Behind "BZh" comes a digit and the first number of a block, or that of the
 * end. Without these it is text. */
static bool is_bzip2(const char *head)
{
  return head[3] >= '1' && head[3] <= '9' &&
         (memcmp(head + 4, "1AY&SY", 6) == 0 ||
          memcmp(head + 4, "\x17rE8P\x90", 6) == 0);
}

/* Frames that decoders of zstd pass over; pzstd begins with one. */
static bool is_skippable(const char *head)
{
  return (head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0;
}

/* lz4 passes over such frames, too: what stands behind the first ones tells. */
static enum th_codec codec_behind(int fd)
{
  enum { MOST_FRAMES = 64, SIZES = 8 };
  const struct th_codec_steps *lz4 = &th_codecs[TH_CODEC_LZ4];
  unsigned char head[SIZES] = {0};
  off_t at = 0;
  for (int k = 0; k < MOST_FRAMES; k++) {
    if (pread(fd, head, sizeof head, at) < (ssize_t)lz4->magic_bytes ||
        !is_skippable((const char *)head))
      break;
    at += SIZES + (off_t)(head[4] | (uint32_t)head[5] << 8 |
                          (uint32_t)head[6] << 16 | (uint32_t)head[7] << 24);
  }
  return memcmp(head, lz4->magic, lz4->magic_bytes) == 0 ? TH_CODEC_LZ4
                                                         : TH_CODEC_ZSTD;
}

const char *const *th_decompress_endings(void)
{
  static const char *const endings[] = {".gz",  ".bz2", ".xz", ".zst",
                                        ".lz4", ".zip", NULL};
  return endings;
}

th_status th_decompress_find(int fd, const char *name, enum th_codec *codec,
                             struct th_error *err)
{
  char head[HEAD] = {0};
  ssize_t got = pread(fd, head, sizeof head, 0);
  *codec = TH_CODEC_NONE;
  if (got < 0)
    return th_fail(err, TH_EIO, "%s: %s; check the file", name,
                   strerror(errno));
  for (int k = TH_CODEC_GZIP; k <= TH_CODEC_ZIP; k++)
    if (memcmp(head, th_codecs[k].magic, th_codecs[k].magic_bytes) == 0)
      *codec = (enum th_codec)k;
  if (*codec == TH_CODEC_BZIP2 && !is_bzip2(head))
    *codec = TH_CODEC_NONE;
  if (is_skippable(head))
    *codec = codec_behind(fd);
  return TH_OK;
}

/* An open file that is being decompressed. */
struct job {
  const struct th_codec_steps *codec;
  const char *name;
  char text[512]; /* what the output is called in messages */
  int from;
  int to;
  const struct th_reading *reading; /* or NULL */
  int64_t read;
  int64_t written;
  int64_t line; /* bytes since the last end of a line */
  bool returns; /* the last of them is a carriage return */
  void *state;
  bool open;  /* inside a stream */
  bool begun; /* there has been one */
  char *input;
  char *output;
  struct th_window window;
};

static th_status read_input(struct job *job, struct th_error *err)
{
  struct th_window *window = &job->window;
  if (window->in_left > 0 || window->last)
    return TH_OK;
  ssize_t got = read(job->from, job->input, PART);
  while (got < 0 && errno == EINTR)
    got = read(job->from, job->input, PART);
  if (got < 0)
    return th_fail(err, TH_EIO, "%s: %s; check the file", job->name,
                   strerror(errno));
  window->in = job->input;
  window->in_left = (size_t)got;
  window->last = got == 0;
  job->read += got;
  if (job->reading != NULL)
    job->reading->told(job->reading->self, job->read);
  return TH_OK;
}

static th_status begin_stream(struct job *job, struct th_error *err)
{
  memset(job->state, 0, job->codec->state_bytes);
  if (!job->codec->begin(job->state, job->reading))
    return th_fail(err, TH_ENOMEM, "%s: no memory for decompression",
                   job->name);
  job->open = true;
  job->begun = true;
  return TH_OK;
}

/* Bytes at the end of a line that began before, where it may be several that
 * end with carriage returns alone. */
static int64_t behind_return(const char *text, const char *end, int64_t length)
{
  const char *last = end - 1; /* a line feed may follow one at the end */
  while (last > text && last[-1] != '\r')
    last--;
  return last > text ? end - last : length;
}

/* Follow the lines of a part of the text; bytes of the longest of them so far,
 * without a carriage return at its end. */
static int64_t longest_in_text(struct job *job, const char *text, int64_t bytes)
{
  const char *end = text + bytes;
  int64_t longest = 0;
  while (text < end) {
    const char *found = memchr(text, '\n', (size_t)(end - text));
    const char *behind = found != NULL ? found : end;
    job->line += behind - text;
    if (behind > text)
      job->returns = behind[-1] == '\r';
    int64_t length = job->line - (job->returns ? 1 : 0);
    if (length > job->reading->line.bytes)
      length = job->line = behind_return(text, behind, length);
    longest = length > longest ? length : longest;
    if (found == NULL)
      break;
    job->line = 0;
    job->returns = false;
    text = found + 1;
  }
  return longest;
}

static const double most_left_free = 4e9;

/* Bytes that stay free on a disk: a fiftieth, but no more than that. */
static double left_free(const struct statvfs *disk)
{
  return fmin((double)disk->f_blocks * (double)disk->f_frsize / LEFT_FREE,
              most_left_free);
}

/* Write a part of the text. Few bytes may stand for so many that no disk holds
 * them: this ends before the disk is full, and in a line that never ends. */
static th_status put_text(struct job *job, int64_t made, struct th_error *err)
{
  int64_t most = job->reading != NULL ? job->reading->line.bytes : 0;
  struct statvfs disk;
  if (most > 0 && longest_in_text(job, job->output, made) > most)
    return th_fail(err, TH_EFORMAT,
                   "%s has a line that is longer than %lld bytes; %s",
                   job->text, (long long)most, job->reading->line.remedy);
  if (job->written / LOOK != (job->written + made) / LOOK &&
      fstatvfs(job->to, &disk) == 0 &&
      (double)disk.f_bavail * (double)disk.f_frsize < left_free(&disk))
    return th_fail(
        err, TH_EIO,
        "%s, %.0f MB so far, leaves less than %.0f MB of the disk free; make "
        "room or choose another folder",
        job->text, (double)job->written / 1e6, left_free(&disk) / 1e6);
  job->written += made;
  return th_output_temporary_write(job->to, job->output, made, job->text, err);
}

static th_status outcome_status(const struct job *job,
                                enum th_codec_outcome outcome,
                                struct th_error *err)
{
  const long long byte = (long long)(job->read - (int64_t)job->window.in_left);
  if (outcome == TH_NO_MEMORY)
    return th_fail(err, TH_ENOMEM,
                   "%s: no memory for decompression, at byte %lld", job->name,
                   byte);
  if (outcome == TH_IS_DAMAGED)
    return th_fail(err, TH_EFORMAT,
                   "%s: damaged %s data, found at byte %lld; fetch or compress "
                   "the file again",
                   job->name, job->codec->name, byte);
  return TH_OK;
}

/* Make one step of the codec, and write its output to the file, what stands
 * before a damage too: what is wrong there is found first. */
static th_status step_codec(struct job *job, bool *stuck, struct th_error *err)
{
  struct th_window *window = &job->window;
  size_t before = window->in_left;
  window->out = job->output;
  window->out_left = PART;
  enum th_codec_outcome outcome = job->codec->step(job->state, window);
  int64_t made = (int64_t)(PART - window->out_left);
  *stuck = window->last && made == 0 && before == window->in_left;
  if (outcome == TH_STREAM_ENDS) {
    job->codec->end(job->state);
    job->open = false;
  }
  th_status rc = put_text(job, made, err);
  return rc == TH_OK ? outcome_status(job, outcome, err) : rc;
}

/* Zeros behind the last stream, which tapes and downloads pad files with, as
 * gzip passes over them: to the end of the file, or they are what was lost. */
static th_status pass_padding(struct job *job, struct th_error *err)
{
  struct th_window *window = &job->window;
  bool padded = false;
  th_status rc = TH_OK;
  while (rc == TH_OK && job->begun && window->in_left > 0 &&
         *window->in == '\0') {
    padded = true;
    window->in++;
    window->in_left--;
    rc = read_input(job, err);
  }
  if (rc == TH_OK && padded && window->in_left > 0)
    rc = outcome_status(job, TH_IS_DAMAGED, err);
  return rc;
}

static th_status run(struct job *job, struct th_error *err)
{
  th_status rc = TH_OK;
  bool stuck = false;
  while (rc == TH_OK) {
    TH_TRY(read_input(job, err));
    if (!job->open)
      TH_TRY(pass_padding(job, err));
    if (!job->open && job->window.in_left == 0)
      break;
    if (!job->open)
      TH_TRY(begin_stream(job, err));
    TH_TRY(step_codec(job, &stuck, err));
    if (stuck && job->open)
      rc = th_fail(err, TH_EFORMAT,
                   "%s: the %s data end too early, at byte %lld; fetch or "
                   "compress the file again",
                   job->name, job->codec->name, (long long)job->read);
  }
done:
  if (job->open)
    job->codec->end(job->state);
  return rc;
}

/* --- An archive of one file ----------------------------------------------- */

/* Folders are no files, and neither is what macOS adds to one. */
static bool counts_as_file(const struct th_zip_member *member)
{
  static const char added[] = "__MACOSX/";
  size_t length = strlen(member->name);
  return (length == 0 || member->name[length - 1] != '/') &&
         strncmp(member->name, added, sizeof added - 1) != 0;
}

static th_status find_file(const struct job *job, const struct th_zip *zip,
                           struct th_zip_member *file, struct th_error *err)
{
  int64_t files = 0;
  for (int64_t k = 0; k < zip->members; k++)
    if (counts_as_file(&zip->member[k]) && files++ == 0)
      *file = zip->member[k];
  if (files == 0)
    return th_fail(err, TH_EFORMAT,
                   "%s: a zip archive without a file, of %lld members; put one "
                   "into it",
                   job->name, (long long)zip->members);
  if (files > 1)
    return th_fail(err, TH_EFORMAT,
                   "%s: a zip archive of %lld files, first %.80s; unpack it, "
                   "unzip -d FOLDER, and import FOLDER or what is wanted of it",
                   job->name, (long long)files, file->name);
  if (file->place.stored < 0)
    return th_fail(err, TH_EFORMAT,
                   "%s: byte %lld: %.80s is encrypted, or not deflated; unpack "
                   "it, and import what comes out",
                   job->name, (long long)file->place.offset, file->name);
  return TH_OK;
}

static th_status write_member(struct job *job,
                              const struct th_stretch_place *at,
                              uint32_t wanted, struct th_error *err)
{
  struct th_stretch *member = NULL;
  uLong crc = crc32(0, NULL, 0);
  double share = (double)at->stored / ((double)at->bytes + 1);
  th_status rc = th_stretch_open(&member, at, err);
  for (int64_t done = 0; rc == TH_OK && done < at->bytes; done += PART) {
    int64_t some = th_min_i64(at->bytes - done, PART);
    TH_TRY(th_stretch_read(member, done, some, job->output, err));
    crc = crc32(crc, (const Bytef *)job->output, (uInt)some);
    TH_TRY(put_text(job, some, err));
    if (job->reading != NULL)
      job->reading->told(job->reading->self,
                         (int64_t)((double)(done + some) * share));
  }
  if (rc == TH_OK && crc != wanted) {
    job->read = at->offset + at->stored;
    rc = outcome_status(job, TH_IS_DAMAGED, err);
  }
done:
  th_stretch_close(member);
  return rc;
}

static th_status unpack_archive(struct job *job, struct th_error *err)
{
  struct stat file;
  struct th_zip zip = {0};
  struct th_zip_member member = {0};
  th_status rc = TH_OK;
  if (fstat(job->from, &file) != 0)
    return th_fail(err, TH_EIO, "%s: %s", job->name, strerror(errno));
  struct th_stretch_place whole = {.file = job->from,
                                   .name = job->name,
                                   .stored = (int64_t)file.st_size,
                                   .bytes = (int64_t)file.st_size};
  TH_TRY(th_zip_open(&zip, &whole, err));
  TH_TRY(find_file(job, &zip, &member, err));
  member.place.name = job->name;
  rc = write_member(job, &member.place, member.place.seal, err);
done:
  th_zip_free(&zip);
  return rc;
}

/* --- All of a file -------------------------------------------------------- */

static th_status decompress(enum th_codec codec, int from, int to,
                            const char *name, const struct th_reading *reading,
                            struct th_error *err)
{
  struct job job = {.codec = &th_codecs[codec],
                    .name = name,
                    .from = from,
                    .to = to,
                    .reading = reading};
  th_status rc = TH_OK;
  snprintf(job.text, sizeof job.text, "%s of %s",
           codec == TH_CODEC_NONE ? "the bytes" : "the decompressed text",
           name);
  TH_TRY(th_alloc(&job.state, 1, job.codec->state_bytes, "decompression", err));
  TH_TRY(TH_NEW(&job.input, PART, "decompression", err));
  TH_TRY(TH_NEW(&job.output, PART, "decompression", err));
  rc = codec == TH_CODEC_ZIP ? unpack_archive(&job, err) : run(&job, err);
done:
  TH_FREE(job.state, job.input, job.output);
  return rc;
}

th_status th_decompress(enum th_codec codec, int from, int to, const char *name,
                        const struct th_reading *reading, struct th_error *err)
{
  off_t end = lseek(to, 0, SEEK_END);
  th_status rc = decompress(codec, from, to, name, reading, err);
  bool again = rc == TH_ENOMEM || (rc == TH_EFORMAT && codec == TH_CODEC_XZ);
  if (!again || reading == NULL || reading->threads < 2)
    return rc;
  /* where no more threads may be made, it is done by one, from the beginning;
   * and so it is where data are damaged, as one alone knows the place */
  struct th_reading alone = *reading;
  alone.threads = 1;
  if (lseek(from, 0, SEEK_SET) != 0 || ftruncate(to, end) != 0 ||
      lseek(to, end, SEEK_SET) != end)
    return rc;
  th_error_clear(err);
  return decompress(codec, from, to, name, &alone, err);
}
