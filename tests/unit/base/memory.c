/* memory.c - allocation, the error record, the team of one, models
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/memory.h"
#include "model/model.h"
#include "ranks/comm.h"

#include <stdlib.h>
#include <string.h>

static void test_alloc(void)
{
  struct th_error err = {0};
  for (int64_t count = 0; count < 200; count++) {
    unsigned char *bytes = NULL;
    CHECK(TH_NEW(&bytes, count, "bytes", &err) == TH_OK);
    CHECK(bytes != NULL && (uintptr_t)bytes % 64 == 0);
    for (int64_t k = 0; bytes != NULL && k < count; k++)
      CHECK(bytes[k] == 0);
    free(bytes);
  }
}

/* Zeros, however large. */
static void test_rare(void)
{
  struct th_error err = {0};
  for (int64_t count = 0; count < 10000000; count = 7 * count + 1) {
    double *numbers = NULL;
    CHECK(TH_NEW_RARE(&numbers, count, "numbers", &err) == TH_OK);
    CHECK(numbers != NULL);
    for (int64_t k = 0; numbers != NULL && k < count; k += 501)
      CHECK(numbers[k] == 0);
    free(numbers);
  }
}

static void check_too_many(int64_t count)
{
  struct th_error err;
  double sentinel = 0;
  double *p = &sentinel;
  th_error_clear(&err);
  CHECK(TH_NEW(&p, count, "the moon", &err) == TH_ENOMEM);
  CHECK(TH_NEW_RARE(&p, count, "the moon", &err) == TH_ENOMEM);
  CHECK(p == &sentinel); /* untouched on failure */
  CHECK(strstr(err.text, "the moon") != NULL);
  CHECK(strchr(err.text, '\n') == NULL);
}

static void test_alloc_fails(void)
{
  check_too_many(-1);
  check_too_many(INT64_MAX);
  check_too_many(INT64_MAX / 8);
  check_too_many(INT64_MIN);
}

struct things {
  int64_t capacity;
  double *one;
  char *more;     /* two for each unit, and three */
  float *square;  /* a matrix */
  double *beside; /* no part of the list */
};

static const struct th_array arrays[] = {TH_ARRAY(struct things, one),
                                         TH_ARRAY_OF(struct things, more, 2, 3),
                                         TH_MATRIX(struct things, square)};

/* Every byte of a list for `units` units can be written; what was there stays
 * and the rest is zero. */
static void check_arrays(struct things *t, int64_t old, int64_t units)
{
  struct th_error err = {0};
  CHECK(th_memory_arrays_reserve(TH_ARRAYS(t, arrays), &t->capacity, units,
                                 "things", &err) == TH_OK);
  CHECK(t->capacity == units);
  for (int64_t k = 0; k < units; k++)
    CHECK(t->one[k] == (k < old ? 1.0 : 0.0));
  for (int64_t k = 0; k < 2 * units + 3; k++)
    CHECK(t->more[k] == (old > 0 && k < 2 * old + 3 ? 'm' : 0));
  for (int64_t k = 0; k < units * units; k++)
    CHECK(t->square[k] == (k < old * old ? 2.0F : 0.0F));
  for (int64_t k = 0; k < units; k++)
    t->one[k] = 1;
  memset(t->more, 'm', (size_t)(2 * units + 3));
  for (int64_t k = 0; k < units * units; k++)
    t->square[k] = 2;
}

static void test_arrays(void)
{
  struct things t = {0};
  struct th_error err = {0};
  double beside = 5;
  t.beside = &beside;
  check_arrays(&t, 0, 3);
  double *one = t.one;
  CHECK(th_memory_arrays_reserve(TH_ARRAYS(&t, arrays), &t.capacity, 2,
                                 "things", &err) == TH_OK);
  CHECK(t.one == one && t.capacity == 3); /* there is room */
  check_arrays(&t, 3, 50);
  CHECK(th_memory_arrays_reserve(TH_ARRAYS(&t, arrays), &t.capacity,
                                 INT64_MAX / 8, "things", &err) == TH_ENOMEM);
  CHECK(t.capacity == 50 && strstr(err.text, "things") != NULL);
  th_memory_arrays_free(TH_ARRAYS(&t, arrays));
  CHECK(t.one == NULL && t.more == NULL && t.square == NULL);
  CHECK(t.beside == &beside);
}

static void test_free_all(void)
{
  struct th_error err = {0};
  double *a = NULL;
  char *b = NULL;
  CHECK(TH_NEW(&a, 3, "a", &err) == TH_OK);
  TH_FREE(a, b, NULL);
  CHECK(th_memory_roomier(100, 100) == 100);
  CHECK(th_memory_roomier(100, 101) == 166);
  CHECK(th_memory_roomier(100, 1000) == 1000);
}

