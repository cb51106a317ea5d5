/* improvement.c - what choosing attributes by their second moments can gain
 * SPDX-License-Identifier: MIT */
#include "cli/improvement.h"

#include "core/integer.h"
#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

enum { PIECE = 1 << 16 }; /* attributes whose statistics are read at once */

/* Over attributes in ascending order. */
struct sums {
  double squares; /* of m */
  double squares_lost;
  double roots; /* of sqrt(m) */
  double roots_lost;
  double largest;
};

/* Neumaier's compensated sum of terms that are not negative. */
static void add(double *sum, double *lost, double term)
{
  double total = *sum + term;
  *lost += *sum >= term ? (*sum - total) + term : (term - total) + *sum;
  *sum = total;
}

static void add_moment(struct sums *sums, const struct th_statistics *moments)
{
  double mean = moments->mean;
  double m = mean * mean + moments->deviation * moments->deviation;
  add(&sums->squares, &sums->squares_lost, m);
  add(&sums->roots, &sums->roots_lost, sqrt(m));
  sums->largest = fmax(sums->largest, m);
}

static double finite(double value)
{
  return isfinite(value) ? value : NAN;
}

th_status th_improvement_compute(struct th_improvement *improvement,
                                 struct th_store *store, struct th_error *err)
{
  const int64_t d = store->shape.attributes;
  struct th_statistics *statistics = NULL;
  struct sums sums = {0};
  th_status rc;
  *improvement = (struct th_improvement){NAN, NAN};
  TH_TRY(TH_NEW(&statistics, th_min_i64(d, PIECE), "statistics", err));
  for (int64_t first = 0; first < d; first += PIECE) {
    struct th_range part = {first, th_min_i64(first + PIECE, d)};
    TH_TRY(store->ops->statistics(store, part, statistics, err));
    for (int64_t k = 0; k < part.last - part.first; k++)
      add_moment(&sums, &statistics[k]);
  }
  double squares = sums.squares + sums.squares_lost;
  double roots = sums.roots + sums.roots_lost;
  improvement->ridge = finite(roots / squares * (roots / (double)d));
  improvement->lasso = finite(squares / sums.largest / (double)d);
done:
  free(statistics);
  return rc;
}
