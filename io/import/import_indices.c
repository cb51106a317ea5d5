/* import_indices.c - attributes of sparse data that are the indices that occur
 * SPDX-License-Identifier: MIT */
#include "io/import/import_job.h"

#include "base/integer.h"
#include "base/memory.h"
#include "base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An index is suspicious that is so many times the next one, and so far. */
static const uint64_t far_times = 100;
static const uint64_t far_away = 1000000;

/* Where the largest index is beyond that, and more than so many times as many
 * as occur, attributes are those that occur: no attribute costs more than that
 * many, and a few gaps change no numbers. */
static const uint64_t small_index = 65536;
static const uint64_t gaps_times = 2;

void th_import_indices_free(struct th_import_indices *indices)
{
  th_index_set_free(&indices->set);
  th_index_set_free(&indices->unseen);
  free(indices->list);
  indices->list = NULL;
}

/* --- Those of other data ---------------------------------------------------
 */

/* The support of a model, whose names are indices. */
static th_status list_used(struct th_importing *im, struct th_error *err)
{
  const struct th_like *like = &im->like;
  bool good = true;
  uint64_t *list = NULL;
  th_status rc = TH_NEW(&list, like->support_size, "indices", err);
  if (rc != TH_OK)
    return rc;
  im->text.occur.list = list;
  for (int64_t k = 0; k < like->support_size && good; k++) {
    const char *name = like->support[k];
    good = th_index_set_read(name, name + strlen(name), &list[k]) &&
           (k == 0 || list[k] > list[k - 1]);
  }
  if (!good)
    return th_fail(err, TH_EFORMAT,
                   "%s: its attributes are not called by ascending indices, "
                   "as it says; train the model again",
                   im->job->like);
  im->text.part = true;
  im->text.index = list;
  im->text.indexed = true;
  return TH_OK;
}

th_status th_import_indices_like(struct th_importing *im, int64_t *count,
                                 struct th_error *err)
{
  const struct th_like *like = &im->like;
  int64_t all = like->attributes;
  th_status rc = TH_OK;
  if (like->support != NULL && like->origin.indexed == TH_FACT_YES) {
    all = like->support_size;
    rc = list_used(im, err);
  }
  if (rc != TH_OK || !im->text.indexed)
    return rc;
  *count = all;
  return th_index_set_fill(&im->text.occur.set, im->text.index, all, err);
}

/* --- Those that occur ------------------------------------------------------
 */

/* Bytes that all indices of a rank may take. */
static int64_t most_bytes(const struct th_importing *im)
{
  enum { LEAST = 64 << 20 };
  return th_max_i64(im->limits.memory, LEAST);
}

static th_status check_index_bytes(const struct th_importing *im, int64_t most,
                                   struct th_error *err)
{
  char size[TH_SIZE_TEXT];
  if (th_index_set_bytes(im->text.occur.set.count) <= most)
    return TH_OK;
  return th_fail(err, TH_EDATA,
                 "%s: the indices of the text need more than %s of memory; "
                 "raise {memory}, take more ranks, or say how many attributes "
                 "there are with {attributes}",
                 im->file[0].name, th_printable_size(most, size));
}

/* True if so many occur that attributes are counted. */
static bool without_gaps(const struct th_import_indices *occur, int64_t count)
{
  return occur->largest <= (uint64_t)TH_TEXT_ATTRIBUTES &&
         occur->largest <= gaps_times * (uint64_t)count;
}

th_status th_import_indices_begin(struct th_importing *im, bool *wanted,
                                  th_status rc, struct th_error *err)
{
  enum { SHARE = 64 };                       /* of the memory, for bits */
  const uint64_t middle = UINT64_C(1) << 63; /* 64 bits in order, as a sign */
  struct th_import_indices *occur = &im->text.occur;
  int64_t largest[2] = {(int64_t)(occur->largest ^ middle)};
  rc = th_comm_max_agree(im->comm, largest, 1, rc, err);
  occur->largest = (uint64_t)largest[0] ^ middle;
  *wanted = rc == TH_OK && occur->largest > small_index;
  if (*wanted)
    rc = th_index_set_begin(&occur->set, occur->largest, most_bytes(im) / SHARE,
                            err);
  return rc;
}

th_status th_import_indices_add(struct th_importing *im, uint64_t index,
                                struct th_error *err)
{
  enum { SHARE = 4, SOME = 4096 }; /* of the memory, for each thread */
  struct th_import_indices *occur = &im->text.occur;
  th_status rc = th_index_set_add(&occur->set, index, err);
  occur->dense = without_gaps(occur, occur->set.count);
  if (rc == TH_OK && occur->set.bit == NULL && occur->set.count % SOME == 0)
    rc = check_index_bytes(im, most_bytes(im) / SHARE, err);
  return rc;
}

th_status th_import_indices_collected(struct th_importing *im, th_status rc,
                                      struct th_error *err)
{
  int64_t dense[2] = {im->text.occur.dense};
  rc = th_comm_max_agree(im->comm, dense, 1, rc, err);
  im->text.occur.dense = dense[0] != 0;
  return rc;
}

