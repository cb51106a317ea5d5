/* forged_model.c - forged models with right checksums are refused in one
 * line, or come back as what they say
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "forge.h"
#include "io/model/model_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUPPORT = 5, POINTS = 3, MOST_BYTES = 1 << 17 };

static char path[64];
static struct th_comm comm;
static char label[256];

/* As lasso leaves it. */
static void make(struct th_model *model)
{
  struct th_error err = {0};
  *model = (struct th_model){.solver = th_model_copy_string("lasso"),
                             .loss = th_model_copy_string("squared"),
                             .attributes = 100,
                             .intercept = -0.1,
                             .passes = 2,
                             .statistics = th_model_copy_string("import"),
                             .fingerprint = 77,
                             .ledger = {1, 2, 3, 4, 5, 1, 0}};
  model->certificate = (struct th_certificate){
      .lambda = 0.1, .objective = 1, .gap = 1e-9, .path_size = POINTS};
  CHECK(th_model_reserve(model, SUPPORT, &err) == TH_OK);
  model->deviation = calloc(SUPPORT, sizeof *model->deviation);
  model->name = calloc(SUPPORT, sizeof *model->name);
  for (int64_t k = 0; k < SUPPORT; k++) {
    model->support[k] = 7 * k + 1;
    model->coef[k] = 1.0 / (double)(k + 3);
    model->deviation[k] = 0.5;
    model->name[k] = th_model_copy_string(k % 2 ? "one" : "another");
  }
  model->names = (struct th_name_print){12, 34};
  model->certificate.path = calloc(POINTS, sizeof *model->certificate.path);
  for (int64_t k = 0; k < POINTS; k++)
    model->certificate.path[k] =
        (struct th_path_point){1.0 / (double)(k + 1), 1, 1e-9, k};
  model->selected = (struct th_selected){.size = 2, .guarantee = 0.8};
  model->selected.attribute = calloc(2, sizeof *model->selected.attribute);
  model->selected.attribute[0] = 8;
  CHECK(th_model_set(model, "lambda", "0.1", &err) == TH_OK);
  CHECK(th_model_set(model, "penalty", "l1", &err) == TH_OK);
}

/* The status of reading the file: one line where it fails. */
static th_status read_back(void)
{
  struct th_model back;
  struct th_error err;
  th_error_clear(&err);
  th_status rc = th_model_file_read(&back, &comm, path, &err);
  bool good = rc == TH_OK || (rc == err.code && err.text[0] != '\0' &&
                              strpbrk(err.text, "\n\r\t\x1b") == NULL);
  if (!good || getenv("FORGE_VERBOSE") != NULL)
    fprintf(stderr, "%s: status %d \"%s\"\n", label, (int)rc, err.text);
  CHECK(good);
  if (rc == TH_OK)
    th_model_free(&back);
  return rc;
}

/* What a model may be made to say by whoever writes it. */
enum lie {
  NOTHING,
  SUPPORT_FALLS,
  SUPPORT_TWICE,
  SUPPORT_NEGATIVE,
  SUPPORT_BEYOND,
  NO_ATTRIBUTES,
  FEWER_ATTRIBUTES,
  MORE_SUPPORT_THAN_ATTRIBUTES,
  COEF_NAN,
  COEF_INFINITE,
  INTERCEPT_NAN,
  PASSES_NEGATIVE,
  LEDGER_NEGATIVE,
  DEVIATION_NAN,
  DEVIATION_NEGATIVE,
  PATH_SUPPORT_NEGATIVE,
  PATH_SUPPORT_HUGE,
  SELECTED_OUTSIDE,
  GUARANTEE_NAN,
  LIES
};

