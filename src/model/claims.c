/* claims.c - how a run ended, and what it says of its model
 * SPDX-License-Identifier: MIT */
#include "model/claims.h"

#include <math.h>

static const char *const words[] = {
#define WORD(name, word, what) word,
    TH_ENDED_BY(WORD)
#undef WORD
};

static const char *const meanings[] = {
#define MEANING(name, word, what) what,
    TH_ENDED_BY(MEANING)
#undef MEANING
};

static const char *const origins[] = {[TH_CONSTANT_ASSUMED] = "assumed",
                                      [TH_CONSTANT_GIVEN] = "given",
                                      [TH_CONSTANT_GENERATOR] = "generator",
                                      [TH_CONSTANT_CONTRADICTED] =
                                          "contradicted"};

enum {
  ENDS = sizeof words / sizeof *words,
  ORIGINS = sizeof origins / sizeof *origins
};

static bool is_end(int64_t ended_by)
{
  return ended_by >= 0 && ended_by < ENDS;
}

static bool is_origin(int64_t from)
{
  return from >= 0 && from < ORIGINS;
}

const char *th_claims_end_word(int64_t ended_by)
{
  return is_end(ended_by) ? words[ended_by] : "";
}

const char *th_claims_end_meaning(int64_t ended_by)
{
  return is_end(ended_by) ? meanings[ended_by] : "";
}

bool th_claims_complete(int64_t ended_by)
{
  return ended_by == TH_ENDED_SPARSITY || ended_by == TH_ENDED_BOUND ||
         ended_by == TH_ENDED_NOTHING;
}

const char *th_claims_from_word(int64_t from)
{
  return is_origin(from) ? origins[from] : "";
}

bool th_claims_holds(int64_t from)
{
  return from == TH_CONSTANT_GIVEN || from == TH_CONSTANT_GENERATOR;
}

bool th_claims_good(const struct th_claims *claims)
{
  bool good = is_end(claims->ended_by) && is_origin(claims->mu_from) &&
              is_origin(claims->rho_from) && is_origin(claims->smoothness_from);
#define GOOD(name, what)                                                       \
  good = good && isfinite(claims->name) && claims->name >= 0;
  TH_CLAIMS_REALS(GOOD)
#undef GOOD
  return good;
}
