/* sift_score.c - which attributes stand out, by the evidence of solver `sift`
 * SPDX-License-Identifier: MIT */
#include "core/partition.h"
#include "solvers/budgeted/sift_evidence.h"

#include "core/elementary.h"
#include "core/integer.h"
#include "core/memory.h"

#include <math.h>
#include <string.h>

enum {
  ROBUST_ROWS = 1000, /* from here on z uses the robust variance */
  WORD = 64,
  AHEAD = 4 /* words of the bit field whose evidence is fetched beforehand */
};

static int64_t owned_count(const struct th_context *context)
{
  return context->owned.last - context->owned.first;
}

void th_sift_evidence_forget_all(struct th_sift_evidence *e,
                                 const struct th_context *context)
{
  size_t count = (size_t)owned_count(context);
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
static th_status judge(struct th_sift_evidence *e,
                       const struct th_context *context,
                       const struct th_judgement *rule, int64_t j,
                       struct th_error *err)
{
  struct th_evidence now = th_sift_evidence_of(e, context, j);
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
    int64_t j = word * WORD + __builtin_ctzll(bits);
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
  int64_t words = th_integer_ceil_divide(owned_count(context), WORD);
  th_status rc = TH_OK;
  for (int64_t w = 0; w < words && rc == TH_OK; w++) {
    uint64_t bits = e->touched[w];
    e->touched[w] = 0;
    if (w + AHEAD < words)
      ask_for(e, w + AHEAD);
    for (; bits != 0 && rc == TH_OK; bits &= bits - 1) {
      int64_t j = w * WORD + __builtin_ctzll(bits);
      if (may_stand_out(e, rule, j))
        rc = judge(e, context, rule, j, err);
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
  for (int64_t j = 0; j < owned_count(context) && rc == TH_OK; j++)
    rc = judge(e, context, rule, j, err);
  return rc;
}

int64_t th_sift_evidence_count(const struct th_sift_evidence *e,
                               struct th_context *context,
                               const struct th_support *support, double low,
                               double high)
{
  int64_t count = 0;
  for (int64_t j = 0; j < owned_count(context); j++) {
    struct th_evidence now = th_sift_evidence_of(e, context, j);
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
    if (j >= 0 && j < owned_count(context)) {
      double scale = context->scale[j];
      struct th_evidence now = th_sift_evidence_of(e, context, j);
      sum[k] = (struct th_evidence){scale * now.u, scale * scale * now.v};
    }
  }
  th_comm_share_numbers(context->comm, &sum->u, (size_t)(2 * count));
}

/* z^2 less the log of the rows that have been seen of it, which are at least
 * those that the rotation has given every attribute. Of two attributes with the
 * same z, the one that has been seen less is more promising. */
static double promise_of(const struct th_sift_evidence *e,
                         const struct th_context *context,
                         const struct th_promise *rule, int64_t j)
{
  struct th_evidence now = th_sift_evidence_of(e, context, j);
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
  for (int64_t j = 0; j < owned_count(context); j++) {
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
  for (int64_t j = 0; j < owned_count(context); j++)
    if (e->bin[j] != TH_PROMISE_NONE)
      count[e->bin[j]]++;
}
