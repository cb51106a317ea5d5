/* model.c - model files: the same model is the same bytes, and comes back
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "check.h"
#include "io/dataset/format.h"
#include "io/model/model_file.h"
#include "io_data.h"
#include "mpi/mpi_comm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Models of even supports have names, alleles and deviations; one of a name is
 * empty, one is not ASCII. */
static void label(struct th_model *model, struct th_error *err)
{
  model->names = (struct th_name_print){17, UINT64_C(0xffeeddccbbaa9988)};
  CHECK(TH_NEW(&model->deviation, model->support_size, "x", err) == TH_OK);
  CHECK(TH_NEW(&model->name, model->support_size, "x", err) == TH_OK);
  CHECK(TH_NEW(&model->allele, model->support_size, "x", err) == TH_OK);
  for (int64_t k = 0; k < model->support_size; k++) {
    char text[32];
    snprintf(text, sizeof text, "\xc3\xbc%lld", (long long)k);
    model->deviation[k] = (double)k / 3;
    model->name[k] = th_model_copy_string(k == 3 ? "" : text);
    model->allele[k] = th_model_copy_string(k % 2 == 1 ? "" : text + 1);
  }
}

/* Models of odd supports tell their order of selection. */
static void order(struct th_model *model, struct th_error *err)
{
  struct th_selected *s = &model->selected;
  *s = (struct th_selected){
      .size = model->support_size, .guarantee = 0.8, .cost_try_select = 1e12};
  model->claims = (struct th_claims){.guarantee_if = 0.8,
                                     .remaining_if = 7,
                                     .ended_by = TH_ENDED_LIMIT,
                                     .rho_from = TH_CONSTANT_GIVEN};
  CHECK(TH_NEW(&s->attribute, s->size, "x", err) == TH_OK);
  for (int64_t k = 0; k < s->size; k++)
    s->attribute[k] = model->support[s->size - 1 - k];
}

static void make(struct th_model *model, int64_t support)
{
  struct th_error err = {0};
  *model = (struct th_model){.solver = th_model_copy_string("sift"),
                             .loss = th_model_copy_string("squared"),
                             .attributes = 1000,
                             .intercept = -0.1,
                             .passes = 2,
                             .statistics = th_model_copy_string("none"),
                             .fingerprint = UINT64_C(0xfedcba9876543210),
                             .ledger = {1, 2, 3, 4, 5, 1, 0}};
  CHECK(th_model_reserve(model, support, &err) == TH_OK);
  for (int64_t k = 0; k < support; k++) {
    model->support[k] = 7 * k + 1;
    model->coef[k] = 1.0 / (double)(k + 3);
  }
  if (support % 2 == 0)
    label(model, &err);
  else
    order(model, &err);
  CHECK(th_model_set(model, "budget", "64", &err) == TH_OK);
  CHECK(th_model_set(model, "deck line with a longer name", "", &err) == TH_OK);
}

static void check_same(const struct th_model *a, const struct th_model *b)
{
  CHECK(strcmp(a->solver, b->solver) == 0 && strcmp(a->loss, b->loss) == 0);
  CHECK(strcmp(a->statistics, b->statistics) == 0);
  CHECK(a->attributes == b->attributes && a->intercept == b->intercept);
  CHECK(a->passes == b->passes && a->fingerprint == b->fingerprint);
  CHECK(memcmp(&a->ledger, &b->ledger, sizeof a->ledger) == 0);
  CHECK(a->support_size == b->support_size && a->settings == b->settings);
  for (int64_t k = 0; k < a->support_size; k++)
    CHECK(a->support[k] == b->support[k] && a->coef[k] == b->coef[k]);
  CHECK(a->names.list == b->names.list && a->names.set == b->names.set);
  CHECK((a->deviation == NULL) == (b->deviation == NULL));
  CHECK((a->name == NULL) == (b->name == NULL));
  CHECK((a->allele == NULL) == (b->allele == NULL));
  for (int64_t k = 0; k < a->support_size && b->deviation != NULL; k++)
    CHECK(a->deviation[k] == b->deviation[k]);
  for (int64_t k = 0; k < a->support_size && b->name != NULL; k++)
    CHECK(strcmp(a->name[k], b->name[k]) == 0);
  for (int64_t k = 0; k < a->support_size && b->allele != NULL; k++)
    CHECK(strcmp(a->allele[k], b->allele[k]) == 0);
  for (int64_t k = 0; k < a->settings; k++)
    CHECK(strcmp(a->deck[k].name, b->deck[k].name) == 0 &&
          strcmp(a->deck[k].value, b->deck[k].value) == 0);
}

static void check_order(const struct th_selected *a,
                        const struct th_selected *b)
{
  CHECK(a->size == b->size && a->guarantee == b->guarantee);
  CHECK(a->cost_try_select == b->cost_try_select && a->mu == b->mu);
  for (int64_t k = 0; k < a->size && k < b->size; k++)
    CHECK(a->attribute[k] == b->attribute[k]);
}

static size_t slurp(const char *path, char bytes[], size_t most)
{
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    return 0;
  size_t size = fread(bytes, 1, most, file);
  fclose(file);
  return size;
}

