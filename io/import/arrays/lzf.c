/* lzf.c - the filter lzf of h5py, which HDF5 itself does not have
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/lzf.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  LZF = 32000, /* its number at the HDF Group */
  CHUNK = 2,   /* which of its values is the size of a chunk */
  MOST_CHUNK = 1 << 30
};

/* A byte below 32 begins so many bytes and one more as they are; any other one
 * a piece of what is there already: its length, and how far back it begins. */
size_t th_lzf_expand(const unsigned char *from, size_t bytes, unsigned char *to,
                     size_t room)
{
  size_t in = 0;
  size_t out = 0;
  while (in < bytes) {
    size_t control = from[in++];
    size_t length = control >> 5;
    if (length == 0) {
      length = control + 1;
      if (length > bytes - in || length > room - out)
        return 0;
      memcpy(to + out, from + in, length);
      in += length;
      out += length;
      continue;
    }
    if (length == 7) {
      if (in == bytes)
        return 0;
      length += from[in++];
    }
    if (in == bytes)
      return 0;
    size_t back = ((control & 31) << 8 | from[in++]) + 1;
    length += 2;
    if (back > out || length > room - out)
      return 0;
    for (; length > 0; length--, out++)
      to[out] = to[out - back];
  }
  return out;
}

/* HDF5 hands a chunk over, and takes what it becomes; both are malloc's. */
static size_t filter_chunk(unsigned flags, size_t values,
                           const unsigned value[], size_t bytes, size_t *size,
                           void **buffer)
{
  size_t room = values > CHUNK ? value[CHUNK] : 0;
  if ((flags & H5Z_FLAG_REVERSE) == 0 || room == 0 || room > MOST_CHUNK)
    return 0;
  unsigned char *to = malloc(room);
  size_t made = to == NULL ? 0 : th_lzf_expand(*buffer, bytes, to, room);
  if (made == 0) {
    free(to);
    return 0;
  }
  free(*buffer);
  *buffer = to;
  *size = room;
  return made;
}

void th_lzf_register(void)
{
  static const H5Z_class2_t filter = {.version = H5Z_CLASS_T_VERS,
                                      .id = LZF,
                                      .encoder_present = 0,
                                      .decoder_present = 1,
                                      .name = "lzf",
                                      .filter = filter_chunk};
  if (H5Zfilter_avail(LZF) <= 0)
    (void)H5Zregister(&filter);
}