/* The indices of all threads of this rank. Local. */
static th_status merge_threads(struct th_importing *im, struct th_error *err)
{
  th_status rc = TH_OK;
  for (int t = 0; t < im->bins.others && rc == TH_OK; t++)
    rc = th_index_set_merge(&im->text.occur.set,
                            &im->bins.other[t].im.text.occur.set, err);
  return rc;
}

/* Number the indices of all ranks; *count receives how many there are; enough
 * of them if one rank has enough. Collective. */
static th_status join_indices(struct th_importing *im, int64_t *count,
                              struct th_error *err)
{
  struct th_import_indices *occur = &im->text.occur;
  th_status rc = merge_threads(im, err);
  int64_t most[2] = {occur->set.count};
  TH_TRY(th_comm_max_agree(im->comm, most, 1, rc, err));
  *count = most[0];
  if (without_gaps(occur, *count))
    return TH_OK;
  TH_TRY(th_agree(im->comm, check_index_bytes(im, most_bytes(im), err), err));
  rc = th_index_set_join(&occur->set, im->comm, &occur->list, count, err);
done:
  return rc;
}

th_status th_import_indices_number(struct th_importing *im,
                                   struct th_error *err)
{
  struct th_import_indices *occur = &im->text.occur;
  int64_t count = 0;
  th_status rc = TH_OK;
  if (occur->largest <= small_index)
    return TH_OK;
  if (!occur->dense) {
    TH_TRY(join_indices(im, &count, err));
    occur->dense = without_gaps(occur, count);
  }
  if (occur->dense) {
    th_index_set_free(&occur->set);
    goto done;
  }
  im->text.index = occur->list;
  im->text.indexed = true;
  im->attributes = count;
done:
  return rc;
}

void th_import_indices_adopt(struct th_importing *im,
                             const struct th_importing *first)
{
  th_index_set_free(&im->text.occur.set);
  im->text.indexed = first->text.indexed;
  im->attributes = first->attributes;
}

/* --- What is said of them --------------------------------------------------
 */

/* How many there are, and where the last one may be a mistake. */
void th_import_indices_tell(const struct th_importing *im, uint64_t all)
{
  const uint64_t *index = im->text.index;
  int64_t count = im->attributes;
  char text[64] = "";
  if (index == NULL || count == 0)
    return;
  uint64_t largest = index[count - 1];
  if (all > 0 && all <= (uint64_t)TH_TEXT_ATTRIBUTES)
    snprintf(text, sizeof text, "; {attributes} %" PRIu64 " takes all", all);
  th_import_notice(im,
                   "indices:  %lld occur%s, up to %" PRIu64
                   ": these alone are attributes, named so%s",
                   (long long)count, count == 1 ? "s" : "", largest, text);
  uint64_t next = count > 1 ? index[count - 2] : UINT64_MAX;
  if (largest / far_times > next && largest - next > far_away)
    th_import_notice(im,
                     "note:     index %" PRIu64 " is far beyond the next one, "
                     "%" PRIu64 ". If it is a mistake, correct the file",
                     largest, next);
}

/* How many distinct indices of all ranks were left out. Collective. */
static th_status count_unseen(struct th_importing *im, int64_t *count,
                              struct th_error *err)
{
  struct th_index_set *unseen = &im->text.occur.unseen;
  th_status rc = TH_OK;
  for (int t = 0; t < im->bins.others && rc == TH_OK; t++)
    rc = th_index_set_merge(unseen, &im->bins.other[t].im.text.occur.unseen,
                            err);
  TH_TRY(th_agree(im->comm, rc, err));
  rc = th_index_set_join(unseen, im->comm, NULL, count, err);
done:
  return rc;
}

/* A last index that is one too large is a sign of another base. */
th_status th_import_indices_tell_unseen(struct th_importing *im,
                                        struct th_error *err)
{
  const bool from_zero = im->like.origin.zero_based == TH_FACT_YES ||
                         im->job->pairs.zero_based == TH_FACT_YES;
  const long long values = (long long)im->text.left_out;
  int64_t count = 0;
  th_status rc = TH_OK;
  if (values == 0)
    return TH_OK;
  TH_TRY(count_unseen(im, &count, err));
  const char *more = count >= TH_INDEX_NOTED ? "more than " : "";
  const char *s = values == 1 ? "" : "s";
  const char *indices = count == 1 ? "index" : "indices";
  if (im->text.indexed)
    th_import_notice(im, "left out: %lld value%s of %s%lld %s that %.200s %s",
                     values, s, more, (long long)count, indices, im->job->like,
                     im->text.part ? "does not use" : "does not have");
  else
    th_import_notice(im,
                     "left out: %lld value%s of %s%lld %s beyond %lld, the "
                     "last one of %.200s, where the first is %d",
                     values, s, more, (long long)count, indices,
                     (long long)im->like.attributes - from_zero, im->job->like,
                     !from_zero);
done:
  return rc;
}
