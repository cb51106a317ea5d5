/* io_data.c - small data sets for the tests: every value follows from its place
 * SPDX-License-Identifier: MIT */
#include "io_data.h"

#include "base/memory.h"
#include "io/dataset/writer/writer.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static uint64_t mix(uint64_t x)
{
  x ^= x >> 30;
  x *= UINT64_C(0xbf58476d1ce4e5b9);
  x ^= x >> 27;
  x *= UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

double recipe_value(const struct recipe *recipe, int64_t a, int64_t i)
{
  uint64_t h = mix(mix((uint64_t)a + 77 + recipe->salt * 1000003) ^
                   (uint64_t)(i * 2654435761));
  if (recipe->shape.layout == TH_SPARSE && (a == 3 || h % 5 != 0))
    return 0.0;
  double small = (double)(h % 100) - 20.0;
  switch (recipe->shape.type) {
  case TH_F32:
    return (double)(float)(small / 7.0);
  case TH_F64:
    return small / 7.0;
  case TH_U8:
    return (double)(h % 256);
  case TH_I8:
    return (double)(h % 256) - 128.0;
  case TH_U2:
    return (double)(h % 4);
  case TH_TYPE_COUNT:
    break;
  }
  return 0.0;
}

double recipe_target(const struct recipe *recipe, int64_t i)
{
  return (double)(i + 1) / 3.0 - (double)recipe->salt;
}

double recipe_weight(const struct recipe *recipe, int64_t i)
{
  (void)recipe;
  return 1.0 + (double)(i % 4);
}

int64_t recipe_row(const struct recipe *recipe, int64_t i)
{
  return recipe->shape.examples - 1 - i;
}

static th_status write_dense(const struct recipe *recipe, struct th_writer *w,
                             int64_t shard, struct th_error *err)
{
  enum th_type type = recipe->shape.type;
  struct th_range all = th_writer_mine(w, shard);
  int64_t chunk = th_writer_chunk(w);
  char *values = NULL;
  /* not that of the file */
  int64_t stride = th_type_whole(type, recipe->shape.row_group + 3);
  th_status rc =
      th_alloc((void **)&values, chunk * stride, th_type_size(type), "x", err);
  for (int64_t g = 0; rc == TH_OK && g < th_writer_groups(w); g++) {
    struct th_rows rows = th_writer_group(w, g);
    for (int64_t a = all.first; rc == TH_OK && a < all.last; a += chunk) {
      struct th_range part = {a, a + chunk < all.last ? a + chunk : all.last};
      for (int64_t k = part.first; k < part.last; k++)
        for (int64_t r = 0; r < rows.count; r++)
          th_type_store(type, values, (k - a) * stride + r,
                        recipe_value(recipe, k, rows.first + r));
      rc = th_writer_dense(w, shard, g, part, values, stride, err);
    }
  }
  free(values);
  return rc;
}

struct columns {
  uint32_t *attribute;
  uint32_t *start;
  uint16_t *row;
  char *values;
};

static void fill_tile(const struct recipe *recipe, struct th_range range,
                      struct th_rows rows, struct columns *c,
                      struct th_slab *tile)
{
  int64_t entries = 0;
  tile->runs = 0;
  for (int64_t a = range.first; a < range.last; a++) {
    int64_t before = entries;
    for (int64_t r = 0; r < rows.count; r++) {
      double value = recipe_value(recipe, a, rows.first + r);
      if (value == 0.0)
        continue;
      c->row[entries] = (uint16_t)r;
      th_type_store(recipe->shape.type, c->values, entries++, value);
    }
    if (entries == before)
      continue;
    c->attribute[tile->runs] = (uint32_t)(a - range.first);
    c->start[tile->runs++] = (uint32_t)before + 11; /* any start will do */
    c->start[tile->runs] = (uint32_t)entries + 11;
  }
}

static th_status write_sparse(const struct recipe *recipe, struct th_writer *w,
                              int64_t shard, struct th_error *err)
{
  struct th_range range = th_writer_mine(w, shard);
  int64_t count = range.last - range.first;
  int64_t most = count * recipe->shape.row_group;
  struct columns c = {0};
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&c.attribute, count, "x", err));
  TH_TRY(TH_NEW(&c.start, count + 1, "x", err));
  TH_TRY(TH_NEW(&c.row, most, "x", err));
  TH_TRY(th_alloc((void **)&c.values, most, 8, "x", err));
  for (int64_t g = 0; g < th_writer_groups(w); g++) {
    struct th_slab tile = {.layout = TH_SPARSE,
                           .type = recipe->shape.type,
                           .attributes = range,
                           .base = range.first,
                           .attribute = c.attribute,
                           .start = c.start,
                           .row_in_group = c.row,
                           .values = c.values};
    fill_tile(recipe, range, th_writer_group(w, g), &c, &tile);
    TH_TRY(th_writer_sparse(w, shard, g, &tile, err));
  }
done:
  free(c.attribute);
  free(c.start);
  free(c.row);
  free(c.values);
  return rc;
}

th_status recipe_fill(const struct recipe *recipe, struct th_writer *w,
                      struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; rc == TH_OK && k < th_writer_shards(w); k++)
    if (th_writer_owns(w, k))
      rc = recipe->shape.layout == TH_DENSE ? write_dense(recipe, w, k, err)
                                            : write_sparse(recipe, w, k, err);
  return rc;
}

enum { GROUP = 10 };

struct arrays {
  struct th_group_piece *piece;
  double *target;
  double *weight;
  int64_t *row;
  char *name_room;
  const char **names;
  uint64_t *index;
};

