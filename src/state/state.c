/* state.c - the state of a run as a list of plain arrays
 * SPDX-License-Identifier: MIT */
#include "state/state.h"

#include "base/memory.h"

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
static const struct th_state_entry *
expect_entry(struct th_state *state, const struct th_state_entry *wanted)
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
           (size_t)th_range_count(range) * size);
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
  size_t width = (size_t)th_range_count(to->here) * sizes[to->type];
  for (int64_t r = 0; r < to->rows && width > 0 && th_state_good(state); r++)
    fetch(state, from, r, to->here, (char *)to->data + (size_t)r * width);
  if (to->type == TH_STATE_BOOL && width > 0)
    check_bools(state, to->name, to->data, (size_t)to->rows * width);
}

static bool entry_fits(const struct th_state_entry *from,
                       const struct th_state_entry *to)
{
  bool spread = to->place == TH_STATE_BY_ATTRIBUTE;
  return from->rows == to->rows && to->here.last <= from->all &&
         (spread || from->all == to->all);
}

static void put_one(struct th_state *state, const struct th_state_entry *entry)
{
  const struct th_state_entry *from = expect_entry(state, entry);
  if (from == NULL)
    return;
  state->next++;
  if (entry_fits(from, entry))
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
    put_one(state, entry);
  else
    list(state, entry);
}

/* here: this rank has them. */
static void describe_some(struct th_state *state, const char *name,
                          struct th_state_entry entry, int64_t count, bool here)
{
  entry.rows = 1;
  entry.all = count;
  entry.here = (struct th_range){0, here ? count : 0};
  describe(state, name, &entry);
}

static void describe_all(struct th_state *state, const char *name,
                         struct th_state_entry entry, int64_t count)
{
  bool here = entry.place != TH_STATE_FIRST_RANK || state->rank == 0;
  describe_some(state, name, entry, count, here);
}

void th_state_all(struct th_state *state, const char *name,
                  enum th_state_type type, void *data, int64_t count)
{
  describe_all(state, name,
               (struct th_state_entry){
                   .type = type, .place = TH_STATE_REPLICATED, .data = data},
               count);
}

void th_state_elsewhere(struct th_state *state, const char *name,
                        enum th_state_type type, int64_t count)
{
  describe_some(
      state, name,
      (struct th_state_entry){.type = type, .place = TH_STATE_REPLICATED},
      count, false);
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

/* The first item of an ascending array that is no less: each step fetches one.
 */
static int64_t search_keys(struct th_state *state,
                           const struct th_state_entry *from, int64_t least)
{
  int64_t below = 0;
  int64_t end = from->all;
  while (below < end && th_state_good(state)) {
    int64_t middle = below + (end - below) / 2;
    int64_t key = 0;
    fetch(state, from, 0, (struct th_range){middle, middle + 1}, &key);
    if (key < least)
      below = middle + 1;
    else
      end = middle;
  }
  return below;
}

/* Some items of an array of integers; NULL after a failure. */
static const int64_t *keys_of(struct th_state *state,
                              const struct th_state_entry *from,
                              struct th_range members)
{
  void *made = th_state_scratch(state, th_range_count(members));
  if (made != NULL && th_range_count(members) > 0)
    fetch(state, from, 0, members, made);
  return th_state_good(state) ? made : NULL;
}

/* Do so many keys ascend within a range? */
static bool ascend(const int64_t *keys, int64_t count, struct th_range range)
{
  int64_t before = range.first - 1;
  for (int64_t k = 0; k < count; before = keys[k++])
    if (keys[k] <= before || keys[k] >= range.last)
      return false;
  return true;
}

/* The next entry, if it is one list of integers by attribute. */
static const struct th_state_entry *expect_keys(struct th_state *state,
                                                const char *name)
{
  struct th_state_entry wanted = {.type = TH_STATE_I64,
                                  .place = TH_STATE_BY_ATTRIBUTE};
  const struct th_state_entry *found = NULL;
  snprintf(wanted.name, sizeof wanted.name, "%.*s%s", TH_STATE_PREFIX,
           state->prefix, name);
  if (th_state_good(state))
    found = expect_entry(state, &wanted);
  if (found == NULL || found->rows == 1 || found->all == 0)
    return found;
  th_state_note(state, th_fail(state->err, TH_EFORMAT,
                               "the state has %lld lists %s, not one",
                               (long long)found->rows, found->name));
  return NULL;
}

struct th_range th_state_find(struct th_state *state, const char *name,
                              struct th_range range, const int64_t **keys)
{
  const struct th_range none = {0, 0};
  const struct th_state_entry *found = expect_keys(state, name);
  struct th_range members = none;
  *keys = NULL;
  if (found != NULL)
    members = (struct th_range){search_keys(state, found, range.first),
                                search_keys(state, found, range.last)};
  if (th_state_good(state))
    *keys = keys_of(state, found, members);
  if (*keys == NULL)
    return none;
  if (ascend(*keys, th_range_count(members), range))
    return members;
  th_state_note(state, th_fail(state->err, TH_EFORMAT,
                               "the state has %s out of order", found->name));
  return none;
}

/* --- Numbers of an image that indices and sizes are made from ------------- */

/* Counts and numbers of things are no larger: sums and products of few of them
 * stay within 64 bits. -1 stands for none. */
static const int64_t most = INT64_C(1) << 46;
enum { LEAST = -1 };

void th_state_limit(struct th_state *state, const char *name, int64_t *value,
                    int64_t count, int64_t lowest, int64_t highest)
{
  int64_t instead = lowest > 0 ? lowest : 0;
  bool good = true;
  if (!th_state_puts(state) || !th_state_good(state))
    return;
  for (int64_t k = 0; k < count; k++) {
    bool within = value[k] >= lowest && value[k] <= highest;
    good = good && within;
    value[k] = within ? value[k] : instead;
  }
  if (!good)
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state has a number in %s%s that is not "
                                 "from %lld to %lld",
                                 state->prefix, name, (long long)lowest,
                                 (long long)highest));
}

