/* main.c CORPUS [TRIES] - tries the files of a folder, and so many changes
 * of them, where there is no libFuzzer
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 256, MOST_BYTES = 1 << 16 };

struct file {
  char name[256];
  uint8_t byte[MOST_BYTES];
  size_t size;
};

/* SplitMix64. */
static uint64_t next(uint64_t *state)
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static int load_all(const char *folder, struct file *file)
{
  DIR *list = opendir(folder);
  char path[1024];
  int count = 0;
  for (struct dirent *e; list != NULL && (e = readdir(list)) != NULL;) {
    snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
    if (f == NULL || count == MOST_FILES)
      continue;
    file[count].size = fread(file[count].byte, 1, MOST_BYTES, f);
    fclose(f);
    snprintf(file[count].name, sizeof file[count].name, "%s", e->d_name);
    count++;
  }
  if (list != NULL)
    closedir(list);
  return count;
}

/* Change a byte, cut, or put a stretch of another file in. */
static void change(struct file *now, const struct file *other, uint64_t how)
{
  static const char special[] = "\0\n\r,:\"-+.eE09 \t#=;[]\xff\x80nN";
  size_t at = now->size > 0 ? (size_t)(how >> 8) % now->size : 0;
  size_t length = (size_t)(how >> 40) % 64;
  if (how % 4 == 0 && now->size > 0)
    now->byte[at] = (uint8_t)(how >> 32);
  else if (how % 4 == 1 && now->size > 0)
    now->byte[at] = (uint8_t)special[(how >> 32) % (sizeof special - 1)];
  else if (how % 8 == 2)
    now->size = at;
  else if (length <= other->size && now->size + length <= MOST_BYTES) {
    memmove(now->byte + at + length, now->byte + at, now->size - at);
    memcpy(now->byte + at,
           other->byte + (size_t)(how >> 16) % (other->size - length + 1),
           length);
    now->size += length;
  }
}

static void try_changes(struct file *file, int count, long tries)
{
  struct file *now = file + MOST_FILES;
  uint64_t random = 1;
  for (long k = 0; k < tries && count > 0; k++) {
    *now = file[next(&random) % (uint64_t)count];
    for (uint64_t times = next(&random) % 4 + 1; times > 0; times--)
      change(now, &file[next(&random) % (uint64_t)count], next(&random));
    LLVMFuzzerTestOneInput(now->byte, now->size);
  }
}

int main(int argc, char **argv)
{
  struct file *file = calloc(MOST_FILES + 1, sizeof *file);
  long tries = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
  int count = argc > 1 && file != NULL ? load_all(argv[1], file) : 0;
  for (int k = 0; k < count; k++)
    CASE_NAMED(file[k].name,
               LLVMFuzzerTestOneInput(file[k].byte, file[k].size));
  CASE_NAMED("changes", try_changes(file, count, tries));
  printf("%d files, %ld changes of them\n", count, tries);
  free(file);
  return count > 0 ? 0 : 1;
}
