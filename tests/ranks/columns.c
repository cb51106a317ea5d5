/* columns.c - gathered attributes: whole, on every rank, whoever owns them
 * SPDX-License-Identifier: MIT */
#include "check.h"
#include "memory_store.h"

#include "base/memory.h"
#include "mpi/mpi_comm.h"
#include "solvers/access/replicated_columns.h"

#include <stdlib.h>
#include <string.h>

enum { EXAMPLES = 700, TRAINING = 600, ATTRIBUTES = 900, GROUP = 64 };

struct setting {
  struct th_context context;
  struct memory_store *memory;
  struct th_replicated_columns columns;
  struct th_error err;
};

/* Below 3, which u2 holds, or below 61. */
static float value_of(enum th_type type, int64_t j, int64_t i)
{
  int64_t mixed = (j * 7919 + i * 104729) % 1009;
  int64_t values = type == TH_U2 ? 3 : 61;
  return mixed % 4 == 0 ? (float)(mixed % values) : 0;
}

/* Every ninth attribute has no entry. */
static struct memory_store *fill(enum th_layout layout, enum th_type type)
{
  struct memory_store *m = memory_store_new(EXAMPLES, TRAINING, ATTRIBUTES);
  for (int64_t j = 0; j < ATTRIBUTES; j++)
    for (int64_t i = 0; i < EXAMPLES && j % 9 != 0; i++)
      m->values[j * EXAMPLES + i] = value_of(type, j, i);
  m->store.shape.layout = layout;
  m->store.shape.type = type;
  m->cut = 300;
  memory_store_finish(m);
  return m;
}

/* Attribute j is worked with as (x - centre) * scale; sparse: scale x. */
static double centre_of(const struct setting *s, int64_t j)
{
  return s->memory->store.shape.layout == TH_SPARSE ? 0 : (double)(j % 5);
}

static double scale_of(int64_t j)
{
  return 1 + (double)(j % 3);
}

static struct setting *begin(struct th_comm *comm, enum th_layout layout,
                             enum th_type type)
{
  struct setting *s = calloc(1, sizeof *s);
  s->memory = fill(layout, type);
  struct th_store *store = &s->memory->store;
  s->context.comm = comm;
  s->context.owned = th_store_owned(store, comm->rank, comm->size);
  int64_t count = s->context.owned.last - s->context.owned.first;
  CHECK(th_source_create(&s->context.source, store, ATTRIBUTES, &s->err) ==
        TH_OK);
  CHECK(TH_NEW(&s->context.centre, count, "centres", &s->err) == TH_OK);
  CHECK(TH_NEW(&s->context.scale, count, "scales", &s->err) == TH_OK);
  for (int64_t k = 0; k < count; k++) {
    s->context.centre[k] = centre_of(s, s->context.owned.first + k);
    s->context.scale[k] = scale_of(s->context.owned.first + k);
  }
  th_replicated_columns_init(
      &s->columns, th_source_shape(s->context.source)->training, NULL);
  return s;
}

static void end(struct setting *s)
{
  th_replicated_columns_free(&s->columns);
  th_source_free(s->context.source);
  free(s->context.centre);
  free(s->context.scale);
  memory_store_free(s->memory);
  free(s);
}

/* Fetch attributes first, first + step, ... */
static void fetch(struct setting *s, int64_t first, int64_t step)
{
  int64_t list[ATTRIBUTES];
  int64_t count = 0;
  for (int64_t j = first; j < ATTRIBUTES; j += step)
    list[count++] = j;
  CHECK(th_replicated_columns_fetch(&s->columns, &s->context, list, count,
                                    &s->err) == TH_OK);
}

/* The column of a slot, entry by entry. */
static void check_column(const struct setting *s, int64_t slot)
{
  int64_t j = s->columns.attribute[slot];
  enum th_type type = s->memory->store.shape.type;
  double centre = centre_of(s, j);
  double out[TRAINING] = {0};
  int64_t wrong = 0;
  CHECK((uintptr_t)s->columns.vector[slot].values % TH_COLUMNS_ALIGNMENT == 0);
  CHECK(th_replicated_columns_slot(&s->columns, j) == slot);
  th_column_add(&s->columns.vector[slot], 1, out);
  for (int64_t i = 0; i < TRAINING; i++) {
    double x = j % 9 == 0 ? 0 : (double)value_of(type, j, i);
    wrong += out[i] != (x - centre) * scale_of(j);
  }
  CHECK(wrong == 0);
}

static void check_all(const struct setting *s, int64_t count)
{
  CHECK(s->columns.count == count);
  for (int64_t k = 0; k < s->columns.count; k++)
    check_column(s, k);
}

