/* import.c - whole text files: LIBSVM, CSV, compressed
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

/* The first byte chooses options. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const formats[] = {"auto", "auto", "csv", "libsvm"};
  if (size == 0)
    return 0;
  const struct th_import job = {
      .format = formats[data[0] % 4],
      .type = -1,
      .target = (data[0] & 4) != 0 ? "1" : NULL,
      .table = {.header = (enum th_header)((data[0] >> 3) % 3), .levels = 5},
      .pairs = {.zero_based = (data[0] & 32) != 0 ? TH_FACT_YES : TH_FACT_NO},
      .attributes = 1000,
      .order = {.shuffle = true}};
  fuzz_import_file("text", data + 1, size - 1, job);
  return 0;
}
