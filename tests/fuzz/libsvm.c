/* libsvm.c - lines of LIBSVM text
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "io/import/libsvm.h"

#include <stdlib.h>
#include <string.h>

/* The first byte chooses the form of what follows. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct th_text_row row;
  struct th_libsvm format = {.zero_based = size > 0 && (data[0] & 1) != 0,
                             .unlabelled = size > 0 && (data[0] & 2) != 0,
                             .attributes =
                                 size > 0 && (data[0] & 4) != 0 ? 100 : 0,
                             .limiter = "the test"};
  char *text = malloc(size + 1);
  if (text == NULL || size == 0) {
    free(text);
    return 0;
  }
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\n';
  row.type = (data[0] & 8) != 0 ? TH_F64 : TH_F32;
  const char *at = text;
  for (int64_t number = 1; at < text + size; number++) {
    const char *end = memchr(at, '\n', (size_t)(text + size - at));
    struct th_line line = {"text", number, at, end - at, false};
    struct th_error err = {0};
    if (th_libsvm_is_example(at, end - at))
      th_libsvm_row(&format, &line, &row, &err);
    th_libsvm_is_unlabelled(at, end - at);
    th_libsvm_recognise(at, end - at);
    at = end + 1;
  }
  free(text);
  return 0;
}
