/* source_parts.h - what the files of the observing source share; local
 * SPDX-License-Identifier: MIT */
#ifndef TH_SOURCE_PARTS_H
#define TH_SOURCE_PARTS_H

#include "core/shift.h"
#include "core/source.h"

/* What was observed in the slots of the last draw that has them. */
struct th_slot_record {
  int64_t *attribute; /* of each slot; -1: nothing yet */
  int64_t capacity;
  uint64_t *seen;        /* rows with attributes: an open hash set */
  int64_t seen_capacity; /* a power of two of places */
  uint64_t serial;       /* of the draw; begins the entries that are its own */
  int64_t *row;          /* of entries, work array */
  int64_t row_capacity;
  int64_t unsettled; /* distinct attributes that the ledger does not hold */
};

struct th_source {
  struct th_store *store;
  int64_t budget;
  int64_t validation_budget;
  struct th_ledger ledger;
  int64_t *active; /* this rank's part, ascending */
  int64_t active_count;
  int64_t active_capacity;
  int64_t active_total; /* of all ranks */
  uint64_t activation;  /* how often they were declared */
  uint32_t *numbers;    /* sparse data: of the runs of the last slab */
  int64_t number_capacity;
  char *packed; /* dense data: values of the last slab, if they lie apart */
  int64_t packed_capacity;
  int64_t piece; /* piece of a draw's rows that the last request was in */
  struct th_slot_record slots;
  struct th_shifts shifts;    /* sparse data: of all ranks' attributes */
  bool (*leaves)(void *self); /* NULL: nobody asks */
  void *watcher;
};

/* TH_EBUDGET: these attributes lie outside of a granted draw. */
th_status th_source_refuse(struct th_error *err, struct th_range range);

/* Was this draw granted, and has it not changed since? */
bool th_source_holds(const struct th_source *source,
                     const struct th_draw *draw);

/* Do rows lie in one piece of a draw that was granted and has not changed
 * since? */
bool th_source_granted(struct th_source *source, const struct th_draw *draw,
                       struct th_rows rows);

/* Forget the slots of earlier draws, and make room for those of a draw. Local.
 * TH_ENOMEM. */
th_status th_source_open_slots(struct th_source *source,
                               const struct th_draw *draw,
                               struct th_error *err);
void th_source_free_slots(struct th_source *source);

/* The store may prepare these attributes on all rows of a granted draw. */
void th_source_tell(struct th_source *source, const struct th_draw *draw,
                    struct th_range range, bool keep);

#endif
