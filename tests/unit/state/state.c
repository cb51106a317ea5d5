/* state.c - lists of plain arrays, images of them, and what does not fit
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "data/deal.h"
#include "state/state.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 8, ATTRIBUTES = 5, VECTORS = 2 };

/* Something with a state. */
struct thing {
  double number;
  bool flag;
  int64_t count;
  int64_t *grown;
  int64_t capacity;
  double spread[VECTORS * ATTRIBUTES];
  int32_t wrong;
  bool narrow;  /* describes fewer numbers than there are, */
  bool other;   /* another type, */
  bool shorter; /* or ends early */
};

static void describe(struct thing *t, struct th_state *state)
{
  th_state_enter(state, "thing");
  if (t->other)
    th_state_all(state, "number", TH_STATE_I32, &t->wrong, 1);
  else
    TH_STATE_ONE(state, t, number);
  TH_STATE_ONE(state, t, flag);
  TH_STATE_ONE(state, t, count);
  th_state_grow(state,
                (struct th_state_growing){"grown", TH_STATE_I64, 1,
                                          (void **)&t->grown, &t->capacity},
                t->count - t->narrow);
  th_state_leave(state);
  if (!t->shorter)
    th_state_spread(state, "spread", TH_STATE_F64, t->spread, VECTORS,
                    (struct th_range){0, ATTRIBUTES});
}

static struct thing filled(void)
{
  struct thing t = {.number = 2.5, .flag = true, .count = MOST};
  t.grown = calloc(MOST, sizeof *t.grown);
  t.capacity = MOST;
  for (int k = 0; k < MOST; k++)
    t.grown[k] = 3 * k;
  for (int k = 0; k < VECTORS * ATTRIBUTES; k++)
    t.spread[k] = k / 4.0;
  return t;
}

static void take(struct thing *t, struct th_comm *comm,
                 struct th_state_image *image)
{
  struct th_error err;
  struct th_state state;
  th_error_clear(&err);
  th_state_list(&state, comm, (struct th_range){0, ATTRIBUTES}, &err);
  describe(t, &state);
  CHECK(th_state_snapshot(&state, comm, image, &err) == TH_OK);
  th_state_free(&state);
}

static th_status put(struct thing *t, struct th_comm *comm,
                     const struct th_state_image *image, struct th_error *err)
{
  struct th_state state;
  th_error_clear(err);
  th_state_from(&state, image, comm, (struct th_range){0, ATTRIBUTES}, err);
  describe(t, &state);
  th_status rc = th_state_put(&state, comm, err);
  th_state_free(&state);
  return rc;
}

static void test_there_and_back(struct th_comm *comm)
{
  struct thing from = filled();
  struct thing to = {0};
  struct th_state_image image;
  struct th_error err;
  take(&from, comm, &image);
  CHECK(image.count == 5);
  CHECK(strcmp(image.entry[3].name, "thing.grown") == 0);
  CHECK(strcmp(image.entry[4].name, "spread") == 0);
  CHECK(image.entry[4].rows == VECTORS && image.entry[4].all == ATTRIBUTES);
  CHECK(put(&to, comm, &image, &err) == TH_OK);
  CHECK(to.number == from.number && to.flag && to.count == MOST);
  CHECK(to.capacity >= MOST);
  CHECK(memcmp(to.grown, from.grown, MOST * sizeof *to.grown) == 0);
  CHECK(memcmp(to.spread, from.spread, sizeof to.spread) == 0);
  th_state_image_free(&image);
  free(from.grown);
  free(to.grown);
}

/* What does not fit is refused, and said. */
static void test_refused(struct th_comm *comm, struct thing to,
                         const char *said)
{
  struct thing from = filled();
  struct th_state_image image;
  struct th_error err;
  take(&from, comm, &image);
  CHECK(put(&to, comm, &image, &err) == TH_EFORMAT);
  CHECK(strstr(err.text, said) != NULL);
  th_state_image_free(&image);
  free(from.grown);
  free(to.grown);
}

static void test_twice(struct th_comm *comm)
{
  struct thing t = filled();
  struct th_error err;
  struct th_state state;
  struct th_state_image image;
  th_error_clear(&err);
  th_state_list(&state, comm, (struct th_range){0, ATTRIBUTES}, &err);
  describe(&t, &state);
  describe(&t, &state);
  CHECK(th_state_snapshot(&state, comm, &image, &err) == TH_EARG);
  CHECK(image.count == 0);
  th_state_free(&state);
  free(t.grown);
}