/* Columns of two fetches come and go: no block stays for few of its columns. */
static void test_keep(struct setting *s, int64_t every)
{
  bool keep[ATTRIBUTES];
  int64_t kept = 0;
  for (int64_t k = 0; k < s->columns.count; k++) {
    keep[k] = k % every == 0;
    kept += keep[k];
  }
  CHECK(th_replicated_columns_keep(&s->columns, keep, &s->err) == TH_OK);
  check_all(s, kept);
  for (int64_t k = 0; k < s->columns.count; k++)
    CHECK(2 * s->columns.block[k]->held >= s->columns.block[k]->count);
}

/* Whole numbers: sums are exact in any order. */
static void test_sums(const struct setting *s, struct th_comm *comm)
{
  int64_t slot[ATTRIBUTES] = {0};
  double coef[ATTRIBUTES];
  double u[TRAINING];
  double out[ATTRIBUTES + TRAINING];
  double expected[TRAINING];
  struct th_error err = {0};
  int64_t count = s->columns.count;
  for (int64_t i = 0; i < TRAINING; i++) {
    u[i] = 1;
    expected[i] = 0;
  }
  for (int64_t k = 0; k < count; k++) {
    slot[k] = count - 1 - k;
    coef[k] = (double)(k % 4);
    th_column_add(&s->columns.vector[slot[k]], coef[k], expected);
  }
  CHECK(th_replicated_columns_dots(&s->columns, comm, slot, count, u, out,
                                   &err) == TH_OK);
  for (int64_t k = 0; k < count; k++)
    CHECK(out[k] == th_column_dot(&s->columns.vector[slot[k]], u));
  CHECK(th_replicated_columns_predict(&s->columns, comm, slot, coef, count, out,
                                      &err) == TH_OK);
  CHECK(memcmp(out, expected, sizeof expected) == 0);
}

/* Some of the rows, in pieces: those of whole columns, side by side. */
static void test_pieces(struct th_comm *comm, enum th_layout layout,
                        enum th_type type)
{
  struct setting *s = begin(comm, layout, type);
  struct th_pieces pieces = {0};
  double all[TRAINING];
  double some[TRAINING];
  for (int64_t i = 3; i + 3 < TRAINING; i += 7 + i % 5)
    CHECK(i % GROUP > GROUP - 3 ||
          th_deal_pieces_add(&pieces, (struct th_rows){i, 1 + i % 3},
                             &s->err) == TH_OK);
  struct th_replicated_columns part;
  th_replicated_columns_init(&part, th_deal_pieces_rows(&pieces), &pieces);
  const int64_t list[] = {0, 1, 7, 450, ATTRIBUTES - 1};
  fetch(s, 0, 1);
  int64_t before = th_source_ledger(s->context.source)->examples;
  CHECK(th_replicated_columns_fetch(&part, &s->context, list, 5, &s->err) ==
        TH_OK);
  CHECK(th_source_ledger(s->context.source)->examples - before ==
        part.examples);
  for (int64_t k = 0; k < 5; k++) {
    int64_t at = 0;
    memset(all, 0, sizeof all);
    memset(some, 0, sizeof some);
    th_column_add(&s->columns.vector[list[k]], 1, all);
    th_column_add(&part.vector[k], 1, some);
    for (int64_t p = 0; p < pieces.count; p++)
      for (int64_t i = 0; i < pieces.items[p].count; i++)
        CHECK(some[at++] == all[pieces.items[p].first + i]);
    CHECK(at == part.examples);
  }
  th_replicated_columns_free(&part);
  th_deal_pieces_free(&pieces);
  end(s);
}

static void test_form(struct th_comm *comm, enum th_layout layout,
                      enum th_type type)
{
  struct setting *s = begin(comm, layout, type);
  fetch(s, ATTRIBUTES, 1);
  check_all(s, 0);
  fetch(s, 1, 3);
  fetch(s, 0, 30);
  fetch(s, 5, ATTRIBUTES); /* one */
  check_all(s, 331);
  test_sums(s, comm);
  test_keep(s, 2);
  test_keep(s, 3);
  test_sums(s, comm);
  fetch(s, 2, 3 * ATTRIBUTES);
  test_keep(s, ATTRIBUTES);
  end(s);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  CASE(test_form(&comm, TH_DENSE, TH_F32));
  CASE(test_form(&comm, TH_DENSE, TH_F64));
  CASE(test_form(&comm, TH_DENSE, TH_U8));
  CASE(test_form(&comm, TH_DENSE, TH_I8));
  CASE(test_form(&comm, TH_DENSE, TH_U2));
  CASE(test_form(&comm, TH_SPARSE, TH_F32));
  CASE(test_pieces(&comm, TH_DENSE, TH_F32));
  CASE(test_pieces(&comm, TH_DENSE, TH_F64));
  CASE(test_pieces(&comm, TH_DENSE, TH_I8));
  CASE(test_pieces(&comm, TH_DENSE, TH_U2));
  CASE(test_pieces(&comm, TH_SPARSE, TH_F32));
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
