/* source_parts.h - what the files of the observing source share; local
 * SPDX-License-Identifier: MIT */
#ifndef TH_SOURCE_PARTS_H
#define TH_SOURCE_PARTS_H

#include "core/source.h"

struct th_source {
  struct th_store *store;
  int64_t budget;
  struct th_ledger ledger;
  int64_t *active; /* this rank's part, ascending */
  int64_t active_count;
  int64_t active_capacity;
  int64_t active_total; /* of all ranks */
  uint64_t activation;  /* how often they were declared */
  uint32_t *numbers;    /* sparse data: of the runs of the last slab */
  int64_t number_capacity;
  int64_t piece; /* piece of a draw's rows that the last request was in */
};

/* TH_EBUDGET: these attributes lie outside of a granted draw. */
th_status th_source_refuse(struct th_error *err, struct th_range range);

/* Do rows lie in one piece of a draw that was granted and has not changed
 * since? */
bool th_source_granted(struct th_source *source, const struct th_draw *draw,
                       struct th_rows rows);

/* The store may prepare these attributes on all rows of a granted draw. */
void th_source_tell(struct th_source *source, const struct th_draw *draw,
                    struct th_range range, bool keep);

#endif