static void tell(struct th_model *m, enum lie lie)
{
  switch (lie) {
  case SUPPORT_FALLS:
    m->support[2] = m->support[0];
    break;
  case SUPPORT_TWICE:
    m->support[2] = m->support[1];
    break;
  case SUPPORT_NEGATIVE:
    m->support[0] = -1;
    break;
  case SUPPORT_BEYOND:
    m->support[SUPPORT - 1] = m->attributes;
    break;
  case NO_ATTRIBUTES:
    m->attributes = 0;
    break;
  case FEWER_ATTRIBUTES:
    m->attributes = 20;
    break;
  case MORE_SUPPORT_THAN_ATTRIBUTES:
    m->attributes = SUPPORT - 1;
    break;
  case COEF_NAN:
    m->coef[1] = NAN;
    break;
  case COEF_INFINITE:
    m->coef[1] = -INFINITY;
    break;
  case INTERCEPT_NAN:
    m->intercept = NAN;
    break;
  case PASSES_NEGATIVE:
    m->passes = INT64_MIN;
    break;
  case LEDGER_NEGATIVE:
    m->ledger.attributes = -1;
    break;
  case DEVIATION_NAN:
    m->deviation[2] = NAN;
    break;
  case DEVIATION_NEGATIVE:
    m->deviation[2] = -1;
    break;
  case PATH_SUPPORT_NEGATIVE:
    m->certificate.path[1].support_size = -1;
    break;
  case PATH_SUPPORT_HUGE:
    m->certificate.path[1].support_size = INT64_MAX;
    break;
  case SELECTED_OUTSIDE:
    m->selected.attribute[1] = 100;
    break;
  case GUARANTEE_NAN:
    m->selected.guarantee = NAN;
    break;
  case NOTHING:
  case LIES:
    break;
  }
}

static void test_lies(void)
{
  for (int lie = 0; lie < LIES; lie++) {
    struct th_model model;
    struct th_error err;
    th_error_clear(&err);
    make(&model);
    tell(&model, (enum lie)lie);
    snprintf(label, sizeof label, "lie %d", lie);
    CHECK(th_model_file_write(&model, &comm, path, true, &err) == TH_OK);
    bool refused = read_back() != TH_OK;
    CHECK(refused == (lie != NOTHING));
    if (refused != (lie != NOTHING))
      fprintf(stderr, "%s is taken\n", label);
    th_model_free(&model);
  }
}

/* Arrays and numbers of the file, with the checksums of arrays made right. */
static void test_arrays(void)
{
  static struct forge_place place[FORGE_PLACES];
  static char bytes[MOST_BYTES];
  struct th_model model;
  struct th_error err;
  uint64_t random = 99;
  int refused = 0;
  int tried = 0;
  th_error_clear(&err);
  make(&model);
  CHECK(th_model_file_write(&model, &comm, path, true, &err) == TH_OK);
  th_model_free(&model);
  FILE *file = fopen(path, "rb");
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  int places = forge_list(path, place);
  CHECK(places > 20);
  for (int p = 0; p < places; p++)
    for (int way = -2; way < FORGE_WAYS; way++) {
      random = random * UINT64_C(6364136223846793005) + 1;
      int64_t at = (int64_t)((random >> 40) % (uint64_t)place[p].items);
      snprintf(label, sizeof label, "%s %s [%" PRId64 "] %d", place[p].object,
               place[p].name, at, way);
      if (way >= 0 ? !forge_change(&place[p], at, (enum forge_way)way, random)
                   : !forge_resize(&place[p],
                                   place[p].items * (way + 3) / 2 + (way + 2)))
        continue;
      forge_seal_arrays(path);
      refused += read_back() != TH_OK;
      tried++;
      file = fopen(path, "wb");
      CHECK(fwrite(bytes, 1, size, file) == size);
      fclose(file);
    }
  CHECK(read_back() == TH_OK);
  fprintf(stderr, "%d places, %d of %d forgeries refused\n", places, refused,
          tried);
  /* names and deviations may be anything, as long as they are some */
  CHECK(refused > tried * 3 / 4);
}

int main(void)
{
  th_comm_self(&comm);
  snprintf(path, sizeof path, "/tmp/th_model_XXXXXX");
  int made = mkstemp(path);
  CHECK(made >= 0);
  close(made);
  CASE(test_lies());
  CASE(test_arrays());
  unlink(path);
  return check_finish(NULL);
}
