/* certificate.c - copies and describes certificates
 * SPDX-License-Identifier: MIT */
#include "model/certificate.h"

#include "base/memory.h"
#include "state/state.h"

#include <stdlib.h>
#include <string.h>

#define ROW(type, ...) TH_FIELDS_ROW(struct th_certificate, type, __VA_ARGS__)
static const struct th_fields_row certificate_rows[] = {
    TH_CERTIFICATE_FIELDS(ROW)};
const struct th_fields th_certificate_fields = TH_FIELDS(certificate_rows);
#undef ROW

th_status th_certificate_copy(struct th_certificate *to,
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
  th_certificate_free(to);
  *to = *from;
  to->path = path;
  return TH_OK;
}

void th_certificate_free(struct th_certificate *certificate)
{
  free(certificate->path);
  *certificate = (struct th_certificate){0};
}

void th_certificate_describe(struct th_certificate *c, const char *name,
                             struct th_state *state)
{
  th_state_enter(state, name);
  for (int k = 0; k < th_certificate_fields.rows; k++) {
    const struct th_fields_row *row = &th_certificate_fields.row[k];
    th_state_one(state, row->name,
                 th_fields_is_real(row) ? TH_STATE_F64 : TH_STATE_I64,
                 th_fields_at(row, c));
  }
  TH_STATE_ARRAY(state, c, margin, TH_MARGINS);
  th_state_leave(state);
}

void th_certificate_describe_path(struct th_certificate *c, int64_t points,
                                  struct th_state *state)
{
  enum { NUMBERS = sizeof *c->path / sizeof(int64_t) };
  th_state_all(state, "path", TH_STATE_I64, c->path, NUMBERS * points);
}
