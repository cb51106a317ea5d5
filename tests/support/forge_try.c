/* forge_try.c - forged data sets are tried out, as all of the program may
 * SPDX-License-Identifier: MIT */
#include "forge_try.h"

#include "check.h"
#include "io_data.h"
#include "penalised.h"

#include "solvers/driver/predict.h"
#include "solvers/driver/verify.h"

#include <stdlib.h>
#include <string.h>

static char label[512];

static struct th_comm *self(void)
{
  static struct th_comm comm;
  th_comm_self(&comm);
  return &comm;
}

void forge_label_clear(void)
{
  label[0] = '\0';
}

const char *forge_label(void)
{
  return label;
}

void forge_label_add(const struct forge_place *place, int64_t at, int way)
{
  size_t used = strlen(label);
  snprintf(label + used, sizeof label - used, " %s %s %s [%lld] %d",
           strrchr(place->path, '/') + 1, place->object, place->name,
           (long long)at, way);
}

static void take(struct forge_file *content)
{
  FILE *file = fopen(content->path, "rb");
  content->size = fread(content->bytes, 1, FORGE_BYTES, file);
  CHECK(content->size > 0 && content->size < FORGE_BYTES);
  fclose(file);
}

void forge_put_back(const struct forge_original *original)
{
  for (int k = 0; k < FORGE_FILES; k++) {
    const struct forge_file *content = &original->file[k];
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
                          .shards = FORGE_SHARDS,
                          .named = true,
                          .grouped = true};
  return recipe;
}

void forge_make(struct forge_original *original, const char *folder,
                enum th_layout layout, enum th_type type)
{
  struct recipe recipe = recipe_of(layout, type);
  struct th_error err;
  th_error_clear(&err);
  snprintf(original->master, FORGE_PATH, "%s/data.h5", folder);
  CHECK(recipe_write(&recipe, self(), original->master, true, &err) == TH_OK);
  original->places = 0;
  for (int k = 0; k < FORGE_FILES; k++) {
    struct forge_file *content = &original->file[k];
    if (k < FORGE_SHARDS)
      snprintf(content->path, FORGE_PATH, "%s/data.shards/%05d.h5", folder, k);
    else
      snprintf(content->path, FORGE_PATH, "%s", original->master);
    take(content);
    original->places +=
        forge_list(content->path, original->place + original->places);
  }
  CHECK(original->places > FORGE_FILES * 15);
}

th_status forge_told(th_status rc, const struct th_error *err)
{
  bool good = rc == TH_OK || (rc == err->code && err->text[0] != '\0' &&
                              strpbrk(err->text, "\n\r\t\x1b") == NULL);
  if (!good)
    fprintf(stderr, "%s: status %d \"%s\"\n", label, (int)rc, err->text);
  CHECK(good);
  return rc;
}

th_status forge_open(struct th_dataset **d, const char *path, int64_t memory,
                     struct th_error *err)
{
  th_error_clear(err);
  *d = NULL;
  return forge_told(th_dataset_open(d, self(), path, memory, err), err);
}

static th_status look_at_values(struct th_dataset *d, struct th_error *err)
{
  struct th_store *store = th_dataset_store(d);
  const struct th_shape *s = &store->shape;
  double sum = 0;
  for (int64_t g = 0; g < th_store_shape_groups(s); g++)
    for (int64_t a = 0; a < s->attributes;) {
      struct th_slab slab;
      th_status rc = store->ops->slab(store, th_store_shape_group(s, g),
                                      (struct th_range){a, s->attributes},
                                      a % 3 == 0, &slab, err);
      if (rc != TH_OK)
        return rc;
      sum += slab_value(&slab, slab.attributes.last - 1, slab.rows - 1);
      a = slab.attributes.last;
    }
  if (isnan(sum))
    fprintf(stderr, "%s: a sum that is no number\n", label);
  return TH_OK;
}

/* Every value, copied and in place, and every array, as all of the program may
 * ask for them. */
