/* sift_evidence.c - what solver `sift` knows about each attribute
 *
 * U, W and Q are kept in the attribute's own units: the score does not depend
 * on these. On sparse data, an update touches only the attributes that its rows
 * hold. Centring makes their zeros count, too. One correction per cell holds
 * what they add.
 * SPDX-License-Identifier: MIT */
#include "solvers/sift/sift_evidence.h"

#include "base/elementary.h"
#include "base/integer.h"
#include "base/memory.h"
#include "ranks/partition.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- The evidence of attributes that have joined S ------------------------ */

enum { MEMBER_WORD = 64 };

/* The place of an attribute among the owned ones; -1: another rank owns it. */
static int64_t owned_index(const struct th_context *context, int64_t attribute)
{
  struct th_range owned = context->owned;
  bool mine = attribute >= owned.first && attribute < owned.last;
  return mine ? attribute - owned.first : -1;
}

/* U and W of the j-th owned attribute in its own units, centring included. */
static struct th_evidence evidence_of(const struct th_sift_evidence *e,
                                      const struct th_context *context,
                                      int64_t j)
{
  struct th_evidence sum = e->sums[j];
  if (e->centring != NULL) {
    const struct th_evidence *centring = &e->centring[j / TH_CELL].sum;
    double c = context->centre[j];
    sum.u -= c * centring->u;
    sum.v -= c * c * centring->v;
  }
  return sum;
}

/* Set the sums of an attribute so that they are `sum` after centring. */
static void set(struct th_sift_evidence *e, const struct th_context *context,
                int64_t j, struct th_evidence sum)
{
  if (e->centring != NULL) {
    const struct th_evidence *centring = &e->centring[j / TH_CELL].sum;
    double c = context->centre[j];
    sum.u += c * centring->u;
    sum.v += c * c * centring->v;
  }
  e->sums[j] = sum;
}

void th_sift_evidence_put(struct th_sift_evidence *e,
                          const struct th_context *context, int64_t attribute,
                          struct th_evidence sum)
{
  int64_t j = owned_index(context, attribute);
  if (j < 0)
    return;
  double scale = context->scale[j];
  struct th_evidence own = {sum.u / scale, sum.v / scale / scale};
  set(e, context, j, own);
  if (e->robust != NULL)
    e->robust[j] = own.v;
  if (e->touched != NULL)
    e->touched[j / MEMBER_WORD] |= (uint64_t)1 << j % MEMBER_WORD;
}

void th_sift_evidence_add(struct th_sift_evidence *e,
                          const struct th_context *context, int64_t attribute,
                          struct th_evidence more, int64_t rows)
{
  int64_t j = owned_index(context, attribute);
  if (j < 0)
    return;
  double scale = context->scale[j];
  struct th_evidence now = evidence_of(e, context, j);
  set(e, context, j,
      (struct th_evidence){now.u + more.u / scale,
                           now.v + more.v / scale / scale});
  if (e->robust != NULL)
    e->robust[j] += more.v / scale / scale;
  if (e->seen != NULL)
    e->seen[j] += rows;
  if (e->touched != NULL)
    e->touched[j / MEMBER_WORD] |= (uint64_t)1 << j % MEMBER_WORD;
}

/* --- Which attributes stand out, by the evidence of solver `sift` --------- */

enum {
  ROBUST_ROWS = 1000, /* from here on z uses the robust variance */
  SCORE_WORD = 64,
  AHEAD = 4 /* words of the bit field whose evidence is fetched beforehand */
};

void th_sift_evidence_forget_all(struct th_sift_evidence *e,
                                 const struct th_context *context)
{
  size_t count = (size_t)th_range_count(context->owned);
  memset(e->sums, 0, count * sizeof *e->sums);
  if (e->robust != NULL)
    memset(e->robust, 0, count * sizeof *e->robust);
  if (e->seen != NULL)
    memset(e->seen, 0, count * sizeof *e->seen);
  e->rows = 0;
  for (size_t cell = 0; e->centring != NULL && cell * TH_CELL < count; cell++)
    e->centring[cell].sum = (struct th_evidence){0};
}

