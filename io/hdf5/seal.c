/* seal.c - the checksum behind a small HDF5 file
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/seal.h"

#include "io/hdf5/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MARK = 8, SEAL = MARK + sizeof(uint64_t) };

static const char mark[MARK + 1] = "THRSEAL1";

/* The 16 bytes; the hash with its lowest byte first. */
static void make_seal(uint64_t hash, unsigned char seal[SEAL])
{
  memcpy(seal, mark, MARK);
  for (int k = MARK; k < SEAL; k++, hash >>= 8)
    seal[k] = (unsigned char)(hash & 255);
}

bool th_seal_add(void **room, int64_t *bytes)
{
  unsigned char *larger = realloc(*room, (size_t)*bytes + SEAL);
  if (larger == NULL)
    return false;
  make_seal(th_hash(larger, (size_t)*bytes), larger + *bytes);
  *room = larger;
  *bytes += SEAL;
  return true;
}

/* Whether the bytes of a file are those that its seal was made of; false, with
 * errno, when they cannot be read. */
static bool check(int file, bool *holds)
{
  unsigned char wanted[SEAL];
  unsigned char found[SEAL];
  struct stat s;
  uint64_t hash = 0;
  *holds = false;
  if (fstat(file, &s) != 0)
    return false;
  int64_t bytes = (int64_t)s.st_size - SEAL;
  if (bytes <= 0)
    return true;
  errno = EIO; /* if there are fewer bytes than that by now */
  if (pread(file, found, SEAL, (off_t)bytes) != SEAL ||
      !th_hash_first(file, bytes, &hash))
    return false;
  make_seal(hash, wanted);
  *holds = memcmp(wanted, found, SEAL) == 0;
  return true;
}

th_status th_seal_check(const char *path, bool *holds, struct th_error *err)
{
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  bool read = file >= 0 && check(file, holds);
  th_status rc = TH_OK;
  if (!read)
    rc = th_fail(err, TH_EIO, "%s cannot be read: %s", path, strerror(errno));
  if (file >= 0)
    close(file);
  return rc;
}
