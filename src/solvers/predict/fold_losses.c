/* fold_losses.c - what the models of a path lose on examples that were held out
 * SPDX-License-Identifier: MIT */
#include "solvers/predict/fold_losses.h"

#include "base/memory.h"

#include <math.h>

th_status th_fold_losses_init(struct th_fold_losses *losses, int64_t folds,
                              int64_t points, struct th_error *err)
{
  static const char what[] = "losses of held-out examples";
  th_status rc;
  *losses = (struct th_fold_losses){.folds = folds, .points = points};
  TH_TRY(TH_NEW(&losses->weight, folds, what, err));
  TH_TRY(TH_NEW(&losses->mean, folds * points, what, err));
  TH_TRY(TH_NEW(&losses->square, folds * points, what, err));
done:
  return rc;
}

void th_fold_losses_free(struct th_fold_losses *losses)
{
  TH_FREE(losses->weight, losses->mean, losses->square);
  *losses = (struct th_fold_losses){0};
}

void th_fold_losses_take(struct th_fold_losses *losses, int64_t f, int64_t k,
                         const double *u, const double *w, int64_t count)
{
  double weight = 0;
  double sum = 0;
  double square = 0;
  for (int64_t i = 0; i < count; i++) {
    weight += w[i];
    sum += w[i] * u[i];
  }
  double mean = weight > 0 ? sum / weight : 0;
  for (int64_t i = 0; i < count; i++) {
    double part = w[i] * (u[i] - mean);
    square += part * part;
  }
  losses->weight[f] = weight;
  losses->mean[f * losses->points + k] = mean;
  losses->square[f * losses->points + k] = square;
}

/* Of the squared differences of the folds from the mean. */
static double spread_of_folds(const struct th_fold_losses *losses, int64_t k,
                              double mean, double weight)
{
  double sum = 0;
  for (int64_t f = 0; f < losses->folds; f++) {
    double off = losses->mean[f * losses->points + k] - mean;
    sum += losses->weight[f] * off * off;
  }
  return sqrt(sum / weight / (double)(losses->folds - 1));
}

double th_fold_losses_mean(const struct th_fold_losses *losses, int64_t k,
                           double *se)
{
  double weight = 0;
  double sum = 0;
  for (int64_t f = 0; f < losses->folds; f++) {
    weight += losses->weight[f];
    sum += losses->weight[f] * losses->mean[f * losses->points + k];
  }
  double mean = weight > 0 ? sum / weight : 0;
  *se = 0;
  if (weight > 0)
    *se = losses->folds > 1 ? spread_of_folds(losses, k, mean, weight)
                            : sqrt(losses->square[k]) / weight;
  return mean;
}

int64_t th_fold_losses_best(const struct th_fold_losses *losses, int64_t points,
                            int64_t *one_se)
{
  double se = 0;
  double least = th_fold_losses_mean(losses, 0, &se);
  double most = least + se;
  int64_t best = 0;
  for (int64_t k = 1; k < points; k++) {
    double loss = th_fold_losses_mean(losses, k, &se);
    if (loss < least) {
      least = loss;
      most = loss + se;
      best = k;
    }
  }
  *one_se = 0;
  while (*one_se < best && !(th_fold_losses_mean(losses, *one_se, &se) <= most))
    ++*one_se;
  return best;
}
