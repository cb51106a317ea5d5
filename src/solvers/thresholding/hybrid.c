/* hybrid.c - Hybrid: rounds of Exploration, each followed by Exploitation
 *
 * Murata & Suzuki 2018, Algorithm 3. Round k makes T^-_k updates of Algorithm 1
 * and T_k updates of Algorithm 2 on the support found; batches grow from round
 * to round.
 * SPDX-License-Identifier: MIT */
#include "solvers/algorithm.h"
#include "solvers/thresholding/algorithms.h"
#include "solvers/thresholding/iht.h"

th_status th_iht_step(struct th_iht *h, struct th_context *context,
                      bool explore, bool exploit, bool *more,
                      struct th_error *err)
{
  th_status rc;
  TH_TRY(th_iht_round(h, context, explore, exploit, more, err));
  /* line 2: Exploration(theta, eta, s', s, {B^-}, T^-) */
  for (int64_t t = 0; t < h->updates_explore && *more; t++)
    TH_TRY(th_iht_explore(h, context, more, err));
  /* line 3: Exploitation(theta, eta, {B}, T) */
  for (int64_t t = 0; t < h->updates_exploit && *more; t++)
    TH_TRY(th_iht_exploit(h, context, more, err));
  if (*more)
    TH_TRY(th_iht_round_end(h, context, err));
done:
  return rc;
}

static th_status step(void *state, struct th_context *context, bool *more,
                      struct th_error *err)
{
  return th_iht_step(state, context, true, true, more, err);
}

const struct th_algorithm th_hybrid_algorithm = TH_IHT_ALGORITHM(step);
