/* groups.c - files of groups
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "io/import/text/groups_file.h"

#include <stdlib.h>

enum { ATTRIBUTES = 60 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct th_group_piece *piece = NULL;
  struct th_error err = {0};
  int64_t count = 0;
  char path[FUZZ_PATH];
  fuzz_file("groups", data, size, path);
  th_groups_file_whole(path, NULL, ATTRIBUTES, NULL, &piece, &count, &err);
  free(piece);
  return 0;
}
