/* candidates.c - Try-Select: which attributes are next, for certain
 *
 * Saad, Blanchard & Arlot 2024, Algorithm 6, and 8 in detail. The root in the
 * half-width is over the variance alone (equation 20). The bounds hold for all
 * numbers of rows at once, so that tests may be rare.
 * SPDX-License-Identifier: MIT */
#include "solvers/greedy/candidates.h"
#include "base/elementary.h"
#include "base/memory.h"
#include "math/kernels/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STRIP = 64 };

th_status th_candidates_init(struct th_candidates *c,
                             const struct th_context *context,
                             struct th_error *err)
{
  int64_t owned = th_range_count(context->owned);
  th_status rc;
  *c = (struct th_candidates){.owned = owned};
  TH_TRY(TH_NEW(&c->alive, owned, "candidates", err));
  TH_TRY(TH_NEW(&c->sum, owned, "candidates", err));
  TH_TRY(TH_NEW(&c->square, owned, "candidates", err));
  TH_TRY(TH_NEW(&c->value, owned, "candidates", err));
  TH_TRY(TH_NEW(&c->half, owned, "candidates", err));
  TH_TRY(TH_NEW(&c->list, owned, "candidates", err));
done:
  return rc;
}

void th_candidates_free(struct th_candidates *c)
{
  TH_FREE(c->alive, c->sum, c->square, c->value, c->half, c->list);
  *c = (struct th_candidates){0};
}

/* Tell the source who is alive. Collective. */
static th_status activate(struct th_candidates *c, struct th_context *context,
                          struct th_error *err)
{
  c->total = c->count;
  context->comm->ops->sum_i64(context->comm, &c->total, 1);
  return th_source_activate(context->source, context->comm, c->list, c->count,
                            err);
}

/* List who is alive. Local. */
static void list_alive(struct th_candidates *c, int64_t first)
{
  c->count = 0;
  for (int64_t a = 0; a < c->owned; a++)
    if (c->alive[a])
      c->list[c->count++] = first + a;
}

th_status th_candidates_begin(struct th_candidates *c,
                              struct th_context *context,
                              const struct th_support *support,
                              struct th_error *err)
{
  struct th_range mine = th_support_owned(support, context->owned);
  for (int64_t a = 0; a < c->owned; a++)
    c->alive[a] = context->scale[a] > 0;
  for (int64_t k = mine.first; k < mine.last; k++)
    c->alive[support->attribute[k] - context->owned.first] = false;
  memset(c->sum, 0, (size_t)c->owned * sizeof *c->sum);
  memset(c->square, 0, (size_t)c->owned * sizeof *c->square);
  c->rows = 0;
  list_alive(c, context->owned.first);
  return activate(c, context, err);
}

struct look {
  struct th_candidates *to;
  const struct th_context *context;
};

/* Sums of a strip of attributes on some rows. Residuals are twice x'beta - y.
 */
static void add_strip_sums(const struct look *look, const struct th_slab *strip,
                           const struct th_row_weights *multiplier)
{
  const struct th_context *context = look->context;
  int64_t count = th_range_count(strip->attributes);
  int64_t at[STRIP];
  double centre[STRIP];
  double u[STRIP] = {0};
  double v[STRIP] = {0};
  double q[STRIP] = {0};
  th_context_places(context, strip, at, centre);
  th_kernel_evidence(strip, multiplier, centre, NULL, u, v, q);
  for (int64_t a = 0; a < count; a++) {
    double scale = context->scale[at[a]] / 2;
    look->to->sum[at[a]] += scale * u[a];
    look->to->square[at[a]] += scale * scale * q[a];
  }
}

static void visit_slab(void *self, const struct th_slab *slab,
                       const struct th_row_weights *multiplier, int64_t offset)
{
  const struct look *look = self;
  (void)offset; /* the slab may be of attributes that do not lie together */
  struct th_range all = slab->attributes;
  for (int64_t a = all.first; a < all.last; a += STRIP) {
    struct th_range part =
        th_range_intersect((struct th_range){a, a + STRIP}, all);
    struct th_slab strip = th_slab_part(slab, part);
    add_strip_sums(look, &strip, multiplier);
  }
}

