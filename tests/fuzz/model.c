/* model.c - model files, with the seal made right
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "io/model/model_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct th_model model = {0};
  struct th_comm comm;
  struct th_error err = {0};
  char path[FUZZ_PATH];
  fuzz_sealed("model.h5", data, size, path);
  th_comm_self(&comm);
  if (th_model_file_read(&model, &comm, path, &err) == TH_OK)
    th_model_free(&model);
  return 0;
}
