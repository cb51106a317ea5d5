/* lacking.c - how many values of each attribute a text lacks
 * SPDX-License-Identifier: MIT */
#include "io/import/text/lacking.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void th_lacking_free(struct th_lacking *lacking)
{
  TH_FREE(lacking->count, lacking->dropped, lacking->kept, lacking->number);
  *lacking = (struct th_lacking){0};
}

/* Have a count for each of so many attributes. */
static th_status cover_attributes(struct th_lacking *lacking,
                                  int64_t attributes, struct th_error *err)
{
  if (attributes <= lacking->attributes)
    return TH_OK;
  th_status rc = TH_GROW(&lacking->count, &lacking->capacity,
                         th_memory_roomier(lacking->capacity, attributes),
                         "counts of missing values", err);
  if (rc != TH_OK)
    return rc;
  memset(lacking->count + lacking->attributes, 0,
         (size_t)(attributes - lacking->attributes) * sizeof *lacking->count);
  lacking->attributes = attributes;
  return TH_OK;
}

th_status th_lacking_begin(struct th_lacking *lacking, int64_t attributes,
                           struct th_error *err)
{
  return cover_attributes(lacking, attributes, err);
}

static bool lacks(const struct th_text_row *row, int64_t k)
{
  double value = th_type_load(th_type_single(row->type), row->values, k);
  return isnan(value) || value == th_type_missing(row->type);
}

th_status th_lacking_see(struct th_lacking *lacking,
                         const struct th_text_row *row, bool training,
                         struct th_error *err)
{
  th_status rc = TH_OK;
  lacking->aside += row->aside;
  if (row->missing == 0)
    return TH_OK;
  lacking->values += row->missing;
  for (int64_t k = 0; k < row->count && rc == TH_OK; k++) {
    if (!lacks(row, k))
      continue;
    int64_t attribute = row->first >= 0 ? row->first + k : row->index[k];
    rc = cover_attributes(lacking, attribute + 1, err);
    if (rc == TH_OK)
      lacking->count[attribute] += training;
  }
  return rc;
}

th_status th_lacking_share(struct th_lacking *lacking, int64_t attributes,
                           struct th_comm *comm, struct th_error *err)
{
  int64_t sums[2] = {lacking->values, lacking->aside};
  comm->ops->sum_i64(comm, sums, 2);
  lacking->values = sums[0];
  lacking->aside = sums[1];
  if (lacking->values == 0)
    return TH_OK;
  th_status rc =
      th_agree(comm, th_lacking_reserve(lacking, attributes, err), err);
  if (rc == TH_OK)
    th_lacking_sum(lacking, attributes, comm);
  return rc;
}

th_status th_lacking_reserve(struct th_lacking *lacking, int64_t attributes,
                             struct th_error *err)
{
  return lacking->values > 0 ? cover_attributes(lacking, attributes, err)
                             : TH_OK;
}

void th_lacking_sum(struct th_lacking *lacking, int64_t attributes,
                    struct th_comm *comm)
{
  if (lacking->values > 0)
    comm->ops->sum_i64(comm, lacking->count, (size_t)attributes);
}

th_status th_lacking_judge(struct th_lacking *lacking, int64_t training,
                           double most, struct th_error *err)
{
  const double bound = most * (double)training;
  th_status rc = TH_OK;
  free(lacking->dropped);
  lacking->dropped = NULL;
  lacking->drops = 0;
  for (int64_t a = 0; a < lacking->attributes; a++)
    lacking->drops += (double)lacking->count[a] > bound;
  if (lacking->drops == 0)
    return TH_OK;
  TH_TRY(TH_NEW(&lacking->dropped, lacking->attributes, "attributes", err));
  for (int64_t a = 0; a < lacking->attributes; a++)
    lacking->dropped[a] = (double)lacking->count[a] > bound;
done:
  return rc;
}

th_status th_lacking_leave_out(struct th_lacking *lacking, int64_t attributes,
                               struct th_error *err)
{
  th_status rc = TH_OK;
  TH_TRY(TH_NEW(&lacking->kept, attributes, "attributes", err));
  TH_TRY(TH_NEW(&lacking->number, attributes, "attributes", err));
  lacking->keeps = 0;
  for (int64_t a = 0; a < attributes; a++) {
    lacking->number[a] = TH_LACKING_OUT;
    if (a < lacking->attributes && lacking->dropped[a])
      continue;
    lacking->number[a] = (uint32_t)lacking->keeps;
    lacking->kept[lacking->keeps++] = (uint64_t)a;
  }
  free(lacking->dropped);
  lacking->dropped = NULL;
done:
  return rc;
}
