/* io_forged.c - forged files with right checksums: one line or a correct run,
 * never a place in memory that is not there
 *
 *   io_forged            every array in turn
 *   io_forged N [SEED]   N forgeries at random, one to three changes in each
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "forge.h"
#include "io_data.h"
#include "penalised.h"

#include "io/geometry.h"
#include "solvers/verify.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 3, SHARDS = FILES - 1, MOST_BYTES = 1 << 18 };

static char folder[64];
static struct th_comm comm;
static char label[512]; /* of the forgery that is being tried */

struct content {
  char path[FORGE_PATH];
  size_t size;
  char bytes[MOST_BYTES];
};

/* A data set in its files, to be put back after each forgery. */
struct original {
  char master[FORGE_PATH];
  struct content file[FILES];
  int places;
  struct forge_place place[FILES * FORGE_PLACES];
};

static uint64_t next_random(uint64_t *state)
{
  *state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static void take(struct content *content)
{
  FILE *file = fopen(content->path, "rb");
  content->size = fread(content->bytes, 1, MOST_BYTES, file);
  CHECK(content->size > 0 && content->size < MOST_BYTES);
  fclose(file);
}

static void put_back(const struct original *original)
{
  for (int k = 0; k < FILES; k++) {
    const struct content *content = &original->file[k];
    FILE *file = fopen(content->path, "wb");
    CHECK(fwrite(content->bytes, 1, content->size, file) == content->size);
    fclose(file);
  }
}

static struct recipe recipe_of(enum th_layout layout, enum th_type type)
{
  struct recipe recipe = {.shape = {.examples = 90,
                                    .training = 80,
                                    .attributes = 40,
                                    .row_group = 32,
                                    .layout = layout,
                                    .type = type,
                                    .weighted = true},
                          .shards = SHARDS,
                          .named = true,
                          .grouped = true};
  return recipe;
}

static void make(struct original *original, const struct recipe *recipe)
{
  struct th_error err;
  th_error_clear(&err);
  snprintf(original->master, FORGE_PATH, "%s/data.h5", folder);
  CHECK(recipe_write(recipe, &comm, original->master, true, &err) == TH_OK);
  original->places = 0;
  for (int k = 0; k < FILES; k++) {
    struct content *content = &original->file[k];
    if (k < SHARDS)
      snprintf(content->path, FORGE_PATH, "%s/data.shards/%05d.h5", folder, k);
    else
      snprintf(content->path, FORGE_PATH, "%s", original->master);
    take(content);
    original->places +=
        forge_list(content->path, original->place + original->places);
  }
  CHECK(original->places > FILES * 15);
}

/* A failure says so in one line; its code. */
static th_status told(th_status rc, const struct th_error *err)
{
  bool good = rc == TH_OK || (rc == err->code && err->text[0] != '\0' &&
                              strpbrk(err->text, "\n\r\t\x1b") == NULL);
  if (!good)
    fprintf(stderr, "%s: status %d \"%s\"\n", label, (int)rc, err->text);
  CHECK(good);
  return rc;
}

static th_status open_set(struct th_dataset **d, const char *path,
                          int64_t memory, struct th_error *err)
{
  th_error_clear(err);
  *d = NULL;
  return told(th_dataset_open(d, &comm, path, memory, err), err);
}

/* Every value and every array, as all of the program may ask for them. */
static th_status look_at_all(struct th_dataset *d, struct th_error *err)
{
  struct th_store *store = th_dataset_store(d);
  const struct th_shape *s = &store->shape;
  struct th_groups groups = {0};
  char **names = NULL;
  double *room = NULL;
  double sum = 0;
  th_status rc = TH_OK;
  TH_TRY(th_store_place(store, &comm, err));
  TH_TRY(th_dataset_names(d, &names, err));
  TH_TRY(th_dataset_groups(d, &comm, &groups, err));
  room = calloc((size_t)(2 * s->examples + 4 * s->attributes), sizeof *room);
  TH_TRY(store->ops->targets(store, (struct th_rows){0, s->examples}, room,
                             room + s->examples, err));
  TH_TRY(th_dataset_row_numbers(d, (struct th_rows){0, s->examples},
                                (int64_t *)(void *)room, err));
  TH_TRY(store->ops->statistics(store, (struct th_range){0, s->attributes},
                                (struct th_statistics *)(void *)room, err));
  for (int64_t g = 0; g < th_shape_groups(s); g++)
    for (int64_t a = 0; a < s->attributes;) {
      struct th_slab slab;
      TH_TRY(store->ops->slab(store, th_shape_group(s, g),
                              (struct th_range){a, s->attributes}, a % 3 == 0,
                              &slab, err));
      sum += slab_value(&slab, slab.attributes.last - 1, slab.rows - 1);
      a = slab.attributes.last;
    }
  if (isnan(sum))
    fprintf(stderr, "%s: a sum that is no number\n", label);
done:
  free(room);
  free(names);
  th_groups_free(&groups);
  return told(rc, err);
}

static th_status check_set(const char *path)
{
  struct th_dataset *d = NULL;
  struct th_error err;
  th_status rc = open_set(&d, path, 1 << 20, &err);
  if (rc == TH_OK)
    rc = told(th_dataset_check(d, &comm, &err), &err);
  if (getenv("FORGE_VERBOSE") != NULL)
    fprintf(stderr, "%s: %s\n", label, rc == TH_OK ? "good" : err.text);
  th_dataset_close(d);
  return rc;
}

/* Short runs of all kinds. */
static struct th_config config_of(const struct th_solver_row *row,
                                  uint64_t random)
{
  static const int64_t start[] = {1, 4, 25};
  struct th_config config =
      row->penalised
          ? penalised_config(row->name, "squared", 0.3)
          : problem_config(row->name, row->needs_sparsity ? 4 : 0, 16);
  config.standardize = random & 1;
  config.intercept = random & 2;
  config.epochs = 6;
  config.panel_memory = 1 << 16;
  if (row->needs_start) {
    config.sparsity = 0;
    config.start_support = start;
    config.start_size = 3;
  }
  return config;
}

/* Learn from it, and put what was learnt to use on it. */
static void train_on(struct th_dataset *d, const struct th_solver_row *row,
                     uint64_t random)
{
  struct th_store *store = th_dataset_store(d);
  struct th_config config = config_of(row, random);
  struct th_model model = {0};
  struct th_verdict verdict = {0};
  struct th_profile profile = {.comm = &comm};
  struct th_plan plan;
  struct th_error err;
  double *prediction =
      calloc((size_t)store->shape.examples, sizeof *prediction);
  th_error_clear(&err);
  th_status rc = problem_train(&config, store, &comm, NULL, &model, &err);
  if (rc == TH_OK)
    rc = th_predict(&model, store, &comm,
                    (struct th_rows){0, store->shape.examples}, prediction,
                    &err);
  config.lambda = model.certificate.lambda;
  config.lambda_ratio = 0;
  if (rc == TH_OK && config.lambda > 0)
    rc = th_train_plan(&config, &store->shape, 1, store->shape.attributes,
                       &plan, &err);
  if (rc == TH_OK && config.lambda > 0)
    rc = th_verify(&plan, store, &comm, &model, &profile, &verdict, &err);
  told(rc, &err);
  th_certificate_free(&verdict.now);
  th_model_free(&model);
  free(prediction);
}

/* What is refused in use is refused by a check; all solvers take turns. */
static void try_out(const char *master, uint64_t random)
{
  static int turn;
  const struct th_solver_row *table = th_solver_table();
  struct th_dataset *d = NULL;
  struct th_error err;
  int solvers = 0;
  while (table[solvers].name != NULL)
    solvers++;
  if (solvers == 0)
    return;
  th_status checked = check_set(master);
  th_status rc = open_set(&d, master, random & 4 ? 1 << 20 : 1 << 12, &err);
  if (rc == TH_OK)
    rc = look_at_all(d, &err);
  CHECK(rc == TH_OK || checked != TH_OK);
  if (rc != TH_OK && checked == TH_OK)
    fprintf(stderr, "%s: passes the check, but: %s\n", label, err.text);
  th_dataset_close(d);
  rc = open_set(&d, master, random & 4 ? 1 << 20 : 1 << 12, &err);
  if (rc == TH_OK && th_store_place(th_dataset_store(d), &comm, &err) == TH_OK)
    train_on(d, &table[turn++ % solvers], random);
  th_dataset_close(d);
}

static void name(const struct forge_place *place, int64_t at, int way)
{
  size_t used = strlen(label);
  snprintf(label + used, sizeof label - used, " %s %s %s [%lld] %d",
           strrchr(place->path, '/') + 1, place->object, place->name,
           (long long)at, way);
}

/* One change of one place, sealed and tried. */
static bool forge_one(const struct original *original,
                      const struct forge_place *place, int64_t at,
                      enum forge_way way, uint64_t random)
{
  label[0] = '\0';
  name(place, at, (int)way);
  if (!forge_change(place, at, way, random))
    return false;
  forge_seal(original->master);
  if (getenv("FORGE_VERBOSE") != NULL)
    fprintf(stderr, "%s\n", label);
  try_out(original->master, random);
  put_back(original);
  return true;
}

/* Every place: its first item, its last and some between, each in another way;
 * of all ways every `step`th, in turn from place to place. */
static int sweep(const struct original *original, int step, uint64_t *state)
{
  int tried = 0;
  for (int p = 0; p < original->places; p++) {
    const struct forge_place *place = &original->place[p];
    int ways = place->name[0] != '\0' ? FORGE_COPY : FORGE_WAYS;
    int first = place->bytes > 8 ? FORGE_RANDOM - 1 : p % step;
    for (int way = first; way < ways; way += step) {
      uint64_t random = next_random(state);
      int64_t at = way % 4 == 0   ? 0
                   : way % 4 == 1 ? place->items - 1
                                  : (int64_t)(random >> 8) % place->items;
      at = at < 0 ? -at : at;
      tried += forge_one(original, place, at, (enum forge_way)way, random);
    }
  }
  return tried;
}

/* Arrays that are shorter or longer than what counts on them. */
static int resize_all(const struct original *original, uint64_t *state)
{
  int tried = 0;
  for (int p = 0; p < original->places; p++) {
    const struct forge_place *place = &original->place[p];
    for (int k = 0; k < 2; k++) {
      int64_t items = k == 0 ? place->items - 1 : place->items * 2 + 1;
      label[0] = '\0';
      name(place, items, -1);
      if (!forge_resize(place, items))
        continue;
      forge_seal(original->master);
      try_out(original->master, next_random(state));
      put_back(original);
      tried++;
    }
  }
  return tried;
}

static const struct forge_place *find(const struct original *original,
                                      const char *file, const char *object,
                                      const char *attribute)
{
  for (int p = 0; p < original->places; p++) {
    const struct forge_place *place = &original->place[p];
    if (strstr(place->path, file) != NULL &&
        strcmp(place->object, object) == 0 &&
        strcmp(place->name, attribute) == 0)
      return place;
  }
  fprintf(stderr, "no %s %s in %s\n", object, attribute, file);
  CHECK(false);
  return &original->place[0];
}

/* A forgery that is to be refused by whoever reads it, in these words. */
struct refusal {
  const char *file;
  const char *object;
  const char *attribute;
  int64_t at; /* negative: counted from the end */
  bool add;   /* the value is added to what is there */
  int64_t value;
  const char *words;
};

#define PLACE "row group 3: attributes or rows out of place"
#define GROUP_0 "attributes 0..19, row group 0: attributes or rows out of place"
#define SHARDS_WRONG "shards that do not fit together"
#define GROUPS_WRONG "groups of attributes that do not fit the data"

static const struct refusal refusals[] = {
    /* the last row group has 10 of 32 rows */
    {"1.h5", "/row", "", -1, false, 10, PLACE},
    {"1.h5", "/row", "", -1, false, 32, PLACE},
    {"1.h5", "/row", "", -1, false, 0xffff, PLACE},
    {"0.h5", "/row", "", 1, false, 0, GROUP_0},
    {"0.h5", "/attribute", "", 0, false, 1, GROUP_0},
    {"0.h5", "/attribute", "", 1, false, 0, GROUP_0},
    {"1.h5", "/attribute", "", -1, false, 20, PLACE},
    {"1.h5", "/attribute", "", -1, false, UINT32_MAX, PLACE},
    {"0.h5", "/count", "", 0, false, 0, GROUP_0},
    {"0.h5", "/count", "", 0, true, 1, GROUP_0},
    {"0.h5", "/count", "", 0, false, 0xffff, GROUP_0},
    {"0.h5", "/piece", "", 0, false, 1, "/piece has the wrong size"},
    {"0.h5", "/piece", "", 1, false, -1, "/piece has the wrong size"},
    {"0.h5", "/piece", "", 1, false, 21, "/piece has the wrong size"},
    {"0.h5", "/piece", "", 1, false, INT64_MAX, "/piece has the wrong size"},
    {"0.h5", "/piece_entry", "", 1, false, INT64_MIN, "the wrong size"},
    {"0.h5", "/piece_entry", "", -1, true, 1, "/row has the wrong size"},
    {"0.h5", "/", "piece", 0, false, 0, "the wrong size"},
    {"0.h5", "/", "piece", 0, false, INT64_MAX, "the wrong size"},
    {"data.h5", "/", "examples", 0, false, INT64_MAX, "are too many"},
    {"data.h5", "/", "examples", 0, false, INT64_C(1) << 40, "fit together"},
    {"data.h5", "/", "attributes", 0, false, INT64_MAX, "are too many"},
    {"data.h5", "/", "row_group", 0, false, 0, "a row group has"},
    {"data.h5", "/", "training", 0, false, -1, "examples for training"},
    {"data.h5", "/", "shards", 0, false, 1 << 20, "fit together"},
    {"data.h5", "/", "nonzeros", 0, false, -1, "fit together"},
    {"data.h5", "/shard/count", "", 0, false, -1, SHARDS_WRONG},
    {"data.h5", "/shard/first", "", 1, false, 0, SHARDS_WRONG},
    {"data.h5", "/shard/bytes", "", 0, false, INT64_MAX, SHARDS_WRONG},
    {"data.h5", "/truth/support", "", 0, false, -1, "a truth that cannot be"},
    {"data.h5", "/truth/support", "", 1, false, 40, "a truth that cannot be"},
    {"data.h5", "/truth/support", "", 1, false, 1, "a truth that cannot be"},
    {"data.h5", "/attribute_groups/first", "", 1, false, 0, GROUPS_WRONG},
    {"data.h5", "/attribute_groups/count", "", 1, false, 1 << 30, GROUPS_WRONG},
    {"data.h5", "/attribute_groups/group", "", 1, false, 39, GROUPS_WRONG},
    {"data.h5", "/row", "", 5, false, -1, "stored row 5 has number -1"},
};

/* What only a check of all there is looks at. */
static const struct refusal checked[] = {
    {"0.h5", "/", "nonzeros", 0, true, 1, "values are not zero, and not"},
    {"data.h5", "/", "nonzeros", 0, true, -1, "values are not zero, and not"},
    {"data.h5", "/split", "", 3, false, 1, "the row-group table does not fit"},
    {"data.h5", "/group/split", "", 0, false, 1,
     "the row-group table does not"},
    {"0.h5", "/value", "", 3, false, 0x7fc00000, "is not a finite number"},
    {"1.h5", "/value", "", -1, false, 0x7f800000, "is not a finite number"},
};

static void refuse(const struct original *original, const struct refusal *r,
                   bool check)
{
  const struct forge_place *place =
      find(original, r->file, r->object, r->attribute);
  int64_t at = r->at < 0 ? place->items + r->at : r->at;
  struct th_dataset *d = NULL;
  struct th_error err;
  label[0] = '\0';
  name(place, at, -2);
  forge_set(place, at, r->value + (r->add ? forge_get(place, at) : 0));
  forge_seal(original->master);
  th_status rc = open_set(&d, original->master, 1 << 20, &err);
  if (rc == TH_OK)
    rc = check ? told(th_dataset_check(d, &comm, &err), &err)
               : look_at_all(d, &err);
  bool good = rc != TH_OK && strstr(err.text, r->words) != NULL;
  CHECK(good);
  if (!good)
    fprintf(stderr, "%s: wanted \"%s\", not \"%s\"\n", label, r->words,
            err.text);
  th_dataset_close(d);
  CHECK(check || check_set(original->master) != TH_OK);
  put_back(original);
}

static void refuse_all(const struct original *original)
{
  for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++)
    refuse(original, &refusals[k], false);
  for (size_t k = 0; k < sizeof checked / sizeof *checked; k++)
    refuse(original, &checked[k], true);
}

