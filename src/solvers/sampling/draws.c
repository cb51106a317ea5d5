/* draws.c - which attributes of an example are read
 * SPDX-License-Identifier: MIT */
#include "solvers/sampling/draws.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/discrete.h"
#include "ranks/partition.h"
#include "solvers/access/context.h"
#include "solvers/sampling/iterate.h"

#include <math.h>

enum {
  CELL_LEVELS = 2, /* of sums within a cell: TH_CELL = TH_SUM_FAN^2 */
  NUMBERS = 6      /* of 8 bytes for an attribute, besides sums */
};
_Static_assert(TH_CELL == TH_SUM_FAN * TH_SUM_FAN, "tops of sums are cells");

int64_t th_draws_bytes(void)
{
  return (NUMBERS + 2) * (int64_t)sizeof(double);
}

th_status th_draws_init(struct th_draws *draws,
                        const struct th_context *context, struct th_error *err)
{
  int64_t count = th_range_count(context->owned);
  int64_t cells = th_iterate_cells_count(context);
  const char *what = "draws of attributes";
  th_status rc;
  *draws = (struct th_draws){.seed = context->config->seed,
                             .cells = th_iterate_cells_owned(context),
                             .first = context->owned.first,
                             .cell = {.count = cells}};
  TH_TRY(TH_NEW(&draws->cell.place, cells, what, err));
  TH_TRY(TH_NEW(&draws->work, cells, what, err));
  TH_TRY(TH_NEW(&draws->places, th_max_i64(cells, TH_CELL), what, err));
  TH_TRY(TH_NEW(&draws->place, count, what, err));
  TH_TRY(TH_NEW(&draws->odds, count, what, err));
  TH_TRY(TH_NEW(&draws->root, count, what, err));
  TH_TRY(TH_NEW(&draws->weight, count, what, err));
  TH_TRY(th_discrete_init(&draws->mass, count, CELL_LEVELS, err));
  TH_TRY(th_discrete_init(&draws->all, cells, TH_SUM_LEVELS - 1, err));
done:
  return rc;
}

void th_draws_free(struct th_draws *draws)
{
  TH_FREE(draws->cell.place, draws->work, draws->places, draws->place,
          draws->odds, draws->root, draws->weight);
  th_discrete_free(&draws->mass);
  th_discrete_free(&draws->all);
}

/* The table of a cell, whose first attribute is at `place`. */
static struct th_alias table_at(const struct th_draws *draws, int64_t place)
{
  int64_t rest = draws->mass.leaves - place;
  return (struct th_alias){.count = th_min_i64(rest, TH_CELL),
                           .place = draws->place + place};
}

th_status th_draws_set(struct th_draws *draws, const struct th_context *context,
                       struct th_error *err)
{
  int64_t count = th_range_count(context->owned);
  double sum = th_iterate_cells_sum(context, draws->weight, draws->work);
  if (!(sum > 0 && isfinite(sum)))
    return th_fail(
        err, TH_EDATA,
        "the second moments of the attributes add up to %g, so "
        "that none can be drawn by them; {moments} uniform needs none",
        sum);
  th_discrete_alias_build(&draws->cell, draws->work, draws->places);
  for (int64_t place = 0; place < count; place += TH_CELL) {
    struct th_alias table = table_at(draws, place);
    if (draws->work[draws->cells.first + place / TH_CELL] > 0)
      th_discrete_alias_build(&table, draws->weight + place, draws->places);
  }
  for (int64_t a = 0; a < count; a++)
    draws->odds[a] =
        (struct th_draws_odds){draws->weight[a] / sum, draws->root[a]};
  return TH_OK;
}

static double mass_of(const struct th_draws *draws, int64_t a, double u)
{
  return draws->plain != NULL ? draws->plain(u) : fabs(u) * draws->odds[a].root;
}

void th_draws_weigh(struct th_draws *draws, int64_t a, double u)
{
  draws->mass.level[0][a] = mass_of(draws, a, u);
  th_discrete_update(&draws->mass, a);
}

void th_draws_weigh_all(struct th_draws *draws,
                        const struct th_context *context,
                        const struct th_iterate *w)
{
  for (int64_t a = 0; a < draws->mass.leaves; a++)
    draws->mass.level[0][a] = mass_of(draws, a, w->at[a].u);
  th_discrete_refresh(&draws->mass);
  th_iterate_cells_share(context, &draws->mass, &draws->all);
}

int32_t th_draws_cell(const struct th_draws *draws, bool inner, int64_t example,
                      int64_t slot, double *number)
{
  struct th_stream stream = {draws->seed, TH_PURPOSE_SLOT};
  double pair[2];
  th_random_uniform(stream, (uint64_t)example, (uint64_t)slot, pair);
  *number = pair[1];
  return (int32_t)(inner ? th_discrete_draw(&draws->all, 0, pair[0])
                         : th_discrete_alias_draw(&draws->cell, pair[0]));
}

void th_draws_prefetch(const struct th_draws *draws, bool inner, int32_t cell,
                       double number)
{
  int64_t first = (cell - draws->cells.first) * TH_CELL;
  if (inner && draws->mass.levels > 0) {
    const double *top = draws->mass.level[1] + first / TH_SUM_FAN;
    __builtin_prefetch(top);
    __builtin_prefetch(top + TH_SUM_FAN / 2);
    return;
  }
  struct th_alias table = table_at(draws, first);
  __builtin_prefetch(&table.place[th_discrete_alias_place(&table, number)]);
}

int64_t th_draws_attribute(const struct th_draws *draws, bool inner,
                           int32_t cell, double number)
{
  int64_t mine = cell - draws->cells.first;
  if (inner)
    return th_discrete_draw(&draws->mass, mine, number);
  struct th_alias table = table_at(draws, mine * TH_CELL);
  return mine * TH_CELL + th_discrete_alias_draw(&table, number);
}

double th_draws_total(const struct th_draws *draws)
{
  return th_discrete_top(&draws->all, 0);
}
