/* entries.c - single values at random places are those of the slabs
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "io_data.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 700, ROUNDS = 12 };

static char folder[64];
static struct th_comm comm;

/* Places that are asked for at once, and what was found there. */
struct request {
  struct th_entries entries;
  int64_t row[MOST];
  int64_t attribute[MOST];
  double value[MOST];
};

/* A plain pseudo-random stream. */
static int64_t draw(uint64_t *state, int64_t below)
{
  *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
  return (int64_t)((*state >> 33) % (uint64_t)below);
}

static enum th_mapped mapped; /* of all that is opened */

static const char *path_of(const char *name)
{
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static struct th_dataset *open_set(int64_t memory)
{
  struct th_dataset *d = NULL;
  struct th_error err = {0};
  CHECK(th_dataset_open(&d, &comm, path_of("data.h5"), memory, &err) == TH_OK);
  th_dataset_map(d, mapped);
  return d;
}

static void write_set(const struct recipe *recipe)
{
  struct th_error err = {0};
  CHECK(recipe_write(recipe, &comm, path_of("data.h5"), true, &err) == TH_OK);
}

/* A row beside a border: of the data, of the test examples, of a row group. */
static int64_t border_row(const struct th_shape *s, uint64_t *state)
{
  int64_t groups = s->training / s->row_group + 1;
  const int64_t border[] = {0, s->training, s->examples,
                            draw(state, groups) * s->row_group};
  int64_t row = border[draw(state, 4)] - draw(state, 2);
  return row < 0 ? 0 : row < s->examples ? row : s->examples - 1;
}

/* Places all over the data; a third beside borders, and some twice. */
static void ask_some(struct request *request, const struct recipe *recipe,
                     uint64_t *state)
{
  const struct th_shape *s = &recipe->shape;
  int64_t shard = (s->attributes + recipe->shards - 1) / recipe->shards;
  int64_t count = 1 + draw(state, MOST);
  for (int64_t k = 0; k < count; k++) {
    int64_t a = draw(state, recipe->shards + 1) * shard - draw(state, 2);
    bool border = draw(state, 3) == 0 && a >= 0 && a < s->attributes;
    request->row[k] = border ? border_row(s, state) : draw(state, s->examples);
    request->attribute[k] = border ? a : draw(state, s->attributes);
    if (k > 0 && draw(state, 9) == 0) {
      request->row[k] = request->row[k - 1];
      request->attribute[k] = request->attribute[k - 1];
    }
    request->value[k] = -1e9;
  }
  request->entries =
      (struct th_entries){count, request->row, request->attribute};
}

static void check_request(const struct recipe *recipe,
                          const struct request *request)
{
  int64_t wrong = 0;
  for (int64_t k = 0; k < request->entries.count; k++)
    wrong += request->value[k] !=
             recipe_value(recipe, request->attribute[k], request->row[k]);
  CHECK(wrong == 0);
}

/* A slab somewhere: it changes what is in memory, and in which parts. */
static void disturb(struct th_store *store, bool keep, uint64_t *state)
{
  const struct th_shape *s = &store->shape;
  struct th_error err = {0};
  struct th_slab slab;
  struct th_rows row = {draw(state, s->examples), 1};
  struct th_range range = {draw(state, s->attributes), s->attributes};
  range.last = keep ? range.first + 1 : range.last;
  CHECK(store->ops->slab(store, row, range, keep, &slab, &err) == TH_OK);
}

/* Requests in turn with slabs; the bytes that were read. slabs: without the
 * store's own way to single values. */
static int64_t roam(const struct recipe *recipe, int64_t memory, bool slabs)
{
  static struct request request;
  struct th_dataset *d = open_set(memory);
  struct th_error err = {0};
  uint64_t state = 5;
  if (d == NULL)
    return 0;
  struct th_store *store = th_dataset_store(d);
  const int64_t opened = store->bytes_read; /* targets, if there is room */
  struct th_store_ops ops = *store->ops;
  ops.entries = slabs ? NULL : ops.entries;
  store->ops = &ops;
  for (int round = 0; round < ROUNDS; round++) {
    ask_some(&request, recipe, &state);
    int64_t before = store->blocks.observed;
    CHECK(th_store_entries(store, &request.entries, request.value, &err) ==
          TH_OK);
    CHECK(store->blocks.observed - before ==
          (int64_t)th_type_bytes(recipe->shape.type, request.entries.count));
    check_request(recipe, &request);
    if (round % 3 == 1)
      disturb(store, round % 2 == 0, &state);
  }
  int64_t bytes = store->bytes_read - opened;
  th_dataset_close(d);
  return bytes;
}

/* With room for all, nothing is read twice; with less, more is read. */
static void test_memory(const struct recipe *recipe)
{
  int64_t values = recipe->shape.examples * recipe->shape.attributes;
  int64_t some = (int64_t)th_type_bytes(recipe->shape.type, values) / 4;
  write_set(recipe);
  int64_t none = roam(recipe, 0, false);
  int64_t little = roam(recipe, some, false);
  int64_t all = roam(recipe, (int64_t)1 << 30, false);
  CHECK(roam(recipe, some, true) > 0);
  CHECK(all > 0 && little <= none);
  /* values, checksums and, of sparse data, rows; what opening reads */
  CHECK(all <= values * 12 + (1 << 16));
}

static void test_types(void)
{
  for (int layout = 0; layout < TH_LAYOUT_COUNT; layout++)
    for (int type = 0; type < TH_TYPE_COUNT; type++)
      for (int64_t shards = 1; shards < 5; shards += 3) {
        struct recipe recipe = {.shape = {.examples = 330,
                                          .training = 260,
                                          .attributes = 610,
                                          .row_group = 64,
                                          .layout = (enum th_layout)layout,
                                          .type = (enum th_type)type},
                                .shards = shards};
        if (layout == TH_DENSE || th_type_packed((enum th_type)type) == 1)
          test_memory(&recipe);
      }
}

/* A sparse row is found among 2^16 of a row group. */
static void test_long_groups(void)
{
  for (int layout = 0; layout < TH_LAYOUT_COUNT; layout++) {
    struct recipe recipe = {.shape = {.examples = TH_SPARSE_ROWS + 3,
                                      .training = TH_SPARSE_ROWS + 3,
                                      .attributes = 5,
                                      .row_group = TH_SPARSE_ROWS,
                                      .layout = (enum th_layout)layout,
                                      .type = TH_I8},
                            .shards = 1};
    write_set(&recipe);
    roam(&recipe, (int64_t)1 << 30, false);
  }
}

/* What lies outside of the data is refused, and nothing at all is no request.
 */
static void test_outside(const struct recipe *recipe)
{
  const int64_t row[] = {0, -1, recipe->shape.examples, 0, 0};
  const int64_t attribute[] = {3, 3, 3, -1, recipe->shape.attributes};
  struct th_dataset *d = open_set(1 << 26);
  struct th_store *store = th_dataset_store(d);
  for (int k = 1; k < 5; k++) {
    const int64_t rows[] = {row[0], row[k]};
    const int64_t attributes[] = {attribute[0], attribute[k]};
    struct th_entries entries = {2, rows, attributes};
    struct th_error err = {0};
    double value[2] = {-1, -1};
    CHECK(th_store_entries(store, &entries, value, &err) == TH_EARG);
    CHECK(strstr(err.text, "a request outside of the data") != NULL);
    CHECK(value[0] == recipe_value(recipe, 3, 0));
  }
  struct th_error err = {0};
  struct th_entries nothing = {0};
  CHECK(th_store_entries(store, &nothing, NULL, &err) == TH_OK);
  th_dataset_close(d);
}

/* A run that was announced and not read yet is not taken for one that is in
 * memory, after its unit was there and left. */
static void test_announced(const struct recipe *recipe)
{
  const struct th_shape *s = &recipe->shape;
  int64_t run = (int64_t)th_type_bytes(s->type, s->row_group);
  struct th_dataset *d = open_set(200 * run);
  struct th_store *store = th_dataset_store(d);
  struct th_error err = {0};
  struct th_slab slab;
  const int64_t row = 17;
  const int64_t attribute = 70;
  double value = 0;
  struct th_entries one = {1, &row, &attribute};
  struct th_rows rows = {row, 1};
  CHECK(th_dataset_read_ahead(d, false, &err) == TH_OK);
  CHECK(store->ops->slab(store, rows, (struct th_range){0, 1}, false, &slab,
                         &err) == TH_OK);
  store->ops->announce(store, rows, (struct th_range){attribute, attribute + 1},
                       true);
  CHECK(store->ops->slab(store, rows, (struct th_range){64, 128}, false, &slab,
                         &err) == TH_OK);
  for (int round = 0; round < 2; round++) {
    CHECK(th_store_entries(store, &one, &value, &err) == TH_OK);
    CHECK(value == recipe_value(recipe, attribute, row));
    for (int64_t a = 128; a < s->attributes; a = slab.attributes.last)
      CHECK(store->ops->slab(store, rows, (struct th_range){a, s->attributes},
                             false, &slab, &err) == TH_OK);
  }
  th_dataset_close(d);
}

int main(void)
{
  const struct recipe wide = {.shape = {.examples = 1024,
                                        .training = 1024,
                                        .attributes = 2000,
                                        .row_group = 1024,
                                        .type = TH_F32},
                              .shards = 1};
  th_comm_self(&comm);
  test_folder(&comm, folder);
  for (int k = 0; k <= TH_MAPPED_ALWAYS; k += TH_MAPPED_ALWAYS) {
    mapped = (enum th_mapped)k;
    CASE(test_types());
    CASE(test_long_groups());
    write_set(&wide);
    CASE(test_outside(&wide));
    CASE(test_announced(&wide));
  }
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
