/* stretch.c - some bytes of a file, as they are or deflated, read at any place
 * SPDX-License-Identifier: MIT */
#include "io/files/stretch.h"

#include "base/integer.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
  INPUT = 1 << 16,
  AT_ONCE = 1 << 30, /* bytes that zlib and pread(2) are asked for */
  MOST_RATIO = 1032, /* bytes that one byte of deflate can become */
  SLACK = 64,
  NAME = 352
};

struct th_stretch {
  struct th_stretch_place place;
  char name[NAME];
  int fd;
  bool inflating;
  z_stream stream;
  int64_t taken;   /* stored bytes that zlib has been given */
  int64_t reached; /* inflated so far */
  unsigned char *input;
};

static th_status refuse_claim(const struct th_stretch_place *place,
                              struct th_error *err)
{
  return th_fail(err, TH_EFORMAT,
                 "%s: %lld bytes are said to become %lld, which deflate cannot "
                 "do; the file is damaged, make it again",
                 place->name, (long long)place->stored,
                 (long long)place->bytes);
}

static th_status open_place(const struct th_stretch_place *place, int *fd,
                            struct th_error *err)
{
  *fd = place->path == NULL
            ? fcntl(place->file, F_DUPFD_CLOEXEC, 0)
            : open(place->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (*fd < 0)
    return th_fail(err, TH_EIO, "%s: %s; check the name of the input",
                   place->name, strerror(errno));
  return TH_OK;
}

/* Compare all bytes with their CRC-32. */
static th_status compare_crc(struct th_stretch *s, struct th_error *err)
{
  const int64_t bytes = s->place.bytes;
  unsigned char *part = NULL;
  uLong found = crc32(0, NULL, 0);
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&part, INPUT, "a checksum", err));
  for (int64_t first = 0; first < bytes; first += INPUT) {
    int64_t some = th_min_i64(bytes - first, INPUT);
    TH_TRY(th_stretch_read(s, first, some, part, err));
    found = crc32(found, part, (uInt)some);
  }
  if (found != s->place.seal)
    rc = th_fail(err, TH_EFORMAT,
                 "%s: its CRC-32 is %08lx, and the archive says %08lx; the "
                 "file is damaged, copy or make it again",
                 s->place.name, found, (unsigned long)s->place.seal);
done:
  free(part);
  return rc;
}

th_status th_stretch_open(struct th_stretch **stretch,
                          const struct th_stretch_place *place,
                          struct th_error *err)
{
  struct th_stretch *made = NULL;
  th_status rc = TH_OK;
  if (place->deflated && place->bytes / MOST_RATIO > place->stored + SLACK)
    return refuse_claim(place, err);
  TH_TRY(TH_NEW(&made, 1, "a file", err));
  made->place = *place;
  made->fd = -1;
  snprintf(made->name, NAME, "%s", place->name);
  made->place.name = made->name;
  made->place.path = NULL;
  TH_TRY(open_place(place, &made->fd, err));
  if (place->deflated)
    TH_TRY(TH_NEW(&made->input, INPUT, "decompression", err));
  if (place->verify && place->sealed)
    TH_TRY(compare_crc(made, err));
  *stretch = made;
  made = NULL;
done:
  th_stretch_close(made);
  return rc;
}

void th_stretch_close(struct th_stretch *stretch)
{
  if (stretch == NULL)
    return;
  if (stretch->inflating)
    inflateEnd(&stretch->stream);
  if (stretch->fd >= 0)
    close(stretch->fd);
  free(stretch->input);
  free(stretch);
}

static th_status cut_short(const struct th_stretch *s, int64_t at,
                           struct th_error *err)
{
  return th_fail(err, TH_EFORMAT,
                 "%s: the file ends at byte %lld of %lld; it is cut short or "
                 "damaged, copy it again",
                 s->place.name, (long long)at, (long long)s->place.bytes);
}

