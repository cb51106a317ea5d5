/* working_set.c - the working set of an exact solver: units and their members
 * SPDX-License-Identifier: MIT */
#include "solvers/exact/working_set.h"

#include "base/memory.h"
#include "math/kernels/column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A member of a new unit, as its owner describes it. */
struct record {
  int64_t key;
  int64_t attribute;
  struct th_group_norm norm;
};

static const struct th_array by_unit[] = {
    TH_ARRAY(struct th_working_set, key),
    TH_ARRAY_OF(struct th_working_set, start, 1, 1),
    TH_ARRAY(struct th_working_set, norm)};

static const struct th_array by_member[] = {
    TH_ARRAY(struct th_working_set, attribute),
    TH_ARRAY(struct th_working_set, slot),
    TH_ARRAY(struct th_working_set, coef),
    TH_ARRAY(struct th_working_set, earlier),
    TH_ARRAY(struct th_working_set, slope),
    TH_ARRAY(struct th_working_set, q)};

void th_working_set_free(struct th_working_set *w)
{
  th_memory_arrays_free(TH_ARRAYS(w, by_unit));
  th_memory_arrays_free(TH_ARRAYS(w, by_member));
  *w = (struct th_working_set){0};
}

/* Reserve room for so many units and members in an empty set. Local. */
static th_status reserve(struct th_working_set *w, int64_t units,
                         int64_t members, struct th_error *err)
{
  int64_t none = 0;
  th_status rc = th_memory_arrays_reserve(TH_ARRAYS(w, by_unit), &none,
                                          units + 1, "the working set", err);
  none = 0;
  if (rc == TH_OK)
    rc = th_memory_arrays_reserve(TH_ARRAYS(w, by_member), &none, members + 1,
                                  "the working set", err);
  return rc;
}

/* Describe the members of the listed units that this rank owns; records NULL:
 * only count them. Local. */
static int64_t describe(const struct th_problem *p, const int64_t *key,
                        int64_t count, struct record *records)
{
  int64_t found = 0;
  for (int64_t k = 0; k < count; k++) {
    int64_t g = th_problem_group(p, key[k]);
    if (g < 0)
      continue;
    struct th_range members = th_problem_members(p, g);
    struct th_group_norm norm =
        p->grouping.norm == NULL ? p->grouping.one : p->grouping.norm[g];
    for (int64_t m = members.first; m < members.last; m++, found++)
      if (records != NULL)
        records[found] = (struct record){
            key[k], p->active.attribute[th_problem_place(p, m)], norm};
  }
  return found;
}

static int by_unit_key(const void *a, const void *b)
{
  const struct record *left = a;
  const struct record *right = b;
  if (left->key != right->key)
    return left->key < right->key ? -1 : 1;
  return (left->attribute > right->attribute) -
         (left->attribute < right->attribute);
}

/* Append a new unit, with zeros. */
static void append_unit(struct th_working_set *w, const struct record *record,
                        int64_t count)
{
  w->key[w->units] = record->key;
  w->norm[w->units] = record->norm;
  w->start[w->units] = w->members;
  for (int64_t k = 0; k < count; k++) {
    int64_t at = w->members++;
    w->attribute[at] = record[k].attribute;
    w->slot[at] = -1;
    w->coef[at] = w->earlier[at] = w->slope[at] = 0;
    w->q[at] = record->norm.q;
  }
  w->start[++w->units] = w->members;
}

/* Append a unit of another working set. */
static void copy_unit(struct th_working_set *to,
                      const struct th_working_set *from, int64_t unit)
{
  int64_t first = from->start[unit];
  int64_t count = from->start[unit + 1] - first;
  size_t bytes = (size_t)count * sizeof(double);
  int64_t at = to->members;
  to->key[to->units] = from->key[unit];
  to->norm[to->units] = from->norm[unit];
  to->start[to->units] = at;
  memmove(to->attribute + at, from->attribute + first, bytes);
  memmove(to->slot + at, from->slot + first, bytes);
  memmove(to->coef + at, from->coef + first, bytes);
  memmove(to->earlier + at, from->earlier + first, bytes);
  memmove(to->slope + at, from->slope + first, bytes);
  memmove(to->q + at, from->q + first, bytes);
  to->members += count;
  to->start[++to->units] = to->members;
}

/* Merge old and new units by their keys. Local. */
static th_status merge(struct th_working_set *w, const struct record *record,
                       int64_t records, int64_t units, struct th_error *err)
{
  struct th_working_set merged = {0};
  th_status rc = reserve(&merged, w->units + units, w->members + records, err);
  if (rc != TH_OK) {
    th_working_set_free(&merged);
    return rc;
  }
  int64_t old = 0;
  for (int64_t first = 0; first < records;) {
    int64_t last = first;
    while (last < records && record[last].key == record[first].key)
      last++;
    while (old < w->units && w->key[old] < record[first].key)
      copy_unit(&merged, w, old++);
    append_unit(&merged, record + first, last - first);
    first = last;
  }
  while (old < w->units)
    copy_unit(&merged, w, old++);
  th_working_set_free(w);
  *w = merged;
  return TH_OK;
}