/* What would be refused when it is put must not be kept in the first place. */
static void limit_listed(struct th_state *state, const char *name,
                         int64_t value)
{
  if (!th_state_puts(state) && (value < LEAST || value > most))
    th_state_note(state, th_fail(state->err, TH_EARG,
                                 "the state has %lld as %s%s, which is too "
                                 "large to be kept",
                                 (long long)value, state->prefix, name));
}

void th_state_one(struct th_state *state, const char *name,
                  enum th_state_type type, void *data)
{
  int64_t value = 0;
  int32_t narrow = 0;
  th_state_all(state, name, type, data, 1);
  if (type == TH_STATE_I64) {
    memcpy(&value, data, sizeof value);
    limit_listed(state, name, value);
    th_state_limit(state, name, data, 1, LEAST, most);
  } else if (type == TH_STATE_I32) {
    memcpy(&narrow, data, sizeof narrow);
    value = narrow;
    th_state_limit(state, name, &value, 1, LEAST, most);
    narrow = (int32_t)value;
    memcpy(data, &narrow, sizeof narrow);
  }
}

void th_state_counter(struct th_state *state, const char *name, int64_t *data)
{
  th_state_all(state, name, TH_STATE_I64, data, 1);
  th_state_limit(state, name, data, 1, 0, INT64_MAX);
}

bool th_state_next_has(struct th_state *state, int64_t items)
{
  const struct th_state_image *image = state->image;
  if (!th_state_puts(state))
    return true;
  if (!th_state_good(state))
    return false;
  if (state->next >= image->count) {
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state ends within %s", state->prefix));
    return false;
  }
  const struct th_state_entry *next = &image->entry[state->next];
  if (next->all != items)
    th_state_note(state,
                  th_fail(state->err, TH_EFORMAT,
                          "the state has %lld items of %s, not %lld",
                          (long long)next->all, next->name, (long long)items));
  return next->all == items;
}

void th_state_attributes(struct th_state *state, const char *name,
                         int64_t *data, int64_t count)
{
  th_state_all(state, name, TH_STATE_I64, data, count);
  if (state->attributes > 0)
    th_state_limit(state, name, data, count, 0, state->attributes - 1);
}

void th_state_ascending(struct th_state *state, const char *name,
                        const int64_t *data, int64_t count)
{
  bool good = true;
  for (int64_t k = 1; k < count && th_state_good(state); k++)
    good = good && data[k - 1] < data[k];
  if (th_state_puts(state) && !good)
    th_state_note(state, th_fail(state->err, TH_EFORMAT,
                                 "the state has %s%s out of order",
                                 state->prefix, name));
}

/* --- Takes, checks and shares images of the state of a run ---------------- */

void th_state_image_free(struct th_state_image *image)
{
  for (int64_t k = 0; k < image->count; k++)
    free(image->entry[k].data);
  free(image->entry);
  *image = (struct th_state_image){.entry = NULL};
}

static size_t bytes_of(const struct th_state_entry *entry)
{
  return (size_t)(entry->rows * entry->all) * th_state_size(entry->type);
}

/* Join the parts of all ranks, vector by vector. */
static void interleave(const char *parts, const int64_t *bytes, int size,
                       struct th_state_entry *made)
{
  size_t item = th_state_size(made->type);
  size_t first = 0; /* byte of a vector */
  for (int r = 0; r < size; r++) {
    size_t width = made->rows > 0 ? (size_t)(bytes[r] / made->rows) : 0;
    for (int64_t row = 0; row < made->rows; row++, parts += width)
      memcpy((char *)made->data + (size_t)(row * made->all) * item + first,
             parts, width);
    first += width;
  }
}