static th_status add_candidate(struct th_sift_evidence *e, int64_t attribute,
                               double score, struct th_error *err)
{
  int64_t wanted = e->candidates + 1;
  int64_t old = e->capacity;
  th_status rc = TH_OK;
  if (wanted > old) {
    TH_TRY(
        TH_GROW(&e->score, &e->capacity, wanted, "candidate attributes", err));
    TH_TRY(
        TH_WIDEN(&e->candidate, old, e->capacity, "candidate attributes", err));
  }
  e->candidate[e->candidates] = attribute;
  e->score[e->candidates++] = score;
done:
  return rc;
}

/* Rows that are read again say the same again. With N_j rows of T that were
 * dealt in all passes over n, the variance of U is larger than the counted one.
 */
static double repeats(const struct th_sift_evidence *e,
                      const struct th_context *context, int64_t j)
{
  double n = (double)context->deal.rows_in_pass;
  double dealt = (double)context->deal.taken;
  double rows = e->seen != NULL ? (double)e->seen[j] : e->rows;
  return dealt > n && !e->once ? fmax(1, 1 + rows / n - rows / dealt) : 1;
}

/* The variance of U for z. */
static double variance_of(const struct th_sift_evidence *e,
                          const struct th_context *context, int64_t j,
                          struct th_evidence now)
{
  bool robust = e->robust != NULL && context->deal.rows_in_pass >= ROBUST_ROWS;
  double counted = robust ? fmax(now.v, e->robust[j]) : now.v;
  return counted * repeats(e, context, j);
}

/* Is the j-th owned attribute a member of S? */
static bool is_member(const struct th_support *support,
                      const struct th_context *context, int64_t j)
{
  int64_t attribute = context->owned.first + j;
  struct th_range one = {attribute, attribute + 1};
  struct th_range member = th_support_owned(support, one);
  return member.last > member.first;
}

/* Judge one attribute that has new evidence. */
static th_status judge_evidence(struct th_sift_evidence *e,
                                const struct th_context *context,
                                const struct th_judgement *rule, int64_t j,
                                struct th_error *err)
{
  struct th_evidence now = evidence_of(e, context, j);
  double variance = variance_of(e, context, j, now);
  double least = rule->threshold * rule->threshold;
  if (!isfinite(now.u) || isnan(now.v))
    return th_fail(
        err, TH_EDATA,
        "attribute %lld has a value that is not a finite number; see "
        "thresher inspect --check, and import the data again",
        (long long)(context->owned.first + j));
  if (!(variance > 0 && now.u * now.u > least * variance))
    return TH_OK;
  double z = now.u / sqrt(variance);
  if (!(fabs(z) > rule->threshold) || context->scale[j] == 0 ||
      is_member(rule->support, context, j))
    return TH_OK;
  return add_candidate(e, context->owned.first + j, z, err);
}

/* Rare attributes lie far apart in memory. Fetch the evidence of all in a word
 * of the bit field beforehand. */
static void ask_for(const struct th_sift_evidence *e, int64_t word)
{
  for (uint64_t bits = e->touched[word]; bits != 0; bits &= bits - 1) {
    int64_t j = word * SCORE_WORD + __builtin_ctzll(bits);
    __builtin_prefetch(&e->sums[j]);
  }
}

/* Could z exceed z0 with any centre of its cell? If not, the centre need not be
 * read. */
static bool may_stand_out(const struct th_sift_evidence *e,
                          const struct th_judgement *rule, int64_t j)
{
  const struct th_sift_centring *centring = &e->centring[j / TH_CELL];
  double c = centring->largest;
  double u = fabs(e->sums[j].u) + c * fabs(centring->sum.u);
  double v = e->sums[j].v - c * c * centring->sum.v;
  return !(u * u < rule->threshold * rule->threshold * v);
}

