/* tool.c - for scripts: write a test data set, dump its values, read it all
 *
 *   io_tool write PATH LAYOUT TYPE   and PATH.values: its values as doubles,
 *                                    attribute-major, from the recipe alone
 *   io_tool read PATH                open, verify; the error on stderr
 *   io_tool hash FILE                XXH3 of a file's bytes, in decimal
 * SPDX-License-Identifier: MIT */
#include "io/files/hash.h"
#include "io_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int report(th_status rc, const struct th_error *err)
{
  if (rc != TH_OK)
    fprintf(stderr, "%s\n", err->text);
  return rc == TH_OK ? 0 : 1;
}

static int write_set(struct th_comm *comm, const char *path, int layout,
                     int type)
{
  struct recipe recipe = {.shape = {.examples = 250,
                                    .training = 170,
                                    .attributes = 900,
                                    .row_group = 64,
                                    .layout = (enum th_layout)layout,
                                    .type = (enum th_type)type,
                                    .weighted = true},
                          .shards = 3,
                          .named = true};
  struct th_error err;
  char name[512];
  th_error_clear(&err);
  th_status rc = recipe_write(&recipe, comm, path, true, &err);
  if (rc != TH_OK)
    return report(rc, &err);
  snprintf(name, sizeof name, "%s.values", path);
  FILE *file = fopen(name, "wb");
  if (file == NULL)
    return 1;
  for (int64_t a = 0; a < recipe.shape.attributes; a++)
    for (int64_t i = 0; i < recipe.shape.examples; i++) {
      double value = recipe_value(&recipe, a, i);
      fwrite(&value, sizeof value, 1, file);
    }
  return fclose(file);
}

static int read_set(struct th_comm *comm, const char *path)
{
  struct th_error err;
  struct th_dataset *d = NULL;
  th_error_clear(&err);
  th_status rc = th_dataset_open(&d, comm, path, 1 << 20, &err);
  if (rc == TH_OK)
    rc = th_dataset_check(d, comm, &err);
  th_dataset_close(d);
  return report(rc, &err);
}

static int hash_file(const char *path)
{
  static char bytes[1 << 20];
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return 1;
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  printf("%" PRIu64 "\n", th_hash(bytes, size));
  return 0;
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_comm_self(&comm);
  if (argc == 5 && strcmp(argv[1], "write") == 0)
    return write_set(&comm, argv[2], th_type_layout_find(argv[3]),
                     th_type_find(argv[4]));
  if (argc == 3 && strcmp(argv[1], "read") == 0)
    return read_set(&comm, argv[2]);
  if (argc == 3 && strcmp(argv[1], "hash") == 0)
    return hash_file(argv[2]);
  fprintf(stderr, "io_tool write PATH LAYOUT TYPE | read PATH | hash FILE\n");
  return 2;
}
