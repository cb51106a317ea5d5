/* forge_data.c - for scripts: a data set says something else, with checksums
 * made right
 *
 *   forge_data random NAME.h5 SEED        some places at random; prints them
 *   forge_data set NAME.h5 FILE OBJECT AT VALUE
 *                     one whole number, of the shard or master that FILE names;
 *                     AT all: all numbers
 * SPDX-License-Identifier: MIT */
#include "forge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 8, MOST = FILES * FORGE_PLACES };

static uint64_t state;

static uint64_t next_random(void)
{
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return state >> 29;
}

/* Of the master and of its shards. */
static int list_all(const char *master, struct forge_place place[MOST])
{
  int places = forge_list(master, place);
  for (int k = 0; k + 1 < FILES; k++) {
    char path[FORGE_PATH];
    snprintf(path, sizeof path, "%.*s.shards/%05d.h5", (int)strlen(master) - 3,
             master, k);
    places += forge_list(path, place + places);
  }
  return places;
}

static void change_some(const struct forge_place place[], int places)
{
  for (uint64_t k = 0; k <= next_random() % 3; k++) {
    const struct forge_place *p = &place[next_random() % (uint64_t)places];
    int ways = p->name[0] != '\0' ? FORGE_COPY : FORGE_WAYS;
    enum forge_way way = (enum forge_way)(next_random() % (uint64_t)ways);
    int64_t at = (int64_t)(next_random() % (uint64_t)p->items);
    printf("%s %s %s [%lld] way %d; ",
           strrchr(p->path, '/') == NULL ? p->path : strrchr(p->path, '/') + 1,
           p->object, p->name, (long long)at, (int)way);
    forge_change(p, at, way, next_random());
  }
  putchar('\n');
}

static void set(const struct forge_place *place, const char *where,
                int64_t value)
{
  int64_t at = strtoll(where, NULL, 10);
  if (strcmp(where, "all") == 0)
    forge_set(place, 0, place->items, value);
  else
    forge_set(place, at < 0 ? place->items + at : at, 1, value);
}

int main(int argc, char **argv)
{
  static struct forge_place place[MOST];
  int found = 0;
  int places = argc > 2 ? list_all(argv[2], place) : 0;
  if (argc == 4 && places > 0 && strcmp(argv[1], "random") == 0) {
    state = strtoull(argv[3], NULL, 10) * 2 + 1;
    change_some(place, places);
    found = 1;
  } else if (argc == 7 && strcmp(argv[1], "set") == 0) {
    for (int p = 0; p < places; p++)
      if (strstr(place[p].path, argv[3]) != NULL &&
          strcmp(place[p].object, argv[4]) == 0 && place[p].name[0] == '\0') {
        set(&place[p], argv[5], strtoll(argv[6], NULL, 0));
        found++;
      }
  }
  if (found != 1) {
    fprintf(stderr, "forge_data random NAME.h5 SEED | set NAME.h5 FILE OBJECT "
                    "AT VALUE\n");
    return 2;
  }
  forge_seal(argv[2]);
  return 0;
}
