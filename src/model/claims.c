/* claims.c - what a run says of its model
 * SPDX-License-Identifier: MIT */
#include "model/claims.h"

#include "base/memory.h"

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

enum { ORIGINS = sizeof origins / sizeof *origins };

static bool is_end(int64_t ended_by)
{
  return ended_by >= 0 && ended_by < TH_ENDED_KINDS;
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

#define ROW(type, ...) TH_FIELDS_ROW(struct th_claims, type, __VA_ARGS__)
static const struct th_fields_row claims_rows[] = {TH_CLAIMS_FIELDS(ROW)};
const struct th_fields th_claims_fields = TH_FIELDS(claims_rows);
#undef ROW

#define ROW(type, ...) TH_FIELDS_ROW(struct th_ending, type, __VA_ARGS__)
static const struct th_fields_row ending_rows[] = {TH_ENDING_FIELDS(ROW)};
const struct th_fields th_ending_fields = TH_FIELDS(ending_rows);
#undef ROW

#define ROW(type, ...) TH_FIELDS_ROW(struct th_selected, type, __VA_ARGS__)
static const struct th_fields_row selected_rows[] = {TH_SELECTED_FIELDS(ROW)};
const struct th_fields th_selected_fields = TH_FIELDS(selected_rows);
#undef ROW

void th_claims_selected_free(struct th_selected *selection)
{
  TH_FREE(selection->attribute);
  *selection = (struct th_selected){0};
}