/* The master is not sealed anew: sealing would follow where they lead. */
static void refuse_forms(const struct original *original)
{
  static const char *const objects[] = {"/y", "/weight", "/shard/first",
                                        "/truth/support"};
  for (size_t k = 0; k < sizeof objects / sizeof *objects; k++)
    for (int form = 0; form < FORGE_FORMS; form++) {
      const struct forge_place *place =
          find(original, "data.h5", objects[k], "");
      struct th_dataset *d = NULL;
      struct th_error err;
      label[0] = '\0';
      name(place, 0, 100 + form);
      CHECK(forge_form(place, (enum forge_form)form));
      th_status rc = open_set(&d, original->master, 1 << 20, &err);
      const char *words =
          form == FORGE_LINK ? "cannot read /" : "is not stored as it was";
      CHECK(rc != TH_OK && strstr(err.text, words) != NULL);
      if (rc == TH_OK || strstr(err.text, words) == NULL)
        fprintf(stderr, "%s: %s\n", label, err.text);
      th_dataset_close(d);
      put_back(original);
    }
}

/* Sizes that overflow: products of them are places and numbers. */
static void refuse_sizes(void)
{
  static const struct th_shape shapes[] = {
      {.examples = TH_MOST_EXAMPLES + 1, .attributes = 1, .row_group = 64},
      {.examples = 1, .attributes = TH_MOST_ATTRIBUTES + 1, .row_group = 64},
      {.examples = INT64_MAX, .attributes = INT64_MAX, .row_group = 1},
      {.examples = TH_MOST_EXAMPLES,
       .attributes = TH_MOST_ATTRIBUTES,
       .row_group = 64,
       .layout = TH_SPARSE},
      {.examples = (int64_t)1 << 30,
       .attributes = (int64_t)1 << 30,
       .row_group = 64,
       .type = TH_F64},
      {.examples = 1, .attributes = 1, .row_group = 0}};
  for (size_t k = 0; k <= sizeof shapes / sizeof *shapes; k++) {
    struct th_shape usual = {
        .examples = 1000000000, .attributes = 100000000, .row_group = 16384};
    struct th_geometry g;
    struct th_error err;
    bool good = k == sizeof shapes / sizeof *shapes;
    th_error_clear(&err);
    CHECK((th_geometry_init(&g, good ? &usual : &shapes[k], &err) == TH_OK) ==
          good);
  }
}

