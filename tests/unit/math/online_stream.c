/* online_stream.c - the online rule on a stream of examples
 *
 * y = x'b + noise, x uniform in [-1, 1], 9 of the b_j are 4 or -4, as in Liang
 * & Poon 2022, section 4.1, and their program; lambda is half of lambda_max of
 * a pilot sample. Half of the examples run through plain prox-sgd, then
 * screening begins. Rule proj comes to the true attributes, rule paper to
 * nothing.
 *
 *   unit_online_stream         a short stream of each rule
 *   unit_online_stream study   3,000 attributes, 100,000 examples, 5 seeds
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "math/gap.h"
#include "math/online.h"

#include <stdlib.h>
#include <string.h>

enum { TRUE_SIZE = 9, RECENT = 256, PILOT = 1000, FIRST_BLOCK = 2000 };

struct stream {
  uint64_t seed;
  int64_t d;
  double *truth; /* b, over all attributes */
  double *x;     /* the present example, over all attributes */
  double y;
  double lambda;
  double curvature; /* of an example: its largest norm2(x)^2 */
};

/* What is left: attribute[p], and vectors over the places. */
struct left {
  int64_t count;
  int64_t *attribute;
  double *b;
  double *anchor;
  double *sum; /* of iterates */
  int64_t summed;
  struct th_online_vectors v;
  double *recent[RECENT]; /* the examples seen last */
  double target[RECENT];
};

static double *vector(int64_t count)
{
  double *v = calloc((size_t)count, sizeof *v);
  if (v == NULL)
    exit(1);
  return v;
}

static void draw(struct stream *s, uint64_t t)
{
  struct th_stream values = {s->seed, TH_PURPOSE_ATTRIBUTE};
  struct th_stream noise = {s->seed, TH_PURPOSE_NOISE};
  double pair[2];
  th_random_normal(noise, t, 0, pair);
  s->y = pair[0];
  for (int64_t j = 0; j < s->d; j++) {
    if (j % 2 == 0)
      th_random_uniform(values, t, (uint64_t)j, pair);
    s->x[j] = 2 * pair[j % 2] - 1;
    s->y += s->x[j] * s->truth[j];
  }
}

/* lambda and the length of steps, from examples of their own. */
static void pilot(struct stream *s)
{
  double *slope = vector(s->d);
  double largest = 0;
  for (uint64_t t = 0; t < PILOT; t++) {
    double square = 0;
    draw(s, t + (UINT64_C(1) << 40));
    for (int64_t j = 0; j < s->d; j++) {
      slope[j] += s->x[j] * s->y / PILOT;
      square += s->x[j] * s->x[j];
    }
    s->curvature = fmax(s->curvature, square);
  }
  for (int64_t j = 0; j < s->d; j++)
    largest = fmax(largest, fabs(slope[j]));
  s->lambda = largest / 2;
  free(slope);
}

static void open_stream(struct stream *s, struct left *l)
{
  s->truth = vector(s->d);
  s->x = vector(s->d);
  for (int64_t k = 0; k < TRUE_SIZE; k++)
    s->truth[(k * s->d) / TRUE_SIZE + 5] = k % 2 ? 4 : -4;
  pilot(s);
  l->attribute = calloc((size_t)s->d, sizeof *l->attribute);
  for (int64_t j = 0; j < s->d && l->attribute != NULL; j++)
    l->attribute[j] = j;
  l->count = s->d;
  l->b = vector(s->d);
  l->anchor = vector(s->d);
  l->sum = vector(s->d);
  l->v = (struct th_online_vectors){s->d, vector(s->d), vector(s->d),
                                    vector(s->d)};
  for (int k = 0; k < RECENT; k++)
    l->recent[k] = vector(s->d);
}

static void close_stream(struct stream *s, struct left *l)
{
  for (int k = 0; k < RECENT; k++)
    free(l->recent[k]);
  free(l->attribute);
  free(l->b);
  free(l->anchor);
  free(l->sum);
  free(l->v.X);
  free(l->v.Z);
  free(l->v.N);
  free(s->truth);
  free(s->x);
}

static double product(const struct stream *s, const struct left *l,
                      const double *v)
{
  double sum = 0;
  for (int64_t p = 0; p < l->count; p++)
    sum += s->x[l->attribute[p]] * v[p];
  return sum;
}

/* One step of prox-sgd; the share of the example in the certificate. */
static void step(struct stream *s, struct left *l, struct th_online *online,
                 int64_t t)
{
  double gamma = 1 / (s->curvature * pow(ceil((double)t / 1000), 0.51));
  double theta = product(s, l, l->b) - s->y;
  if (online != NULL) {
    th_online_step(online, l->v);
    th_online_example(online, 1, s->y, theta, product(s, l, l->anchor));
    double dual = th_online_dual_factor(online, 1, theta);
    double second = th_online_second_factor(online, 1);
    for (int64_t p = 0; p < l->count; p++) {
      double x = s->x[l->attribute[p]];
      l->v.X[p] += dual * x;
      l->v.N[p] += second * x * x;
    }
  }
  for (int64_t p = 0; p < l->count; p++) {
    double moved = l->b[p] - gamma * theta * s->x[l->attribute[p]];
    l->b[p] = copysign(fmax(fabs(moved) - gamma * s->lambda, 0), moved);
  }
}

