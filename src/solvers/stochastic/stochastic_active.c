/* stochastic_active.c - what is derived from the set of active attributes
 * SPDX-License-Identifier: MIT */
#include "core/partition.h"
#include "solvers/stochastic/stochastic_parts.h"

#include "core/integer.h"
#include "core/memory.h"

#include <string.h>

static const struct th_array work[] = {
    TH_ARRAY(struct th_places, keep), TH_ARRAY(struct th_places, group_keep),
    TH_ARRAY(struct th_places, group_dual),
    TH_ARRAY(struct th_places, group_second)};

void th_stochastic_places_free(struct th_places *places)
{
  TH_FREE(places->edge, places->choice);
  th_memory_arrays_free(TH_ARRAYS(places, work));
}

/* Room for all places and their cells. Local. */
static th_status reserve(struct th_stochastic *s, struct th_error *err)
{
  struct th_range owned = s->active.owned;
  th_status rc;
  TH_TRY(TH_GROW(&s->places.edge, &s->places.edge_capacity,
                 th_integer_ceil_divide(owned.last - owned.first, TH_CELL) + 1,
                 "the attributes left after screening", err));
  TH_TRY(th_row_caches_reserve(&s->caches, err));
  TH_TRY(th_memory_arrays_reserve(
      TH_ARRAYS(&s->places, work), &s->places.capacity,
      th_max_i64(s->active.count, 1), "screening", err));
done:
  return rc;
}

/* Where cells begin among the active places. Local. */
static void form_cells(struct th_stochastic *s)
{
  int64_t cells = 0;
  for (int64_t p = 0; p < s->active.count;) {
    s->places.edge[cells++] = p;
    p = th_active_cell_end(&s->active, p);
  }
  s->places.edge[cells] = s->active.count;
  s->places.cells =
      (struct th_cells){cells, s->places.edge, s->active.attribute};
}

th_status th_stochastic_form(struct th_stochastic *s, struct th_error *err)
{
  const struct th_config *config = s->context->config;
  th_status rc = reserve(s, err);
  if (rc == TH_OK)
    form_cells(s);
  rc = th_agree(s->context->comm, rc, err);
  if (rc != TH_OK)
    return rc;
  struct th_grouping_penalty of = {.penalty = th_penalty_find(config->penalty),
                                   .mix = config->group.mix,
                                   .groups = config->groups};
  return th_grouping_build(&s->grouping, &of, s->context->comm,
                           s->active.attribute, s->active.count, err);
}

th_status th_stochastic_keep(struct th_stochastic *s, struct th_error *err)
{
  int64_t dropped = 0;
  th_status rc = TH_OK;
  for (int64_t p = 0; p < s->active.count; p++)
    dropped += !s->places.keep[p];
  s->context->comm->ops->sum_i64(s->context->comm, &dropped, 1);
  if (dropped == 0)
    return rc;
  th_stochastic_changed(s, TH_CHANGE_PLACES);
  th_row_caches_keep(&s->caches, s->places.keep);
  TH_TRY(th_active_keep(&s->active, s->context, s->places.keep, err));
  rc = th_stochastic_form(s, err);
done:
  return rc;
}

th_status th_stochastic_rebuild(struct th_stochastic *s, struct th_error *err)
{
  th_status rc = TH_OK;
  th_stochastic_changed(s, TH_CHANGE_PLACES);
  th_row_caches_forget(&s->caches);
  TH_TRY(th_stochastic_form(s, err));
  for (int64_t k = 0; k < s->minibatch.holds && rc == TH_OK; k++) {
    rc = th_row_caches_draw(&s->caches, s->minibatch.held[k], err);
    th_row_caches_release(&s->caches, s->minibatch.held[k]);
  }
  TH_TRY(th_agree(s->context->comm, rc, err));
  TH_TRY(th_stochastic_norms(s, err));
  TH_TRY(th_stochastic_batch_speedup(s, err));
done:
  return rc;
}

double *th_stochastic_update_field(const struct th_stochastic *s, int field)
{
  return s->active.field[TH_FIELD_UPDATE + field];
}

double *th_stochastic_screening_field(const struct th_stochastic *s, int field)
{
  return s->active.field[TH_FIELD_UPDATE + s->update->fields + field];
}