/* How much was asked for, in a unit that fits, and what helps. */
static void test_no_memory(void)
{
  static const struct {
    int64_t bytes;
    const char *text;
  } rows[] = {{40, "a table: 40 bytes more were asked for; raise the limit"},
              {999, "999 bytes"},
              {1000, "1.0 kB"},
              {133600, "133.6 kB"},
              {999960, "1.0 MB"},
              {INT64_C(3000000000), "3.0 GB"},
              {INT64_MAX, "9223.4 PB"}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    struct th_error err = {0};
    CHECK(th_memory_fail("a table", rows[k].bytes, &err) == TH_ENOMEM);
    CHECK(strstr(err.text, rows[k].text) != NULL);
    CHECK(strstr(err.text, "ulimit -v") != NULL);
  }
}

typedef th_status growing(void **data, int64_t *capacity, int64_t count,
                          size_t size, const char *what, struct th_error *err);

static void test_grow(growing *grow)
{
  struct th_error err = {0};
  int64_t *items = NULL;
  int64_t capacity = 0;
  for (int64_t k = 0; k < 5000; k++) {
    CHECK(grow((void **)&items, &capacity, k + 1, sizeof *items, "items",
               &err) == TH_OK);
    CHECK(capacity > k);
    items[k] = k;
  }
  for (int64_t k = 0; k < 5000; k++)
    CHECK(items[k] == k);
  int64_t *before = items;
  CHECK(grow((void **)&items, &capacity, 10, sizeof *items, "items", &err) ==
        TH_OK);
  CHECK(items == before); /* never shrinks */
  CHECK(grow((void **)&items, &capacity, INT64_MAX, sizeof *items, "items",
             &err) == TH_ENOMEM);
  CHECK(items == before && items[4999] == 4999);
  free(items);
}

