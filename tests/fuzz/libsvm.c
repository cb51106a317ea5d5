/* libsvm.c - lines of LIBSVM text
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "io/import/text/index_set.h"
#include "io/import/text/libsvm.h"

#include <stdlib.h>
#include <string.h>

/* All indices of the text, as an import collects and numbers them. */
static void collect(const struct th_libsvm *format, const char *at,
                    const char *end, struct th_index_set *set)
{
  while (at < end) {
    const char *next = memchr(at, '\n', (size_t)(end - at));
    struct th_line line = {"text", 1, at, next - at, false};
    struct th_error err = {0};
    uint64_t index = 0;
    const char *p = at;
    if (th_libsvm_is_example(at, next - at)) {
      while (th_libsvm_next_index(format, &line, &p, &index))
        if (th_index_set_add(set, index, &err) != TH_OK)
          abort();
      th_libsvm_last_index(format, at, next - at, &index);
    }
    at = next + 1;
  }
  struct th_comm self;
  struct th_error err = {0};
  int64_t count = 0;
  th_comm_self(&self);
  if (th_index_set_join(set, &self, NULL, &count, &err) != TH_OK ||
      count != set->count)
    abort();
}

/* What is read was collected, and ends with the last index. */
static void check(const struct th_libsvm *format, const struct th_line *line,
                  const struct th_text_row *row, th_status rc,
                  const struct th_error *err)
{
  uint64_t last = 0;
  if (rc != TH_OK && strstr(err->text, "was not there before") != NULL)
    abort();
  if (rc != TH_OK || format->set == NULL || row->count == 0)
    return;
  if (!th_libsvm_last_index(format, line->text, line->length, &last) ||
      th_index_set_find(format->set, last) !=
          (int64_t)row->index[row->count - 1])
    abort();
}

/* The first byte chooses the form of what follows. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct th_text_row row;
  struct th_libsvm format = {.zero_based = size > 0 && (data[0] & 1) != 0,
                             .unlabelled = size > 0 && (data[0] & 2) != 0,
                             .attributes =
                                 size > 0 && (data[0] & 4) != 0 ? 100 : 0,
                             .limiter = "the test"};
  struct th_index_set set = {0};
  char *text = malloc(size + 1);
  if (text == NULL || size == 0) {
    free(text);
    return 0;
  }
  memcpy(text, data + 1, size - 1);
  text[size - 1] = '\n';
  row.type = (data[0] & 8) != 0 ? TH_F64 : TH_F32;
  const char *at = text;
  if ((data[0] & 16) != 0) {
    collect(&format, text, text + size, &set);
    format.set = &set;
  }
  for (int64_t number = 1; at < text + size; number++) {
    const char *end = memchr(at, '\n', (size_t)(text + size - at));
    struct th_line line = {"text", number, at, end - at, false};
    struct th_error err = {0};
    if (th_libsvm_is_example(at, end - at))
      check(&format, &line, &row, th_libsvm_row(&format, &line, &row, &err),
            &err);
    th_libsvm_is_unlabelled(at, end - at);
    th_libsvm_recognise(at, end - at);
    at = end + 1;
  }
  th_index_set_free(&set);
  free(text);
  return 0;
}
