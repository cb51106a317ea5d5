/* seal.c - the checksum behind a small HDF5 file
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/seal.h"

#include "io/hdf5/hash.h"

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

bool th_seal_holds(const char *path)
{
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  unsigned char wanted[SEAL];
  unsigned char found[SEAL];
  struct stat s;
  uint64_t hash = 0;
  bool good = file >= 0 && fstat(file, &s) == 0 && s.st_size > SEAL &&
              pread(file, found, SEAL, s.st_size - SEAL) == SEAL &&
              th_hash_first(file, (int64_t)s.st_size - SEAL, &hash);
  if (file >= 0)
    close(file);
  make_seal(hash, wanted);
  return good && memcmp(wanted, found, SEAL) == 0;
}
