/* dataset_names.c - finds attributes of an open data set by name, and their
 * names
 * SPDX-License-Identifier: MIT */
#include "core/memory.h"
#include "io/dataset/dataset_parts.h"
#include "io/dataset/format.h"
#include "io/dataset/names.h"

#include <stdlib.h>
#include <string.h>

th_status th_dataset_names(struct th_dataset *dataset, char ***names,
                           struct th_error *err)
{
  const struct th_h5 *master = &dataset->examples.h5;
  *names = NULL;
  if (!th_h5_exists(master, TH_D_NAMES))
    return TH_OK;
  return th_h5_get_texts(master, TH_D_NAMES, dataset->store.shape.attributes,
                         names, err);
}

struct th_name_print th_dataset_name_print(const struct th_dataset *dataset)
{
  return dataset->info.names;
}

th_status th_dataset_names_of(struct th_dataset *dataset,
                              const int64_t *attribute, int64_t count,
                              char **name, struct th_error *err)
{
  struct th_names names = {0};
  th_status rc = TH_OK;
  TH_TRY(th_names_open(&names, &dataset->examples.h5,
                       dataset->store.shape.attributes, err));
  for (int64_t k = 0; k < count; k++) {
    const char *at = th_names_at(&names, attribute[k], err);
    if (at == NULL) {
      rc = err->code;
      goto done;
    }
    TH_TRY(TH_NEW(&name[k], (int64_t)names.width + 1, "names", err));
    memcpy(name[k], at, names.width);
  }
done:
  th_names_close(&names);
  return rc;
}

/* A hash table of the wanted names: open addressing, at most half full. */
struct table {
  uint64_t mask;
  int64_t *entry; /* index of a name + 1; 0: free */
  char *const *name;
};

/* The entry of a name, or the free entry for it. */
static int64_t *entry_of(const struct table *table, const char *name,
                         size_t length)
{
  uint64_t at = th_hash(name, length) & table->mask;
  for (; table->entry[at] != 0; at = (at + 1) & table->mask) {
    const char *other = table->name[table->entry[at] - 1];
    if (strncmp(other, name, length) == 0 && other[length] == '\0')
      break;
  }
  return &table->entry[at];
}

/* Fill the table. The first of equal names has the entry. */
static th_status fill_table(struct table *table, char *const *name,
                            int64_t count, struct th_error *err)
{
  int64_t size = 2;
  while (size < 2 * count)
    size *= 2;
  table->mask = (uint64_t)size - 1;
  table->name = name;
  th_status rc = TH_NEW(&table->entry, size, "a table of names", err);
  for (int64_t k = 0; k < count && rc == TH_OK; k++) {
    int64_t *entry = entry_of(table, name[k], strlen(name[k]));
    if (*entry == 0)
      *entry = k + 1;
  }
  return rc;
}

static void note_place(const struct table *table, const char *name,
                       size_t length, int64_t attribute, int64_t *place)
{
  int64_t k = *entry_of(table, name, length) - 1;
  if (k >= 0)
    place[k] = place[k] == TH_NAME_ABSENT ? attribute : TH_NAME_TWICE;
}

th_status th_dataset_names_find(struct th_dataset *dataset, char *const *name,
                                int64_t count, int64_t *attribute,
                                struct th_error *err)
{
  struct th_names names = {0};
  struct table table = {0};
  th_status rc = TH_OK;
  TH_TRY(fill_table(&table, name, count, err));
  TH_TRY(th_names_open(&names, &dataset->examples.h5,
                       dataset->store.shape.attributes, err));
  for (int64_t k = 0; k < count; k++)
    attribute[k] = TH_NAME_ABSENT;
  for (int64_t a = 0; a < names.count; a++) {
    const char *at = th_names_at(&names, a, err);
    if (at == NULL) {
      rc = err->code;
      goto done;
    }
    note_place(&table, at, strnlen(at, names.width), a, attribute);
  }
  for (int64_t k = 0; k < count; k++)
    if (*entry_of(&table, name[k], strlen(name[k])) != k + 1)
      attribute[k] = TH_NAME_TWICE;
done:
  th_names_close(&names);
  free(table.entry);
  return rc;
}
