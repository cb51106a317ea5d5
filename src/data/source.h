/* source.h - the observing source: the only way a solver sees data
 *
 * A store (struct th_store, filled in by io/ or by a generator) can read
 * anything. A solver never holds one: it holds a th_source, which hands out
 * values only inside a declared draw, counts every attribute of every example
 * that is observed, and refuses a draw of more attributes than the budget.
 *
 * All functions that do not say otherwise are local. Every read may also end
 * with TH_ESTOPPED, here and in all that reads (th_source_watch).
 * SPDX-License-Identifier: MIT */
#ifndef TH_SOURCE_H
#define TH_SOURCE_H

#include "base/error.h"
#include "data/deal.h"
#include "data/slab.h"
#include "data/store.h"
#include "ranks/comm.h"

#include <stdbool.h>
#include <stdint.h>

/* The counts of what was observed. Replicated, since every rank counts whole
 * draws. */
struct th_ledger {
  int64_t examples;   /* draws for training, step-size estimates among them */
  int64_t attributes; /* observed in all of them; repeats count */
  int64_t max_attributes_per_example; /* in one draw */
  int64_t validation_examples;
  int64_t validation_attributes;
  int64_t distinct_attributes;    /* as `attributes`, without repeats */
  int64_t unpenalised_attributes; /* observed in all draws, also of those for
                                     validation; the other counts and the
                                     budget are without them */
};

/* One draw: on these rows the attributes of `block` and of `support` are
 * observed. With `active`, these are the active attributes (th_source_activate)
 * and the support; no attribute is in both. With `slots`, each row has so many
 * slots, and in each slot one attribute of the slot's cell (TH_CELL) is
 * observed. Attributes are drawn with replacement, so two slots may observe the
 * same one. */
struct th_draw {
  struct th_pieces rows;  /* borrowed */
  struct th_range block;  /* may be empty */
  const int64_t *support; /* ascending; borrowed */
  int64_t support_size;
  bool active;   /* the block is empty then */
  int64_t slots; /* of each row; the block and the support are empty then, and
                    pieces are single rows */
  const int32_t *cell; /* of each row's slots; borrowed */
  bool validation;     /* counted under keys of its own */
  uint64_t grant;      /* set by th_source_draw; 0: not granted */
};

struct th_source;
struct th_state;
struct th_shift;

/* A source over a borrowed store. budget: s', the most attributes of an example
 * that a draw may observe, also for validation. Local; release with
 * th_source_free. */
th_status th_source_create(struct th_source **source, struct th_store *store,
                           int64_t budget, struct th_error *err);

/* These attributes, ascending and borrowed, are counted by themselves, and not
 * against the budget: those without a penalty. Before any draw. Local. */
void th_source_exempt(struct th_source *source, const int64_t *attribute,
                      int64_t count);

/* From now on draws for validation may observe so many attributes: as many as a
 * model of the solver may have. Local. */
void th_source_allow_validation(struct th_source *source, int64_t attributes);
void th_source_free(struct th_source *source);

/* Ask this before every read: once it says true, reads fail with TH_ESTOPPED,
 * so that a long step ends wherever it is. NULL: nobody asks. Local. */
void th_source_watch(struct th_source *source, bool (*leaves)(void *self),
                     void *self);

/* Ask whether to leave where nothing is read for long. Ranks may get different
 * answers, so an agreement must follow as after a read. source may be NULL.
 * Local. TH_ESTOPPED. */
th_status th_source_leave(const struct th_source *source, struct th_error *err);

const struct th_shape *th_source_shape(const struct th_source *source);
const struct th_ledger *th_source_ledger(const struct th_source *source);
int64_t th_source_budget(const struct th_source *source);
/* th_store_owned of its store. */
struct th_range th_source_owned(const struct th_source *source, int rank,
                                int size);

/* From now on these attributes, of which each rank lists its own, are handed
 * out as x - shift, and so are their statistics (data/shift.h). For sparse
 * data, once. Collective: a gather. */
th_status th_source_shift(struct th_source *source, struct th_comm *comm,
                          const struct th_shift *mine, int64_t count,
                          struct th_error *err);

/* The shift of an attribute of any rank; 0 for most. */
double th_source_shift_of(const struct th_source *source, int64_t attribute);

