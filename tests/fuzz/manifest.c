/* manifest.c - manifests of checkpoints, with the checksum made right
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "io/checkpoint/manifest.h"
#include "io/files/hash.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct th_manifest *manifest = NULL;
  struct th_error err = {0};
  int64_t count = (int64_t)(size / sizeof(int64_t));
  int64_t *words = malloc(size + 1);
  if (words != NULL && count > 0) {
    memcpy(words, data, size);
    words[count - 1] =
        (int64_t)th_hash(words, (size_t)(count - 1) * sizeof *words);
    if (th_manifest_unpack(&manifest, words, count, &err) == TH_OK)
      th_manifest_free(manifest);
  }
  free(words);
  return 0;
}
