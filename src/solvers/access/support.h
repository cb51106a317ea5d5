/* support.h - the support S with its coefficients, replicated on every rank
 * SPDX-License-Identifier: MIT */
#ifndef TH_SUPPORT_H
#define TH_SUPPORT_H

#include "data/slab.h"
#include "math/select.h"
#include "solvers/access/context.h"

#include <stdbool.h>
#include <stdint.h>

/* Ascending attributes; coefficients belong to (x - centre) * scale. */
struct th_support {
  int64_t size;
  int64_t capacity;
  int64_t *attribute;
  double *coef;
  double *centre; /* as known to the owner; replicated */
  double *scale;
  double *bound;
  double intercept; /* beyond the target's shift */
  double *message;  /* 3 capacity + 1: work array of th_support_assign */
};

/* Room for a support of that size; the content is kept. Local. */
th_status th_support_reserve(struct th_support *support, int64_t capacity,
                             struct th_error *err);
void th_support_free(struct th_support *support);

/* *to = *from. Local; reuses memory. */
th_status th_support_copy(struct th_support *to, const struct th_support *from,
                          struct th_error *err);

/* Its state. Local. */
void th_support_describe(struct th_support *support, const char *name,
                         struct th_state *state);

/* Set S and its coefficients to the chosen attributes and their values. The
 * owners tell all ranks how the attributes are scaled, unless S stays the same.
 * Collective: at most one sum of 24 bytes per member where there is room. */
th_status th_support_assign(struct th_support *support,
                            struct th_context *context,
                            const struct th_index_value *chosen, int64_t count,
                            struct th_error *err);

/* Attributes in any order, with their coefficients. Borrowed. */
struct th_support_list {
  const int64_t *attribute;
  const double *coef;
  int64_t count;
  bool zeros; /* those whose coefficient is 0 are members, too */
};

/* Make such a list the support. Collective. */
th_status th_support_assign_list(struct th_support *support,
                                 struct th_context *context,
                                 const struct th_support_list *list,
                                 struct th_error *err);

/* Keep the k members of largest magnitude; at equal magnitude the lower
 * attribute stays (H_k of Murata & Suzuki). room: for all members. Collective.
 */
th_status th_support_threshold(struct th_support *support,
                               struct th_context *context, int64_t k,
                               struct th_index_value *room,
                               struct th_error *err);

/* Remove the members for which keep[k] is false. Local. */
void th_support_filter(struct th_support *support, const bool *keep);

/* Remove members whose coefficient is what rounding has left of a zero, as of
 * one of two copies. Certify the rest after that. Local. */
void th_support_drop_dust(struct th_support *support);

/* The coefficient of member k and the intercept in the data's own units.
 * Local. */
double th_support_own_coef(const struct th_support *support, int64_t k);
double th_support_own_intercept(const struct th_support *support,
                                const struct th_context *context);

/* The centre of member k in the data's own units: with the shift of the source.
 * Local. */
double th_support_own_centre(const struct th_support *support,
                             const struct th_context *context, int64_t k);

/* How far an intercept comes back from the data's own units: all residuals are
 * off by it. With u = 2^-53, k members of coefficients c and centres m in the
 * data's own units, and T the sum of |shift of the target|, |intercept| and all
 * |c m|: every partial sum of th_support_own_intercept is at most T, and so is
 * every one of the way back, which takes the same terms off again. Each way is
 * k products, which together are at most T, and k + 1 sums: (k + 2) u T. Two
 * more each way are for terms of u^2. Local. */
double th_support_intercept_rounding(const struct th_support *support,
                                     const struct th_context *context);

/* The members that this rank owns are [first, last). Local. */
struct th_range th_support_owned(const struct th_support *support,
                                 struct th_range owned);

/* --- Reading members on the rows of draws, some members and some rows at a
 * time
 */

/* So many members are read on all rows before the next ones are: what they have
 * on a row group stays in little memory from one piece of it to the next. */
enum { TH_SUPPORT_AT_ONCE = 32 };

/* Called for values that were read: of some members, the first of which is
 * member k of S, on rows of the draws from `row` on. */
typedef void th_support_taker(void *self, int64_t k, int64_t row,
                              const struct th_slab *slab);

/* What is read. All of it is borrowed. */
struct th_support_reads {
  struct th_context *context;
  struct th_range members; /* of S, which the draws name */
  const struct th_draw *draw;
  const int64_t *draw_row; /* the first row of each draw */
  th_support_taker *take;
  void *self;
};

/* Read the members on the rows of some draws. Local. */
th_status th_support_read(const struct th_support_reads *reads,
                          struct th_range draws, struct th_error *err);

/* Tell the source that they are going to be read, in the same order. Local.
 */
void th_support_announce(const struct th_support_reads *reads,
                         struct th_range draws);

#endif
