/* sift_evidence.c - what solver `sift` knows about each attribute
 *
 * U, W and Q are kept in the attribute's own units: the score does not depend
 * on them. Sparse data: an update touches the attributes that its rows hold;
 * what their zeros add once values are centred lies in one floor per cell.
 * SPDX-License-Identifier: MIT */
#include "solvers/sift_evidence.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  ROBUST_ROWS = 1000, /* from here on z uses the robust variance */
  STRIP = 256,        /* attributes whose sums are formed together */
  WORD = 64
};

static const double largest_reach = 1e15; /* of |x - centre|, for sums in f32 */
static const double smallest_reach = 1e-15;
static const double clip = 3;        /* sparse: deviations of the residual */
static const double heavy_tails = 3; /* robust against plain variance */

static int64_t owned_count(const struct th_context *context)
{
  return context->owned.last - context->owned.first;
}

static int64_t ceil_divide(int64_t a, int64_t b)
{
  return (a + b - 1) / b;
}

/* Squares of such values leave the range of f32: their sums run in double. */
static bool is_extreme(const struct th_context *context, int64_t j)
{
  double scale = context->scale[j];
  double reach = scale > 0 ? context->bound[j] / scale : 1;
  return reach > largest_reach || reach < smallest_reach;
}

static bool has_extremes(const struct th_context *context)
{
  for (int64_t j = 0; j < owned_count(context); j++)
    if (is_extreme(context, j))
      return true;
  return false;
}

th_status th_evidence_create(struct th_sift_evidence *e,
                             const struct th_context *context,
                             struct th_error *err)
{
  int64_t count = owned_count(context);
  const struct th_shape *shape = th_source_shape(context->source);
  th_status rc;
  e->extreme = has_extremes(context);
  TH_TRY(TH_NEW(&e->sums, count, "evidence", err));
  if (shape->layout == TH_SPARSE) {
    TH_TRY(TH_NEW(&e->floor, ceil_divide(count, TH_CELL), "evidence", err));
    TH_TRY(TH_NEW(&e->touched, ceil_divide(count, WORD), "evidence", err));
  }
done:
  return rc;
}

void th_evidence_free(struct th_sift_evidence *e)
{
  free(e->sums);
  free(e->floor);
  free(e->touched);
  free(e->candidate);
  free(e->score);
}

/* Where th_batch_blocks adds up: evidence += unit * (u, v, q). */
struct gather {
  const struct th_context *context;
  struct th_sift_evidence *to;
  struct th_evidence unit;
};

/* u, v and q of a strip; attribute by attribute where some are extreme. */
static void sum_strip(const struct gather *g, const struct th_slab *strip,
                      const struct th_multiplier *multiplier, int64_t offset,
                      double *u, double *v, double *q)
{
  const double *centre = g->context->centre + offset;
  int64_t count = strip->attributes.last - strip->attributes.first;
  if (!g->to->extreme || strip->type != TH_F32) {
    th_kernel_evidence(strip, multiplier, centre, u, v, q);
    return;
  }
  for (int64_t a = 0; a < count; a++) {
    int64_t first = strip->attributes.first + a;
    struct th_slab one =
        th_slab_part(strip, (struct th_range){first, first + 1});
    (is_extreme(g->context, offset + a) ? th_kernel_reference
                                        : th_kernel_evidence)(
        &one, multiplier, centre + a, u + a, v + a, q + a);
  }
}

/* Dense: a strip's three sums of these rows join the evidence. */
static void add_strip(const struct gather *g, const struct th_slab *strip,
                      const struct th_multiplier *multiplier, int64_t offset)
{
  struct th_evidence *to = g->to->sums + offset;
  int64_t count = strip->attributes.last - strip->attributes.first;
  double u[STRIP] = {0};
  double v[STRIP] = {0};
  double q[STRIP] = {0};
  sum_strip(g, strip, multiplier, offset, u, v, q);
  for (int64_t a = 0; a < count; a++) {
    to[a].u += g->unit.u * u[a];
    to[a].v += g->unit.v * v[a];
    to[a].q += g->unit.q * q[a];
  }
}

static void add_slab(void *self, const struct th_slab *slab,
                     const struct th_multiplier *multiplier, int64_t offset)
{
  const struct gather *g = self;
  if (slab->layout == TH_SPARSE) {
    th_sparse_touch(slab, multiplier, g->context->centre, g->unit, offset,
                    g->to->sums, g->to->touched);
    return;
  }
  for (int64_t a = slab->attributes.first; a < slab->attributes.last;
       a += STRIP) {
    struct th_range part = {a, a + STRIP};
    struct th_slab strip =
        th_slab_part(slab, th_range_meet(part, slab->attributes));
    add_strip(g, &strip, multiplier, offset + a - slab->attributes.first);
  }
}

/* Centring x = 0 on the rows of one draw: to each attribute of a cell that the
 * block cuts, to the cell's floor otherwise. Which cells are cut depends on
 * the block alone. */
