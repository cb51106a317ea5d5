/* state.c - the state of a run as a list of plain arrays
 * SPDX-License-Identifier: MIT */
#include "core/state.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t sizes[TH_STATE_TYPES] = {
    [TH_STATE_F64] = 8, [TH_STATE_I64] = 8, [TH_STATE_I32] = 4,
    [TH_STATE_U8] = 1,  [TH_STATE_U16] = 2, [TH_STATE_BOOL] = 1};

size_t th_state_size(enum th_state_type type)
{
  return sizes[type];
}

void th_state_list(struct th_state *state, const struct th_comm *comm,
                   struct th_range owned, struct th_error *err)
{
  *state = (struct th_state){.rank = comm->rank, .owned = owned, .err = err};
}

void th_state_from(struct th_state *state, const struct th_state_image *image,
                   const struct th_comm *comm, struct th_range owned,
                   struct th_error *err)
{
  th_state_list(state, comm, owned, err);
  state->image = image;
}

void th_state_free(struct th_state *state)
{
  th_memory_free_list(state->scratch, state->scratches);
  free(state->entry);
  *state = (struct th_state){.entry = NULL};
}

bool th_state_puts(const struct th_state *state)
{
  return state->image != NULL;
}

bool th_state_good(const struct th_state *state)
{
  return state->status == TH_OK;
}

void th_state_note(struct th_state *state, th_status status)
{
  if (state->status == TH_OK)
    state->status = status;
}

bool th_state_agree(struct th_state *state, struct th_comm *comm)
{
  state->status = th_agree(comm, state->status, state->err);
  return state->status == TH_OK;
}

void th_state_enter(struct th_state *state, const char *name)
{
  size_t used = strlen(state->prefix);
  snprintf(state->prefix + used, sizeof state->prefix - used, "%s.", name);
}

void th_state_leave(struct th_state *state)
{
  size_t used = strlen(state->prefix);
  while (used > 1 && state->prefix[used - 2] != '.')
    used--;
  state->prefix[used > 0 ? used - 1 : 0] = 0;
}

static const char *const types[TH_STATE_TYPES] = {"f64", "i64", "i32",
                                                  "u8",  "u16", "bool"};

/* The next entry of the image, which must be the one that is described. */
static const struct th_state_entry *expect(struct th_state *state,
                                           const struct th_state_entry *wanted)
{
  const struct th_state_image *image = state->image;
  if (state->next >= image->count) {
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state ends before %s", wanted->name));
    return NULL;
  }
  const struct th_state_entry *found = &image->entry[state->next];
  if (strcmp(found->name, wanted->name) == 0 && found->type == wanted->type &&
      found->place == wanted->place)
    return found;
  th_state_note(state, th_fail(state->err, TH_EFORMAT,
                               "the state has %s (%s) where %s (%s) is wanted",
                               found->name, types[found->type], wanted->name,
                               types[wanted->type]));
  return NULL;
}

/* Items of one vector of the image's array `from`, wherever they lie. */
static void fetch(struct th_state *state, const struct th_state_entry *from,
                  int64_t row, struct th_range range, void *to)
{
  const struct th_state_image *image = state->image;
  size_t size = sizes[from->type];
  if (from->data != NULL)
    memcpy(to,
           (const char *)from->data +
               (size_t)(row * from->all + range.first) * size,
           (size_t)(range.last - range.first) * size);
  else
    th_state_note(state, image->fetch(image->self, from - image->entry, row,
                                      range, to, state->err));
}

/* A bool that is neither 0 nor 1 must not be read as one. */
static void check_bools(struct th_state *state, const char *name,
                        unsigned char *item, size_t count)
{
  bool good = true;
  for (size_t k = 0; k < count; k++) {
    good = good && item[k] <= 1;
    item[k] = item[k] <= 1 ? item[k] : 0;
  }
  if (!good)
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state has neither 0 nor 1 in %s", name));
}

static void put_rows(struct th_state *state, const struct th_state_entry *from,
                     const struct th_state_entry *to)
{
  size_t width = (size_t)(to->here.last - to->here.first) * sizes[to->type];
  for (int64_t r = 0; r < to->rows && width > 0 && th_state_good(state); r++)
    fetch(state, from, r, to->here, (char *)to->data + (size_t)r * width);
  if (to->type == TH_STATE_BOOL && width > 0)
    check_bools(state, to->name, to->data, (size_t)to->rows * width);
}

static bool fits(const struct th_state_entry *from,
                 const struct th_state_entry *to)
{
  bool spread = to->place == TH_STATE_BY_ATTRIBUTE;
  return from->rows == to->rows && to->here.last <= from->all &&
         (spread || from->all == to->all);
}

static void put(struct th_state *state, const struct th_state_entry *entry)
{
  const struct th_state_entry *from = expect(state, entry);
  if (from == NULL)
    return;
  state->next++;
  if (fits(from, entry))
    put_rows(state, from, entry);
  else
    th_state_note(
        state, th_fail(state->err, TH_EFORMAT,
                       "the state has %lld x %lld items of %s, not %lld x %lld",
                       (long long)from->rows, (long long)from->all, entry->name,
                       (long long)entry->rows, (long long)entry->all));
}

