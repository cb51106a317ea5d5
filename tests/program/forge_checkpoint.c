/* forge_checkpoint.c FOLDER SEED - changes numbers of one array of the newest
 * checkpoint in a folder, makes all checksums right again, and prints what it
 * did; FOLDER alone: prints how many arrays there are
 * SPDX-License-Identifier: MIT */
#include "io/checkpoint/manifest.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* SplitMix64. */
static uint64_t next(uint64_t *state)
{
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* A whole file; ends the program where there is none. */
static char *load(const char *path, int64_t *bytes)
{
  struct stat s;
  int file = open(path, O_RDONLY);
  if (file < 0 || fstat(file, &s) != 0)
    exit(2);
  char *all = malloc((size_t)s.st_size + 1);
  if (all == NULL || read(file, all, (size_t)s.st_size) != s.st_size)
    exit(2);
  close(file);
  *bytes = (int64_t)s.st_size;
  return all;
}

static void keep(const char *path, const void *all, int64_t bytes)
{
  int file = open(path, O_WRONLY | O_TRUNC);
  if (file < 0 || write(file, all, (size_t)bytes) != bytes || close(file) != 0)
    exit(2);
}

static int64_t newest(const char *folder)
{
  DIR *list = opendir(folder);
  int64_t found = 0;
  if (list == NULL)
    exit(2);
  for (struct dirent *e; (e = readdir(list)) != NULL;) {
    bool whole = false;
    int64_t number = th_manifest_name_number(e->d_name, &whole);
    found = whole && number > found ? number : found;
  }
  closedir(list);
  return found;
}

static int64_t whole_number(int64_t now, uint64_t how)
{
  const int64_t values[] = {0,
                            -1,
                            1,
                            INT64_MAX,
                            INT64_MIN,
                            INT32_MAX,
                            INT32_MIN,
                            1 << 20,
                            (int64_t)1 << 40,
                            (int64_t)1 << 61,
                            (int64_t)((uint64_t)now + 1),
                            (int64_t)((uint64_t)now - 1),
                            (int64_t)((uint64_t)now * 2),
                            (int64_t)(0 - (uint64_t)now),
                            now ^ (int64_t)(how >> 20)};
  return values[how % (sizeof values / sizeof *values)];
}

static double real_number(double now, uint64_t how)
{
  const double values[] = {0,       -1,     NAN,       INFINITY, -INFINITY,
                           1e308,   -1e308, 5e-324,    -0.0,     1e18,
                           now * 2, -now,   now + 1e9, 1e-300,   3e9};
  return values[how % (sizeof values / sizeof *values)];
}

static void change(enum th_state_type type, char *item, uint64_t how)
{
  double real = 0;
  int64_t whole = 0;
  size_t size = th_state_size(type);
  if (type == TH_STATE_F64) {
    memcpy(&real, item, sizeof real);
    real = real_number(real, how);
    memcpy(item, &real, sizeof real);
    return;
  }
  memcpy(&whole, item, size);
  whole = whole_number(whole, how);
  memcpy(item, &whole, size);
}

static int64_t hash_of(const char *all, int64_t bytes)
{
  int64_t hash = 0;
  for (int64_t first = 0; first < bytes; first += TH_MANIFEST_BLOCK) {
    int64_t left = bytes - first;
    hash = th_manifest_hash_next(
        hash, all + first, left < TH_MANIFEST_BLOCK ? left : TH_MANIFEST_BLOCK);
  }
  return hash;
}

/* Change one array in one part: one item, some, or all. */
static void forge(struct th_manifest *m, char *all, int64_t part, int64_t k,
                  uint64_t *random)
{
  const int64_t *offset = m->offset + part * (m->arrays + 1);
  int64_t size = (int64_t)th_state_size(m->entry[k].type);
  int64_t items = (offset[k + 1] - offset[k]) / size;
  uint64_t times = next(random) % 4;
  times = times == 3 ? (uint64_t)items : times + 1;
  for (uint64_t t = 0; t < times && items > 0; t++) {
    int64_t at = (int64_t)(next(random) % (uint64_t)items);
    change(m->entry[k].type, all + offset[k] + at * size, next(random));
  }
}

/* An array and a part where it has items; -1: none has. */
static int64_t choose(const struct th_manifest *m, int64_t *part,
                      uint64_t *random)
{
  for (int tries = 0; tries < 1000; tries++) {
    int64_t k = (int64_t)(next(random) % (uint64_t)m->arrays);
    *part = (int64_t)(next(random) % (uint64_t)m->parts);
    const int64_t *offset = m->offset + *part * (m->arrays + 1);
    if (offset[k + 1] > offset[k])
      return k;
  }
  return -1;
}

static struct th_manifest *open_manifest(const char *path)
{
  struct th_manifest *m = NULL;
  struct th_error err = {0};
  int64_t bytes = 0;
  char *words = load(path, &bytes);
  if (th_manifest_unpack(&m, (int64_t *)(void *)words, bytes / 8, &err) !=
      TH_OK)
    exit(2);
  free(words);
  return m;
}

static void keep_manifest(const char *path, const struct th_manifest *m)
{
  struct th_error err = {0};
  int64_t *words = NULL;
  int64_t count = 0;
  if (th_manifest_pack(m, &words, &count, &err) != TH_OK)
    exit(2);
  keep(path, words, count * 8);
  free(words);
}

int main(int argc, char **argv)
{
  char name[TH_MANIFEST_NAME];
  char manifest[4096];
  char path[4096];
  if (argc < 2)
    return 2;
  int64_t number = newest(argv[1]);
  snprintf(manifest, sizeof manifest, "%s/%s", argv[1],
           th_manifest_name(number, name));
  struct th_manifest *m = open_manifest(manifest);
  if (argc < 3) {
    printf("%" PRId64 "\n", m->arrays);
    th_manifest_free(m);
    return 0;
  }
  uint64_t random = strtoull(argv[2], NULL, 10);
  int64_t part = 0;
  int64_t k = choose(m, &part, &random);
  if (k < 0)
    return 2;
  int64_t bytes = 0;
  snprintf(path, sizeof path, "%s/%s", argv[1],
           th_manifest_part_name(number, part, name));
  char *all = load(path, &bytes);
  forge(m, all, part, k, &random);
  m->hash[part] = hash_of(all, bytes);
  keep(path, all, bytes);
  keep_manifest(manifest, m);
  printf("%s\n", m->entry[k].name);
  free(all);
  th_manifest_free(m);
  return 0;
}