/* A text that is not one line. */
static void look_at_lines(const struct original *original)
{
  const struct forge_place *place =
      find(original, "data.h5", "/", "provenance");
  struct th_dataset *d = NULL;
  struct th_error err;
  CHECK(forge_change(place, 0, FORGE_MIDDLE, 0)); /* the end of a line */
  forge_seal(original->master);
  CHECK(open_set(&d, original->master, 1 << 20, &err) == TH_OK);
  CHECK(d != NULL && strcmp(th_dataset_provenance(d), "? test") == 0);
  th_dataset_close(d);
  put_back(original);
}

static void sweep_at_random(const struct original *original, int64_t count,
                            uint64_t *state)
{
  for (int64_t k = 0; k < count; k++) {
    uint64_t random = next_random(state);
    label[0] = '\0';
    for (uint64_t c = 0; c <= random % 3; c++) {
      uint64_t r = next_random(state);
      const struct forge_place *place =
          &original->place[r % (uint64_t)original->places];
      int ways = place->name[0] != '\0' ? FORGE_COPY : FORGE_WAYS;
      int64_t at = (int64_t)((r >> 16) % (uint64_t)place->items);
      name(place, at, (int)((r >> 8) % (uint64_t)ways));
      forge_change(place, at, (enum forge_way)((r >> 8) % (uint64_t)ways),
                   next_random(state));
    }
    forge_seal(original->master);
    if (getenv("FORGE_VERBOSE") != NULL)
      fprintf(stderr, "%s\n", label);
    try_out(original->master, random);
    put_back(original);
  }
}