/* Has any attribute one? Floats less their shift need not be floats. */
bool th_source_is_shifted(const struct th_source *source);

/* Its state: the ledger. */
void th_source_describe(struct th_source *source, struct th_state *state);

/* Declare and count a draw. The arrays that it points to must not change until
 * the last read. Local, the same on every rank. An error if it would observe
 * more than the budget, or if it names rows that are no training examples or
 * attributes that do not exist. Nothing is counted then. */
th_status th_source_draw(struct th_source *source, struct th_draw *draw,
                         struct th_error *err);

/* The slab of a granted draw's block that begins at range.first; rows lie in
 * one of the draw's pieces. Local. An error outside of the draw. */
th_status th_source_block(struct th_source *source, const struct th_draw *draw,
                          struct th_rows rows, struct th_range range,
                          struct th_slab *slab, struct th_error *err);

/* The slab of a granted draw's support from entry places.first of its list on,
 * at most to places.last: of one attribute, or of as many as are in memory. Its
 * attributes are numbered as if they were consecutive: attributes.first + k is
 * entry places.first + k. Local. An error outside of the draw. */
th_status th_source_members(struct th_source *source,
                            const struct th_draw *draw, struct th_rows rows,
                            struct th_range places, struct th_slab *slab,
                            struct th_error *err);

/* Declare the active attributes, each rank its own part of them: what draws
 * marked `active` observe on all ranks together. attribute[count] ascends and
 * is copied; no attribute may be listed by two ranks. Draws granted before end.
 * Collective: one sum. An error for attributes that are not there. */
th_status th_source_activate(struct th_source *source, struct th_comm *comm,
                             const int64_t *attribute, int64_t count,
                             struct th_error *err);

/* How many of them are this rank's. Local. */
int64_t th_source_active_count(const struct th_source *source);

/* The slab of this rank's active attributes from entry `place` of the list on,
 * as far as they lie together; rows lie in one piece of a granted active draw.
 * Its attributes are numbered as if the active ones were consecutive:
 * attributes.first + k is entry place + k, as slab->list says. Local. An error
 * outside of the draw. */
th_status th_source_active(struct th_source *source, const struct th_draw *draw,
                           struct th_rows rows, int64_t place,
                           struct th_slab *slab, struct th_error *err);

/* Tell the store what is going to be read, in the order of reading: the slabs
 * of a granted draw's block from range.first to range.last; entries of its
 * support, all of them for one piece of rows after another. Nothing outside of
 * a granted draw is announced. Forget: take all announcements back. Local. */
void th_source_announce_block(struct th_source *source,
                              const struct th_draw *draw,
                              struct th_range range);
void th_source_announce_members(struct th_source *source,
                                const struct th_draw *draw,
                                struct th_range places);
/* All of this rank's active attributes, piece of rows by piece. */
void th_source_announce_active(struct th_source *source,
                               const struct th_draw *draw);
void th_source_forget(struct th_source *source);

/* Slots of a draw, by row of the draw times slots + slot. Borrowed. */
struct th_slots {
  int64_t count;
  const int64_t *slot;
  const int64_t *attribute; /* observed in it */
};

/* The values in slots of the draw of slots that was granted last. A slot
 * observes one attribute, which may be asked for again. Local. An error for an
 * attribute outside of the slot's cell, or for a second one. */
th_status th_source_slots(struct th_source *source, const struct th_draw *draw,
                          const struct th_slots *slots, double *value,
                          struct th_error *err);

/* The distinct attributes that this rank has observed in slots and the ledger
 * does not hold yet. th_source_settle enters them, summed over the ranks.
 * Local.
 */
int64_t th_source_unsettled(const struct th_source *source);
void th_source_settle(struct th_source *source, int64_t distinct);

/* Targets and weights are not counted. Local. */
th_status th_source_targets(struct th_source *source, struct th_rows rows,
                            double *target, double *weight,
                            struct th_error *err);
/* Which training examples equal others; NULL: nobody knows. Borrowed. Local. */
const struct th_twins *th_source_twins(const struct th_source *source);
th_status th_source_statistics(struct th_source *source, struct th_range range,
                               struct th_statistics *statistics,
                               struct th_error *err);

#endif