static void test_error(void)
{
  struct th_error err;
  th_error_clear(&err);
  CHECK(err.code == TH_OK && err.rank == -1);
  CHECK(th_fail(&err, TH_EIO, "shard %d", 7) == TH_EIO);
  CHECK(strcmp(err.text, "shard 7") == 0);
  CHECK(th_fail(&err, TH_EDATA, "later") == TH_EIO); /* the first one wins */
  CHECK(strcmp(err.text, "shard 7") == 0);
  th_error_clear(&err);
  char text[3000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  CHECK(th_fail(&err, TH_EDATA, "%s", text) == TH_EDATA);
  CHECK(strlen(err.text) == TH_ERROR_TEXT - 1); /* cut, and ended */
}

static void test_names(void)
{
  static const struct {
    const char *text;
    const char *line; /* as on a command line */
    const char *bare;
  } rows[] = {
      {"", "", ""},
      {"{budget} 3: few", "--budget 3: few", "budget 3: few"},
      {"a {lambda-ratio}{path}", "a --lambda-ratio--path",
       "a lambda-ratiopath"},
      {"{} {A} {b {c}", "{} {A} {b --c", "{} {A} {b c"},
      {"{x", "{x", "{x"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char text[40];
    snprintf(text, sizeof text, "%s", rows[k].text);
    th_error_name_options(text, true);
    CHECK(strcmp(text, rows[k].line) == 0);
    snprintf(text, sizeof text, "%s", rows[k].text);
    th_error_name_options(text, false);
    CHECK(strcmp(text, rows[k].bare) == 0);
  }
}

static void test_exit_status(void)
{
  CHECK(th_error_status_exit(TH_OK) == 0);
  CHECK(th_error_status_exit(TH_EUSAGE) == 2);
  for (int code = TH_EARG; code < TH_EUSAGE; code++) {
    CHECK(th_error_status_exit((th_status)code) == 1);
    CHECK(th_error_status_text((th_status)code)[0] != '\0');
  }
}

/* A failure is a failure even when nobody wrote down what it was. */
static void test_agree_alone(void)
{
  struct th_comm comm;
  struct th_error err;
  th_comm_self(&comm);
  th_error_clear(&err);
  CHECK(th_agree(&comm, TH_OK, &err) == TH_OK);
  CHECK(th_agree(&comm, TH_EIO, &err) == TH_EIO);
  CHECK(err.code == TH_EIO && err.rank == 0 && err.text[0] != '\0');
  th_comm_free(&comm);
  th_comm_free(&comm); /* legal */
}

static void test_model(void)
{
  struct th_model model = {0};
  struct th_error err = {0};
  CHECK(th_model_reserve(&model, 3, &err) == TH_OK);
  CHECK(th_model_reserve(&model, 0, &err) == TH_OK);
  CHECK(model.support_size == 0 && model.support != NULL);
  for (int k = 0; k < 40; k++)
    CHECK(th_model_set(&model, "eta", "0.25", &err) == TH_OK);
  CHECK(model.settings == 40);
  CHECK(strcmp(model.deck[39].value, "0.25") == 0);
  th_model_free(&model);
  CHECK(model.settings == 0 && model.deck == NULL);
  th_model_free(&model); /* legal on a zeroed record */
}

/* A support with other numbers: it ascends, and all that belongs to a member
 * stays with it. */
static void test_renumber(void)
{
  const int64_t number[] = {70, 5, 1000, 6};
  const int64_t order[] = {1, 3, 0, 2};
  struct th_model model = {.attributes = 9};
  struct th_error err = {0};
  CHECK(th_model_reserve(&model, 4, &err) == TH_OK);
  CHECK(TH_NEW(&model.name, 4, "x", &err) == TH_OK);
  CHECK(TH_NEW(&model.deviation, 4, "x", &err) == TH_OK);
  for (int64_t k = 0; k < 4; k++) {
    char text[2] = {(char)('a' + k), '\0'};
    model.support[k] = k;
    model.coef[k] = (double)k;
    model.deviation[k] = (double)(10 * k);
    model.name[k] = th_model_copy_string(text);
  }
  CHECK(th_model_renumber(&model, number, 1001, &err) == TH_OK);
  CHECK(model.attributes == 1001);
  for (int64_t k = 0; k < 4; k++) {
    CHECK(model.support[k] == number[order[k]]);
    CHECK(model.coef[k] == (double)order[k]);
    CHECK(model.deviation[k] == (double)(10 * order[k]));
    CHECK(model.name[k][0] == 'a' + order[k]);
  }
  th_model_free(&model);
}

static void test_profile(void)
{
  struct th_comm comm;
  th_comm_self(&comm);
  struct th_profile profile = {.comm = &comm};
  for (int phase = 0; phase < TH_PHASE_COUNT; phase++) {
    CHECK(th_comm_phase_key((enum th_phase)phase) != NULL);
    comm.bytes_sent += 1000; /* before a phase: not in its account */
    th_comm_profile_begin(&profile);
    comm.ops->barrier(&comm);
    comm.bytes_sent += phase;
    comm.bytes_exchanged += 1;
    comm.seconds += 2;
    th_comm_profile_end(&profile, (enum th_phase)phase);
    const struct th_phase_cost *cost = &profile.phase[phase];
    CHECK(cost->calls == 1 && cost->seconds >= 0 && cost->waiting == 2);
    CHECK(cost->operations == 1 && cost->bytes_sent == phase);
    CHECK(cost->bytes_exchanged == 1);
  }
}

/* What is spent inside another phase is told of the inner one alone. */
static void test_nested(void)
{
  struct th_comm comm;
  th_comm_self(&comm);
  struct th_profile profile = {.comm = &comm};
  const struct th_phase_cost *outer = &profile.phase[TH_PHASE_SOLVE];
  const struct th_phase_cost *inner = &profile.phase[TH_PHASE_GRAM];
  th_comm_profile_begin(&profile);
  comm.bytes_sent += 1;
  for (int k = 0; k < 2; k++) {
    th_comm_profile_begin(&profile);
    comm.bytes_sent += 20;
    comm.seconds += 2;
    comm.operations += 5;
    th_comm_profile_end(&profile, TH_PHASE_GRAM);
    comm.bytes_sent += 300;
  }
  th_comm_profile_end(&profile, TH_PHASE_SOLVE);
  CHECK(inner->calls == 2 && inner->bytes_sent == 40 && inner->waiting == 4);
  CHECK(outer->calls == 1 && outer->bytes_sent == 601 && outer->waiting == 0);
  CHECK(inner->operations == 10 && outer->operations == 0);
  CHECK(profile.depth == 0);
}

/* An array of pointers goes with what they point at; none is fine. */
static void test_list(void)
{
  struct th_error err;
  char **list = NULL;
  TH_FREE_LIST(list, 3);
  CHECK(TH_NEW(&list, 2, "a list", &err) == TH_OK);
  CHECK(TH_NEW(&list[1], 8, "an item", &err) == TH_OK);
  TH_FREE_LIST(list, 2);
}

int main(void)
{
  CASE(test_list());
  CASE(test_alloc());
  CASE(test_rare());
  CASE(test_alloc_fails());
  CASE(test_arrays());
  CASE(test_free_all());
  CASE(test_no_memory());
  CASE(test_grow(th_grow));
  CASE(test_grow(th_memory_lengthen));
  CASE(test_error());
  CASE(test_names());
  CASE(test_exit_status());
  CASE(test_agree_alone());
  CASE(test_model());
  CASE(test_renumber());
  CASE(test_profile());
  CASE(test_nested());
  return check_finish(NULL);
}