static th_status judge_touched(struct th_sift_evidence *e,
                               const struct th_context *context,
                               const struct th_judgement *rule,
                               struct th_error *err)
{
  int64_t words =
      th_integer_ceil_divide(th_range_count(context->owned), SCORE_WORD);
  th_status rc = TH_OK;
  for (int64_t w = 0; w < words && rc == TH_OK; w++) {
    uint64_t bits = e->touched[w];
    e->touched[w] = 0;
    if (w + AHEAD < words)
      ask_for(e, w + AHEAD);
    for (; bits != 0 && rc == TH_OK; bits &= bits - 1) {
      int64_t j = w * SCORE_WORD + __builtin_ctzll(bits);
      if (may_stand_out(e, rule, j))
        rc = judge_evidence(e, context, rule, j, err);
    }
  }
  return rc;
}

th_status th_sift_evidence_score(struct th_sift_evidence *e,
                                 const struct th_context *context,
                                 const struct th_judgement *rule,
                                 struct th_error *err)
{
  th_status rc = TH_OK;
  e->candidates = 0;
  if (e->touched != NULL)
    return judge_touched(e, context, rule, err);
  for (int64_t j = 0; j < th_range_count(context->owned) && rc == TH_OK; j++)
    rc = judge_evidence(e, context, rule, j, err);
  return rc;
}

int64_t th_sift_evidence_count(const struct th_sift_evidence *e,
                               struct th_context *context,
                               const struct th_support *support, double low,
                               double high)
{
  int64_t count = 0;
  for (int64_t j = 0; j < th_range_count(context->owned); j++) {
    struct th_evidence now = evidence_of(e, context, j);
    double variance = variance_of(e, context, j, now);
    double z = variance > 0 ? fabs(now.u) / sqrt(variance) : 0;
    if (z > low && z <= high && context->scale[j] != 0)
      count += !is_member(support, context, j);
  }
  context->comm->ops->sum_i64(context->comm, &count, 1);
  return count;
}

/* The owner of an attribute tells all ranks. */
void th_sift_evidence_message(const struct th_sift_evidence *e,
                              struct th_context *context,
                              const int64_t *attribute, int64_t count,
                              struct th_evidence *sum)
{
  for (int64_t k = 0; k < count; k++) {
    int64_t j = attribute[k] - context->owned.first;
    sum[k] = (struct th_evidence){0, 0};
    if (j >= 0 && j < th_range_count(context->owned)) {
      double scale = context->scale[j];
      struct th_evidence now = evidence_of(e, context, j);
      sum[k] = (struct th_evidence){scale * now.u, scale * scale * now.v};
    }
  }
  th_comm_share_numbers(context->comm, &sum->u, (size_t)(2 * count));
}

int64_t th_sift_evidence_marked(const struct th_sift_evidence *e,
                                struct th_context *context,
                                const struct th_support *support,
                                const bool *marked, int64_t *attribute,
                                struct th_evidence *sum)
{
  int64_t count = 0;
  for (int64_t k = 0; k < support->size; k++)
    if (marked[k])
      attribute[count++] = support->attribute[k];
  if (count > 0)
    th_sift_evidence_message(e, context, attribute, count, sum);
  return count;
}

/* z^2 less the log of the rows that have been seen of it, which are at least
 * those that the rotation has given every attribute. Of two attributes with the
 * same z, the one that has been seen less is more promising. */
static double promise_of(const struct th_sift_evidence *e,
                         const struct th_context *context,
                         const struct th_promise *rule, int64_t j)
{
  struct th_evidence now = evidence_of(e, context, j);
  double variance = variance_of(e, context, j, now);
  double sd = e->sd != NULL ? e->sd[j] : 1 / context->scale[j];
  double square = variance > 0 ? now.u * now.u / variance : 0;
  return square -
         th_log(fmax(now.v / sd / sd, rule->level) * rule->mean_square);
}

