/* shift.c - sparse attributes whose mean is far from zero, less a constant
 * SPDX-License-Identifier: MIT */
#include "data/shift.h"

#include "base/memory.h"
#include "base/search.h"

#include <math.h>
#include <stddef.h>

enum { MOST = 1 << 17 }; /* entries that shifts may add to a slab */

static const double far = 0.9; /* deviations from zero */

double th_shift_of(const struct th_statistics *s, enum th_type type)
{
  if (!(s->deviation > 0) || !(fabs(s->mean) >= far * s->deviation))
    return 0;
  if (type == TH_F64)
    return s->mean;
  return type == TH_F32 ? (double)(float)s->mean : rint(s->mean);
}

void th_shift_statistics(struct th_statistics *s, double shift)
{
  s->mean -= shift;
  s->lowest -= shift;
  s->highest -= shift;
}

void th_shift_free(struct th_shifts *shifts)
{
  TH_FREE(shifts->item, shifts->attribute, shifts->start, shifts->row,
          shifts->value);
  *shifts = (struct th_shifts){0};
}

/* The first of the shifts whose attribute is not below that one. */
static int64_t first_of(const struct th_shifts *shifts, int64_t attribute)
{
  return th_search_member(shifts->item, sizeof *shifts->item,
                          offsetof(struct th_shift, attribute), shifts->count,
                          attribute);
}

double th_shift_find(const struct th_shifts *shifts, int64_t attribute)
{
  int64_t k = first_of(shifts, attribute);
  bool found = k < shifts->count && shifts->item[k].attribute == attribute;
  return found ? shifts->item[k].value : 0;
}

void th_shift_range_statistics(const struct th_shifts *shifts,
                               struct th_range range,
                               struct th_statistics *statistics)
{
  int64_t last = first_of(shifts, range.last);
  for (int64_t k = first_of(shifts, range.first); k < last; k++)
    th_shift_statistics(&statistics[shifts->item[k].attribute - range.first],
                        shifts->item[k].value);
}

/* A slab and what it becomes. Attributes are counted from the slab's first. */
struct work {
  struct th_shifts *to;
  const struct th_slab *slab;
  int64_t next; /* run of the slab */
  int64_t runs; /* made */
  int64_t entries;
};

static int64_t run_attribute(const struct th_slab *slab, int64_t run)
{
  return slab->base + slab->attribute[run] - slab->attributes.first;
}

/* The first of the slab's attributes that is not below that one. */
static int64_t place_from(const struct th_slab *slab, int64_t attribute)
{
  int64_t count = th_range_count(slab->attributes);
  if (slab->list == NULL)
    return attribute - slab->attributes.first;
  return th_search_i64(slab->list, 0, count, attribute);
}

static const struct th_array of_runs[] = {TH_ARRAY(struct th_shifts, attribute),
                                          TH_ARRAY(struct th_shifts, start)};
static const struct th_array of_entries[] = {TH_ARRAY(struct th_shifts, row),
                                             TH_ARRAY(struct th_shifts, value)};

static void begin_run(struct work *w, int64_t place)
{
  w->to->attribute[w->runs] = (uint32_t)place;
  w->to->start[w->runs++] = (uint32_t)w->entries;
}

/* The entries of the slab's next run that lie on its rows, as they are. */
static void copy_run(struct work *w)
{
  const struct th_slab *slab = w->slab;
  struct th_range from = th_slab_entries(slab, w->next);
  int64_t count = th_range_count(from);
  begin_run(w, run_attribute(slab, w->next++));
  th_type_load_all(slab->type, slab->values, from.first, count,
                   w->to->value + w->entries);
  for (int64_t e = from.first; e < from.last; e++)
    w->to->row[w->entries++] = slab->row_in_group[e];
}

/* An attribute with a shift: whether it has a run or not, all its rows. */
static void fill_run(struct work *w, int64_t place, double shift)
{
  const struct th_slab *slab = w->slab;
  double *value = w->to->value + w->entries;
  begin_run(w, place);
  for (int32_t i = 0; i < slab->rows; i++) {
    w->to->row[w->entries++] = (uint16_t)(slab->row + i);
    value[i] = -shift;
  }
  if (w->next == slab->runs || run_attribute(slab, w->next) != place)
    return;
  struct th_range from = th_slab_entries(slab, w->next++);
  for (int64_t e = from.first; e < from.last; e++)
    value[slab->row_in_group[e] - slab->row] =
        th_type_load(slab->type, slab->values, e) - shift;
}

static void make_runs(struct work *w, struct th_range found)
{
  const struct th_slab *slab = w->slab;
  for (int64_t k = found.first; k < found.last; k++) {
    const struct th_shift *shift = &w->to->item[k];
    int64_t place = place_from(slab, shift->attribute);
    while (w->next < slab->runs && run_attribute(slab, w->next) < place)
      copy_run(w);
    if (th_slab_attribute(slab, place) == shift->attribute) /* it is listed */
      fill_run(w, place, shift->value);
  }
  while (w->next < slab->runs)
    copy_run(w);
  w->to->start[w->runs] = (uint32_t)w->entries;
}

/* Room for what a slab becomes. */
static th_status reserve(struct th_shifts *shifts, const struct th_slab *slab,
                         int64_t shifted, struct th_error *err)
{
  const char *what = "attributes far from zero";
  int64_t stored = (int64_t)slab->start[slab->runs] - slab->start[0];
  th_status rc;
  TH_TRY(th_memory_arrays_reserve(TH_ARRAYS(shifts, of_runs), &shifts->runs,
                                  slab->runs + shifted + 1, what, err));
  TH_TRY(th_memory_arrays_reserve(TH_ARRAYS(shifts, of_entries),
                                  &shifts->entries,
                                  stored + shifted * slab->rows, what, err));
done:
  return rc;
}

/* The shifts that lie among a slab's attributes. */
static struct th_range shifts_in_slab(const struct th_shifts *shifts,
                                      const struct th_slab *slab)
{
  int64_t last = th_range_count(slab->attributes) - 1;
  return (struct th_range){first_of(shifts, th_slab_attribute(slab, 0)),
                           first_of(shifts, th_slab_attribute(slab, last) + 1)};
}

/* A slab without an entry of its attributes may become large: end it behind so
 * many that have a shift. */
static void cut(const struct th_shifts *shifts, struct th_slab *slab,
                struct th_range *found)
{
  int64_t most = slab->rows > 0 && slab->rows < MOST ? MOST / slab->rows : 1;
  if (found->last - found->first <= most)
    return;
  found->last = found->first + most;
  int64_t place = place_from(slab, shifts->item[found->last].attribute);
  int64_t first = slab->attributes.first;
  *slab = th_slab_part(slab, (struct th_range){first, first + place});
}

th_status th_shift_apply(struct th_shifts *shifts, struct th_slab *slab,
                         struct th_error *err)
{
  if (shifts->count == 0 || slab->attributes.first == slab->attributes.last)
    return TH_OK;
  struct th_range found = shifts_in_slab(shifts, slab);
  if (found.first == found.last)
    return TH_OK;
  cut(shifts, slab, &found);
  th_status rc = reserve(shifts, slab, th_range_count(found), err);
  if (rc != TH_OK)
    return rc;
  const struct th_slab given = *slab;
  struct work w = {.to = shifts, .slab = &given};
  make_runs(&w, found);
  slab->type = TH_F64;
  slab->values = shifts->value;
  slab->runs = w.runs;
  slab->base = slab->attributes.first;
  slab->attribute = shifts->attribute;
  slab->start = shifts->start;
  slab->row_in_group = shifts->row;
  return TH_OK;
}