static void add_floor(const struct gather *g, struct th_range block,
                      struct th_evidence floor)
{
  const struct th_context *context = g->context;
  int64_t origin = context->owned.first;
  struct th_range mine = th_range_meet(block, context->owned);
  int64_t j = mine.first - origin;
  int64_t end = mine.last - origin;
  while (j < end) {
    bool whole = j % TH_CELL == 0 &&
                 (j + TH_CELL <= end || mine.last == context->owned.last);
    if (whole) {
      struct th_evidence *to = &g->to->floor[j / TH_CELL];
      to->u += g->unit.u * floor.u;
      to->v += g->unit.v * floor.v;
      to->q += g->unit.q * floor.q;
      j += TH_CELL;
      continue;
    }
    double c = context->centre[j];
    g->to->sums[j].u -= g->unit.u * c * floor.u;
    g->to->sums[j].v += g->unit.v * c * c * floor.v;
    g->to->sums[j].q += g->unit.q * c * c * floor.q;
    j++;
  }
}

/* One floor per draw: all its rows meet the same block. */
static void add_floors(const struct gather *g, const struct th_batch *batch)
{
  for (int64_t i = 0; i < batch->draws; i++) {
    int64_t row = batch->draw_row[i];
    struct th_multiplier m = {.residual = batch->residual + row,
                              .weight = batch->weight + row};
    add_floor(g, batch->draw[i].block,
              th_sparse_floor(&m, batch->draw_row[i + 1] - row));
  }
}

/* One example says little about a rare attribute, however far off it is: with
 * residuals clipped, a score needs several (Huber's score function). */
static void clip_residuals(struct th_batch *batch, double mean_square)
{
  double most = clip * sqrt(mean_square);
  for (int64_t i = 0; i < batch->rows; i++) {
    double bound = batch->weight[i] * most;
    batch->residual[i] = fmax(-bound, fmin(bound, batch->residual[i]));
  }
}

/* Residuals times a power of two, so that their squares stay within f32
 * whatever the unit of y; returns it. Local. */
static double scale_residuals(struct th_batch *batch, double mean_square)
{
  int exponent = 0;
  frexp(sqrt(mean_square), &exponent);
  double unit = ldexp(1, -exponent);
  for (int64_t i = 0; i < batch->rows; i++) {
    batch->residual[i] *= unit;
    batch->residual32[i] = (float)batch->residual[i];
  }
  return unit;
}

/* U += u/r2, W += v/r2, Q += q/r2^2 with the sums of this sweep. Residuals in
 * the batch are p - y. Collective. */
th_status th_evidence_gather(struct th_sift_evidence *e, struct th_batch *batch,
                             struct th_context *context, double mean_square,
                             struct th_error *err)
{
  th_profile_begin(context->profile);
  if (e->floor != NULL)
    clip_residuals(batch, mean_square);
  double unit = scale_residuals(batch, mean_square);
  struct gather g = {context,
                     e,
                     {-1 / (unit * mean_square), 1 / mean_square,
                      1 / (unit * unit * mean_square * mean_square)}};
  if (e->floor != NULL)
    add_floors(&g, batch);
  th_status rc = th_batch_blocks(batch, context, add_slab, &g, err);
  e->rows += (double)batch->rows / (double)batch->draws;
  rc = th_agree(context->comm, rc, err);
  th_profile_end(context->profile, TH_PHASE_GRADIENT);
  return rc;
}

/* U, W, Q of the j-th owned attribute, its floor included. */
static struct th_evidence evidence_of(const struct th_sift_evidence *e,
                                      const struct th_context *context,
                                      int64_t j)
{
  struct th_evidence sum = e->sums[j];
  if (e->floor != NULL) {
    const struct th_evidence *floor = &e->floor[j / TH_CELL];
    double c = context->centre[j];
    sum.u -= c * floor->u;
    sum.v += c * c * floor->v;
    sum.q += c * c * floor->q;
  }
  return sum;
}

/* Its evidence becomes f times what it was. */
static void shrink(struct th_sift_evidence *e, int64_t j,
                   struct th_evidence now, double f)
{
  e->sums[j].u += (f - 1) * now.u;
  e->sums[j].v += (f - 1) * now.v;
  e->sums[j].q += (f - 1) * now.q;
}

void th_evidence_forget(struct th_sift_evidence *e,
                        const struct th_context *context, int64_t attribute)
{
  int64_t j = attribute - context->owned.first;
  if (j >= 0 && j < owned_count(context))
    shrink(e, j, evidence_of(e, context, j), 0);
}

void th_evidence_forget_all(struct th_sift_evidence *e,
                            const struct th_context *context)
{
  size_t count = (size_t)owned_count(context);
  memset(e->sums, 0, count * sizeof *e->sums);
  if (e->floor != NULL)
    memset(e->floor, 0, (count + TH_CELL - 1) / TH_CELL * sizeof *e->floor);
}

