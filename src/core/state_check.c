/* state_check.c - numbers of an image that indices and sizes are made from
 * SPDX-License-Identifier: MIT */
#include "core/state.h"

#include <string.h>

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