th_status forge_look_at_all(struct th_dataset *d, struct th_error *err)
{
  struct th_store *store = th_dataset_store(d);
  const struct th_shape *s = &store->shape;
  struct th_groups groups = {0};
  char **names = NULL;
  double *room = NULL;
  th_status rc = TH_OK;
  TH_TRY(th_store_place(store, self(), err));
  TH_TRY(th_dataset_names(d, &names, err));
  TH_TRY(th_dataset_groups(d, self(), &groups, err));
  room = calloc((size_t)(2 * s->examples + 4 * s->attributes), sizeof *room);
  TH_TRY(store->ops->targets(store, (struct th_rows){0, s->examples}, room,
                             room + s->examples, err));
  TH_TRY(th_dataset_row_numbers(d, (struct th_rows){0, s->examples},
                                (int64_t *)(void *)room, err));
  TH_TRY(store->ops->statistics(store, (struct th_range){0, s->attributes},
                                (struct th_statistics *)(void *)room, err));
  TH_TRY(look_at_values(d, err));
  th_dataset_drop(d);
  th_dataset_map(d, TH_MAPPED_ALWAYS);
  rc = look_at_values(d, err);
  th_dataset_drop(d);
  th_dataset_map(d, TH_MAPPED_NEVER);
done:
  free(room);
  free(names);
  th_groups_free(&groups);
  return forge_told(rc, err);
}

th_status forge_check(const char *path)
{
  struct th_dataset *d = NULL;
  struct th_error err;
  th_status rc = forge_open(&d, path, 1 << 20, &err);
  if (rc == TH_OK)
    rc = forge_told(th_dataset_check(d, self(), &err), &err);
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
  config.row_cache_memory = 1 << 16;
  if (row->needs_start) {
    config.sparsity = 0;
    config.start.support = start;
    config.start.size = 3;
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
  struct th_profile profile = {.comm = self()};
  struct th_plan plan;
  struct th_error err;
  double *prediction =
      calloc((size_t)store->shape.examples, sizeof *prediction);
  th_error_clear(&err);
  th_status rc = problem_train(&config, store, self(), NULL, &model, &err);
  if (rc == TH_OK)
    rc = th_predict(&model, 1, store, self(),
                    (struct th_rows){0, store->shape.examples}, prediction,
                    &err);
  config.lambda = model.certificate.lambda;
  config.lambda_ratio = 0;
  if (rc == TH_OK && config.lambda > 0)
    rc = th_train_plan(&config,
                       (struct th_plan_size){.shape = &store->shape,
                                             .ranks = 1,
                                             .owned = store->shape.attributes},
                       &plan, &err);
  struct th_verify_setting setting = {
      .plan = &plan, .store = store, .comm = self(), .profile = &profile};
  if (rc == TH_OK && config.lambda > 0)
    rc = th_verify(&setting, &model, 0.95, &verdict, &err);
  forge_told(rc, &err);
  th_claims_certificate_free(&verdict.now);
  th_model_free(&model);
  free(prediction);
}

/* What is refused in use is refused by a check; all solvers take turns. */
void forge_try_out(const char *master, uint64_t random)
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
  th_status checked = forge_check(master);
  th_status rc = forge_open(&d, master, random & 4 ? 1 << 20 : 1 << 12, &err);
  if (rc == TH_OK)
    rc = forge_look_at_all(d, &err);
  CHECK(rc == TH_OK || checked != TH_OK);
  if (rc != TH_OK && checked == TH_OK)
    fprintf(stderr, "%s: passes the check, but: %s\n", label, err.text);
  th_dataset_close(d);
  rc = forge_open(&d, master, random & 4 ? 1 << 20 : 1 << 12, &err);
  if (rc == TH_OK && th_store_place(th_dataset_store(d), self(), &err) == TH_OK)
    train_on(d, &table[turn++ % solvers], random);
  th_dataset_close(d);
}
