/* lzf.c - what data of LZF become, a filter of h5py
 * SPDX-License-Identifier: MIT */
#include "io/import/arrays/lzf.h"

#include <string.h>

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