th_status th_candidates_read(struct th_candidates *c,
                             struct th_context *context, struct th_batch *batch,
                             const struct th_support *support, int64_t rows,
                             bool *more, struct th_error *err)
{
  struct look look = {c, context};
  const struct th_batch_draw draw = {
      .active = true, .rows = rows, .consumer = TH_CONSUMER_BLOCK};
  const struct th_batch_request request = {.draw = &draw,
                                           .draws = 1,
                                           .blocks = 1,
                                           .support = support,
                                           .loss = context->loss,
                                           .visit = visit_slab,
                                           .self = &look};
  th_status rc = th_batch_evaluate(batch, context, &request, more, err);
  if (rc == TH_OK && *more)
    rc = th_agree(context->comm, batch->visited, err);
  if (rc == TH_OK && *more)
    c->rows += rows;
  return rc;
}

/* What the half-widths have in common. */
struct half_width {
  double n;
  double least;    /* variances count as at least this one */
  double root;     /* 8 log(8 d n^2 / delta) / n */
  double constant; /* the term of the bound B~ */
};

/* Proposition 4.2, with the root over the variance alone as in equation 20. */
static struct half_width find_half_width(const struct th_candidates *c,
                                         const struct th_context *context,
                                         const struct th_oomp_law *law,
                                         double delta, double norm1)
{
  double d = (double)th_source_shape(context->source)->attributes;
  double n = (double)c->rows;
  double m = law->reach;
  double log = th_log(8) + th_log(d) + 2 * th_log(n) - th_log(delta);
  double bound = m * law->span + m * m * norm1;
  return (struct half_width){.n = n,
                             .least = law->span * law->span * law->most * m *
                                      m / (1000 * law->least),
                             .root = 8 * log / n,
                             .constant = 28 * bound * log / (3 * (n - 1))};
}

/* |Z| and half-widths, which hold with probability 1 - delta for all attributes
 * and all numbers of rows. */
static void estimate_widths(struct th_candidates *c, int64_t first,
                            const struct half_width *w)
{
  for (int64_t k = 0; k < c->count; k++) {
    int64_t a = c->list[k] - first;
    double mean = c->sum[a] / w->n;
    double variance = (c->square[a] - w->n * mean * mean) / (w->n - 1);
    double most = variance > w->least ? variance : w->least;
    c->value[k] = fabs(mean);
    c->half[k] = sqrt(most * w->root) + w->constant;
  }
}

/* What a rank knows of the best candidate. */
struct best {
  int64_t attribute;
  double upper;
  double lower;
  double least;
};

static struct best best_here(const struct th_candidates *c)
{
  struct best best = {.attribute = -1, .upper = -1, .least = INFINITY};
  for (int64_t k = 0; k < c->count; k++) {
    best.least = fmin(best.least, c->half[k]);
    if (c->value[k] + c->half[k] > best.upper) {
      best.upper = c->value[k] + c->half[k];
      best.lower = c->value[k] - c->half[k];
      best.attribute = c->list[k];
    }
  }
  return best;
}

/* Of all ranks; of equal ones the first. Collective. */
static th_status best_candidate(const struct th_candidates *c,
                                struct th_context *context, struct best *best,
                                struct th_error *err)
{
  struct th_comm *comm = context->comm;
  struct best mine = best_here(c);
  int64_t *bytes = NULL;
  void *all = NULL;
  th_status rc = TH_NEW(&bytes, comm->size, "candidates", err);
  TH_TRY(th_agree(comm, rc, err));
  TH_TRY(th_comm_gather(comm, &mine, (int64_t)sizeof mine, bytes, &all, err));
  const struct best *of = all;
  *best = of[0];
  for (int rank = 1; rank < comm->size; rank++) {
    double least = fmin(best->least, of[rank].least);
    if (of[rank].upper > best->upper)
      *best = of[rank];
    best->least = least;
  }
done:
  TH_FREE(bytes, all);
  return rc;
}

