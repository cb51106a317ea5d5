/* stretch.h - some bytes of a file, as they are or deflated, read at any place
 *
 * All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_STRETCH_H
#define TH_STRETCH_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the bytes are. */
struct th_stretch_place {
  const char *path; /* NULL: `file` is open for them */
  int file;
  const char *name; /* of them, in messages; borrowed until they are open, as
                       the path is */
  int64_t offset;   /* in the file */
  int64_t stored;   /* bytes there */
  int64_t bytes;    /* of what they stand for: the same, unless deflated */
  bool deflated;
  bool verify;   /* opening it compares its checksum, if it has one */
  bool sealed;   /* it has */
  uint32_t seal; /* CRC-32 of all the bytes */
};

struct th_stretch;

/* The file is opened. To verify it takes reading all of it. */
th_status th_stretch_open(struct th_stretch **stretch,
                          const struct th_stretch_place *place,
                          struct th_error *err);
void th_stretch_close(struct th_stretch *stretch);

/* Read bytes first .. first + count. Of deflated ones all before them are
 * inflated: from where the last call ended, or else from the beginning. Beyond
 * the end is an error. */
th_status th_stretch_read(struct th_stretch *stretch, int64_t first,
                          int64_t count, void *to, struct th_error *err);

#endif
