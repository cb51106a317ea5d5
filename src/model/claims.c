/* claims.c - what a run says of its model
 * SPDX-License-Identifier: MIT */
#include "model/claims.h"

#include "base/memory.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- Tables of fields ----------------------------------------------------- */

static bool row_good(const struct th_fields_row *row, const void *values,
                     bool reals)
{
  double most = row->type == TH_FIELD_FLAG ? 1
                : row->most > 0            ? (double)row->most
                                           : INFINITY;
  if (row->type == TH_FIELD_BITS || row->type == TH_FIELD_TEXT ||
      (th_claims_field_is_real(row) && !reals))
    return true;
  double value = th_claims_field_number(row, values);
  return isfinite(value) && value >= 0 && value <= most;
}

bool th_claims_good(const struct th_fields *record, const void *values,
                    bool reals)
{
  for (int k = 0; k < record->rows; k++)
    if (!row_good(&record->row[k], values, reals))
      return false;
  return true;
}

/* --- The certificate of a penalised model: objective, gap, optimality ----- */

#define ROW(type, ...) TH_FIELDS_ROW(struct th_certificate, type, __VA_ARGS__)
static const struct th_fields_row certificate_rows[] = {
    TH_CERTIFICATE_FIELDS(ROW)};
const struct th_fields th_certificate_fields = TH_FIELDS(certificate_rows);
#undef ROW

th_status th_claims_certificate_copy(struct th_certificate *to,
                                     const struct th_certificate *from,
                                     struct th_error *err)
{
  struct th_path_point *path = NULL;
  size_t size = (size_t)from->path_size;
  th_status rc = TH_NEW(&path, from->path_size, "the path", err);
  if (rc != TH_OK)
    return rc;
  if (size > 0)
    memcpy(path, from->path, size * sizeof *path);
  th_claims_certificate_free(to);
  *to = *from;
  to->path = path;
  return TH_OK;
}

void th_claims_certificate_free(struct th_certificate *certificate)
{
  free(certificate->path);
  *certificate = (struct th_certificate){0};
}

void th_claims_certificate_describe(struct th_certificate *c, const char *name,
                                    struct th_state *state)
{
  th_state_enter(state, name);
  for (int k = 0; k < th_certificate_fields.rows; k++) {
    const struct th_fields_row *row = &th_certificate_fields.row[k];
    th_state_one(state, row->name,
                 th_claims_field_is_real(row) ? TH_STATE_F64 : TH_STATE_I64,
                 th_claims_field_at(row, c));
  }
  TH_STATE_ARRAY(state, c, margin, TH_MARGINS);
  th_state_leave(state);
}

void th_claims_certificate_describe_path(struct th_certificate *c,
                                         int64_t points, struct th_state *state)
{
  enum { NUMBERS = sizeof *c->path / sizeof(int64_t) };
  th_state_all(state, "path", TH_STATE_I64, c->path, NUMBERS * points);
}

/* --- How a run ended, what it chose --------------------------------------- */

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