static void remember(const struct stream *s, struct left *l, int64_t t)
{
  double *x = l->recent[t % RECENT];
  l->target[t % RECENT] = s->y;
  memcpy(x, s->x, (size_t)s->d * sizeof *x);
  if (t % 16 != 0)
    return;
  for (int64_t p = 0; p < l->count; p++)
    l->sum[p] += l->b[p];
  l->summed++;
}

/* The objective of the anchor behind each threshold, on recent examples. */
static void objectives(const struct stream *s, const struct left *l,
                       const double *level, double *objective)
{
  for (int k = 0; k < TH_ANCHOR_LEVELS; k++)
    objective[k] = 0;
  for (int64_t p = 0; p < l->count; p++)
    for (int k = th_online_sparse_average_level(level, l->anchor[p]);
         k < TH_ANCHOR_LEVELS; k++)
      objective[k] += s->lambda * fabs(l->anchor[p]);
  for (int r = 0; r < RECENT; r++) {
    double part[TH_ANCHOR_LEVELS + 1] = {0};
    double prediction = 0;
    for (int64_t p = 0; p < l->count; p++)
      part[th_online_sparse_average_level(level, l->anchor[p])] +=
          l->recent[r][l->attribute[p]] * l->anchor[p];
    for (int k = 0; k < TH_ANCHOR_LEVELS; k++) {
      prediction += part[k];
      double residual = prediction - l->target[r];
      objective[k] += residual * residual / 2 / RECENT;
    }
  }
}

static void choose_anchor(const struct stream *s, struct left *l,
                          struct th_online *online)
{
  double level[TH_ANCHOR_LEVELS];
  double objective[TH_ANCHOR_LEVELS];
  double largest = 0;
  double omega = 0;
  for (int64_t p = 0; p < l->count; p++) {
    l->anchor[p] = l->sum[p] / (double)l->summed;
    largest = fmax(largest, fabs(l->anchor[p]));
    l->sum[p] = 0;
  }
  l->summed = 0;
  th_online_sparse_average_levels(largest, level);
  objectives(s, l, level, objective);
  int best = th_online_sparse_average_best(objective);
  for (int64_t p = 0; p < l->count; p++) {
    if (th_online_sparse_average_level(level, l->anchor[p]) > best)
      l->anchor[p] = 0;
    omega += fabs(l->anchor[p]);
  }
  th_online_begin(online, omega, 0, l->v);
}

static void screen(struct left *l, struct th_online *online)
{
  double norm = 0;
  int64_t kept = 0;
  th_online_mean(online, l->v);
  for (int64_t p = 0; p < l->count; p++)
    norm = fmax(norm, fabs(l->v.X[p]));
  th_online_end(online, norm, l->v);
  for (int64_t p = 0; p < l->count; p++) {
    if (th_gap_removes(fabs(l->v.Z[p]), th_online_radius(online, l->v.N[p]),
                       th_gap_margin(TH_F64)))
      continue;
    l->attribute[kept] = l->attribute[p];
    l->b[kept] = l->b[p];
    l->sum[kept] = l->sum[p];
    l->v.Z[kept] = l->v.Z[p];
    l->v.N[kept++] = l->v.N[p];
  }
  l->count = kept;
  l->v.count = kept;
}

/* A stream of n examples; attributes left, and how many of them are true. */
static int64_t run(uint64_t seed, int64_t d, int64_t n,
                   enum th_screen_rule rule, int64_t *trues)
{
  struct stream s = {.seed = seed, .d = d};
  struct left l = {0};
  struct th_online online;
  open_stream(&s, &l);
  struct th_online_problem problem = {.loss = th_loss_find("squared"),
                                      .lambda = s.lambda,
                                      .n = n,
                                      .rule = rule};
  th_online_init(&online, &problem, 0.75, FIRST_BLOCK, n / 2);
  for (int64_t t = 1; t <= n; t++) {
    bool screens = t > n / 2;
    draw(&s, (uint64_t)t);
    if (t == n / 2 + 1)
      choose_anchor(&s, &l, &online);
    step(&s, &l, screens ? &online : NULL, t);
    remember(&s, &l, t);
    if (!screens || (online.block.steps < online.length && t < n))
      continue;
    screen(&l, &online);
    choose_anchor(&s, &l, &online);
  }
  *trues = 0;
  for (int64_t p = 0; p < l.count; p++)
    *trues += s.truth[l.attribute[p]] != 0;
  int64_t count = l.count;
  close_stream(&s, &l);
  return count;
}

static void study(uint64_t seed, int64_t d, int64_t n, bool tells)
{
  int64_t trues;
  int64_t proj = run(seed, d, n, TH_RULE_PROJ, &trues);
  CHECK(trues == TRUE_SIZE && proj <= 12);
  if (tells)
    printf("seed %d, %d attributes: proj leaves %d, %d of them true", (int)seed,
           (int)d, (int)proj, (int)trues);
  int64_t paper = run(seed, d, n, TH_RULE_PAPER, &trues);
  CHECK(paper == d && trues == TRUE_SIZE);
  if (tells)
    printf("; paper leaves %d\n", (int)paper);
}

int main(int argc, char **argv)
{
  bool all = argc > 1 && strcmp(argv[1], "study") == 0;
  for (uint64_t seed = 1; seed <= (all ? 5 : 1); seed++)
    CASE(study(seed, all ? 3000 : 300, all ? 100000 : 50000, all));
  return check_finish(NULL);
}
