/* sift_evidence.c - what solver `sift` knows about each attribute
 * SPDX-License-Identifier: MIT */
#include "solvers/sift.h"

#include <math.h>
#include <string.h>

enum { ROBUST_ROWS = 1000 }; /* from here on z uses the robust variance */

static const double largest_reach = 1e15; /* of |x - centre|, for sums in f32 */
static const double smallest_reach = 1e-15;
static const double heavy_tails = 3; /* robust against plain variance */

static int64_t owned_count(const struct th_context *context)
{
  return context->owned.last - context->owned.first;
}

/* Where th_batch_blocks adds up u, v and q. */
struct sums {
  const struct th_context *context;
  bool extreme; /* some attribute needs more than the range of f32 */
  double *u;
  double *v;
  double *q;
};

/* Squares of such values leave the range of f32: their sums run in double. */
static bool is_extreme(const struct th_context *context, int64_t j)
{
  double scale = context->scale[j];
  double reach = scale > 0 ? context->bound[j] / scale : 1;
  return reach > largest_reach || reach < smallest_reach;
}

bool th_sift_has_extremes(const struct th_context *context)
{
  for (int64_t j = 0; j < owned_count(context); j++)
    if (is_extreme(context, j))
      return true;
  return false;
}

static void add_evidence(void *self, const struct th_slab *slab,
                         const struct th_multiplier *multiplier, int64_t offset)
{
  const struct sums *sums = self;
  const struct th_context *context = sums->context;
  int64_t count = slab->attributes.last - slab->attributes.first;
  if (!sums->extreme || slab->layout == TH_SPARSE || slab->type != TH_F32) {
    th_kernel_evidence(slab, multiplier, context->centre + offset,
                       sums->u + offset, sums->v + offset, sums->q + offset);
    return;
  }
  for (int64_t a = 0; a < count; a++) {
    struct th_slab one = *slab;
    one.attributes.first += a;
    one.attributes.last = one.attributes.first + 1;
    one.values = (const float *)slab->values + a * slab->stride;
    int64_t j = offset + a;
    (is_extreme(context, j) ? th_kernel_reference : th_kernel_evidence)(
        &one, multiplier, context->centre + j, sums->u + j, sums->v + j,
        sums->q + j);
  }
}

/* Residuals times a power of two, so that their squares stay within f32
 * whatever the unit of y. Local. */
static void scale_residuals(struct th_sift *s)
{
  int exponent = 0;
  frexp(sqrt(s->mean_square), &exponent);
  s->unit = ldexp(1, -exponent);
  for (int64_t i = 0; i < s->batch.rows; i++) {
    s->batch.residual[i] *= s->unit;
    s->batch.residual32[i] = (float)s->batch.residual[i];
  }
}

/* Owner: u_j = sum r x_j, v_j = sum x_j^2, q_j = sum r^2 x_j^2. Collective. */
th_status th_sift_gather(struct th_sift *s, struct th_context *context,
                         struct th_error *err)
{
  int64_t count = owned_count(context);
  double *fresh = s->evidence + 3 * count;
  struct sums sums = {context, s->extreme, fresh, fresh + count,
                      fresh + 2 * count};
  th_profile_begin(context->profile);
  memset(fresh, 0, (size_t)(3 * count) * sizeof *fresh);
  scale_residuals(s);
  th_status rc = th_batch_blocks(&s->batch, context, add_evidence, &sums, err);
  rc = th_agree(context->comm, rc, err);
  th_profile_end(context->profile, TH_PHASE_GRADIENT);
  return rc;
}

/* U += u/r2, W += v/r2, Q += q/r2^2; n rows give no more evidence than n rows,
 * however often they are read. Residuals in the batch are p - y. Local. */
