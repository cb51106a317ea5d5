/* arrays.c - whole files of arrays: NumPy, SciPy, Matrix Market, their zip
 * archives; the filter of h5py
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "io/import/arrays/lzf.h"
#include "io/import/import.h"

/* The first byte chooses format and options. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const formats[] = {"npy", "npz", "mtx", "auto"};
  static const char *const names[] = {"a.npy", "a.npz", "a.mtx", "a"};
  unsigned char room[4096];
  char input[FUZZ_PATH];
  char output[FUZZ_PATH];
  struct th_comm comm;
  struct th_error err = {0};
  struct th_import_result result;
  if (size == 0)
    return 0;
  unsigned kind = data[0] % 4;
  fuzz_file(names[kind], data + 1, size - 1, input);
  fuzz_path("made.h5", output);
  const char *inputs[] = {input};
  struct th_import job = {.inputs = inputs,
                          .input_count = 1,
                          .output = output,
                          .format = formats[kind],
                          .layout = -1,
                          .type = (data[0] & 4) != 0 ? 1 : -1,
                          .target = "1",
                          .weights = (data[0] & 8) != 0 ? "2" : NULL,
                          .max_line = 4096,
                          .row_group = 64,
                          .shards = 1,
                          .order = {.seed = 1},
                          .force = true,
                          .memory = 1 << 20};
  th_comm_self(&comm);
  (void)th_lzf_expand(data, size, room, sizeof room);
  th_import_run(&job, &comm, &result, &err);
  return 0;
}
