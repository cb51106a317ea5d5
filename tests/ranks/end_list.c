/* end_list.c - the list of an end: members, then the best by both scores in
 * turns, without the fold that has no say; the same on every rank
 * SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/random.h"
#include "mpi/mpi_comm.h"
#include "ranks/partition.h"
#include "solvers/predict/end_list.h"

#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = 1500, FOLDS = 3, MEMBERS = 4 };

static const int64_t members[MEMBERS] = {3, 700, 701, 1499};

/* Sums of an attribute in a fold; of some nothing is known, one in 50 is left
 * out. Any rank can compute any. */
static struct th_evidence sum_of(int which, int64_t fold, int64_t j)
{
  struct th_stream stream = {11, TH_PURPOSE_TEST};
  double pair[2];
  th_random_normal(stream, (uint64_t)(which * FOLDS + fold), (uint64_t)j, pair);
  double v = j % 31 == 5 ? 0 : 1 + fabs(pair[1]);
  return (struct th_evidence){v > 0 ? floor(8 * pair[0]) / 4 : 0, v};
}

static bool is_left_out(int64_t j)
{
  return j % 50 == 49 && j != members[MEMBERS - 1];
}

static double score_of(int which, int64_t without, int64_t j)
{
  struct th_evidence sum = {0, 0};
  for (int64_t f = 0; f < FOLDS; f++)
    if (f != without) {
      sum.u += sum_of(which, f, j).u;
      sum.v += sum_of(which, f, j).v;
    }
  return sum.v > 0 && !is_left_out(j) ? fabs(sum.u) / sqrt(sum.v) : 0;
}

/* The best by a score that is not taken yet, or -1. */
static int64_t best_of(const double *score, const bool *taken)
{
  int64_t best = -1;
  for (int64_t j = 0; j < ATTRIBUTES; j++)
    if (!taken[j] && score[j] > 0 && (best < 0 || score[j] > score[best]))
      best = j;
  return best;
}

/* What the list should hold, found the slow way. */
static void expect(bool *taken, const struct th_end_wish *wish)
{
  static double score[TH_SCORES][ATTRIBUTES];
  int64_t count = 0;
  bool more = true;
  memset(taken, 0, ATTRIBUTES * sizeof *taken);
  for (int which = 0; which < TH_SCORES; which++)
    for (int64_t j = 0; j < ATTRIBUTES; j++)
      score[which][j] = score_of(which, wish->without, j);
  for (int k = 0; wish->members != NULL && k < MEMBERS; k++, count++)
    taken[members[k]] = true;
  while (more && count < wish->most) {
    more = false;
    for (int which = 0; which < TH_SCORES && count < wish->most; which++) {
      int64_t j = best_of(score[which], taken);
      if (j < 0)
        continue;
      taken[j] = more = true;
      count++;
    }
  }
}

static void test_list(struct th_context *context, struct th_marginal *scores,
                      const struct th_end_wish *wish)
{
  static bool taken[ATTRIBUTES];
  struct th_end_list list;
  struct th_error err = {0};
  int64_t wanted = 0;
  expect(taken, wish);
  CHECK(th_end_list_make(&list, scores, context, wish, &err) == TH_OK);
  for (int64_t j = 0; j < ATTRIBUTES; j++) {
    wanted += taken[j];
    CHECK((th_end_list_find(&list, j) >= 0) == taken[j]);
  }
  CHECK(list.count == wanted && list.count <= wish->most);
  for (int64_t k = 1; k < list.count; k++)
    CHECK(list.attribute[k] > list.attribute[k - 1]);
  th_end_list_free(&list);
}

static void fill(struct th_marginal *scores, const struct th_context *context)
{
  struct th_range owned = context->owned;
  int64_t count = owned.last - owned.first;
  for (int64_t f = 0; f < FOLDS; f++)
    for (int64_t j = 0; j < count; j++) {
      scores->alone[f * count + j] = sum_of(TH_SCORE_ALONE, f, owned.first + j);
      scores->with[f * count + j] = sum_of(TH_SCORE_WITH, f, owned.first + j);
      context->scale[j] = is_left_out(owned.first + j) ? 0 : 1;
    }
}

static void test_all(struct th_comm *comm)
{
  struct th_context context = {
      .comm = comm,
      .owned = th_partition_rank(ATTRIBUTES, comm->rank, comm->size)};
  int64_t attribute[MEMBERS];
  const struct th_support support = {.size = MEMBERS, .attribute = attribute};
  struct th_marginal scores;
  struct th_error err = {0};
  memcpy(attribute, members, sizeof members);
  context.scale = calloc(ATTRIBUTES, sizeof *context.scale);
  CHECK(th_marginal_init(&scores, &context, FOLDS, NULL, false, &err) == TH_OK);
  fill(&scores, &context);
  for (int64_t without = -1; without < FOLDS; without++)
    for (int64_t most = 5; most <= ATTRIBUTES; most *= 17)
      test_list(
          &context, &scores,
          &(struct th_end_wish){without < 0 ? &support : NULL, without, most});
  th_marginal_free(&scores);
  free(context.scale);
}

static void test_unite(void)
{
  int64_t a[] = {1, 5, 9};
  int64_t b[] = {0, 5, 7, 9};
  const struct th_end_list lists[] = {{3, a}, {0, NULL}, {4, b}};
  const int64_t wanted[] = {0, 1, 5, 7, 9};
  struct th_end_list all;
  struct th_error err = {0};
  CHECK(th_end_list_unite(&all, lists, 3, &err) == TH_OK);
  CHECK(all.count == 5 && memcmp(all.attribute, wanted, sizeof wanted) == 0);
  CHECK(th_end_list_find(&all, 7) == 3 && th_end_list_find(&all, 8) == -1);
  th_end_list_free(&all);
}

int main(int argc, char **argv)
{
  struct th_comm comm;
  th_mpi_comm_start(&comm, &argc, &argv);
  check_start(&comm);
  CASE(test_all(&comm));
  CASE(test_unite());
  int failed = check_finish(&comm);
  th_mpi_comm_stop(&comm);
  return failed;
}
