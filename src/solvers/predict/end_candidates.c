/* end_candidates.c - the candidates of an end that predicts, and whether more
 * nets are worth trying
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "solvers/predict/end.h"

#include <stdlib.h>

const double th_end_mix[TH_MIXES] = {1, 0.5, 0.1};

enum {
  ENOUGH_ROWS = 100,    /* of a fold that tells mixes apart */
  MANY_VALUES = 1000000 /* of a list: the paths of fewer take no time */
};

void th_end_candidates_dismiss(struct th_end_candidates *c)
{
  th_choice_free(&c->choice);
  TH_FREE(c->target, c->weight, c->place, c->prediction);
}

th_status th_end_candidates_invite(struct th_end_candidates *c,
                                   const struct th_end_work *w, int64_t fold,
                                   struct th_error *err)
{
  static const char what[] = "the examples that choose the model";
  int64_t most = fold < 0 ? w->context->config->sparsity : 0;
  int64_t *at = NULL;    /* of a row of the end: its place in the choice + 1 */
  int64_t *equal = NULL; /* of a row of the choice: how many it stands for */
  int64_t rows = 0;
  th_status rc;
  TH_TRY(TH_NEW(&at, w->rows, what, err));
  TH_TRY(TH_NEW(&equal, w->held, what, err));
  TH_TRY(TH_NEW(&c->target, w->held, what, err));
  TH_TRY(TH_NEW(&c->weight, w->held, what, err));
  TH_TRY(TH_NEW(&c->place, w->held, what, err));
  TH_TRY(TH_NEW(&c->prediction, w->held, what, err));
  for (int64_t k = 0; k < w->held; k++) {
    int64_t i = w->held_row[k];
    if (fold >= 0 && w->end->fold[i] != fold)
      continue;
    int64_t lead = th_end_lead(w, i);
    if (at[lead] > 0) {
      c->weight[at[lead] - 1] += w->weight[i];
      equal[at[lead] - 1]++;
      continue;
    }
    c->place[rows] = k;
    c->target[rows] = w->target[i];
    equal[rows] = 1;
    c->weight[rows++] = w->weight[i];
    at[lead] = rows;
  }
  rc = th_choice_init(&c->choice, rows, c->target, c->weight, w->context->loss,
                      most, err);
  th_choice_count(&c->choice, th_end_rows_effective(c->weight, equal, rows));
done:
  TH_FREE(at, equal);
  return rc;
}

th_status th_end_candidates_add_nets(struct th_end_candidates *c,
                                     const struct th_end_work *w, int mix,
                                     int64_t points, bool sized,
                                     struct th_error *err)
{
  th_status rc = TH_OK;
  for (int64_t k = 0; k < points && rc == TH_OK; k++) {
    int64_t net = mix * TH_LAMBDAS + k;
    for (int64_t i = 0; i < c->choice.rows; i++)
      c->prediction[i] = w->prediction[net * w->held + c->place[i]];
    rc = th_choice_add(&c->choice, TH_CANDIDATE_NET, mix, k,
                       sized ? w->size[net] : 1, c->prediction, err);
  }
  return rc;
}

int64_t th_end_candidates_points(const struct th_end_work *w, int mix,
                                 int64_t paths)
{
  int64_t least = TH_LAMBDAS;
  for (int64_t f = 0; f < paths; f++)
    least = th_min_i64(least, *th_end_path_points(w, mix, f));
  return least;
}

th_status th_end_candidates_add(struct th_end_candidates *c,
                                enum th_candidate_kind kind, int64_t size,
                                const double *prediction, struct th_error *err)
{
  for (int64_t i = 0; i < c->choice.rows; i++)
    c->prediction[i] = prediction[c->place[i]];
  return th_choice_add(&c->choice, kind, 0, 0, size, c->prediction, err);
}

bool th_end_candidates_are_dear(const struct th_end_work *w, int64_t fold)
{
  return th_end_list_of(w, fold)->count * w->rows >= MANY_VALUES;
}

bool th_end_candidates_can_tell(const struct th_end_candidates *c)
{
  return th_choice_effective(&c->choice) >= ENOUGH_ROWS;
}

th_status th_end_candidates_go_on(const struct th_end_work *w, int mix,
                                  bool *goes_on, struct th_error *err)
{
  struct th_end_candidates c = {0};
  th_status rc = TH_OK;
  *goes_on = true;
  if (!th_end_candidates_are_dear(w, 0))
    return rc;
  TH_TRY(th_end_candidates_invite(&c, w, 0, err));
  TH_TRY(th_end_candidates_add(&c, TH_CANDIDATE_NULL, 0, w->null, err));
  TH_TRY(th_end_candidates_add(&c, TH_CANDIDATE_STRICT, 1, w->strict, err));
  for (int m = 0; m <= mix; m++)
    TH_TRY(th_end_candidates_add_nets(&c, w, m, *th_end_path_points(w, m, 0),
                                      false, err));
  *goes_on = !th_end_candidates_can_tell(&c) ||
             !(th_choice_leads(&c.choice) ||
               (mix > 0 && th_choice_trails(&c.choice, mix, mix - 1)));
done:
  th_end_candidates_dismiss(&c);
  return rc;
}