/* Gather an array that is spread over the ranks. Collective. */
static th_status gather_array(const struct th_state_entry *from,
                              struct th_state_entry *made, struct th_comm *comm,
                              struct th_error *err)
{
  int64_t width = th_range_count(from->here);
  int64_t mine = from->rows * width * (int64_t)th_state_size(from->type);
  int64_t *bytes = NULL;
  void *parts = NULL;
  th_status rc = TH_NEW(&bytes, comm->size, "the state of the run", err);
  TH_TRY(th_agree(comm, rc, err));
  made->all = width;
  comm->ops->sum_i64(comm, &made->all, 1);
  TH_TRY(th_comm_gather(comm, from->data, mine, bytes, &parts, err));
  rc = th_alloc(&made->data, (int64_t)bytes_of(made), 1, "the state of the run",
                err);
  TH_TRY(th_agree(comm, rc, err));
  interleave(parts, bytes, comm->size, made);
done:
  TH_FREE(parts, bytes);
  return rc;
}

/* Copy an array that rank 0 has. Collective. */
static th_status copy_array(const struct th_state_entry *from,
                            struct th_state_entry *made, struct th_comm *comm,
                            struct th_error *err)
{
  size_t bytes = bytes_of(made);
  th_status rc =
      th_alloc(&made->data, (int64_t)bytes, 1, "the state of the run", err);
  TH_TRY(th_agree(comm, rc, err));
  if (comm->rank == 0 && bytes > 0)
    memcpy(made->data, from->data, bytes);
  comm->ops->bcast(comm, made->data, bytes, 0);
done:
  return rc;
}

/* Check that no name comes twice. Local; replicated. */
static th_status check_name(const struct th_state_image *image,
                            const char *name, struct th_error *err)
{
  for (int64_t k = 0; k < image->count; k++)
    if (strcmp(image->entry[k].name, name) == 0)
      return th_fail(err, TH_EARG, "the state has two arrays %s", name);
  return TH_OK;
}

th_status th_state_snapshot(struct th_state *state, struct th_comm *comm,
                            struct th_state_image *image, struct th_error *err)
{
  th_status rc;
  *image = (struct th_state_image){.entry = NULL};
  TH_TRY(th_agree(comm, state->status, err));
  rc = th_grow((void **)&image->entry, &image->capacity, state->count,
               sizeof *image->entry, "the state of the run", err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < state->count; k++) {
    const struct th_state_entry *from = &state->entry[k];
    struct th_state_entry *made = &image->entry[k];
    TH_TRY(check_name(image, from->name, err));
    *made = *from;
    made->data = NULL;
    image->count++;
    TH_TRY((from->place == TH_STATE_BY_ATTRIBUTE ? gather_array : copy_array)(
        from, made, comm, err));
  }
done:
  if (rc != TH_OK)
    th_state_image_free(image);
  return rc;
}

th_status th_state_put(struct th_state *state, struct th_comm *comm,
                       struct th_error *err)
{
  const struct th_state_image *image = state->image;
  th_status rc = state->status;
  if (rc == TH_OK && state->next < image->count)
    rc = th_fail(err, TH_EFORMAT, "the state has %s beyond what is wanted",
                 image->entry[state->next].name);
  return th_agree(comm, rc, err);
}

/* Reserve room for rank 0's image. Local. */
static th_status reserve(struct th_state_image *image, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < image->count; k++)
    image->entry[k].data = NULL;
  for (int64_t k = 0; k < image->count && rc == TH_OK; k++)
    rc = th_alloc(&image->entry[k].data, (int64_t)bytes_of(&image->entry[k]), 1,
                  "the state of the run", err);
  return rc;
}

th_status th_state_image_share(struct th_state_image *image,
                               struct th_comm *comm, struct th_error *err)
{
  bool first = comm->rank == 0;
  int64_t count = image->count;
  th_status rc = TH_OK;
  if (!first)
    th_state_image_free(image);
  comm->ops->bcast(comm, &count, sizeof count, 0);
  if (!first)
    rc = th_grow((void **)&image->entry, &image->capacity, count,
                 sizeof *image->entry, "the state of the run", err);
  TH_TRY(th_agree(comm, rc, err));
  struct th_state_entry *entry = image->entry;
  for (int64_t k = 0; k < count; k++) {
    void *data = first ? entry[k].data : NULL;
    comm->ops->bcast(comm, &entry[k], sizeof entry[k], 0);
    entry[k].data = data;
  }
  image->count = count;
  if (!first)
    rc = reserve(image, err);
  TH_TRY(th_agree(comm, rc, err));
  for (int64_t k = 0; k < count; k++)
    comm->ops->bcast(comm, entry[k].data, bytes_of(&entry[k]), 0);
done:
  return rc;
}