static void list(struct th_state *state, const struct th_state_entry *entry)
{
  th_status rc =
      th_grow((void **)&state->entry, &state->capacity, state->count + 1,
              sizeof *state->entry, "the state of the run", state->err);
  th_state_note(state, rc);
  if (rc == TH_OK)
    state->entry[state->count++] = *entry;
}

/* Its name is filled in here. */
static void describe(struct th_state *state, const char *name,
                     struct th_state_entry *entry)
{
  if (state->status != TH_OK)
    return;
  snprintf(entry->name, sizeof entry->name, "%.*s%s", TH_STATE_PREFIX,
           state->prefix, name);
  if (th_state_puts(state))
    put(state, entry);
  else
    list(state, entry);
}

static void describe_all(struct th_state *state, const char *name,
                         struct th_state_entry entry, int64_t count)
{
  entry.rows = 1;
  entry.all = count;
  bool here = entry.place != TH_STATE_FIRST_RANK || state->rank == 0;
  entry.here = (struct th_range){0, here ? count : 0};
  describe(state, name, &entry);
}

void th_state_all(struct th_state *state, const char *name,
                  enum th_state_type type, void *data, int64_t count)
{
  describe_all(state, name,
               (struct th_state_entry){
                   .type = type, .place = TH_STATE_REPLICATED, .data = data},
               count);
}

void th_state_grow(struct th_state *state, struct th_state_growing array,
                   int64_t count)
{
  size_t size = (size_t)array.items * sizes[array.type];
  bool has =
      th_state_good(state) && th_state_next_has(state, count * array.items);
  if (th_state_puts(state) && has)
    th_state_note(state, th_grow(array.data, array.capacity, count, size,
                                 "the state of the run", state->err));
  if (has)
    th_state_all(state, array.name, array.type, *array.data,
                 count * array.items);
}

void th_state_examples(struct th_state *state, const char *name,
                       enum th_state_type type, void *data, int64_t count)
{
  describe_all(state, name,
               (struct th_state_entry){
                   .type = type, .place = TH_STATE_BY_EXAMPLE, .data = data},
               count);
}

void th_state_first(struct th_state *state, const char *name,
                    enum th_state_type type, void *data, int64_t count)
{
  describe_all(state, name,
               (struct th_state_entry){
                   .type = type, .place = TH_STATE_FIRST_RANK, .data = data},
               count);
}

void th_state_spread(struct th_state *state, const char *name,
                     enum th_state_type type, void *data, int64_t rows,
                     struct th_range here)
{
  struct th_state_entry entry = {.type = type,
                                 .place = TH_STATE_BY_ATTRIBUTE,
                                 .rows = rows,
                                 .here = here,
                                 .data = data};
  describe(state, name, &entry);
}

double *th_state_scratch(struct th_state *state, int64_t count)
{
  double *made = NULL;
  if (th_state_good(state))
    th_state_note(state,
                  th_grow((void **)&state->scratch, &state->scratch_capacity,
                          state->scratches + 1, sizeof *state->scratch,
                          "the state of the run", state->err));
  if (th_state_good(state))
    th_state_note(state,
                  TH_NEW(&made, count, "the state of the run", state->err));
  if (made != NULL)
    state->scratch[state->scratches++] = made;
  return made;
}

/* All items of an array of integers that lies elsewhere; NULL after a failure.
 */
static const int64_t *keys_of(struct th_state *state,
                              const struct th_state_entry *from)
{
  void *made = NULL;
  if (from->rows == 1 || from->all == 0)
    made = th_state_scratch(state, from->all);
  else
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state has %lld lists %s, not one",
                                 (long long)from->rows, from->name));
  if (made != NULL && from->all > 0)
    fetch(state, from, 0, (struct th_range){0, from->all}, made);
  return th_state_good(state) ? made : NULL;
}

/* Do the members of a list ascend within a range? */
static bool ascend(const int64_t *keys, struct th_range members,
                   struct th_range range)
{
  int64_t before = range.first - 1;
  for (int64_t k = members.first; k < members.last; before = keys[k++])
    if (keys[k] <= before || keys[k] >= range.last)
      return false;
  return true;
}

struct th_range th_state_find(struct th_state *state, const char *name,
                              struct th_range range, const int64_t **keys)
{
  const struct th_range none = {0, 0};
  struct th_state_entry wanted = {.type = TH_STATE_I64,
                                  .place = TH_STATE_BY_ATTRIBUTE};
  const struct th_state_entry *found = NULL;
  *keys = NULL;
  snprintf(wanted.name, sizeof wanted.name, "%.*s%s", TH_STATE_PREFIX,
           state->prefix, name);
  if (th_state_good(state))
    found = expect(state, &wanted);
  if (found != NULL)
    *keys = found->data != NULL ? found->data : keys_of(state, found);
  if (*keys == NULL)
    return none;
  struct th_range members = th_range_members(*keys, found->all, range);
  if (ascend(*keys, members, range))
    return members;
  th_state_note(state, th_fail(state->err, TH_EFORMAT,
                               "the state has %s out of order", found->name));
  return none;
}
