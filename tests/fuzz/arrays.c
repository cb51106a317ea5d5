/* arrays.c - whole files of arrays: NumPy, SciPy, Matrix Market, their zip
 * archives; the filter of h5py
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "io/import/arrays/lzf.h"

/* The first byte chooses format and options. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const formats[] = {"npy", "npz", "mtx", "auto"};
  static const char *const names[] = {"a.npy", "a.npz", "a.mtx", "a"};
  unsigned char room[4096];
  if (size == 0)
    return 0;
  unsigned kind = data[0] % 4;
  const struct th_import job = {.format = formats[kind],
                                .type = (data[0] & 4) != 0 ? 1 : -1,
                                .target = "1",
                                .weights = (data[0] & 8) != 0 ? "2" : NULL};
  (void)th_lzf_expand(data, size, room, sizeof room);
  fuzz_import_file(names[kind], data + 1, size - 1, job);
  return 0;
}
