/* lacking.h - how many values of each attribute a text lacks, and which
 * attributes lack too many
 * SPDX-License-Identifier: MIT */
#ifndef TH_LACKING_H
#define TH_LACKING_H

#include "io/import/text/text_row.h"

/* Zeroed: nothing is missing. */
struct th_lacking {
  int64_t values;     /* that are missing, in all examples */
  int64_t aside;      /* numbers that would be taken for such */
  int64_t attributes; /* of the list; 0: none lacks a value */
  int64_t capacity;
  int64_t *count; /* of each, in training examples */
  bool *dropped;  /* th_lacking_judge: it lacks too many; NULL: none does */
  int64_t drops;  /* how many do */
  uint64_t *kept; /* th_lacking_leave_out: those that stay, as they were
                     numbered, ascending; NULL: all */
  int64_t keeps;
  uint32_t *number; /* likewise: of each as it was numbered, what it is now, or
                       TH_LACKING_OUT */
};

#define TH_LACKING_OUT UINT32_MAX

/* Have a count for each of d attributes, for who counts by himself. Local. */
th_status th_lacking_begin(struct th_lacking *lacking, int64_t attributes,
                           struct th_error *err);

/* Count the missing values of an example. Local. */
th_status th_lacking_see(struct th_lacking *lacking,
                         const struct th_text_row *row, bool training,
                         struct th_error *err);

/* Of all ranks, for d attributes. Collective. */
th_status th_lacking_share(struct th_lacking *lacking, int64_t attributes,
                           struct th_comm *comm, struct th_error *err);

/* In steps, where `values` and `aside` are those of all ranks: room for the
 * counts, local, and then these, collective. */
th_status th_lacking_reserve(struct th_lacking *lacking, int64_t attributes,
                             struct th_error *err);
void th_lacking_sum(struct th_lacking *lacking, int64_t attributes,
                    struct th_comm *comm);

/* Find the attributes of which more than this share of the training examples
 * lack the value; again, where more is known. Local. */
th_status th_lacking_judge(struct th_lacking *lacking, int64_t training,
                           double most, struct th_error *err);

/* Number anew those of d attributes that were not dropped, which then is
 * NULL. Local. */
th_status th_lacking_leave_out(struct th_lacking *lacking, int64_t attributes,
                               struct th_error *err);

/* What an attribute was numbered before. Local. */
static inline int64_t th_lacking_before(const struct th_lacking *lacking,
                                        int64_t attribute)
{
  return lacking->kept == NULL ? attribute : (int64_t)lacking->kept[attribute];
}

void th_lacking_free(struct th_lacking *lacking);

#endif
