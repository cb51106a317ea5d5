/* covariates.c - attributes that a model has from a table beside its data
 * SPDX-License-Identifier: MIT */
#include "model/covariates.h"

#include "base/memory.h"

#include <string.h>

void th_covariates_free(struct th_covariates *covariates)
{
  TH_FREE_LIST(covariates->name, covariates->count);
  TH_FREE_LIST(covariates->word, covariates->words);
  TH_FREE(covariates->mean, covariates->missing_words);
  *covariates = (struct th_covariates){0};
}

bool th_covariates_alike(const struct th_covariates *a,
                         const struct th_covariates *b)
{
  bool alike = a->count == b->count;
  for (int64_t k = 0; alike && k < a->count; k++)
    alike = strcmp(a->name[k], b->name[k]) == 0;
  return alike;
}