/* Attributes of this rank that stand out. */
static int64_t choose_here(const struct th_candidates *c, double threshold,
                           struct th_index_value *chosen)
{
  int64_t count = 0;
  for (int64_t k = 0; k < c->count; k++) {
    if (c->value[k] - c->half[k] < threshold)
      continue;
    if (chosen != NULL)
      chosen[count] = (struct th_index_value){c->list[k], c->value[k]};
    count++;
  }
  return count;
}

/* Those of all ranks, the largest |Z| first. Collective. */
static th_status choose_candidates(struct th_candidates *c,
                                   struct th_context *context, double threshold,
                                   struct th_verdict_of_candidates *v,
                                   struct th_error *err)
{
  struct th_comm *comm = context->comm;
  int64_t count = choose_here(c, threshold, NULL);
  struct th_index_value *mine = NULL;
  int64_t *bytes = NULL;
  void *all = NULL;
  th_status rc = TH_NEW(&bytes, comm->size, "candidates", err);
  if (rc == TH_OK)
    rc = TH_NEW(&mine, count, "candidates", err);
  TH_TRY(th_agree(comm, rc, err));
  choose_here(c, threshold, mine);
  TH_TRY(th_comm_gather(comm, mine, count * (int64_t)sizeof *mine, bytes, &all,
                        err));
  for (int rank = 0; rank < comm->size; rank++)
    v->chosen += bytes[rank] / (int64_t)sizeof *mine;
  v->attribute = all;
  qsort(v->attribute, (size_t)v->chosen, sizeof *v->attribute, th_select_order);
done:
  TH_FREE(bytes, mine);
  return rc;
}

/* Only those stay that may be better than `best` is at least, and itself. Have
 * any gone? Local. */
static bool eliminate_worse(struct th_candidates *c, int64_t first,
                            const struct best *best)
{
  int64_t count = 0;
  for (int64_t k = 0; k < c->count; k++) {
    bool stays =
        c->list[k] == best->attribute || c->value[k] + c->half[k] > best->lower;
    c->alive[c->list[k] - first] = stays;
    if (stays)
      c->list[count++] = c->list[k];
  }
  bool gone = count < c->count;
  c->count = count;
  return gone;
}

th_status th_candidates_test(struct th_candidates *c,
                             struct th_context *context,
                             const struct th_oomp_law *law, double delta,
                             double norm1, struct th_verdict_of_candidates *v,
                             struct th_error *err)
{
  struct half_width w = find_half_width(c, context, law, delta, norm1);
  struct best best = {0};
  int64_t first = context->owned.first;
  th_status rc;
  estimate_widths(c, first, &w);
  TH_TRY(best_candidate(c, context, &best, err));
  v->upper = best.upper;
  v->least = best.least;
  TH_TRY(choose_candidates(c, context, law->mu * best.upper, v, err));
  int64_t changes = eliminate_worse(c, first, &best);
  context->comm->ops->sum_i64(context->comm, &changes, 1);
  if (changes > 0)
    TH_TRY(activate(c, context, err));
done:
  return rc;
}

void th_candidates_describe(struct th_candidates *c, struct th_context *context,
                            struct th_state *state)
{
  th_state_enter(state, "candidates");
  th_state_spread(state, "alive", TH_STATE_BOOL, c->alive, 1, context->owned);
  th_state_spread(state, "sum", TH_STATE_F64, c->sum, 1, context->owned);
  th_state_spread(state, "square", TH_STATE_F64, c->square, 1, context->owned);
  TH_STATE_ONE(state, c, rows);
  th_state_leave(state);
  if (th_state_puts(state))
    list_alive(c, context->owned.first);
  if (th_state_puts(state) && th_state_agree(state, context->comm))
    th_state_note(state, activate(c, context, state->err));
}
