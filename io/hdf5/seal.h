/* seal.h - the checksum behind a small HDF5 file; internal to io/
 *
 * Masters and models end with 16 bytes that HDF5 does not look at: THRSEAL1,
 * and XXH3 of all bytes before them. So every byte is covered, those of HDF5's
 * own structures among them. All functions are local.
 * SPDX-License-Identifier: MIT */
#ifndef TH_SEAL_H
#define TH_SEAL_H

#include "core/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Add the seal to so many bytes in a room of malloc's, which may be moved.
 * false: no memory; the room is as it was. */
bool th_seal_add(void **room, int64_t *bytes);

/* Find out whether a file has its seal, and no byte has changed. TH_EIO where
 * it cannot be read. */
th_status th_seal_check(const char *path, bool *holds, struct th_error *err);

#endif