void th_sift_evidence_rank(struct th_sift_evidence *e,
                           const struct th_context *context,
                           const struct th_promise *rule,
                           int64_t count[TH_PROMISE_BINS])
{
  const double lowest = -20; /* 5 * 10^8 rows and no sign */
  const double bins_per_unit = 64;
  for (int64_t j = 0; j < th_range_count(context->owned); j++) {
    e->bin[j] = TH_PROMISE_NONE;
    if (context->scale[j] == 0)
      continue;
    double bin = bins_per_unit * (promise_of(e, context, rule, j) - lowest);
    e->bin[j] = (uint16_t)fmax(0, fmin(bin, TH_PROMISE_BINS - 1));
  }
  struct th_range mine = th_support_owned(rule->support, context->owned);
  for (int64_t k = mine.first; k < mine.last; k++)
    e->bin[rule->support->attribute[k] - context->owned.first] =
        TH_PROMISE_NONE;
  for (int64_t j = 0; j < th_range_count(context->owned); j++)
    if (e->bin[j] != TH_PROMISE_NONE)
      count[e->bin[j]]++;
}

/* --- What a batch says of all attributes ---------------------------------- */

enum {
  STRIP = TH_MARGINAL_STRIP, /* attributes whose sums are formed together */
  WORD = 64
};

static const double largest_reach = 1e15; /* of |x - centre|, for sums in f32 */
static const double smallest_reach = 1e-15;
static const double clip = 3; /* sparse: deviations of the residual */

/* The squares of such values leave the range of f32, so they are summed in
 * double. */
static bool is_extreme(const struct th_context *context, int64_t j)
{
  double scale = context->scale[j];
  double reach = scale > 0 ? context->bound[j] / scale : 1;
  return reach > largest_reach || reach < smallest_reach;
}

static bool has_extremes(const struct th_context *context)
{
  for (int64_t j = 0; j < th_range_count(context->owned); j++)
    if (is_extreme(context, j))
      return true;
  return false;
}

static void find_largest_means(struct th_sift_evidence *e,
                               const struct th_context *context)
{
  for (int64_t j = 0; j < th_range_count(context->owned); j++) {
    struct th_sift_centring *centring = &e->centring[j / TH_CELL];
    centring->largest = fmax(centring->largest, fabs(context->centre[j]));
  }
}

static th_status load_deviations(struct th_sift_evidence *e,
                                 const struct th_context *context,
                                 struct th_error *err)
{
  int64_t count = th_range_count(context->owned);
  struct th_statistics *statistics = NULL;
  th_status rc;
  TH_TRY(TH_NEW(&e->sd, count, "the evidence on attributes", err));
  TH_TRY(TH_NEW(&statistics, count, "the evidence on attributes", err));
  TH_TRY(
      th_source_statistics(context->source, context->owned, statistics, err));
  for (int64_t j = 0; j < count; j++)
    e->sd[j] = statistics[j].deviation > 0 ? statistics[j].deviation : 1;
done:
  free(statistics);
  return rc;
}

th_status th_sift_evidence_create(struct th_sift_evidence *e,
                                  const struct th_context *context,
                                  struct th_error *err)
{
  int64_t count = th_range_count(context->owned);
  const struct th_shape *shape = th_source_shape(context->source);
  th_status rc;
  e->extreme = has_extremes(context);
  if (th_store_shape_is_rare(shape))
    TH_TRY(TH_NEW_RARE(&e->sums, count, "the evidence on attributes", err));
  else
    TH_TRY(TH_NEW(&e->sums, count, "the evidence on attributes", err));
  if (shape->layout == TH_DENSE) {
    TH_TRY(TH_NEW(&e->robust, count, "the evidence on attributes", err));
    TH_TRY(TH_NEW(&e->seen, count, "the evidence on attributes", err));
    TH_TRY(TH_NEW(&e->bin, count, "the evidence on attributes", err));
    if (!context->config->standardize)
      TH_TRY(load_deviations(e, context, err));
  } else {
    TH_TRY(TH_NEW(&e->centring, th_integer_ceil_divide(count, TH_CELL),
                  "the evidence on attributes", err));
    TH_TRY(TH_NEW(&e->touched, th_integer_ceil_divide(count, WORD),
                  "the evidence on attributes", err));
    find_largest_means(e, context);
  }
done:
  return rc;
}

