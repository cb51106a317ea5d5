/* rounding.c - which attributes of a text lose by being stored as f32
 * SPDX-License-Identifier: MIT */
#include "io/import/text/rounding.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum {
  FIRST_ROWS = 256, /* all of which are measured */
  SHARE = 64,       /* of the others, one in so many */
  MOST = 1 << 22    /* attributes; later ones are not measured */
};

/* Errors as wide as a hundredth of the deviation have a variance of at most
 * 1/40,000 of the attribute's: below it the model does not feel them. */
static const double notable = 0.01;

bool th_rounding_wants(int64_t row)
{
  return row < FIRST_ROWS || row % SHARE == 0;
}

static th_status cover(struct th_rounding *rounding, int64_t attributes,
                       struct th_error *err)
{
  if (attributes <= rounding->attributes)
    return TH_OK;
  th_status rc = TH_GROW(&rounding->error, &rounding->capacity, 2 * attributes,
                         "rounding errors", err);
  if (rc != TH_OK)
    return rc;
  for (int64_t k = 2 * rounding->attributes; k < 2 * attributes; k++)
    rounding->error[k] = -INFINITY;
  rounding->attributes = attributes;
  return TH_OK;
}

th_status th_rounding_see(struct th_rounding *rounding,
                          const struct th_text_row *row, struct th_error *err)
{
  bool dense = row->first >= 0;
  if (row->count == 0)
    return TH_OK;
  int64_t last =
      dense ? row->first + row->count - 1 : row->index[row->count - 1];
  th_status rc = cover(rounding, last < MOST ? last + 1 : MOST, err);
  for (int64_t k = 0; rc == TH_OK && k < row->count; k++) {
    int64_t attribute = dense ? row->first + k : row->index[k];
    if (attribute >= MOST)
      break;
    double *error = &rounding->error[2 * attribute];
    double lost = row->lost[k];
    error[0] = -lost > error[0] ? -lost : error[0];
    error[1] = lost > error[1] ? lost : error[1];
  }
  return rc;
}

th_status th_rounding_share(struct th_rounding *rounding, struct th_comm *comm,
                            struct th_error *err)
{
  int64_t most = rounding->attributes;
  comm->ops->max_i64(comm, &most, 1);
  th_status rc = th_agree(comm, cover(rounding, most, err), err);
  if (rc == TH_OK && most > 0)
    comm->ops->max_f64(comm, rounding->error, 2 * (size_t)most);
  return rc;
}

bool th_rounding_notable(const struct th_rounding *rounding, int64_t attribute,
                         double deviation)
{
  if (attribute >= rounding->attributes)
    return false;
  double spread =
      rounding->error[2 * attribute] + rounding->error[2 * attribute + 1];
  return spread > 0 && spread > notable * deviation;
}

void th_rounding_free(struct th_rounding *rounding)
{
  free(rounding->error);
  *rounding = (struct th_rounding){0};
}
