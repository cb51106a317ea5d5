/* stand_in.c - values that are missing, and what stands for them
 * SPDX-License-Identifier: MIT */
#include "io/dataset/stand_in.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

void th_stand_in_free(struct th_stand_in *stand_in)
{
  TH_FREE(stand_in->missing, stand_in->mean, stand_in->own);
  *stand_in = (struct th_stand_in){0};
}

th_status th_stand_in_replace(struct th_stand_in *stand_in, int64_t attributes,
                              int64_t a, double mean, struct th_error *err)
{
  const size_t bytes = (size_t)attributes * sizeof *stand_in->mean;
  th_status rc = TH_OK;
  if (stand_in->mean == NULL)
    return TH_OK;
  if (stand_in->own == NULL) {
    TH_TRY(TH_NEW(&stand_in->own, attributes, "means", err));
    memcpy(stand_in->own, stand_in->mean, bytes);
  }
  stand_in->mean[a] = mean;
done:
  return rc;
}

void th_stand_in_restore(struct th_stand_in *stand_in, int64_t attributes)
{
  if (stand_in->own != NULL)
    memcpy(stand_in->mean, stand_in->own,
           (size_t)attributes * sizeof *stand_in->mean);
}

double th_stand_in_round(enum th_type type, double mean)
{
  return type == TH_F64 ? mean : (double)(float)mean;
}

/* Loops without a branch, which compilers vectorise. */
#define DEFINE_FILL(name, ctype)                                               \
  static void name(ctype values[], int64_t count, ctype mean)                  \
  {                                                                            \
    for (int64_t i = 0; i < count; i++)                                        \
      values[i] = values[i] == values[i] ? values[i] : mean;                   \
  }

DEFINE_FILL(fill_f32, float)
DEFINE_FILL(fill_f64, double)

void th_stand_in_fill(enum th_type type, void *values, int64_t count,
                      double mean)
{
  if (type == TH_F32)
    fill_f32(values, count, (float)mean);
  if (type == TH_F64)
    fill_f64(values, count, mean);
}

int64_t th_stand_in_count(const double *values, int64_t count)
{
  int64_t found = 0;
  for (int64_t i = 0; i < count; i++)
    found += isnan(values[i]);
  return found;
}