static const struct {
  enum th_layout layout;
  enum th_type type;
} kinds[] = {{TH_SPARSE, TH_F32},
             {TH_DENSE, TH_F32},
             {TH_DENSE, TH_U2},
             {TH_SPARSE, TH_U8}};
enum { KINDS = sizeof kinds / sizeof *kinds };

int main(int argc, char **argv)
{
  static struct original original;
  uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  int64_t count = argc > 1 ? strtoll(argv[1], NULL, 10) : 0;
  th_comm_self(&comm);
  test_folder(&comm, folder);
  for (int k = 0; k < KINDS; k++) {
    struct recipe recipe = recipe_of(kinds[k].layout, kinds[k].type);
    make(&original, &recipe);
    label[0] = '\0';
    CHECK(check_set(original.master) == TH_OK);
    forge_seal(original.master); /* sealing changes nothing */
    CHECK(check_set(original.master) == TH_OK);
    if (count > 0) {
      sweep_at_random(&original, count / KINDS, &state);
      continue;
    }
    if (k == 0) {
      refuse_all(&original);
      refuse_forms(&original);
      look_at_lines(&original);
      refuse_sizes();
    }
    int tried = sweep(&original, k < 2 ? 3 : 6, &state);
    int resized = k < 2 ? resize_all(&original, &state) : 0;
    fprintf(stderr, "%d places, %d forgeries, %d resized\n", original.places,
            tried, resized);
  }
  test_folder_remove(&comm, folder);
  return check_finish(NULL);
}
