/* genotypes.c - the three files of PLINK 1: calls, variants and people
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 3, MOST_CALLS = 1 << 16 };

struct piece {
  const uint8_t *data;
  size_t size;
};

/* The bytes up to a zero, which are taken off the rest. */
static struct piece take_piece(struct piece *rest)
{
  const uint8_t *zero =
      rest->size == 0 ? NULL : memchr(rest->data, 0, rest->size);
  struct piece piece = *rest;
  if (zero != NULL)
    piece.size = (size_t)(zero - rest->data);
  size_t gone = piece.size + (zero != NULL);
  if (gone > 0) {
    rest->data += gone;
    rest->size -= gone;
  }
  return piece;
}

static size_t count_lines(struct piece text)
{
  size_t lines = 0;
  for (size_t k = 0; k < text.size; k++)
    lines += text.data[k] == '\n' || k + 1 == text.size;
  return lines;
}

/* A .bed whose length is right for so many lines: a head, and the bytes over
 * and over. */
static void write_fitting(const char *name, struct piece bytes, size_t people,
                          size_t variants, char path[FUZZ_PATH])
{
  static const uint8_t head[HEAD] = {0x6c, 0x1b, 1};
  size_t calls = (people + 3) / 4 * variants;
  if (calls > MOST_CALLS)
    calls = MOST_CALLS;
  uint8_t *bed = malloc(HEAD + calls);
  if (bed == NULL)
    abort();
  memcpy(bed, head, HEAD);
  for (size_t k = 0; k < calls; k++)
    bed[HEAD + k] = bytes.size == 0 ? 0xe4 : bytes.data[k % bytes.size];
  fuzz_file(name, bed, HEAD + calls, path);
  free(bed);
}

/* The first byte chooses options; then variants, people, the variants of a
 * second file with the same people, which may be none, and calls, each but the
 * last with a zero behind it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char input[2][FUZZ_PATH];
  char path[FUZZ_PATH];
  if (size == 0)
    return 0;
  struct piece rest = {data + 1, size - 1};
  const struct piece first = take_piece(&rest);
  const struct piece people = take_piece(&rest);
  const struct piece second = take_piece(&rest);
  const bool fits = (data[0] & 1) != 0;
  const struct piece variants[] = {first, second};
  const char *const bed[] = {"a.bed", "b.bed"};
  const char *const bim[] = {"a.bim", "b.bim"};
  const char *const fam[] = {"a.fam", "b.fam"};
  for (int k = 0; k < 2; k++) {
    fuzz_file(bim[k], variants[k].data, variants[k].size, path);
    fuzz_file(fam[k], people.data, people.size, path);
    if (fits)
      write_fitting(bed[k], rest, count_lines(people), count_lines(variants[k]),
                    input[k]);
    else
      fuzz_file(bed[k], rest.data, rest.size, input[k]);
  }
  const char *inputs[] = {input[0], input[1]};
  const struct th_import job = {
      .inputs = inputs,
      .input_count = second.size > 0 ? 2 : 1,
      .format = (data[0] & 2) != 0 ? "bed" : "auto",
      .type = (data[0] & 4) != 0 ? 0 : -1,
      .positive_class = (data[0] & 8) != 0 ? "1" : NULL,
      .missing = {.most = (data[0] & 32) != 0 ? 0.5 : 1},
      .row_group = (data[0] & 64) != 0 ? 0 : 64,
      .order = {.shuffle = (data[0] & 16) != 0}};
  fuzz_import(job);
  return 0;
}