/* n rows give no more evidence than n rows, however often they are read. */
static void limit(struct th_sift_evidence *e, const struct th_context *context,
                  int64_t j, double mean_square, struct th_evidence *now)
{
  double n = (double)context->deal.rows_in_pass;
  double scale = context->scale[j];
  double rows = scale * scale * now->v * mean_square;
  if (rows > n) {
    double f = n / rows;
    shrink(e, j, *now, f);
    *now = (struct th_evidence){f * now->u, f * now->v, f * now->q};
  }
}

static th_status add_candidate(struct th_sift_evidence *e, int64_t attribute,
                               double score, struct th_error *err)
{
  int64_t wanted = e->candidates + 1;
  int64_t old = e->capacity;
  th_status rc = TH_OK;
  if (wanted > old) {
    rc = th_grow((void **)&e->candidate, &e->capacity, wanted,
                 sizeof *e->candidate, "candidates", err);
    if (rc == TH_OK)
      rc = th_grow((void **)&e->score, &old, wanted, sizeof *e->score,
                   "candidates", err);
  }
  if (rc != TH_OK)
    return rc;
  e->candidate[e->candidates] = attribute;
  e->score[e->candidates++] = score;
  return TH_OK;
}

/* One attribute that new evidence has come in for. */
static th_status judge(struct th_sift_evidence *e,
                       const struct th_context *context,
                       const struct th_judgement *rule, int64_t j,
                       struct th_error *err)
{
  struct th_evidence now = evidence_of(e, context, j);
  if (e->rows > (double)context->deal.rows_in_pass)
    limit(e, context, j, rule->mean_square, &now);
  /* Q holds the attribute's own effect, which is large where x is rare */
  bool robust = e->floor == NULL && context->deal.rows_in_pass >= ROBUST_ROWS;
  double variance = robust ? fmax(now.v, now.q) : now.v;
  double z = variance > 0 ? now.u / sqrt(variance) : 0;
  int64_t attribute = context->owned.first + j;
  if (!(fabs(z) > rule->threshold) || context->scale[j] == 0)
    return TH_OK;
  struct th_range one = {attribute, attribute + 1};
  struct th_range member = th_support_owned(rule->support, one);
  return member.last > member.first ? TH_OK
                                    : add_candidate(e, attribute, z, err);
}

static th_status judge_touched(struct th_sift_evidence *e,
                               const struct th_context *context,
                               const struct th_judgement *rule,
                               struct th_error *err)
{
  int64_t words = ceil_divide(owned_count(context), WORD);
  th_status rc = TH_OK;
  for (int64_t w = 0; w < words && rc == TH_OK; w++) {
    uint64_t bits = e->touched[w];
    e->touched[w] = 0;
    for (; bits != 0 && rc == TH_OK; bits &= bits - 1)
      rc = judge(e, context, rule, w * WORD + __builtin_ctzll(bits), err);
  }
  return rc;
}

th_status th_evidence_judge(struct th_sift_evidence *e,
                            const struct th_context *context,
                            const struct th_judgement *rule,
                            struct th_error *err)
{
  th_status rc = TH_OK;
  e->candidates = 0;
  if (e->touched != NULL)
    return judge_touched(e, context, rule, err);
  for (int64_t j = 0; j < owned_count(context) && rc == TH_OK; j++)
    rc = judge(e, context, rule, j, err);
  return rc;
}

/* Only the owner has a word in the sum of bit patterns. */
void th_evidence_guess(const struct th_sift_evidence *e,
                       struct th_context *context,
                       const struct th_choice *chosen, int64_t found,
                       int64_t *bits)
{
  for (int64_t k = 0; k < found; k++) {
    int64_t j = chosen[k].attribute - context->owned.first;
    bits[k] = 0;
    if (j >= 0 && j < owned_count(context)) {
      struct th_evidence now = evidence_of(e, context, j);
      double value = now.u / (now.v * context->scale[j]);
      memcpy(&bits[k], &value, sizeof value);
    }
  }
  context->comm->ops->sum_i64(context->comm, bits, (size_t)found);
}

void th_evidence_warn_of_tails(const struct th_sift_evidence *e,
                               struct th_context *context)
{
  int64_t sums[2] = {0, 0}; /* attributes; ratios, in 1/1024 */
  for (int64_t j = 0; j < owned_count(context); j++) {
    struct th_evidence now = evidence_of(e, context, j);
    bool counts = now.v > 0 && context->scale[j] > 0;
    double ratio = counts ? fmin(fmax(now.v, now.q) / now.v, 1e6) : 0;
    sums[0] += counts;
    sums[1] += (int64_t)(1024 * ratio);
  }
  context->comm->ops->sum_i64(context->comm, sums, 2);
  double mean = sums[0] > 0 ? (double)sums[1] / 1024 / (double)sums[0] : 0;
  if (mean > heavy_tails && !context->target.labels)
    th_context_notice(context,
                      "the target's tails are heavy (robust variances are %.1f "
                      "times the plain ones): log(1 + target) may fit better",
                      mean);
}