void th_sift_evidence_free(struct th_sift_evidence *e)
{
  TH_FREE(e->sums, e->robust, e->centring, e->touched, e->candidate, e->score,
          e->seen, e->bin, e->sd, e->held, e->held_robust);
}

/* How arrays with an entry for each `width` attributes are split over ranks, as
 * borders of ranks are borders of cells. Each entry has so many numbers. */
static struct th_range spread_of(const struct th_context *context,
                                 int64_t width, int64_t numbers)
{
  struct th_range owned = context->owned;
  int64_t first = th_integer_ceil_divide(owned.first, width);
  return (struct th_range){numbers * first,
                           numbers * th_integer_ceil_divide(owned.last, width)};
}

void th_sift_evidence_describe(struct th_sift_evidence *e,
                               const struct th_context *context,
                               struct th_state *state)
{
  enum { PAIR = sizeof *e->sums / sizeof(double) };
  enum { NUMBERS = sizeof *e->centring / sizeof(double) };
  th_state_enter(state, "evidence");
  TH_STATE_ONE(state, e, rows);
  th_state_spread(state, "sums", TH_STATE_F64, e->sums, 1,
                  spread_of(context, 1, PAIR));
  if (e->centring == NULL) {
    th_state_spread(state, "robust", TH_STATE_F64, e->robust, 1,
                    context->owned);
    th_state_spread(state, "seen", TH_STATE_I64, e->seen, 1, context->owned);
  } else {
    th_state_spread(state, "centring", TH_STATE_F64, e->centring, 1,
                    spread_of(context, TH_CELL, NUMBERS));
    th_state_spread(state, "touched", TH_STATE_I64, e->touched, 1,
                    spread_of(context, WORD, 1));
  }
  th_state_leave(state);
}

/* What th_batch_blocks adds to: U, W += unit * (u, v), Q += square * q. */
struct gather {
  const struct th_context *context;
  const struct th_batch *batch;
  struct th_sift_evidence *to;
  struct th_evidence unit;
  double square;
  double scale; /* of the residuals */
};

/* A strip's three sums over some rows, and each attribute's own part of the
 * residuals. */
struct strip_sums {
  const int64_t *at; /* among the owned attributes */
  const double *centre;
  double u[STRIP];
  double v[STRIP];
  double q[STRIP];
  double own[STRIP];
};

/* u, v and q of a strip; attribute by attribute where some are extreme. */
static void sum_strip(const struct gather *g, const struct th_slab *strip,
                      const struct th_row_weights *multiplier,
                      struct strip_sums *s)
{
  int64_t count = th_range_count(strip->attributes);
  if (!g->to->extreme || strip->type != TH_F32) {
    th_kernel_evidence(strip, multiplier, s->centre, s->own, s->u, s->v, s->q);
    return;
  }
  for (int64_t a = 0; a < count; a++) {
    int64_t first = strip->attributes.first + a;
    struct th_slab one =
        th_slab_part(strip, (struct th_range){first, first + 1});
    (is_extreme(g->context, s->at[a])
         ? th_kernel_reference
         : th_kernel_evidence)(&one, multiplier, s->centre + a, s->own + a,
                               s->u + a, s->v + a, s->q + a);
  }
}

