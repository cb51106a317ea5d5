/* model.c - model files, with the seal made right
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "base/error.h"
#include "io/files/output.h"
#include "io/model/model_file.h"

#include <stdlib.h>
#include <string.h>

enum { SEAL = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct th_model model = {0};
  struct th_comm comm;
  struct th_error err = {0};
  char path[FUZZ_PATH];
  int64_t bytes = size > SEAL ? (int64_t)size - SEAL : 0;
  void *room = malloc(size + 1);
  if (room == NULL)
    return 0;
  memcpy(room, data, (size_t)bytes);
  if (th_output_seal_add(&room, &bytes)) {
    fuzz_file("model.h5", room, (size_t)bytes, path);
    th_comm_self(&comm);
    if (th_model_file_read(&model, &comm, path, &err) == TH_OK)
      th_model_free(&model);
  }
  free(room);
  return 0;
}
