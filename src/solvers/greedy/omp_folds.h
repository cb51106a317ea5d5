/* omp_folds.h - how many attributes predict best: examples held out in turn
 *
 * Examples are held out in five folds, or once, as the deal holds them out for
 * other solvers. A path without each fold is extended step by step, all of them
 * together, and judged on its fold. The size with the smallest mean loss wins.
 * SPDX-License-Identifier: MIT */
#ifndef TH_OMP_FOLDS_H
#define TH_OMP_FOLDS_H

#include "solvers/greedy/pursuit.h"

enum { TH_OMP_FOLDS = 5, TH_OMP_FOLDS_BELOW = 20000 }; /* examples */

/* Replicated. */
struct th_omp_folds {
  int64_t count;           /* 0: nothing is held out */
  uint8_t *fold;           /* of each example; count: in none */
  struct th_pursuit *path; /* of each fold: fitted without it */
  int64_t sizes;           /* loss[0 .. sizes - 1] are known */
  int64_t room;
  double *loss; /* mean on what is held out, by the number of attributes */
  int64_t best; /* the size with the smallest loss so far */
  bool ended;
};

/* Choose who is held out, and begin all paths. Collective. Release with
 * th_omp_folds_free, also after a failure. TH_EDATA where a fold leaves no
 * weight, or one label alone; TH_ENUMERIC, TH_ENOMEM, and of reading TH_EARG,
 * TH_EBUDGET, TH_EFORMAT, TH_EIO. */
th_status th_omp_folds_init(struct th_omp_folds *folds, int64_t count,
                            const struct th_pursuit_data *data,
                            struct th_error *err);
/* Local. */
void th_omp_folds_free(struct th_omp_folds *folds);

/* Extend all paths by one attribute, unless they have `most`, and judge them.
 * They end where the loss has not fallen for long. Collective. TH_ENUMERIC,
 * TH_ENOMEM, and of reading TH_EARG, TH_EDATA, TH_EBUDGET, TH_EFORMAT, TH_EIO.
 */
th_status th_omp_folds_extend(struct th_omp_folds *folds, int64_t most,
                              struct th_error *err);

/* Their state. Collective while it is put. */
void th_omp_folds_describe(struct th_omp_folds *folds, struct th_state *state);

#endif
