/* lzf.h - what data of LZF become, a filter of h5py
 * SPDX-License-Identifier: MIT */
#ifndef TH_LZF_H
#define TH_LZF_H

#include <stddef.h>

/* Bytes that LZF data become; 0: they are damaged, or become more than the room
 * has. Local. */
size_t th_lzf_expand(const unsigned char *from, size_t bytes, unsigned char *to,
                     size_t room);

#endif