/* Attributes of an image that lie in a range. */
static void test_find(struct th_comm *comm)
{
  int64_t list[] = {2, 3, 7, 11};
  const int64_t *all = NULL;
  struct th_error err;
  struct th_state state;
  struct th_state_image image;
  th_error_clear(&err);
  th_state_list(&state, comm, (struct th_range){0, 20}, &err);
  th_state_spread(&state, "list", TH_STATE_I64, list, 1,
                  (struct th_range){0, 4});
  CHECK(th_state_snapshot(&state, comm, &image, &err) == TH_OK);
  th_state_free(&state);
  th_state_from(&state, &image, comm, (struct th_range){3, 8}, &err);
  struct th_range found =
      th_state_find(&state, "list", (struct th_range){3, 8}, &all);
  CHECK(found.first == 1 && found.last == 3 && all[0] == 3 && all[1] == 7);
  th_state_free(&state);
  th_state_image_free(&image);
}

/* The rows that follow are those that would have followed. */
static void test_deal(struct th_comm *comm)
{
  const struct th_deal_plan plan = {
      .seed = 3, .training = 100, .row_group = 16, .unit = 4, .passes = 3};
  struct th_deal deals[2];
  struct th_pieces pieces[2] = {{0}, {0}};
  struct th_state_image image;
  struct th_state state;
  struct th_error err;
  th_error_clear(&err);
  for (int k = 0; k < 2; k++)
    CHECK(th_deal_init(&deals[k], &plan, &err) == TH_OK);
  CHECK(th_deal_set_blocks(&deals[0], 3, &err) == TH_OK);
  for (int64_t c = 0; c < 30; c++) { /* on into the second pass */
    CHECK(th_deal_begin(&deals[0], &err) == TH_OK);
    CHECK(th_deal_rows(&deals[0], TH_CONSUMER_BLOCK + c % 3, 5, &pieces[0],
                       &err) == TH_OK);
  }
  th_state_list(&state, comm, (struct th_range){0, 1}, &err);
  th_deal_describe(&deals[0], &state);
  CHECK(th_state_snapshot(&state, comm, &image, &err) == TH_OK);
  th_state_free(&state);
  th_state_from(&state, &image, comm, (struct th_range){0, 1}, &err);
  th_deal_describe(&deals[1], &state);
  CHECK(th_state_put(&state, comm, &err) == TH_OK);
  th_state_free(&state);
  pieces[0].count = 0;
  for (int k = 0; k < 2; k++)
    for (int64_t c = 0; c < 25; c++) {
      CHECK(th_deal_begin(&deals[k], &err) == TH_OK);
      CHECK(th_deal_rows(&deals[k], TH_CONSUMER_BLOCK + c % 3, 7, &pieces[k],
                         &err) == TH_OK);
    }
  CHECK(pieces[0].count > 25 && pieces[0].count == pieces[1].count);
  CHECK(memcmp(pieces[0].items, pieces[1].items,
               (size_t)pieces[0].count * sizeof *pieces[0].items) == 0);
  CHECK(th_deal_left(&deals[0]) == th_deal_left(&deals[1]));
  for (int k = 0; k < 2; k++) {
    th_deal_free(&deals[k]);
    th_deal_pieces_free(&pieces[k]);
  }
  th_state_image_free(&image);
}

/* Counters may be as large as they like; sizes are refused before they are
 * kept.
 */
static void test_counters(struct th_comm *comm)
{
  int64_t much = INT64_MAX;
  int64_t got = 0;
  struct th_error err;
  struct th_state state;
  struct th_state_image image;
  th_error_clear(&err);
  th_state_list(&state, comm, (struct th_range){0, 1}, &err);
  th_state_counter(&state, "counter", &much);
  CHECK(th_state_snapshot(&state, comm, &image, &err) == TH_OK);
  th_state_free(&state);
  th_state_from(&state, &image, comm, (struct th_range){0, 1}, &err);
  th_state_counter(&state, "counter", &got);
  CHECK(th_state_put(&state, comm, &err) == TH_OK);
  CHECK(got == much);
  th_state_free(&state);
  th_state_image_free(&image);
  th_state_list(&state, comm, (struct th_range){0, 1}, &err);
  th_state_one(&state, "size", TH_STATE_I64, &much);
  CHECK(th_state_snapshot(&state, comm, &image, &err) == TH_EARG);
  CHECK(strstr(err.text, "size, which is too large") != NULL);
  th_state_free(&state);
}

int main(void)
{
  struct th_comm comm;
  th_comm_self(&comm);
  CASE(test_there_and_back(&comm));
  CASE(test_refused(&comm, (struct thing){.other = true},
                    "(f64) where thing.number"));
  CASE(test_refused(&comm, (struct thing){.narrow = true},
                    "items of thing.grown"));
  CASE(test_refused(&comm, (struct thing){.shorter = true}, "spread beyond"));
  CASE(test_twice(&comm));
  CASE(test_find(&comm));
  CASE(test_deal(&comm));
  CASE(test_counters(&comm));
  return check_finish(NULL);
}
