/* names.c - names of attributes: found, compared by their hashes, read in
 * verified pieces
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "io_data.h"

#include <stdlib.h>
#include <string.h>

/* Names of 6 bytes: several pieces of 4096. */
enum { ATTRIBUTES = 10007, TURN = 5000 };

static char folder[64];
static struct th_comm comm;

static struct recipe recipe_of(void)
{
  return (struct recipe){.shape = {.examples = 4,
                                   .training = 4,
                                   .attributes = ATTRIBUTES,
                                   .row_group = 64,
                                   .layout = TH_SPARSE,
                                   .type = TH_F32},
                         .shards = 2,
                         .named = true};
}

static struct th_dataset *open_recipe(const struct recipe *recipe)
{
  struct th_dataset *d = NULL;
  struct th_error err;
  char path[128];
  snprintf(path, sizeof path, "%s/d.h5", folder);
  th_error_clear(&err);
  CHECK(recipe_write(recipe, &comm, path, true, &err) == TH_OK);
  CHECK(th_dataset_open(&d, &comm, path, 1 << 20, &err) == TH_OK);
  CHECK(th_dataset_check(d, &comm, &err) == TH_OK);
  return d;
}

static struct th_name_print print_of(const struct recipe *recipe)
{
  struct th_dataset *d = open_recipe(recipe);
  struct th_name_print print = th_dataset_name_print(d);
  th_dataset_close(d);
  return print;
}

/* The list is in one order, the set in any; neither knows of shards. */
static void test_hashes(void)
{
  struct recipe recipe = recipe_of();
  struct th_name_print plain = print_of(&recipe);
  CHECK(plain.list != 0 && plain.list != plain.set);
  recipe.shards = 5;
  struct th_name_print same = print_of(&recipe);
  CHECK(same.list == plain.list && same.set == plain.set);
  recipe.turn = 1;
  struct th_name_print turned = print_of(&recipe);
  CHECK(turned.list != plain.list && turned.set == plain.set);
  recipe.twin = 3;
  struct th_name_print twins = print_of(&recipe);
  CHECK(twins.list != turned.list && twins.set != plain.set);
  recipe.named = false;
  CHECK(print_of(&recipe).list == 0);
}

/* Names of attributes, and back. */
static void test_find(void)
{
  static const int64_t wanted[] = {0, 17, 4095, 4096, 9999, ATTRIBUTES - 1};
  enum { COUNT = sizeof wanted / sizeof *wanted };
  struct recipe recipe = recipe_of();
  char *name[COUNT] = {NULL};
  int64_t found[COUNT];
  struct th_error err;
  th_error_clear(&err);
  recipe.turn = TURN;
  struct th_dataset *d = open_recipe(&recipe);
  CHECK(th_dataset_names_of(d, wanted, COUNT, name, &err) == TH_OK);
  CHECK(th_dataset_names_find(d, name, COUNT, found, &err) == TH_OK);
  for (int k = 0; k < COUNT; k++) {
    char expected[32];
    snprintf(expected, sizeof expected, "a%lld",
             (long long)((wanted[k] + TURN) % ATTRIBUTES));
    CHECK(strcmp(name[k], expected) == 0);
    CHECK(found[k] == wanted[k]);
    free(name[k]);
  }
  CHECK(th_dataset_names_find(d, NULL, 0, NULL, &err) == TH_OK);
  th_dataset_close(d);
}

/* What is no name, what only begins like one, what two attributes are called,
 * what is asked for twice. */
static void test_odd_names(void)
{
  char *name[] = {"b", "a1000", "a00", "", "a0", "a5", "a5", "a100000"};
  static const int64_t expected[] = {
      TH_NAME_ABSENT, 1000, TH_NAME_ABSENT, TH_NAME_ABSENT,
      TH_NAME_TWICE,  5,    TH_NAME_TWICE,  TH_NAME_ABSENT};
  enum { COUNT = sizeof expected / sizeof *expected };
  struct recipe recipe = recipe_of();
  int64_t found[COUNT];
  struct th_error err;
  th_error_clear(&err);
  recipe.twin = 7000;
  struct th_dataset *d = open_recipe(&recipe);
  CHECK(th_dataset_names_find(d, name, COUNT, found, &err) == TH_OK);
  for (int k = 0; k < COUNT; k++)
    CHECK(found[k] == expected[k]);
  th_dataset_close(d);
}

/* The place of some bytes in a file. */
static long place_of(FILE *file, const char *bytes, size_t count)
{
  static char all[1 << 23];
  size_t size = fread(all, 1, sizeof all, file);
  for (size_t at = 0; at + count <= size; at++)
    if (memcmp(all + at, bytes, count) == 0)
      return (long)at;
  return -1;
}