static void test_round_trip(struct th_comm *comm, const char *folder,
                            int64_t support)
{
  enum { MOST = 1 << 16 };
  static char bytes[2][MOST];
  struct th_error err;
  struct th_model model;
  struct th_model back;
  char path[2][128];
  size_t size[2];
  make(&model, support);
  for (int k = 0; k < 2; k++) {
    th_error_clear(&err);
    snprintf(path[k], sizeof path[k], "%s/m%d.h5", folder, k);
    CHECK(th_model_file_write(&model, comm, path[k], true, &err) == TH_OK);
    if (k == 0 && comm->rank == 0)
      sleep(2); /* a file time would have another second */
    comm->ops->barrier(comm);
  }
  for (int k = 0; k < 2; k++)
    size[k] = slurp(path[k], bytes[k], MOST);
  CHECK(size[0] > 0 && size[0] < MOST && size[0] == size[1]);
  CHECK(memcmp(bytes[0], bytes[1], size[0]) == 0);
  CHECK(th_model_file_read(&back, comm, path[0], &err) == TH_OK);
  if (err.code != TH_OK)
    fprintf(stderr, "%s\n", err.text);
  else
    check_same(&model, &back);
  check_order(&model.selected, &back.selected);
  CHECK(memcmp(&model.claims, &back.claims, sizeof back.claims) == 0);
  th_model_free(&back);
  th_model_free(&model);
}

static void expect(th_status is, th_status code, const struct th_error *err,
                   const char *words)
{
  CHECK(is == code);
  if (strstr(err->text, words) == NULL)
    fprintf(stderr, "\"%s\" is not in \"%s\"\n", words, err->text);
  CHECK(strstr(err->text, words) != NULL);
}

static void test_kinds(struct th_comm *comm, const char *folder)
{
  struct recipe recipe = {.shape = {.examples = 20,
                                    .training = 20,
                                    .attributes = 6,
                                    .row_group = 64},
                          .shards = 1};
  struct th_error err;
  struct th_dataset *d = NULL;
  struct th_model model;
  enum th_file_kind kind;
  char data[128];
  char trained[128];
  snprintf(data, sizeof data, "%s/data.h5", folder);
  snprintf(trained, sizeof trained, "%s/m0.h5", folder);
  th_error_clear(&err);
  CHECK(recipe_write(&recipe, comm, data, true, &err) == TH_OK);
  CHECK(th_format_kind(data, &kind, &err) == TH_OK && kind == TH_FILE_DATASET);
  CHECK(th_format_kind(trained, &kind, &err) == TH_OK && kind == TH_FILE_MODEL);
  expect(th_model_file_read(&model, comm, data, &err), TH_EFORMAT, &err,
         "data.h5 is a data set, not a model; give a model file made by "
         "thresher train");
  th_error_clear(&err);
  expect(th_dataset_open(&d, comm, trained, 0, &err), TH_EFORMAT, &err,
         "m0.h5 is a model, not a data set; give a data set");
  th_error_clear(&err);
  expect(th_model_file_read(&model, comm, "/nowhere/m.h5", &err), TH_EIO, &err,
         "cannot open /nowhere/m.h5: No such file or directory");
  th_error_clear(&err);
  expect(th_dataset_open(&d, comm, "/nowhere/d.h5", 0, &err), TH_EIO, &err,
         "cannot open /nowhere/d.h5: No such file or directory");
  th_error_clear(&err);
  make(&model, 3);
  expect(th_model_file_write(&model, comm, trained, false, &err), TH_EIO, &err,
         "exists; give {force}");
  th_error_clear(&err);
  expect(th_model_file_write(&model, comm, "/nowhere/m.h5", false, &err),
         TH_EIO, &err, "cannot write /nowhere/m.h5: No such file or directory");
  th_model_free(&model);
}

/* Flips anywhere: found, or of no consequence. */
static void test_damage(struct th_comm *comm, const char *folder)
{
  enum { MOST = 1 << 16 };
  static char bytes[MOST];
  struct th_model model;
  char path[128];
  long found = 0;
  snprintf(path, sizeof path, "%s/m0.h5", folder);
  long size = (long)slurp(path, bytes, MOST);
  make(&model, 30);
  for (long at = 0; at < size; at += 17) {
    struct th_error err;
    struct th_model back;
    th_error_clear(&err);
    comm->ops->barrier(comm);
    if (comm->rank == 0) {
      FILE *file = fopen(path, "r+b");
      fseek(file, at, SEEK_SET);
      fputc(bytes[at] ^ 8, file);
      fclose(file);
    }
    comm->ops->barrier(comm);
    if (th_model_file_read(&back, comm, path, &err) == TH_OK)
      check_same(&model, &back);
    else
      found++;
    th_model_free(&back);
    comm->ops->barrier(comm);
    if (comm->rank == 0) {
      FILE *file = fopen(path, "wb");
      fwrite(bytes, 1, (size_t)size, file);
      fclose(file);
    }
  }
  CHECK(found > size / 17 / 3);
  th_model_free(&model);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  char folder[64] = "";
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  test_folder(&comm, folder);
  CASE(test_round_trip(&comm, folder, 0));
  CASE(test_round_trip(&comm, folder, 31));
  CASE(test_round_trip(&comm, folder, 30));
  CASE(test_kinds(&comm, folder));
  CASE(test_damage(&comm, folder));
  test_folder_remove(&comm, folder);
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