static th_status fill_arrays(const struct recipe *recipe, struct arrays *x,
                             struct th_error *err)
{
  enum { NAME = 32 };
  int64_t n = recipe->shape.examples;
  int64_t d = recipe->shape.attributes;
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&x->target, n, "x", err));
  TH_TRY(TH_NEW(&x->weight, n, "x", err));
  TH_TRY(TH_NEW(&x->row, n, "x", err));
  TH_TRY(TH_NEW(&x->name_room, d * NAME, "x", err));
  TH_TRY(TH_NEW(&x->names, d, "x", err));
  TH_TRY(TH_NEW(&x->index, d, "x", err));
  for (int64_t i = 0; i < n; i++) {
    x->target[i] = recipe_target(recipe, i);
    x->weight[i] = recipe_weight(recipe, i);
    x->row[i] = recipe_row(recipe, i);
  }
  if (recipe->bad_target > 0)
    x->target[recipe->bad_target] = NAN;
  TH_TRY(TH_NEW(&x->piece, d / GROUP + 1, "x", err));
  for (int64_t k = 0; k * GROUP < d; k++) {
    int64_t first = k * GROUP;
    int64_t last = first + GROUP < d ? first + GROUP : d;
    x->piece[k] = (struct th_group_piece){
        {first, last}, first, last - first, k % 2 ? 0.5 : 0};
  }
  for (int64_t a = 0; a < d; a++) {
    x->names[a] = x->name_room + a * NAME;
    x->index[a] = (UINT64_C(1) << 63) + (uint64_t)(recipe->indexed * a);
    int64_t number = a == recipe->twin ? 0 : a;
    snprintf(x->name_room + a * NAME, NAME, "a%lld",
             (long long)((number + recipe->turn) % d));
  }
done:
  return rc;
}

static void free_arrays(struct arrays *x)
{
  free(x->piece);
  free(x->target);
  free(x->weight);
  free(x->row);
  free(x->name_room);
  free(x->names);
  free(x->index);
}

th_status recipe_write(const struct recipe *recipe, struct th_comm *comm,
                       const char *path, bool force, struct th_error *err)
{
  struct th_dataset_plan plan = {.shape = recipe->shape,
                                 .shards = recipe->shards,
                                 .writers = recipe->writers};
  plan.expected_entries =
      recipe->estimate > 0
          ? recipe->estimate
          : recipe->shape.examples * recipe->shape.attributes / 5;
  struct arrays x = {0};
  struct th_writer *writer = NULL;
  int64_t support[2] = {1, 4};
  double coef[2] = {0.5, -2.0};
  int64_t groups = (recipe->shape.attributes + GROUP - 1) / GROUP;
  struct th_ground_truth truth = {.family = "murata",
                                  .seed = 9,
                                  .noise = 0.25,
                                  .support_size = 2,
                                  .support = support,
                                  .coef = coef};
  th_status rc = TH_OK;
  TH_TRY(th_writer_create(&writer, comm, path, &plan, force, err));
  rc = recipe_fill(recipe, writer, err);
  rc = th_writer_deliver(writer, rc, err);
  if (rc == TH_OK)
    rc = fill_arrays(recipe, &x, err);
  TH_TRY(th_agree(comm, rc, err));
  struct th_origin origin = {.indexed = TH_FACT_YES};
  struct th_master master = {.target = x.target,
                             .weight = recipe->shape.weighted ? x.weight : NULL,
                             .row = x.row,
                             .names = recipe->named ? x.names : NULL,
                             .index = recipe->indexed != 0 ? x.index : NULL,
                             .origin = recipe->indexed != 0 ? &origin : NULL,
                             .piece = x.piece,
                             .pieces = recipe->grouped ? groups : 0,
                             .truth = &truth,
                             .provenance = "a test"};
  rc = th_writer_commit(writer, &master, TH_OK, err);
  writer = NULL;
done:
  th_writer_abort(writer);
  free_arrays(&x);
  return rc;
}

void test_folder(struct th_comm *comm, char folder[64])
{
  if (comm->rank == 0) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, 64, "%s/th_io_XXXXXX",
             base != NULL && strlen(base) < 40 ? base : "/var/tmp");
    if (mkdtemp(folder) == NULL)
      folder[0] = '\0';
  }
  comm->ops->bcast(comm, folder, 64, 0);
}

static void remove_all(const char *path, int depth)
{
  DIR *folder = depth > 0 ? opendir(path) : NULL;
  struct dirent *e = folder != NULL ? readdir(folder) : NULL;
  for (; e != NULL; e = readdir(folder)) {
    char inner[1024];
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
      continue;
    snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
    if (unlink(inner) != 0)
      remove_all(inner, depth - 1);
  }
  if (folder != NULL)
    closedir(folder);
  rmdir(path);
}

void test_folder_remove(struct th_comm *comm, const char *folder)
{
  comm->ops->barrier(comm);
  if (comm->rank == 0 && strncmp(folder, "/", 1) == 0)
    remove_all(folder, 3);
}

void test_grow_old(void)
{
  nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
}

int64_t test_count_files(const char *folder)
{
  int64_t count = 0;
  DIR *list = opendir(folder);
  for (struct dirent *e = list == NULL ? NULL : readdir(list); e != NULL;
       e = readdir(list))
    count += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
  if (list != NULL)
    closedir(list);
  return count;
}

double slab_value(const struct th_slab *slab, int64_t a, int64_t r)
{
  if (slab->layout == TH_DENSE)
    return th_slab_load(slab, a - slab->attributes.first, r);
  for (int64_t k = 0; k < slab->runs; k++) {
    if (slab->base + (int64_t)slab->attribute[k] != a)
      continue;
    for (int64_t e = slab->start[k]; e < slab->start[k + 1]; e++)
      if ((int64_t)slab->row_in_group[e - slab->start[0]] == slab->row + r)
        return th_type_load(slab->type, slab->values, e - slab->start[0]);
  }
  return 0.0;
}