void th_sift_keep(struct th_sift *s, const struct th_context *context)
{
  int64_t count = owned_count(context);
  double n = (double)context->deal.rows_in_pass;
  double r2 = s->mean_square;
  double unit = s->unit;
  double *U = s->evidence;
  double *W = U + count;
  double *Q = W + count;
  const double *u = Q + count;
  const double *v = u + count;
  const double *q = v + count;
  for (int64_t j = 0; j < count; j++) {
    double scale = context->scale[j];
    U[j] -= scale * u[j] / (unit * r2);
    W[j] += scale * scale * v[j] / r2;
    Q[j] += scale * scale * q[j] / (unit * unit * r2 * r2);
    double rows = W[j] * r2;
    double f = rows > n ? n / rows : 1;
    U[j] *= f;
    W[j] *= f;
    Q[j] *= f;
  }
}

/* What was known about an attribute no longer holds. Local. */
void th_sift_forget(struct th_sift *s, const struct th_context *context,
                    int64_t attribute)
{
  int64_t count = owned_count(context);
  int64_t j = attribute - context->owned.first;
  for (int64_t k = 0; k < 3 && j >= 0 && j < count; k++)
    s->evidence[j + k * count] = 0;
}

bool th_sift_on_probation(const struct th_sift *s)
{
  bool any = false;
  for (int64_t k = 0; k < s->fit.size; k++)
    any |= s->fit.entrant[k];
  return any;
}

/* While nobody is on probation: residuals that have doubled mean that S has
 * changed for the worse; all evidence is about another S then. Local. */
void th_sift_watch(struct th_sift *s, const struct th_context *context)
{
  if (th_sift_on_probation(s))
    return;
  double luck = s->luck / s->batch.weight_sum;
  if (s->mean_square > 2 * s->smallest + luck) {
    memset(s->evidence, 0,
           (size_t)(3 * owned_count(context)) * sizeof *s->evidence);
    s->smallest = INFINITY;
  }
  s->smallest = fmin(s->smallest, s->mean_square + luck);
}

/* z_j of the owned attributes outside S; 0 on S. Local. */
void th_sift_score(struct th_sift *s, const struct th_context *context)
{
  int64_t count = owned_count(context);
  const double *U = s->evidence;
  const double *W = U + count;
  const double *Q = W + count;
  bool robust = context->deal.rows_in_pass >= ROBUST_ROWS;
  for (int64_t j = 0; j < count; j++) {
    double variance = robust ? fmax(W[j], Q[j]) : W[j];
    s->z[j] = variance > 0 ? U[j] / sqrt(variance) : 0;
  }
  struct th_range mine = th_support_owned(&s->support, context->owned);
  for (int64_t k = mine.first; k < mine.last; k++)
    s->z[s->support.attribute[k] - context->owned.first] = 0;
}

/* U_j / W_j, the first guess at theta_j, of the chosen attributes: only the
 * owner has a word in the sum of bit patterns. Collective. */
void th_sift_guess(struct th_sift *s, struct th_context *context,
                   const struct th_choice *chosen, int64_t found, int64_t *bits)
{
  int64_t count = owned_count(context);
  for (int64_t k = 0; k < found; k++) {
    int64_t j = chosen[k].attribute - context->owned.first;
    bits[k] = 0;
    if (j >= 0 && j < count) {
      double value = s->evidence[j] / s->evidence[j + count];
      memcpy(&bits[k], &value, sizeof value);
    }
  }
  context->comm->ops->sum_i64(context->comm, bits, (size_t)found);
}

/* Say so where squares of the residuals follow the attributes. Collective. */
void th_sift_warn_of_tails(const struct th_sift *s, struct th_context *context)
{
  int64_t count = owned_count(context);
  const double *W = s->evidence + count;
  const double *Q = W + count;
  int64_t sums[2] = {0, 0}; /* attributes; ratios, in 1/1024 */
  for (int64_t j = 0; j < count; j++) {
    double ratio = W[j] > 0 ? fmin(fmax(W[j], Q[j]) / W[j], 1e6) : 0;
    sums[0] += W[j] > 0;
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
