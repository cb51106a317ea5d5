/* row_cache.c - the values of the active attributes, example by example
 * SPDX-License-Identifier: MIT */
#include "solvers/data/row_cache.h"

#include "core/memory.h"
#include "solvers/data/row_cache_load.h"

#include <stdlib.h>
#include <string.h>

th_status th_row_caches_init(struct th_row_caches *panels,
                             struct th_context *context,
                             const struct th_active *active, int64_t limit,
                             struct th_error *err)
{
  const struct th_shape *shape = th_source_shape(context->source);
  const struct th_deal_plan *plan = &context->deal.plan;
  th_status rc;
  *panels =
      (struct th_row_caches){.context = context,
                             .active = active,
                             .type = shape->type == TH_F64 ? TH_F64 : TH_F32,
                             .sparse = shape->layout == TH_SPARSE,
                             .plan = plan,
                             .count = th_deal_units(plan),
                             .limit = limit};
  TH_TRY(TH_NEW(&panels->panel, panels->count, "panels", err));
  TH_TRY(TH_NEW(&panels->column, plan->unit, "panels", err));
done:
  return rc;
}

void th_row_cache_drop(struct th_row_caches *panels, struct th_row_cache *panel)
{
  panels->bytes -= panel->bytes;
  TH_FREE(panel->values, panel->place, panel->start);
  *panel = (struct th_row_cache){.holders = panel->holders};
}

th_status th_row_caches_reserve(struct th_row_caches *panels,
                                struct th_error *err)
{
  return TH_GROW(&panels->renumber, &panels->renumber_capacity,
                 panels->active->count, "panels", err);
}

void th_row_caches_forget(struct th_row_caches *panels)
{
  for (int64_t k = 0; k < panels->count; k++)
    th_row_cache_drop(panels, &panels->panel[k]);
}

void th_row_caches_free(struct th_row_caches *panels)
{
  if (panels->panel != NULL)
    th_row_caches_forget(panels);
  TH_FREE(panels->panel, panels->column, panels->renumber);
  *panels = (struct th_row_caches){.panel = NULL};
}

struct th_rows th_row_caches_unit(const struct th_row_caches *panels, int64_t k)
{
  return th_deal_unit(panels->plan, k);
}

int64_t th_row_caches_unit_of(const struct th_row_caches *panels, int64_t row)
{
  return th_deal_place(panels->plan, row).unit;
}

/* Panels that nobody holds make room, in turn: what is dealt comes once in each
 * pass, so the one used longest ago is wanted no later than others. */
static void make_room(struct th_row_caches *panels)
{
  if (panels->limit == 0)
    return;
  for (int64_t k = 0; k < panels->count && panels->bytes > panels->limit; k++) {
    struct th_row_cache *panel = &panels->panel[panels->next_victim];
    panels->next_victim = (panels->next_victim + 1) % panels->count;
    if (panel->holders == 0 && panel->loaded)
      th_row_cache_drop(panels, panel);
  }
}

th_status th_row_caches_draw(struct th_row_caches *panels, int64_t k,
                             struct th_error *err)
{
  struct th_row_cache *panel = &panels->panel[k];
  struct th_rows unit = th_row_caches_unit(panels, k);
  struct th_draw draw = {.rows = {.items = &unit, .count = 1}, .active = true};
  th_status rc;
  panel->holders++;
  TH_TRY(th_source_draw(panels->context->source, &draw, err));
  if (panel->loaded)
    return rc;
  TH_TRY(th_row_cache_load(panels, panel, &draw, err));
  panels->bytes += panel->bytes;
  make_room(panels);
done:
  return rc;
}

void th_row_caches_release(struct th_row_caches *panels, int64_t k)
{
  panels->panel[k].holders--;
}

void th_row_caches_row(const struct th_row_caches *panels, int64_t row,
                       struct th_row *values)
{
  struct th_deal_place place = th_deal_place(panels->plan, row);
  const struct th_row_cache *panel = &panels->panel[place.unit];
  int64_t i = place.row;
  int64_t start = panels->sparse ? panel->start[i] : i * panel->places;
  int64_t count = panels->sparse ? panel->start[i + 1] - start : panel->places;
  size_t offset = th_type_offset(panels->type, start);
  values->type = panels->type;
  values->count = count;
  values->values = (const char *)panel->values + offset;
  values->place = panels->sparse ? panel->place + start : NULL;
}

/* Rows one behind the other, shorter than before. */
#define DEFINE_KEEP(name, ctype)                                               \
  static int64_t keep_##name(ctype x[], int64_t rows, int64_t places,          \
                             const bool *keep)                                 \
  {                                                                            \
    int64_t to = 0;                                                            \
    for (int64_t i = 0; i < rows; i++)                                         \
      for (int64_t p = 0; p < places; p++) {                                   \
        x[to] = x[i * places + p];                                             \
        to += keep[p];                                                         \
      }                                                                        \
    return to;                                                                 \
  }

DEFINE_KEEP(f32, float)
DEFINE_KEEP(f64, double)

static void keep_dense(const struct th_row_caches *panels,
                       struct th_row_cache *panel, int64_t rows,
                       const bool *keep)
{
  int64_t kept = panels->type == TH_F32
                     ? keep_f32(panel->values, rows, panel->places, keep)
                     : keep_f64(panel->values, rows, panel->places, keep);
  panel->bytes = kept * (int64_t)th_type_size(panels->type);
}

static void keep_sparse(const struct th_row_caches *panels,
                        struct th_row_cache *panel, int64_t rows,
                        const bool *keep)
{
  const size_t size = th_type_size(panels->type);
  char *values = panel->values;
  int64_t from = 0;
  int64_t to = 0;
  for (int64_t i = 0; i < rows; i++) {
    for (; from < panel->start[i + 1]; from++)
      if (keep[panel->place[from]]) {
        panel->place[to] = panels->renumber[panel->place[from]];
        memmove(values + (size_t)to * size, values + (size_t)from * size, size);
        to++;
      }
    panel->start[i + 1] = to;
  }
  panel->bytes = (rows + 1) * (int64_t)sizeof *panel->start +
                 to * (int64_t)(sizeof *panel->place + size);
}

/* Give back what a panel no longer takes; where that fails it stays larger. */
static void shrink(void **data, int64_t count, size_t size)
{
  void *smaller = realloc(*data, (size_t)(count > 0 ? count : 1) * size);
  if (smaller != NULL)
    *data = smaller;
}

static void keep_panel(const struct th_row_caches *panels,
                       struct th_row_cache *panel, int64_t rows, int64_t kept,
                       const bool *keep)
{
  const size_t size = th_type_size(panels->type);
  if (panels->sparse) {
    keep_sparse(panels, panel, rows, keep);
    shrink((void **)&panel->place, panel->start[rows], sizeof *panel->place);
    shrink(&panel->values, panel->start[rows], size);
  } else {
    keep_dense(panels, panel, rows, keep);
    shrink(&panel->values, rows * kept, size);
  }
  panel->places = kept;
}

void th_row_caches_keep(struct th_row_caches *panels, const bool *keep)
{
  int64_t kept = 0;
  for (int64_t p = 0; p < panels->active->count; p++) {
    panels->renumber[p] = (int32_t)kept;
    kept += keep[p];
  }
  for (int64_t k = 0; k < panels->count; k++) {
    struct th_row_cache *panel = &panels->panel[k];
    if (!panel->loaded)
      continue;
    panels->bytes -= panel->bytes;
    keep_panel(panels, panel, th_row_caches_unit(panels, k).count, kept, keep);
    panels->bytes += panel->bytes;
  }
}
