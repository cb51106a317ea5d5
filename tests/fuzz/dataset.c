/* dataset.c - masters of data sets, with the seal made right
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "io/dataset/residency/dataset.h"

enum { MEMORY = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct th_dataset *dataset = NULL;
  struct th_comm comm;
  struct th_error err = {0};
  char path[FUZZ_PATH];
  fuzz_sealed("data.h5", data, size, path);
  th_comm_self(&comm);
  if (th_dataset_open(&dataset, &comm, path, MEMORY, &err) == TH_OK)
    th_dataset_close(dataset);
  return 0;
}
