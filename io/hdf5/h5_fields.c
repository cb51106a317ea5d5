/* h5_fields.c - the members of a struct as attributes, in either direction
 * SPDX-License-Identifier: MIT */
#include "io/hdf5/h5.h"

th_status th_h5_put_fields(const struct th_h5 *h5, const char *object,
                           const struct th_h5_field *field, size_t fields,
                           struct th_error *err)
{
  th_status rc = TH_OK;
  for (size_t k = 0; k < fields && rc == TH_OK; k++) {
    const struct th_h5_field *f = &field[k];
    if (f->kind == TH_H5_F64)
      rc = th_h5_put_f64(h5, object, f->name, *(const double *)f->value, err);
    else if (f->kind == TH_H5_I64)
      rc = th_h5_put_i64(h5, object, f->name, *(const int64_t *)f->value, err);
    else if (f->kind == TH_H5_U64)
      rc = th_h5_put_u64(h5, object, f->name, *(const uint64_t *)f->value, err);
    else
      rc = th_h5_put_text(h5, object, f->name, *(char *const *)f->value, err);
  }
  return rc;
}

th_status th_h5_get_fields(const struct th_h5 *h5, const char *object,
                           const struct th_h5_field *field, size_t fields,
                           struct th_error *err)
{
  th_status rc = TH_OK;
  for (size_t k = 0; k < fields && rc == TH_OK; k++) {
    const struct th_h5_field *f = &field[k];
    if (f->kind == TH_H5_F64)
      rc = th_h5_get_f64(h5, object, f->name, f->value, err);
    else if (f->kind == TH_H5_I64)
      rc = th_h5_get_i64(h5, object, f->name, f->value, err);
    else if (f->kind == TH_H5_U64)
      rc = th_h5_get_u64(h5, object, f->name, f->value, err);
    else
      rc = th_h5_get_line(h5, object, f->name, f->value, err);
  }
  return rc;
}
