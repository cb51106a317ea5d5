/* config.h - the options of training, as the solvers see them
 * SPDX-License-Identifier: MIT */
#ifndef TH_CONFIG_H
#define TH_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum th_refit { TH_REFIT_NO, TH_REFIT_YES, TH_REFIT_AUTO, TH_REFIT_COUNT };

/* Plain values; 0 means "by the automatic rule" unless said otherwise. The
 * option table of src/cli fills it in and documents ranges and defaults. */
struct th_config {
  const char *solver; /* a name from the solver table */
  int64_t sparsity;   /* s; 0: not given */
  int64_t budget;     /* s' */
  const char *loss;   /* a name from the loss table */
  int64_t passes;     /* upper limit */
  double validation;  /* fraction; negative: 0.1 where the solver stops early */
  uint64_t seed;
  bool standardize;
  bool intercept;
  enum th_refit refit;
  bool shared_support;          /* use all rows of an update on S */
  double eta;                   /* step size */
  int64_t batch_explore;        /* B^-_1, rows per block */
  int64_t batch_exploit;        /* B_1 */
  int64_t updates_explore;      /* T^-_k */
  int64_t updates_exploit;      /* T_k */
  double growth;                /* factor on both batches per round */
  int64_t rounds;               /* K: upper limit on rounds, 0: none */
  const int64_t *start_support; /* exploitation: where to begin, ascending */
  const double *start_coef;     /* aligned, in the data's own units, or NULL */
  int64_t start_size;
};

#endif