th_status th_working_set_add(struct th_working_set *w,
                             const struct th_problem *p, const int64_t *key,
                             int64_t count, struct th_error *err)
{
  struct th_comm *comm = p->context->comm;
  struct record *mine = NULL;
  int64_t *counts = NULL;
  void *all = NULL;
  int64_t bytes = 0;
  int64_t found = describe(p, key, count, NULL);
  th_status rc = TH_NEW(&mine, found, "the working set", err);
  if (rc == TH_OK)
    rc = TH_NEW(&counts, comm->size, "the working set", err);
  TH_TRY(th_agree(comm, rc, err));
  describe(p, key, count, mine);
  TH_TRY(th_comm_gather(comm, mine, found * (int64_t)sizeof *mine, counts, &all,
                        err));
  for (int r = 0; r < comm->size; r++)
    bytes += counts[r];
  int64_t records = bytes / (int64_t)sizeof *mine;
  qsort(all, (size_t)records, sizeof *mine, by_unit_key);
  TH_TRY(th_agree(comm, merge(w, all, records, count, err), err));
done:
  TH_FREE(mine, counts, all);
  return rc;
}

/* Units without a penalty stay. */
static bool unit_is_zero(const struct th_working_set *w, int64_t unit)
{
  if (!(th_penalty_norm_least(w->norm[unit]) > 0))
    return false;
  for (int64_t k = w->start[unit]; k < w->start[unit + 1]; k++)
    if (w->coef[k] != 0)
      return false;
  return true;
}

void th_working_set_drop_zeros(struct th_working_set *w)
{
  struct th_working_set kept = *w;
  kept.units = 0;
  kept.members = 0;
  for (int64_t g = 0; g < w->units; g++)
    if (!unit_is_zero(w, g))
      copy_unit(&kept, w, g); /* in place: writes never overtake reads */
  *w = kept;
}

int64_t th_working_set_find(const struct th_working_set *w, int64_t key)
{
  int64_t unit = th_search_i64(w->key, 0, w->units, key);
  return unit < w->units && w->key[unit] == key ? unit : -1;
}

double th_working_set_omega(const struct th_working_set *w, const double *coef)
{
  double omega = 0;
  for (int64_t g = 0; g < w->units; g++)
    omega += th_penalty_norm_value(w->norm[g], coef + w->start[g],
                                   w->start[g + 1] - w->start[g]);
  return omega;
}

double th_working_set_dual(const struct th_working_set *w, const double *coef,
                           const double *slope, double *work)
{
  double most = 0;
  for (int64_t g = 0; g < w->units; g++) {
    int64_t k = w->start[g];
    double dual = w->norm[g].bounded
                      ? th_penalty_norm_dual_at(w->norm[g], coef[k], -slope[k])
                      : th_penalty_norm_dual(w->norm[g], slope + k,
                                             w->start[g + 1] - k, work);
    most = fmax(most, dual);
  }
  return most;
}

double th_working_set_beyond(const struct th_working_set *w, double lambda,
                             double scale, const double *coef,
                             const double *slope)
{
  double sum = 0;
  for (int64_t g = 0; g < w->units; g++) {
    int64_t k = w->start[g];
    if (w->norm[g].bounded)
      sum += th_penalty_norm_beyond(w->norm[g], coef[k],
                                    -scale * slope[k] / lambda, lambda);
  }
  return sum;
}

struct th_group_norm th_working_set_norm(const struct th_working_set *w,
                                         int64_t member)
{
  return w->units == w->members ? w->norm[member] : (struct th_group_norm){0};
}

double th_working_set_ridge(const struct th_working_set *w, double ridge,
                            const double *coef)
{
  const struct th_vector x = th_column_vector_of(coef, w->members);
  return ridge > 0 ? 0.5 * ridge * th_column_square(&x, w->q) : 0;
}

int64_t th_working_set_support(const struct th_working_set *w)
{
  int64_t size = 0;
  for (int64_t k = 0; k < w->members; k++)
    size += w->coef[k] != 0;
  return size;
}

/* Add the units of an image to an empty set. Collective. */
static void restore_units(struct th_working_set *w, const struct th_problem *p,
                          struct th_state *state)
{
  int64_t *key = NULL;
  int64_t units = w->units;
  w->units = 0;
  if (th_state_next_has(state, units))
    th_state_note(state, TH_NEW(&key, units, "the working set", state->err));
  th_state_attributes(state, "key", key, units);
  bool good = th_state_agree(state, p->context->comm);
  if (good && units > 0 && key != NULL)
    th_state_note(state, th_working_set_add(w, p, key, units, state->err));
  free(key);
}

void th_working_set_describe(struct th_working_set *w,
                             const struct th_problem *p, struct th_state *state)
{
  th_state_enter(state, "working");
  TH_STATE_ONE(state, w, units);
  if (th_state_puts(state))
    restore_units(w, p, state);
  else
    TH_STATE_ARRAY(state, w, key, w->units);
  TH_STATE_ARRAY(state, w, coef, w->members);
  TH_STATE_ARRAY(state, w, earlier, w->members);
  th_state_leave(state);
}