/* Bytes of the file from `offset` on. */
static th_status read_file(const struct th_stretch *s, int64_t offset,
                           int64_t count, void *to, struct th_error *err)
{
  for (int64_t done = 0; done < count;) {
    size_t some = (size_t)th_min_i64(count - done, AT_ONCE);
    ssize_t got = pread(s->fd, (char *)to + done, some, (off_t)(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return th_fail(err, TH_EIO, "%s: %s; check the file", s->place.name,
                     strerror(errno));
    if (got == 0)
      return cut_short(s, offset + done - s->place.offset, err);
    done += got;
  }
  return TH_OK;
}

static th_status begin_anew(struct th_stretch *s, struct th_error *err)
{
  if (s->inflating)
    inflateEnd(&s->stream);
  memset(&s->stream, 0, sizeof s->stream);
  s->inflating = inflateInit2(&s->stream, -MAX_WBITS) == Z_OK;
  s->taken = 0;
  s->reached = 0;
  if (!s->inflating)
    return th_fail(err, TH_ENOMEM, "%s: no memory for decompression",
                   s->place.name);
  return TH_OK;
}

static th_status feed(struct th_stretch *s, struct th_error *err)
{
  int64_t some = th_min_i64(s->place.stored - s->taken, INPUT);
  if (s->stream.avail_in > 0 || some == 0)
    return TH_OK;
  th_status rc = read_file(s, s->place.offset + s->taken, some, s->input, err);
  s->stream.next_in = s->input;
  s->stream.avail_in = (uInt)some;
  s->taken += some;
  return rc;
}

/* The next `count` bytes. */
static th_status inflate_next(struct th_stretch *s, int64_t count, void *to,
                              struct th_error *err)
{
  int64_t end = s->reached + count;
  th_status rc = TH_OK;
  s->stream.next_out = to;
  while (s->reached < end) {
    TH_TRY(feed(s, err));
    s->stream.avail_out = (uInt)th_min_i64(end - s->reached, AT_ONCE);
    uInt room = s->stream.avail_out;
    int said = inflate(&s->stream, Z_NO_FLUSH);
    uInt made = room - s->stream.avail_out;
    s->reached += made;
    if (said == Z_MEM_ERROR)
      return th_fail(err, TH_ENOMEM, "%s: no memory for decompression",
                     s->place.name);
    if (s->reached < end && (said == Z_STREAM_END || said == Z_DATA_ERROR ||
                             said == Z_NEED_DICT || made == 0))
      return th_fail(err, TH_EFORMAT,
                     "%s: damaged data, of %lld bytes the first %lld can be "
                     "inflated; fetch or make the file again",
                     s->place.name, (long long)s->place.bytes,
                     (long long)s->reached);
  }
done:
  return rc;
}

static th_status inflate_at(struct th_stretch *s, int64_t first, int64_t count,
                            void *to, struct th_error *err)
{
  char *passed = NULL;
  th_status rc = TH_OK;
  if (!s->inflating || first < s->reached)
    TH_TRY(begin_anew(s, err));
  if (s->reached < first)
    TH_TRY(TH_NEW(&passed, INPUT, "decompression", err));
  while (s->reached < first)
    TH_TRY(inflate_next(s, th_min_i64(first - s->reached, INPUT), passed, err));
  rc = inflate_next(s, count, to, err);
done:
  free(passed);
  return rc;
}

th_status th_stretch_read(struct th_stretch *stretch, int64_t first,
                          int64_t count, void *to, struct th_error *err)
{
  const struct th_stretch_place *place = &stretch->place;
  if (first < 0 || count < 0 || first > place->bytes - count)
    return cut_short(stretch, place->bytes, err);
  if (count == 0)
    return TH_OK;
  if (place->deflated)
    return inflate_at(stretch, first, count, to, err);
  if (count > place->stored - first)
    return cut_short(stretch, place->stored, err);
  return read_file(stretch, place->offset + first, count, to, err);
}
