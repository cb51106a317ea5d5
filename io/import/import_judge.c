/* import_judge.c - attributes of little use: constants, and those that rounding
 * has spoilt
 * SPDX-License-Identifier: MIT */
#include "core/partition.h"
#include "io/import/import_job.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>

struct judged {
  int64_t constant;
  int64_t rounded;
  int64_t first; /* of the rounded ones */
};

/* One that is constant since it was rounded counts as rounded. */
static void judge(const struct th_importing *im, int64_t attribute,
                  const struct th_statistics *statistics, struct judged *judged)
{
  if (th_rounding_notable(&im->rounding, attribute, statistics->deviation)) {
    judged->first = judged->rounded++ == 0 ? attribute : judged->first;
    return;
  }
  judged->constant += statistics->lowest == statistics->highest;
}

/* This rank's share of the attributes. Local. */
static th_status judge_own(const struct th_importing *im,
                           struct th_dataset *dataset, struct judged *judged,
                           struct th_error *err)
{
  enum { PART = 4096 };
  struct th_store *store = th_dataset_store(dataset);
  struct th_statistics *part = NULL;
  struct th_range mine = th_partition_rank(store->shape.attributes,
                                           im->comm->rank, im->comm->size);
  th_status rc = TH_NEW(&part, PART, "statistics", err);
  for (int64_t a = mine.first; rc == TH_OK && a < mine.last; a += PART) {
    struct th_range some =
        th_range_intersect(mine, (struct th_range){a, a + PART});
    rc = store->ops->statistics(store, some, part, err);
    for (int64_t k = 0; rc == TH_OK && k < some.last - some.first; k++)
      judge(im, a + k, &part[k], judged);
  }
  free(part);
  return rc;
}

/* How the text calls an attribute. */
static void call(const struct th_importing *im, int64_t attribute,
                 char text[TH_IMPORT_CALLED])
{
  if (im->names != NULL)
    snprintf(text, TH_IMPORT_CALLED, "'%.60s'", im->names[attribute]);
  else
    im->format->importer->call(im, attribute, text);
}

static void tell_rounded(const struct th_importing *im, int64_t rounded,
                         int64_t first)
{
  char text[TH_IMPORT_CALLED];
  if (rounded == 0)
    return;
  call(im, first, text);
  th_import_notice(im,
                   "note:     %lld attribute%s %s digits that matter as f32, "
                   "first %s; {type} f64 keeps them",
                   (long long)rounded, rounded == 1 ? "" : "s",
                   rounded == 1 ? "loses" : "lose", text);
}

th_status th_import_judge(const struct th_importing *im, int64_t *constant,
                          struct th_error *err)
{
  struct th_dataset *dataset = NULL;
  struct judged judged = {.first = INT64_MAX};
  th_status rc = th_dataset_open(&dataset, im->comm, im->job->output, 0, err);
  if (rc != TH_OK)
    return rc;
  rc = judge_own(im, dataset, &judged, err);
  th_dataset_close(dataset);
  rc = th_agree(im->comm, rc, err);
  if (rc != TH_OK)
    return rc;
  int64_t sums[2] = {judged.constant, judged.rounded};
  int64_t first = -judged.first; /* the lowest of all ranks */
  im->comm->ops->sum_i64(im->comm, sums, 2);
  im->comm->ops->max_i64(im->comm, &first, 1);
  tell_rounded(im, sums[1], -first);
  *constant = sums[0];
  return TH_OK;
}