/* What the sums of the end are told about a slab. */
static struct th_marginal_slab beside_of(const struct gather *g,
                                         const struct th_slab *slab,
                                         const struct th_row_weights *m,
                                         int64_t offset)
{
  const struct th_batch *batch = g->batch;
  int64_t row = m->residual - batch->residual;
  const struct th_draw *last = &batch->draw[batch->draws - 1];
  return (struct th_marginal_slab){
      .slab = slab,
      .multiplier = m,
      .unit = g->unit,
      .row = row,
      .offset = offset,
      .race = last->active && row >= batch->draw_row[batch->draws - 1]};
}

/* Dense data: a strip's three sums over these rows join the evidence. The
 * variance of an attribute's products leaves out the attribute's own part of
 * the residuals, as far as it is known. Otherwise rare and heavy-tailed
 * attributes would hide themselves. */
static void add_strip(const struct gather *g, const struct th_slab *strip,
                      const struct th_row_weights *multiplier)
{
  int64_t count = th_range_count(strip->attributes);
  int64_t at[STRIP];
  double centre[STRIP];
  struct strip_sums s; /* not zeroed as a whole: most strips may be short */
  s.at = at;
  s.centre = centre;
  th_context_places(g->context, strip, at, centre);
  for (int64_t a = 0; a < count; a++) {
    const struct th_evidence *known = g->to->sums + at[a];
    s.own[a] = known->v > 0 ? g->scale * known->u / known->v : 0;
    s.u[a] = s.v[a] = s.q[a] = 0;
  }
  sum_strip(g, strip, multiplier, &s);
  for (int64_t a = 0; a < count; a++) {
    struct th_evidence *to = g->to->sums + at[a];
    to->u += g->unit.u * s.u[a];
    to->v += g->unit.v * s.v[a];
    g->to->robust[at[a]] += g->square * s.q[a];
    g->to->seen[at[a]] += strip->rows;
  }
  if (g->to->beside == NULL)
    return;
  struct th_marginal_slab beside = beside_of(g, strip, multiplier, 0);
  const struct th_marginal_sums sums = {at, centre, s.u, s.v};
  th_marginal_add_dense(g->to->beside, g->context, &beside, &sums);
}

static void add_slab(void *self, const struct th_slab *slab,
                     const struct th_row_weights *multiplier, int64_t offset)
{
  const struct gather *g = self;
  if (slab->layout == TH_SPARSE) {
    struct th_marginal_slab beside = beside_of(g, slab, multiplier, offset);
    if (g->to->beside != NULL)
      th_marginal_add_sparse(g->to->beside, g->context, &beside);
    th_kernels_sparse_touch(slab, multiplier, g->unit, offset, g->to->sums,
                            g->to->touched);
    return;
  }
  for (int64_t a = slab->attributes.first; a < slab->attributes.last;
       a += STRIP) {
    struct th_range part = {a, a + STRIP};
    struct th_slab strip =
        th_slab_part(slab, th_range_intersect(part, slab->attributes));
    add_strip(g, &strip, multiplier);
  }
}

/* The centring correction of one draw. If the block cuts a cell, the correction
 * is taken from each attribute of the cell; otherwise it is added to the
 * cell's. Which cells are cut depends on the block alone. */
static void add_centring_of(const struct gather *g, struct th_range block,
                            struct th_evidence centring)
{
  const struct th_context *context = g->context;
  int64_t origin = context->owned.first;
  struct th_range mine = th_range_intersect(block, context->owned);
  int64_t j = mine.first - origin;
  int64_t end = mine.last - origin;
  while (j < end) {
    bool whole = j % TH_CELL == 0 &&
                 (j + TH_CELL <= end || mine.last == context->owned.last);
    if (whole) {
      struct th_evidence *to = &g->to->centring[j / TH_CELL].sum;
      to->u += g->unit.u * centring.u;
      to->v += g->unit.v * centring.v;
      j += TH_CELL;
      continue;
    }
    double c = context->centre[j];
    g->to->sums[j].u -= g->unit.u * c * centring.u;
    g->to->sums[j].v -= g->unit.v * c * c * centring.v;
    j++;
  }
}