/* A changed name is noticed by who reads its piece, and by no one else. */
static void test_damage(void)
{
  static const char names[] = "a5000\0a5001";
  const int64_t here[] = {5001};
  const int64_t before[] = {1};
  struct recipe recipe = recipe_of();
  struct th_error err;
  char path[128];
  char *name = NULL;
  int64_t found;
  struct th_dataset *d = open_recipe(&recipe);
  snprintf(path, sizeof path, "%s/d.h5", folder);
  FILE *file = fopen(path, "r+b");
  long at = place_of(file, names, sizeof names - 1);
  CHECK(at > 0);
  fseek(file, at + 1, SEEK_SET);
  fputc('9', file);
  fclose(file);
  th_error_clear(&err);
  CHECK(th_dataset_names_of(d, before, 1, &name, &err) == TH_OK);
  CHECK(strcmp(name, "a1") == 0);
  CHECK(th_dataset_names_find(d, &name, 1, &found, &err) == TH_EFORMAT);
  CHECK(strstr(err.text, "names of attribute 4096 and following") != NULL);
  free(name);
  name = NULL;
  th_error_clear(&err);
  CHECK(th_dataset_names_of(d, here, 1, &name, &err) == TH_EFORMAT);
  CHECK(name == NULL);
  th_error_clear(&err);
  CHECK(th_dataset_check(d, &comm, &err) == TH_EFORMAT);
  th_dataset_close(d);
}

/* Names that are indices are found and read as others are, and as numbers. */
static void test_indices(void)
{
  static const int64_t wanted[] = {0, 4095, 4096, ATTRIBUTES - 1};
  enum { COUNT = sizeof wanted / sizeof *wanted };
  const uint64_t first = UINT64_C(1) << 63;
  struct recipe recipe = recipe_of();
  char *name[COUNT] = {NULL};
  char *odd[] = {"9223372036854775809", "9223372036854775811", "0", ""};
  int64_t found[COUNT];
  uint64_t *index = NULL;
  char **all = NULL;
  struct th_error err;
  th_error_clear(&err);
  recipe.named = false;
  recipe.indexed = 3;
  struct th_dataset *d = open_recipe(&recipe);
  CHECK(th_dataset_names_of(d, wanted, COUNT, name, &err) == TH_OK);
  CHECK(th_dataset_names_find(d, name, COUNT, found, &err) == TH_OK);
  CHECK(th_dataset_indices(d, &index, &err) == TH_OK && index != NULL);
  CHECK(th_dataset_names(d, &all, &err) == TH_OK);
  for (int k = 0; k < COUNT; k++) {
    CHECK(strtoull(name[k], NULL, 10) == first + (uint64_t)(3 * wanted[k]));
    CHECK(found[k] == wanted[k] && strcmp(all[wanted[k]], name[k]) == 0);
    CHECK(index[wanted[k]] == first + (uint64_t)(3 * wanted[k]));
    free(name[k]);
  }
  CHECK(th_dataset_names_find(d, odd, COUNT, found, &err) == TH_OK);
  for (int k = 0; k < COUNT; k++)
    CHECK(found[k] == (k == 1 ? 1 : TH_NAME_ABSENT));
  free(index);
  free(all);
  th_dataset_close(d);
}

/* Indices that were changed, or that do not ascend. */
static void test_bad_indices(void)
{
  const uint64_t here[] = {(UINT64_C(1) << 63) + 15000,
                           (UINT64_C(1) << 63) + 15003};
  struct recipe recipe = recipe_of();
  struct th_dataset *d = NULL;
  struct th_error err;
  char path[128];
  recipe.indexed = 3;
  th_dataset_close(open_recipe(&recipe));
  snprintf(path, sizeof path, "%s/d.h5", folder);
  FILE *file = fopen(path, "r+b");
  long at = place_of(file, (const char *)here, sizeof here);
  CHECK(at > 0);
  fseek(file, at, SEEK_SET);
  fputc('9', file);
  fclose(file);
  th_error_clear(&err);
  CHECK(th_dataset_open(&d, &comm, path, 1 << 20, &err) == TH_EFORMAT);
  CHECK(strstr(err.text, "names of attribute 4096 and following") != NULL);
  recipe.indexed = -3;
  th_error_clear(&err);
  CHECK(recipe_write(&recipe, &comm, path, true, &err) == TH_OK);
  CHECK(th_dataset_open(&d, &comm, path, 1 << 20, &err) == TH_EFORMAT);
  CHECK(strstr(err.text, "do not ascend") != NULL);
}

int main(void)
{
  th_comm_self(&comm);
  test_folder(&comm, folder);
  CASE(test_hashes());
  CASE(test_find());
  CASE(test_odd_names());
  CASE(test_damage());
  CASE(test_indices());
  CASE(test_bad_indices());
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
