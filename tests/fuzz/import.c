/* import.c - whole text files: LIBSVM, CSV, compressed
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "io/import/import.h"

/* The first byte chooses options. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const formats[] = {"auto", "auto", "csv", "libsvm"};
  char input[FUZZ_PATH];
  char output[FUZZ_PATH];
  struct th_comm comm;
  struct th_error err = {0};
  struct th_import_result result;
  if (size == 0)
    return 0;
  fuzz_file("text", data + 1, size - 1, input);
  fuzz_path("made.h5", output);
  const char *inputs[] = {input};
  struct th_import job = {
      .inputs = inputs,
      .input_count = 1,
      .output = output,
      .format = formats[data[0] % 4],
      .layout = -1,
      .type = -1,
      .target = (data[0] & 4) != 0 ? "1" : NULL,
      .table = {.header = (enum th_header)((data[0] >> 3) % 3), .levels = 5},
      .pairs = {.zero_based = (data[0] & 32) != 0 ? TH_FACT_YES : TH_FACT_NO},
      .attributes = 1000,
      .max_line = 4096,
      .row_group = 64,
      .shards = 1,
      .order = {.seed = 1, .shuffle = true},
      .force = true,
      .memory = 1 << 20};
  th_comm_self(&comm);
  th_import_run(&job, &comm, &result, &err);
  return 0;
}
