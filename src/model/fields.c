/* fields.c - what holds of the fields of all records
 * SPDX-License-Identifier: MIT */
#include "model/fields.h"

#include <math.h>

static bool row_good(const struct th_fields_row *row, const void *values,
                     bool reals)
{
  double most = row->type == TH_FIELD_FLAG ? 1
                : row->most > 0            ? (double)row->most
                                           : INFINITY;
  if (row->type == TH_FIELD_BITS || row->type == TH_FIELD_TEXT ||
      (th_fields_is_real(row) && !reals))
    return true;
  double value = th_fields_number(row, values);
  return isfinite(value) && value >= 0 && value <= most;
}

bool th_fields_good(const struct th_fields *record, const void *values,
                    bool reals)
{
  for (int k = 0; k < record->rows; k++)
    if (!row_good(&record->row[k], values, reals))
      return false;
  return true;
}