/* One correction per draw, as all its rows meet the same block. */
static void add_centring(const struct gather *g, const struct th_batch *batch)
{
  for (int64_t i = 0; i < batch->draws; i++) {
    int64_t row = batch->draw_row[i];
    struct th_row_weights m = {.residual = batch->residual + row,
                               .weight = batch->weight + row};
    add_centring_of(
        g, batch->draw[i].block,
        th_kernels_sparse_centring(&m, batch->draw_row[i + 1] - row));
  }
}

/* One example says little about a rare attribute, however large its residual
 * is. With clipped residuals a score needs several examples (Huber's score
 * function). */
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

static const struct th_array of_members[] = {
    TH_ARRAY(struct th_sift_evidence, held),
    TH_ARRAY(struct th_sift_evidence, held_robust)};

/* Room to put the members of S aside. */
static th_status reserve_members(struct th_sift_evidence *e,
                                 const struct th_context *context,
                                 const struct th_support *support,
                                 struct th_error *err)
{
  struct th_range mine = th_support_owned(support, context->owned);
  return th_memory_arrays_reserve(TH_ARRAYS(e, of_members), &e->hold_capacity,
                                  th_range_count(mine),
                                  "the evidence on attributes", err);
}

/* Blocks contain members of S, too, whose sums grow with the others'. What the
 * sums were before is put aside, and back when the blocks have been read: so
 * nothing is learnt about members. */
static void put_aside(struct th_sift_evidence *e,
                      const struct th_context *context,
                      const struct th_support *support)
{
  struct th_range mine = th_support_owned(support, context->owned);
  for (int64_t k = mine.first; k < mine.last; k++) {
    int64_t j = owned_index(context, support->attribute[k]);
    e->held[k - mine.first] = evidence_of(e, context, j);
    if (e->robust != NULL)
      e->held_robust[k - mine.first] = e->robust[j];
  }
  if (e->beside != NULL)
    th_marginal_hold(e->beside, context, support);
}

static void put_back(struct th_sift_evidence *e,
                     const struct th_context *context,
                     const struct th_support *support)
{
  struct th_range mine = th_support_owned(support, context->owned);
  for (int64_t k = mine.first; k < mine.last; k++) {
    int64_t j = owned_index(context, support->attribute[k]);
    set(e, context, j, e->held[k - mine.first]);
    if (e->robust != NULL)
      e->robust[j] = e->held_robust[k - mine.first];
  }
  if (e->beside != NULL)
    th_marginal_release(e->beside, context, support);
}

/* U += u/r2, W += v/r2, Q += q/r2^2 with the sums of this round. */
th_status th_sift_evidence_gather(struct th_sift_evidence *e,
                                  struct th_batch *batch,
                                  struct th_context *context,
                                  const struct th_support *support,
                                  double mean_square, struct th_error *err)
{
  th_status rc = reserve_members(e, context, support, err);
  if (rc != TH_OK)
    return rc;
  th_comm_profile_begin(context->profile);
  put_aside(e, context, support);
  if (e->centring != NULL)
    clip_residuals(batch, mean_square);
  double unit = scale_residuals(batch, mean_square);
  struct gather g = {context,
                     batch,
                     e,
                     {-1 / (unit * mean_square), 1 / mean_square},
                     1 / (unit * unit * mean_square * mean_square),
                     unit};
  if (e->centring != NULL)
    add_centring(&g, batch);
  if (e->centring != NULL && e->beside != NULL)
    th_marginal_centring(e->beside, context, batch, g.unit);
  rc = th_batch_blocks(batch, context, add_slab, &g, err);
  put_back(e, context, support);
  e->rows += (double)batch->rows / (double)batch->draws; /* a sweep */
  th_comm_profile_end(context->profile, TH_PHASE_GRADIENT);
  return rc;
}
