/* in_memory.c - data in memory: whole or with attributes of each rank's own, of
 * any layout, they make one model, with names and IDs; and what the library
 * says of that
 * SPDX-License-Identifier: MIT */
#include "api/thresher.h"
#include "base/range.h"
#include "check.h"
#include "io_data.h"
#include "mpi/mpi_comm.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { EXAMPLES = 211, ATTRIBUTES = 23 };

struct world {
  struct th_comm comm;
  struct thresher_team *team;
  struct thresher_config *config;
  struct thresher_error error;
  char folder[64];
  float value[EXAMPLES * ATTRIBUTES]; /* row after row */
  double target[EXAMPLES];
  char text[ATTRIBUTES][8];
  const char *name[ATTRIBUTES];
  char id_text[EXAMPLES][8];
  const char *id[EXAMPLES];
};

static void fill(struct world *w)
{
  for (int i = 0; i < EXAMPLES; i++)
    for (int j = 0; j < ATTRIBUTES; j++)
      w->value[i * ATTRIBUTES + j] =
          (float)((i * 37 + j * j * 11 + i * j * 5) % 101) / 16;
  w->value[7 * ATTRIBUTES + 4] = NAN;
  for (int i = 0; i < EXAMPLES; i++) {
    const float *row = w->value + i * ATTRIBUTES;
    w->target[i] = row[3] - 2 * row[11] + (i % 7) / 8.0;
    snprintf(w->id_text[i], sizeof w->id_text[i], "p%d", i);
    w->id[i] = w->id_text[i];
  }
  for (int j = 0; j < ATTRIBUTES; j++) {
    snprintf(w->text[j], sizeof w->text[j], "g%d", j);
    w->name[j] = w->text[j];
  }
}

static struct thresher_beside beside_of(const struct world *w)
{
  return (struct thresher_beside){
      .targets = w->target, .names = w->name, .ids = w->id, .test = 0.1};
}

/* Train on data in memory; the model's bytes on rank 0, owned by the caller. */
static char *bytes_of(struct world *w, const struct thresher_dense *matrix,
                      const struct thresher_beside *beside, size_t *size)
{
  struct thresher_data *data = NULL;
  struct thresher_model *model = NULL;
  char path[128];
  char *bytes = calloc(1, 1 << 20);
  *size = 0;
  snprintf(path, sizeof path, "%s/model.h5", w->folder);
  CHECK(thresher_data_from_dense(&data, w->team, matrix, beside, 0,
                                 &w->error) == THRESHER_OK);
  CHECK(thresher_data_attributes(data) == ATTRIBUTES);
  CHECK(thresher_data_training(data) < thresher_data_examples(data));
  CHECK(thresher_train(&model, w->config, data, NULL, &w->error) ==
        THRESHER_OK);
  for (int64_t k = 0; k < thresher_model_support_size(model); k++) {
    int64_t j = thresher_model_support(model)[k];
    const char *name = thresher_model_name(model, k);
    CHECK(name != NULL && strcmp(name, w->name[j]) == 0);
    CHECK(thresher_model_column(model, k) == j);
  }
  CHECK(thresher_model_support_size(model) >= 2);
  CHECK(thresher_model_write(model, w->team, path, 1, NULL) == THRESHER_OK);
  FILE *file = w->comm.rank == 0 ? fopen(path, "rb") : NULL;
  if (file != NULL) {
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
  }
  if (w->error.text[0] != '\0')
    fprintf(stderr, "rank %d: %s\n", w->comm.rank, w->error.text);
  thresher_model_free(model);
  thresher_data_close(data);
  return bytes;
}

static void alike(struct world *w, const struct thresher_dense *matrix,
                  const struct thresher_beside *beside, const char *bytes,
                  size_t size)
{
  size_t other = 0;
  char *again = bytes_of(w, matrix, beside, &other);
  CHECK(other == size && memcmp(again, bytes, size) == 0);
  free(again);
}

/* The same values in other places, and dealt out by attributes. */
static void layouts(struct world *w)
{
  static float turned[2 * EXAMPLES * ATTRIBUTES];
  const struct thresher_dense rows = {w->value,   THRESHER_F32, EXAMPLES,
                                      ATTRIBUTES, ATTRIBUTES,   1};
  struct thresher_beside beside = beside_of(w);
  struct th_range mine = th_range_part(ATTRIBUTES, w->comm.rank, w->comm.size);
  size_t size = 0;
  char *bytes = bytes_of(w, &rows, &beside, &size);
  CHECK(w->comm.rank != 0 || size > 0);
  for (int i = 0; i < EXAMPLES; i++)
    for (int j = 0; j < ATTRIBUTES; j++)
      turned[2 * (j * EXAMPLES + i)] = w->value[i * ATTRIBUTES + j];
  const struct thresher_dense columns = {
      turned, THRESHER_F32, EXAMPLES, ATTRIBUTES, 2, 2 * EXAMPLES};
  alike(w, &columns, &beside, bytes, size);

  struct thresher_dense part = rows;
  part.values = w->value + mine.first;
  part.attributes = th_range_count(mine);
  beside.names = w->name + mine.first;
  beside.own = 1;
  alike(w, &part, &beside, bytes, size);
  part = columns;
  part.values = turned + 2 * EXAMPLES * mine.first;
  part.attributes = th_range_count(mine);
  alike(w, &part, &beside, bytes, size);
  free(bytes);
}

/* Ranks with other sizes are told; so are sparse data by attributes. */
static void refusals(struct world *w)
{
  const int32_t start[3] = {0, 1, 1};
  const int32_t index = 0;
  const struct thresher_sparse sparse = {
      w->value, THRESHER_F32, &index, start, 32, 32, 0, 1, 2, 3};
  const struct thresher_beside own = {.own = 1};
  struct thresher_dense rows = {w->value,   THRESHER_F32, EXAMPLES,
                                ATTRIBUTES, ATTRIBUTES,   1};
  struct thresher_data *data = NULL;
  CHECK(thresher_data_from_sparse(&data, w->team, &sparse, &own, 0, NULL) ==
        THRESHER_EARG);
  rows.examples -= w->comm.rank == 1;
  CHECK(w->comm.size == 1 ||
        thresher_data_from_dense(&data, w->team, &rows, NULL, 0, &w->error) ==
            THRESHER_EUSAGE);
  CHECK(data == NULL);
  memset(&w->error, 0, sizeof w->error);
}

int main(int argc, char **argv)
{
  static struct world w;
  th_mpi_comm_start(&w.comm, &argc, &argv);
  check_start(&w.comm);
  test_folder(&w.comm, w.folder);
  fill(&w);
  CHECK(thresher_team_mpi(&w.team, MPI_Comm_c2f(MPI_COMM_WORLD), NULL) ==
        THRESHER_OK);
  CHECK(thresher_config_create(&w.config, NULL) == THRESHER_OK);
  CASE(layouts(&w));
  CASE(refusals(&w));
  thresher_config_free(w.config);
  thresher_team_free(w.team);
  test_folder_remove(&w.comm, w.folder);
  int failed = check_finish(&w.comm);
  th_mpi_comm_stop(&w.comm);
  return failed;
}
